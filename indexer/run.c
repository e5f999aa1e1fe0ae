/* run.c: see run.h. */
#include "indexer/run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/index_dir.h"
#include "core/words.h"
#include "corpus/recorded.h"
#include "indexer/gram_choice.h"
#include "indexer/pair_choice.h"

#define DEFAULT_MEMORY_BYTES (UINT64_C(1) << 30)
#define MIN_MEMORY_BYTES     (UINT64_C(16) << 20)
#define MAX_THREADS          64

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void bs_run_init(struct bs_run *run, const struct bs_index_job *job, struct bs_index_report *report)
{
	*run = (struct bs_run){
		.job = job,
		.report = report,
		.start_ns = now_ns(),
		.suspect_from_ns = bs_stamp_suspect_from(),
	};
}

static uint32_t count_threads(const struct bs_index_job *job)
{
	long n = job->n_threads ? (long)job->n_threads : sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : (n > MAX_THREADS ? MAX_THREADS : (uint32_t)n);
}

static void set_limits(struct bs_run *run)
{
	const struct bs_index_job *job = run->job;
	uint64_t memory = job->memory_bytes ? job->memory_bytes : DEFAULT_MEMORY_BYTES;
	if (memory < MIN_MEMORY_BYTES)
		memory = MIN_MEMORY_BYTES;
	/* What is gathered, and what making a segment of it takes by the term and by the document. The rest is for the
	 * columns of one slab (below), batches under way, ICU and ids: with the default, 805 of 1,074 MB, 134, and 135. None
	 * of it may depend on the number of threads. */
	run->gather_limit_bytes = memory / 100 * 75;
	run->build_options = (struct bs_build_options){
		.n_threads = count_threads(job),
		.policy = job->policy ? *job->policy : bs_treatment_policy_default(),
		.max_blocks = job->max_slab_blocks ? job->max_slab_blocks : BS_SLAB_MAX_BLOCKS,
		.max_slab_bytes = job->max_slab_bytes ? job->max_slab_bytes : memory / 8,
		.list_mode = job->list_mode,
	};
	if (!job->policy)
		run->build_options.policy.density = run->manifest.options.density;
}

enum bs_status bs_run_start(struct bs_run *run, bool *has_private, struct bs_error *err)
{
	const struct bs_index_options *options = &run->manifest.options;
	struct bs_words_options words = {.stem_language = options->stem_language, .fold_accents = options->fold_accents};
	set_limits(run);
	run->source_options = bs_recorded_options(options, run->dir);
	run->source_options.has_private = has_private;
	run->source_options.suspect_from_ns = run->suspect_from_ns;
	enum bs_status status = bs_kernel_choose(NULL, &run->build_options.kernel, err);
	return status ? status
	              : bs_pipeline_new(run->build_options.n_threads, options->words ? &words : NULL, &run->source_options,
	                                &run->pipeline, err);
}

void bs_run_release(struct bs_run *run)
{
	bs_gather_deinit(&run->gather);
	bs_gram_gather_clear(&run->grams);
	bs_store_writer_free(run->store);
	bs_pipeline_free(run->pipeline);
	run->gather = (struct bs_gather){0};
	run->store = NULL;
	run->pipeline = NULL;
}

void bs_run_deinit(struct bs_run *run)
{
	bs_run_release(run);
	bs_word_pairs_deinit(&run->pairs);
	bs_gram_plan_deinit(&run->gram_plan);
	bs_manifest_deinit(&run->manifest);
}

uint64_t bs_run_elapsed_ns(const struct bs_run *run)
{
	return now_ns() - run->start_ns;
}

enum bs_status bs_run_tell(struct bs_run *run, struct bs_error *err)
{
	run->report->elapsed_ns = bs_run_elapsed_ns(run);
	if (run->job->progress && run->job->progress(run->job->context, run->report) != 0)
		return bs_fail(err, BS_STOPPED, "stopped; the index is as it was");
	return BS_OK;
}

void bs_run_skip(struct bs_run *run, enum bs_skip reason, const char *message)
{
	run->report->skipped[reason]++;
	if (run->job->skipped)
		run->job->skipped(run->job->context, reason, message);
}

/* ---- pairs of words, and frequent grams ---- */

/* A small collection is read quickly enough without. */
#define PAIRS_LEAST_BYTES (2u << 20)

bool bs_run_holds_little(const struct bs_snapshot *old)
{
	uint64_t text_bytes = 0;
	for (uint32_t i = 0; i < old->manifest.n_segments; i++)
		text_bytes += old->segments[i].meta.text_bytes;
	return text_bytes < PAIRS_LEAST_BYTES;
}

