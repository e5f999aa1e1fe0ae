/*
 * catalog_query.h: the part of a catalog query that needs no open index: which indexes may match,
 * and how frequent the words are in indexes that need not be opened. catalog_search.c opens the
 * others and searches them as one list.
 */
#pragma once

#include "core/bitsift/search.h"
#include "query/catalog/catalog_handle.h"
#include "query/language/query_analysis.h"
#include "query/search/index_handle.h"

struct bs_catalog_analysis;

/* An index of the catalog. */
struct bs_catalog_part {
	struct bs_catalog_item *item;
	/* Its query analysis; NULL: not determined yet. */
	const struct bs_catalog_analysis *analysis;
	/* The index is available. Otherwise its dfs do not count for scores. */
	bool is_reached;
	/* The catalog cannot rule the index out, because the index has other tokenizer rules or no
	 * summary. */
	bool is_unknown;
	/* The index is searched, because it may match or because opens_all is set. */
	bool is_asked;
	/* Opened for its dfs, for similar words, or to look for the request's filter.places in it,
	 * even if it cannot match. */
	bool is_probed;
	struct bs_index *index;   /* The opened index; NULL: not open. */
	enum bs_status status;    /* The status of opening the index. */
	struct bs_error why;      /* The error, if opening the index failed. */
	struct bs_buffer notices; /* NUL-terminated lines, in the order of their arrival. */
};

struct bs_catalog_query {
	struct bs_catalog *catalog;
	const struct bs_search_request *find; /* The caller's request. */
	bool is_scored;                       /* Hits are ordered by score. */
	bool opens_all;                       /* Every index is searched. */
	struct bs_catalog_part *parts;
	size_t n_parts;
	struct bs_catalog_analysis *analyses;
	size_t n_analyses;
	/* The names in the query, and of the sort field, that are fields of records in some
	 * index. */
	struct bs_term_table fields;
	/* The statistics of the indexes that are not open, and the fields of all indexes. NULL:
	 * every index is opened. */
	struct bs_statistics *others;
	bool has_fields;   /* `others` has fields. */
	size_t error_byte; /* For BS_INVALID, the place of the error in the query, or SIZE_MAX. */
};

/* Scores and words taken from documents can be compared only between indexes with the same query
 * analysis. If the query needs that, checks that all available indexes have the same. BS_INVALID:
 * they do not. */
enum bs_status bs_catalog_query_check(const struct bs_catalog_query *query,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* Parses the query as the available indexes will, and chooses the indexes to search (is_asked) and
 * those to open for other reasons (is_probed). BS_INVALID: the query is invalid, or no index has
 * values in the sort field. BS_CORRUPT, BS_UNSUPPORTED, BS_NO_MEMORY. */
enum bs_status bs_catalog_query_choose(struct bs_catalog_query *query,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Sets `others` to the statistics of the indexes that are available and not open. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_catalog_query_count_others(struct bs_catalog_query *query,
                                             struct bs_error *err) BS_WARN_UNUSED;

/* Chooses indexes to probe for suggestions: those that may have a word of the query, or similar
 * words. Does so for the first few words that may be missing from all indexes. For words that an
 * index is known to have, or that too many indexes may have, `others` counts one document, so that
 * they do not seem to be missing. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_catalog_query_choose_like(struct bs_catalog_query *query,
                                            struct bs_error *err) BS_WARN_UNUSED;

/* Reports the notices of the query's parser. Call this only if no index is searched; otherwise the
 * search reports them. */
void bs_catalog_query_notices(const struct bs_catalog_query *query);

/* Releases everything but the parts. */
void bs_catalog_query_deinit(struct bs_catalog_query *query);
