/* test_library.c: bitsift.h as programs use it: linked with the library, not with its modules. */
#include <sys/stat.h>
#include <unistd.h>

#include <bitsift.h>
#include <bitsift/query.h>

#include "tests/rigs/clock_rig.h"
#include "tests/rigs/library_rig.h"

/* ---- the record file a.jsonl and the index "index" in the current folder ---- */

static int setup(void **state)
{
	return library_setup("{\"id\": 1, \"title\": \"Cats\", \"text\": \"a cat and a dog\"}\n"
	                     "{\"id\": 2, \"text\": \"a cat, a cat, a cat\"}\n"
	                     "{\"id\": 3, \"text\": \"no animals\"}\n"
	                     "not a record\n");
}

static const char *const records = "a.jsonl";

static enum bs_status build(struct bs_build_request request, struct bs_build_report *report,
                            struct bs_error *err)
{
	request.dir = request.dir ? request.dir : "index";
	request.sources = &records;
	request.n_sources = 1;
	return bs_index_build(&request, report, err);
}

static struct bs_index *build_and_open(void)
{
	assert_int_equal(build((struct bs_build_request){.dir = NULL}, NULL, NULL), BS_OK);
	return must_open("index");
}

/* The data that the callbacks of a search received. ids: the ids of all hits, each followed by a
 * space; notices, snippet and passage: the last of each. */
struct heard {
	char ids[64], notices[256], snippet[256], passage[256];
	double last_score;
	int n_hits;
	int n_wanted; /* stop after this number of hits; 0: never */
};

static int hear_hit(void *context, const struct bs_hit *hit)
{
	struct heard *heard = context;
	snprintf(heard->ids + strlen(heard->ids), sizeof(heard->ids) - strlen(heard->ids), "%.*s ",
	         (int)hit->id_bytes, hit->id);
	snprintf(heard->snippet, sizeof(heard->snippet), "%.*s", (int)hit->snippet_bytes,
	         hit->snippet);
	snprintf(heard->passage, sizeof(heard->passage), "%llu:%llu %llu-%llu %.*s:%.*s, of %zu",
	         (unsigned long long)hit->best.line, (unsigned long long)hit->best.column,
	         (unsigned long long)hit->best.start_byte, (unsigned long long)hit->best.stop_byte,
	         (int)hit->best.field_bytes, hit->best.field, (int)hit->best.text_bytes,
	         hit->best.text, hit->n_passages);
	heard->last_score = hit->score;
	heard->n_hits++;
	if (hit->rank)
		assert_int_equal(hit->rank, heard->n_hits);
	return heard->n_hits == heard->n_wanted;
}

static void hear_notice(void *context, const char *message)
{
	struct heard *heard = context;
	snprintf(heard->notices, sizeof(heard->notices), "%s", message);
}

static void ask_for(struct bs_search_request *request, const char *query)
{
	request->query.text = query;
	request->query.text_bytes = strlen(query);
}

static struct bs_search_request ask(const char *query, enum bs_search_mode mode,
                                    struct heard *heard)
{
	return (struct bs_search_request){
		QUERY(query), .output.mode = mode, .callbacks.hit = hear_hit,
		.callbacks.notice = hear_notice, .callbacks.context = heard};
}

/* ---- version, names ---- */

static void test_versions_agree(void **state)
{
	char version[32];
	snprintf(version, sizeof(version), "%d.%d.%d", BS_VERSION_MAJOR, BS_VERSION_MINOR,
	         BS_VERSION_PATCH);
	assert_string_equal(version, BS_VERSION);
	assert_string_equal(version, bs_version());
	assert_string_equal(version, BITSIFT_VERSION); /* of the build */
}

static void test_names_are_never_null(void **state)
{
	assert_string_equal(bs_status_name(BS_CORRUPT), "corrupt");
	assert_non_null(bs_status_name((enum bs_status)1000));
	assert_string_equal(bs_skip_name(BS_SKIP_BINARY, 2), "binary files");
	assert_string_equal(bs_skip_name(BS_SKIP_IGNORED_FOLDER, 1), "ignored folder");
	assert_non_null(bs_skip_name((enum bs_skip)1000, 1));
}

