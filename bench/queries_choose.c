/*
 * queries_choose.c: chooses seeded queries of every class from the token files. See queries.h.
 *
 * Words are drawn evenly from the terms of a df class. With N documents:
 *
 *      rare    2 .. 10                    mid     N / 1,000 .. N / 100
 *      low     N / 20,000 .. N / 5,000    common  above N / 100
 *
 * In a small corpus a low word has a df of at least 3, a mid word of at least 5, and a common word
 * of more than 10. The words of a query of and2, and3 or and4, and of or2 to or5, are drawn from
 * one document, which is drawn evenly. Phrases occur in a document; about half of them begin with
 * two common words. Half of the queries of the class absent have a word that does not exist and a
 * common one; the others have two words that never occur in the same document. A query of
 * mid-common asks for the documents with a mid word and without a common one, a query of
 * common-common for those with a common word and without another.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/queries.h"
#include "bench/tool.h"
#include "core/text/tokenizer.h"

enum level {
	LEVEL_NONE,
	LEVEL_RARE,
	LEVEL_LOW,
	LEVEL_MID,
	LEVEL_COMMON,
	LEVELS,
};

/* A query to be chosen. Its words are found while documents are read. */
struct draw {
	const char *class_name;
	/* The document that its words are drawn from; UINT32_MAX if is_bigram. */
	uint32_t document;
	/* wants_common: a phrase that begins with two common words. is_bigram: a pair of words that
	 * is used if they never occur in the same document. is_found: `words` are valid. */
	bool is_phrase, is_any, wants_common, is_bigram, is_found;
	unsigned n_words;
	uint32_t words[QUERY_MAX_WORDS]; /* numbers of terms */
	size_t order;                    /* its number in the order of drawing */
};

struct postings {
	uint32_t *documents;
	size_t n, capacity;
};

struct choice {
	struct terms terms;
	struct bs_tokenizer *analyzer;
	uint64_t n_docs;
	uint64_t random; /* state of the random numbers */
	unsigned n_per_class;
	FILE *file;
	uint8_t *levels; /* enum level of each term; LEVEL_NONE also if it cannot be queried */
	uint32_t *of_level[LEVELS]; /* the terms of each level */
	uint32_t n_of_level[LEVELS];
	struct draw *draws;
	size_t n_draws;
	/* For each term, the number of its list in `lists`, plus 1; 0: it has none. */
	uint32_t *list_of;
	struct postings *lists; /* postings of the words of pairs (is_bigram) */
	uint32_t n_lists;
};

/* Words that can be queried. */

/* The terms that compare_tokens expects, and how many of them it has found. */
struct expectation {
	const struct term *const *terms;
	unsigned n_terms, n_found;
};

static enum bs_status compare_tokens(void *context, const struct bs_token *tokens, size_t n_tokens,
                                     struct bs_error *err)
{
	struct expectation *expectation = context;
	(void)err;
	for (size_t i = 0; i < n_tokens; i++) {
		unsigned n = expectation->n_found;
		if (n == expectation->n_terms || tokens[i].is_bigram || tokens[i].position != n ||
		    tokens[i].term_bytes != expectation->terms[n]->n_bytes ||
		    memcmp(tokens[i].term, expectation->terms[n]->text, tokens[i].term_bytes) != 0)
			return BS_STOPPED;
		expectation->n_found++;
	}
	return BS_OK;
}

/* True if the words can be a query: the tokenizer splits them, separated by spaces, into exactly
 * these words, and they contain no operators. */
static bool can_be_asked(const struct choice *choice, const uint32_t *words, unsigned n_words)
{
	char text[QUERY_MAX_WORDS * 128];
	const struct term *terms[QUERY_MAX_WORDS];
	size_t n_bytes = 0;
	for (unsigned i = 0; i < n_words; i++) {
		terms[i] = &choice->terms.terms[words[i]];
		if (terms[i]->n_bytes > 100 || strlen(terms[i]->text) != terms[i]->n_bytes ||
		    strpbrk(terms[i]->text, "\"()*~:- \t\n"))
			return false;
		if (i)
			text[n_bytes++] = ' ';
		memcpy(text + n_bytes, terms[i]->text, terms[i]->n_bytes);
		n_bytes += terms[i]->n_bytes;
	}
	struct expectation expectation = {.terms = terms, .n_terms = n_words};
	return !bs_tokenizer_analyze(choice->analyzer, (const uint8_t *)text, n_bytes, 0,
	                             compare_tokens, &expectation, NULL, NULL) &&
	       expectation.n_found == n_words;
}

