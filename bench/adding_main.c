/*
 * adding_main.c: bitsift-bench-adding FILE.jsonl DIR [ROUNDS]: measures how many documents are
 * indexed per second in three ways: by indexing the file, as `bitsift index -j1` does, and by
 * adding its documents to a writer from memory, without and with storing their texts. Each round
 * measures each way twice: in CPU time, all with one thread; and in wall-clock time, where the
 * writer has its default of a thread per processor. Finally measures the time to add one document
 * to the last index, with a writer and a commit of its own. The indexes are made in DIR, which is
 * deleted before each of them and at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/buffer.h"
#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"
#include "corpus/read/reader.h"
#include "corpus/read/source.h"

#define MOST_TEXTS 32u /* further texts of a document are ignored */
#define ONES       20u /* the number of documents that add_ones adds */

/* A document in struct corpus. It has offsets, because the buffers of the corpus may move. */
struct document {
	size_t id, id_bytes; /* id: the offset in corpus.bytes */
	/* The index in corpus.texts. The pointers `field` and `text` of these texts are offsets in
	 * corpus.bytes. */
	size_t texts;
	size_t n_texts;
};

struct corpus {
	struct bs_buffer bytes, texts, documents;
};

static void or_die(enum bs_status status, const struct bs_error *err)
{
	if (!status)
		return;
	fprintf(stderr, "bitsift-bench-adding: %s\n", err->text);
	exit(2);
}

static double cpu_s(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static size_t keep(struct corpus *corpus, const void *bytes, size_t n_bytes)
{
	struct bs_error err;
	size_t at = corpus->bytes.used_bytes;
	or_die(bs_buffer_append(&corpus->bytes, bytes, n_bytes, &err), &err);
	return at;
}

static enum bs_status take_document(void *context, const struct bs_document *document,
                                    struct bs_error *err)
{
	struct corpus *corpus = context;
	struct document kept = {.id = keep(corpus, document->name.bytes, document->name.n_bytes),
	                        .id_bytes = document->name.n_bytes,
	                        .texts = corpus->texts.used_bytes / sizeof(struct bs_text),
	                        .n_texts = document->text.n_fields < MOST_TEXTS
	                                           ? document->text.n_fields
	                                           : MOST_TEXTS};
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < kept.n_texts && !status; i++) {
		const struct bs_field *field = &document->text.fields[i];
		struct bs_text text = {
			.field = (const char *)keep(corpus, field->name, field->name_bytes),
			.field_bytes = field->name_bytes,
			.text = (const char *)keep(corpus, field->text, field->text_bytes),
			.text_bytes = field->text_bytes};
		status = bs_buffer_append(&corpus->texts, &text, sizeof(text), err);
	}
	return status ? status : bs_buffer_append(&corpus->documents, &kept, sizeof(kept), err);
}

static void read_corpus(const char *path, struct corpus *corpus)
{
	struct bs_source source;
	struct bs_source_options options = {.hidden = false};
	struct bs_document_sink sink = {.context = corpus, .document = take_document};
	struct bs_reader *reader;
	struct bs_feed *feed;
	struct bs_error err;
	or_die(bs_source_init(&source, path, &err), &err);
	or_die(bs_feed_open(&source, &options, NULL, NULL, &feed, &err), &err);
	or_die(bs_reader_new(&options, &reader, &err), &err);
	or_die(bs_reader_read_all(reader, feed, &sink, &err), &err);
	bs_feed_close(feed);
	bs_reader_free(reader);
	bs_source_deinit(&source);
}

static void add(struct bs_writer *writer, const struct corpus *corpus,
                const struct document *document)
{
	const char *bytes = (const char *)corpus->bytes.data;
	const struct bs_text *kept =
		(const struct bs_text *)(const void *)corpus->texts.data + document->texts;
	struct bs_text texts[MOST_TEXTS];
	struct bs_error err;
	for (size_t i = 0; i < document->n_texts; i++)
		texts[i] = (struct bs_text){bytes + (uintptr_t)kept[i].field, kept[i].field_bytes,
		                            bytes + (uintptr_t)kept[i].text, kept[i].text_bytes};
	or_die(bs_writer_add(writer, bytes + document->id, document->id_bytes, texts,
	                     document->n_texts, &err),
	       &err);
}

static void clear(const char *dir)
{
	char *command;
	if (asprintf(&command, "rm -rf -- '%s'", dir) < 0 || system(command) != 0)
		exit(2);
	free(command);
}

