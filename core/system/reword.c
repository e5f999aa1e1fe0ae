/* reword.c: bs_reword of bitsift/host.h. */
#include <string.h>

#include "core/bitsift/host.h"

/* The length of the longest prefix of a text, of at most n_bytes, that ends between characters. */
static size_t whole_characters(const char *text, size_t n_bytes)
{
	while (n_bytes > 0 && ((unsigned char)text[n_bytes] & 0xc0) == 0x80)
		n_bytes--;
	return n_bytes;
}

/* Replaces n_bytes of `text` at offset `at` by `to`. room: the size of the buffer `text` in bytes.
 * If the result does not fit, the text after `to` is shortened first, then `to`. */
static void replace(char *text, size_t room, size_t at, size_t n_bytes, const char *to)
{
	size_t length = strlen(text), to_bytes = strlen(to), rest = length - at - n_bytes;
	if (at + to_bytes >= room)
		to_bytes = whole_characters(to, room - 1 - at);
	size_t kept = rest < room - 1 - at - to_bytes
	                      ? rest
	                      : whole_characters(text + at + n_bytes, room - 1 - at - to_bytes);
	memmove(text + at + to_bytes, text + at + n_bytes, kept);
	memcpy(text + at, to, to_bytes);
	text[at + to_bytes + kept] = '\0';
}

void bs_reword(char *text, size_t room, const char *const *pairs)
{
	for (; pairs[0]; pairs += 2) {
		bool is_first = pairs[0][0] == '^';
		const char *from = pairs[0] + is_first;
		size_t n_bytes = strlen(from), to_bytes = strlen(pairs[1]);
		bool is_last = from[n_bytes - 1] == '$';
		n_bytes -= is_last;
		for (size_t at = 0; at + n_bytes <= strlen(text); at++) {
			if (strncmp(text + at, from, n_bytes) == 0) {
				replace(text, room, at, is_last ? strlen(text) - at : n_bytes,
				        pairs[1]);
				at += to_bytes > 0 ? to_bytes - 1 : 0;
			}
			if (is_first || at >= room)
				break;
		}
	}
}
