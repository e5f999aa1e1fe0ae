/* test_analyzer.c: words from a callback (struct bs_analyzer): an index is built, refreshed,
 * compacted, searched and shown with it, and refused without it. The analyzer splits at '|' and
 * does not fold case. */
#include "tests/rigs/writer_rig.h"

static int cut(void *context, const uint8_t *text, size_t text_bytes,
               int (*emit)(void *emit_context, const uint8_t *term, size_t term_bytes, size_t start,
                           size_t stop),
               void *emit_context)
{
	int result = 0;
	++*(size_t *)context;
	for (size_t at = 0; at < text_bytes && !result;) {
		const uint8_t *bar = memchr(text + at, '|', text_bytes - at);
		size_t end = bar ? (size_t)(bar - text) : text_bytes;
		if (end > at)
			result = emit(emit_context, text + at, end - at, at, end);
		at = end + 1;
	}
	return result;
}

static size_t n_cuts;
static const struct bs_analyzer bars = {.name = "bars-1", .cut = cut, .context = &n_cuts};

static int setup(void **state)
{
	return library_setup(
		"{\"id\": \"1\", \"text\": \"New York|London|Paris\"}\n"
		"{\"id\": \"2\", \"text\": \"London|New York|a.b:c\"}\n"
		"{\"id\": \"3\", \"text\": \"new york|york\"}\n"
		"{\"id\": \"4\", \"text\": \"\xe4\xb8\xad\xe6\x96\x87|London|Paris, France\"}\n");
}

static const char *const records = "a.jsonl";

static struct bs_build_request request_with(const struct bs_analyzer *analyzer)
{
	return (struct bs_build_request){
		.dir = "index", .sources = &records, .n_sources = 1, .host.analyzer = analyzer};
}

static void build(void)
{
	struct bs_build_request request = request_with(&bars);
	ok(bs_index_build(&request, NULL, ERR));
}

static struct bs_index *open_bars(bool fresh)
{
	struct bs_open_request open = {.dir = "index", .host.analyzer = &bars, .fresh = fresh};
	return must_open_with(&open);
}

/* Searches by the index, and by reading every document. */
static void assert_finds(struct bs_index *index, const char *query, const char *ids)
{
	for (int brute = 0; brute < 2; brute++) {
		struct heard found = ASK_IN(index, query, .output.mode = BS_SEARCH_IDS,
		                            .method.brute = brute),
			     best = ASK_IN(index, query, .method.brute = brute);
		assert_string_equal(found.ids, ids);
		assert_int_equal(strlen(best.ids), strlen(ids));
	}
}

