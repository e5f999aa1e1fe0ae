/*
 * fuzz_index.c: runs commands over crafted indexes with valid checksums.
 *
 *     fuzz_index RUNS [CASE]     runs at least RUNS commands over case number CASE [1] and the
 *                                following cases
 *     fuzz_index 1 CASE          repeats one case; after a finding, its index is kept, and the last
 *                                line says where
 *
 * A case is one of eight indexes in which one or two files are changed (mutate.h). The commands of
 * a case are half of the readers (stats, queries, grep), check and one of the commands that write,
 * and then a query and check on the result. Each is a run of the whole program in a process forked
 * from this one. Any result and any message is allowed, but no crash, no sanitizer report, no run
 * of more than ten seconds of CPU time or more than 1 GiB of memory. If a command reports that the
 * index is corrupt, check must report it, too.
 *
 * The long version, with sanitizers, some 30,000 runs: build/asan/tests/fuzz_index 30000.
 */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "query/cli/commands.h"
#include "tests/generate/generate.h"
#include "tests/rigs/index_rig.h"
#include "tests/rigs/mutate.h"
#include "tests/rigs/random_rounds.h"

AUTO_OF(struct bs_generator, bs_generator_free)

#define MOST_SECONDS 10  /* of CPU time */
#define MOST_WAITED  120 /* seconds of elapsed time; many, because the machine may be busy */
#define MOST_BYTES   (UINT64_C(1) << 30)
#define MOST_FILES   24
#define MOST_WORDS   12 /* of a command line */

/* Visible, so that the sanitizer's runtime library finds it. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0:quarantine_size_mb=8:max_allocation_size_mb=1024:allocator_may_"
	       "return_null=0:abort_on_error=0:exitcode=99";
}

/* ---- the indexes ---- */

struct file {
	char name[24];
	struct bs_buffer bytes;
};

/* A folder with sources and an index, and the files of the index. */
struct seed {
	const char *name;
	void (*make)(void);
	struct file files[MOST_FILES];
	size_t n_files;
};

/* Writes the text of generated document i in one line. */
static void write_words(FILE *to, struct bs_generator *generator, uint64_t i)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	ok(bs_generator_document(generator, i, &text, ERR));
	for (size_t at = 0; at < text.used_bytes; at++)
		fputc(text.data[at] == '\n' ? ' ' : text.data[at], to);
}

static struct bs_generator *new_generator(uint32_t mean_words)
{
	struct bs_generator *generator;
	struct bs_generator_options options = bs_generator_defaults();
	options.n_words = 3000;
	options.mean_words = mean_words;
	ok(bs_generator_new(&options, &generator, ERR));
	return generator;
}

static void write_files(unsigned first, unsigned end)
{
	AUTO(bs_generator_free_at) struct bs_generator *generator = new_generator(120);
	for (unsigned i = first; i < end; i++) {
		char path[64];
		snprintf(path, sizeof(path), "docs/part%u/file%u.%s", i % 7, i,
		         i % 3 ? "txt" : "c");
		mkdir("docs", 0777);
		path[10] = '\0';
		mkdir(path, 0777);
		path[10] = '/';
		FILE *file = must_fopen(path, "wb");
		write_words(file, generator, i);
		fprintf(file, "\ncommon red fox %u; static int fox_%u(void);\n", i % 5, i);
		if (i % 40 == 39)
			for (unsigned n = 0; n < 40; n++)
				write_words(file, generator, i + n);
		fclose(file);
	}
	write_bytes("docs/part0/program.bin",
	            "\x7f"
	            "ELF\0fox",
	            9);
}

