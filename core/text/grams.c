/* grams.c: see grams.h. indexer/batch/gram_sketch.c makes columns of the grams of a text. */
#include "core/text/grams.h"

#include <string.h>

#include <unicode/utf8.h>

#include "core/base/bytes.h"
#include "core/system/icu.h"

uint32_t bs_gram_fold(uint32_t c)
{
	if (c < 0x80)
		return c - 'A' < 26 ? c + 32 : c;
	return (uint32_t)bs_icu.u_foldCase((UChar32)c, U_FOLD_CASE_DEFAULT);
}

size_t bs_gram_find_uncertain(const uint8_t *text, size_t n_bytes, size_t *doubtful_bytes_out)
{
	*doubtful_bytes_out = 0;
	for (size_t at = 0; at < n_bytes;) {
		size_t start = at;
		UChar32 c;
		U8_NEXT_UNSAFE(text, at, c);
		*doubtful_bytes_out = at - start;
		if (c >= 0x80 &&
		    (bs_icu_load(NULL) != BS_OK || bs_icu.u_charType(c) == U_UNASSIGNED))
			return start;
	}
	return n_bytes;
}

size_t bs_gram_longest_certain(const uint8_t *text, size_t n_bytes, size_t *from_out)
{
	size_t best = 0;
	*from_out = 0;
	for (size_t at = 0, n, doubtful_bytes; at < n_bytes; at += n + doubtful_bytes) {
		n = bs_gram_find_uncertain(text + at, n_bytes - at, &doubtful_bytes);
		if (n > best) {
			best = n;
			*from_out = at;
		}
	}
	return best;
}

#define EVERY_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Folds eight ASCII bytes. No sum exceeds 0xff, so bytes do not affect each other. The high bits of
 * the first sum mark bytes from A on, those of the second bytes from [ on; bytes marked only in the
 * first are capitals. */
static inline uint64_t fold_ascii(uint64_t bytes)
{
	uint64_t from_a = bytes + EVERY_BYTE(0x80 - 'A');
	uint64_t from_bracket = bytes + EVERY_BYTE(0x80 - '[');
	return bytes | ((from_a & ~from_bracket & EVERY_BYTE(0x80)) >> 2);
}

#define BLOCK_BYTES 64u /* bytes that fold_blocks folds at a time */

/* Folds whole blocks up to the first that is not all ASCII; returns the number of bytes. Compilers
 * vectorize the loop. */
static size_t fold_blocks(const uint8_t *from, size_t n_bytes, uint8_t *to)
{
	size_t at = 0;
	for (; n_bytes - at >= BLOCK_BYTES; at += BLOCK_BYTES) {
		uint64_t words[BLOCK_BYTES / 8], any = 0;
		memcpy(words, from + at, BLOCK_BYTES);
		for (size_t i = 0; i < BLOCK_BYTES / 8; i++)
			any |= words[i];
		if (any & EVERY_BYTE(0x80))
			break;
		for (size_t i = 0; i < BLOCK_BYTES / 8; i++)
			words[i] = fold_ascii(words[i]);
		memcpy(to + at, words, BLOCK_BYTES);
	}
	return at;
}

static size_t sequence_bytes(uint8_t lead)
{
	return lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/* Folds one UTF-8 sequence beyond ASCII, or copies invalid bytes. Returns the offset after it. */
static size_t fold_sequence(const uint8_t *from, size_t at, size_t n_bytes, uint8_t **to)
{
	size_t start = at, n = 0;
	UChar32 c;
	U8_NEXT(from, at, n_bytes, c);
	if (c < 0 || bs_gram_fold((uint32_t)c) == (uint32_t)c) {
		memcpy(*to, from + start, at - start);
		n = at - start;
	} else {
		uint32_t folded = bs_gram_fold((uint32_t)c);
		U8_APPEND_UNSAFE(*to, n, folded);
	}
	*to += n;
	return at;
}

/* `to` must have more room than n_bytes, because folding may enlarge a sequence by half (U+023A of
 * two bytes becomes U+2C65 of three). */
size_t bs_grams_fold_piece(const uint8_t *from, size_t n_bytes, bool is_end, uint8_t *to,
                           size_t *n_folded_out)
{
	uint8_t *start = to;
	size_t at = fold_blocks(from, n_bytes, to);
	to += at;
	while (at < n_bytes) {
		uint64_t bytes;
		if (n_bytes - at >= 8) {
			memcpy(&bytes, from + at, 8);
			if (!(bytes & EVERY_BYTE(0x80))) {
				bytes = fold_ascii(bytes);
				memcpy(to, &bytes, 8);
				to += 8;
				at += 8;
				continue;
			}
		}
		if (from[at] < 0x80) {
			*to++ = (uint8_t)fold_ascii(from[at++]);
			continue;
		}
		if (!is_end && sequence_bytes(from[at]) > n_bytes - at)
			break;
		at = fold_sequence(from, at, n_bytes, &to);
	}
	*n_folded_out = (size_t)(to - start);
	return at;
}

enum bs_status bs_grams_fold(const uint8_t *text, size_t n_bytes, struct bs_buffer *folded,
                             struct bs_error *err)
{
	enum bs_status status = bs_is_ascii(text, n_bytes) ? BS_OK : bs_icu_load(err);
	if (!status)
		status = bs_buffer_reserve(folded, 2 * n_bytes + 8, err);
	if (status)
		return status;
	size_t n_folded;
	bs_grams_fold_piece(text, n_bytes, true, folded->data + folded->used_bytes, &n_folded);
	folded->used_bytes += n_folded;
	return BS_OK;
}

static enum bs_status append_new(struct bs_buffer *keys, size_t first_byte, uint64_t key,
                                 struct bs_error *err)
{
	for (size_t at = first_byte; at < keys->used_bytes; at += sizeof(key))
		if (memcmp(keys->data + at, &key, sizeof(key)) == 0)
			return BS_OK;
	return bs_buffer_append(keys, &key, sizeof(key), err);
}

enum bs_status bs_grams_of_literal(const uint8_t *folded, size_t n_bytes, struct bs_buffer *keys,
                                   struct bs_error *err)
{
	static const uint32_t lengths[] = {BS_GRAM_LEAST, BS_GRAM_LONG_BYTES};
	size_t first_byte = keys->used_bytes;
	enum bs_status status = BS_OK;
	for (size_t l = 0; l < sizeof(lengths) / sizeof(*lengths); l++)
		for (size_t at = 0; at + lengths[l] <= n_bytes && !status; at++)
			status = append_new(keys, first_byte, bs_gram_key(folded + at, lengths[l]),
			                    err);
	return status;
}
