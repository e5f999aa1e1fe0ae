/*
 * grams.h: the grams analyzer, text -> short strings of bytes that stand in it, for grep. The one
 * definition of a gram.
 *
 * Text is folded first: simple case folding (Unicode's CaseFolding.txt, C and S) of every valid
 * UTF-8 sequence; bytes that are of none stay as they are. The grams of a text are then, of all
 * windows over the folded bytes,
 *
 *     every trigram (3 bytes), and every 5-gram.
 *
 * So whoever searches for a folded string knows which grams every text that holds the string must
 * have, and those of a part of it are among those of the whole. What was measured to choose 5-grams
 * is in bench/NOTES.md.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/gram_hash.h"

/* The scheme: part of an index, because text and query must agree on it. */
#define BS_GRAM_SCHEME     3u
#define BS_GRAM_LEAST      3u /* bytes of the shortest gram: a shorter string has none */
#define BS_GRAM_LONG_BYTES 5u

/* A gram is known by its key: its length in the topmost byte, its bytes below, the first of them
 * lowest. Different grams have different keys, and no key is 0. */
static inline uint32_t bs_gram_bytes(uint64_t key)
{
	return (uint32_t)(key >> 56);
}

/* A trigram has as many as are asked for: start, start + step, start + 2 step ... (the finaliser of
 * MurmurHash3, and its last round once more). */
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

/* The i-th hash of a gram; of a 5-gram, i is 0 or 1. */
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
 * Columns of a hash, among m = n 2^log of them, 4 <= n <= 7, log of
 * BS_GRAM_LEAST_LOG..BS_GRAM_MOST_LOG:
 *
 *     hash   | not used | word: log | bit: 5 |        2^log words of 32 bits stand for the columns:
 *     every word's bits become n columns, of 32 / n bits each; the columns of eight words take
 *       turns
 *
 * An indexer sets bits before it knows m: of words for a larger log, the second half makes one with
 * the first for the next smaller. And it makes columns of words eight at a time, a byte for the
 * first column of each, then one for the second.
 */
#define BS_GRAM_LEAST_LOG 3u
#define BS_GRAM_MOST_LOG  24u

static inline uint32_t bs_gram_column(uint32_t hash, uint32_t m)
{
	uint32_t log = 29 - (uint32_t)__builtin_clz(m), n = m >> log;
	uint32_t word = hash >> 5 & ((UINT32_C(1) << log) - 1), column = ((hash & 31) * n) >> 5;
	return (word / 8 * n + column) * 8 + word % 8;
}

/* The key of the gram that stands in so many bytes: BS_GRAM_LEAST or BS_GRAM_LONG_BYTES. */
static inline uint64_t bs_gram_key(const uint8_t *bytes, uint32_t n_bytes)
{
	uint64_t key = (uint64_t)n_bytes << 56;
	for (uint32_t i = 0; i < n_bytes; i++)
		key |= (uint64_t)bytes[i] << (8 * i);
	return key;
}

/* Simple case folding of one code point, 0 <= c <= 0x10ffff. Of others than ASCII, after
 * bs_icu_load (icu.h). */
uint32_t bs_gram_fold(uint32_t c);

/* The first character whose folding is not certain, because a newer Unicode than ours may know it,
 * or n_bytes; of how many bytes it is. text: valid UTF-8. Without ICU no character beyond ASCII is
 * certain. */
size_t bs_gram_find_doubtful(const uint8_t *text, size_t n_bytes, size_t *doubtful_bytes_out);

/* The longest stretch of text without such characters; *from_out: where it begins. */
size_t bs_gram_longest_certain(const uint8_t *text, size_t n_bytes, size_t *from_out);

/* Appends text folded, as a document is before its grams are taken. BS_NO_MEMORY, BS_UNSUPPORTED
 * (no ICU). */
enum bs_status bs_grams_fold(const uint8_t *text, size_t n_bytes, struct bs_buffer *folded,
                             struct bs_error *err) BS_WARN_UNUSED;

/* The same of a text in pieces: folds from[0..n_bytes) to `to`, which has room for 2 n_bytes + 8.
 * Unless the text ends here, a sequence that the piece cuts off, of up to 3 bytes, is left for the
 * next one. Returns the bytes folded; n_folded_out: those that came of them. After bs_icu_load. */
size_t bs_grams_fold_piece(const uint8_t *from, size_t n_bytes, bool is_end, uint8_t *to,
                           size_t *n_folded_out);

/* Appends the keys (uint64_t) of the distinct grams that every text has whose folded form holds
 * these bytes; none if there are fewer than BS_GRAM_LEAST. In order of first occurrence, trigrams
 * before longer ones. BS_NO_MEMORY. */
enum bs_status bs_grams_of_literal(const uint8_t *folded, size_t n_bytes, struct bs_buffer *keys,
                                   struct bs_error *err) BS_WARN_UNUSED;
