/*
 * rank.h: BM25 scores, document order, and the best k of many hits. Some scores need no text: the
 * columns show which words of the query a document has, and its tf code shows how often
 * (core/matrix/tf_code.h). Contributions are added in the same order as in the verifier, so that
 * both compute the same number to the last bit.
 *
 * bm25.h has the formula. Scores use the statistics of the plan.
 */
#pragma once

#include "query/plan/plan.h"

/* A distinct word that scores. */
struct bs_scored_word {
	uint32_t term; /* A term of the plan; one of them if several have this word. */
	uint64_t hash;
	struct bs_tf_key key;
	double weight;   /* The sum over all elements that expand to the word, in their order. */
	double worth;    /* The word's weight times its idf. */
	bool is_implied; /* Whether every match of the query has the word. */
};

BS_VECTOR(bs_scored_words, struct bs_scored_word);

/* Zero-initialise; reusable; release with bs_scorer_deinit. */
struct bs_scorer {
	const struct bs_plan *plan;
	double avgdl;
	struct bs_scored_word *words; /* Sorted by bytes, as in match.c and byte_verifier.c. */
	size_t n_words;
	/* The query is an OR of words that all score: a document matches if and only if it has one
	 * of `words`. */
	bool is_any;
	bool is_complete; /* No scored element is too broad, so `words` has all words that score. */
	struct bs_scored_words memory; /* The memory of `words`. */
};

/* plan is borrowed. BS_CORRUPT; BS_INVALID (the statistics are inconsistent); BS_NO_MEMORY. */
enum bs_status bs_scorer_make(struct bs_scorer *scorer, const struct bs_plan *plan, double avgdl,
                              struct bs_error *err) BS_WARN_UNUSED;
void bs_scorer_deinit(struct bs_scorer *scorer);

/* Whether a document has a word, as far as is known. */
enum bs_has {
	BS_HAS_NOT,
	BS_HAS,
	BS_HAS_MAYBE, /* The columns let the document through, but are not exact. */
};

/* The document's score if it has the words that it has or may have; an upper bound of the true
 * score. *exact_io becomes false if the true score may be less. has: one enum bs_has per word of
 * the scorer. BS_CORRUPT. */
enum bs_status bs_scorer_score(const struct bs_scorer *scorer, uint32_t segment, uint32_t document,
                               const uint8_t *has, double *score_out, bool *exact_io,
                               struct bs_error *err) BS_WARN_UNUSED;

/* An upper bound of a word's contribution to the score of a document with at least least_length
 * positions, in which the word's tf is at most most_tf (0: any). */
double bs_scorer_most(const struct bs_scorer *scorer, size_t word, uint32_t most_tf,
                      uint32_t least_length);

/* A document and its score, or an upper bound of it if the text must be read first. */
struct bs_ranked_hit {
	double score; /* In a request for candidates: 1 if the document only may match, else 0. */
	uint32_t segment;
	uint32_t document;
};

BS_VECTOR(bs_ranked_hits, struct bs_ranked_hit);

static inline struct bs_doc_ref bs_hit_ref(const struct bs_ranked_hit *hit)
{
	return (struct bs_doc_ref){hit->segment, hit->document};
}

/* Sorts hits in document order (doc_order.h). */
void bs_sort_by_document(const struct bs_snapshot_list *list, struct bs_ranked_hit *hits,
                         size_t n_hits);

/* A heap of hits: the highest score on top; equal scores by segment and document. */
enum bs_status bs_hits_push(struct bs_ranked_hits *heap, const struct bs_ranked_hit *hit,
                            struct bs_error *err) BS_WARN_UNUSED;
/* Removes the top. The heap must not be empty. */
struct bs_ranked_hit bs_hits_pop(struct bs_ranked_hits *heap);

/* The best k of the hits offered: higher scores first, equal scores in document order. The caller
 * sets list and k and zero-initialises the rest. */
struct bs_top {
	const struct bs_snapshot_list *list;
	size_t k;
	struct bs_ranked_hits heap; /* The hits kept so far, with the worst on top. */
};
enum bs_status bs_top_offer(struct bs_top *top, const struct bs_ranked_hit *hit,
                            struct bs_error *err) BS_WARN_UNUSED;
/* Sorts the hits that were kept, the best first, and returns their number. No hits can be offered
 * afterwards. */
size_t bs_top_finish(struct bs_top *top, const struct bs_ranked_hit **hits_out);
