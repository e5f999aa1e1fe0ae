/* test_index_dir.c: names and numbers of files, the lock between processes, sweeping, tombstones
 * and snapshots. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/store/index_dir.h"
#include "tests/rigs/index_rig.h"

/* ---- the folder of an index: creating it, numbering its files, sweeping ---- */

static void test_creating(void **state)
{
	size_t made_bytes = 0;
	ok(bs_index_create_dir("index", &made_bytes, ERR));
	assert_int_equal(made_bytes, strlen("index"));
	ok(bs_index_create_dir("index", &made_bytes, ERR));
	assert_int_equal(made_bytes, 0);
	write_text("file", "");
	expect_status(bs_index_create_dir("file", &made_bytes, ERR), BS_IO);
	expect_error(bs_index_create_dir("file/index", &made_bytes, ERR), BS_IO, "file/index");
	expect_status(bs_index_create_dir("", &made_bytes, ERR), BS_IO);
	assert_int_equal(symlink("index", "link"), 0);
	ok(bs_index_create_dir("link", &made_bytes, ERR));
}

static void remove_new(const char *path, size_t made_bytes)
{
	struct bs_dir dir;
	ok(bs_dir_open(&dir, path, NULL, NULL, ERR));
	bs_index_remove_new(&dir, made_bytes);
	bs_dir_close(&dir);
}

/* bs_index_create_dir makes missing parent folders. If nothing was indexed, bs_index_remove_new
 * removes them again, except those in which somebody has put files. */
static void test_creating_folders(void **state)
{
	static const struct {
		const char *path, *made;
	} cases[] = {{"a/b/c", "a"},
	             {"here/b/c", "here/b"},
	             {"a//b///c/", "a"},
	             {"./here/./b/../c", "./here/./b"},
	             {"a/../b/c", "a"}};
	struct stat found;
	size_t made_bytes;
	assert_int_equal(mkdir("here", 0755), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		ok(bs_index_create_dir(cases[i].path, &made_bytes, ERR));
		assert_int_equal(made_bytes, strlen(cases[i].made));
		assert_int_equal(stat(cases[i].path, &found), 0);
		assert_int_equal(found.st_mode & 0777, 0700);
		remove_new(cases[i].path, made_bytes);
		assert_int_equal(stat(cases[i].path, &found), -1);
		assert_int_equal(stat(cases[i].made, &found), -1);
	}
	assert_int_equal(stat("here", &found), 0);
	ok(bs_index_create_dir("a/b/c", &made_bytes, ERR));
	write_text("a/other", "");
	remove_new("a/b/c", made_bytes);
	assert_int_equal(stat("a/other", &found), 0);
	assert_int_equal(stat("a/b", &found), -1);
	char too_long[300];
	snprintf(too_long, sizeof(too_long), "new/%0270d/c", 0);
	expect_status(bs_index_create_dir(too_long, &made_bytes, ERR), BS_IO);
	assert_int_equal(stat("new", &found), -1);
}

static void test_numbers(void **state)
{
	static const struct {
		const char *name;
		uint64_t next; /* the next number if this file exists, too */
	} cases[] = {
		{"manifest", 1},
		{"lock", 1},
		{"seg-", 1},
		{"seg-abc", 1},
		{"seg-000007x", 1},
		{"seg-7", 1}, /* fewer than six digits */
		{"xseg-000009", 1},
		{"seg-000000", 1},
		{"seg-000001", 2},
		{"del-000005", 6},
		{"seg-000003", 6},
		{"seg--00009", 6},
		{"seg-0000099", 6},
		{"seg-123456789", 123456790},
		{"seg-18446744073709551615", 123456790},
		{"seg-99999999999999999999999", 123456790},
	};
	char name[BS_INDEX_NAME_BYTES];
	assert_int_equal(bs_index_next_number(dir_at("."), NULL), 1);
	for (size_t i = 0; i < COUNT(cases); i++) {
		write_text(cases[i].name, "");
		if (bs_index_next_number(dir_at("."), NULL) != cases[i].next)
			fail_msg("after %s: %llu", cases[i].name,
			         (unsigned long long)bs_index_next_number(dir_at("."), NULL));
	}
	assert_string_equal(bs_index_file_name("seg", 42, name), "seg-000042");
	assert_string_equal(bs_index_file_name("del", UINT64_MAX, name),
	                    "del-18446744073709551615");
}

