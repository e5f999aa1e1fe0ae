/*
 * grams.h: grams, the substrings of bytes that the index for grep stores. Only this header and
 * core/base/gram_hash.h define them.
 *
 * A text is folded first: simple case folding (CaseFolding.txt of Unicode, C and S) of each valid
 * UTF-8 sequence; invalid bytes are unchanged. The grams of a text are all substrings of the folded
 * text of 3 bytes (trigrams) and of 5 bytes (5-grams).
 *
 * So the grams of a folded string are in every text that contains the string, and the grams of a
 * substring are among those of the string. bench/NOTES.md has the measurements for the choice of
 * 5-grams.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/gram_hash.h"

/* The scheme is recorded in the index, because text and query must agree on it. */
#define BS_GRAM_SCHEME     3u
#define BS_GRAM_LEAST      3u /* bytes of the shortest gram; shorter strings have none */
#define BS_GRAM_LONG_BYTES 5u

/* The key of a gram has its length in the highest byte and its bytes below, the first byte lowest.
 * Keys are unique and never 0. */
static inline uint32_t bs_gram_bytes(uint64_t key)
{
	return (uint32_t)(key >> 56);
}

/* A trigram has any number of hashes: start, start + step, start + 2 step ... `start` is the result
 * of the finaliser of MurmurHash3; one more round, made odd, gives `step`. */
struct bs_gram_probe {
	uint32_t start;
	uint32_t step;
};

static inline struct bs_gram_probe bs_gram_trigram_probe(uint32_t trigram)
{
	uint32_t a = (trigram ^ trigram >> 16) * UINT32_C(0x85ebca6b);
	a = (a ^ a >> 13) * UINT32_C(0xc2b2ae35);
	a ^= a >> 16;
	return (struct bs_gram_probe){a, ((a ^ a >> 15) * UINT32_C(0x9e3779b1)) | 1};
}

/* Hash i of a gram. For a 5-gram, i is 0 or 1. */
static inline uint32_t bs_gram_hash(uint64_t key, uint32_t i)
{
	if (bs_gram_bytes(key) == BS_GRAM_LONG_BYTES) {
		uint32_t hash = bs_gram_long_hash((uint32_t)key, (uint32_t)(key >> 32) & 0xff);
		return i == 0 ? hash : bs_gram_second_hash(hash);
	}
	struct bs_gram_probe probe = bs_gram_trigram_probe((uint32_t)key & (BS_GRAM_TRIGRAMS - 1));
	return probe.start + i * probe.step;
}

/*
 * The column of a hash, for m = n 2^log columns, 4 <= n <= 7, log in
 * BS_GRAM_LEAST_LOG..BS_GRAM_MOST_LOG. The fields of a hash, highest bit first, and their widths:
 *
 *     hash   | unused | word: log | bit: 5 |
 *
 * The columns are made of 2^log words of 32 bits. The bits of a word become n columns of about
 * 32 / n bits each; the columns of eight words are interleaved.
 *
 * An indexer sets the bits before it knows m. To halve the number of words, it ORs the second half
 * into the first. It then makes columns of eight words at a time: a byte with the first column of
 * each of the eight words, a byte with the second, and so on.
 */
#define BS_GRAM_LEAST_LOG 3u
#define BS_GRAM_MOST_LOG  24u

static inline uint32_t bs_gram_column(uint32_t hash, uint32_t m)
{
	uint32_t log = 29 - (uint32_t)__builtin_clz(m), n = m >> log;
	uint32_t word = hash >> 5 & ((UINT32_C(1) << log) - 1), column = ((hash & 31) * n) >> 5;
	return (word / 8 * n + column) * 8 + word % 8;
}

/* The key of the gram in these bytes. n_bytes is BS_GRAM_LEAST or BS_GRAM_LONG_BYTES. */
static inline uint64_t bs_gram_key(const uint8_t *bytes, uint32_t n_bytes)
{
	uint64_t key = (uint64_t)n_bytes << 56;
	for (uint32_t i = 0; i < n_bytes; i++)
		key |= (uint64_t)bytes[i] << (8 * i);
	return key;
}

/* Simple case folding of a code point, 0 <= c <= 0x10ffff. Beyond ASCII it needs bs_icu_load
 * (icu.h). */
uint32_t bs_gram_fold(uint32_t c);

/* The offset of the first character whose folding is uncertain, because a newer Unicode may define
 * it; n_bytes if there is none. *doubtful_bytes_out is the size of this character in bytes. text is
 * valid UTF-8. Without ICU all characters beyond ASCII are uncertain. */
size_t bs_gram_find_uncertain(const uint8_t *text, size_t n_bytes, size_t *doubtful_bytes_out);

/* The length of the longest part of the text without uncertain characters. *from_out is its
 * offset. */
size_t bs_gram_longest_certain(const uint8_t *text, size_t n_bytes, size_t *from_out);

/* Appends the text, folded as for its grams. BS_NO_MEMORY, BS_UNSUPPORTED (no ICU). */
enum bs_status bs_grams_fold(const uint8_t *text, size_t n_bytes, struct bs_buffer *folded,
                             struct bs_error *err) BS_WARN_UNUSED;

/* Folds a piece of a text, from[0..n_bytes), to `to`, which has room for 2 n_bytes + 8. Unless
 * is_end, leaves an incomplete UTF-8 sequence of up to 3 bytes for the next piece. Returns the
 * number of bytes consumed; *n_folded_out is the number of bytes written. Beyond ASCII it needs
 * bs_icu_load. */
size_t bs_grams_fold_piece(const uint8_t *from, size_t n_bytes, bool is_end, uint8_t *to,
                           size_t *n_folded_out);

/* Appends the keys (uint64_t) of the distinct grams of these folded bytes, trigrams before 5-grams,
 * each in order of first occurrence. Every text that contains the bytes has these grams. Fewer than
 * BS_GRAM_LEAST bytes have none. BS_NO_MEMORY. */
enum bs_status bs_grams_of_literal(const uint8_t *folded, size_t n_bytes, struct bs_buffer *keys,
                                   struct bs_error *err) BS_WARN_UNUSED;
