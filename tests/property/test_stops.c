/*
 * test_stops.c: every phase of a call must ask often enough whether it should stop. One thread
 * indexes, compacts, checks and searches hostile inputs. Between two asks a call copies, compares,
 * scans and writes at most LONG_TIMES times the input's bytes plus LONG_BYTES. signals.sh and
 * bench/limits_main.c measure the time.
 *
 * Arguments: [NAME]: only inputs whose name contains it. With NAME, the longest gap of each call is
 * printed.
 */
#include <execinfo.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift/grep.h"
#include "core/bitsift/index.h"
#include "core/bitsift/limits.h"
#include "core/bitsift/search.h"
#include "tests/rigs/clock_rig.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/library_rig.h"

#define SIZE_BYTES  ((size_t)1000000) /* of each input */
#define MOST_FRAMES 40
/* A call may process LONG_TIMES times the input's bytes plus LONG_BYTES between two asks. STEP_NS:
 * each reading of the clock advances it so far that the library asks again. */
#define LONG_TIMES 2
#define LONG_BYTES 3e6
#define STEP_NS    (10 * CLOCK_LOOK_NS)
/* The stop callback ends a query or search after MOST_LOOKS readings of the clock. A search for
 * QUADRATIC ends after QUADRATIC_LOOKS, because PCRE2 takes milliseconds between two readings. */
#define MOST_LOOKS      1000
#define QUADRATIC       "(?=.*needle)(?=.*z9)"
#define QUADRATIC_LOOKS 50
#define NEVER           UINT64_MAX

static double longest;
static const char *only = "";
static bool is_verbose;

static double n_worked;

#define COUNTED(type, name, n_bytes, parameters, ...) \
	type __real_##name parameters;                \
	type __wrap_##name parameters;                \
	type __wrap_##name parameters                 \
	{                                             \
		n_worked += (double)(n_bytes);        \
		return __real_##name(__VA_ARGS__);    \
	}
COUNTED(void *, memcpy, n, (void *to, const void *from, size_t n), to, from, n)
COUNTED(void *, memmove, n, (void *to, const void *from, size_t n), to, from, n)
COUNTED(void *, memset, n, (void *to, int byte, size_t n), to, byte, n)
COUNTED(int, memcmp, n, (const void *a, const void *b, size_t n), a, b, n)
COUNTED(ssize_t, write, n, (int fd, const void *from, size_t n), fd, from, n)
COUNTED(bool, bs_text_is_utf8, n, (const uint8_t *text, size_t n), text, n)
void *__real_memchr(const void *in, int byte, size_t n);
void *__wrap_memchr(const void *in, int byte, size_t n);
void *__wrap_memchr(const void *in, int byte, size_t n)
{
	void *found = __real_memchr(in, byte, n);
	n_worked += found ? (double)((char *)found - (const char *)in) : (double)n;
	return found;
}

/* The state of a stop callback. Amounts are bytes. */
struct gaps {
	double asked_at, longest;
	uint64_t most; /* readings of the clock until the call must end */
	struct frames {
		void *list[MOST_FRAMES];
		int n;
	} asked, from, to; /* stack at the last ask; stacks at both ends of the longest gap */
	uint64_t n_asked;
};

static void note_gap(struct gaps *gaps)
{
	struct frames here = {.n = 0};
	if (is_verbose)
		here.n = backtrace(here.list, MOST_FRAMES);
	if (n_worked - gaps->asked_at > gaps->longest) {
		gaps->longest = n_worked - gaps->asked_at;
		gaps->from = gaps->asked;
		gaps->to = here;
	}
	gaps->asked = here;
	gaps->asked_at = n_worked;
	gaps->n_asked++;
}

static int note_ask(void *context)
{
	struct gaps *gaps = context;
	note_gap(gaps);
	return clock_looks() > gaps->most;
}

static void begin(struct gaps *gaps, uint64_t most_looks)
{
	*gaps = (struct gaps){.asked_at = n_worked, .most = most_looks};
	clock_step(STEP_NS);
}

static unsigned n_late;

static void end(struct gaps *gaps, const char *input, const char *call)
{
	double before = gaps->longest;
	clock_step(0);
	note_gap(gaps);
	bool is_at_end = gaps->longest > before;
	bool is_late = gaps->longest > longest;
	if (is_verbose || is_late)
		fprintf(stderr, "%s, %s: %.0f bytes without asking%s, asked %" PRIu64 " times\n",
		        input, call, gaps->longest, is_at_end ? " (at the end)" : "",
		        gaps->n_asked);
	if (is_verbose && is_late) {
		fprintf(stderr, "from\n");
		backtrace_symbols_fd(gaps->from.list, gaps->from.n, STDERR_FILENO);
		fprintf(stderr, "to\n");
		backtrace_symbols_fd(gaps->to.list, gaps->to.n, STDERR_FILENO);
	}
	n_late += is_late;
}

