/* oracle_apart.c: matches and scores each document of a corpus without the index. See
 * bench_check_apart. */
#include <math.h>

#include "core/bitsift/host.h"
#include "core/bitsift/query.h"
#include "core/bitsift/search.h"
#include "tests/property/oracle/oracle_bench.h"
#include "tests/rigs/test.h"

/* Makes the query with the tokenizer and fields of the index or, for half of the queries without
 * range signs, with those of the setup, which must give the same query. (Range signs depend on the
 * fields that have values, which only the index knows.) */
static struct bs_query *make_query(void)
{
	const struct oracle_setup *setup = &bench.setup;
	const char *names[ORACLE_MAX_NAMES + 1] = {NULL};
	struct bs_query *query;
	bool has_signs = false;
	for (size_t i = 0; i < bench.query.text.used_bytes; i++)
		has_signs |= strchr("<>.", bench.query.text.data[i]) != NULL;
	memcpy(names, bench.oracle.names, (size_t)bench.oracle.n_names * sizeof(*names));
	const struct bs_search_request search = bench_request();
	struct bs_query_request request = {.query = search.query.text,
	                                   .query_bytes = search.query.text_bytes,
	                                   .any = search.query.any,
	                                   .stop_words = search.query.stop_words,
	                                   .stop_words_bytes = search.query.stop_words_bytes};
	if (has_signs || by_chance(50)) {
		request.index = bench.indexes[bench.kernel];
	} else {
		request.stem_language = setup->words.stem_language;
		request.fold_accents = setup->words.fold_accents;
		request.split_identifiers = setup->words.split_identifiers;
		request.weights = setup->weights;
		request.fields = names;
		request.file_names = bench.oracle.has_files;
	}
	ok(bs_query_new(&request, &query, NULL, ERR));
	return query;
}

