/* word_pair_choice.c: which pairs of words are terms. See choice.h. */
#include "indexer/choose/choice.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/lexicon/lexicon.h"
#include "core/text/words.h"
#include "indexer/choose/sample.h"

#define SAMPLE_BYTES   (12u << 20)
#define PAIR_MIN_DOCS  2u /* a pair met in one document only may be there by chance */
#define WORD_MIN_SHARE 0.002 /* rarer words are not worth a pair */
/* Pairs may have this share of the words' postings. They are taken in the order of what it costs to verify the
 * documents that hold both words, as a phrase would have to. What a pair costs in bits goes by its own documents, and
 * so does how often it is asked for. */
#define PAIR_BUDGET    0.12
#define VERIFY_DOC_NS  900u /* one document to verify: finding it, */
#define VERIFY_WORD_NS 6u   /* and searching the text of each of its words */

/* A pair of the sample. */
struct met_pair {
	uint32_t first;
	uint32_t second;
	uint32_t n_docs;
	uint32_t last_doc; /* + 1 */
	uint64_t both_ns;  /* to verify the documents that hold both words, next to each other or not */
};

struct choice {
	struct bs_words *analyzer;
	uint32_t next_position;     /* of the document under analysis */
	struct bs_term_table words; /* df: of the sample */
	struct bs_buffer tokens;    /* u32 each: number of the word + 1; 0 before each field and each missing position */
	struct bs_buffer ends;      /* u64 each: where a document's tokens end */
	uint64_t text_bytes;
	uint64_t n_postings;        /* of words */
	uint64_t most_tokens;       /* of a document */
	struct bs_buffer met;       /* struct met_pair each: by their first words, then in order of worth */
	uint32_t n_met;
	uint32_t *firsts;           /* per word, and one more: where the pairs begin of which it is the first */
};

static enum bs_status add_gap(struct choice *choice, struct bs_error *err)
{
	static const uint32_t gap = 0;
	return bs_buffer_append(&choice->tokens, &gap, sizeof(gap), err);
}

static enum bs_status sample_tokens(void *context, const struct bs_token *tokens, size_t n_tokens, struct bs_error *err)
{
	struct choice *choice = context;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n_tokens && !status; i++) {
		uint32_t number = 0;
		if (tokens[i].is_bigram)
			continue;
		if (tokens[i].position != choice->next_position)
			status = add_gap(choice, err);
		if (!status)
			status = bs_term_table_intern(&choice->words, tokens[i].term, tokens[i].term_bytes,
			                              bs_hash_slot(tokens[i].term, tokens[i].term_bytes), &number, NULL, err);
		number++;
		if (!status)
			status = bs_buffer_append(&choice->tokens, &number, sizeof(number), err);
		choice->next_position = tokens[i].position + 1;
	}
	return status;
}

static enum bs_status sample_document(void *context, const struct bs_document *document, struct bs_error *err)
{
	struct choice *choice = context;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < document->n_fields && !status; i++) {
		const struct bs_field *field = &document->fields[i];
		choice->next_position = 0;
		status = add_gap(choice, err);
		if (!status)
			status = bs_words_analyze(choice->analyzer, field->text, field->text_bytes, 0, sample_tokens, choice,
			                          NULL, err);
	}
	uint64_t end = choice->tokens.used_bytes / sizeof(uint32_t);
	if (!status)
		status = bs_buffer_append(&choice->ends, &end, sizeof(end), err);
	choice->text_bytes += document->text_bytes;
	return status;
}

static struct met_pair *met_of(const struct choice *choice)
{
	return (struct met_pair *)(void *)choice->met.data;
}

static size_t count_docs(const struct choice *choice)
{
	return choice->ends.used_bytes / sizeof(uint64_t);
}

/* The tokens of a document of the sample, *n_out of them. */
static const uint32_t *tokens_of(const struct choice *choice, size_t doc, uint64_t *n_out)
{
	const uint64_t *ends = (const uint64_t *)(const void *)choice->ends.data;
	uint64_t start = doc ? ends[doc - 1] : 0;
	*n_out = ends[doc] - start;
	return (const uint32_t *)(const void *)choice->tokens.data + start;
}

