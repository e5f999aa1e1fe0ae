/*
 * slab_build.h: documents of similar length -> one slab, a block at a time.
 *
 * The bits of 512 documents are set in a scratch of m lines that stays in cache; then each line goes to its column. No
 * sort, no random writes to memory larger than the scratch. The documents are read twice: to count frequent terms, which
 * decides who gets a column of his own; and to set the bits of all levels. In between, some of them (in a small slab all) are
 * read to see how wide the levels must be: whole blocks, since what is shared by the lanes of a block counts once.
 */
#ifndef BS_INDEXER_SEGMENT_SLAB_BUILD_H
#define BS_INDEXER_SEGMENT_SLAB_BUILD_H

#include <stdint.h>

#include "core/matrix/exceptions.h"
#include "core/store/segment.h"
#include "core/base/status.h"
#include "indexer/segment/slab_plan.h"

/* What a slab in the making knows of a frequent term. */
struct bs_slab_frequent {
	uint32_t exact; /* its exact column; of a term that has none n_exact and more */
	uint32_t next;  /* first its documents, then the end of its rows in the audit; n_audit_rows if it is not audited */
};

/* Scratch of a builder; one thread. The plan is borrowed. */
struct bs_slab_builder {
	const struct bs_slab_plan *plan;
	struct bs_slab_frequent *frequent; /* by place, and one more for all terms behind them */
	uint32_t *marks;    /* by place: the last row that had the term, counted from a multiple of 512 that no slab before used */
	uint32_t next_mark; /* that multiple */
	/* The slab under way. */
	const uint32_t *rows;
	struct bs_slab_shape shape;
	uint32_t *exact_terms;
	uint32_t n_audit_rows; /* postings of terms that may have exceptions */
	uint32_t *audit_rows;  /* those that have the first such term, ascending, then those of the second, ...; and one more */
	size_t audit_capacity;
	uint64_t *lanes; /* of the filling: kept from slab to slab, all zero between them */
	size_t lanes_capacity;
};
enum bs_status bs_slab_builder_init(struct bs_slab_builder *builder, const struct bs_slab_plan *plan,
                                    struct bs_error *err) BS_WARN_UNUSED;
void bs_slab_builder_deinit(struct bs_slab_builder *builder);
/* Memory of a builder while it builds nothing. */
uint64_t bs_slab_builder_bytes(const struct bs_slab_plan *plan);

/* A slab as it is written. Zero-initialise. */
struct bs_slab_product {
	struct bs_slab_image image; /* into what follows, and rows */
	uint64_t *columns;
	uint64_t most_lines; /* that there is room for in columns */
	uint32_t *exact_terms;
	struct bs_exceptions_builder exceptions;
};
void bs_slab_product_deinit(struct bs_slab_product *product);

/* First step: counts the terms of documents rows[0..n_rows), n_rows in 1..BS_SLAB_MAX_DOCS. rows are borrowed until the
 * product is gone. */
enum bs_status bs_slab_count(struct bs_slab_builder *builder, const uint32_t *rows, uint32_t n_rows,
                             struct bs_error *err) BS_WARN_UNUSED;
/* Second step: makes the slab, of rows first_row and on of the segment. The product may have the columns of another, which are
 * used again: memory that is new costs more than what is done with it. */
enum bs_status bs_slab_build(struct bs_slab_builder *builder, uint64_t first_row, struct bs_slab_product *product,
                             struct bs_error *err) BS_WARN_UNUSED;

static inline uint32_t bs_slab_blocks(const struct bs_slab_builder *builder)
{
	return (builder->shape.n_docs + BS_LINE_BITS - 1) / BS_LINE_BITS;
}

/* Whether what a frequent term's columns get wrong is to be found. */
static inline bool bs_slab_is_audited(const struct bs_slab_builder *builder, uint32_t place)
{
	return builder->plan->frequent[place].has_exceptions && builder->frequent[place].exact >= builder->shape.n_exact;
}

/* Of documents, in the order of rows: each is some way off in memory. */
BS_PREFETCHING void bs_slab_prefetch_row(const struct bs_slab_builder *builder, uint32_t row)
{
	const uint32_t ahead = 4;
	if (row + ahead < builder->shape.n_docs)
		__builtin_prefetch(bs_accumulator_docs(builder->plan->accumulator)[builder->rows[row + ahead]].codes);
}

/* The value that row 0 marks with, a multiple of 512; those of the rows follow, and are new. */
uint32_t bs_slab_take_marks(struct bs_slab_builder *builder);

/* Marks the term; bits from the lane's shift up are set if the lane has not had it yet. Terms of one document have one mark
 * for all, which says nothing. */
static inline uint32_t bs_slab_mark(const struct bs_slab_builder *builder, uint32_t place, uint32_t mark)
{
	uint32_t *last = &builder->marks[bs_slab_plan_repeated(builder->plan, place)];
	uint32_t changed = *last ^ mark;
	*last = mark;
	return place < builder->plan->n_repeated ? changed : UINT32_MAX;
}

#endif
