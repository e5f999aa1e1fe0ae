/* test_exact.c: a segment knows exactly which documents have a term. In every shard, the rows left
 * by the AND of the columns, minus false positives or filtered by rare-term lists, must be the
 * documents with the term. Random indexes and options are compared with sets computed from the
 * documents' words. */
#include "core/bitsift/index.h"
#include "core/matrix/shard_and.h"
#include "core/store/snapshot.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/index_rig.h"

#define MAX_DOCS  4000u
#define MAX_WORDS 900u

/* ---- documents: id "7" is document 7; its words are w0, w1, ... ---- */

struct corpus {
	uint32_t n_docs;
	uint32_t n_words;
	uint8_t *has; /* has[doc * n_words + word] */
};

/* Draws rare and frequent words, and writes the documents to c.jsonl. Some words occur only in
 * adjacent documents, so that whole shards lack them. */
static void draw_corpus(struct corpus *corpus, uint64_t *random)
{
	static const uint32_t sizes[] = {1, 40, 512, 700, 1500, MAX_DOCS};
	*corpus = (struct corpus){.n_docs = sizes[random_below(random, COUNT(sizes))],
	                          .n_words = 20 + (uint32_t)random_below(random, MAX_WORDS - 20)};
	corpus->has = must_calloc((size_t)corpus->n_docs * corpus->n_words, 1);
	FILE *file = must_fopen("c.jsonl", "w");
	for (uint32_t doc = 0; doc < corpus->n_docs; doc++) {
		uint8_t *has = corpus->has + (size_t)doc * corpus->n_words;
		uint64_t n = random_below(random, random_below(random, 30) ? 15 : 300);
		uint32_t home = doc / 100 * 7 % corpus->n_words;
		fprintf(file, "{\"id\":\"%u\",\"text\":\"", doc);
		for (; n > 0; n--) {
			uint64_t word = random_below(random, 3)
			                        ? random_below(random, corpus->n_words) *
			                                  random_below(random, 100) / 100
			                        : home + random_below(random, 5);
			word %= corpus->n_words;
			has[word] = 1;
			fprintf(file, "w%u ", (unsigned)word);
		}
		fprintf(file, "\"}\n");
	}
	assert_int_equal(fclose(file), 0);
}

static void make_index(uint64_t *random, bool is_new)
{
	struct bs_term_treatment_policy policy = bs_term_treatment_policy_default();
	policy.is_forced = random_below(random, 4) > 0;
	policy.force[0] = (uint8_t)(1 + random_below(random, 3));
	policy.force[1] = (uint8_t)random_below(random, 3);
	policy.force[2] = (uint8_t)random_below(random, 3);
	policy.density = 0.1 + (double)random_below(random, 5) / 10;
	policy.use_false_positives = random_below(random, 3) > 0;
	policy.exact_share = random_below(random, 2) ? 2 : (double)random_below(random, 20) / 100;
	struct bs_build_tuning tuning = {.policy = &policy,
	                                 .max_shard_blocks = (uint32_t)random_below(random, 4),
	                                 .max_shard_bytes = random_below(random, 3) ? 0 : 64 << 10,
	                                 .max_segment_docs = random_below(random, 3) ? 0 : 600,
	                                 .forward_mode = random_below(random, 3) ? BS_FORWARD_NEVER
	                                                                         : BS_FORWARD_AUTO};
	struct bs_build_request request = {.dir = "index",
	                                   .index.words = true,
	                                   .rebuild = !is_new,
	                                   .write.n_threads = 1,
	                                   .tuning = &tuning};
	index_sources(&request, (const char *const[]){"c.jsonl", NULL}, NULL);
}

/* ---- one term in one shard ---- */

struct multiset {
	uint64_t n_checked; /* pairs of a term and a shard */
	uint64_t n_false_positives;
	/* n_rare: pairs of a term and a shard that are decided by rare-term lists. n_taken_out:
	 * rows that these lists removed. */
	uint64_t n_rare;
	uint64_t n_taken_out;
	/* pairs of a term and a shard without a document that has the term, but with false
	 * positives */
	uint64_t n_seem;
};

struct asked {
	const struct corpus *corpus;
	const struct bs_segment *segment;
	uint32_t word;
	struct bs_and_term term;
	struct bs_term_false_positives false_positives;
	struct bs_u32s excepted; /* the term's whole false-positive list */
	size_t n_taken;          /* entries of excepted that belong to shards already checked */
	struct bs_and_scratch scratch;
	struct bs_and_frame frame;
	struct multiset multiset;
};