static void test_kernels(void **state)
{
	const char *names[8] = {NULL};
	size_t n = bs_kernel_names(NULL, 0);
	assert_in_range(n, 1, 8);
	assert_int_equal(bs_kernel_names(names, 8), n);
	assert_string_equal(names[n - 1], "plain");
	const char *first[2] = {NULL, NULL};
	assert_int_equal(bs_kernel_names(first, 1), n);
	assert_ptr_equal(first[0], names[0]);
	assert_null(first[1]);
}

/* ---- building ---- */

struct skipped {
	int n;
	char message[256];
};

static void hear_skipped(void *context, enum bs_skip reason, const char *message)
{
	struct skipped *skipped = context;
	skipped->n++;
	assert_int_equal(reason, BS_SKIP_BAD_RECORD);
	snprintf(skipped->message, sizeof(skipped->message), "%s", message);
}

static void test_build_reports(void **state)
{
	struct skipped skipped = {.n = 0};
	struct bs_build_request request = {.callbacks.skipped = hear_skipped,
	                                   .callbacks.context = &skipped};
	struct bs_build_report report;
	ok(build(request, &report, ERR));
	assert_int_equal(report.n_docs, 3);
	assert_int_equal(report.skipped[BS_SKIP_BAD_RECORD], 1);
	assert_int_equal(report.n_segments, 1);
	assert_true(report.index_bytes > 0 && report.n_terms > 0 &&
	            report.n_postings >= report.n_terms);
	assert_int_equal(skipped.n, 1);
	assert_non_null(strstr(skipped.message, "a.jsonl:4"));
}

#define N_FILES 700u

/* The last numbers of the progress reports. A report of step s stops the build if is_stopped_at[s]
 * is true. */
struct steps {
	enum bs_build_step last;
	uint64_t n_met, n_read, n_written;
	bool is_stopped_at[3], is_stopped;
};

static int hear_steps(void *context, const struct bs_build_report *so_far)
{
	struct steps *steps = context;
	assert_false(steps->is_stopped);
	assert_true(so_far->n_docs <= N_FILES);
	assert_true(so_far->step >= steps->last && so_far->step_ns <= so_far->elapsed_ns);
	steps->last = so_far->step;
	if (so_far->step == BS_BUILD_LOOK)
		steps->n_met = so_far->step_done;
	else
		assert_int_equal(so_far->step_total, N_FILES);
	if (so_far->step == BS_BUILD_READ)
		steps->n_read = so_far->step_done;
	else if (so_far->step == BS_BUILD_WRITE)
		steps->n_written = so_far->step_done;
	return steps->is_stopped = steps->is_stopped_at[so_far->step];
}

/* A build reports the progress of each step. If it is stopped in one, it leaves no directory. */
static void test_build_steps(void **state)
{
	char path[32];
	const char *source = ".";
	struct steps steps = {.last = BS_BUILD_LOOK};
	struct bs_build_request request = {.dir = "index",
	                                   .sources = &source,
	                                   .n_sources = 1,
	                                   .write.n_threads = 1,
	                                   .callbacks.progress = hear_steps,
	                                   .callbacks.context = &steps};
	assert_int_equal(unlink(records), 0);
	for (unsigned i = 0; i < N_FILES; i++) {
		snprintf(path, sizeof(path), "%u.txt", i);
		write_text(path, "a cat\n");
	}
	for (int step = BS_BUILD_LOOK; step <= BS_BUILD_WRITE; step++) {
		steps = (struct steps){.last = BS_BUILD_LOOK};
		steps.is_stopped_at[step] = true;
		expect_status(bs_index_build(&request, NULL, ERR), BS_STOPPED);
		assert_int_equal(access("index", F_OK), -1);
	}
	steps = (struct steps){.last = BS_BUILD_LOOK};
	ok(bs_index_build(&request, NULL, ERR));
	assert_int_equal(steps.n_met, N_FILES);
	assert_int_equal(steps.n_read, N_FILES);
	assert_int_equal(steps.n_written, N_FILES);
}