static uint64_t at_least(uint64_t n, uint64_t least)
{
	return n < least ? least : n;
}

static enum level level_of(uint64_t n_docs, uint32_t df)
{
	if (df > n_docs / 100 && df > 10)
		return LEVEL_COMMON;
	if (df >= at_least(n_docs / 1000, 5))
		return LEVEL_MID;
	if (df >= at_least(n_docs / 20000, 3) && df <= at_least(n_docs / 5000, 4))
		return LEVEL_LOW;
	return df >= 2 && df <= 10 ? LEVEL_RARE : LEVEL_NONE;
}

static void sort_by_level(struct choice *choice)
{
	choice->levels = grown(NULL, choice->terms.n_terms);
	for (int level = 0; level < LEVELS; level++)
		choice->of_level[level] = grown(NULL, choice->terms.n_terms * sizeof(uint32_t));
	for (uint32_t i = 0; i < choice->terms.n_terms; i++) {
		enum level level = level_of(choice->n_docs, choice->terms.terms[i].df);
		if (level != LEVEL_NONE && !can_be_asked(choice, &i, 1))
			level = LEVEL_NONE;
		choice->levels[i] = (uint8_t)level;
		choice->of_level[level][choice->n_of_level[level]++] = i;
	}
}

static uint32_t word_of(struct choice *choice, enum level level)
{
	return choice->of_level[level][random_below(&choice->random, choice->n_of_level[level])];
}

/* Writing. */

static void write_query(const struct choice *choice, const char *class_name, const char *kind,
                        const uint32_t *words, unsigned n_words)
{
	fprintf(choice->file, "%s\t%s", class_name, kind);
	for (unsigned i = 0; i < n_words; i++)
		fprintf(choice->file, "\t%s", choice->terms.terms[words[i]].text);
	fputc('\n', choice->file);
}

static bool is_among(const uint32_t *words, unsigned n_words, uint32_t word)
{
	for (unsigned i = 0; i < n_words; i++)
		if (words[i] == word)
			return true;
	return false;
}

/* Writes queries of distinct words; word i is of levels[i]. Writes none if the corpus has too few
 * words of a level. */
static void write_mixed(struct choice *choice, const char *class_name, const char *kind,
                        unsigned n_words, const enum level *levels)
{
	for (unsigned i = 0; i < n_words; i++)
		if (choice->n_of_level[levels[i]] < n_words)
			return;
	for (unsigned n = 0; n < choice->n_per_class; n++) {
		uint32_t words[QUERY_MAX_WORDS];
		for (unsigned i = 0; i < n_words; i++)
			do
				words[i] = word_of(choice, levels[i]);
			while (is_among(words, i, words[i]));
		write_query(choice, class_name, kind, words, n_words);
	}
}

/* Queries from documents. */

static void add_draw(struct choice *choice, struct draw draw)
{
	draw.order = choice->n_draws;
	choice->draws = grown(choice->draws, (choice->n_draws + 1) * sizeof(draw));
	choice->draws[choice->n_draws++] = draw;
}

/* Draws the documents of a class's queries: more than needed, because some lack suitable words. */
static void draw_documents(struct choice *choice, const char *class_name, unsigned n_words,
                           const char *kind)
{
	bool is_phrase = strcmp(kind, "phrase") == 0;
	for (unsigned i = 0; i < choice->n_per_class * 4; i++)
		add_draw(choice, (struct draw){.class_name = class_name,
		                               .n_words = n_words,
		                               .is_phrase = is_phrase,
		                               .is_any = strcmp(kind, "or") == 0,
		                               .wants_common = is_phrase && i % 2,
		                               .document = (uint32_t)random_below(&choice->random,
		                                                                  choice->n_docs)});
}

/* Makes collect_postings collect the postings of a word. Returns the word. */
static uint32_t keep_postings(struct choice *choice, uint32_t word)
{
	if (!choice->list_of[word]) {
		choice->lists =
			grown(choice->lists, (choice->n_lists + 1) * sizeof(*choice->lists));
		choice->lists[choice->n_lists++] = (struct postings){0};
		choice->list_of[word] = choice->n_lists;
	}
	return word;
}