/* Whether the document of a row has the word, according to the corpus. */
static bool row_has(const struct asked *asked, const struct bs_shard *shard, uint32_t row)
{
	struct bs_doc_record record;
	char id[16];
	uint32_t document;
	ok(bs_packed_get_u32(&shard->rows, row, &document, ERR));
	ok(bs_doc_table_get(&asked->segment->docs, document, &record, ERR));
	snprintf(id, sizeof(id), "%.*s", (int)record.name_bytes, (const char *)record.name);
	return asked->corpus->has[strtoul(id, NULL, 10) * asked->corpus->n_words + asked->word];
}

/* Every listed false positive must be a row that passes the columns. bs_false_positives_clear must
 * remove exactly the listed rows. */
static void clear_false_positives(struct asked *asked, const struct bs_shard *shard,
                                  const struct bs_live *live)
{
	static uint64_t before[BS_SHARD_MAX_BLOCKS * BS_LINE_WORDS];
	memcpy(before, asked->frame.lines, (size_t)shard->n_blocks * BS_LINE_BYTES);
	for (; asked->n_taken < bs_vector_n(&asked->excepted) &&
	       asked->excepted.items[asked->n_taken] < shard->first_row + shard->n_docs;
	     asked->n_taken++) {
		uint32_t row = (uint32_t)(asked->excepted.items[asked->n_taken] - shard->first_row);
		uint64_t bit = UINT64_C(1) << (row % 64);
		assert_true(asked->excepted.items[asked->n_taken] >= shard->first_row);
		assert_true(live->words[row / 512 / 64] >> (row / 512 % 64) & 1);
		assert_true(before[row / 64] & bit);
		before[row / 64] &= ~bit;
		asked->multiset.n_false_positives++;
	}
	ok(bs_false_positives_clear(&asked->false_positives, shard->first_row, live,
	                            asked->frame.lines, ERR));
	for (uint32_t word = 0; word < shard->n_blocks * BS_LINE_WORDS; word++)
		if (live->words[word / BS_LINE_WORDS / 64] >> (word / BS_LINE_WORDS % 64) & 1)
			assert_int_equal(asked->frame.lines[word], before[word]);
}

static bool is_listed(const struct asked *asked, const struct bs_shard *shard, uint32_t row)
{
	uint32_t document;
	bool has;
	ok(bs_packed_get_u32(&shard->rows, row, &document, ERR));
	ok(bs_rare_term_lists_find(&asked->segment->terms.rare_term_lists, document,
	                           (uint32_t)asked->term.ordinal, &has, ERR));
	return has;
}

/* Keeps only those passing rows that the rare-term lists contain. The lists must not contain other
 * rows. */
static void keep_listed(struct asked *asked, const struct bs_shard *shard,
                        const struct bs_live *live)
{
	asked->multiset.n_rare++;
	for (uint32_t row = 0; row < shard->n_docs; row++) {
		uint64_t bit = UINT64_C(1) << (row % 64);
		bool passes = live->words[row / 512 / 64] >> (row / 512 % 64) & 1 &&
		              asked->frame.lines[row / 64] & bit;
		bool has = is_listed(asked, shard, row);
		assert_true(passes || !has);
		if (!passes || has)
			continue;
		asked->frame.lines[row / 64] &= ~bit;
		asked->multiset.n_taken_out++;
	}
}

/* Checks which rows of a shard have the word, and returns their number. */
static uint64_t check_matrix(struct asked *asked, const struct bs_shard *shard,
                             const struct bs_kernel *kernel)
{
	struct bs_shard_term here;
	const struct bs_shard_term *only = &here;
	struct bs_and_cost cost = {0, 0};
	struct bs_live live;
	uint64_t n_had = 0;
	uint64_t n_before = asked->multiset.n_false_positives;
	bs_live_all(&live, shard->n_blocks);
	ok(bs_shard_term_init(&here, shard, &asked->term, ERR));
	ok(bs_shard_and(shard, kernel, &only, 1, &asked->scratch, &asked->frame, &live, &cost,
	                ERR));
	if (here.exact_column == BS_NO_COLUMN && asked->term.treatment->has_false_positives)
		clear_false_positives(asked, shard, &live);
	else if (here.exact_column == BS_NO_COLUMN)
		keep_listed(asked, shard, &live);
	for (uint32_t row = 0; row < shard->n_docs; row++) {
		bool found = live.words[row / 512 / 64] >> (row / 512 % 64) & 1 &&
		             asked->frame.lines[row / 64] >> (row % 64) & 1;
		bool has = row_has(asked, shard, row);
		if (found != has)
			fail_msg("w%u, row %u of a shard of %u: %s", asked->word, row,
			         shard->n_docs, has ? "lost" : "not an exception");
		n_had += has;
	}
	asked->multiset.n_checked++;
	asked->multiset.n_seem += n_had == 0 && asked->multiset.n_false_positives > n_before;
	return n_had;
}

