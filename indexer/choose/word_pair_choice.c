/* word_pair_choice.c: chooses the word pairs that are terms. See word_pair_choice.h. */
#include "indexer/choose/word_pair_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/vector.h"
#include "core/collections/sort.h"
#include "core/lexicon/lexicon.h"
#include "core/matrix/prices.h"
#include "core/system/deadline.h"
#include "core/text/tokenizer.h"
#include "indexer/choose/sample.h"

/*
 * The worth of a pair is ns * asked / bits. ns: the time to verify the documents that have both
 * words, which a phrase query must do if the pair is not indexed. asked: how often the phrase is
 * queried, assumed to be as often as it occurs in texts. bits: the least number of bits that record
 * which documents have the pair. A pair is chosen if its worth reaches a threshold, which is higher
 * for long documents, as it is for words (core/matrix/term_treatment.c). The bits of all pairs are
 * limited to a number for each posting of a word: core/matrix/prices.h.
 */

/* Estimated costs for the deadline: of a word, of two adjacent words, and of a pair that is
 * examined. */
#define TOKEN_NS   5u
#define MEETING_NS 30u
#define PAIR_NS    2u

/* A pair that occurs in the sample. */
struct met_pair {
	/* number of a word; from words.n_terms on: words.n_terms + index in `met` of the pair that
	 * begins this wide pair */
	uint32_t first;
	uint32_t second;
	/* documents with the pair */
	uint32_t n_docs;
	uint32_t last_doc; /* last document with the pair, + 1 */
	double asked;      /* sum of the weight (sampled.share) of each occurrence of the pair */
	/* time to verify all documents that have both words, adjacent or not; for a wide pair, all
	 * documents that have it */
	uint64_t ns;
	/* ns * asked / bits */
	double worth;
	uint32_t number; /* 1 + its number among the chosen pairs; 0: not chosen */
};
BS_VECTOR(met_pairs, struct met_pair);

/* An occurrence in the sample of two adjacent words that are both frequent enough, or of a pair and
 * the word after it. It is in the list of occurrences that begin with the same word or pair
 * ("first"). */
struct meeting {
	uint32_t second;
	uint32_t doc;
	/* 1 + index of the previous meeting with the same first; 0: none. add_pairs replaces it by
	 * the index in `met` of its pair, or UINT32_MAX if the pair is too rare */
	uint32_t link;
	uint32_t at; /* index of second in tokens */
};
BS_VECTOR(meetings, struct meeting);

/* A document of the sample. */
struct sampled {
	uint64_t end; /* end of its tokens */
	uint64_t ns;  /* time to verify it */
	double share; /* weight of each of its words: 1 / (number of words + 1) */
};

BS_VECTOR(sampled_docs, struct sampled);

struct choice {
	struct bs_tokenizer *analyzer;
	/* maximum size of all pairs, in bits per posting of a word */
	double most_bits;
	uint32_t next_position;     /* position after the last token of the current field */
	struct bs_term_table words; /* df: documents of the sample with the word */
	/* 1 + number of each word, in order; 0 before each field and for missing positions */
	struct bs_u32s tokens;
	struct sampled_docs docs;
	uint64_t text_bytes;
	uint64_t n_postings;  /* postings of words */
	uint64_t most_tokens; /* tokens of the longest document */
	/* pairs of two words, ordered by first word, followed by the wide pairs */
	struct met_pairs met;
	uint32_t n_met;
	uint32_t n_narrow; /* number of pairs of two words */
	/* by word: index in `met` of the first pair that begins with it; the last element is the
	 * end */
	uint32_t *firsts;
	struct meetings meetings; /* meetings, in the order of the tokens at which they begin */
};

static enum bs_status add_gap(struct choice *choice, struct bs_error *err)
{
	static const uint32_t gap = 0;
	return bs_vector_append(&choice->tokens, &gap, err);
}

