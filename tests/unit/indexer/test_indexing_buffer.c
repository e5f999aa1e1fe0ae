/*
 * test_indexing_buffer.c: puts documents of random words through an analysed batch and an indexing
 * buffer, and compares with the words. Every document must have its distinct words, repeated ones
 * first, and every word its df, for any length and number of documents. Also tests renumbering of
 * terms.
 */
#include <sys/resource.h>

#include "core/bitsift/search.h"
#include "indexer/batch/indexing_buffer.h"
#include "indexer/segment/shard_plan.h"
#include "tests/rigs/core_rig.h"

#define N_WORDS  9000u /* enough to make the table of terms grow */
#define WORD_MAX 48u

/* Writes word n, 1 to 40 letters and digits. Words are unique; many share their first 16 bytes. */
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

/* Returns the number of a word. The caller writes the word of this number again and compares it
 * with the key, so a wrong key is detected. */
static uint32_t read_word(const uint8_t *key, uint32_t n_bytes)
{
	char digits[WORD_MAX + 1] = {0};
	uint32_t start = 0, n = 0;
	while (start < n_bytes && key[start] == 'z')
		start++;
	for (uint32_t i = start; i < n_bytes && key[i] != 'q'; i++)
		digits[n++] = (char)key[i];
	n = (uint32_t)strtoul(digits, NULL, 16);
	assert_true(n < N_WORDS);
	return n;
}

struct wanted_doc {
	uint32_t words[600]; /* distinct, in order */
	uint32_t tfs[600], n_words;
};

/* Adds a document of random words, some repeated. wanted: its distinct words and their tfs. */
static void add_document(struct bs_term_batch *term_batch, struct wanted_doc *wanted,
                         uint64_t *random)
{
	static uint32_t last_doc_of[N_WORDS], place_of[N_WORDS], this_doc;
	static char text[1 << 16];
	size_t text_bytes = 0;
	uint32_t n_tokens = (uint32_t)random_below(random, COUNT(wanted->words));
	uint32_t first = (uint32_t)random_below(random, N_WORDS);
	this_doc++;
	wanted->n_words = 0;
	for (uint32_t i = 0; i < n_tokens; i++) {
		uint32_t n = (first +
		              (uint32_t)random_below(random, 1 + random_below(random, N_WORDS))) %
		             N_WORDS;
		text_bytes += write_word(n, text + text_bytes);
		text[text_bytes++] = ' ';
		if (last_doc_of[n] != this_doc) {
			place_of[n] = wanted->n_words;
			wanted->words[wanted->n_words] = n;
			wanted->tfs[wanted->n_words++] = 0;
		}
		wanted->tfs[place_of[n]]++;
		last_doc_of[n] = this_doc;
	}
	struct bs_field field = {
		.name = "", .text = (const uint8_t *)text, .text_bytes = text_bytes};
	struct bs_document document = {.name.bytes = (const uint8_t *)"d",
	                               .name.n_bytes = 1,
	                               .text.fields = &field,
	                               .text.n_fields = 1,
	                               .text.n_bytes = text_bytes};
	struct bs_document_sink sink = bs_term_batch_sink(term_batch);
	ok(sink.document(sink.context, &document, ERR));
}

static void check_document(const struct bs_indexing_buffer *indexing_buffer, uint32_t document,
                           const struct wanted_doc *wanted, uint32_t *df)
{
	const struct bs_buffered_doc *doc = &indexing_buffer->docs.items[document];
	struct bs_term_reader reader = bs_indexing_buffer_read(indexing_buffer, document);
	uint32_t numbers[BS_TERM_CHUNK];
	/* number_of[word]: its term number; at_of[word]: 1 + its index in doc, 0: none */
	static uint32_t number_of[N_WORDS], at_of[N_WORDS];
	uint32_t at = 0;
	memset(at_of, 0, sizeof(at_of));
	assert_int_equal(doc->n_terms, wanted->n_words);
	for (uint32_t n; (n = bs_indexing_buffer_next(&reader, numbers)) > 0;) {
		for (uint32_t i = 0; i < n; i++) {
			assert_true(numbers[i] < indexing_buffer->terms.n_terms);
			const struct bs_term_entry *entry =
				&indexing_buffer->terms.entries[numbers[i]];
			uint32_t word =
				read_word(bs_term_table_key(&indexing_buffer->terms, numbers[i]),
			                  entry->n_bytes);
			assert_int_equal(at_of[word], 0);
			number_of[word] = numbers[i];
			at_of[word] = ++at;
			df[numbers[i]]++;
		}
	}
	assert_int_equal(at, wanted->n_words);
	for (uint32_t i = 0; i < wanted->n_words; i++) {
		char word[WORD_MAX + 1];
		size_t n_bytes = write_word(wanted->words[i], word);
		uint32_t number = number_of[wanted->words[i]];
		assert_true(at_of[wanted->words[i]] > 0);
		assert_int_equal(at_of[wanted->words[i]] <= doc->n_repeated, wanted->tfs[i] > 1);
		assert_int_equal(indexing_buffer->terms.entries[number].n_bytes, n_bytes);
		assert_memory_equal(bs_term_table_key(&indexing_buffer->terms, number), word,
		                    n_bytes);
	}
}

