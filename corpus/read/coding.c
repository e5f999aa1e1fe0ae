/* coding.c: see coding.h. */
#include "corpus/read/coding.h"

#include <string.h>
#include <unicode/utf.h>
#include <unistd.h>

#include "corpus/walk/file.h"

enum bs_coding bs_coding_of(const uint8_t *bytes, size_t n_bytes, size_t *mark_bytes_out)
{
	static const struct {
		enum bs_coding coding;
		size_t n_bytes;
		uint8_t bytes[BS_CODING_MARK_BYTES];
	} marks[] = {
		/* UTF-32 first, because its mark begins with that of UTF-16, and no record begins
		 * with U+0000. */
		{BS_CODING_UTF32LE, 4, {0xff, 0xfe, 0, 0}},
		{BS_CODING_UTF32BE, 4, {0, 0, 0xfe, 0xff}},
		{BS_CODING_UTF16LE, 2, {0xff, 0xfe}},
		{BS_CODING_UTF16BE, 2, {0xfe, 0xff}},
		{BS_CODING_UTF8, 3, {0xef, 0xbb, 0xbf}},
	};
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		*mark_bytes_out = marks[i].n_bytes;
		if (n_bytes >= marks[i].n_bytes &&
		    memcmp(bytes, marks[i].bytes, marks[i].n_bytes) == 0)
			return marks[i].coding;
	}
	*mark_bytes_out = 0;
	return BS_CODING_UTF8;
}

enum bs_coding bs_coding_of_file(int fd)
{
	uint8_t bytes[BS_CODING_MARK_BYTES];
	size_t mark_bytes;
	ssize_t n = pread(fd, bytes, sizeof(bytes), 0);
	return bs_coding_of(bytes, n > 0 ? (size_t)n : 0, &mark_bytes);
}

static uint32_t unit_at(enum bs_coding coding, const uint8_t *at)
{
	switch (coding) {
	case BS_CODING_UTF16LE:
		return (uint32_t)at[0] | (uint32_t)at[1] << 8;
	case BS_CODING_UTF16BE:
		return (uint32_t)at[1] | (uint32_t)at[0] << 8;
	case BS_CODING_UTF32LE:
		return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
		       (uint32_t)at[3] << 24;
	case BS_CODING_UTF32BE:
		return (uint32_t)at[3] | (uint32_t)at[2] << 8 | (uint32_t)at[1] << 16 |
		       (uint32_t)at[0] << 24;
	case BS_CODING_UTF8:
		break;
	}
	return at[0];
}

const uint8_t *bs_coding_first_feed(enum bs_coding coding, const uint8_t *bytes, size_t n_bytes)
{
	size_t unit = bs_coding_unit_bytes(coding);
	const uint8_t *end = bytes + n_bytes / unit * unit;
	for (const uint8_t *at = bytes;
	     at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL;) {
		const uint8_t *start = at - (size_t)(at - bytes) % unit;
		if (unit_at(coding, start) == '\n')
			return start;
		at++;
	}
	return NULL;
}

const uint8_t *bs_coding_last_feed(enum bs_coding coding, const uint8_t *bytes, size_t n_bytes)
{
	size_t unit = bs_coding_unit_bytes(coding);
	for (size_t n = n_bytes / unit * unit; n > 0;) {
		const uint8_t *at = memrchr(bytes, '\n', n);
		if (!at)
			return NULL;
		const uint8_t *start = at - (size_t)(at - bytes) % unit;
		if (unit_at(coding, start) == '\n')
			return start;
		n = (size_t)(at - bytes);
	}
	return NULL;
}

size_t bs_coding_without_return(enum bs_coding coding, const uint8_t *line, size_t line_bytes)
{
	size_t unit = bs_coding_unit_bytes(coding);
	bool has_return = line_bytes >= unit && line_bytes % unit == 0 &&
	                  unit_at(coding, line + line_bytes - unit) == '\r';
	return line_bytes - (has_return ? unit : 0);
}

enum bs_status bs_coding_decode(enum bs_coding coding, const uint8_t *bytes, size_t n_bytes,
                                struct bs_buffer *text, struct bs_error *err)
{
	bs_buffer_clear(text);
	if (coding == BS_CODING_UTF8)
		return bs_buffer_append(text, bytes, n_bytes, err);
	if (coding < BS_CODING_UTF32LE)
		return bs_file_decode_utf16(bytes, n_bytes, coding == BS_CODING_UTF16BE, text, err);
	enum bs_status status = bs_buffer_reserve(text, n_bytes + 3, err);
	for (size_t at = 0; at < n_bytes && !status; at += 4) {
		uint32_t c = n_bytes - at >= 4 ? unit_at(coding, bytes + at) : 0xfffd;
		c = c > 0x10ffff || U_IS_SURROGATE(c) ? 0xfffd : c;
		U8_APPEND_UNSAFE(text->data, text->used_bytes, c);
	}
	return status;
}
