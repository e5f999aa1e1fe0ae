/* kernel_grams.h: the part of kernel_body.h that finds grams, for indexer/batch/gram_sketch.c. With
 * AVX2, it processes eight places of a text at a time, by gathers; otherwise one place at a
 * time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <simde/x86/avx2.h>

#include "core/base/bytes.h"
#include "core/base/gram_hash.h"
#include "core/simd/kernels.h"

/* The bits of a 32-bit word that column c of n represents (bs_gram_column). */
static inline uint32_t bits_of_column(uint32_t c, uint32_t n)
{
	uint32_t bits = 0;
	for (uint32_t bit = 0; bit < 32; bit++)
		bits |= (uint32_t)((bit * n) >> 5 == c) << bit;
	return bits;
}

#if defined(SIMDE_X86_AVX2_NATIVE)

/* For each byte value: the positions of its set bits, one per byte, ascending; the remaining bytes
 * are unused. */
#define PLACE(byte, bit)                       \
	(((byte) >> (bit)&UINT64_C(1)) * (bit) \
	 << (8 * __builtin_popcount((byte) & ((1u << (bit)) - 1))))
#define PLACES_1(byte)                                                                        \
	(PLACE(byte, 1) | PLACE(byte, 2) | PLACE(byte, 3) | PLACE(byte, 4) | PLACE(byte, 5) | \
	 PLACE(byte, 6) | PLACE(byte, 7))
#define PLACES_4(byte) \
	PLACES_1(byte), PLACES_1((byte) + 1), PLACES_1((byte) + 2), PLACES_1((byte) + 3)
#define PLACES_16(byte) \
	PLACES_4(byte), PLACES_4((byte) + 4), PLACES_4((byte) + 8), PLACES_4((byte) + 12)
#define PLACES_64(byte) \
	PLACES_16(byte), PLACES_16((byte) + 16), PLACES_16((byte) + 32), PLACES_16((byte) + 48)
static const uint64_t places_in[256] = {PLACES_64(0u), PLACES_64(64u), PLACES_64(128u),
                                        PLACES_64(192u)};

/* first_bytes and last_byte take a vector with the same sixteen bytes of text in both halves. Each
 * of the eight 32-bit lanes of the result represents one place of the text: first_bytes returns
 * bytes 0 to 3 of the 5-gram there, last_byte returns byte 4. */
static inline simde__m256i first_bytes(simde__m256i text)
{
	return simde_mm256_shuffle_epi8(
		text, simde_mm256_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6, /* */
	                                    4, 5, 6, 7, 5, 6, 7, 8, 6, 7, 8, 9, 7, 8, 9, 10));
}

static inline simde__m256i last_byte(simde__m256i text)
{
	return simde_mm256_shuffle_epi8(
		text, simde_mm256_setr_epi8(
			      4, -1, -1, -1, 5, -1, -1, -1, 6, -1, -1, -1, 7, -1, -1, -1, /* */
			      8, -1, -1, -1, 9, -1, -1, -1, 10, -1, -1, -1, 11, -1, -1, -1));
}

static inline simde__m256i hash_longs(simde__m256i first, simde__m256i last)
{
	simde__m256i hash = simde_mm256_add_epi32(
		simde_mm256_mullo_epi32(first,
	                                simde_mm256_set1_epi32((int32_t)BS_GRAM_FIRST_FACTOR)),
		simde_mm256_mullo_epi32(last,
	                                simde_mm256_set1_epi32((int32_t)BS_GRAM_LAST_FACTOR)));
	hash = simde_mm256_mullo_epi32(
		simde_mm256_xor_si256(hash, simde_mm256_srli_epi32(hash, 15)),
		simde_mm256_set1_epi32((int32_t)BS_GRAM_FINAL_FACTOR));
	return simde_mm256_xor_si256(hash, simde_mm256_srli_epi32(hash, 16));
}

static inline simde__m256i second_hashes(simde__m256i hash)
{
	hash = simde_mm256_mullo_epi32(hash,
	                               simde_mm256_set1_epi32((int32_t)BS_GRAM_SECOND_FACTOR));
	return simde_mm256_xor_si256(hash, simde_mm256_srli_epi32(hash, 15));
}

/* The word of `frequent` that has the bit of the hash's bucket. */
static inline simde__m256i buckets_words(simde__m256i hash, const uint32_t *frequent)
{
	return simde_mm256_i32gather_epi32((const int32_t *)(const void *)frequent,
	                                   simde_mm256_srli_epi32(hash, 19), 4);
}

/* All ones in the lanes whose bucket has its bit in `words` (from buckets_words). The bit is
 * shifted to the sign position, by 31 - bucket % 32. */
static inline simde__m256i are_frequent(simde__m256i hash, simde__m256i words)
{
	simde__m256i shifts = simde_mm256_andnot_si256(simde_mm256_srli_epi32(hash, 14),
	                                               simde_mm256_set1_epi32(31));
	return simde_mm256_srai_epi32(simde_mm256_sllv_epi32(words, shifts), 31);
}

/* Bit i of the result is set if the state (bs_gram_state) of the trigram in lane i is not 0. */
static inline uint32_t with_state(simde__m256i trigrams, const uint32_t *states)
{
	simde__m256i words = simde_mm256_i32gather_epi32((const int32_t *)(const void *)states,
	                                                 simde_mm256_srli_epi32(trigrams, 4), 4);
	simde__m256i shifts = simde_mm256_and_si256(simde_mm256_slli_epi32(trigrams, 1),
	                                            simde_mm256_set1_epi32(30));
	simde__m256i state = simde_mm256_and_si256(simde_mm256_srlv_epi32(words, shifts),
	                                           simde_mm256_set1_epi32(3));
	simde__m256i none = simde_mm256_cmpeq_epi32(state, simde_mm256_setzero_si256());
	return ~(uint32_t)simde_mm256_movemask_ps(simde_mm256_castsi256_ps(none)) & 0xff;
}

