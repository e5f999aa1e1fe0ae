/* passage.h: the places of the query's words in a document: the windows of snippet.h as lines,
 * columns and bytes of the file. */
#pragma once

#include "core/base/vector.h"
#include "core/bitsift/search_result.h"
#include "query/answer/snippet.h"

BS_VECTOR(bs_passage_list, struct bs_passage);

/* The passages of one document. Zero-initialise; reusable. */
struct bs_passages {
	/* The passages in text order. A document without words of the query has one, at its
	 * beginning. */
	struct bs_passage_list list;
	size_t best; /* The index in `list` of the passage that the snippet shows. */
	struct bs_snippet_windows windows;
	struct bs_buffer text; /* The texts of all passages, one after the other. */
};
void bs_passages_deinit(struct bs_passages *passages);

/* Overwrites passages; the document is borrowed as long as they are used. Returns the failures of
 * bs_snippet_write. */
enum bs_status bs_passages_find(struct bs_passages *passages, const struct bs_document *document,
                                const struct bs_word_hit *hits, size_t n_hits,
                                struct bs_error *err) BS_WARN_UNUSED;
