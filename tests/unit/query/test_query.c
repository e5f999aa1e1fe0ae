/* test_query.c: bitsift/query.h without an index: matches and their places, scores with given
 * statistics, errors, and no allocations after texts of the same size. test_oracle.c and
 * test_several.c compare it with indexes. */
#include <math.h>

#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/limits.h"
#include "core/bitsift/query.h"
#include "tests/rigs/error_rig.h"
#include "tests/rigs/test.h"

AUTO_OF(struct bs_query, bs_query_free)
AUTO_OF(struct bs_statistics, bs_statistics_free)

void *__real_malloc(size_t n_bytes);
void *__real_calloc(size_t n, size_t n_bytes);
void *__real_realloc(void *old, size_t n_bytes);
void *__wrap_malloc(size_t n_bytes);
void *__wrap_calloc(size_t n, size_t n_bytes);
void *__wrap_realloc(void *old, size_t n_bytes);

static size_t n_allocated; /* the number of allocations by the library and this file */

void *__wrap_malloc(size_t n_bytes)
{
	n_allocated++;
	return __real_malloc(n_bytes);
}

void *__wrap_calloc(size_t n, size_t n_bytes)
{
	n_allocated++;
	return __real_calloc(n, n_bytes);
}

void *__wrap_realloc(void *old, size_t n_bytes)
{
	n_allocated++;
	return __real_realloc(old, n_bytes);
}

static const char *const fields[] = {"title", "body", "year", NULL};

static struct bs_query_request ask(const char *query)
{
	return (struct bs_query_request){
		.query = query, .query_bytes = strlen(query), .fields = fields};
}

static struct bs_query *make(const struct bs_query_request *request)
{
	struct bs_query *query;
	if (bs_query_new(request, &query, NULL, ERR))
		fail_msg("%s: %s", request->query, said.text);
	return query;
}

/* A document: a file, or a record with a title and a body. */
struct document {
	struct bs_text texts[2];
	size_t n_texts;
};

static struct document file(const char *text)
{
	return (struct document){{{"", 0, text, strlen(text)}}, 1};
}

static struct document record(const char *title, const char *body)
{
	return (struct document){
		{{"title", 5, title, strlen(title)}, {"body", 4, body, strlen(body)}}, 2};
}

/* Returns "no", or "yes" and the places, each as TEXT:LINE:COLUMN+BYTES. */
static const char *match(struct bs_query *query, const struct document *document)
{
	static char line[256];
	struct bs_query_result result;
	ok(bs_query_match(query, document->texts, document->n_texts, &result, ERR));
	size_t n = (size_t)snprintf(line, sizeof(line), result.is_match ? "yes" : "no");
	for (size_t i = 0; i < result.n_places; i++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, " %zu:%llu:%llu+%zu",
		                      result.places[i].text,
		                      (unsigned long long)result.places[i].line,
		                      (unsigned long long)result.places[i].column,
		                      result.places[i].stop_byte - result.places[i].start_byte);
	return line;
}

static const char *answer(const struct bs_query_request *request, const struct document *document)
{
	AUTO(bs_query_free_at) struct bs_query *query = make(request);
	return match(query, document);
}

static void test_operators(void **state)
{
	static const struct {
		const char *query, *in_file, *in_record;
	} asked[] = {
		{"cat", "yes 0:1:3+3 0:2:1+3", "yes 0:1:1+3"},
		{"CAT dog", "no", "yes 0:1:1+3 1:1:3+3"},
		{"cat OR dog", "yes 0:1:3+3 0:2:1+3", "yes 0:1:1+3 1:1:3+3"},
		{"-cat", "no", "no"},
		{"-horse", "yes", "yes"},
		{"sat -dog", "yes 0:1:7+3", "no"},
		{"\"cat sat\"", "yes 0:1:3+3 0:1:7+3", "no"},
		{"\"on cat\"~1", "yes 0:1:3+3 0:1:11+2 0:2:1+3", "no"},
		{"\"on horse\"~9", "no", "no"},
		{"ca*", "yes 0:1:3+3 0:2:1+3", "yes 0:1:1+3"},
		{"c?t", "yes 0:1:3+3 0:2:1+3", "yes 0:1:1+3"},
		{"*a*t*", "no", "no"}, /* text, because a * requires three letters */
		{"*cats*", "no", "no"},
		{"c*ats", "no", "no"},
		{"cta~1", "yes 0:1:3+3 0:2:1+3", "yes 0:1:1+3"},
		{"dg~1", "no", "yes 1:1:3+3"},
		{"title:cat", "no", "yes 0:1:1+3"},
		{"body:cat", "no", "no"},
		{"body:(dog -horse)", "no", "yes 1:1:3+3"},
		{"cat^2.5 OR horse^0", "yes 0:1:3+3 0:2:1+3", "yes 0:1:1+3"},
		{"body:>=1990", "no", "no"},
	};
	struct document in_file = file("A cat sat on\ncat (mats)"),
			in_record = record("Cat", "a dog");
	for (size_t i = 0; i < COUNT(asked); i++) {
		struct bs_query_request request = ask(asked[i].query);
		assert_string_equal(answer(&request, &in_file), asked[i].in_file);
		assert_string_equal(answer(&request, &in_record), asked[i].in_record);
	}
}

