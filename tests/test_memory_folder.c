/*
 * test_memory_folder.c: an index in memory whose files are in a folder. What its writer gathers of documents is there, too: the
 * index is the same, byte for byte, but where memory ends a segment it has more documents. A disk that is full fails the writer and
 * harms nothing.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/bitsift/query.h"
#include "core/bitsift/writer.h"
#include "library_rig.h"

#define N_DOCS       60000u
#define LITTLE_BYTES ((uint64_t)16 << 20)

static char folder[FOLDER_BYTES];

static int set_up(void **state)
{
	(void)state;
	make_folder(folder);
	return 0;
}

/* Nothing in the folder ever has a name. */
static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(rmdir(folder), 0);
	return 0;
}

/* A short text: common words, some that a few documents have, one of its own, now and then one many times. */
static void write_document(uint32_t n, char *text, size_t n_bytes)
{
	snprintf(text, n_bytes, "the wolf and the hare %s%u met%u near%u %s own%x %s", n % 3 ? "fox" : "owl", n % 7, n % 100, n % 5000,
	         n % 11 ? "" : "again again again again again", n, n % 17 ? "" : "an elk, an elk and an elk");
}

static struct bs_memory *new_memory(bool in_folder)
{
	struct bs_error err = {""};
	struct bs_memory *memory;
	ok(bs_memory_new(&memory, &err), &err);
	if (in_folder)
		ok(bs_memory_use_folder(memory, folder, &err), &err);
	return memory;
}

/* The first documents, of a run and its commit. */
static enum bs_status fill(struct bs_memory *memory, uint64_t memory_bytes, uint32_t n_threads, struct bs_error *err)
{
	struct bs_writer_request request = {
		.memory = memory, .not_stored = true, .grams = true, .memory_bytes = memory_bytes, .n_threads = n_threads};
	struct bs_writer *writer;
	char id[16], text[256];
	ok(bs_writer_open(&request, &writer, err), err);
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < N_DOCS && !status; i++) {
		snprintf(id, sizeof(id), "%u", i);
		write_document(i, text, sizeof(text));
		const struct bs_text field = {.text = text, .text_bytes = strlen(text)};
		status = bs_writer_add(writer, id, strlen(id), &field, 1, err);
	}
	if (!status)
		status = bs_writer_commit(writer, NULL, err);
	bs_writer_close(writer);
	return status;
}

static bool is_segment(const struct bs_memory_file *file)
{
	return strncmp(file->name, "seg-", 4) == 0;
}

static uint32_t count_segments(const struct bs_memory *memory)
{
	struct bs_error err = {""};
	uint32_t n = 0;
	for (size_t i = 0; i < bs_memory_n_files(memory); i++) {
		struct bs_memory_file file;
		ok(bs_memory_file_at(memory, i, &file, &err), &err);
		n += is_segment(&file);
	}
	return n;
}

static void expect_same_segments(const struct bs_memory *one, const struct bs_memory *other)
{
	struct bs_error err = {""};
	assert_int_equal(bs_memory_n_files(one), bs_memory_n_files(other));
	for (size_t i = 0; i < bs_memory_n_files(one); i++) {
		struct bs_memory_file a, b;
		ok(bs_memory_file_at(one, i, &a, &err), &err);
		ok(bs_memory_file_at(other, i, &b, &err), &err);
		assert_string_equal(a.name, b.name);
		if (!is_segment(&a))
			continue;
		assert_int_equal(a.n_bytes, b.n_bytes);
		assert_memory_equal(a.bytes, b.bytes, a.n_bytes);
	}
}

static uint64_t count(struct bs_memory *memory, const char *query)
{
	struct bs_error err = {""};
	struct bs_open_request open = {.memory = memory};
	struct bs_index *index;
	struct bs_finder *finder;
	struct bs_find_result result;
	ok(bs_index_open_with(&open, &index, &err), &err);
	ok(bs_finder_new(index, &finder, &err), &err);
	struct bs_find_request request = {.query = query, .query_bytes = strlen(query), .mode = BS_FIND_COUNT};
	ok(bs_find(finder, &request, &result, &err), &err);
	bs_finder_free(finder);
	bs_index_close(index);
	return result.n_hits;
}

static void test_same_bytes(void **state)
{
	(void)state;
	struct bs_error err = {""};
	struct bs_memory *inside = new_memory(false);
	ok(fill(inside, 0, 1, &err), &err);
	for (uint32_t n_threads = 1; n_threads <= 3; n_threads += 2) {
		struct bs_memory *outside = new_memory(true);
		ok(fill(outside, 0, n_threads, &err), &err);
		expect_same_segments(inside, outside);
		bs_memory_free(outside);
	}
	bs_memory_free(inside);
}

static void test_fewer_segments(void **state)
{
	(void)state;
	struct bs_error err = {""};
	struct bs_memory *inside = new_memory(false), *outside = new_memory(true);
	ok(fill(inside, LITTLE_BYTES, 1, &err), &err);
	ok(fill(outside, LITTLE_BYTES, 1, &err), &err);
	assert_true(count_segments(outside) * 2 <= count_segments(inside));
	const char *queries[] = {"wolf", "own1f4", "near77", "elk OR owl3", "fox1 met50", "again -elk", "absent"};
	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++)
		assert_int_equal(count(inside, queries[i]), count(outside, queries[i]));
	assert_int_equal(count(outside, "wolf"), N_DOCS);
	assert_int_equal(count(outside, "near77"), N_DOCS / 5000);
	bs_memory_free(inside);
	bs_memory_free(outside);
}

static void limit_files(uint64_t n_bytes)
{
	struct rlimit limit;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = n_bytes;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void test_full_disk(void **state)
{
	(void)state;
	struct bs_error err = {""};
	struct bs_memory *memory = new_memory(true);
	limit_files((uint64_t)4 << 20);
	assert_int_equal(fill(memory, LITTLE_BYTES, 1, &err), BS_IO);
	assert_non_null(strstr(err.text, "a temporary file: cannot take "));
	limit_files(RLIM_INFINITY);
	ok(fill(memory, LITTLE_BYTES, 1, &err), &err);
	assert_int_equal(count(memory, "wolf"), N_DOCS);
	bs_memory_free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_same_bytes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fewer_segments, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_full_disk, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
