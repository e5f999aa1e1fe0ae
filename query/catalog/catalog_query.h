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
	/* Available; otherwise its words do not count. */
	bool is_reached;
	/* The catalog can rule nothing out, because the index was made with other tokenizer rules
	 * or has no summary. */
	bool is_unknown;
	bool is_asked;          /* The index may match and is searched. */
	bool is_probed;         /* The index is opened although it cannot match. */
	struct bs_index *index; /* The opened index; NULL: not open. */
	enum bs_status status;  /* The status of opening the index. */
	struct bs_error why;
	struct bs_buffer notices; /* NUL-terminated lines, in the order of their arrival. */
};

struct bs_catalog_query {
	struct bs_catalog *catalog;
	const struct bs_search_request *find;
	bool is_scored;
	bool opens_all; /* Every index is asked. */
	struct bs_catalog_part *parts;
	size_t n_parts;
	struct bs_catalog_analysis *analyses;
	size_t n_analyses;
	/* The fields of records, among the names that the query may use as fields. */
	struct bs_term_table fields;
	struct bs_statistics
		/* The statistics of the indexes that are not open, and the fields of all indexes.
		 * NULL: every index is opened. */
		*others;
	bool has_fields; /* `others` has fields. */
	size_t error_byte;
};

/* If scores are compared or words are taken from documents, checks that all available indexes have
 * the same query analysis. BS_INVALID: they do not. */
enum bs_status bs_catalog_query_check(const struct bs_catalog_query *query,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* Parses the query as the available indexes will, and chooses the indexes to ask or to probe.
 * BS_INVALID: the query is invalid, or no index has values in the sort field. BS_CORRUPT,
 * BS_UNSUPPORTED, BS_NO_MEMORY. */
enum bs_status bs_catalog_query_choose(struct bs_catalog_query *query,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Sets `others` to the statistics of the indexes that are available and not open. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_catalog_query_count_others(struct bs_catalog_query *query,
                                             struct bs_error *err) BS_WARN_UNUSED;

/* Chooses indexes to probe because they may have words of the query that no open index has, or
 * similar words. If too many indexes may have a word, `others` counts one document for it, so that
 * the word does not seem to be missing. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_catalog_query_choose_like(struct bs_catalog_query *query,
                                            struct bs_error *err) BS_WARN_UNUSED;

/* Reports the notices about the query, if no index is opened that would report them. */
void bs_catalog_query_notices(const struct bs_catalog_query *query);

/* Releases everything but the parts. */
void bs_catalog_query_deinit(struct bs_catalog_query *query);
