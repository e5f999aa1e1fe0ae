/*
 * scan_internal.h: what the files of the filter share. Inside query/ only: scan.c walks the tree, scan_columns.c ANDs the
 * columns of terms level by level, scan_weigh.c sums weights for --approx.
 */
#ifndef BS_QUERY_SCAN_INTERNAL_H
#define BS_QUERY_SCAN_INTERNAL_H

#include "core/slab.h"
#include "query/scan.h"

#define LINES_BYTES (BS_SLAB_MAX_BLOCKS * BS_LINE_BYTES)
#define MASK_BYTES  (BS_SLAB_MAX_BLOCKS / 8 * BS_LINE_BYTES)

/* Intermediate results of one depth of the tree. */
struct bs_scan_frame {
	uint64_t *lines; /* one a block */
	uint64_t *mask;  /* one a group of blocks */
};

struct bs_counted_column {
	bs_column column;
	uint32_t popcount;
};

struct bs_scan {
	struct bs_scan_frame *frames;
	uint32_t n_frames;
	struct bs_buffer terms;   /* u32: a stack of the terms that ANDs under evaluation look at */
	struct bs_buffer columns; /* struct bs_counted_column: those of the level being read */
	struct bs_buffer pointers;
	struct bs_buffer truths;  /* struct truth, one a node: for plain signatures */
};

/* What every function below needs to know; lives for one slab. */
struct bs_slab_scan {
	struct bs_scan *scan;
	const struct bs_plan *plan;
	const struct bs_slab *slab;
	const struct bs_kernel *kernel;
	struct bs_query_stats *stats;
	struct bs_error *err;
	uint32_t segment;
};

/* A term in the segment being scanned. */
static inline const struct bs_term_place *bs_scan_place(const struct bs_slab_scan *at, uint32_t term)
{
	return bs_plan_place(at->plan, at->segment, term);
}

/* The first n bits set. */
void bs_live_all(struct bs_live *live, uint32_t n);
bool bs_live_any(const struct bs_live *live);

/* Makes the frames up to depth exist; frames may move. */
enum bs_status bs_scan_need_frame(struct bs_slab_scan *at, uint32_t depth) BS_WARN_UNUSED;

/* Every document of the live blocks: ones, but for the padding of the last block. */
void bs_scan_fill_ones(const struct bs_slab_scan *at, uint64_t *lines, const struct bs_live *live);

/* Whether the term has an exact column here, and which. */
enum bs_status bs_scan_find_exact(struct bs_slab_scan *at, uint32_t term, bool *found_out, uint32_t *column_out)
	BS_WARN_UNUSED;

/* frame->lines and live become the documents that may have all the terms, within live. Coarse levels first. */
enum bs_status bs_scan_and_terms(struct bs_slab_scan *at, const uint32_t *terms, size_t n_terms,
                                 const struct bs_scan_frame *frame, struct bs_live *live) BS_WARN_UNUSED;

#endif
