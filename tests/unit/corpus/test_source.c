/* test_source.c: folders and files as sources: their names, their documents, and changes of the
 * file system. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/bitsift/search.h"
#include "corpus/read/reader.h"
#include "corpus/walk/file.h"
#include "tests/rigs/source_rig.h"

/* ---- names ---- */

static void test_labels(void **state)
{
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(mkdir("d/e", 0700), 0);
	assert_int_equal(mkdir("d.jsonl", 0700), 0);
	write_text("d/x", "");
	write_text("-", "");
	write_text("c.jsonl", "");
	write_text("c.ndjson", "");
	write_text("c.JSONL", "");
	write_text("jsonl", "");
	assert_int_equal(symlink("c.jsonl", "link"), 0);
	assert_int_equal(symlink("d", "folder-link"), 0);
	assert_int_equal(symlink("d/x", "link.jsonl"), 0);
	static const struct {
		const char *argument;
		enum bs_source_kind kind;
		const char *label;
	} examples[] = {
		{"-", BS_SOURCE_STDIN, "-"},
		{"./-", BS_SOURCE_FILE, "-"},
		{".", BS_SOURCE_FOLDER, ""},
		{"./", BS_SOURCE_FOLDER, ""},
		{".//", BS_SOURCE_FOLDER, ""},
		{"./.", BS_SOURCE_FOLDER, ""},
		{"././", BS_SOURCE_FOLDER, ""},
		{"/", BS_SOURCE_FOLDER, "/"},
		{"//", BS_SOURCE_FOLDER, "/"},
		{"..", BS_SOURCE_FOLDER, ".."},
		{"../", BS_SOURCE_FOLDER, ".."},
		{"d", BS_SOURCE_FOLDER, "d"},
		{"d/", BS_SOURCE_FOLDER, "d"},
		{"d//", BS_SOURCE_FOLDER, "d"},
		{"./d", BS_SOURCE_FOLDER, "d"},
		{"././/d/e/", BS_SOURCE_FOLDER, "d/e"},
		{"d/../d", BS_SOURCE_FOLDER, "d/../d"},
		{"d/x", BS_SOURCE_FILE, "d/x"},
		{"./d/x", BS_SOURCE_FILE, "d/x"},
		{"c.jsonl", BS_SOURCE_COLLECTION, "c.jsonl"},
		{"./c.ndjson", BS_SOURCE_COLLECTION, "c.ndjson"},
		{"c.JSONL", BS_SOURCE_FILE, "c.JSONL"},
		{"jsonl", BS_SOURCE_FILE, "jsonl"},
		{"d.jsonl", BS_SOURCE_FOLDER, "d.jsonl"},
		{"link", BS_SOURCE_FILE, "link"},
		{"link.jsonl", BS_SOURCE_COLLECTION, "link.jsonl"},
		{"folder-link", BS_SOURCE_FOLDER, "folder-link"},
		{"folder-link/", BS_SOURCE_FOLDER, "folder-link"},
		{"/dev/..", BS_SOURCE_FOLDER, "/dev/.."},
	};
	for (size_t i = 0; i < COUNT(examples); i++) {
		AUTO(bs_source_deinit) struct bs_source source = open_source(examples[i].argument);
		assert_string_equal(source.label, examples[i].label);
		assert_int_equal(source.kind, examples[i].kind);
	}
}

static void test_no_source(void **state)
{
	struct bs_source source;
	write_text("file", "");
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(symlink("nowhere", "broken"), 0);
	static const struct {
		const char *argument;
		enum bs_status status;
	} examples[] = {
		{"", BS_NOT_FOUND},        {"missing", BS_NOT_FOUND},   {"broken", BS_NOT_FOUND},
		{"file/x", BS_NOT_FOUND},  {"missing\n", BS_NOT_FOUND}, {"pipe", BS_INVALID},
		{"/dev/null", BS_INVALID},
	};
	for (size_t i = 0; i < COUNT(examples); i++) {
		assert_int_equal(bs_source_init(&source, examples[i].argument, ERR),
		                 examples[i].status);
		assert_null(strchr(said.text, '\n'));
		assert_null(source.label);
	}
	assert_int_equal(bs_source_init(&source, "missing", NULL), BS_NOT_FOUND);
	struct bs_fingerprint fingerprint;
	assert_int_equal(bs_path_fingerprint("missing", &fingerprint, ERR), BS_NOT_FOUND);
	assert_string_equal(said.text, "missing: No such file or directory");
}

