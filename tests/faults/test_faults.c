/*
 * test_faults.c: failing calls: the Nth allocation, read or write of a command fails, alone or with
 * all later ones. The program must end by itself. With exit status 0 or 1 its answer must be right;
 * with 2 there must be a message on standard error. The index must pass `check` and, unless a
 * source could not be read, equal the index before or after the command; a further run without
 * faults must produce the latter.
 *
 * One run for each call would take long. Calls are grouped by their stacks, and the first call of
 * each group fails. If there are many groups, the seed chooses MAX_CALLS or MAX_WRITE_CALLS of them
 * per round. FAULTS_EVERY=1: every call (hours). FAULTS_ONLY=TEXT: only scenarios with TEXT in
 * their names.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/faults/faults.h"
#include "tests/rigs/core_rig.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/sanitized.h"

#define MAX_ARGUMENTS   12
#define MAX_CALLS       16 /* failing calls of one kind, per scenario and round */
#define MAX_WRITE_CALLS 4 /* the same limit for scenarios that write the index, which take longer */
#define MOST_SECONDS    (SANITIZED ? 300 : 30) /* the time limit of a run */
#define PIPE_BYTES      ((int)1 << 18)
#define PATIENCE_US     100000 /* fingerprints of files of this age are trusted */

/* The folders in which commands run. Each has a tree of files, a record file and, except PLACE_NEW,
 * an index of some of them. */
enum place {
	PLACE_NEW, /* no index */
	PLACE_INDEXED,
	PLACE_CHANGED, /* its sources were changed, added, removed and extended after indexing */
	PLACE_MANY,    /* several segments, with deleted documents and a changed one */
	PLACE_STORED,  /* records of standard input */
	PLACE_GIVEN,   /* files, and documents that a writer added */
	PLACE_KEPT,    /* several segments with --store, whose sources changed */
	PLACES
};

static const char *const place_names[PLACES] = {"new",    "indexed", "changed", "many",
                                                "stored", "given",   "kept"};

struct scenario {
	enum place place;
	bool writes;    /* changes the index */
	bool has_times; /* prints times */
	const char *arguments[MAX_ARGUMENTS];
	const char *input; /* a file for standard input */
};

