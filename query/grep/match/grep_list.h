/*
 * grep_list.h: a list of patterns (query/regex/pattern_list.h) that is matched without PCRE2 seeing
 * it as a whole.
 *
 * Where the list is literals and nothing else, a set of them finds the matches alone. If not, each
 * pattern is a code of its own: the set finds the literals that stand in a text, and the patterns
 * that need one of these are tried; the leftmost match counts, and of those that begin alike that
 * of the first pattern, as alternatives have it.
 */
#pragma once

#include "core/bitsift/grep_request.h"
#include "query/grep/match/grep_code.h"

struct bs_grep_list;
struct bs_grep_seeker;

/* Whether a set of literals alone finds what PCRE2 would. by_line: text is searched line by
 * line. */
bool bs_grep_list_is_literal(const struct bs_grep_pattern *pattern,
                             const struct bs_grep_analysis *analysis, bool by_line);
/* Whether one pattern for each part is better than one for all. */
bool bs_grep_list_is_long(const struct bs_grep_analysis *analysis);

/* pattern and analysis must outlive the list. is_literal: bs_grep_list_is_literal(). BS_INVALID for
 * a pattern that does not compile. */
enum bs_status bs_grep_list_new(const struct bs_grep_pattern *pattern,
                                const struct bs_grep_analysis *analysis, bool is_literal,
                                struct bs_grep_list **list_out,
                                struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_list_free(struct bs_grep_list *list);

/* Every match holds a literal of the set, which find_place finds. */
bool bs_grep_list_has_places(const struct bs_grep_list *list);
/* The next place where a literal begins, or end. */
size_t bs_grep_list_find_place(const struct bs_grep_list *list, const uint8_t *text, size_t from,
                               size_t end);
/* Whether some pattern matches nothing between two bytes that are no characters. */
bool bs_grep_list_is_bare(struct bs_grep_list *list);

/* One thread's own. list must outlive it. */
enum bs_status bs_grep_seeker_new(struct bs_grep_list *list, pcre2_match_context *context,
                                  struct bs_grep_seeker **seeker_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_seeker_free(struct bs_grep_seeker *seeker);
/* To be called before another text, or the next line, is searched. */
void bs_grep_seeker_reset(struct bs_grep_seeker *seeker);

/* The first match from `from` on in text[0..end), of which everything may be looked at; any: some
 * match will do, and no one will ask where it is. BS_UNSUPPORTED: it takes too long. */
enum bs_status bs_grep_seek(struct bs_grep_seeker *seeker, const uint8_t *text, size_t from,
                            size_t end, bool any, struct bs_grep_span *match_out, bool *found_out,
                            struct bs_error *err) BS_WARN_UNUSED;
/* Of the match found last: the group of that number, or of that name in its pattern (number < 0);
 * false: none. */
bool bs_grep_seeker_group(const struct bs_grep_seeker *seeker, long number, const char *name,
                          struct bs_grep_span *group_out);
