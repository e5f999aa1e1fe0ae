/* kernel_lines.h: lines of 512 bits in the kernels' bodies, and operations on them. kernel_body.h
 * has the reasons for this representation. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <simde/x86/avx512.h>

#include "core/simd/kernels.h"

/* A line is LINE_PARTS registers. PART and EACH make the names that the instruction sets share
 * except for the width: PART(and)(a, b) operates on whole registers, EACH(srli_epi16)(a, n) on
 * their elements. */
#if defined(SIMDE_X86_AVX512BW_NATIVE)

typedef simde__m512i part_t;
#define PART(operation) simde_mm512_##operation##_si512
#define EACH(operation) simde_mm512_##operation

static inline part_t all_words_part(uint64_t word)
{
	return simde_mm512_set1_epi64((int64_t)word);
}

static inline bool is_zero_part(part_t part)
{
	return simde_mm512_test_epi64_mask(part, part) == 0;
}

/* Byte i becomes all ones if bit i of the word is set, otherwise zero. */
static inline part_t spread_part(uint64_t word)
{
	return simde_mm512_movm_epi8(word);
}

/* Flips the bits of `change` in those words of the part that have a bit of `which`. */
static inline part_t flip_part(part_t part, part_t which, part_t change)
{
	return simde_mm512_mask_xor_epi64(part, simde_mm512_test_epi64_mask(part, which), part,
	                                  change);
}

/* Keeps word i of the part if bit i is set, otherwise clears it. */
static inline part_t choose_part(part_t part, uint8_t bits)
{
	return simde_mm512_maskz_mov_epi64(bits, part);
}

/* Bit i of the result is the highest bit of byte i. */
static inline uint64_t high_bits_of(part_t part)
{
	return simde_mm512_movepi8_mask(part);
}

/* Bit i of the result is set if byte i of a equals byte i of b. */
static inline uint64_t equal_bytes(part_t a, part_t b)
{
	return simde_mm512_cmpeq_epi8_mask(a, b);
}

/* A table of 16 bytes, repeated to the width of a part. */
static inline part_t load_table(const uint8_t *table)
{
	return simde_mm512_broadcast_i32x4(
		simde_mm_loadu_si128((const simde__m128i *)(const void *)table));
}

#else

#if defined(SIMDE_X86_AVX2_NATIVE)

typedef simde__m256i part_t;
#define PART(operation) simde_mm256_##operation##_si256
#define EACH(operation) simde_mm256_##operation

static inline bool is_zero_part(part_t part)
{
	return simde_mm256_testz_si256(part, part);
}

/* Copies each byte to eight bytes, keeps a different bit in each copy, and fills the bytes whose
 * bit is set. */
static inline part_t spread_part(uint64_t word)
{
	part_t copies = simde_mm256_shuffle_epi8(simde_mm256_set1_epi32((int32_t)word),
	                                         simde_mm256_set_epi64x(0x0303030303030303,
	                                                                0x0202020202020202,
	                                                                0x0101010101010101, 0));
	part_t bit = simde_mm256_set1_epi64x((int64_t)UINT64_C(0x8040201008040201));
	return simde_mm256_cmpeq_epi8(simde_mm256_and_si256(copies, bit), bit);
}

static inline part_t choose_part(part_t part, uint8_t bits)
{
	part_t bit = simde_mm256_set_epi64x(8, 4, 2, 1);
	part_t chosen = simde_mm256_and_si256(simde_mm256_set1_epi64x(bits), bit);
	return simde_mm256_and_si256(part, simde_mm256_cmpeq_epi64(chosen, bit));
}

static inline part_t load_table(const uint8_t *table)
{
	return simde_mm256_broadcastsi128_si256(
		simde_mm_loadu_si128((const simde__m128i *)(const void *)table));
}

#else

typedef simde__m128i part_t;
#define PART(operation) simde_mm_##operation##_si128
#define EACH(operation) simde_mm_##operation

static inline bool is_zero_part(part_t part)
{
	simde__m128i_private words = simde__m128i_to_private(part);
	return (words.u64[0] | words.u64[1]) == 0;
}

/* See the AVX2 version; here a multiplication copies the byte. */
static inline part_t spread_part(uint64_t word)
{
	part_t bit = simde_mm_set1_epi64x((int64_t)UINT64_C(0x8040201008040201));
	part_t copies =
		simde_mm_set_epi64x((int64_t)((word >> 8 & 0xff) * UINT64_C(0x0101010101010101)),
	                            (int64_t)((word & 0xff) * UINT64_C(0x0101010101010101)));
	return simde_mm_cmpeq_epi8(simde_mm_and_si128(copies, bit), bit);
}

