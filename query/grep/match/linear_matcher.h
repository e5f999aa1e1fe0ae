/*
 * linear_matcher.h: matches a line in time linear in its length, by RE2 (re2.h). PCRE2 backtracks,
 * which may take time polynomial or exponential in the length of the line, so RE2 takes long lines,
 * and the lines that PCRE2 gives up. Both find the same matches, except if a pattern repeats
 * something that may be empty. RE2 then finds those of Rust's engine, so it takes all lines.
 *
 * RE2 has no lookaround. Some patterns are therefore matched linearly only in lines of ASCII, such
 * as those with \b, and some not at all.
 */
#pragma once

#include "query/regex/pattern.h"

struct bs_linear_matcher;

/* Makes a matcher for the patterns. pattern and analysis are borrowed. by_line: lines are searched
 * one by one. *matcher_out is NULL if RE2 cannot or may not be used: without patterns, for patterns
 * of PCRE2's syntax, fixed strings, patterns with lookaround, back references or atomic groups,
 * without by_line, with crlf or null_data, and with BS_GREP_ENGINE_NEVER. RE2 itself is loaded, and
 * the patterns are compiled, when a line is first matched. BS_NO_MEMORY. */
enum bs_status bs_linear_matcher_new(const struct bs_grep_pattern *pattern,
                                     const struct bs_grep_analysis *analysis, bool by_line,
                                     struct bs_linear_matcher **matcher_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
void bs_linear_matcher_free(struct bs_linear_matcher *matcher);

/* Lines of at least this many bytes should be matched by RE2 without trying PCRE2; SIZE_MAX: none.
 * NULL is allowed. Becomes 0 after RE2 has decided on a line that PCRE2 gave up. */
size_t bs_linear_matcher_least(const struct bs_linear_matcher *matcher);

enum bs_linear_result {
	BS_LINEAR_NO_MATCH,
	BS_LINEAR_MATCH,
	BS_LINEAR_UNABLE, /* RE2 is missing or cannot match this line */
};

/* Matches text[0..end), a line without its line end or the beginning of one, from `from` on.
 * is_ascii: the text is ASCII. places_out: as in pcre2_get_ovector_pointer, n_groups pairs; without
 * groups, RE2 is faster. given_up: PCRE2 gave this line up, so it is not tried on later lines.
 * Thread-safe. */
enum bs_linear_result bs_linear_match(struct bs_linear_matcher *matcher, const uint8_t *text,
                                      size_t end, size_t from, bool is_ascii, bool given_up,
                                      size_t *places_out, size_t n_groups);

/* Loads RE2. False: it is missing. */
bool bs_linear_is_available(void);
