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

struct rig {
	char folder[FOLDER_BYTES], long_line[96], short_line[96], line[96], lines[96],
		many_lines[96], command[96];
};

static void write_file(const char *path, const char *bytes, size_t n_bytes)
{
	FILE *file = must_fopen(path, "w");
	assert_int_equal(fwrite(bytes, 1, n_bytes, file), n_bytes);
	assert_int_equal(fclose(file), 0);
}

static int setup(void **rig_out)
{
	static const char script[] = "#!/bin/sh\ncat\nexec 1>&- 2>&-\nexec sleep 600\n";
	struct rig *rig = must_calloc(1, sizeof(*rig));
	char *bytes = malloc(LONG_BYTES);
	assert_non_null(bytes);
	make_folder(rig->folder);
	snprintf(rig->long_line, sizeof(rig->long_line), "%s/long.txt", rig->folder);
	snprintf(rig->short_line, sizeof(rig->short_line), "%s/short.txt", rig->folder);
	snprintf(rig->line, sizeof(rig->line), "%s/line.txt", rig->folder);
	snprintf(rig->lines, sizeof(rig->lines), "%s/lines.txt", rig->folder);
	snprintf(rig->many_lines, sizeof(rig->many_lines), "%s/many.txt", rig->folder);
	snprintf(rig->command, sizeof(rig->command), "%s/command", rig->folder);
	for (size_t i = 0; i < LONG_BYTES; i++)
		bytes[i] = "ab aa c"[i % 7];
	write_file(rig->long_line, bytes, LONG_BYTES);
	write_file(rig->short_line, bytes, 20000);
	write_file(rig->line, bytes, (size_t)2 << 20);
	for (size_t i = 40; i < LONG_BYTES; i += 41)
		bytes[i] = '\n';
	write_file(rig->lines, bytes, (size_t)2 << 20);
	write_file(rig->many_lines, bytes, LONG_BYTES);
	write_file(rig->command, script, strlen(script));
	assert_int_equal(chmod(rig->command, 0700), 0);
	free(bytes);
	*rig_out = rig;
	return 0;
}

