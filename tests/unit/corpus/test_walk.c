/* test_walk.c: single features of the walk. test_glob.c tests globs and ignore lines;
 * cli_walk_random compares random trees with ripgrep. */
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift/index.h"
#include "corpus/walk/walk.h"
#include "tests/rigs/core_rig.h"

/* The git excludes of the user who runs the test must not be found. */
static int set_up(void **state)
{
	setenv("HOME", "/nonexistent", 1);
	unsetenv("XDG_CONFIG_HOME");
	return enter_folder(state);
}

static void make_folder(const char *path)
{
	assert_int_equal(mkdir(path, 0777), 0);
}

/* The reports of walks since the last expect_reports. */
static char reports[4096];

static void note_report(void *context, enum bs_skip reason, const char *message)
{
	size_t used = strlen(reports);
	snprintf(reports + used, sizeof(reports) - used, "%d %s\n", (int)reason, message);
}

static void expect_reports(const char *lines)
{
	assert_string_equal(reports, lines);
	reports[0] = '\0';
}

/* Walks with these options. The paths must be `lines`, in this order. */
static void expect(const char *root, const struct bs_walk_options *options, const char *lines)
{
	AUTO(bs_buffer_deinit) struct bs_buffer paths = {0};
	struct bs_walk *walk;
	const char *path;
	size_t path_bytes;
	ok(bs_walk_open(root, options, &walk, ERR));
	for (;;) {
		ok(bs_walk_next(walk, &path, &path_bytes, ERR));
		if (!path)
			break;
		assert_int_equal(strlen(path), path_bytes);
		append_format(&paths, "%s\n", path);
	}
	bs_walk_close(walk);
	append_bytes(&paths, "", 1);
	assert_string_equal((const char *)paths.data, lines);
}

static void test_order_and_reports(void **state)
{
	struct stat info;
	struct bs_walk_options options = {.report = note_report};
	make_folder("plain");
	make_folder("plain/a");
	make_folder("plain/index");
	write_text("plain/a/x", "");
	write_text("plain/a/\xff\n", "");
	write_text("plain/a-b", "");
	write_text("plain/a.b", "");
	write_text("plain/ab", "");
	write_text("plain/.hidden", "");
	write_text("plain/.dots.", "");
	write_text("plain/index/file", "");
	assert_int_equal(mkfifo("plain/pi\npe", 0666), 0);
	assert_int_equal(symlink("a", "plain/link"), 0);
	assert_int_equal(stat("plain/index", &info), 0);
	options.skip_device = info.st_dev;
	options.skip_inode = info.st_ino;
	expect("plain", &options, ".dots.\na/x\na/\xff\n\na-b\na.b\nab\n");
	expect_reports("1 plain/link: symbolic link\n2 plain/pi\\x0ape: not a regular file\n");
	expect(".//plain", &options, ".dots.\na/x\na/\xff\n\na-b\na.b\nab\n");
	expect_reports("1 plain/link: symbolic link\n2 plain/pi\\x0ape: not a regular file\n");
	options = (struct bs_walk_options){.hidden = true};
	expect("./plain/", &options, ".dots.\n.hidden\na/x\na/\xff\n\na-b\na.b\nab\nindex/file\n");
	/* The name of this symlink, ain, is the end of the name of its target. */
	assert_int_equal(symlink("plain", "ain"), 0);
	options =
		(struct bs_walk_options){.globs = (const char *const[]){"/ain/a-b"}, .n_globs = 1};
	expect("ain", &options, "a-b\n");
	assert_int_equal(chdir("plain"), 0);
	expect(".", &(struct bs_walk_options){0},
	       ".dots.\na/x\na/\xff\n\na-b\na.b\nab\nindex/file\n");
	expect("link", &(struct bs_walk_options){0}, "x\n\xff\n\n");
}

/* Names that differ at their ends are sorted, too; a folder with an index is never visited. */
static void test_names(void **state)
{
	make_folder("names");
	make_folder("names/.bitsift");
	write_text("names/.bitsift/file", "");
	for (int i = 0; i < 5; i++) {
		char path[] = "names/long name ?";
		path[sizeof(path) - 2] = (char)('1' + i * 2 % 5);
		write_text(path, "");
	}
	expect("names", &(struct bs_walk_options){.hidden = true},
	       "long name 1\nlong name 2\nlong name 3\nlong name 4\nlong name 5\n");
}

static void test_links_and_depth(void **state)
{
	struct bs_walk_options options = {.report = note_report, .follow = true};
	make_folder("loop");
	make_folder("loop/sub");
	make_folder("loop/sub/below");
	write_text("loop/sub/below/file", "");
	write_text("loop/file", "");
	write_text("loop/sub/file", "");
	assert_int_equal(symlink("../sub", "loop/sub/again"), 0);
	assert_int_equal(symlink("sub/below", "loop/link"), 0);
	expect("loop", &options, "file\nlink/file\nsub/below/file\nsub/file\n");
	expect_reports("3 loop/sub/again: Too many levels of symbolic links\n");
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
	static const char *const folders[] = {"judged",       "judged/a",   "judged/a/b",
	                                      "judged/a/b/c", "judged/a-b", "judged/sub"};
	for (size_t i = 0; i < COUNT(folders); i++)
		make_folder(folders[i]);
	assert_non_null(realpath("judged", absolute));
	for (size_t i = 0; i < COUNT(files); i++) {
		char path[64];
		snprintf(path, sizeof(path), "judged/%s", files[i]);
		write_text(path, "");
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
	struct bs_walk_options options = {.report = note_report};
	bool is_root = geteuid() == 0;
	make_folder("closed");
	make_folder("closed/no");
	write_text("closed/yes", "");
	assert_int_equal(chmod("closed/no", 0) | chmod(".", 0755), 0);
	/* Root can read everything, so the walk runs as another user. */
	assert_int_equal(is_root ? seteuid(65534) : 0, 0);
	expect("closed", &options, "yes\n");
	assert_int_equal(is_root ? seteuid(0) : 0, 0);
	expect_reports("3 closed/no: Permission denied\n");
	assert_int_equal(chmod("closed/no", 0777), 0);
}

static void test_open_errors(void **state)
{
	struct bs_walk *walk;
	struct bs_walk_options options = {.globs = (const char *const[]){"a", "{b"}, .n_globs = 2};
	write_text("a file", "");
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
	AUTO(bs_buffer_deinit) struct bs_buffer paths = {0};
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
		append_repeated(&paths, "ddddddddddddddddddd/", (size_t)(LEVELS - 1 - i));
		append_string(&paths, "e/f\n");
	}
	close(fd);
	append_bytes(&paths, "", 1);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = old;
	few.rlim_cur = 16;
	expect("deep", &(struct bs_walk_options){0}, (const char *)paths.data);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	expect("deep", &(struct bs_walk_options){0}, (const char *)paths.data);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(system("rm -rf deep"), 0);
}

RUN_TESTS_EACH_WITH(set_up, leave_folder, test_order_and_reports, test_names, test_links_and_depth,
                    test_judgements, test_unreadable, test_open_errors, test_deep)
