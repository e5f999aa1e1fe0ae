/*
 * index_writer.h: what each indexing run does with documents of any origin: collects them in the
 * indexing buffer and writes segments. Used by indexer.c (refresh), writer.c and compact.c (merge).
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

/* Zero-initialise all but request and report; release with bs_index_writer_deinit. One thread. */
struct bs_index_writer {
	const struct bs_build_request *request;
	struct bs_build_tuning tuning; /* tuning of the request, or zeros */
	/* the index directory; the owner sets it before bs_index_writer_start */
	const struct bs_dir *dir;
	struct bs_build_report *report;
	uint64_t start_ns;           /* CLOCK_MONOTONIC, for the report */
	struct bs_progress progress; /* progress of the present step */
	/* CLOCK_MONOTONIC */
	uint64_t step_start_ns;
	uint64_t n_files;            /* files found while a sample was taken */
	int64_t racy_from_ns;        /* fingerprints not older than this are racy */
	struct bs_manifest manifest; /* manifest of the next commit */
	/* words of segments of this run for the summary, as far as memory permits */
	struct bs_summary_cache cache;
	struct bs_segment_records written; /* the segments of this run */
	struct bs_source_options source_options;
	struct bs_build_options build_options;
	/* limit of held_bytes (index_writer.c) */
	uint64_t indexing_buffer_limit_bytes;
	/* documents are read on the caller's thread; the owner sets it before
	 * bs_index_writer_start */
	bool reads_alone;
	struct bs_pipeline *pipeline;
	struct bs_word_pairs pairs; /* the word pairs to index */
	struct bs_gram_plan gram_plan;
	struct bs_indexing_buffer indexing_buffer;
	/* grams of the files in indexing_buffer */
	struct bs_gram_indexing_buffer grams;
	/* rows of collections, which become a segment of their own */
	struct bs_indexing_buffer rows;
	/* grams of the files in rows */
	struct bs_gram_indexing_buffer row_grams;
	struct bs_store_writer *store; /* store of the segment in indexing_buffer; nullable */
	/* with store: the file of that segment, which begins with its frames */
	struct bs_file_writer *file;
	uint64_t file_number; /* with store: number of that file */
	/* texts in store */
	uint64_t n_stored;
	struct bs_id_owners *owners; /* nullable: receives every segment of documents */
	/* data that is kept until the end of the run and grows with documents */
	struct bs_spill spill;
};

/* Initialises the writer and starts the clock. */
void bs_index_writer_init(struct bs_index_writer *writer, const struct bs_build_request *request,
                          struct bs_build_report *report);
/* Begins a step and reports it. total: see struct bs_build_report. BS_STOPPED. */
enum bs_status bs_index_writer_step(struct bs_index_writer *writer, enum bs_build_step step,
                                    uint64_t total, struct bs_error *err) BS_WARN_UNUSED;
/* Prepares reading and writing; the manifest must have its options. has_private (nullable): see
 * struct bs_source_options. */
enum bs_status bs_index_writer_start(struct bs_index_writer *writer, bool *has_private,
                                     struct bs_error *err) BS_WARN_UNUSED;
void bs_index_writer_deinit(struct bs_index_writer *writer);
/* Call after bs_index_writer_start: data that the run reads of this snapshot, and that grows with
 * its documents, is limited by --memory or moved to files. */
enum bs_status bs_index_writer_read(struct bs_index_writer *writer, struct bs_snapshot *old,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Call after bs_index_writer_start: owners receives every segment; its memory is limited by
 * --memory as well. */
void bs_index_writer_use_owners(struct bs_index_writer *writer, struct bs_id_owners *owners);
/* Call after a list of the run that grows with files was extended: moves it to a file if it is too
 * large for --memory. */
enum bs_status bs_index_writer_hold_list(const struct bs_index_writer *writer,
                                         struct bs_buffer *list,
                                         struct bs_error *err) BS_WARN_UNUSED;
/* Uses the word pairs and the gram plan of the index. */
enum bs_status bs_index_writer_keep_choices(struct bs_index_writer *writer,
                                            const struct bs_snapshot *old,
                                            struct bs_error *err) BS_WARN_UNUSED;
/* True if the index holds so little text that its choices are not representative, so that choosing
 * again is better. */
bool bs_index_writer_holds_little(const struct bs_snapshot *old);
/* Chooses word pairs and the gram plan from a sample of the recorded sources. If only records have
 * grams, uses the gram plan of `old`. */
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

/* Merges an analysed batch of documents or rows. Calls `add` for each, which calls
 * bs_index_writer_add. Writes a segment before the indexing buffers exceed their limit, independent
 * of the number of threads. */
typedef enum bs_status (*bs_add_document_fn)(void *context, const struct bs_term_batch *term_batch,
                                             uint32_t i, struct bs_error *err);
enum bs_status bs_index_writer_merge(struct bs_index_writer *writer,
                                     const struct bs_term_batch *term_batch, bs_add_document_fn add,
                                     void *context, struct bs_error *err) BS_WARN_UNUSED;
/* Adds document i of the analysed batch with its record. If raw bytes are kept, stores them;
 * place[0] of a record of standard input becomes the frame number. */
enum bs_status bs_index_writer_add(struct bs_index_writer *writer,
                                   const struct bs_term_batch *term_batch, uint32_t i,
                                   struct bs_doc_record *record,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* True if the texts of sources of this kind are stored. */
static inline bool bs_index_writer_stores(const struct bs_index_writer *writer,
                                          enum bs_source_kind kind)
{
	return writer->manifest.options.store || kind == BS_SOURCE_STDIN;
}
/* Writes the indexing buffers as segments. */
enum bs_status bs_index_writer_flush(struct bs_index_writer *writer,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Adds the segments of the commit to the manifest: those of the previous commit (old NULL: none
 * stay), then those written, with tombstones for documents that the owners list as dead. Segments
 * without live documents are dropped. *n_changed_out: see index_dir.h. */
enum bs_status bs_index_writer_settle(struct bs_index_writer *writer, const struct bs_snapshot *old,
                                      uint32_t *n_changed_out, struct bs_error *err) BS_WARN_UNUSED;