static void test_sweeping(void **state)
{
	static const struct {
		const char *name;
		bool stays, stays_without_manifest;
	} files[] = {
		{"manifest", true, true},       {"lock", true, true},
		{"manifest.new", false, false}, {"seg-000001", true, false},
		{"seg-000002", false, false},   {"seg-1234567", true, false},
		{"del-000001", false, false},   {"del-000003", true, false},
		{"seg-000003", false, false},   {"del-1234567", false, false},
		{"del-000000", true, true},     {"notes.txt", true, true},
		{"seg-", true, true},           {"seg-2", true, true},
		{"seg-000002.bak", true, true}, {"my-seg-000002", true, true},
		{"segment", true, true},        {"manifest.new.old", true, true},
	};
	struct bs_segment_record segments[] = {{.number = 1, .tombstones = 3}, {.number = 1234567}};
	struct bs_manifest manifest = {.segments = segments, .n_segments = 2};
	for (int with = 1; with >= 0; with--) {
		for (size_t i = 0; i < COUNT(files); i++)
			write_text(files[i].name, "x");
		assert_true(with == 0 || mkdir("seg-000009", 0700) == 0);
		bs_index_sweep(dir_at("."), with ? &manifest : NULL);
		for (size_t i = 0; i < COUNT(files); i++)
			if (file_exists(files[i].name) !=
			    (with ? files[i].stays : files[i].stays_without_manifest))
				fail_msg("%s manifest: %s", with ? "with" : "without",
				         files[i].name);
		assert_true(file_exists("seg-000009"));
	}
}

/* ---- the lock ---- */

/* Starts a process that holds the lock for hold_ms, or until it is killed, and writes the file
 * "over" before it releases the lock. Returns when the lock is held. */
static pid_t start_holder(unsigned hold_ms)
{
	int ready[2];
	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct bs_index_lock lock;
		if (bs_index_lock_take(dir_at("."), BS_INDEX_LOCK, false, &lock, NULL) != BS_OK ||
		    write(ready[1], "x", 1) != 1)
			_exit(1);
		usleep(hold_ms * 1000);
		write_text("over", "");
		bs_index_lock_release(&lock);
		_exit(0);
	}
	char byte;
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void expect_free(void)
{
	struct bs_index_lock lock;
	ok(bs_index_lock_take(dir_at("."), BS_INDEX_LOCK, false, &lock, ERR));
	assert_true(lock.fd >= 0);
	bs_index_lock_release(&lock);
	assert_int_equal(lock.fd, -1);
	bs_index_lock_release(&lock); /* releasing twice is allowed */
}

static void expect_busy(pid_t holder)
{
	struct bs_index_lock lock;
	char number[24];
	snprintf(number, sizeof(number), "process %ld)", (long)holder);
	expect_error(bs_index_lock_take(dir_at("."), BS_INDEX_LOCK, false, &lock, ERR), BS_BUSY,
	             number);
	assert_int_equal(lock.fd, -1);
	bs_index_lock_release(&lock);
}

static void test_lock(void **state)
{
	int how;
	expect_free();
	pid_t holder = start_holder(10000);
	expect_busy(holder);
	expect_busy(holder);
	/* The lock is released however its process ends. */
	kill(holder, SIGKILL);
	assert_int_equal(waitpid(holder, &how, 0), holder);
	expect_free();
	/* Within one process, too, the lock can be taken only once. */
	struct bs_index_lock lock;
	ok(bs_index_lock_take(dir_at("."), BS_INDEX_LOCK, false, &lock, ERR));
	expect_busy(getpid());
	bs_index_lock_release(&lock);
	/* The lock file already contains a longer number than the holder's process id. */
	write_text("lock", "99999999999999999999\nrubbish");
	holder = start_holder(10000);
	expect_busy(holder);
	kill(holder, SIGKILL);
	assert_int_equal(waitpid(holder, &how, 0), holder);
}

