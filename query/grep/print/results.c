/* results.c: see results.h. */
#include "query/grep/print/results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bitsift/grep_request.h"
#include "core/store/doc_order.h"
#include "query/regex/text.h"

/* True if a file below the command-line path number `root` may be printed with this path. */
static bool may_show(const struct bs_grep_walk_options *walk, size_t root, const char *path)
{
	const char *named = walk->paths[root];
	size_t n = strlen(named);
	if (walk->is_default_path)
		return true;
	if (strcmp(named, "-") == 0)
		return strcmp(path, "<stdin>") == 0;
	if (strncmp(path, named, n) != 0)
		return false;
	return path[n] == '\0' || path[n] == '/' || (n > 0 && named[n - 1] == '/');
}

static size_t first_root(const struct bs_grep_walk_options *walk, const char *path)
{
	size_t root = 0;
	while (root < walk->n_paths && !may_show(walk, root, path))
		root++;
	return root;
}

/* Removes a number at the end of text[0..*n), and the character `mark` before it. False: the text
 * does not end like this. */
static bool cut_number(const char *text, size_t *n, char mark, uint64_t *number_out)
{
	size_t at = *n;
	while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
		at--;
	errno = 0;
	*number_out = at < *n ? strtoull(text + at, NULL, 10) : 0;
	if (at == *n || at < 2 || text[at - 1] != mark || errno)
		return false;
	*n = at - 1;
	return true;
}

static enum bs_status read_token(const char *text, const struct bs_grep_walk_options *walk,
                                 struct bs_resume_token *cursor_out, struct bs_error *err)
{
	size_t n = strlen(text), n_of_root = n;
	uint64_t root = 0, line = 0;
	*cursor_out = (struct bs_resume_token){.path = NULL};
	if (cut_number(text, &n_of_root, '#', &root) && cut_number(text, &n_of_root, ':', &line))
		n = n_of_root;
	else if (cut_number(text, &n, ':', &line))
		root = 0;
	else
		return bs_fail(err, BS_INVALID, "'%s' is not a cursor: a cursor is PATH:LINE",
		               text);
	cursor_out->path = strndup(text, n);
	if (!cursor_out->path)
		return bs_fail_memory(err, "a cursor", n);
	cursor_out->line = line;
	cursor_out->root = root > 0 ? (size_t)root - 1 : first_root(walk, cursor_out->path);
	if (cursor_out->root < walk->n_paths && may_show(walk, cursor_out->root, cursor_out->path))
		return BS_OK;
	return bs_fail(err, BS_INVALID,
	               "the cursor '%s' lies below none of the paths that are searched", text);
}

int bs_resume_token_place(struct bs_resume_token *token, const struct bs_grep_file *file)
{
	if (token->is_by_path && file->root != token->root)
		return file->root < token->root ? -1 : 1;
	int order = bs_compare_paths((const uint8_t *)file->shown, strlen(file->shown),
	                             (const uint8_t *)token->path, strlen(token->path));
	if (token->is_by_path)
		return token->is_reversed ? -order : order;
	bool is_it = order == 0 && file->root == token->root, was_met = token->was_met;
	token->was_met |= is_it;
	return is_it ? 0 : was_met ? 1 : -1;
}

/* Sets results->last to the resume token that continues after a line of a file. */
static enum bs_status write_token(struct bs_results *results, const char *shown, size_t root,
                                  uint64_t line, struct bs_error *err)
{
	char number[64];
	int n = snprintf(number, sizeof(number), ":%llu", (unsigned long long)line);
	if (first_root(results->walk, shown) < root)
		n += snprintf(number + n, sizeof(number) - (size_t)n, "#%zu", root + 1);
	struct bs_text_writer to = {.out = &results->last, .err = err};
	bs_buffer_clear(to.out);
	bs_text_put_string(&to, results->name ? results->name : "");
	bs_text_put_string(&to, results->name ? ":" : "");
	bs_text_put_string(&to, shown);
	bs_text_put(&to, number, (size_t)n + 1);
	return to.status;
}

enum bs_status bs_results_init(struct bs_results *results, const struct bs_grep_request *request,
                               const struct bs_grep_walk_options *walk, struct bs_error *err)
{
	const struct bs_grep_output *output = &request->output;
	bool is_list =
		request->task == BS_GREP_LIST_FILES || request->task == BS_GREP_LIST_CANDIDATES;
	bool is_by_line = output->format == BS_GREP_LINES || output->format == BS_GREP_JSON;
	bool is_quiet = !is_list && output->format == BS_GREP_QUIET;
	*results = (struct bs_results){
		.walk = walk,
		.most = output->max_results && !is_quiet ? output->max_results : UINT64_MAX,
		.are_files = is_list || !(is_by_line || is_quiet)};
	results->is_asked = results->most != UINT64_MAX || output->resume_token;
	results->name = output->resume_name;
	const struct bs_grep_results *before =
		results->most != UINT64_MAX ? output->before_this : NULL;
	enum bs_status status = BS_OK;
	if (before) {
		results->told = (struct bs_grep_results){.n_shown = before->n_shown,
		                                         .n_found = before->n_found,
		                                         .n_files = before->n_files};
		atomic_store(&results->is_full, before->n_shown >= results->most);
	}
	if (before && before->last_token)
		status = bs_buffer_append(&results->last, before->last_token,
		                          strlen(before->last_token) + 1, err);
	if (status || !output->resume_token)
		return status;
	status = read_token(output->resume_token, walk, &results->token, err);
	/* In reverse order, the files of several paths may be mixed. */
	results->token.is_by_path = request->files.sort == BS_GREP_SORT_PATH &&
	                            (walk->n_paths == 1 || !request->files.is_reversed);
	results->token.is_reversed = request->files.is_reversed;
	return status;
}

void bs_results_deinit(struct bs_results *results)
{
	free(results->token.path);
	bs_buffer_deinit(&results->last);
}

enum bs_status bs_results_take(struct bs_results *results, const char *shown, size_t root,
                               uint64_t n, const struct bs_result_mark *marks,
                               uint64_t *n_shown_out, struct bs_error *err)
{
	struct bs_grep_results *told = &results->told;
	uint64_t n_left = results->most > told->n_shown ? results->most - told->n_shown : 0,
		 n_shown = n < n_left ? n : n_left;
	told->n_found += n;
	told->n_files += n > 0;
	told->n_shown += n_shown;
	atomic_store(&results->is_full, told->n_shown >= results->most);
	*n_shown_out = n_shown;
	if (n_shown == 0)
		return BS_OK;
	uint64_t line = results->are_files ? 0 : marks[n_shown - 1].last_line;
	return write_token(results, shown, root, line, err);
}

enum bs_status bs_results_finish(struct bs_results *results, struct bs_error *err)
{
	const struct bs_resume_token *token = &results->token;
	struct bs_grep_results *told = &results->told;
	if (token->path && !token->is_by_path && !token->was_met)
		return bs_fail(
			err, BS_INVALID,
			"the cursor's file, %s, is not among the files searched, and its place in "
			"this order is unknown: search again without the cursor",
			token->path);
	told->last_token = results->last.used_bytes > 0 ? (const char *)results->last.data : NULL;
	told->resume_token = told->n_shown < told->n_found ? told->last_token : NULL;
	return BS_OK;
}
