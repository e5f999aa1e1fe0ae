/*
 * term_lines.h: the two sources of lines. A line has a bit for each of 512 documents: whether it
 * has a term. In a shard with columns, lines are read from columns and corrected by false-positive
 * lists and rare-term lists. In a shard of forward indexes, lines are read from exact columns and
 * from the filter of the forward indexes, and corrected by looking into these. Callers see no
 * difference.
 *
 * Up to BS_SHARD_MAX_BLOCKS lines, a window, are evaluated together. A shard with columns is one
 * window; a shard of forward indexes may have more.
 */
#pragma once

#include "core/base/bytes.h"
#include "core/base/vector.h"
#include "core/bitsift/search_result.h"
#include "core/matrix/shard_and.h"
#include "core/simd/kernels.h"
#include "core/system/deadline.h"
#include "query/plan/plan.h"

/* A document that may match. */
struct bs_candidate {
	uint32_t document;
	uint32_t row; /* The row in its shard. */
	/* All columns used for it are exact: it matches if its source is unchanged. */
	bool is_sure;
};

BS_VECTOR(bs_candidate_list, struct bs_candidate);

/* Defined in term_lines.c and scan_top.c. */
struct scan_term;
struct best_scan;

BS_VECTOR(bs_scan_terms, struct scan_term);
BS_VECTOR(bs_shard_term_list, const struct bs_shard_term *);

/* The scratch memory of one thread for scanning; it grows to what the deepest query needs.
 * Zero-initialise. Only scan_top.c uses its members directly. */
struct bs_scan {
	/* Intermediate results, one frame per level of the tree's depth. */
	struct bs_and_frame *frames;
	uint32_t n_frames;
	struct bs_and_scratch and;
	/* One per term of the plan: its columns in the shard being scanned. */
	struct bs_scan_terms here;
	/* A stack of the terms of the ANDs being evaluated. */
	struct bs_u32s terms;
	struct bs_shard_term_list ordered; /* The terms of one AND, rarest first. */
	struct bs_candidate_list merged;   /* Scratch for sorting. */
	/* Scratch of scan_top.c, 44 KiB, released with free(); NULL: not allocated yet. */
	struct best_scan *best;
};
void bs_scan_deinit(struct bs_scan *scan);

/* Call before the first shard of a segment. Provides as many frames as the plan's tree needs, and
 * at least n_frames. */
enum bs_status bs_scan_start(struct bs_scan *scan, const struct bs_plan *plan, uint32_t n_frames,
                             struct bs_error *err) BS_WARN_UNUSED;

/* The state of a shard's scan. The first failure is sticky; after a failure no documents remain in
 * any frame. */
struct bs_shard_scan {
	struct bs_scan *scan;
	const struct bs_plan *plan;
	const struct bs_shard *shard;
	const struct bs_kernel *kernel;
	struct bs_scan_stats *stats;
	struct bs_error *err;
	uint32_t segment;
	enum bs_status status;
	struct {
		uint32_t first_block; /* The first block of the window. */
		/* Forward indexes are searched; otherwise only their filters are. */
		bool is_lookup;
		bool has_doubts; /* A filter let documents through that may lack the term. */
	};
};

/* Charges estimated costs to the deadline (core/system/deadline.h), so that it is checked in
 * time. */
static inline void bs_scan_spend(struct bs_shard_scan *at, uint64_t about_ns)
{
	if (!at->status)
		at->status = bs_deadline_spend(about_ns, at->err);
}

static inline bool bs_scan_has_columns(const struct bs_shard_scan *at)
{
	return at->shard->hashed.n_levels > 0;
}

/* The number of blocks in the window. */
static inline uint32_t bs_scan_n_blocks(const struct bs_shard_scan *at)
{
	uint32_t n_left = at->shard->n_blocks - at->first_block;
	return n_left < BS_SHARD_MAX_BLOCKS ? n_left : BS_SHARD_MAX_BLOCKS;
}

/* A bit for each row that exists in a word of a block of the window; the padding of the last block
 * is 0. */
static inline uint64_t bs_scan_rows(const struct bs_shard_scan *at, uint32_t block, uint32_t word)
{
	uint64_t first = ((uint64_t)at->first_block + block) * BS_LINE_BITS + word * 64;
	uint64_t n_left = at->shard->n_docs > first ? at->shard->n_docs - first : 0;
	return n_left >= 64 ? UINT64_MAX : (UINT64_C(1) << n_left) - 1;
}