static const struct scenario scenarios[] = {
	{PLACE_NEW, .writes = true, .arguments = {"index", "-q", "-j", "1", "."}},
	{PLACE_NEW, .writes = true, .arguments = {"index", "-q", "-j", "2", ".", "c.jsonl"}},
	{PLACE_NEW, .writes = true, .arguments = {"index", "-q", "-j", "1", "--words", "c.jsonl"}},
	{PLACE_NEW, .writes = true, .arguments = {"index", "-q", "-j", "1", "--grams", "."}},
	{PLACE_NEW, .writes = true,
         .arguments = {"index", "-q", "-j", "1", "--stem", "english", "--fold-accents", "-g",
                       "*.txt", "."}},
	{PLACE_NEW, .writes = true,
         .arguments = {"index", "-q", "-j", "1", "--id", "id", "--text", "title,text", "-"},
         .input = "../c.jsonl"},
	{PLACE_CHANGED, .writes = true, .arguments = {"index", "-q", "-j", "1"}},
	{PLACE_CHANGED, .writes = true, .arguments = {"index", "-q", "-j", "2"}},
	{PLACE_CHANGED, .writes = true, .arguments = {"index", "-q", "--rebuild"}},
	{PLACE_STORED, .writes = true, .arguments = {"index", "-q", "-"}, .input = "../c.jsonl"},
	{PLACE_STORED, .writes = true, .arguments = {"index", "-q", "-j", "1", "--rebuild"}},
	{PLACE_STORED, .writes = true, .arguments = {"compact", "-q"}},
	{PLACE_MANY, .writes = true, .arguments = {"compact", "-q"}},
	{PLACE_INDEXED, .writes = true, .arguments = {"delete", "-q", "src/b.txt", "r7", "none"}},
	{PLACE_INDEXED, .writes = true, .arguments = {"delete", "-q", "--query", "seven"}},
	{PLACE_NEW, .writes = true,
         .arguments = {"index", "-q", "-j", "1", "--store", ".", "c.jsonl"}},
	{PLACE_NEW, .writes = true, .arguments = {"index", "-q", "-j", "2", "--store", "."}},
	{PLACE_KEPT, .writes = true, .arguments = {"index", "-q", "-j", "2"}},
	{PLACE_KEPT, .writes = true, .arguments = {"compact", "-q"}},
	{PLACE_KEPT, .has_times = true, .arguments = {"check"}},
	{PLACE_KEPT, .arguments = {"query", "quick", "\"brown fox\""}},
	{PLACE_NEW, .writes = true, .arguments = {"writer", "fill"}},
	{PLACE_NEW, .writes = true, .arguments = {"writer", "fill", "2"}},
	{PLACE_INDEXED, .writes = true, .arguments = {"writer", "fill"}},
	{PLACE_GIVEN, .writes = true, .arguments = {"writer", "change"}},
	{PLACE_GIVEN, .writes = true, .arguments = {"writer", "change", "2"}},
	{PLACE_GIVEN, .writes = true, .arguments = {"delete", "-q", "g8", "src/b.txt"}},
	{PLACE_GIVEN, .arguments = {"query", "--like", "g8"}},
	{PLACE_NEW, .arguments = {"writer", "memory"}},
	{PLACE_NEW, .arguments = {"writer", "memory", "2"}},
	{PLACE_INDEXED, .has_times = true, .arguments = {"check"}},
	{PLACE_STORED, .has_times = true, .arguments = {"check"}},
	{PLACE_INDEXED, .arguments = {"stats"}},
	{PLACE_MANY, .arguments = {"stats", "--json"}},
	{PLACE_INDEXED, .arguments = {"query", "common"}},
	{PLACE_INDEXED, .arguments = {"query", "--ids", "common", "-rare"}},
	{PLACE_INDEXED, .arguments = {"query", "--count", "\"quick brown\" OR \"brown quick\"~4"}},
	{PLACE_INDEXED, .arguments = {"query", "--count", "comm* OR tw*"}},
	{PLACE_INDEXED, .arguments = {"query", "--count", "comon~1 quick~2"}},
	{PLACE_INDEXED, .arguments = {"query", "--json", "-n", "5", "title:two", "caf\xc3\xa9"}},
	{PLACE_INDEXED,
         .arguments = {"query", "--explain", "--stats", "--any", "quick", "\"brown fox\"", "f(x)"}},
	{PLACE_INDEXED, .arguments = {"query", "--brute", "--ids", "quick", "bro*"}},
	{PLACE_INDEXED, .arguments = {"query", "--batch", "../queries"}},
	{PLACE_INDEXED, .arguments = {"query", "--count", "--batch", "-"}, .input = "../queries"},
	{PLACE_CHANGED, .arguments = {"query", "--ids", "common"}},
	{PLACE_CHANGED, .arguments = {"query", "--fresh", "--ids", "common"}},
	{PLACE_CHANGED, .arguments = {"query", "--fresh", "new", "OR", "appended", "OR", "quick"}},
	{PLACE_STORED, .arguments = {"query", "quick", "two"}},
	{PLACE_MANY, .arguments = {"query", "--approx", "common", "quick"}},
	{PLACE_INDEXED, .arguments = {"grep", "-n", "quick", "."}},
	{PLACE_INDEXED, .arguments = {"grep", "-i", "-C1", "-j", "1", "QUICK\\s+b", "src"}},
	{PLACE_INDEXED, .arguments = {"grep", "-c", "-w", "caf\xc3\xa9|naive", "."}},
	{PLACE_INDEXED, .arguments = {"grep", "-o", "-r", "$1!", "(\\w+) fox", "."}},
	{PLACE_INDEXED, .arguments = {"grep", "-U", "--no-stat", "common\\nquick", "."}},
	{PLACE_INDEXED, .has_times = true, .arguments = {"grep", "--json", "brown", "."}},
	{PLACE_INDEXED, .arguments = {"grep", "-f", "../patterns", "-l", "."}},
	{PLACE_INDEXED, .arguments = {"grep", "--explain", "--vimgrep", "-e", "fox", "-e", "two",
                                      "-g", "*.txt", "-t", "txt", "."}},
	{PLACE_INDEXED, .arguments = {"grep", "-v", "--files-without-match", "o", "src"}},
	{PLACE_INDEXED, .arguments = {"grep", "--files", "."}},
	{PLACE_INDEXED, .arguments = {"grep", "--candidates", "quick", "."}},
	{PLACE_CHANGED, .arguments = {"grep", "-n", "common", "."}},
	{PLACE_NEW, .arguments = {"grep", "--brute", "-n", "common", "."}},
	{PLACE_NEW, .arguments = {"grep", "-n", "-P", "(?<=quick )brown", "."}},
	{PLACE_NEW, .arguments = {"grep", "-n", "quick", "-"}, .input = "../c.jsonl"},
};

