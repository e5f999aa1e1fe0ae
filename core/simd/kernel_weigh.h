/* kernel_weigh.h: the part of the kernels' body (kernel_body.h) that adds weights up in bit planes. */
#ifndef BS_CORE_SIMD_KERNEL_WEIGH_H
#define BS_CORE_SIMD_KERNEL_WEIGH_H

#include "core/simd/kernel_lines.h"

/* Adds the weight to the sums of the documents in the mask. */
static inline void add_weight(line_t *planes, uint32_t n_planes, line_t mask, uint32_t weight)
{
	line_t carry = zero_line();
	for (uint32_t p = 0; p < n_planes && weight >> p != 0; p++) {
		line_t plane = planes[p];
		line_t sum = xor_line(plane, carry);
		if (weight >> p & 1) {
			planes[p] = xor_line(sum, mask);
			carry = or_line(and_line(plane, carry), and_line(mask, sum));
		} else {
			planes[p] = sum;
			carry = and_line(plane, carry);
		}
	}
	/* What is left is carried up to where it ends. */
	for (uint32_t p = 32 - (uint32_t)__builtin_clz(weight | 1); p < n_planes && !is_zero_line(carry); p++) {
		line_t plane = planes[p];
		planes[p] = xor_line(plane, carry);
		carry = and_line(plane, carry);
	}
}

static inline void weigh_term(line_t *planes, uint32_t n_planes, const struct bs_weighed_term *term, line_t mask,
                              size_t block)
{
	size_t at = block * BS_LINE_WORDS;
	if (term->lines) {
		if (!is_live(term->live, block))
			return;
		mask = and_line(mask, load_line(term->lines + at));
		if (is_zero_line(mask))
			return;
	}
	if (term->weight > 0)
		add_weight(planes, n_planes, mask, term->weight);
	for (uint32_t l = 0; l < term->n_levels; l++) {
		const struct bs_weighed_level *level = &term->levels[l];
		for (uint32_t c = 0; c < level->n_columns; c++)
			mask = and_line(mask, load_line(level->columns[c] + at));
		if (is_zero_line(mask))
			return;
		if (level->weight > 0)
			add_weight(planes, n_planes, mask, level->weight);
	}
}

/* Sums of at least the threshold: from the highest bit down, equal so far, or greater already. */
static inline line_t at_least(const line_t *planes, uint32_t n_planes, line_t mask, uint32_t threshold)
{
	line_t equal = mask;
	line_t greater = zero_line();
	for (uint32_t p = n_planes; p-- > 0;) {
		if (threshold >> p & 1) {
			equal = and_line(equal, planes[p]);
		} else {
			greater = or_line(greater, and_line(equal, planes[p]));
			equal = and_not_line(planes[p], equal);
		}
	}
	return or_line(equal, greater);
}

static inline void weigh(const uint64_t *lines, uint64_t *kept, struct bs_live *live, const struct bs_weighed_term *terms,
                         size_t n_terms, uint32_t n_planes, uint32_t threshold)
{
	FOR_EACH_LIVE(live, block) {
		line_t planes[BS_WEIGH_PLANES];
		line_t mask = load_line(lines + block * BS_LINE_WORDS);
		for (uint32_t p = 0; p < n_planes; p++)
			planes[p] = zero_line();
		for (size_t t = 0; t < n_terms; t++)
			weigh_term(planes, n_planes, &terms[t], mask, block);
		line_t line = at_least(planes, n_planes, mask, threshold);
		keep_line(kept + block * BS_LINE_WORDS, live, block, line);
	}
}

#endif
