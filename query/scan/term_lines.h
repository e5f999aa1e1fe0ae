/*
 * term_lines.h: computes the lines of terms. A line has a bit for each of 512 documents: whether
 * the document has the term. There are two sources of lines, and callers see no difference. In a
 * shard with columns, lines are read from these and corrected by false-positive lists and rare-term
 * lists. In a shard of forward indexes, lines are read from exact columns and from a filter, and
 * corrected by looking into the forward indexes.
 *
 * Up to BS_SHARD_MAX_BLOCKS lines, a window, are computed together. A shard with columns is one
 * window; a shard of forward indexes may have more. The documents of a line are a block. A block is
 * live as long as it may have documents of the result; the lines of other blocks are undefined.
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
	/* The columns and lists decide that the document matches, if its source is unchanged. */
	bool is_sure;
};

BS_VECTOR(bs_candidate_list, struct bs_candidate);

/* Defined in term_lines.c and scan_top.c. */
struct scan_term;
struct best_scan;

BS_VECTOR(bs_scan_terms, struct scan_term);
BS_VECTOR(bs_shard_term_list, const struct bs_shard_term *);

/* The scratch memory of one thread for scanning. It grows to what the deepest query needs.
 * Zero-initialise. Outside query/scan, only query/rank uses its members directly. */
struct bs_scan {
	/* Intermediate results. Each frame is a set of documents. */
	struct bs_and_frame *frames;
	uint32_t n_frames;
	struct bs_and_scratch and;
	/* For each term of the plan: its columns in the shard being scanned. */
	struct bs_scan_terms here;
	/* A stack: the terms of the ANDs that are being evaluated. */
	struct bs_u32s terms;
	struct bs_shard_term_list ordered; /* The terms of one AND, rarest first. */
	struct bs_candidate_list merged;   /* Scratch for sorting. */
	/* Scratch for scan_top.c, 43 KiB, released with free(); NULL: not allocated yet. */
	struct best_scan *best;
};
void bs_scan_deinit(struct bs_scan *scan);

/* Call this before the first shard of a segment. Provides as many frames as the plan's tree needs,
 * but at least n_frames. */
enum bs_status bs_scan_start(struct bs_scan *scan, const struct bs_plan *plan, uint32_t n_frames,
                             struct bs_error *err) BS_WARN_UNUSED;

/* The state of scanning a shard. The first failure is sticky; after a failure, the results are
 * empty. */
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
		uint32_t first_block; /* The first block of the current window. */
		/* Forward indexes are looked into; otherwise only their filters are used. */
		bool is_lookup;
		/* A filter was used, so documents may have passed that lack a term. */
		bool has_doubts;
	};
};

/* Subtracts an estimated cost from the time left, so that the deadline is checked in time
 * (core/system/deadline.h). */
static inline void bs_scan_spend(struct bs_shard_scan *at, uint64_t about_ns)
{
	if (!at->status)
		at->status = bs_deadline_check_after(about_ns, at->err);
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

/* The rows that exist among the 64 rows of a word of a block, as bits; bits after the last document
 * are 0. */
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

/* The lookup result of a term in the segment being scanned. */
static inline const struct bs_term_place *bs_scan_place(const struct bs_shard_scan *at,
                                                        uint32_t term)
{
	return bs_plan_place(at->plan, at->segment, term);
}

/* Prefetches the block columns of the next shard while the current one is scanned. */
void bs_scan_prefetch(const struct bs_plan *plan, uint32_t segment, uint32_t next_shard);

/* Sets the live blocks of the frame to `within`; if that is NULL, to all documents of the
 * window. */
void bs_scan_fill(struct bs_shard_scan *at, uint32_t frame, const uint64_t *within,
                  const struct bs_live *live);

/* Which documents to find: all that may match, or only those that surely match. */
enum bs_claim {
	BS_MAY,
	BS_SURELY,
};

/* Sets the frame to the documents of the live blocks that have all the terms. In a shard of forward
 * indexes, only documents of `within` (nullable: all) are checked. There, before at->is_lookup is
 * set, a term without an exact column is only looked up in the filter: with BS_MAY, documents that
 * pass the filter count as having the term; with BS_SURELY, none does. n_terms >= 1. */
void bs_scan_terms(struct bs_shard_scan *at, const uint32_t *terms, size_t n_terms,
                   enum bs_claim claim, uint32_t frame, const uint64_t *within,
                   struct bs_live *live);

/* Keeps in the frame the documents that have at least one of the n_terms terms from first_term on.
 * Overwrites frames frame + 1 and frame + 2. */
void bs_scan_any_term(struct bs_shard_scan *at, uint32_t first_term, uint32_t n_terms,
                      enum bs_claim claim, uint32_t frame, struct bs_live *live);

/* Finds the documents of the live blocks that have a term, in two steps. bs_scan_seek sets the
 * frame to the documents that pass the term's columns or filters. bs_scan_keep keeps those that
 * really have the term. In between, the caller may remove documents. */
void bs_scan_seek(struct bs_shard_scan *at, uint32_t term, uint32_t frame, struct bs_live *live);
void bs_scan_keep(struct bs_shard_scan *at, uint32_t term, uint32_t frame, struct bs_live *live);

/* The number of rows that are processed together. Their data, which is scattered in memory, is
 * prefetched. */
#define BS_SCAN_TOGETHER 32u

struct bs_scan_row {
	uint32_t row;
	uint32_t document;
};

/* Iterates over the set bits of the live blocks, as rows. Bits already returned may be cleared
 * during the iteration. */
struct bs_row_walk {
	const uint64_t *lines;
	const struct bs_live *live;
	uint32_t first_row; /* The row in the shard that the first bit of `lines` represents. */
	uint32_t next_word;
	uint64_t bits; /* The bits of word next_word - 1 that were not returned yet. */
};

static inline struct bs_row_walk bs_scan_walk(const struct bs_shard_scan *at, const uint64_t *lines,
                                              const struct bs_live *live)
{
	return (struct bs_row_walk){
		.lines = lines, .live = live, .first_row = at->first_block * BS_LINE_BITS};
}

/* Sets `rows` to the next rows, but not their documents, and returns their number; 0: the end. */
size_t bs_scan_take_rows(struct bs_row_walk *walk, struct bs_scan_row rows[BS_SCAN_TOGETHER]);

/* Sets the documents of the rows. A failure is in at->status. */
void bs_scan_documents(struct bs_shard_scan *at, struct bs_scan_row *rows, size_t n);

/* Sets at->status to BS_CORRUPT, because a column has bits after the last document of the shard. */
void bs_scan_fail_past_end(struct bs_shard_scan *at);

/* Finds the document of a row. Sets at->status to BS_CORRUPT if the row or the document does not
 * exist. Inline, because it is called for every candidate. */
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