/* Adds batches of documents to a buffer, except documents that are dropped like those that a
 * deletion excludes. dir: for temporary files, or NULL. */
static void check_terms_of_documents(const struct bs_dir *dir)
{
	enum {
		N_BATCHES = 12,
		BATCH_DOCS = 40
	};
	static struct wanted_doc wanted[BATCH_DOCS], added[N_BATCHES * BATCH_DOCS];
	AUTO(bs_term_batch_deinit) struct bs_term_batch term_batch = {.keep_raws = false};
	AUTO(bs_indexing_buffer_deinit)
	struct bs_indexing_buffer indexing_buffer = {.n_postings = 0};
	uint64_t random = 5, n_postings = 0;
	uint32_t n_added = 0;
	if (dir)
		ok(bs_indexing_buffer_use_files(&indexing_buffer, dir, ERR));
	ok(bs_tokenizer_new(NULL, &term_batch.tokenizer, ERR));
	for (int batch = 0; batch < N_BATCHES; batch++) {
		bs_term_batch_clear(&term_batch);
		for (uint32_t i = 0; i < BATCH_DOCS; i++)
			add_document(&term_batch, &wanted[i], &random);
		ok(bs_indexing_buffer_start(&indexing_buffer, &term_batch, ERR));
		for (uint32_t i = 0; i < BATCH_DOCS; i++) {
			struct bs_doc_record record = {.name = (const uint8_t *)"d",
			                               .name_bytes = 1};
			if (random_below(&random, 4) == 0)
				continue;
			ok(bs_indexing_buffer_add(&indexing_buffer, &term_batch, i, &record, ERR));
			n_postings += wanted[i].n_words;
			added[n_added++] = wanted[i];
		}
	}
	bs_indexing_buffer_finish(&indexing_buffer);
	assert_int_equal(bs_indexing_buffer_n_docs(&indexing_buffer), n_added);
	assert_int_equal(indexing_buffer.n_postings, n_postings);
	uint32_t *df = must_calloc(indexing_buffer.terms.n_terms, sizeof(*df));
	for (uint32_t i = 0; i < n_added; i++)
		check_document(&indexing_buffer, i, &added[i], df);
	for (uint32_t i = 0; i < indexing_buffer.terms.n_terms; i++)
		assert_int_equal(indexing_buffer.terms.entries[i].df, df[i]);
	free(df);
	bs_tokenizer_free(term_batch.tokenizer);
}

static void test_terms_of_documents(void **state)
{
	check_terms_of_documents(NULL);
	check_terms_of_documents(dir_at("."));
}

