/* pipeline.c: see pipeline.h. */
#include "indexer/pipeline.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

/* A harvest is poured when it holds this much, even in the middle of a batch. */
#define HARVEST_LIMIT_BYTES (8u << 20)

/* While harvests of this much, for each thread, wait for their turn, no batch is taken but the one whose turn is next. */
#define WAITING_LIMIT_BYTES ((uint64_t)16 << 20)

/*
 * The life of a slot: the main thread fills its batch (EMPTY -> READY), a worker takes it (RUNNING) and harvests it
 * (DONE), or stops half-way with a full harvest (FULL) until the main thread, whose turn it is to pour this very slot,
 * has emptied it (RUNNING again). The main thread is a worker, too, when there is nothing to pour: were it one more than
 * there are processors, it would wait for one while everyone waits for it.
 */
enum slot_state { SLOT_EMPTY, SLOT_READY, SLOT_RUNNING, SLOT_FULL, SLOT_DONE };

struct slot {
	struct bs_pipeline *pipeline;
	enum slot_state state;
	bool is_of_main; /* harvested on the main thread */
	struct bs_batch batch;
	struct bs_harvest harvest;
	uint64_t waiting_bytes; /* of the harvest, once it is done */
	struct bs_document_sink harvest_sink;
	enum bs_status status;
	struct bs_error error;
};

/* What a thread works with. */
struct worker {
	struct bs_pipeline *pipeline;
	pthread_t thread;
	struct bs_words *words; /* NULL: none */
	struct bs_gram_sketch *grams; /* NULL: none */
	struct bs_reader *reader;
};

struct bs_pipeline {
	uint32_t n_threads;
	uint32_t n_slots;
	struct slot *slots;
	struct worker *workers; /* n_threads; the last one is the main thread */
	uint32_t n_started;     /* of the others */
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* some slot's state */
	bool is_stopping;       /* the pipeline ends, or the run has failed */
	bool has_mutex;
	/* The run under way. Batch i goes through slot i % n_slots. */
	const struct bs_source *source;
	uint64_t n_fed;
	uint64_t n_taken;
	uint64_t n_poured; /* changed by the main thread alone, under the mutex */
	uint64_t waiting_bytes; /* of the harvests that are done and not poured yet */
	bool has_failed_to_pour; /* likewise */
	bs_pour_fn pour;
	void *context;
};

/* ---- a slot's work ---- */

static enum bs_status pour_harvest(struct slot *slot, struct bs_error *err)
{
	struct bs_pipeline *pipeline = slot->pipeline;
	bs_harvest_seal(&slot->harvest);
	enum bs_status status = pipeline->pour(pipeline->context, &slot->harvest, slot->batch.source_bytes, err);
	bs_harvest_clear(&slot->harvest);
	pipeline->has_failed_to_pour |= status != BS_OK;
	return status;
}

static void end_batch(struct slot *slot)
{
	struct bs_pipeline *pipeline = slot->pipeline;
	pthread_mutex_lock(&pipeline->mutex);
	pipeline->n_poured++;
	pipeline->waiting_bytes -= slot->waiting_bytes;
	pthread_cond_broadcast(&pipeline->changed);
	pthread_mutex_unlock(&pipeline->mutex);
}

/* Pours the slot whose turn it is, as often as it fills, until its batch is done. */
static enum bs_status pour_slot(struct bs_pipeline *pipeline, struct bs_error *err)
{
	struct slot *slot = &pipeline->slots[pipeline->n_poured % pipeline->n_slots];
	for (;;) {
		pthread_mutex_lock(&pipeline->mutex);
		while (slot->state != SLOT_FULL && slot->state != SLOT_DONE)
			pthread_cond_wait(&pipeline->changed, &pipeline->mutex);
		bool is_done = slot->state == SLOT_DONE;
		pthread_mutex_unlock(&pipeline->mutex);
		if (is_done && slot->status) {
			if (err)
				*err = slot->error;
			return slot->status;
		}
		enum bs_status status = pour_harvest(slot, err);
		if (!status && is_done)
			end_batch(slot);
		if (status || is_done)
			return status;
		pthread_mutex_lock(&pipeline->mutex);
		slot->state = SLOT_RUNNING;
		pthread_cond_broadcast(&pipeline->changed);
		pthread_mutex_unlock(&pipeline->mutex);
	}
}