enum bs_status bs_run_keep_choices(struct bs_run *run, const struct bs_snapshot *old, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	if (run->manifest.options.words)
		status = bs_pairs_of_snapshot(old, &run->pairs, err);
	bs_pipeline_set_pairs(run->pipeline, &run->pairs);
	if (status || !run->manifest.options.grams)
		return status;
	status = bs_gram_plan_of_snapshot(old, &run->gram_plan, err);
	run->grams.plan = &run->gram_plan;
	return status ? status : bs_pipeline_set_grams(run->pipeline, &run->gram_plan, err);
}

/* Adds some of a source's documents to the sample; context: the sample. */
typedef enum bs_status (*sample_fn)(struct bs_run *run, const struct bs_source *source, void *context,
                                    struct bs_error *err);

static enum bs_status sample_source(struct bs_run *run, uint32_t i, sample_fn take, void *context, struct bs_error *err)
{
	struct bs_source source, found;
	enum bs_status status = bs_recorded_source(run->dir, &run->manifest.sources[i], &source, err);
	if (status)
		return status;
	/* Recorded is what it was; what it is now counts. */
	if (source.kind != BS_SOURCE_STDIN && !source.is_refused && bs_source_init(&found, source.path, NULL) == BS_OK) {
		source.kind = found.kind;
		bs_source_deinit(&found);
		status = take(run, &source, context, err);
	}
	bs_source_deinit(&source);
	return status;
}

static enum bs_status sample_sources(struct bs_run *run, sample_fn take, void *context, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < run->manifest.n_sources && !status; i++)
		status = sample_source(run, i, take, context, err);
	return status;
}

static enum bs_status sample_words(struct bs_run *run, const struct bs_source *source, void *context,
                                   struct bs_error *err)
{
	const struct bs_index_options *options = &run->manifest.options;
	struct bs_words_options words = {.stem_language = options->stem_language, .fold_accents = options->fold_accents};
	return bs_pair_sample_source(context, source, &run->source_options, &words, err);
}

static enum bs_status choose_pairs(struct bs_run *run, struct bs_error *err)
{
	uint64_t least_bytes = run->job->pairs_least_bytes ? run->job->pairs_least_bytes : PAIRS_LEAST_BYTES;
	struct bs_pair_sample sample = {.next_position = 0};
	enum bs_status status = sample_sources(run, sample_words, &sample, err);
	if (!status && sample.text_bytes >= least_bytes)
		status = bs_pair_sample_choose(&sample, &run->pairs, err);
	bs_pair_sample_deinit(&sample);
	return status;
}

static enum bs_status sample_grams(struct bs_run *run, const struct bs_source *source, void *context,
                                   struct bs_error *err)
{
	return bs_gram_sample_source(context, source, &run->source_options, err);
}

static enum bs_status choose_grams(struct bs_run *run, struct bs_error *err)
{
	struct bs_gram_sample sample = {.n_docs = 0};
	enum bs_status status = sample_sources(run, sample_grams, &sample, err);
	if (!status)
		status = bs_gram_sample_choose(&sample, &run->gram_plan, err);
	bs_gram_sample_deinit(&sample);
	run->grams.plan = &run->gram_plan;
	return status ? status : bs_pipeline_set_grams(run->pipeline, &run->gram_plan, err);
}

enum bs_status bs_run_choose(struct bs_run *run, struct bs_error *err)
{
	enum bs_status status = run->manifest.options.words ? choose_pairs(run, err) : BS_OK;
	bs_pipeline_set_pairs(run->pipeline, &run->pairs);
	return status || !run->manifest.options.grams ? status : choose_grams(run, err);
}

/* ---- documents ---- */

/* What segment_build.c and slab_build.c take beside the columns, when what finds terms has been given back: of each term the
 * order, ordinal, hash and, for a while, place; treatment, weight and mark of those in several documents; of each document the
 * weight, the place in its class and where its tf code ends; and of postings their bits in tf codes, twice while these are put
 * together. A builder more, on another thread, has its own marks, and is paid for by what slabs may hold (count_builders). */
#define BUILD_TERM_BYTES    28u
#define BUILD_DOC_BYTES     36u
#define POSTINGS_A_TF_BYTE  2u

/* What a document may add, were all its terms new: an entry, its slots, its code, some bytes of its own, and the above. */
#define NEW_TERM_BYTES 96u

