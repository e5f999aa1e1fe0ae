/*
 * index_writer.h: the part of an indexing run that does not depend on where documents come from:
 * collects them in the indexing buffer and writes segments. Used by indexer.c (refresh), writer.c
 * (in-memory documents) and compact.c (merge).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/bitsift/build.h"
#include "core/store/manifest.h"
#include "core/store/snapshot.h"
#include "core/store/summary_make.h"
#include "core/system/deadline.h"
#include "corpus/changes/id_owners.h"
#include "corpus/read/source.h"
#include "corpus/read/text_store.h"
#include "indexer/batch/indexing_buffer.h"
#include "indexer/batch/pipeline.h"
#include "indexer/choose/gram_choice.h"
#include "indexer/choose/word_pair_choice.h"
#include "indexer/run/tuning.h"
#include "indexer/segment/gram_indexing_buffer.h"
#include "indexer/segment/segment_build.h"

/* Initialise with bs_index_writer_init; release with bs_index_writer_deinit. One thread. */
struct bs_index_writer {
	const struct bs_build_request *request;
	struct bs_build_tuning tuning; /* tuning of the request, or zeros */
	/* the index directory; the owner sets it before bs_index_writer_start */
	const struct bs_dir *dir;
	struct bs_build_report *report;
	uint64_t start_ns;           /* CLOCK_MONOTONIC, for the report */
	struct bs_progress progress; /* progress of the present step */
	/* start of the present step, CLOCK_MONOTONIC */
	uint64_t step_start_ns;
	/* total for the progress of reading files: the files counted in BS_BUILD_LOOK, or those of
	 * the previous commit */
	uint64_t n_files;
	int64_t racy_from_ns;        /* fingerprints not older than this are racy */
	struct bs_manifest manifest; /* manifest of the next commit */
	/* words of this run's segments, kept for the summary as far as memory permits */
	struct bs_summary_cache cache;
	struct bs_segment_records written; /* the segments of this run */
	struct bs_source_options source_options;
	struct bs_build_options build_options;
	/* limit of held_bytes() in index_writer.c */
	uint64_t indexing_buffer_limit_bytes;
	/* documents are read on the caller's thread; the owner sets it before
	 * bs_index_writer_start */
	bool reads_alone;
	struct bs_pipeline *pipeline;
	struct bs_word_pairs pairs; /* the word pairs to index */
	struct bs_gram_plan gram_plan;
	struct bs_indexing_buffer indexing_buffer;
	/* grams of the documents in indexing_buffer */
	struct bs_gram_indexing_buffer grams;
	/* rows of collections, which become a segment of their own */
	struct bs_indexing_buffer rows;
	/* grams of the documents in rows */
	struct bs_gram_indexing_buffer row_grams;
	struct bs_store_writer *store; /* store of the segment in indexing_buffer; nullable */
	/* if there is a store: the file of that segment, which begins with the store's frames */
	struct bs_file_writer *file;
	uint64_t file_number; /* if store is open: the number of that file */
	/* number of texts in store */
	uint64_t n_stored;
	struct bs_id_owners *owners; /* nullable; gets every segment of documents */
	/* temporary file for data that grows with documents and is kept until the end of the run */
	struct bs_spill spill;
};

/* Initialises the writer and starts the clock. */
void bs_index_writer_init(struct bs_index_writer *writer, const struct bs_build_request *request,
                          struct bs_build_report *report);
/* Begins a step and reports it. total: see struct bs_build_report. BS_STOPPED. */
enum bs_status bs_index_writer_step(struct bs_index_writer *writer, enum bs_build_step step,
                                    uint64_t total, struct bs_error *err) BS_WARN_UNUSED;
/* Opens the pipeline and prepares for writing segments. The manifest must have its options.
 * access (nullable): see struct bs_source_options. */
enum bs_status bs_index_writer_start(struct bs_index_writer *writer, struct bs_access *access,
                                     struct bs_error *err) BS_WARN_UNUSED;
