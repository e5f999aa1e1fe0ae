/*
 * feedback.h: finds the typical words of some texts, with weights. Used for pseudo relevance
 * feedback (`--feedback` adds such words to the query) and for finding similar documents
 * (`--like`).
 *
 * Based on RM3 of Lavrenko and Croft ("Relevance-Based Language Models", 2001) and Abdul-Jaleel and
 * others ("UMass at TREC 2004: Novelty and HARD"), but with parts of BM25 instead of a language
 * model: a word's share is the sum over the texts of trust(text) * tf / (tf + k1 (1 - b + b length
 * / avgdl)), independent of field weights. trust(text) is the caller's weight of the text
 * (bs_feedback_trust), tf is how often the word occurs in the text, length is the text's length in
 * positions, and avgdl the mean length of documents; bm25.h defines k1 and b. The n words with the
 * largest share * idf are taken, with weights proportional to their shares. Words that occur in
 * only one document are not taken, because they cannot find another one. bench/NOTES.md has the
 * experiments.
 */
#pragma once

#include "core/base/vector.h"
#include "core/store/snapshot.h"
#include "corpus/walk/document.h"
#include "query/language/query_tree.h"
#include "query/language/stop.h"

#define BS_FEEDBACK_WORDS 20u /* Words taken from the best documents of a query. */
#define BS_LIKE_WORDS     30u /* Words taken from a text for `--like`. */

/* The upper limit of idf: that of a word which one in 1,100 documents has. Without a limit, in
 * large indexes, very rare words would displace those that describe the subject of the texts. */
#define BS_FEEDBACK_MOST_IDF 7.0

struct bs_word_share; /* Defined in feedback.c. */

BS_VECTOR(bs_word_shares, struct bs_word_share);
BS_VECTOR(bs_weighted_terms, struct bs_weighted_term);

/* Zero-initialise; reusable; release with bs_feedback_deinit. */
struct bs_feedback {
	struct bs_term_table words; /* The words of all texts. */
	/* The shares of the words, indexed by the number of the word. */
	struct bs_word_shares shares;
	/* The numbers of the words of the current text. During bs_feedback_take: of all words, by
	 * decreasing share. */
	struct bs_u32s found;
	/* The words taken, by decreasing share * idf. Their bytes are borrowed from `words`. */
	struct bs_weighted_terms taken;
	size_t n_texts;
};
void bs_feedback_deinit(struct bs_feedback *feedback);

/* How much a document's words count, by its score. The fourth power falls as steeply as the
 * likelihood of the query does in a relevance model. */
static inline double bs_feedback_trust(double score, double best_score)
{
	double share = score / best_score;
	return share * share * share * share;
}

/* Removes all texts and the words taken from them. */
void bs_feedback_begin(struct bs_feedback *feedback);

/* Adds the words of a text. tokenizer must be the analyzer of the index. trust: see
 * bs_feedback_trust. BS_NO_MEMORY, or the failures of the tokenizer. */
enum bs_status bs_feedback_add(struct bs_feedback *feedback, struct bs_tokenizer *tokenizer,
                               const struct bs_field *fields, size_t n_fields, double trust,
                               double avgdl, struct bs_error *err) BS_WARN_UNUSED;

/* The data for computing idf: the number of documents, and a function that returns the df of a
 * word. i is the index of the word in `found`, ascending from call to call. */
struct bs_feedback_numbers {
	uint64_t n_docs;
	enum bs_status (*df)(void *context, uint32_t i, const uint8_t *word, uint32_t word_bytes,
	                     uint64_t *df_out, struct bs_error *err);
	void *context;
};

/* Takes up to n_most words that are not stop words, but no more than the larger of
 * BS_FEEDBACK_WORDS and BS_LIKE_WORDS. Weights are multiples of 1/10000. They add up to about
 * `sum`; if sum is 0, the largest is 1. BS_NO_MEMORY, and the failures of df. */
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
