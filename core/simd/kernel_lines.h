/* kernel_lines.h: a line of 512 bits as the kernels' bodies have it (kernel_body.h says why so), and what is done with
 * lines. */
#ifndef BS_CORE_SIMD_KERNEL_LINES_H
#define BS_CORE_SIMD_KERNEL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <simde/x86/avx512.h>

#include "core/simd/kernels.h"

#if defined(SIMDE_X86_AVX512BW_NATIVE)

typedef simde__m512i line_t;

static inline line_t load_line(const uint64_t *from)
{
	return simde_mm512_load_si512(from);
}

static inline void store_line(uint64_t *to, line_t line)
{
	simde_mm512_store_si512(to, line);
}

static inline line_t and_line(line_t a, line_t b)
{
	return simde_mm512_and_si512(a, b);
}

/* b without a. */
static inline line_t and_not_line(line_t a, line_t b)
{
	return simde_mm512_andnot_si512(a, b);
}

static inline line_t or_line(line_t a, line_t b)
{
	return simde_mm512_or_si512(a, b);
}

static inline line_t xor_line(line_t a, line_t b)
{
	return simde_mm512_xor_si512(a, b);
}

static inline line_t zero_line(void)
{
	return simde_mm512_setzero_si512();
}

static inline bool is_zero_line(line_t line)
{
	return simde_mm512_test_epi64_mask(line, line) == 0;
}

/* Bit i of the word becomes byte i of the line. */
static inline line_t spread_word(uint64_t word)
{
	return simde_mm512_movm_epi8(word);
}

/* Flips the bits of `change` in those words of the line that have a bit of `which`. */
static inline line_t flip_words(line_t line, uint64_t which, uint64_t change)
{
	return simde_mm512_mask_xor_epi64(line, simde_mm512_test_epi64_mask(line, simde_mm512_set1_epi64((int64_t)which)), line,
	                                  simde_mm512_set1_epi64((int64_t)change));
}

/* The words i of the line for which bit i is set; the others zero. */
static inline line_t choose_words(line_t line, uint8_t bits)
{
	return simde_mm512_maskz_mov_epi64(bits, line);
}

static inline line_t all_words(uint64_t word)
{
	return simde_mm512_set1_epi64((int64_t)word);
}

/* Bit i: the highest one of byte i of the line. */
static inline uint64_t high_bytes(line_t line)
{
	return simde_mm512_movepi8_mask(line);
}

#elif defined(SIMDE_X86_AVX2_NATIVE)

typedef struct {
	simde__m256i low, high;
} line_t;

static inline line_t load_line(const uint64_t *from)
{
	return (line_t){simde_mm256_load_si256((const simde__m256i *)(const void *)from),
	                simde_mm256_load_si256((const simde__m256i *)(const void *)(from + 4))};
}

static inline void store_line(uint64_t *to, line_t line)
{
	simde_mm256_store_si256((simde__m256i *)(void *)to, line.low);
	simde_mm256_store_si256((simde__m256i *)(void *)(to + 4), line.high);
}

static inline line_t and_line(line_t a, line_t b)
{
	return (line_t){simde_mm256_and_si256(a.low, b.low), simde_mm256_and_si256(a.high, b.high)};
}

static inline line_t and_not_line(line_t a, line_t b)
{
	return (line_t){simde_mm256_andnot_si256(a.low, b.low), simde_mm256_andnot_si256(a.high, b.high)};
}

static inline line_t or_line(line_t a, line_t b)
{
	return (line_t){simde_mm256_or_si256(a.low, b.low), simde_mm256_or_si256(a.high, b.high)};
}

static inline line_t xor_line(line_t a, line_t b)
{
	return (line_t){simde_mm256_xor_si256(a.low, b.low), simde_mm256_xor_si256(a.high, b.high)};
}

static inline line_t zero_line(void)
{
	return (line_t){simde_mm256_setzero_si256(), simde_mm256_setzero_si256()};
}

static inline bool is_zero_line(line_t line)
{
	simde__m256i any = simde_mm256_or_si256(line.low, line.high);
	return simde_mm256_testz_si256(any, any);
}

/* Each byte is copied to eight, another bit is kept in each copy, and what is kept becomes the whole byte. */
static inline simde__m256i spread_half(uint32_t half)
{
	simde__m256i copies = simde_mm256_shuffle_epi8(simde_mm256_set1_epi32((int32_t)half),
	                                               simde_mm256_set_epi64x(0x0303030303030303, 0x0202020202020202,
	                                                                      0x0101010101010101, 0));
	simde__m256i bit = simde_mm256_set1_epi64x((int64_t)UINT64_C(0x8040201008040201));
	return simde_mm256_cmpeq_epi8(simde_mm256_and_si256(copies, bit), bit);
}

static inline line_t spread_word(uint64_t word)
{
	return (line_t){spread_half((uint32_t)word), spread_half((uint32_t)(word >> 32))};
}

static inline simde__m256i flip_half(simde__m256i half, simde__m256i which, simde__m256i change)
{
	simde__m256i has_none = simde_mm256_cmpeq_epi64(simde_mm256_and_si256(half, which), simde_mm256_setzero_si256());
	return simde_mm256_xor_si256(half, simde_mm256_andnot_si256(has_none, change));
}

static inline line_t flip_words(line_t line, uint64_t which, uint64_t change)
{
	simde__m256i all_which = simde_mm256_set1_epi64x((int64_t)which);
	simde__m256i all_change = simde_mm256_set1_epi64x((int64_t)change);
	return (line_t){flip_half(line.low, all_which, all_change), flip_half(line.high, all_which, all_change)};
}

