/*
 * search.h: a whole query from text to hits: parse -> plan -> scan -> verify -> rank.
 *
 * An opened index is immutable and shared by threads; a searcher belongs to one thread and holds everything that is
 * written while searching.
 */
#ifndef BS_QUERY_SEARCH_SEARCH_H
#define BS_QUERY_SEARCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/store/snapshot.h"
#include "core/simd/kernels.h"
#include "core/base/status.h"
#include "query/search/parse.h"
#include "query/search/stats.h"

/* ---- an opened index ---- */

struct bs_search {
	struct bs_snapshot snapshot;
	const struct bs_kernel *kernel;
	struct bs_query_field *fields; /* names of every field indexed, distinct */
	size_t n_fields;
	struct bs_dir dir;     /* of the index */
	uint64_t n_unfollowed; /* sources that bs_search_freshen was not to look at */
	uint64_t n_unread;     /* files, folders and sources that freshening could not look at: answers may be incomplete */
	uint32_t longest_field_bytes; /* of those that a query can mean */
	bool is_other_unicode; /* made with another ICU or Unicode version: its words are not today's, so only scan */
};

/* kernel_name: NULL for the best. consent is nullable. The caller's struct, which must stay where it is; release with
 * bs_search_deinit. Errors as bs_dir_open and bs_snapshot_open. */
enum bs_status bs_search_open(const char *path, const struct bs_consent *consent, const char *kernel_name, struct bs_search *search_out,
                              struct bs_error *err) BS_WARN_UNUSED;
/* Between opening and the first searcher: looks at every source, so that the answers are of now and not of the commit.
 * notice (nullable) is told of what cannot be read. Errors as bs_snapshot_freshen, after which only deinit. */
enum bs_status bs_search_freshen(struct bs_search *search, void (*notice)(void *context, const char *message),
                                 void *context, struct bs_error *err) BS_WARN_UNUSED;
void bs_search_deinit(struct bs_search *search);

/* ---- searching ---- */

enum bs_search_mode {
	BS_SEARCH_COUNT, /* only how many */
	BS_SEARCH_IDS,   /* every hit, in document order, not scored */
	BS_SEARCH_TOP,   /* the best k, scored */
};

struct bs_search_request {
	const uint8_t *text; /* the query */
	size_t text_bytes;
	enum bs_search_mode mode;
	size_t k;            /* BS_SEARCH_TOP */
	bool any;
	bool approx;         /* BS_SEARCH_TOP: verify only the candidates that look best; a notice says how many */
	bool brute;          /* no index: read every document */
	bool exhaustive;     /* BS_SEARCH_TOP: score every match by its text, where else bounds leave most of them unseen */
	bool explain;
	bool snippets;       /* BS_SEARCH_TOP: make them, with these marks around the words (nullable) */
	const char *mark_start;
	const char *mark_stop;
};

/* A hit as it is shown; everything borrowed until the callback returns. */
struct bs_search_hit {
	struct bs_doc_ref ref;
	size_t rank;         /* 1, 2, ... in BS_SEARCH_TOP; 0 otherwise */
	double score;
	const uint8_t *id;
	size_t id_bytes;
	const char *path;    /* where the text stands, openable from here; "-" for stored text */
	const uint8_t *snippet;
	size_t snippet_bytes;
};

/* Who is told. hit may be NULL (BS_SEARCH_COUNT); anything but BS_OK from it stops the search. */
struct bs_search_sink {
	void *context;
	enum bs_status (*hit)(void *context, const struct bs_search_hit *hit, struct bs_error *err);
	void (*notice)(void *context, const char *message); /* changed sources, ignored words; may be NULL */
	void (*explain)(void *context, const char *text, size_t text_bytes);
};

struct bs_searcher;
/* sink.notice is used for the life of the searcher. */
enum bs_status bs_searcher_new(const struct bs_search *search, const struct bs_search_sink *sink,
                               struct bs_searcher **searcher_out, struct bs_error *err) BS_WARN_UNUSED;
void bs_searcher_free(struct bs_searcher *searcher);

/*
 * Runs one query. stats_out gets this query's funnel; its `hits` is the exact count in every mode. *error_byte_out is
 * where in the query an error of BS_INVALID stands.
 */
enum bs_status bs_searcher_run(struct bs_searcher *searcher, const struct bs_search_request *request,
                               struct bs_query_stats *stats_out, size_t *error_byte_out, struct bs_error *err)
	BS_WARN_UNUSED;

/* Documents that could not be read so far, and sources that were not to be looked at: they may have matched, and the run should
 * end with an error. */
uint64_t bs_searcher_failures(const struct bs_searcher *searcher);

#endif
