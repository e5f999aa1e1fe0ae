/*
 * filter.h: which documents may be hits at all: by the path of the file, its type, its place and
 * its time, or by a date in the record. All but the last is known from the index, so that no text
 * is read of what does not pass; where the index knows the dates of the field, the query asks for
 * them (bs_filter_dates). A filter changes no statistics, hence no score. A document is looked at
 * when it is first asked about, and its answer kept for as long as requests ask for the same.
 */
#pragma once

#include "query/language/query_tree.h"
#include "query/load/loader.h"

/* One thread. */
struct bs_filter;

/* The documents that are selected; lists are NULL-ended, NULL selects all. Borrowed. */
struct bs_selection {
	const char *const *globs;
	const char *const *types;
	const char *const *type_nots;
	const char *const *places;
	const char *newer, *older;
	const char *date_field;
};

/* loader, whose documents it is about, is borrowed. BS_NO_MEMORY: *filter_out is NULL. */
enum bs_status bs_filter_new(struct bs_loader *loader, struct bs_filter **filter_out,
                             struct bs_error *err) BS_WARN_UNUSED;
void bs_filter_free(struct bs_filter *filter);

/* Makes it the filter of a selection. *is_any_out: the selection accepts every document.
 * BS_INVALID: a bad glob, an unknown type, an invalid date. BS_NOT_FOUND: nothing of a place is in
 * the indexes. BS_NO_MEMORY. */
enum bs_status bs_filter_begin(struct bs_filter *filter, const struct bs_selection *selection,
                               bool *is_any_out, struct bs_error *err) BS_WARN_UNUSED;

/* Whether something of a place is in an index of the list. BS_NO_MEMORY. */
enum bs_status bs_filter_has_place(struct bs_filter *filter, const char *path, uint32_t entry,
                                   bool *has_out, struct bs_error *err) BS_WARN_UNUSED;

/* The dates that a field of records is to have, as a range of one of these fields. False: none are
 * asked for, or of no such field. */
bool bs_filter_dates(const struct bs_filter *filter, const struct bs_selection *selection,
                     const struct bs_term_table *fields, struct bs_query_range *dates_out);
/* Whether there is more that is asked for. */
bool bs_filter_has_more(const struct bs_filter *filter);

/* By what the index knows. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_filter_passes(struct bs_filter *filter, struct bs_doc_ref ref, bool *passes_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Whether the text of a document has a word in it, too: a field with a date. Of a document for
 * which bs_filter_passes: */
bool bs_filter_asks_text(const struct bs_filter *filter);
enum bs_status bs_filter_passes_text(struct bs_filter *filter, struct bs_doc_ref ref,
                                     bool *passes_out, struct bs_error *err) BS_WARN_UNUSED;
