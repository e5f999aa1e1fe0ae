/*
 * indexer.h: an index run: sources -> segments -> one commit.
 *
 * The run takes the writer's lock, reads every source, writes segments beside the old ones and commits by replacing the
 * manifest. Until then, and whatever happens, the old index stays as it was.
 */
#ifndef BS_INDEXER_INDEXER_H
#define BS_INDEXER_INDEXER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/manifest.h"
#include "core/status.h"
#include "core/treatment.h"
#include "corpus/document.h"
#include "indexer/classes.h"

/* What has been done so far, and in the end what the run amounted to. */
struct bs_index_report {
	uint64_t n_docs;
	uint64_t n_replaced;   /* records whose id came again later in their source */
	uint64_t text_bytes;
	uint64_t n_terms;      /* sum over segments */
	uint64_t n_postings;
	uint64_t n_segments;
	uint64_t index_bytes;  /* of segments, tombstones and manifest */
	uint64_t skipped[BS_SKIP_REASONS];
	uint64_t elapsed_ns;
	uint64_t source_bytes; /* of the current collection read so far, for a progress bar; else 0 */
	uint64_t source_total; /* its size; 0: not known */
	bool is_writing;       /* what was read is being written; no documents are read meanwhile */
};

struct bs_index_job {
	const char *dir;                 /* created if need be */
	const char *const *sources;      /* arguments as on the command line; none: the recorded ones */
	size_t n_sources;
	struct bs_index_options options; /* borrowed */
	bool use_recorded_options;       /* of an index that exists: its options, whatever options says */
	bool rebuild;                    /* forget the recorded options, keep the recorded sources */
	bool strict;                     /* stop at the first bad record */
	bool wait;                       /* for the lock */
	uint64_t memory_bytes;           /* 0: 1 GiB */
	uint32_t n_threads;              /* 0: one a processor; the index does not depend on it */
	/* For experiments and tests; zero: defaults. */
	const struct bs_treatment_policy *policy;
	uint32_t max_slab_blocks;
	uint32_t max_segment_docs;
	enum bs_list_mode list_mode;
	/* Called on the caller's thread. Both may be NULL. progress comes often: throttle; anything but 0 stops the run. */
	int (*progress)(void *context, const struct bs_index_report *so_far);
	void (*skipped)(void *context, enum bs_skip reason, const char *message);
	void *context;
};

/*
 * Runs the job. BS_OK: committed, even if documents were skipped or a source held none. Otherwise nothing changed:
 * BS_INVALID (options differ from the recorded ones, no source given or recorded, with strict a bad record), BS_BUSY
 * (another writer), BS_NOT_FOUND (no source could be read), BS_IO, BS_CORRUPT (of the old index), BS_STOPPED,
 * BS_NO_MEMORY.
 */
enum bs_status bs_index_run(const struct bs_index_job *job, struct bs_index_report *report_out, struct bs_error *err)
	BS_WARN_UNUSED;

#endif