static int teardown(void **rig_in)
{
	FREED struct rig *rig = *rig_in;
	remove_folder(rig->folder);
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

/* Chooses one of the output formats for a line with millions of matches. */
static void choose_output(struct bs_grep_request *request, struct bs_grep_program *program, int way)
{
	struct bs_grep_output *output = &request->output;
	switch (way) {
	case 0:
		output->only_matching = true;
		break;
	case 1:
		output->per_match = true;
		break;
	case 2:
		output->format = BS_GREP_JSON;
		break;
	case 3:
		output->format = BS_GREP_COUNT_MATCHES;
		break;
	case 4:
		output->replacement = "<$0>";
		output->replacement_bytes = 4;
		break;
	case 5:
		strcpy(program->colors.match, "\033[1m");
		break;
	case 6:
		output->only_matching = request->pattern.is_multi_line = true;
		break;
	case 7:
		output->per_match = request->pattern.is_multi_line = true;
		break;
	case 8:
		output->only_matching = true;
		output->max_columns = 1;
		output->max_columns_preview = true;
		break;
	default:
		output->columns = true;
		output->passthru = true;
		break;
	}
}

#define WAYS 10

static void test_lone_lines_end(void **rig_in)
{
	static const char *const patterns[] = {"a", "[ab]+"};
	struct rig *rig = *rig_in;
	const char *path = rig->long_line;
	for (size_t i = 0; i < COUNT(patterns); i++) {
		for (int way = 0; way < WAYS; way++) {
			struct written written = {0};
			struct bs_grep_result result;
			struct bs_limits limits = {.deadline_ns = 1000 * CLOCK_LOOK_NS,
			                           .partial = way % 2};
			struct bs_grep_request request = request_of(&patterns[i], &path, &written);
			request.limits = &limits;
			struct bs_grep_program program = {0};
			choose_output(&request, &program, way);
			clock_step(CLOCK_LOOK_NS);
			enum bs_status status =
				bs_grep_for_program(&request, &program, &result, ERR);
			/* the deadline is after 1000 readings of the clock; printing the matches
			 * found so far may take 250 more */
			assert_in_range(clock_looks(), 1, 1250 + LATE_LOOKS);
			clock_step(0);
			if (status != BS_DEADLINE &&
			    !(status == BS_OK && limits.partial && result.is_partial))
				fail_msg("%s, way %d: %s", patterns[i], way,
				         status ? said.text : "all was done");
		}
	}
}

/* Output for the matches of a line is written before the last match is found, so that memory stays
 * small. */
static void test_output_of_a_line_is_taken_in_pieces(void **rig_in)
{
	static const char *const pattern = "a";
	struct rig *rig = *rig_in;
	const char *path = rig->short_line;
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
static void test_partial_json_is_whole(void **rig_in)
{
	static const char *const pattern = "a[ab]";
	struct rig *rig = *rig_in;
	struct written written = {.room = (size_t)256 << 20};
	size_t n_begun = 0;
	written.text = malloc(written.room);
	assert_non_null(written.text);
	for (uint64_t n_looks = 10; n_looks < 1280; n_looks *= 2) {
		for (int one = 0; one < 2; one++) {
			const char *path = one ? rig->lines : rig->folder;
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
static void test_first_output_is_flushed_at_once(void **rig_in)
{
	static const char *const pattern = "needle", text[] = "a needle\n";
	char folder[FOLDER_BYTES], path[FOLDER_BYTES + 16];
	const char *root = folder;
	make_folder(folder);
	for (unsigned i = 0; i < MANY_FILES; i++) {
		snprintf(path, sizeof(path), "%s/%03u", folder, i);
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
	remove_folder(folder);
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
static void test_only_searched_files_are_checked(void **rig_in)
{
	static const char *const pattern = "needle";
	char folder[FOLDER_BYTES], tree[96], path[128], dir[96];
	const char *root = path, *source = tree;
	make_folder(folder);
	snprintf(tree, sizeof(tree), "%s/tree", folder);
	snprintf(dir, sizeof(dir), "%s/index", folder);
	assert_int_equal(mkdir(tree, 0700), 0);
	for (int i = 0; i < FOLDERS; i++) {
		snprintf(path, sizeof(path), "%s/%02d", tree, i);
		assert_int_equal(mkdir(path, 0700), 0);
		for (int j = 0; j < FOLDER_DOCS; j++) {
			snprintf(path, sizeof(path), "%s/%02d/%03d", tree, i, j);
			write_file(path, j ? "hay\n" : "needle\n", j ? 4 : 7);
		}
	}
	struct bs_build_request build = {
		.dir = dir, .sources = &source, .n_sources = 1, .index.grams = true};
	clock_make_old();
	ok(bs_index_build(&build, NULL, ERR));
	for (int i = 0; i <= FOLDERS; i++) {
		struct written written = {0};
		struct bs_grep_result result;
		struct bs_grep_request request = request_of(&pattern, &root, &written);
		request.index.dir = dir;
		if (i < FOLDERS)
			snprintf(path, sizeof(path), "%s/%02d", tree, i);
		else
			snprintf(path, sizeof(path), "%s", tree);
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
	remove_folder(folder);
}

/* The clock is read rarely enough to cost little time. */
static void test_limits_cost_little(void **rig_in)
{
	static const char *const patterns[] = {"[ab]+", "\\w+"};
	struct rig *rig = *rig_in;
	const char *path = rig->many_lines;
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
static void test_lines_of_matches_are_found_in_order(void **rig_in)
{
	static const char *const patterns[] = {"\\w?\\n", "b\\n?"};
	struct rig *rig = *rig_in;
	const char *const paths[] = {rig->lines, rig->line};
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
static void test_commands_are_not_waited_for(void **rig_in)
{
	static const char *const pattern = "aa";
	struct rig *rig = *rig_in;
	const char *path = rig->short_line;
	struct written written = {0};
	struct bs_grep_result result;
	struct bs_limits limits = {.deadline_ns = 200000000, .partial = true};
	struct bs_grep_request request = request_of(&pattern, &path, &written);
	request.files.preprocessor = rig->command;
	request.limits = &limits;
	ok(bs_grep(&request, &result, ERR));
	assert_true(result.is_partial);
	assert_int_equal(written.n_bytes, 20001);
}

RUN_TESTS_WITH(setup, teardown, test_lone_lines_end, test_output_of_a_line_is_taken_in_pieces,
               test_partial_json_is_whole, test_first_output_is_flushed_at_once,
               test_only_searched_files_are_checked, test_limits_cost_little,
               test_lines_of_matches_are_found_in_order, test_commands_are_not_waited_for)