static inline void set_bits(uint64_t *bits, const uint32_t *places, size_t n)
{
	for (size_t k = 0; k < n; k++)
		bits[places[k] / 64] |= UINT64_C(1) << (places[k] % 64);
}

/* Each round computes the two hashes of the 5-gram at each of eight places of the text, and sets
 * the bits of the 16 hashes of the previous round, so that the stores of one round overlap with the
 * memory accesses of the next. In a frequent bucket, a 5-gram has only the first hash, which is
 * stored twice, so its bit is set twice. */
static size_t find_grams(const uint8_t *text, size_t n_places, uint32_t log, uint64_t *bits,
                         const uint32_t *frequent, const uint32_t *states, uint32_t *trigrams_out)
{
	simde__m256i mask = simde_mm256_set1_epi32((int32_t)((UINT32_C(32) << log) - 1));
	size_t n_trigrams = 0;
	uint32_t hashes[16];
	for (size_t i = 0; i < n_places; i += 8) {
		simde__m256i bytes = simde_mm256_broadcastsi128_si256(
			simde_mm_loadu_si128((const simde__m128i *)(const void *)(text + i)));
		simde__m256i first = first_bytes(bytes), hash = hash_longs(first, last_byte(bytes));
		simde__m256i words = buckets_words(hash, frequent);
		simde__m256i trigrams =
			simde_mm256_and_si256(first, simde_mm256_set1_epi32(0xffffff));
		uint32_t found = with_state(trigrams, states);
		if (i > 0)
			set_bits(bits, hashes, 16);
		simde__m256i second = simde_mm256_blendv_epi8(second_hashes(hash), hash,
		                                              are_frequent(hash, words));
		simde_mm256_storeu_si256((simde__m256i *)(void *)hashes,
		                         simde_mm256_and_si256(hash, mask));
		simde_mm256_storeu_si256((simde__m256i *)(void *)(hashes + 8),
		                         simde_mm256_and_si256(second, mask));
		if (n_places - i < 8)
			found &= (1u << (n_places - i)) - 1;
		simde__m256i order = simde_mm256_cvtepu8_epi32(simde_mm_loadl_epi64(
			(const simde__m128i *)(const void *)&places_in[found]));
		simde_mm256_storeu_si256((simde__m256i *)(void *)(trigrams_out + n_trigrams),
		                         simde_mm256_permutevar8x32_epi32(trigrams, order));
		n_trigrams += (uint32_t)__builtin_popcount(found);
	}
	size_t n_last = (n_places + 7) % 8 + 1;
	if (n_places > 0) {
		set_bits(bits, hashes, n_last);
		set_bits(bits, hashes + 8, n_last);
	}
	return n_trigrams;
}

static void fill_gram_row(const uint64_t *bits, size_t n_groups, uint32_t n, uint8_t *row)
{
	simde__m256i masks[7];
	for (uint32_t c = 0; c < n; c++)
		masks[c] = simde_mm256_set1_epi32((int32_t)bits_of_column(c, n));
	for (size_t g = 0; g < n_groups; g++) {
		simde__m256i group =
			simde_mm256_loadu_si256((const simde__m256i *)(const void *)(bits + 4 * g));
		for (uint32_t c = 0; c < n; c++) {
			simde__m256i none =
				simde_mm256_cmpeq_epi32(simde_mm256_and_si256(group, masks[c]),
			                                simde_mm256_setzero_si256());
			*row++ = (uint8_t)~simde_mm256_movemask_ps(simde_mm256_castsi256_ps(none));
		}
	}
}

#else

static size_t find_grams(const uint8_t *text, size_t n_places, uint32_t log, uint64_t *bits,
                         const uint32_t *frequent, const uint32_t *states, uint32_t *trigrams_out)
{
	uint32_t mask = (UINT32_C(32) << log) - 1;
	size_t n_trigrams = 0;
	for (size_t i = 0; i < n_places; i++) {
		uint32_t first = bs_load_u32(text + i), trigram = first & (BS_GRAM_TRIGRAMS - 1);
		uint32_t hash = bs_gram_long_hash(first, text[i + 4]),
			 bucket = bs_gram_bucket(hash);
		uint32_t second = frequent[bucket / 32] >> (bucket % 32) & 1
		                          ? hash
		                          : bs_gram_second_hash(hash);
		bits[(hash & mask) / 64] |= UINT64_C(1) << (hash % 64);
		bits[(second & mask) / 64] |= UINT64_C(1) << (second % 64);
		trigrams_out[n_trigrams] = trigram;
		n_trigrams += bs_gram_state(states, trigram) != 0;
	}
	return n_trigrams;
}

static void fill_gram_row(const uint64_t *bits, size_t n_groups, uint32_t n, uint8_t *row)
{
	for (size_t g = 0; g < n_groups; g++, bits += 4) {
		for (uint32_t c = 0; c < n; c++) {
			uint64_t low = bits_of_column(c, n), high = low << 32;
			unsigned byte = 0;
			for (unsigned i = 0; i < 4; i++) {
				byte |= (unsigned)((bits[i] & low) != 0) << (2 * i);
				byte |= (unsigned)((bits[i] & high) != 0) << (2 * i + 1);
			}
			*row++ = (uint8_t)byte;
		}
	}
}

#endif
