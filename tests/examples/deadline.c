/* deadline.c: a search with a deadline, a search that returns what it found until its deadline, and
 * a search that is cancelled. */
#include <stdio.h>
#include <string.h>

#include <bitsift.h>
#include <bitsift/writer.h>

static enum bs_status fill(struct bs_memory_index *memory, struct bs_error *err)
{
	struct bs_writer_request request = {.memory = memory};
	struct bs_writer *writer = NULL;
	enum bs_status status = bs_writer_open(&request, &writer, err);
	for (int i = 0; i < 20000 && !status; i++) {
		char id[16], words[128];
		snprintf(id, sizeof(id), "%d", i);
		snprintf(words, sizeof(words), "a%d b%d c%d d%d e%d f%d all of the words", i % 7,
		         i % 11, i % 13, i % 17, i % 19, i);
		struct bs_text text = {"", 0, words, strlen(words)};
		status = bs_writer_add(writer, id, strlen(id), &text, 1, err);
	}
	if (!status)
		status = bs_writer_commit(writer, NULL, err);
	bs_writer_close(writer);
	return status;
}

static void show(const char *what, enum bs_status status, const struct bs_search_result *result)
{
	printf("%s: %s%s\n", what, bs_status_name(status), result->is_partial ? ", partial" : "");
}

int main(void)
{
	/* Reads each document, so that the search is slow. */
	struct bs_search_request find = {.query.text = "\"a1 words\"~9 OR \"all the\"~2",
	                                 .output.mode = BS_SEARCH_COUNT,
	                                 .method.brute = true,
	                                 .method.n_threads = 1};
	struct bs_limits limits = {.deadline_ns = 1000000};
	volatile int is_cancelled = 1; /* another thread, or a signal handler, would set it */
	struct bs_search_result result;
	struct bs_memory_index *memory = NULL;
	struct bs_index *index = NULL;
	struct bs_searcher *searcher = NULL;
	struct bs_error err;

	find.query.text_bytes = strlen(find.query.text);
	find.limits = &limits;
	enum bs_status status = bs_memory_index_new(&memory, &err);
	struct bs_open_request open = {.memory = memory};
	if (!status)
		status = fill(memory, &err);
	if (!status)
		status = bs_index_open_with(&open, &index, &err);
	if (!status)
		status = bs_searcher_new(index, &searcher, &err);
	if (!status) {
		show("a millisecond", bs_search(searcher, &find, &result, NULL), &result);
		limits.partial = true;
		show("as much as it finds in one", bs_search(searcher, &find, &result, NULL),
		     &result);
		limits = (struct bs_limits){.cancel = &is_cancelled};
		show("called off", bs_search(searcher, &find, &result, NULL), &result);
		limits = (struct bs_limits){.deadline_ns = 0};
		show("no limits", bs_search(searcher, &find, &result, NULL), &result);
	}
	if (status)
		fprintf(stderr, "%s\n", err.text);
	bs_searcher_free(searcher);
	bs_index_close(index);
	bs_memory_index_free(memory);
	return status != BS_OK;
}