static inline line_t choose_words(line_t line, uint8_t bits)
{
	simde__m256i all = simde_mm256_set1_epi64x(bits);
	simde__m256i low = simde_mm256_set_epi64x(8, 4, 2, 1);
	simde__m256i high = simde_mm256_set_epi64x(128, 64, 32, 16);
	return (line_t){simde_mm256_and_si256(line.low, simde_mm256_cmpeq_epi64(simde_mm256_and_si256(all, low), low)),
	                simde_mm256_and_si256(line.high, simde_mm256_cmpeq_epi64(simde_mm256_and_si256(all, high), high))};
}

static inline line_t all_words(uint64_t word)
{
	simde__m256i half = simde_mm256_set1_epi64x((int64_t)word);
	return (line_t){half, half};
}

static inline uint64_t high_bytes(line_t line)
{
	return (uint64_t)(uint32_t)simde_mm256_movemask_epi8(line.high) << 32 |
	       (uint32_t)simde_mm256_movemask_epi8(line.low);
}

#else

typedef struct {
	simde__m128i part[4];
} line_t;

static inline line_t load_line(const uint64_t *from)
{
	line_t line;
	for (size_t i = 0; i < 4; i++)
		line.part[i] = simde_mm_load_si128((const simde__m128i *)(const void *)(from + 2 * i));
	return line;
}

static inline void store_line(uint64_t *to, line_t line)
{
	for (size_t i = 0; i < 4; i++)
		simde_mm_store_si128((simde__m128i *)(void *)(to + 2 * i), line.part[i]);
}

static inline line_t and_line(line_t a, line_t b)
{
	for (size_t i = 0; i < 4; i++)
		a.part[i] = simde_mm_and_si128(a.part[i], b.part[i]);
	return a;
}

static inline line_t and_not_line(line_t a, line_t b)
{
	for (size_t i = 0; i < 4; i++)
		a.part[i] = simde_mm_andnot_si128(a.part[i], b.part[i]);
	return a;
}

static inline line_t or_line(line_t a, line_t b)
{
	for (size_t i = 0; i < 4; i++)
		a.part[i] = simde_mm_or_si128(a.part[i], b.part[i]);
	return a;
}

static inline line_t xor_line(line_t a, line_t b)
{
	for (size_t i = 0; i < 4; i++)
		a.part[i] = simde_mm_xor_si128(a.part[i], b.part[i]);
	return a;
}

static inline line_t zero_line(void)
{
	line_t line;
	for (size_t i = 0; i < 4; i++)
		line.part[i] = simde_mm_setzero_si128();
	return line;
}

static inline bool is_zero_line(line_t line)
{
	simde__m128i any = simde_mm_or_si128(simde_mm_or_si128(line.part[0], line.part[1]),
	                                     simde_mm_or_si128(line.part[2], line.part[3]));
	simde__m128i_private words = simde__m128i_to_private(any);
	return (words.u64[0] | words.u64[1]) == 0;
}

/* See the AVX2 version; here a byte is copied by a multiplication. */
static inline line_t spread_word(uint64_t word)
{
	simde__m128i bit = simde_mm_set1_epi64x((int64_t)UINT64_C(0x8040201008040201));
	line_t line;
	for (size_t i = 0; i < 4; i++, word >>= 16) {
		simde__m128i copies = simde_mm_set_epi64x((int64_t)((word >> 8 & 0xff) * UINT64_C(0x0101010101010101)),
		                                          (int64_t)((word & 0xff) * UINT64_C(0x0101010101010101)));
		line.part[i] = simde_mm_cmpeq_epi8(simde_mm_and_si128(copies, bit), bit);
	}
	return line;
}

static inline line_t flip_words(line_t line, uint64_t which, uint64_t change)
{
	simde__m128i all_which = simde_mm_set1_epi64x((int64_t)which);
	simde__m128i all_change = simde_mm_set1_epi64x((int64_t)change);
	for (size_t i = 0; i < 4; i++) {
		simde__m128i has_none = simde_mm_cmpeq_epi64(simde_mm_and_si128(line.part[i], all_which), simde_mm_setzero_si128());
		line.part[i] = simde_mm_xor_si128(line.part[i], simde_mm_andnot_si128(has_none, all_change));
	}
	return line;
}

static inline line_t choose_words(line_t line, uint8_t bits)
{
	for (size_t i = 0; i < 4; i++)
		line.part[i] = simde_mm_and_si128(line.part[i], simde_mm_set_epi64x(-(int64_t)(bits >> (2 * i + 1) & 1),
		                                                                   -(int64_t)(bits >> (2 * i) & 1)));
	return line;
}

static inline line_t all_words(uint64_t word)
{
	simde__m128i part = simde_mm_set1_epi64x((int64_t)word);
	return (line_t){{part, part, part, part}};
}

static inline uint64_t high_bytes(line_t line)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < 4; i++)
		bits |= (uint64_t)(uint32_t)simde_mm_movemask_epi8(line.part[i]) << (16 * i);
	return bits;
}

#endif

/* Calls for each live block; the mask word is taken out before, so that the body may clear bits of live. */
#define FOR_EACH_LIVE(live, block)                                                                                     \
	for (size_t word_ = 0; word_ < BS_SLAB_MAX_BLOCKS / 64; word_++)                                               \
		for (uint64_t left_ = (live)->words[word_]; left_ != 0; left_ &= left_ - 1)                            \
			for (size_t block = word_ * 64 + (size_t)__builtin_ctzll(left_), once_ = 1; once_; once_ = 0)

static inline void clear_live(struct bs_live *live, size_t block)
{
	live->words[block / 64] &= ~(UINT64_C(1) << (block % 64));
}

#endif
