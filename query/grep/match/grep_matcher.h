/*
 * grep_matcher.h: the patterns, compiled by PCRE2 once and shared by threads, and the state of one
 * thread that matches with them.
 *
 * A pattern is compiled in several forms: for any text (UTF-8, Unicode properties; nothing matches
 * invalid bytes) and, if it provably finds the same in ASCII text, for ASCII text without all of
 * this, which is several times faster. In a further form no atom matches a line feed, so that a
 * search over many lines at once finds exactly the lines that match on their own. Another form
 * matches by bytes, as ripgrep does. pattern.c determines which of these forms exist.
 */
#pragma once

#include "core/bitsift/grep_request.h"
#include "core/simd/kernels.h"
#include "query/grep/match/text_lines.h"
#include "query/regex/pattern.h"

struct bs_grep_matcher;
struct bs_grep_scratch;

/* Compiles the patterns. analysis: of the same patterns. All arguments are borrowed until free.
 * BS_INVALID: a pattern does not compile; the message is one line with the position. */
enum bs_status bs_grep_matcher_new(const struct bs_grep_pattern *pattern,
                                   const struct bs_grep_analysis *analysis,
                                   const struct bs_kernel *kernel,
                                   struct bs_grep_matcher **matcher_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_matcher_free(struct bs_grep_matcher *matcher);

struct bs_grep_traits {
	/* The text is searched line by line: without -U, or if ripgrep's own engine would do so
	 * because the pattern cannot span lines. */
	bool by_line;
	/* if the patterns match the empty string, ripgrep, which matches by bytes, also finds it
	 * within a character */
	bool is_bare;
	bool looks_back; /* a match may look at lines before its line, as in rg -P */
};

const struct bs_grep_traits *bs_grep_matcher_traits(const struct bs_grep_matcher *matcher);

/* Describes for users, in one line, the filter that skips text before PCRE2 matches, and when it is
 * used; "" without a filter. May load Hyperscan, to name its version. */
void bs_grep_matcher_explain_filter(const struct bs_grep_matcher *matcher, char out[128]);

/* True if a line filter (line_filter.h) exists by now. */
bool bs_grep_matcher_has_filter(const struct bs_grep_matcher *matcher);

/* Describes for users, in one line, how the patterns are searched for. */
const char *bs_grep_matcher_plan(const struct bs_grep_matcher *matcher);

/* Makes the state of one thread that searches with the matcher, which must outlive it.
 * BS_NO_MEMORY. */
enum bs_status bs_grep_scratch_new(struct bs_grep_matcher *matcher,
                                   struct bs_grep_scratch **scratch_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_scratch_free(struct bs_grep_scratch *scratch);
/* Forgets what is cached of a text. Call before another text is searched, and after the bytes of
 * the text have moved. */
void bs_grep_scratch_reset(struct bs_grep_scratch *scratch);

/*
 * The first line in text[from..end) that matches; from is the start of a line and end the end of
 * one. *found_out is false if there is none. BS_UNSUPPORTED: a match exceeds PCRE2's limits; err
 * has the reason. Also fails when the deadline is over.
 */
enum bs_status bs_grep_next_line(struct bs_grep_scratch *scratch, const uint8_t *text, size_t from,
                                 size_t end, struct bs_grep_span *line_out, bool *found_out,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* True if the text is ASCII and this makes bs_grep_next_match faster. */
bool bs_grep_is_ascii(const struct bs_grep_scratch *scratch, const uint8_t *text, size_t n_bytes);
/* True if bs_grep_next_match, called with this `from` and later ones, searches text[0..n_bytes) by
 * bytes, so that a later `from` may be within a character. */
bool bs_grep_is_by_bytes(struct bs_grep_scratch *scratch, const uint8_t *text, size_t from,
                         size_t n_bytes);
/* The first match that starts at or after `from` in text[0..end); the match may look at all of this
 * text. is_ascii_text: the result of bs_grep_is_ascii() for the text; false is always correct.
 * Fails as bs_grep_next_line. */
enum bs_status bs_grep_next_match(struct bs_grep_scratch *scratch, const uint8_t *text, size_t from,
                                  size_t end, bool is_ascii_text, struct bs_grep_span *match_out,
                                  bool *found_out, struct bs_error *err) BS_WARN_UNUSED;

/* Appends the replacement for the last match found; in it, $1, $name and ${name} are groups. */
enum bs_status bs_grep_expand(struct bs_grep_scratch *scratch, const uint8_t *text,
                              const char *replacement, size_t replacement_bytes,
                              struct bs_buffer *out, struct bs_error *err) BS_WARN_UNUSED;
