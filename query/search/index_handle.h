/* index_handle.h: an opened index (bitsift/index.h) from within. Immutable and shared by
 * threads. */
#pragma once

#include "core/bitsift/index_open.h"
#include "core/simd/kernels.h"
#include "core/store/snapshot.h"
#include "query/load/prefix_check.h"

struct bs_writer;

struct bs_index {
	struct bs_snapshot snapshot;
	struct bs_prefix_checks *prefix_checks; /* of collections that grew; filled by searchers */
	const struct bs_kernel *kernel;
	const struct bs_log *log; /* nullable */
	struct bs_dir dir;
	uint64_t n_unfollowed; /* sources that a fresh index was not to look at */
	/* files, folders and sources that it could not look at: answers may be incomplete */
	uint64_t n_unread;
	/* its words were cut by other rules: only reading every text finds what matches */
	bool has_other_words;
};

/* As bs_index_open_with. is_asked: the caller has asked the index's summary already, so that it is
 * opened only where there are many segments. */
enum bs_status bs_index_open_asked(const struct bs_open_request *request, bool is_asked,
                                   struct bs_index **index_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Closes the descriptors of all files of an index that is open. Mapped files stay mapped; nothing
 * more can be opened. */
void bs_index_close_files(struct bs_index *index);

/* Opens what a writer has not committed as an index. */
enum bs_status bs_index_open_uncommitted(struct bs_writer *writer, struct bs_index **index_out,
                                         struct bs_error *err) BS_WARN_UNUSED;
