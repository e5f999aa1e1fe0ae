/*
 * grep_list.h: matches a list of patterns (query/regex/pattern_list.h) without compiling it as one
 * pattern.
 *
 * If the list is only literals, a literal set finds the matches. Otherwise each pattern has its own
 * code: the set finds the literals in a text, and only patterns that need one of these, or whose
 * literals are not known, are tried. The leftmost match counts; of matches that begin at the same
 * position, that of the first pattern, as with alternatives.
 */
#pragma once

#include "core/bitsift/grep_request.h"
#include "query/grep/match/grep_code.h"

struct bs_grep_list;
struct bs_grep_list_scratch;

/* True if a set of literals finds the same matches as PCRE2. by_line: the text is searched line by
 * line. */
bool bs_grep_list_is_literal(const struct bs_grep_pattern *pattern,
                             const struct bs_grep_analysis *analysis, bool by_line);
/* True if a code for each pattern is faster than one code for all, because the list is long and
 * literals are known for each pattern. */
bool bs_grep_list_is_long(const struct bs_grep_analysis *analysis);

/* Compiles the patterns of a list. pattern and analysis must outlive the list. is_literal: the
 * result of bs_grep_list_is_literal(). BS_INVALID: a pattern does not compile. BS_NO_MEMORY. */
enum bs_status bs_grep_list_new(const struct bs_grep_pattern *pattern,
                                const struct bs_grep_analysis *analysis, bool is_literal,
                                struct bs_grep_list **list_out,
                                struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_list_free(struct bs_grep_list *list);

/* True if every match contains a literal that bs_grep_list_find_place finds. */
bool bs_grep_list_has_places(const struct bs_grep_list *list);
/* The next position at or after `from` where a literal of the list begins, or `end`. */
size_t bs_grep_list_find_place(const struct bs_grep_list *list, const uint8_t *text, size_t from,
                               size_t end);
/* True if a pattern matches the empty string between two invalid bytes. Not for lists of
 * literals. */
bool bs_grep_list_is_bare(struct bs_grep_list *list);

/* Makes the state of one thread that searches with the list, which must outlive it. context is
 * borrowed. BS_NO_MEMORY. */
enum bs_status bs_grep_seeker_new(struct bs_grep_list *list, pcre2_match_context *context,
                                  struct bs_grep_list_scratch **seeker_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_seeker_free(struct bs_grep_list_scratch *seeker);
/* Call before another text, or the next line, is searched. */
void bs_grep_seeker_reset(struct bs_grep_list_scratch *seeker);

/* Finds the first match at or after `from` in text[0..end). Lookbehind and lookahead may read all
 * of this text. any: only *found_out is needed, so any match is enough. BS_UNSUPPORTED: PCRE2
 * failed. */
enum bs_status bs_grep_list_find(struct bs_grep_list_scratch *seeker, const uint8_t *text,
                                 size_t from, size_t end, bool any, struct bs_grep_span *match_out,
                                 bool *found_out, struct bs_error *err) BS_WARN_UNUSED;
/* Returns a group of the last match found, by number or, if number < 0, by its name in the matched
 * pattern. False: there is no such group, or it did not match. */
bool bs_grep_seeker_group(const struct bs_grep_list_scratch *seeker, long number, const char *name,
                          struct bs_grep_span *group_out);
