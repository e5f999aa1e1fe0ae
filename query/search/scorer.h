/*
 * scorer.h: scores from the index alone. Which words a query scores, in the order in which the verifier adds them up, so
 * that both give the same number to the last bit; and a document's score, where its signature says which of them it has
 * and its tf code how often (core/matrix/tf_code.h).
 */
#ifndef BS_QUERY_SEARCH_SCORER_H
#define BS_QUERY_SEARCH_SCORER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/status.h"
#include "query/search/plan.h"

/* A distinct word that counts. */
struct bs_scored_word {
	uint32_t term;   /* of the plan; of several with the same word, one */
	uint64_t hash;
	struct bs_tf_key key;
	double idf;
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

/* plan is borrowed. BS_NO_MEMORY. */
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

#endif
