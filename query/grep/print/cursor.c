/* cursor.c: see cursor.h. */
#include "query/grep/print/cursor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/doc_order.h"
#include "query/regex/text.h"

/* Whether a file of the root-th path may be shown so. */
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

/* Cuts a number at the end of text[0..*n) off, and `mark` before it. */
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

enum bs_status bs_cursor_read(const char *text, const struct bs_grep_walk_options *walk, struct bs_cursor *cursor_out,
                              struct bs_error *err)
{
	size_t n = strlen(text), n_of_root = n;
	uint64_t root = 0, line = 0;
	*cursor_out = (struct bs_cursor){.path = NULL};
	if (cut_number(text, &n_of_root, '#', &root) && cut_number(text, &n_of_root, ':', &line))
		n = n_of_root;
	else if (cut_number(text, &n, ':', &line))
		root = 0;
	else
		return bs_fail(err, BS_INVALID, "'%s' is no cursor: it is PATH:LINE", text);
	cursor_out->path = strndup(text, n);
	if (!cursor_out->path)
		return bs_fail_memory(err, "a cursor", n);
	cursor_out->line = line;
	cursor_out->root = root > 0 ? (size_t)root - 1 : first_root(walk, cursor_out->path);
	if (cursor_out->root < walk->n_paths && may_show(walk, cursor_out->root, cursor_out->path))
		return BS_OK;
	return bs_fail(err, BS_INVALID, "the cursor '%s' lies below none of the paths that are searched", text);
}

void bs_cursor_deinit(struct bs_cursor *cursor)
{
	free(cursor->path);
	cursor->path = NULL;
}

int bs_cursor_place(struct bs_cursor *cursor, const struct bs_grep_file *file)
{
	if (cursor->is_by_path && file->root != cursor->root)
		return file->root < cursor->root ? -1 : 1;
	int order = bs_compare_paths((const uint8_t *)file->shown, strlen(file->shown), (const uint8_t *)cursor->path,
	                             strlen(cursor->path));
	if (cursor->is_by_path)
		return cursor->is_reversed ? -order : order;
	bool is_it = order == 0 && file->root == cursor->root, was_met = cursor->was_met;
	cursor->was_met |= is_it;
	return is_it ? 0 : was_met ? 1 : -1;
}

enum bs_status bs_cursor_write(const struct bs_grep_walk_options *walk, const char *name, const char *shown, size_t root,
                               uint64_t line, struct bs_buffer *text, struct bs_error *err)
{
	char number[64];
	int n = snprintf(number, sizeof(number), ":%llu", (unsigned long long)line);
	if (first_root(walk, shown) < root)
		n += snprintf(number + n, sizeof(number) - (size_t)n, "#%zu", root + 1);
	struct bs_text_writer to = {.out = text, .err = err};
	bs_buffer_clear(text);
	bs_text_put_string(&to, name ? name : "");
	bs_text_put_string(&to, name ? ":" : "");
	bs_text_put_string(&to, shown);
	bs_text_put(&to, number, (size_t)n + 1);
	return to.status;
}
