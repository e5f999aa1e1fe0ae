/*
 * shard_build.h: documents of similar length -> one shard, a block at a time.
 *
 * The bits of 512 documents are set in a scratch of m lines that stays in cache; then each line
 * goes to its column. No sort, and no random writes to memory larger than the scratch. The
 * documents are read twice: to count frequent terms, which decides which of them get an exact
 * column, and to set the bits of all levels. In between, some of them (of a small shard, all) are
 * read to see how wide the levels must be: whole blocks, since what the lanes of a block share
 * counts once. At last the shard is asked for each frequent term, as a query asks it, and what is
 * wrong in the answer becomes an exception (core/matrix/false_positives.h).
 */
#pragma once

#include <stdint.h>

#include "core/base/error.h"
#include "core/store/segment.h"
#include "indexer/segment/shard_plan.h"

/* What a shard in the making knows of a frequent term. */
struct bs_shard_frequent {
	uint32_t exact; /* its exact column; n_exact or more: it has none */
	/* how many documents have it, then where its next true row goes; 0: they are not kept */
	uint32_t next;
};

/* Scratch of a builder; one thread. The plan is borrowed. */
struct bs_shard_builder {
	const struct bs_shard_plan *plan;
	struct bs_shard_frequent *frequent; /* by place, and one more for all terms behind them */
	/* by place: the last row that had the term, from a multiple of 512 on that no shard before
	 * used */
	uint32_t *marks;
	uint32_t next_mark; /* that multiple */
	/* The shard under way. */
	const uint32_t *rows;
	struct bs_shard_shape shape;
	uint32_t *exact_terms;
	uint32_t n_true_rows;
	/* behind [0]: those of the first term that may have false positives, ascending; of the
	 * second, ... */
	uint32_t *true_rows;
	uint64_t true_rows_bytes; /* room */
	uint64_t *lanes;          /* kept from shard to shard, all zero between them */
	uint64_t lanes_bytes;     /* room */
};
enum bs_status bs_shard_builder_init(struct bs_shard_builder *builder,
                                     const struct bs_shard_plan *plan,
                                     struct bs_error *err) BS_WARN_UNUSED;
void bs_shard_builder_deinit(struct bs_shard_builder *builder);
/* Memory of a builder while it builds nothing. */
uint64_t bs_shard_builder_bytes(const struct bs_shard_plan *plan);

/* First step: counts the terms of documents rows[0..n_rows), n_rows in 1..BS_SHARD_MAX_DOCS. rows
 * are borrowed until the product is gone. */
enum bs_status bs_shard_count(struct bs_shard_builder *builder, const uint32_t *rows,
                              uint32_t n_rows, struct bs_error *err) BS_WARN_UNUSED;
/* Second step: makes the shard, of rows first_row and on of the segment. The product may have the
 * columns of another, which are used again. */
enum bs_status bs_shard_build(struct bs_shard_builder *builder, uint64_t first_row,
                              struct bs_shard_product *product,
                              struct bs_error *err) BS_WARN_UNUSED;
/* Both steps for a shard of which is known what there is to choose: its shape, that of a matrix,
 * and the ordinals of the terms that have exact columns. BS_CORRUPT: these do not ascend, or are
 * not all frequent. */
enum bs_status bs_shard_rebuild(struct bs_shard_builder *builder, const uint32_t *rows,
                                const struct bs_shard_shape *shape, const uint32_t *exact_terms,
                                uint64_t first_row, struct bs_shard_product *product,
                                struct bs_error *err) BS_WARN_UNUSED;
