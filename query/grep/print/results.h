/*
 * results.h: --max-results and --after: how many results may be shown, and how many there are. A
 * result is a found line (with -U the lines of a match, or of adjoining matches), or a file if the
 * output is about whole files.
 *
 * A resume token is a position in the order of results, after which a later search continues:
 * PATH:LINE, the path as printed and the last line of the result, 0 if the result is the whole
 * file. If an earlier path of the command line could lead to the same PATH, #N is appended: the
 * file belongs to the N-th path of the command line, counted from 1.
 *
 * A token is a position, not a snapshot: if files have changed, the later search continues with
 * what is after this position now, even if the file is gone.
 */
#pragma once

#include <stdatomic.h>

#include "core/base/vector.h"
#include "core/bitsift/grep_request.h"
#include "core/bitsift/status.h"
#include "query/grep/read/grep_source.h"

struct bs_resume_token {
	char *path;  /* NULL: there is no token */
	size_t root; /* as in struct bs_grep_file */
	uint64_t line;
	/* is_by_path: the source returns files in the order of paths, or with is_reversed in
	 * reverse order. Otherwise files are skipped until the token's file was seen. Set by
	 * bs_results_init. */
	bool is_by_path, is_reversed;
	bool was_met; /* without is_by_path: the token's file was seen */
};

/* Compares the position of `file`, the next file of a source, with that of the token's file:
 * negative if it is earlier, 0 if it is this file, positive if it is later. token->path must not be
 * NULL. */
int bs_resume_token_place(struct bs_resume_token *token, const struct bs_grep_file *file);

struct bs_results {
	const struct bs_grep_walk_options *walk;
	const char *name; /* prefix of tokens: the name of an index of a catalog; nullable */
	struct bs_resume_token token;
	uint64_t most; /* the limit of --max-results; UINT64_MAX: no limit */
	bool is_asked; /* there is a limit or a token */
	bool are_files;
	/* the limit is reached and further results are only counted; any thread may read it */
	atomic_bool is_full;
	struct bs_grep_results told;
	struct bs_buffer last; /* the token after the last result shown */
};

/* Reads the request's limit and resume token. Release with bs_results_deinit, also after a failure.
 * BS_INVALID: the token is invalid, or its path is below none of the paths searched.
 * BS_NO_MEMORY. */
enum bs_status bs_results_init(struct bs_results *results, const struct bs_grep_request *request,
                               const struct bs_grep_walk_options *walk,
                               struct bs_error *err) BS_WARN_UNUSED;
void bs_results_deinit(struct bs_results *results);

/* The start of a result, with the context before it, in the output of a file. */
struct bs_result_mark {
	size_t out_off;
	uint64_t last_line;
	unsigned long long matched_lines, matches; /* totals of the results before it */
};
BS_VECTOR(bs_result_marks, struct bs_result_mark);

/* Counts the next n results in order, all of the file `shown`. marks: one for each result that may
 * be shown; not used if results are files. *n_shown_out: how many of the results may be shown.
 * BS_NO_MEMORY. */
enum bs_status bs_results_take(struct bs_results *results, const char *shown, size_t root,
                               uint64_t n, const struct bs_result_mark *marks,
                               uint64_t *n_shown_out, struct bs_error *err) BS_WARN_UNUSED;

/* Sets the tokens in results->told. BS_INVALID: the token's file was not seen, and its place in the
 * order is unknown. */
enum bs_status bs_results_finish(struct bs_results *results, struct bs_error *err) BS_WARN_UNUSED;