struct outcome {
	int status; /* from waitpid */
	struct bs_buffer out, err;
};

static char preload[4096]; /* LD_PRELOAD=... */
static struct faults *faults;
static unsigned n_problems;
static unsigned long n_runs;

/* ---- running the program ---- */

static void start_child(const char *const *arguments, const char *input, bool has_faults, int out,
                        int err)
{
	static const struct rlimit no_core = {0, 0};
	const char *argv[MAX_ARGUMENTS + 2] = {"bitsift"};
	bool is_writer = strcmp(arguments[0], "writer") == 0;
	/* A sanitizer's report ends the program with status 99, which the program never returns. */
	const char *environment[] = {"LC_ALL=C.UTF-8",
	                             "TZ=UTC",
	                             "FAULTS=../faults",
	                             "ASAN_OPTIONS=exitcode=99:verify_asan_link_order=0",
	                             "UBSAN_OPTIONS=exitcode=99",
	                             has_faults ? preload : NULL,
	                             NULL};
	int in = open(input ? input : "/dev/null", O_RDONLY | O_CLOEXEC);
	for (size_t i = 0; i < MAX_ARGUMENTS && arguments[i]; i++)
		argv[i + !is_writer] = arguments[i];
	setrlimit(RLIMIT_CORE, &no_core);
	alarm(MOST_SECONDS);
	if (in >= 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2)
		execve(is_writer ? FAULTS_WRITER : BITSIFT, (char *const *)(uintptr_t)argv,
		       (char *const *)(uintptr_t)environment);
	_exit(127);
}

/* Reads all output in the pipe and closes the pipe. */
static void read_all(int fd, struct bs_buffer *text)
{
	ssize_t n;
	bs_buffer_clear(text);
	do {
		ok(bs_buffer_reserve(text, PIPE_BYTES + 1, ERR));
		n = read(fd, text->data + text->used_bytes, PIPE_BYTES);
		assert_true(n >= 0);
		text->used_bytes += (size_t)n;
	} while (n > 0);
	text->data[text->used_bytes] = '\0';
	close(fd);
}

/* Makes a pipe that has room for the output of a run. */
static void make_pipe(int ends[2])
{
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_true(fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES) >= PIPE_BYTES);
}

