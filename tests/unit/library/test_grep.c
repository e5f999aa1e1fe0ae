/* test_grep.c: bs_grep, linked with the library only: its output equals that of the program, and
 * lines are passed as structs. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bitsift.h>

#include "tests/rigs/clock_rig.h"
#include "tests/rigs/library_rig.h"

#define N_FILES 60

static char folder[FOLDER_BYTES];

static void write_bytes(const char *path, const char *text, size_t text_bytes)
{
	FILE *file = must_fopen(path, "w");
	assert_int_equal(fwrite(text, 1, text_bytes, file), text_bytes);
	assert_int_equal(fclose(file), 0);
}

/* Makes tree/00 ... tree/59, every fifth of which contains the word rare, the binary file
 * tree/zero, and an index of them; then tree/03 changes. */
static int setup(void **state)
{
	const char *source = "tree";
	struct bs_build_request build = {
		.dir = "index", .sources = &source, .n_sources = 1, .index.grams = true};
	char path[32], text[256];
	enter_new_folder(folder);
	assert_int_equal(mkdir(source, 0777), 0);
	for (int i = 0; i < N_FILES; i++) {
		snprintf(path, sizeof(path), "tree/%02d", i);
		snprintf(text, sizeof(text), "first of %d\n%s word, Rare %s\nlast\n", i,
		         i % 5 ? "common" : "rare", i % 7 ? "\xff" : "one");
		write_text(path, text);
	}
	write_bytes("tree/zero", "rare\0rare\n", 10);
	clock_make_old();
	ok(bs_index_build(&build, NULL, ERR));
	write_text("tree/03", "rare now\n");
	return 0;
}

static int teardown(void **state)
{
	remove_folder(folder);
	return chdir("/");
}

/* The data that the callbacks received. */
struct heard {
	char text[65536];
	size_t n_bytes;
	int n_calls, n_wanted; /* stop after this number of calls; 0: never */
	atomic_int n_flushes;
	char notice[256];
};

static int take_bytes(void *context, const void *bytes, size_t n_bytes)
{
	struct heard *heard = context;
	assert_true(n_bytes < sizeof(heard->text) - heard->n_bytes);
	memcpy(heard->text + heard->n_bytes, bytes, n_bytes);
	heard->n_bytes += n_bytes;
	heard->text[heard->n_bytes] = '\0';
	return ++heard->n_calls == heard->n_wanted;
}

/* Appends path:number:offset:[matches]text. */
static int take_line(void *context, const struct bs_grep_line *line)
{
	char text[512];
	int n = snprintf(text, sizeof(text), "%s%c%llu:%llu:", line->path,
	                 line->is_context ? '-' : ':', (unsigned long long)line->number,
	                 (unsigned long long)line->byte_off);
	for (size_t i = 0; i < line->n_matches; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "[%zu,%zu)",
		              line->matches[i].start, line->matches[i].end);
	if (line->text)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%.*s", (int)line->text_bytes,
		              line->text);
	return take_bytes(context, text, (size_t)n);
}

static void take_flush(void *context)
{
	struct heard *heard = context;
	atomic_fetch_add(&heard->n_flushes, 1);
}

static void take_notice(void *context, const char *message)
{
	struct heard *heard = context;
	snprintf(heard->notice, sizeof(heard->notice), "%s", message);
}

static const char *const tree = "tree";

/* Returns a request for the pattern, which it borrows. */
static struct bs_grep_request ask(const char *const *pattern, struct heard *heard)
{
	static size_t pattern_bytes;
	pattern_bytes = strlen(*pattern);
	*heard = (struct heard){.n_bytes = 0};
	return (struct bs_grep_request){
		.pattern = {.patterns = pattern, .pattern_bytes = &pattern_bytes, .n_patterns = 1},
		.files = {.paths = &tree, .n_paths = 1},
		.output = {.with_path = true},
		.callbacks.write = take_bytes,
		.callbacks.notice = take_notice,
		.callbacks.context = heard};
}

static void expect_program(const char *arguments, const struct heard *heard)
{
	static char text[65536];
	char command[512];
	snprintf(command, sizeof(command), "%s grep %s </dev/null", BITSIFT, arguments);
	FILE *program = popen(command, "r");
	assert_non_null(program);
	size_t n = fread(text, 1, sizeof(text) - 1, program);
	text[n] = '\0';
	pclose(program);
	assert_string_equal(heard->text, text);
	assert_int_equal(heard->n_bytes, n);
}