static void test_ids(void **state)
{
	static const struct {
		enum bs_source_kind kind;
		char label[8];
		const char *name;
		uint64_t line;
		const char *id;
	} examples[] = {
		{BS_SOURCE_FOLDER, "d", "a/b", 0, "d/a/b"},
		{BS_SOURCE_FOLDER, "", "a/b", 0, "a/b"},
		{BS_SOURCE_FOLDER, "/", "a/b", 0, "/a/b"},
		{BS_SOURCE_FOLDER, "..", "a", 0, "../a"},
		{BS_SOURCE_FILE, "d/x", "", 0, "d/x"},
		{BS_SOURCE_COLLECTION, "c.jsonl", "k", 0, "k"},
		{BS_SOURCE_COLLECTION, "c.jsonl", "", 7, "c.jsonl:7"},
		{BS_SOURCE_COLLECTION, "c.jsonl", "", 0, ""},
		{BS_SOURCE_STDIN, "-", "", 12, "-:12"},
	};
	for (size_t i = 0; i < COUNT(examples); i++) {
		char label[8];
		AUTO(bs_buffer_deinit) struct bs_buffer id = {0};
		memcpy(label, examples[i].label, sizeof(label));
		struct bs_source source = {.kind = examples[i].kind, .label = label};
		ok(bs_source_append_id(&source, (const uint8_t *)examples[i].name,
		                       strlen(examples[i].name), examples[i].line, &id, ERR));
		append_bytes(&id, "", 1);
		assert_string_equal((const char *)id.data, examples[i].id);
	}
}

/* ---- folders and files ---- */

/* The results of the last call of fetch_file. */
static struct bs_document document;
static struct bs_fingerprint fingerprint;

static enum bs_status fetch_file(struct bs_reader *reader, const char *path, struct bs_error *err)
{
	return bs_reader_fetch_file(reader, NULL, path, &document, &fingerprint, err);
}

static void test_folder(void **state)
{
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(mkdir("d/a", 0700), 0);
	write_text("d/a/x", "one");
	write_text("d/a-b", "two");
	write_text("d/empty", "");
	write_text("d/new\nline", "three");
	write_text("d/bad\xff", "fo\xffur");
	write_text("d/rec.jsonl", "{\"t\":\"x\"}\n");
	static const char expected[] = "a/x =one;a-b =two;bad\xff =fo\xffur;empty =;new\nline "
				       "=three;rec.jsonl ={\"t\":\"x\"}\n;";
	check_source("d", &no_options, expected);
	check_source("./d/", &no_options, expected);
	check_source("d/a-b", &no_options, " =two;");
	check_source("d/empty", &no_options, " =;");
	assert_int_equal(chdir("d"), 0);
	check_source(".", &no_options, expected);
	assert_int_equal(chdir(".."), 0);
	assert_int_equal(mkdir("none", 0700), 0);
	check_source("none", &no_options, "");
}

static void test_limit(void **state)
{
	struct bs_source_options options = {.max_document_bytes = 4};
	assert_int_equal(mkdir("d", 0700), 0);
	write_text("d/a", "four");
	write_text("d/b", "fives");
	check_source("d", &options, "a =four;!4 d/b: larger than --max-document;");
}

static void test_binary(void **state)
{
	static uint8_t bytes[70000];
	assert_int_equal(mkdir("d", 0700), 0);
	memset(bytes, 'a', sizeof(bytes));
	bytes[65536] = 0;
	write_bytes("d/late", bytes, sizeof(bytes));
	bytes[65536] = 'a';
	bytes[65535] = 0;
	write_bytes("d/head", bytes, sizeof(bytes));
	write_bytes("d/nul", "x\0y", 3);
	struct log log = {0};
	read_source("d", &no_options, &log);
	assert_int_equal(log.n_documents, 1);
	assert_memory_equal(log_text(&log), "!0 d/head: binary file;late =aaa", 31);
	assert_string_equal(log_text(&log) + log.text.used_bytes - 24, "a;!0 d/nul: binary file;");
	log_deinit(&log);
	/* A file that is named, or read with binary_as_text, is a document nevertheless. */
	log = (struct log){0};
	read_source("d/nul", &no_options, &log);
	assert_memory_equal(log.text.data, " =x\0y;", 6);
	log_deinit(&log);
	log = (struct log){0};
	struct bs_source_options options = {.binary_as_text = true};
	read_source("d", &options, &log);
	assert_int_equal(log.n_documents, 3);
	assert_int_equal(log.n_skips, 0);
	log_deinit(&log);
}

