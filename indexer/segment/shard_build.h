/*
 * shard_build.h: builds one shard from documents of similar length, block by block.
 *
 * The bits of 512 documents are set in scratch lines that stay in the cache; then each line is
 * copied to its column. So nothing is sorted, and random writes go only to the scratch lines.
 * Documents are read twice: to count frequent terms, which decides the exact columns, and to set
 * the bits of all levels. In between, a sample of whole blocks (all blocks of a small shard) is
 * read to choose the widths of the levels. The sample has whole blocks because a bit of a coarse
 * level counts once for all documents of its group or block. Finally the shard is searched for each
 * frequent term, as a query does, and the rows that are found but do not have the term become its
 * false-positive list (core/matrix/false_positives.h).
 */
#pragma once

#include <stdint.h>

#include "core/base/error.h"
#include "core/store/segment.h"
#include "indexer/segment/shard_plan.h"

/* The state of a frequent term while a shard is built. */
struct bs_shard_frequent {
	uint32_t exact; /* number of its exact column; n_exact or more: it has none */
	/* while counting: number of rows of the shard that have the term; then: index in true_rows
	 * for its next row, or 0 if its rows are not recorded */
	uint32_t next;
};

/* Builds shards, one after another. Each thread has its own. The plan is borrowed. */
struct bs_shard_builder {
	const struct bs_shard_plan *plan;
	/* Indexed by the place of a term (shard_plan.h). The last element is for all terms that are
	 * not frequent. */
	struct bs_shard_frequent *frequent;
	/* Indexed by place: the mark of the last row that had the term. Each shard uses marks that
	 * were not used before, beginning at a multiple of 512. */
	uint32_t *marks;
	uint32_t next_mark; /* the first mark of the next shard */
	/* documents of the current shard; the fields from here to true_rows are for this shard */
	const uint32_t *rows;
	struct bs_shard_shape shape;
	uint32_t *exact_terms;
	uint32_t n_true_rows;
	/* from [1] on: the ascending rows of each term that may have false positives, in order of
	 * places */
	uint32_t *true_rows;
	uint64_t true_rows_bytes; /* allocated */
	uint64_t *lanes;          /* reused; all zero between shards */
	uint64_t lanes_bytes;     /* allocated */
};
enum bs_status bs_shard_builder_init(struct bs_shard_builder *builder,
                                     const struct bs_shard_plan *plan,
                                     struct bs_error *err) BS_WARN_UNUSED;
void bs_shard_builder_deinit(struct bs_shard_builder *builder);
/* The memory of a builder without its true_rows and lanes. */
uint64_t bs_shard_builder_bytes(const struct bs_shard_plan *plan);

/* First step: counts the terms of documents rows[0..n_rows), n_rows in 1..BS_SHARD_MAX_DOCS, and
 * chooses exact columns. rows is borrowed until the product is released. */
enum bs_status bs_shard_count(struct bs_shard_builder *builder, const uint32_t *rows,
                              uint32_t n_rows, struct bs_error *err) BS_WARN_UNUSED;
/* Second step: builds the shard. first_row: number of its first row in the segment. If the product
 * has columns of an earlier shard, their memory is reused. */
enum bs_status bs_shard_build(struct bs_shard_builder *builder, uint64_t first_row,
                              struct bs_shard_product *product,
                              struct bs_error *err) BS_WARN_UNUSED;
/* Does both steps, counting and building, for a shard that is restored: its shape (of a matrix) and
 * the ordinals of the terms with exact columns are given. BS_CORRUPT: these do not ascend, or are
 * not all frequent. */
enum bs_status bs_shard_rebuild(struct bs_shard_builder *builder, const uint32_t *rows,
                                const struct bs_shard_shape *shape, const uint32_t *exact_terms,
                                uint64_t first_row, struct bs_shard_product *product,
                                struct bs_error *err) BS_WARN_UNUSED;
