/* query_analysis.h: the analyzer, fields and stop words for parsing queries (query analysis). The
 * analyzer and the fields come from a list of indexes or from the caller; the stop words are chosen
 * for each query. */
#pragma once

#include "core/store/snapshot_list.h"
#include "core/text/tokenizer.h"
#include "query/language/parse.h"
#include "query/language/stop.h"
#include "query/statistics/corpus_statistics.h"

/* The fields that a query may use. */
struct bs_query_fields {
	const struct bs_term_table *names;
	/* length of the longest name that has at most BS_QUERY_MAX_FIELD_BYTES */
	uint32_t longest_bytes;
	bool has_file_names; /* `name:` also applies to files */
};

/* For one thread. Zero-initialise; release with bs_query_analysis_deinit. */
struct bs_query_analysis {
	const struct bs_snapshot_list *list; /* borrowed; NULL: no index */
	struct bs_tokenizer *tokenizer;      /* the analyzer of the documents */
	/* the analyzer without stemming; NULL: tokenizer does not stem */
	struct bs_tokenizer *words_unstemmed;
	/* the analyzer splits identifiers in documents; queries are parsed without splitting */
	bool splits;
	struct bs_stop stop;
	/* the fields of the current query; without a list, those set by the caller */
	struct bs_query_fields fields;
	/* The fields of all indexes of the list. bs_query_analysis_begin resets `fields` to
	 * them. */
	struct bs_query_fields of_list;
	struct bs_term_table listed; /* the field names of all snapshots, if there are several */
	/* the field names of the list and of the statistics, if the latter have more */
	struct bs_term_table joined;
	/* Queries may also use the fields that only these statistics have. NULL: none. */
	const struct bs_statistics *statistics;
};

/* Initialises the analysis with the analyzer of one entry of the list, and the fields of the whole
 * list. list is borrowed. Fails as bs_tokenizer_new. */
enum bs_status bs_query_analysis_init(struct bs_query_analysis *analysis,
                                      const struct bs_snapshot_list *list, uint32_t entry,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* True if the indexes of two list entries have equivalent analyzers. */
bool bs_query_analysis_is_alike(const struct bs_list_entry *a, const struct bs_list_entry *b);
/* Initialises the analysis without a list and without fields; the options determine the analyzer.
 * Fails as bs_tokenizer_new. */
enum bs_status bs_query_analysis_init_words(struct bs_query_analysis *analysis,
                                            const struct bs_tokenizer_options *words,
                                            struct bs_error *err) BS_WARN_UNUSED;
void bs_query_analysis_deinit(struct bs_query_analysis *analysis);

/* Sets the fields to the names of a table, which is borrowed. */
void bs_query_analysis_set_fields(struct bs_query_analysis *analysis,
                                  const struct bs_term_table *names);

/* Call before each query. Sets the stop words. With a list, also sets the fields: those of the list
 * and of the statistics (nullable). BS_INVALID: there is no list of stop words of that name.
 * BS_NO_MEMORY, or the failures of the tokenizer. */
enum bs_status bs_query_analysis_begin(struct bs_query_analysis *analysis,
                                       const struct bs_stop_choice *stop,
                                       const struct bs_statistics *statistics,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Returns the options of bs_query_parse that the analysis determines; the caller sets the
 * others. */
struct bs_query_options bs_query_analysis_options(struct bs_query_analysis *analysis);

/* Changes options so that the whole query is searched in one field and cannot name fields.
 * BS_NOT_FOUND: there is no such field. */
enum bs_status bs_query_analysis_keep_to_field(struct bs_query_analysis *analysis, const char *name,
                                               struct bs_query_options *options,
                                               struct bs_error *err) BS_WARN_UNUSED;

/* Parses a query with options made by bs_query_analysis_options. Fails as bs_query_parse. */
enum bs_status bs_query_analysis_parse(struct bs_query_analysis *analysis, const char *query,
                                       size_t query_bytes, const struct bs_query_options *options,
                                       struct bs_query_tree **query_out, size_t *error_byte_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Finds the possible field names in a query text before the fields are known, and adds them to
 * names: of each token, the text before each colon. joins: the name may contain earlier colons;
 * otherwise it begins after the previous colon. Call bs_icu_load first. BS_NO_MEMORY. */
enum bs_status bs_find_field_names(const uint8_t *text, size_t n_bytes, bool joins,
                                   struct bs_term_table *names,
                                   struct bs_error *err) BS_WARN_UNUSED;
