/*
 * grep_text.h: the bytes of one file as they are searched: read into memory that is used again, byte order marks taken
 * off, UTF-16 made UTF-8. Files are read, never mapped: one may be truncated while it is looked at.
 *
 * A large file need not be in hand as a whole: what was searched is let go, and the next piece is read into the same
 * memory, which the processor then still has near.
 */
#ifndef BS_QUERY_GREP_GREP_TEXT_H
#define BS_QUERY_GREP_GREP_TEXT_H

#include <stdbool.h>

#include "core/base/buffer.h"

/* ripgrep reads this much at a time, and looks for NUL bytes in it. */
#define BS_GREP_PIECE_BYTES ((size_t)65536)

/* And of standard input first this much, the size of the buffer that it has there. */
#define BS_GREP_STDIN_BYTES ((size_t)8192)

struct bs_grep_text {
	struct bs_buffer bytes;
	struct bs_buffer raw; /* what was read, where bytes are decoded from it */
	struct bs_buffer
		pieces; /* of size_t: where in bytes the pieces end that ripgrep's decoder yields; empty: not decoded */
	bool had_mark;  /* a byte order mark was taken off */
	bool is_stdin;
	bool has_more;         /* bytes is not all there is: bs_grep_text_more() reads on */
	uint64_t read_bytes;   /* so far, of the file */
	int fd;                /* has_more: what is read from */
	size_t size_bytes;     /* as the file was announced; 0: not */
	struct bs_buffer root; /* the folder below which files were opened last, NUL-ended; empty: none */
	int root_fd;           /* ... open */
};

enum bs_grep_coding {
	BS_GREP_CODING_AUTO, /* by the byte order mark; bytes as they are without one */
	BS_GREP_CODING_UTF8, /* the same, but invalid UTF-8 becomes U+FFFD */
	BS_GREP_CODING_UTF16LE,
	BS_GREP_CODING_UTF16BE,
	BS_GREP_CODING_LATIN1, /* windows-1252, as the web has it */
	BS_GREP_CODING_NONE,   /* bytes as they are, a byte order mark too */
};

/* "utf-8", "utf-16le" and so on, in any letter case. BS_UNSUPPORTED for another. */
enum bs_status bs_grep_coding_find(const char *name, enum bs_grep_coding *coding_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

struct bs_grep_reading {
	enum bs_grep_coding coding;
	bool stop_at_nul;  /* the rest is not wanted once a NUL byte was seen in the first piece */
	bool in_pieces;    /* of a large file that needs no decoding, only the first piece is read */
	size_t root_bytes; /* as in struct bs_grep_file */
};

/* Reads the file at path, or standard input if path is NULL. BS_NOT_FOUND or BS_IO, err saying why without the path;
 * BS_NO_MEMORY. */
enum bs_status bs_grep_text_read(struct bs_grep_text *text, const char *path, const struct bs_grep_reading *reading,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Lets go of the first dropped_bytes of bytes, and reads until wanted_bytes of the others are there, or a few more, or
 * the file ends. Fails as bs_grep_text_read. */
enum bs_status bs_grep_text_more(struct bs_grep_text *text, size_t dropped_bytes, size_t wanted_bytes,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* No more of this file is wanted. */
void bs_grep_text_close(struct bs_grep_text *text);
void bs_grep_text_deinit(struct bs_grep_text *text);

#endif
