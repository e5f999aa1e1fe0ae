/* index_writer.c: see index_writer.h. */
#include "indexer/run/index_writer.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/vector.h"
#include "core/bitsift/build.h"
#include "core/file/memory.h"
#include "core/file/segment_sections.h"
#include "core/store/index_dir.h"
#include "core/system/workers.h"
#include "core/text/tokenizer.h"
#include "corpus/changes/recorded.h"

/* memory of a run: the default, and the minimum */
#define DEFAULT_MEMORY_BYTES (UINT64_C(1) << 30)
#define MIN_MEMORY_BYTES     (UINT64_C(16) << 20)
/* Memory of a text and its words in the worst case, that all words are distinct, as a multiple of
 * the text. */
#define MOST_WORDS_FACTOR 16u

/* Shares of the memory: 1/SPILL_SHARE for names of documents that are looked up; 1/LIST_SHARE for
 * each list that bs_index_writer_hold_list limits. */
#define SPILL_SHARE 16u
#define LIST_SHARE  64u

/* The callback of struct bs_progress: passes progress to the caller of the run. */
static int beat(void *context, uint64_t done, uint64_t total)
{
	struct bs_index_writer *writer = context;
	struct bs_build_report *report = writer->report;
	uint64_t now_ns = bs_now_ns();
	report->elapsed_ns = now_ns - writer->start_ns;
	report->step_ns = now_ns - writer->step_start_ns;
	report->step_done = done;
	report->step_total = done <= total ? total : 0; /* total is an estimate in a refresh */
	return writer->request->callbacks.progress
	               ? writer->request->callbacks.progress(writer->request->callbacks.context,
	                                                     report)
	               : 0;
}

void bs_index_writer_init(struct bs_index_writer *writer, const struct bs_build_request *request,
                          struct bs_build_report *report)
{
	*writer = (struct bs_index_writer){
		.request = request,
		.report = report,
		.start_ns = bs_now_ns(),
		.racy_from_ns = bs_fingerprint_racy_from(),
	};
	writer->progress =
		(struct bs_progress){.beat = beat, .context = writer, .owner = pthread_self()};
	if (request->tuning)
		writer->tuning = *request->tuning;
}

static uint64_t memory_of(const struct bs_build_request *request)
{
	uint64_t memory =
		request->write.memory_bytes ? request->write.memory_bytes : DEFAULT_MEMORY_BYTES;
	return memory < MIN_MEMORY_BYTES ? MIN_MEMORY_BYTES : memory;
}

static void set_limits(struct bs_index_writer *writer)
{
	const struct bs_build_request *request = writer->request;
	const struct bs_build_tuning *tuning = &writer->tuning;
	uint64_t memory = memory_of(request);
	/* Limit for the indexing buffers, including memory for building a segment from them. The
	 * rest is for the columns of one shard (below), for batches that are being analysed, for
	 * ICU and for ids. Of the default 1,074 MB, buffers get 805, the shard 134, and the rest
	 * 135 MB, half of this for ids. Limits must not depend on the number of threads. */
	writer->indexing_buffer_limit_bytes = memory / 100 * 75;
	writer->build_options = (struct bs_build_options){
		.n_threads = bs_workers_n_threads(request->write.n_threads, BS_MAX_THREADS),
		.policy = tuning->policy ? *tuning->policy : bs_term_treatment_policy_default(),
		.max_blocks =
			tuning->max_shard_blocks ? tuning->max_shard_blocks : BS_SHARD_MAX_BLOCKS,
		.max_shard_bytes = tuning->max_shard_bytes ? tuning->max_shard_bytes : memory / 8,
		.forward_mode = tuning->forward_mode,
		.progress = &writer->progress,
		.is_condensed = request->write.condensed,
	};
	if (!tuning->policy)
		writer->build_options.policy.density = writer->manifest.options.density;
}

