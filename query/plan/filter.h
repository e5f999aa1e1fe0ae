/* filter.h: selects the documents that may be hits: by the path, type, place and time of the file,
 * or by a date in a field of the record. Only a date in a field needs the text of the record; but
 * if the field is known, the query tests its dates instead (bs_filter_dates). A filter does not
 * change the statistics, so scores stay the same. Each document is checked on first use; a result
 * that needs no text is stored as long as the selection stays the same. */
#pragma once

#include "query/language/query_tree.h"
#include "query/load/loader.h"

/* Used by one thread. */
struct bs_filter;

/* The selection of documents. Lists end with NULL. A NULL member selects everything. Borrowed. */
struct bs_selection {
	const char *const *globs; /* globs of paths, as in ripgrep's -g; a ! in front excludes */
	const char *const *types; /* names of file types to include */
	const char *const *type_nots; /* names of file types to exclude */
	const char *const *places;    /* files or folders; a document must be at or below one */
	const char *newer, *older;    /* dates or ages such as 3d: from newer to before older */
	/* the records' field to which newer and older apply; NULL: the time of the file */
	const char *date_field;
};

/* Makes a filter for the documents of a loader, which is borrowed. BS_NO_MEMORY: *filter_out is
 * NULL. */
enum bs_status bs_filter_new(struct bs_loader *loader, struct bs_filter **filter_out,
                             struct bs_error *err) BS_WARN_UNUSED;
void bs_filter_free(struct bs_filter *filter);

/* Sets the selection. *is_any_out: the selection is empty, so every document passes and the filter
 * must not be used; it keeps its previous selection. BS_INVALID: invalid glob, type or date.
 * BS_NOT_FOUND: a given place is not at, above or below a source of any index. BS_NO_MEMORY. */
enum bs_status bs_filter_begin(struct bs_filter *filter, const struct bs_selection *selection,
                               bool *is_any_out, struct bs_error *err) BS_WARN_UNUSED;

/* Whether index `entry` of the list has a source that is at, above or below the place `path`.
 * BS_NO_MEMORY. */
enum bs_status bs_filter_has_place(struct bs_filter *filter, const char *path, uint32_t entry,
                                   bool *has_out, struct bs_error *err) BS_WARN_UNUSED;

/* Makes a range of the date field from the selected dates. False: no date field is selected, or it
 * is not in `fields`. */
bool bs_filter_dates(const struct bs_filter *filter, const struct bs_selection *selection,
                     const struct bs_term_table *fields, struct bs_query_range *dates_out);
/* Whether there are criteria other than times and dates. */
bool bs_filter_has_more(const struct bs_filter *filter);

/* Whether a document passes all criteria that need no text. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_filter_passes(struct bs_filter *filter, struct bs_doc_ref ref, bool *passes_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Whether a date in a field is selected. If so, documents that bs_filter_passes accepts must also
 * be checked by bs_filter_passes_text, which reads their texts. */
bool bs_filter_asks_text(const struct bs_filter *filter);
enum bs_status bs_filter_passes_text(struct bs_filter *filter, struct bs_doc_ref ref,
                                     bool *passes_out, struct bs_error *err) BS_WARN_UNUSED;
