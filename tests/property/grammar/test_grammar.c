/*
 * test_grammar.c: compares the library's search for random queries with a second parser of the
 * query language (grammar.h): the matching documents and their scores, or that the query is an
 * error. Each query is also printed in its normal form, which must have the same result and must be
 * its own normal form.
 *
 * Arguments: [ROUNDS [SEED]], where ROUNDS is the number of queries. A failure prints the query.
 */
#include <unistd.h>

#include "query/language/query_format.h"

#include "core/base/hash.h"
#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "query/language/parse.h"
#include "tests/property/grammar/grammar.h"
#include "tests/rigs/library_rig.h"

#define QUERIES_OF_CORPUS 1000u
#define DOES_NOT_MATCH    (-1.0)

/* The result of a search: a score for each matching document. */
struct answer {
	const struct oracle *oracle;
	enum bs_status status;
	double scores[GRAMMAR_N_DOCS];
	struct bs_error err;
};

struct bench {
	struct grammar grammar;
	char folder[FOLDER_BYTES];
	struct bs_index *index;
	struct bs_searcher *searcher;
	struct bs_term_table fields;
	struct bs_buffer query, normal, again;
	struct oracle_query tree;
	unsigned n_some;   /* queries that matched some documents but not all */
	unsigned n_errors; /* queries that are errors */
};

static int take_hit(void *context, const struct bs_hit *hit)
{
	struct answer *answer = context;
	size_t i = 0;
	while (i < GRAMMAR_N_DOCS && !oracle_has_id(answer->oracle, i, hit->id, hit->id_bytes))
		i++;
	assert_true(i < GRAMMAR_N_DOCS);
	assert_true(answer->scores[i] == DOES_NOT_MATCH);
	answer->scores[i] = hit->score;
	return 0;
}

static void clear(struct answer *answer, const struct oracle *oracle)
{
	*answer = (struct answer){.oracle = oracle};
	for (size_t i = 0; i < GRAMMAR_N_DOCS; i++)
		answer->scores[i] = DOES_NOT_MATCH;
}

static void search(struct bench *bench, const struct bs_buffer *text, bool any,
                   enum bs_search_mode mode, bool brute, struct answer *answer)
{
	struct bs_search_request request = {.query.text = (const char *)text->data,
	                                    .query.text_bytes = text->used_bytes,
	                                    .output.mode = mode,
	                                    .output.limit = GRAMMAR_N_DOCS,
	                                    .method.exhaustive = true,
	                                    .query.any = any,
	                                    .method.brute = brute,
	                                    .method.no_stat = true,
	                                    .method.n_threads = 1,
	                                    .callbacks.hit = take_hit,
	                                    .callbacks.context = answer};
	struct bs_search_result result;
	clear(answer, &bench->grammar.oracle);
	answer->status = bs_search(bench->searcher, &request, &result, &answer->err);
	assert_true(answer->status == BS_OK || answer->status == BS_INVALID);
}

static void expect(struct bench *bench, bool any, struct answer *answer)
{
	AUTO(vector_deinit) struct oracle_hits hits = {0};
	struct grammar *grammar = &bench->grammar;
	clear(answer, &grammar->oracle);
	answer->status = BS_INVALID;
	if (!grammar_read(grammar, bench->query.data, bench->query.used_bytes, any, &bench->tree))
		return;
	answer->status = BS_OK;
	oracle_search(&bench->tree, &grammar->oracle, &hits);
	for (size_t i = 0; i < bs_vector_n(&hits); i++)
		answer->scores[hits.items[i].doc] = hits.items[i].score;
}

static void fail_with(const struct bench *bench, bool any, const char *what, const char *document)
{
	fail_msg("%s: %.*s\nquery%s: %.*s\nnormal form: %.*s", what, 100, document,
	         any ? " (any)" : "", (int)bench->query.used_bytes, (const char *)bench->query.data,
	         (int)bench->normal.used_bytes, (const char *)bench->normal.data);
}

/* Compares two results. Scores are compared with a tolerance, because the order of addition
 * varies. */
static void compare(const struct bench *bench, bool any, const char *what,
                    const struct answer *expected, const struct answer *found, bool with_scores)
{
	if (expected->status != found->status)
		fail_with(bench, any, what, found->status ? found->err.text : "not an error");
	for (size_t i = 0; i < GRAMMAR_N_DOCS; i++) {
		double a = expected->scores[i], b = found->scores[i],
		       difference = a < b ? b - a : a - b;
		char message[200];
		bool is_match = a != DOES_NOT_MATCH;
		if (is_match == (b != DOES_NOT_MATCH) &&
		    (!with_scores || difference <= 1e-6 * (a > 1 ? a : 1)))
			continue;
		const struct oracle_doc *doc = &bench->grammar.oracle.docs.items[i];
		snprintf(message, sizeof(message), "%.*s: %g, expected %g", (int)doc->id_bytes,
		         (const char *)bench->grammar.oracle.bytes.data + doc->id_off, b, a);
		fail_with(bench, any, what, message);
	}
}

static bool has_values(void *context, uint32_t field)
{
	const struct bench *bench = context;
	bool has = false;
	for (int i = 0; i < GRAMMAR_N_NAMES; i++)
		has |= (field == BS_QUERY_ANY_FIELD || field == (uint32_t)i) &&
		       bench->grammar.oracle.has_values[i];
	return has;
}