/* On the main thread: those before it were all taken before it, and go first. */
static enum bs_status pour_full(struct slot *slot, struct bs_error *err)
{
	struct bs_pipeline *pipeline = slot->pipeline;
	enum bs_status status = BS_OK;
	while (!status && slot != &pipeline->slots[pipeline->n_poured % pipeline->n_slots])
		status = pour_slot(pipeline, err);
	pipeline->has_failed_to_pour |= status != BS_OK;
	return status ? status : pour_harvest(slot, err);
}

/* On a worker: hands a full harvest over and waits until it is empty. */
static enum bs_status hand_over(struct slot *slot, struct bs_error *err)
{
	struct bs_pipeline *pipeline = slot->pipeline;
	if (slot->is_of_main)
		return pour_full(slot, err);
	pthread_mutex_lock(&pipeline->mutex);
	slot->state = SLOT_FULL;
	pthread_cond_broadcast(&pipeline->changed);
	while (slot->state == SLOT_FULL && !pipeline->is_stopping)
		pthread_cond_wait(&pipeline->changed, &pipeline->mutex);
	bool is_stopped = pipeline->is_stopping;
	pthread_mutex_unlock(&pipeline->mutex);
	return is_stopped ? BS_STOPPED : BS_OK;
}

static enum bs_status slot_document(void *context, const struct bs_document *document, struct bs_error *err)
{
	struct slot *slot = context;
	/* Only when the next document comes: the text of an enormous one is given back by then, or at the end of its batch. */
	enum bs_status status = bs_harvest_bytes(&slot->harvest) < HARVEST_LIMIT_BYTES ? BS_OK : hand_over(slot, err);
	return status ? status : slot->harvest_sink.document(slot->harvest_sink.context, document, err);
}

static enum bs_status slot_skip(void *context, enum bs_skip reason, const char *message, struct bs_error *err)
{
	struct slot *slot = context;
	return slot->harvest_sink.skip(slot->harvest_sink.context, reason, message, err);
}

static enum bs_status slot_unchanged(void *context, struct bs_doc_ref known, struct bs_error *err)
{
	struct slot *slot = context;
	return slot->harvest_sink.unchanged(slot->harvest_sink.context, known, err);
}

static enum bs_status slot_passed_over(void *context, const char *name, uint32_t nul_end, struct bs_error *err)
{
	struct slot *slot = context;
	return slot->harvest_sink.passed_over(slot->harvest_sink.context, name, nul_end, err);
}

static void harvest_batch(struct worker *worker, struct slot *slot)
{
	bool is_file = slot->pipeline->source->kind == BS_SOURCE_FOLDER || slot->pipeline->source->kind == BS_SOURCE_FILE;
	slot->harvest.words = worker->words;
	slot->harvest.grams = is_file ? worker->grams : NULL;
	struct bs_document_sink sink = {
		.context = slot,
		.document = slot_document,
		.skip = slot_skip,
		.unchanged = slot_unchanged,
		.passed_over = slot_passed_over,
	};
	slot->status = bs_reader_read(worker->reader, slot->pipeline->source, &slot->batch, &sink, &slot->error);
}

