/* test_grep_limits.c: tests the output, cost and memory of bs_grep with deadlines and with very
 * long lines. */
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/bitsift.h"
#include "core/program/grep_program.h"
#include "tests/rigs/clock_rig.h"
#include "tests/rigs/library_rig.h"

/* The number of readings of the clock that are allowed after the deadline has passed.
 * bench/limits_main.c measures the same in milliseconds. */
#define LATE_LOOKS 50u
#define LONG_BYTES ((size_t)24 << 20)

static char folder[FOLDER_BYTES]; /* the current directory */

static void write_file(const char *path, const char *bytes, size_t n_bytes)
{
	FILE *file = must_fopen(path, "w");
	assert_int_equal(fwrite(bytes, 1, n_bytes, file), n_bytes);
	assert_int_equal(fclose(file), 0);
}

static int setup(void **state)
{
	static const char script[] = "#!/bin/sh\ncat\nexec 1>&- 2>&-\nexec sleep 600\n";
	FREED char *bytes = must_malloc(LONG_BYTES);
	make_folder(folder);
	assert_int_equal(chdir(folder), 0);
	for (size_t i = 0; i < LONG_BYTES; i++)
		bytes[i] = "ab aa c"[i % 7];
	write_file("long_line.txt", bytes, LONG_BYTES);
	write_file("short_line.txt", bytes, 20000);
	write_file("line.txt", bytes, (size_t)2 << 20);
	for (size_t i = 40; i < LONG_BYTES; i += 41)
		bytes[i] = '\n';
	write_file("lines.txt", bytes, (size_t)2 << 20);
	write_file("many_lines.txt", bytes, LONG_BYTES);
	write_file("command", script, strlen(script));
	return chmod("command", 0700);
}

static int teardown(void **state)
{
	assert_int_equal(chdir("/"), 0);
	remove_folder(folder);
	return 0;
}

/* The output so far: n_bytes in all, at most most_bytes in one call. `text` has room for `room`
 * bytes and receives the pieces that fit; NULL: none. */
struct written {
	size_t n_bytes, most_bytes;
	char *text;
	size_t room;
};

static int take_bytes(void *context, const void *bytes, size_t n_bytes)
{
	struct written *written = context;
	if (written->text && n_bytes < written->room - written->n_bytes)
		memcpy(written->text + written->n_bytes, bytes, n_bytes);
	written->n_bytes += n_bytes;
	written->most_bytes = n_bytes > written->most_bytes ? n_bytes : written->most_bytes;
	return 0;
}

static size_t pattern_bytes;

static struct bs_grep_request request_of(const char *const *pattern, const char *const *path,
                                         struct written *written)
{
	struct bs_grep_request request = {
		.callbacks.write = take_bytes, .callbacks.context = written, .n_threads = 2};
	pattern_bytes = strlen(*pattern);
	request.pattern.patterns = pattern;
	request.pattern.pattern_bytes = &pattern_bytes;
	request.pattern.n_patterns = 1;
	request.files.paths = path;
	request.files.n_paths = 1;
	return request;
}

/* Ways to print a line with millions of matches. */
static const struct {
	struct bs_grep_output output;
	bool is_multi_line, is_colored;
} ways[] = {
	{.output.only_matching = true},
	{.output.per_match = true},
	{.output.format = BS_GREP_JSON},
	{.output.format = BS_GREP_COUNT_MATCHES},
	{.output.replacement = "<$0>", .output.replacement_bytes = 4},
	{.is_colored = true},
	{.output.only_matching = true, .is_multi_line = true},
	{.output.per_match = true, .is_multi_line = true},
	{.output.only_matching = true, .output.max_columns = 1, .output.max_columns_preview = true},
	{.output.columns = true, .output.passthru = true},
};

