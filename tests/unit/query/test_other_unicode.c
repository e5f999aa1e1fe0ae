/*
 * test_other_unicode.c: an index with other tokenizer rules: of another version of Unicode, or of
 * an earlier revision of ours. Searches read every document. A writer adds to the index without
 * merges. The index keeps its rules until a build renews it.
 */
#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/matrix.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"
#include "core/store/manifest.h"
#include "tests/rigs/library_rig.h"

AUTO_OF(struct bs_writer, bs_writer_close)
AUTO_OF(struct bs_memory_index, bs_memory_index_free)

static void read_manifest(struct bs_memory_index *memory, struct bs_dir *dir,
                          struct bs_manifest *manifest)
{
	*manifest = (struct bs_manifest){.n_sources = 0};
	*dir = (struct bs_dir){.fd = -1};
	ok(bs_dir_open(dir, NULL, memory, NULL, ERR));
	ok(bs_manifest_read(dir, manifest, ERR));
}

/* The functions take_* change a manifest as if other tokenizer rules had made the index. */
static void take_unicode(struct bs_manifest *manifest)
{
	strcpy(manifest->versions.unicode, "1.1");
}

static void take_revision(struct bs_manifest *manifest)
{
	manifest->options.words_revision = BS_TOKENIZER_REVISION - 1;
}

static void take_none(struct bs_manifest *manifest)
{
	manifest->options.words_revision = 0;
}

static void make_older(struct bs_memory_index *memory, void (*age)(struct bs_manifest *manifest))
{
	AUTO(bs_manifest_deinit) struct bs_manifest manifest;
	AUTO(bs_dir_close) struct bs_dir dir;
	read_manifest(memory, &dir, &manifest);
	age(&manifest);
	ok(bs_manifest_write(&dir, &manifest, ERR));
}

/* Makes an index in memory and a writer of it. analyzer: NULL for our tokenizer. */
static struct bs_writer *make_index(const struct bs_analyzer *analyzer,
                                    struct bs_memory_index **memory_out)
{
	struct bs_writer *writer;
	ok(bs_memory_index_new(memory_out, ERR));
	struct bs_writer_request request = {
		.memory = *memory_out, .write.n_threads = 1, .host.analyzer = analyzer};
	ok(bs_writer_open(&request, &writer, ERR));
	return writer;
}

static void add(struct bs_writer *writer, const char *id, const char *text)
{
	struct bs_text texts[] = {{"text", 4, text, strlen(text)}};
	ok(bs_writer_add(writer, id, strlen(id), texts, 1, ERR));
}

static int hear(void *context, const struct bs_hit *hit)
{
	char *ids = context;
	return snprintf(ids + strlen(ids), 8, "%.*s ", (int)hit->id_bytes, hit->id) < 0;
}

static int take(void *context, const struct bs_matrix_candidates *candidates)
{
	*(uint64_t *)context += candidates->n_set;
	return 0;
}

static void expect(struct bs_memory_index *memory, bool is_other, const char *query,
                   const char *ids)
{
	struct bs_open_request open = {.memory = memory};
	struct bs_index_info info;
	AUTO(bs_index_close_at) struct bs_index *index = must_open_with(&open);
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	uint64_t n_candidates = 0;
	char heard[64] = "";
	struct bs_search_request find = {QUERY(query), .output.mode = BS_SEARCH_IDS,
	                                 .callbacks.hit = hear, .callbacks.context = heard};
	bs_index_describe(index, &info);
	assert_int_equal(info.is_other_unicode, is_other);
	ok(bs_search(searcher, &find, NULL, ERR));
	assert_string_equal(heard, ids);
	assert_int_equal(bs_matrix_query(searcher, &find, take, &n_candidates, NULL, ERR),
	                 is_other ? BS_UNSUPPORTED : BS_OK);
	assert_int_equal(n_candidates > 0, !is_other);
}

static void expect_versions(struct bs_memory_index *memory, const char *icu, uint32_t revision,
                            uint32_t n_segments)
{
	AUTO(bs_manifest_deinit) struct bs_manifest manifest;
	AUTO(bs_dir_close) struct bs_dir dir;
	read_manifest(memory, &dir, &manifest);
	assert_string_equal(manifest.versions.icu, icu);
	assert_int_equal(manifest.options.words_revision, revision);
	assert_int_equal(manifest.n_segments, n_segments);
}

