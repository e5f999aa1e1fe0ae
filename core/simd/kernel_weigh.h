/* kernel_weigh.h: the part of the kernels' body (kernel_body.h) that adds weights up in bit planes. */
#ifndef BS_CORE_SIMD_KERNEL_WEIGH_H
#define BS_CORE_SIMD_KERNEL_WEIGH_H

#include "core/simd/kernel_lines.h"

/* Adds the weight to the sums of the documents in the mask. */
__attribute__((always_inline)) static inline void add_weight(line_t *planes, uint32_t n_planes, line_t mask, uint32_t weight)
{
	line_t carry = zero_line();
#pragma GCC unroll 16
	for (uint32_t p = 0; p < n_planes; p++) {
		line_t plane = planes[p], added = weight >> p & 1 ? mask : zero_line(), sum = xor_line(plane, carry);
		planes[p] = xor_line(sum, added);
		carry = or_line(and_line(plane, carry), and_line(added, sum));
	}
}

__attribute__((always_inline)) static inline void weigh_term(line_t *planes, uint32_t n_planes,
                                                            const struct bs_weighed_term *term, line_t mask, size_t block)
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
		/* Of so many columns the memory does not see that each is read on and on. */
		for (uint32_t c = 0; c < level->n_columns; c++) {
			__builtin_prefetch(level->columns[c] + at + BS_LINE_WORDS);
			mask = and_line(mask, load_line(level->columns[c] + at));
		}
		if (is_zero_line(mask))
			return;
		if (level->weight > 0)
			add_weight(planes, n_planes, mask, level->weight);
	}
}

/* Sums of at least the threshold: from the highest bit down, equal so far, or greater already. */
__attribute__((always_inline)) static inline line_t at_least(const line_t *planes, uint32_t n_planes, line_t mask, uint32_t threshold)
{
	line_t equal = mask;
	line_t greater = zero_line();
#pragma GCC unroll 16
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

/* Leaves in the mask what can still reach the threshold: by its sum, and all of the terms that are left. */
__attribute__((always_inline)) static inline line_t narrow(const line_t *planes, uint32_t n_planes, line_t mask,
                                                          uint32_t left, uint32_t threshold)
{
	return left < threshold ? at_least(planes, n_planes, mask, threshold - left) : mask;
}

/*
 * What of the mask reaches the threshold if each word that is there reaches all of its levels: few, mostly, so that of the
 * levels themselves hardly any is looked at.
 */
__attribute__((always_inline)) static inline line_t weigh_roughly(line_t mask, const struct bs_weighed_term *terms,
                                                                 size_t n_terms, size_t block, uint32_t n_planes,
                                                                 uint32_t left, uint32_t threshold)
{
	line_t planes[BS_WEIGH_PLANES];
#pragma GCC unroll 16
	for (uint32_t p = 0; p < n_planes; p++)
		planes[p] = zero_line();
	for (size_t t = 0; t < n_terms && !is_zero_line(mask); t++) {
		const struct bs_weighed_term *term = &terms[t];
		line_t has = mask;
		if (term->lines)
			has = is_live(term->live, block) ? and_line(mask, load_line(term->lines + block * BS_LINE_WORDS)) : zero_line();
		if (term->most > 0 && !is_zero_line(has))
			add_weight(planes, n_planes, has, term->most);
		left -= term->most;
		mask = narrow(planes, n_planes, mask, left, threshold);
	}
	return mask;
}

__attribute__((always_inline)) static inline void weigh_planes(const uint64_t *lines, uint64_t *kept, struct bs_live *live,
                                                              const struct bs_weighed_term *terms, size_t n_terms,
                                                              uint32_t n_planes, uint32_t threshold)
{
	uint32_t most = 0;
	for (size_t t = 0; t < n_terms; t++)
		most += terms[t].most;
	FOR_EACH_LIVE(live, block) {
		line_t planes[BS_WEIGH_PLANES];
		uint32_t left = most;
		line_t mask = weigh_roughly(load_line(lines + block * BS_LINE_WORDS), terms, n_terms, block, n_planes, most, threshold);
#pragma GCC unroll 16
		for (uint32_t p = 0; p < n_planes; p++)
			planes[p] = zero_line();
		for (size_t t = 0; t < n_terms && !is_zero_line(mask); t++) {
			weigh_term(planes, n_planes, &terms[t], mask, block);
			left -= terms[t].most;
			mask = narrow(planes, n_planes, mask, left, threshold);
		}
		keep_line(kept + block * BS_LINE_WORDS, live, block, mask);
	}
}

/* With the usual number of planes known, they stay in registers. */
static void weigh(const uint64_t *lines, uint64_t *kept, struct bs_live *live, const struct bs_weighed_term *terms,
                  size_t n_terms, uint32_t n_planes, uint32_t threshold)
{
	if (n_planes == 8)
		weigh_planes(lines, kept, live, terms, n_terms, 8, threshold);
	else
		weigh_planes(lines, kept, live, terms, n_terms, n_planes, threshold);
}

#endif