static inline uint32_t bs_scan_count_live(const struct bs_live *live)
{
	uint32_t n = 0;
	for (uint32_t word = 0; word < BS_SHARD_MAX_BLOCKS / 64; word++)
		n += bs_count_bits(live->words[word]);
	return n;
}

static inline bool bs_scan_is_live(const struct bs_live *live, uint32_t block)
{
	return live->words[block / 64] >> (block % 64) & 1;
}

/* A term in the segment being scanned. */
static inline const struct bs_term_place *bs_scan_place(const struct bs_shard_scan *at,
                                                        uint32_t term)
{
	return bs_plan_place(at->plan, at->segment, term);
}

/* Prefetches the block columns of the next shard while the current one is scanned. */
void bs_scan_prefetch(const struct bs_plan *plan, uint32_t segment, uint32_t next_shard);

/* Sets the live blocks of the frame to all documents of the window, or to those of `within` if it
 * is not NULL. */
void bs_scan_fill(struct bs_shard_scan *at, uint32_t frame, const uint64_t *within,
                  const struct bs_live *live);

/* Which documents to compute: all that may match, or only those that surely do. */
enum bs_claim {
	BS_MAY,
	BS_SURELY,
};

/* Leaves in the frame the documents of the live blocks that have all the terms. Forward indexes are
 * only searched for documents of `within` (nullable); until at->is_lookup is set, their filters
 * answer according to the claim. n_terms >= 1. */
void bs_scan_terms(struct bs_shard_scan *at, const uint32_t *terms, size_t n_terms,
                   enum bs_claim claim, uint32_t frame, const uint64_t *within,
                   struct bs_live *live);

/* Keeps the frame's documents that have any of the terms [first_term, first_term + n_terms).
 * Overwrites frames frame + 1 and frame + 2. */
void bs_scan_any_term(struct bs_shard_scan *at, uint32_t first_term, uint32_t n_terms,
                      enum bs_claim claim, uint32_t frame, struct bs_live *live);

/* One term in two steps. bs_scan_seek leaves in the frame the documents of the live blocks that
 * seem to have it. bs_scan_keep keeps those that really have it; the caller may clear documents
 * before. */
void bs_scan_seek(struct bs_shard_scan *at, uint32_t term, uint32_t frame, struct bs_live *live);
void bs_scan_keep(struct bs_shard_scan *at, uint32_t term, uint32_t frame, struct bs_live *live);

/* The number of rows that are processed together, so that their data, which is scattered in memory,
 * is prefetched before it is needed. */
#define BS_SCAN_TOGETHER 32u

struct bs_scan_row {
	uint32_t row;
	uint32_t document;
};

/* A walk over the set rows of the live lines. Rows that were already taken may be cleared during
 * the walk. */
struct bs_row_walk {
	const uint64_t *lines;
	const struct bs_live *live;
	uint32_t first_row; /* The first row of the window. */
	uint32_t next_word;
	uint64_t bits; /* The bits of word next_word - 1 that have not been taken yet. */
};

static inline struct bs_row_walk bs_scan_walk(const struct bs_shard_scan *at, const uint64_t *lines,
                                              const struct bs_live *live)
{
	return (struct bs_row_walk){
		.lines = lines, .live = live, .first_row = at->first_block * BS_LINE_BITS};
}

/* Takes the next rows, at most BS_SCAN_TOGETHER; returns 0 at the end. Their documents are not
 * set. */
size_t bs_scan_take_rows(struct bs_row_walk *walk, struct bs_scan_row rows[BS_SCAN_TOGETHER]);

/* Sets the documents of the rows. Failures are in at->status. */
void bs_scan_documents(struct bs_shard_scan *at, struct bs_scan_row *rows, size_t n);

/* Sets at->status to BS_CORRUPT for a row that the shard does not have: a column has bits past the
 * last document. */
void bs_scan_fail_past_end(struct bs_shard_scan *at);

/* The document of a row. Sets at->status to BS_CORRUPT if the row or the document does not exist.
 * Inline, because it is called for every candidate. */
static inline void bs_scan_document(struct bs_shard_scan *at, uint32_t row, uint32_t *document_out)
{
	if (row >= at->shard->n_docs) {
		bs_scan_fail_past_end(at);
		return;
	}
	at->status = bs_packed_get_u32(&at->shard->rows, row, document_out, at->err);
	if (!at->status && *document_out >= bs_list_segment(at->plan->list, at->segment)->n_docs)
		at->status = bs_container_corrupt(at->shard->rows.file, at->err,
		                                  "row %u is document %u", row, *document_out);
}