/* Under the mutex, which is free meanwhile: harvests the next batch, if there is one. */
static bool take_batch(struct worker *worker, bool is_main)
{
	struct bs_pipeline *pipeline = worker->pipeline;
	bool must_wait = pipeline->n_taken > pipeline->n_poured &&
	                 pipeline->waiting_bytes > pipeline->n_threads * WAITING_LIMIT_BYTES;
	if (pipeline->n_taken == pipeline->n_fed || must_wait)
		return false;
	struct slot *slot = &pipeline->slots[pipeline->n_taken++ % pipeline->n_slots];
	assert(slot->state == SLOT_READY);
	slot->state = SLOT_RUNNING;
	slot->is_of_main = is_main;
	pthread_mutex_unlock(&pipeline->mutex);
	harvest_batch(worker, slot);
	pthread_mutex_lock(&pipeline->mutex);
	slot->state = SLOT_DONE;
	slot->waiting_bytes = bs_harvest_bytes(&slot->harvest);
	pipeline->waiting_bytes += slot->waiting_bytes;
	pthread_cond_broadcast(&pipeline->changed);
	return true;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct bs_pipeline *pipeline = worker->pipeline;
	pthread_mutex_lock(&pipeline->mutex);
	while (!pipeline->is_stopping)
		if (!take_batch(worker, false))
			pthread_cond_wait(&pipeline->changed, &pipeline->mutex);
	pthread_mutex_unlock(&pipeline->mutex);
	return NULL;
}

/* ---- making ---- */

static enum bs_status worker_init(struct worker *worker, struct bs_pipeline *pipeline,
                                  const struct bs_words_options *words, const struct bs_source_options *options,
                                  struct bs_error *err)
{
	worker->pipeline = pipeline;
	enum bs_status status = words ? bs_words_new(words, &worker->words, err) : BS_OK;
	return status ? status : bs_reader_new(options, &worker->reader, err);
}

enum bs_status bs_pipeline_new(uint32_t n_threads, const struct bs_words_options *words,
                               const struct bs_source_options *options, struct bs_pipeline **pipeline_out,
                               struct bs_error *err)
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
		status = bs_fail_memory(err, "a pipeline", pipeline->n_slots * sizeof(*pipeline->slots));
	for (uint32_t i = 0; i < pipeline->n_slots && !status; i++) {
		pipeline->slots[i].pipeline = pipeline;
		pipeline->slots[i].harvest_sink = bs_harvest_sink(&pipeline->slots[i].harvest);
	}
	for (uint32_t i = 0; i < n_threads && !status; i++)
		status = worker_init(&pipeline->workers[i], pipeline, words, options, err);
	if (!status) {
		pthread_mutex_init(&pipeline->mutex, NULL);
		pthread_cond_init(&pipeline->changed, NULL);
		pipeline->has_mutex = true;
	}
	if (status)
		bs_pipeline_free(pipeline);
	else
		*pipeline_out = pipeline;
	return status;
}

void bs_pipeline_set_pairs(struct bs_pipeline *pipeline, const struct bs_word_pairs *pairs)
{
	for (uint32_t i = 0; i < pipeline->n_slots; i++)
		pipeline->slots[i].harvest.pairs = pairs && pairs->n_pairs > 0 ? pairs : NULL;
}

enum bs_status bs_pipeline_set_grams(struct bs_pipeline *pipeline, const struct bs_gram_plan *plan, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < pipeline->n_threads && !status; i++) {
		bs_gram_sketch_free(pipeline->workers[i].grams);
		status = bs_gram_sketch_new(plan, &pipeline->workers[i].grams, err);
	}
	return status;
}

static void stop_threads(struct bs_pipeline *pipeline)
{
	pthread_mutex_lock(&pipeline->mutex);
	pipeline->is_stopping = true;
	pthread_cond_broadcast(&pipeline->changed);
	pthread_mutex_unlock(&pipeline->mutex);
	for (uint32_t i = 0; i < pipeline->n_started; i++)
		pthread_join(pipeline->workers[i].thread, NULL);
	pipeline->n_started = 0;
	pipeline->is_stopping = false;
}

void bs_pipeline_free(struct bs_pipeline *pipeline)
{
	if (!pipeline)
		return;
	for (uint32_t i = 0; pipeline->slots && i < pipeline->n_slots; i++) {
		bs_batch_deinit(&pipeline->slots[i].batch);
		bs_harvest_deinit(&pipeline->slots[i].harvest);
	}
	for (uint32_t i = 0; pipeline->workers && i < pipeline->n_threads; i++) {
		bs_words_free(pipeline->workers[i].words);
		bs_gram_sketch_free(pipeline->workers[i].grams);
		bs_reader_free(pipeline->workers[i].reader);
	}
	if (pipeline->has_mutex) {
		pthread_mutex_destroy(&pipeline->mutex);
		pthread_cond_destroy(&pipeline->changed);
	}
	free(pipeline->slots);
	free(pipeline->workers);
	free(pipeline);
}

