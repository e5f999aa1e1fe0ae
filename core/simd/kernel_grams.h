/* kernel_grams.h: the kernels' part of indexer/batch/gram_sketch.c, eight places of a text at a time where there are
 * vectors of 256 bits that can gather; elsewhere a place at a time. */
#ifndef BS_CORE_SIMD_KERNEL_GRAMS_H
#define BS_CORE_SIMD_KERNEL_GRAMS_H

#include <stddef.h>
#include <stdint.h>

#include <simde/x86/avx2.h>

#include "core/base/bytes.h"
#include "core/base/gram_hash.h"
#include "core/simd/kernels.h"

/* The bits of a word that are column c of its n (bs_gram_column). */
static inline uint32_t bits_of_column(uint32_t c, uint32_t n)
{
	uint32_t bits = 0;
	for (uint32_t bit = 0; bit < 32; bit++)
		bits |= (uint32_t)((bit * n) >> 5 == c) << bit;
	return bits;
}

#if defined(SIMDE_X86_AVX2_NATIVE)

/* By byte: the numbers of the bits that are set in it, a byte each, in order; what follows is not used. */
static const uint64_t places_in[256] = {
	0x0, 0x0, 0x1, 0x100,
	0x2, 0x200, 0x201, 0x20100,
	0x3, 0x300, 0x301, 0x30100,
	0x302, 0x30200, 0x30201, 0x3020100,
	0x4, 0x400, 0x401, 0x40100,
	0x402, 0x40200, 0x40201, 0x4020100,
	0x403, 0x40300, 0x40301, 0x4030100,
	0x40302, 0x4030200, 0x4030201, 0x403020100,
	0x5, 0x500, 0x501, 0x50100,
	0x502, 0x50200, 0x50201, 0x5020100,
	0x503, 0x50300, 0x50301, 0x5030100,
	0x50302, 0x5030200, 0x5030201, 0x503020100,
	0x504, 0x50400, 0x50401, 0x5040100,
	0x50402, 0x5040200, 0x5040201, 0x504020100,
	0x50403, 0x5040300, 0x5040301, 0x504030100,
	0x5040302, 0x504030200, 0x504030201, 0x50403020100,
	0x6, 0x600, 0x601, 0x60100,
	0x602, 0x60200, 0x60201, 0x6020100,
	0x603, 0x60300, 0x60301, 0x6030100,
	0x60302, 0x6030200, 0x6030201, 0x603020100,
	0x604, 0x60400, 0x60401, 0x6040100,
	0x60402, 0x6040200, 0x6040201, 0x604020100,
	0x60403, 0x6040300, 0x6040301, 0x604030100,
	0x6040302, 0x604030200, 0x604030201, 0x60403020100,
	0x605, 0x60500, 0x60501, 0x6050100,
	0x60502, 0x6050200, 0x6050201, 0x605020100,
	0x60503, 0x6050300, 0x6050301, 0x605030100,
	0x6050302, 0x605030200, 0x605030201, 0x60503020100,
	0x60504, 0x6050400, 0x6050401, 0x605040100,
	0x6050402, 0x605040200, 0x605040201, 0x60504020100,
	0x6050403, 0x605040300, 0x605040301, 0x60504030100,
	0x605040302, 0x60504030200, 0x60504030201, 0x6050403020100,
	0x7, 0x700, 0x701, 0x70100,
	0x702, 0x70200, 0x70201, 0x7020100,
	0x703, 0x70300, 0x70301, 0x7030100,
	0x70302, 0x7030200, 0x7030201, 0x703020100,
	0x704, 0x70400, 0x70401, 0x7040100,
	0x70402, 0x7040200, 0x7040201, 0x704020100,
	0x70403, 0x7040300, 0x7040301, 0x704030100,
	0x7040302, 0x704030200, 0x704030201, 0x70403020100,
	0x705, 0x70500, 0x70501, 0x7050100,
	0x70502, 0x7050200, 0x7050201, 0x705020100,
	0x70503, 0x7050300, 0x7050301, 0x705030100,
	0x7050302, 0x705030200, 0x705030201, 0x70503020100,
	0x70504, 0x7050400, 0x7050401, 0x705040100,
	0x7050402, 0x705040200, 0x705040201, 0x70504020100,
	0x7050403, 0x705040300, 0x705040301, 0x70504030100,
	0x705040302, 0x70504030200, 0x70504030201, 0x7050403020100,
	0x706, 0x70600, 0x70601, 0x7060100,
	0x70602, 0x7060200, 0x7060201, 0x706020100,
	0x70603, 0x7060300, 0x7060301, 0x706030100,
	0x7060302, 0x706030200, 0x706030201, 0x70603020100,
	0x70604, 0x7060400, 0x7060401, 0x706040100,
	0x7060402, 0x706040200, 0x706040201, 0x70604020100,
	0x7060403, 0x706040300, 0x706040301, 0x70604030100,
	0x706040302, 0x70604030200, 0x70604030201, 0x7060403020100,
	0x70605, 0x7060500, 0x7060501, 0x706050100,
	0x7060502, 0x706050200, 0x706050201, 0x70605020100,
	0x7060503, 0x706050300, 0x706050301, 0x70605030100,
	0x706050302, 0x70605030200, 0x70605030201, 0x7060503020100,
	0x7060504, 0x706050400, 0x706050401, 0x70605040100,
	0x706050402, 0x70605040200, 0x70605040201, 0x7060504020100,
	0x706050403, 0x70605040300, 0x70605040301, 0x7060504030100,
	0x70605040302, 0x7060504030200, 0x7060504030201, 0x706050403020100,
};

