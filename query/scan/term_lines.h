/*
 * term_lines.h: the two sources of lines. A line holds the bits of 512 documents: those that have a
 * term. In a shard with columns, the columns give the lines, and false positives and rare-term
 * lists correct them. In a shard of forward indexes, exact columns and the filter in front of the
 * lists give them, and the lists correct them. Callers see no difference.
 *
 * Up to BS_SHARD_MAX_BLOCKS lines are evaluated together, a window. A shard with columns is one
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
	uint32_t row; /* of its shard */
	/* every column it came through is exact: it matches, if its source is what was indexed */
	bool is_sure;
};

BS_VECTOR(bs_candidate_list, struct bs_candidate);

/* Of term_lines.c and scan_top.c. */
struct scan_term;
struct best_scan;

BS_VECTOR(bs_scan_terms, struct scan_term);
BS_VECTOR(bs_shard_term_list, const struct bs_shard_term *);

/* One thread's memory for scanning; grows to the deepest query and stays. Zero-initialise. Others
 * than scan_top.c look at none of it. */
struct bs_scan {
	struct bs_and_frame *frames; /* one a depth of the tree: intermediate results */
	uint32_t n_frames;
	struct bs_and_scratch and;
	/* what is known of each term of the plan in the shard under the scan */
	struct bs_scan_terms here;
	/* a stack of the terms that ANDs under evaluation look at */
	struct bs_u32s terms;
	struct bs_shard_term_list ordered; /* those of one AND, rarest first */
	struct bs_candidate_list merged;   /* scratch for sorting */
	/* scratch of scan_top.c: 44 KiB, for free(); NULL: not made yet */
	struct best_scan *best;
};
void bs_scan_deinit(struct bs_scan *scan);

/* Before the first shard of a segment: with frames for the plan's tree, and n_frames at least. */
enum bs_status bs_scan_start(struct bs_scan *scan, const struct bs_plan *plan, uint32_t n_frames,
                             struct bs_error *err) BS_WARN_UNUSED;

/* One shard under the scan. The first failure sticks; after it, no document is left anywhere. */
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
		uint32_t first_block; /* of the window */
		/* forward indexes are looked into; else, their filters alone */
		bool is_lookup;
		bool has_doubts; /* a filter said that some documents may have a term */
	};
};

/* Charges approximate costs to the deadline (core/system/deadline.h), so that it is asked in
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

/* Blocks of the window. */
static inline uint32_t bs_scan_n_blocks(const struct bs_shard_scan *at)
{
	uint32_t n_left = at->shard->n_blocks - at->first_block;
	return n_left < BS_SHARD_MAX_BLOCKS ? n_left : BS_SHARD_MAX_BLOCKS;
}

/* The rows that the shard has in a word of a block of the window: all but the padding of the last
 * block. */
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

/* The block columns of the shard to be scanned next are on their way while this one is. */
void bs_scan_prefetch(const struct bs_plan *plan, uint32_t segment, uint32_t next_shard);

/* Sets the live blocks of the frame to all documents of the window, or to those of `within` if it
 * is not NULL. */
void bs_scan_fill(struct bs_shard_scan *at, uint32_t frame, const uint64_t *within,
                  const struct bs_live *live);

/* Which documents are asked for: all that may match, or those that surely do. */
enum bs_claim {
	BS_MAY,
	BS_SURELY,
};

/* Leaves in the frame the documents of the live blocks that have all the terms. Forward indexes are
 * asked only about those of `within` (nullable); until at->is_lookup is set, their filters answer
 * by the claim. n_terms >= 1. */
void bs_scan_terms(struct bs_shard_scan *at, const uint32_t *terms, size_t n_terms,
                   enum bs_claim claim, uint32_t frame, const uint64_t *within,
                   struct bs_live *live);

/* Keeps the frame's documents that have any of the terms [first_term, + n_terms). Overwrites frames
 * frame + 1 and frame + 2. */
void bs_scan_any_term(struct bs_shard_scan *at, uint32_t first_term, uint32_t n_terms,
                      enum bs_claim claim, uint32_t frame, struct bs_live *live);

/* One term in two steps. The first leaves in the frame the documents of the live blocks that seem
 * to have it. The second, which may follow after some of them were cleared, keeps those that do. */
void bs_scan_seek(struct bs_shard_scan *at, uint32_t term, uint32_t frame, struct bs_live *live);
void bs_scan_keep(struct bs_shard_scan *at, uint32_t term, uint32_t frame, struct bs_live *live);

/* Rows that are looked at together: what is known of their documents lies here and there, and the
 * memory is asked for all of it before any is needed. */
#define BS_SCAN_TOGETHER 32u

struct bs_scan_row {
	uint32_t row;
	uint32_t document;
};

/* A walk over the rows of the live lines; what was taken may be cleared meanwhile. */
struct bs_row_walk {
	const uint64_t *lines;
	const struct bs_live *live;
	uint32_t first_row; /* of the window */
	uint32_t next_word;
	uint64_t bits; /* of the word before it that are not yet taken */
};

static inline struct bs_row_walk bs_scan_walk(const struct bs_shard_scan *at, const uint64_t *lines,
                                              const struct bs_live *live)
{
	return (struct bs_row_walk){
		.lines = lines, .live = live, .first_row = at->first_block * BS_LINE_BITS};
}

/* The next rows, at most BS_SCAN_TOGETHER; 0: there are no more. Their documents are not set. */
size_t bs_scan_take_rows(struct bs_row_walk *walk, struct bs_scan_row rows[BS_SCAN_TOGETHER]);

/* Sets the documents of the rows: at->status. */
void bs_scan_documents(struct bs_shard_scan *at, struct bs_scan_row *rows, size_t n);

/* BS_CORRUPT, for a row that the shard does not have: a column has bits past the last document. */
void bs_scan_fail_past_end(struct bs_shard_scan *at);

/* The document of a row. BS_CORRUPT, also for a row that the shard does not have. Inline: once a
 * candidate. */
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