/* Appends records: some with equal ids, some without an id, and some that are long. */
static void write_records(const char *path, unsigned first, unsigned end)
{
	AUTO(bs_generator_free_at) struct bs_generator *generator = new_generator(25);
	FILE *file = must_fopen(path, "ab");
	for (unsigned i = first; i < end; i++) {
		fprintf(file, i % 9 ? "{\"id\":\"r%u\"," : "{\"n\":%u,", i % 200);
		fprintf(file,
		        "\"title\":\"common %s fox\",\"text\":\"red fox %u "
		        "\xe6\x9d\xb1\xe4\xba\xac ",
		        i % 2 ? "odd" : "even", i % 5);
		for (unsigned n = i % 60 == 59 ? 60 : 1; n > 0; n--)
			write_words(file, generator, i + n);
		fprintf(file, "\",\"size\":%d,\"when\":\"20%02u-0%u\",\"tags\":[%u,%u.5]",
		        (int)(i * 37 % 101) - 50, i % 30, i % 9 + 1, i % 3, i % 7);
		fprintf(file, i % 50 ? "}\n" : ",\"few\":%u}\n", i);
	}
	fclose(file);
}

static void index_some(const struct bs_build_tuning *tuning, const char *source, const char *input)
{
	struct bs_build_request request = {.dir = "index",
	                                   .index.words = true,
	                                   .index.grams = true,
	                                   .write.n_threads = 1,
	                                   .tuning = tuning};
	index_sources(&request, (const char *const[]){source, NULL}, input);
}

/* Consents to all sources, because the fuzzer made them. */
static const struct bs_consent consent = {.all = true};

/* Runs a command on the index. words: the command and its other words. */
static int run_command(const char *words)
{
	static const struct bs_command *const commands[] = {
		&bs_command_stats, &bs_command_query,   &bs_command_grep,  &bs_command_index,
		&bs_command_check, &bs_command_compact, &bs_command_delete};
	char *argv[MOST_WORDS + 1] = {NULL}, line[256];
	int argc = 0, name_bytes = (int)strcspn(words, " ");
	size_t i = 0;
	snprintf(line, sizeof(line), "%.*s --index index%s", name_bytes, words, words + name_bytes);
	for (char *word = strtok(line, " "); word && argc < MOST_WORDS; word = strtok(NULL, " "))
		argv[argc++] = word;
	while (strcmp(commands[i]->name, argv[0]) != 0)
		i++;
	return bs_command_run(commands[i], argc, argv, &consent);
}

static void make_files(void)
{
	write_files(0, 150);
	index_some(&(struct bs_build_tuning){.max_segment_docs = 100}, "docs", NULL);
	write_files(150, 170);
	write_text("docs/part1/file1.txt", "This one is another now: a red fox.\n");
	unlink("docs/part2/file2.txt");
	index_some(&(struct bs_build_tuning){.max_segment_docs = 100}, "docs", NULL);
	assert_int_equal(run_command("delete -q docs/part3/file10.txt docs/part4/file4.txt"), 0);
	/* Changes sources, for the next refresh to find. */
	write_text("docs/part1/file8.txt", "Changed: a red fox.\n");
	write_text("docs/part1/file900.txt", "New: a common red fox.\n");
	unlink("docs/part5/file5.txt");
}

/* Makes an index whose shards are large enough for columns of all kinds, but small for speed. */
static void make_records(void)
{
	struct bs_build_tuning tuning = {.max_segment_docs = 600,
	                                 .forward_mode = BS_FORWARD_NEVER,
	                                 .max_shard_bytes = 256 << 10};
	write_records("records.jsonl", 0, 700);
	index_some(&tuning, "records.jsonl", NULL);
	write_records("records.jsonl", 700, 740);
	index_some(&tuning, "records.jsonl", NULL);
	assert_int_equal(run_command("delete -q r3 r4 r17"), 0);
	write_records("records.jsonl", 740, 760);
}

static void make_lists(void)
{
	struct bs_build_tuning tuning = {.forward_mode = BS_FORWARD_ALWAYS};
	write_records("records.jsonl", 0, 200);
	index_some(&tuning, "records.jsonl", NULL);
	write_records("records.jsonl", 200, 230);
}

static void make_stored(void)
{
	AUTO(bs_buffer_deinit) struct bs_buffer input = {0};
	write_records("some.jsonl.input", 0, 300);
	read_bytes("some.jsonl.input", &input);
	append_bytes(&input, "", 1);
	index_some(&(struct bs_build_tuning){.max_segment_docs = 200}, "-",
	           (const char *)input.data);
	index_some(&(struct bs_build_tuning){.max_segment_docs = 200}, "-",
	           "{\"id\":\"r7\",\"text\":\"red fox again\"}\n{\"text\":\"even\"}\n");
	assert_int_equal(run_command("delete -q r11 r12"), 0);
}

