/* word_pair_choice.c: see word_pair_choice.h. */
#include "indexer/choose/word_pair_choice.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/lexicon/lexicon.h"
#include "indexer/choose/sample.h"

#define SAMPLE_BYTES   (12u << 20)
#define PAIR_MIN_DOCS  2u /* a pair met in one document only may be there by chance */
#define WORD_MIN_SHARE 0.002 /* rarer words are not worth a pair */
/* Pairs may have this share of the words' postings. They are taken in the order of what it costs to verify the documents that
 * hold both words, as a phrase would have to. What a pair costs in bits goes by its own documents, and so does how often it is
 * asked for. */
#define PAIR_BUDGET    0.12
#define VERIFY_DOC_NS  900u /* one document to verify: finding it, */
#define VERIFY_WORD_NS 6u   /* and searching the text of each of its words */

void bs_word_pair_sample_deinit(struct bs_word_pair_sample *sample)
{
	bs_term_table_deinit(&sample->words);
	bs_buffer_deinit(&sample->tokens);
	bs_buffer_deinit(&sample->docs);
}

static enum bs_status add_gap(struct bs_word_pair_sample *sample, struct bs_error *err)
{
	static const uint32_t gap = 0;
	return bs_buffer_append(&sample->tokens, &gap, sizeof(gap), err);
}

static enum bs_status sample_tokens(void *context, const struct bs_token *tokens, size_t n_tokens, struct bs_error *err)
{
	struct bs_word_pair_sample *sample = context;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n_tokens && !status; i++) {
		uint32_t number = 0;
		if (tokens[i].is_bigram)
			continue;
		if (tokens[i].position != sample->next_position)
			status = add_gap(sample, err);
		if (!status)
			status = bs_term_table_intern(&sample->words, tokens[i].term, tokens[i].term_bytes,
			                              bs_hash_slot(tokens[i].term, tokens[i].term_bytes), &number, NULL, err);
		number++;
		if (!status)
			status = bs_buffer_append(&sample->tokens, &number, sizeof(number), err);
		sample->next_position = tokens[i].position + 1;
	}
	return status;
}

static enum bs_status sample_document(void *context, const struct bs_document *document, struct bs_error *err)
{
	struct bs_word_pair_sample *sample = context;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < document->n_fields && !status; i++) {
		const struct bs_field *field = &document->fields[i];
		sample->next_position = 0;
		status = add_gap(sample, err);
		if (!status)
			status = bs_words_analyze(sample->analyzer, field->text, field->text_bytes, 0, sample_tokens, sample,
			                          NULL, err);
	}
	uint64_t end = sample->tokens.used_bytes / sizeof(uint32_t);
	if (!status)
		status = bs_buffer_append(&sample->docs, &end, sizeof(end), err);
	sample->text_bytes += document->text_bytes;
	return status;
}

enum bs_status bs_word_pair_sample_source(struct bs_word_pair_sample *sample, const struct bs_source *source,
                                     const struct bs_source_options *options, const struct bs_words_options *words,
                                     struct bs_error *err)
{
	enum bs_status status = bs_words_new(words, &sample->analyzer, err);
	if (!status)
		status = bs_sample_source(source, options, SAMPLE_BYTES, sample_document, sample, err);
	bs_words_free(sample->analyzer);
	sample->analyzer = NULL;
	return status;
}

/* A pair of the sample. */
struct met_pair {
	uint64_t words;    /* first + 1 << 32 | second + 1; 0: an empty slot */
	uint32_t n_docs;
	uint32_t last_doc; /* + 1 */
	uint64_t both_ns;  /* to verify the documents that hold both words, next to each other or not */
};

struct choice {
	const struct bs_term_table *words;
	const uint32_t *tokens; /* the sample's; those of document d are [d ? ends[d - 1] : 0, ends[d]) */
	const uint64_t *ends;
	size_t n_docs;
	uint64_t most_tokens; /* of a document */
	uint32_t *dfs;        /* per word */
	uint64_t n_postings;
	struct met_pair *met; /* hashed by words, then in order of worth */
	size_t n_slots;
	size_t n_met;
};

static enum bs_status count_words(struct choice *choice, struct bs_error *err)
{
	uint32_t *last_doc = calloc((size_t)choice->words->n_terms + 1, sizeof(*last_doc)); /* per word, + 1 */
	choice->dfs = calloc((size_t)choice->words->n_terms + 1, sizeof(*choice->dfs));
	if (!last_doc || !choice->dfs) {
		free(last_doc);
		return bs_fail_memory(err, "pairs of words", (uint64_t)choice->words->n_terms * 8);
	}
	for (size_t d = 0, at = 0; d < choice->n_docs; d++) {
		uint64_t n_tokens = choice->ends[d] - at;
		choice->most_tokens = n_tokens > choice->most_tokens ? n_tokens : choice->most_tokens;
		for (; at < choice->ends[d]; at++) {
			uint32_t word = choice->tokens[at];
			if (word == 0 || last_doc[word - 1] == d + 1)
				continue;
			last_doc[word - 1] = (uint32_t)d + 1;
			choice->dfs[word - 1]++;
			choice->n_postings++;
		}
	}
	free(last_doc);
	return BS_OK;
}