static void test_recorded_options(void **state)
{
	const char *fields[] = {"text", NULL};
	struct bs_build_request with_options = {.index.fold_accents = true,
	                                        .rules.text_fields = fields};
	assert_int_equal(build(with_options, NULL, ERR), BS_OK);
	/* Without options, a refresh uses those that the index was made with; without sources,
	 * those that the index records. */
	struct bs_build_request refresh = {.dir = "index"};
	struct bs_build_report report;
	ok(bs_index_build(&refresh, &report, ERR));
	assert_int_equal(report.n_docs, 3);
	/* Other options are accepted only with rebuild. */
	struct bs_build_request other = {.dir = "index", .index.stem_language = "english"};
	assert_int_equal(bs_index_build(&other, NULL, ERR), BS_INVALID);
	other.rebuild = true;
	ok(bs_index_build(&other, NULL, ERR));
}

/* ---- consent ---- */

static void note_path(void *context, const char *dir, const char *path)
{
	char *paths = context;
	assert_true(*dir == '/');
	snprintf(paths + strlen(paths), 256 - strlen(paths), "%s ", path);
}

static bool is_that_path(void *context, const char *dir, const char *path)
{
	char noted[256];
	snprintf(noted, sizeof(noted), "%s ", path);
	return strcmp(context, noted) == 0;
}

static uint64_t count_with(const char *dir, const struct bs_consent *consent, bool fresh,
                           uint64_t *n_unreadable_out)
{
	struct bs_open_request open = {.dir = dir, .host.consent = consent, .fresh = fresh};
	struct bs_search_request find = {QUERY("cat"), .output.mode = BS_SEARCH_COUNT};
	struct bs_search_result result;
	struct bs_index *index = must_open_with(&open);
	struct bs_searcher *searcher = must_searcher(index);
	ok(bs_search(searcher, &find, &result, ERR));
	bs_searcher_free(searcher);
	bs_index_close(index);
	*n_unreadable_out = result.n_unreadable;
	return result.n_hits;
}

/* A source outside the folder of the index is read if the request names it; afterwards only with
 * consent. */
static void test_consent(void **state)
{
	static const char *const sources[] = {"outside.txt"}, dir[] = "inner/index";
	char paths[256] = "";
	uint64_t n_unreadable;
	assert_int_equal(mkdir("inner", 0777), 0);
	write_text("outside.txt", "cat\n");
	struct bs_consent none = {.all = false}, all = {.all = true},
			  asked = {.follows = is_that_path, .context = paths};
	struct bs_consent noting = {.named = note_path, .context = paths};
	struct bs_build_request request = {
		.dir = dir, .sources = sources, .n_sources = 1, .host.consent = &noting};
	struct bs_build_report report;
	ok(bs_index_build(&request, &report, ERR));
	assert_int_equal(report.n_docs, 1);
	assert_non_null(strstr(paths, "outside.txt "));
	assert_int_equal(count_with(dir, NULL, false, &n_unreadable), 0);
	assert_true(n_unreadable > 0);
	assert_int_equal(count_with(dir, &none, true, &n_unreadable), 0);
	assert_true(n_unreadable > 0);
	assert_int_equal(count_with(dir, &all, false, &n_unreadable), 1);
	assert_int_equal(n_unreadable, 0);
	assert_int_equal(count_with(dir, &asked, true, &n_unreadable), 1);
	assert_int_equal(n_unreadable, 0);
	/* A refresh without consent keeps the documents; a rebuild would lose them, so it is
	 * refused. */
	request = (struct bs_build_request){.dir = dir};
	assert_int_equal(bs_index_build(&request, &report, ERR), BS_NOT_FOUND);
	assert_int_equal(report.skipped[BS_SKIP_UNTRUSTED], 1);
	request.rebuild = true;
	assert_int_equal(bs_index_build(&request, NULL, ERR), BS_UNTRUSTED);
	request.host.consent = &all;
	ok(bs_index_build(&request, &report, ERR));
	assert_int_equal(report.n_docs, 1);
	none.reserved[0] = 1;
	request.host.consent = &none;
	assert_int_equal(bs_index_build(&request, NULL, ERR), BS_UNSUPPORTED);
	struct bs_open_request open = {.dir = dir, .reserved = {1}};
	struct bs_index *index;
	assert_int_equal(bs_index_open_with(&open, &index, ERR), BS_UNSUPPORTED);
	assert_null(index);
}