/* Makes an index with rows of record files in several segments; some rows are deleted. */
static void make_rows(void)
{
	write_files(0, 20);
	index_some(NULL, "docs", NULL);
	for (unsigned i = 0; i < 6; i++) {
		char path[32];
		snprintf(path, sizeof(path), "c%u.jsonl", i % 4);
		write_records(path, 100 * i, 100 * i + 60);
		index_some(NULL, path, NULL);
	}
}

/* Makes an index of record files in a folder: one has grown, one became a plain file, one was
 * removed, one has a deleted record. */
static void make_inner(void)
{
	write_files(0, 20);
	for (unsigned i = 0; i < 5; i++) {
		char path[32];
		snprintf(path, sizeof(path), "docs/c%u.jsonl", i);
		write_records(path, 100 * i, 100 * i + 40);
	}
	index_some(NULL, "docs", NULL);
	write_records("docs/c1.jsonl", 140, 150);
	assert_int_equal(unlink("docs/c2.jsonl"), 0);
	write_text("docs/c3.jsonl", "no record\n");
	index_some(NULL, "docs", NULL);
	assert_int_equal(run_command("delete -q docs/c0.jsonl#r3"), 0);
}

static struct seed seeds[] = {
	{.name = "small", .make = make_small_index},
	{.name = "chances", .make = make_small_index_of_chances},
	{.name = "files", .make = make_files},
	{.name = "records", .make = make_records},
	{.name = "lists", .make = make_lists},
	{.name = "stored", .make = make_stored},
	{.name = "rows", .make = make_rows},
	{.name = "inner", .make = make_inner},
};

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "lock") != 0 &&
	       strcmp(entry->d_name, "CACHEDIR.TAG") != 0;
}

/* Makes a seed in a child process, so that this process stays small: a process with little memory
 * forks faster. */
static void make_seed(struct seed *seed)
{
	struct dirent **entries;
	int status;
	assert_int_equal(mkdir(seed->name, 0777), 0);
	assert_int_equal(chdir(seed->name), 0);
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		seed->make();
		exit(0);
	}
	assert_true(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	int n = scandir("index", &entries, is_file, alphasort);
	assert_true(n > 0 && n <= MOST_FILES);
	for (int i = 0; i < n; i++) {
		struct file *file = &seed->files[seed->n_files++];
		char path[300];
		snprintf(path, sizeof(path), "index/%s", entries[i]->d_name);
		snprintf(file->name, sizeof(file->name), "%.23s", entries[i]->d_name);
		read_bytes(path, &file->bytes);
		free(entries[i]);
	}
	free(entries);
	assert_int_equal(chdir(".."), 0);
}

/* ---- one case ---- */

struct fuzz_case {
	uint64_t number;
	uint64_t random;
	struct seed *seed;
	struct file changed[2]; /* they replace the files of the same names */
	bool says_corrupt;      /* a command reported BS_CORRUPT */
	unsigned n_runs;
	unsigned n_refused; /* number of commands that ended with an error */
	unsigned n_findings;
};

static const struct file *pick_file(const struct seed *seed, uint64_t *random)
{
	/* Choose mostly segments, because most of the readers' code is for these. */
	const char *prefix =
		random_below(random, 3) ? "seg" : (random_below(random, 2) ? "manifest" : "");
	for (;;) {
		const struct file *file = &seed->files[random_below(random, seed->n_files)];
		if (strncmp(file->name, prefix, strlen(prefix)) == 0)
			return file;
	}
}

static void mutate_index(struct fuzz_case *one)
{
	size_t n = random_below(&one->random, 5) ? 1 : 2;
	for (size_t i = 0; i < n; i++) {
		const struct file *file = pick_file(one->seed, &one->random);
		const struct seed *from =
			random_below(&one->random, 2)
				? one->seed
				: &seeds[random_below(&one->random, COUNT(seeds))];
		const struct file *other = pick_file(from, &one->random);
		memcpy(one->changed[i].name, file->name, sizeof(file->name));
		append_bytes(&one->changed[i].bytes, file->bytes.data, file->bytes.used_bytes);
		mutate_file(&one->changed[i].bytes, &other->bytes, &one->random);
	}
}

