/* test_json_text.c: the library copies and escapes JSON strings by machine words and chunks; this
 * test compares them with strings that are escaped one character after the other. */
#include "core/base/utf8.h"
#include "core/bitsift/escape.h"
#include "query/grep/print/json_text.h"
#include "tests/rigs/core_rig.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/test.h"

#define MOST_BYTES 9000u

/* Appends a text, which must be valid UTF-8, escaped for JSON. */
static void escape_slowly(const uint8_t *text, size_t n_bytes, bool is_terminal,
                          struct bs_buffer *out)
{
	static const char marks[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	char escape[16];
	for (size_t at = 0; at < n_bytes;) {
		size_t from = at;
		int32_t c = bs_utf8_next(text, n_bytes, &at);
		const char *mark = c > 0 && c < 0x80 ? strchr(marks, c) : NULL;
		if (mark)
			(void)snprintf(escape, sizeof(escape), "\\%c", letters[mark - marks]);
		else if (c < 0x20 || (is_terminal && bs_is_terminal_control(c)))
			(void)snprintf(escape, sizeof(escape), "\\u%04x", (unsigned)c);
		else
			(void)snprintf(escape, sizeof(escape), "%.*s", (int)(at - from),
			               text + from);
		append_bytes(out, escape, strlen(escape));
	}
}

static void encode_slowly(const uint8_t *bytes, size_t n_bytes, struct bs_buffer *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t bit = 0; bit < 8 * n_bytes; bit += 6) {
		uint32_t digit = 0;
		for (size_t i = bit; i < bit + 6; i++)
			digit = digit << 1 |
			        (i < 8 * n_bytes ? bytes[i / 8] >> (7 - i % 8) & 1 : 0);
		append_bytes(out, &digits[digit], 1);
	}
	append_bytes(out, "==", (3 - n_bytes % 3) % 3);
}

/* Makes a random text of plain letters and of characters that are escaped or beyond ASCII. In a
 * quarter of the texts one byte is replaced by a random byte from 0x80 on. */
static size_t make_text(uint8_t *text)
{
	static const char *const pieces[] = {"a", "\"", "\\", "\n", "\x01", "\x1f", "\x7f", "/",
	                                     /* Characters of several bytes. */
	                                     "\xc3\xa9", "\xc2\x9b", "\xe6\xbc\xa2",
	                                     "\xf0\x9f\x98\x80", "\xe2\x80\xae", "function(x)"};
	uint32_t most = by_chance(20) ? MOST_BYTES - 16 : by_chance(50) ? 40 : 300;
	uint32_t n_bytes = below(most), n_kinds = 1 + below(14);
	size_t n = 0;
	while (n < n_bytes) {
		const char *piece = by_chance(60) ? "abcdefg" : pieces[below(n_kinds)];
		memcpy(text + n, piece, strlen(piece));
		n += strlen(piece);
	}
	if (n > 0 && by_chance(25))
		text[below(n)] = 0x80 + (uint8_t)below(0x80);
	return n;
}

static void random_texts(void **state)
{
	unsigned long n_invalid = 0;
	uint8_t text[MOST_BYTES];
	for (unsigned long round = 0; round < rounds.n; round++) {
		AUTO(bs_buffer_deinit) struct bs_buffer out = {0}, expected = {0};
		bool is_terminal = by_chance(30);
		size_t n = make_text(text);
		bool is_valid = bs_text_is_utf8(text, n);
		struct bs_text_writer to = {.out = &out, .err = NULL};
		const char *name = is_valid ? "{\"text\":\"" : "{\"bytes\":\"";
		struct bs_grep_span match = {.start = n > 0 ? below(n) : 0};
		match.end = match.start + (n > match.start ? below(n - match.start) : 0);
		n_invalid += !is_valid;
		bs_json_put_data(&to, text, n, is_terminal);
		append_bytes(&expected, name, strlen(name));
		if (is_valid)
			escape_slowly(text, n, is_terminal, &expected);
		else
			encode_slowly(text, n, &expected);
		append_bytes(&expected, "\"}", 2);
		assert_int_equal(to.status, BS_OK);
		assert_buffers_equal(&out, &expected);
		/* a match, with or without a replacement */
		char numbers[64];
		bs_buffer_clear(&out);
		bs_buffer_clear(&expected);
		bool has_replacement = below(4) == 0;
		const uint8_t *replacement = has_replacement ? text + n / 2 : NULL;
		bs_json_put_match(&to, text, match, replacement, n - n / 2, is_terminal);
		to.out = &expected;
		bs_text_put_string(&to, "{\"match\":");
		bs_json_put_data(&to, text + match.start, match.end - match.start, is_terminal);
		if (has_replacement) {
			bs_text_put_string(&to, ",\"replacement\":");
			bs_json_put_data(&to, replacement, n - n / 2, is_terminal);
		}
		snprintf(numbers, sizeof(numbers), ",\"start\":%zu,\"end\":%zu}", match.start,
		         match.end);
		bs_text_put_string(&to, numbers);
		assert_buffers_equal(&out, &expected);
	}
	assert_reached(n_invalid > rounds.n / 20);
}

RUN_RANDOM_TESTS(20000, 15, random_texts)