static void test_bad_build_requests(void **state)
{
	static const struct bs_build_request nothing = {0},
					     invalid[] = {{.index.density = 0.7},
	                                                  {.index.density = -0.1},
	                                                  {.index.stem_language = "klingon"},
	                                                  {.strict = true}};
	assert_int_equal(bs_index_build(&nothing, NULL, ERR), BS_INVALID);
	for (size_t i = 0; i < COUNT(invalid); i++)
		assert_int_equal(build(invalid[i], NULL, ERR), BS_INVALID);
	expect_error(build((struct bs_build_request){.reserved = {0, 1}}, NULL, ERR),
	             BS_UNSUPPORTED, "struct bs_build_request");
	assert_int_equal(build((struct bs_build_request){.reserved = {0, 1}}, NULL, NULL),
	                 BS_UNSUPPORTED);
}

/* ---- opening ---- */

static void test_open_and_describe(void **state)
{
	struct bs_index *index = build_and_open();
	struct bs_index_info info;
	bs_index_describe(index, &info);
	assert_int_equal(info.n_docs, 3);
	assert_int_equal(info.n_deleted, 0);
	assert_int_equal(info.n_segments, 1);
	assert_int_equal(info.generation, 1);
	assert_false(info.is_other_unicode);
	assert_true(*info.icu_version && *info.unicode_version && *info.kernel);
	bs_index_close(index);
	ok(bs_index_open_with(&(struct bs_open_request){.dir = "index", .kernel = "plain"}, &index,
	                      ERR));
	bs_index_describe(index, &info);
	assert_string_equal(info.kernel, "plain");
	bs_index_close(index);
	assert_int_equal(
		bs_index_open_with(&(struct bs_open_request){.dir = "index", .kernel = "none"},
	                           &index, ERR),
		BS_UNSUPPORTED);
	assert_null(index);
	assert_int_equal(bs_index_open(".", &index, ERR), BS_NOT_FOUND);
	assert_null(index);
	bs_index_close(NULL);
	bs_searcher_free(NULL);
}

static void test_locate(void **state)
{
	char *dir;
	ok(build((struct bs_build_request){.dir = ".bitsift"}, NULL, ERR));
	ok(bs_index_locate(&dir, ERR));
	assert_string_equal(dir, ".bitsift");
	free(dir);
}

/* ---- searching ---- */

static struct bs_search_result expect_ids(struct bs_searcher *searcher,
                                          struct bs_search_request request, struct heard *heard,
                                          const char *ids)
{
	struct bs_search_result result;
	*heard = (struct heard){.n_hits = 0};
	ok(bs_search(searcher, &request, &result, ERR));
	assert_string_equal(heard->ids, ids);
	return result;
}

static void test_find(void **state)
{
	AUTO(bs_index_close_at) struct bs_index *index = build_and_open();
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	struct heard heard;
	struct bs_search_request request = ask("cat", BS_SEARCH_TOP, &heard);
	request.output.snippets = true;
	request.output.mark_start = "[";
	request.output.mark_stop = "]";
	struct bs_search_result result = expect_ids(searcher, request, &heard, "2 1 ");
	assert_true(heard.last_score > 0);
	assert_non_null(strstr(heard.snippet, "[cat]"));
	assert_int_equal(result.n_hits, 2);
	assert_int_equal(result.n_unreadable, 0);
	assert_true(result.stats.stage_ns[BS_STAGE_PARSE] > 0);

	request = ask("cat", BS_SEARCH_TOP, &heard);
	request.output.limit = 1;
	expect_ids(searcher, request, &heard, "2 ");
	assert_string_equal(heard.snippet, "");
	assert_string_equal(heard.passage, "0:0 0-0 :, of 0");
	request.output.passages = true;
	result = expect_ids(searcher, request, &heard, "2 ");
	assert_string_equal(heard.snippet, "");
	assert_string_equal(heard.passage, "2:3 2-19 text:a cat, a cat, a cat, of 1");
	assert_int_equal(result.n_hits, 2);

	request = ask("cat OR animals", BS_SEARCH_IDS, &heard);
	expect_ids(searcher, request, &heard, "1 2 3 ");
	request = ask("title:cats dog", BS_SEARCH_IDS, &heard);
	request.method.brute = true;
	result = expect_ids(searcher, request, &heard, "1 ");
	assert_int_equal(result.stats.verify.verified, 3);

	request = (struct bs_search_request){QUERY("-cat"), .output.mode = BS_SEARCH_COUNT};
	ok(bs_search(searcher, &request, &result, ERR));
	assert_int_equal(result.n_hits, 1);
}

