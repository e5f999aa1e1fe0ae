/*
 * conditions.h: --and and --not: further patterns, which a line must match, too, or must not, to be
 * found; or a file, to be searched at all (--scope file; grep_run.c does that). Each is a pattern
 * by itself, meant as the first ones are: letter case (-S goes by each), -F, -w, -x, -U.
 */
#pragma once

#include "core/bitsift/grep_request.h"
#include "query/grep/match/grep_matcher.h"

struct bs_condition {
	struct bs_grep_pattern pattern; /* of this one text */
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

/* Reads those of the request, which is borrowed, as far as the index wants to know.
 * Zero-initialise; release with bs_conditions_deinit, also after a failure. Fails as
 * bs_grep_analyse. */
enum bs_status bs_conditions_read(const struct bs_grep_request *request,
                                  struct bs_conditions *conditions,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* Fails as bs_grep_matcher_new. */
enum bs_status bs_conditions_compile(struct bs_conditions *conditions,
                                     const struct bs_kernel *kernel,
                                     struct bs_error *err) BS_WARN_UNUSED;
void bs_conditions_deinit(struct bs_conditions *conditions);

/* What one thread asks with. The conditions must outlive it. */
struct bs_condition_asker {
	const struct bs_conditions *conditions;
	struct bs_grep_scratch **scratches; /* one a condition */
};

/* Of one condition at least. Release with bs_condition_asker_deinit, also after a failure; one that
 * is all zeros needs not. */
enum bs_status bs_condition_asker_init(struct bs_condition_asker *asker,
                                       const struct bs_conditions *conditions,
                                       struct bs_error *err) BS_WARN_UNUSED;
void bs_condition_asker_deinit(struct bs_condition_asker *asker);

/* Whether a line, or with -U the lines of a match, fulfil the conditions: looked at alone, as if
 * they were a text of their own. Fails as bs_grep_next_line. */
enum bs_status bs_conditions_hold(struct bs_condition_asker *asker, const uint8_t *lines,
                                  size_t n_bytes, bool *hold_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