static void test_utf16(void **state)
{
	assert_int_equal(mkdir("d", 0700), 0);
	write_bytes("d/a-le", "\xff\xfeh\0\xe9\0\xac\x20\x3d\xd8\x00\xde", 12);
	write_bytes("d/b-be", "\xfe\xff\0h\0\xe9\x20\xac\xd8\x3d\xde\x00", 12);
	write_bytes("d/c-empty", "\xff\xfe", 2);
	write_bytes("d/d-odd", "\xff\xfeh\0i", 5);
	write_bytes("d/e-lone", "\xff\xfe\x00\xd8h\0\x00\xdc\x00\xd8", 10);
	write_bytes("d/f-nul", "\xff\xfeh\0\0\0", 6);
	write_bytes("d/g-no-mark", "h\0i\0", 4);
	write_bytes("d/h-short", "\xff", 1);
	check_source("d", &no_options,
	             "a-le =h\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80;b-be "
	             "=h\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80;c-empty =;"
	             "d-odd =h\xef\xbf\xbd;e-lone =\xef\xbf\xbdh\xef\xbf\xbd\xef\xbf\xbd;!0 "
	             "d/f-nul: binary file;"
	             "!0 d/g-no-mark: binary file;h-short =\xff;");
	check_source("d/a-le", &no_options, " =h\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80;");
	/* Checks that `raw` has the bytes of the file. */
	AUTO(bs_reader_free_at) struct bs_reader *reader = new_reader(&no_options);
	ok(fetch_file(reader, "d/d-odd", ERR));
	assert_int_equal(document.raw.n_bytes, 5);
	assert_memory_equal(document.raw.bytes, "\xff\xfeh\0i", 5);
	assert_int_equal(document.text.n_bytes, 4);
	assert_int_equal(fingerprint.size_bytes, 5);
}

static void test_unreadable(void **state)
{
	struct bs_source source;
	uid_t user = geteuid();
	assert_int_equal(mkdir("d", 0755), 0);
	write_text("d/a", "one");
	write_text("d/b", "two");
	assert_int_equal(chmod("d/a", 0), 0);
	assert_int_equal(chmod(".", 0755), 0);
	if (user == 0)
		assert_int_equal(seteuid(65534), 0);
	check_source("d", &no_options, "!3 d/a: Permission denied;b =two;");
	assert_int_equal(bs_source_init(&source, "d/a", ERR), BS_IO);
	assert_string_equal(said.text, "d/a: Permission denied");
	if (user == 0)
		assert_int_equal(seteuid(user), 0);
}

/* Files change between the walk and the reading. */
static void test_changed_meanwhile(void **state)
{
	assert_int_equal(mkdir("d", 0700), 0);
	static const char *const names[] = {"d/a", "d/b",   "d/c", "d/d",
	                                    "d/e", "d/f\n", "d/g", "d/h"};
	for (size_t i = 0; i < COUNT(names); i++)
		write_text(names[i], "text");
	AUTO(close_all) struct opened of;
	open_all(&of, "d", &no_options);
	AUTO(log_deinit) struct log log = {0};
	next_batch(of.feed, &of.batch);
	assert_int_equal(of.batch.n_items, 8);
	assert_int_equal(unlink("d/a") | mkfifo("d/a", 0600), 0);
	assert_int_equal(unlink("d/b") | mkdir("d/b", 0700), 0);
	assert_int_equal(unlink("d/c") | symlink("nowhere", "d/c"), 0);
	write_text("d/d", "longer text");
	write_text("d/e", "");
	assert_int_equal(unlink("d/f\n"), 0);
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "d/g"};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(unlink("d/g") | bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	read_batch(of.reader, &of.batch, &log);
	assert_string_equal(log_text(&log), "!2 d/a: not a regular file;!2 d/b: not a regular file;"
	                                    "!1 d/c: symbolic link;d =longer text;e =;"
	                                    "!2 d/g: No such device or address;h =text;");
	/* The whole folder was renamed. No skip is reported, as if the walk had not found its
	 * files. */
	bs_reader_free(of.reader);
	of.reader = new_reader(&no_options);
	assert_int_equal(rename("d", "elsewhere"), 0);
	log.n_skips = 0;
	read_batch(of.reader, &of.batch, &log);
	assert_int_equal(log.n_skips, 0);
}

