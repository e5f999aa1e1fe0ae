/*
 * feedback.h: the words that are typical of some texts, with weights, to be looked for beside a
 * query: pseudo relevance feedback (`--feedback`) and documents like another (`--like`).
 *
 * After RM3 of Lavrenko and Croft ("Relevance-Based Language Models", 2001) and Abdul-Jaleel and
 * others ("UMass at TREC 2004: Novelty and HARD"), with BM25's parts in place of a language
 * model's: a word's share is the sum over the texts of trust(text) * tf / (tf + k1 (1 - b + b
 * length / avgdl)), whatever its fields weigh. The n words with the largest share * idf are taken,
 * each with its share for a weight; a word that no second document has finds nothing, and is not.
 * bench/NOTES.md has what was tried.
 */
#pragma once

#include "core/base/vector.h"
#include "core/store/snapshot.h"
#include "corpus/walk/document.h"
#include "query/language/query_tree.h"
#include "query/language/stop.h"

#define BS_FEEDBACK_WORDS 20u /* taken from the best documents of a query, */
#define BS_LIKE_WORDS     30u /* and from a text that is to be like */

/* idf counts as this at most: that of a word in one of 1,100 documents. Where documents are many,
 * words that hardly another one has would take the places of those that tell what the texts are
 * about. */
#define BS_FEEDBACK_MOST_IDF 7.0

struct bs_word_share; /* of feedback.c */

BS_VECTOR(bs_word_shares, struct bs_word_share);
BS_VECTOR(bs_weighted_terms, struct bs_weighted_term);

/* Zero-initialise; reusable; release with bs_feedback_deinit. */
struct bs_feedback {
	struct bs_term_table words;   /* of all texts */
	struct bs_word_shares shares; /* of each */
	/* numbers of the words of the text under way; then of all, the best first */
	struct bs_u32s found;
	struct bs_weighted_terms taken; /* the best first */
	size_t n_texts;
};
void bs_feedback_deinit(struct bs_feedback *feedback);

/* A document is trusted by its score, as in a relevance model by the likelihood of the query, which
 * falls as steeply. */
static inline double bs_feedback_trust(double score, double best_score)
{
	double share = score / best_score;
	return share * share * share * share;
}

/* Forgets all texts, and what was taken of them. */
void bs_feedback_begin(struct bs_feedback *feedback);

/* A text; words: the analyzer of the index. BS_NO_MEMORY. */
enum bs_status bs_feedback_add(struct bs_feedback *feedback, struct bs_tokenizer *tokenizer,
                               const struct bs_field *fields, size_t n_fields, double trust,
                               double avgdl, struct bs_error *err) BS_WARN_UNUSED;

/* What idf is made of: how many documents there are, and in how many of them a word stands, the
 * i-th of found. Those before it have been asked about, or never will be. */
struct bs_feedback_numbers {
	uint64_t n_docs;
	enum bs_status (*df)(void *context, uint32_t i, const uint8_t *word, uint32_t word_bytes,
	                     uint64_t *df_out, struct bs_error *err);
	void *context;
};

/* Takes up to n_most words, none that is a stop word. Their weights are multiples of 1/10000: in
 * all, `sum`, or if that is 0, such that the largest is 1. BS_NO_MEMORY, and what df returns. */
enum bs_status bs_feedback_take(struct bs_feedback *feedback,
                                const struct bs_feedback_numbers *numbers,
                                const struct bs_stop *stop, size_t n_most, double sum,
                                struct bs_error *err) BS_WARN_UNUSED;

static inline size_t bs_feedback_n_taken(const struct bs_feedback *feedback)
{
	return bs_vector_n(&feedback->taken);
}

static inline const struct bs_weighted_term *bs_feedback_taken(const struct bs_feedback *feedback)
{
	return feedback->taken.items;
}