/* Draws pairs of words. write_absent keeps those that never occur in the same document. */
static void draw_pairs(struct choice *choice)
{
	if (choice->n_of_level[LEVEL_LOW] < 2 || choice->n_of_level[LEVEL_MID] < 2)
		return;
	for (unsigned i = 0; i < choice->n_per_class * 2; i++)
		add_draw(
			choice,
			(struct draw){
				.class_name = "absent",
				.n_words = 2,
				.is_bigram = true,
				.document = UINT32_MAX,
				.words = {keep_postings(choice, word_of(choice, i % 2 ? LEVEL_LOW
		                                                                      : LEVEL_MID)),
		                          keep_postings(choice, word_of(choice, LEVEL_MID))}});
}

static void take_words(struct choice *choice, struct draw *draw,
                       const struct token_stream *document)
{
	for (int attempt = 0; attempt < 20 && draw->n_words <= document->n_tokens; attempt++) {
		unsigned n = 0;
		while (n < draw->n_words) {
			uint32_t word =
				document->tokens[random_below(&choice->random, document->n_tokens)]
					.term;
			if (is_among(draw->words, n, word) || !can_be_asked(choice, &word, 1))
				break;
			draw->words[n++] = word;
		}
		if (n == draw->n_words) {
			draw->is_found = true;
			return;
		}
	}
}

static void take_phrase(struct choice *choice, struct draw *draw,
                        const struct token_stream *document)
{
	for (int attempt = 0; attempt < 100 && draw->n_words <= document->n_tokens; attempt++) {
		const struct token *first =
			document->tokens +
			random_below(&choice->random, document->n_tokens - draw->n_words + 1);
		bool is_fit = true;
		for (unsigned i = 0; i < draw->n_words; i++) {
			draw->words[i] = first[i].term;
			is_fit &= first[i].position == first->position + i;
			is_fit &= !draw->wants_common || i > 1 ||
			          choice->levels[first[i].term] == LEVEL_COMMON;
		}
		if (is_fit && can_be_asked(choice, draw->words, draw->n_words)) {
			draw->is_found = true;
			return;
		}
	}
}

static void collect_postings(struct choice *choice, const struct token_stream *document)
{
	for (size_t i = 0; i < document->n_tokens; i++) {
		uint32_t list = choice->list_of[document->tokens[i].term];
		if (!list)
			continue;
		struct postings *postings = &choice->lists[list - 1];
		if (postings->n && postings->documents[postings->n - 1] == document->document)
			continue;
		if (postings->n == postings->capacity) {
			postings->capacity = postings->capacity ? postings->capacity * 2 : 16;
			postings->documents =
				grown(postings->documents, postings->capacity * sizeof(uint32_t));
		}
		postings->documents[postings->n++] = document->document;
	}
}

static bool are_apart(const struct postings *a, const struct postings *b)
{
	for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
		if (a->documents[i] == b->documents[j])
			return false;
		if (a->documents[i] < b->documents[j])
			i++;
		else
			j++;
	}
	return true;
}