/* Searches with stop words, and with feedback terms. */
static void test_find_by_other_words(void **state)
{
	AUTO(bs_index_close_at) struct bs_index *index = build_and_open();
	struct heard heard;
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	struct bs_search_request request = ask("a dog", BS_SEARCH_IDS, &heard);
	request.query.any = true;
	expect_ids(searcher, request, &heard, "1 2 ");
	request.query.stop_language = "english";
	expect_ids(searcher, request, &heard, "1 ");
	request.query.stop_language = NULL;
	request.query.stop_words = "# mine\nDOG | barks";
	request.query.stop_words_bytes = strlen(request.query.stop_words);
	expect_ids(searcher, request, &heard, "1 2 ");
	ask_for(&request, "dog animals");
	expect_ids(searcher, request, &heard, "3 ");
	ask_for(&request, "a cat dog animals");
	request.query.stop_language = "english";
	expect_ids(searcher, request, &heard, "1 2 3 ");
	request.query.stop_words = "cat animals dog";
	request.query.stop_words_bytes = strlen("cat animals");
	expect_ids(searcher, request, &heard, "1 ");
	request.query.stop_words = NULL;
	request.query.stop_language = "klingon";
	assert_int_equal(bs_search(searcher, &request, NULL, ERR), BS_INVALID);

	request = ask("dog", BS_SEARCH_TOP, &heard);
	expect_ids(searcher, request, &heard, "1 ");
	request.query.feedback_docs = 1;
	expect_ids(searcher, request, &heard, "1 2 ");
	request.method.brute = true;
	expect_ids(searcher, request, &heard, "1 2 ");
	request.query.like_text = "cat";
	request.query.like_text_bytes = 3;
	assert_int_equal(bs_search(searcher, &request, NULL, ERR), BS_INVALID);
	request = ask("", BS_SEARCH_TOP, &heard);
	request.query.text = NULL;
	request.query.like_text = "The Cat";
	request.query.like_text_bytes = strlen(request.query.like_text);
	expect_ids(searcher, request, &heard, "2 1 ");
	ask_for(&request, "cat");
	request.query.like_text_bytes = 0;
	expect_ids(searcher, request, &heard, "2 1 ");
	assert_non_null(strstr(heard.notices, "only the query counts"));
	request.query.text = NULL;
	request.query.text_bytes = 0;
	request.query.like_text = NULL;
	request.query.like_id = "";
	assert_int_equal(bs_search(searcher, &request, NULL, ERR), BS_NOT_FOUND);
	assert_string_equal(said.text, "'': no document has this id");
	request.query.like_id = "2";
	expect_ids(searcher, request, &heard, "1 ");
	request.query.like_id = "4";
	assert_int_equal(bs_search(searcher, &request, NULL, ERR), BS_NOT_FOUND);
	request = ask("cat", BS_SEARCH_TOP, &heard);
	expect_ids(searcher, request, &heard, "2 1 ");
}