static void test_waiting_for_the_lock(void **state)
{
	struct bs_index_lock lock;
	int how;
	pid_t holder = start_holder(150);
	ok(bs_index_lock_take(dir_at("."), BS_INDEX_LOCK, true, &lock, ERR));
	assert_true(file_exists("over"));
	expect_busy(getpid());
	bs_index_lock_release(&lock);
	assert_int_equal(waitpid(holder, &how, 0), holder);
	assert_int_equal(how, 0);
	expect_free();
}

/* ---- snapshots ---- */

/* Makes a segment of n_docs documents with three words each, by indexing them in a folder. */
static void write_segment(uint64_t number, uint32_t n_docs)
{
	char folder[32], made[64], name[BS_INDEX_NAME_BYTES];
	snprintf(folder, sizeof(folder), "folder%u", (unsigned)number);
	snprintf(made, sizeof(made), "%s/seg-000001", folder);
	FILE *file = must_fopen("records.jsonl", "w");
	for (uint32_t i = 0; i < n_docs; i++)
		fprintf(file, "{\"id\":\"name%u\",\"text\":\"three more words\"}\n", i);
	fclose(file);
	index_sources(&(struct bs_build_request){.dir = folder, .index.words = true},
	              (const char *const[]){"records.jsonl", NULL}, NULL);
	assert_int_equal(rename(made, bs_index_file_name("seg", number, name)), 0);
}

/* A manifest of a source and these segments, with the sizes that their files have. */
static struct bs_manifest manifest_of(struct bs_segment_record *segments, uint32_t n_segments)
{
	static struct bs_source_record source = {
		.kind = 1, .label = (char *)(uintptr_t) "a", .path = (char *)(uintptr_t) "a"};
	struct stat info;
	char name[BS_INDEX_NAME_BYTES];
	for (uint32_t i = 0; i < n_segments; i++) {
		bs_index_file_name("seg", segments[i].number, name);
		segments[i].n_bytes = stat(name, &info) == 0 ? (uint64_t)info.st_size : 0;
	}
	return (struct bs_manifest){.generation = 1,
	                            .next_number = 4,
	                            .segments = segments,
	                            .n_segments = n_segments,
	                            .sources = &source,
	                            .n_sources = 1,
	                            .options = {.density = 0.3}};
}

static void write_manifest(struct bs_segment_record *segments, uint32_t n_segments)
{
	struct bs_manifest manifest = manifest_of(segments, n_segments);
	ok(bs_manifest_write(dir_at("."), &manifest, ERR));
}

/* Opening a snapshot gives an error that contains `what`, and a struct that may be
 * deinitialized. */
static void expect_no_snapshot(enum bs_status wanted, const char *what)
{
	AUTO(bs_snapshot_deinit) struct bs_snapshot snapshot;
	expect_error(bs_snapshot_open(dir_at("."), &snapshot, ERR), wanted, what);
}

static void test_snapshot(void **state)
{
	AUTO(bs_snapshot_deinit) struct bs_snapshot snapshot;
	uint8_t bits[2] = {0x05, 0x10}; /* 0, 2 and 12 of 13 are set */
	struct bs_segment_record segments[] = {
		{.number = 1, .n_docs = 5},
		{.number = 2, .n_docs = 13, .tombstones = 3, .n_deleted = 3}};
	write_manifest(NULL, 0);
	ok(bs_snapshot_open(dir_at("."), &snapshot, ERR));
	assert_int_equal(snapshot.totals.n_docs, 0);
	bs_snapshot_deinit(&snapshot);
	bs_snapshot_deinit(&snapshot); /* deinit twice is allowed */

	write_segment(1, 5);
	write_segment(2, 13);
	ok(bs_tombstones_write(dir_at("."), 3, bits, 13, ERR));
	/* overwrites a file that a dead writer left */
	ok(bs_tombstones_write(dir_at("."), 3, bits, 13, ERR));
	write_manifest(segments, 2);
	ok(bs_snapshot_open(dir_at("."), &snapshot, ERR));
	assert_int_equal(snapshot.totals.n_docs, 18);
	assert_int_equal(snapshot.totals.n_live_docs, 15);
	assert_int_equal(snapshot.totals.n_positions, 54);
	for (uint32_t d = 0; d < 5; d++)
		assert_false(bs_snapshot_is_deleted(&snapshot, 0, d));
	for (uint32_t d = 0; d < 13; d++)
		assert_int_equal(bs_snapshot_is_deleted(&snapshot, 1, d),
		                 d == 0 || d == 2 || d == 12);
	/* A snapshot remains usable when its files are removed by a sweep. */
	bs_index_sweep(dir_at("."), NULL);
	struct bs_doc_record record;
	ok(bs_doc_table_get(&snapshot.segments[1].docs, 12, &record, ERR));
	assert_memory_equal(record.name, "name", 4);
}

