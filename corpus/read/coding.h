/*
 * coding.h: collections in UTF-16 and UTF-32, which begin with a byte order mark: their lines, and
 * these as UTF-8. Offsets and lengths of records are those of the file's bytes, texts and checksums
 * those of the UTF-8.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"

enum bs_coding {
	BS_CODING_UTF8,
	BS_CODING_UTF16LE,
	BS_CODING_UTF16BE,
	BS_CODING_UTF32LE,
	BS_CODING_UTF32BE
};

#define BS_CODING_MARK_BYTES ((size_t)4) /* the longest mark; enough of a file to know its coding */

/* The coding that the first bytes of a file tell, and how long its mark is; UTF-8, and 0 perhaps,
 * without another one. */
enum bs_coding bs_coding_of(const uint8_t *bytes, size_t n_bytes, size_t *mark_bytes_out);
/* The coding of an open file, UTF-8 if it cannot be read. */
enum bs_coding bs_coding_of_file(int fd);

static inline size_t bs_coding_unit_bytes(enum bs_coding coding)
{
	return coding == BS_CODING_UTF8 ? 1 : coding < BS_CODING_UTF32LE ? 2 : 4;
}

/* The first or last line feed of bytes that begin with a unit; NULL: they have no line feed. */
const uint8_t *bs_coding_first_feed(enum bs_coding coding, const uint8_t *bytes, size_t n_bytes);
const uint8_t *bs_coding_last_feed(enum bs_coding coding, const uint8_t *bytes, size_t n_bytes);

/* The length of a line without the carriage return that it may end in. */
size_t bs_coding_without_return(enum bs_coding coding, const uint8_t *line, size_t line_bytes);

/* Overwrites text with the UTF-8 of bytes in another coding; what is no character becomes U+FFFD.
 * BS_NO_MEMORY. */
enum bs_status bs_coding_decode(enum bs_coding coding, const uint8_t *bytes, size_t n_bytes,
                                struct bs_buffer *text, struct bs_error *err) BS_WARN_UNUSED;
