/*
 * kernel_body.h: the kernels' one body, included by each kernel_*.c with KERNEL_NAME defined and its own compiler
 * flags. SIMDe turns the 512-bit operations into whatever the target has: one AVX-512 register, two AVX2, four SSE or
 * NEON, or plain C.
 */
#include <string.h>

#include <simde/x86/avx512.h>

#include "core/kernels.h"

typedef simde__m512i line_t;

static inline line_t load_line(const uint64_t *from)
{
	return simde_mm512_load_si512(from);
}

static inline void store_line(uint64_t *to, line_t line)
{
	simde_mm512_store_si512(to, line);
}

static inline line_t ones_line(void)
{
	return simde_mm512_set1_epi64(-1);
}

/* Folding the words to one is what compilers turn into the best any-bit test of each target. */
static inline bool is_zero_line(line_t line)
{
#if defined(SIMDE_X86_AVX512F_NATIVE)
	return simde_mm512_test_epi64_mask(line, line) == 0;
#elif defined(SIMDE_X86_AVX2_NATIVE)
	simde__m256i low = simde_mm512_extracti64x4_epi64(line, 0);
	simde__m256i high = simde_mm512_extracti64x4_epi64(line, 1);
	simde__m256i any = simde_mm256_or_si256(low, high);
	return simde_mm256_testz_si256(any, any);
#else
	simde__m512i_private words = simde__m512i_to_private(line);
	uint64_t any = 0;
	for (size_t i = 0; i < BS_LINE_WORDS; i++)
		any |= words.u64[i];
	return any == 0;
#endif
}

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
                            bool fresh)
{
	uint64_t n_read = 0;
	FOR_EACH_LIVE(live, block) {
		uint64_t *to = lines + block * BS_LINE_WORDS;
		size_t i = 0;
		line_t line = load_line(fresh ? columns[i++] + block * BS_LINE_WORDS : to);
		while (i < n_columns && !is_zero_line(line))
			line = simde_mm512_and_si512(line, load_line(columns[i++] + block * BS_LINE_WORDS));
		n_read += i;
		store_line(to, line);
		if (is_zero_line(line))
			clear_live(live, block);
	}
	return n_read;
}

static void spread_groups(uint64_t *lines, struct bs_live *live, const uint64_t *mask)
{
	FOR_EACH_LIVE(live, block) {
		line_t line = load_line(mask + block / 8 * BS_LINE_WORDS);
		store_line(lines + block * BS_LINE_WORDS, line);
		if (is_zero_line(line))
			clear_live(live, block);
	}
}

static uint64_t and_not_column(uint64_t *lines, struct bs_live *live, bs_column column)
{
	uint64_t n_read = 0;
	FOR_EACH_LIVE(live, block) {
		uint64_t *to = lines + block * BS_LINE_WORDS;
		line_t line = simde_mm512_andnot_si512(load_line(column + block * BS_LINE_WORDS), load_line(to));
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
			line = simde_mm512_or_si512(line, load_line(into + at));
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
		line_t line = simde_mm512_and_si512(load_line(into + at), load_line(from + at));
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
		line_t line = simde_mm512_andnot_si512(load_line(from + at), load_line(into + at));
		store_line(into + at, line);
		if (is_zero_line(line))
			clear_live(into_live, block);
	}
}

