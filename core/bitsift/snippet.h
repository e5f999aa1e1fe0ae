/*
 * snippet.h: the part of a text that shows why a query matches it. Part of the public interface of libbitsift; the rules are
 * those of bitsift.h.
 */
#ifndef BITSIFT_SNIPPET_H
#define BITSIFT_SNIPPET_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bs_query_snippet_request {
	const char *mark_start; /* written before and after each word that matches; NULL: nothing */
	const char *mark_stop;
	uint32_t columns;       /* of a terminal, wanted; marks and "…" do not count. 0: 160 */
	bool favours_after;     /* a third of the context stands before the words, instead of half, and a long word is not cut for it */
	uint64_t reserved[7];
};

/* Borrowed until the query is asked again. */
struct bs_query_snippet {
	const char *text; /* UTF-8, not NUL-ended */
	size_t text_bytes;
	bool is_match;
	uint64_t reserved[5];
};

/*
 * The snippet that bs_find gives of a document of these texts, as the hit's: about so many columns around the words of the query, where most
 * of them stand close together, as one line; "…" where the text goes on. Of texts that do not match, the beginning. White space becomes one
 * space; what a terminal might obey, and invalid UTF-8, becomes U+FFFD. Fails as bs_query_match; BS_UNSUPPORTED: ICU cannot be loaded.
 */
BS_API enum bs_status bs_query_snippet(struct bs_query *query, const struct bs_text *texts, size_t n_texts,
                                       const struct bs_query_snippet_request *request, struct bs_query_snippet *snippet_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

#ifdef __cplusplus
}
#endif
#endif