/* What is gathered takes while it is, or else while a segment is made of it. */
static uint64_t gathered_bytes(const struct bs_gather *gather)
{
	uint64_t slot_bytes = bs_term_table_slot_bytes(&gather->terms);
	uint64_t build_bytes = (uint64_t)gather->terms.n_terms * BUILD_TERM_BYTES +
	                       (uint64_t)bs_gather_n_docs(gather) * BUILD_DOC_BYTES +
	                       gather->n_postings / POSTINGS_A_TF_BYTE;
	return bs_gather_bytes(gather) + (build_bytes > slot_bytes ? build_bytes - slot_bytes : 0);
}

bool bs_run_is_full(const struct bs_run *run, const struct bs_harvest *harvest, uint32_t i)
{
	uint32_t max_docs = run->job->max_segment_docs;
	uint32_t n_docs = bs_gather_n_docs(&run->gather);
	uint32_t class = bs_harvest_docs(harvest)[i].gram_class;
	uint64_t row_bytes = class == BS_GRAM_NO_CLASS ? 0 : bs_gram_row_words(class) * (uint64_t)8;
	uint64_t n_bytes = gathered_bytes(&run->gather) + run->grams.n_bytes + row_bytes +
	                   (uint64_t)bs_harvest_docs(harvest)[i].n_terms * NEW_TERM_BYTES;
	return n_docs > 0 && (n_bytes > run->gather_limit_bytes || (max_docs && n_docs >= max_docs));
}

static enum bs_status store_document(struct bs_run *run, const struct bs_harvest *harvest,
                                     const struct bs_harvest_doc *doc, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	if (!run->store)
		status = bs_store_writer_new(run->dir, &run->store, err);
	if (!status)
		status = bs_store_writer_add(run->store, harvest->raws.data + doc->raw_offset, (size_t)doc->document.raw_bytes,
		                             err);
	run->n_stored++;
	return status;
}

enum bs_status bs_run_add(struct bs_run *run, const struct bs_harvest *harvest, uint32_t i,
                          struct bs_doc_record *record, struct bs_error *err)
{
	const struct bs_harvest_doc *doc = &bs_harvest_docs(harvest)[i];
	enum bs_status status = BS_OK;
	if (bs_gather_n_docs(&run->gather) >= UINT32_MAX - 1)
		return bs_fail(err, BS_INVALID, "more than 2^32 documents in one segment; use less --memory");
	if (harvest->keep_raws) {
		record->place[0] = run->n_stored;
		status = store_document(run, harvest, doc, err);
	}
	if (!status && doc->gram_class != BS_GRAM_NO_CLASS)
		status = bs_gram_gather_add(&run->grams, bs_gather_n_docs(&run->gather), doc->gram_class, doc->n_gram_bits,
		                            (const uint64_t *)(const void *)harvest->gram_rows.data + doc->gram_row, err);
	if (!status)
		status = bs_gather_add(&run->gather, harvest, i, record, err);
	run->report->text_bytes += doc->text_bytes;
	run->report->n_indexed++;
	return status;
}

/* ---- segments ---- */

enum bs_status bs_run_flush(struct bs_run *run, bool is_full, struct bs_error *err)
{
	if (bs_gather_n_docs(&run->gather) == 0)
		return BS_OK;
	bs_gather_settle(&run->gather);
	run->report->is_writing = true;
	enum bs_status status = bs_run_tell(run, err);
	run->report->is_writing = false;
	if (status)
		return status;
	struct bs_segment_record record = {
		.number = run->manifest.next_number++,
		.n_docs = bs_gather_n_docs(&run->gather),
		.is_full = is_full,
	};
	struct bs_build_sum sum = {0};
	char name[BS_INDEX_NAME_BYTES];
	status = run->store ? bs_store_writer_finish(run->store, err) : BS_OK;
	if (!status)
		status = bs_segment_build(run->dir, bs_index_file_name("seg", record.number, name), &run->gather, &run->grams, run->store, &run->build_options, &sum, err);
	record.n_bytes = sum.file_bytes;
	for (uint32_t i = 0; i < run->gather.fields.n_terms && !status; i++)
		status = bs_manifest_add_field(&run->manifest, (const char *)bs_term_table_key(&run->gather.fields, i),
		                               run->gather.fields.entries[i].n_bytes, err);
	if (!status)
		status = bs_manifest_add_segment(&run->manifest, &record, err);
	if (!status && run->claims)
		status = bs_claims_next_segment(run->claims, run->dir, record.number, err);
	if (status)
		return status;
	run->report->n_postings += run->gather.n_postings;
	run->report->n_terms += sum.n_terms;
	run->report->written_bytes += sum.file_bytes;
	run->n_segments++;
	bs_gather_clear(&run->gather);
	bs_gram_gather_clear(&run->grams);
	bs_store_writer_free(run->store);
	run->store = NULL;
	run->n_stored = 0;
	return BS_OK;
}