static void test_lone_lines_end(void **state)
{
	static const char *const patterns[] = {"a", "[ab]+"};
	const char *path = "long_line.txt";
	for (size_t i = 0; i < COUNT(patterns); i++) {
		for (size_t way = 0; way < COUNT(ways); way++) {
			struct written written = {0};
			struct bs_grep_result result;
			struct bs_limits limits = {.deadline_ns = 1000 * CLOCK_LOOK_NS,
			                           .partial = way % 2};
			struct bs_grep_request request = request_of(&patterns[i], &path, &written);
			request.limits = &limits;
			struct bs_grep_program program = {0};
			strcpy(program.colors.match, ways[way].is_colored ? "\033[1m" : "");
			request.output = ways[way].output;
			request.pattern.is_multi_line = ways[way].is_multi_line;
			clock_step(CLOCK_LOOK_NS);
			enum bs_status status =
				bs_grep_for_program(&request, &program, &result, ERR);
			/* the deadline is after 1000 readings of the clock; printing the matches
			 * found so far may take 250 more */
			assert_in_range(clock_looks(), 1, 1250 + LATE_LOOKS);
			clock_step(0);
			if (status != BS_DEADLINE &&
			    !(status == BS_OK && limits.partial && result.is_partial))
				fail_msg("%s, way %zu: %s", patterns[i], way,
				         status ? said.text : "all was done");
		}
	}
}

/* Output for the matches of a line is written before the last match is found, so that memory stays
 * small. */
