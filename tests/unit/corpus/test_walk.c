/*
 * test_walk.c: single features of the walk, and comparisons with ripgrep 15.0.0 on random trees.
 * test_glob.c tests globs and ignore lines.
 *
 * test_walk 5000 7 compares 5,000 random trees, with seed 7. A tree with a difference is kept, and
 * its path is printed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/bitsift/index.h"
#include "corpus/walk/walk.h"
#include "tests/rigs/core_rig.h"
#include "tests/rigs/dice.h"

/* ---- the folder of the test ---- */

static char base[PATH_MAX]; /* the temporary folder of a test */

static void run(const char *const *arguments)
{
	int status;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		execvp(arguments[0], (char *const *)(uintptr_t)arguments);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void remove_tree(const char *path)
{
	run((const char *const[]){"rm", "-rf", "--", path, NULL});
}

static void enter(const char *path)
{
	if (chdir(path) != 0)
		fail_msg("%s: %s", path, strerror(errno));
}

static void make_folder(const char *path)
{
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		fail_msg("%s: %s", path, strerror(errno));
}

static void make_file(const char *path, const void *bytes, size_t n)
{
	FILE *file = must_fopen(path, "wb");
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
}

static void make_text(const char *path, const char *text)
{
	make_file(path, text, strlen(text));
}

static int set_up(void **state)
{
	const char *temporary = getenv("TMPDIR");
	/* The folder is in memory if possible, because making trees takes most of the time. */
	if (!temporary)
		temporary = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	snprintf(base, sizeof(base), "%s/bitsift-walk-XXXXXX", temporary);
	if (!mkdtemp(base))
		return -1;
	/* The git excludes of the user who runs the test must not be found. */
	setenv("HOME", base, 1);
	unsetenv("XDG_CONFIG_HOME");
	return chdir(base);
}

static int tear_down(void **state)
{
	if (chdir("/") != 0)
		return -1;
	remove_tree(base);
	return 0;
}

/* ---- our walk, recorded ---- */

struct reports {
	char text[4096];
};

static void note_report(void *context, enum bs_skip reason, const char *message)
{
	struct reports *reports = context;
	size_t used = strlen(reports->text);
	snprintf(reports->text + used, sizeof(reports->text) - used, "%d %s\n", (int)reason,
	         message);
}

/* The order of documents: bytewise, with a slash before all other bytes. */
static int compare_paths(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	int left = *a == '/' ? 0 : *a ? (unsigned char)*a : -1;
	int right = *b == '/' ? 0 : *b ? (unsigned char)*b : -1;
	return left - right;
}

/* Appends all paths, each NUL-terminated; checks their order. */
static enum bs_status collect(const char *root, const struct bs_walk_options *options,
                              struct bs_buffer *paths)
{
	struct bs_walk *walk;
	const char *path;
	size_t path_bytes, last_off = SIZE_MAX;
	enum bs_status status = bs_walk_open(root, options, &walk, ERR);
	if (status)
		return status;
	for (;;) {
		ok(bs_walk_next(walk, &path, &path_bytes, ERR));
		if (!path)
			break;
		assert_int_equal(strlen(path), path_bytes);
		if (last_off != SIZE_MAX)
			assert_true(compare_paths((const char *)paths->data + last_off, path) < 0);
		last_off = paths->used_bytes;
		append_bytes(paths, path, path_bytes + 1);
	}
	bs_walk_close(walk);
	return BS_OK;
}

static void expect(const char *root, const struct bs_walk_options *options, const char *lines)
{
	AUTO(bs_buffer_deinit) struct bs_buffer paths = {0};
	assert_int_equal(collect(root, options, &paths), BS_OK);
	for (size_t i = 0; i < paths.used_bytes; i++)
		if (paths.data[i] == '\0')
			paths.data[i] = '\n';
	append_bytes(&paths, "", 1);
	assert_string_equal((const char *)paths.data, lines);
}

/* ---- single features ---- */

static void test_order_and_reports(void **state)
{
	struct reports reports = {""};
	struct stat info;
	struct bs_walk_options options = {.report = note_report, .report_context = &reports};
	make_folder("plain");
	make_folder("plain/a");
	make_folder("plain/index");
	make_text("plain/a/x", "");
	make_text("plain/a/\xff\n", "");
	make_text("plain/a-b", "");
	make_text("plain/a.b", "");
	make_text("plain/ab", "");
	make_text("plain/.hidden", "");
	make_text("plain/index/file", "");
	assert_int_equal(mkfifo("plain/pi\npe", 0666), 0);
	assert_int_equal(symlink("a", "plain/link"), 0);
	assert_int_equal(stat("plain/index", &info), 0);
	options.skip_device = info.st_dev;
	options.skip_inode = info.st_ino;
	expect("plain", &options, "a/x\na/\xff\n\na-b\na.b\nab\n");
	assert_string_equal(reports.text,
	                    "1 plain/link: symbolic link\n2 plain/pi\\x0ape: not a regular file\n");
	reports = (struct reports){""};
	expect(".//plain", &options, "a/x\na/\xff\n\na-b\na.b\nab\n");
	assert_string_equal(reports.text,
	                    "1 plain/link: symbolic link\n2 plain/pi\\x0ape: not a regular file\n");
	options = (struct bs_walk_options){.hidden = true};
	expect("./plain/", &options, ".hidden\na/x\na/\xff\n\na-b\na.b\nab\nindex/file\n");
	/* The name of this symlink, ain, is the end of the name of its target. */
	assert_int_equal(symlink("plain", "ain"), 0);
	options =
		(struct bs_walk_options){.globs = (const char *const[]){"/ain/a-b"}, .n_globs = 1};
	expect("ain", &options, "a-b\n");
	enter("plain");
	expect(".", &(struct bs_walk_options){0}, "a/x\na/\xff\n\na-b\na.b\nab\nindex/file\n");
	expect("link", &(struct bs_walk_options){0}, "x\n\xff\n\n");
	enter(base);
}

/* Names that differ at their ends are sorted, too; a folder with an index is never visited. */
static void test_names(void **state)
{
	make_folder("names");
	make_folder("names/.bitsift");
	make_text("names/.bitsift/file", "");
	for (int i = 0; i < 5; i++) {
		char path[] = "names/long name ?";
		path[sizeof(path) - 2] = (char)('1' + i * 2 % 5);
		make_text(path, "");
	}
	expect("names", &(struct bs_walk_options){.hidden = true},
	       "long name 1\nlong name 2\nlong name 3\nlong name 4\nlong name 5\n");
}

static void test_links_and_depth(void **state)
{
	struct reports reports = {""};
	struct bs_walk_options options = {
		.report = note_report, .report_context = &reports, .follow = true};
	make_folder("loop");
	make_folder("loop/sub");
	make_folder("loop/sub/below");
	make_text("loop/sub/below/file", "");
	make_text("loop/file", "");
	make_text("loop/sub/file", "");
	assert_int_equal(symlink("../sub", "loop/sub/again"), 0);
	assert_int_equal(symlink("sub/below", "loop/link"), 0);
	expect("loop", &options, "file\nlink/file\nsub/below/file\nsub/file\n");
	assert_string_equal(reports.text, "3 loop/sub/again: Too many levels of symbolic links\n");
	for (uint32_t depth = 1; depth <= 3; depth++) {
		static const char *const found[] = {"file\n", "file\nsub/file\n",
		                                    "file\nsub/below/file\nsub/file\n"};
		expect("loop", &(struct bs_walk_options){.max_depth = depth}, found[depth - 1]);
	}
}

/* From a relative and from an absolute root, bs_walk_judge must select the files that a walk with
 * the same globs and depth yields. */
static void test_judgements(void **state)
{
	static const char *const files[] = {".h.c",  "a/.i.h",  "a/b/c/d.h", "a/b/e",
	                                    "a/x.c", "a-b/x.c", "sub/x.py",  "z.c"};
	static const struct {
		const char *globs[3];
		uint32_t max_depth;
	} cases[] = {{{NULL}, 0},       {{"*.c"}, 0},   {{"!*.c"}, 0},      {{"!a/"}, 0},
	             {{"a"}, 0},        {{"/a/**"}, 0}, {{"*.h", "!b"}, 0}, {{"!b", "*.h"}, 0},
	             {{"sub/*.py"}, 0}, {{"/*.c"}, 0},  {{".*"}, 0},        {{NULL}, 1},
	             {{"*.c"}, 2},      {{"!x.*"}, 2},  {{"judged/a/*"}, 0}};
	char absolute[PATH_MAX];
	make_folder("judged");
	assert_non_null(realpath("judged", absolute));
	for (size_t i = 0; i < COUNT(files); i++) {
		char path[64];
		snprintf(path, sizeof(path), "judged/%s", files[i]);
		for (char *slash = strchr(path + 7, '/'); slash; slash = strchr(slash + 1, '/')) {
			*slash = '\0';
			make_folder(path);
			*slash = '/';
		}
		make_text(path, "");
	}
	for (size_t i = 0; i < 2 * COUNT(cases); i++) {
		const char *root = i % 2 ? absolute : "judged";
		struct bs_walk_options options = {.globs = cases[i / 2].globs,
		                                  .max_depth = cases[i / 2].max_depth};
		char lines[512] = "";
		while (options.globs[options.n_globs])
			options.n_globs++;
		struct bs_walk *rules;
		ok(bs_walk_open_rules(root, &options, &rules, ERR));
		/* The order of names does not matter. */
		enum bs_walk_judgement judgements[COUNT(files)];
		for (size_t round = 0; round < 2; round++)
			for (size_t k = 0; k < COUNT(files); k++) {
				size_t f = round ? k : COUNT(files) - 1 - k;
				ok(bs_walk_judge(rules, files[f], strlen(files[f]), false,
				                 &judgements[f], ERR));
			}
		for (size_t k = 0; k < COUNT(files); k++) {
			bool is_hidden = files[k][0] == '.' || strstr(files[k], "/.");
			if (judgements[k] == BS_WALK_BY_GLOB ||
			    (judgements[k] == BS_WALK_BY_RULES && !is_hidden))
				snprintf(lines + strlen(lines), sizeof(lines) - strlen(lines),
				         "%s\n", files[k]);
		}
		bs_walk_close(rules);
		expect(root, &options, lines);
	}
}

static void test_unreadable(void **state)
{
	struct reports reports = {""};
	struct bs_walk_options options = {.report = note_report, .report_context = &reports};
	bool is_root = geteuid() == 0;
	make_folder("closed");
	make_folder("closed/no");
	make_text("closed/yes", "");
	assert_int_equal(chmod("closed/no", 0) | chmod(".", 0755), 0);
	/* Root can read everything, so the walk runs as another user. */
	assert_int_equal(is_root ? seteuid(65534) : 0, 0);
	expect("closed", &options, "yes\n");
	assert_int_equal(is_root ? seteuid(0) : 0, 0);
	assert_string_equal(reports.text, "3 closed/no: Permission denied\n");
	assert_int_equal(chmod("closed/no", 0777), 0);
}

static void test_open_errors(void **state)
{
	struct bs_walk *walk;
	struct bs_walk_options options = {.globs = (const char *const[]){"a", "{b"}, .n_globs = 2};
	make_text("a file", "");
	assert_int_equal(bs_walk_open("not there", &(struct bs_walk_options){0}, &walk, ERR),
	                 BS_IO);
	assert_string_equal(said.text, "not there: No such file or directory");
	assert_null(walk);
	assert_int_equal(bs_walk_open("a file", &(struct bs_walk_options){0}, &walk, ERR), BS_IO);
	expect_error(bs_walk_open(".", &options, &walk, ERR), BS_INVALID, "{b");
	bs_walk_close(NULL);
}

/* Walks folders nested to nearly three times PATH_MAX, also with few file descriptors. Each level
 * has a second folder, "e", which the walk visits after the deeper levels. */
static void test_deep(void **state)
{
	static const char name[] = "ddddddddddddddddddd";
	enum {
		LEVELS = 600
	};
	struct bs_buffer paths = {0};
	struct rlimit old, few;
	make_folder("deep");
	int fd = open("deep", O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < LEVELS; i++) {
		assert_true(fd >= 0);
		assert_int_equal(mkdirat(fd, name, 0777), 0);
		assert_int_equal(mkdirat(fd, "e", 0777), 0);
		int file = openat(fd, "e/f", O_WRONLY | O_CREAT, 0666);
		assert_true(file >= 0);
		close(file);
		int next = openat(fd, name, O_RDONLY | O_DIRECTORY);
		close(fd);
		fd = next;
	}
	close(fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	for (int pass = 0; pass < 2; pass++) {
		few = old;
		few.rlim_cur = pass ? 16 : old.rlim_cur;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		bs_buffer_clear(&paths);
		assert_int_equal(collect("deep", &(struct bs_walk_options){0}, &paths), BS_OK);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
		size_t n_paths = 0;
		for (size_t i = 0; i < paths.used_bytes; i++)
			n_paths += paths.data[i] == '\0';
		assert_int_equal(n_paths, LEVELS);
	}
	bs_buffer_deinit(&paths);
	remove_tree("deep");
}

/* ---- random trees, compared with ripgrep ---- */

static bool one_in(uint64_t n)
{
	return below(n) == 0;
}

#define PICK(array) ((array)[below(COUNT(array))])

static const char *const names[] = {
	"a",  "b",    "c",   "ab",  "abc", "a.b", "a.c",  "b.c", "x.c",  "x.y.c", ".h",
	".a", "foo.", ".a.", "a b", "b ",  "[a]", "{a}",  "é",   "\xff", "a\nb",  "!a",
	"#a", "-d",   "*",   "\\",  "a,b", "]",   "a\nc", "..x", "foo",  "sub",   "tree"};

static const char *const pieces[] = {"a",         "b",        "c",
                                     ".",         ".c",       "*",
                                     "*",         "**",       "?",
                                     "[ab]",      "[!a]",     "[a-c]",
                                     "[^.]",      "{a,b}",    "{a,}",
                                     "\\*",       "\\[",      "é",
                                     "[é]",       " ",        "}",
                                     ",",         "!",        "#",
                                     "-",         "foo",      "sub",
                                     "tree",      "{*.c,b}",  "x",
                                     "[a-]",      "\\a",      "{",
                                     "[a",        "[",        "\\/",
                                     "{a,{b,c}}", "{a,{}}",   "{{a},{b,.}c}*",
                                     "*.",        ".*",       "*.c",
                                     "[/]",       "[!x]",     "{a/b,c}",
                                     "{**/a,b}",  "{a/**,b}", "{a,b}*"};

static const char *const garbage[] = {"a", "b", "*", "**", "?", "[", "]", "{", "}", ",",
                                      "!", "#", "/", "\\", ".", "-", "^", "é", " ", "c"};

static void random_component(struct bs_buffer *text)
{
	const char *name = PICK(names);
	if (one_in(6)) {
		append_string(text, "**");
	} else if (one_in(2) && !strchr(name, '\n') && (uint8_t)name[0] != 0xff) {
		append_string(text, name);
	} else {
		for (uint64_t n = 1 + below(3); n > 0; n--)
			append_string(text, PICK(pieces));
	}
}

/* Appends a random glob: UTF-8 without a line feed. */
static void random_glob(struct bs_buffer *text)
{
	if (one_in(8)) {
		for (uint64_t n = below(9); n > 0; n--)
			append_string(text, PICK(garbage));
		return;
	}
	if (one_in(4))
		append_string(text, "!");
	if (one_in(4))
		append_string(text, "/");
	random_component(text);
	while (one_in(3)) {
		append_string(text, "/");
		random_component(text);
	}
	if (one_in(5))
		append_string(text, "/");
	if (one_in(12))
		append_string(text, one_in(2) ? " " : "\\ ");
}

static void random_ignore_file(const char *path)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	for (uint64_t n = below(5); n > 0; n--) {
		if (one_in(20))
			append_string(&text, one_in(4) ? "\xff" : "\xef\xbb\xbf");
		random_glob(&text);
		append_string(&text, one_in(8) ? "\r\n" : n == 1 && one_in(4) ? "" : "\n");
	}
	make_file(path, text.data ? (const void *)text.data : "", text.used_bytes);
}

/* Makes the current folder a repository, or a worktree of one. */
static void random_repository(void)
{
	static const char *const common[] = {"../..", "..\n", "/nowhere", ""};
	char path[PATH_MAX + 64];
	if (one_in(4))
		make_folder(".jj");
	if (!one_in(4)) {
		make_folder(".git");
		make_folder(".git/info");
		if (one_in(2))
			random_ignore_file(".git/info/exclude");
		return;
	}
	snprintf(path, sizeof(path), "%s%s/real/trees/one\n", one_in(8) ? "" : "gitdir: ", base);
	make_text(".git", path);
	snprintf(path, sizeof(path), "%s/real/trees/one/commondir", base);
	make_text(path, PICK(common));
	snprintf(path, sizeof(path), "%s/real/info/exclude", base);
	random_ignore_file(path);
}

static void random_ignore_files(void)
{
	if (one_in(3))
		random_ignore_file(".gitignore");
	if (one_in(5))
		random_ignore_file(".ignore");
	if (one_in(7))
		random_ignore_file(".rgignore");
	if (one_in(7))
		random_repository();
}

/* Fills the current folder with random files, folders and ignore files. */
static void random_tree(unsigned depth)
{
	random_ignore_files();
	for (uint64_t n = 1 + below(7); n > 0; n--) {
		const char *name = PICK(names);
		struct stat info;
		if (lstat(name, &info) == 0)
			continue;
		if (depth < 4 && one_in(2)) {
			make_folder(name);
			enter(name);
			random_tree(depth + 1);
			enter("..");
		} else if (one_in(12)) {
			assert_int_equal(one_in(2) ? symlink("a", name) : mkfifo(name, 0666), 0);
		} else {
			make_text(name, "");
		}
	}
}

/* Makes a home folder with random configuration and excludes of git. */
static void random_home(void)
{
	static const char *const configs[] = {
		"[core]\n\texcludesFile = ~/excludes\n", "[core]\nexcludesfile=~/excludes",
		"# excludesfile = ~/excludes\n", "[user]\nname = x\n", "excludesFile = ~/none\n",
		"excludesFile = \"~/excludes\"\n",
		/* Quotes, blanks and comments. */
		"excludesFile =\n \" ~/excludes \"", "excludesFile = ~/excludes\" \n[x]\n",
		"excludesFile = ~/exc ludes\nexcludesFile = ~/excludes\n",
		"excludesFile = ~/excludes # x\n", "excludesFile = \"~/excludes"};
	remove_tree("home");
	make_folder("home");
	make_folder("home/.config");
	make_folder("home/.config/git");
	if (one_in(3))
		random_ignore_file("home/excludes");
	if (one_in(3))
		random_ignore_file("home/.config/git/ignore");
	if (one_in(3))
		make_text("home/.gitconfig", PICK(configs));
	if (one_in(3))
		make_text("home/.config/git/config", PICK(configs));
}

struct rg_run {
	const char *root;
	struct bs_buffer globs; /* each "--glob=...", NUL-terminated */
	size_t n_globs;
	bool hidden, no_ignore;
};

/* Returns the exit status and appends the output; -1 if ripgrep is missing. */
static int run_rg(const char *const *arguments, struct bs_buffer *output)
{
	int ends[2], status;
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		int nothing = open("/dev/null", O_RDWR);
		dup2(nothing, 0);
		dup2(ends[1], 1);
		dup2(nothing, 2);
		close(ends[0]);
		close(ends[1]);
		execvp("rg", (char *const *)(uintptr_t)arguments);
		_exit(127);
	}
	close(ends[1]);
	for (;;) {
		ok(bs_buffer_reserve(output, 4096, ERR));
		ssize_t got = read(ends[0], output->data + output->used_bytes, 4096);
		if (got <= 0)
			break;
		output->used_bytes += (size_t)got;
	}
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status) == 127 ? -1 : WEXITSTATUS(status);
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the strings in the buffer, sorted, each without its first skip_bytes bytes; the caller
 * frees the array. */