static int by_document(const void *a, const void *b)
{
	const struct draw *x = a, *y = b;
	if (x->document != y->document)
		return x->document < y->document ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int by_order(const void *a, const void *b)
{
	const struct draw *x = a, *y = b;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Reads the corpus once. Takes the words of each draw from its document, and collects the postings
 * of the words for which keep_postings was called. */
static void read_documents(struct choice *choice, const struct corpus *corpus)
{
	struct token_stream document;
	size_t next = 0;
	qsort(choice->draws, choice->n_draws, sizeof(*choice->draws), by_document);
	for (token_stream_open(corpus, &document); token_stream_next(&document);) {
		collect_postings(choice, &document);
		for (; next < choice->n_draws && choice->draws[next].document == document.document;
		     next++) {
			struct draw *draw = &choice->draws[next];
			if (draw->is_phrase)
				take_phrase(choice, draw, &document);
			else
				take_words(choice, draw, &document);
		}
	}
	token_stream_close(&document);
	qsort(choice->draws, choice->n_draws, sizeof(*choice->draws), by_order);
}

/* Marks the pairs of draw_pairs that no document has, for write_draws. Writes the other "absent"
 * queries: those with a nonexistent word. */
static void write_absent(struct choice *choice)
{
	unsigned n = 0;
	for (size_t i = 0; i < choice->n_draws; i++) {
		struct draw *draw = &choice->draws[i];
		if (!draw->is_bigram || draw->words[0] == draw->words[1])
			continue;
		draw->is_found = are_apart(&choice->lists[choice->list_of[draw->words[0]] - 1],
		                           &choice->lists[choice->list_of[draw->words[1]] - 1]);
	}
	for (; n < choice->n_per_class / 2 && choice->n_of_level[LEVEL_COMMON]; n++)
		fprintf(choice->file, "absent\tand\tzqx%uqzx\t%s\n", n,
		        choice->terms.terms[word_of(choice, LEVEL_COMMON)].text);
}

static void write_draws(struct choice *choice)
{
	for (size_t i = 0, n = 0; i < choice->n_draws; i++) {
		const struct draw *draw = &choice->draws[i];
		bool is_other = i == 0 || strcmp(draw->class_name, draw[-1].class_name) != 0;
		n = is_other ? 0 : n;
		if (!draw->is_found ||
		    n == (draw->is_bigram ? choice->n_per_class / 2 : choice->n_per_class))
			continue;
		write_query(choice, draw->class_name,
		            draw->is_phrase ? "phrase"
		            : draw->is_any  ? "or"
		                            : "and",
		            draw->words, draw->n_words);
		n++;
	}
}

static void free_choice(struct choice *choice)
{
	bs_tokenizer_free(choice->analyzer);
	terms_free(&choice->terms);
	for (int level = 0; level < LEVELS; level++)
		free(choice->of_level[level]);
	for (uint32_t i = 0; i < choice->n_lists; i++)
		free(choice->lists[i].documents);
	free(choice->lists);
	free(choice->list_of);
	free(choice->levels);
	free(choice->draws);
}

static void choose_all(struct choice *choice, const struct corpus *corpus)
{
	static const enum level rare = LEVEL_RARE, low = LEVEL_LOW, mid = LEVEL_MID,
				common = LEVEL_COMMON;
	write_mixed(choice, "rare", "and", 1, &rare);
	write_mixed(choice, "low", "and", 1, &low);
	write_mixed(choice, "mid", "and", 1, &mid);
	write_mixed(choice, "common", "and", 1, &common);
	write_mixed(choice, "rare+common", "and", 2,
	            (const enum level[]){LEVEL_RARE, LEVEL_COMMON});
	write_mixed(choice, "low+common", "and", 2, (const enum level[]){LEVEL_LOW, LEVEL_COMMON});
	write_mixed(choice, "mid+mid", "and", 2, (const enum level[]){LEVEL_MID, LEVEL_MID});
	write_mixed(choice, "mid+mid+common", "and", 3,
	            (const enum level[]){LEVEL_MID, LEVEL_MID, LEVEL_COMMON});
	write_mixed(choice, "common+common", "and", 2,
	            (const enum level[]){LEVEL_COMMON, LEVEL_COMMON});
	write_mixed(choice, "common+common+common", "and", 3,
	            (const enum level[]){LEVEL_COMMON, LEVEL_COMMON, LEVEL_COMMON});
	draw_documents(choice, "and2", 2, "and");
	draw_documents(choice, "and3", 3, "and");
	draw_documents(choice, "and4", 4, "and");
	draw_documents(choice, "phrase2", 2, "phrase");
	draw_documents(choice, "phrase3", 3, "phrase");
	draw_pairs(choice);
	draw_documents(choice, "or2", 2, "or");
	draw_documents(choice, "or3", 3, "or");
	draw_documents(choice, "or4", 4, "or");
	draw_documents(choice, "or5", 5, "or");
	read_documents(choice, corpus);
	write_absent(choice);
	write_draws(choice);
	write_mixed(choice, "mid-common", "not", 2, (const enum level[]){LEVEL_MID, LEVEL_COMMON});
	write_mixed(choice, "common-common", "not", 2,
	            (const enum level[]){LEVEL_COMMON, LEVEL_COMMON});
}

void queries_choose(const struct corpus *corpus, unsigned n_per_class, uint64_t seed,
                    const char *path)
{
	struct choice choice = {
		.n_docs = corpus->n_docs, .random = seed, .n_per_class = n_per_class};
	struct bs_error err;
	char *unfinished = text_of("%s.new", path);
	terms_read(corpus, &choice.terms);
	if (bs_tokenizer_new(NULL, &choice.analyzer, &err))
		die("%s", err.text);
	choice.list_of = grown(NULL, choice.terms.n_terms * sizeof(uint32_t));
	memset(choice.list_of, 0, choice.terms.n_terms * sizeof(uint32_t));
	choice.file = open_file(unfinished, "w");
	sort_by_level(&choice);
	choose_all(&choice, corpus);
	close_file(choice.file, unfinished);
	if (rename(unfinished, path))
		die("%s: cannot be written", path);
	free(unfinished);
	free_choice(&choice);
}
