/*
 * passage.h: where in a document words of a query stand: the windows of snippet.h as lines, columns
 * and bytes of the file.
 */
#pragma once

#include "core/base/vector.h"
#include "core/bitsift/search_result.h"
#include "query/answer/snippet.h"

BS_VECTOR(bs_passage_list, struct bs_passage);

/* Of one document. Zero-initialise; reused. */
struct bs_passages {
	/* in text order; of a document without words of the query, one of the beginning */
	struct bs_passage_list list;
	size_t best; /* the number in list of the passage that the snippet shows */
	struct bs_snippet_windows windows;
	struct bs_buffer text; /* of all passages, one after the other */
};
void bs_passages_deinit(struct bs_passages *passages);

/* Overwrites passages; the document is borrowed until they are no longer needed. Errors as those of
 * bs_snippet_write. */
enum bs_status bs_passages_find(struct bs_passages *passages, const struct bs_document *document,
                                const struct bs_word_hit *hits, size_t n_hits,
                                struct bs_error *err) BS_WARN_UNUSED;
