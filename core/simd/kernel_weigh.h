/* kernel_weigh.h: the part of kernel_body.h that sums weights, for 512 documents at a time. */
#pragma once

#include "core/simd/kernel_lines.h"

#if defined(SIMDE_X86_AVX512BW_NATIVE)

/* The sums of weights of 512 documents, one byte per document. This is fastest on machines where a
 * mask has one bit for each byte of a register. */
struct sums {
	part_t part[BS_LINE_WORDS];
};

/* Adds the weight to the sums of the documents whose bits are set in `words`. A sum that overflows
 * becomes 255. */
static inline void add_weight(struct sums *sums, const uint64_t *words, uint32_t weight)
{
	part_t weights = simde_mm512_set1_epi8((int8_t)weight);
	for (size_t i = 0; i < BS_LINE_WORDS; i++)
		sums->part[i] =
			simde_mm512_mask_adds_epu8(sums->part[i], words[i], sums->part[i], weights);
}

static inline line_t at_least(const struct sums *sums, line_t mask, uint32_t threshold)
{
	_Alignas(BS_LINE_BYTES) uint64_t words[BS_LINE_WORDS];
	part_t least = simde_mm512_set1_epi8((int8_t)threshold);
	for (size_t i = 0; i < BS_LINE_WORDS; i++)
		words[i] = simde_mm512_cmpge_epu8_mask(sums->part[i], least);
	return and_line(mask, load_line(words));
}

/* Replaces each sum s by 255 - s. */
static inline void turn_sums(struct sums *sums)
{
	for (size_t i = 0; i < BS_LINE_WORDS; i++)
		sums->part[i] = PART(xor)(sums->part[i], simde_mm512_set1_epi8(-1));
}

#else

/* The sums of weights of 512 documents, bit-sliced: one line per bit of the sums. A weight is added
 * by ripple carry, under the mask of the documents that get it (Rinfret, O'Neil and O'Neil,
 * "Bit-sliced index arithmetic", 2001). A sum that overflows becomes 255. */
struct sums {
	line_t planes[BS_WEIGH_BITS];
};

__attribute__((always_inline)) static inline void add_weight(struct sums *sums,
                                                             const uint64_t *words, uint32_t weight)
{
	line_t mask = load_line(words), carry = zero_line();
#pragma GCC unroll 8
	for (uint32_t p = 0; p < BS_WEIGH_BITS; p++) {
		line_t plane = sums->planes[p], added = weight >> p & 1 ? mask : zero_line(),
		       sum = xor_line(plane, carry);
		sums->planes[p] = xor_line(sum, added);
		carry = or_line(and_line(plane, carry), and_line(added, sum));
	}
	if (is_zero_line(carry))
		return;
#pragma GCC unroll 8
	for (uint32_t p = 0; p < BS_WEIGH_BITS; p++)
		sums->planes[p] = or_line(sums->planes[p], carry);
}

/* The documents of `mask` whose sum is at least the threshold, compared from the highest bit
 * down. */
__attribute__((always_inline)) static inline line_t at_least(const struct sums *sums, line_t mask,
                                                             uint32_t threshold)
{
	line_t equal = mask;
	line_t greater = zero_line();
#pragma GCC unroll 8
	for (uint32_t p = BS_WEIGH_BITS; p-- > 0;) {
		if (threshold >> p & 1) {
			equal = and_line(equal, sums->planes[p]);
		} else {
			greater = or_line(greater, and_line(equal, sums->planes[p]));
			equal = and_not_line(sums->planes[p], equal);
		}
	}
	return or_line(equal, greater);
}

/* Replaces each sum s by 255 - s. */
static inline void turn_sums(struct sums *sums)
{
	for (uint32_t p = 0; p < BS_WEIGH_BITS; p++)
		sums->planes[p] = xor_line(sums->planes[p], all_words(UINT64_MAX));
}

#endif

/* The first pass over a block: adds, for each term that a document has, the weights of the term and
 * of all its levels, as if the document reached them. Returns the documents whose sum is at least
 * the threshold; usually few. `left`: the sum of `most` over the terms not yet added. When it is
 * below the threshold, documents that cannot reach the threshold are dropped after every second
 * term and after the last one. */
