/* ranges_sort.c: numbers and dates in fields: range queries, sorting, and pages of sorted hits. */
#include <stdio.h>
#include <string.h>

#include <bitsift.h>
#include <bitsift/writer.h>

static const char *const books[][3] = {
	{"dune", "412", "1965-08-01"},    {"emma", "474", "1815-12-23"},
	{"walden", "156", "1854-08-09"},  {"ulysses", "730", "1922-02-02"},
	{"candide", "129", "1759-01-15"},
};

static enum bs_status fill(struct bs_memory_index *memory, struct bs_error *err)
{
	struct bs_writer_request request = {.memory = memory};
	struct bs_writer *writer = NULL;
	enum bs_status status = bs_writer_open(&request, &writer, err);
	for (size_t i = 0; i < sizeof(books) / sizeof(*books) && !status; i++) {
		struct bs_text texts[] = {{"pages", 5, books[i][1], strlen(books[i][1])},
		                          {"printed", 7, books[i][2], strlen(books[i][2])}};
		status = bs_writer_add(writer, books[i][0], strlen(books[i][0]), texts, 2, err);
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
	if (hit->value)
		printf("=%s", hit->value);
	return 0;
}

static enum bs_status ask(struct bs_searcher *searcher, struct bs_search_request request,
                          struct bs_error *err)
{
	printf("%s%s%s:", request.query.text, request.output.sort_field ? " by " : "",
	       request.output.sort_field ? request.output.sort_field : "");
	request.query.text_bytes = strlen(request.query.text);
	request.callbacks.hit = show;
	enum bs_status status = bs_search(searcher, &request, NULL, err);
	printf("\n");
	return status;
}

int main(void)
{
	struct bs_memory_index *memory = NULL;
	struct bs_index *index = NULL;
	struct bs_searcher *searcher = NULL;
	struct bs_error err;

	enum bs_status status = bs_memory_index_new(&memory, &err);
	struct bs_open_request open = {.memory = memory};
	if (!status)
		status = fill(memory, &err);
	if (!status)
		status = bs_index_open_with(&open, &index, &err);
	if (!status)
		status = bs_searcher_new(index, &searcher, &err);
	if (!status)
		status =
			ask(searcher,
		            (struct bs_search_request){.query.text = "pages:150..500 printed:<1900",
		                                       .output.mode = BS_SEARCH_IDS},
		            &err);
	if (!status)
		status = ask(searcher,
		             (struct bs_search_request){.query.text = "pages:>0",
		                                        .output.sort_field = "pages",
		                                        .output.sort_descending = true,
		                                        .output.limit = 2},
		             &err);
	if (!status)
		status = ask(searcher,
		             (struct bs_search_request){.query.text = "pages:>0",
		                                        .output.sort_field = "printed",
		                                        .output.limit = 2,
		                                        .output.offset = 2},
		             &err);
	if (status)
		fprintf(stderr, "%s\n", err.text);
	bs_searcher_free(searcher);
	bs_index_close(index);
	bs_memory_index_free(memory);
	return status != BS_OK;
}
