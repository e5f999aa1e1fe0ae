/*
 * kernel_body.h: the body of all kernels. Each kernel_*.c defines KERNEL_NAME and includes this
 * file; compiler flags differ. A line is one register of 512 bits, two of 256 or four of 128, in
 * SIMDe's types; these are the native types of the target or, in the plain kernel, C. (With SIMDe's
 * 512-bit types throughout, gcc 12 keeps every line of the AVX2 kernel in memory, in halves: the
 * loads wait for the stores, and an AND takes three times as long.) Searches of text test 64 places
 * at a time, except in the plain kernel.
 */
#include <string.h>

#include <simde/x86/avx512.h>

#include "core/simd/kernel_grams.h"
#include "core/simd/kernel_lines.h"
#include "core/simd/kernel_ranks.h"
#include "core/simd/kernel_solve.h"
#include "core/simd/kernel_weigh.h"
#include "core/simd/kernels.h"

static inline uint64_t count_line(const uint64_t *line)
{
	uint64_t n = 0;
	for (size_t i = 0; i < BS_LINE_WORDS; i++)
		n += (uint64_t)__builtin_popcountll(line[i]);
	return n;
}

/* The prefetch distance for a single column, in blocks. With several columns, enough loads are in
 * flight without prefetching. */
#define AHEAD 32u

static uint64_t and_columns(uint64_t *lines, struct bs_live *live, const bs_column *columns,
                            size_t n_columns, size_t n_untested, bool fresh)
{
	uint64_t n_read = 0;
	FOR_EACH_LIVE(live, block)
	{
		uint64_t *to = lines + block * BS_LINE_WORDS;
		size_t i = 0;
		if (n_columns == 1)
			__builtin_prefetch(columns[0] + (block + AHEAD) * BS_LINE_WORDS);
		line_t line = load_line(fresh ? columns[i++] + block * BS_LINE_WORDS : to);
		while (i < n_untested)
			line = and_line(line, load_line(columns[i++] + block * BS_LINE_WORDS));
		while (i < n_columns && !is_zero_line(line))
			line = and_line(line, load_line(columns[i++] + block * BS_LINE_WORDS));
		n_read += i;
		keep_line(to, live, block, line);
	}
	return n_read;
}

static void spread_groups(uint64_t *lines, struct bs_live *live, const uint64_t *groups)
{
	FOR_EACH_LIVE(live, block)
	{
		if (groups[block] == 0)
			clear_live(live, block);
		else
			store_line(lines + block * BS_LINE_WORDS, spread_word(groups[block]));
	}
}

static uint64_t and_not_column(uint64_t *lines, struct bs_live *live, bs_column column)
{
	uint64_t n_read = 0;
	FOR_EACH_LIVE(live, block)
	{
		uint64_t *to = lines + block * BS_LINE_WORDS;
		line_t line =
			and_not_line(load_line(column + block * BS_LINE_WORDS), load_line(to));
		n_read++;
		keep_line(to, live, block, line);
	}
	return n_read;
}

static void or_lines(uint64_t *into, struct bs_live *into_live, const uint64_t *from,
                     const struct bs_live *from_live)
{
	FOR_EACH_LIVE(from_live, block)
	{
		size_t at = block * BS_LINE_WORDS;
		line_t line = load_line(from + at);
		if (is_live(into_live, block))
			line = or_line(line, load_line(into + at));
		store_line(into + at, line);
		into_live->words[block / 64] |= UINT64_C(1) << (block % 64);
	}
}

static void and_lines(uint64_t *into, struct bs_live *into_live, const uint64_t *from,
                      const struct bs_live *from_live)
{
	for (size_t i = 0; i < BS_SHARD_MAX_BLOCKS / 64; i++)
		into_live->words[i] &= from_live->words[i];
	FOR_EACH_LIVE(into_live, block)
	{
		size_t at = block * BS_LINE_WORDS;
		keep_line(into + at, into_live, block,
		          and_line(load_line(into + at), load_line(from + at)));
	}
}

static void and_not_lines(uint64_t *into, struct bs_live *into_live, const uint64_t *from,
                          const struct bs_live *from_live)
{
	FOR_EACH_LIVE(into_live, block)
	{
		size_t at = block * BS_LINE_WORDS;
		if (!is_live(from_live, block))
			continue;
		keep_line(into + at, into_live, block,
		          and_not_line(load_line(from + at), load_line(into + at)));
	}
}

