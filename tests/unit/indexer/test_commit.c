/* test_commit.c: before a commit, the files that it names are on disk, and the files of the
 * previous commit still exist. A reader whose files are removed by a commit opens the new one. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift/index.h"
#include "core/store/index_dir.h"
#include "core/store/snapshot.h"
#include "tests/rigs/index_rig.h"

int __real_openat64(int folder, const char *name, int flags, ...);
ssize_t __real_write(int fd, const void *bytes, size_t n_bytes);
ssize_t __real_pwrite64(int fd, const void *bytes, size_t n_bytes, off_t off);
int __real_fsync(int fd);
int __real_renameat(int from_folder, const char *from, int to_folder, const char *to);
int __wrap_openat64(int folder, const char *name, int flags, ...);
ssize_t __wrap_write(int fd, const void *bytes, size_t n_bytes);
ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t n_bytes, off_t off);
int __wrap_fsync(int fd);
int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to);

#define MOST_FILES 64

static ino_t unflushed[MOST_FILES];
static size_t n_unflushed, n_commits;
static bool is_folder_unflushed;

static void forget(ino_t inode)
{
	for (size_t i = 0; i < n_unflushed; i++)
		if (unflushed[i] == inode)
			unflushed[i--] = unflushed[--n_unflushed];
}

/* Records a write to the new manifest, or to a file of the index with a number in its name.
 * is_folder_unflushed: the folder must be synced before the new manifest is created, otherwise a
 * crash may lose the name of the file. */
static void note_written(int fd)
{
	char link[40], path[4096] = "";
	struct stat found;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	const char *name = readlink(link, path, sizeof(path) - 1) > 0 ? strrchr(path, '/') : NULL;
	bool is_manifest = name && strcmp(name, "/manifest.new") == 0;
	if (!name || fstat(fd, &found) != 0 || found.st_nlink == 0 ||
	    (!is_manifest && !strstr(name, "-0")))
		return;
	forget(found.st_ino);
	assert_true(n_unflushed < MOST_FILES);
	unflushed[n_unflushed++] = found.st_ino;
	is_folder_unflushed |= !is_manifest;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t n_bytes)
{
	note_written(fd);
	return __real_write(fd, bytes, n_bytes);
}

ssize_t __wrap_pwrite64(int fd, const void *bytes, size_t n_bytes, off_t off)
{
	note_written(fd);
	return __real_pwrite64(fd, bytes, n_bytes, off);
}

int __wrap_fsync(int fd)
{
	struct stat found;
	assert_int_equal(fstat(fd, &found), 0);
	if (S_ISDIR(found.st_mode))
		is_folder_unflushed = false;
	forget(found.st_ino);
	return __real_fsync(fd);
}

/* If set, this function is called once, before the next segment is opened. */
static void (*meet)(void);

int __wrap_openat64(int folder, const char *name, int flags, ...)
{
	va_list more;
	va_start(more, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
	va_end(more);
	if (meet && strncmp(name, "seg-", 4) == 0) {
		void (*now)(void) = meet;
		meet = NULL;
		now();
	}
	return __real_openat64(folder, name, flags, mode);
}

static void expect_index(enum bs_status wanted, uint64_t generation)
{
	struct bs_snapshot snapshot;
	enum bs_status status = bs_snapshot_open(dir_at("index"), &snapshot, ERR);
	assert_int_equal(status, wanted);
	if (status)
		return;
	assert_true(generation == 0 || snapshot.manifest.generation == generation);
	bs_snapshot_deinit(&snapshot);
}

int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	if (strcmp(to, "manifest") == 0) {
		if (file_exists("index/manifest"))
			expect_index(BS_OK, 0);
		assert_int_equal(n_unflushed, 0);
		assert_false(is_folder_unflushed);
		is_folder_unflushed = true;
		n_commits++;
	}
	return __real_renameat(from_folder, from, to_folder, to);
}

static void expect_commits(size_t n)
{
	assert_int_equal(n_commits, n);
	assert_false(is_folder_unflushed);
}

static void expect_live(uint64_t n)
{
	AUTO(bs_snapshot_deinit) struct bs_snapshot snapshot;
	ok(bs_snapshot_open(dir_at("index"), &snapshot, ERR));
	assert_int_equal(snapshot.totals.n_live_docs, n);
}

static void test_flush(void **state)
{
	const char *const sources[] = {"d", "c.jsonl", NULL};
	struct bs_build_request request = {
		.dir = "index", .index.words = true, .index.grams = true, .write.n_threads = 1};
	assert_int_equal(mkdir("d", 0777), 0);
	write_text("d/a.txt", "a red fox\n");
	write_text("d/b.txt", "a house\n");
	write_text("c.jsonl", "{\"id\":\"1\",\"text\":\"one\"}\n");
	index_sources(&request, sources, NULL);
	expect_commits(1);
	/* Tombstones: for a changed file, and for a record whose id occurs again. */
	write_text("d/a.txt", "another fox\n");
	write_text(
		"c.jsonl",
		"{\"id\":\"1\",\"text\":\"one\"}\n{\"id\":\"2\",\"text\":\"two\"}\n{\"id\":\"1\","
		"\"text\":\"later\"}\n");
	index_sources(&request, sources, NULL);
	/* Three commits: those of the refresh, and one of a compaction that it made necessary. */
	expect_commits(3);
	expect_live(4);
	ok(bs_index_compact(&request, NULL, ERR));
	assert_true(n_commits >= 3);
	expect_commits(n_commits);
}

static const struct bs_build_request anew = {
	.dir = "index", .index.words = true, .write.n_threads = 1, .rebuild = true};
static const char *const one_file[] = {"a.txt", NULL};

static void rebuild(void)
{
	index_sources(&anew, one_file, NULL);
}

static void remove_segment(void)
{
	FREED char *path = index_file("seg", 0);
	assert_int_equal(unlink(path), 0);
}

static void test_reader_meets_commit(void **state)
{
	write_text("a.txt", "a red fox\n");
	rebuild();
	expect_index(BS_OK, 1);
	meet = rebuild;
	expect_index(BS_OK, 2);
	/* A missing file without a new commit is damage. */
	meet = remove_segment;
	expect_index(BS_CORRUPT, 0);
	assert_null(meet);
}

/* Compaction also rewrites a segment of the maximum size if some of its documents are deleted. */
static void test_full_segment(void **state)
{
	const struct bs_build_request request = {.dir = "index", .write.n_threads = 1};
	AUTO(bs_snapshot_deinit) struct bs_snapshot snapshot;
	make_small_index();
	/* Compaction is refused while another writer is active. */
	struct bs_index_lock lock;
	ok(bs_index_lock_take(dir_at("index"), BS_INDEX_LOCK, false, &lock, ERR));
	expect_status(bs_index_compact(&request, NULL, ERR), BS_BUSY);
	bs_index_lock_release(&lock);
	ok(bs_index_compact(&request, NULL, ERR));
	ok(bs_snapshot_open(dir_at("index"), &snapshot, ERR));
	for (uint32_t i = 0; i < snapshot.manifest.n_segments; i++)
		assert_int_equal(snapshot.manifest.segments[i].n_deleted, 0);
}

RUN_FOLDER_TESTS(test_flush, test_reader_meets_commit, test_full_segment)