static void test_writes_what_the_program_prints(void **state)
{
	const char *pattern = "rare.*|[l]ast";
	const struct {
		const char *arguments;
		struct bs_grep_output output;
	} rows[] = {
		{"'rare.*|[l]ast' tree", {.with_path = true}},
		{"-n -C1 'rare.*|[l]ast' tree",
	         {.with_path = true, .line_numbers = true, .before = 1, .after = 1}},
		{"-c 'rare.*|[l]ast' tree", {.with_path = true, .format = BS_GREP_COUNT}},
		{"-l 'rare.*|[l]ast' tree", {.with_path = true, .format = BS_GREP_FILES_WITH}},
		{"--files-without-match 'rare.*|[l]ast' tree",
	         {.with_path = true, .format = BS_GREP_FILES_WITHOUT}},
		{"-I -m1 -o 'rare.*|[l]ast' tree", {.only_matching = true, .max_count = 1}},
		{"-v --heading 'rare.*|[l]ast' tree",
	         {.with_path = true, .invert = true, .heading = true}},
		{"--vimgrep 'rare.*|[l]ast' tree",
	         {.with_path = true, .line_numbers = true, .columns = true, .per_match = true}},
		{"-r x -B1 --context-separator=== 'rare.*|[l]ast' tree",
	         {.with_path = true,
	          .replacement = "x",
	          .replacement_bytes = 1,
	          .before = 1,
	          .group_separator = {"==", 2}}},
	};
	struct heard heard;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct bs_grep_request request = ask(&pattern, &heard);
		request.output = rows[i].output;
		ok(bs_grep(&request, NULL, ERR));
		expect_program(rows[i].arguments, &heard);
	}
	const char *one[] = {"first of [0-9]1$", "RARE"};
	const size_t one_bytes[] = {16, 4};
	struct bs_grep_request request = ask(one, &heard);
	request.pattern = (struct bs_grep_pattern){.patterns = one,
	                                           .pattern_bytes = one_bytes,
	                                           .n_patterns = 2,
	                                           .letter_case = BS_GREP_CASE_INSENSITIVE,
	                                           .is_word = true};
	request.files.globs = (const char *const[]){"*1", "!21", NULL};
	ok(bs_grep(&request, NULL, ERR));
	expect_program("-i -w -e 'first of [0-9]1$' -e RARE -g '*1' -g '!21' tree", &heard);
}

/* Which lines of a file are printed, and the separators between them. */
static void test_lines_of_a_file(void **state)
{
	static const char text[] = "a\nb cat\nc\nd Cat\ne\nf cat\r\ng\n\r\n", *const path = "lines";
	static const struct {
		const char *pattern;
		struct bs_grep_output output;
		bool crlf;
		const char *printed;
	} cases[] = {
		{"cat", {.before = 1}, false, "1-a\n2:b cat\n--\n5-e\n6:f cat\r\n"},
		{"cat",
	         {.before = 1, .after = 1},
	         false,
	         "1-a\n2:b cat\n3-c\n--\n5-e\n6:f cat\r\n7-g\n"},
		{"b cat|^d", {.after = 1}, false, "2:b cat\n3-c\n4:d Cat\n5-e\n"},
		{"b cat|^d",
	         {.before = 9, .after = 9},
	         false,
	         "1-a\n2:b cat\n3-c\n4:d Cat\n5-e\n6-f cat\r\n7-g\n8-\r\n"},
		{"cat", {.max_count = 1}, false, "2:b cat\n"},
		{"[bcdef]", {.invert = true}, false, "1:a\n7:g\n8:\r\n"},
		{"cat$", {.before = 0}, false, "2:b cat\n"},
		{"cat$", {.before = 0}, true, "2:b cat\n6:f cat\r\n"},
		{"^$", {.before = 0}, true, "8:\r\n"},
		{"^$", {.before = 0}, false, ""},
		{"Cat", {.only_matching = true}, false, "4:Cat\n"},
	};
	static struct heard heard;
	write_bytes(path, text, sizeof(text) - 1);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bs_grep_request request = ask(&cases[i].pattern, &heard);
		request.files.paths = &path;
		request.output = cases[i].output;
		request.output.line_numbers = true;
		request.pattern.crlf = cases[i].crlf;
		ok(bs_grep(&request, NULL, ERR));
		assert_string_equal(heard.text, cases[i].printed);
	}
}

/* Searching a file in a folder ends at its first NUL byte, even if more of it has been read. */
static void test_late_nul(void **state)
{
	static const char *const pattern = "needle", *const path = "late";
	static char text[300000];
	static struct heard heard;
	struct bs_grep_result result;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 50 ? 'x' : '\n';
	memcpy(text + sizeof(text) - 10, "\0\nneedle\n", 9);
	assert_int_equal(mkdir(path, 0777), 0);
	write_bytes("late/file", text, sizeof(text));
	struct bs_grep_request request = ask(&pattern, &heard);
	request.files.paths = &path;
	ok(bs_grep(&request, &result, ERR));
	assert_false(result.has_match);
	assert_int_equal(heard.n_bytes, 0);
}

