/*
 * index_writer.h: what every run of the indexer does with documents, wherever they come from:
 * accumulate them, and write segments. indexer.c refreshes sources with it, compact.c merges
 * segments.
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

/* Zero-initialise but for request and report; release with bs_index_writer_deinit. One thread. */
struct bs_index_writer {
	const struct bs_build_request *request;
	struct bs_build_tuning tuning; /* of the request, or defaults */
	const struct bs_dir *dir;      /* of the index; the owner sets it before the start */
	struct bs_build_report *report;
	uint64_t start_ns;           /* CLOCK_MONOTONIC, for the report */
	struct bs_progress progress; /* of the step under way */
	uint64_t step_start_ns;
	uint64_t n_files;            /* met when a sample was chosen */
	int64_t racy_from_ns;        /* fingerprints not older than this prove nothing */
	struct bs_manifest manifest; /* of the commit to be */
	/* of segments of this run: their words, as far as there is room */
	struct bs_summary_cache cache;
	struct bs_segment_records written; /* the segments of this run */
	struct bs_source_options source_options;
	struct bs_build_options build_options;
	uint64_t indexing_buffer_limit_bytes;
	/* documents are read by the caller's thread; the owner says so before the start */
	bool reads_alone;
	struct bs_pipeline *pipeline;
	struct bs_word_pairs pairs; /* that are terms */
	struct bs_gram_plan gram_plan;
	struct bs_indexing_buffer indexing_buffer;
	/* of the files among the accumulated documents */
	struct bs_gram_indexing_buffer grams;
	struct bs_indexing_buffer rows; /* of collections: a segment of its own */
	struct bs_gram_indexing_buffer row_grams;
	struct bs_store_writer *store; /* of the segment being accumulated, or NULL; */
	struct bs_file_writer *file;   /* then, that segment, as far as it has frames, */
	uint64_t file_number;          /* under its number */
	uint64_t n_stored;
	struct bs_id_owners *owners; /* told of every segment, or NULL */
	/* what is kept to the end of the run, and grows with documents */
	struct bs_spill spill;
};

/* Sets the clock. */
void bs_index_writer_init(struct bs_index_writer *writer, const struct bs_build_request *request,
                          struct bs_build_report *report);
/* A step begins, and is told of. total: see struct bs_build_report. BS_STOPPED. */
enum bs_status bs_index_writer_step(struct bs_index_writer *writer, enum bs_build_step step,
                                    uint64_t total, struct bs_error *err) BS_WARN_UNUSED;
/* Gets ready to read and write, once the manifest has options. has_private (nullable): see struct
 * bs_source_options. */
enum bs_status bs_index_writer_start(struct bs_index_writer *writer, bool *has_private,
                                     struct bs_error *err) BS_WARN_UNUSED;
void bs_index_writer_deinit(struct bs_index_writer *writer);
/* After the start: what the run reads of this snapshot, and grows with its documents, is held
 * within --memory, or in files. */
enum bs_status bs_index_writer_read(struct bs_index_writer *writer, struct bs_snapshot *old,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* After the start: `owners` learns the ids of every segment; its memory is within --memory, too. */
void bs_index_writer_use_owners(struct bs_index_writer *writer, struct bs_id_owners *owners);
/* After a list of this run that grows with files has grown: it is held within --memory, or moved to
 * a file. */
enum bs_status bs_index_writer_hold_list(const struct bs_index_writer *writer,
                                         struct bs_buffer *list,
                                         struct bs_error *err) BS_WARN_UNUSED;
/* Goes on with the pairs of words that an index has, and with what is frequent among its grams. */
enum bs_status bs_index_writer_keep_choices(struct bs_index_writer *writer,
                                            const struct bs_snapshot *old,
                                            struct bs_error *err) BS_WARN_UNUSED;
/* Whether that is so little text that what was chosen for it says nothing about what comes: better
 * to choose again. */
bool bs_index_writer_holds_little(const struct bs_snapshot *old);
/* Chooses them by a sample of the recorded sources; of an index that has grams of records alone,
 * goes on with those of old. */
enum bs_status bs_index_writer_choose(struct bs_index_writer *writer, const struct bs_snapshot *old,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Chooses them by the sample that is given, of a run that is in-memory documents (sample.h). */
enum bs_status bs_index_writer_choose_by(struct bs_index_writer *writer, bs_give_sample_fn sample,
                                         void *context, struct bs_error *err) BS_WARN_UNUSED;
/* Gives back the memory that reading and accumulating took. */
void bs_index_writer_release(struct bs_index_writer *writer);

void bs_index_writer_skip(struct bs_index_writer *writer, enum bs_skip reason, const char *message);

/* Merges an analysed batch, of documents or of rows: has each of them added by `add`, which calls
 * bs_index_writer_add, and tells the caller. What is accumulated becomes a segment before it is too
 * much, which does not depend on threads. */
typedef enum bs_status (*bs_add_document_fn)(void *context, const struct bs_term_batch *term_batch,
                                             uint32_t i, struct bs_error *err);
enum bs_status bs_index_writer_merge(struct bs_index_writer *writer,
                                     const struct bs_term_batch *term_batch, bs_add_document_fn add,
                                     void *context, struct bs_error *err) BS_WARN_UNUSED;
/* Adds document i of the analysed batch under its record; stores raw bytes if they are kept:
 * place[0] becomes where. */
enum bs_status bs_index_writer_add(struct bs_index_writer *writer,
                                   const struct bs_term_batch *term_batch, uint32_t i,
                                   struct bs_doc_record *record,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Whether the texts of a source of this kind are kept. */
static inline bool bs_index_writer_stores(const struct bs_index_writer *writer,
                                          enum bs_source_kind kind)
{
	return writer->manifest.options.store || kind == BS_SOURCE_STDIN;
}
/* Writes what is accumulated as segments. */
enum bs_status bs_index_writer_flush(struct bs_index_writer *writer,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Puts the segments of the commit into the manifest: those of the commit before (NULL: none stay),
 * then those written, with tombstones for what the owners call dead, unless nothing of one lives.
 * *n_changed_out: see index_dir.h. */
enum bs_status bs_index_writer_settle(struct bs_index_writer *writer, const struct bs_snapshot *old,
                                      uint32_t *n_changed_out, struct bs_error *err) BS_WARN_UNUSED;
