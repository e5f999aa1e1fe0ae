/* utf8.c: decoding UTF-8 and escaping text for terminals. See utf8.h and bitsift/escape.h. */
#include "core/base/utf8.h"

#include <stdio.h>
#include <unicode/utf8.h>

#include "core/base/bytes.h"
#include "core/bitsift/escape.h"

int32_t bs_utf8_next(const uint8_t *text, size_t text_bytes, size_t *at)
{
	size_t next = *at;
	UChar32 c;
	U8_NEXT(text, next, text_bytes, c);
	*at = next;
	return c;
}

/* Does not use ICU's U8_PREV, which has 32-bit offsets. */
int32_t bs_utf8_previous(const uint8_t *text, size_t *at)
{
	size_t end = *at;
	for (size_t n_bytes = 1; n_bytes <= U8_MAX_LENGTH && n_bytes <= end; n_bytes++) {
		size_t next = end - n_bytes;
		int32_t c = U8_IS_TRAIL(text[next]) ? -1 : bs_utf8_next(text, end, &next);
		if (c >= 0 && next == end) {
			*at = end - n_bytes;
			return c;
		}
	}
	*at = end - 1;
	return -1;
}

bool bs_text_is_utf8(const uint8_t *text, size_t n_bytes)
{
	UChar32 c = 0;
	if (bs_is_ascii(text, n_bytes))
		return true;
	for (size_t at = 0; at < n_bytes && c >= 0;) {
		/* Skips eight ASCII bytes at a time. */
		if (n_bytes - at >= sizeof(uint64_t) &&
		    !(bs_load_u64(text + at) & UINT64_C(0x8080808080808080)))
			at += sizeof(uint64_t);
		else
			U8_NEXT(text, at, n_bytes, c);
	}
	return c >= 0;
}

bool bs_is_terminal_control(int32_t c)
{
	return (c >= 0 && c < 0x20) || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e ||
	       c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

size_t bs_escape_next(const uint8_t *text, size_t text_bytes, size_t *at,
                      char out[BS_MAX_ESCAPE_BYTES + 1])
{
	size_t from = *at, used = 0;
	int32_t c = bs_utf8_next(text, text_bytes, at);
	bool is_escaped = bs_is_terminal_control(c);
	for (; from < *at; from++) {
		if (is_escaped || (c < 0 && text[from] < 0xa0))
			used += (size_t)snprintf(out + used, 5, "\\x%02x", text[from]);
		else
			out[used++] = (char)text[from];
	}
	return used;
}