static enum bs_status sample_tokens(void *context, const struct bs_token *tokens, size_t n_tokens,
                                    struct bs_error *err)
{
	struct choice *choice = context;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n_tokens && !status; i++) {
		uint32_t number = 0;
		if (tokens[i].is_bigram || tokens[i].is_whole)
			continue;
		if (tokens[i].position != choice->next_position)
			status = add_gap(choice, err);
		if (!status)
			status = bs_term_table_intern(
				&choice->words, tokens[i].term, tokens[i].term_bytes,
				bs_hash_slot(tokens[i].term, tokens[i].term_bytes), &number, NULL,
				err);
		number++;
		if (!status)
			status = bs_vector_append(&choice->tokens, &number, err);
		choice->next_position = tokens[i].position + 1;
	}
	return status;
}

static enum bs_status sample_document(void *context, const struct bs_document *document,
                                      struct bs_error *err)
{
	struct choice *choice = context;
	uint64_t n_before = bs_vector_n(&choice->tokens);
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < document->text.n_fields && !status; i++) {
		const struct bs_field *field = &document->text.fields[i];
		choice->next_position = 0;
		status = add_gap(choice, err);
		if (!status)
			status = bs_tokenizer_analyze(choice->analyzer, field->text,
			                              field->text_bytes, 0, sample_tokens, choice,
			                              NULL, err);
	}
	struct sampled sampled = {.end = bs_vector_n(&choice->tokens)};
	uint64_t n_tokens = sampled.end - n_before;
	sampled.share = 1 / (double)(n_tokens + 1);
	sampled.ns = document->place.line ? BS_PRICE_VERIFY_RECORD_NS : BS_PRICE_VERIFY_FILE_NS;
	sampled.ns += n_tokens * BS_PRICE_VERIFY_WORD_NS;
	if (!status)
		status = bs_vector_append(&choice->docs, &sampled, err);
	choice->text_bytes += document->text.n_bytes;
	return status;
}

/* Returns the tokens of a document of the sample; *n_out: their number. */
static const uint32_t *tokens_of(const struct choice *choice, size_t doc, uint64_t *n_out)
{
	uint64_t start = doc ? choice->docs.items[doc - 1].end : 0;
	*n_out = choice->docs.items[doc].end - start;
	return choice->tokens.items + start;
}

static enum bs_status count_words(struct choice *choice, struct bs_error *err)
{
	/* by word: 1 + the last document that has it */
	uint32_t *last_doc = calloc((size_t)choice->words.n_terms + 1, sizeof(*last_doc));
	if (!last_doc)
		return bs_fail_memory(err, "pairs of words",
		                      (uint64_t)choice->words.n_terms * sizeof(*last_doc));
	enum bs_status status = BS_OK;
	for (size_t d = 0; d < bs_vector_n(&choice->docs) && !status; d++) {
		uint64_t n_tokens;
		const uint32_t *tokens = tokens_of(choice, d, &n_tokens);
		choice->most_tokens =
			n_tokens > choice->most_tokens ? n_tokens : choice->most_tokens;
		status = bs_deadline_check_after(n_tokens * TOKEN_NS, err);
		for (uint64_t i = 0; i < n_tokens; i++) {
			if (tokens[i] == 0 || last_doc[tokens[i] - 1] == d + 1)
				continue;
			last_doc[tokens[i] - 1] = (uint32_t)d + 1;
			choice->words.entries[tokens[i] - 1].df++;
			choice->n_postings++;
		}
	}
	free(last_doc);
	return status;
}

/* Adds a meeting to the linked list of meetings that begin with `first`, a word or a pair.
 * last_of[first]: 1 + index of the last meeting of this list; 0: the list is empty. */
static enum bs_status add_meeting(struct choice *choice, struct meeting meeting, uint32_t first,
                                  uint32_t *last_of, struct bs_error *err)
{
	meeting.link = last_of[first];
	enum bs_status status = bs_vector_append(&choice->meetings, &meeting, err);
	last_of[first] = (uint32_t)bs_vector_n(&choice->meetings);
	return status;
}