static size_t slot_of(uint64_t words, size_t n_slots)
{
	return bs_hash_mix(words ^ bs_hash_get_secret().words[0]) & (n_slots - 1);
}

static enum bs_status grow_met(struct choice *choice, struct bs_error *err)
{
	size_t n_slots = choice->n_slots ? choice->n_slots * 2 : 1u << 14;
	struct met_pair *met = calloc(n_slots, sizeof(*met));
	if (!met)
		return bs_fail_memory(err, "pairs of words", n_slots * sizeof(*met));
	for (size_t i = 0; i < choice->n_slots; i++) {
		if (!choice->met[i].words)
			continue;
		size_t at = slot_of(choice->met[i].words, n_slots);
		while (met[at].words)
			at = (at + 1) & (n_slots - 1);
		met[at] = choice->met[i];
	}
	free(choice->met);
	choice->met = met;
	choice->n_slots = n_slots;
	return BS_OK;
}

static enum bs_status count_pair(struct choice *choice, uint64_t words, uint32_t doc, struct bs_error *err)
{
	if (choice->n_met * 2 >= choice->n_slots) {
		enum bs_status status = grow_met(choice, err);
		if (status)
			return status;
	}
	size_t at = slot_of(words, choice->n_slots);
	while (choice->met[at].words && choice->met[at].words != words)
		at = (at + 1) & (choice->n_slots - 1);
	struct met_pair *met = &choice->met[at];
	choice->n_met += !met->words;
	met->words = words;
	met->n_docs += met->last_doc != doc + 1;
	met->last_doc = doc + 1;
	return BS_OK;
}

static enum bs_status count_pairs(struct choice *choice, struct bs_error *err)
{
	double least = WORD_MIN_SHARE * (double)choice->n_docs;
	enum bs_status status = BS_OK;
	for (size_t d = 0, at = 0; d < choice->n_docs && !status; d++) {
		for (; at + 1 < choice->ends[d] && !status; at++) {
			uint64_t a = choice->tokens[at];
			uint64_t b = choice->tokens[at + 1];
			if (a && b && choice->dfs[a - 1] >= least && choice->dfs[b - 1] >= least)
				status = count_pair(choice, a << 32 | b, (uint32_t)d, err);
		}
		at = choice->ends[d];
	}
	return status;
}

/* In the order of their words. */
static int compare_words(const void *a, const void *b)
{
	const struct met_pair *x = a;
	const struct met_pair *y = b;
	return x->words < y->words ? -1 : x->words > y->words;
}

static int compare_worth(const void *a, const void *b)
{
	const struct met_pair *x = a;
	const struct met_pair *y = b;
	if (x->both_ns != y->both_ns)
		return x->both_ns > y->both_ns ? -1 : 1;
	return compare_words(a, b);
}

/* What count_both looks at again and again, apart from the rest. */
struct both {
	uint32_t *firsts;  /* per word: where the pairs begin of which it is the first */
	uint32_t *seconds; /* per pair */
	uint64_t *ns;      /* per pair */
	uint32_t *words;   /* of the document under way, each once; room for those of the longest */
	uint8_t *has;      /* per word: 1 if that document has it */
};

/* Counts a document for the pairs of which it holds both words. */
static void count_both_in(const struct both *both, const uint32_t *tokens, uint64_t n_tokens)
{
	size_t n_words = 0;
	uint64_t doc_ns = VERIFY_DOC_NS + n_tokens * VERIFY_WORD_NS;
	for (uint64_t i = 0; i < n_tokens; i++) {
		if (!tokens[i] || both->has[tokens[i] - 1])
			continue;
		both->has[tokens[i] - 1] = 1;
		both->words[n_words++] = tokens[i] - 1;
	}
	for (size_t w = 0; w < n_words; w++)
		for (uint32_t i = both->firsts[both->words[w]]; i < both->firsts[both->words[w] + 1]; i++)
			both->ns[i] += -(uint64_t)both->has[both->seconds[i]] & doc_ns;
	for (size_t w = 0; w < n_words; w++)
		both->has[both->words[w]] = 0;
}

/*
 * Drops the pairs that are too rare, and weighs for each other one the documents with both words, which a phrase would have to
 * look at. (Guessed from the frequencies of the two words, words of one subject come out too low, and a word that follows
 * itself by far: two phrases in a hundred took half of the time of all.)
 */
