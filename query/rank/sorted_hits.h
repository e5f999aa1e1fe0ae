/*
 * sorted_hits.h: hits sorted by the numbers and dates in a field. Keeps the first k of the hits
 * offered, and scans a segment without the documents that cannot be among them.
 *
 * If a document has several values, ascending order uses the least and descending order the
 * greatest. In ascending order, numbers come before dates. In both orders, documents without a
 * value come last, and documents with equal values are in document order.
 *
 * In a segment whose documents are unchanged, as soon as there are k hits, the columns of values
 * (core/matrix/value_column.h) show which matches can still be among the first k, 512 at a time.
 */
#pragma once

#include "corpus/walk/document.h"
#include "query/rank/rank.h"
#include "query/scan/scan.h"

struct bs_sorted_hit {
	struct bs_ranked_hit hit; /* The score is 0. */
	bool has_value;
	struct bs_value value;
};

BS_VECTOR(bs_sorted_hits, struct bs_sorted_hit);

/* The first k hits. The caller sets the members up to context and zero-initialises the rest.
 * Release with bs_sorting_deinit. */
struct bs_sorting {
	const struct bs_snapshot_list *list;
	const char *field; /* The field to sort by; NULL: not sorted. */
	bool is_descending;
	size_t k;
	/* Every match is offered, even if it cannot be among the first k. */
	bool is_exhaustive;
	/* Receives a candidate that may be among the first k. If its source is unchanged,
	 * candidate->is_sure means that it matches, and is_known that hit->value is its value. */
	enum bs_status (*offer)(void *context, const struct bs_candidate *candidate,
	                        const struct bs_sorted_hit *hit, bool is_known,
	                        struct bs_error *err);
	void *context;
	struct bs_sorted_hits heap; /* The hits kept so far, the last in sort order on top. */
	uint64_t n_passed;          /* The number of matches that were skipped. */
	bool is_open;               /* Candidates may have been skipped without being counted. */
};
void bs_sorting_deinit(struct bs_sorting *sorting);
void bs_sorting_clear(struct bs_sorting *sorting);

/* Finds the value that a document is sorted by, among the values in its fields. The tail of the
 * value is borrowed from these. False: the document has no value. */
bool bs_sorting_value(const struct bs_sorting *sorting, const struct bs_field *fields,
                      size_t n_fields, struct bs_value *value_out);

/* Keeps a copy of a hit and of its value's tail, if it is among the first k so far.
 * BS_NO_MEMORY. */
enum bs_status bs_sorting_take(struct bs_sorting *sorting, const struct bs_sorted_hit *taken,
                               struct bs_error *err) BS_WARN_UNUSED;
/* Sorts the hits that were kept, and returns their number. No more hits can be taken. */
size_t bs_sorting_finish(struct bs_sorting *sorting, const struct bs_sorted_hit **hits_out);

/* Scans segment s and offers the candidates that may be among the first k, or all if is_exhaustive.
 * is_trusted: all documents of the segment are unchanged. Returns the failures of bs_scan_segment
 * and of offer. */
enum bs_status bs_scan_sorted(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                              const struct bs_kernel *kernel, bool is_trusted,
                              struct bs_sorting *sorting, struct bs_scan_stats *stats,
                              struct bs_error *err) BS_WARN_UNUSED;
