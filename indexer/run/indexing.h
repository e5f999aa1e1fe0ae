/*
 * indexing.h: an index about to change: the commit before, with the writer's lock held, and the one
 * to be. indexer.c looks at sources, writer.c is in-memory documents.
 *
 *      bs_indexing_begin    the lock, the last commit, options, and which sources there are
 *      bs_indexing_source   ... what has become of each of them
 *      bs_indexing_end      the commit, and what compaction is due; or all is as it was
 */
#pragma once

#include "core/bitsift/build.h"
#include "core/store/index_dir.h"
#include "core/store/snapshot.h"
#include "corpus/changes/inner.h"
#include "corpus/changes/refresh.h"
#include "indexer/batch/folder_recorder.h"
#include "indexer/run/away.h"
#include "indexer/run/index_writer.h"
#include "indexer/run/source_list.h"

/* Zero-initialise. One thread. */
struct bs_indexing {
	struct bs_index_writer writer;
	const struct bs_build_request *request;
	struct bs_dir dir;
	struct bs_index_lock lock;
	struct bs_snapshot old;
	struct bs_build_report report;
	size_t made_bytes; /* 0: the directory was there. Else as of bs_index_create_dir */
	bool has_old;
	bool is_located; /* nobody named the index */
	bool is_damaged; /* there is an index, but it could not be opened */
	bool is_full;    /* everything is read: nothing of the old segments stays */
	bool is_renewal; /* is_full because the old segments were made by other rules */
	/* a rebuild of some sources: options that concern the others stay unchanged */
	bool is_partial;
	struct bs_away_index away; /* that of the commit before */
	struct bs_snapshot empty;  /* what a full run knows of the documents before it */
	struct bs_refresh refresh;
	struct bs_source_list list;
	struct bs_folder_recorder folders; /* of an index of grams: for searches, which walk */
	uint64_t n_absorbed; /* documents that are read again, as those of another source */
	/* The source being read, */
	struct bs_source source;
	uint32_t source_number;
	struct bs_refreshing refreshing;
	struct bs_inners inners; /* the collections in it, */
	struct bs_inner *inner;  /* and the one that is merged; NULL: none */
	struct bs_left_out left_out;
	/* its documents come from their stored texts, and are those of the commit before */
	bool is_restored;
	/* as in struct bs_listed_source: what it leaves out is another's */
	bool is_left;
	uint64_t next_sequence; /* of standard input: the number of the next record ever */
	/* ... is a folder or file: all of those are one step of the run */
	bool reads_files;
	uint64_t n_files_done; /* of those before it */
	uint32_t n_sources_read;
	uint32_t n_sources_lost; /* that are not there */
	uint32_t n_changed_segments;
	bool has_private; /* something read is for its owner alone */
	/* Of a run whose documents are given (writer.c): options of files and records are those
	 * that there are, and nothing is read. */
	bool is_in_memory;
	bool wants_grams; /* then, of a new index: it keeps those of records */
};

/* Fills *at, zeros but for is_located, is_in_memory and wants_grams, which does not move until the
 * end; the request is borrowed as long. bs_indexing_end follows, whatever the status is. */
enum bs_status bs_indexing_begin(struct bs_indexing *at, const struct bs_build_request *request,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Source number i of the new manifest is looked at, or kept as it was. */
enum bs_status bs_indexing_source(struct bs_indexing *at, uint32_t i,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* Commits, unless status is a failure; frees all that *at holds. report_out is nullable. */
enum bs_status bs_indexing_end(struct bs_indexing *at, enum bs_status status,
                               struct bs_build_report *report_out,
                               struct bs_error *err) BS_WARN_UNUSED;
/* Tells the request's log what a run amounted to. */
void bs_indexing_log(const struct bs_build_request *request, const struct bs_build_report *report,
                     bool is_compaction, enum bs_status status, const struct bs_error *err);

/* BS_INVALID, BS_UNSUPPORTED. */
enum bs_status bs_indexing_check_request(const struct bs_build_request *request,
                                         struct bs_error *err) BS_WARN_UNUSED;
/* Whether what is wished, as far as something is, is what the index was made with. BS_INVALID,
 * BS_NO_MEMORY. */
enum bs_status bs_indexing_check_options(const struct bs_build_request *request,
                                         const struct bs_recorded_options *recorded,
                                         const char *path, struct bs_error *err) BS_WARN_UNUSED;
/* The same of grams of in-memory documents. BS_INVALID. */
enum bs_status bs_indexing_check_grams(bool wants, const struct bs_recorded_options *recorded,
                                       const char *path, struct bs_error *err) BS_WARN_UNUSED;