static enum bs_status count_words(struct choice *choice, struct bs_error *err)
{
	uint32_t *last_doc = calloc((size_t)choice->words.n_terms + 1, sizeof(*last_doc)); /* per word, + 1 */
	if (!last_doc)
		return bs_fail_memory(err, "pairs of words", (uint64_t)choice->words.n_terms * sizeof(*last_doc));
	for (size_t d = 0; d < count_docs(choice); d++) {
		uint64_t n_tokens;
		const uint32_t *tokens = tokens_of(choice, d, &n_tokens);
		choice->most_tokens = n_tokens > choice->most_tokens ? n_tokens : choice->most_tokens;
		for (uint64_t i = 0; i < n_tokens; i++) {
			if (tokens[i] == 0 || last_doc[tokens[i] - 1] == d + 1)
				continue;
			last_doc[tokens[i] - 1] = (uint32_t)d + 1;
			choice->words.entries[tokens[i] - 1].df++;
			choice->n_postings++;
		}
	}
	free(last_doc);
	return BS_OK;
}

/* Two words side by side, both frequent enough. */
struct meeting {
	uint32_t second;
	uint32_t doc;
	uint32_t previous; /* 1 + the one before with the same first word; 0: none */
};

/* Lists meetings; last_of[word]: 1 + the last one of which it is the first word. */
static enum bs_status list_meetings(const struct choice *choice, uint32_t *last_of, struct bs_buffer *meetings,
                                    struct bs_error *err)
{
	const struct bs_term_entry *words = choice->words.entries;
	double least = WORD_MIN_SHARE * (double)count_docs(choice);
	enum bs_status status = BS_OK;
	for (size_t d = 0; d < count_docs(choice) && !status; d++) {
		uint64_t n_tokens;
		const uint32_t *tokens = tokens_of(choice, d, &n_tokens);
		for (uint64_t i = 1; i < n_tokens && !status; i++) {
			uint32_t a = tokens[i - 1], b = tokens[i];
			if (!a || !b || words[a - 1].df < least || words[b - 1].df < least)
				continue;
			struct meeting meeting = {b - 1, (uint32_t)d, last_of[a - 1]};
			status = bs_buffer_append(meetings, &meeting, sizeof(meeting), err);
			last_of[a - 1] = (uint32_t)(meetings->used_bytes / sizeof(meeting));
		}
	}
	return status;
}

/* Adds the pairs that a word makes with those behind it, but for those that are too rare. known: by second word, the
 * pair that it was last in, which may be another word's, or dropped. */
static enum bs_status add_pairs(struct choice *choice, uint32_t first, const struct meeting *meetings, uint32_t last,
                                uint32_t *known, struct bs_error *err)
{
	uint32_t n_before = choice->n_met, n_kept = choice->n_met;
	for (uint32_t number = last; number; number = meetings[number - 1].previous) {
		const struct meeting *meeting = &meetings[number - 1];
		uint32_t at = known[meeting->second];
		if (at < n_before || at >= choice->n_met || met_of(choice)[at].second != meeting->second) {
			struct met_pair new = {.first = first, .second = meeting->second};
			enum bs_status status = bs_buffer_append(&choice->met, &new, sizeof(new), err);
			if (status)
				return status;
			at = known[meeting->second] = choice->n_met++;
		}
		struct met_pair *pair = &met_of(choice)[at];
		pair->n_docs += pair->last_doc != meeting->doc + 1;
		pair->last_doc = meeting->doc + 1;
	}
	for (uint32_t at = n_before; at < choice->n_met; at++) {
		met_of(choice)[n_kept] = met_of(choice)[at];
		n_kept += met_of(choice)[at].n_docs >= PAIR_MIN_DOCS;
	}
	choice->n_met = n_kept;
	choice->met.used_bytes = n_kept * sizeof(struct met_pair);
	return BS_OK;
}

/* The pairs of the sample, by their first words. */
static enum bs_status find_pairs(struct choice *choice, struct bs_error *err)
{
	size_t n_words = choice->words.n_terms;
	struct bs_buffer meetings = {0};
	uint32_t *last_of = calloc(n_words + 1, sizeof(*last_of));
	uint32_t *known = calloc(n_words + 1, sizeof(*known));
	choice->firsts = calloc(n_words + 1, sizeof(*choice->firsts));
	enum bs_status status = BS_OK;
	if (!last_of || !known || !choice->firsts)
		status = bs_fail_memory(err, "pairs of words", n_words * sizeof(*known));
	if (!status)
		status = list_meetings(choice, last_of, &meetings, err);
	for (uint32_t word = 0; word < n_words && !status; word++) {
		status = add_pairs(choice, word, (const struct meeting *)(const void *)meetings.data, last_of[word], known, err);
		choice->firsts[word + 1] = choice->n_met;
	}
	bs_buffer_deinit(&meetings);
	free(last_of);
	free(known);
	return status;
}