enum bs_status bs_index_writer_start(struct bs_index_writer *writer, struct bs_access *access,
                                     struct bs_error *err)
{
	const struct bs_recorded_options *options = &writer->manifest.options;
	struct bs_tokenizer_options words = bs_index_words_options(options);
	if (writer->request->write.condensed && !writer->dir->memory)
		return bs_fail(err, BS_INVALID,
		               "%s: only the segments of an in-memory index can be condensed",
		               writer->dir->path);
	set_limits(writer);
	bs_spill_init(&writer->spill, writer->dir, memory_of(writer->request) / SPILL_SHARE);
	writer->source_options = bs_recorded_options(options, writer->dir);
	writer->source_options.access = access;
	writer->source_options.memory_bytes = memory_of(writer->request);
	writer->source_options.racy_from_ns = writer->racy_from_ns;
	writer->source_options.progress = &writer->progress;
	enum bs_status status = bs_kernel_choose(NULL, &writer->build_options.kernel, err);
	if (!status && writer->dir->memory && bs_memory_index_has_folder(writer->dir->memory)) {
		status = bs_indexing_buffer_use_files(&writer->indexing_buffer, writer->dir, err);
		writer->grams.file = writer->indexing_buffer.spool.file;
	}
	return status ? status
	              : bs_pipeline_new(writer->reads_alone ? 1 : writer->build_options.n_threads,
	                                options->words ? &words : NULL, options->weights,
	                                &writer->source_options, &writer->pipeline, err);
}

static void close_store(struct bs_index_writer *writer)
{
	bs_store_writer_free(writer->store);
	bs_file_writer_abort(writer->file);
	writer->store = NULL;
	writer->file = NULL;
	writer->n_stored = 0;
}

void bs_index_writer_release(struct bs_index_writer *writer)
{
	bs_gram_indexing_buffer_clear(&writer->grams);
	bs_indexing_buffer_deinit(&writer->indexing_buffer);
	bs_indexing_buffer_deinit(&writer->rows);
	bs_gram_indexing_buffer_clear(&writer->row_grams);
	close_store(writer);
	bs_pipeline_free(writer->pipeline);
	writer->pipeline = NULL;
}

void bs_index_writer_deinit(struct bs_index_writer *writer)
{
	bs_index_writer_release(writer);
	bs_word_pairs_deinit(&writer->pairs);
	bs_gram_plan_deinit(&writer->gram_plan);
	bs_manifest_deinit(&writer->manifest);
	bs_summary_cache_deinit(&writer->cache);
	bs_vector_deinit(&writer->written);
	bs_spill_deinit(&writer->spill);
}

enum bs_status bs_index_writer_step(struct bs_index_writer *writer, enum bs_build_step step,
                                    uint64_t total, struct bs_error *err)
{
	writer->report->step = step;
	writer->step_start_ns = bs_now_ns();
	writer->progress.done = 0;
	writer->progress.total = total;
	return bs_progress_add(&writer->progress, 0, err);
}

void bs_index_writer_skip(struct bs_index_writer *writer, enum bs_skip reason, const char *message)
{
	writer->report->skipped[reason]++;
	if (writer->request->callbacks.skipped)
		writer->request->callbacks.skipped(writer->request->callbacks.context, reason,
		                                   message);
}

/* An index with less text gets no word pairs, because its queries are fast enough without them. */
#define PAIRS_LEAST_BYTES (2u << 20)
/* Word pairs are chosen from a sample of 1/PAIRS_SAMPLE_SHARE of the memory, within the bounds
 * below. A smaller sample would miss the rather rare phrases that take half of all query time. */
#define PAIRS_SAMPLE_SHARE 16u
#define PAIRS_SAMPLE_LEAST (UINT64_C(24) << 20)
#define PAIRS_SAMPLE_MOST  (UINT64_C(64) << 20)

static uint64_t pairs_sample_bytes(const struct bs_index_writer *writer)
{
	uint64_t bytes = writer->source_options.memory_bytes / PAIRS_SAMPLE_SHARE;
	return bytes < PAIRS_SAMPLE_LEAST  ? PAIRS_SAMPLE_LEAST
	       : bytes > PAIRS_SAMPLE_MOST ? PAIRS_SAMPLE_MOST
	                                   : bytes;
}

bool bs_snapshot_is_small(const struct bs_snapshot *old)
{
	uint64_t text_bytes = 0;
	for (uint32_t i = 0; i < old->manifest.n_segments; i++)
		text_bytes += bs_snapshot_has_words(old, i) ? old->segments[i].meta.text_bytes : 0;
	return text_bytes < PAIRS_LEAST_BYTES;
}

