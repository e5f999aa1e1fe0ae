/* json_text.c: see json_text.h. Text is copied eight bytes at a time, up to the next byte that must
 * be escaped. */
#include "query/grep/print/json_text.h"

#include <stdio.h>

#include "core/base/bytes.h"
#include "core/base/utf8.h"
#include "core/bitsift/escape.h"

/* The most bytes of a chunk. Room is reserved for the case that all of them are escaped. */
#define CHUNK_BYTES  ((size_t)4096)
#define ESCAPE_BYTES 6u /* the longest escape: \u001f */
#define WORD_BYTES   sizeof(uint64_t)
#define MAX_DIGITS   20u

/* 0x80 at each byte of the word that is escaped: controls, quotes and backslashes. Bytes above the
 * lowest of these may be marked without reason, because of borrows. */
static uint64_t find_escaped(uint64_t word)
{
	const uint64_t ones = UINT64_MAX / 255, quotes = word ^ ones * '"',
		       slashes = word ^ ones * '\\';
	return (((word - ones * 0x20) & ~word) | ((quotes - ones) & ~quotes) |
	        ((slashes - ones) & ~slashes)) &
	       ones * 0x80;
}

static uint8_t *write_escape(uint8_t *to, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	static const uint8_t letters[256] = {
		['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
		['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't'};
	*to++ = '\\';
	if (letters[byte]) {
		*to++ = letters[byte];
		return to;
	}
	memcpy(to, "u00", 3);
	to[3] = (uint8_t)digits[byte >> 4];
	to[4] = (uint8_t)digits[byte & 15];
	return to + 5;
}

/* Puts text[0..n) escaped; n <= CHUNK_BYTES. Returns whether it is ASCII. */
static bool put_chunk(struct bs_text_writer *to, const uint8_t *text, size_t n)
{
	struct bs_buffer *out = to->out;
	size_t at = 0;
	uint64_t seen = 0;
	if (!to->status && out->capacity_bytes - out->used_bytes < n * ESCAPE_BYTES + WORD_BYTES)
		to->status = bs_buffer_reserve(out, n * ESCAPE_BYTES + WORD_BYTES, to->err);
	if (to->status)
		return true;
	uint8_t *end = out->data + out->used_bytes;
	while (n - at >= WORD_BYTES) {
		uint64_t word = bs_load_u64(text + at), escaped = find_escaped(word);
		seen |= word;
		memcpy(end, text + at, WORD_BYTES);
		size_t n_plain = escaped ? (size_t)__builtin_ctzll(escaped) / 8 : WORD_BYTES;
		at += n_plain;
		end += n_plain;
		if (escaped)
			end = write_escape(end, text[at++]);
	}
	for (; at < n; at++) {
		seen |= text[at];
		if (text[at] < 0x20 || text[at] == '"' || text[at] == '\\')
			end = write_escape(end, text[at]);
		else
			*end++ = text[at];
	}
	out->used_bytes = (size_t)(end - out->data);
	return !(seen & UINT64_C(0x8080808080808080));
}

static size_t chunk_bytes(size_t n_left)
{
	return n_left < CHUNK_BYTES ? n_left : CHUNK_BYTES;
}

static void put_escaped(struct bs_text_writer *to, const uint8_t *text, size_t n)
{
	for (size_t at = 0; at < n; at += chunk_bytes(n - at))
		(void)put_chunk(to, text + at, chunk_bytes(n - at));
}

/* Puts text[0..n) escaped if it is UTF-8. False: it is not, and nothing was put. Chunks of ASCII
 * before the first other chunk are not validated. */
static bool put_valid(struct bs_text_writer *to, const uint8_t *text, size_t n)
{
	size_t used_bytes = to->out->used_bytes;
	for (size_t at = 0; at < n; at += chunk_bytes(n - at)) {
		if (put_chunk(to, text + at, chunk_bytes(n - at)))
			continue;
		if (!bs_text_is_utf8(text + at, n - at)) {
			to->out->used_bytes = used_bytes;
			return false;
		}
		at += chunk_bytes(n - at);
		put_escaped(to, text + at, n - at);
		break;
	}
	return true;
}

/* Puts text, which is UTF-8, with its terminal controls escaped. */
static void put_for_terminal(struct bs_text_writer *to, const uint8_t *text, size_t n)
{
	char escape[ESCAPE_BYTES + 1];
	size_t done = 0;
	for (size_t at = 0; at < n;) {
		size_t from = at;
		int32_t c = bs_utf8_next(text, n, &at);
		if (c < 0x20 || !bs_is_terminal_control(c))
			continue;
		put_escaped(to, text + done, from - done);
		(void)snprintf(escape, sizeof(escape), "\\u%04x", (unsigned)c & 0xffff);
		bs_text_put(to, escape, ESCAPE_BYTES);
		done = at;
	}
	put_escaped(to, text + done, n - done);
}

static void put_base64(struct bs_text_writer *to, const uint8_t *bytes, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct bs_buffer *out = to->out;
	if (!to->status)
		to->status = bs_buffer_reserve(out, n / 3 * 4 + 4, to->err);
	if (to->status)
		return;
	uint8_t *end = out->data + out->used_bytes;
	for (size_t i = 0; i < n; i += 3, end += 4) {
		size_t left = n - i;
		uint32_t word = (uint32_t)bytes[i] << 16 |
		                (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
		                (left > 2 ? bytes[i + 2] : 0);
		end[0] = (uint8_t)digits[word >> 18];
		end[1] = (uint8_t)digits[word >> 12 & 63];
		end[2] = left > 1 ? (uint8_t)digits[word >> 6 & 63] : '=';
		end[3] = left > 2 ? (uint8_t)digits[word & 63] : '=';
	}
	out->used_bytes = (size_t)(end - out->data);
}

void bs_json_put_data(struct bs_text_writer *to, const void *bytes, size_t n_bytes,
                      bool is_terminal)
{
	size_t used_bytes = to->out->used_bytes;
	bs_text_put_string(to, "{\"text\":\"");
	bool is_text =
		is_terminal ? bs_text_is_utf8(bytes, n_bytes) : put_valid(to, bytes, n_bytes);
	if (is_text && is_terminal)
		put_for_terminal(to, bytes, n_bytes);
	if (!is_text) {
		to->out->used_bytes = used_bytes;
		bs_text_put_string(to, "{\"bytes\":\"");
		put_base64(to, bytes, n_bytes);
	}
	bs_text_put(to, "\"}", 2);
}

char *bs_write_digits(char *end, uint64_t number)
{
	do {
		*--end = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	return end;
}

void bs_json_put_number(struct bs_text_writer *to, uint64_t number)
{
	char digits[MAX_DIGITS], *end = digits + sizeof(digits),
				 *start = bs_write_digits(end, number);
	bs_text_put(to, start, (size_t)(end - start));
}

#define SHORT_BYTES 32u
/* The room for a short match, with its names and numbers. */
#define SHORT_ROOM (SHORT_BYTES + 40 + 2 * MAX_DIGITS)

static uint8_t *write_number(uint8_t *to, uint64_t number)
{
	char digits[MAX_DIGITS], *end = digits + sizeof(digits),
				 *start = bs_write_digits(end, number);
	memcpy(to, start, (size_t)(end - start));
	return to + (end - start);
}

static uint8_t *write_text(uint8_t *to, const char *text)
{
	size_t n = strlen(text);
	memcpy(to, text, n);
	return to + n;
}

/* Like bs_json_put_match, for a match of up to SHORT_BYTES that needs no escape. False: the match
 * is longer or needs an escape, and nothing was put. */
static bool put_short_match(struct bs_text_writer *to, const uint8_t *text,
                            struct bs_grep_span match)
{
	struct bs_buffer *out = to->out;
	if (match.end - match.start > SHORT_BYTES)
		return false;
	for (size_t i = match.start; i < match.end; i++)
		if (text[i] < 0x20 || text[i] >= 0x7f || text[i] == '"' || text[i] == '\\')
			return false;
	if (!to->status && out->capacity_bytes - out->used_bytes < SHORT_ROOM)
		to->status = bs_buffer_reserve(out, SHORT_ROOM, to->err);
	if (to->status)
		return true;
	uint8_t *end = write_text(out->data + out->used_bytes, "{\"match\":{\"text\":\"");
	for (size_t i = match.start; i < match.end; i++)
		*end++ = text[i];
	end = write_number(write_text(end, "\"},\"start\":"), match.start);
	end = write_number(write_text(end, ",\"end\":"), match.end);
	*end++ = '}';
	out->used_bytes = (size_t)(end - out->data);
	return true;
}

void bs_json_put_match(struct bs_text_writer *to, const uint8_t *text, struct bs_grep_span match,
                       const uint8_t *replacement, size_t replacement_bytes, bool is_terminal)
{
	if (!replacement && put_short_match(to, text, match))
		return;
	bs_text_put(to, "{\"match\":", 9);
	bs_json_put_data(to, text + match.start, match.end - match.start, is_terminal);
	if (replacement) {
		bs_text_put_string(to, ",\"replacement\":");
		bs_json_put_data(to, replacement, replacement_bytes, is_terminal);
	}
	bs_text_put(to, ",\"start\":", 9);
	bs_json_put_number(to, match.start);
	bs_text_put(to, ",\"end\":", 7);
	bs_json_put_number(to, match.end);
	bs_text_put(to, "}", 1);
}
