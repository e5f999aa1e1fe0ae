/* collection_statistics.h: what the library itself asks of statistics (bitsift/statistics.h). */
#ifndef BS_QUERY_STATISTICS_COLLECTION_STATISTICS_H
#define BS_QUERY_STATISTICS_COLLECTION_STATISTICS_H

#include "core/base/error.h"
#include "core/bitsift/statistics.h"

struct bs_statistics_field {
	const uint8_t *name;
	uint32_t name_bytes;
	unsigned kinds; /* of enum bs_field_kind */
};

/* The i-th; false: there are not so many. */
bool bs_statistics_field_at(const struct bs_statistics *statistics, size_t i, struct bs_statistics_field *field_out);
bool bs_statistics_has_values(const struct bs_statistics *statistics, const uint8_t *name, uint32_t name_bytes);

/* In all so many documents have the word, whatever was added before. As bs_statistics_add_word. */
enum bs_status bs_statistics_set_word(struct bs_statistics *statistics, const uint8_t *word, uint32_t word_bytes, uint64_t n_docs,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* The mean length of a document. */
double bs_statistics_avgdl(const struct bs_statistics *statistics);

/* Whether they name the word. */
bool bs_statistics_has_word(const struct bs_statistics *statistics, const uint8_t *term, uint32_t term_bytes);

/* The idf of a word; one that is not named is in no document. BS_INVALID: it is in more documents than there are. */
enum bs_status bs_statistics_idf(const struct bs_statistics *statistics, const uint8_t *term, uint32_t term_bytes,
                                 double *idf_out, struct bs_error *err) BS_WARN_UNUSED;

/*
 * Counting the words of one index. An element of a query may stand for a word in several segments, and several elements for the
 * same word, which is counted once: bs_statistics_begin_index, then for each element bs_statistics_begin_element, then
 * bs_statistics_count for each segment that has a word of the element.
 */
void bs_statistics_begin_index(struct bs_statistics *statistics);
void bs_statistics_begin_element(struct bs_statistics *statistics);
/* Adds df documents for the element, unless another element of this index had the word. BS_NO_MEMORY. */
enum bs_status bs_statistics_count(struct bs_statistics *statistics, const uint8_t *term, size_t term_bytes, uint64_t df,
                                   struct bs_error *err) BS_WARN_UNUSED;

#endif