/* Passes the chosen word pairs and gram plans to the pipeline. */
static enum bs_status use_choices(struct bs_index_writer *writer, struct bs_error *err)
{
	const struct bs_recorded_options *options = &writer->manifest.options;
	bs_pipeline_set_word_pairs(writer->pipeline, &writer->pairs);
	if (!options->grams && !options->record_grams)
		return BS_OK;
	writer->grams.plan = &writer->gram_plan;
	writer->row_grams.plan = &writer->gram_plan;
	return bs_pipeline_set_grams(writer->pipeline, &writer->gram_plan, options->grams,
	                             options->record_grams, err);
}

enum bs_status bs_index_writer_keep_choices(struct bs_index_writer *writer,
                                            const struct bs_snapshot *old, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	if (writer->manifest.options.words)
		status = bs_word_pairs_of_snapshot(old, &writer->pairs, err);
	if (!status && (writer->manifest.options.grams || writer->manifest.options.record_grams))
		status = bs_gram_plan_of_snapshot(old, &writer->gram_plan, err);
	return status ? status : use_choices(writer, err);
}

static struct bs_pair_limits pair_limits(const struct bs_index_writer *writer)
{
	uint64_t least_bytes = writer->tuning.pairs_least_bytes ? writer->tuning.pairs_least_bytes
	                                                        : PAIRS_LEAST_BYTES;
	return (struct bs_pair_limits){least_bytes, writer->tuning.pair_bits};
}

enum bs_status bs_index_writer_choose_by(struct bs_index_writer *writer, bs_give_sample_fn sample,
                                         void *context, struct bs_error *err)
{
	struct bs_pair_limits limits = pair_limits(writer);
	enum bs_status status = bs_word_pairs_choose(&writer->manifest.options, &limits, sample,
	                                             context, &writer->pairs, err);
	if (!status && (writer->manifest.options.grams || writer->manifest.options.record_grams))
		status = bs_gram_plan_choose(sample, context, true, &writer->gram_plan, err);
	return status ? status : use_choices(writer, err);
}

enum bs_status bs_index_writer_choose(struct bs_index_writer *writer, const struct bs_snapshot *old,
                                      struct bs_error *err)
{
	struct bs_pair_limits limits = pair_limits(writer);
	struct bs_source_sample sample = {writer->dir, &writer->manifest, &writer->source_options,
	                                  pairs_sample_bytes(writer), false};
	enum bs_status status = BS_OK;
	if (writer->manifest.options.words) {
		status = bs_index_writer_step(writer, BS_BUILD_LOOK, 0, err);
		if (!status)
			status = bs_word_pairs_choose(&writer->manifest.options, &limits,
			                              bs_sample_sources, &sample, &writer->pairs,
			                              err);
	}
	sample.n_bytes = BS_GRAM_SAMPLE_BYTES;
	sample.files_only = true;
	if (!status && writer->manifest.options.grams) {
		status = bs_index_writer_step(writer, BS_BUILD_LOOK, writer->progress.done, err);
		if (!status)
			status = bs_gram_plan_choose(bs_sample_sources, &sample, false,
			                             &writer->gram_plan, err);
	}
	if (!status && !writer->manifest.options.grams && writer->manifest.options.record_grams)
		status = bs_gram_plan_of_snapshot(old, &writer->gram_plan, err);
	writer->n_files = writer->progress.done;
	return status ? status : use_choices(writer, err);
}

/* Memory that segment_build.c and shard_build.c take in addition to the columns, after the slots of
 * the terms were freed. For each term: order, ordinal, hash and, temporarily, place; for terms of
 * several documents also kind, note and mark (shard_plan.h). For each document: its struct
 * bs_size_class_doc, place in its class, and end of its tf code. For each posting: bits in tf
 * codes, twice while these are joined: a byte for POSTINGS_A_TF_BYTE postings. The marks of further
 * threads are not included; the limit for shards covers them (segment_build.c). */
#define BUILD_TERM_BYTES   28u
#define BUILD_DOC_BYTES    36u
#define POSTINGS_A_TF_BYTE 2u
/* The same memory if data that grows with documents is in files. For each term: all but the hash.
 * For each document: place in its class, bin, whether it has a forward index, and the offset of its
 * rare-term list. */
