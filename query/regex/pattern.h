/*
 * pattern.h: combines the patterns of a search and their options into one pattern, and derives what
 * can be known without matching: its text for PCRE2, whether many lines can be searched at once,
 * and a literal that every match contains. The analysis is conservative: where it does not know,
 * the search is slower, never wrong.
 */
#pragma once

#include "core/bitsift/grep_request.h"
#include "core/bitsift/status.h"
#include "query/regex/pattern_list.h"
#include "query/regex/regex_tree.h"
#include "query/regex/rust/rust_syntax.h"

/* The byte that ends a line. */
static inline uint8_t bs_grep_end_byte(const struct bs_grep_pattern *pattern)
{
	return pattern->null_data ? '\0' : '\n';
}

struct bs_grep_analysis {
	struct bs_buffer joined; /* the patterns joined by | */
	struct bs_regex regex;   /* read from `joined`, or borrowed */
	bool is_borrowed;
	/* `regex` describes what matches. False in two cases: a part of the pattern is matched by
	 * bytes (no_unicode, or (?-u) in Rust's syntax), and the pattern is not known to be ASCII;
	 * or no_unicode is set, and a part is matched by characters ((?u) in Rust's syntax). */
	bool is_legible;
	struct bs_buffer alone; /* the pattern for PCRE2, to match one line; NUL-terminated */
	/* the pattern to match many lines at once, if is_exact; NUL-terminated */
	struct bs_buffer many;
	bool is_exact; /* `many` finds the same lines as `alone` */
	/* a literal that every match contains, with ASCII letters in lower case; empty: none is
	 * known */
	struct bs_buffer literal;
	struct bs_buffer exact_literal; /* `literal` in its original letter case */
	/* every match is exact_literal and nothing else */
	bool literal_is_match;
	bool is_caseless;
	/* in ASCII text the pattern finds the same matches if it is compiled without Unicode
	 * options */
	bool is_ascii;
	/* With -U, ripgrep searches across lines for this pattern: a match may contain a line end,
	 * or the pattern has ^ or $. With --null-data: a match may contain a NUL byte. */
	bool can_span_lines;
	bool has_assertion; /* a match may depend on the text around it */
	/* The patterns are fixed strings or in Rust's syntax, of which `joined` is a translation.
	 * \w, \b and \s have the meaning that rust_words.h gives them. */
	bool is_rust;
	struct bs_rust_traits rust;
	/* `alone` is compiled without PCRE2_UTF */
	bool is_by_bytes;
	/* `alone` is correct for ASCII text only; other text needs bs_grep_write_bytes */
	bool needs_bytes;
	/* for text that is not UTF-8, bs_grep_write_bytes is correct, and `alone` may not be */
	bool sees_validity;
	bool strips_cr; /* see struct bs_rust_writer */
	struct bs_pattern_list list;
};

/* Analyses patterns in PCRE2's syntax, or fixed strings. Zero-initialise `analysis`; release it
 * with bs_grep_analysis_deinit, also after a failure. BS_INVALID: a pattern is not UTF-8.
 * BS_UNSUPPORTED: ICU is needed and missing. BS_NO_MEMORY. */
enum bs_status bs_grep_analyse(const struct bs_grep_pattern *pattern,
                               struct bs_grep_analysis *analysis,
                               struct bs_error *err) BS_WARN_UNUSED;
/* Like bs_grep_analyse, but without pattern->is_pcre2 the patterns are in the syntax of Rust's
 * regex crate (rust_syntax.h), as in ripgrep. bans_nul: no searched line has a NUL byte.
 * BS_INVALID also for any other error in a pattern. */
enum bs_status bs_grep_analyse_rust(const struct bs_grep_pattern *pattern, bool bans_nul,
                                    struct bs_grep_analysis *analysis,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Analyses a pattern that was already read or built. Only the options of `pattern` are used. regex
 * is borrowed. Fails as bs_grep_analyse. */
enum bs_status bs_grep_analyse_regex(const struct bs_grep_pattern *pattern,
                                     const struct bs_regex *regex,
                                     struct bs_grep_analysis *analysis,
                                     struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_analysis_deinit(struct bs_grep_analysis *analysis);

/* Appends a part of analysis->list, written for PCRE2 to match one line; NUL-terminated. */
enum bs_status bs_grep_write_part(const struct bs_grep_pattern *pattern,
                                  const struct bs_grep_analysis *analysis, uint32_t part,
                                  struct bs_buffer *text_out, struct bs_error *err) BS_WARN_UNUSED;

/* Appends the patterns written for PCRE2 without PCRE2_UTF, to match one line of any text;
 * NUL-terminated. calls: in a form that is slower to match, but shorter. Only for
 * analysis->is_rust. */
enum bs_status bs_grep_write_bytes(const struct bs_grep_pattern *pattern,
                                   const struct bs_grep_analysis *analysis, bool calls,
                                   struct bs_buffer *text_out, struct bs_error *err) BS_WARN_UNUSED;
