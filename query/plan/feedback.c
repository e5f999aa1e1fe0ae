/* feedback.c: see feedback.h. */
#include "query/plan/feedback.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/collections/sort.h"
#include "query/statistics/bm25.h"

struct bs_word_share {
	double share;
	uint32_t tf; /* How often the word occurs in the current text. */
};

void bs_feedback_deinit(struct bs_feedback *feedback)
{
	bs_term_table_deinit(&feedback->words);
	bs_vector_deinit(&feedback->shares);
	bs_vector_deinit(&feedback->found);
	bs_vector_deinit(&feedback->taken);
}

void bs_feedback_begin(struct bs_feedback *feedback)
{
	/* An empty table is not cleared, because that takes time proportional to its capacity. */
	if (feedback->words.n_terms > 0)
		bs_term_table_clear(&feedback->words);
	bs_vector_clear(&feedback->shares);
	bs_vector_clear(&feedback->found);
	bs_vector_clear(&feedback->taken);
	feedback->n_texts = 0;
}

static struct bs_word_share *share_of(const struct bs_feedback *feedback, uint32_t number)
{
	return &feedback->shares.items[number];
}

/* A bs_token_fn: counts the words of a text. */
static enum bs_status count_words(void *context, const struct bs_token *tokens, size_t n_tokens,
                                  struct bs_error *err)
{
	struct bs_feedback *feedback = context;
	const struct bs_word_share none = {0, 0};
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n_tokens && !status; i++) {
		uint32_t number = 0;
		bool is_new = false;
		if (tokens[i].is_bigram)
			continue;
		status = bs_term_table_intern(
			&feedback->words, tokens[i].term, tokens[i].term_bytes,
			bs_hash_slot(tokens[i].term, tokens[i].term_bytes), &number, &is_new, err);
		if (!status && is_new)
			status = bs_vector_append(&feedback->shares, &none, err);
		if (!status && share_of(feedback, number)->tf++ == 0)
			status = bs_vector_append(&feedback->found, &number, err);
	}
	return status;
}

enum bs_status bs_feedback_add(struct bs_feedback *feedback, struct bs_tokenizer *tokenizer,
                               const struct bs_field *fields, size_t n_fields, double trust,
                               double avgdl, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	uint32_t length = 0;
	bs_vector_clear(&feedback->found);
	for (size_t i = 0; i < n_fields && !status; i++) {
		struct bs_tokenizer_sum sum = {0};
		status = bs_tokenizer_analyze(tokenizer, fields[i].text, fields[i].text_bytes, 0,
		                              count_words, feedback, &sum, err);
		length += sum.n_positions;
	}
	for (size_t i = 0; i < bs_vector_n(&feedback->found); i++) {
		struct bs_word_share *word = share_of(feedback, feedback->found.items[i]);
		word->share += bs_bm25_share(trust, word->tf, length, avgdl);
		word->tf = 0;
	}
	feedback->n_texts++;
	return status;
}

/* Orders words by decreasing share, then by their bytes. */
static int compare_shares(const void *a, const void *b, void *context)
{
	const struct bs_feedback *feedback = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	double of_x = share_of(feedback, x)->share, of_y = share_of(feedback, y)->share;
	if (of_x > of_y || of_x < of_y)
		return of_x > of_y ? -1 : 1;
	const struct bs_term_table *words = &feedback->words;
	return bs_compare_bytes(bs_term_table_key(words, x), words->entries[x].n_bytes,
	                        bs_term_table_key(words, y), words->entries[y].n_bytes);
}

/* Sets `found` to all words, sorted by compare_shares. */
static enum bs_status list_words(struct bs_feedback *feedback, struct bs_error *err)
{
	uint32_t n = feedback->words.n_terms;
	bs_vector_clear(&feedback->found);
	enum bs_status status = bs_vector_reserve(&feedback->found, n, err);
	uint32_t *found = feedback->found.items;
	for (uint32_t i = 0; i < n && !status; i++)
		found[i] = i;
	return status ? status : bs_sort(found, n, sizeof(*found), compare_shares, feedback, err);
}

