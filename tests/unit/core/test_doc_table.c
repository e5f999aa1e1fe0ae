/* test_doc_table.c: documents are read as they were added, from memory and from the file, and
 * damage is harmless. */
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/file/segment_sections.h"
#include "core/store/doc_table.h"
#include "tests/rigs/core_rig.h"

struct documents {
	struct bs_doc_record *records;
	uint32_t n_docs;
};

/* Makes documents whose names have many lengths and any bytes. Adjacent documents often have the
 * same source, and a source may occur again later. */
static void documents_make(struct documents *documents, uint32_t n_docs, bool have_checksums,
                           uint64_t *random)
{
	documents->records = must_calloc(n_docs, sizeof(struct bs_doc_record));
	documents->n_docs = n_docs;
	uint32_t source = 0;
	for (uint32_t i = 0; i < n_docs; i++) {
		struct bs_doc_record *record = &documents->records[i];
		if (random_below(random, 5) == 0)
			source = (uint32_t)random_below(random, 4) * 1000000007u;
		size_t n = random_below(random, random_below(random, 20) ? 40 : 9000);
		uint8_t *name = must_malloc(n);
		fill_random(name, n, random);
		*record = (struct bs_doc_record){
			.source = source,
			.length = (uint32_t)next_random(random),
			.flags = (uint8_t)(next_random(random) |
		                           (have_checksums ? 0 : BS_DOC_NOT_STORED)),
			.checksum = have_checksums ? next_random(random) | 1 : 0,
			.name = name,
			.name_bytes = (uint32_t)n};
		for (int word = 0; word < 4; word++)
			record->place[word] = next_random(random) >> random_below(random, 64);
	}
}

static void documents_deinit(struct documents *documents)
{
	for (uint32_t i = 0; i < documents->n_docs; i++)
		free((void *)(uintptr_t)documents->records[i].name);
	free(documents->records);
}

static void expect_same(const struct bs_doc_record *got, const struct bs_doc_record *wanted)
{
	assert_int_equal(got->source, wanted->source);
	assert_int_equal(got->length, wanted->length);
	assert_int_equal(got->flags, wanted->flags);
	assert_int_equal(got->checksum, wanted->checksum);
	assert_int_equal(got->name_bytes, wanted->name_bytes);
	if (got->name_bytes)
		assert_memory_equal(got->name, wanted->name, got->name_bytes);
	assert_memory_equal(got->place, wanted->place, sizeof(got->place));
}

static void builder_fill(struct bs_doc_table_builder *builder, const struct documents *documents)
{
	struct bs_doc_record got;
	for (uint32_t i = 0; i < documents->n_docs; i++) {
		ok(bs_doc_table_add(builder, &documents->records[i], ERR));
		bs_doc_table_builder_get(builder, i, &got);
		expect_same(&got, &documents->records[i]);
	}
	for (uint32_t i = 0; i < documents->n_docs; i++) {
		bs_doc_table_builder_get(builder, i, &got);
		expect_same(&got, &documents->records[i]);
	}
	assert_true(bs_doc_table_builder_bytes(builder) >=
	            builder->names.used_bytes + documents->n_docs * 45ull);
}

static void write_table(const char *path, const struct bs_doc_table_builder *builder)
{
	unlink(path);
	struct bs_file_writer *writer = new_file(path);
	bs_file_writer_require(writer, BS_FEATURE_NOT_STORED);
	ok(bs_doc_table_write(builder, writer, ERR));
	finish_file(writer);
}

static void test_round_trips(void **state)
{
	static const uint32_t sizes[] = {0, 1, 2, 3, 100, 127, 1024, 5000};
	uint64_t random = 41;
	/* one builder for all rounds; each round clears it */
	AUTO(bs_doc_table_builder_deinit) struct bs_doc_table_builder builder = {0};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		AUTO(documents_deinit) struct documents documents;
		struct bs_doc_record got;
		documents_make(&documents, sizes[i], i % 2 == 0, &random);
		/* Every third table has numbers of lines; the others have no section for them. */
		for (uint32_t d = 0; d < sizes[i] && i % 3 == 1; d++)
			documents.records[d].lines =
				(uint32_t)(next_random(&random) >> random_below(&random, 64));
		builder_fill(&builder, &documents);
		write_table("file", &builder);
		AUTO(bs_doc_table_deinit) struct bs_doc_table table;
		AUTO(bs_container_close_at) struct bs_container *file = open_file("file");
		ok(bs_doc_table_open(&table, file, sizes[i], ERR));
		for (uint32_t d = 0; d < sizes[i]; d++) {
			uint32_t lines = 77;
			ok(bs_doc_table_get(&table, d, &got, ERR));
			expect_same(&got, &documents.records[d]);
			ok(bs_doc_table_lines(&table, d, &lines, ERR));
			assert_int_equal(lines, documents.records[d].lines);
		}
		expect_status(bs_doc_table_get(&table, sizes[i], &got, ERR), BS_CORRUPT);
		expect_status(bs_doc_table_get(&table, UINT32_MAX, &got, ERR), BS_CORRUPT);
		static const uint64_t more[] = {1, 4294967295u, 4294967296u, UINT64_MAX - 10000,
		                                UINT64_C(1) << 61};
		for (size_t j = 0; j < COUNT(more); j++) {
			AUTO(bs_doc_table_deinit) struct bs_doc_table wrong;
			expect_status(bs_doc_table_open(&wrong, file, sizes[i] + more[j], ERR),
			              BS_CORRUPT);
		}
		bs_doc_table_builder_clear(&builder);
	}
}

/* Damage under valid checksums: reading gives BS_OK or BS_CORRUPT, and stays in bounds. */
static void test_damage_with_right_checksums(void **state)
{
	uint64_t random = 42;
	AUTO(bs_doc_table_builder_deinit) struct bs_doc_table_builder builder = {0};
	AUTO(documents_deinit) struct documents documents;
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0}, changed = {0};
	documents_make(&documents, 60, true, &random);
	builder_fill(&builder, &documents);
	write_table("file", &builder);
	read_bytes("file", &bytes);
	size_t table_off = (size_t)bs_load_u64(bytes.data + 24);
	for (int round = 0; round < 1000; round++) {
		copy_bytes(&changed, &bytes);
		/* About half of the changes are in the name offsets, the most sensitive section. */
		const uint8_t *entry =
			changed.data + table_off +
			(random_below(&random, 2) ? 8 : random_below(&random, 10)) * 32;
		size_t at = (size_t)(bs_load_u64(entry + 8) +
		                     random_below(&random, bs_load_u64(entry + 16)));
		changed.data[at] = (uint8_t)next_random(&random);
		write_resealed("damaged", &changed);
		AUTO(bs_doc_table_deinit) struct bs_doc_table table;
		AUTO(bs_container_close_at) struct bs_container *file = open_file("damaged");
		enum bs_status status = bs_doc_table_open(&table, file, 60, ERR);
		for (uint32_t d = 0; d < 60 && status == BS_OK; d++) {
			struct bs_doc_record got;
			enum bs_status get = bs_doc_table_get(&table, d, &got, ERR);
			assert_true(get == BS_OK || get == BS_CORRUPT);
			uint32_t sum = 0;
			for (uint32_t i = 0; get == BS_OK && i < got.name_bytes; i++)
				sum += got.name[i];
			assert_true(sum <= UINT32_MAX);
		}
		assert_true(status == BS_OK || status == BS_CORRUPT);
	}
}

RUN_FOLDER_TESTS(test_round_trips, test_damage_with_right_checksums)
