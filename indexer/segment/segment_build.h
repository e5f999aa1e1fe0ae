/*
 * segment_build.h: builds a segment file from an indexing buffer: the second half of an index run.
 *
 * Sorts the lexicon (term_order.h), makes the treatment table for the segment's size, and assigns
 * documents to classes of similar length (size_classes.h). Then several threads encode the lexicon
 * and build the shards of each class (shard_build.h).
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
	uint64_t max_shard_bytes; /* maximum bytes of the columns of all shards in memory */
	enum bs_forward_mode forward_mode;
	const struct bs_kernel *kernel;
	uint32_t n_threads;           /* >= 1; the file does not depend on it */
	struct bs_progress *progress; /* nullable */
	/* nullable; the hash of each word (bs_hash_term) is appended to it */
	struct bs_u64s *word_hashes;
	bool is_condensed; /* also write the condensed form (condense.h) */
	/* has the sources of the documents; borrowed; NULL: neither a table of ids nor the set of
	 * trigrams is written */
	const struct bs_manifest *manifest;
};

/* Writes a segment file in dir. Consumes the indexing buffer, which can only be cleared afterwards.
 * grams and store are those of the same documents; grams->plan may be NULL; store is nullable and
 * finished. file: if there is a store, the file that begins with the store's frames; consumed.
 * After a failure there is no file. */
enum bs_status bs_segment_build(const struct bs_dir *dir, const char *name,
                                struct bs_indexing_buffer *indexing_buffer,
                                struct bs_gram_indexing_buffer *grams,
                                struct bs_store_writer *store, struct bs_file_writer *file,
                                const struct bs_build_options *options, uint64_t *file_bytes_out,
                                struct bs_error *err) BS_WARN_UNUSED;
