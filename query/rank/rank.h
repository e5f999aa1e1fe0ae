/*
 * rank.h: BM25 scores, document order, and the best k of many hits. Scores that need no text, too:
 * where a document's signature says which of the query's words it has and its tf code how often
 * (core/matrix/tf_code.h). They are added up in the order in which the verifier adds them, so that
 * both give the same number to the last bit.
 *
 * bm25.h has the formula. Scores go by the statistics of the plan.
 */
#pragma once

#include "query/plan/plan.h"

/* A distinct word that counts. */
struct bs_scored_word {
	uint32_t term; /* of the plan; of several with the same word, one */
	uint64_t hash;
	struct bs_tf_key key;
	double weight;   /* of all elements that stand for it, in their order */
	double worth;    /* the weight times its idf */
	bool is_implied; /* whatever matches has it */
};

BS_VECTOR(bs_scored_words, struct bs_scored_word);

/* Zero-initialise; reusable; release with bs_scorer_deinit. */
struct bs_scorer {
	const struct bs_plan *plan;
	double avgdl;
	struct bs_scored_word *words; /* by their bytes, as match.c and byte_verifier.c have them */
	size_t n_words;
	bool is_any;      /* to match is to have one of the words */
	bool is_complete; /* no prefix or fuzzy word stands for too many words to know them */
	struct bs_scored_words memory; /* holds words */
};

/* plan is borrowed. BS_CORRUPT, BS_INVALID (of given statistics), BS_NO_MEMORY. */
enum bs_status bs_scorer_make(struct bs_scorer *scorer, const struct bs_plan *plan, double avgdl,
                              struct bs_error *err) BS_WARN_UNUSED;
void bs_scorer_deinit(struct bs_scorer *scorer);

/* What is known of a word in a document. */
enum bs_has {
	BS_HAS_NOT,
	BS_HAS,
	BS_HAS_MAYBE, /* so says a signature that is not exact */
};

/* The document's score if it has the words that it has or may have: no less than the true one.
 * *exact_io becomes false if it may be more. has: one a word of the scorer. BS_CORRUPT. */
enum bs_status bs_scorer_score(const struct bs_scorer *scorer, uint32_t segment, uint32_t document,
                               const uint8_t *has, double *score_out, bool *exact_io,
                               struct bs_error *err) BS_WARN_UNUSED;

/* The most that a word with a tf of at most most_tf (0: any) gives a document of at least so many
 * positions. */
double bs_scorer_most(const struct bs_scorer *scorer, size_t word, uint32_t most_tf,
                      uint32_t least_length);

/* A document and its score, or, of one whose text must be read first, the most that it can be. */
struct bs_ranked_hit {
	double score; /* of a request for candidates: 1 for what only may match, else 0 */
	uint32_t segment;
	uint32_t document;
};

BS_VECTOR(bs_ranked_hits, struct bs_ranked_hit);

static inline struct bs_doc_ref bs_hit_ref(const struct bs_ranked_hit *hit)
{
	return (struct bs_doc_ref){hit->segment, hit->document};
}

/* Sorts hits by document order (doc_order.h). */
void bs_sort_by_document(const struct bs_snapshot_list *list, struct bs_ranked_hit *hits,
                         size_t n_hits);

/* A heap of hits: the highest score on top, ties by segment and number. */
enum bs_status bs_hits_push(struct bs_ranked_hits *heap, const struct bs_ranked_hit *hit,
                            struct bs_error *err) BS_WARN_UNUSED;
/* Takes the top away; there must be one. */
struct bs_ranked_hit bs_hits_pop(struct bs_ranked_hits *heap);

/* The best k hits of those offered: higher score first, ties in document order. Zero-initialise but
 * for list and k. */
struct bs_top {
	const struct bs_snapshot_list *list;
	size_t k;
	struct bs_ranked_hits heap; /* the worst on top */
};
enum bs_status bs_top_offer(struct bs_top *top, const struct bs_ranked_hit *hit,
                            struct bs_error *err) BS_WARN_UNUSED;
/* Sorts what was kept, best first; no more offers after that. Returns how many. */
size_t bs_top_finish(struct bs_top *top, const struct bs_ranked_hit **hits_out);
