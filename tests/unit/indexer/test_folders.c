/* test_folders.c: lists of folders: writing, lookup, damage; which folders an index run records;
 * and a walk that uses the lists. */
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/folder_listings.h"
#include "indexer/batch/folder_recorder.h"
#include "tests/rigs/core_rig.h"

/* ---- lists ---- */

static struct bs_folder_listing list_of(const char *bytes, size_t n_bytes, uint32_t n_entries)
{
	return (struct bs_folder_listing){(const uint8_t *)bytes, n_bytes, n_entries};
}
#define LIST(bytes, n_entries) list_of(bytes, sizeof(bytes) - 1, n_entries)

static void test_lists(void **state)
{
	static const struct {
		const char *bytes;
		size_t n_bytes;
		uint32_t n_entries;
		bool is_valid;
	} cases[] = {
		{"", 0, 0, true},
		{"\0\1a", 3, 1, true},
		{"\0\1a\1\2ab\3\1b", 10, 3, true},
		{"\0\1a", 3, 0, false},
		{"\0\1a", 3, 2, false},
		{"\0\2a", 3, 1, false},
		{"\0", 1, 1, false},
		{"\0\0", 2, 1, false},
		{"\4\1a", 3, 1, false},
		{"\0\1b\0\1a", 6, 2, false},
		{"\0\1a\0\1a", 6, 2, false},
		{"\0\1.", 3, 1, false},
		{"\0\2..", 4, 1, false},
		{"\0\3...", 5, 1, true},
		{"\0\2.a", 4, 1, true},
		{"\0\3a/b", 5, 1, false},
		{"\0\2a\0", 4, 1, false},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bs_folder_listing list =
			list_of(cases[i].bytes, cases[i].n_bytes, cases[i].n_entries);
		if (bs_folder_listing_is_valid(&list) != cases[i].is_valid)
			fail_msg("list %zu", i);
	}
	struct bs_folder_listing list = LIST("\0\1a\1\2ab", 2);
	size_t at = 0;
	struct bs_entry entry = bs_folder_listing_next(&list, &at);
	assert_true(entry.kind == BS_ENTRY_FILE && entry.name_bytes == 1 && *entry.name == 'a');
	entry = bs_folder_listing_next(&list, &at);
	assert_true(entry.kind == BS_ENTRY_FOLDER && entry.name_bytes == 2 &&
	            memcmp(entry.name, "ab", 2) == 0);
	assert_int_equal(at, list.n_bytes);
}

/* ---- the file ---- */

static const char *const paths[] = {"", "a/", "a/b/", "a/b c/", "a!/", "a-b/", "b/"};
#define N_PATHS COUNT(paths)

static void put(struct bs_buffer *records, uint32_t source, size_t i,
                const struct bs_folder_listing *list)
{
	uint64_t fingerprint[4] = {source, i, 3, 4};
	ok(bs_folders_add(records, source, paths[i], strlen(paths[i]), fingerprint, list, ERR));
}

static struct bs_folder_cursor cursor;

static bool has(const struct bs_folders *folders, uint32_t source, size_t i, uint64_t last)
{
	uint64_t fingerprint[4] = {source, i, 3, last};
	struct bs_folder_listing list;
	bool is_found = bs_folders_find(folders, &cursor, source, paths[i], strlen(paths[i]),
	                                fingerprint, &list);
	if (is_found)
		assert_true(list.n_entries == 1 && memcmp(list.data, "\0\1x", 3) == 0);
	return is_found;
}