static inline line_t weigh_roughly(struct sums *sums, const uint64_t *line,
                                   const struct bs_weighed_term *terms, size_t n_terms,
                                   size_t block, uint32_t left, uint32_t threshold)
{
	line_t mask = load_line(line);
	for (size_t t = 0; t < n_terms; t++) {
		const struct bs_weighed_term *term = &terms[t];
		if (!term->lines)
			add_weight(sums, line, term->most);
		else if (is_live(term->live, block))
			add_weight(sums, term->lines + block * BS_LINE_WORDS, term->most);
		left -= term->most;
		if (left >= threshold || (n_terms - t) % 2 == 0)
			continue;
		mask = at_least(sums, mask, threshold - left);
		if (is_zero_line(mask))
			break;
	}
	return mask;
}

/* The second pass, for one term: adds to a document's `lost` the weights of the levels that it does
 * not reach. `lost` starts as 254 + threshold - sum. A document is dropped when its `lost` is 255,
 * because its sum less the weights lost is then below the threshold. */
static inline line_t lose_levels(struct sums *lost, const struct bs_weighed_term *term, line_t mask,
                                 size_t block)
{
	_Alignas(BS_LINE_BYTES) uint64_t words[BS_LINE_WORDS];
	size_t at = block * BS_LINE_WORDS;
	line_t has = mask;
	uint32_t rest = term->most - term->weight;
	if (term->lines)
		has = is_live(term->live, block) ? and_line(mask, load_line(term->lines + at))
		                                 : zero_line();
	for (uint32_t l = 0; l < term->n_levels && !is_zero_line(has); l++) {
		const struct bs_weighed_level *level = &term->levels[l];
		line_t reaches = has;
		for (uint32_t c = 0; c < level->n_columns; c++) {
			/* The hardware prefetcher does not recognize this many parallel streams. */
			__builtin_prefetch(level->columns[c] + at + BS_LINE_WORDS);
			reaches = and_line(reaches, load_line(level->columns[c] + at));
		}
		store_line(words, and_not_line(reaches, has));
		add_weight(lost, words, rest);
		rest -= level->weight;
		has = reaches;
	}
	return and_not_line(at_least(lost, mask, BS_WEIGH_MOST + 1), mask);
}

/* With a single term, the sum depends only on the levels reached, so nothing is added. */
static void weigh_alone(const uint64_t *lines, uint64_t *kept, struct bs_live *live,
                        const struct bs_weighed_term *term, uint32_t threshold)
{
	uint32_t n_needed = 0, sum = term->weight;
	while (n_needed < term->n_levels && sum < threshold)
		sum += term->levels[n_needed++].weight;
	FOR_EACH_LIVE(live, block)
	{
		size_t at = block * BS_LINE_WORDS;
		line_t mask = sum < threshold ? zero_line() : load_line(lines + at);
		if (term->lines)
			mask = is_live(term->live, block)
			               ? and_line(mask, load_line(term->lines + at))
			               : zero_line();
		for (uint32_t l = 0; l < n_needed && !is_zero_line(mask); l++) {
			for (uint32_t c = 0; c < term->levels[l].n_columns; c++) {
				__builtin_prefetch(term->levels[l].columns[c] + at + BS_LINE_WORDS);
				mask = and_line(mask, load_line(term->levels[l].columns[c] + at));
			}
		}
		keep_line(kept + at, live, block, mask);
	}
}

static void weigh(const uint64_t *lines, uint64_t *kept, struct bs_live *live,
                  const struct bs_weighed_term *terms, size_t n_terms, uint32_t threshold)
{
	uint32_t most = 0;
	bool has_levels = false;
	if (n_terms == 1) {
		weigh_alone(lines, kept, live, terms, threshold);
		return;
	}
	for (size_t t = 0; t < n_terms; t++) {
		most += terms[t].most;
		has_levels |= terms[t].n_levels > 0;
	}
	FOR_EACH_LIVE(live, block)
	{
		struct sums sums = {0};
		line_t mask = weigh_roughly(&sums, lines + block * BS_LINE_WORDS, terms, n_terms,
		                            block, most, threshold);
		if (has_levels && !is_zero_line(mask)) {
			_Alignas(BS_LINE_BYTES) uint64_t words[BS_LINE_WORDS];
			store_line(words, mask);
			turn_sums(&sums);
			add_weight(&sums, words, threshold - 1);
			for (size_t t = 0; t < n_terms && !is_zero_line(mask); t++)
				mask = lose_levels(&sums, &terms[t], mask, block);
		}
		keep_line(kept + block * BS_LINE_WORDS, live, block, mask);
	}
}
