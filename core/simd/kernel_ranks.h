/* kernel_ranks.h: the part of kernel_body.h that compares bit-sliced numbers. */
#pragma once

#include "core/simd/kernel_lines.h"

/* The documents of `from` whose rank is in low..last. Compares bits from the highest down. While
 * low and last have the same bits, only documents whose ranks have these bits remain. After the
 * first different bit, there are three sets of documents: at_low, whose ranks have the bits of low
 * so far; at_last, whose ranks have the bits of last so far; and `inside`, whose ranks are certain
 * to be in the range. When the remaining bits of low are all 0, the documents of at_low move to
 * `inside`. When the remaining bits of last are all 1, those of at_last do. */
static inline line_t ranks_between(line_t from, const uint64_t *slices, uint32_t n_slices,
                                   uint32_t low, uint32_t last, uint64_t *n_read)
{
	uint32_t bit = n_slices;
	for (; bit > 0 && (low >> (bit - 1)) == (last >> (bit - 1)) && !is_zero_line(from);
	     bit--, slices += BS_LINE_WORDS) {
		line_t slice = load_line(slices);
		from = low >> (bit - 1) & 1 ? and_line(from, slice) : and_not_line(slice, from);
		++*n_read;
	}
	if (bit == 0 || is_zero_line(from))
		return from;
	line_t at_low = and_not_line(load_line(slices), from),
	       at_last = and_line(from, load_line(slices)), inside = zero_line();
	for (bit--, ++*n_read; bit > 0; bit--) {
		uint32_t rest = (UINT32_C(1) << bit) - 1;
		if ((low & rest) == 0) {
			inside = or_line(inside, at_low);
			at_low = zero_line();
		}
		if ((last & rest) == rest) {
			inside = or_line(inside, at_last);
			at_last = zero_line();
		}
		if (is_zero_line(or_line(at_low, at_last)))
			break;
		line_t slice = load_line(slices += BS_LINE_WORDS);
		++*n_read;
		if (low >> (bit - 1) & 1) {
			at_low = and_line(at_low, slice);
		} else {
			inside = or_line(inside, and_line(at_low, slice));
			at_low = and_not_line(slice, at_low);
		}
		if (last >> (bit - 1) & 1) {
			inside = or_line(inside, and_not_line(slice, at_last));
			at_last = and_line(at_last, slice);
		} else {
			at_last = and_not_line(slice, at_last);
		}
	}
	return or_line(inside, or_line(at_low, at_last));
}

static inline uint64_t keep_ranks(uint64_t *lines, struct bs_live *live, const uint64_t *slices,
                                  uint32_t n_slices, uint32_t low, uint32_t last)
{
	uint64_t n_read = 0;
	FOR_EACH_LIVE(live, block)
	{
		const uint64_t *first = slices + block * (1 + n_slices) * (size_t)BS_LINE_WORDS;
		line_t line = and_line(load_line(lines + block * BS_LINE_WORDS), load_line(first));
		n_read++;
		if (!is_zero_line(line))
			line = ranks_between(line, first + BS_LINE_WORDS, n_slices, low, last,
			                     &n_read);
		keep_line(lines + block * BS_LINE_WORDS, live, block, line);
	}
	return n_read;
}