/* A phrase that repeats one word more often than a machine word has bits. The word occurs at many
 * places, which one pass searches. */
static void test_long_phrase(void **state)
{
	enum {
		RUN = 69,
		N_RUNS = 20
	};
	char query[2 * RUN + 8] = "\"x", *text = calloc(N_RUNS, 2 * RUN + 8);
	struct bs_query_result result;
	for (int i = 0; i < RUN; i++)
		strcat(query, " x");
	strcat(query, "\"");
	for (int run = 0, n = 0; run < N_RUNS; run++, n += sprintf(text + n, " y"))
		for (int i = 0; i < RUN; i++)
			n += sprintf(text + n, " x");
	struct bs_query_request request = ask(query);
	AUTO(bs_query_free_at) struct bs_query *long_phrase = make(&request);
	for (int has = 0; has < 2; has++) {
		struct document document = file(text);
		ok(bs_query_match(long_phrase, document.texts, 1, &result, ERR));
		assert_int_equal(result.is_match, has);
		/* Replaces the second y, so that two runs become one, which contains the phrase. */
		text[4 * RUN + 3] = 'x';
	}
	free(text);
}

static void test_ranges_and_options(void **state)
{
	static const char *const title_counts[] = {"title=3", NULL};
	struct bs_query_request request = ask("year:1990..2000");
	struct document document = {{{"year", 4, "1995", 4}}, 1};
	assert_string_equal(answer(&request, &document), "yes");
	document.texts[0].text = "2005";
	assert_string_equal(answer(&request, &document), "no");
	request = ask("year:<2024-05");
	document.texts[0] = (struct bs_text){"year", 4, "2024-04-30T23:59:59Z", 20};
	assert_string_equal(answer(&request, &document), "yes");
	document = file("the House of Horses, caf\xc3\xa9, HTTPServer2");
	request = ask("houses the");
	request.any = true;
	assert_string_equal(answer(&request, &document), "yes 0:1:1+3");
	request.stop_language = "english";
	assert_string_equal(answer(&request, &document), "no");
	request.stem_language = "english";
	request.weights = title_counts;
	assert_string_equal(answer(&request, &document), "yes 0:1:5+5");
	request = ask("cafe");
	assert_string_equal(answer(&request, &document), "no");
	request.fold_accents = true;
	assert_string_equal(answer(&request, &document), "yes 0:1:22+5");
	request = ask("server");
	assert_string_equal(answer(&request, &document), "no");
	request.split_identifiers = true;
	assert_string_equal(answer(&request, &document), "yes 0:1:33+6");
}

static void test_names_of_files(void **state)
{
	struct document document = file("word");
	struct bs_query_request request = ask("name:notes word");
	/* name is a word, because there is no field of this name */
	assert_string_equal(answer(&request, &document), "no");
	request.file_names = true;
	AUTO(bs_query_free_at) struct bs_query *query = make(&request);
	assert_string_equal(match(query, &document), "no");
	ok(bs_query_set_name(query, "old/Notes.txt", 13, ERR));
	assert_string_equal(match(query, &document), "yes 0:1:1+4");
	ok(bs_query_set_name(query, NULL, 0, ERR));
	assert_string_equal(match(query, &document), "no");
}

static void test_places_in_lines(void **state)
{
	struct bs_query_request request = ask("cat");
	struct document document = file("\ufeffcat\n\n  cat\r\n\xf0\x9f\x90\x88 cat");
	assert_string_equal(answer(&request, &document), "yes 0:1:1+3 0:3:3+3 0:4:6+3");
	document = record("a\n\ncat", "cat\ncat"); /* lines are counted in each text */
	assert_string_equal(answer(&request, &document), "yes 0:3:1+3 1:1:1+3 1:2:1+3");
	/* in a script run each of the three characters is a word */
	request = ask("\xe6\xbc\xa2\xe5\xad\x97");
	document = file("a \xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2");
	assert_string_equal(answer(&request, &document), "yes 0:1:3+3 0:1:6+3");
	document = (struct document){{{NULL, 0, NULL, 0}}, 1};
	assert_string_equal(answer(&request, &document), "no");
	document.n_texts = 0;
	assert_string_equal(answer(&request, &document), "no");
}