/* Scores are computed from the statistics of the request. */
static void test_find_by_statistics(void **state)
{
	AUTO(bs_index_close_at) struct bs_index *index = build_and_open();
	struct bs_statistics *statistics;
	struct heard heard;
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	ok(bs_statistics_new(&statistics, ERR));
	struct bs_search_request request = ask("cat OR animals", BS_SEARCH_TOP, &heard);
	expect_ids(searcher, request, &heard, "3 2 1 ");
	double score = heard.last_score;
	request.query.statistics = statistics;
	expect_error(bs_search(searcher, &request, NULL, ERR), BS_INVALID,
	             "statistics do not name cat");
	ok(bs_statistics_gather(searcher, &request, statistics, ERR));
	assert_int_equal(bs_statistics_n_docs(statistics), 3);
	expect_ids(searcher, request, &heard, "3 2 1 ");
	assert_true(!(heard.last_score < score) && !(heard.last_score > score));
	bs_statistics_set(statistics, 1000, 1000);
	ok(bs_statistics_add_word(statistics, "animals", 7, 900, ERR));
	expect_ids(searcher, request, &heard, "2 1 3 ");
	request.query.feedback_docs = 1;
	assert_int_equal(bs_search(searcher, &request, NULL, ERR), BS_INVALID);
	assert_int_equal(bs_statistics_gather(searcher, &request, statistics, ERR), BS_INVALID);
	bs_statistics_free(statistics);
}

static void test_find_is_stopped(void **state)
{
	AUTO(bs_index_close_at) struct bs_index *index = build_and_open();
	struct bs_search_result result;
	struct heard heard = {.n_wanted = 1};
	struct bs_search_request request = ask("cat", BS_SEARCH_IDS, &heard);
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	assert_int_equal(bs_search(searcher, &request, &result, ERR), BS_STOPPED);
	assert_string_equal(heard.ids, "1 ");
	assert_int_equal(result.error_byte, SIZE_MAX);
	heard = (struct heard){.n_wanted = 0};
	ok(bs_search(searcher, &request, &result, ERR));
	assert_string_equal(heard.ids, "1 2 ");
}

