/*
 * scan.h: the filter. From a plan to candidates: all documents that match, and some that do not; none for words alone.
 *
 * Per slab, the tree is evaluated on lines of 512 documents. For an AND: the block columns of all its terms leave a
 * mask of live blocks; the group columns of the live ones leave a mask of live lanes; the document columns, sparsest
 * first, leave rows that pass. Of these, hashed terms keep those that have them: first terms with exceptions, then,
 * on the few that are left, those that the documents' rare lists must be asked for. An OR evaluates its children under
 * the mask it got and joins them. A NOT is used only where its operand is exact: words, and phrases that are a word
 * pair; else it is left to verification. Knows nothing of text; its neighbour match.c knows nothing of columns.
 */
#ifndef BS_QUERY_SCAN_SCAN_H
#define BS_QUERY_SCAN_SCAN_H

#include "core/base/bytes.h"
#include "core/base/vector.h"
#include "core/bitsift/find_result.h"
#include "core/matrix/slab_and.h"
#include "core/simd/kernels.h"
#include "query/plan/plan.h"

/* A document that may match. */
struct bs_candidate {
	uint32_t document;
	uint32_t row; /* of its slab */
	bool is_sure; /* every column it came through is exact: it matches, if its source is what was indexed */
};

BS_VECTOR(bs_candidate_list, struct bs_candidate);

/* Of scan.c and scan_top.c. */
struct scan_term;
struct truth;
struct best_scan;

BS_VECTOR(bs_scan_terms, struct scan_term);
BS_VECTOR(bs_slab_term_list, const struct bs_slab_term *);
BS_VECTOR(bs_scan_truths, struct truth);

/* One thread's memory for scanning; grows to the deepest query and stays. Zero-initialise. Others than scan_top.c look at
 * none of it. */
struct bs_scan {
	struct bs_and_frame *frames; /* one a depth of the tree: intermediate results */
	uint32_t n_frames;
	struct bs_and_scratch and;
	struct bs_scan_terms here;       /* what is known of each term of the plan in the slab under the scan */
	struct bs_u32s terms;            /* a stack of the terms that ANDs under evaluation look at */
	struct bs_slab_term_list ordered; /* those of one AND, rarest first */
	struct bs_scan_truths truths;    /* of forward lists: one a node */
	struct bs_candidate_list merged; /* scratch for sorting */
	struct best_scan *best;          /* scratch of scan_top.c: 44 KiB, for free(); NULL: not made yet */
};
void bs_scan_deinit(struct bs_scan *scan);

/*
 * Appends the candidates of segment s, whose source is BS_PLAN_COLUMNS, in document order, deleted ones and
 * those that the plan's filter keeps back left out. With n_counted (nullable), sure ones may be added to *n_counted instead, where that is quicker. stats is added
 * to. BS_CORRUPT, BS_NO_MEMORY.
 */
enum bs_status bs_scan_segment(struct bs_scan *scan, const struct bs_plan *plan, uint32_t s,
                               const struct bs_kernel *kernel, struct bs_candidate_list *candidates, uint64_t *n_counted,
                               struct bs_scan_stats *stats, struct bs_error *err) BS_WARN_UNUSED;

/* Appends every document of segment s that may be a hit: all that are not deleted and that the plan's scope admits. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_scan_all(const struct bs_plan *plan, uint32_t s, struct bs_candidate_list *candidates,
                           struct bs_scan_stats *stats, struct bs_error *err) BS_WARN_UNUSED;

/* One slab under the scan, for scan_top.c. The first failure sticks; after it, no document is left anywhere. */
struct bs_slab_scan {
	struct bs_scan *scan;
	const struct bs_plan *plan;
	const struct bs_slab *slab;
	const struct bs_kernel *kernel;
	struct bs_scan_stats *stats;
	struct bs_error *err;
	uint32_t segment;
	enum bs_status status;
};

static inline uint32_t bs_scan_count_live(const struct bs_live *live)
{
	uint32_t n = 0;
	for (uint32_t word = 0; word < BS_SLAB_MAX_BLOCKS / 64; word++)
		n += bs_count_bits(live->words[word]);
	return n;
}

