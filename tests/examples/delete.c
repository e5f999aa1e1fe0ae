/* delete.c: deletes documents by id and by a query, and restores one. */
#include <stdio.h>
#include <string.h>

#include <bitsift.h>
#include <bitsift/writer.h>

static enum bs_status fill(struct bs_memory_index *memory, struct bs_error *err)
{
	static const char *const texts[] = {"a cat", "a dog", "a cat and a dog", "a mouse"};
	struct bs_writer_request request = {.memory = memory};
	struct bs_writer *writer = NULL;
	enum bs_status status = bs_writer_open(&request, &writer, err);
	for (size_t i = 0; i < 4 && !status; i++) {
		struct bs_text text = {"", 0, texts[i], strlen(texts[i])};
		char id[] = {(char)('1' + i)};
		status = bs_writer_add(writer, id, 1, &text, 1, err);
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

/* An open index does not see later changes, so it is opened anew. */
static enum bs_status list(struct bs_memory_index *memory, const char *when, struct bs_error *err)
{
	struct bs_open_request open = {.memory = memory};
	struct bs_search_request all = {.query.text = "-nothing",
	                                .query.text_bytes = 8,
	                                .output.mode = BS_SEARCH_IDS,
	                                .callbacks.hit = show};
	struct bs_index *index = NULL;
	struct bs_searcher *searcher = NULL;
	printf("%s:", when);
	enum bs_status status = bs_index_open_with(&open, &index, err);
	if (!status)
		status = bs_searcher_new(index, &searcher, err);
	if (!status)
		status = bs_search(searcher, &all, NULL, err);
	printf("\n");
	bs_searcher_free(searcher);
	bs_index_close(index);
	return status;
}

int main(void)
{
	const char *ids[] = {"2", "4"};
	struct bs_memory_index *memory = NULL;
	struct bs_delete_result result;
	struct bs_error err;
	enum bs_status status = bs_memory_index_new(&memory, &err);
	struct bs_delete_request by_id = {.memory = memory, .ids = ids, .n_ids = 2};
	struct bs_delete_request by_query = {
		.memory = memory, .query = "cat -dog", .query_bytes = 8};
	struct bs_delete_request undo = {.memory = memory, .ids = ids, .n_ids = 1, .undo = true};

	if (!status)
		status = fill(memory, &err);
	if (!status)
		status = list(memory, "at first", &err);
	if (!status)
		status = bs_index_delete(&by_id, &result, &err);
	if (!status)
		status = list(memory, "without 2 and 4", &err);
	if (!status)
		status = bs_index_delete(&by_query, &result, &err);
	if (!status)
		status = list(memory, "without cats alone", &err);
	if (!status)
		status = bs_index_delete(&undo, &result, &err);
	if (!status)
		status = list(memory, "2 is back", &err);
	if (status)
		fprintf(stderr, "%s\n", err.text);
	bs_memory_index_free(memory);
	return status != BS_OK;
}
