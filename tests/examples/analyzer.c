/* analyzer.c: the program splits texts into terms: here, at commas. The index records the
 * analyzer's name and can only be opened with it. */
#include <stdio.h>
#include <string.h>

#include <bitsift.h>
#include <bitsift/writer.h>

static int cut(void *context, const uint8_t *text, size_t text_bytes,
               int (*emit)(void *emit_context, const uint8_t *term, size_t term_bytes, size_t start,
                           size_t stop),
               void *emit_context)
{
	int answer = 0;
	(void)context;
	for (size_t at = 0; at < text_bytes && answer == 0;) {
		const uint8_t *comma = memchr(text + at, ',', text_bytes - at);
		size_t stop = comma ? (size_t)(comma - text) : text_bytes;
		if (stop > at)
			/* unchanged: letters are not folded */
			answer = emit(emit_context, text + at, stop - at, at, stop);
		at = stop + 1;
	}
	return answer;
}

static int show(void *context, const struct bs_hit *hit)
{
	(void)context;
	printf("%.*s\n", (int)hit->id_bytes, hit->id);
	return 0;
}

int main(void)
{
	struct bs_analyzer commas = {.name = "commas-1", .cut = cut};
	struct bs_search_request find = {.query.text = "New_York",
	                                 .query.text_bytes = 8,
	                                 .output.mode = BS_SEARCH_IDS,
	                                 .callbacks.hit = show};
	struct bs_text cities[] = {{"", 0, "Rome,New_York,Oslo", 18}, {"", 0, "York,new_york", 13}};
	struct bs_memory_index *memory = NULL;
	struct bs_writer *writer = NULL;
	struct bs_index *index = NULL;
	struct bs_searcher *searcher = NULL;
	struct bs_error err;
	enum bs_status status = bs_memory_index_new(&memory, &err);
	struct bs_writer_request request = {.memory = memory, .host.analyzer = &commas};
	struct bs_open_request without = {.memory = memory},
			       with = {.memory = memory, .host.analyzer = &commas};

	if (!status)
		status = bs_writer_open(&request, &writer, &err);
	if (!status)
		status = bs_writer_add(writer, "a", 1, &cities[0], 1, &err);
	if (!status)
		status = bs_writer_add(writer, "b", 1, &cities[1], 1, &err);
	if (!status)
		status = bs_writer_commit(writer, NULL, &err);
	bs_writer_close(writer);
	if (!status && bs_index_open_with(&without, &index, &err) == BS_UNSUPPORTED)
		printf("%s\n", err.text);
	if (!status)
		status = bs_index_open_with(&with, &index, &err);
	if (!status)
		status = bs_searcher_new(index, &searcher, &err);
	if (!status)
		status = bs_search(searcher, &find, NULL, &err);
	if (status)
		fprintf(stderr, "%s\n", err.text);
	bs_searcher_free(searcher);
	bs_index_close(index);
	bs_memory_index_free(memory);
	return status != BS_OK;
}