static uint64_t popcount(const uint64_t *lines, size_t n_lines)
{
	uint64_t n = 0;
#if defined(SIMDE_X86_AVX512VPOPCNTDQ_NATIVE)
	line_t sum = simde_mm512_setzero_si512();
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

/* ---- classes of bytes ---- */

#if defined(SIMDE_NO_NATIVE)

/* Eight bytes as an 8 x 8 matrix of bits, transposed: bit i of byte s becomes bit s of byte i (Hacker's Delight, 7-3). */
static inline uint64_t transpose_8x8(uint64_t x)
{
	uint64_t t = (x ^ (x >> 7)) & UINT64_C(0x00aa00aa00aa00aa);
	x ^= t ^ (t << 7);
	t = (x ^ (x >> 14)) & UINT64_C(0x0000cccc0000cccc);
	x ^= t ^ (t << 14);
	t = (x ^ (x >> 28)) & UINT64_C(0x00000000f0f0f0f0);
	return x ^ t ^ (t << 28);
}

static void classify(const struct bs_byte_classes *classes, uint8_t *text, size_t n_lines,
                     struct bs_line_classes *lines_out)
{
	for (size_t line = 0; line < n_lines; line++) {
		uint64_t found[8] = {0};
		for (size_t eight = 0; eight < 8; eight++) {
			uint8_t *at = text + line * 64 + eight * 8;
			uint64_t of_bytes = 0;
			for (size_t i = 0; i < 8; i++) {
				of_bytes |= (uint64_t)classes->of[at[i]] << (8 * i);
				at[i] = (uint8_t)(at[i] | ((uint8_t)(at[i] - 'A') < 26 ? 0x20 : 0));
			}
			uint64_t of_classes = transpose_8x8(of_bytes);
			for (size_t s = 0; s < 8; s++)
				found[s] |= (of_classes >> (8 * s) & 0xff) << (8 * eight);
		}
		memcpy(lines_out[line].of, found, sizeof(found));
	}
}

#else

/*
 * Byte c is of class s if rows[s][c & 15] has bit c >> 4: two look-ups in registers, whatever the class is. The second
 * table gives nothing from 0x80 on.
 */
static inline uint32_t class_bits(simde__m256i row, simde__m256i low, simde__m256i bit)
{
	simde__m256i found = simde_mm256_and_si256(simde_mm256_shuffle_epi8(row, low), bit);
	simde__m256i is_none = simde_mm256_cmpeq_epi8(found, simde_mm256_setzero_si256());
	return ~(uint32_t)simde_mm256_movemask_epi8(is_none);
}

static inline simde__m256i small_letters(simde__m256i text)
{
	simde__m256i is_capital = simde_mm256_and_si256(simde_mm256_cmpgt_epi8(text, simde_mm256_set1_epi8('A' - 1)),
	                                                simde_mm256_cmpgt_epi8(simde_mm256_set1_epi8('Z' + 1), text));
	return simde_mm256_or_si256(text, simde_mm256_and_si256(is_capital, simde_mm256_set1_epi8(0x20)));
}

static inline simde__m256i high_bits(simde__m256i text)
{
	const simde__m256i bits = simde_mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0, //
	                                                1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
	const simde__m256i nibble = simde_mm256_set1_epi8(0x0f);
	return simde_mm256_shuffle_epi8(bits, simde_mm256_and_si256(simde_mm256_srli_epi16(text, 4), nibble));
}

static void classify(const struct bs_byte_classes *classes, uint8_t *text, size_t n_lines,
                     struct bs_line_classes *lines_out)
{
	const simde__m256i nibble = simde_mm256_set1_epi8(0x0f);
	simde__m256i rows[8];
	for (size_t s = 0; s < 8; s++)
		rows[s] = simde_mm256_broadcastsi128_si256(simde_mm_loadu_si128((const simde__m128i *)classes->rows[s]));
	for (size_t line = 0; line < n_lines; line++) {
		simde__m256i *at = (simde__m256i *)(text + line * 64);
		simde__m256i first = simde_mm256_loadu_si256(at), second = simde_mm256_loadu_si256(at + 1);
		simde__m256i first_low = simde_mm256_and_si256(first, nibble), first_bit = high_bits(first);
		simde__m256i second_low = simde_mm256_and_si256(second, nibble), second_bit = high_bits(second);
		for (size_t s = 0; s < 8; s++)
			lines_out[line].of[s] = class_bits(rows[s], first_low, first_bit) |
			                        (uint64_t)class_bits(rows[s], second_low, second_bit) << 32;
		simde_mm256_storeu_si256(at, small_letters(first));
		simde_mm256_storeu_si256(at + 1, small_letters(second));
	}
}

#endif

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
	.classify = classify,
};