static void test_output_of_a_line_is_taken_in_pieces(void **state)
{
	static const char *const pattern = "a";
	const char *path = "short_line.txt";
	for (int across = 0; across < 2; across++) {
		struct written written = {0};
		struct bs_grep_request request = request_of(&pattern, &path, &written);
		request.output.per_match = true;
		request.pattern.is_multi_line = across;
		ok(bs_grep(&request, NULL, ERR));
		assert_int_equal(written.n_bytes, (20000 / 7 * 3 + 1) * (size_t)20001);
		assert_true(written.most_bytes < 200000);
	}
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;
	for (const char *at = text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

/* Partial JSON output consists of whole lines: each file that begins has an end, and the summary
 * comes last. */
static void test_partial_json_is_whole(void **state)
{
	static const char *const pattern = "a[ab]";
	struct written written = {.room = (size_t)256 << 20};
	size_t n_begun = 0;
	written.text = must_malloc(written.room);
	for (uint64_t n_looks = 10; n_looks < 1280; n_looks *= 2) {
		for (int one = 0; one < 2; one++) {
			const char *path = one ? "lines.txt" : ".";
			struct bs_grep_result result;
			struct bs_limits limits = {.deadline_ns = n_looks * CLOCK_LOOK_NS,
			                           .partial = true};
			struct bs_grep_request request = request_of(&pattern, &path, &written);
			request.output.format = BS_GREP_JSON;
			request.limits = &limits;
			written.n_bytes = 0;
			clock_step(CLOCK_LOOK_NS);
			ok(bs_grep(&request, &result, ERR));
			clock_step(0);
			assert_true(written.n_bytes < written.room);
			written.text[written.n_bytes] = '\0';
			n_begun +=
				result.is_partial ? count(written.text, "{\"type\":\"begin\"") : 0;
			assert_int_equal(count(written.text, "{\"type\":\"begin\""),
			                 count(written.text, "{\"type\":\"end\""));
			assert_int_equal(count(written.text, "\"type\":\"summary\"}\n"), 1);
			assert_int_equal(count(written.text, "}\n"), count(written.text, "\n"));
		}
	}
	assert_true(n_begun > 0);
	free(written.text);
}

struct reader {
	struct written written;
	size_t first_bytes; /* bytes that the first flush made visible */
	size_t n_flushes;
};

static int take_for_reader(void *context, const void *bytes, size_t n_bytes)
{
	struct reader *reader = context;
	return take_bytes(&reader->written, bytes, n_bytes);
}

static void flush_to_reader(void *context)
{
	struct reader *reader = context;
	if (reader->n_flushes++ == 0)
		reader->first_bytes = reader->written.n_bytes;
}

static bool has_read_enough(void *context)
{
	const struct reader *reader = context;
	return reader->n_flushes > 0;
}

#define MANY_FILES 600u

/* The output of the first file is flushed when it is complete, not when a block is full. When the
 * reader of the output has closed the pipe, the search ends, even if no further file matches. */
static void test_first_output_is_flushed_at_once(void **state)
{
	static const char *const pattern = "needle", text[] = "a needle\n";
	const char *root = "many";
	char path[16];
	assert_int_equal(mkdir(root, 0700), 0);
	for (unsigned i = 0; i < MANY_FILES; i++) {
		snprintf(path, sizeof(path), "many/%03u", i);
		write_file(path, i < MANY_FILES / 2 ? text : "hay\n",
		           i < MANY_FILES / 2 ? strlen(text) : 4);
	}
	for (int lists = 0; lists < 2; lists++) {
		struct reader reader = {.n_flushes = 0};
		struct bs_grep_request request = request_of(&pattern, &root, &reader.written);
		struct bs_grep_program program = {.is_closed = has_read_enough,
		                                  .closed_context = &reader};
		struct bs_grep_result result;
		request.callbacks.write = take_for_reader;
		request.callbacks.flush = flush_to_reader;
		request.callbacks.context = &reader;
		request.task = lists ? BS_GREP_LIST_FILES : BS_GREP_SEARCH;
		/* The clock hardly advances, so only the first output is flushed. */
		clock_step(1);
		ok(bs_grep_for_program(&request, &program, &result, ERR));
		size_t line_bytes = lists ? strlen(path) + 1 : strlen(text);
		assert_int_equal(reader.first_bytes, line_bytes);
		assert_int_equal(reader.n_flushes, 1);
		assert_int_equal(reader.written.n_bytes,
		                 line_bytes * (lists ? MANY_FILES : MANY_FILES / 2));
		/* Each reading advances the clock by a millisecond, so each output is flushed. From
		 * the first flush on, has_read_enough asks to stop. A search stops at the first
		 * file without output, a list after its first path. */
		reader = (struct reader){.n_flushes = 0};
		clock_step(1000000);
		assert_int_equal(bs_grep_for_program(&request, &program, &result, ERR), BS_STOPPED);
		clock_step(0);
		size_t n_outputs = lists ? 1 : MANY_FILES / 2;
		assert_int_equal(reader.n_flushes, n_outputs);
		assert_int_equal(reader.written.n_bytes, n_outputs * line_bytes);
		assert_int_equal(result.n_files, lists ? 0 : MANY_FILES / 2);
	}
}

static atomic_size_t n_stats;

/* Replaces the C library's fstatat, to count the files that the library checks. */
int fstatat(int at, const char *path, struct stat *found, int flags)
{
	atomic_fetch_add(&n_stats, 1);
	return (int)syscall(SYS_newfstatat, at, path, found, flags);
}

#define FOLDERS     40
#define FOLDER_DOCS 150

/* A grep of one subfolder of a source checks the files of that subfolder for changes, and few files
 * of the subfolders next to it. */
static void test_only_searched_files_are_checked(void **state)
{
	static const char *const pattern = "needle";
	const char *source = "tree";
	char path[16];
	assert_int_equal(mkdir(source, 0700), 0);
	for (int i = 0; i < FOLDERS; i++) {
		snprintf(path, sizeof(path), "tree/%02d", i);
		assert_int_equal(mkdir(path, 0700), 0);
		for (int j = 0; j < FOLDER_DOCS; j++) {
			snprintf(path, sizeof(path), "tree/%02d/%03d", i, j);
			write_file(path, j ? "hay\n" : "needle\n", j ? 4 : 7);
		}
	}
	struct bs_build_request build = {
		.dir = "index", .sources = &source, .n_sources = 1, .index.grams = true};
	clock_make_old();
	ok(bs_index_build(&build, NULL, ERR));
	for (int i = 0; i <= FOLDERS; i++) {
		struct written written = {0};
		struct bs_grep_result result;
		const char *root = i < FOLDERS ? path : source;
		struct bs_grep_request request = request_of(&pattern, &root, &written);
		request.index.dir = "index";
		snprintf(path, sizeof(path), "tree/%02d", i);
		atomic_store(&n_stats, 0);
		ok(bs_grep(&request, &result, ERR));
		assert_int_equal(result.n_files, i < FOLDERS ? 1 : FOLDERS);
		/* at most five chunks of 128 files: three with files of the folder, two ahead */
		if (i < FOLDERS)
			assert_in_range(atomic_load(&n_stats), FOLDER_DOCS - 1, 5 * 128);
		else
			assert_in_range(atomic_load(&n_stats), FOLDERS * (FOLDER_DOCS - 1),
			                FOLDERS * (FOLDER_DOCS + 20));
	}
	clock_make_young();
}

/* The clock is read rarely enough to cost little time. */
static void test_limits_cost_little(void **state)
{
	static const char *const patterns[] = {"[ab]+", "\\w+"};
	const char *path = "many_lines.txt";
	struct bs_limits limits = {.deadline_ns = UINT64_C(300000000000)};
	for (size_t i = 0; i < COUNT(patterns); i++) {
		struct written written = {0};
		struct bs_grep_request request = request_of(&patterns[i], &path, &written);
		request.output.format = i ? BS_GREP_LINES : BS_GREP_COUNT;
		request.limits = &limits;
		clock_step(CLOCK_LOOK_NS);
		ok(bs_grep(&request, NULL, ERR));
		/* the clock is read at most four times per line of 41 bytes, not once per byte */
		assert_in_range(clock_looks(), 1, LONG_BYTES / 41 * 4);
		clock_step(0);
	}
}

/* A text has many matches, in many lines or in one line. Finding the lines of each match must begin
 * at the lines of the match before it; beginning at the start of the text would exceed the time
 * limit of a test. */
static void test_lines_of_matches_are_found_in_order(void **state)
{
	static const char *const patterns[] = {"\\w?\\n", "b\\n?"};
	static const char *const paths[] = {"lines.txt", "line.txt"};
	for (size_t i = 0; i < COUNT(patterns); i++) {
		struct written written = {0};
		struct bs_grep_request request = request_of(&patterns[i], &paths[i], &written);
		request.output.per_match = request.pattern.is_multi_line = true;
		/* otherwise the line would be printed once per match */
		request.output.only_matching = i == 1;
		ok(bs_grep(&request, NULL, ERR));
		if (i == 0)
			assert_int_equal(written.n_bytes, ((size_t)2 << 20) / 41 * 41);
	}
}

/* A preprocessor that never ends is killed at the deadline; its output so far counts. */
static void test_commands_are_not_waited_for(void **state)
{
	static const char *const pattern = "aa";
	const char *path = "short_line.txt";
	struct written written = {0};
	struct bs_grep_result result;
	struct bs_limits limits = {.deadline_ns = 200000000, .partial = true};
	struct bs_grep_request request = request_of(&pattern, &path, &written);
	request.files.preprocessor = "./command";
	request.limits = &limits;
	ok(bs_grep(&request, &result, ERR));
	assert_true(result.is_partial);
	assert_int_equal(written.n_bytes, 20001);
}

RUN_TESTS_WITH(setup, teardown, test_lone_lines_end, test_output_of_a_line_is_taken_in_pieces,
               test_partial_json_is_whole, test_first_output_is_flushed_at_once,
               test_only_searched_files_are_checked, test_limits_cost_little,
               test_lines_of_matches_are_found_in_order, test_commands_are_not_waited_for)
