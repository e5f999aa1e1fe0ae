/*
 * rank.h: BM25 scores, document order, and the best k of many hits. Scores that need no text, too: where a document's
 * signature says which of the query's words it has and its tf code how often (core/matrix/tf_code.h). They are added up
 * in the order in which the verifier adds them, so that both give the same number to the last bit.
 *
 * score(d) = sum over the distinct positive words w of weight(w) idf(w) tf (k1 + 1) / (tf + k1 (1 - b + b dl / avgdl)), with
 * k1 = 1.2, b = 0.75, weight(w) the sum over the places of w in the query, idf(w) = ln(1 + (N - df + 0.5) / (df + 0.5)): Robertson and Zaragoza, "The Probabilistic Relevance
 * Framework: BM25 and Beyond" (2009), with Lucene's idf, which is never negative. N, df and avgdl are of the whole
 * index, deleted documents that still lie in it included; or those that somebody gives (statistics.h).
 */
#ifndef BS_QUERY_RANK_RANK_H
#define BS_QUERY_RANK_RANK_H

#include <string.h>

#include "core/store/snapshot.h"
#include "query/plan/plan.h"

double bs_bm25_idf(uint64_t n_docs, uint64_t df);

/* The mean length of so many documents; 1 where it would be 0, or there are none. */
double bs_bm25_avgdl(uint64_t n_docs, uint64_t n_positions);

/* That of a word by the plan's statistics: given ones, or else those of the index. BS_CORRUPT, BS_INVALID. */
enum bs_status bs_rank_idf(const struct bs_plan *plan, const uint8_t *term, uint32_t term_bytes, double *idf_out,
                           struct bs_error *err) BS_WARN_UNUSED;

/* One word's share of the score; worth: its weight in the query times its idf. tf >= 1, avgdl > 0. */
double bs_bm25_share(double worth, uint32_t tf, uint32_t length, double avgdl);

/* A distinct word that counts. */
struct bs_scored_word {
	uint32_t term;   /* of the plan; of several with the same word, one */
	uint64_t hash;
	struct bs_tf_key key;
	double weight;   /* of all elements that stand for it, in their order */
	double worth;    /* the weight times its idf */
	bool is_implied; /* whatever matches has it */
};

/* Zero-initialise; reusable; release with bs_scorer_deinit. */
struct bs_scorer {
	const struct bs_plan *plan;
	double avgdl;
	struct bs_scored_word *words; /* by their bytes, as match.c and byte_verifier.c have them */
	size_t n_words;
	bool is_any;      /* to match is to have one of the words */
	bool is_complete; /* no prefix or fuzzy word stands for too many words to know them */
	struct bs_buffer memory_words;
};

/* plan is borrowed. BS_CORRUPT, BS_INVALID (of given statistics), BS_NO_MEMORY. */
enum bs_status bs_scorer_make(struct bs_scorer *scorer, const struct bs_plan *plan, double avgdl, struct bs_error *err)
	BS_WARN_UNUSED;
void bs_scorer_deinit(struct bs_scorer *scorer);

/* What is known of a word in a document. */
enum bs_has {
	BS_HAS_NOT,
	BS_HAS,
	BS_HAS_MAYBE, /* so says a signature that is not exact */
};

/* The document's score if it has the words that it has or may have: no less than the true one. *exact_io becomes false
 * if it may be more. has: one a word of the scorer. BS_CORRUPT. */
enum bs_status bs_scorer_score(const struct bs_scorer *scorer, uint32_t segment, uint32_t document,
                               const uint8_t *has, double *score_out, bool *exact_io, struct bs_error *err)
	BS_WARN_UNUSED;

/* The most that a word with a tf of at most most_tf (0: any) gives a document of at least so many positions. */
double bs_scorer_most(const struct bs_scorer *scorer, size_t word, uint32_t most_tf, uint32_t least_length);

/* A document and its score, or, of one whose text must be read first, the most that it can be. */
struct bs_hit {
	double score; /* of a request for candidates: 1 for what only may match, else 0 */
	uint32_t segment;
	uint32_t document;
};

static inline size_t bs_n_hits(const struct bs_buffer *hits)
{
	return hits->used_bytes / sizeof(struct bs_hit);
}

/* Sorts hits by document order (doc_order.h). */
void bs_sort_by_document(const struct bs_snapshot *snapshot, struct bs_hit *hits, size_t n_hits);

/* A heap of struct bs_hit: the highest score on top, ties by segment and number. */
enum bs_status bs_hits_push(struct bs_buffer *heap, const struct bs_hit *hit, struct bs_error *err) BS_WARN_UNUSED;
/* Takes the top away; there must be one. */
struct bs_hit bs_hits_pop(struct bs_buffer *heap);

/* The best k hits of those offered: higher score first, ties in document order. Zero-initialise but for snapshot and
 * k. */
struct bs_top {
	const struct bs_snapshot *snapshot;
	size_t k;
	struct bs_buffer heap; /* struct bs_hit each, the worst on top */
};
enum bs_status bs_top_offer(struct bs_top *top, const struct bs_hit *hit, struct bs_error *err) BS_WARN_UNUSED;
/* Sorts what was kept, best first; no more offers after that. Returns how many. */
size_t bs_top_finish(struct bs_top *top, const struct bs_hit **hits_out);

#endif