static void test_too_large(void **state)
{
	assert_int_equal(mkdir("d", 0700), 0);
	int fd = open("d/sparse", O_CREAT | O_WRONLY, 0600);
	if (ftruncate(fd, (off_t)1 << 32)) {
		close(fd);
		skip();
	}
	close(fd);
	write_text("d/z", "z");
	check_source("d", &no_options, "!0 d/sparse: binary file;z =z;");
	check_source("d/sparse", &no_options, "!4 d/sparse: larger than --max-document;");
	AUTO(bs_reader_free_at) struct bs_reader *reader = new_reader(&no_options);
	assert_int_equal(fetch_file(reader, "d/sparse", NULL), BS_INVALID);
}

static void test_many_files(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer expected = {0};
	assert_int_equal(mkdir("d", 0700), 0);
	for (int i = 0; i < 1000; i++) {
		char path[32];
		char text[32];
		snprintf(path, sizeof(path), "d/%04d", i);
		snprintf(text, sizeof(text), "text %d", i);
		write_text(path, text);
		append_format(&expected, "%04d =%s;", i, text);
	}
	append_bytes(&expected, "", 1);
	check_source("d", &no_options, (const char *)expected.data);
	AUTO(close_all) struct opened of;
	open_all(&of, "d", &no_options);
	size_t n_batches = 0;
	for (next_batch(of.feed, &of.batch); of.batch.n_items; next_batch(of.feed, &of.batch))
		assert_int_equal(of.batch.n_items, n_batches++ < 15 ? 64 : 40);
	assert_int_equal(n_batches, 16);
}

/* Files are read whose path is longer than the system accepts in one piece. */
static void test_deep_path(void **state)
{
	char name[201];
	AUTO(bs_buffer_deinit) struct bs_buffer path = {0};
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < 30; i++) {
		assert_int_equal(mkdir(name, 0700) | chdir(name), 0);
		append_format(&path, "%s/", name);
	}
	write_text("file", "deep");
	assert_int_equal(chdir(home), 0);
	append_bytes(&path, "file", 5);
	struct log log = {0};
	read_source(name, &no_options, &log);
	assert_int_equal(log.n_documents, 1);
	assert_int_equal(log.n_skips, 0);
	assert_memory_equal(log.text.data, path.data + 201, path.used_bytes - 1 - 201);
	log_deinit(&log);
	AUTO(bs_reader_free_at) struct bs_reader *reader = new_reader(&no_options);
	struct bs_fingerprint again;
	const char *whole = (const char *)path.data;
	ok(fetch_file(reader, whole, ERR));
	assert_memory_equal(document.raw.bytes, "deep", 4);
	ok(bs_path_fingerprint(whole, &again, ERR));
	assert_memory_equal(&fingerprint, &again, sizeof(fingerprint));
	assert_int_equal(
		bs_path_fingerprint((path.data[path.used_bytes - 2] = 'X', whole), &again, NULL),
		BS_NOT_FOUND);
	/* One component that is too long, instead of a path that is too long. */
	memset(path.data, 'n', path.used_bytes - 1);
	assert_int_equal(bs_path_fingerprint(whole, &again, NULL), BS_IO);
}

/* Opens a path by both functions, which must agree. Returns 0 or the errno. */
static int try_below(int folder, const char *path, int flags)
{
	int fd = bs_file_open_below(folder, path, flags);
	int error = fd < 0 ? errno : 0;
	int fd_by_step = bs_file_open_by_step(folder, path, flags);
	assert_int_equal(fd_by_step < 0 ? errno : 0, error);
	if (error == 0) {
		struct stat a, b;
		assert_int_equal(fstat(fd, &a) | fstat(fd_by_step, &b), 0);
		assert_true(a.st_ino == b.st_ino && fcntl(fd_by_step, F_GETFD) == FD_CLOEXEC);
		close(fd);
		close(fd_by_step);
	}
	return error;
}