/* ---- running ---- */

/* Fills free slots while the feed has anything. *more_io becomes false at its end. */
static enum bs_status fill_slots(struct bs_pipeline *pipeline, struct bs_feed *feed, bool *more_io, struct bs_error *err)
{
	while (*more_io && pipeline->n_fed - pipeline->n_poured < pipeline->n_slots) {
		struct slot *slot = &pipeline->slots[pipeline->n_fed % pipeline->n_slots];
		enum bs_status status = bs_feed_next(feed, &slot->batch, err);
		if (status)
			return status;
		*more_io = slot->batch.n_items > 0;
		if (!*more_io)
			break;
		bs_harvest_clear(&slot->harvest);
		pthread_mutex_lock(&pipeline->mutex);
		slot->state = SLOT_READY;
		pipeline->n_fed++;
		pthread_cond_broadcast(&pipeline->changed);
		pthread_mutex_unlock(&pipeline->mutex);
	}
	return BS_OK;
}

/* While the batch whose turn it is cannot be poured: harvests another one, if there is one. */
static enum bs_status help(struct bs_pipeline *pipeline, bool *has_helped_out, struct bs_error *err)
{
	const struct slot *next = &pipeline->slots[pipeline->n_poured % pipeline->n_slots];
	pthread_mutex_lock(&pipeline->mutex);
	const struct slot *slot = &pipeline->slots[pipeline->n_taken % pipeline->n_slots];
	*has_helped_out = next->state != SLOT_FULL && next->state != SLOT_DONE &&
	                  take_batch(&pipeline->workers[pipeline->n_threads - 1], true);
	pthread_mutex_unlock(&pipeline->mutex);
	if (!*has_helped_out || !pipeline->has_failed_to_pour)
		return BS_OK; /* what else it may have failed at is told when it is its turn */
	if (err)
		*err = slot->error;
	return slot->status;
}

static enum bs_status run(struct bs_pipeline *pipeline, struct bs_feed *feed, struct bs_error *err)
{
	bool more = true;
	bool has_helped = false;
	enum bs_status status = fill_slots(pipeline, feed, &more, err);
	while (!status && pipeline->n_poured < pipeline->n_fed) {
		status = help(pipeline, &has_helped, err);
		if (!status && !has_helped)
			status = pour_slot(pipeline, err);
		if (!status)
			status = fill_slots(pipeline, feed, &more, err);
	}
	return status;
}

enum bs_status bs_pipeline_run(struct bs_pipeline *pipeline, const struct bs_source *source, struct bs_feed *feed,
                               bool keep_raws, bs_pour_fn pour, void *context, struct bs_error *err)
{
	pipeline->source = source;
	pipeline->pour = pour;
	pipeline->context = context;
	pipeline->n_fed = 0;
	pipeline->n_taken = 0;
	pipeline->n_poured = 0;
	pipeline->waiting_bytes = 0;
	pipeline->has_failed_to_pour = false;
	for (uint32_t i = 0; i < pipeline->n_slots; i++) {
		bs_harvest_clear(&pipeline->slots[i].harvest);
		pipeline->slots[i].harvest.keep_raws = keep_raws;
		pipeline->slots[i].state = SLOT_EMPTY;
	}
	while (pipeline->n_started < pipeline->n_threads - 1 &&
	       pthread_create(&pipeline->workers[pipeline->n_started].thread, NULL, work,
	                      &pipeline->workers[pipeline->n_started]) == 0)
		pipeline->n_started++;
	enum bs_status status = run(pipeline, feed, err);
	stop_threads(pipeline);
	return status;
}
