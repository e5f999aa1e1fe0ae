/* sample.c: see sample.h. */
#include "indexer/choose/sample.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift/skip.h"
#include "core/matrix/prices.h"
#include "core/system/deadline.h"
#include "corpus/changes/recorded.h"
#include "corpus/read/reader.h"
#include "corpus/read/recognize.h"
#include "corpus/walk/file.h"

/* A larger sample has more pieces, not longer ones, because adjacent documents are similar. */
#define PIECE_BYTES  (UINT64_C(256) << 10)
#define LEAST_PIECES 96u
#define MOST_PIECES  256u

struct sampler {
	const struct bs_source *source;
	struct bs_reader *reader;
	struct bs_progress *progress;
	bs_sample_fn take;
	void *context;
	uint32_t n_pieces;
	size_t piece_bytes;
	uint64_t text_bytes; /* taken so far */
	uint64_t end_bytes;  /* text_bytes at the end of the current piece */
	bool knows_records;  /* collections that are found in folders are sampled as collections */
	bool is_enough;      /* the rest of the current batch is not needed */
};

/* Most bytes of a file that are sampled: its first ones. */
#define MOST_TEXT_BYTES ((uint64_t)8 << 20)

static enum bs_status take_document(void *context, const struct bs_document *document,
                                    struct bs_error *err)
{
	struct sampler *sampler = context;
	struct bs_document beginning = *document;
	struct bs_field field;
	if (document->text.n_fields == 1 && document->text.n_bytes > MOST_TEXT_BYTES) {
		field = document->text.fields[0];
		field.text_bytes = beginning.text.n_bytes = MOST_TEXT_BYTES;
		beginning.text.fields = &field;
	}
	enum bs_status status = sampler->take(sampler->context, &beginning, err);
	sampler->text_bytes += beginning.text.n_bytes;
	sampler->is_enough = sampler->text_bytes >= sampler->end_bytes;
	return status || !sampler->is_enough ? status : BS_STOPPED;
}

static enum bs_status take_batch(struct sampler *sampler, const struct bs_batch *batch,
                                 struct bs_error *err)
{
	struct bs_document_sink sink = {.context = sampler, .document = take_document};
	sampler->end_bytes = sampler->text_bytes + sampler->piece_bytes;
	sampler->is_enough = false;
	enum bs_status status = bs_progress_add(sampler->progress, 0, err);
	if (status)
		return status;
	status = bs_reader_read(sampler->reader, batch, &sink, err);
	return status == BS_STOPPED && sampler->is_enough ? BS_OK : status;
}

/* Cuts whole lines from a piece of a collection: at most n_enough bytes of lines, or one line that
 * is longer. Unless is_first, the piece begins within a line, which is dropped. */
static enum bs_status cut_lines(const uint8_t *bytes, size_t n_bytes, size_t n_enough,
                                bool is_first, struct bs_batch *batch, struct bs_error *err)
{
	enum bs_coding coding = batch->coding;
	size_t unit = bs_coding_unit_bytes(coding);
	const uint8_t *start = is_first ? bytes : bs_coding_first_feed(coding, bytes, n_bytes);
	start += start && !is_first ? unit : 0;
	size_t n_left = start ? n_bytes - (size_t)(start - bytes) : 0;
	const uint8_t *end =
		n_left ? bs_coding_last_feed(coding, start, n_left < n_enough ? n_left : n_enough)
		       : NULL;
	if (!end && n_left)
		end = bs_coding_first_feed(coding, start, n_left);
	bs_buffer_clear(&batch->bytes);
	batch->n_items = 0;
	if (!end)
		return BS_OK;
	for (const uint8_t *at = start; at && at <= end; batch->n_items++) {
		at = bs_coding_first_feed(coding, at, (size_t)(end + unit - at));
		at = at ? at + unit : NULL;
	}
	return bs_buffer_append(&batch->bytes, start, (size_t)(end + unit - start), err);
}

/* How many bytes of a source of source_bytes are enough for a sample. A larger sample would take
 * much of the time of reading the source. source_bytes 0: the minimum for any source. */
static uint64_t enough_bytes(const struct sampler *sampler, uint64_t source_bytes)
{
	uint64_t least =
		(uint64_t)sampler->piece_bytes * sampler->n_pieces / BS_PRICE_SAMPLE_LEAST_SHARE;
	least = least < BS_PRICE_SAMPLE_LEAST ? least : BS_PRICE_SAMPLE_LEAST;
	return source_bytes / BS_PRICE_SAMPLE_SHARE > least ? source_bytes / BS_PRICE_SAMPLE_SHARE
	                                                    : least;
}

