/* reading.h: how a query is read: by which analyzer, with which fields and stop words. Of an index, or as somebody says. */
#ifndef BS_QUERY_LANGUAGE_READING_H
#define BS_QUERY_LANGUAGE_READING_H

#include "core/text/words.h"
#include "query/language/parse.h"
#include "query/language/stop.h"
#include "query/search/index_handle.h"

struct bs_statistics;

/* One thread. Zero-initialise; release with bs_reading_deinit. */
struct bs_reading {
	const struct bs_index *index;     /* NULL: of none */
	struct bs_words *words;           /* the analyzer of documents */
	struct bs_words *words_unstemmed; /* NULL: words does not stem */
	bool splits;                      /* ... identifiers: in documents, not in queries */
	struct bs_stop stop;
	const struct bs_term_table *fields;
	uint32_t longest_field_bytes;
	bool has_file_names;
	const struct bs_statistics *statistics; /* whose fields are fields, too; NULL: none */
	struct bs_term_table joined;            /* the index's and theirs */
};

/* As of an index, or, if it is NULL, as words says, without fields. The index is borrowed. Fails as bs_words_new. */
enum bs_status bs_reading_init(struct bs_reading *reading, const struct bs_index *index, const struct bs_words_options *words,
                               struct bs_error *err) BS_WARN_UNUSED;
void bs_reading_deinit(struct bs_reading *reading);

/* The fields are those of a table, which is borrowed. */
void bs_reading_set_fields(struct bs_reading *reading, const struct bs_term_table *fields);

/* Before each query: takes the request's stop words, and its fields from the index and the request's statistics. BS_INVALID,
 * BS_NO_MEMORY. */
enum bs_status bs_reading_begin(struct bs_reading *reading, const struct bs_find_request *request,
                                struct bs_error *err) BS_WARN_UNUSED;

/* What bs_query_parse is to know; the rest is for the caller to set. */
struct bs_query_options bs_reading_options(struct bs_reading *reading);

/* What it asks for is in this field alone, and it names none. BS_NOT_FOUND: there is no such field. */
enum bs_status bs_reading_keep_to_field(struct bs_reading *reading, const char *name, struct bs_query_options *options,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* Parses by such options. As bs_query_parse. */
enum bs_status bs_reading_parse(struct bs_reading *reading, const char *query, size_t query_bytes,
                                const struct bs_query_options *options, struct bs_query_tree **query_out,
                                size_t *error_byte_out, struct bs_error *err) BS_WARN_UNUSED;

#endif
