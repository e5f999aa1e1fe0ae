/*
 * grep_matcher.h: the patterns, compiled by PCRE2 once and shared by threads, and what one thread
 * needs to match with them.
 *
 * Two codes are compiled of a pattern: one for any text (UTF-8, Unicode properties, invalid bytes
 * matched by nothing) and, where it provably finds the same in ASCII text, one without any of this,
 * which is several times faster. A third form is the pattern in which no atom can match a line
 * feed: then a search over many lines at once finds exactly the lines that match one by one. Which
 * of these exist is pattern.c's knowledge; the searcher sees only "the next line that matches".
 */
#pragma once

#include "core/bitsift/grep_request.h"
#include "core/simd/kernels.h"
#include "query/regex/pattern.h"

struct bs_grep_matcher;
struct bs_grep_scratch;

/* analysis, of the same pattern, and kernel are kept. BS_INVALID for a pattern that does not
 * compile: the message is one line with the place. */
enum bs_status bs_grep_matcher_new(const struct bs_grep_pattern *pattern,
                                   const struct bs_grep_analysis *analysis,
                                   const struct bs_kernel *kernel,
                                   struct bs_grep_matcher **matcher_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_matcher_free(struct bs_grep_matcher *matcher);

struct bs_grep_traits {
	/* text is to be searched line by line: no -U, or a pattern that cannot match a line's
	 * end */
	bool by_line;
	/* an empty match of the patterns is one at any place, whatever stands around */
	bool is_bare;
	bool looks_back; /* matches in a line may look at the lines before, as those of rg -P */
};

const struct bs_grep_traits *bs_grep_matcher_traits(const struct bs_grep_matcher *matcher);

/* A line for people: how the patterns are searched for. */
const char *bs_grep_matcher_plan(const struct bs_grep_matcher *matcher);

/* One thread's own. matcher must outlive it. */
enum bs_status bs_grep_scratch_new(struct bs_grep_matcher *matcher,
                                   struct bs_grep_scratch **scratch_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_scratch_free(struct bs_grep_scratch *scratch);
/* To be called before another text is searched. */
void bs_grep_scratch_reset(struct bs_grep_scratch *scratch);

/*
 * The first line in text[from..end) that matches, where from is the start of a line and end the end
 * of one. *found_out false if there is none. Fails when a match takes more than the limits:
 * BS_UNSUPPORTED, err saying so in a phrase.
 */
enum bs_status bs_grep_next_line(struct bs_grep_scratch *scratch, const uint8_t *text, size_t from,
                                 size_t end, struct bs_grep_span *line_out, bool *found_out,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* Whether text is ASCII and it is of use to know that. */
bool bs_grep_is_ascii(const struct bs_grep_scratch *scratch, const uint8_t *text, size_t n_bytes);
/* The first match that starts at or after from, in text[0..end), of which everything may be looked
 * at. is_ascii_text: what bs_grep_is_ascii() says of that; false is always right. */
enum bs_status bs_grep_next_match(struct bs_grep_scratch *scratch, const uint8_t *text, size_t from,
                                  size_t end, bool is_ascii_text, struct bs_grep_span *match_out,
                                  bool *found_out, struct bs_error *err) BS_WARN_UNUSED;

/* Appends the replacement of the match found last, in which $1, $name and ${name} stand for
 * groups. */
enum bs_status bs_grep_expand(struct bs_grep_scratch *scratch, const uint8_t *text,
                              const char *replacement, size_t replacement_bytes,
                              struct bs_buffer *out, struct bs_error *err) BS_WARN_UNUSED;

/* The end of the line that holds text[at], its line end included; end if it has none. */
size_t bs_grep_line_end(const uint8_t *text, size_t at, size_t end, uint8_t line_end);
/* The start of the line that holds text[at], not before from. */
size_t bs_grep_line_start(const uint8_t *text, size_t from, size_t at, uint8_t line_end);