/* Commits a manifest. After a failure the previous one must remain. */
static enum bs_status commit(const struct bs_manifest *before, const struct bs_manifest *manifest,
                             struct bs_error *err)
{
	AUTO(bs_manifest_deinit) struct bs_manifest last;
	enum bs_status status = bs_snapshot_commit(dir_at("."), before, manifest, err);
	assert_int_equal(bs_manifest_read(dir_at("."), &last, NULL), BS_OK);
	assert_int_equal(last.generation, status ? before->generation : manifest->generation);
	return status;
}

/* A commit first opens its new files, to check them, but not those of the previous commit. */
static void test_commit_of_new_files(void **state)
{
	struct bs_segment_record segments[2] = {{.number = 1, .n_docs = 5}};
	uint8_t bits[1] = {0x05};
	write_segment(1, 5);
	struct bs_manifest before = manifest_of(segments, 1);
	before.next_number = 2;
	ok(bs_snapshot_commit(dir_at("."), NULL, &before, ERR));

	struct bs_manifest after = before;
	after.generation = 2;
	after.next_number = 5;
	after.n_segments = 2;
	segments[1] = (struct bs_segment_record){
		.number = 2, .n_docs = 5, .n_bytes = segments[0].n_bytes};
	assert_int_equal(commit(&before, &after, ERR), BS_NOT_FOUND);
	write_segment(2, 5);
	segments[1].n_docs = 6;
	expect_error(commit(&before, &after, ERR), BS_CORRUPT, "nothing was committed");
	segments[1].n_docs = 5;
	segments[1].tombstones = 3;
	segments[1].n_deleted = 1;
	ok(bs_tombstones_write(dir_at("."), 3, bits, 5, ERR));
	expect_status(commit(&before, &after, ERR), BS_CORRUPT);
	segments[1].n_deleted = 2;
	after.exclusions.number = 4;
	after.exclusions.n_docs = 1;
	assert_int_equal(commit(&before, &after, ERR), BS_NOT_FOUND);
	after.exclusions.number = after.exclusions.n_docs = 0;
	after.n_sources = 0;
	expect_status(commit(&before, &after, ERR), BS_CORRUPT);
	after.n_sources = 1;
	write_text("seg-000001", "damaged since");
	ok(commit(&before, &after, ERR));
}