/* A full disk is reported; earlier memory remains valid and is used again after a clear. */
static void test_full_disk(void **state)
{
	AUTO(bs_indexing_buffer_deinit)
	struct bs_indexing_buffer indexing_buffer = {.n_postings = 0};
	ok(bs_indexing_buffer_use_files(&indexing_buffer, dir_at("."), ERR));
	uint8_t *first, *other;
	ok(bs_spool_reserve(&indexing_buffer.spool, 100, 0, &first, ERR));
	memset(first, 7, 100);
	indexing_buffer.spool.chunks->used_bytes = 100;
	append_bytes(&indexing_buffer.docs.bytes, "0123456789abcdef", 16);
	size_t room = indexing_buffer.docs.bytes.capacity_bytes;
	limit_file_bytes(room);
	expect_status(bs_buffer_reserve(&indexing_buffer.docs.bytes, room, ERR), BS_IO);
	assert_int_equal(indexing_buffer.docs.bytes.used_bytes, 16);
	assert_memory_equal(indexing_buffer.docs.bytes.data, "0123456789abcdef", 16);
	expect_error(bs_spool_reserve(&indexing_buffer.spool,
	                              indexing_buffer.spool.chunks->capacity_bytes, 0, &other, ERR),
	             BS_IO, "a temporary file: cannot take ");
	assert_int_equal(first[99], 7);
	limit_file_bytes(RLIM_INFINITY);
	bs_indexing_buffer_clear(&indexing_buffer);
	ok(bs_spool_reserve(&indexing_buffer.spool, 100, 0, &other, ERR));
	ok(bs_buffer_reserve(&indexing_buffer.docs.bytes, 2 * room, ERR));
	memset(indexing_buffer.docs.bytes.data, 1, 2 * room);
}

/* ---- renumbering ---- */

#define MANY_TERMS 3000000u
#define MANY_DOCS  400u
#define DOC_TERMS  1500u

/* Draws the number of a term; about half of the numbers have 3 bytes. */
static uint32_t draw_number(uint64_t *random)
{
	return (uint32_t)random_below(
		random, random_below(random, 2) ? MANY_TERMS : 1 + random_below(random, 20000));
}

/* The tf of a document's term i, for the terms that occur more than once. */
static uint32_t tf_of(uint32_t i)
{
	return 2 + i * i % 300;
}

/* Appends MANY_DOCS random documents to an empty indexing buffer, in chunks of a few. Writes their
 * term numbers to `numbers`, document after document. A document's length is its number of
 * terms. */
static void write_documents(struct bs_indexing_buffer *indexing_buffer, uint32_t *numbers,
                            uint64_t *random)
{
	for (uint32_t d = 0; d < MANY_DOCS; d++) {
		struct bs_buffered_doc doc = {
			.n_terms = (uint32_t)random_below(random, d % 50 ? 200 : DOC_TERMS)};
		doc.n_repeated = (uint32_t)random_below(random, doc.n_terms / 2 + 1);
		size_t most =
			BS_GROUP_MOST_BYTES(doc.n_terms) + BS_GROUP_MOST_BYTES(doc.n_repeated);
		uint32_t tfs[DOC_TERMS];
		uint8_t *to;
		ok(bs_spool_reserve(&indexing_buffer->spool, most, d, &to, ERR));
		if (indexing_buffer->spool.chunks->used_bytes == 0)
			indexing_buffer->spool.chunks->capacity_bytes = most < 5000 ? 5000 : most;
		doc.codes = to;
		for (uint32_t i = 0; i < doc.n_terms; i++)
			numbers[i] = draw_number(random);
		for (uint32_t i = 0; i < doc.n_repeated; i++)
			tfs[i] = tf_of(i);
		to = bs_group_put(to, numbers, doc.n_terms);
		to = bs_group_put(to, tfs, doc.n_repeated);
		numbers += doc.n_terms;
		indexing_buffer->spool.chunks->used_bytes =
			(size_t)(to - indexing_buffer->spool.chunks->bytes);
		ok(bs_vector_append(&indexing_buffer->docs, &doc, ERR));
		append_bytes(&indexing_buffer->doc_table.lengths, &doc.n_terms,
		             sizeof(doc.n_terms));
		indexing_buffer->doc_table.n_docs++;
	}
}

static bool is_once(const uint32_t *numbers, uint32_t n, uint32_t i)
{
	for (uint32_t other = 0; other < n; other++)
		if (other != i && numbers[other] == numbers[i])
			return false;
	return true;
}

/* Decodes the document's tf codes and compares them with the tfs of its terms, except terms that
 * have no code or occur twice in its list. numbers: the terms of the document before the
 * renumbering. */
static void check_tfs(const struct bs_indexing_buffer *indexing_buffer, uint32_t document,
                      const struct bs_shard_plan *by, const uint32_t *new_of, const uint8_t *notes,
                      const uint32_t *numbers, uint64_t *n_coded)
{
	const struct bs_buffered_doc *doc = &indexing_buffer->docs.items[document];
	size_t n_bytes;
	const uint8_t *bits = bs_tf_table_added(&indexing_buffer->tf_table, document, &n_bytes);
	for (uint32_t i = 0; i < doc->n_terms; i++) {
		uint32_t number = new_of[numbers[i]];
		bool is_coded =
			notes[number < by->n_repeated ? number : by->n_repeated] & BS_NOTE_IS_CODED;
		if (!is_coded || !is_once(numbers, doc->n_terms, i))
			continue;
		assert_int_equal(bs_tf_decode(bits, n_bytes, by->hashes[number]),
		                 i < doc->n_repeated ? tf_of(i) : 1);
		++*n_coded;
	}
}