/* Expects that bs_search refuses a search for "cat" with this change. */
#define REFUSED(wanted, ...)                                                                \
	do {                                                                                \
		request = ask("cat", BS_SEARCH_TOP, &heard);                                \
		request.__VA_ARGS__;                                                        \
		assert_int_equal(bs_search(searcher, &request, &result, ERR), BS_##wanted); \
	} while (0)

static void test_bad_find_requests(void **state)
{
	AUTO(bs_index_close_at) struct bs_index *index = build_and_open();
	struct bs_search_result result;
	struct heard heard = {.n_hits = 0};
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	struct bs_search_request request = ask("cat (dog", BS_SEARCH_TOP, &heard);
	request.query.strict = true;
	assert_int_equal(bs_search(searcher, &request, &result, ERR), BS_INVALID);
	assert_int_equal(result.error_byte, 4);
	REFUSED(INVALID, query.text_bytes = 0);
	REFUSED(INVALID, query.text = NULL, request.query.text_bytes = 0);
	REFUSED(INVALID, callbacks.hit = NULL);
	assert_int_equal(result.error_byte, SIZE_MAX);
	REFUSED(INVALID, method.approx = true, request.output.mode = BS_SEARCH_IDS);
	REFUSED(UNSUPPORTED, output.mode = (enum bs_search_mode)9);
	REFUSED(UNSUPPORTED, reserved[3] = 1);
	REFUSED(UNSUPPORTED, output.reserved[0] = 1);
	assert_non_null(strstr(said.text, "struct bs_search_output"));
	assert_int_equal(heard.n_hits, 0);

	request = ask("+++ cat", BS_SEARCH_TOP, &heard);
	ok(bs_search(searcher, &request, &result, ERR));
	assert_int_equal(heard.n_hits, 2);
	assert_non_null(strstr(heard.notices, "+++"));
}

static void hear_document(void *context, const char *local_id, size_t local_id_bytes)
{
	struct heard *heard = context;
	snprintf(heard->ids + strlen(heard->ids), sizeof(heard->ids) - strlen(heard->ids), "%.*s ",
	         (int)local_id_bytes, local_id);
}

static int refuse(void *context, uint64_t n_documents)
{
	return n_documents == 1;
}

static void expect_docs(uint64_t n_docs)
{
	struct bs_check_request check = {.dir = "index"};
	struct bs_check_report report;
	ok(bs_index_check(&check, &report, ERR));
	assert_int_equal(report.n_docs, n_docs);
	assert_int_equal(report.n_segments, n_docs > 0);
	assert_true(report.n_bytes > 0);
}

static void test_delete_and_check(void **state)
{
	struct heard heard = {.n_hits = 0};
	struct bs_delete_result result;
	struct bs_check_request check = {.dir = "index"};
	bs_index_close(build_and_open());
	expect_docs(3);
	const char *ids[] = {"3", "9"};
	struct bs_delete_request request = {.dir = "index",
	                                    .ids = ids,
	                                    .n_ids = 2,
	                                    .callbacks.notice = hear_notice,
	                                    .callbacks.context = &heard};
	ok(bs_index_delete(&request, &result, ERR));
	assert_int_equal(result.n_deleted, 1);
	assert_string_equal(heard.notices, "9: no document has this id");

	request = (struct bs_delete_request){.dir = "index", .query = "cat (dog", .query_bytes = 8};
	assert_int_equal(bs_index_delete(&request, &result, ERR), BS_INVALID);
	assert_int_equal(result.error_byte, 4);
	request.query = "cat dog ";
	ok(bs_index_delete(&request, &result, ERR));
	assert_int_equal(result.n_deleted, 1);
	assert_int_equal(result.n_unreadable, 0);
	request.any = true;
	request.dry_run = true;
	request.callbacks.document = hear_document;
	request.callbacks.context = &heard;
	ok(bs_index_delete(&request, &result, ERR));
	assert_int_equal(result.n_deleted, 1);
	assert_string_equal(heard.ids, "2 ");
	request.dry_run = false;
	request.callbacks.confirm = refuse;
	assert_int_equal(bs_index_delete(&request, &result, ERR), BS_STOPPED);
	expect_docs(1);
	request.callbacks.confirm = NULL;
	ok(bs_index_delete(&request, NULL, ERR));
	expect_docs(0);

	/* The segment was removed when its last document was deleted. */
	request.undo = true;
	ok(bs_index_delete(&request, &result, ERR));
	assert_int_equal(result.n_deleted, 2);
	assert_int_equal(result.n_to_read, 2);
	assert_int_equal(result.n_lost, 0);
	bs_index_close(build_and_open());
	expect_docs(2);

	request.reserved[0] = check.reserved[3] = 1;
	assert_int_equal(bs_index_delete(&request, &result, ERR), BS_UNSUPPORTED);
	assert_int_equal(bs_index_check(&check, NULL, ERR), BS_UNSUPPORTED);
	check = (struct bs_check_request){.dir = "none"};
	assert_int_equal(bs_index_check(&check, NULL, ERR), BS_NOT_FOUND);
}

static void test_sources_are_listed(void **state)
{
	AUTO(bs_index_close_at) struct bs_index *index = build_and_open();
	struct bs_source_info source;
	assert_true(bs_index_source(index, 0, &source));
	assert_string_equal(source.kind, "collection");
	assert_string_equal(source.label, records);
	assert_string_equal(source.path, "a.jsonl");
	assert_false(bs_index_source(index, 1, &source));
}

/* Describes the result of bs_document in a text: "field=text;" for each field, "!" if the source
 * has changed, or the error. */
static const char *told_document(struct bs_searcher *searcher, const char *id, size_t id_bytes)
{
	static char told[256];
	const struct bs_text *texts;
	size_t n_texts;
	bool is_changed;
	enum bs_status status =
		bs_document(searcher, id, id_bytes, &texts, &n_texts, &is_changed, NULL);
	int n = snprintf(told, sizeof(told), "%s",
	                 status       ? bs_status_name(status)
	                 : is_changed ? "!"
	                              : "");
	for (size_t i = 0; i < n_texts; i++)
		n += snprintf(told + n, sizeof(told) - (size_t)n, "%.*s=%.*s;",
		              (int)texts[i].field_bytes, texts[i].field, (int)texts[i].text_bytes,
		              texts[i].text);
	return told;
}

static void test_documents_by_id(void **state)
{
	const char *sources[] = {"a.jsonl", "files"};
	struct bs_build_request build = {.dir = "index", .sources = sources, .n_sources = 2};
	assert_int_equal(mkdir("files", 0777), 0);
	write_text("files/one", "a ferry\n");
	write_text("files/two", "");
	ok(bs_index_build(&build, NULL, ERR));
	struct bs_index *index = must_open("index");
	struct bs_searcher *searcher = must_searcher(index);
	for (int again = 0; again < 2; again++) {
		assert_string_equal(told_document(searcher, "1", 1),
		                    "title=Cats;text=a cat and a dog;");
		assert_string_equal(told_document(searcher, "files/one", 9), "=a ferry\n;");
		assert_string_equal(told_document(searcher, "files/two", 9), "=;");
		assert_string_equal(told_document(searcher, "1\0x", 3), "not found");
		assert_string_equal(told_document(searcher, "files/one\0", 10), "not found");
		assert_string_equal(told_document(searcher, "one", 3), "not found");
		assert_string_equal(told_document(searcher, "", 0), "not found");
	}
	write_text("a.jsonl", "{\"id\": 2, \"text\": \"still a cat\"}\n");
	write_text("files/one", "two ferries\n");
	assert_int_equal(unlink("files/two"), 0);
	assert_string_equal(told_document(searcher, "1", 1), "not found");
	assert_string_equal(told_document(searcher, "2", 1), "!text=still a cat;");
	assert_string_equal(told_document(searcher, "files/one", 9), "!=two ferries\n;");
	assert_string_equal(told_document(searcher, "files/two", 9), "not found");
	bs_searcher_free(searcher);
	bs_index_close(index);
}

/* A source changes under an open index: hits are those of the current texts; the result and, if
 * `verbose` is set, a notice report the change. */
static void test_changed_source(void **state)
{
	AUTO(bs_index_close_at) struct bs_index *index = build_and_open();
	struct bs_search_result result;
	struct heard heard = {.n_hits = 0};
	struct bs_search_request request = ask("cat", BS_SEARCH_IDS, &heard);
	write_text(records,
	           "{\"id\": 1, \"text\": \"a longer text, and no such animal in it any more\"}\n"
	           "{\"id\": 2, \"text\": \"still a cat\"}\n");
	struct bs_searcher *searcher = must_searcher(index);
	ok(bs_search(searcher, &request, &result, ERR));
	assert_string_equal(heard.ids, "2 ");
	assert_int_equal(result.changes.n_changed, 1);
	assert_non_null(strstr(result.changes.example, "a.jsonl"));
	assert_string_equal(heard.notices, "");
	ok(bs_search(searcher, &request, &result, ERR));
	assert_int_equal(result.changes.n_changed, 0);
	bs_searcher_free(searcher);
	ok(bs_searcher_new(index, &searcher, ERR));
	request.callbacks.verbose = true;
	ok(bs_search(searcher, &request, &result, ERR));
	assert_non_null(strstr(heard.notices, "a.jsonl: changed since it was indexed"));
	bs_searcher_free(searcher);
}

/* An age is counted from the time of each search, even if the searcher has searched with this age
 * before. */
static void test_ages(void **state)
{
	AUTO(bs_index_close_at) struct bs_index *index = build_and_open();
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	struct bs_search_result result;
	struct heard heard = {.n_hits = 0};
	struct bs_search_request request = ask("cat", BS_SEARCH_IDS, &heard);
	request.filter.newer = "2s";
	ok(bs_search(searcher, &request, &result, ERR));
	assert_int_equal(result.n_hits, 2);
	clock_make_old();
	ok(bs_search(searcher, &request, &result, ERR));
	assert_int_equal(result.n_hits, 0);
	clock_make_young();
}

RUN_TESTS_EACH_WITH(setup, library_teardown, test_versions_agree, test_names_are_never_null,
                    test_kernels, test_build_reports, test_build_steps, test_recorded_options,
                    test_consent, test_bad_build_requests, test_open_and_describe, test_locate,
                    test_find, test_find_by_other_words, test_find_by_statistics,
                    test_find_is_stopped, test_bad_find_requests, test_delete_and_check,
                    test_sources_are_listed, test_documents_by_id, test_changed_source, test_ages)