static void run(const char *const *arguments, const char *input, bool has_faults,
                struct outcome *outcome)
{
	int out[2], err[2];
	make_pipe(out);
	make_pipe(err);
	pid_t child = fork();
	if (child == 0)
		start_child(arguments, input, has_faults, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	assert_true(child > 0 && waitpid(child, &outcome->status, 0) == child);
	read_all(out[0], &outcome->out);
	read_all(err[0], &outcome->err);
	n_runs++;
}

static void outcome_deinit(struct outcome *outcome)
{
	bs_buffer_deinit(&outcome->out);
	bs_buffer_deinit(&outcome->err);
}

/* Runs a shell command, to set up folders. */
BS_PRINTF(1, 2) static void shell(const char *format, ...)
{
	char line[2048];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	assert_true(n > 0 && n < (int)sizeof(line));
	if (system(line) != 0)
		fail_msg("%s", line);
}

/* ---- folders ---- */

static void write_files(void)
{
	FILE *records = must_fopen("c.jsonl", "w");
	for (int i = 0; i < 60; i++)
		fprintf(records,
		        "{\"id\":\"r%d\",\"title\":\"%s\",\"text\":\"common record word%d "
		        "caf\xc3\xa9 %s\",\"n\":1e999}\n",
		        i, i % 3 ? "two" : "one", i,
		        i % 7 ? "quick brown fox" : "seven \\ud800 brown a quick");
	assert_int_equal(fclose(records), 0);
	shell("mkdir -p tree/src/deep tree/.git/info tree/old && cp c.jsonl tree && cd tree && "
	      "echo '*.log' >.gitignore && "
	      "echo 'hidden.*' >src/.ignore && echo '*.tmp' >.git/info/exclude && echo common "
	      "quick x >a.log && "
	      "printf 'common\\nquick brown fox jumps\\nnaive caf\xc3\xa9\\n' >a.txt && "
	      "printf 'one two quick\\nbrown common rare seven\\n' >src/b.txt && echo common "
	      ">src/hidden.txt && "
	      "printf 'common\\0quick' >src/bin && printf "
	      "'\\377\\376c\\0o\\0m\\0m\\0o\\0n\\0\\n\\0' >src/wide.txt && "
	      "echo common quick tmp >src/t.tmp && "
	      "for i in 1 2 3 4 5 6 7 8; do echo \"common file $i quick brown fox obj.method_$i\" "
	      ">src/deep/f$i.txt; done && "
	      "echo common goes >old/gone.txt && echo f >old/stays.c");
	shell("printf '%%s\\n' 'common quick' '\"quick brown\"' '\"(' 'comm* -two' >queries; "
	      "printf 'quick b\\nfox\\nca.*d\\n' >patterns");
}

static void make_places(void)
{
	for (size_t i = 0; i < PLACES; i++)
		shell("cp -r tree %s", place_names[i]);
	usleep(PATIENCE_US);
	shell("for i in indexed changed many; do (cd $i && " BITSIFT
	      " index -q . c.jsonl) || exit 1; done");
	shell("cd stored && " BITSIFT " index -q - <../c.jsonl && tail -n 3 ../c.jsonl | " BITSIFT
	      " index -q -");
	shell("cd changed && echo common new >src/new.txt && echo common quick changed brown "
	      ">src/b.txt && rm -r old && "
	      "echo '{\"id\":\"x1\",\"text\":\"common appended\"}' >>c.jsonl && echo '*.log2' "
	      ">.gitignore");
	shell("cd many && for i in 1 2 3; do echo common quick more $i >src/more$i.txt && " BITSIFT
	      " index -q || exit 1; done && " BITSIFT
	      " delete -q r3 src/deep/f1.txt src/more1.txt && echo common changed >src/more2.txt");
	shell("cd given && " BITSIFT " index -q . && " FAULTS_WRITER " fill");
	shell("cd kept && " BITSIFT " index -q --store . c.jsonl && for i in 1 2; do echo common "
	      "kept $i >src/kept$i.txt && " BITSIFT
	      " index -q || exit 1; done && echo common changed >src/b.txt && rm src/deep/f2.txt");
	shell("for i in *; do [ ! -d $i/.bitsift ] || cp -r $i/.bitsift $i.saved; done");
	usleep(PATIENCE_US);
}

static void restore(enum place place)
{
	const char *name = place_names[place];
	shell("rm -rf .bitsift; [ ! -d ../%s.saved ] || cp -r ../%s.saved .bitsift", name, name);
}

/* Appends the bytes of a folder's manifest and the names in the folder, except "lock"; nothing if
 * the folder does not exist. */
static void describe(const char *folder, struct bs_buffer *text)
{
	FREED struct dirent **names = NULL;
	char manifest[300];
	int n = scandir(folder, &names, NULL, alphasort);
	snprintf(manifest, sizeof(manifest), "%s/manifest", folder);
	if (access(manifest, F_OK) == 0)
		read_bytes(manifest, text);
	for (int i = 0; i < n; i++) {
		if (strcmp(names[i]->d_name, "lock") != 0)
			append_bytes(text, names[i]->d_name, strlen(names[i]->d_name) + 1);
		free(names[i]);
	}
}

/* True if the index has the same file names and the same manifest as before. Its other files never
 * change once they are written. */
static bool is_untouched(enum place place)
{
	AUTO(bs_buffer_deinit) struct bs_buffer saved = {0}, now = {0};
	char folder[64];
	snprintf(folder, sizeof(folder), "../%s.saved", place_names[place]);
	describe(folder, &saved);
	describe(".bitsift", &now);
	return saved.used_bytes == now.used_bytes &&
	       (now.used_bytes == 0 || memcmp(saved.data, now.data, now.used_bytes) == 0);
}

/* ---- one run with a fault ---- */

/* Describes an index: the result of check, the number of documents, and an answer. */
static void probe(struct outcome *outcome)
{
	static const char *const check[MAX_ARGUMENTS] = {"check"};
	static const char *const ids[MAX_ARGUMENTS] = {"query", "--ids", "common"};
	AUTO(outcome_deinit) struct outcome answer = {0};
	run(check, NULL, false, outcome);
	char *rest = strstr((char *)outcome->out.data, " in ");
	outcome->out.used_bytes = rest ? (size_t)(rest - (char *)outcome->out.data) : 0;
	run(ids, NULL, false, &answer);
	append_bytes(&outcome->out, answer.out.data, answer.out.used_bytes);
}

/* Replaces all numbers by 0, because times differ. */
static void neutral(struct bs_buffer *text)
{
	size_t used = 0;
	for (size_t i = 0; i < text->used_bytes; i++) {
		bool is_digit = text->data[i] >= '0' && text->data[i] <= '9';
		if (is_digit && used > 0 && text->data[used - 1] == '0')
			continue;
		text->data[used++] = is_digit ? '0' : text->data[i];
	}
	text->used_bytes = used;
}

static bool is_same(const struct outcome *a, const struct outcome *b)
{
	return a->status == b->status && a->out.used_bytes == b->out.used_bytes &&
	       memcmp(a->out.data, b->out.data, a->out.used_bytes) == 0;
}

struct attempt {
	const struct scenario *scenario;
	/* right: the answer without faults. before, after: the results of probe() before the
	 * command, and after the command without faults. */
	struct outcome right, before, after;
};

static void complain(const struct attempt *attempt, const struct outcome *outcome, const char *what)
{
	n_problems++;
	print_error("%s:", place_names[attempt->scenario->place]);
	for (size_t i = 0; i < MAX_ARGUMENTS && attempt->scenario->arguments[i]; i++)
		print_error(" %s", attempt->scenario->arguments[i]);
	print_error(
		": %s %llu%s at %#llx: %s (status %#x): %s",
		(const char *[]){"allocation", "reading", "short reading", "writing"}[faults->kind],
		(unsigned long long)faults->wanted, faults->is_lasting ? " and later" : "",
		(unsigned long long)faults->caller, what, (unsigned)outcome->status,
		outcome->err.used_bytes ? (const char *)outcome->err.data : "\n");
}

/* Checks the index after a run with a fault: it must be intact, and equal either the index before
 * the run or the index that a run without faults makes. */
static void judge_index(const struct attempt *attempt, const struct outcome *outcome)
{
	AUTO(outcome_deinit) struct outcome now = {0};
	int status = WEXITSTATUS(outcome->status);
	/* A source that cannot be read is skipped or keeps its documents, with a message. */
	bool may_be_part = (faults->kind == FAULTS_READING || faults->kind == FAULTS_SHORT) &&
	                   outcome->err.used_bytes > 0;
	probe(&now);
	bool is_after = is_same(&now, &attempt->after), is_before = is_same(&now, &attempt->before);
	if (!is_after && !is_before && (now.status || !may_be_part))
		complain(attempt, &now, "neither the index of before nor of after");
	if (!is_after && status != 2 && !may_be_part)
		complain(attempt, outcome, "says that it is done, and is not");
	if (!is_after) {
		run(attempt->scenario->arguments, attempt->scenario->input, false, &now);
		probe(&now);
		if (!is_same(&now, &attempt->after))
			complain(attempt, &now, "the next run does not mend it");
	}
}

static size_t n_lines(const struct bs_buffer *text)
{
	size_t n = 0;
	for (size_t i = 0; i < text->used_bytes; i++)
		n += text->data[i] == '\n';
	return n;
}

static void judge(const struct attempt *attempt, struct outcome *outcome)
{
	bool is_wrong = !is_same(outcome, &attempt->right);
	if (!WIFEXITED(outcome->status)) {
		complain(attempt, outcome,
		         WTERMSIG(outcome->status) == SIGALRM ? "hangs" : "crashes");
		return;
	}
	int status = WEXITSTATUS(outcome->status);
	if (status > 2)
		complain(attempt, outcome, "an unexpected exit status");
	else if (status == 2 && outcome->err.used_bytes == 0)
		complain(attempt, outcome, "fails without a word");
	else if (status < 2 && is_wrong && !attempt->scenario->writes)
		complain(attempt, outcome, "a wrong answer");
	else if (status < 2 && n_lines(&outcome->err) < n_lines(&attempt->right.err))
		complain(attempt, outcome, "says less on standard error");
}

static void run_with_fault(const struct attempt *attempt)
{
	const struct scenario *scenario = attempt->scenario;
	AUTO(outcome_deinit) struct outcome outcome = {0};
	faults->n_calls = 0;
	faults->n_failed = 0;
	faults->caller = 0;
	run(scenario->arguments, scenario->input, true, &outcome);
	if (scenario->has_times)
		neutral(&outcome.out);
	judge(attempt, &outcome);
	if (scenario->writes && (outcome.status == 0 || !is_untouched(scenario->place))) {
		judge_index(attempt, &outcome);
		restore(scenario->place);
	}
}

/* ---- which calls ---- */

/* Chooses the calls that are to fail out of n calls, in ascending order: the first call of each
 * stack or, with `every`, all calls. Returns their number. */
static size_t choose_calls(uint32_t *calls, size_t n, bool every)
{
	size_t n_chosen = 0;
	for (uint32_t i = 0; i < n; i++) {
		size_t k = every ? n_chosen : 0;
		while (k < n_chosen && faults->stacks[calls[k]] != faults->stacks[i])
			k++;
		if (k == n_chosen)
			calls[n_chosen++] = i;
	}
	return n_chosen;
}

static void fail_each(const struct attempt *attempt, enum faults_kind kind)
{
	bool every = getenv("FAULTS_EVERY") != NULL;
	AUTO(outcome_deinit) struct outcome outcome = {0};
	*faults = (struct faults){.kind = kind};
	run(attempt->scenario->arguments, attempt->scenario->input, true, &outcome);
	if (attempt->scenario->writes)
		restore(attempt->scenario->place);
	size_t n = faults->n_calls < FAULTS_MAX_STACKS ? faults->n_calls : FAULTS_MAX_STACKS;
	FREED uint32_t *calls = must_calloc(n + 1, sizeof(*calls));
	size_t n_chosen = choose_calls(calls, n, every);
	size_t most = (attempt->scenario->writes ? MAX_WRITE_CALLS : MAX_CALLS) * rounds.n;
	size_t n_failing = every || n_chosen < most ? n_chosen : most;
	for (size_t i = 0; i < n_failing; i++) {
		faults->wanted = calls[(i * n_chosen + rounds.seed % n_failing * 7919 % n_chosen) /
		                       n_failing] +
		                 1;
		for (int lasting = 0; lasting < 2; lasting++) {
			faults->is_lasting = lasting;
			run_with_fault(attempt);
		}
	}
}

static void test_scenario(void **state)
{
	struct attempt attempt = {.scenario = *state};
	const struct scenario *scenario = *state;
	unsigned n_before = n_problems;
	assert_int_equal(chdir(place_names[scenario->place]), 0);
	probe(&attempt.before);
	run(scenario->arguments, scenario->input, false, &attempt.right);
	assert_true(WIFEXITED(attempt.right.status));
	if (scenario->has_times)
		neutral(&attempt.right.out);
	probe(&attempt.after);
	if (scenario->writes)
		restore(scenario->place);
	for (int kind = 0; kind < FAULTS_KINDS; kind++)
		fail_each(&attempt, (enum faults_kind)kind);
	assert_int_equal(chdir(".."), 0);
	outcome_deinit(&attempt.right);
	outcome_deinit(&attempt.before);
	outcome_deinit(&attempt.after);
	assert_int_equal(n_problems, n_before);
}

static int set_up(void **state)
{
	assert_int_equal(enter_folder(state), 0);
	int fd = open("faults", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0 && ftruncate(fd, sizeof(*faults)) == 0);
	faults = mmap(NULL, sizeof(*faults), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(faults != MAP_FAILED);
	close(fd);
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", FAULTS_LIBRARY);
	write_files();
	make_places();
	return 0;
}

static int tear_down(void **state)
{
	print_message("%lu runs\n", n_runs);
	munmap(faults, sizeof(*faults));
	return leave_folder(state);
}

int main(int argc, char **argv)
{
	random_rounds(argc, argv, 1, 1);
	static char names[COUNT(scenarios)][256];
	struct CMUnitTest tests[COUNT(scenarios)];
	const char *only = getenv("FAULTS_ONLY");
	size_t n = 0;
	for (size_t i = 0; i < COUNT(scenarios); i++) {
		char *name = names[i];
		size_t used = (size_t)snprintf(name, sizeof(*names),
		                               "%s:", place_names[scenarios[i].place]);
		for (size_t j = 0; j < MAX_ARGUMENTS && scenarios[i].arguments[j]; j++)
			used += (size_t)snprintf(name + used, sizeof(*names) - used, " %s",
			                         scenarios[i].arguments[j]);
		if (!only || strstr(name, only))
			tests[n++] = (struct CMUnitTest){name, test_scenario, NULL, NULL,
			                                 (void *)(uintptr_t)&scenarios[i]};
	}
	return _cmocka_run_group_tests("faults", tests, n, set_up, tear_down);
}