/* The folder that is indexed, with the input under test. */
static const char *const tree = "tree";

static FILE *create(const char *name)
{
	char path[48];
	snprintf(path, sizeof(path), "tree/%s", name);
	return must_fopen(path, "w");
}

static void repeat(FILE *file, const char *piece)
{
	for (size_t n = 0; n < SIZE_BYTES; n += strlen(piece))
		fputs(piece, file);
}

static void put_random_words(FILE *file)
{
	for (size_t n = 0; n < SIZE_BYTES; n += 10)
		fprintf(file, "%08x%c ", below(UINT32_MAX), 'g' + below(20));
}

static void put_lines(FILE *file)
{
	for (size_t n = 0; n < SIZE_BYTES; n += 12)
		fprintf(file, "line %06x\n", below(1 << 24));
}

static void put_utf16(FILE *file)
{
	for (size_t n = 0; n < SIZE_BYTES; n += 2) {
		fputc('a' + (int)(n / 2 % 26), file);
		fputc(n % 14 ? 0 : 4, file);
	}
}

static void put_records(FILE *file)
{
	for (size_t n = 0, i = 0; n < SIZE_BYTES; n += 60, i++)
		fprintf(file, "{\"id\":\"%zx\",\"n\":%u.%u,\"t\":\"word %x %x\"}\n", i,
		        below(1 << 30), below(1000), below(1 << 20), below(1 << 24));
}

static void put_same_ids(FILE *file)
{
	for (size_t n = 0; n < SIZE_BYTES; n += 25)
		fprintf(file, "{\"id\":\"%u\",\"t\":\"word %x\"}\n", below(100), below(1 << 24));
}

static void put_many_fields(FILE *file)
{
	for (size_t n = 0, i = 0; n < SIZE_BYTES; n += 20, i++)
		fprintf(file, ",\"f%zu\":\"v%x\"", i, below(1 << 24));
}

static void put_many_values(FILE *file)
{
	for (size_t n = 0; n < SIZE_BYTES; n += 10)
		fprintf(file, ",%u.%02u", below(1 << 24), below(100));
}

static void put_nesting(FILE *file)
{
	repeat(file, "{\"key\":{\"k\":");
	fputs("1", file);
	repeat(file, "}}         ");
}

/* Writes a text that is longer than its input's max_document_bytes. */
static void put_long_text(FILE *file)
{
	for (int i = 0; i < 3; i++)
		repeat(file, "some text ");
}

static void put_many_files(FILE *unused)
{
	char name[32];
	for (size_t i = 0; i < SIZE_BYTES / 1000; i++) {
		snprintf(name, sizeof(name), "%zu.txt", i);
		FILE *file = create(name);
		fprintf(file, "word %zu %x\n", i, below(1 << 24));
		fclose(file);
	}
}

static void put_rules(FILE *file)
{
	for (size_t i = 0; i < 65000; i++)
		fprintf(file, "*x%zu*y/**/z%zu\n", i, i);
	FILE *ruled = create("a.txt");
	put_random_words(ruled);
	fclose(ruled);
}

