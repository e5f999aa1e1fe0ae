/* snippet.h: makes snippets, the pieces of a document that show why it was found. The verifier has
 * already decided what matches. */
#pragma once

#include "core/base/vector.h"
#include "corpus/walk/document.h"
#include "query/verify/match.h"

#define BS_SNIPPET_WIDTH 160 /* The default width in columns: two lines of a terminal. */

/* hits[first..last], which are close together in one field. */
struct bs_snippet_window {
	size_t first;
	size_t last;
};

BS_VECTOR(bs_snippet_windows, struct bs_snippet_window);

enum bs_snippet_shape {
	BS_SNIPPET_JOINED = 0, /* One line; each run of white space becomes one space. */
	/* Separate lines, whole if they are short enough. Their common indentation is removed;
	 * blank lines are left out. */
	BS_SNIPPET_LINES,
	/* One line, with text only from the lines of the document that contain the hits shown. */
	BS_SNIPPET_OWN_LINES,
};

struct bs_snippet_options {
	/* Written before and after each hit, such as "\033[1m" and "\033[0m"; NULL: nothing. */
	const char *mark_start;
	const char *mark_stop;
	/* The width in terminal columns, not counting marks and "…"; 0: BS_SNIPPET_WIDTH. */
	uint32_t width;
	enum bs_snippet_shape shape;
	/* A third of the context is before the hits, instead of half, and a long hit is not cut to
	 * make room for context. */
	bool favours_after;
};

/* Divides the hits into windows, in text order, and appends these. A window is at most as wide as
 * the options say, unless it is a single hit. It ends with its line, unless the next hit belongs to
 * a query element (struct bs_word_hit) of which the window has no hit yet. *best_out: of the
 * windows within the stretch that the snippet shows (bs_snippet_write), the first with most
 * distinct query elements. BS_NO_MEMORY, BS_UNSUPPORTED (no ICU). */
enum bs_status bs_snippet_windows(const struct bs_field *fields, size_t n_fields,
                                  const struct bs_word_hit *hits, size_t n_hits,
                                  const struct bs_snippet_options *options,
                                  struct bs_snippet_windows *windows, size_t *best_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

/*
 * Appends text, without a line feed at its end: about options->width columns around the hits of the
 * window, or up to three times as many in short lines (BS_SNIPPET_LINES). window NULL: the stretch
 * of hits with most distinct query elements (struct bs_word_hit) is shown; among equals, the one
 * with most hits; among these, the first. Without hits: the beginning of the first field that has
 * text. Nothing is appended if there is no text.
 *
 * The text is cut at a word boundary if one is near, and always between characters as a reader sees
 * them (core/text/clusters.h), unless a character is longer than the window. A cut is shown as
 * "…". White space is collapsed to single spaces; control characters and invalid UTF-8 become
 * U+FFFD, so the text is valid UTF-8 and harmless to a terminal. Hits that overlap or touch are
 * marked as one. A hit longer than the window is cut like any text.
 *
 * hits are in text order: by field, then by start_byte. Offsets past the text count as its end.
 * options may be NULL: no marks, default width. The time is linear in n_hits and the width; only
 * the end of a line is searched farther (BS_SNIPPET_LINES). BS_NO_MEMORY, BS_UNSUPPORTED (no ICU).
 */
enum bs_status bs_snippet_write(const struct bs_field *fields, size_t n_fields,
                                const struct bs_word_hit *hits, size_t n_hits,
                                const struct bs_snippet_window *window,
                                const struct bs_snippet_options *options, struct bs_buffer *out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Sets *span_out to at most n_words words of a field, around the stretch that bs_snippet_write
 * would choose if the width were in words. ASCII white space ends a word, and so do two characters
 * from U+2000 on (Han, kana, Hangul, ...). Without hits: the beginning of the first field.
 * n_fields > 0. BS_NO_MEMORY. */
enum bs_status bs_snippet_span(const struct bs_field *fields, size_t n_fields,
                               const struct bs_word_hit *hits, size_t n_hits, size_t n_words,
                               struct bs_word_hit *span_out, struct bs_error *err) BS_WARN_UNUSED;

/* Sets *hit_out to an empty hit at the beginning of the first field that has text. False: no field
 * has text. bs_icu_load must have succeeded. */
bool bs_snippet_beginning(const struct bs_field *fields, size_t n_fields,
                          struct bs_word_hit *hit_out);