static void test_no_snapshot(void **state)
{
	uint8_t bits[2] = {0};
	struct bs_segment_record segments[] = {
		{.number = 1, .n_docs = 5},
		{.number = 2, .n_docs = 13, .tombstones = 3, .n_deleted = 3}};
	expect_no_snapshot(BS_NOT_FOUND, "no index here");
	write_text("manifest", "no manifest");
	expect_no_snapshot(BS_CORRUPT, "./manifest");

	write_manifest(segments, 2);
	expect_no_snapshot(BS_CORRUPT, "missing");
	write_segment(1, 5);
	write_manifest(segments, 2);
	expect_no_snapshot(BS_CORRUPT, "missing");
	write_segment(2, 13);
	write_manifest(segments, 2);
	expect_no_snapshot(BS_CORRUPT, "missing");
	ok(bs_tombstones_write(dir_at("."), 3, bits, 8, ERR));
	expect_no_snapshot(BS_CORRUPT, "./del-000003");
	ok(bs_tombstones_write(dir_at("."), 3, bits, 13, ERR));
	expect_no_snapshot(BS_CORRUPT, "0 deleted documents where the manifest has 3");
	bits[1] = 0x26;
	ok(bs_tombstones_write(dir_at("."), 3, bits, 13, ERR));
	expect_no_snapshot(BS_CORRUPT, "bits past the last of 13 documents");
	bits[1] = 0x16;
	ok(bs_tombstones_write(dir_at("."), 3, bits, 13, ERR));
	struct bs_snapshot snapshot;
	ok(bs_snapshot_open(dir_at("."), &snapshot, ERR));
	bs_snapshot_deinit(&snapshot);

	/* A segment file does not match the manifest: the snapshot cannot be opened. */
	segments[0].n_docs = 6;
	write_manifest(segments, 2);
	expect_no_snapshot(BS_CORRUPT, "./seg-000001");
	segments[0].n_docs = 5;
	write_manifest(segments, 2);
	write_text("seg-000001", "");
	expect_no_snapshot(BS_CORRUPT, "./seg-000001");
	assert_int_equal(rename("del-000003", "seg-000001"), 0);
	expect_no_snapshot(BS_CORRUPT, "./seg-000001");

	/* A manifest of a newer format version is unsupported. */
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	read_bytes("manifest", &bytes);
	bs_store_u32(bytes.data + 8, BS_FORMAT_VERSION + 1);
	write_resealed("manifest", &bytes);
	expect_no_snapshot(BS_UNSUPPORTED, "./manifest");
}

/* Changes random bytes of the sections of a segment. Opening a snapshot and reading its documents
 * must give an error, or as many documents as before. */
static void test_damaged_segment(void **state)
{
	struct bs_segment_record segment = {.number = 1, .n_docs = 13};
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0}, changed = {0};
	uint64_t random = 61;
	write_segment(1, 13);
	write_manifest(&segment, 1);
	read_bytes("seg-000001", &bytes);
	for (int round = 0; round < 4000; round++) {
		copy_bytes(&changed, &bytes);
		size_t table_off = (size_t)bs_load_u64(bytes.data + 24);
		damage_bytes(changed.data, 64, table_off, &random);
		if (round % 4)
			reseal(changed.data, changed.used_bytes);
		write_bytes("seg-000001", changed.data, changed.used_bytes);
		AUTO(bs_snapshot_deinit) struct bs_snapshot snapshot;
		enum bs_status status = bs_snapshot_open(dir_at("."), &snapshot, ERR);
		assert_true(status == BS_OK || status == BS_CORRUPT || status == BS_UNSUPPORTED);
		if (status == BS_OK)
			assert_int_equal(snapshot.totals.n_docs, 13);
		for (uint32_t d = 0; d < 13 && status == BS_OK; d++) {
			struct bs_doc_record record;
			enum bs_status get =
				bs_doc_table_get(&snapshot.segments[0].docs, d, &record, ERR);
			assert_true(get == BS_OK || get == BS_CORRUPT);
		}
	}
}

/* A new file cannot be created under an existing name, be it a file or a symlink. The target of the
 * symlink is not created. */
static void test_new_file(void **state)
{
	int fd;
	assert_int_equal(mkdir("index", 0700), 0);
	assert_int_equal(symlink("../outside", "index/new"), 0);
	write_text("index/old", "text");
	expect_status(bs_dir_create_file(dir_at("index"), "new", &fd, ERR), BS_IO);
	expect_status(bs_dir_create_file(dir_at("index"), "old", &fd, ERR), BS_IO);
	assert_false(file_exists("outside"));
}

RUN_FOLDER_TESTS(test_new_file, test_creating, test_creating_folders, test_numbers, test_sweeping,
                 test_lock, test_waiting_for_the_lock, test_snapshot, test_commit_of_new_files,
                 test_no_snapshot, test_damaged_segment)
