/*
 * shard_and.h: the AND of terms in one shard, from the coarsest level to the finest. It is the
 * inner loop of a query's scan (query/scan/term_lines.c). The indexer uses it to find the false
 * positives that a query would find.
 *
 *   block columns     one line each: which blocks are live
 *   group columns     one line for eight blocks: which groups of 8 documents are live
 *   document columns  one line for each live block, until the AND of its lines is zero
 *
 * Coarser levels leave fewer lines of the finer levels to read. The only set-up is the addresses of
 * the columns. Set-up matters: a query reads about two dozen shards, and a query for rare words
 * takes only a few hundred nanoseconds per shard.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/matrix/shard.h"

#define BS_NO_COLUMN UINT32_MAX

/* A term in a segment, for all its shards. */
struct bs_and_term {
	struct bs_probe probes[BS_MAX_LEVELS]; /* one per level of the segment */
	const struct bs_term_treatment *treatment;
	uint64_t ordinal; /* ordinal of the term in the segment's lexicon */
	uint64_t df;      /* df of the term in the segment */
};

/* A term in one shard. */
struct bs_shard_term {
	const struct bs_and_term *term;
	uint32_t exact_column; /* BS_NO_COLUMN: none */
	uint32_t popcount;     /* set bits of the exact column */
};

/* The result of an AND. Lines of blocks that are not live are undefined. Both pointers are aligned
 * to BS_LINE_BYTES. */
struct bs_and_frame {
	uint64_t *lines;  /* documents: BS_SHARD_MAX_BLOCKS lines */
	uint64_t *groups; /* scratch: BS_SHARD_MAX_BLOCKS / 8 lines, a word per block */
};

struct bs_and_cost {
	uint64_t lines; /* lines read from columns */
	/* how many of `lines` were read from document and exact columns */
	uint64_t document_lines;
};

/* Scratch of one thread. Zero-initialise; release with bs_and_deinit. */
struct bs_and_scratch {
	struct bs_buffer columns; /* array of struct ordered_column (shard_and.c) */
	/* array of bs_column: the same columns, in the form that the kernels take */
	struct bs_buffer pointers;
};
void bs_and_deinit(struct bs_and_scratch *scratch);

/* Fills `term`, with probes for the levels of a segment. */
void bs_and_term_init(struct bs_and_term *term, uint64_t hash, uint64_t ordinal, uint64_t df,
                      const struct bs_term_treatment_table *treatments);

/* Fills `here`: finds the term's exact column in the shard. BS_CORRUPT. */
enum bs_status bs_shard_term_init(struct bs_shard_term *here, const struct bs_shard *shard,
                                  const struct bs_and_term *term,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* Prefetches what bs_shard_and reads first: the first line of each column that the term has at the
 * coarsest level. The shard must have levels. */
void bs_shard_prefetch(const struct bs_shard *shard, const struct bs_and_term *term);

/* ANDs the columns of all terms in the blocks that are set in `live`. Then frame->lines has the
 * documents that pass: all documents that have the terms and, unless each term has an exact column,
 * perhaps false positives. Clears the bits of `live` whose blocks have no such document. n_terms is
 * at least 1.
 * The AND is fastest if the rarest terms come first. Adds the lines read to `cost`. BS_CORRUPT,
 * BS_NO_MEMORY (only if the scratch must grow). */
enum bs_status bs_shard_and(const struct bs_shard *shard, const struct bs_kernel *kernel,
                            const struct bs_shard_term *const *terms, size_t n_terms,
                            struct bs_and_scratch *scratch, const struct bs_and_frame *frame,
                            struct bs_live *live, struct bs_and_cost *cost,
                            struct bs_error *err) BS_WARN_UNUSED;

/* Sets the first n bits and clears the others. */
void bs_live_all(struct bs_live *live, uint32_t n);
bool bs_live_any(const struct bs_live *live);
