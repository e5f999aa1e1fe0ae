/*
 * test_shard_build.c: shards of random documents. Numbers of columns that are chosen from a sample
 * of the blocks are within a few percent of those from all blocks; in small shards they are equal.
 * Every document has the columns of its terms and of its tf levels.
 */
#include <math.h>

#include "core/base/hash.h"
#include "core/bitsift/search.h"
#include "indexer/segment/shard_build.h"
#include "tests/rigs/core_rig.h"

#define N_DOCS   20000u
#define N_BLOCKS 40u
#define N_WORDS  6000u

static struct bs_indexing_buffer indexing_buffer;
static uint32_t rows[N_DOCS];
static uint32_t *ordinals;
static struct bs_size_class_doc *docs;

/* Draws a word from a skewed distribution: low numbers are frequent. */
static uint32_t draw_word(uint64_t *random)
{
	uint64_t n = 1 + random_below(random, N_WORDS);
	return (uint32_t)random_below(random, 1 + random_below(random, n));
}

static void add_document(struct bs_term_batch *term_batch, uint64_t *random)
{
	char text[2048];
	size_t text_bytes = 0;
	uint32_t n_tokens = 5 + (uint32_t)random_below(random, 60);
	for (uint32_t i = 0; i < n_tokens; i++)
		text_bytes += (size_t)snprintf(text + text_bytes, 16, "w%u ", draw_word(random));
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

/* Adds the documents to the indexing buffer, again for each shard, because building a shard changes
 * the buffer. */
static void accumulate_documents(void)
{
	AUTO(bs_term_batch_deinit) struct bs_term_batch term_batch = {.keep_raws = false};
	uint64_t random = 11;
	ok(bs_tokenizer_new(NULL, &term_batch.tokenizer, ERR));
	for (uint32_t i = 0; i < N_DOCS; i++)
		add_document(&term_batch, &random);
	ok(bs_indexing_buffer_start(&indexing_buffer, &term_batch, ERR));
	for (uint32_t i = 0; i < N_DOCS; i++) {
		struct bs_doc_record record = {.name = (const uint8_t *)"d", .name_bytes = 1};
		ok(bs_indexing_buffer_add(&indexing_buffer, &term_batch, i, &record, ERR));
		rows[i] = i;
	}
	bs_indexing_buffer_finish(&indexing_buffer);
	ordinals = must_malloc(indexing_buffer.terms.n_terms * sizeof(*ordinals));
	docs = must_malloc(N_DOCS * sizeof(*docs));
	for (uint32_t i = 0; i < indexing_buffer.terms.n_terms; i++)
		ordinals[i] = i;
	bs_tokenizer_free(term_batch.tokenizer);
}

static void forget_documents(void)
{
	bs_indexing_buffer_deinit(&indexing_buffer);
	indexing_buffer = (struct bs_indexing_buffer){.n_postings = 0};
	free(ordinals);
	free(docs);
}

struct made {
	struct bs_term_treatment_table treatments;
	struct bs_tf_levels tf_levels;
	struct bs_shard_plan plan;
	struct bs_shard_product product;
};

static void make(struct made *made, uint32_t n_rows, uint32_t measured_blocks)
{
	struct bs_term_treatment_policy policy = bs_term_treatment_policy_default();
	AUTO(bs_shard_builder_deinit) struct bs_shard_builder builder;
	accumulate_documents();
	bs_term_treatment_policy_price(&policy, (double)indexing_buffer.n_postings / N_DOCS);
	bs_term_treatment_table_make(&policy, N_DOCS, &made->treatments);
	made->tf_levels = bs_tf_levels_make(N_DOCS, BS_DEFAULT_DENSITY, true);
	made->plan = (struct bs_shard_plan){.indexing_buffer = &indexing_buffer,
	                                    .treatments = &made->treatments,
	                                    .tf_levels = &made->tf_levels,
	                                    .density = policy.density,
	                                    .exact_share =
	                                            bs_term_treatment_exact_share(&policy, N_DOCS),
	                                    .measured_blocks = measured_blocks};
	ok(bs_kernel_choose(NULL, &made->plan.kernel, ERR));
	ok(bs_shard_plan_make(&made->plan, &indexing_buffer, ordinals, 2, docs, ERR));
	ok(bs_shard_builder_init(&builder, &made->plan, ERR));
	ok(bs_shard_count(&builder, rows, n_rows, ERR));
	made->product = (struct bs_shard_product){0}; /* no columns of a previous shard */
	ok(bs_shard_build(&builder, 0, &made->product, ERR));
}

static void made_deinit(struct made *made)
{
	bs_shard_product_deinit(&made->product);
	bs_shard_plan_deinit(&made->plan);
	forget_documents();
}

/* If 6 of 40 blocks are measured, the numbers of columns are about those from all blocks. */
static void test_measured_blocks(void **state)
{
	struct made all, some;
	make(&all, N_DOCS, 0);
	forget_documents();
	make(&some, N_DOCS, 6);
	for (uint32_t level = 0; level < BS_MAX_LEVELS; level++) {
		double wanted = all.product.image.shape.n_columns[level];
		assert_true(fabs(some.product.image.shape.n_columns[level] - wanted) <=
		            0.03 * wanted + 1);
	}
	assert_int_equal(some.product.image.shape.n_exact, all.product.image.shape.n_exact);
	bs_shard_product_deinit(&all.product);
	bs_shard_plan_deinit(&all.plan);
	made_deinit(&some);
}

/* A shard that has no more blocks than are measured is the same as if all were measured. */
static void test_small_shard(void **state)
{
	struct made all, some;
	make(&all, 6 * BS_LINE_BITS - 5, 0);
	forget_documents();
	make(&some, 6 * BS_LINE_BITS - 5, 6);
	assert_memory_equal(&some.product.image.shape, &all.product.image.shape,
	                    sizeof(all.product.image.shape));
	assert_int_equal(some.product.image.n_lines, all.product.image.n_lines);
	assert_memory_equal(some.product.columns, all.product.columns,
	                    all.product.image.n_lines * BS_LINE_BYTES);
	bs_shard_product_deinit(&all.product);
	bs_shard_plan_deinit(&all.plan);
	made_deinit(&some);
}

static bool has_bit(const struct made *made, uint32_t column, uint32_t row)
{
	uint32_t n_blocks = (made->product.image.shape.n_docs + BS_LINE_BITS - 1) / BS_LINE_BITS;
	const uint64_t *lines = made->product.columns + (size_t)column * n_blocks * BS_LINE_WORDS;
	return lines[row / 64] >> (row % 64) & 1;
}

static void expect_columns(const struct made *made, uint64_t hash, uint32_t n_columns, uint32_t row)
{
	struct bs_probe probe = bs_hash_probe(hash, BS_LEVEL_DOCUMENT);
	for (uint32_t i = 0; i < n_columns; i++)
		assert_true(has_bit(
			made, bs_hash_position(probe, i, made->product.image.shape.n_columns[0]),
			row));
}

/* Expects that the row has the term's hashed columns. Here a term's ordinal is its number. */
static void expect_term(const struct made *made, const struct bs_term_entry *entry,
                        const struct bs_row_tfs *tfs, uint32_t row)
{
	const struct bs_term_treatment *treatment =
		bs_term_treatment_find(&made->treatments, entry->df);
	uint64_t hash =
		bs_hash_term(indexing_buffer.terms.bytes.data + entry->offset, entry->n_bytes);
	uint32_t n_levels = entry->df < made->tf_levels.min_df
	                            ? 0
	                            : bs_tf_levels_of(&made->tf_levels,
	                                              bs_tf_decode(tfs->bits, tfs->n_bytes, hash));
	for (uint32_t l = 0; l < n_levels; l++)
		expect_columns(made, bs_tf_level_hash(hash, l), made->tf_levels.n_columns, row);
	/* All documents are in this shard, so df is also the df of the shard. A term has an exact
	 * column if its share exceeds exact_share. */
	if (entry->df < made->plan.exact_share * N_BLOCKS * BS_LINE_BITS)
		expect_columns(made, hash,
		               bs_shard_hashes(treatment, made->product.image.shape.n_columns, 0),
		               row);
}

/* Checks the document columns, which come first, document by document. */
static void test_document_columns(void **state)
{
	AUTO(made_deinit) struct made made;
	make(&made, N_DOCS, 6);
	for (uint32_t row = 0; row < N_DOCS; row++) {
		struct bs_row_tfs tfs = bs_shard_plan_tfs(&made.plan, row);
		struct bs_term_reader reader = bs_indexing_buffer_read(&indexing_buffer, row);
		uint32_t places[BS_TERM_CHUNK];
		for (uint32_t n; (n = bs_indexing_buffer_next(&reader, places)) > 0;)
			for (uint32_t i = 0; i < n; i++)
				expect_term(&made,
				            &indexing_buffer.terms
				                     .entries[made.plan.ordinals[places[i]]],
				            &tfs, row);
	}
}

RUN_TESTS(test_measured_blocks, test_small_shard, test_document_columns)