static enum bs_status list_meetings(struct choice *choice, uint32_t *last_of, struct bs_error *err)
{
	const struct bs_term_entry *words = choice->words.entries;
	const uint32_t *all = choice->tokens.items;
	double least = BS_PRICE_PAIR_WORD_SHARE * (double)bs_vector_n(&choice->docs);
	enum bs_status status = BS_OK;
	for (size_t d = 0; d < bs_vector_n(&choice->docs) && !status; d++) {
		uint64_t n_tokens;
		const uint32_t *tokens = tokens_of(choice, d, &n_tokens);
		status = bs_deadline_check_after(n_tokens * TOKEN_NS, err);
		for (uint64_t i = 1; i < n_tokens && !status; i++) {
			uint32_t a = tokens[i - 1], b = tokens[i];
			if (!a || !b || words[a - 1].df < least || words[b - 1].df < least)
				continue;
			struct meeting meeting = {.second = b - 1,
			                          .doc = (uint32_t)d,
			                          .at = (uint32_t)(tokens + i - all)};
			status = add_meeting(choice, meeting, a - 1, last_of, err);
		}
	}
	return status;
}

/* Replaces the meetings of two words by those of wide pairs: a pair that is frequent enough, and
 * the word after it. */
static enum bs_status widen_meetings(struct choice *choice, uint32_t *last_of, struct bs_error *err)
{
	struct meetings before = choice->meetings;
	const struct meeting *narrow = before.items;
	double least = BS_PRICE_PAIR_HEAD_SHARE * (double)bs_vector_n(&choice->docs);
	enum bs_status status = BS_OK;
	choice->meetings = (struct meetings){0};
	for (size_t i = 1; i < bs_vector_n(&before) && !status; i++) {
		struct meeting meeting = narrow[i];
		status = bs_deadline_each(i, TOKEN_NS, err);
		uint32_t pair = narrow[i - 1].link;
		if (!status && meeting.at == narrow[i - 1].at + 1 && pair != UINT32_MAX &&
		    choice->met.items[pair].n_docs >= least)
			status = add_meeting(choice, meeting, pair, last_of, err);
	}
	bs_vector_deinit(&before);
	return status;
}

static void count_meeting(const struct choice *choice, struct met_pair *pair, uint32_t doc)
{
	const struct sampled *sampled = &choice->docs.items[doc];
	bool is_new = pair->last_doc != doc + 1;
	pair->n_docs += is_new;
	pair->ns += is_new ? sampled->ns : 0;
	pair->asked += sampled->share;
	pair->last_doc = doc + 1;
}

/* Makes pairs of all meetings with one first word or pair, whose list ends with meeting `last`;
 * drops pairs that are too rare. Then sets the link of each of these meetings to its pair. known:
 * scratch, by second word: index in `met` of the pair; values of earlier calls are detected and
 * ignored. */
static enum bs_status add_pairs(struct choice *choice, uint32_t first, uint32_t last,
                                uint32_t *known, struct bs_error *err)
{
	struct meeting *meetings = choice->meetings.items;
	uint32_t n_before = choice->n_met, n_kept = choice->n_met;
	uint64_t n_meetings = 0;
	for (uint32_t number = last; number; number = meetings[number - 1].link) {
		uint32_t second = meetings[number - 1].second, at = known[second];
		if (at < n_before || at >= choice->n_met ||
		    choice->met.items[at].second != second) {
			struct met_pair new = {.first = first, .second = second};
			enum bs_status status = bs_vector_append(&choice->met, &new, err);
			if (status)
				return status;
			at = known[second] = choice->n_met++;
		}
		n_meetings++;
		count_meeting(choice, &choice->met.items[at], meetings[number - 1].doc);
	}
	for (uint32_t at = n_before; at < choice->n_met; at++) {
		known[choice->met.items[at].second] =
			choice->met.items[at].n_docs >= BS_PRICE_PAIR_MIN_DOCS ? n_kept
									       : UINT32_MAX;
		choice->met.items[n_kept] = choice->met.items[at];
		n_kept += choice->met.items[at].n_docs >= BS_PRICE_PAIR_MIN_DOCS;
	}
	for (uint32_t number = last; number;) {
		struct meeting *meeting = &meetings[number - 1];
		number = meeting->link;
		meeting->link = known[meeting->second];
	}
	choice->n_met = n_kept;
	bs_vector_set_n(&choice->met, n_kept);
	return bs_deadline_check_after(n_meetings * MEETING_NS, err);
}

