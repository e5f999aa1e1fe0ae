/* add_search.c: adds documents from a program to an index and searches it. */
#include <bitsift.h>
#include <bitsift/writer.h>
#include <stdio.h>
#include <string.h>

static int fail(const struct bs_error *err)
{
	fprintf(stderr, "%s\n", err->text);
	return 1;
}

static int print(void *context, const struct bs_hit *hit)
{
	(void)context;
	printf("%.3f  %.*s  %.*s\n", hit->score, (int)hit->id_bytes, hit->id,
	       (int)hit->snippet_bytes, hit->snippet);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const notes[][3] = {
		{"1", "Coffee", "Water just off the boil, ten grams for each cup."},
		{"2", "Tea", "Water off the boil for green tea; boiling for black."},
		{"3", "Bread", "Flour, water, salt, and a night in the cold."},
	};
	struct bs_writer_request request = {.dir = argc > 1 ? argv[1] : "notes"};
	struct bs_writer *writer;
	struct bs_error err;

	/* Readers see added documents only after the commit. A document with an existing id
	 * replaces the old one. */
	if (bs_writer_open(&request, &writer, &err))
		return fail(&err);
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
		struct bs_text texts[] = {{"title", 5, notes[i][1], strlen(notes[i][1])},
		                          {"text", 4, notes[i][2], strlen(notes[i][2])}};
		if (bs_writer_add(writer, notes[i][0], strlen(notes[i][0]), texts, 2, &err))
			return fail(&err);
	}
	if (bs_writer_commit(writer, NULL, &err))
		return fail(&err);
	bs_writer_close(writer);

	struct bs_search_request query = {.query.text = "water \"the boil\" -title:tea",
	                                  .output.snippets = true,
	                                  .output.mark_start = "[",
	                                  .output.mark_stop = "]",
	                                  .callbacks.hit = print};
	struct bs_index *index;
	struct bs_searcher *searcher;
	struct bs_search_result result;
	query.query.text_bytes = strlen(query.query.text);
	if (bs_index_open(request.dir, &index, &err) || bs_searcher_new(index, &searcher, &err) ||
	    bs_search(searcher, &query, &result, &err))
		return fail(&err);

	/* Reads the text of a document by its id. */
	const struct bs_text *texts;
	size_t n_texts;
	if (bs_document(searcher, "3", 1, &texts, &n_texts, NULL, &err))
		return fail(&err);
	for (size_t i = 0; i < n_texts; i++)
		printf("%.*s: %.*s\n", (int)texts[i].field_bytes, texts[i].field,
		       (int)texts[i].text_bytes, texts[i].text);
	bs_searcher_free(searcher);
	bs_index_close(index);
	return 0;
}
