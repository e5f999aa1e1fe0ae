/* query_analysis.h: query analysis: the analyzer, fields and stop words with which queries are
 * read, for a list of indexes or as the caller sets them. */
#pragma once

#include "core/store/snapshot_list.h"
#include "core/text/tokenizer.h"
#include "query/language/parse.h"
#include "query/language/stop.h"
#include "query/statistics/corpus_statistics.h"

/* The fields that a query may use. */
struct bs_query_fields {
	const struct bs_term_table *names;
	uint32_t longest_bytes;
	bool has_file_names; /* `name:` also applies to files */
};

/* For one thread. Zero-initialise; release with bs_query_analysis_deinit. */
struct bs_query_analysis {
	const struct bs_snapshot_list *list; /* borrowed; NULL: no index */
	struct bs_tokenizer *tokenizer;      /* the analyzer of the documents */
	/* the analyzer without stemming; NULL: tokenizer does not stem */
	struct bs_tokenizer *words_unstemmed;
	bool splits; /* the analyzer splits identifiers: in documents, but not in queries */
	struct bs_stop stop;
	/* of the current query; without a list, as set by the caller */
	struct bs_query_fields fields;
	struct bs_query_fields of_list;
	struct bs_term_table listed; /* the field names of all snapshots, if there are several */
	struct bs_term_table joined; /* the field names of the list and of the statistics */
	const struct bs_statistics *statistics; /* its fields may be used, too; NULL: none */
};

/* Initialises it as an entry of the list reads queries, with the fields of the whole list. list is
 * borrowed. Fails as bs_tokenizer_new. */
enum bs_status bs_query_analysis_init(struct bs_query_analysis *reading,
                                      const struct bs_snapshot_list *list, uint32_t entry,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* True if two entries read queries in the same way. */
bool bs_query_analysis_is_alike(const struct bs_list_entry *a, const struct bs_list_entry *b);
/* Initialises it by the options, without fields. Fails as bs_tokenizer_new. */
enum bs_status bs_query_analysis_init_words(struct bs_query_analysis *reading,
                                            const struct bs_tokenizer_options *words,
                                            struct bs_error *err) BS_WARN_UNUSED;
void bs_query_analysis_deinit(struct bs_query_analysis *reading);

/* Sets the fields to the names of a table, which is borrowed. */
void bs_query_analysis_set_fields(struct bs_query_analysis *reading,
                                  const struct bs_term_table *names);

/* Call before each query. Takes the stop words, and the fields from the list and the statistics
 * (nullable). BS_INVALID: no such list of stop words. BS_NO_MEMORY. */
enum bs_status bs_query_analysis_begin(struct bs_query_analysis *reading,
                                       const struct bs_stop_choice *stop,
                                       const struct bs_statistics *statistics,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Returns the options of bs_query_parse that the analysis determines; the caller sets the
 * others. */
struct bs_query_options bs_query_analysis_options(struct bs_query_analysis *reading);

/* Changes options so that the whole query is in one field and cannot name fields. BS_NOT_FOUND:
 * there is no such field. */
enum bs_status bs_query_analysis_keep_to_field(struct bs_query_analysis *reading, const char *name,
                                               struct bs_query_options *options,
                                               struct bs_error *err) BS_WARN_UNUSED;

/* Parses a query with options made by bs_query_analysis_options. Fails as bs_query_parse. */
enum bs_status bs_query_analysis_parse(struct bs_query_analysis *reading, const char *query,
                                       size_t query_bytes, const struct bs_query_options *options,
                                       struct bs_query_tree **query_out, size_t *error_byte_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Adds the names in a query text that may be field names, before the fields are known: the text
 * before each colon, starting after the previous colon, or (joins) including it. Call bs_icu_load
 * first. BS_NO_MEMORY. */
enum bs_status bs_find_field_names(const uint8_t *text, size_t n_bytes, bool joins,
                                   struct bs_term_table *names,
                                   struct bs_error *err) BS_WARN_UNUSED;