/* Finds the pairs of two words, ordered by first word. */
static enum bs_status find_pairs(struct choice *choice, struct bs_error *err)
{
	size_t n_words = choice->words.n_terms;
	uint32_t *last_of = calloc(n_words + 1, sizeof(*last_of));
	uint32_t *known = calloc(n_words + 1, sizeof(*known));
	choice->firsts = calloc(n_words + 1, sizeof(*choice->firsts));
	enum bs_status status = BS_OK;
	if (!last_of || !known || !choice->firsts)
		status = bs_fail_memory(err, "pairs of words", n_words * sizeof(*known));
	if (!status)
		status = list_meetings(choice, last_of, err);
	for (uint32_t word = 0; word < n_words && !status; word++) {
		status = bs_deadline_each(word, TOKEN_NS, err);
		if (!status)
			status = add_pairs(choice, word, last_of[word], known, err);
		choice->firsts[word + 1] = choice->n_met;
	}
	choice->n_narrow = choice->n_met;
	free(last_of);
	free(known);
	return status;
}

/* Finds the wide pairs that begin with a pair at index first_head or higher of `met`. */
static enum bs_status find_wide(struct choice *choice, uint32_t first_head, struct bs_error *err)
{
	uint32_t n_words = choice->words.n_terms, end_head = choice->n_met;
	uint32_t *last_of = calloc((size_t)end_head + 1, sizeof(*last_of));
	uint32_t *known = calloc((size_t)n_words + 1, sizeof(*known));
	enum bs_status status = BS_OK;
	if (!last_of || !known)
		status = bs_fail_memory(err, "pairs of words",
		                        (uint64_t)end_head * sizeof(*last_of));
	if (!status)
		status = widen_meetings(choice, last_of, err);
	for (uint32_t head = first_head; head < end_head && !status; head++)
		status = add_pairs(choice, n_words + head, last_of[head], known, err);
	free(last_of);
	free(known);
	return status;
}

/* The data of count_both, in compact arrays for its inner loop. */
struct both {
	const uint32_t *firsts; /* firsts of struct choice */
	uint32_t *seconds;      /* by pair: its second word */
	/* by pair of two words: sum of the times of documents that have both */
	uint64_t *ns;
	/* distinct words of the current document */
	uint32_t *words;
	uint8_t *has; /* by word: 1 if the current document has it */
};

/* Adds the time to verify a document to ns of each pair of which the document has both words. */
static enum bs_status count_both_in(const struct both *both, const uint32_t *tokens,
                                    uint64_t n_tokens, uint64_t doc_ns, struct bs_error *err)
{
	uint64_t n_words = 0, n_pairs = 0;
	for (uint64_t i = 0; i < n_tokens; i++) {
		if (!tokens[i] || both->has[tokens[i] - 1])
			continue;
		both->has[tokens[i] - 1] = 1;
		both->words[n_words++] = tokens[i] - 1;
	}
	for (size_t w = 0; w < n_words; w++) {
		uint32_t first = both->firsts[both->words[w]],
			 end = both->firsts[both->words[w] + 1];
		for (uint32_t i = first; i < end; i++)
			both->ns[i] += -(uint64_t)both->has[both->seconds[i]] & doc_ns;
		n_pairs += end - first;
	}
	for (size_t w = 0; w < n_words; w++)
		both->has[both->words[w]] = 0;
	return bs_deadline_check_after(n_tokens * TOKEN_NS + n_pairs * PAIR_NS, err);
}

/*
 * For each pair of two words, sums the time to verify the documents that have both words, because a
 * phrase query would read these. (An estimate from the words' dfs is too low for words of one
 * subject, and far too low for a word that follows itself: two of a hundred phrases took half of
 * the total time.)
 */
