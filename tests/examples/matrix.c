/* matrix.c: looks inside an index: its shards, the columns of a word, and the candidates of a
 * query. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bitsift.h>
#include <bitsift/matrix.h>
#include <bitsift/writer.h>

#define N_DOCS 4000

/* Document i has the word "even" if i is even, and a unique word. */
static enum bs_status fill(struct bs_memory_index *memory, struct bs_error *err)
{
	struct bs_writer_request request = {.memory = memory};
	struct bs_writer *writer = NULL;
	enum bs_status status = bs_writer_open(&request, &writer, err);
	for (int i = 0; i < N_DOCS && !status; i++) {
		char id[16], words[64];
		snprintf(id, sizeof(id), "%d", i);
		snprintf(words, sizeof(words), "number %s w%d x%d", i % 2 ? "odd" : "even", i,
		         i / 7);
		struct bs_text text = {"", 0, words, strlen(words)};
		status = bs_writer_add(writer, id, strlen(id), &text, 1, err);
	}
	if (!status)
		status = bs_writer_commit(writer, NULL, err);
	bs_writer_close(writer);
	return status;
}

static enum bs_status show_shard(const struct bs_index *index, uint32_t segment, uint32_t number,
                                 struct bs_error *err)
{
	static const char *const names[] = {"document", "group", "block", "exact"};
	struct bs_matrix_shard shard;
	struct bs_matrix_term_columns even;
	enum bs_status status = bs_matrix_shard_at(index, segment, number, &shard, err);
	if (!status)
		status = bs_matrix_find_columns(index, segment, number, "even", 4, &even, err);
	if (status)
		return status;
	printf("shard %u: %u rows%s\n", number, shard.n_rows, shard.is_lists ? ", as lists" : "");
	for (int l = 0; l < BS_MATRIX_LEVELS; l++) {
		const struct bs_matrix_columns *columns = &shard.levels[l];
		if (columns->n_columns > 0)
			printf("  %u %s columns of %u bits, density %.2f; %u of them are those of "
			       "`even`\n",
			       columns->n_columns, names[l], columns->n_lanes,
			       (double)columns->n_set / columns->n_columns / columns->n_lanes,
			       even.n_columns[l]);
	}
	/* The bits of a column, borrowed from the index until it is closed. */
	const uint64_t *words;
	if (even.n_columns[BS_MATRIX_EXACT] == 1)
		status = bs_matrix_words(index, segment, number, BS_MATRIX_EXACT,
		                         even.columns[BS_MATRIX_EXACT][0], 1, &words, err);
	if (!status && even.n_columns[BS_MATRIX_EXACT] == 1)
		printf("  `even` begins with %016llx\n", (unsigned long long)words[0]);
	return status;
}

static int count(void *context, const struct bs_matrix_candidates *candidates)
{
	*(uint64_t *)context += candidates->n_set;
	return 0;
}

int main(void)
{
	struct bs_search_request phrase = {.query.text = "\"even number\"", .query.text_bytes = 13};
	struct bs_matrix_segment segment = {.n_docs = 0};
	struct bs_memory_index *memory = NULL;
	struct bs_index *index = NULL;
	struct bs_searcher *searcher = NULL;
	struct bs_error err;
	uint64_t n_candidates = 0;

	enum bs_status status = bs_memory_index_new(&memory, &err);
	struct bs_open_request open = {.memory = memory};
	if (!status)
		status = fill(memory, &err);
	if (!status)
		status = bs_index_open_with(&open, &index, &err);
	if (!status)
		status = bs_searcher_new(index, &searcher, &err);
	if (!status)
		status = bs_matrix_segment_at(index, 0, &segment, &err);
	for (uint32_t i = 0; i < segment.n_shards && !status; i++)
		status = show_shard(index, 0, i, &err);
	if (!status)
		status = bs_matrix_query(searcher, &phrase, count, &n_candidates, NULL, &err);
	if (status)
		fprintf(stderr, "%s\n", err.text);
	else
		printf("%llu documents may have the phrase %s\n", (unsigned long long)n_candidates,
		       phrase.query.text);
	bs_searcher_free(searcher);
	bs_index_close(index);
	bs_memory_index_free(memory);
	return status != BS_OK;
}
