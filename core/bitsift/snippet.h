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

/* Bytes of a text that are shown. */
struct bs_query_span {
	size_t text; /* which of the texts */
	size_t start_byte;
	size_t stop_byte;
	uint64_t reserved[5];
};

/*
 * For a host that shows text verbatim, and counts words: at most so many words where most of the places stand close together, chosen as
 * bs_query_snippet does. Room that is left is divided between before and after. places: those of bs_query_match of these texts, or the
 * places of one of them; without places, the span is the beginning of the first text. Words are divided by white space; in scripts that
 * have none, two characters count as one. Nothing that a reader takes for one character is cut. BS_NO_MEMORY.
 */
BS_API enum bs_status bs_query_span(const struct bs_text *texts, size_t n_texts, const struct bs_query_place *places, size_t n_places,
                                    uint32_t n_words, struct bs_query_span *span_out, struct bs_error *err) BS_WARN_UNUSED;

#ifdef __cplusplus
}
#endif
#endif