static enum bs_status count_both(struct choice *choice, struct bs_error *err)
{
	size_t n_words = choice->words.n_terms, n_pairs = choice->n_narrow;
	struct both both = {
		.firsts = choice->firsts,
		.seconds = malloc((n_pairs + 1) * sizeof(*both.seconds)),
		.ns = calloc(n_pairs + 1, sizeof(*both.ns)),
		.words = malloc((size_t)(choice->most_tokens + 1) * sizeof(*both.words)),
		.has = calloc(n_words + 1, sizeof(*both.has)),
	};
	enum bs_status status = BS_OK;
	if (!both.seconds || !both.ns || !both.words || !both.has) {
		status = bs_fail_memory(err, "pairs of words", n_pairs * sizeof(*both.ns));
		goto out;
	}
	for (size_t i = 0; i < n_pairs; i++)
		both.seconds[i] = choice->met.items[i].second;
	for (size_t d = 0; d < bs_vector_n(&choice->docs) && !status; d++) {
		uint64_t n_tokens;
		const uint32_t *tokens = tokens_of(choice, d, &n_tokens);
		status = count_both_in(&both, tokens, n_tokens, choice->docs.items[d].ns, err);
	}
	for (size_t i = 0; i < n_pairs; i++)
		choice->met.items[i].ns = both.ns[i];
out:
	free(both.seconds);
	free(both.ns);
	free(both.words);
	free(both.has);
	return status;
}

/* The least number of bits that a term of n documents takes: its entropy; if at least half of the
 * documents have it, an exact column. */
static double bits_of(const struct choice *choice, uint32_t n)
{
	double n_docs = (double)bs_vector_n(&choice->docs), share = (double)n / n_docs;
	return share >= 0.5 ? n_docs
	                    : -n_docs * (share * log2(share) + (1 - share) * log2(1 - share));
}

