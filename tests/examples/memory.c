/* memory.c: an index in memory; copying its files to another one; rolling back changes. */
#include <bitsift.h>
#include <bitsift/writer.h>
#include <stdio.h>
#include <string.h>

static int fail(const struct bs_error *err)
{
	fprintf(stderr, "%s\n", err->text);
	return 1;
}

static enum bs_status add(struct bs_writer *writer, const char *id, const char *text,
                          struct bs_error *err)
{
	struct bs_text texts[] = {{"text", 4, text, strlen(text)}};
	return bs_writer_add(writer, id, strlen(id), texts, 1, err);
}

static int count(struct bs_memory_index *memory, const char *query)
{
	struct bs_open_request open = {.memory = memory};
	struct bs_search_request request = {.query.text = query,
	                                    .query.text_bytes = strlen(query),
	                                    .output.mode = BS_SEARCH_COUNT};
	struct bs_index *index;
	struct bs_searcher *searcher;
	struct bs_search_result result;
	struct bs_error err;
	if (bs_index_open_with(&open, &index, &err) || bs_searcher_new(index, &searcher, &err) ||
	    bs_search(searcher, &request, &result, &err))
		return -fail(&err);
	bs_searcher_free(searcher);
	bs_index_close(index);
	return (int)result.n_hits;
}

int main(void)
{
	struct bs_memory_index *memory, *carried;
	struct bs_writer *writer;
	struct bs_error err;
	if (bs_memory_index_new(&memory, &err) || bs_memory_index_new(&carried, &err))
		return fail(&err);
	struct bs_writer_request request = {.memory = memory};
	if (bs_writer_open(&request, &writer, &err) || add(writer, "a", "the first of two", &err) ||
	    add(writer, "b", "the second of two", &err) || bs_writer_commit(writer, NULL, &err))
		return fail(&err);

	/* A transaction that is rolled back. */
	if (bs_writer_delete_query(writer, "second", 6, NULL, &err) ||
	    add(writer, "c", "a third", &err))
		return fail(&err);
	bs_writer_rollback(writer);
	printf("two: %d, third: %d\n", count(memory, "two"), count(memory, "third"));

	/* Copies the files, as a database that stores them in a table does. */
	for (size_t i = 0; i < bs_memory_index_n_files(memory); i++) {
		struct bs_memory_index_file file;
		if (bs_memory_index_file_at(memory, i, &file, &err) ||
		    bs_memory_index_put(carried, file.name, file.bytes, file.n_bytes, &err))
			return fail(&err);
	}
	bs_writer_close(writer);
	bs_memory_index_free(memory);
	printf("carried: %d\n", count(carried, "second"));
	bs_memory_index_free(carried);
	return 0;
}
