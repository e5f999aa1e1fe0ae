/*
 * grep_text.h: the bytes of one file as they are searched: read whole into memory that is used again, byte order marks
 * taken off, UTF-16 made UTF-8. Files are read, never mapped: one may be truncated while it is looked at.
 */
#ifndef BS_QUERY_GREP_TEXT_H
#define BS_QUERY_GREP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buffer.h"
#include "core/status.h"

/* ripgrep reads this much at a time, and looks for NUL bytes in it. */
#define BS_GREP_PIECE_BYTES ((size_t)65536)

struct bs_grep_text {
	struct bs_buffer bytes;
	struct bs_buffer raw;    /* what was read, where bytes are decoded from it */
	struct bs_buffer pieces; /* of size_t: where in bytes the pieces end that ripgrep's decoder yields; empty: not decoded */
	bool had_mark;           /* a byte order mark was taken off */
};

enum bs_grep_coding {
	BS_GREP_CODING_AUTO,  /* by the byte order mark; bytes as they are without one */
	BS_GREP_CODING_UTF8,  /* the same, but invalid UTF-8 becomes U+FFFD */
	BS_GREP_CODING_UTF16LE,
	BS_GREP_CODING_UTF16BE,
	BS_GREP_CODING_LATIN1, /* windows-1252, as the web has it */
	BS_GREP_CODING_NONE,  /* bytes as they are, a byte order mark too */
};

/* "utf-8", "utf-16le" and so on, in any letter case. BS_UNSUPPORTED for another. */
enum bs_status bs_grep_coding_find(const char *name, enum bs_grep_coding *coding_out, struct bs_error *err) BS_WARN_UNUSED;

/*
 * Reads the file at path below dir_fd, or standard input if path is NULL. With stop_at_nul the rest is not read once a NUL
 * byte was seen among the first piece. BS_NOT_FOUND or BS_IO, err saying why without the path; BS_NO_MEMORY.
 */
enum bs_status bs_grep_text_read(struct bs_grep_text *text, const char *path, enum bs_grep_coding coding, bool stop_at_nul,
                                 struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_text_deinit(struct bs_grep_text *text);

#endif
