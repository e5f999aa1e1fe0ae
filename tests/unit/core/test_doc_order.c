/*
 * test_doc_order.c: the order of documents, and cursors that merge the documents of a source from
 * several segments. A cursor must list the documents that sorting all of them at once gives.
 * Snapshots are assembled by hand, from document tables and tombstones only.
 */
#include "core/base/source_kind.h"
#include "core/store/doc_order.h"
#include "core/store/index_dir.h"
#include "tests/rigs/core_rig.h"

/* ---- paths ---- */

static int compare_strings(const char *a, const char *b)
{
	return bs_compare_paths((const uint8_t *)a, strlen(a), (const uint8_t *)b, strlen(b));
}

static void test_paths(void **state)
{
	/* In ascending order. */
	static const char *const paths[] = {"",       "a",     "a/",    "a/b", "a/b/c",   "a/b-c",
	                                    "a/\xff", "a\x01", "a b",   "a-b", "a.txt",   "a0",
	                                    "aa",     "a\x7f", "a\x80", "b",   "\xc3\xa9"};
	for (int i = 0; i < (int)COUNT(paths); i++) {
		for (int j = 0; j < (int)COUNT(paths); j++) {
			int order = compare_strings(paths[i], paths[j]);
			if ((order > 0) - (order < 0) != (i > j) - (i < j))
				fail_msg("\"%s\" and \"%s\": %d", paths[i], paths[j], order);
		}
	}
}

/* ---- snapshots ---- */

#define N_SOURCES    4u
#define MAX_SEGMENTS 6u
#define MAX_DOCS     200u
#define MAX_NAME     8u
#define EXCLUDED     MAX_SEGMENTS /* the value of `segment` for an excluded document */

static const uint32_t kinds[N_SOURCES] = {BS_SOURCE_FOLDER, BS_SOURCE_STDIN, BS_SOURCE_COLLECTION,
                                          BS_SOURCE_FOLDER};

struct document {
	uint32_t source;
	uint64_t key;        /* records have a key; unique within a source */
	char name[MAX_NAME]; /* files have a name; unique within a source */
	uint32_t segment;
	bool is_deleted;
	struct bs_doc_ref ref;
};

struct world {
	struct document docs[MAX_DOCS]; /* sorted */
	uint32_t n_docs, n_segments;
	struct bs_segment segments[MAX_SEGMENTS];
	struct bs_container *files[MAX_SEGMENTS + 1];
	const uint8_t *tombstones[MAX_SEGMENTS];
	uint8_t bits[MAX_SEGMENTS][MAX_DOCS / 8 + 1];
	struct bs_source_record sources[N_SOURCES];
	struct bs_snapshot snapshot;
};