#define PLACED_TERM_BYTES 20u
#define PLACED_DOC_BYTES  12u
/* Memory of value_build.c: order, rank and key of each distinct number or date; and the rank of
 * each value of a document in a shard. */
#define BUILD_VALUE_BYTES 40u
#define BUILD_RANK_BYTES  8u

/* Memory of a term that is new in the indexing buffer: its entry, slots, code, key, and
 * BUILD_TERM_BYTES. */
#define NEW_TERM_BYTES 96u

/* 1/IDS_SHARE of the memory is reserved for ids. Ids may use more; the excess counts towards the
 * limit of the indexing buffers (id_bytes_held). */
#define IDS_SHARE 16u

/* Memory that the indexing buffer takes now, or will take while a segment is built from it,
 * whichever is more. */
static uint64_t accumulated_bytes(const struct bs_indexing_buffer *indexing_buffer)
{
	uint64_t slot_bytes = bs_term_table_slot_bytes(&indexing_buffer->terms);
	uint64_t n_docs = bs_indexing_buffer_n_docs(indexing_buffer);
	uint64_t doc_bytes = indexing_buffer->dir
	                             ? n_docs * PLACED_DOC_BYTES
	                             : n_docs * BUILD_DOC_BYTES +
	                                       indexing_buffer->n_postings / POSTINGS_A_TF_BYTE;
	uint64_t term_bytes = (uint64_t)indexing_buffer->terms.n_terms *
	                      (indexing_buffer->dir ? PLACED_TERM_BYTES : BUILD_TERM_BYTES);
	uint64_t build_bytes = term_bytes + doc_bytes +
	                       (uint64_t)indexing_buffer->values.n_terms * BUILD_VALUE_BYTES +
	                       bs_vector_n(&indexing_buffer->value_numbers) * BUILD_RANK_BYTES;
	return bs_indexing_buffer_bytes(indexing_buffer) +
	       (build_bytes > slot_bytes ? build_bytes - slot_bytes : 0);
}

void bs_index_writer_use_owners(struct bs_index_writer *writer, struct bs_id_owners *owners)
{
	writer->owners = owners;
	owners->spill = &writer->spill;
	owners->most_bytes =
		memory_of(writer->request) / IDS_SHARE + writer->indexing_buffer_limit_bytes / 2;
}

enum bs_status bs_index_writer_hold_list(const struct bs_index_writer *writer,
                                         struct bs_buffer *list, struct bs_error *err)
{
	return bs_dir_spill(writer->dir, list, memory_of(writer->request) / LIST_SHARE, err);
}

enum bs_status bs_index_writer_hold_skipped(const struct bs_index_writer *writer,
                                            struct bs_manifest *manifest, struct bs_error *err)
{
	struct bs_non_document_list *list = &manifest->non_documents;
	enum bs_status status = bs_index_writer_hold_list(writer, &list->files, err);
	return status ? status : bs_index_writer_hold_list(writer, &list->fingerprints, err);
}

enum bs_status bs_index_writer_read(struct bs_index_writer *writer, struct bs_snapshot *old,
                                    struct bs_error *err)
{
	bs_snapshot_use_spill(old, &writer->spill);
	return bs_index_writer_hold_skipped(writer, &old->manifest, err);
}

static uint64_t row_bytes_held(const struct bs_index_writer *writer)
{
	return accumulated_bytes(&writer->rows) + writer->row_grams.n_bytes;
}

/* The memory of ids that counts towards the limit of the indexing buffers: what exceeds the part
 * reserved for ids (IDS_SHARE), as in a long collection. Because ids stay in memory while several
 * segments are written, counting all of it could make segments tiny; so at most half of the limit
 * is counted. */
static uint64_t id_bytes_held(const struct bs_index_writer *writer)
{
	uint64_t n_bytes = writer->owners ? bs_id_owners_bytes(writer->owners) : 0;
	uint64_t n_free = memory_of(writer->request) / IDS_SHARE;
	uint64_t most = writer->indexing_buffer_limit_bytes / 2;
	n_bytes = n_bytes > n_free ? n_bytes - n_free : 0;
	return n_bytes < most ? n_bytes : most;
}