/* Whether a changed manifest has a source "/". Reading it would take hours, but is not an error. */
static bool names_root(const struct fuzz_case *one)
{
	bool found = false;
	for (size_t i = 0; i < COUNT(one->changed); i++)
		found |= strcmp(one->changed[i].name, "manifest") == 0 &&
		         memmem(one->changed[i].bytes.data, one->changed[i].bytes.used_bytes, "\1/",
		                2);
	return found;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
	return walk->level > 0 ? remove(path) : 0;
}

/* Makes the folder `index` the changed index. */
static void restore(const struct fuzz_case *one)
{
	assert_int_equal(nftw("index", remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
	for (size_t i = 0; i < one->seed->n_files; i++) {
		const struct file *file = &one->seed->files[i];
		for (size_t c = 0; c < COUNT(one->changed); c++)
			if (strcmp(one->changed[c].name, file->name) == 0)
				file = &one->changed[c];
		char path[40];
		snprintf(path, sizeof(path), "index/%s", file->name);
		write_bytes(path, file->bytes.data, file->bytes.used_bytes);
	}
}

static uint64_t resident_bytes(pid_t child)
{
	char path[40];
	unsigned long long n_pages = 0;
	snprintf(path, sizeof(path), "/proc/%ld/statm", (long)child);
	FILE *file = fopen(path, "re");
	if (file && fscanf(file, "%*u %llu", &n_pages) != 1)
		n_pages = 0;
	if (file)
		fclose(file);
	return n_pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static sigset_t ended; /* SIGCHLD, which is blocked */

/* Returns the wait status. Kills the child and sets *why_out if it uses too much time or memory. */
static int wait_for(pid_t child, const char **why_out)
{
	struct timespec begun, now;
	int status = 0;
	clock_gettime(CLOCK_MONOTONIC, &begun);
	while (waitpid(child, &status, *why_out ? 0 : WNOHANG) == 0) {
		sigtimedwait(&ended, NULL, &(struct timespec){.tv_nsec = 100000000});
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - begun.tv_sec > MOST_WAITED)
			*why_out = "it takes too long";
		else if (resident_bytes(child) > MOST_BYTES)
			*why_out = "it takes too much memory";
		if (*why_out)
			kill(child, SIGKILL);
	}
	return status;
}

static void run_child(const char *words, int errors)
{
	int input = open(access("input", R_OK) == 0 ? "input" : "/dev/null", O_RDONLY | O_CLOEXEC);
	int output = open("/dev/null", O_WRONLY | O_CLOEXEC);
	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	setrlimit(RLIMIT_CPU, &(struct rlimit){MOST_SECONDS, MOST_SECONDS + 1});
	exit(run_command(words));
}

static void try(struct fuzz_case *one, const char *words)
{
	static int errors = -1;
	char printed[16 << 10] = "";
	const char *why = NULL;
	if (errors < 0)
		errors = memfd_create("errors", MFD_CLOEXEC);
	assert_true(errors >= 0 && ftruncate(errors, 0) == 0 && lseek(errors, 0, SEEK_SET) == 0);
	fflush(NULL);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		run_child(words, errors);
	int status = wait_for(child, &why);
	ssize_t n = pread(errors, printed, sizeof(printed) - 1, 0);
	printed[n > 0 ? n : 0] = '\0';
	one->n_runs++;
	bool is_check = strcmp(words, "check") == 0;
	bool is_corrupt = strstr(printed, ": corrupt: ") != NULL;
	if (!why && WIFSIGNALED(status))
		why = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL
		              ? "it takes too long"
		              : "it crashed";
	else if (!why && (WEXITSTATUS(status) > 2 || strstr(printed, "Sanitizer") ||
	                  strstr(printed, "runtime error: ")))
		why = "a sanitizer ended it";
	else if (!why && strstr(printed, "out of memory"))
		why = "it asked for too much memory";
	else if (!why && is_check && one->says_corrupt && WEXITSTATUS(status) != 2)
		why = "another command says that the index is corrupt, and this one does not";
	one->says_corrupt = !is_check && (one->says_corrupt || is_corrupt);
	if (why) {
		printf("case %llu (%s: %s %s): bitsift %s: %s\n%s\n",
		       (unsigned long long)one->number, one->seed->name, one->changed[0].name,
		       one->changed[1].name, words, why, printed);
		fflush(stdout);
		one->n_findings++;
	}
	one->n_refused += !why && WEXITSTATUS(status) == 2;
}

static const char *const readers[] = {
	"stats", "query common", "query --ids --brute red fox -odd", "query --count NOT red",
	"query --ids \"red fox\" OR absent",
	"query --explain \"fox red\"~3 OR \xe6\x9d\xb1\xe4\xba\xac",
	"query -n 100 --json re* OR even", "query --any --explain commen~1 stored~2 l17",
	"query --approx (title:even OR w5) red", "query --fresh --ids fox",
	"query -n 3 fox even common l1* odd", "query --ids -absent",
	/* Ranges of values, sorting, grep. */
	"query --count size:-10..20 OR tags:>3", "query --ids red -when:2003..2011-06",
	"query --explain when:>2020 few:..400", "query --sort tags:desc --json fox",
	"query --sort few -n 3 size:<1", "grep red.fox", "grep -c --no-stat common",
	"grep --candidates static|another", "grep -il fox_?1"};

static const char *const writers[] = {"index -q --memory 64M -j 1",
                                      "index -q --memory 64M -j 2 -",
                                      "index -q --memory 64M -j 1 --rebuild",
                                      "compact -q --memory 64M -j 1",
                                      "compact -q --memory 64M -j 2",
                                      "delete -q r1 r2 docs/part1/file1.txt d/a.txt s0",
                                      "delete -q --query even"};

/* Runs every other reader, then check, which must report damage that a reader reported. Then runs a
 * random writer. If the writer reported damage, check must report damage of the index as it was
 * before the writer; otherwise a query and check run on the writer's result. */
static void run_all(struct fuzz_case *one)
{
	size_t first = (size_t)random_below(&one->random, 2);
	size_t writer = (size_t)random_below(&one->random, COUNT(writers));
	restore(one);
	for (size_t i = first; i < COUNT(readers); i += 2)
		try(one, readers[i]);
	try(one, "check");
	try(one, writers[writer]);
	if (one->says_corrupt) {
		restore(one);
		try(one, "check");
		return;
	}
	try(one, readers[1]);
	try(one, "check");
}

static void run_case(struct fuzz_case *one)
{
	one->random = (one->number + 1) * UINT64_C(0x9e3779b97f4a7c15);
	one->seed = &seeds[random_below(&one->random, COUNT(seeds))];
	mutate_index(one);
	assert_int_equal(chdir(one->seed->name), 0);
	if (!names_root(one))
		run_all(one);
	if (one->n_findings > 0)
		restore(one);
	assert_int_equal(chdir(".."), 0);
	for (size_t i = 0; i < COUNT(one->changed); i++)
		bs_buffer_deinit(&one->changed[i].bytes);
}

int main(int argc, char **argv)
{
	struct random_rounds rounds = random_rounds(argc, argv, 400, 1);
	uint64_t n_runs = rounds.n, first = rounds.seed;
	unsigned long long n_done = 0, n_cases = 0, n_refused = 0, n_findings = 0;
	char here[4096];
	void *folder = NULL;
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, NULL);
	if (enter_folder(&folder) != 0)
		return 2;
	for (size_t i = 0; i < COUNT(seeds); i++)
		make_seed(&seeds[i]);
	for (; n_done < n_runs; n_cases++) {
		struct fuzz_case one = {.number = first + n_cases};
		run_case(&one);
		n_done += one.n_runs;
		n_refused += one.n_refused;
		n_findings += one.n_findings;
	}
	printf("%llu runs over %llu indexes, %llu ended by an error: %llu findings\n", n_done,
	       n_cases, n_refused, n_findings);
	if (n_runs == 1 && n_findings > 0)
		printf("left in %s\n", getcwd(here, sizeof(here)));
	else if (leave_folder(&folder) != 0)
		return 2;
	return n_findings > 0;
}