static int compare_worth(const void *a, const void *b)
{
	const struct met_pair *x = a;
	const struct met_pair *y = b;
	if (x->both_ns != y->both_ns)
		return x->both_ns > y->both_ns ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->second < y->second ? -1 : x->second > y->second;
}

/* What count_both looks at again and again, apart from the rest. */
struct both {
	const uint32_t *firsts; /* of the choice */
	uint32_t *seconds;      /* per pair */
	uint64_t *ns;           /* per pair */
	uint32_t *words;        /* of the document under way, each once; room for those of the longest */
	uint8_t *has;           /* per word: 1 if that document has it */
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
 * Weighs for each pair the documents with both words, which a phrase would have to look at. (Guessed from the
 * frequencies of the two words, words of one subject come out too low, and a word that follows itself by far: two
 * phrases in a hundred took half of the time of all.)
 */
static enum bs_status count_both(const struct choice *choice, struct bs_error *err)
{
	size_t n_words = choice->words.n_terms;
	struct both both = {
		.firsts = choice->firsts,
		.seconds = malloc(((size_t)choice->n_met + 1) * sizeof(*both.seconds)),
		.ns = calloc((size_t)choice->n_met + 1, sizeof(*both.ns)),
		.words = malloc((size_t)(choice->most_tokens + 1) * sizeof(*both.words)),
		.has = calloc(n_words + 1, sizeof(*both.has)),
	};
	enum bs_status status = BS_OK;
	if (!both.seconds || !both.ns || !both.words || !both.has) {
		status = bs_fail_memory(err, "pairs of words", choice->n_met * sizeof(*both.ns));
		goto out;
	}
	for (uint32_t i = 0; i < choice->n_met; i++)
		both.seconds[i] = met_of(choice)[i].second;
	for (size_t d = 0; d < count_docs(choice); d++) {
		uint64_t n_tokens;
		const uint32_t *tokens = tokens_of(choice, d, &n_tokens);
		count_both_in(&both, tokens, n_tokens);
	}
	for (uint32_t i = 0; i < choice->n_met; i++)
		met_of(choice)[i].both_ns = both.ns[i];
out:
	free(both.seconds);
	free(both.ns);
	free(both.words);
	free(both.has);
	return status;
}

/* The pairs that are worth their bits. */
static enum bs_status choose(struct choice *choice, struct bs_word_pairs *pairs, struct bs_error *err)
{
	const struct bs_term_table *words = &choice->words;
	enum bs_status status = count_words(choice, err);
	if (!status)
		status = find_pairs(choice, err);
	if (!status)
		status = count_both(choice, err);
	if (!status && choice->n_met > 1)
		qsort(choice->met.data, choice->n_met, sizeof(struct met_pair), compare_worth);
	double left = PAIR_BUDGET * (double)choice->n_postings;
	for (uint32_t i = 0; i < choice->n_met && !status; i++) {
		const struct met_pair *pair = &met_of(choice)[i];
		left -= pair->n_docs;
		if (left < 0)
			break;
		status = bs_word_pairs_add(pairs, bs_term_table_key(words, pair->first), words->entries[pair->first].n_bytes,
		                           bs_term_table_key(words, pair->second), words->entries[pair->second].n_bytes, err);
	}
	return status;
}

enum bs_status bs_word_pairs_choose(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                    const struct bs_source_options *options, uint64_t least_bytes,
                                    struct bs_word_pairs *pairs, struct bs_error *err)
{
	struct choice choice = {.n_met = 0};
	struct bs_words_options words = {.stem_language = manifest->options.stem_language,
	                                 .fold_accents = manifest->options.fold_accents};
	enum bs_status status = bs_words_new(&words, &choice.analyzer, err);
	if (!status)
		status = bs_sample_sources(dir, manifest, options, SAMPLE_BYTES, false, sample_document, &choice, err);
	if (!status && choice.text_bytes >= least_bytes)
		status = choose(&choice, pairs, err);
	bs_words_free(choice.analyzer);
	bs_term_table_deinit(&choice.words);
	bs_buffer_deinit(&choice.tokens);
	bs_buffer_deinit(&choice.ends);
	bs_buffer_deinit(&choice.met);
	free(choice.firsts);
	return status;
}

enum bs_status bs_word_pairs_of_snapshot(const struct bs_snapshot *snapshot, struct bs_word_pairs *pairs,
                                         struct bs_error *err)
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