/* The memory that is limited by indexing_buffer_limit_bytes. */
static uint64_t held_bytes(const struct bs_index_writer *writer)
{
	return accumulated_bytes(&writer->indexing_buffer) + writer->grams.n_bytes +
	       row_bytes_held(writer) + id_bytes_held(writer);
}

/* True if the announced document fits into memory without writing a segment first, or if there is
 * no segment of documents to write. A row takes less, because it has no words. */
static bool has_room(const struct bs_index_writer *writer, const struct bs_term_batch *term_batch)
{
	return bs_indexing_buffer_n_docs(&writer->indexing_buffer) == 0 ||
	       held_bytes(writer) + term_batch->next_bytes *
	                                    (term_batch->is_row ? 1 : MOST_WORDS_FACTOR) <=
	               writer->indexing_buffer_limit_bytes;
}

/* True if a segment must be written before document i of the analysed batch is added. *of_rows_out:
 * whether this is the segment of rows. */
static bool is_full(const struct bs_index_writer *writer, const struct bs_term_batch *term_batch,
                    uint32_t i, bool *of_rows_out)
{
	uint32_t max_docs = writer->tuning.max_segment_docs;
	uint32_t n_docs = bs_indexing_buffer_n_docs(term_batch->is_row ? &writer->rows
	                                                               : &writer->indexing_buffer);
	uint32_t class = term_batch->docs.items[i].gram_size_class;
	uint64_t row_bytes =
		class == BS_GRAM_NO_SIZE_CLASS ? 0 : bs_gram_row_words(class) * (uint64_t)8;
	uint64_t n_bytes = held_bytes(writer) + row_bytes +
	                   (uint64_t)term_batch->docs.items[i].n_terms * NEW_TERM_BYTES;
	bool has_most_docs = max_docs && n_docs >= max_docs;
	*of_rows_out = has_most_docs
	                       ? term_batch->is_row
	                       : row_bytes_held(writer) > (n_bytes - id_bytes_held(writer)) / 2;
	return n_docs > 0 && (n_bytes > writer->indexing_buffer_limit_bytes || has_most_docs);
}

/* Opens the store of the next segment. The store's frames are written directly to the beginning of
 * the segment's file, so that they are written only once. */
static enum bs_status open_store(struct bs_index_writer *writer, struct bs_error *err)
{
	char name[BS_INDEX_NAME_BYTES];
	writer->file_number = writer->manifest.next_number++;
	enum bs_status status = bs_file_writer_open(
		writer->dir, bs_index_file_name("seg", writer->file_number, name), BS_FILE_SEGMENT,
		&writer->file, err);
	if (!status)
		status = bs_store_writer_new(writer->dir, writer->build_options.n_threads > 1,
		                             &writer->store, err);
	if (status)
		return status;
	bs_file_writer_section(writer->file, BS_SECTION_STORE_FRAMES, 0);
	bs_store_writer_send(writer->store, writer->file);
	return BS_OK;
}

/* Stores the text of a document. If all texts are stored, frame numbers equal document numbers, so
 * a text that the provider keeps gets an empty frame. */
static enum bs_status store_text(struct bs_index_writer *writer,
                                 const struct bs_term_batch *term_batch,
                                 const struct bs_term_batch_doc *doc, struct bs_doc_record *record,
                                 struct bs_error *err)
{
	bool is_elsewhere = record->flags & BS_DOC_NOT_STORED;
	if (is_elsewhere ? !writer->manifest.options.store : !term_batch->keep_raws)
		return BS_OK;
	if (writer->manifest.sources[record->source].kind == BS_SOURCE_STDIN && !is_elsewhere)
		record->place[0] = writer->n_stored;
	writer->n_stored++;
	enum bs_status status = writer->store ? BS_OK : open_store(writer, err);
	return status ? status
	              : bs_store_writer_add(writer->store, term_batch->raws.data + doc->raw_offset,
	                                    is_elsewhere ? 0 : (size_t)doc->document.raw.n_bytes,
	                                    err);
}