static void assert_all(struct bs_index *index)
{
	static const char *const cases[][2] = {
		{"London", "1 2 4"},
		{"london", ""},
		{"\"New York\"", "1 2"},
		{"york", "3"},
		{"York", ""},
		{"\"new york\"", "3"},
		{"\"New York|London\"", "1"},
		{"\"London|New York\"", "2"},
		{"\"London|Paris\"", "1"},
		{"\"New York\" -Paris", "2"},
		{"Lon*", "1 2 4"},
		{"Londin~1", "1 2 4"},
		{"*o?don", "1 2 4"},
		{"\xe4\xb8\xad\xe6\x96\x87", "4"},
		{"\xe4\xb8\xad", ""},
		{"text:London OR york", "1 2 3 4"},
		{"\"Paris, France\" OR \"a.b:c\"", "2 4"},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_finds(index, cases[i][0], cases[i][1]);
}

static void test_words_are_cut(void **state)
{
	n_cuts = 0;
	build();
	assert_true(n_cuts > 0);
	struct bs_index *index = open_bars(false);
	assert_all(index);
	assert_string_equal(ASK_IN(index, "\"New York|London\"", .output.snippets = true,
	                           .output.mark_start = "<", .output.mark_stop = ">")
	                            .snippet,
	                    "<New York>|<London>|Paris");
	/* The library's tokenizer would split this word into characters. */
	assert_string_equal(ASK_IN(index, "\xe4\xb8\xad\xe6\x96\x87", .output.snippets = true,
	                           .output.mark_start = "<", .output.mark_stop = ">")
	                            .snippet,
	                    "<\xe4\xb8\xad\xe6\x96\x87>|London|Paris, France");
	bs_index_close(index);
	ok(bs_index_check(&(struct bs_check_request){.dir = "index"}, NULL, ERR));
}

static void test_it_is_asked_for(void **state)
{
	struct bs_index *index;
	build();
	expect_error(bs_index_open("index", &index, ERR), BS_UNSUPPORTED, "bars-1");
	struct bs_analyzer other = bars;
	other.name = "bars-2";
	struct bs_open_request open = {.dir = "index", .host.analyzer = &other};
	expect_error(bs_index_open_with(&open, &index, ERR), BS_UNSUPPORTED, "bars-1");
	expect_error(bs_index_build(&(struct bs_build_request){.dir = "index"}, NULL, ERR),
	             BS_UNSUPPORTED, "bars-1");
	assert_int_equal(bs_index_compact(&(struct bs_build_request){.dir = "index"}, NULL, ERR),
	                 BS_UNSUPPORTED);
	struct bs_delete_request deletion = {.dir = "index", .query = "London", .query_bytes = 6};
	assert_int_equal(bs_index_delete(&deletion, NULL, ERR), BS_UNSUPPORTED);
	struct bs_build_request request = request_with(&other);
	assert_int_equal(bs_index_build(&request, NULL, ERR), BS_INVALID);
	request.rebuild = true;
	ok(bs_index_build(&request, NULL, ERR));
	request.index.fold_accents = true;
	assert_int_equal(bs_index_build(&request, NULL, ERR), BS_INVALID);
	other.name = "no name";
	request.index.fold_accents = false;
	assert_int_equal(bs_index_build(&request, NULL, ERR), BS_INVALID);
	request.host.analyzer = NULL;
	request.index.words = true;
	ok(bs_index_build(&request, NULL, ERR));
	ok(bs_index_open("index", &index, ERR));
	assert_finds(index, "york", "1 2 3");
	bs_index_close(index);
	open.host.analyzer = &bars;
	assert_int_equal(bs_index_open_with(&open, &index, ERR), BS_UNSUPPORTED);
}

static void test_the_life_of_an_index(void **state)
{
	build();
	append_text(records, "{\"id\": \"5\", \"text\": \"London|Rome\"}\n");
	struct bs_index *index = open_bars(true);
	assert_finds(index, "Rome", "5");
	assert_finds(index, "\"London|Rome\"", "5");
	bs_index_close(index);
	build();
	index = open_bars(false);
	assert_finds(index, "\"London|Rome\"", "5");
	bs_index_close(index);
	struct bs_delete_request deletion = {
		.dir = "index", .query = "Rome", .query_bytes = 4, .host.analyzer = &bars};
	struct bs_delete_result deleted;
	ok(bs_index_delete(&deletion, &deleted, ERR));
	assert_int_equal(deleted.n_deleted, 1);
	struct bs_build_report report;
	ok(bs_index_compact(&(struct bs_build_request){.dir = "index", .host.analyzer = &bars},
	                    &report, ERR));
	assert_true(report.is_committed == (report.n_moved > 0));
	index = open_bars(false);
	assert_all(index);
	assert_finds(index, "Rome", "");
	bs_index_close(index);
	ok(bs_index_check(&(struct bs_check_request){.dir = "index"}, NULL, ERR));
}

static int cut_badly(void *context, const uint8_t *text, size_t text_bytes,
                     int (*emit)(void *emit_context, const uint8_t *term, size_t term_bytes,
                                 size_t start, size_t stop),
                     void *emit_context)
{
	switch (*(int *)context) {
	case 0:
		return emit(emit_context, text, 0, 0, 0);
	case 1:
		return emit(emit_context, (const uint8_t *)"\xff", 1, 0, 1);
	case 2:
		return emit(emit_context, text, 1, 0, text_bytes + 1);
	case 3:
		return emit(emit_context, text, 1, 3, 4) ? 1 : emit(emit_context, text, 1, 2, 3);
	default:
		return -7;
	}
}

static void test_bad_analyzers_fail(void **state)
{
	static const enum bs_status expected[] = {BS_INVALID, BS_INVALID, BS_INVALID, BS_INVALID,
	                                          BS_IO};
	for (int kind = 0; kind < 5; kind++) {
		struct bs_analyzer bad = {.name = "bad", .cut = cut_badly, .context = &kind};
		struct bs_build_request request = request_with(&bad);
		assert_int_equal(bs_index_build(&request, NULL, ERR), expected[kind]);
		assert_non_null(strstr(said.text, "bad"));
	}
}

RUN_TESTS_EACH_WITH(setup, library_teardown, test_words_are_cut, test_it_is_asked_for,
                    test_the_life_of_an_index, test_bad_analyzers_fail)
