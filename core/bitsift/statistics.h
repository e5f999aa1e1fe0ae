/*
 * statistics.h: document frequencies of the words of a query. Part of the public interface; see
 * bitsift.h. bs_statistics_gather (bitsift/query.h) collects them from indexes; bs_search and
 * bs_query_score use them.
 */
#ifndef BITSIFT_STATISTICS_H
#define BITSIFT_STATISTICS_H

#include "host.h"

BS_BEGIN_DECLS

/*
 * The numbers that scores depend on: the number of documents, the sum of their lengths, and the
 * document frequency of each word of a query. The statistics are changed by one thread at a time,
 * but any number of threads and searches may read them at once. Their parts can be stored or sent
 * elsewhere, and put together again by bs_statistics_set, bs_statistics_add_word and
 * bs_statistics_add_field.
 */
struct bs_statistics;

/* Creates empty statistics; free them with bs_statistics_free. BS_NO_MEMORY: *statistics_out is
 * NULL. */
BS_API enum bs_status bs_statistics_new(struct bs_statistics **statistics_out,
                                        struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_statistics_free(struct bs_statistics *statistics);

/* Adds the numbers of `other`. An index must not be counted in both. BS_NO_MEMORY. */
BS_API enum bs_status bs_statistics_add(struct bs_statistics *statistics,
                                        const struct bs_statistics *other,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* Return the number of documents, including deleted documents that compaction has not removed, and
 * the sum of their lengths in words. bs_statistics_set replaces both numbers. */
BS_API uint64_t bs_statistics_n_docs(const struct bs_statistics *statistics);
BS_API uint64_t bs_statistics_n_positions(const struct bs_statistics *statistics);
BS_API void bs_statistics_set(struct bs_statistics *statistics, uint64_t n_docs,
                              uint64_t n_positions);

/* Returns word i, from 0, in its indexed form (folded, perhaps stemmed), and its document
 * frequency. The word is any bytes, not NUL-ended, borrowed until the statistics change. False:
 * there are fewer words. */
BS_API bool bs_statistics_word(const struct bs_statistics *statistics, size_t i,
                               const char **word_out, size_t *word_bytes_out, uint64_t *n_docs_out);
/* Adds n_docs to the document frequency of a word, and adds the word if it is new, even if n_docs
 * is 0. BS_INVALID (an empty word, or one of more than UINT32_MAX bytes), BS_NO_MEMORY. */
BS_API enum bs_status bs_statistics_add_word(struct bs_statistics *statistics, const char *word,
                                             size_t word_bytes, uint64_t n_docs,
                                             struct bs_error *err) BS_WARN_UNUSED;

/* Returns field i, from 0, of the fields that the query names. If one index has the field, every
 * search with these statistics takes its name as that of a field. kinds: flags of enum
 * bs_field_kind. False: there are fewer fields. */
BS_API bool bs_statistics_field(const struct bs_statistics *statistics, size_t i,
                                const char **name_out, size_t *name_bytes_out, unsigned *kinds_out);
/* Adds a field. Fails as bs_statistics_add_word; BS_UNSUPPORTED: unknown kinds. */
BS_API enum bs_status bs_statistics_add_field(struct bs_statistics *statistics, const char *name,
                                              size_t name_bytes, unsigned kinds,
                                              struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