static inline part_t choose_part(part_t part, uint8_t bits)
{
	return simde_mm_and_si128(
		part, simde_mm_set_epi64x(-(int64_t)(bits >> 1 & 1), -(int64_t)(bits & 1)));
}

static inline part_t load_table(const uint8_t *table)
{
	return simde_mm_loadu_si128((const simde__m128i *)(const void *)table);
}

#endif

static inline part_t all_words_part(uint64_t word)
{
	return EACH(set1_epi64x)((int64_t)word);
}

static inline part_t flip_part(part_t part, part_t which, part_t change)
{
	part_t has_none = EACH(cmpeq_epi64)(PART(and)(part, which), PART(setzero)());
	return PART(xor)(part, PART(andnot)(has_none, change));
}

static inline uint64_t high_bits_of(part_t part)
{
	return (uint32_t)EACH(movemask_epi8)(part);
}

static inline uint64_t equal_bytes(part_t a, part_t b)
{
	return high_bits_of(EACH(cmpeq_epi8)(a, b));
}

#endif

#define PART_BYTES       sizeof(part_t)
#define LINE_PARTS       (BS_LINE_BYTES / PART_BYTES)
#define FOR_EACH_PART(i) for (size_t i = 0; i < LINE_PARTS; i++)

typedef struct {
	part_t part[LINE_PARTS];
} line_t;

static inline line_t load_line(const uint64_t *from)
{
	line_t line;
	FOR_EACH_PART(i)
	line.part[i] = PART(load)((const part_t *)(const void *)from + i);
	return line;
}

static inline void store_line(uint64_t *to, line_t line)
{
	FOR_EACH_PART(i)
	PART(store)((part_t *)(void *)to + i, line.part[i]);
}

#define LINE_OF_TWO(name, operation)                               \
	static inline line_t name(line_t a, line_t b)              \
	{                                                          \
		FOR_EACH_PART(i)                                   \
		a.part[i] = PART(operation)(a.part[i], b.part[i]); \
		return a;                                          \
	}

LINE_OF_TWO(and_line, and)
LINE_OF_TWO(and_not_line, andnot) /* b & ~a */
LINE_OF_TWO(or_line, or)
LINE_OF_TWO(xor_line, xor)

static inline line_t all_words(uint64_t word)
{
	line_t line;
	FOR_EACH_PART(i)
	line.part[i] = all_words_part(word);
	return line;
}

static inline line_t zero_line(void)
{
	return all_words(0);
}

static inline bool is_zero_line(line_t line)
{
	part_t any = line.part[0];
	for (size_t i = 1; i < LINE_PARTS; i++)
		any = PART(or)(any, line.part[i]);
	return is_zero_part(any);
}

/* The next four functions apply spread_part, flip_part, choose_part and high_bits_of to a whole
 * line. */
static inline line_t spread_word(uint64_t word)
{
	line_t line;
	FOR_EACH_PART(i)
	line.part[i] = spread_part(word >> (i * PART_BYTES));
	return line;
}

static inline line_t flip_words(line_t line, uint64_t which, uint64_t change)
{
	FOR_EACH_PART(i)
	line.part[i] = flip_part(line.part[i], all_words_part(which), all_words_part(change));
	return line;
}

static inline line_t choose_words(line_t line, uint8_t bits)
{
	FOR_EACH_PART(i)
	line.part[i] = choose_part(line.part[i], (uint8_t)(bits >> (i * PART_BYTES / 8)));
	return line;
}

static inline uint64_t high_bytes(line_t line)
{
	uint64_t bits = 0;
	FOR_EACH_PART(i)
	bits |= high_bits_of(line.part[i]) << (i * PART_BYTES);
	return bits;
}

/* Loops over the live blocks. Each word of `live` is copied before its bits are used, so the body
 * may clear bits of `live`. */
#define FOR_EACH_LIVE(live, block)                                                          \
	for (size_t word_ = 0; word_ < BS_SHARD_MAX_BLOCKS / 64; word_++)                   \
		for (uint64_t left_ = (live)->words[word_]; left_ != 0; left_ &= left_ - 1) \
			for (size_t block = word_ * 64 + (size_t)__builtin_ctzll(left_),    \
			            once_ = 1;                                              \
			     once_; once_ = 0)

static inline void clear_live(struct bs_live *live, size_t block)
{
	live->words[block / 64] &= ~(UINT64_C(1) << (block % 64));
}

static inline bool is_live(const struct bs_live *live, size_t block)
{
	return live->words[block / 64] >> (block % 64) & 1;
}

/* Stores the line of a block; clears its live bit if the line is zero. */
static inline void keep_line(uint64_t *to, struct bs_live *live, size_t block, line_t line)
{
	store_line(to, line);
	if (is_zero_line(line))
		clear_live(live, block);
}
