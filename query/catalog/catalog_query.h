/*
 * catalog_query.h: a query of a catalog under way, and what the catalog itself knows about it:
 * which indexes may match, and how frequent words are in those that need not be opened.
 * catalog_search.c opens the others and searches them as one list.
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
	const struct bs_catalog_analysis *analysis; /* NULL: unknown so far */
	bool is_reached;                            /* else no word of it counts */
	/* what the catalog has rules out nothing: the words are not today's, or there is no
	 * summary */
	bool is_unknown;
	bool is_asked;          /* it may match */
	bool is_probed;         /* it is opened although it cannot match */
	struct bs_index *index; /* NULL: not open */
	enum bs_status status;  /* of opening it */
	struct bs_error why;
	struct bs_buffer notices; /* NUL-ended, in the order in which they came */
};

struct bs_catalog_query {
	struct bs_catalog *catalog;
	const struct bs_search_request *find;
	bool is_scored;
	bool opens_all; /* every index is asked */
	struct bs_catalog_part *parts;
	size_t n_parts;
	struct bs_catalog_analysis *analyses;
	size_t n_analyses;
	struct bs_term_table fields; /* of records, of those that the query may name */
	struct bs_statistics
		/* of the indexes that are not open; the fields of all. NULL: every index is
		 * opened */
		*others;
	bool has_fields; /* the statistics name some */
	size_t error_byte;
};

/* Checks that the indexes that are reached read words alike, if that matters. BS_INVALID: they do
 * not. */
enum bs_status bs_catalog_query_check(const struct bs_catalog_query *query,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* Parses the query as the indexes that are reached will, and chooses those that are asked or
 * probed. BS_INVALID: it does not parse, or no index can be sorted so; BS_CORRUPT, BS_UNSUPPORTED,
 * BS_NO_MEMORY. */
enum bs_status bs_catalog_query_choose(struct bs_catalog_query *query,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Makes `others` the statistics of the indexes that are reached and not open. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_catalog_query_count_others(struct bs_catalog_query *query,
                                             struct bs_error *err) BS_WARN_UNUSED;

/* Chooses indexes that are to be probed because they may have words of the query that no open index
 * has, or words much like them. Of words that too many indexes may have, `others` counts a
 * document, so that they do not seem to be missing. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_catalog_query_choose_like(struct bs_catalog_query *query,
                                            struct bs_error *err) BS_WARN_UNUSED;

/* The notices about the query, where no index is opened that would report them. */
void bs_catalog_query_notices(const struct bs_catalog_query *query);

/* Releases all but the parts. */
void bs_catalog_query_deinit(struct bs_catalog_query *query);
