/*
 * grep_decode.h: text in other encodings made UTF-8, piece by piece as it is read, and what a byte
 * order mark says.
 */
#pragma once

#include <stdbool.h>

#include "core/base/buffer.h"

/* So many bytes at the start of a file decide what mark it has. */
#define BS_GREP_MARK_BYTES ((size_t)3)

enum bs_grep_coding {
	BS_GREP_CODING_AUTO, /* by the byte order mark; bytes as they are without one */
	BS_GREP_CODING_UTF8, /* the same, but invalid UTF-8 becomes U+FFFD */
	BS_GREP_CODING_UTF16LE,
	BS_GREP_CODING_UTF16BE,
	BS_GREP_CODING_LATIN1,       /* windows-1252, as the web has it */
	BS_GREP_CODING_USER_DEFINED, /* ASCII, and U+F780 on */
	BS_GREP_CODING_NONE,         /* bytes as they are, a byte order mark too */
	BS_GREP_CODING_ICU,          /* and more: those that ICU knows */
};

/* "auto", "none", or a label of the WHATWG's, in any letter case, with white space around.
 * BS_UNSUPPORTED for another, and for one that ICU does not have. */
enum bs_status bs_grep_coding_find(const char *name, enum bs_grep_coding *coding_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* The coding that a mark at the start of a file tells, and its length; without one, coding. */
enum bs_grep_coding bs_grep_coding_sniff(const uint8_t *bytes, size_t n_bytes,
                                         enum bs_grep_coding coding, size_t *mark_bytes_out);
/* Whether the first bytes of a file may become a mark when more come. */
bool bs_grep_coding_may_be_mark(const uint8_t *bytes, size_t n_bytes);

/* Zero-initialise it; start it for each file, with a coding that is not AUTO and not NONE:
 * BS_UNSUPPORTED, BS_NO_MEMORY. */
struct bs_grep_decoder {
	enum bs_grep_coding coding;
	struct bs_buffer decoded; /* on the way */
	void *converter;          /* ICU's, for converter_coding; NULL: none */
	enum bs_grep_coding converter_coding;
	/* where a byte order mark of the coding's own is left out, even after one that told the
	 * coding */
	bool is_at_start;
};
enum bs_status bs_grep_decoder_start(struct bs_grep_decoder *decoder, enum bs_grep_coding coding,
                                     struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_decoder_deinit(struct bs_grep_decoder *decoder);

/* Appends what from[0..n_bytes) is. *taken_out of them were used: the beginning of a character at
 * the end waits for what follows, and is to be given again with it, unless is_last.
 * BS_NO_MEMORY. */
enum bs_status bs_grep_decode(struct bs_grep_decoder *decoder, const uint8_t *from, size_t n_bytes,
                              bool is_last, size_t *taken_out, struct bs_buffer *out,
                              struct bs_error *err) BS_WARN_UNUSED;
