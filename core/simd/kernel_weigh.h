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

/* Live blocks that are weighed together, level by level: their lines lie here and there, and those that the next level
 * or the next blocks will want are asked for before they are needed. */
#define WEIGH_TOGETHER 16u

struct weighed_blocks {
	uint16_t of[WEIGH_TOGETHER];
	size_t n;
	line_t planes[WEIGH_TOGETHER][BS_WEIGH_PLANES];
};

static inline void ask_level(const struct bs_weighed_term *term, uint32_t l, size_t block)
{
	for (uint32_t c = 0; l < term->n_levels && c < term->levels[l].n_columns; c++)
		__builtin_prefetch(term->levels[l].columns[c] + block * BS_LINE_WORDS);
}

/* The documents of the block that have the term. */
static inline line_t weighed_documents(const uint64_t *lines, const struct bs_weighed_term *term, size_t block)
{
	line_t mask = load_line(lines + block * BS_LINE_WORDS);
	if (!term->lines)
		return mask;
	return is_live(term->live, block) ? and_line(mask, load_line(term->lines + block * BS_LINE_WORDS)) : zero_line();
}

static inline void weigh_term(const uint64_t *lines, struct weighed_blocks *blocks, uint32_t n_planes,
                              const struct bs_weighed_term *term)
{
	line_t masks[WEIGH_TOGETHER];
	uint8_t left[WEIGH_TOGETHER];
	size_t n = 0;
	for (size_t i = 0; i < blocks->n; i++) {
		line_t mask = weighed_documents(lines, term, blocks->of[i]);
		if (is_zero_line(mask))
			continue;
		if (term->weight > 0)
			add_weight(blocks->planes[i], n_planes, mask, term->weight);
		masks[n] = mask;
		left[n++] = (uint8_t)i;
	}
	for (uint32_t l = 0; l < term->n_levels && n > 0; l++) {
		const struct bs_weighed_level *level = &term->levels[l];
		size_t n_before = n;
		n = 0;
		for (size_t j = 0; j < n_before; j++) {
			size_t block = blocks->of[left[j]];
			line_t mask = masks[j];
			for (uint32_t c = 0; c < level->n_columns; c++)
				mask = and_line(mask, load_line(level->columns[c] + block * BS_LINE_WORDS));
			if (is_zero_line(mask))
				continue;
			ask_level(term, l + 1, block);
			if (level->weight > 0)
				add_weight(blocks->planes[left[j]], n_planes, mask, level->weight);
			masks[n] = mask;
			left[n++] = left[j];
		}
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

/* The next live blocks, from word *word_io of the mask on, of which *left_io is not yet taken; asks for their lines. */
static inline void take_blocks(const struct bs_live *live, size_t *word_io, uint64_t *left_io,
                               const struct bs_weighed_term *terms, size_t n_terms, struct weighed_blocks *blocks)
{
	blocks->n = 0;
	while (blocks->n < WEIGH_TOGETHER && *word_io < BS_SLAB_MAX_BLOCKS / 64) {
		if (*left_io == 0) {
			*left_io = ++*word_io < BS_SLAB_MAX_BLOCKS / 64 ? live->words[*word_io] : 0;
			continue;
		}
		size_t block = *word_io * 64 + (size_t)__builtin_ctzll(*left_io);
		*left_io &= *left_io - 1;
		blocks->of[blocks->n++] = (uint16_t)block;
		for (size_t t = 0; t < n_terms; t++)
			ask_level(&terms[t], 0, block);
	}
}

static inline void weigh(const uint64_t *lines, uint64_t *kept, struct bs_live *live, const struct bs_weighed_term *terms,
                         size_t n_terms, uint32_t n_planes, uint32_t threshold)
{
	struct weighed_blocks both[2];
	struct weighed_blocks *now = &both[0], *next = &both[1];
	const struct bs_live all = *live;
	size_t word = 0;
	uint64_t left = all.words[0];
	for (take_blocks(&all, &word, &left, terms, n_terms, now); now->n > 0;) {
		take_blocks(&all, &word, &left, terms, n_terms, next);
		for (size_t i = 0; i < now->n; i++)
			for (uint32_t p = 0; p < n_planes; p++)
				now->planes[i][p] = zero_line();
		for (size_t t = 0; t < n_terms; t++)
			weigh_term(lines, now, n_planes, &terms[t]);
		for (size_t i = 0; i < now->n; i++) {
			size_t at = now->of[i] * BS_LINE_WORDS;
			line_t line = at_least(now->planes[i], n_planes, load_line(lines + at), threshold);
			keep_line(kept + at, live, now->of[i], line);
		}
		struct weighed_blocks *done = now;
		now = next;
		next = done;
	}
}

#endif