static const char **sorted_strings(const struct bs_buffer *buffer, size_t skip_bytes, size_t *n_out)
{
	const char **strings = must_malloc((buffer->used_bytes + 1) * sizeof(*strings));
	*n_out = 0;
	for (size_t at = 0; at < buffer->used_bytes;
	     at += strlen((const char *)buffer->data + at) + 1)
		strings[(*n_out)++] = (const char *)buffer->data + at + skip_bytes;
	qsort(strings, *n_out, sizeof(*strings), compare_strings);
	return strings;
}

static void print_run(const struct rg_run *rg)
{
	char current[PATH_MAX];
	print_error("in %s: rg --files%s%s", getcwd(current, sizeof(current)),
	            rg->hidden ? " --hidden" : "", rg->no_ignore ? " --no-ignore" : "");
	for (size_t at = 0; at < rg->globs.used_bytes;
	     at += strlen((const char *)rg->globs.data + at) + 1)
		print_error(" '%s'", (const char *)rg->globs.data + at);
	print_error(" '%s'\n", rg->root);
}

/* Prints the paths that only one of two sorted lists has; returns their number. */
static size_t print_differences(const char **ours, size_t n_ours, const char **theirs,
                                size_t n_theirs)
{
	size_t i = 0, j = 0, n = 0;
	while (i < n_ours || j < n_theirs) {
		int order = i == n_ours ? 1 : j == n_theirs ? -1 : strcmp(ours[i], theirs[j]);
		if (order != 0) {
			print_error("only %s: '%s'\n", order < 0 ? "bitsift" : "rg",
			            order < 0 ? ours[i] : theirs[j]);
			n++;
		}
		i += order <= 0;
		j += order >= 0;
	}
	return n;
}

