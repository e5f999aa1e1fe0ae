/* index_handle.h: the internals of an open index (bitsift/index.h). An open index does not change,
 * and threads share it. */
#pragma once

#include "core/bitsift/index_open.h"
#include "core/simd/kernels.h"
#include "core/store/snapshot.h"
#include "query/load/prefix_check.h"

struct bs_writer;

struct bs_index {
	struct bs_snapshot snapshot;
	/* The prefix checks of the index's collections. Each is made when a searcher first needs
	 * it. */
	struct bs_prefix_checks *prefix_checks;
	const struct bs_kernel *kernel;
	const struct bs_log *log; /* Receives log lines; nullable. */
	struct bs_dir dir;
	/* The number of sources that opening with `fresh` did not check, because the caller has not
	 * consented to that (struct bs_consent). */
	uint64_t n_unfollowed;
	/* The number of files, folders and sources that opening with `fresh` could not read, so
	 * that results may be incomplete. */
	uint64_t n_unread;
	/* The index was made with tokenizer rules other than those of this version, so matches can
	 * only be found by reading every text. */
	bool has_other_words;
};

/* Like bs_index_open_with. is_asked: the caller has already tested the query against the index's
 * summary; so the summary is opened only if the index has many segments. */
enum bs_status bs_index_open_asked(const struct bs_open_request *request, bool is_asked,
                                   struct bs_index **index_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Closes the file descriptors of an open index. Mapped files stay mapped, but no other file can be
 * opened. */
void bs_index_close_files(struct bs_index *index);

/* Opens a writer's documents that are not committed yet as an index. The caller must close
 * *index_out (NULL if there was no memory), even after a failure. */
enum bs_status bs_index_open_uncommitted(struct bs_writer *writer, struct bs_index **index_out,
                                         struct bs_error *err) BS_WARN_UNUSED;