enum bs_status bs_index_writer_add(struct bs_index_writer *writer,
                                   const struct bs_term_batch *term_batch, uint32_t i,
                                   struct bs_doc_record *record, struct bs_error *err)
{
	const struct bs_term_batch_doc *doc = &term_batch->docs.items[i];
	struct bs_indexing_buffer *indexing_buffer =
		term_batch->is_row ? &writer->rows : &writer->indexing_buffer;
	enum bs_status status = BS_OK;
	if (bs_indexing_buffer_n_docs(indexing_buffer) >= UINT32_MAX - 1)
		return bs_fail(err, BS_INVALID,
		               "more than 2^32 documents in one segment; use less --memory");
	if (!term_batch->is_row)
		status = store_text(writer, term_batch, doc, record, err);
	if (!status && doc->gram_size_class != BS_GRAM_NO_SIZE_CLASS)
		status = bs_gram_indexing_buffer_add(
			term_batch->is_row ? &writer->row_grams : &writer->grams,
			bs_indexing_buffer_n_docs(indexing_buffer), doc->gram_size_class,
			doc->n_gram_bits, term_batch->gram_rows.items + doc->gram_row, err);
	if (!status)
		status = bs_indexing_buffer_add(indexing_buffer, term_batch, i, record, err);
	writer->report->text_bytes += term_batch->is_row ? 0 : doc->document.text.n_bytes;
	writer->report->n_indexed += !term_batch->is_row;
	return status;
}

/* The factor by which a false candidate of the next segment costs more than one in an index of one
 * segment: the documents of this run, including this segment, divided by those of this segment. A
 * query looks up the false candidates of all segments, so a segment that is one of k equal ones
 * should have fewer. */
static double look_times(const struct bs_index_writer *writer, uint64_t n_docs)
{
	const struct bs_segment_record *written = writer->written.items;
	uint64_t n = n_docs;
	for (size_t i = 0; i < bs_vector_n(&writer->written); i++)
		n += written[i].is_rows ? 0 : written[i].n_docs;
	return (double)n / (double)n_docs;
}

/* 1/KNOWN_SHARE of the memory is for word hashes that are kept to make the summary. When the hashes
 * take this much, those of further segments are not kept, and the words of these segments are read
 * again from their files. */
#define KNOWN_SHARE 16u

/* Writes an indexing buffer as a segment. is_full: it is written because memory is exhausted, not
 * because there are no more documents. */
static enum bs_status write_segment(struct bs_index_writer *writer, bool of_rows, bool is_full,
                                    struct bs_error *err)
{
	struct bs_indexing_buffer *indexing_buffer =
		of_rows ? &writer->rows : &writer->indexing_buffer;
	struct bs_gram_indexing_buffer *grams = of_rows ? &writer->row_grams : &writer->grams;
	struct bs_store_writer *store = of_rows ? NULL : writer->store;
	if (bs_indexing_buffer_n_docs(indexing_buffer) == 0)
		return BS_OK;
	bs_indexing_buffer_finish(indexing_buffer);
	struct bs_segment_record record = {
		.number = store ? writer->file_number : writer->manifest.next_number++,
		.n_docs = bs_indexing_buffer_n_docs(indexing_buffer),
		.is_full = is_full,
		.is_rows = of_rows,
	};
	char name[BS_INDEX_NAME_BYTES];
	const struct bs_progress progress = writer->progress;
	const uint64_t step_start_ns = writer->step_start_ns;
	const enum bs_build_step step = writer->report->step;
	const size_t n_known = bs_vector_n(&writer->cache.hashes);
	bs_index_file_name("seg", record.number, name);
	enum bs_status status = bs_index_writer_step(writer, BS_BUILD_WRITE, record.n_docs, err);
	if (!status && store)
		status = bs_store_writer_finish(store, err);
	writer->build_options.manifest = &writer->manifest;
	writer->build_options.policy.look_times = of_rows ? 1 : look_times(writer, record.n_docs);
	if (!status) {
		struct bs_file_writer *file = store ? writer->file : NULL;
		bool has_room = writer->manifest.options.summary_rate &&
		                writer->cache.hashes.bytes.used_bytes <
		                        memory_of(writer->request) / KNOWN_SHARE;
		writer->build_options.word_hashes = has_room ? &writer->cache.hashes : NULL;
		writer->file = store ? NULL : writer->file;
		status = bs_segment_build(writer->dir, name, indexing_buffer, grams, store, file,
		                          &writer->build_options, &record.n_bytes, err);
	}
	struct bs_summary_segment words = {record.number,
	                                   bs_vector_n(&writer->cache.hashes) - n_known};
	if (!status && writer->build_options.word_hashes)
		status = bs_vector_append(&writer->cache.segments, &words, err);
	if (!status)
		status = bs_manifest_add_fields(&writer->manifest, &indexing_buffer->fields, err);
	if (!status)
		status = bs_vector_append(&writer->written, &record, err);
	if (!status && writer->owners && !of_rows)
		status = bs_id_owners_next_segment(writer->owners, writer->dir, record.number, err);
	if (status)
		return status;
	/* Resume the step of the run that writing the segment interrupted. */
	writer->progress = progress;
	writer->step_start_ns = step_start_ns;
	writer->report->step = step;
	writer->report->n_postings += indexing_buffer->n_postings;
	writer->report->n_terms += indexing_buffer->terms.n_terms;
	writer->report->written_bytes += record.n_bytes;
	bs_gram_indexing_buffer_clear(grams);
	bs_indexing_buffer_clear(indexing_buffer);
	if (of_rows)
		return BS_OK;
	close_store(writer);
	return BS_OK;
}