static uint64_t check_lists(const struct asked *asked, const struct bs_shard *shard)
{
	uint64_t n_had = 0;
	assert_true(asked->n_taken == bs_vector_n(&asked->excepted) ||
	            asked->excepted.items[asked->n_taken] >= shard->first_row + shard->n_docs);
	for (uint32_t row = 0; row < shard->n_docs; row++) {
		bool found;
		ok(bs_shard_forward_has(shard, row, asked->term.ordinal, &found, ERR));
		assert_int_equal(found, row_has(asked, shard, row));
		assert_false(is_listed(asked, shard, row));
		n_had += found;
	}
	return n_had;
}

/* ---- a segment ---- */

static void check_word(struct asked *asked)
{
	const struct bs_kernel *kernels[8];
	size_t n_kernels = bs_kernel_list(kernels, 8);
	uint8_t key[16];
	int n_bytes = snprintf((char *)key, sizeof(key), "w%u", asked->word);
	bool found;
	uint64_t ordinal, df, n_had = 0;
	ok(bs_lexicon_find(&asked->segment->terms.lexicon, key, (uint32_t)n_bytes, &found, &ordinal,
	                   &df, ERR));
	if (!found)
		return;
	bs_and_term_init(&asked->term, bs_hash_term(key, (size_t)n_bytes), ordinal, df,
	                 &asked->segment->terms.treatments);
	bs_vector_clear(&asked->excepted);
	asked->n_taken = 0;
	if (asked->term.treatment->has_false_positives) {
		ok(bs_false_positives_find(&asked->segment->terms.false_positives, ordinal,
		                           &asked->false_positives, ERR));
		ok(bs_false_positives_read(&asked->false_positives, &asked->excepted, ERR));
	}
	for (uint32_t s = 0; s < asked->segment->meta.n_shards; s++) {
		const struct bs_shard *shard = &asked->segment->shards[s];
		n_had += shard->hashed.n_levels == 0
		                 ? check_lists(asked, shard)
		                 : check_matrix(asked, shard,
		                                kernels[(asked->word + s) % n_kernels]);
	}
	assert_int_equal(asked->n_taken, bs_vector_n(&asked->excepted));
	assert_int_equal(n_had, df);
}

static void check_index(const struct corpus *corpus, struct asked *asked, uint64_t *random)
{
	AUTO(bs_snapshot_deinit) struct bs_snapshot snapshot;
	ok(bs_snapshot_open(dir_at("index"), &snapshot, ERR));
	for (uint32_t s = 0; s < snapshot.manifest.n_segments; s++) {
		asked->corpus = corpus;
		asked->segment = &snapshot.segments[s];
		for (asked->word = 0; asked->word < corpus->n_words;
		     asked->word += 1 + (uint32_t)random_below(random, 12))
			check_word(asked);
	}
}

static void test_random_indexes(void **state)
{
	uint64_t random = rounds.seed;
	struct asked asked = {
		.frame = {.lines =
	                          aligned_alloc(BS_LINE_BYTES, BS_SHARD_MAX_BLOCKS * BS_LINE_BYTES),
	                  .groups = aligned_alloc(BS_LINE_BYTES,
	                                          BS_SHARD_MAX_BLOCKS * BS_LINE_BYTES / 8)},
	};
	assert_true(asked.frame.lines && asked.frame.groups);
	for (unsigned long i = 0; i < rounds.n; i++) {
		struct corpus corpus;
		draw_corpus(&corpus, &random);
		make_index(&random, i == 0);
		check_index(&corpus, &asked, &random);
		free(corpus.has);
	}
	/* A term that is absent from a shard may have false positives there, too (n_seem), which
	 * an indexer can easily overlook. */
	assert_reached(asked.multiset.n_checked > 1000 && asked.multiset.n_false_positives > 1000 &&
	               asked.multiset.n_seem > 100);
	assert_reached(asked.multiset.n_rare > 1000 && asked.multiset.n_taken_out > 1000);
	free(asked.frame.lines);
	free(asked.frame.groups);
	bs_and_deinit(&asked.scratch);
	bs_vector_deinit(&asked.excepted);
}

RUN_RANDOM_TESTS_EACH_WITH(60, 41, enter_folder, leave_folder, test_random_indexes)
