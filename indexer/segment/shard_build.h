/*
 * shard_build.h: builds one shard from documents of similar length, block by block.
 *
 * The bits of 512 documents are set in scratch lines that stay in the cache; then each line is
 * copied to its column. So there is no sorting, and no random write to memory larger than the
 * scratch. Documents are read twice: to count frequent terms, which decides the exact columns, and
 * to set the bits of all levels. In between, a sample of whole blocks (all of a small shard) is
 * read to choose the widths of the levels; whole blocks, because bits that documents of a lane
 * share count once. Finally the shard is searched for each frequent term, as a query does, and
 * wrong rows become the term's false-positive list (core/matrix/false_positives.h).
 */
#pragma once

#include <stdint.h>

#include "core/base/error.h"
#include "core/store/segment.h"
#include "indexer/segment/shard_plan.h"

/* The state of a frequent term while a shard is built. */
struct bs_shard_frequent {
	uint32_t exact; /* its exact column; none if n_exact or more */
	/* first its df in the shard, then the index for its next true row; 0: its true rows are not
	 * kept */
	uint32_t next;
};

/* Scratch of a builder, for one thread. The plan is borrowed. */
struct bs_shard_builder {
	const struct bs_shard_plan *plan;
	/* by place; the last element is for all terms that are not frequent */
	struct bs_shard_frequent *frequent;
	/* by place: mark of the last row that had the term; marks of a shard begin at an unused
	 * multiple of 512 */
	uint32_t *marks;
	uint32_t next_mark; /* the first mark of the next shard */
	/* documents of the current shard; the fields down to true_rows belong to it */
	const uint32_t *rows;
	struct bs_shard_shape shape;
	uint32_t *exact_terms;
	uint32_t n_true_rows;
	/* from [1] on: for each term that may have false positives, in order of places, its rows in
	 * ascending order */
	uint32_t *true_rows;
	uint64_t true_rows_bytes; /* allocated */
	uint64_t *lanes;          /* reused; all zero between shards */
	uint64_t lanes_bytes;     /* allocated */
};
enum bs_status bs_shard_builder_init(struct bs_shard_builder *builder,
                                     const struct bs_shard_plan *plan,
                                     struct bs_error *err) BS_WARN_UNUSED;
void bs_shard_builder_deinit(struct bs_shard_builder *builder);
/* Memory of an idle builder. */
uint64_t bs_shard_builder_bytes(const struct bs_shard_plan *plan);

/* First step: counts the terms of documents rows[0..n_rows), n_rows in 1..BS_SHARD_MAX_DOCS. rows
 * is borrowed until the product is released. */
enum bs_status bs_shard_count(struct bs_shard_builder *builder, const uint32_t *rows,
                              uint32_t n_rows, struct bs_error *err) BS_WARN_UNUSED;
/* Second step: builds the shard from row first_row of the segment on. The product may bring columns
 * of an earlier shard, which are reused. */
enum bs_status bs_shard_build(struct bs_shard_builder *builder, uint64_t first_row,
                              struct bs_shard_product *product,
                              struct bs_error *err) BS_WARN_UNUSED;
/* Both steps for a shard whose choices are known: shape (of a matrix), and the ordinals of the
 * terms with exact columns. BS_CORRUPT: these do not ascend, or are not all frequent. */
enum bs_status bs_shard_rebuild(struct bs_shard_builder *builder, const uint32_t *rows,
                                const struct bs_shard_shape *shape, const uint32_t *exact_terms,
                                uint64_t first_row, struct bs_shard_product *product,
                                struct bs_error *err) BS_WARN_UNUSED;
