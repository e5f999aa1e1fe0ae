/*
 * indexing.h: a run that changes an index: it has the previous commit, with the writer's lock held,
 * and prepares the next one. indexer.c reads sources; writer.c adds in-memory documents.
 *
 *      bs_indexing_begin    takes the lock, opens the last commit, determines options and sources
 *      bs_indexing_source   reads the changes of one source
 *      bs_indexing_end      commits and compacts if due; after a failure the index is unchanged
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
	/* the previous commit */
	struct bs_snapshot old;
	struct bs_build_report report;
	/* made_bytes_out of bs_index_create_dir; 0: the directory existed */
	size_t made_bytes;
	/* old is open */
	bool has_old;
	bool is_located; /* the index was found, not named by the user */
	bool is_damaged; /* the index exists, but cannot be opened */
	bool is_full;    /* everything is read again; the next commit has no old segment */
	/* is_full because the old segments were made by another version of the tokenizer */
	bool is_renewal;
	/* a rebuild of some sources; other sources, and options that affect them, remain
	 * unchanged */
	bool is_partial;
	struct bs_away_index away; /* the previous commit, for messages about missing sources */
	struct bs_snapshot empty;  /* the snapshot that a full run refreshes; it has no documents */
	struct bs_refresh refresh;
	struct bs_source_list list;
	/* folder listings of an index of grams, for grep's walks */
	struct bs_folder_recorder folders;
	/* documents that are read again because their source was absorbed by another */
	uint64_t n_absorbed;
	/* the source being read; the fields down to is_left refer to it */
	struct bs_source source;
	uint32_t source_number; /* number of source in the new manifest */
	struct bs_refreshing refreshing;
	struct bs_inners inners; /* the inner collections of source */
	struct bs_inner *inner;  /* the inner collection being merged; NULL: none */
	/* skipped files of source */
	struct bs_left_out left_out;
	/* the documents of source are taken from the stored texts of the previous commit */
	bool is_restored;
	/* is_left of source (struct bs_listed_source): files that the walk skips are not reported,
	 * because they belong to other sources now */
	bool is_left;
	/* number of the next record of standard input; a number is never reused */
	uint64_t next_sequence;
	/* source is a folder or file; all folders and files together are one step of the run */
	bool reads_files;
	uint64_t n_files_done; /* files of the sources that were read before */
	uint32_t n_sources_read;
	uint32_t n_sources_lost; /* missing sources */
	uint32_t n_changed_segments;
	struct bs_access access; /* with `shared`: who may read the sources */
	/* this is a run of in-memory documents (writer.c): no source is read, and the recorded
	 * options for files and records stay */
	bool is_in_memory;
	bool wants_grams; /* if is_in_memory and the index is new: documents have grams */
};

/* Begins a run. *at is zero except for is_located, is_in_memory and wants_grams, and must not move
 * until bs_indexing_end. request is borrowed until then. The caller calls bs_indexing_end after any
 * status. */
enum bs_status bs_indexing_begin(struct bs_indexing *at, const struct bs_build_request *request,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Reads source number i of the new manifest, or keeps it unchanged. */
enum bs_status bs_indexing_source(struct bs_indexing *at, uint32_t i,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* Commits, unless status is a failure; frees all that *at owns. report_out is nullable. */
enum bs_status bs_indexing_end(struct bs_indexing *at, enum bs_status status,
                               struct bs_build_report *report_out,
                               struct bs_error *err) BS_WARN_UNUSED;
/* Writes a summary of the run to the request's log. */
void bs_indexing_log(const struct bs_build_request *request, const struct bs_build_report *report,
                     bool is_compaction, enum bs_status status, const struct bs_error *err);

/* True if the next commit keeps no segment of the previous one, so that all of its words are made
 * by this version of the tokenizer. */
bool bs_indexing_is_all_new(const struct bs_indexing *at);

/* Sets the options of the new manifest: the recorded ones, or the request's for a new index and for
 * a rebuild with options. BS_INVALID: the request's options contradict each other or the recorded
 * ones. BS_UNSUPPORTED: the recorded ones need another analyzer. BS_NO_MEMORY. */
enum bs_status bs_indexing_choose_options(struct bs_indexing *at,
                                          struct bs_error *err) BS_WARN_UNUSED;

/* Checks a request. BS_INVALID, BS_UNSUPPORTED. */
enum bs_status bs_indexing_check_request(const struct bs_build_request *request,
                                         struct bs_error *err) BS_WARN_UNUSED;
/* Checks that the index has words and, if the request sets recorded options, that its options for
 * words equal those of the index. BS_INVALID, BS_NO_MEMORY. */
enum bs_status bs_indexing_check_options(const struct bs_build_request *request,
                                         const struct bs_recorded_options *recorded,
                                         const char *path, struct bs_error *err) BS_WARN_UNUSED;
/* Checks that the index has grams of in-memory documents, if they are wanted. BS_INVALID. */
enum bs_status bs_indexing_check_grams(bool wants, const struct bs_recorded_options *recorded,
                                       const char *path, struct bs_error *err) BS_WARN_UNUSED;