struct choice {
	uint32_t number;
	double value; /* The share times the idf. */
};

#define MOST_WORDS (BS_LIKE_WORDS > BS_FEEDBACK_WORDS ? BS_LIKE_WORDS : BS_FEEDBACK_WORDS)

/* Inserts a choice into `best`, which has n <= n_most choices sorted by decreasing value; if it is
 * full, the last one is dropped. Among equal values, the earlier choice stays first. Returns the
 * new n. */
static size_t insert(struct choice *best, size_t n, size_t n_most, struct choice choice)
{
	size_t at = n < n_most ? n : n_most - 1;
	if (n == n_most && choice.value <= best[at].value)
		return n;
	for (; at > 0 && best[at - 1].value < choice.value; at--)
		best[at] = best[at - 1];
	best[at] = choice;
	return n < n_most ? n + 1 : n;
}

/* Chooses the words with the largest share * idf. Goes through the words by decreasing share and
 * stops when no further word can be chosen, so most of the rare words of a long text are not looked
 * up in the lexicon. */
static enum bs_status choose(struct bs_feedback *feedback,
                             const struct bs_feedback_numbers *numbers, const struct bs_stop *stop,
                             size_t n_most, struct choice *best, size_t *n_out,
                             struct bs_error *err)
{
	const uint32_t *found = feedback->found.items;
	const double most_idf = fmin(bs_bm25_idf(numbers->n_docs, 2), BS_FEEDBACK_MOST_IDF);
	enum bs_status status = BS_OK;
	*n_out = 0;
	for (uint32_t i = 0; i < feedback->words.n_terms && !status; i++) {
		const uint8_t *word = bs_term_table_key(&feedback->words, found[i]);
		uint32_t n_bytes = feedback->words.entries[found[i]].n_bytes;
		double share = share_of(feedback, found[i])->share;
		uint64_t df;
		bool is_enough = *n_out == n_most && share * most_idf <= best[n_most - 1].value;
		if (is_enough || share <= 0)
			break;
		if (bs_stop_has_term(stop, word, n_bytes))
			continue;
		status = numbers->df(numbers->context, i, word, n_bytes, &df, err);
		if (!status && df >= 2)
			*n_out = insert(
				best, *n_out, n_most,
				(struct choice){
					found[i],
					share * fmin(bs_bm25_idf(numbers->n_docs, df), most_idf)});
	}
	return status;
}

/* Rounds a weight, so that it has the same value when it is written in a query and parsed. */
static double round_weight(double weight)
{
	double units = round(weight * 10000);
	return (units < 1 ? 1 : units) / 10000;
}

enum bs_status bs_feedback_take(struct bs_feedback *feedback,
                                const struct bs_feedback_numbers *numbers,
                                const struct bs_stop *stop, size_t n_most, double sum,
                                struct bs_error *err)
{
	struct choice best[MOST_WORDS];
	size_t n = 0;
	double all = 0, largest = 0;
	bs_vector_clear(&feedback->taken);
	enum bs_status status = list_words(feedback, err);
	if (!status)
		status = choose(feedback, numbers, stop, n_most < MOST_WORDS ? n_most : MOST_WORDS,
		                best, &n, err);
	for (size_t i = 0; i < n; i++) {
		double share = share_of(feedback, best[i].number)->share;
		all += share;
		largest = share > largest ? share : largest;
	}
	for (size_t i = 0; i < n && !status; i++) {
		double share = share_of(feedback, best[i].number)->share;
		struct bs_weighted_term term = {
			.term = bs_term_table_key(&feedback->words, best[i].number),
			.term_bytes = feedback->words.entries[best[i].number].n_bytes,
			.weight = round_weight(sum > 0 ? share / all * sum : share / largest),
		};
		status = bs_vector_append(&feedback->taken, &term, err);
	}
	return status;
}
