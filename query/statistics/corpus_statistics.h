/* corpus_statistics.h: the internal interface of statistics (public: bitsift/statistics.h). */
#pragma once

#include "core/base/error.h"
#include "core/bitsift/statistics.h"
#include "core/store/snapshot_list.h"

struct bs_statistics_field {
	const uint8_t *name;
	uint32_t name_bytes;
	unsigned kinds; /* The kinds of the field: bits of enum bs_field_kind. */
};

/* Finds the i-th field. Returns false if there are fewer. */
bool bs_statistics_field_at(const struct bs_statistics *statistics, size_t i,
                            struct bs_statistics_field *field_out);
/* Whether the statistics have the field, with numbers or dates in it. */
bool bs_statistics_has_values(const struct bs_statistics *statistics, const uint8_t *name,
                              uint32_t name_bytes);

/* Whether the statistics have the df of a word. */
bool bs_statistics_has_word(const struct bs_statistics *statistics, const uint8_t *term,
                            uint32_t term_bytes);

/* The number of documents that have a word; 0 if the statistics lack the word. */
uint64_t bs_statistics_df(const struct bs_statistics *statistics, const uint8_t *term,
                          uint32_t term_bytes);

/* The documents that scores are based on: those of a list, and those that statistics count. */
struct bs_corpus {
	/* The snapshots whose documents count; NULL: none. */
	const struct bs_snapshot_list *list;
	/* The statistics of other documents; NULL: none. */
	const struct bs_statistics *statistics;
};

/* The mean length of a document, in positions. */
double bs_corpus_avgdl(const struct bs_corpus *corpus);

/* Computes the idf of a word. df: the number of documents of the list that have it; ignored if
 * there is no list. BS_INVALID: df and the statistics together count more documents with the word
 * than there are; *idf_out is set even then. */
enum bs_status bs_corpus_idf(const struct bs_corpus *corpus, const uint8_t *term,
                             uint32_t term_bytes, uint64_t df, double *idf_out,
                             struct bs_error *err) BS_WARN_UNUSED;

/* These functions count the documents of one index that have the words of a query. An element of
 * the query may expand to the same word in several segments, and several elements may expand to the
 * same word, but each document must be counted once. Call bs_statistics_begin_index, then for each
 * element bs_statistics_begin_element, and then bs_statistics_count for each word of the element in
 * each segment. */
void bs_statistics_begin_index(struct bs_statistics *statistics);
void bs_statistics_begin_element(struct bs_statistics *statistics);
/* Adds df to the count of a word, unless another element has counted the word for this index.
 * BS_NO_MEMORY; BS_INVALID: the word is empty or has more than UINT32_MAX bytes. */
enum bs_status bs_statistics_count(struct bs_statistics *statistics, const uint8_t *term,
                                   size_t term_bytes, uint64_t df,
                                   struct bs_error *err) BS_WARN_UNUSED;
