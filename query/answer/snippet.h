/*
 * snippet.h: the pieces of a document that show why it was found. Presentation only: what a hit is,
 * the verifier has decided.
 */
#pragma once

#include "core/base/vector.h"
#include "corpus/walk/document.h"
#include "query/verify/match.h"

#define BS_SNIPPET_WIDTH 160 /* columns, unless told: two lines of a terminal */

/* hits[first..last], all of one field: words that stand close together. */
struct bs_snippet_window {
	size_t first;
	size_t last;
};

BS_VECTOR(bs_snippet_windows, struct bs_snippet_window);

enum bs_snippet_shape {
	BS_SNIPPET_JOINED = 0, /* one line: white space of any kind is one space */
	/* lines that are short enough are whole, with a line feed between and what they are
	 * indented by more than the least of them; empty ones are left out */
	BS_SNIPPET_LINES,
	/* one line, of no more text than the lines that the window's hits stand in */
	BS_SNIPPET_OWN_LINES,
};

struct bs_snippet_options {
	/* written before and after each hit, "\033[1m" and "\033[0m"; NULL: nothing */
	const char *mark_start;
	const char *mark_stop;
	/* wanted columns of a terminal, marks and "…" not counted; 0: BS_SNIPPET_WIDTH */
	uint32_t width;
	enum bs_snippet_shape shape;
	/* of the context, a third stands before the hits instead of half, and a long hit is not cut
	 * for it */
	bool favours_after;
};

/*
 * Appends windows, in text order, that have each hit once: as wide as options say at most, but for
 * a single hit, and of one line, but for what the line behind has of other elements. *best_out is
 * one that the snippet shows: with most distinct elements; of those, the first. BS_NO_MEMORY,
 * BS_UNSUPPORTED (no ICU).
 */
enum bs_status bs_snippet_windows(const struct bs_field *fields, size_t n_fields,
                                  const struct bs_word_hit *hits, size_t n_hits,
                                  const struct bs_snippet_options *options,
                                  struct bs_snippet_windows *windows, size_t *best_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

/*
 * Appends text without a line feed at its end: about options->width columns around the hits of the
 * window; window NULL: of the stretch that holds most distinct elements; of those, most hits; of
 * those, the earliest. Without hits: the beginning of the first field that has any text. Nothing is
 * appended if there is no text.
 *
 * The text is cut at word boundaries where there is one near, and always between what a reader
 * takes for characters (core/text/clusters.h), unless one is longer than the window; a cut is shown
 * as "…". White space is collapsed to single spaces, control characters and invalid UTF-8 become
 * U+FFFD: the text is valid UTF-8 that does nothing to a terminal. Hits that overlap or touch are
 * marked as one; one longer than the window is cut like any text.
 *
 * hits are in text order: by field, then start_byte; offsets past the text count as its end.
 * options may be NULL: no marks, usual width. The cost is linear in n_hits and the width, not in
 * the text. BS_NO_MEMORY, BS_UNSUPPORTED (no ICU).
 */
enum bs_status bs_snippet_write(const struct bs_field *fields, size_t n_fields,
                                const struct bs_word_hit *hits, size_t n_hits,
                                const struct bs_snippet_window *window,
                                const struct bs_snippet_options *options, struct bs_buffer *out,
                                struct bs_error *err) BS_WARN_UNUSED;

/*
 * The bytes of a field that show at most n_words words around the stretch that bs_snippet_write
 * chooses, measured in words instead of columns. Words are divided by white space; in scripts that
 * have none, two characters are one word. Without hits: the beginning of the first field. n_fields
 * > 0. BS_NO_MEMORY.
 */
enum bs_status bs_snippet_span(const struct bs_field *fields, size_t n_fields,
                               const struct bs_word_hit *hits, size_t n_hits, size_t n_words,
                               struct bs_word_hit *span_out, struct bs_error *err) BS_WARN_UNUSED;

/* The beginning of the first field that has any text, as a hit without bytes; false: there is none.
 * After bs_icu_load. */
bool bs_snippet_beginning(const struct bs_field *fields, size_t n_fields,
                          struct bs_word_hit *hit_out);
