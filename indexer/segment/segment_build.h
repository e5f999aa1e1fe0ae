/*
 * segment_build.h: from accumulated documents to a segment file. The second half of an index run.
 *
 * Sorts the lexicon (term_order.h), makes the treatment table from the segment's size, puts the
 * documents in classes of similar length (size_classes.h), and has each class made into shards
 * (shard_build.h), beside the coding of the lexicon.
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
	uint32_t max_blocks;      /* of a shard, 1..BS_SHARD_MAX_BLOCKS */
	uint64_t max_shard_bytes; /* of columns of one shard held in memory */
	enum bs_forward_mode forward_mode;
	const struct bs_kernel *kernel;
	uint32_t n_threads;           /* >= 1; the file is the same for any number */
	struct bs_progress *progress; /* nullable */
	struct bs_u64s *word_hashes;  /* nullable: bs_hash_term of each word is appended */
	bool is_condensed;            /* it is written condensed, too (condense.h) */
	/* borrowed: whose sources the documents are of. NULL: no ids are listed */
	const struct bs_manifest *manifest;
};

/* Writes a file of dir. The indexing buffer is used up, and can only be cleared. grams (of which
 * plan may be NULL) and store (nullable, finished) are of these documents. file: with a store, that
 * file, begun with the section of the store's frames; used up, too. Nothing is left behind on
 * failure. */
enum bs_status bs_segment_build(const struct bs_dir *dir, const char *name,
                                struct bs_indexing_buffer *indexing_buffer,
                                struct bs_gram_indexing_buffer *grams,
                                struct bs_store_writer *store, struct bs_file_writer *file,
                                const struct bs_build_options *options, uint64_t *file_bytes_out,
                                struct bs_error *err) BS_WARN_UNUSED;
