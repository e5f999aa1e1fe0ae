/*
 * statistics.h: how frequent the words of a query are in a collection. Part of the public interface; see bitsift.h. They are
 * gathered by bs_statistics_gather (bitsift/query.h) and used by bs_search and bs_query_score.
 */
#ifndef BITSIFT_STATISTICS_H
#define BITSIFT_STATISTICS_H

#include "host.h"

BS_BEGIN_DECLS

/*
 * What scores know of a collection: how many documents it has, of how many words in all, and in how many of them each word of a
 * query stands. One thread at a time may change it; any number may read it, several searches at once. It can be kept or
 * sent elsewhere by its parts, which are those that bs_statistics_set, _add_word and _add_field take.
 */
struct bs_statistics;

BS_API enum bs_status bs_statistics_new(struct bs_statistics **statistics_out, struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_statistics_free(struct bs_statistics *statistics);

/* Adds what another one has: of an index that was not gathered from already. BS_NO_MEMORY. */
BS_API enum bs_status bs_statistics_add(struct bs_statistics *statistics, const struct bs_statistics *other,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* Documents, deleted ones included that compaction has not removed; and their lengths in all. */
BS_API uint64_t bs_statistics_n_docs(const struct bs_statistics *statistics);
BS_API uint64_t bs_statistics_n_positions(const struct bs_statistics *statistics);
BS_API void bs_statistics_set(struct bs_statistics *statistics, uint64_t n_docs, uint64_t n_positions);

/* The i-th word, from 0, as indexes have it: folded, perhaps a stem. Any bytes, not NUL-ended; borrowed until the statistics
 * change. False: there are not so many. */
BS_API bool bs_statistics_word(const struct bs_statistics *statistics, size_t i, const char **word_out,
                               size_t *word_bytes_out, uint64_t *n_docs_out);
/* So many documents more have the word; with none, it is known. BS_INVALID (no bytes, or more than UINT32_MAX), BS_NO_MEMORY. */
BS_API enum bs_status bs_statistics_add_word(struct bs_statistics *statistics, const char *word, size_t word_bytes,
                                             uint64_t n_docs, struct bs_error *err) BS_WARN_UNUSED;

/* The i-th field that the query names, likewise: where one index knows it as one, it is one for all that are asked with these
 * statistics. kinds: of enum bs_field_kind, added up. Fails as bs_statistics_add_word; BS_UNSUPPORTED: unknown kinds. */
BS_API bool bs_statistics_field(const struct bs_statistics *statistics, size_t i, const char **name_out,
                                size_t *name_bytes_out, unsigned *kinds_out);
BS_API enum bs_status bs_statistics_add_field(struct bs_statistics *statistics, const char *name, size_t name_bytes,
                                              unsigned kinds, struct bs_error *err) BS_WARN_UNUSED;

BS_END_DECLS
#endif