/* Samples a collection. If it cannot be read, this is not an error here; the run reports it. */
static enum bs_status sample_lines(struct sampler *sampler, const struct bs_source *source,
                                   uint32_t most_pieces, struct bs_error *err)
{
	struct stat found;
	struct bs_batch batch = {.source = source};
	size_t piece_bytes = sampler->piece_bytes;
	enum bs_status status = BS_OK;
	int fd = bs_source_open(source, O_RDONLY | O_NONBLOCK);
	uint8_t *bytes = malloc(piece_bytes);
	if (!bytes)
		status = bs_fail_memory(err, "a sample", piece_bytes);
	bool is_readable = fd >= 0 && fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
	batch.coding = is_readable ? bs_coding_of_file(fd) : BS_CODING_UTF8;
	/* If the collection has fewer than most_pieces pieces, each is read once, so that no line
	 * is sampled twice. */
	uint64_t n_whole = is_readable ? (uint64_t)found.st_size / piece_bytes + 1 : 0;
	uint32_t n_pieces = n_whole < most_pieces ? (uint32_t)n_whole : most_pieces;
	size_t n_enough =
		is_readable ? enough_bytes(sampler, (uint64_t)found.st_size) / n_pieces : 0;
	for (uint32_t i = 0; i < n_pieces && !status; i++) {
		off_t offset = n_whole < most_pieces ? (off_t)(i * piece_bytes)
		                                     : found.st_size / most_pieces * i;
		offset -= offset % (off_t)bs_coding_unit_bytes(batch.coding);
		ssize_t n_bytes = pread(fd, bytes, piece_bytes, offset);
		if (n_bytes <= 0)
			break;
		status = cut_lines(bytes, (size_t)n_bytes, n_enough, i == 0, &batch, err);
		if (!status && batch.n_items > 0)
			status = take_batch(sampler, &batch, err);
	}
	if (fd >= 0)
		close(fd);
	free(bytes);
	bs_batch_deinit(&batch);
	return status;
}

/* Walks a folder and keeps every n-th batch of paths, so that the kept batches are spread over the
 * folder. *is_whole_out: whether all batches were kept. */
static enum bs_status keep_paths(struct bs_feed *feed, const struct sampler *sampler,
                                 struct bs_batch kept[MOST_PIECES], uint32_t *n_kept,
                                 bool *is_whole_out, struct bs_error *err)
{
	uint64_t stride = 1;
	for (uint64_t i = 0;; i++) {
		*is_whole_out = stride == 1;
		if (bs_feed_next(feed, &kept[*n_kept], NULL) || kept[*n_kept].n_items == 0)
			return BS_OK;
		enum bs_status status =
			bs_progress_add(sampler->progress, kept[*n_kept].n_items, err);
		if (status)
			return status;
		if (i % stride != 0 || ++*n_kept < sampler->n_pieces)
			continue;
		stride *= 2;
		*n_kept = sampler->n_pieces / 2;
		for (uint32_t k = 1; k < sampler->n_pieces / 2; k++) {
			struct bs_batch dropped = kept[k];
			kept[k] = kept[2 * k];
			kept[2 * k] = dropped;
		}
	}
}

/* Recognizes inner collections by their names only, without reading them, because a sample may be
 * inexact. */
static enum bs_status meet_name(void *context, const char *path, struct bs_inner **inner_out,
                                struct bs_feed **feed_out, bool *is_unread_out,
                                struct bs_error *err)
{
	(void)is_unread_out, (void)err;
	*inner_out = bs_recognizer_has_name(context, path) ? context : NULL;
	*feed_out = NULL;
	return BS_OK;
}

/* Samples a kept batch: its paths, or, if it begins an inner collection, that collection. n_inner:
 * number of inner collections, which share the sample. */
static enum bs_status take_kept(struct sampler *sampler, const struct bs_batch *batch,
                                uint32_t n_inner, struct bs_error *err)
{
	const char *below = (const char *)batch->bytes.data;
	struct bs_source inner = {
		.kind = BS_SOURCE_COLLECTION, .is_inner = true, .label = (char[]){""}};
	struct bs_buffer path = {0};
	if (!batch->begins_inner)
		return take_batch(sampler, batch, err);
	enum bs_status status = bs_file_join(batch->source->path, below, strlen(below), &path, err);
	inner.folder = batch->source->path;
	inner.below = (char *)(uintptr_t)below;
	inner.path = (char *)path.data;
	if (!status)
		status = sample_lines(sampler, &inner, (sampler->n_pieces + n_inner - 1) / n_inner,
		                      err);
	bs_buffer_deinit(&path);
	return status;
}

