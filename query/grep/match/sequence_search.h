/*
 * sequence_search.h: finds a sequence of byte classes (query/regex/prefilter/class_sequence.h) in a
 * text.
 *
 * For each class, a kernel makes words of 64 bits, one bit for each byte of the text, set if the
 * byte is in the class. The AND of n shifted copies of these words, made by doubling, has the
 * places of a run of n bytes. The AND of the places of all runs, each shifted by its offset, has
 * the places of the sequence. The rarest run is tested first; the other runs, and their classes,
 * only in parts of the text where it occurs.
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
