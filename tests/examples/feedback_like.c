/* feedback_like.c: finds documents similar to another one, and documents with the typical words of
 * the best hits. */
#include <stdio.h>
#include <string.h>

#include <bitsift.h>
#include <bitsift/writer.h>

static const char *const documents[][2] = {
	{"ferry", "The ferry leaves the harbour at noon; the harbour is cold."},
	{"boat", "A boat in the harbour, cold at noon."},
	{"train", "The train leaves at noon."},
	{"cake", "Sugar, flour and butter make a cake."},
	{"bread", "Flour and water make bread, butter makes it better."},
};

static enum bs_status fill(struct bs_memory_index *memory, struct bs_error *err)
{
	struct bs_writer_request request = {.memory = memory};
	struct bs_writer *writer = NULL;
	enum bs_status status = bs_writer_open(&request, &writer, err);
	for (size_t i = 0; i < sizeof(documents) / sizeof(*documents) && !status; i++) {
		struct bs_text text = {"", 0, documents[i][1], strlen(documents[i][1])};
		status = bs_writer_add(writer, documents[i][0], strlen(documents[i][0]), &text, 1,
		                       err);
	}
	if (!status)
		status = bs_writer_commit(writer, NULL, err);
	bs_writer_close(writer);
	return status;
}

static int show(void *context, const struct bs_hit *hit)
{
	(void)context;
	printf(" %.*s", (int)hit->id_bytes, hit->id);
	return 0;
}

int main(void)
{
	struct bs_search_request like = {.query.text = "",
	                                 .query.like_id = "cake",
	                                 .query.stop_language = "english",
	                                 .callbacks.hit = show};
	struct bs_search_request like_text = {.query.text = "",
	                                      .query.like_text = "boats and a cold ferry",
	                                      .query.stop_language = "english",
	                                      .callbacks.hit = show};
	struct bs_search_request more = {.query.text = "boat",
	                                 .query.text_bytes = 4,
	                                 .query.feedback_docs = 1,
	                                 .query.stop_language = "english",
	                                 .callbacks.hit = show};
	struct bs_memory_index *memory = NULL;
	struct bs_index *index = NULL;
	struct bs_searcher *searcher = NULL;
	struct bs_error err;

	like_text.query.like_text_bytes = strlen(like_text.query.like_text);
	enum bs_status status = bs_memory_index_new(&memory, &err);
	struct bs_open_request open = {.memory = memory};
	if (!status)
		status = fill(memory, &err);
	if (!status)
		status = bs_index_open_with(&open, &index, &err);
	if (!status)
		status = bs_searcher_new(index, &searcher, &err);
	if (!status) {
		printf("like cake:");
		status = bs_search(searcher, &like, NULL, &err);
	}
	if (!status) {
		printf("\nlike a text:");
		status = bs_search(searcher, &like_text, NULL, &err);
	}
	if (!status) {
		printf("\nboat, and what its best document is about:");
		status = bs_search(searcher, &more, NULL, &err);
	}
	printf("\n");
	if (status)
		fprintf(stderr, "%s\n", err.text);
	bs_searcher_free(searcher);
	bs_index_close(index);
	bs_memory_index_free(memory);
	return status != BS_OK;
}
