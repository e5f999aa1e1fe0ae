/*
 * filter.h: which documents may be hits: by the path, type, place and time of the file, or by a
 * date in the record. The index knows all criteria but the last, so no text is read of documents
 * that do not pass. Where the index knows the dates of the field, the query tests them instead
 * (bs_filter_dates). A filter does not change statistics, hence not scores. Each document is
 * checked when it is first asked about; the result is kept for as long as the selection stays the
 * same.
 */
#pragma once

#include "query/language/query_tree.h"
#include "query/load/loader.h"

/* Used by one thread. */
struct bs_filter;

/* The selection of documents. Lists end with NULL. A NULL member selects everything. Borrowed. */
struct bs_selection {
	const char *const *globs;
	const char *const *types;
	const char *const *type_nots;
	const char *const *places;
	const char *newer, *older;
	const char *date_field;
};

/* loader is borrowed; the filter is about its documents. BS_NO_MEMORY: *filter_out is NULL. */
enum bs_status bs_filter_new(struct bs_loader *loader, struct bs_filter **filter_out,
                             struct bs_error *err) BS_WARN_UNUSED;
void bs_filter_free(struct bs_filter *filter);

/* Sets the selection. *is_any_out: the selection accepts every document. BS_INVALID: a bad glob, an
 * unknown type or an invalid date. BS_NOT_FOUND: no index contains a given place. BS_NO_MEMORY. */
enum bs_status bs_filter_begin(struct bs_filter *filter, const struct bs_selection *selection,
                               bool *is_any_out, struct bs_error *err) BS_WARN_UNUSED;

/* Whether index `entry` of the list contains part of a place. BS_NO_MEMORY. */
enum bs_status bs_filter_has_place(struct bs_filter *filter, const char *path, uint32_t entry,
                                   bool *has_out, struct bs_error *err) BS_WARN_UNUSED;

/* The selection by date as a range of a field in `fields`. False: no dates are selected, or the
 * field is not in `fields`. */
bool bs_filter_dates(const struct bs_filter *filter, const struct bs_selection *selection,
                     const struct bs_term_table *fields, struct bs_query_range *dates_out);
/* Whether there are criteria other than times and dates. */
bool bs_filter_has_more(const struct bs_filter *filter);

/* Whether a document passes all criteria that the index knows. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_filter_passes(struct bs_filter *filter, struct bs_doc_ref ref, bool *passes_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Whether a date in a field is selected, so that the text must be checked too: by
 * bs_filter_passes_text, for documents that bs_filter_passes accepts. */
bool bs_filter_asks_text(const struct bs_filter *filter);
enum bs_status bs_filter_passes_text(struct bs_filter *filter, struct bs_doc_ref ref,
                                     bool *passes_out, struct bs_error *err) BS_WARN_UNUSED;
