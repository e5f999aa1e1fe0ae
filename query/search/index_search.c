/* index_search.c: bs_index_search, a simple interface: runs bs_search and stores copies of the
 * hits. */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/bitsift/search.h"

struct result {
	struct result *next;
	struct bs_hit hit;
	char text[]; /* The strings that `hit` points to. */
};

struct bs_results {
	struct result *first;
	struct result **last; /* Where the pointer to the next result is stored. */
	struct result *at;    /* The result that the caller gets next. */
	bool is_out_of_memory;
};

/* Copies n_bytes and a NUL to *to, advances *to, and returns the copy. If `from` is NULL, returns
 * NULL. */
static const char *copy(char **to, const char *from, size_t n_bytes)
{
	char *start = *to;
	if (!from)
		return NULL;
	memcpy(start, from, n_bytes);
	start[n_bytes] = '\0';
	*to += n_bytes + 1;
	return start;
}

static int take_hit(void *context, const struct bs_hit *hit)
{
	struct bs_results *results = context;
	size_t path_bytes = strlen(hit->path);
	struct result *result = malloc(sizeof(*result) + hit->id_bytes + hit->local_id_bytes +
	                               path_bytes + hit->snippet_bytes + 4);
	results->is_out_of_memory = !result;
	if (!result)
		return 1;
	char *to = result->text;
	result->next = NULL;
	result->hit = *hit;
	result->hit.id = copy(&to, hit->id, hit->id_bytes);
	result->hit.local_id = copy(&to, hit->local_id, hit->local_id_bytes);
	result->hit.path = copy(&to, hit->path, path_bytes);
	result->hit.snippet = copy(&to, hit->snippet, hit->snippet_bytes);
	*results->last = result;
	results->last = &result->next;
	return 0;
}

enum bs_status bs_index_search(const struct bs_index *index, const char *query, size_t limit,
                               struct bs_results **results_out, struct bs_error *err)
{
	struct bs_searcher *searcher = NULL;
	struct bs_results *results = calloc(1, sizeof(*results));
	*results_out = NULL;
	if (!results)
		return bs_fail_memory(err, "results", sizeof(*results));
	results->last = &results->first;
	const struct bs_search_request request = {
		.query = {.text = query, .text_bytes = strlen(query)},
		.output = {.limit = limit, .snippets = true},
		.callbacks = {.hit = take_hit, .context = results},
	};
	enum bs_status status = bs_searcher_new(index, &searcher, err);
	if (!status)
		status = bs_search(searcher, &request, NULL, err);
	bs_searcher_free(searcher);
	if (results->is_out_of_memory)
		status = bs_fail_memory(err, "a hit", sizeof(struct result));
	if (status) {
		bs_results_free(results);
		return status;
	}
	results->at = results->first;
	*results_out = results;
	return BS_OK;
}

const struct bs_hit *bs_results_next(struct bs_results *results)
{
	struct result *result = results->at;
	if (!result)
		return NULL;
	results->at = result->next;
	return &result->hit;
}

void bs_results_free(struct bs_results *results)
{
	if (!results)
		return;
	for (struct result *result = results->first, *next; result; result = next) {
		next = result->next;
		free(result);
	}
	free(results);
}
