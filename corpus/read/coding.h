/*
 * coding.h: collections in UTF-16 and UTF-32, recognized by a byte order mark: finds their lines
 * and decodes them to UTF-8. Offsets and lengths of records count bytes of the file; texts and
 * checksums are those of the UTF-8.
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

/* length of the longest mark: enough bytes of a file to recognize its coding */
#define BS_CODING_MARK_BYTES ((size_t)4)

/* The coding given by the byte order mark at the beginning of a file; UTF-8 if there is none.
 * *mark_bytes_out: the length of the mark, or 0. */
enum bs_coding bs_coding_of(const uint8_t *bytes, size_t n_bytes, size_t *mark_bytes_out);
/* The coding of an open file; UTF-8 if it cannot be read. */
enum bs_coding bs_coding_of_file(int fd);

static inline size_t bs_coding_unit_bytes(enum bs_coding coding)
{
	return coding == BS_CODING_UTF8 ? 1 : coding < BS_CODING_UTF32LE ? 2 : 4;
}

/* The first or last line feed of bytes that begin at a unit boundary; NULL if there is none. */
const uint8_t *bs_coding_first_feed(enum bs_coding coding, const uint8_t *bytes, size_t n_bytes);
const uint8_t *bs_coding_last_feed(enum bs_coding coding, const uint8_t *bytes, size_t n_bytes);

/* The length of a line without a trailing carriage return. */
size_t bs_coding_without_return(enum bs_coding coding, const uint8_t *line, size_t line_bytes);

/* Overwrites text with bytes converted to UTF-8; invalid characters become U+FFFD. BS_NO_MEMORY. */
enum bs_status bs_coding_decode(enum bs_coding coding, const uint8_t *bytes, size_t n_bytes,
                                struct bs_buffer *text, struct bs_error *err) BS_WARN_UNUSED;