/* Prints the normal form of a query to *normal. False: the text is not a valid query. */
static bool make_normal(struct bench *bench, const struct bs_buffer *text, bool any,
                        struct bs_buffer *normal)
{
	struct bs_query_options options = {.tokenizer = bench->grammar.tokenizer,
	                                   .fields = &bench->fields,
	                                   .longest_field_bytes = 5,
	                                   .has_file_names = true,
	                                   .has_values = has_values,
	                                   .context = bench,
	                                   .any = any};
	struct bs_query_tree *tree;
	if (bench->grammar.unstemmed != bench->grammar.tokenizer)
		options.words_unstemmed = bench->grammar.unstemmed;
	bs_buffer_clear(normal);
	if (bs_query_parse(text->data, text->used_bytes, &options, &tree, NULL, ERR))
		return false;
	ok(bs_query_format_normal(tree, text->data, normal, ERR));
	bs_query_tree_free(tree);
	return true;
}

static void check_normal(struct bench *bench, bool any, const struct answer *expected)
{
	struct answer found;
	/* All operators and brackets of a normal form are explicit, so --any changes nothing. */
	bool any_then = by_chance(50);
	search(bench, &bench->normal, any_then, BS_SEARCH_TOP, false, &found);
	compare(bench, any, "its normal form", expected, &found, true);
	if (!make_normal(bench, &bench->normal, any_then, &bench->again))
		fail_with(bench, any, "its normal form", "an error");
	if (!bs_buffer_equals(&bench->again, &bench->normal)) {
		append_bytes(&bench->again, "", 1);
		fail_with(bench, any, "the normal form of its normal form",
		          (const char *)bench->again.data);
	}
}

static void check_query(struct bench *bench)
{
	struct answer expected, found;
	size_t n_matches = 0;
	bool any = by_chance(25);
	grammar_draw(&bench->grammar, &bench->query);
	expect(bench, any, &expected);
	bool is_query = make_normal(bench, &bench->query, any, &bench->normal);
	search(bench, &bench->query, any, BS_SEARCH_TOP, false, &found);
	compare(bench, any, "ranked", &expected, &found, true);
	search(bench, &bench->query, any, BS_SEARCH_IDS, by_chance(50), &found);
	compare(bench, any, "ids", &expected, &found, false);
	if (is_query)
		check_normal(bench, any, &expected);
	for (size_t i = 0; i < GRAMMAR_N_DOCS; i++)
		n_matches += expected.scores[i] != DOES_NOT_MATCH;
	bench->n_some += n_matches > 0 && n_matches < GRAMMAR_N_DOCS;
	bench->n_errors += expected.status != BS_OK;
}

static void open_index(struct bench *bench, const struct bs_tokenizer_options *options)
{
	static const char *const sources[] = {"records.jsonl", "files"};
	struct bs_build_request request = {.dir = "index",
	                                   .sources = sources,
	                                   .n_sources = 2,
	                                   .index.words = true,
	                                   .rules.store = true,
	                                   .write.n_threads = 1,
	                                   .index.stem_language = options->stem_language,
	                                   .index.fold_accents = options->fold_accents};
	struct bs_build_report report;
	ok(bs_index_build(&request, &report, ERR));
	assert_int_equal(report.n_docs, GRAMMAR_N_DOCS);
	ok(bs_index_open("index", &bench->index, ERR));
	ok(bs_searcher_new(bench->index, &bench->searcher, ERR));
	for (uint32_t i = 0, number; i < GRAMMAR_N_NAMES; i++)
		ok(bs_term_table_intern(&bench->fields, (const uint8_t *)grammar_names[i],
		                        (uint32_t)strlen(grammar_names[i]),
		                        bs_hash_slot(grammar_names[i], strlen(grammar_names[i])),
		                        &number, NULL, ERR));
}

static void check_corpus(unsigned number, unsigned n_queries)
{
	static const struct bs_tokenizer_options all_options[] = {
		{.fold_accents = false}, {.stem_language = "english", .fold_accents = true}};
	const struct bs_tokenizer_options *options = &all_options[number % 2];
	struct bs_tokenizer_options unstemmed = *options;
	struct bench bench = {.n_some = 0};
	random_state = rounds.seed * UINT64_C(0x9e3779b97f4a7c15) + number;
	unstemmed.stem_language = NULL;
	make_folder(bench.folder);
	assert_int_equal(chdir(bench.folder), 0);
	ok(bs_tokenizer_new(options, &bench.grammar.tokenizer, ERR));
	ok(bs_tokenizer_new(&unstemmed, &bench.grammar.unstemmed, ERR));
	oracle_init(&bench.grammar.oracle, options);
	grammar_write(&bench.grammar);
	open_index(&bench, options);
	for (unsigned i = 0; i < n_queries; i++)
		check_query(&bench);
	/* Queries that match no document or all documents rarely show that two parsers read them
	 * differently, so enough queries must match some documents but not all. */
	if (n_queries == QUERIES_OF_CORPUS) {
		assert_in_range(bench.n_some, QUERIES_OF_CORPUS / 5, QUERIES_OF_CORPUS);
		assert_in_range(bench.n_errors, 1, QUERIES_OF_CORPUS / 5);
	}
	bs_searcher_free(bench.searcher);
	bs_index_close(bench.index);
	bs_term_table_deinit(&bench.fields);
	oracle_deinit(&bench.grammar.oracle);
	oracle_query_deinit(&bench.tree);
	bs_tokenizer_free(bench.grammar.tokenizer);
	bs_tokenizer_free(bench.grammar.unstemmed);
	bs_buffer_deinit(&bench.query);
	bs_buffer_deinit(&bench.normal);
	bs_buffer_deinit(&bench.again);
	assert_int_equal(chdir("/"), 0);
	remove_folder(bench.folder);
}

static void test_random_queries(void **state)
{
	for (unsigned number = 0, left = (unsigned)rounds.n; left > 0; number++) {
		unsigned n = left < QUERIES_OF_CORPUS ? left : QUERIES_OF_CORPUS;
		check_corpus(number, n);
		left -= n;
	}
}

RUN_RANDOM_TESTS(6000, 1, test_random_queries)