static void check_it_is_scanned_until_renewed(void (*age)(struct bs_manifest *manifest))
{
	AUTO(bs_memory_index_free_at) struct bs_memory_index *memory;
	AUTO(bs_writer_close_at) struct bs_writer *writer = make_index(NULL, &memory);
	struct bs_build_report report;
	struct bs_manifest older = {.options = {.words_revision = BS_TOKENIZER_REVISION}};
	uint64_t n_deleted = 0;
	char icu[16], unicode[16], mixed[32];
	age(&older);
	ok(bs_tokenizer_versions(icu, unicode, ERR));
	snprintf(mixed, sizeof(mixed), "%.14s+", icu);
	struct bs_build_request build = {.memory = memory};
	add(writer, "a", "a cat and a dog");
	add(writer, "b", "a cat, and @bird");
	ok(bs_writer_commit(writer, NULL, ERR));
	expect(memory, false, "cat", "a b ");
	make_older(memory, age);
	expect(memory, true, "cat", "a b ");
	expect(memory, true, "\"a cat\" -dog", "b ");
	/* New documents are added to old ones. The manifest keeps the versions of the old ones,
	 * with a "+" after that of ICU, so that no program believes its own rules made the
	 * index. */
	add(writer, "c", "the third cat");
	add(writer, "a", "a horse, no cat");
	ok(bs_writer_commit(writer, &report, ERR));
	assert_int_equal(report.n_docs, 3);
	expect_versions(memory, mixed, older.options.words_revision, 2);
	expect(memory, true, "cat", "b c a ");
	expect(memory, true, "cat -horse -third", "b ");
	/* Merges are postponed, even with many segments. */
	for (int i = 0; i < 20; i++) {
		char id[8];
		snprintf(id, sizeof(id), "d%d", i);
		add(writer, id, "nothing of the sort");
		ok(bs_writer_commit(writer, &report, ERR));
		assert_string_equal(report.warning, "");
	}
	expect_versions(memory, mixed, older.options.words_revision, 22);
	expect_error(bs_index_compact(&build, NULL, ERR), BS_INVALID, "`bitsift index`");
	/* Deleting by a query also reads texts to find documents, including those that the
	 * transaction added. */
	add(writer, "e", "a parrot of a cat");
	ok(bs_writer_delete_query(writer, "sort OR parrot", strlen("sort OR parrot"), &n_deleted,
	                          ERR));
	assert_int_equal(n_deleted, 21);
	ok(bs_writer_commit(writer, NULL, ERR));
	expect(memory, true, "cat OR sort", "b c a ");
	/* A build renews the index. */
	ok(bs_index_build(&build, &report, ERR));
	assert_false(report.is_refresh);
	expect_versions(memory, icu, BS_TOKENIZER_REVISION, 1);
	expect(memory, false, "cat", "b c a ");
	expect(memory, false, "bird", "b ");
	add(writer, "f", "a cat of today");
	ok(bs_writer_commit(writer, NULL, ERR));
	expect(memory, false, "cat", "b c a f ");
}

static void test_it_is_scanned_until_renewed(void **state)
{
	check_it_is_scanned_until_renewed(take_unicode);
	check_it_is_scanned_until_renewed(take_revision);
	check_it_is_scanned_until_renewed(take_none);
}

/* An empty index takes the current rules with the first document. */
static void test_an_empty_one(void **state)
{
	AUTO(bs_memory_index_free_at) struct bs_memory_index *memory;
	AUTO(bs_writer_close_at) struct bs_writer *writer = make_index(NULL, &memory);
	ok(bs_writer_commit(writer, NULL, ERR));
	make_older(memory, take_revision);
	make_older(memory, take_unicode);
	add(writer, "a", "a cat");
	ok(bs_writer_commit(writer, NULL, ERR));
	expect(memory, false, "cat", "a ");
}

/* An analyzer; its indexes do not depend on our rules. Each byte is a word. */
static int cut_bytes(void *context, const uint8_t *text, size_t text_bytes,
                     int (*emit)(void *to, const uint8_t *term, size_t term_bytes, size_t start,
                                 size_t stop),
                     void *to)
{
	int result = 0;
	for (size_t i = 0; i < text_bytes && result == 0; i++)
		result = emit(to, text + i, 1, i, i + 1);
	return result;
}

static void test_one_with_an_analyzer(void **state)
{
	static const struct bs_analyzer analyzer = {.name = "bytes", .cut = cut_bytes};
	AUTO(bs_memory_index_free_at) struct bs_memory_index *memory;
	AUTO(bs_writer_close_at) struct bs_writer *writer = make_index(&analyzer, &memory);
	struct bs_open_request open = {.memory = memory, .host.analyzer = &analyzer};
	struct bs_index_info info;
	add(writer, "a", "cat");
	ok(bs_writer_commit(writer, NULL, ERR));
	make_older(memory, take_revision);
	make_older(memory, take_unicode);
	AUTO(bs_index_close_at) struct bs_index *index = must_open_with(&open);
	bs_index_describe(index, &info);
	assert_false(info.is_other_unicode);
}

RUN_TESTS(test_it_is_scanned_until_renewed, test_an_empty_one, test_one_with_an_analyzer)