static void check_renumbered(uint32_t n_threads, const struct bs_dir *dir)
{
	AUTO(bs_indexing_buffer_deinit)
	struct bs_indexing_buffer indexing_buffer = {.n_postings = 0};
	uint64_t random = 3 + n_threads;
	uint64_t n_coded = 0;
	enum {
		LAST = 1000
	};
	uint8_t notes[LAST + 1];
	FREED uint32_t *new_of = malloc(MANY_TERMS * sizeof(*new_of));
	FREED uint64_t *hashes = malloc(MANY_TERMS * sizeof(*hashes));
	struct bs_shard_plan by = {.hashes = hashes, .n_repeated = LAST};
	FREED uint32_t *numbers = malloc(((size_t)MANY_DOCS + 1) * DOC_TERMS * sizeof(*numbers));
	FREED struct bs_size_class_doc *docs = malloc(MANY_DOCS * sizeof(*docs));
	assert_true(new_of && hashes && numbers && docs);
	for (uint32_t i = 0; i < MANY_TERMS; i++) {
		new_of[i] = i < LAST ? LAST - 1 - i : MANY_TERMS - 1 - (i - LAST);
		hashes[i] = bs_hash_mix(i);
	}
	for (uint32_t i = 0; i <= LAST; i++)
		notes[i] = (uint8_t)(i % 27 |
		                     (i % 3 == 0 && (i < LAST || n_threads > 1) ? BS_NOTE_IS_CODED
		                                                                : 0));
	notes[LAST] |= n_threads > 1 ? BS_NOTE_IS_CODED : 0;
	/* The new number of term 5000 takes four bytes. It is beyond the end of `hashes`, but no
	 * hash is read for a term of a single document. */
	if (n_threads == 1)
		new_of[5000] = UINT32_MAX - 1;
	for (uint8_t i = 0; i < BS_NOTE_KINDS; i++)
		by.columns[i] = bs_count_pack(
			(const uint8_t[BS_MAX_LEVELS]){i / 4, i / 2 - i / 4, i - i / 2});
	ok(bs_kernel_choose(NULL, &by.kernel, ERR));
	if (dir)
		ok(bs_indexing_buffer_use_files(&indexing_buffer, dir, ERR));
	write_documents(&indexing_buffer, numbers, &random);
	ok(bs_renumber(&indexing_buffer, &by, new_of, notes, n_threads, docs, ERR));
	const uint32_t *number = numbers;
	for (uint32_t d = 0; d < MANY_DOCS; d++) {
		struct bs_term_reader reader = bs_indexing_buffer_read(&indexing_buffer, d);
		uint32_t found[BS_TERM_CHUNK];
		uint64_t weight = 0, weight_found = 0;
		uint32_t n_terms = 0;
		check_tfs(&indexing_buffer, d, &by, new_of, notes, number, &n_coded);
		for (uint32_t n; (n = bs_indexing_buffer_next(&reader, found)) > 0; n_terms += n) {
			for (uint32_t i = 0; i < n; i++) {
				assert_int_equal(found[i], new_of[*number]);
				weight += notes[new_of[*number] < LAST ? new_of[*number] : LAST] &
				          BS_NOTE_KIND;
				number++;
			}
		}
		for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
			weight_found += docs[d].n_columns[level];
		assert_int_equal(weight_found, weight);
		assert_int_equal(docs[d].n_terms, n_terms);
		assert_int_equal(indexing_buffer.docs.items[d].n_terms, n_terms);
	}
	assert_true(n_coded > 1000);
}

static void test_renumber(void **state)
{
	for (int in_files = 0; in_files < 2; in_files++) {
		check_renumbered(1, in_files ? dir_at(".") : NULL);
		check_renumbered(3, in_files ? dir_at(".") : NULL);
	}
}

RUN_FOLDER_TESTS(test_terms_of_documents, test_full_disk, test_renumber)
