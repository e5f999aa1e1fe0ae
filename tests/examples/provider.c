/* provider.c: an index that does not store its texts: it answers queries and asks the program for
 * texts. */
#include <bitsift.h>
#include <bitsift/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const rows[] = {"one fish two fish", "red fish blue fish", "two fish one dish"};

/* Returns a row of the table by its id, which is its number. */
static int look_up(void *context, const char *id, size_t id_bytes, const struct bs_text **texts_out,
                   size_t *n_texts_out)
{
	static struct bs_text text;
	char number[16] = "";
	if (id_bytes >= sizeof(number))
		return 1;
	memcpy(number, id, id_bytes);
	size_t i = (size_t)atoi(number);
	if (i >= sizeof(rows) / sizeof(*rows))
		return 1;
	text = (struct bs_text){
		.field = "text", .field_bytes = 4, .text = rows[i], .text_bytes = strlen(rows[i])};
	*texts_out = &text;
	*n_texts_out = 1;
	++*(int *)context;
	return 0;
}

static int fail(const struct bs_error *err)
{
	fprintf(stderr, "%s\n", err->text);
	return 1;
}

static int print(void *context, const struct bs_hit *hit)
{
	(void)context;
	printf("row %.*s: %.*s\n", (int)hit->id_bytes, hit->id, (int)hit->snippet_bytes,
	       hit->snippet);
	return 0;
}

int main(void)
{
	int n_asked = 0;
	struct bs_text_provider provider = {.texts = look_up, .context = &n_asked};
	struct bs_memory_index *memory;
	struct bs_writer *writer;
	struct bs_error err;
	if (bs_memory_index_new(&memory, &err))
		return fail(&err);
	struct bs_writer_request request = {
		.memory = memory, .not_stored = true, .host.texts = &provider};
	if (bs_writer_open(&request, &writer, &err))
		return fail(&err);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char id[16];
		struct bs_text text = {"text", 4, rows[i], strlen(rows[i])};
		int id_bytes = snprintf(id, sizeof(id), "%zu", i);
		if (bs_writer_add(writer, id, (size_t)id_bytes, &text, 1, &err))
			return fail(&err);
	}
	if (bs_writer_commit(writer, NULL, &err))
		return fail(&err);
	bs_writer_close(writer);

	struct bs_open_request open = {.memory = memory, .host.texts = &provider};
	struct bs_search_request find = {.query.text = "\"two fish\"",
	                                 .query.text_bytes = 10,
	                                 .output.snippets = true,
	                                 .callbacks.hit = print};
	struct bs_index *index;
	struct bs_searcher *searcher;
	struct bs_search_result result;
	if (bs_index_open_with(&open, &index, &err) || bs_searcher_new(index, &searcher, &err) ||
	    bs_search(searcher, &find, &result, &err))
		return fail(&err);
	printf("rows that were looked at: %s\n", n_asked > 0 ? "some" : "none");
	bs_searcher_free(searcher);
	bs_index_close(index);
	bs_memory_index_free(memory);
	return 0;
}
