/* index_handle.h: the internals of an opened index (bitsift/index.h). Immutable and shared by
 * threads. */
#pragma once

#include "core/bitsift/index_open.h"
#include "core/simd/kernels.h"
#include "core/store/snapshot.h"
#include "query/load/prefix_check.h"

struct bs_writer;

struct bs_index {
	struct bs_snapshot snapshot;
	/* The prefix checks of collections that grew; made by searchers. */
	struct bs_prefix_checks *prefix_checks;
	const struct bs_kernel *kernel;
	const struct bs_log *log; /* Receives log lines; nullable. */
	struct bs_dir dir;
	uint64_t n_unfollowed; /* Sources that opening with `fresh` was not allowed to look at. */
	/* Files, folders and sources that opening with `fresh` could not read: results may be
	 * incomplete. */
	uint64_t n_unread;
	/* The index was made with other tokenizer rules: only reading every text finds the
	 * matches. */
	bool has_other_words;
};

/* See bs_index_open_with. is_asked: the caller has already checked the query against the index's
 * summary, so the summary is opened only for an index of many segments. */
enum bs_status bs_index_open_asked(const struct bs_open_request *request, bool is_asked,
                                   struct bs_index **index_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Closes the file descriptors of an open index. Mapped files stay mapped; no further file can be
 * opened. */
void bs_index_close_files(struct bs_index *index);

/* Opens the uncommitted documents of a writer as an index. */
enum bs_status bs_index_open_uncommitted(struct bs_writer *writer, struct bs_index **index_out,
                                         struct bs_error *err) BS_WARN_UNUSED;