/* Sixteen bytes of text twice, a place's bytes in each lane: 0 to 3 of the five, and the last. */
static inline simde__m256i first_bytes(simde__m256i text)
{
	return simde_mm256_shuffle_epi8(text, simde_mm256_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6, /* */
	                                                            4, 5, 6, 7, 5, 6, 7, 8, 6, 7, 8, 9, 7, 8, 9, 10));
}

static inline simde__m256i last_byte(simde__m256i text)
{
	return simde_mm256_shuffle_epi8(
		text, simde_mm256_setr_epi8(4, -1, -1, -1, 5, -1, -1, -1, 6, -1, -1, -1, 7, -1, -1, -1, /* */
	                                    8, -1, -1, -1, 9, -1, -1, -1, 10, -1, -1, -1, 11, -1, -1, -1));
}

static inline simde__m256i hash_longs(simde__m256i first, simde__m256i last)
{
	simde__m256i hash = simde_mm256_add_epi32(
		simde_mm256_mullo_epi32(first, simde_mm256_set1_epi32((int32_t)BS_GRAM_FIRST_FACTOR)),
		simde_mm256_mullo_epi32(last, simde_mm256_set1_epi32((int32_t)BS_GRAM_LAST_FACTOR)));
	hash = simde_mm256_mullo_epi32(simde_mm256_xor_si256(hash, simde_mm256_srli_epi32(hash, 15)),
	                               simde_mm256_set1_epi32((int32_t)BS_GRAM_FINAL_FACTOR));
	return simde_mm256_xor_si256(hash, simde_mm256_srli_epi32(hash, 16));
}

static inline simde__m256i second_hashes(simde__m256i hash)
{
	hash = simde_mm256_mullo_epi32(hash, simde_mm256_set1_epi32((int32_t)BS_GRAM_SECOND_FACTOR));
	return simde_mm256_xor_si256(hash, simde_mm256_srli_epi32(hash, 15));
}

static inline simde__m256i buckets_words(simde__m256i hash, const uint32_t *frequent)
{
	return simde_mm256_i32gather_epi32((const int32_t *)(const void *)frequent, simde_mm256_srli_epi32(hash, 19), 4);
}

/* Lanes of ones where the bucket's bit of its word is set: shifted to the sign, by 31 - bucket, of which a shift is the
 * low five bits. */
static inline simde__m256i are_frequent(simde__m256i hash, simde__m256i words)
{
	simde__m256i shifts = simde_mm256_andnot_si256(simde_mm256_srli_epi32(hash, 14), simde_mm256_set1_epi32(31));
	return simde_mm256_srai_epi32(simde_mm256_sllv_epi32(words, shifts), 31);
}

