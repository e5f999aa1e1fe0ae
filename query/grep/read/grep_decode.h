/*
 * grep_decode.h: converts text in other encodings to UTF-8, piece by piece, and detects byte order
 * marks.
 */
#pragma once

#include <stdbool.h>

#include "core/base/buffer.h"

/* A byte order mark has at most this many bytes. */
#define BS_GREP_MARK_BYTES ((size_t)3)

enum bs_grep_coding {
	BS_GREP_CODING_AUTO, /* by the byte order mark; without one, the bytes are unchanged */
	BS_GREP_CODING_UTF8, /* like AUTO, but invalid UTF-8 becomes U+FFFD */
	BS_GREP_CODING_UTF16LE,
	BS_GREP_CODING_UTF16BE,
	BS_GREP_CODING_LATIN1,       /* windows-1252, which is what "latin1" means on the web */
	BS_GREP_CODING_USER_DEFINED, /* x-user-defined: ASCII, and U+F780 to U+F7FF */
	BS_GREP_CODING_NONE,         /* bytes unchanged, including a byte order mark */
	BS_GREP_CODING_ICU,          /* this and larger values: encodings that ICU converts */
};

/* Finds a coding by name: "auto", "none", or a WHATWG label, which may be in any letter case and
 * have white space around it. BS_UNSUPPORTED: the name is unknown, or ICU lacks the encoding. */
enum bs_status bs_grep_coding_find(const char *name, enum bs_grep_coding *coding_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Detects a byte order mark at the start of a file. Returns the coding of a mark of UTF-16; with a
 * mark of UTF-8 or without a mark, returns `coding`. *mark_bytes_out: the length of the mark; 0: no
 * mark. If `coding` is BS_GREP_CODING_NONE, marks are not looked for. */
enum bs_grep_coding bs_grep_coding_sniff(const uint8_t *bytes, size_t n_bytes,
                                         enum bs_grep_coding coding, size_t *mark_bytes_out);
/* True if the first bytes of a file may be an incomplete byte order mark. */
bool bs_grep_coding_may_be_mark(const uint8_t *bytes, size_t n_bytes);

/* A decoder. Zero-initialise, and start for each file with a coding other than AUTO and NONE.
 * bs_grep_decoder_start fails with BS_UNSUPPORTED and BS_NO_MEMORY. */
struct bs_grep_decoder {
	enum bs_grep_coding coding;
	struct bs_buffer decoded; /* scratch for UTF-16 */
	void *converter;          /* ICU's, for converter_coding; NULL: none */
	enum bs_grep_coding converter_coding;
	/* at the start of the text, where a byte order mark in this encoding is dropped, even after
	 * the mark that chose the encoding */
	bool is_at_start;
};
enum bs_status bs_grep_decoder_start(struct bs_grep_decoder *decoder, enum bs_grep_coding coding,
                                     struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_decoder_deinit(struct bs_grep_decoder *decoder);

/* Decodes from[0..n_bytes) and appends the result. *taken_out: the number of bytes used; with
 * is_last, all. The other bytes, an incomplete character or byte order mark at the end, must be
 * passed again together with the bytes after them. BS_NO_MEMORY. */
enum bs_status bs_grep_decode(struct bs_grep_decoder *decoder, const uint8_t *from, size_t n_bytes,
                              bool is_last, size_t *taken_out, struct bs_buffer *out,
                              struct bs_error *err) BS_WARN_UNUSED;
