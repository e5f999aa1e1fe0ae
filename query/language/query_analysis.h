/* query_analysis.h: query analysis: the analyzer, the fields and the stop words of a query, as a
 * list of indexes or the caller has them. */
#pragma once

#include "core/store/snapshot_list.h"
#include "core/text/tokenizer.h"
#include "query/language/parse.h"
#include "query/language/stop.h"
#include "query/statistics/corpus_statistics.h"

/* The fields that a query may name. */
struct bs_query_fields {
	const struct bs_term_table *names;
	uint32_t longest_bytes;
	bool has_file_names; /* `name:` asks for files, too */
};

/* One thread. Zero-initialise; release with bs_query_analysis_deinit. */
struct bs_query_analysis {
	const struct bs_snapshot_list *list;  /* NULL: no index */
	struct bs_tokenizer *tokenizer;       /* the analyzer of documents */
	struct bs_tokenizer *words_unstemmed; /* NULL: words does not stem */
	bool splits;                          /* ... identifiers: in documents, not in queries */
	struct bs_stop stop;
	/* of the query under way; without a list, as the caller says */
	struct bs_query_fields fields;
	struct bs_query_fields of_list;
	struct bs_term_table listed; /* the names of all snapshots, if there are several */
	struct bs_term_table joined; /* those of the list and of the statistics */
	const struct bs_statistics *statistics; /* whose fields are fields, too; NULL: none */
};

/* As an entry of a list reads queries, with the fields of the whole list, which is borrowed. Fails
 * as bs_tokenizer_new. */
enum bs_status bs_query_analysis_init(struct bs_query_analysis *reading,
                                      const struct bs_snapshot_list *list, uint32_t entry,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Whether two entries read queries in the same way. */
bool bs_query_analysis_is_alike(const struct bs_list_entry *a, const struct bs_list_entry *b);
/* As the options say, without fields. Fails as bs_tokenizer_new. */
enum bs_status bs_query_analysis_init_words(struct bs_query_analysis *reading,
                                            const struct bs_tokenizer_options *words,
                                            struct bs_error *err) BS_WARN_UNUSED;
void bs_query_analysis_deinit(struct bs_query_analysis *reading);

/* Makes the names of a table the fields; it is borrowed. */
void bs_query_analysis_set_fields(struct bs_query_analysis *reading,
                                  const struct bs_term_table *names);

/* Before each query: takes the stop words, and the fields from the list and the statistics (NULL:
 * none). BS_INVALID, BS_NO_MEMORY. */
enum bs_status bs_query_analysis_begin(struct bs_query_analysis *reading,
                                       const struct bs_stop_choice *stop,
                                       const struct bs_statistics *statistics,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* The options of bs_query_parse that follow from it; the others are for the caller to set. */
struct bs_query_options bs_query_analysis_options(struct bs_query_analysis *reading);

/* Changes options so that all of the query is in one field, and names none. BS_NOT_FOUND: there is
 * no such field. */
enum bs_status bs_query_analysis_keep_to_field(struct bs_query_analysis *reading, const char *name,
                                               struct bs_query_options *options,
                                               struct bs_error *err) BS_WARN_UNUSED;

/* Parses by such options. As bs_query_parse. */
enum bs_status bs_query_analysis_parse(struct bs_query_analysis *reading, const char *query,
                                       size_t query_bytes, const struct bs_query_options *options,
                                       struct bs_query_tree **query_out, size_t *error_byte_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Adds the names in a query text that may be those of fields, before it is known which fields there
 * are: the text before each colon, from the colon before it on or, with joins, over that colon.
 * Call bs_icu_load first. BS_NO_MEMORY. */
enum bs_status bs_find_field_names(const uint8_t *text, size_t n_bytes, bool joins,
                                   struct bs_term_table *names,
                                   struct bs_error *err) BS_WARN_UNUSED;