static enum bs_status count_both(struct choice *choice, struct bs_error *err)
{
	size_t n_words = choice->words->n_terms;
	choice->n_met = 0;
	for (size_t i = 0; i < choice->n_slots; i++)
		if (choice->met[i].n_docs >= PAIR_MIN_DOCS)
			choice->met[choice->n_met++] = choice->met[i];
	if (choice->n_met > 1)
		qsort(choice->met, choice->n_met, sizeof(*choice->met), compare_words);
	struct both both = {
		.firsts = malloc((n_words + 1) * sizeof(*both.firsts)),
		.seconds = malloc((choice->n_met + 1) * sizeof(*both.seconds)),
		.ns = calloc(choice->n_met + 1, sizeof(*both.ns)),
		.words = malloc((size_t)(choice->most_tokens + 1) * sizeof(*both.words)),
		.has = calloc(n_words + 1, sizeof(*both.has)),
	};
	enum bs_status status = BS_OK;
	if (!both.firsts || !both.seconds || !both.ns || !both.words || !both.has) {
		status = bs_fail_memory(err, "pairs of words", n_words * sizeof(*both.firsts));
		goto out;
	}
	for (size_t word = 0, i = 0; word <= n_words; word++) {
		while (i < choice->n_met && (choice->met[i].words >> 32) - 1 < word)
			i++;
		both.firsts[word] = (uint32_t)i;
	}
	for (size_t i = 0; i < choice->n_met; i++)
		both.seconds[i] = (uint32_t)choice->met[i].words - 1;
	for (size_t d = 0; d < choice->n_docs; d++) {
		uint64_t start = d ? choice->ends[d - 1] : 0;
		count_both_in(&both, choice->tokens + start, choice->ends[d] - start);
	}
	for (size_t i = 0; i < choice->n_met; i++)
		choice->met[i].both_ns = both.ns[i];
out:
	free(both.firsts);
	free(both.seconds);
	free(both.ns);
	free(both.words);
	free(both.has);
	return status;
}

enum bs_status bs_word_pair_sample_choose(const struct bs_word_pair_sample *sample, struct bs_word_pairs *pairs,
                                          struct bs_error *err)
{
	const struct bs_term_table *words = &sample->words;
	struct choice choice = {
		.words = words,
		.tokens = (const uint32_t *)(const void *)sample->tokens.data,
		.ends = (const uint64_t *)(const void *)sample->docs.data,
		.n_docs = sample->docs.used_bytes / sizeof(uint64_t),
	};
	enum bs_status status = count_words(&choice, err);
	if (!status)
		status = count_pairs(&choice, err);
	if (!status)
		status = count_both(&choice, err);
	if (!status && choice.n_met > 1)
		qsort(choice.met, choice.n_met, sizeof(*choice.met), compare_worth);
	double left = PAIR_BUDGET * (double)choice.n_postings;
	for (size_t i = 0; i < choice.n_met && !status; i++) {
		uint32_t a = (uint32_t)(choice.met[i].words >> 32) - 1;
		uint32_t b = (uint32_t)choice.met[i].words - 1;
		left -= choice.met[i].n_docs;
		if (left < 0)
			break;
		status = bs_word_pairs_add(pairs, bs_term_table_key(words, a), words->entries[a].n_bytes,
		                           bs_term_table_key(words, b), words->entries[b].n_bytes, err);
	}
	free(choice.dfs);
	free(choice.met);
	return status;
}

enum bs_status bs_word_pairs_of_snapshot(const struct bs_snapshot *snapshot, struct bs_word_pairs *pairs, struct bs_error *err)
{
	static const uint8_t mark = BS_KEY_COMPOUND;
	const struct bs_segment *largest = NULL;
	bool end = false;
	for (uint32_t i = 0; i < snapshot->manifest.n_segments; i++)
		if (!largest || snapshot->segments[i].meta.n_docs > largest->meta.n_docs)
			largest = &snapshot->segments[i];
	if (!largest)
		return BS_OK;
	struct bs_lexicon_cursor cursor = {.lexicon = &largest->lexicon};
	enum bs_status status = bs_lexicon_cursor_seek(&cursor, &mark, 1, err);
	while (!status) {
		uint32_t second;
		status = bs_lexicon_cursor_next(&cursor, &end, err);
		if (status || end)
			break;
		const uint8_t *key = cursor.term.data;
		uint32_t n_bytes = (uint32_t)cursor.term.used_bytes;
		if (bs_word_pair_split(key, n_bytes, &second))
			status = bs_word_pairs_add(pairs, key + 1, second - 2, key + second, n_bytes - second, err);
	}
	bs_lexicon_cursor_deinit(&cursor);
	return status;
}
