/*
 * sorted_hits.h: hits in the order of a field's numbers and dates: the first k of those offered,
 * and the scan of a segment that leaves unseen what cannot be among them.
 *
 * Of several values the least counts in ascending order, the greatest in descending order; numbers
 * come before dates in ascending order; documents without a value come last in both, and equal ones
 * in document order. In a shard whose documents are what was indexed the columns of values
 * (core/matrix/value_column.h) say which of the matches can still be among the first, 512 at a
 * time, as soon as there are k to compare with.
 */
#pragma once

#include "corpus/walk/document.h"
#include "query/rank/rank.h"
#include "query/scan/scan.h"

struct bs_sorted_hit {
	struct bs_ranked_hit hit; /* score: 0 */
	bool has_value;
	struct bs_value value;
};

BS_VECTOR(bs_sorted_hits, struct bs_sorted_hit);

/* The first k. Zero-initialise but for the first lines; release with bs_sorting_deinit. */
struct bs_sorting {
	const struct bs_snapshot_list *list;
	const char *field; /* NULL: nothing is sorted */
	bool is_descending;
	size_t k;
	bool is_exhaustive; /* every match is looked at */
	/* Gets what may be among the first: sure ones match, and have the hit's value if that is
	 * known to the index, if they are what was indexed. */
	enum bs_status (*offer)(void *context, const struct bs_candidate *candidate,
	                        const struct bs_sorted_hit *hit, bool is_known,
	                        struct bs_error *err);
	void *context;
	struct bs_sorted_hits heap; /* the last of them on top */
	uint64_t n_passed;          /* matches that were not offered, */
	bool is_open;               /* or how many is not known */
};
void bs_sorting_deinit(struct bs_sorting *sorting);
/* Forgets all hits. */
void bs_sorting_clear(struct bs_sorting *sorting);

/* The value that counts of a document's texts, with a tail borrowed from one. False: none is
 * one. */
bool bs_sorting_value(const struct bs_sorting *sorting, const struct bs_field *fields,
                      size_t n_fields, struct bs_value *value_out);

/* Takes a copy of it, also of its tail, if it is among the first so far. BS_NO_MEMORY. */
enum bs_status bs_sorting_take(struct bs_sorting *sorting, const struct bs_sorted_hit *taken,
                               struct bs_error *err) BS_WARN_UNUSED;
/* Sorts what was kept; nothing can be taken after that. Returns how many. */
size_t bs_sorting_finish(struct bs_sorting *sorting, const struct bs_sorted_hit **hits_out);

/* Offers the matches of segment s. is_trusted: all of its documents are what was indexed. As
 * bs_scan_segment, and what offer returned. */
enum bs_status bs_scan_sorted(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                              const struct bs_kernel *kernel, bool is_trusted,
                              struct bs_sorting *sorting, struct bs_scan_stats *stats,
                              struct bs_error *err) BS_WARN_UNUSED;
