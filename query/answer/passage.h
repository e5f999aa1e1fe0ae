/*
 * passage.h: where in a document words of a query stand: the windows of snippet.h as lines, columns and bytes of the file.
 */
#ifndef BS_QUERY_ANSWER_PASSAGE_H
#define BS_QUERY_ANSWER_PASSAGE_H

#include "core/bitsift/status.h"
#include "query/answer/snippet.h"

/* Of one document. Zero-initialise; reused. */
struct bs_passages {
	struct bs_buffer list; /* struct bs_passage each, in text order; where no word stands, one of the beginning */
	size_t best;           /* which of them */
	struct bs_buffer windows;
	struct bs_buffer text; /* their texts, one behind the other */
};
void bs_passages_deinit(struct bs_passages *passages);

/* Overwrites passages; the document is borrowed until they are no longer needed. Errors as those of bs_snippet_write. */
enum bs_status bs_passages_find(struct bs_passages *passages, const struct bs_document *document,
                                const struct bs_snippet_hit *hits, size_t n_hits, struct bs_error *err) BS_WARN_UNUSED;

#endif
