/* results.c: see results.h. */
#include "query/grep/print/results.h"

#include <string.h>

#include "core/bitsift/grep_request.h"

enum bs_status bs_results_init(struct bs_results *results, const struct bs_grep_request *request,
                               const struct bs_grep_walk_options *walk, struct bs_error *err)
{
	const struct bs_grep_output *output = &request->output;
	bool is_list = request->task == BS_GREP_LIST_FILES || request->task == BS_GREP_LIST_CANDIDATES;
	bool is_by_line = output->format == BS_GREP_LINES || output->format == BS_GREP_JSON;
	bool is_quiet = !is_list && output->format == BS_GREP_QUIET;
	*results = (struct bs_results){.walk = walk,
	                               .most = output->max_results && !is_quiet ? output->max_results : UINT64_MAX,
	                               .are_files = is_list || !(is_by_line || is_quiet)};
	results->is_asked = results->most != UINT64_MAX || output->cursor;
	results->name = output->cursor_name;
	const struct bs_grep_results *before = results->most != UINT64_MAX ? output->before_this : NULL;
	enum bs_status status = BS_OK;
	if (before) {
		results->told = (struct bs_grep_results){
			.n_shown = before->n_shown, .n_found = before->n_found, .n_files = before->n_files};
		atomic_store(&results->is_full, before->n_shown >= results->most);
	}
	if (before && before->last)
		status = bs_buffer_append(&results->last, before->last, strlen(before->last) + 1, err);
	if (status || !output->cursor)
		return status;
	status = bs_cursor_read(output->cursor, walk, &results->cursor, err);
	results->cursor.is_by_path = request->files.sort == BS_GREP_SORT_PATH;
	results->cursor.is_reversed = request->files.is_reversed;
	return status;
}

void bs_results_deinit(struct bs_results *results)
{
	bs_cursor_deinit(&results->cursor);
	bs_buffer_deinit(&results->last);
}

enum bs_status bs_results_take(struct bs_results *results, const char *shown, size_t root, uint64_t n,
                               const struct bs_result_mark *marks, uint64_t *n_shown_out, struct bs_error *err)
{
	struct bs_grep_results *told = &results->told;
	uint64_t n_left = results->most > told->n_shown ? results->most - told->n_shown : 0, n_shown = n < n_left ? n : n_left;
	told->n_found += n;
	told->n_files += n > 0;
	told->n_shown += n_shown;
	atomic_store(&results->is_full, told->n_shown >= results->most);
	*n_shown_out = n_shown;
	if (n_shown == 0)
		return BS_OK;
	uint64_t line = results->are_files ? 0 : marks[n_shown - 1].last_line;
	return bs_cursor_write(results->walk, results->name, shown, root, line, &results->last, err);
}

enum bs_status bs_results_finish(struct bs_results *results, struct bs_error *err)
{
	const struct bs_cursor *cursor = &results->cursor;
	struct bs_grep_results *told = &results->told;
	if (cursor->path && !cursor->is_by_path && !cursor->was_met)
		return bs_fail(err, BS_INVALID, "the cursor's file, %s, is not among those searched, and they are not "
		               "sorted by path: begin without a cursor", cursor->path);
	told->last = results->last.used_bytes > 0 ? (const char *)results->last.data : NULL;
	told->cursor = told->n_shown < told->n_found ? told->last : NULL;
	return BS_OK;
}