void bs_index_writer_deinit(struct bs_index_writer *writer);
/* Call after bs_index_writer_start if the run reads the snapshot `old`: data of the snapshot that
 * grows with its documents is limited by --memory or moved to files. */
enum bs_status bs_index_writer_read(struct bs_index_writer *writer, struct bs_snapshot *old,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Call after bs_index_writer_start: every segment of the run is added to owners, whose memory is
 * limited by --memory as well. */
void bs_index_writer_use_owners(struct bs_index_writer *writer, struct bs_id_owners *owners);
/* Call after extending a list that grows with the number of files: moves it to a temporary file if
 * it is too large for --memory. */
enum bs_status bs_index_writer_hold_list(const struct bs_index_writer *writer,
                                         struct bs_buffer *list,
                                         struct bs_error *err) BS_WARN_UNUSED;
/* Call after extending the manifest's list of skipped files: moves it to a temporary file if it is
 * too large for --memory. */
enum bs_status bs_index_writer_hold_skipped(const struct bs_index_writer *writer,
                                            struct bs_manifest *manifest,
                                            struct bs_error *err) BS_WARN_UNUSED;
/* Takes the word pairs and the gram plan of the existing index. */
enum bs_status bs_index_writer_keep_choices(struct bs_index_writer *writer,
                                            const struct bs_snapshot *old,
                                            struct bs_error *err) BS_WARN_UNUSED;
/* True if the index has so little text that its word pairs and gram plan are not representative,
 * and should be chosen again. */
bool bs_snapshot_is_small(const struct bs_snapshot *old);
/* Chooses word pairs and the gram plan from a sample of the recorded sources. If only records have
 * grams, takes the gram plan of `old` instead. */
enum bs_status bs_index_writer_choose(struct bs_index_writer *writer, const struct bs_snapshot *old,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Chooses word pairs and the gram plan from the given sample (sample.h), for a run of in-memory
 * documents. */
enum bs_status bs_index_writer_choose_by(struct bs_index_writer *writer, bs_give_sample_fn sample,
                                         void *context, struct bs_error *err) BS_WARN_UNUSED;
/* Frees the memory for reading and for the indexing buffers. */
void bs_index_writer_release(struct bs_index_writer *writer);
/* Reports a skipped file, record or source. */
void bs_index_writer_skip(struct bs_index_writer *writer, enum bs_skip reason, const char *message);

/* Merges an analysed batch of documents or rows: calls `add` for each, which must call
 * bs_index_writer_add. Before the indexing buffers exceed their limit, writes a segment; when this
 * happens does not depend on the number of threads. */
typedef enum bs_status (*bs_add_document_fn)(void *context, const struct bs_term_batch *term_batch,
                                             uint32_t i, struct bs_error *err);
enum bs_status bs_index_writer_merge(struct bs_index_writer *writer,
                                     const struct bs_term_batch *term_batch, bs_add_document_fn add,
                                     void *context, struct bs_error *err) BS_WARN_UNUSED;
/* Adds document i of the analysed batch with its record. If the batch keeps raw bytes, stores them;
 * place[0] of a record of standard input is set to its frame number. */
enum bs_status bs_index_writer_add(struct bs_index_writer *writer,
                                   const struct bs_term_batch *term_batch, uint32_t i,
                                   struct bs_doc_record *record,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* True if texts of sources of this kind are stored in the index. */
static inline bool bs_index_writer_stores(const struct bs_index_writer *writer,
                                          enum bs_source_kind kind)
{
	return writer->manifest.options.store || kind == BS_SOURCE_STDIN;
}
/* Writes the indexing buffers as segments. */
enum bs_status bs_index_writer_flush(struct bs_index_writer *writer,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Fills in the segments of the next commit in the manifest: those of the previous commit (old NULL:
 * none stay), then those that this run wrote, with tombstones for documents that are dead by
 * `owners`. Segments without live documents are dropped. *n_changed_out: see index_dir.h. */
enum bs_status bs_index_writer_settle(struct bs_index_writer *writer, const struct bs_snapshot *old,
                                      uint32_t *n_changed_out, struct bs_error *err) BS_WARN_UNUSED;
