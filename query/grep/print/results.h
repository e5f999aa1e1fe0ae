/*
 * results.h: --max-results and --after: how many of all results may be shown, and how many there
 * are. A result is a line that is found (with -U the lines of a match, or of matches that touch),
 * or a file where it is files that are told.
 *
 * A cursor is a place in the order of what is found, to go on behind it. PATH:LINE, the path as it
 * is shown and the last line of what was found there, 0 where the whole file is it; and #N behind
 * that where the same path may be shown of an earlier one of the paths searched than the N-th.
 *
 * A cursor is a place, not a memory: if files have changed, what comes behind that place now is
 * what a search goes on with, also if the file itself is gone.
 */
#pragma once

#include <stdatomic.h>

#include "core/base/vector.h"
#include "core/bitsift/grep_request.h"
#include "core/bitsift/status.h"
#include "query/grep/read/grep_source.h"

struct bs_resume_token {
	char *path;  /* NULL: there is no cursor */
	size_t root; /* as that of a file */
	uint64_t line;
	/* Set by whoever knows: files come in the order of paths, or in the reverse; else those up
	 * to the path are passed over as they come. */
	bool is_by_path, is_reversed;
	bool was_met; /* not by path: the file came */
};

/* There is a cursor: where the next file of a source lies: before the cursor's (negative), behind
 * it, or 0: that is it. */
int bs_resume_token_place(struct bs_resume_token *token, const struct bs_grep_file *file);

struct bs_results {
	const struct bs_grep_walk_options *walk;
	const char *name; /* nullable: what cursors begin with */
	struct bs_resume_token token;
	uint64_t most; /* UINT64_MAX: all */
	bool is_asked; /* there is a limit, or a cursor */
	bool are_files;
	atomic_bool is_full; /* the limit is reached: what comes now is only counted. Any thread */
	struct bs_grep_results told;
	struct bs_buffer last; /* the cursor behind the last one shown */
};

/* Release with bs_results_deinit, also after a failure. BS_INVALID: the cursor is none, or
 * lies below none of the paths searched. */
enum bs_status bs_results_init(struct bs_results *results, const struct bs_grep_request *request,
                               const struct bs_grep_walk_options *walk,
                               struct bs_error *err) BS_WARN_UNUSED;
void bs_results_deinit(struct bs_results *results);

/* Where a result begins in what a file prints, the lines around it included. */
struct bs_result_mark {
	size_t out_off;
	uint64_t last_line;
	unsigned long long matched_lines, matches; /* of the results before it */
};
BS_VECTOR(bs_result_marks, struct bs_result_mark);

/* n results, the next in order, of the file shown so, the first of them marked, unless results are
 * files: *n_shown_out of them may be shown. BS_NO_MEMORY. */
enum bs_status bs_results_take(struct bs_results *results, const char *shown, size_t root,
                               uint64_t n, const struct bs_result_mark *marks,
                               uint64_t *n_shown_out, struct bs_error *err) BS_WARN_UNUSED;

/* All was taken. BS_INVALID: the place of the cursor was not found. */
enum bs_status bs_results_finish(struct bs_results *results, struct bs_error *err) BS_WARN_UNUSED;