static inline bool bs_scan_is_live(const struct bs_live *live, uint32_t block)
{
	return live->words[block / 64] >> (block % 64) & 1;
}

/* A term in the segment being scanned. */
static inline const struct bs_term_place *bs_scan_place(const struct bs_slab_scan *at, uint32_t term)
{
	return bs_plan_place(at->plan, at->segment, term);
}

/* BS_CORRUPT, for a row that the slab does not have: a column has bits past the last document. */
void bs_scan_fail_past_end(struct bs_slab_scan *at);

/* Whether a document cannot be a hit: it is deleted, or the filter of the plan does not let it pass. */
bool bs_scan_is_out(struct bs_slab_scan *at, uint32_t document);

/* Rows that are looked at together: what is known of their documents lies here and there, and the memory is asked for all
 * of it before any is needed. */
#define BS_SCAN_TOGETHER 32u

struct bs_scan_row {
	uint32_t row;
	uint32_t document;
};

/* A walk over the rows of the live lines; what was taken may be cleared meanwhile. Starts with lines and live alone. */
struct bs_row_walk {
	const uint64_t *lines;
	const struct bs_live *live;
	uint32_t next_word;
	uint64_t bits; /* of the word before it that are not yet taken */
};

/* The next rows, at most BS_SCAN_TOGETHER; 0: there are no more. Their documents are not set. */
size_t bs_scan_take_rows(struct bs_row_walk *walk, struct bs_scan_row rows[BS_SCAN_TOGETHER]);

/* Sets the documents of the rows: at->status. */
void bs_scan_documents(struct bs_slab_scan *at, struct bs_scan_row *rows, size_t n);

/* The document of a row. BS_CORRUPT, also for a row that the slab does not have. Inline: once a candidate. */
static inline void bs_scan_document(struct bs_slab_scan *at, uint32_t row, uint32_t *document_out)
{
	if (row >= at->slab->n_docs) {
		bs_scan_fail_past_end(at);
		return;
	}
	at->status = bs_packed_get_u32(&at->slab->rows, row, document_out, at->err);
	if (!at->status && *document_out >= bs_list_segment(at->plan->list, at->segment)->n_docs)
		at->status = bs_container_corrupt(at->slab->rows.file, at->err, "row %u is document %u", row, *document_out);
}

/* Before the first slab of a segment: with frames for the plan's tree, and n_frames at least. */
enum bs_status bs_scan_start(struct bs_scan *scan, const struct bs_plan *plan, uint32_t n_frames, struct bs_error *err)
	BS_WARN_UNUSED;

/* The block columns of the slab to be scanned next are on their way while this one is. */
void bs_scan_prefetch(const struct bs_plan *plan, uint32_t segment, uint32_t next_slab);

/* Leaves in frame 0 the documents of the blocks of live that may match, and in live where any do. Whether they do. */
bool bs_scan_matches(struct bs_slab_scan *at, struct bs_live *live);

/* The frame's lines and live become the documents that have all the terms, within live. */
void bs_scan_and_terms(struct bs_slab_scan *at, const uint32_t *terms, size_t n_terms, uint32_t frame,
                       struct bs_live *live);

/* The same of one term in two steps, for slabs of forward lists, too: those that seem to have it, within live; of these,
 * some of which may have been cleared meanwhile, those that do. */
void bs_scan_seek_term(struct bs_slab_scan *at, uint32_t term, uint32_t frame, struct bs_live *live);
void bs_scan_keep_term(struct bs_slab_scan *at, uint32_t term, uint32_t frame, struct bs_live *live);

/* Appends the candidates of a slab, in the order of its rows; as bs_scan_segment, after bs_scan_start. */
void bs_scan_slab(struct bs_slab_scan *at, struct bs_candidate_list *candidates, uint64_t *n_counted);

/* The candidates of a slab of forward lists. With n_counted (nullable), those that surely match are counted instead. */
void bs_scan_forward(struct bs_slab_scan *at, struct bs_candidate_list *candidates, uint64_t *n_counted);

#endif
