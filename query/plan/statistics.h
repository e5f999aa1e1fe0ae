/* statistics.h: what scores know of a collection (bitsift/query.h) from within. */
#ifndef BS_QUERY_PLAN_STATISTICS_H
#define BS_QUERY_PLAN_STATISTICS_H

#include "core/bitsift/query.h"
#include "query/language/parse.h"

struct bs_statistics_field {
	const uint8_t *name;
	uint32_t name_bytes;
	unsigned kinds; /* of enum bs_field_kind */
};

/* The i-th; false: there are not so many. */
bool bs_statistics_field_at(const struct bs_statistics *statistics, size_t i, struct bs_statistics_field *field_out);
bool bs_statistics_has_values(const struct bs_statistics *statistics, const uint8_t *name, uint32_t name_bytes);

/* Adds what a query may name as fields: what stands before a colon, from the one before it on or, with joins, over it. After bs_icu_load.
 * BS_NO_MEMORY. */
enum bs_status bs_statistics_find_names(const uint8_t *text, size_t n_bytes, bool joins, struct bs_term_table *names,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* In all so many documents have the word, whatever was added before. As bs_statistics_add_word. */
enum bs_status bs_statistics_set_word(struct bs_statistics *statistics, const uint8_t *word, uint32_t word_bytes, uint64_t n_docs,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* The mean length of a document. */
double bs_statistics_avgdl(const struct bs_statistics *statistics);

/* Whether they have what scores of a query need. BS_INVALID: they do not name one of its plain words that scores. */
enum bs_status bs_statistics_check(const struct bs_statistics *statistics, const struct bs_query_tree *query,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Of a word; one that is not named is in no document. BS_INVALID: it is in more documents than there are. */
enum bs_status bs_statistics_idf(const struct bs_statistics *statistics, const uint8_t *term, uint32_t term_bytes,
                                 double *idf_out, struct bs_error *err) BS_WARN_UNUSED;

#endif