/* A record with a word that some queries search for. */
#define NEEDLE "{\"id\":\"1\",\"t\":\"needle\"}\n"
/* An input is a file: `start`, then a repeated `piece` or the output of `put`, then `end`. */
static const struct input {
	const char *name, *file, *start, *piece, *end;
	void (*put)(FILE *file);
	uint64_t max_document_bytes;
} inputs[] = {
	{"different words", "a.txt", "", NULL, "", put_random_words, 0},
	{"lines", "a.txt", "", NULL, "", put_lines, 0},
	{"one word", "a.txt", "", "word", "", NULL, 0},
	{"Han", "a.txt", "", "\xe4\xb8\xad\xe6\x96\x87\xe8\xa9\x9e", "", NULL, 0},
	{"marks", "a.txt", "a", "\xcc\x81\xcc\xa7\xcc\xb0", "", NULL, 0},
	{"dots", "a.txt", "", "a.b:c@d'", "", NULL, 0},
	{"spaces", "a.txt", "", "        ", "", NULL, 0},
	{"invalid bytes", "a.txt", "", "\xff\xc3\xf0\x9f", "", NULL, 0},
	{"UTF-16", "a.txt", "\xff\xfe", NULL, "", put_utf16, 0},
	{"records", "a.jsonl", "", NULL, "", put_records, 0},
	{"records of the same ids", "a.jsonl", "", NULL, "", put_same_ids, 0},
	{"a long record", "a.jsonl", NEEDLE "{\"id\":\"2\",\"t\":\"", NULL, "\"}\n",
         put_random_words, 0},
	{"a long number", "a.jsonl", "{\"id\":\"1\",\"n\":", "7777777777", "}\n", NULL, 0},
	{"a record of escapes", "a.jsonl", NEEDLE "{\"id\":\"2\",\"t\":\"", "\\u0041\\n\\\\\\\"",
         "\"}\n", NULL, 0},
	{"a record of many fields", "a.jsonl", "{\"id\":\"1\"", NULL, "}\n", put_many_fields, 0},
	{"a record of many values", "a.jsonl", "{\"id\":\"1\",\"a\":[0", NULL, "]}\n",
         put_many_values, 0},
	{"a record of nesting", "a.jsonl", "{\"id\":\"1\",\"a\":", NULL, "}\n", put_nesting, 0},
	{"a record that is too long", "a.jsonl", NEEDLE "{\"id\":\"2\",\"t\":\"", NULL,
         "\"}\n{\"id\":\"3\",\"t\":\"needle\"}\n", put_long_text, 1 << 20},
	{"many files", NULL, "", NULL, "", put_many_files, 0},
	{"rules", ".ignore", "", NULL, "", put_rules, 0},
};

static void make(const struct input *input)
{
	if (!input->file) {
		input->put(NULL);
		return;
	}
	FILE *file = create(input->file);
	fputs(input->start, file);
	if (input->piece)
		repeat(file, input->piece);
	else
		input->put(file);
	fputs(input->end, file);
	fclose(file);
}

struct call {
	const struct input *input;
	struct gaps gaps;
	struct bs_limits limits;
	bool store;
};

static struct bs_limits *deadline(struct call *call, uint64_t most_looks)
{
	call->limits = (struct bs_limits){.stop = note_ask, .context = &call->gaps};
	begin(&call->gaps, most_looks);
	return &call->limits;
}

static void build(struct call *call, const char *name, bool rebuild)
{
	struct bs_build_request request = {.dir = "index",
	                                   .sources = &tree,
	                                   .n_sources = 1,
	                                   .write.n_threads = 1,
	                                   .rules.store = call->store,
	                                   .rebuild = rebuild,
	                                   .rules.max_document_bytes =
	                                           call->input->max_document_bytes,
	                                   .write.memory_bytes = 512u << 20,
	                                   .limits = deadline(call, NEVER)};
	ok(bs_index_build(&request, NULL, ERR));
	end(&call->gaps, call->input->name, name);
}

static void compact_and_check(struct call *call)
{
	ok(bs_index_compact(&(struct bs_build_request){.dir = "index",
	                                               .write.n_threads = 1,
	                                               .limits = deadline(call, NEVER)},
	                    NULL, ERR));
	end(&call->gaps, call->input->name, "compact");
	ok(bs_index_check(
		&(struct bs_check_request){.dir = "index", .limits = deadline(call, NEVER)}, NULL,
		ERR));
	end(&call->gaps, call->input->name, "check");
}

static int take_hit(void *context, const struct bs_hit *hit)
{
	return 0;
}

static void find(struct call *call, struct bs_searcher *searcher, const char *query,
                 struct bs_search_request request)
{
	char name[96];
	snprintf(name, sizeof(name), "query %.40s%s", query,
	         request.method.brute      ? " (brute)"
	         : request.query.like_text ? " (like)"
	                                   : "");
	request.query.text = query;
	request.query.text_bytes = strlen(query);
	request.callbacks.hit = take_hit;
	request.method.n_threads = 1;
	request.limits = deadline(call, MOST_LOOKS);
	enum bs_status status = bs_search(searcher, &request, NULL, ERR);
	if (status && status != BS_INVALID && status != BS_STOPPED)
		fail_msg("%s: %s: %s", call->input->name, name, said.text);
	end(&call->gaps, call->input->name, name);
}

