/*
 * indexer.h: an index run: sources -> segments -> one commit.
 *
 * The run takes the writer's lock, looks at every source, reads what is new or changed since the last commit, writes a
 * segment of it beside the old ones, tombstones for what is gone, and commits by replacing the manifest. Until then, and
 * whatever happens, the old index stays as it was. What compaction is due follows, as a commit of its own.
 */
#ifndef BS_INDEXER_RUN_INDEXER_H
#define BS_INDEXER_RUN_INDEXER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/store/manifest.h"
#include "core/base/status.h"
#include "core/matrix/treatment.h"
#include "corpus/walk/document.h"
#include "indexer/segment/size_classes.h"

/* What has been done so far, and in the end what the run amounted to. */
struct bs_index_report {
	uint64_t n_docs;       /* live in the index, at the end of the run */
	uint64_t n_indexed;    /* documents read and indexed */
	uint64_t n_replaced;   /* of those, records whose id came again later in their source */
	uint64_t n_kept_out;   /* of those, documents that stay deleted */
	uint64_t n_unchanged;  /* documents that the index had, and that are what they were */
	uint64_t n_renewed;    /* ... of those, indexed again, since their stamps proved nothing */
	uint64_t n_changed;    /* ... whose text is another, or that were replaced by a record of their id */
	uint64_t n_removed;    /* ... that are gone */
	uint64_t text_bytes;   /* of the documents indexed */
	uint64_t n_terms;      /* of the segments written: sum of their distinct terms */
	uint64_t n_postings;
	uint64_t written_bytes; /* of segments written, without what compaction wrote */
	uint64_t n_segments;   /* of the index, as n_docs */
	uint64_t index_bytes;  /* of all its files */
	uint64_t n_compacted;  /* segments that were merged */
	uint64_t n_moved;      /* documents moved by that */
	uint64_t n_stayed;     /* documents that should have moved, but are not what was indexed */
	uint64_t compacted_bytes; /* written by that */
	char warning[256];     /* what housekeeping was not done, and why; empty: it was done */
	bool is_refresh;       /* the index was there, and was not made anew */
	bool is_committed;     /* something changed */
	bool is_shared;        /* as was asked for; or else some source is not readable for others */
	uint64_t skipped[BS_SKIP_REASONS];
	uint64_t n_unread;     /* files, folders and sources that could not be looked at; what the index had of them stays */
	uint64_t elapsed_ns;
	uint64_t source_bytes; /* of the current collection read so far, for a progress bar; else 0 */
	uint64_t source_total; /* its size; 0: not known */
	bool is_writing;       /* what was read is being written; no documents are read meanwhile */
};

struct bs_index_job {
	const char *dir;                 /* created if need be */
	const struct bs_consent *consent; /* nullable */
	const char *const *sources;      /* arguments as on the command line; none: the recorded ones */
	size_t n_sources;
	struct bs_index_options options; /* borrowed */
	bool use_recorded_options;       /* of an index that exists: its options, whatever options says */
	bool rebuild;                    /* forget the recorded options, keep the recorded sources */
	bool strict;                     /* stop at the first bad record */
	bool wait;                       /* for the lock */
	bool shared;                     /* readable for others if every source is */
	uint64_t memory_bytes;           /* 0: 1 GiB */
	uint32_t n_threads;              /* 0: one a processor; the index does not depend on it */
	/* For experiments and tests; zero: defaults. */
	const struct bs_treatment_policy *policy;
	uint32_t max_slab_blocks;
	uint64_t max_slab_bytes;         /* of columns; documents that need more even alone become forward lists */
	uint32_t max_segment_docs;
	enum bs_forward_mode forward_mode;
	uint64_t pairs_least_bytes;      /* of a sample of the text, for pairs of words to be indexed */
	/* Called on the caller's thread. Both may be NULL. progress comes often: throttle; anything but 0 stops the run. */
	int (*progress)(void *context, const struct bs_index_report *so_far);
	void (*skipped)(void *context, enum bs_skip reason, const char *message);
	void *context;
};

/*
 * Runs the job. BS_OK: committed (or nothing to commit), even if documents were skipped, a source held none, or some of it could
 * not be read (n_unread). Otherwise
 * nothing changed:
 * BS_INVALID (options differ from the recorded ones, no source given or recorded, with strict a bad record), BS_BUSY
 * (another writer), BS_NOT_FOUND (no source could be read), BS_IO, BS_CORRUPT (of the old index), BS_STOPPED,
 * BS_UNTRUSTED (another user's, or a source that is not followed would have to be read again), BS_NO_MEMORY.
 */
enum bs_status bs_index_run(const struct bs_index_job *job, struct bs_index_report *report_out, struct bs_error *err)
	BS_WARN_UNUSED;

/* All the compaction that there is to do: one or a few segments, none with deleted documents, but for documents that
 * changed since they were indexed. Of the job, dir, wait, memory, threads and callbacks count. BS_OK; BS_NOT_FOUND: no
 * index; else as above. */
enum bs_status bs_compact_run(const struct bs_index_job *job, struct bs_index_report *report_out,
                              struct bs_error *err) BS_WARN_UNUSED;

#endif