static void count_notice(void *context, const char *message)
{
	assert_non_null(strstr(message, "or"));
	++*(int *)context;
}

static void expect_refused(struct bs_query_request request, enum bs_status wanted)
{
	struct bs_query *query;
	size_t at = 0;
	assert_int_equal(bs_query_new(&request, &query, &at, ERR), wanted);
	assert_null(query);
	assert_true(at == SIZE_MAX);
}

#define CAT .query = "cat", .query_bytes = 3
#define EXPECT_REFUSED(wanted, ...) \
	expect_refused((struct bs_query_request){CAT, __VA_ARGS__}, wanted)

static void test_what_is_refused(void **state)
{
	static const char *const bad_weights[] = {"title", NULL};
	struct bs_query *query;
	struct bs_query_result result;
	size_t at = 0;
	int n_notices = 0;
	struct bs_query_request request = ask("");
	assert_int_equal(bs_query_new(&request, &query, &at, ERR), BS_INVALID);
	assert_null(query);
	assert_int_equal(at, 0);
	request = ask("cat or dog");
	request.notice = count_notice;
	request.context = &n_notices;
	bs_query_free(make(&request));
	assert_int_equal(n_notices, 1);
	request.strict_query = true;
	assert_int_equal(bs_query_new(&request, &query, &at, ERR), BS_INVALID);
	assert_int_equal(at, 4);
	EXPECT_REFUSED(BS_INVALID, .stem_language = "klingon");
	EXPECT_REFUSED(BS_INVALID, .stop_language = "klingon");
	EXPECT_REFUSED(BS_INVALID, .weights = bad_weights, .fields = fields);
	EXPECT_REFUSED(BS_UNSUPPORTED, .reserved = {[6] = 1});
	/* A request with an index must not name fields. */
	EXPECT_REFUSED(BS_INVALID, .fields = fields,
	               .index = (const struct bs_index *)(const void *)&request);
	request = ask("cat");
	ok(bs_query_new(&request, &query, &at, ERR));
	assert_true(at == SIZE_MAX);
	struct bs_text large = {"", 0, "", BS_MAX_DOCUMENT_BYTES + 1};
	assert_int_equal(bs_query_match(query, &large, 1, &result, ERR), BS_INVALID);
	bs_query_free(query);
	bs_query_free(NULL);
}

static double score_of(struct bs_query *query, const struct document *document,
                       const struct bs_statistics *statistics)
{
	double score;
	ok(bs_query_score(query, document->texts, document->n_texts, statistics, &score, ERR));
	return score;
}

static double share(double n, double df, double tf, double length, double avgdl)
{
	return log(1 + (n - df + .5) / (df + .5)) * tf * 2.2 /
	       (tf + 1.2 * (.25 + .75 * length / avgdl));
}

