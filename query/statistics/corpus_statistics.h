/* corpus_statistics.h: what the library itself asks of statistics (bitsift/statistics.h). */
#pragma once

#include "core/base/error.h"
#include "core/bitsift/statistics.h"
#include "core/store/snapshot_list.h"

struct bs_statistics_field {
	const uint8_t *name;
	uint32_t name_bytes;
	unsigned kinds; /* of enum bs_field_kind */
};

/* The i-th; false: there are not so many. */
bool bs_statistics_field_at(const struct bs_statistics *statistics, size_t i,
                            struct bs_statistics_field *field_out);
bool bs_statistics_has_values(const struct bs_statistics *statistics, const uint8_t *name,
                              uint32_t name_bytes);

/* Whether they name the word. */
bool bs_statistics_has_word(const struct bs_statistics *statistics, const uint8_t *term,
                            uint32_t term_bytes);

/* The number of documents that have a word; 0 for a word that they do not name. */
uint64_t bs_statistics_df(const struct bs_statistics *statistics, const uint8_t *term,
                          uint32_t term_bytes);

/* The documents by which scores are computed: those of the list and those that the statistics
 * count, together. */
struct bs_corpus {
	const struct bs_snapshot_list *list;    /* NULL: none of them */
	const struct bs_statistics *statistics; /* NULL: none */
};

/* The mean length of a document. */
double bs_corpus_avgdl(const struct bs_corpus *collection);

/* The idf of a word that df documents of the list have. BS_INVALID: the statistics count more
 * documents with the word than there are. */
enum bs_status bs_corpus_idf(const struct bs_corpus *collection, const uint8_t *term,
                             uint32_t term_bytes, uint64_t df, double *idf_out,
                             struct bs_error *err) BS_WARN_UNUSED;

/*
 * Counting the words of one index. An element of a query may stand for a word in several segments,
 * and several elements for the same word, which is counted once: bs_statistics_begin_index, then
 * for each element bs_statistics_begin_element, then bs_statistics_count for each segment that has
 * a word of the element.
 */
void bs_statistics_begin_index(struct bs_statistics *statistics);
void bs_statistics_begin_element(struct bs_statistics *statistics);
/* Adds df documents for the element, unless another element of this index had the word.
 * BS_NO_MEMORY. */
enum bs_status bs_statistics_count(struct bs_statistics *statistics, const uint8_t *term,
                                   size_t term_bytes, uint64_t df,
                                   struct bs_error *err) BS_WARN_UNUSED;
