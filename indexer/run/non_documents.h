/*
 * non_documents.h: the manifest's list of files that are no documents, as a run makes it. Every search of the sources' files
 * looks through them.
 */
#ifndef BS_INDEXER_RUN_NON_DOCUMENTS_H
#define BS_INDEXER_RUN_NON_DOCUMENTS_H

#include "core/store/manifest.h"
#include "corpus/read/source.h"
#include "indexer/batch/accumulator.h"

/* Those of an analysed batch, which come in document order. BS_NO_MEMORY. */
enum bs_status bs_passed_over_add(struct bs_manifest *manifest, uint32_t source, const struct bs_term_batch *term_batch,
                                  struct bs_error *err) BS_WARN_UNUSED;

/*
 * Those of the source in the commit before that lie where the feed could not look (feed NULL: all) stay: they take their places
 * among what was found now, which stands in the list from byte `from` on. BS_NO_MEMORY.
 */
enum bs_status bs_passed_over_keep(struct bs_manifest *manifest, const struct bs_manifest *before, uint32_t source,
                                   const struct bs_feed *feed, size_t from, struct bs_error *err) BS_WARN_UNUSED;

#endif