static void test_scores(void **state)
{
	AUTO(bs_statistics_free_at) struct bs_statistics *statistics, *sum;
	const char *word;
	size_t n_bytes;
	uint64_t n;
	unsigned kinds;
	double score;
	static const char *const weights[] = {"title=2", NULL};
	ok(bs_statistics_new(&statistics, ERR));
	ok(bs_statistics_new(&sum, ERR));
	bs_statistics_set(statistics, 60, 500);
	ok(bs_statistics_add_word(statistics, "cat", 3, 4, ERR));
	ok(bs_statistics_add_word(statistics, "dog", 3, 0, ERR));
	assert_int_equal(bs_statistics_add_word(statistics, "", 0, 1, NULL), BS_INVALID);
	ok(bs_statistics_add_field(statistics, "year", 4, BS_FIELD_WITH_VALUES, ERR));
	assert_int_equal(bs_statistics_add_field(statistics, "year", 4, 8, NULL), BS_UNSUPPORTED);
	ok(bs_statistics_add(sum, statistics, ERR));
	bs_statistics_set(statistics, 40, 500);
	ok(bs_statistics_add_word(statistics, "dog", 3, 5, ERR));
	ok(bs_statistics_add(sum, statistics, ERR));
	assert_int_equal(bs_statistics_n_docs(sum), 100);
	assert_int_equal(bs_statistics_n_positions(sum), 1000);
	assert_true(bs_statistics_word(sum, 1, &word, &n_bytes, &n) && n_bytes == 3 &&
	            memcmp(word, "dog", 3) == 0 && n == 5);
	assert_false(bs_statistics_word(sum, 2, &word, &n_bytes, &n));
	assert_true(bs_statistics_field(sum, 0, &word, &n_bytes, &kinds) && n_bytes == 4 &&
	            kinds == BS_FIELD_WITH_VALUES);
	assert_false(bs_statistics_field(sum, 1, &word, &n_bytes, &kinds));

	struct document document = record("Cat", "a dog, a cat");
	struct bs_query_request request = ask("cat dog^2");
	request.weights = weights;
	struct bs_query *query = make(&request);
	assert_true(fabs(score_of(query, &document, sum) - share(100, 8, 3, 5, 10) -
	                 2 * share(100, 5, 1, 5, 10)) < 1e-12);
	document = record("Cats", "no dog");
	assert_true(score_of(query, &document, sum) <= 0); /* not a match */
	bs_query_free(query);

	request = ask("ca* horse OR year:>1995");
	query = make(&request);
	expect_error(bs_query_score(query, document.texts, 2, sum, &score, ERR), BS_INVALID,
	             "horse");
	ok(bs_statistics_add_word(sum, "horse", 5, 0, ERR));
	/* Every exact word must have statistics. The words that ca* matches need none. */
	document = record("cats", "a horse");
	assert_true(fabs(score_of(query, &document, sum) - share(100, 0, 1, 3, 10) * 2) < 1e-12);
	ok(bs_statistics_add_word(sum, "horse", 5, 101, ERR));
	assert_int_equal(bs_query_score(query, document.texts, 2, sum, &score, ERR), BS_INVALID);
	bs_query_free(query);
	bs_statistics_free(NULL);
}

/* Makes a text of n_words random words, among them words of the queries. */
static void make_text(char *text, size_t n_words, unsigned seed)
{
	static const char *const words[] = {
		"cat", "dog", "colour", "horse", "mat", "\xe6\xbc\xa2\xe5\xad\x97", "year", "sat,"};
	*text = '\0';
	for (size_t i = 0; i < n_words; i++) {
		seed = seed * 1103515245u + 12345u;
		text += sprintf(text, "%s%s", words[seed >> 16 & 7], seed >> 20 & 7 ? " " : "\n");
	}
}

#define MOST_WORDS 100

#define LONG_BYTES (4u << 20)

/* Matching a long text can be cancelled, and the query can be used for the next text. */
static void test_limits(void **state)
{
	int cancel = 1;
	struct bs_limits limits = {.cancel = &cancel};
	struct bs_query_request request = ask("last");
	struct bs_query_result result;
	AUTO(bs_statistics_free_at) struct bs_statistics *statistics;
	double score;
	FREED char *text = must_malloc(LONG_BYTES + 1);
	for (unsigned i = 0; i < LONG_BYTES; i++)
		text[i] = i % 6 ? (char)('a' + i % 26) : ' ';
	strcpy(text + LONG_BYTES - 5, " last");
	struct bs_text texts = {"", 0, text, LONG_BYTES};
	request.limits = &limits;
	AUTO(bs_query_free_at) struct bs_query *query = make(&request);
	ok(bs_statistics_new(&statistics, ERR));
	bs_statistics_set(statistics, 10, 100);
	ok(bs_statistics_add_word(statistics, "last", 4, 1, ERR));
	assert_int_equal(bs_query_match(query, &texts, 1, &result, ERR), BS_STOPPED);
	assert_false(result.is_match);
	assert_int_equal(bs_query_score(query, &texts, 1, statistics, &score, ERR), BS_STOPPED);
	cancel = 0;
	ok(bs_query_match(query, &texts, 1, &result, ERR));
	assert_true(result.is_match);
	ok(bs_query_score(query, &texts, 1, statistics, &score, ERR));
	assert_true(score > 0);
	limits.reserved[0] = 1;
	assert_int_equal(bs_query_match(query, &texts, 1, &result, ERR), BS_UNSUPPORTED);
}

