/*
 * test_gather.c: documents of random words through a harvest and a gather, against the words themselves: every document
 * has its distinct words in order of first appearance, every word its df, whatever its length and however many there are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core_rig.h"
#include "indexer/gather.h"

#define N_WORDS  9000u /* more than the first table has room for */
#define WORD_MAX 48u

/* Word n: 1 to 40 letters and digits, which tell it from all others; many share their first 16 bytes. */
static size_t write_word(uint32_t n, char *text)
{
	static const size_t lengths[] = {0, 1, 7, 8, 9, 14, 15, 16, 17, 18, 24, 31, 32, 33, 40};
	size_t n_bytes = (size_t)snprintf(text, WORD_MAX, "%x", n);
	size_t wanted = lengths[n % COUNT(lengths)];
	if (n % 2 == 0) {
		for (; n_bytes < wanted; n_bytes++)
			text[n_bytes] = 'q';
	} else if (n_bytes < wanted) {
		memmove(text + wanted - n_bytes, text, n_bytes);
		memset(text, 'z', wanted - n_bytes);
		n_bytes = wanted;
	}
	return n_bytes;
}

struct wanted_doc {
	uint32_t words[600]; /* distinct, in order */
	uint32_t n_words;
};

/* One document: distinct words, with repeats between them in the text. */
static void add_document(struct bs_harvest *harvest, struct wanted_doc *wanted, uint64_t *random)
{
	static uint32_t last_doc_of[N_WORDS], this_doc;
	static char text[1 << 16];
	size_t text_bytes = 0;
	uint32_t n_tokens = (uint32_t)random_below(random, COUNT(wanted->words));
	uint32_t first = (uint32_t)random_below(random, N_WORDS);
	this_doc++;
	wanted->n_words = 0;
	for (uint32_t i = 0; i < n_tokens; i++) {
		uint32_t n = (first + (uint32_t)random_below(random, 1 + random_below(random, N_WORDS))) % N_WORDS;
		text_bytes += write_word(n, text + text_bytes);
		text[text_bytes++] = ' ';
		if (last_doc_of[n] != this_doc)
			wanted->words[wanted->n_words++] = n;
		last_doc_of[n] = this_doc;
	}
	struct bs_field field = {.name = "", .text = (const uint8_t *)text, .text_bytes = text_bytes};
	struct bs_document document = {
		.name = (const uint8_t *)"d", .name_bytes = 1, .fields = &field, .n_fields = 1, .text_bytes = text_bytes};
	struct bs_document_sink sink = bs_harvest_sink(harvest);
	struct bs_error err = {""};
	expect_ok(sink.document(sink.context, &document, &err), &err);
}

static void check_document(const struct bs_gather *gather, uint32_t document, const struct wanted_doc *wanted,
                           uint32_t *df)
{
	const struct bs_gathered_doc *doc = &bs_gather_docs(gather)[document];
	const uint8_t *codes = doc->codes;
	assert_int_equal(doc->n_terms, wanted->n_words);
	for (uint32_t i = 0; i < doc->n_terms; i++) {
		char word[WORD_MAX + 1];
		size_t n_bytes = write_word(wanted->words[i], word);
		uint32_t number = bs_gather_next(&codes);
		assert_true(number < gather->terms.n_terms);
		assert_int_equal(gather->terms.entries[number].n_bytes, n_bytes);
		assert_memory_equal(bs_term_table_key(&gather->terms, number), word, n_bytes);
		df[number]++;
	}
}

/* Batches of some documents, of which some are left out, as documents that a deletion keeps out are. */
static void test_terms_of_documents(void **state)
{
	(void)state;
	enum { N_BATCHES = 12, BATCH_DOCS = 40 };
	static struct wanted_doc wanted[BATCH_DOCS], added[N_BATCHES * BATCH_DOCS];
	struct bs_error err = {""};
	struct bs_harvest harvest = {.keep_raws = false};
	struct bs_gather gather = {.n_postings = 0};
	uint64_t random = 5, n_postings = 0;
	uint32_t n_added = 0;
	expect_ok(bs_words_new(NULL, &harvest.words, &err), &err);
	for (int batch = 0; batch < N_BATCHES; batch++) {
		bs_harvest_clear(&harvest);
		for (uint32_t i = 0; i < BATCH_DOCS; i++)
			add_document(&harvest, &wanted[i], &random);
		expect_ok(bs_gather_start(&gather, &harvest, &err), &err);
		for (uint32_t i = 0; i < BATCH_DOCS; i++) {
			struct bs_doc_record record = {.name = (const uint8_t *)"d", .name_bytes = 1};
			if (random_below(&random, 4) == 0)
				continue;
			expect_ok(bs_gather_add(&gather, &harvest, i, &record, &err), &err);
			n_postings += wanted[i].n_words;
			added[n_added++] = wanted[i];
		}
	}
	assert_int_equal(bs_gather_settle(&gather, NULL), BS_OK);
	assert_int_equal(bs_gather_n_docs(&gather), n_added);
	assert_int_equal(gather.n_postings, n_postings);
	uint32_t *df = calloc(gather.terms.n_terms, sizeof(*df));
	assert_non_null(df);
	for (uint32_t i = 0; i < n_added; i++)
		check_document(&gather, i, &added[i], df);
	for (uint32_t i = 0; i < gather.terms.n_terms; i++)
		assert_int_equal(gather.terms.entries[i].df, df[i]);
	free(df);
	bs_words_free(harvest.words);
	bs_harvest_deinit(&harvest);
	bs_gather_deinit(&gather);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terms_of_documents),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