/* Checks lines and columns by counting; checks that places are in order. */
static bool are_places(const struct bs_text *texts, const struct bs_query_result *result)
{
	for (size_t i = 0; i < result->n_places; i++) {
		const struct bs_query_place *place = &result->places[i],
					    *before = i > 0 ? place - 1 : place;
		const struct bs_text *text = &texts[place->text];
		uint64_t line = 1, column = 1;
		size_t at =
			text->text_bytes >= 3 && memcmp(text->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
		for (; at < place->start_byte; at++, column++)
			if (text->text[at] == '\n')
				line++, column = 0;
		if (place->line != line || place->column != column ||
		    place->start_byte >= place->stop_byte || place->stop_byte > text->text_bytes ||
		    before->text > place->text ||
		    (before->text == place->text && before->start_byte > place->start_byte))
			return false;
	}
	return true;
}

static double score(struct bs_query *query, const struct bs_statistics *statistics, size_t doc)
{
	const char *name =
		(const char *)bench.oracle.bytes.data + bench.oracle.docs.items[doc].name_off;
	double score;
	ok(bs_query_set_name(query, *name ? name : NULL, strlen(name), ERR));
	ok(bs_query_score(query, bench.text, bench_texts(doc), statistics, &score, ERR));
	return score;
}

/* Compares the match, the length and the score of a document with the expected hit (NULL: no
 * match), and checks the places. Stores its score in bench.scores. */
static void check_doc(struct bs_query *query, const struct bs_statistics *statistics, size_t doc,
                      const struct oracle_hit *expected)
{
	struct bs_query_result result;
	double wanted = expected ? expected->score : 0, found = score(query, statistics, doc);
	uint32_t length = bench.oracle.docs.items[doc].length;
	bench.scores[doc] = found;
	ok(bs_query_match(query, bench.text, bench_texts(doc), &result, ERR));
	if (result.is_match != (expected != NULL) || result.length != length ||
	    !are_places(bench.text, &result) || (!result.is_match && result.n_places > 0) ||
	    fabs(found - wanted) > 1e-9 * fmax(found, 1))
		fail_msg("apart: document %zu: match %d, not %d; length %u, not %u; %zu places; "
		         "score %.17g, not %.17g",
		         doc, result.is_match, expected != NULL, result.length, length,
		         result.n_places, found, wanted);
}

static void check_docs(struct bs_query *query, const struct bs_statistics *statistics)
{
	AUTO(vector_deinit) struct oracle_hits hits = {0};
	size_t next = 0;
	oracle_search(&bench.query, &bench.oracle, &hits);
	for (size_t doc = 0; doc < bs_vector_n(&bench.oracle.docs); doc++) {
		bool is_hit = next < bs_vector_n(&hits) && hits.items[next].doc == doc;
		if (!bench.oracle.docs.items[doc].is_replaced)
			check_doc(query, statistics, doc, is_hit ? &hits.items[next] : NULL);
		next += is_hit;
	}
}

/* A hit must have exactly the score of one of the documents with its id. */
static int compare_score(void *context, const struct bs_hit *hit)
{
	for (size_t doc = 0; doc < bs_vector_n(&bench.oracle.docs); doc++) {
		double score = bench.scores[doc];
		if (!bench.oracle.docs.items[doc].is_replaced && !(score < hit->score) &&
		    !(score > hit->score) &&
		    oracle_has_id(&bench.oracle, doc, hit->id, hit->id_bytes))
			return 0;
	}
	fail_msg("apart: no document %.*s has the score %.17g", (int)hit->id_bytes, hit->id,
	         hit->score);
	return 1;
}

static void check_index(const struct bs_statistics *statistics)
{
	struct bs_search_request request = bench.request;
	request.output.mode = BS_SEARCH_TOP;
	request.output.limit = by_chance(50) ? 10 : 2000;
	request.output.sort_field = NULL;
	request.query.statistics = statistics;
	request.callbacks.hit = compare_score;
	ok(bs_search(bench.searchers[bench.kernel], &request, NULL, ERR));
}

/* Hits found so far, compared one by one with the expected order. */
struct ranking {
	const struct oracle_hit *expected;
	size_t n_expected, n_found;
};

static int compare_rank(void *context, const struct bs_hit *hit)
{
	struct ranking *ranking = context;
	const struct oracle_hit *expected = &ranking->expected[ranking->n_found];
	if (ranking->n_found++ == ranking->n_expected || hit->score < expected->score ||
	    hit->score > expected->score ||
	    !oracle_has_id(&bench.oracle, expected->doc, hit->id, hit->id_bytes))
		fail_msg("by other statistics: hit %zu is %.*s of score %.17g", ranking->n_found,
		         (int)hit->id_bytes, hit->id, hit->score);
	return 0;
}

/* Changes the statistics to numbers that no index has, so that score bounds computed from the
 * numbers of the index would be wrong. */
static void distort(struct bs_statistics *statistics)
{
	const char *word;
	size_t word_bytes;
	uint64_t n, n_docs = bs_statistics_n_docs(statistics) * roll_between(2, 5) + 2000;
	bs_statistics_set(statistics, n_docs,
	                  bs_statistics_n_positions(statistics) * roll_between(1, 40) + 1);
	for (size_t i = 0; bs_statistics_word(statistics, i, &word, &word_bytes, &n); i++) {
		char copy[1024];
		memcpy(copy, word, word_bytes < sizeof(copy) ? word_bytes : 0);
		if (word_bytes < sizeof(copy))
			ok(bs_statistics_add_word(statistics, copy, word_bytes,
			                          below(by_chance(50) ? 3 : 2000), ERR));
	}
}

/* With distorted statistics, the search that prunes by bounds must find the same best hits as
 * sorting the scores of all documents. */
static void check_bounds(struct bs_query *query, struct bs_statistics *statistics)
{
	AUTO(vector_deinit) struct oracle_hits hits = {0};
	distort(statistics);
	oracle_search(&bench.query, &bench.oracle, &hits);
	size_t n = bs_vector_n(&hits);
	for (size_t i = 0; i < n; i++)
		hits.items[i].score = score(query, statistics, hits.items[i].doc);
	oracle_rank(hits.items, n);
	struct bs_search_request request = bench_request();
	request.output = bench.request.output;
	request.output.mode = BS_SEARCH_TOP;
	request.output.limit = roll_between(1, 20);
	request.output.sort_field = NULL;
	struct ranking ranking = {.expected = hits.items,
	                          .n_expected =
	                                  n < request.output.limit ? n : request.output.limit};
	request.query.statistics = statistics;
	request.callbacks.hit = compare_rank;
	request.callbacks.context = &ranking;
	ok(bs_search(bench.searchers[bench.kernel], &request, NULL, ERR));
	assert_int_equal(ranking.n_found, ranking.n_expected);
}

void bench_check_apart(void)
{
	FREED double *scores = must_calloc(bs_vector_n(&bench.oracle.docs), sizeof(*scores));
	struct bs_statistics *statistics;
	struct bs_query *query = make_query();
	bench.scores = scores;
	ok(bs_statistics_new(&statistics, ERR));
	ok(bs_statistics_gather(bench.searchers[bench.kernel], &bench.request, statistics, ERR));
	check_docs(query, statistics);
	check_index(statistics);
	check_index(NULL);
	check_bounds(query, statistics);
	bs_query_free(query);
	bs_statistics_free(statistics);
}
