/* log.c: passes background work and slow calls of the library to a program's log. */
#include <stdio.h>

#include <bitsift.h>
#include <bitsift/writer.h>

static void print(void *context, enum bs_log_level level, const char *line)
{
	static const char *const names[] = {"debug", "info", "warning"};
	(void)context;
	printf("[%s] %s\n", names[level], line);
}

int main(void)
{
	struct bs_log log = {.line = print, .least = BS_LOG_DEBUG};
	struct bs_search_request find = {
		.query.text = "harbour", .query.text_bytes = 7, .output.mode = BS_SEARCH_COUNT};
	struct bs_text text = {"", 0, "a cold harbour", 14};
	struct bs_memory_index *memory = NULL;
	struct bs_writer *writer = NULL;
	struct bs_index *index = NULL;
	struct bs_searcher *searcher = NULL;
	struct bs_error err;
	enum bs_status status = bs_memory_index_new(&memory, &err);
	struct bs_writer_request request = {.memory = memory, .host.log = &log};
	/* logs all queries of the index, too */
	struct bs_open_request open = {.memory = memory, .host.log = &log};

	if (!status)
		status = bs_writer_open(&request, &writer, &err);
	if (!status)
		status = bs_writer_add(writer, "a", 1, &text, 1, &err);
	if (!status)
		status = bs_writer_commit(writer, NULL, &err);
	bs_writer_close(writer);
	if (!status)
		status = bs_index_open_with(&open, &index, &err);
	if (!status)
		status = bs_searcher_new(index, &searcher, &err);
	if (!status)
		status = bs_search(searcher, &find, NULL, &err);
	log.slow_ns = 1; /* from here on, every query counts as slow */
	if (!status)
		status = bs_search(searcher, &find, NULL, &err);
	if (status)
		fprintf(stderr, "%s\n", err.text);
	bs_searcher_free(searcher);
	bs_index_close(index);
	bs_memory_index_free(memory);
	return status != BS_OK;
}