static void query(struct call *call)
{
	static const char *const queries[] = {
		"word",    "\"word word\"", "\"some text\" needle",
		"w*",      "*a*b?",         "wrod~2 nedle~1",
		"-needle", "\"a b\"~9",     "n:>5",
		"a.txt",   "name:a",        "\"\xe4\xb8\xad\xe6\x96\x87 \xe4\xb8\xad\""};
	AUTO(bs_index_close_at)
	struct bs_index *index = must_open_with(&(struct bs_open_request){
		.dir = "index", .fresh = true, .limits = deadline(call, NEVER)});
	end(&call->gaps, call->input->name, "open, fresh");
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	for (size_t i = 0; i < COUNT(queries); i++) {
		find(call, searcher, queries[i],
		     (struct bs_search_request){
			     .output.limit = 10, .output.snippets = true, .output.passages = true});
		find(call, searcher, queries[i],
		     (struct bs_search_request){.output.mode = BS_SEARCH_COUNT,
		                                .method.brute = true});
	}
	find(call, searcher, "word",
	     (struct bs_search_request){.output.limit = 10, .query.feedback_docs = 10});
	FREED char *text = malloc(SIZE_BYTES + 1);
	FILE *file = fmemopen(text, SIZE_BYTES + 1, "w");
	for (size_t n = 0; n + 12 < SIZE_BYTES; n += 12)
		fprintf(file, "line %06x\n", below(1 << 24));
	fclose(file);
	find(call, searcher, "",
	     (struct bs_search_request){.output.limit = 10,
	                                .query.like_text = text,
	                                .query.like_text_bytes = strlen(text)});
}

static int take_bytes(void *context, const void *bytes, size_t n_bytes)
{
	return 0;
}

static void grep(struct call *call)
{
	static const char *const patterns[] = {"needle",     "x[a-z]+y", QUADRATIC, "w.*d",
	                                       "\\bline\\b", "word",     ""};
	for (size_t i = 0; i < COUNT(patterns) * 4; i++) {
		const char *pattern = patterns[i / 4];
		bool is_quadratic = strcmp(pattern, QUADRATIC) == 0;
		size_t n = strlen(pattern);
		char name[96];
		struct bs_grep_request request = {
			.n_threads = 1,
			.callbacks.write = take_bytes,
			.limits = deadline(call, is_quadratic ? QUADRATIC_LOOKS : MOST_LOOKS)};
		request.pattern.patterns = &pattern;
		request.pattern.pattern_bytes = &n;
		request.pattern.n_patterns = 1;
		request.files.paths = &tree;
		request.files.n_paths = 1;
		request.output.max_count = i % 4 == 0 ? 1 : 0;
		request.output.invert = i % 4 == 1;
		request.output.only_matching = i % 4 == 2;
		request.output.format = i % 4 == 3 ? BS_GREP_JSON : BS_GREP_LINES;
		snprintf(name, sizeof(name), "grep '%.30s' %zu", pattern, i % 4);
		enum bs_status status = bs_grep(&request, NULL, ERR);
		if (status && status != BS_INVALID && status != BS_STOPPED)
			fail_msg("%s: %s: %s", call->input->name, name, said.text);
		end(&call->gaps, call->input->name, name);
	}
}

static void delete (struct call *call)
{
	for (int undo = 0; undo < 2; undo++) {
		struct bs_delete_request request = {.dir = "index",
		                                    .query = undo ? NULL : "word OR line",
		                                    .query_bytes = 12,
		                                    .undo = undo,
		                                    .limits = deadline(call, NEVER)};
		ok(bs_index_delete(&request, NULL, ERR));
		end(&call->gaps, call->input->name, undo ? "delete --undo" : "delete");
	}
}

static void try_input(const struct input *input)
{
	struct call call = {.input = input};
	struct stat found;
	char folder[FOLDER_BYTES];
	make_folder(folder);
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkdir(tree, 0700), 0);
	make(input);
	bool is_records = stat("tree/a.jsonl", &found) == 0;
	longest =
		LONG_BYTES + LONG_TIMES * (double)(is_records ? (size_t)found.st_size : SIZE_BYTES);
	build(&call, "build", false);
	query(&call);
	delete (&call);
	grep(&call);
	assert_int_equal(system("for f in $(find tree -type f); do echo more >>$f; done"), 0);
	build(&call, "refresh", false);
	compact_and_check(&call);
	call.store = true;
	build(&call, "rebuild with texts", true);
	compact_and_check(&call);
	assert_int_equal(chdir("/"), 0);
	remove_folder(folder);
}

static void test_every_phase_asks(void **context)
{
	for (size_t i = 0; i < COUNT(inputs); i++)
		if (strstr(inputs[i].name, only))
			try_input(&inputs[i]);
	assert_int_equal(n_late, 0);
}

int main(int argc, char **argv)
{
	is_verbose = argc > 1;
	only = argc > 1 ? argv[1] : "";
	return RUN_NAMES(NULL, NULL, NULL, NULL, test_every_phase_asks);
}