static void test_index_changes_nothing(void **state)
{
	static struct heard without, with;
	const char *pattern = "rare [wn]o";
	struct bs_grep_result result;
	struct bs_grep_request request = ask(&pattern, &without);
	ok(bs_grep(&request, &result, ERR));
	assert_int_equal(result.n_files, N_FILES + 1);
	/* also tree/03; tree/zero is binary */
	assert_int_equal(result.n_with_match, N_FILES / 5 + 1);
	assert_int_equal(result.n_ruled_out + result.n_notices, 0);
	request = ask(&pattern, &with);
	request.index.dir = "index";
	ok(bs_grep(&request, &result, ERR));
	assert_string_equal(with.text, without.text);
	assert_true(result.has_match && result.n_ruled_out > N_FILES / 2);
	request = ask(&pattern, &with);
	request.index.dir = "index";
	request.index.no_stat = true;
	ok(bs_grep(&request, NULL, ERR));
	assert_null(strstr(with.text, "tree/03"));
	expect_program("--index index --no-stat 'rare [wn]o' tree", &with);
}

static void test_lines_as_structs(void **state)
{
	static struct heard heard;
	const char *pattern = "(?i)rare";
	struct bs_grep_result result;
	struct bs_grep_request request = ask(&pattern, &heard);
	request.callbacks.write = NULL;
	request.callbacks.line = take_line;
	request.output = (struct bs_grep_output){.line_numbers = true, .before = 1};
	request.files.globs = (const char *const[]){"0[0-6]", NULL};
	request.n_threads = 3;
	ok(bs_grep(&request, &result, ERR));
	assert_string_equal(heard.text, "tree/00-1:0:first of 0\n"
	                                "tree/00:2:11:[0,4)[11,15)rare word, Rare one\n"
	                                "tree/01-1:0:first of 1\n"
	                                "tree/01:2:11:[13,17)common word, Rare \xff\n"
	                                "tree/02-1:0:first of 2\n"
	                                "tree/02:2:11:[13,17)common word, Rare \xff\n"
	                                "tree/03:1:0:[0,4)rare now\n"
	                                "tree/04-1:0:first of 4\n"
	                                "tree/04:2:11:[13,17)common word, Rare \xff\n"
	                                "tree/05-1:0:first of 5\n"
	                                "tree/05:2:11:[0,4)[11,15)rare word, Rare \xff\n"
	                                "tree/06-1:0:first of 6\n"
	                                "tree/06:2:11:[13,17)common word, Rare \xff\n");
	assert_int_equal(result.n_with_match, 7);
	request.callbacks.context = memset(&heard, 0, sizeof(heard));
	request.pattern.is_multi_line = true;
	*(const char **)(uintptr_t)request.pattern.patterns = "1\ncom";
	*(size_t *)(uintptr_t)request.pattern.pattern_bytes = 5;
	ok(bs_grep(&request, NULL, ERR));
	assert_string_equal(heard.text, "tree/01:1:0:[9,14)first of 1\ncommon word, Rare \xff\n");
	/* A file that is named is searched to its end despite a NUL byte, as with --json. */
	const char *named = "tree/zero";
	pattern = "rare";
	request = ask(&pattern, &heard);
	request.files.paths = &named;
	request.callbacks.line = take_line;
	ok(bs_grep(&request, NULL, ERR));
	assert_int_equal(heard.n_calls, 1);
	assert_memory_equal(heard.text, "tree/zero:0:0:[0,4)[5,9)rare", 28);
}

/* Appends the line, then number:text of its function line. */
static int take_enclosed(void *context, const struct bs_grep_line *line)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "%llu:%.*s", (unsigned long long)line->function_number,
	                 (int)line->function_bytes, line->function ? line->function : "");
	int status = take_line(context, line);
	return status ? status : take_bytes(context, text, (size_t)n);
}

static void take_results(void *context, const struct bs_grep_results *results)
{
	struct heard *heard = context;
	snprintf(heard->notice, sizeof(heard->notice), "%llu of %llu in %llu %s",
	         (unsigned long long)results->n_shown, (unsigned long long)results->n_found,
	         (unsigned long long)results->n_files,
	         results->resume_token ? results->resume_token : "end");
}

