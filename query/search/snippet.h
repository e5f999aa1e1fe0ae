/*
 * snippet.h: the piece of a document that shows best why it was found. Presentation only: what a hit is, the verifier
 * has decided.
 */
#ifndef BS_QUERY_SEARCH_SNIPPET_H
#define BS_QUERY_SEARCH_SNIPPET_H

#include "core/base/buffer.h"
#include "corpus/walk/document.h"

#define BS_SNIPPET_WIDTH 160 /* characters, unless told: two lines of a terminal */

/* A word of the query as it stands in the text. */
struct bs_snippet_hit {
	uint32_t field;      /* index into the fields */
	uint32_t element;    /* index into the query's elements: small numbers, an array of the largest is made */
	uint64_t start_byte; /* as the analyzer gave them: [start_byte, end_byte) of the field's text */
	uint64_t end_byte;
};

struct bs_snippet_options {
	const char *mark_start; /* written before and after each hit, "\033[1m" and "\033[0m"; NULL: nothing */
	const char *mark_stop;
	uint32_t width; /* wanted characters, marks and "…" not counted; 0: BS_SNIPPET_WIDTH */
};

/*
 * Appends one line of text without a line feed: about options->width characters around the hits, from the stretch that
 * holds most distinct elements; of those, most hits; of those, the earliest. Without hits: the beginning of the first
 * field that has any text. Nothing is appended if there is no text.
 *
 * The text is cut at word boundaries where there is one near, and always between characters; a cut is shown as "…".
 * White space is collapsed to single spaces, control characters and invalid UTF-8 become U+FFFD: the line is valid
 * UTF-8 that does nothing to a terminal. Hits that overlap or touch are marked as one; one longer than the window is
 * cut like any text.
 *
 * hits are in text order: by field, then start_byte; offsets past the text count as its end. options may be NULL: no
 * marks, usual width. The cost is linear in n_hits and the width, not in the text. BS_NO_MEMORY, BS_UNSUPPORTED (no
 * ICU).
 */
enum bs_status bs_snippet_write(const struct bs_field *fields, size_t n_fields, const struct bs_snippet_hit *hits,
				size_t n_hits, const struct bs_snippet_options *options, struct bs_buffer *out,
				struct bs_error *err) BS_WARN_UNUSED;

#endif
