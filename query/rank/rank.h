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
	/* A term of the plan with this word; there is one for each element that expands to it. */
	uint32_t term;
	uint64_t hash;        /* The hash of the term. */
	struct bs_tf_key key; /* Finds the word's tf in the tf code of a document. */
	/* The sum of the weights of all elements that expand to the word, added in their order. */
	double weight;
	double worth;    /* `weight` times the word's idf. */
	bool is_implied; /* Every match of the query has the word. */
};

BS_VECTOR(bs_scored_words, struct bs_scored_word);

/* Zero-initialise; reusable; release with bs_scorer_deinit. */
struct bs_scorer {
	const struct bs_plan *plan;
	double avgdl; /* The average length of documents (bm25.h). */
	/* The words that score, sorted by their bytes as in match.c and byte_verifier.c. */
	struct bs_scored_word *words;
	size_t n_words;
	/* The query is a word or an OR of words, all of which score. If is_complete, a document
	 * matches if and only if it has one of `words`. */
	bool is_any;
	/* `words` has all words that score, because no scored element expands to too many terms. */
	bool is_complete;
	struct bs_scored_words memory; /* The memory of `words`. */
};

/* Makes the scorer of a plan, which is borrowed. BS_CORRUPT; BS_INVALID (the statistics are
 * inconsistent); BS_NO_MEMORY. */
enum bs_status bs_scorer_make(struct bs_scorer *scorer, const struct bs_plan *plan, double avgdl,
                              struct bs_error *err) BS_WARN_UNUSED;
void bs_scorer_deinit(struct bs_scorer *scorer);

/* Whether a document has a word. */
enum bs_has {
	BS_HAS_NOT,
	BS_HAS,
	BS_HAS_MAYBE, /* Unknown: the document passes the word's columns, which are not exact. */
};

/* Computes the score that the document has if it has every word with BS_HAS or BS_HAS_MAYBE: its
 * score, or an upper bound of it. *exact_io becomes false if the score may be less. has: one enum
 * bs_has for each word of the scorer. BS_CORRUPT. */
enum bs_status bs_scorer_score(const struct bs_scorer *scorer, uint32_t segment, uint32_t document,
                               const uint8_t *has, double *score_out, bool *exact_io,
                               struct bs_error *err) BS_WARN_UNUSED;

/* An upper bound of what a word contributes to the score of a document that has at least
 * least_length positions. most_tf: the largest tf that the word can have there; 0: unknown. */
double bs_scorer_most(const struct bs_scorer *scorer, size_t word, uint32_t most_tf,
                      uint32_t least_length);

/* A document, and its score. If its text must be read first, an upper bound of its score. */
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

/* Adds a hit to a heap with the highest score on top and, among equal scores, the first
 * document. */
enum bs_status bs_hits_push(struct bs_ranked_hits *heap, const struct bs_ranked_hit *hit,
                            struct bs_error *err) BS_WARN_UNUSED;
/* Removes the top of the heap, which must not be empty. */
struct bs_ranked_hit bs_hits_pop(struct bs_ranked_hits *heap);

/* Keeps the k best of the hits offered: higher scores first, equal scores in document order. The
 * caller sets list and k and zero-initialises the rest. */
struct bs_top {
	const struct bs_snapshot_list *list;
	size_t k;
	struct bs_ranked_hits heap; /* The hits kept so far, with the worst on top. */
};
enum bs_status bs_top_offer(struct bs_top *top, const struct bs_ranked_hit *hit,
                            struct bs_error *err) BS_WARN_UNUSED;
/* Sorts the hits that were kept, the best first, and returns their number. No more hits can be
 * offered. */
size_t bs_top_finish(struct bs_top *top, const struct bs_ranked_hit **hits_out);