/* Makes a folder with files and symlinks, next to the folder "outside". Returns its descriptor. */
static int make_links(void)
{
	assert_int_equal(mkdir("d", 0700) | mkdir("d/sub", 0700) | mkdir("outside", 0700), 0);
	write_text("d/f", "f");
	write_text("d/sub/f", "inside");
	write_text("outside/f", "outside");
	assert_int_equal(symlink("../outside", "d/out") | symlink("sub", "d/in") |
	                         symlink("f", "d/sub/link") | symlink("loop", "d/loop"),
	                 0);
	return open("d", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static void test_near(void **state)
{
	static const struct {
		const char *path;
		int error;
		bool is_open; /* after the call, `place` has a folder open */
	} cases[] = {
		{"f", 0, false},
		{"sub/f", 0, false},
		{"sub/f", 0, true},
		{"sub/link", ELOOP, true},
		{"sub/missing", ENOENT, false},
		{"sub/f", 0, false},
		{"sub/f", 0, true},
		{"f", 0, true},
		{"in/f", ELOOP, false},
		{"in/f", ELOOP, false},
		{"out/f", ELOOP, false},
		{"none/f", ENOENT, false},
		{"none/f", ENOENT, false},
		{"sub/f", 0, false},
		{"sub/f", 0, true},
	};
	AUTO(bs_file_place_close) struct bs_file_place place = {.fd = -1};
	int folder = make_links();
	for (size_t i = 0; i < COUNT(cases); i++) {
		int fd = bs_file_open_near(folder, cases[i].path, &place, O_RDONLY);
		assert_int_equal(fd < 0 ? errno : 0, cases[i].error);
		assert_int_equal(place.path.used_bytes > 0 && place.fd >= 0, cases[i].is_open);
		if (fd >= 0)
			close(fd);
	}
	/* Another folder gets the path of the one that is open. */
	assert_int_equal(rename("d/sub", "d/old") | mkdir("d/sub", 0700), 0);
	write_text("d/sub/g", "new");
	int fd = bs_file_open_near(folder, "sub/g", &place, O_RDONLY);
	assert_true(fd >= 0);
	close(fd);
	close(folder);
}

static void test_below(void **state)
{
	char name[NAME_MAX + 2];
	AUTO(bs_buffer_deinit) struct bs_buffer path = {0};
	AUTO(bs_file_place_close) struct bs_file_place place = {.fd = -1};
	struct stat found, again;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	int folder = make_links();
	assert_int_equal(try_below(folder, "sub/f", O_RDONLY), 0);
	assert_int_equal(try_below(folder, "sub", O_PATH | O_DIRECTORY), 0);
	assert_int_equal(try_below(folder, "./sub//f", O_RDONLY), 0);
	assert_int_equal(try_below(folder, "out/f", O_RDONLY), ELOOP);
	assert_int_equal(try_below(folder, "in/f", O_RDONLY), ELOOP);
	assert_int_equal(try_below(folder, "in", O_PATH | O_DIRECTORY), ELOOP);
	assert_int_equal(try_below(folder, "sub/link", O_RDONLY | O_NONBLOCK), ELOOP);
	assert_int_equal(try_below(folder, "loop", O_RDONLY), ELOOP);
	assert_int_equal(try_below(folder, "sub/f/x", O_RDONLY), ENOTDIR);
	assert_int_equal(try_below(folder, "sub/missing", O_RDONLY), ENOENT);
	assert_int_equal(try_below(folder, name, O_RDONLY), ENAMETOOLONG);
	assert_int_equal(
		bs_file_stat_below(folder, "sub/f", &place, &found) | stat("d/sub/f", &again), 0);
	assert_true(found.st_ino == again.st_ino);
	assert_int_equal(bs_file_stat_below(folder, "sub/link", &place, &found), 0);
	assert_true(S_ISLNK(found.st_mode));
	assert_true(bs_file_stat_below(folder, "in/f", &place, &found) == -1 && errno == ELOOP);
	assert_true(bs_file_stat_below(folder, "out/f", &place, &found) == -1 && errno == ELOOP);
	assert_int_equal(bs_file_stat_below(folder, "sub/f", &place, &found), 0);
	/* a path that is longer than PATH_MAX */
	int at = dup(folder);
	for (int i = 0; i < 30; i++) {
		assert_int_equal(mkdirat(at, name + 1, 0700), 0);
		int next = openat(at, name + 1, O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(at);
		at = next;
		append_format(&path, "%s/", name + 1);
	}
	int fd = openat(at, "f", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_int_equal(fstat(fd, &again), 0);
	append_bytes(&path, "f", 2);
	assert_int_equal(try_below(folder, (const char *)path.data, O_RDONLY), 0);
	assert_int_equal(bs_file_stat_below(folder, (const char *)path.data, &place, &found), 0);
	assert_true(found.st_ino == again.st_ino);
	assert_int_equal(symlinkat("f", at, "g"), 0);
	path.data[path.used_bytes - 2] = 'g';
	assert_int_equal(try_below(folder, (const char *)path.data, O_RDONLY), ELOOP);
	close(fd);
	close(at);
	close(folder);
}

static void test_fetch_file(void **state)
{
	AUTO(bs_reader_free_at) struct bs_reader *reader = new_reader(&no_options);
	struct bs_fingerprint other;
	write_bytes("f", "a\0b", 3);
	ok(fetch_file(reader, "f", ERR));
	assert_int_equal(document.text.n_fields, 1);
	assert_int_equal(document.text.fields[0].text_bytes, 3);
	assert_memory_equal(document.text.fields[0].text, "a\0b", 3);
	ok(bs_path_fingerprint("f", &other, ERR));
	assert_memory_equal(&fingerprint, &other, sizeof(fingerprint));
	assert_true(fingerprint.mtime_ns > 0 && fingerprint.ctime_ns > 0 && fingerprint.inode &&
	            fingerprint.size_bytes == 3);
	assert_int_equal(fetch_file(reader, "missing", ERR), BS_NOT_FOUND);
	assert_string_equal(said.text, "missing: No such file or directory");
	assert_int_equal(fetch_file(reader, "f/x", ERR), BS_NOT_FOUND);
	assert_int_equal(fetch_file(reader, ".", ERR), BS_INVALID);
	/* A file that reports size 0 but has contents. */
	ok(fetch_file(reader, "/proc/self/status", ERR));
	assert_int_equal(fingerprint.size_bytes, 0);
	assert_true(document.text.n_bytes > 100);
	assert_memory_equal(document.raw.bytes, "Name:", 5);
	/* Memory for a very large file is released, and the next file is read. */
	static const off_t giant_bytes = 200 << 20;
	int fd = open("giant", O_CREAT | O_WRONLY, 0600);
	assert_int_equal(ftruncate(fd, giant_bytes), 0);
	close(fd);
	ok(fetch_file(reader, "giant", ERR));
	assert_int_equal(document.text.n_bytes, giant_bytes);
	ok(fetch_file(reader, "f", ERR));
	assert_memory_equal(document.raw.bytes, "a\0b", 3);
}

/* keep_changing extends and truncates a file until stop_writing is set. */
static atomic_bool stop_writing;

static void *keep_changing(void *path)
{
	static char bytes[100000];
	memset(bytes, 'a', sizeof(bytes));
	for (unsigned i = 0; !atomic_load(&stop_writing); i++) {
		int fd = open(path, O_WRONLY | (i % 3 ? O_APPEND : O_TRUNC));
		ssize_t n = write(fd, bytes, sizeof(bytes) / (1 + i % 7));
		close(fd);
		if (n < 0)
			break;
	}
	return NULL;
}

static void test_growing_file(void **state)
{
	static char path[] = "f";
	pthread_t thread;
	AUTO(bs_reader_free_at) struct bs_reader *reader = new_reader(&no_options);
	write_text(path, "a");
	assert_int_equal(pthread_create(&thread, NULL, keep_changing, path), 0);
	for (int i = 0; i < 2000; i++) {
		ok(fetch_file(reader, path, ERR));
		for (size_t j = 0; j < document.raw.n_bytes; j++)
			assert_true(document.raw.bytes[j] == 'a' || document.raw.bytes[j] == 0);
	}
	atomic_store(&stop_writing, true);
	pthread_join(thread, NULL);
}

static void test_sink_stops(void **state)
{
	write_text("c.jsonl", "{\"t\":\"a\"}\n{\"t\":\"b\"}\n");
	write_text("s.jsonl", "bad\n{\"t\":\"b\"}\n");
	assert_int_equal(mkdir("d", 0700), 0);
	write_text("d/a", "a");
	write_text("d/b", "b");
	static const char *const arguments[] = {"c.jsonl", "s.jsonl", "d", "d/a"};
	for (size_t i = 0; i < COUNT(arguments); i++) {
		AUTO(close_all) struct opened of;
		open_all(&of, arguments[i], &no_options);
		AUTO(log_deinit) struct log log = {.answer = BS_STOPPED};
		struct bs_document_sink sink = {
			.context = &log, .document = log_document, .skip = log_skip};
		next_batch(of.feed, &of.batch);
		assert_int_equal(bs_reader_read(of.reader, &of.batch, &sink, ERR), BS_STOPPED);
		assert_string_equal(said.text, "the sink said no");
		assert_int_equal(log.n_documents + log.n_skips, 1);
	}
}

RUN_SOURCE_TESTS(test_labels, test_no_source, test_ids, test_folder, test_limit, test_binary,
                 test_utf16, test_unreadable, test_changed_meanwhile, test_too_large,
                 test_many_files, test_deep_path, test_near, test_below, test_fetch_file,
                 test_growing_file, test_sink_stops)
