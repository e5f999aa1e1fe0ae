/* check_parts.h: what check.c (the index, its files) asks of check_segment.c (a segment but for its lexicon) and that
 * of check_terms.c (its lexicon, against itself and against the slabs). */
#ifndef BS_CORE_CHECK_CHECK_PARTS_H
#define BS_CORE_CHECK_CHECK_PARTS_H

#include "core/check/check.h"
#include "core/simd/kernels.h"

struct bs_check {
	const struct bs_check_request *request;
	bs_check_stored_text *stored_text; /* NULL: is not decoded */
	struct bs_snapshot snapshot;
	const struct bs_kernel *kernel;
	uint64_t done_bytes;
	uint64_t total_bytes;
	struct bs_error *err;
};

/* Tells the caller of n_bytes more. */
static inline void bs_check_advance(struct bs_check *check, uint64_t n_bytes)
{
	check->done_bytes += n_bytes;
	if (check->request->progress)
		check->request->progress(check->request->context, check->done_bytes, check->total_bytes);
}

/* Everything of a segment but the layout of its file, unread pages and stored text. */
enum bs_status bs_check_segment(struct bs_check *check, uint32_t s) BS_WARN_UNUSED;

/* The lexicon against itself and against the slabs, exceptions included. popcounts[s] has the set bits of every column
 * of slab s, by first_column + its number; NULL for forward lists. listed[t] is in how many forward lists term t
 * stands; it may be NULL. */
enum bs_status bs_check_terms(struct bs_check *check, const struct bs_segment *segment, uint32_t *const *popcounts,
                              const uint32_t *listed) BS_WARN_UNUSED;

#endif