static int compare_worth(const void *a, const void *b, void *context)
{
	(void)context;
	const struct met_pair *x = *(const struct met_pair *const *)a;
	const struct met_pair *y = *(const struct met_pair *const *)b;
	if (x->worth != y->worth)
		return x->worth > y->worth ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Chooses a pair. If it is a wide pair, first chooses the pair with which it begins. */
static enum bs_status take(const struct choice *choice, struct met_pair *pair, double *left_bits,
                           struct bs_word_pairs *pairs, struct bs_error *err)
{
	const struct bs_term_table *words = &choice->words;
	struct bs_buffer first = {0};
	enum bs_status status = BS_OK;
	if (pair->number)
		return BS_OK;
	*left_bits -= bits_of(choice, pair->n_docs);
	if (pair->first < words->n_terms) {
		status = bs_buffer_append(&first, bs_term_table_key(words, pair->first),
		                          words->entries[pair->first].n_bytes, err);
	} else {
		struct met_pair *head = &choice->met.items[pair->first - words->n_terms];
		uint32_t key_bytes;
		status = take(choice, head, left_bits, pairs, err);
		const uint8_t *key =
			status ? NULL : bs_word_pairs_key(pairs, head->number - 1, &key_bytes);
		if (!status)
			status = bs_buffer_append(&first, key, key_bytes, err);
	}
	if (!status)
		status = bs_word_pairs_add(pairs, first.data, (uint32_t)first.used_bytes,
		                           bs_term_table_key(words, pair->second),
		                           words->entries[pair->second].n_bytes, err);
	pair->number = pairs->n_word_pairs;
	bs_buffer_deinit(&first);
	return status;
}

/* Chooses pairs in order of descending worth, until the threshold or the limit is reached. */
static enum bs_status take_best(const struct choice *choice, struct bs_word_pairs *pairs,
                                struct bs_error *err)
{
	struct met_pair **best = malloc(((size_t)choice->n_met + 1) * sizeof(*best));
	double n_docs = (double)bs_vector_n(&choice->docs),
	       left_bits = choice->most_bits * (double)choice->n_postings;
	double longer = fmax((double)choice->n_postings / n_docs / BS_PRICE_SHORT_TERMS, 1);
	double least = n_docs * BS_PRICE_PAIR_BIT_NS * pow(longer, BS_PRICE_PAIR_LONGER_POWER);
	enum bs_status status = BS_OK;
	if (!best)
		return bs_fail_memory(err, "pairs of words", choice->n_met * sizeof(*best));
	for (uint32_t i = 0; i < choice->n_met; i++) {
		struct met_pair *pair = best[i] = &choice->met.items[i];
		pair->worth = (double)pair->ns * pair->asked / bits_of(choice, pair->n_docs);
	}
	status = bs_sort(best, choice->n_met, sizeof(*best), compare_worth, NULL, err);
	for (uint32_t i = 0;
	     i < choice->n_met && !status && pairs->n_word_pairs < BS_MAX_WORD_PAIRS; i++) {
		if (best[i]->worth < least || left_bits < bits_of(choice, best[i]->n_docs))
			break;
		status = take(choice, best[i], &left_bits, pairs, err);
	}
	free(best);
	return status;
}

static enum bs_status choose(struct choice *choice, struct bs_word_pairs *pairs,
                             struct bs_error *err)
{
	uint32_t first_head = 0;
	enum bs_status status = count_words(choice, err);
	if (!status)
		status = find_pairs(choice, err);
	for (uint32_t n_words = 3; n_words <= BS_PAIR_MOST_WORDS && !status; n_words++) {
		uint32_t end = choice->n_met;
		status = find_wide(choice, first_head, err);
		first_head = end;
	}
	if (!status)
		status = count_both(choice, err);
	return status ? status : take_best(choice, pairs, err);
}

enum bs_status bs_word_pairs_choose(const struct bs_recorded_options *options,
                                    const struct bs_pair_limits *limits, bs_give_sample_fn give,
                                    void *context, struct bs_word_pairs *pairs,
                                    struct bs_error *err)
{
	struct choice choice = {.most_bits = limits->most_bits > 0 ? limits->most_bits
	                                                           : BS_PRICE_PAIR_MOST_BITS};
	struct bs_tokenizer_options words = bs_index_words_options(options);
	enum bs_status status = bs_tokenizer_new(&words, &choice.analyzer, err);
	if (!status)
		status = give(context, sample_document, &choice, err);
	if (!status && choice.text_bytes >= limits->least_bytes)
		status = choose(&choice, pairs, err);
	bs_tokenizer_free(choice.analyzer);
	bs_term_table_deinit(&choice.words);
	bs_vector_deinit(&choice.tokens);
	bs_vector_deinit(&choice.docs);
	bs_vector_deinit(&choice.meetings);
	bs_vector_deinit(&choice.met);
	free(choice.firsts);
	return status;
}

enum bs_status bs_word_pairs_of_snapshot(const struct bs_snapshot *snapshot,
                                         struct bs_word_pairs *pairs, struct bs_error *err)
{
	static const uint8_t mark = BS_KEY_COMPOUND;
	const struct bs_segment *largest = NULL;
	bool end = false;
	for (uint32_t i = 0; i < snapshot->manifest.n_segments; i++)
		if (bs_snapshot_has_words(snapshot, i) &&
		    (!largest || snapshot->segments[i].meta.n_docs > largest->meta.n_docs))
			largest = &snapshot->segments[i];
	if (!largest)
		return BS_OK;
	struct bs_lexicon_cursor cursor = {.lexicon = &largest->terms.lexicon};
	enum bs_status status = bs_lexicon_cursor_seek(&cursor, &mark, 1, err);
	while (!status) {
		struct bs_word_pair pair;
		status = bs_lexicon_cursor_next(&cursor, &end, err);
		if (status || end)
			break;
		if (bs_word_pair_split(cursor.term.data, (uint32_t)cursor.term.used_bytes, &pair))
			status = bs_word_pairs_add(pairs, pair.first, pair.first_bytes, pair.second,
			                           pair.second_bytes, err);
	}
	bs_lexicon_cursor_deinit(&cursor);
	return status;
}
