/* test_other_unicode.c: an index whose words were cut by another version of Unicode: its columns count for nothing until it is made
 * anew, which a writer does before it adds to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/matrix.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"
#include "core/store/manifest.h"
#include "tests/library_rig.h"

static void make_older(struct bs_memory *memory)
{
	struct bs_manifest manifest = {.n_sources = 0};
	struct bs_dir dir = {.fd = -1};
	struct bs_error err = {""};
	ok(bs_dir_open(&dir, NULL, memory, NULL, &err), &err);
	ok(bs_manifest_read(&dir, &manifest, &err), &err);
	strcpy(manifest.unicode_version, "1.1");
	ok(bs_manifest_write(&dir, &manifest, &err), &err);
	bs_manifest_deinit(&manifest);
	bs_dir_close(&dir);
}

static void add(struct bs_writer *writer, const char *id, const char *text)
{
	struct bs_text texts[] = {{"text", 4, text, strlen(text)}};
	struct bs_error err = {""};
	ok(bs_writer_add(writer, id, strlen(id), texts, 1, &err), &err);
}

static int hear(void *context, const struct bs_find_hit *hit)
{
	char *ids = context;
	return snprintf(ids + strlen(ids), 8, "%.*s ", (int)hit->id_bytes, hit->id) < 0;
}

static int take(void *context, const struct bs_matrix_candidates *candidates)
{
	*(uint64_t *)context += candidates->n_set;
	return 0;
}

static void expect(struct bs_memory *memory, bool is_other, const char *query, const char *ids)
{
	struct bs_open_request open = {.memory = memory};
	struct bs_index_info info;
	struct bs_index *index;
	struct bs_finder *finder;
	struct bs_error err = {""};
	uint64_t n_candidates = 0;
	char heard[64] = "";
	struct bs_find_request find = {.query = query, .query_bytes = strlen(query), .mode = BS_FIND_IDS, .hit = hear, .context = heard};
	ok(bs_index_open_with(&open, &index, &err), &err);
	ok(bs_finder_new(index, &finder, &err), &err);
	bs_index_describe(index, &info);
	assert_int_equal(info.is_other_unicode, is_other);
	ok(bs_find(finder, &find, NULL, &err), &err);
	assert_string_equal(heard, ids);
	assert_int_equal(bs_matrix_ask(finder, &find, take, &n_candidates, NULL, &err), is_other ? BS_UNSUPPORTED : BS_OK);
	assert_int_equal(n_candidates > 0, !is_other);
	bs_finder_free(finder);
	bs_index_close(index);
}

static void test_it_is_scanned_and_made_anew(void **state)
{
	struct bs_memory *memory;
	struct bs_writer *writer;
	struct bs_build_report report;
	struct bs_error err = {""};
	(void)state;
	ok(bs_memory_new(&memory, &err), &err);
	struct bs_writer_request request = {.memory = memory, .n_threads = 1};
	ok(bs_writer_open(&request, &writer, &err), &err);
	add(writer, "a", "a cat and a dog");
	add(writer, "b", "a cat");
	ok(bs_writer_commit(writer, NULL, &err), &err);
	expect(memory, false, "cat", "a b ");
	make_older(memory);
	expect(memory, true, "cat", "a b ");
	expect(memory, true, "\"a cat\" -dog", "b ");
	add(writer, "c", "the third cat");
	add(writer, "a", "a horse, no cat");
	ok(bs_writer_commit(writer, &report, &err), &err);
	assert_int_equal(report.n_docs, 3);
	expect(memory, false, "cat", "b c a ");
	expect(memory, false, "cat -horse -third", "b ");
	bs_writer_close(writer);
	bs_memory_free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_it_is_scanned_and_made_anew)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
