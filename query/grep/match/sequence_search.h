/*
 * sequence_search.h: finds a sequence of byte classes (query/regex/prefilter/class_sequence.h) in a
 * text.
 *
 * A kernel makes words of 64 bits, one bit for each byte that is in a class. Then the places of a
 * run of n bytes are the AND of n shifted copies, made by doubling, and the places of the sequence
 * the AND of the places of its runs. The rarest run is tested first; the others, and their
 * classes, only where it occurs.
 */
#pragma once

#include "core/simd/kernels.h"
#include "query/regex/prefilter/class_sequence.h"

/* Gets the places that a search finds. */
struct bs_place_taker {
	/* Returns where the search goes on, after the bytes of the sequence and at the start of a
	 * line; SIZE_MAX: the search stops. */
	size_t (*take)(void *context, size_t place);
	void *context;
};

/* Passes the places in text[from..end) where the sequence occurs, in ascending order.
 * sequence->n_runs > 0. from and end count as the bounds of a line: if from is within a line, a
 * place at from may be passed although no gap precedes it. */
void bs_class_sequence_find(const struct bs_class_sequence *sequence,
                            const struct bs_kernel *kernel, const uint8_t *text, size_t from,
                            size_t end, const struct bs_place_taker *to);