/* Document order by another method: paths are compared bytewise, but "/" is the smallest byte. */
static int compare_documents(const void *left, const void *right)
{
	const struct document *a = left, *b = right;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (kinds[a->source] != BS_SOURCE_FOLDER)
		return a->key < b->key ? -1 : a->key > b->key;
	for (size_t i = 0; i < MAX_NAME; i++) {
		int x = a->name[i] == '/' ? 1 : (unsigned char)a->name[i];
		int y = b->name[i] == '/' ? 1 : (unsigned char)b->name[i];
		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static void draw_documents(struct world *world, uint64_t *random)
{
	static const char letters[] = "//ab-.\xff";
	uint32_t n = 0;
	for (uint64_t left = random_below(random, MAX_DOCS); left > 0; left--) {
		struct document *doc = &world->docs[n++];
		*doc = (struct document){.source = (uint32_t)random_below(random, N_SOURCES),
		                         .key = next_random(random) >> 50};
		for (uint64_t i = random_below(random, MAX_NAME); i > 0; i--)
			doc->name[i - 1] = letters[random_below(random, sizeof(letters) - 1)];
		bool is_excluded = world->n_segments == 0 || random_below(random, 9) == 0;
		doc->segment =
			is_excluded ? EXCLUDED : (uint32_t)random_below(random, world->n_segments);
		doc->is_deleted = !is_excluded && random_below(random, 4) == 0;
	}
	qsort(world->docs, n, sizeof(*world->docs), compare_documents);
	for (uint32_t i = 0; i < n; i++)
		if (i == 0 ||
		    compare_documents(&world->docs[world->n_docs - 1], &world->docs[i]) != 0)
			world->docs[world->n_docs++] = world->docs[i];
}

/* Writes and opens the table of a segment, or of the exclusions. */
static void make_table(struct world *world, uint32_t segment, struct bs_doc_table *table)
{
	AUTO(bs_doc_table_builder_deinit) struct bs_doc_table_builder builder = {0};
	for (uint32_t i = 0; i < world->n_docs; i++) {
		struct document *doc = &world->docs[i];
		uint32_t word = kinds[doc->source] == BS_SOURCE_STDIN ? 3 : 0;
		struct bs_doc_record record = {.source = doc->source, .checksum = i};
		if (doc->segment != segment)
			continue;
		if (kinds[doc->source] == BS_SOURCE_FOLDER) {
			record.name = (const uint8_t *)doc->name;
			record.name_bytes = (uint32_t)strnlen(doc->name, MAX_NAME);
		} else {
			record.place[word] = doc->key;
		}
		doc->ref = (struct bs_doc_ref){segment == EXCLUDED ? BS_DOC_EXCLUDED : segment,
		                               builder.n_docs};
		if (doc->is_deleted) {
			world->bits[segment][builder.n_docs / 8] |=
				(uint8_t)(1u << (builder.n_docs % 8));
			world->tombstones[segment] = world->bits[segment];
		}
		ok(bs_doc_table_add(&builder, &record, ERR));
	}
	char name[BS_INDEX_NAME_BYTES];
	ok(bs_exclusions_write(dir_at("."), segment, &builder, ERR));
	bs_index_file_name("exc", segment, name);
	ok(bs_container_open(dir_at("."), name, BS_FILE_EXCLUSIONS, &world->files[segment], ERR));
	ok(bs_doc_table_open(table, world->files[segment], builder.n_docs, ERR));
}

static void make_world(struct world *world, uint64_t *random)
{
	*world = (struct world){.n_segments = (uint32_t)random_below(random, MAX_SEGMENTS + 1)};
	draw_documents(world, random);
	for (uint32_t s = 0; s < world->n_segments; s++)
		make_table(world, s, &world->segments[s].docs);
	make_table(world, EXCLUDED, &world->snapshot.exclusions.table);
	for (uint32_t i = 0; i < N_SOURCES; i++)
		world->sources[i].kind = kinds[i];
	world->snapshot.manifest.sources = world->sources;
	world->snapshot.manifest.n_sources = N_SOURCES;
	world->snapshot.manifest.n_segments = world->n_segments;
	world->snapshot.segments = world->segments;
	world->snapshot.tombstones.bits = world->tombstones;
}

static void unmake_world(struct world *world)
{
	for (uint32_t s = 0; s < world->n_segments; s++)
		bs_doc_table_deinit(&world->segments[s].docs);
	bs_doc_table_deinit(&world->snapshot.exclusions.table);
	for (uint32_t s = 0; s <= MAX_SEGMENTS; s++)
		bs_container_close(world->files[s]);
}

/* ---- cursors ---- */

static bool is_same_ref(struct bs_doc_ref a, struct bs_doc_ref b)
{
	return a.segment == b.segment && a.document == b.document;
}

static void expect_listed(const struct world *world, uint32_t source, const bool *chosen,
                          bool with_exclusions)
{
	AUTO(bs_doc_cursor_deinit) struct bs_doc_cursor cursor;
	struct bs_doc_ref ref;
	struct bs_doc_record record;
	ok(bs_doc_cursor_init(&cursor, &world->snapshot, source, chosen,
	                      with_exclusions ? BS_CURSOR_EXCLUSIONS : 0, NULL, ERR));
	for (uint32_t i = 0; i < world->n_docs; i++) {
		const struct document *doc = &world->docs[i];
		bool is_listed = doc->segment == EXCLUDED
		                         ? with_exclusions
		                         : !doc->is_deleted && (!chosen || chosen[doc->segment]);
		if (doc->source != source || !is_listed)
			continue;
		assert_true(bs_doc_cursor_peek(&cursor, &ref, &record));
		assert_true(is_same_ref(ref, doc->ref));
		/* make_table stored the number of the document as its checksum. */
		assert_int_equal(record.checksum, i);
		ok(bs_doc_cursor_advance(&cursor, ERR));
	}
	assert_false(bs_doc_cursor_peek(&cursor, &ref, &record));
}

/* Advances a cursor, then seeks a name that may be missing. The cursor must not move back. */
static void expect_sought(const struct world *world, uint32_t source, uint64_t *random)
{
	struct document wanted = {.source = source};
	AUTO(bs_doc_cursor_deinit) struct bs_doc_cursor cursor;
	struct bs_doc_ref ref;
	struct bs_doc_record record;
	if (world->n_docs > 0)
		memcpy(wanted.name, world->docs[random_below(random, world->n_docs)].name,
		       MAX_NAME);
	size_t name_bytes = strnlen(wanted.name, MAX_NAME);
	if (name_bytes > 0 && random_below(random, 3) == 0)
		wanted.name[random_below(random, name_bytes)] = '.';
	ok(bs_doc_cursor_init(&cursor, &world->snapshot, source, NULL, 0, NULL, ERR));
	for (uint64_t n = random_below(random, 9);
	     n > 0 && bs_doc_cursor_peek(&cursor, &ref, &record); n--)
		ok(bs_doc_cursor_advance(&cursor, ERR));
	uint64_t i = bs_doc_cursor_peek(&cursor, &ref, &record) ? record.checksum : world->n_docs;
	ok(bs_doc_cursor_seek(&cursor, (const uint8_t *)wanted.name, name_bytes, ERR));
	for (; i < world->n_docs; i++) {
		const struct document *doc = &world->docs[i];
		if (doc->source == source && doc->segment != EXCLUDED && !doc->is_deleted &&
		    compare_documents(doc, &wanted) >= 0)
			break;
	}
	assert_int_equal(bs_doc_cursor_peek(&cursor, &ref, &record), i < world->n_docs);
	assert_true(i == world->n_docs || is_same_ref(ref, world->docs[i].ref));
}

/* bs_document_order of any two documents. */
static void expect_order(const struct world *world)
{
	for (uint32_t i = 0; i < world->n_docs; i++) {
		for (uint32_t j = 0; j < world->n_docs; j++) {
			int order = bs_document_order(&world->snapshot, world->docs[i].ref,
			                              world->docs[j].ref);
			assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
		}
	}
}

static void test_cursors(void **state)
{
	static struct world world;
	uint64_t random = 36;
	for (int round = 0; round < 300; round++) {
		bool chosen[MAX_SEGMENTS];
		make_world(&world, &random);
		if (round % 10 == 0)
			expect_order(&world);
		for (uint32_t s = 0; s < MAX_SEGMENTS; s++)
			chosen[s] = random_below(&random, 2);
		/* Includes a source that does not exist. */
		for (uint32_t source = 0; source <= N_SOURCES; source++) {
			expect_listed(&world, source, NULL, false);
			expect_listed(&world, source, NULL, true);
			expect_listed(&world, source, chosen, random_below(&random, 2));
			for (int n = 0;
			     n < 5 && source < N_SOURCES && kinds[source] == BS_SOURCE_FOLDER; n++)
				expect_sought(&world, source, &random);
		}
		unmake_world(&world);
	}
}

RUN_FOLDER_TESTS(test_paths, test_cursors)
