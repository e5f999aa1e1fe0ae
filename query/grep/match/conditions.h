/*
 * conditions.h: --and and --not: further patterns that a line must match, or must not match, to be
 * found. With --scope file they decide whether a file is searched at all (in grep_run.c). Each is a
 * pattern of its own with the options of the main patterns, such as -F, -w, -x and -U; -S decides
 * for each whether letter case is ignored.
 */
#pragma once

#include "core/bitsift/grep_request.h"
#include "query/grep/match/grep_matcher.h"

struct bs_condition {
	struct bs_grep_pattern pattern; /* the options of the request with this one text */
	const char *text;
	size_t text_bytes;
	bool is_not;
	struct bs_grep_analysis analysis;
	struct bs_grep_matcher *matcher; /* NULL: not compiled yet */
};

struct bs_conditions {
	struct bs_condition *list;
	size_t n;
	bool by_file;
};

/* Analyses the conditions of the request, which is enough to use an index. request is borrowed.
 * Zero-initialise `conditions`; release it with bs_conditions_deinit, also after a failure. Fails
 * as bs_grep_analyse_rust. */
enum bs_status bs_conditions_read(const struct bs_grep_request *request,
                                  struct bs_conditions *conditions,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* Compiles the conditions. Fails as bs_grep_matcher_new. */
enum bs_status bs_conditions_compile(struct bs_conditions *conditions,
                                     const struct bs_kernel *kernel,
                                     struct bs_error *err) BS_WARN_UNUSED;
void bs_conditions_deinit(struct bs_conditions *conditions);

struct bs_condition_state {
	struct bs_grep_scratch *scratch;
	/* no line that begins in [from, upto) matches, except that at `found`, if found < upto */
	size_t from, found, upto;
	size_t limit; /* where a search ends; at least upto */
};

/* The state of one thread that evaluates conditions. The conditions must outlive it. */
struct bs_condition_matcher {
	const struct bs_conditions *conditions;
	struct bs_condition_state *states; /* one for each condition */
};

/* Makes the state of one thread. conditions->n > 0. Release with bs_condition_asker_deinit, also
 * after a failure; a zero-initialised asker need not be released. BS_NO_MEMORY. */
enum bs_status bs_condition_asker_init(struct bs_condition_matcher *asker,
                                       const struct bs_conditions *conditions,
                                       struct bs_error *err) BS_WARN_UNUSED;
void bs_condition_asker_deinit(struct bs_condition_matcher *asker);

/* Forgets the text that was searched. */
void bs_conditions_reset(struct bs_condition_matcher *asker);

/* *hold_out: text[lines.start..lines.end), which is a line or, with -U, the lines of a match,
 * satisfies all conditions. end: lines.end, or the end of a later line. In the second case, `lines`
 * is one line, the lines after it up to `end` may be searched, too, and bs_conditions_reset must be
 * called before the text changes. Fails as bs_grep_next_line. */
enum bs_status bs_conditions_hold(struct bs_condition_matcher *asker, const uint8_t *text,
                                  struct bs_grep_span lines, size_t end, bool *hold_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