enum bs_status bs_index_writer_flush(struct bs_index_writer *writer, struct bs_error *err)
{
	enum bs_status status = write_segment(writer, false, false, err);
	return status ? status : write_segment(writer, true, false, err);
}

/* Prepares the indexing buffer for the remaining documents of an analysed batch. Adds all trigrams
 * of the batch, because it is unknown which of them the remaining documents have. */
static enum bs_status start_batch(struct bs_index_writer *writer,
                                  const struct bs_term_batch *term_batch, struct bs_error *err)
{
	const struct bs_u32s *trigrams = &term_batch->trigrams;
	struct bs_gram_indexing_buffer *grams =
		term_batch->is_row ? &writer->row_grams : &writer->grams;
	enum bs_status status =
		bs_vector_n(trigrams)
			? bs_gram_set_add(&grams->set, trigrams->items, bs_vector_n(trigrams), err)
			: BS_OK;
	return status ? status
	              : bs_indexing_buffer_start(term_batch->is_row ? &writer->rows
	                                                            : &writer->indexing_buffer,
	                                         term_batch, err);
}

enum bs_status bs_index_writer_merge(struct bs_index_writer *writer,
                                     const struct bs_term_batch *term_batch, bs_add_document_fn add,
                                     void *context, struct bs_error *err)
{
	bool is_row = term_batch->is_row, of_rows;
	enum bs_status status = term_batch->n_docs ? start_batch(writer, term_batch, err) : BS_OK;
	for (uint32_t i = 0; i < term_batch->n_docs && !status; i++) {
		if (is_full(writer, term_batch, i, &of_rows)) {
			status = write_segment(writer, of_rows, true, err);
			if (!status && of_rows == is_row)
				status = start_batch(writer, term_batch, err);
		}
		if (!status)
			status = add(context, term_batch, i, err);
	}
	if (!status && term_batch->next_bytes && !has_room(writer, term_batch))
		status = write_segment(writer, false, true, err);
	return status ? status : bs_progress_add(&writer->progress, 0, err);
}

enum bs_status bs_index_writer_settle(struct bs_index_writer *writer, const struct bs_snapshot *old,
                                      uint32_t *n_changed_out, struct bs_error *err)
{
	const struct bs_segment_record *written = writer->written.items;
	uint32_t n_written = (uint32_t)bs_vector_n(&writer->written), n_owned = 0;
	enum bs_status status =
		old ? bs_index_keep_segments(old, &writer->manifest, n_changed_out, err) : BS_OK;
	for (uint32_t i = 0; i < n_written && !status; i++) {
		struct bs_segment_record record = written[i];
		const uint8_t *bits = NULL;
		if (writer->owners && !record.is_rows)
			status = bs_id_owners_dead(writer->owners, n_owned++, record.n_docs, &bits,
			                           &record.n_deleted, err);
		if (status || record.n_deleted == record.n_docs)
			continue;
		if (bits) {
			record.tombstones = writer->manifest.next_number++;
			status = bs_tombstones_write(writer->dir, record.tombstones, bits,
			                             record.n_docs, err);
		}
		if (!status)
			status = bs_manifest_add_segment(&writer->manifest, &record, err);
	}
	return status;
}