/* Runs our walk and ripgrep; returns the number of differences. */
static size_t compare_with_rg(const struct rg_run *rg)
{
	const char *arguments[16] = {"rg", "--no-config", "--files", "--null", "--sort=path"},
		   *globs[8];
	struct bs_walk_options options = {
		.hidden = rg->hidden, .no_ignore = rg->no_ignore, .globs = globs};
	struct bs_buffer ours = {0}, theirs = {0};
	size_t n_arguments = 5, n_ours, n_theirs, differences = 0;
	for (size_t at = 0; at < rg->globs.used_bytes;
	     at += strlen(arguments[n_arguments - 1]) + 1) {
		arguments[n_arguments++] = (const char *)rg->globs.data + at;
		globs[options.n_globs++] = (const char *)rg->globs.data + at + strlen("--glob=");
	}
	if (rg->hidden)
		arguments[n_arguments++] = "--hidden";
	if (rg->no_ignore)
		arguments[n_arguments++] = "--no-ignore";
	arguments[n_arguments++] = "--";
	arguments[n_arguments++] = rg->root;
	int rg_status = run_rg(arguments, &theirs);
	/* invalid lines in ignore files also give status 2 if no file is found */
	if (rg_status == 2) {
		arguments[n_arguments - 2] = "--no-ignore";
		arguments[n_arguments - 1] = "--";
		arguments[n_arguments++] = rg->root;
		AUTO(bs_buffer_deinit) struct bs_buffer unused = {0};
		rg_status = run_rg(arguments, &unused);
	}
	enum bs_status status = collect(rg->root, &options, &ours);
	if ((status == BS_INVALID) != (rg_status == 2)) {
		print_error("rg's exit status is %d, ours %s\n", rg_status, bs_status_name(status));
		differences++;
	}
	size_t root_bytes = strlen(rg->root);
	const char **our_paths = sorted_strings(&ours, 0, &n_ours);
	const char **their_paths =
		sorted_strings(&theirs, root_bytes + (rg->root[root_bytes - 1] != '/'), &n_theirs);
	differences += print_differences(our_paths, n_ours, their_paths, n_theirs);
	free(our_paths);
	free(their_paths);
	bs_buffer_deinit(&ours);
	bs_buffer_deinit(&theirs);
	if (differences)
		print_run(rg);
	return differences;
}