static void test_file(void **state)
{
	struct bs_folders folders;
	AUTO(bs_buffer_deinit) struct bs_buffer records = {0};
	struct bs_folder_listing list = LIST("\0\1x", 1);
	assert_int_equal(bs_folders_open(dir_at("."), &folders, ERR), BS_NOT_FOUND);
	for (uint32_t source = 1; source < 3; source++)
		for (size_t i = 0; i < N_PATHS; i++)
			put(&records, source, i, &list);
	ok(bs_folders_write(dir_at("."), &records, ERR));
	ok(bs_folders_open(dir_at("."), &folders, ERR));
	ok(bs_folders_check(&folders, ERR));
	cursor = (struct bs_folder_cursor){0};
	/* Lookups in ascending, descending and random order. */
	for (uint32_t n = 0; n < 2 * N_PATHS; n++)
		assert_true(has(&folders, 1 + n / N_PATHS, n % N_PATHS, 4));
	for (uint32_t n = 2 * N_PATHS; n-- > 0;)
		assert_true(has(&folders, 1 + n / N_PATHS, n % N_PATHS, 4));
	for (uint32_t n = 0, i = 0; n < 100; n++, i = (i * 5 + 3) % N_PATHS)
		assert_true(has(&folders, 1 + n % 2, i, 4));
	/* A lookup finds nothing with another fingerprint, in another source, or for another
	 * folder. */
	assert_false(has(&folders, 1, 2, 5));
	assert_true(has(&folders, 1, 2, 4));
	assert_false(has(&folders, 0, 0, 4));
	assert_false(has(&folders, 3, 0, 4));
	uint64_t fingerprint[4] = {1, 1, 3, 4};
	assert_false(bs_folders_find(&folders, &cursor, 1, "a", 1, fingerprint, &list));
	assert_false(bs_folders_find(&folders, &cursor, 1, "z/", 2, fingerprint, &list));
	assert_true(has(&folders, 2, 6, 4));
	bs_folders_close(&folders);

	/* Equal contents are not written again; without folders the file is removed. */
	struct stat before, after;
	assert_int_equal(stat("folders", &before), 0);
	ok(bs_folders_write(dir_at("."), &records, ERR));
	assert_int_equal(stat("folders", &after), 0);
	assert_true(before.st_ino == after.st_ino &&
	            before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
	bs_buffer_clear(&records);
	ok(bs_folders_write(dir_at("."), &records, ERR));
	assert_int_equal(access("folders", F_OK), -1);
}

static void check_bad(const struct bs_buffer *records)
{
	struct bs_folders folders;
	ok(bs_folders_write(dir_at("."), records, ERR));
	ok(bs_folders_open(dir_at("."), &folders, ERR));
	assert_int_equal(bs_folders_check(&folders, ERR), BS_CORRUPT);
	cursor = (struct bs_folder_cursor){0};
	for (uint32_t source = 0; source < 3; source++)
		for (size_t i = 0; i < N_PATHS; i++)
			(void)has(&folders, source, i, 4);
	bs_folders_close(&folders);
}

/* Invalid contents with valid checksums. */
static void test_hostile(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer records = {0};
	struct bs_folder_listing list = LIST("\0\1x", 1), bad = LIST("\0\1/", 1);
	put(&records, 1, 1, &list);
	put(&records, 1, 0, &list);
	check_bad(&records);
	bs_buffer_clear(&records);
	put(&records, 1, 1, &bad);
	check_bad(&records);
	bs_buffer_clear(&records);
	put(&records, 1, 1, &list);
	put(&records, 2, 1, &list);
	for (size_t i = 0; i < 4; i++) { /* changes the size of the first record or of its path */
		static const uint8_t values[] = {0, 47, 54, 255};
		for (size_t at = 0; at < 48; at += 44) {
			uint8_t kept[4];
			memcpy(kept, records.data + at, 4);
			memset(records.data + at, values[i], 4);
			check_bad(&records);
			memcpy(records.data + at, kept, 4);
		}
	}
	records.used_bytes--;
	check_bad(&records);
}

/* ---- recording ---- */

static void test_notes(void **state)
{
	AUTO(bs_folder_recorder_deinit) struct bs_folder_recorder notes;
	struct bs_folder_listing list = LIST("\0\1x", 1), found;
	struct bs_fingerprint fingerprint = {
		.size_bytes = 1, .mtime_ns = 5000000001, .ctime_ns = 5000000002, .inode = 4};
	bs_folder_recorder_init(&notes, dir_at("."), 5000000002);
	const struct bs_walk_listings *lists = &notes.lists;
	/* A folder is recorded only if it is older than the run and is on a file system with
	 * reliable times. */
	ok(lists->take(lists->context, "", 0, &fingerprint, true, &list, ERR));
	assert_int_equal(notes.records.used_bytes, 0);
	fingerprint.ctime_ns--;
	ok(lists->take(lists->context, "", 0, &fingerprint, false, &list, ERR));
	assert_int_equal(notes.records.used_bytes, 0);
	ok(lists->take(lists->context, "", 0, &fingerprint, true, &list, ERR));
	assert_true(notes.records.used_bytes > 0);
	ok(bs_folders_write(dir_at("."), &notes.records, ERR));
	bs_folder_recorder_deinit(&notes);

	bs_folder_recorder_init(&notes, dir_at("."), 6000000000);
	lists = &notes.lists;
	assert_true(lists->find(lists->context, ".", "", 0, &fingerprint, &found));
	assert_int_equal(found.n_entries, 1);
	fingerprint.ctime_ns++;
	assert_false(lists->find(lists->context, ".", "", 0, &fingerprint, &found));
}

/* ---- a walk that uses the lists ---- */

static bool find_one(void *context, const char *root, const char *path, size_t path_bytes,
                     const struct bs_fingerprint *fingerprint, struct bs_folder_listing *list_out)
{
	assert_string_equal(root, "tree");
	*list_out = *(const struct bs_folder_listing *)context;
	return fingerprint->inode > 0 && path_bytes == 4 && memcmp(path, "sub/", 4) == 0;
}

static enum bs_status take_any(void *context, const char *path, size_t path_bytes,
                               const struct bs_fingerprint *fingerprint, bool is_sure,
                               const struct bs_folder_listing *list, struct bs_error *err)
{
	assert_true(path_bytes == 0 || path[path_bytes - 1] == '/');
	assert_true(bs_folder_listing_is_valid(list));
	assert_int_equal(list->n_entries, path_bytes == 0 ? 2 : path_bytes == 4 ? 4 : 1);
	return BS_OK;
}

static void test_walk(void **state)
{
	struct bs_folder_listing list = LIST("\0\7.ignore\1\4deep\0\4gone\0\3two", 4);
	struct bs_walk_listings lists = {find_one, take_any, &list};
	struct bs_walk_options options = {.lists = &lists};
	struct bs_walk *walk;
	const char *path;
	size_t n_bytes;
	assert_int_equal(
		mkdir("tree", 0777) | mkdir("tree/sub", 0777) | mkdir("tree/sub/deep", 0777), 0);
	write_text("tree/one", "1");
	write_text("tree/sub/unlisted", "1");
	write_text("tree/sub/deep/three", "1");
	write_text("tree/sub/.ignore", "two\n");
	ok(bs_walk_open("tree", &options, &walk, ERR));
	static const char *const wanted[] = {"one", "sub/deep/three", "sub/gone", NULL};
	for (size_t i = 0; i < COUNT(wanted); i++) {
		ok(bs_walk_next(walk, &path, &n_bytes, ERR));
		if (wanted[i])
			assert_string_equal(path, wanted[i]);
		else
			assert_null(path);
	}
	bs_walk_close(walk);
}

RUN_FOLDER_TESTS(test_lists, test_file, test_hostile, test_notes, test_walk)
