/*
 * pattern.h: the patterns of a search and how they are meant, as one pattern, and what can be known
 * of it without matching: how it is written for PCRE2, whether many lines can be searched at once,
 * a literal that every match holds. Conservative: where nothing is known the search is slower,
 * never wrong.
 */
#pragma once

#include "core/bitsift/grep_request.h"
#include "core/bitsift/status.h"
#include "query/regex/pattern_list.h"
#include "query/regex/regex_tree.h"

/* The byte that ends lines. */
static inline uint8_t bs_grep_end_byte(const struct bs_grep_pattern *pattern)
{
	return pattern->null_data ? '\0' : '\n';
}

struct bs_grep_analysis {
	struct bs_buffer joined; /* the patterns with | between */
	struct bs_regex regex;   /* read from that, or borrowed */
	bool is_borrowed;
	/* the tree describes what matches; else text and pattern are bytes that are not UTF-8 to
	 * it */
	bool is_legible;
	struct bs_buffer alone; /* for PCRE2, to match a line alone; NUL-ended */
	struct bs_buffer many;  /* to match many lines at once, if is_exact; NUL-ended */
	bool is_exact;          /* that finds the same */
	/* stands in every match, its ASCII letters small; empty: none known */
	struct bs_buffer literal;
	struct bs_buffer exact_literal; /* in its own letter case */
	/* the literal, in its own letter case, is the whole of every match */
	bool literal_is_match;
	bool is_caseless;
	bool is_ascii;       /* means the same without Unicode, in ASCII text */
	bool can_span_lines; /* may match a line's end */
	bool has_assertion;  /* where it matches may depend on what stands around */
	struct bs_pattern_list list;
};

/* Zero-initialise; release with bs_grep_analysis_deinit, also after a failure. BS_INVALID for a
 * pattern that is not UTF-8; BS_UNSUPPORTED: ICU is wanted, and is not there. */
enum bs_status bs_grep_analyse(const struct bs_grep_pattern *pattern,
                               struct bs_grep_analysis *analysis,
                               struct bs_error *err) BS_WARN_UNUSED;
/* The same of a pattern that has been read, or built, already. Of `pattern` the options count.
 * regex is borrowed. */
enum bs_status bs_grep_analyse_regex(const struct bs_grep_pattern *pattern,
                                     const struct bs_regex *regex,
                                     struct bs_grep_analysis *analysis,
                                     struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_analysis_deinit(struct bs_grep_analysis *analysis);

/* Appends a part of analysis->list as PCRE2 is given it to match a line alone; NUL-ended. */
enum bs_status bs_grep_write_part(const struct bs_grep_pattern *pattern,
                                  const struct bs_grep_analysis *analysis, uint32_t part,
                                  struct bs_buffer *text_out, struct bs_error *err) BS_WARN_UNUSED;