/* Compares our walk with rg's, from a random folder and root, with random options. */
static size_t random_run(void)
{
	static const struct {
		const char *from, *root;
	} starts[] = {{"outer/tree", "."},      {"outer/tree", "."},
	              {"outer/tree", "./"},     {"outer", "tree"},
	              {"outer", "./tree"},      {"outer", "tree/"},
	              {".", "outer/tree"},      {"outer/tree", "../tree"},
	              {"outer", "."},           {"outer/tree", ".."},
	              {"outer", "/outer/tree"}, {"outer/tree", "/outer/tree/"},
	              {"outer/tree", "/outer"}, {".", "link"},
	              {"outer/tree", "/link"}};
	size_t start = below(COUNT(starts));
	char root[PATH_MAX + 32];
	struct rg_run rg = {.hidden = one_in(5), .no_ignore = one_in(12), .root = root};
	snprintf(root, sizeof(root), "%s%s", starts[start].root[0] == '/' ? base : "",
	         starts[start].root);
	for (; one_in(3) && rg.n_globs < 3; rg.n_globs++) {
		append_string(&rg.globs, "--glob=");
		random_glob(&rg.globs);
		append_bytes(&rg.globs, "", 1);
	}
	enter(starts[start].from);
	size_t differences = compare_with_rg(&rg);
	enter(base);
	bs_buffer_deinit(&rg.globs);
	return differences;
}