static void test_nothing_is_allocated_later(void **state)
{
	static const char *const queries[] = {"cat",
	                                      "cat dog -mat",
	                                      "\"cat dog\" OR title:horse",
	                                      "\"cat dog mat\"~5",
	                                      "c*r OR hor*",
	                                      "colur~1 \xe6\xbc\xa2",
	                                      "year:>3 OR dog",
	                                      "\"cat cat cat dog\"",
	                                      "name:x OR dog"};
	char text[MOST_WORDS * 8];
	for (size_t q = 0; q < COUNT(queries); q++) {
		struct bs_query_request request = ask(queries[q]);
		request.file_names = true;
		AUTO(bs_query_free_at) struct bs_query *query = make(&request);
		size_t n_before = 0, n_matches = 0;
		for (unsigned i = 0; i < 2000; i++) {
			struct bs_query_result result;
			n_before = i == 1000 ? n_allocated : n_before;
			make_text(text, i % MOST_WORDS, i % 1000);
			struct document document = record(text, text);
			ok(bs_query_match(query, document.texts, 2, &result, ERR));
			n_matches += result.is_match;
		}
		assert_int_equal(n_allocated, n_before);
		assert_in_range(n_matches, 1, 1999);
	}
}

static const char *snippet(const char *text, const struct bs_query_snippet_request *how)
{
	static char line[400];
	struct document document = file(text);
	struct bs_query_request request = ask("fizz buzz");
	struct bs_query_snippet snippet;
	AUTO(bs_query_free_at) struct bs_query *query = make(&request);
	ok(bs_query_make_snippet(query, document.texts, 1, how, &snippet, ERR));
	snprintf(line, sizeof(line), "%s %.*s", snippet.is_match ? "yes" : "no",
	         (int)snippet.text_bytes, snippet.text);
	return line;
}

static void test_snippets(void **state)
{
	struct bs_query_snippet_request how = {.mark_start = "<", .mark_stop = ">"},
					even = {.columns = 44},
					later = {.columns = 44, .favours_after = true};
	const char *far = "one fizz two three four five six seven eight fizz\tand\nbuzz nine ten "
			  "eleven twelve thirteen";
	struct bs_query_snippet ended;
	assert_string_equal(snippet("a fizz and\n a \033 buzz", &how),
	                    "yes a <fizz> and a \xef\xbf\xbd <buzz>");
	assert_string_equal(snippet("a fizz alone", &how), "no a fizz alone");
	assert_string_equal(snippet("", &how), "no ");
	assert_string_equal(snippet(far, &even), "yes …seven eight fizz and buzz nine ten eleven…");
	assert_string_equal(snippet(far, &later),
	                    "yes …eight fizz and buzz nine ten eleven twelve…");
	how.reserved[0] = 1;
	struct document document = file("fizz");
	struct bs_query_request request = ask("fizz");
	AUTO(bs_query_free_at) struct bs_query *query = make(&request);
	assert_int_equal(bs_query_make_snippet(query, document.texts, 1, &how, &ended, ERR),
	                 BS_UNSUPPORTED);
}

/* Returns the span of n_words words that bs_query_choose_span selects, as TEXT:WORDS. */
static const char *words(const struct document *document, uint32_t n_words, bool has_places)
{
	static char line[400];
	struct bs_query_request request = ask("fizz OR buzz");
	struct bs_query_result result;
	struct bs_query_span span;
	AUTO(bs_query_free_at) struct bs_query *query = make(&request);
	ok(bs_query_match(query, document->texts, document->n_texts, &result, ERR));
	ok(bs_query_choose_span(document->texts, document->n_texts, result.places,
	                        has_places ? result.n_places : 0, n_words, &span, ERR));
	snprintf(line, sizeof(line), "%zu:%.*s", span.text, (int)(span.stop_byte - span.start_byte),
	         document->texts[span.text].text + span.start_byte);
	return line;
}

static void test_spans_of_words(void **state)
{
	struct document both = record("one fizz two", "three  fizz four\nbuzz five six seven");
	struct document wide = file("\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97 fizz "
	                            "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97");
	assert_string_equal(words(&both, 1, true), "0:fizz");
	assert_string_equal(words(&both, 2, true), "0:fizz two");
	assert_string_equal(words(&both, 3, true), "1:fizz four\nbuzz");
	assert_string_equal(words(&both, 5, true), "1:three  fizz four\nbuzz five");
	assert_string_equal(words(&both, 2, false), "0:one fizz");
	assert_string_equal(words(&both, 0, true), "0:");
	assert_string_equal(words(&wide, 2, true), "0:fizz \xe6\xbc\xa2\xe5\xad\x97");
}

RUN_TESTS(test_snippets, test_spans_of_words, test_operators, test_ranges_and_options,
          test_long_phrase, test_names_of_files, test_places_in_lines, test_what_is_refused,
          test_scores, test_limits, test_nothing_is_allocated_later)
