/*
 * line_filter.h: finds the lines that a pattern may match, faster than PCRE2: by a rare sequence of
 * byte classes that each match contains (sequence_search.h), or by an automaton (automaton.h) for a
 * simpler pattern (query/regex/prefilter/byte_superset.h). A pattern that has neither has no
 * filter. PCRE2 decides on the lines found, unless the filter finds exactly the lines that match.
 *
 * Lines of ASCII have an automaton of their own, because it is up to twenty times as fast. The one
 * for other lines is built when such a line is met.
 */
#pragma once

#include "core/simd/kernels.h"
#include "query/regex/prefilter/byte_superset.h"

/* By default, an automaton is built after this much text was searched without one. Loading
 * Hyperscan and building take a few milliseconds, in which PCRE2 searches about as much. */
#define BS_LINE_FILTER_AFTER_BYTES ((uint64_t)1 << 20)

struct bs_line_filter;
struct bs_line_filter_scratch;

/* The length of the sequence of byte classes that a filter would look for in lines of ASCII; 0: it
 * would need an automaton. */
uint32_t bs_line_filter_sequence_bytes(const struct bs_regex *regex,
                                       const struct bs_byte_superset_options *options);

/* Makes the filter of a pattern. regex and kernel are borrowed. options: is_ascii is ignored.
 * *filter_out is NULL if the pattern has no filter. may_build: an automaton may be built at once;
 * otherwise only after the filter has scanned BS_LINE_FILTER_AFTER_BYTES, so that a pattern without
 * a sequence for lines of ASCII has no filter. A filter may be used by several threads.
 * BS_NO_MEMORY. */
enum bs_status bs_line_filter_new(const struct bs_regex *regex,
                                  const struct bs_byte_superset_options *options,
                                  const struct bs_kernel *kernel, bool may_build,
                                  struct bs_line_filter **filter_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_line_filter_free(struct bs_line_filter *filter);

/* Makes the state of one thread that uses a filter. BS_NO_MEMORY. */
enum bs_status bs_line_filter_scratch_new(struct bs_line_filter_scratch **scratch_out,
                                          struct bs_error *err) BS_WARN_UNUSED;
void bs_line_filter_scratch_free(struct bs_line_filter_scratch *scratch);
/* Forgets the text that was scanned. NULL is allowed. */
void bs_line_filter_scratch_reset(struct bs_line_filter_scratch *scratch);

/* A line that may match. */
struct bs_line_candidate {
	size_t place;    /* a position in the line */
	size_t line_end; /* offset after its line feed; the end of the text if it has none */
	bool is_sure;    /* it does match */
	/* a search by PCRE2 is faster here than the filter, because the piece of text has many ends
	 * of matches, or many lines with the sequence */
	bool is_dense;
};

/*
 * The first line in text[from..end) that may match; *found_out is false if there is none. from is
 * the start of a line and end the end of one. The text is scanned in pieces; the lines found in the
 * last piece are kept, so calls for increasing `from` scan each byte once. Call
 * bs_line_filter_scratch_reset before another text. Fails at the deadline.
 */
enum bs_status bs_line_filter_next(struct bs_line_filter *filter,
                                   struct bs_line_filter_scratch *scratch, const uint8_t *text,
                                   size_t from, size_t end, struct bs_line_candidate *candidate_out,
                                   bool *found_out, struct bs_error *err) BS_WARN_UNUSED;