static bool have_rg_15(void)
{
	AUTO(bs_buffer_deinit) struct bs_buffer output = {0};
	static const char version[] = "ripgrep 15.0.0 ";
	bool is_15 = run_rg((const char *const[]){"rg", "--version", NULL}, &output) == 0 &&
	             output.used_bytes > sizeof(version) &&
	             memcmp(output.data, version, sizeof(version) - 1) == 0;
	return is_15;
}

static void test_random_trees(void **state)
{
	char home[PATH_MAX + 16];
	if (!have_rg_15()) {
		print_message("no ripgrep 15 is installed: nothing to compare with\n");
		skip();
	}
	snprintf(home, sizeof(home), "%s/home", base);
	setenv("HOME", home, 1);
	make_folder("real");
	make_folder("real/info");
	make_folder("real/trees");
	make_folder("real/trees/one");
	assert_int_equal(symlink("outer/tree", "link"), 0);
	for (uint64_t i = 0; i < rounds.n; i++) {
		random_state = rounds.seed + i;
		random_home();
		make_folder("outer");
		enter("outer");
		random_ignore_files();
		make_folder("tree");
		enter("tree");
		random_tree(0);
		enter(base);
		for (size_t n_runs = 0; n_runs < 4; n_runs++)
			if (random_run() > 0)
				fail_msg("seed %llu; the tree is left in %s",
				         (unsigned long long)(rounds.seed + i), base);
		remove_tree("outer");
	}
}

/* Keeps the temporary folder if the comparison failed. */
static int tear_down_unless_different(void **state)
{
	struct stat info;
	return stat("outer", &info) == 0 ? 0 : tear_down(state);
}

RUN_RANDOM_TESTS_EACH_WITH(40, 1, set_up, tear_down_unless_different, test_order_and_reports,
                           test_names, test_links_and_depth, test_judgements, test_unreadable,
                           test_open_errors, test_deep, test_random_trees)
