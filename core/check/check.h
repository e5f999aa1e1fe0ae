/*
 * check.h: checks an index against FORMAT.md. Reads every page and reports the first inconsistency.
 *
 * Opening an index verifies what is needed to avoid crashes, and touching a page verifies its
 * checksum. This module checks the rest: for example that each level has as many set bits as is
 * stored, that no document is in two shards, and that the df of a term in the lexicon is the number
 * of documents that have the term in the shards. It decodes with the functions of the readers, and
 * computes again the numbers that the writer stored (popcounts, dfs, sums). Stored text is decoded
 * by corpus/changes/stored_text.h, which knows its compression.
 */
#pragma once

#include "core/base/error.h"
#include "core/store/snapshot.h"

/* Decodes the stored text of a segment, if it has some, and returns the first error. */
typedef enum bs_status bs_check_stored_text(const struct bs_snapshot *snapshot, uint32_t segment,
                                            struct bs_error *err);

struct bs_check_options {
	/* Called often while files are read. Nullable. */
	void (*progress)(void *context, uint64_t done_bytes, uint64_t total_bytes);
	void *context; /* of progress */
	/* bs_stored_text_check (corpus/changes/stored_text.h). NULL: only the offsets of stored
	 * text are checked. */
	bs_check_stored_text *stored_text;
};

struct bs_check_sums {
	uint64_t n_docs;     /* live documents */
	uint64_t n_segments; /* segments of documents, not of rows */
	uint64_t n_bytes;    /* bytes of all checked files */
};

/* Checks the last commit of the index in dir. BS_CORRUPT, naming the file and the error;
 * BS_NOT_FOUND, BS_IO, BS_UNSUPPORTED, BS_NO_MEMORY as bs_snapshot_open. Memory, in addition to the
 * open index: about 13 bytes for each document and each term of the largest segment. options may be
 * NULL. */
enum bs_status bs_check_dir(const struct bs_dir *dir, const struct bs_check_options *options,
                            struct bs_check_sums *sums_out, struct bs_error *err) BS_WARN_UNUSED;