/* Samples the kept batches. If these are all batches of a small folder (is_whole), takes the
 * collections and every other batch first, then further batches until the sample is large
 * enough. */
static enum bs_status take_all_kept(struct sampler *sampler, const struct bs_batch *kept,
                                    uint32_t n_kept, bool is_whole, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	uint32_t n_inner = 0;
	for (uint32_t i = 0; i < n_kept; i++)
		n_inner += kept[i].begins_inner;
	for (uint32_t i = 0; i < n_kept && !status; i++)
		if (!is_whole || i % 2 == 0 || kept[i].begins_inner)
			status = take_kept(sampler, &kept[i], n_inner, err);
	for (uint32_t i = 1; is_whole && i < n_kept && !status; i += 2)
		if (!kept[i].begins_inner && sampler->text_bytes < enough_bytes(sampler, 0))
			status = take_kept(sampler, &kept[i], n_inner, err);
	return status;
}

static enum bs_status sample_paths(struct sampler *sampler, const struct bs_source_options *options,
                                   struct bs_error *err)
{
	struct bs_batch *kept = calloc(MOST_PIECES, sizeof(*kept));
	struct bs_feed *feed = NULL;
	struct bs_recognizer *recognizer = NULL;
	struct bs_inner_reader reader = {.meet = meet_name};
	uint32_t n_kept = 0;
	bool is_whole = false;
	enum bs_status status = BS_OK;
	if (!kept)
		return bs_fail_memory(err, "a sample", MOST_PIECES * sizeof(*kept));
	if (sampler->knows_records && options->reads_records)
		status = bs_recognizer_new(options, &recognizer, err);
	reader.context = recognizer;
	if (!status && bs_feed_open(sampler->source, options, NULL, NULL, &feed, NULL) == BS_OK) {
		bs_feed_set_inner_reader(feed, recognizer ? &reader : NULL);
		status = keep_paths(feed, sampler, kept, &n_kept, &is_whole, err);
	}
	bs_feed_close(feed);
	if (!status)
		status = take_all_kept(sampler, kept, n_kept, is_whole, err);
	bs_recognizer_free(recognizer);
	for (uint32_t i = 0; i < MOST_PIECES; i++)
		bs_batch_deinit(&kept[i]);
	free(kept);
	return status;
}

static enum bs_status sample_source(struct sampler *sampler,
                                    const struct bs_source_options *options, struct bs_error *err)
{
	enum bs_status status = bs_reader_new(options, &sampler->reader, err);
	if (!status)
		status = sampler->source->kind == BS_SOURCE_COLLECTION
		                 ? sample_lines(sampler, sampler->source, sampler->n_pieces, err)
		                 : sample_paths(sampler, options, err);
	bs_reader_free(sampler->reader);
	return status;
}

enum bs_status bs_sample_sources(void *context, bs_sample_fn take, void *take_context,
                                 struct bs_error *err)
{
	const struct bs_source_sample *sample = context;
	const struct bs_manifest *manifest = sample->manifest;
	enum bs_status status = BS_OK;
	uint64_t wanted = sample->n_bytes / PIECE_BYTES;
	uint32_t n_pieces = wanted < LEAST_PIECES  ? LEAST_PIECES
	                    : wanted > MOST_PIECES ? MOST_PIECES
	                                           : (uint32_t)wanted;
	for (uint32_t i = 0; i < manifest->n_sources && !status; i++) {
		struct bs_source source, found;
		struct sampler sampler = {.source = &source,
		                          .progress = sample->options->progress,
		                          .take = take,
		                          .context = take_context,
		                          .n_pieces = n_pieces,
		                          .piece_bytes = (size_t)(sample->n_bytes / n_pieces),
		                          .knows_records = !sample->files_only};
		if (manifest->sources[i].parent)
			continue;
		status = bs_recorded_root(sample->dir, &manifest->sources[i], &source, err);
		if (status)
			break;
		/* The kind of the source may have changed since it was recorded. */
		if (source.kind != BS_SOURCE_STDIN && !source.is_refused &&
		    bs_source_init(&found, source.path, NULL) == BS_OK) {
			source.kind = found.kind;
			bs_source_deinit(&found);
			if (source.kind != BS_SOURCE_COLLECTION || !sample->files_only)
				status = sample_source(&sampler, sample->options, err);
		}
		bs_source_deinit(&source);
	}
	return status;
}