static void test_lines_are_enclosed_chosen_and_counted(void **state)
{
	static const char c[] = "static int\nf(void)\n{\n\tcall(a);\n\tcall(b);\n}\n",
			  *path = "enclosed.c";
	const char *pattern = "call", *ands[] = {"[ab]", "\\)", NULL}, *nots[] = {"b", NULL};
	static struct heard heard;
	struct bs_grep_request request = ask(&pattern, &heard);
	write_text(path, c);
	request.files.paths = &path;
	request.callbacks.line = take_enclosed;
	request.callbacks.results = take_results;
	request.output.line_numbers = request.output.show_function = true;
	request.output.max_results = 1;
	request.output.before = 1;
	request.conditions.all_of = ands;
	ok(bs_grep(&request, NULL, ERR));
	assert_string_equal(heard.text,
	                    "enclosed.c-3:19:{\n0:enclosed.c:4:21:[1,5)\tcall(a);\n2:f(void)\n");
	assert_string_equal(heard.notice, "1 of 2 in 1 enclosed.c:4");

	heard = (struct heard){.n_bytes = 0};
	request.output.resume_token = "enclosed.c:4";
	request.output.before = 0;
	ok(bs_grep(&request, NULL, ERR));
	assert_string_equal(heard.text, "enclosed.c:5:31:[1,5)\tcall(b);\n2:f(void)\n");
	assert_string_equal(heard.notice, "1 of 1 in 1 end");

	heard = (struct heard){.n_bytes = 0};
	request.output.resume_token = NULL;
	request.conditions.none_of = nots;
	request.conditions.by_file = true;
	ok(bs_grep(&request, NULL, ERR));
	assert_string_equal(heard.notice, "0 of 0 in 0 end");
	request.output.resume_token = "elsewhere.c:4";
	assert_int_equal(bs_grep(&request, NULL, NULL), BS_INVALID);
}

static void test_tasks(void **state)
{
	static struct heard heard;
	const char *pattern = "rare now";
	struct bs_grep_result result;
	struct bs_grep_request request = ask(&pattern, &heard);
	request.index.dir = "index";
	request.task = BS_GREP_LIST_CANDIDATES;
	ok(bs_grep(&request, NULL, ERR));
	expect_program("--index index --candidates 'rare now' tree", &heard);
	request.callbacks.line = take_line;
	request.callbacks.context = memset(&heard, 0, sizeof(heard));
	ok(bs_grep(&request, NULL, ERR));
	assert_non_null(strstr(heard.text, "tree/03:0:0:"));
	/* A file that the index does not know may match, unless no_stat is set. */
	write_text("tree/new", "nothing of that kind\n");
	for (int no_stat = 0; no_stat < 2; no_stat++) {
		pattern = "rare [wn]o";
		request = ask(&pattern, &heard);
		request.index.dir = "index";
		request.index.no_stat = no_stat;
		request.task = BS_GREP_LIST_CANDIDATES;
		ok(bs_grep(&request, &result, ERR));
		assert_true(result.has_match);
		assert_non_null(strstr(heard.text, "tree/00\ntree/"));
		assert_int_equal(strstr(heard.text, "tree/new") == NULL, no_stat);
		assert_int_equal(strstr(heard.text, "tree/03") == NULL, no_stat);
		assert_null(strstr(heard.text, "tree/01"));
	}
	assert_int_equal(unlink("tree/new"), 0);
	pattern = "rare now";
	request = ask(&pattern, &heard);
	request.task = BS_GREP_LIST_FILES;
	ok(bs_grep(&request, &result, ERR));
	assert_true(result.has_match);
	expect_program("--files tree", &heard);
	request = ask(&pattern, &heard);
	request.task = BS_GREP_CHECK;
	request.callbacks.write = NULL;
	ok(bs_grep(&request, &result, ERR));
	assert_int_equal(result.n_files, 0);
	request.task = BS_GREP_SEARCH;
	request.output.format = BS_GREP_QUIET;
	ok(bs_grep(&request, &result, ERR));
	assert_true(result.has_match && result.n_with_match == 1);
}

static void test_stop(void **state)
{
	static const enum bs_grep_task tasks[] = {BS_GREP_SEARCH, BS_GREP_LIST_FILES,
	                                          BS_GREP_LIST_CANDIDATES};
	static struct heard heard;
	const char *pattern = "word";
	struct bs_grep_result result;
	for (size_t i = 0; i < 2 * COUNT(tasks); i++) {
		struct bs_grep_request request = ask(&pattern, &heard);
		request.callbacks.line = i % 2 ? take_line : NULL;
		request.task = tasks[i / 2];
		request.index.dir = request.task == BS_GREP_LIST_CANDIDATES ? "index" : NULL;
		heard.n_wanted = 3;
		assert_int_equal(bs_grep(&request, &result, NULL), BS_STOPPED);
		assert_int_equal(heard.n_calls, 3);
		assert_true(result.has_match);
	}
}

