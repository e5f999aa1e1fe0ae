/*
 * grep_pattern.h: what can be known of a pattern without matching it: how it is written for PCRE2, whether it can be
 * searched for over many lines at once, a literal that every match holds. Conservative: what is not understood is refused,
 * and the search is slower, never wrong.
 */
#ifndef BS_QUERY_GREP_PATTERN_H
#define BS_QUERY_GREP_PATTERN_H

#include <stdbool.h>

#include "core/buffer.h"
#include "core/status.h"
#include "core/needle.h"
#include "query/grep_options.h"

/* Why text must be looked at line by line, or need not. */
enum bs_grep_reach {
	BS_GREP_REACH_LINE,      /* only line by line */
	BS_GREP_REACH_CANDIDATE, /* a match in many lines tells where to look; the line is then matched alone */
	BS_GREP_REACH_EXACT,     /* the rewritten pattern finds the same over many lines */
};

struct bs_grep_analysis {
	struct bs_buffer joined;    /* the patterns as one, NUL-ended */
	struct bs_buffer rewritten; /* the same where no atom matches a line's end; empty unless reach is EXACT */
	struct bs_buffer literal;   /* stands in every match, its ASCII letters small; empty: none known */
	bool literal_is_match;      /* the literal, in the letter case that is wanted, is the whole of every match */
	struct bs_buffer exact_literal; /* literal_is_match: in its own letter case */
	bool is_caseless;
	bool is_ascii;         /* holds no byte from 0x80 on, and no \x{...} beyond */
	bool can_span_lines;   /* may match a line's end */
	bool has_assertion;    /* where it matches may depend on what stands around */
	enum bs_grep_reach reach;
};

/* Zero-initialise. BS_INVALID for a pattern that is not UTF-8. */
enum bs_status bs_grep_analyse(const struct bs_grep_pattern *pattern, struct bs_grep_analysis *analysis,
                               struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_analysis_deinit(struct bs_grep_analysis *analysis);

#endif
