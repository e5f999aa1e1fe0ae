/* stop.c: see stop.h. */
#include "query/language/stop.h"

#include <string.h>

#include "core/base/hash.h"

/* Lucene's English list (EnglishAnalyzer.ENGLISH_STOP_WORDS_SET). */
static const char english[] = "a an and are as at be but by for if in into is it no not of on or "
			      "such that the their then "
			      "there these they this to was will with\n";

void bs_stop_deinit(struct bs_stop *stop)
{
	bs_term_table_deinit(&stop->words);
	bs_term_table_deinit(&stop->stems);
	bs_buffer_deinit(&stop->text);
}

/* bs_token_fn: adds words to a table. */
static enum bs_status take_words(void *context, const struct bs_token *tokens, size_t n_tokens,
                                 struct bs_error *err)
{
	enum bs_status status = BS_OK;
	uint32_t number;
	for (size_t i = 0; i < n_tokens && !status; i++)
		if (!tokens[i].is_bigram)
			status = bs_term_table_intern(
				context, tokens[i].term, tokens[i].term_bytes,
				bs_hash_slot(tokens[i].term, tokens[i].term_bytes), &number, NULL,
				err);
	return status;
}

/* The length of a line without its comment. A comment begins with | as in Snowball's lists, or with
 * # at the start of a line. */
static size_t line_words(const uint8_t *line, size_t line_bytes)
{
	const uint8_t *bar = line_bytes ? memchr(line, '|', line_bytes) : NULL;
	if (line_bytes > 0 && line[0] == '#')
		return 0;
	return bar ? (size_t)(bar - line) : line_bytes;
}

static enum bs_status read_list(struct bs_stop *stop, struct bs_tokenizer *tokenizer,
                                struct bs_tokenizer *unstemmed, struct bs_error *err)
{
	const uint8_t *text = stop->text.data;
	enum bs_status status = BS_OK;
	for (size_t at = 0, end; at < stop->text.used_bytes && !status; at = end + 1) {
		const uint8_t *feed = memchr(text + at, '\n', stop->text.used_bytes - at);
		end = feed ? (size_t)(feed - text) : stop->text.used_bytes;
		size_t n_bytes = line_words(text + at, end - at);
		status = bs_tokenizer_analyze(stop->unstemmed, text + at, n_bytes, 0, take_words,
		                              &stop->words, NULL, err);
		if (!status && unstemmed)
			status = bs_tokenizer_analyze(tokenizer, text + at, n_bytes, 0, take_words,
			                              &stop->stems, NULL, err);
	}
	return status;
}

enum bs_status bs_stop_begin(struct bs_stop *stop, const struct bs_stop_choice *choice,
                             struct bs_tokenizer *tokenizer, struct bs_tokenizer *unstemmed,
                             struct bs_error *err)
{
	const char *own = choice->words ? choice->words : "", *language = choice->language;
	const char *list = language ? english : "";
	size_t list_bytes = strlen(list), own_bytes = choice->words ? choice->words_bytes : 0;
	if (language && strcmp(language, "english") != 0)
		return bs_fail(
			err, BS_INVALID,
			"no stop words are known for %s, only for english: give a file of them",
			language);
	size_t n_bytes = list_bytes + own_bytes;
	if (stop->text.used_bytes == n_bytes &&
	    (n_bytes == 0 || (memcmp(stop->text.data, list, list_bytes) == 0 &&
	                      memcmp(stop->text.data + list_bytes, own, own_bytes) == 0)))
		return BS_OK;
	stop->unstemmed = unstemmed ? unstemmed : tokenizer;
	bs_term_table_clear(&stop->words);
	bs_term_table_clear(&stop->stems);
	bs_buffer_clear(&stop->text);
	enum bs_status status = bs_buffer_append(&stop->text, list, list_bytes, err);
	if (!status)
		status = bs_buffer_append(&stop->text, own, own_bytes, err);
	if (!status)
		status = read_list(stop, tokenizer, unstemmed, err);
	if (status) {
		bs_term_table_clear(&stop->words);
		bs_term_table_clear(&stop->stems);
		bs_buffer_clear(&stop->text);
	}
	return status;
}

static bool has(const struct bs_term_table *table, const uint8_t *bytes, size_t n_bytes)
{
	uint32_t number;
	return table->n_terms > 0 && bs_term_table_find(table, bytes, (uint32_t)n_bytes,
	                                                bs_hash_slot(bytes, n_bytes), &number);
}

struct marking {
	const struct bs_stop *stop;
	struct bs_buffer *marks;
};

/* bs_token_fn: appends a mark for each word. */
static enum bs_status mark_words(void *context, const struct bs_token *tokens, size_t n_tokens,
                                 struct bs_error *err)
{
	struct marking *marking = context;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n_tokens && !status; i++) {
		uint8_t mark = has(&marking->stop->words, tokens[i].term, tokens[i].term_bytes);
		if (!tokens[i].is_bigram)
			status = bs_buffer_append(marking->marks, &mark, 1, err);
	}
	return status;
}

enum bs_status bs_stop_mark(const struct bs_stop *stop, const uint8_t *text, size_t text_bytes,
                            struct bs_buffer *marks, struct bs_error *err)
{
	struct marking marking = {stop, marks};
	return bs_tokenizer_analyze(stop->unstemmed, text, text_bytes, 0, mark_words, &marking,
	                            NULL, err);
}

bool bs_stop_has_term(const struct bs_stop *stop, const uint8_t *term, size_t term_bytes)
{
	return has(stop->stems.n_terms > 0 ? &stop->stems : &stop->words, term, term_bytes);
}
