/* pipeline.c: see pipeline.h. */
#include "indexer/batch/pipeline.h"

#include <stdlib.h>

#include "core/system/workers.h"
#include "corpus/read/reader.h"

/* When the analysed part of a batch reaches this size, it is merged before the rest of the batch is
 * analysed. */
#define TERM_BATCH_LIMIT_BYTES (8u << 20)

/* Limit, for each thread, of the bytes in finished analysed batches that wait to be merged. */
#define WAITING_LIMIT_BYTES ((uint64_t)16 << 20)

/* A batch with more bytes is processed alone: earlier batches are merged before it, and none is
 * read until it is merged. Batches of lines mostly have 1 MiB. */
#define ALONE_BYTES ((size_t)4 << 20)

/* A batch that is being processed. */
struct slot {
	/* The first field, because sink.context points to it: take_document and await_large use the
	 * context as the slot, the other callbacks of the sink as the analysed batch. */
	struct bs_term_batch term_batch;
	struct bs_document_sink sink;
	struct bs_batch batch;
	const struct bs_task *task; /* the task that analyses it */
	bool is_done;               /* the task has finished the batch */
};

/* The objects that each thread owns. */
struct worker {
	struct bs_tokenizer *tokenizer; /* NULL: none */
	struct bs_gram_sketch *grams;   /* NULL: none */
	struct bs_reader *reader;
};

struct bs_pipeline {
	uint32_t n_threads;
	uint32_t n_slots;
	struct slot *slots;
	struct worker *workers; /* n_threads */
	bool has_file_grams, has_record_grams;
	bs_merge_fn merge; /* the caller's function, during bs_pipeline_run */
	void *context;     /* argument of merge */
};

static enum bs_status take_document(void *context, const struct bs_document *document,
                                    struct bs_error *err)
{
	struct slot *slot = context;
	/* A full analysed batch is merged only when the next document arrives: by then the text of
	 * a huge document has been freed. */
	bool is_small = bs_term_batch_bytes(&slot->term_batch) < TERM_BATCH_LIMIT_BYTES;
	enum bs_status status = is_small ? BS_OK : bs_task_hand_over(slot->task);
	return status ? status
	              : bs_term_batch_sink(&slot->term_batch)
	                        .document(&slot->term_batch, document, err);
}

/* Before a large document is read, all earlier documents are merged. merge writes a segment if
 * memory does not suffice for these documents and the large one. */
static enum bs_status await_large(void *context, uint64_t n_bytes, struct bs_error *err)
{
	struct slot *slot = context;
	(void)err;
	slot->term_batch.next_bytes = n_bytes;
	enum bs_status status = bs_task_hand_over(slot->task);
	slot->term_batch.next_bytes = 0;
	slot->term_batch.is_alone = true;
	return status;
}

static enum bs_status analyze_batch(void *context, const struct bs_task *task, struct bs_error *err)
{
	struct bs_pipeline *pipeline = context;
	struct slot *slot = &pipeline->slots[task->number % pipeline->n_slots];
	const struct worker *worker = &pipeline->workers[task->worker];
	bool is_row = slot->batch.is_row;
	bool is_file = is_row || !bs_source_has_records(slot->batch.source);
	slot->term_batch.is_row = is_row;
	slot->term_batch.tokenizer = is_row ? NULL : worker->tokenizer;
	slot->term_batch.grams = (is_file ? pipeline->has_file_grams : pipeline->has_record_grams)
	                                 ? worker->grams
	                                 : NULL;
	slot->task = task;
	slot->is_done = false;
	enum bs_status status = bs_reader_read(worker->reader, &slot->batch, &slot->sink, err);
	slot->is_done = true;
	return status || bs_task_hold(task, bs_term_batch_bytes(&slot->term_batch)) ? status
	                                                                            : BS_STOPPED;
}

static enum bs_status merge_batch(void *context, uint64_t task, struct bs_error *err)
{
	struct bs_pipeline *pipeline = context;
	struct slot *slot = &pipeline->slots[task % pipeline->n_slots];
	bs_term_batch_seal(&slot->term_batch);
	enum bs_status status = pipeline->merge(pipeline->context, &slot->term_batch, &slot->batch,
	                                        slot->is_done, err);
	bs_term_batch_clear(&slot->term_batch);
	return status;
}