static uint64_t popcount(const uint64_t *lines, size_t n_lines)
{
	uint64_t n = 0;
#if defined(SIMDE_X86_AVX512VPOPCNTDQ_NATIVE)
	simde__m512i sum = simde_mm512_setzero_si512();
	for (size_t i = 0; i < n_lines; i++)
		sum = simde_mm512_add_epi64(
			sum,
			simde_mm512_popcnt_epi64(load_line(lines + i * BS_LINE_WORDS).part[0]));
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

#if defined(SIMDE_NO_NATIVE)

/* Transposes eight bytes as an 8 x 8 matrix of bits: bit i of byte s becomes bit s of byte i
 * (Hacker's Delight, 7-3). */
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

/* Bit i of the result: byte i of the text is in the class whose table is `row`
 * (bs_byte_classes.rows). For each byte c of the text, `low` is c & 15 and `bit` is 1 << (c >> 4),
 * or 0 if c >= 0x80: such bytes are in no class. */
static inline uint32_t class_bits(simde__m256i row, simde__m256i low, simde__m256i bit)
{
	simde__m256i found = simde_mm256_and_si256(simde_mm256_shuffle_epi8(row, low), bit);
	simde__m256i is_none = simde_mm256_cmpeq_epi8(found, simde_mm256_setzero_si256());
	return ~(uint32_t)simde_mm256_movemask_epi8(is_none);
}

static inline simde__m256i small_letters(simde__m256i text)
{
	simde__m256i is_capital =
		simde_mm256_and_si256(simde_mm256_cmpgt_epi8(text, simde_mm256_set1_epi8('A' - 1)),
	                              simde_mm256_cmpgt_epi8(simde_mm256_set1_epi8('Z' + 1), text));
	return simde_mm256_or_si256(text,
	                            simde_mm256_and_si256(is_capital, simde_mm256_set1_epi8(0x20)));
}

/* 1 << (c >> 4) for each byte c; 0 if c >= 0x80. */
static inline simde__m256i high_bits(simde__m256i text)
{
	const simde__m256i bits =
		simde_mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0, //
	                              1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
	const simde__m256i nibble = simde_mm256_set1_epi8(0x0f);
	return simde_mm256_shuffle_epi8(
		bits, simde_mm256_and_si256(simde_mm256_srli_epi16(text, 4), nibble));
}

static void classify(const struct bs_byte_classes *classes, uint8_t *text, size_t n_lines,
                     struct bs_line_classes *lines_out)
{
	const simde__m256i nibble = simde_mm256_set1_epi8(0x0f);
	simde__m256i rows[8];
	for (size_t s = 0; s < 8; s++)
		rows[s] = simde_mm256_broadcastsi128_si256(
			simde_mm_loadu_si128((const simde__m128i *)(const void *)classes->rows[s]));
	for (size_t line = 0; line < n_lines; line++) {
		simde__m256i *at = (simde__m256i *)(void *)(text + line * 64);
		simde__m256i first = simde_mm256_loadu_si256(at),
			     second = simde_mm256_loadu_si256(at + 1);
		simde__m256i first_low = simde_mm256_and_si256(first, nibble),
			     first_bit = high_bits(first);
		simde__m256i second_low = simde_mm256_and_si256(second, nibble),
			     second_bit = high_bits(second);
		for (size_t s = 0; s < 8; s++)
			lines_out[line].of[s] =
				class_bits(rows[s], first_low, first_bit) |
				(uint64_t)class_bits(rows[s], second_low, second_bit) << 32;
		simde_mm256_storeu_si256(at, small_letters(first));
		simde_mm256_storeu_si256(at + 1, small_letters(second));
	}
}

#endif

static inline bool is_needle_at(const uint8_t *text, const struct bs_needle *needle)
{
	for (size_t i = 0; i < needle->n_bytes; i++)
		if (bs_needle_fold(text[i]) != needle->bytes[i])
			return false;
	return true;
}

/* The 64 bits that begin at bit `shift` of two words. */
static inline uint64_t shift_words(uint64_t low, uint64_t high, uint32_t shift)
{
	return shift == 0 ? low : shift == 64 ? high : low >> shift | high << (64 - shift);
}

#if defined(SIMDE_NO_NATIVE)

/* The plain kernel's searches of text. Tests compare those of the other kernels with them. */
static size_t find_needle(const uint8_t *text, size_t from, size_t n_bytes,
                          const struct bs_needle *needle)
{
	for (size_t at = from; at < n_bytes && needle->n_bytes <= n_bytes - at; at++)
		if (is_needle_at(text + at, needle))
			return at;
	return n_bytes;
}

static size_t find_opaque(const uint8_t *text, size_t from, size_t n_bytes, bool is_json)
{
	for (size_t at = from; at < n_bytes; at++)
		if (text[at] >= 0x80 ||
		    (is_json && text[at] == '\\' && n_bytes - at > 1 && text[at + 1] == 'u'))
			return at;
	return n_bytes;
}

static size_t find_window(const uint8_t *text, size_t from, size_t n_bytes,
                          const struct bs_byte_window *window)
{
	for (size_t at = from; at < n_bytes && window->n_bytes <= n_bytes - at; at++)
		if (bs_byte_window_at(window, text + at))
			return at;
	return n_bytes;
}

static void find_class(const struct bs_byte_class *class, const uint8_t *text, size_t n_words,
                       uint64_t *places_out)
{
	for (size_t w = 0; w < n_words; w++) {
		places_out[w] = 0;
		for (size_t i = 0; i < 64; i++)
			places_out[w] |= (uint64_t) class->has[text[64 * w + i]] << i;
	}
}

static void and_shifted(uint64_t *into, const uint64_t *from, size_t n_words, uint32_t shift)
{
	for (size_t w = 0; w < n_words; w++)
		into[w] &= shift_words(from[w], from[w + 1], shift);
}

#else

/* The number of places (offsets in the text) that are tested at a time. They are the bits of a
 * word, the first place in the lowest bit. */
#define PLACES ((size_t)64)

static inline part_t load_bytes(const uint8_t *from, size_t i)
{
	return PART(loadu)((const part_t *)(const void *)from + i);
}

static inline part_t all_bytes(uint8_t byte)
{
	return EACH(set1_epi8)((int8_t)byte);
}

/* The places from `from` on where the byte, ORed with `set`, equals `byte`. */
static inline uint64_t places_of(const uint8_t *from, part_t set, part_t byte)
{
	uint64_t places = 0;
	FOR_EACH_PART(i)
	places |= equal_bytes(PART(or)(load_bytes(from, i), set), byte) << (i * PART_BYTES);
	return places;
}

static inline uint64_t high_places(const uint8_t *from)
{
	uint64_t places = 0;
	FOR_EACH_PART(i)
	places |= high_bits_of(load_bytes(from, i)) << (i * PART_BYTES);
	return places;
}

/* The variants that both the low and the high half of each byte allow (needle.h). */
static inline part_t look_up_halves(part_t bytes, part_t low, part_t high)
{
	const part_t nibble = all_bytes(0x0f);
	part_t upper = PART(and)(EACH(srli_epi16)(bytes, 4), nibble);
	return PART(and)(EACH(shuffle_epi8)(low, PART(and)(bytes, nibble)),
	                 EACH(shuffle_epi8)(high, upper));
}

/* The places where n bytes may match a variant, by the tables of halves. */
static inline uint64_t window_places(const uint8_t *from, const part_t *low, const part_t *high,
                                     size_t n)
{
	uint64_t without = 0;
	FOR_EACH_PART(i)
	{
		part_t variants = all_bytes(0xff);
		for (size_t k = 0; k < n; k++)
			variants = PART(and)(
				variants, look_up_halves(load_bytes(from + k, i), low[k], high[k]));
		without |= equal_bytes(variants, all_bytes(0)) << (i * PART_BYTES);
	}
	return ~without;
}

/* A loop over text[from..end) in rounds of 64 offsets ("places"), for searches that test each
 * offset. Offsets with fewer than `reach` bytes after them are not tested. In the body, round_.text
 * + round_.base points to the first of the 64 offsets, and bit i of round_.fresh is set if offset i
 * has not been in an earlier round: the last round overlaps the one before so that it ends at the
 * last offset. If the text is too short for one round, it is copied to small_ and padded with
 * zeros. */
#define FOR_EACH_ROUND(text, from, end, reach)                                          \
	for (uint8_t small_[3 * PLACES], *once_ = small_; once_; once_ = NULL)          \
		for (struct round round_ = first_round(text, from, end, reach, small_); \
		     round_.fresh; next_round(&round_))

struct round {
	const uint8_t *text; /* the text from `from` on, or its copy */
	size_t base;         /* offset of the first place of this round in text */
	size_t last;         /* maximum of base */
	size_t end;          /* number of places in all rounds */
	uint64_t fresh;      /* places of this round that no earlier round had; 0: the end */
};

static inline uint64_t low_bits(size_t n)
{
	return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* Begins the rounds of FOR_EACH_ROUND. small: room for 3 * PLACES bytes, not initialised, because
 * clearing them would slow down short searches. They are written only if the text is too short for
 * one round. reach < BS_NEEDLE_REACH <= PLACES. */
static inline struct round first_round(const uint8_t *text, size_t from, size_t n_bytes,
                                       size_t reach, uint8_t *small)
{
	if (n_bytes - from <= reach)
		return (struct round){.fresh = 0};
	struct round round = {.text = text + from, .end = n_bytes - from - reach};
	round.fresh = low_bits(round.end);
	if (round.end < PLACES) {
		memcpy(small, round.text, n_bytes - from);
		memset(small + (n_bytes - from), 0, 3 * PLACES - (n_bytes - from));
		round.text = small;
	} else {
		round.last = round.end - PLACES;
	}
	return round;
}

static inline void next_round(struct round *round)
{
	size_t done = round->base + PLACES;
	round->base = done < round->last ? done : round->last;
	round->fresh = done < round->end ? ~low_bits(done - round->base) : 0;
}

static size_t find_needle(const uint8_t *text, size_t from, size_t n_bytes,
                          const struct bs_needle *needle)
{
	/* Compares letters in lower case by setting the case bit. This confuses a few other bytes
	 * (@ with `, _ with DEL); is_needle_at() excludes them. */
	part_t set = all_bytes(0x20);
	part_t first = all_bytes(needle->bytes[needle->probe[0]] | 0x20);
	part_t second = all_bytes(needle->bytes[needle->probe[1]] | 0x20);
	if (n_bytes - from < needle->n_bytes)
		return n_bytes;
	FOR_EACH_ROUND(text, from, n_bytes, needle->probe[1])
	{
		const uint8_t *at = round_.text + round_.base;
		uint64_t places = round_.fresh & places_of(at + needle->probe[0], set, first) &
		                  places_of(at + needle->probe[1], set, second);
		for (; places; places &= places - 1) {
			size_t place = from + round_.base + (size_t)__builtin_ctzll(places);
			if (needle->n_bytes <= n_bytes - place &&
			    is_needle_at(text + place, needle))
				return place;
		}
	}
	return n_bytes;
}

/* find_window for a constant n = window->n_bytes. Inlined once per n, so that the tables stay in
 * registers. */
static inline __attribute__((always_inline)) size_t find_window_of(
	const uint8_t *text, size_t from, size_t n_bytes, const struct bs_byte_window *window,
	size_t n)
{
	part_t low[BS_WINDOW_MOST_BYTES], high[BS_WINDOW_MOST_BYTES];
	for (size_t i = 0; i < n; i++) {
		low[i] = load_table(window->low[i]);
		high[i] = load_table(window->high[i]);
	}
	FOR_EACH_ROUND(text, from, n_bytes, n - 1)
	{
		uint64_t places =
			round_.fresh & window_places(round_.text + round_.base, low, high, n);
		for (; places; places &= places - 1) {
			size_t place = from + round_.base + (size_t)__builtin_ctzll(places);
			if (bs_byte_window_at(window, text + place))
				return place;
		}
	}
	return n_bytes;
}

static size_t find_window(const uint8_t *text, size_t from, size_t n_bytes,
                          const struct bs_byte_window *window)
{
	switch (window->n_bytes) {
	case 1:
		return find_window_of(text, from, n_bytes, window, 1);
	case 2:
		return find_window_of(text, from, n_bytes, window, 2);
	case 3:
		return find_window_of(text, from, n_bytes, window, 3);
	default:
		return find_window_of(text, from, n_bytes, window, 4);
	}
}

/* Looks up each byte of the text in class->rows: its highest bit selects one of the two rows, its
 * low half an element of the row, and the other three bits of its high half a bit of the element.
 * shuffle_epi8 gives 0 for an index whose highest bit is set, and ignores the three bits below the
 * highest; so one of the two look-ups gives 0, and `high` is indexed with the highest bit
 * inverted. */
static void find_class(const struct bs_byte_class *class, const uint8_t *text, size_t n_words,
                       uint64_t *places_out)
{
	static const uint8_t powers[16] = {1, 2, 4, 8, 16, 32, 64, 128,
	                                   1, 2, 4, 8, 16, 32, 64, 128};
	const part_t low = load_table(class->rows[0]), high = load_table(class->rows[1]),
		     bits = load_table(powers), nibble = all_bytes(0x0f), top = all_bytes(0x80);
	for (size_t w = 0; w < n_words; w++) {
		uint64_t without = 0;
		FOR_EACH_PART(i)
		{
			part_t bytes = load_bytes(text + 64 * w, i);
			part_t rows = PART(or)(EACH(shuffle_epi8)(low, bytes),
			                       EACH(shuffle_epi8)(high, PART(xor)(bytes, top)));
			part_t bit = EACH(shuffle_epi8)(
				bits, PART(and)(EACH(srli_epi16)(bytes, 4), nibble));
			without |= equal_bytes(PART(and)(rows, bit), all_bytes(0))
			           << (i * PART_BYTES);
		}
		places_out[w] = ~without;
	}
}

static void and_shifted(uint64_t *into, const uint64_t *from, size_t n_words, uint32_t shift)
{
	const size_t n_a_part = PART_BYTES / sizeof(uint64_t);
	const simde__m128i down = simde_mm_cvtsi32_si128((int)shift),
			   up = simde_mm_cvtsi32_si128(64 - (int)shift);
	size_t w = 0;
	/* A shift by 64 gives 0. */
	for (; w + n_a_part <= n_words; w += n_a_part) {
		part_t *at = (part_t *)(void *)(into + w);
		part_t low = PART(loadu)((const part_t *)(const void *)(from + w));
		part_t high = PART(loadu)((const part_t *)(const void *)(from + w + 1));
		part_t bits = PART(or)(EACH(srl_epi64)(low, down), EACH(sll_epi64)(high, up));
		PART(storeu)(at, PART(and)(PART(loadu)(at), bits));
	}
	for (; w < n_words; w++)
		into[w] &= shift_words(from[w], from[w + 1], shift);
}

static size_t find_opaque(const uint8_t *text, size_t from, size_t n_bytes, bool is_json)
{
	part_t none = all_bytes(0), backslash = all_bytes('\\'), u = all_bytes('u');
	FOR_EACH_ROUND(text, from, n_bytes, is_json)
	{
		const uint8_t *at = round_.text + round_.base;
		uint64_t places = high_places(at);
		if (is_json)
			places |= places_of(at, none, backslash) & places_of(at + 1, none, u);
		places &= round_.fresh;
		if (places)
			return from + round_.base + (size_t)__builtin_ctzll(places);
	}
	/* Tests the last byte, which the rounds skip because a backslash needs a following byte. */
	return is_json && n_bytes > from && text[n_bytes - 1] >= 0x80 ? n_bytes - 1 : n_bytes;
}

#endif

#define KERNEL_JOIN_(a, b) a##b
#define KERNEL_JOIN(a, b)  KERNEL_JOIN_(a, b)
#define KERNEL_TEXT_(a)    #a
#define KERNEL_TEXT(a)     KERNEL_TEXT_(a)

extern const struct bs_kernel KERNEL_JOIN(bs_kernel_, KERNEL_NAME);
const struct bs_kernel KERNEL_JOIN(bs_kernel_, KERNEL_NAME) = {
	.name = KERNEL_TEXT(KERNEL_NAME),
	.lines.and_columns = and_columns,
	.lines.spread_groups = spread_groups,
	.lines.and_not_column = and_not_column,
	.lines.or_lines = or_lines,
	.lines.and_lines = and_lines,
	.lines.and_not_lines = and_not_lines,
	.lines.weigh = weigh,
	.lines.keep_ranks = keep_ranks,
	.lines.count = count,
	.lines.popcount = popcount,
	.solve_band = solve_band,
	.text.classify = classify,
	.text.find_grams = find_grams,
	.text.fill_gram_row = fill_gram_row,
	.text.find_needle = find_needle,
	.text.find_opaque = find_opaque,
	.text.find_window = find_window,
	.text.find_class = find_class,
	.text.and_shifted = and_shifted,
};
