/*
 * kernel_body.h: the kernels' one body, included by each kernel_*.c with KERNEL_NAME defined and its own compiler
 * flags. A line is one 512-bit register, two of 256 bits or four of 128, in SIMDe's types, which are the target's own
 * or, in the plain kernel, C. (Written with SIMDe's 512-bit types throughout, gcc 12 kept every line of the AVX2 kernel in
 * memory, in halves: the loads waited for the stores, and an AND took three times as long.)
 */
#include <string.h>

#include <simde/x86/avx512.h>

#include "core/kernels.h"

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

static inline bool is_zero_line(line_t line)
{
	return simde_mm512_test_epi64_mask(line, line) == 0;
}

/* Bit i of the word becomes byte i of the line. */
static inline line_t spread_word(uint64_t word)
{
	return simde_mm512_movm_epi8(word);
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

#endif

static inline uint64_t count_line(const uint64_t *line)
{
	uint64_t n = 0;
	for (size_t i = 0; i < BS_LINE_WORDS; i++)
		n += (uint64_t)__builtin_popcountll(line[i]);
	return n;
}

/* Calls for each live block; the mask word is taken out before, so that the body may clear bits of live. */
#define FOR_EACH_LIVE(live, block)                                                                                     \
	for (size_t word_ = 0; word_ < BS_SLAB_MAX_BLOCKS / 64; word_++)                                               \
		for (uint64_t left_ = (live)->words[word_]; left_ != 0; left_ &= left_ - 1)                            \
			for (size_t block = word_ * 64 + (size_t)__builtin_ctzll(left_), once_ = 1; once_; once_ = 0)

static inline void clear_live(struct bs_live *live, size_t block)
{
	live->words[block / 64] &= ~(UINT64_C(1) << (block % 64));
}

static uint64_t and_columns(uint64_t *lines, struct bs_live *live, const bs_column *columns, size_t n_columns,
                            size_t n_untested, bool fresh)
{
	uint64_t n_read = 0;
	FOR_EACH_LIVE(live, block) {
		uint64_t *to = lines + block * BS_LINE_WORDS;
		size_t i = 0;
		line_t line = load_line(fresh ? columns[i++] + block * BS_LINE_WORDS : to);
		while (i < n_untested)
			line = and_line(line, load_line(columns[i++] + block * BS_LINE_WORDS));
		while (i < n_columns && !is_zero_line(line))
			line = and_line(line, load_line(columns[i++] + block * BS_LINE_WORDS));
		n_read += i;
		store_line(to, line);
		if (is_zero_line(line))
			clear_live(live, block);
	}
	return n_read;
}

static void spread_groups(uint64_t *lines, struct bs_live *live, const uint64_t *groups)
{
	FOR_EACH_LIVE(live, block) {
		if (groups[block] == 0)
			clear_live(live, block);
		else
			store_line(lines + block * BS_LINE_WORDS, spread_word(groups[block]));
	}
}

static uint64_t and_not_column(uint64_t *lines, struct bs_live *live, bs_column column)
{
	uint64_t n_read = 0;
	FOR_EACH_LIVE(live, block) {
		uint64_t *to = lines + block * BS_LINE_WORDS;
		line_t line = and_not_line(load_line(column + block * BS_LINE_WORDS), load_line(to));
		store_line(to, line);
		n_read++;
		if (is_zero_line(line))
			clear_live(live, block);
	}
	return n_read;
}

static void or_lines(uint64_t *into, struct bs_live *into_live, const uint64_t *from, const struct bs_live *from_live)
{
	FOR_EACH_LIVE(from_live, block) {
		size_t at = block * BS_LINE_WORDS;
		line_t line = load_line(from + at);
		if (into_live->words[block / 64] >> (block % 64) & 1)
			line = or_line(line, load_line(into + at));
		store_line(into + at, line);
		into_live->words[block / 64] |= UINT64_C(1) << (block % 64);
	}
}

static void and_lines(uint64_t *into, struct bs_live *into_live, const uint64_t *from, const struct bs_live *from_live)
{
	for (size_t i = 0; i < BS_SLAB_MAX_BLOCKS / 64; i++)
		into_live->words[i] &= from_live->words[i];
	FOR_EACH_LIVE(into_live, block) {
		size_t at = block * BS_LINE_WORDS;
		line_t line = and_line(load_line(into + at), load_line(from + at));
		store_line(into + at, line);
		if (is_zero_line(line))
			clear_live(into_live, block);
	}
}

static void and_not_lines(uint64_t *into, struct bs_live *into_live, const uint64_t *from,
                          const struct bs_live *from_live)
{
	FOR_EACH_LIVE(into_live, block) {
		size_t at = block * BS_LINE_WORDS;
		if (!(from_live->words[block / 64] >> (block % 64) & 1))
			continue;
		line_t line = and_not_line(load_line(from + at), load_line(into + at));
		store_line(into + at, line);
		if (is_zero_line(line))
			clear_live(into_live, block);
	}
}

static uint64_t popcount(const uint64_t *lines, size_t n_lines)
{
	uint64_t n = 0;
#if defined(SIMDE_X86_AVX512VPOPCNTDQ_NATIVE)
	simde__m512i sum = simde_mm512_setzero_si512();
	for (size_t i = 0; i < n_lines; i++)
		sum = simde_mm512_add_epi64(sum, simde_mm512_popcnt_epi64(load_line(lines + i * BS_LINE_WORDS)));
	simde__m512i_private words = simde__m512i_to_private(sum);
	for (size_t i = 0; i < BS_LINE_WORDS; i++)
		n += words.u64[i];
#else
	for (size_t i = 0; i < n_lines; i++)
		n += count_line(lines + i * BS_LINE_WORDS);
#endif
	return n;
}

static uint64_t count(const uint64_t *lines, const struct bs_live *live)
{
	uint64_t n = 0;
	FOR_EACH_LIVE(live, block)
		n += popcount(lines + block * BS_LINE_WORDS, 1);
	return n;
}

#define KERNEL_JOIN_(a, b) a##b
#define KERNEL_JOIN(a, b)  KERNEL_JOIN_(a, b)
#define KERNEL_TEXT_(a)    #a
#define KERNEL_TEXT(a)     KERNEL_TEXT_(a)

extern const struct bs_kernel KERNEL_JOIN(bs_kernel_, KERNEL_NAME);
const struct bs_kernel KERNEL_JOIN(bs_kernel_, KERNEL_NAME) = {
	.name = KERNEL_TEXT(KERNEL_NAME),
	.and_columns = and_columns,
	.spread_groups = spread_groups,
	.and_not_column = and_not_column,
	.or_lines = or_lines,
	.and_lines = and_lines,
	.and_not_lines = and_not_lines,
	.count = count,
	.popcount = popcount,
};
