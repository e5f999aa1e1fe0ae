/*
 * segment_build.h: builds a segment file from an indexing buffer: the second half of an index run.
 *
 * Sorts the lexicon (term_order.h), makes the treatment table for the segment's size, assigns
 * documents to classes of similar length (size_classes.h), and builds shards of each class
 * (shard_build.h) while the lexicon is encoded.
 */
#pragma once

#include <stdint.h>

#include "core/base/error.h"
#include "core/base/vector.h"
#include "core/matrix/term_treatment.h"
#include "core/simd/kernels.h"
#include "core/store/manifest.h"
#include "corpus/read/text_store.h"
#include "indexer/batch/indexing_buffer.h"
#include "indexer/segment/gram_indexing_buffer.h"
#include "indexer/segment/size_classes.h"

struct bs_build_options {
	struct bs_term_treatment_policy policy;
	uint32_t max_blocks;      /* most blocks of a shard, 1..BS_SHARD_MAX_BLOCKS */
	uint64_t max_shard_bytes; /* limit for the columns of shards held in memory */
	enum bs_forward_mode forward_mode;
	const struct bs_kernel *kernel;
	uint32_t n_threads;           /* >= 1; the file does not depend on it */
	struct bs_progress *progress; /* nullable */
	struct bs_u64s *word_hashes;  /* nullable: receives bs_hash_term of each word */
	bool is_condensed;            /* also write the condensed form (condense.h) */
	/* borrowed: the sources of the documents; NULL: no table of ids is written */
	const struct bs_manifest *manifest;
};

/* Writes a segment file in dir. The indexing buffer is consumed: it can only be cleared afterwards.
 * grams (whose plan may be NULL) and store (nullable, finished) belong to its documents. file:
 * required with a store: the file that begins with the store's frames; consumed. After a failure no
 * file is left. */
enum bs_status bs_segment_build(const struct bs_dir *dir, const char *name,
                                struct bs_indexing_buffer *indexing_buffer,
                                struct bs_gram_indexing_buffer *grams,
                                struct bs_store_writer *store, struct bs_file_writer *file,
                                const struct bs_build_options *options, uint64_t *file_bytes_out,
                                struct bs_error *err) BS_WARN_UNUSED;