/* The output of test_flush. write_pipe writes a line into a pipe, and a second line once the first
 * has been passed on. */
static struct heard piped;

static void *write_pipe(void *path)
{
	FILE *pipe = fopen(path, "w");
	assert_non_null(pipe);
	fprintf(pipe, "one rare line\n");
	assert_int_equal(fflush(pipe), 0);
	for (int i = 0; i < 1000 && !atomic_load(&piped.n_flushes); i++)
		usleep(10000);
	fprintf(pipe, "%d flushes, rare\n", atomic_load(&piped.n_flushes) > 0);
	assert_int_equal(fclose(pipe), 0);
	return NULL;
}

/* Matches in a stream are passed on before the search waits for more input. When `flush` is called
 * depends on output.buffering. */
static void test_flush(void **state)
{
	static char path[] = "pipe";
	const char *pattern = "rare", *paths[] = {"tree/00", path, "tree/05"};
	pthread_t writer;
	assert_int_equal(mkfifo(path, 0600), 0);
	struct bs_grep_request request = ask(&pattern, &piped);
	request.files.paths = paths;
	request.files.n_paths = 3;
	request.n_threads = 3;
	request.callbacks.flush = take_flush;
	assert_int_equal(pthread_create(&writer, NULL, write_pipe, path), 0);
	ok(bs_grep(&request, NULL, ERR));
	assert_int_equal(pthread_join(writer, NULL), 0);
	assert_string_equal(
		piped.text,
		"tree/00:rare word, Rare one\npipe:one rare line\npipe:1 flushes, rare\n"
		"tree/05:rare word, Rare \xff\n");
	request = ask(&pattern, &piped);
	request.callbacks.flush = take_flush;
	request.output.buffering = BS_GREP_BUFFER_LINES;
	ok(bs_grep(&request, NULL, ERR));
	assert_int_equal(piped.n_flushes, piped.n_calls);
	request.output.buffering = BS_GREP_BUFFER_BLOCKS;
	piped.n_flushes = 0;
	piped.n_bytes = 0;
	ok(bs_grep(&request, NULL, ERR));
	assert_int_equal(piped.n_flushes, 0);
	assert_int_equal(unlink(path), 0);
}

/* Expects that bs_grep refuses the request with this change. */
#define REFUSED(status, ...)                                            \
	do {                                                            \
		request = ask(&pattern, &heard);                        \
		request.__VA_ARGS__;                                    \
		assert_int_equal(bs_grep(&request, NULL, ERR), status); \
	} while (0)

static void test_bad_requests(void **state)
{
	static struct heard heard;
	const char *pattern = "a(b";
	struct bs_grep_result result;
	struct bs_grep_request request = ask(&pattern, &heard);
	expect_error(bs_grep(&request, NULL, ERR), BS_INVALID, "the pattern does not compile");
	pattern = "word";
	REFUSED(BS_INVALID, callbacks.write = NULL);
	REFUSED(BS_INVALID, pattern.is_word = request.pattern.is_line = true);
	REFUSED(BS_UNSUPPORTED, reserved[5] = 1);
	REFUSED(BS_UNSUPPORTED, kernel = "none");
	REFUSED(BS_UNSUPPORTED, files.encoding = "none such");
	REFUSED(BS_INVALID, files.types = (const char *const[]){"none such", NULL});
	REFUSED(BS_NOT_FOUND, index.dir = "none");
	request.index.is_optional = true;
	ok(bs_grep(&request, &result, ERR));
	assert_int_equal(result.n_notices, 1);
	assert_int_equal(result.n_files, N_FILES + 1);
	assert_non_null(strstr(heard.notice, "none"));
	/* A missing file causes a notice; the others are searched. */
	const char *paths[] = {"tree/00", "tree/none", "tree/01"};
	request = ask(&pattern, &heard);
	request.files.paths = paths;
	request.files.n_paths = 3;
	ok(bs_grep(&request, &result, ERR));
	assert_int_equal(result.n_files, 2);
	assert_int_equal(result.n_notices, 1);
	assert_non_null(strstr(heard.notice, "tree/none"));
}

RUN_TESTS_WITH(setup, teardown, test_writes_what_the_program_prints, test_lines_of_a_file,
               test_late_nul, test_index_changes_nothing, test_lines_as_structs,
               test_lines_are_enclosed_chosen_and_counted, test_tasks, test_stop, test_flush,
               test_bad_requests)