static double index_file(const char *path, const char *dir, clockid_t clock)
{
	const char *sources[] = {path};
	struct bs_consent consent = {.all = true};
	struct bs_build_request request = {.dir = dir,
	                                   .sources = sources,
	                                   .n_sources = 1,
	                                   .write.n_threads = 1,
	                                   .host.consent = &consent};
	struct bs_error err;
	clear(dir);
	double start = cpu_s(clock);
	or_die(bs_index_build(&request, NULL, &err), &err);
	return cpu_s(clock) - start;
}

static double write_all(const struct corpus *corpus, const char *dir, bool not_stored,
                        uint32_t n_threads, clockid_t clock)
{
	const struct document *documents =
		(const struct document *)(const void *)corpus->documents.data;
	size_t n = corpus->documents.used_bytes / sizeof(*documents);
	struct bs_writer_request request = {
		.dir = dir, .not_stored = not_stored, .write.n_threads = n_threads};
	struct bs_writer *writer;
	struct bs_error err;
	clear(dir);
	double start = cpu_s(clock);
	or_die(bs_writer_open(&request, &writer, &err), &err);
	for (size_t i = 0; i < n; i++)
		add(writer, corpus, &documents[i]);
	or_die(bs_writer_commit(writer, NULL, &err), &err);
	bs_writer_close(writer);
	return cpu_s(clock) - start;
}

/* Adds ONES documents of the corpus again, which replaces them, each with its own writer and
 * commit. */
static void add_ones(const struct corpus *corpus, const char *dir)
{
	const struct document *documents =
		(const struct document *)(const void *)corpus->documents.data;
	size_t n = corpus->documents.used_bytes / sizeof(*documents);
	struct bs_writer_request request = {.dir = dir, .write.n_threads = 1};
	double start_cpu = cpu_s(CLOCK_PROCESS_CPUTIME_ID), start = cpu_s(CLOCK_MONOTONIC);
	for (size_t i = 0; i < ONES && i < n; i++) {
		struct bs_writer *writer;
		struct bs_error err;
		or_die(bs_writer_open(&request, &writer, &err), &err);
		add(writer, corpus, &documents[n - 1 - i * (n / ONES)]);
		or_die(bs_writer_commit(writer, NULL, &err), &err);
		bs_writer_close(writer);
	}
	printf("one document more: %.1f ms of CPU, %.1f ms in all (with flushes)\n",
	       (cpu_s(CLOCK_PROCESS_CPUTIME_ID) - start_cpu) * 1e3 / ONES,
	       (cpu_s(CLOCK_MONOTONIC) - start) * 1e3 / ONES);
}

int main(int argc, char **argv)
{
	struct corpus corpus = {.bytes = {0}};
	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: bitsift-bench-adding FILE.jsonl DIR [ROUNDS]\n");
		return 2;
	}
	int n_rounds = argc == 4 ? atoi(argv[3]) : 3;
	read_corpus(argv[1], &corpus);
	double n = (double)(corpus.documents.used_bytes / sizeof(struct document));
	for (int round = 0; round < n_rounds; round++) {
		double file_s = index_file(argv[1], argv[2], CLOCK_PROCESS_CPUTIME_ID);
		double bare_s = write_all(&corpus, argv[2], true, 1, CLOCK_PROCESS_CPUTIME_ID);
		double stored_s = write_all(&corpus, argv[2], false, 1, CLOCK_PROCESS_CPUTIME_ID);
		printf("documents a second: file %.0f, writer not stored %.0f (%.2f), stored %.0f "
		       "(%.2f)\n",
		       n / file_s, n / bare_s, file_s / bare_s, n / stored_s, file_s / stored_s);
		file_s = index_file(argv[1], argv[2], CLOCK_MONOTONIC);
		bare_s = write_all(&corpus, argv[2], true, 0, CLOCK_MONOTONIC);
		stored_s = write_all(&corpus, argv[2], false, 0, CLOCK_MONOTONIC);
		printf("  by the clock, writer with threads: file %.0f, not stored %.0f (%.2f), "
		       "stored %.0f (%.2f)\n",
		       n / file_s, n / bare_s, file_s / bare_s, n / stored_s, file_s / stored_s);
		fflush(stdout);
	}
	add_ones(&corpus, argv[2]);
	clear(argv[2]);
	bs_buffer_deinit(&corpus.bytes);
	bs_buffer_deinit(&corpus.texts);
	bs_buffer_deinit(&corpus.documents);
	return 0;
}
