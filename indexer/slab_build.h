/*
 * slab_build.h: documents of similar length -> one slab, a block at a time.
 *
 * The bits of 512 documents are set in a scratch of m lines that stays in cache; then each line goes to its column. No
 * sort, no random writes to memory larger than the scratch.
 */
#ifndef BS_INDEXER_SLAB_BUILD_H
#define BS_INDEXER_SLAB_BUILD_H

#include <stdint.h>

#include "core/exceptions.h"
#include "core/segment.h"
#include "core/status.h"
#include "core/treatment.h"
#include "indexer/gather.h"

/* What every slab of a segment shares: borrowed, one entry a term number of the gather. */
struct bs_slab_plan {
	const struct bs_gather *gather;
	const struct bs_treatment_table *treatments;
	const uint8_t *treatment_of; /* index into treatments->entries */
	const uint32_t *ordinal_of;  /* place in the lexicon */
	double density;
	double exact_share;
	bool keep_coarse; /* for tests: coarse levels in every slab, however small */
	struct bs_exceptions_builder *exceptions; /* gets those of each slab */
};

/* Scratch of a builder, n_terms entries each; one thread. Zero-initialise. */
struct bs_slab_builder {
	const struct bs_slab_plan *plan;
	uint32_t *counts;     /* documents of the slab with the term; 0 outside of a build */
	uint32_t *last_block; /* block (+ 1) whose coarse column has the term already */
	uint32_t *exact_of;   /* exact column + 1 of the term */
	uint64_t *columns;
	uint64_t *scratch;
	uint32_t *exact_terms;
	struct bs_buffer touched; /* term numbers with counts > 0 */
	struct bs_slab_image image;
};
enum bs_status bs_slab_builder_init(struct bs_slab_builder *builder, const struct bs_slab_plan *plan,
                                    struct bs_error *err) BS_WARN_UNUSED;
void bs_slab_builder_deinit(struct bs_slab_builder *builder);

/* Builds the slab of the documents rows[0..n_rows), in that order, rows first_row and on of the segment; the image is
 * borrowed until the next call. n_rows in 1..BS_SLAB_MAX_DOCS. */
enum bs_status bs_slab_build(struct bs_slab_builder *builder, const uint32_t *rows, uint32_t n_rows,
                             uint64_t first_row, const struct bs_kernel *kernel, const struct bs_slab_image **image_out,
                             struct bs_error *err) BS_WARN_UNUSED;

/* Hashed columns, of all levels, that a document's terms set, duplicates counted: its weight for length classes. Terms in at
 * least exact_df documents of the segment are taken to have exact columns, and count nothing. */
uint64_t bs_slab_document_weight(const struct bs_slab_plan *plan, uint32_t document, uint64_t exact_df);

#endif
