/*
 * shard_and.h: the AND of terms in one shard, from the coarsest level down. The filter's inner
 * loop, and, for the indexer, what a query will see.
 *
 *   block columns     one line each: which blocks are live
 *   group columns     a line for eight live blocks: which eighths of a word of documents are
 *   document columns  a line a live block, until it is zero
 *
 * Coarser levels leave less to be read of the finer ones. No set-up but the columns' addresses: at
 * two dozen shards a query and a few hundred nanoseconds a shard it is what a query of rare words
 * costs.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/matrix/shard.h"

#define BS_NO_COLUMN UINT32_MAX

/* A term, as every shard of a segment sees it. */
struct bs_and_term {
	struct bs_probe probes[BS_MAX_LEVELS]; /* of the segment's levels */
	const struct bs_term_treatment *treatment;
	uint64_t ordinal; /* in the lexicon */
	uint64_t df;
};

/* ... and as one shard sees it. */
struct bs_shard_term {
	const struct bs_and_term *term;
	uint32_t exact_column; /* or BS_NO_COLUMN */
	uint32_t popcount;     /* of the exact column */
};

/* Where an AND leaves its result; what is not live is not defined. Both aligned to a line. */
struct bs_and_frame {
	uint64_t *lines;  /* BS_SHARD_MAX_BLOCKS lines: documents */
	uint64_t *groups; /* BS_SHARD_MAX_BLOCKS / 8 lines: scratch, a word a block */
};

struct bs_and_cost {
	uint64_t lines;          /* read from columns */
	uint64_t document_lines; /* those of document and exact columns among them */
};

/* One thread's scratch. Zero-initialise; release with bs_and_deinit. */
struct bs_and_scratch {
	struct bs_buffer columns; /* struct ordered_column each */
	struct bs_buffer pointers;
};
void bs_and_deinit(struct bs_and_scratch *scratch);

/* Fills the probes for the levels of a segment. */
void bs_and_term_init(struct bs_and_term *term, uint64_t hash, uint64_t ordinal, uint64_t df,
                      const struct bs_term_treatment_table *treatments);

/* Looks for the term's exact column. */
enum bs_status bs_shard_term_init(struct bs_shard_term *here, const struct bs_shard *shard,
                                  const struct bs_and_term *term,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* Asks the memory for what bs_shard_and reads first of the shard. */
void bs_shard_prefetch(const struct bs_shard *shard, const struct bs_and_term *term);

/* frame->lines and live become the documents of the blocks in live that pass the columns of all the
 * terms: those that have them, and, unless every one has an exact column, a few more. n_terms >= 1.
 * cost is added to. BS_CORRUPT, or BS_NO_MEMORY the first time that a thread asks for so many
 * terms. */
enum bs_status bs_shard_and(const struct bs_shard *shard, const struct bs_kernel *kernel,
                            const struct bs_shard_term *const *terms, size_t n_terms,
                            struct bs_and_scratch *scratch, const struct bs_and_frame *frame,
                            struct bs_live *live, struct bs_and_cost *cost,
                            struct bs_error *err) BS_WARN_UNUSED;

/* The first n bits set. */
void bs_live_all(struct bs_live *live, uint32_t n);
bool bs_live_any(const struct bs_live *live);