enum bs_status bs_pipeline_new(uint32_t n_threads, const struct bs_tokenizer_options *words,
                               char *const *weights, const struct bs_source_options *options,
                               struct bs_pipeline **pipeline_out, struct bs_error *err)
{
	struct bs_pipeline *pipeline = calloc(1, sizeof(*pipeline));
	*pipeline_out = NULL;
	if (!pipeline)
		return bs_fail_memory(err, "a pipeline", sizeof(*pipeline));
	enum bs_status status = BS_OK;
	pipeline->n_threads = n_threads;
	pipeline->n_slots = n_threads > 1 ? n_threads + 3 : 1;
	pipeline->slots = calloc(pipeline->n_slots, sizeof(*pipeline->slots));
	pipeline->workers = calloc(n_threads, sizeof(*pipeline->workers));
	if (!pipeline->slots || !pipeline->workers)
		status = bs_fail_memory(err, "a pipeline",
		                        pipeline->n_slots * sizeof(*pipeline->slots));
	for (uint32_t i = 0; i < pipeline->n_slots && !status; i++) {
		pipeline->slots[i].sink = bs_term_batch_sink(&pipeline->slots[i].term_batch);
		pipeline->slots[i].sink.document = take_document;
		pipeline->slots[i].sink.large = await_large;
		pipeline->slots[i].term_batch.memory_bytes = options->memory_bytes;
		pipeline->slots[i].term_batch.weights = weights;
	}
	for (uint32_t i = 0; i < n_threads && !status; i++) {
		status = words ? bs_tokenizer_new(words, &pipeline->workers[i].tokenizer, err)
		               : BS_OK;
		if (!status)
			status = bs_reader_new(options, &pipeline->workers[i].reader, err);
	}
	if (status)
		bs_pipeline_free(pipeline);
	else
		*pipeline_out = pipeline;
	return status;
}

void bs_pipeline_set_word_pairs(struct bs_pipeline *pipeline, const struct bs_word_pairs *pairs)
{
	for (uint32_t i = 0; i < pipeline->n_slots; i++)
		pipeline->slots[i].term_batch.pairs =
			pairs && pairs->n_word_pairs > 0 ? pairs : NULL;
}

enum bs_status bs_pipeline_set_grams(struct bs_pipeline *pipeline, const struct bs_gram_plan *plan,
                                     bool of_files, bool of_records, struct bs_error *err)
{
	pipeline->has_file_grams = of_files;
	pipeline->has_record_grams = of_records;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < pipeline->n_threads && !status; i++) {
		bs_gram_sketch_free(pipeline->workers[i].grams);
		status = bs_gram_sketch_new(plan, &pipeline->workers[i].grams, err);
	}
	return status;
}

struct bs_tokenizer *bs_pipeline_words(const struct bs_pipeline *pipeline)
{
	return pipeline->workers[0].tokenizer;
}

struct bs_gram_sketch *bs_pipeline_record_grams(const struct bs_pipeline *pipeline)
{
	return pipeline->has_record_grams ? pipeline->workers[0].grams : NULL;
}

void bs_pipeline_free(struct bs_pipeline *pipeline)
{
	if (!pipeline)
		return;
	for (uint32_t i = 0; pipeline->slots && i < pipeline->n_slots; i++) {
		bs_batch_deinit(&pipeline->slots[i].batch);
		bs_term_batch_deinit(&pipeline->slots[i].term_batch);
	}
	for (uint32_t i = 0; pipeline->workers && i < pipeline->n_threads; i++) {
		bs_tokenizer_free(pipeline->workers[i].tokenizer);
		bs_gram_sketch_free(pipeline->workers[i].grams);
		bs_reader_free(pipeline->workers[i].reader);
	}
	free(pipeline->slots);
	free(pipeline->workers);
	free(pipeline);
}

static enum bs_status feed_all(struct bs_pipeline *pipeline, struct bs_workers *workers,
                               struct bs_feed *feed, struct bs_error *err)
{
	for (uint64_t i = 0; bs_workers_wait_room(workers); i++) {
		struct slot *slot = &pipeline->slots[i % pipeline->n_slots];
		enum bs_status status = bs_feed_next(feed, &slot->batch, err);
		if (status || slot->batch.n_items == 0)
			return status;
		/* Merge all batches before a huge record, and read no further batch until it is
		 * merged. */
		bool is_alone = slot->batch.bytes.used_bytes > ALONE_BYTES;
		if (is_alone && !bs_workers_wait_put(workers))
			break;
		(void)bs_workers_add(workers, 1);
		if (is_alone && !bs_workers_wait_put(workers))
			break;
		if (is_alone)
			bs_buffer_deinit(&slot->batch.bytes);
	}
	return BS_OK;
}

enum bs_status bs_pipeline_run(struct bs_pipeline *pipeline, struct bs_feed *feed, bool keep_raws,
                               bs_merge_fn merge, void *context, struct bs_error *err)
{
	struct bs_workers_plan plan = {.n_threads = pipeline->n_threads,
	                               .n_slots = pipeline->n_slots,
	                               .work = analyze_batch,
	                               .put = merge_batch,
	                               .puts_on_caller = true,
	                               .most_held_bytes = pipeline->n_threads * WAITING_LIMIT_BYTES,
	                               .context = pipeline};
	struct bs_workers *workers;
	struct bs_error why = {.text = ""};
	enum bs_status status = bs_workers_new(&plan, &workers, err);
	if (status)
		return status;
	pipeline->merge = merge;
	pipeline->context = context;
	for (uint32_t i = 0; i < pipeline->n_slots; i++) {
		bs_term_batch_clear(&pipeline->slots[i].term_batch);
		pipeline->slots[i].term_batch.keep_raws = keep_raws;
	}
	for (uint32_t n = 1; n < pipeline->n_threads && bs_workers_start(workers); n++)
		continue;
	status = feed_all(pipeline, workers, feed, &why);
	if (status)
		bs_workers_stop(workers, status, &why);
	status = bs_workers_finish(workers, err);
	bs_workers_free(workers);
	return status;
}
