/*
 * check.h: is an index what FORMAT.md says it must be? Verifies every byte and names the first
 * inconsistency.
 *
 * Opening verifies what crashes are made of, touching verifies checksums; this looks at the rest:
 * that columns have the popcounts stored for them, that every document is in one shard, that the
 * matrix has room for every term's documents and for no more where it says that it is exact, and so
 * on. It reads the bytes by itself where it can, so that it is a second opinion on the writer's and
 * the readers' understanding of the format. Stored text is decoded by corpus/changes/stored_text.h,
 * which knows its compression.
 */
#pragma once

#include "core/base/error.h"
#include "core/store/snapshot.h"

/* Decodes the stored text of a segment that has some. */
typedef enum bs_status bs_check_stored_text(const struct bs_snapshot *snapshot, uint32_t segment,
                                            struct bs_error *err);

struct bs_check_options {
	/* called often; NULL: not called */
	void (*progress)(void *context, uint64_t done_bytes, uint64_t total_bytes);
	void *context;
	/* bs_stored_text_check; NULL: only the places of stored text are checked */
	bs_check_stored_text *stored_text;
};

struct bs_check_sums {
	uint64_t n_docs; /* that can be found */
	uint64_t n_segments;
	uint64_t n_bytes; /* of all the files */
};

/*
 * Checks the last commit in dir. BS_CORRUPT with the file and what is wrong with it; BS_NOT_FOUND,
 * BS_IO, BS_UNSUPPORTED, BS_NO_MEMORY as bs_snapshot_open. Memory: beside the opened index, nine
 * bytes a document and four a term of one segment. options may be NULL.
 */
enum bs_status bs_check_dir(const struct bs_dir *dir, const struct bs_check_options *options,
                            struct bs_check_sums *sums_out, struct bs_error *err) BS_WARN_UNUSED;
