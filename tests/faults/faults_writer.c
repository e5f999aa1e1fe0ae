/*
 * faults_writer.c: a program for test_faults.c that uses the writer of bitsift/writer.h.
 *
 *     writer fill | change | memory [THREADS]
 *
 * fill and change write .bitsift; memory does both in memory and searches. A failed transaction is
 * reported on standard error and repeated once; exit status 0 means that everything succeeded in
 * the end. The program aborts if the index is lost.
 */
#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_GIVEN 300 /* more than BS_ID_TABLE_LEAST (core/store/id_table.h) */

struct run {
	struct bs_memory_index *memory; /* NULL: the directory .bitsift */
	struct bs_writer *writer;
	struct bs_error err;
};

static enum bs_status add(struct run *run, char kind, unsigned i, const char *what)
{
	char id[32], body[128];
	int id_bytes = snprintf(id, sizeof(id), "%c%u", kind, i);
	int body_bytes = snprintf(body, sizeof(body), "common given word%u %s%s", i, what,
	                          i % 7 ? "" : " seven");
	struct bs_text texts[] = {{"title", 5, "quick \"brown\" fox", 17},
	                          {"body", 4, body, (size_t)body_bytes}};
	return bs_writer_add(run->writer, id, (size_t)id_bytes, texts, 2, &run->err);
}

static enum bs_status add_some(struct run *run, char kind, unsigned n, const char *what)
{
	enum bs_status status = BS_OK;
	for (unsigned i = 0; i < n && !status; i++)
		status = add(run, kind, i, what);
	return status;
}

static enum bs_status fill(struct run *run)
{
	return add_some(run, 'g', N_GIVEN, "first");
}

static enum bs_status change(struct run *run)
{
	struct bs_text text = {"body", 4, "common replaced", 15};
	enum bs_status status = add_some(run, 'g', 20, "changed");
	if (!status)
		status = bs_writer_replace(run->writer, "g22", 3, &text, 1, &run->err);
	if (!status)
		status = bs_writer_delete(run->writer, "g30", 3, NULL, &run->err);
	if (!status)
		status = add_some(run, 'n', N_GIVEN, "new");
	if (!status)
		status = bs_writer_delete_query(run->writer, "seven -first", 12, NULL, &run->err);
	if (!status)
		status = bs_writer_delete(run->writer, "n5", 2, NULL, &run->err);
	return status ? status : add(run, 'n', 7, "again");
}

/* Repeats a failed transaction once; the writer must remain usable. */
static enum bs_status transact(struct run *run, enum bs_status (*changes)(struct run *))
{
	enum bs_status status = BS_OK;
	for (int i = 0; i == 0 || (i < 2 && status); i++) {
		status = changes(run);
		if (!status)
			status = bs_writer_commit(run->writer, NULL, &run->err);
		if (status)
			fprintf(stderr, "writer: %s\n", run->err.text);
		if (status == BS_CORRUPT || status == BS_NOT_FOUND)
			abort();
		bs_writer_rollback(run->writer);
	}
	return status;
}

static int print_hit(void *context, const struct bs_hit *hit)
{
	printf("%.*s\n", (int)hit->id_bytes, hit->id);
	return 0;
}

static enum bs_status show(struct run *run, const char *query)
{
	struct bs_open_request open = {.memory = run->memory};
	struct bs_check_request check = {.memory = run->memory};
	struct bs_search_request find = {.query.text = query,
	                                 .query.text_bytes = strlen(query),
	                                 .output.mode = BS_SEARCH_IDS,
	                                 .callbacks.hit = print_hit};
	struct bs_index *index = NULL;
	struct bs_searcher *searcher = NULL;
	const struct bs_text *texts;
	size_t n_texts;
	enum bs_status status = bs_index_check(&check, NULL, &run->err);
	if (!status)
		status = bs_index_open_with(&open, &index, &run->err);
	if (!status)
		status = bs_searcher_new(index, &searcher, &run->err);
	if (!status)
		status = bs_search(searcher, &find, NULL, &run->err);
	if (!status)
		status = bs_document(searcher, "g22", 3, &texts, &n_texts, NULL, &run->err);
	bs_searcher_free(searcher);
	bs_index_close(index);
	if (status == BS_CORRUPT || status == BS_NOT_FOUND) {
		fprintf(stderr, "writer: %s\n", run->err.text);
		abort();
	}
	return status;
}

int main(int argc, char **argv)
{
	struct run run = {.memory = NULL};
	bool in_memory = argc > 1 && strcmp(argv[1], "memory") == 0;
	struct bs_writer_request request = {.dir = in_memory ? NULL : ".bitsift",
	                                    .write.memory_bytes = 16 << 20,
	                                    .write.n_threads =
	                                            argc > 2 ? (uint32_t)atoi(argv[2]) : 1};
	enum bs_status status = in_memory ? bs_memory_index_new(&run.memory, &run.err) : BS_OK;
	request.memory = run.memory;
	if (!status)
		status = bs_writer_open(&request, &run.writer, &run.err);
	if (!status && (in_memory || strcmp(argv[1], "fill") == 0))
		status = transact(&run, fill);
	if (!status && in_memory)
		status = show(&run, "common");
	if (!status && (in_memory || strcmp(argv[1], "change") == 0))
		status = transact(&run, change);
	if (!status && in_memory)
		status = show(&run, "\"quick brown\" OR replaced");
	if (status)
		fprintf(stderr, "writer: %s\n", run.err.text);
	bs_writer_close(run.writer);
	bs_memory_index_free(run.memory);
	return status ? 2 : 0;
}