/* Bit i: trigram i has a state. */
static inline uint32_t with_state(simde__m256i trigrams, const uint32_t *states)
{
	simde__m256i words = simde_mm256_i32gather_epi32((const int32_t *)(const void *)states,
	                                                 simde_mm256_srli_epi32(trigrams, 4), 4);
	simde__m256i shifts = simde_mm256_and_si256(simde_mm256_slli_epi32(trigrams, 1), simde_mm256_set1_epi32(30));
	simde__m256i state = simde_mm256_and_si256(simde_mm256_srlv_epi32(words, shifts), simde_mm256_set1_epi32(3));
	simde__m256i none = simde_mm256_cmpeq_epi32(state, simde_mm256_setzero_si256());
	return ~(uint32_t)simde_mm256_movemask_ps(simde_mm256_castsi256_ps(none)) & 0xff;
}

static inline void set_bits(uint64_t *bits, const uint32_t *places, size_t n)
{
	for (size_t k = 0; k < n; k++)
		bits[places[k] / 64] |= UINT64_C(1) << (places[k] % 64);
}

/* All at once, and the bits of the eight places before: while the one waits for memory, the others have something to
 * do. Behind the last place, the bit of the first of its eight is set once more; so is the first of those that have one
 * only. */
static size_t find_grams(const uint8_t *text, size_t n_places, uint32_t log, uint64_t *bits, const uint32_t *frequent,
                         const uint32_t *states, uint32_t *trigrams_out)
{
	simde__m256i mask = simde_mm256_set1_epi32((int32_t)((UINT32_C(32) << log) - 1));
	size_t n_trigrams = 0;
	uint32_t hashes[16];
	for (size_t i = 0; i < n_places; i += 8) {
		simde__m256i bytes = simde_mm256_broadcastsi128_si256(
			simde_mm_loadu_si128((const simde__m128i *)(const void *)(text + i)));
		simde__m256i first = first_bytes(bytes), hash = hash_longs(first, last_byte(bytes));
		simde__m256i words = buckets_words(hash, frequent);
		simde__m256i trigrams = simde_mm256_and_si256(first, simde_mm256_set1_epi32(0xffffff));
		uint32_t found = with_state(trigrams, states);
		if (i > 0)
			set_bits(bits, hashes, 16);
		simde__m256i second = simde_mm256_blendv_epi8(second_hashes(hash), hash, are_frequent(hash, words));
		simde_mm256_storeu_si256((simde__m256i *)(void *)hashes, simde_mm256_and_si256(hash, mask));
		simde_mm256_storeu_si256((simde__m256i *)(void *)(hashes + 8), simde_mm256_and_si256(second, mask));
		if (n_places - i < 8)
			found &= (1u << (n_places - i)) - 1;
		simde__m256i order = simde_mm256_cvtepu8_epi32(
			simde_mm_loadl_epi64((const simde__m128i *)(const void *)&places_in[found]));
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
		simde__m256i group = simde_mm256_loadu_si256((const simde__m256i *)(const void *)(bits + 4 * g));
		for (uint32_t c = 0; c < n; c++) {
			simde__m256i none = simde_mm256_cmpeq_epi32(simde_mm256_and_si256(group, masks[c]),
			                                            simde_mm256_setzero_si256());
			*row++ = (uint8_t)~simde_mm256_movemask_ps(simde_mm256_castsi256_ps(none));
		}
	}
}

#else

static size_t find_grams(const uint8_t *text, size_t n_places, uint32_t log, uint64_t *bits, const uint32_t *frequent,
                         const uint32_t *states, uint32_t *trigrams_out)
{
	uint32_t mask = (UINT32_C(32) << log) - 1;
	size_t n_trigrams = 0;
	for (size_t i = 0; i < n_places; i++) {
		uint32_t first = bs_load_u32(text + i), trigram = first & (BS_GRAM_TRIGRAMS - 1);
		uint32_t hash = bs_gram_long_hash(first, text[i + 4]), bucket = bs_gram_bucket(hash);
		uint32_t second = frequent[bucket / 32] >> (bucket % 32) & 1 ? hash : bs_gram_second_hash(hash);
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

#endif
