/* test_sample.c: how much of a source a sample reads, and from where. Here a piece has 1 KiB,
 * usually 256 KiB. */
#include <sys/stat.h>

#include "core/bitsift/search.h"
#include "indexer/choose/sample.h"
#include "tests/rigs/core_rig.h"

#define SAMPLE_BYTES (96u << 10)
#define LEAST_BYTES  (16u << 10)

struct taken {
	uint64_t n_bytes, n_documents;
	unsigned in_part[4]; /* documents by quarter of the source */
	unsigned n_long;
};

/* The first byte of a text is the number of the quarter that it is in. A long text is longer than a
 * piece. */
static enum bs_status take(void *context, const struct bs_document *document, struct bs_error *err)
{
	struct taken *taken = context;
	assert_int_equal(document->text.n_fields, 1);
	taken->n_bytes += document->text.n_bytes;
	taken->n_documents++;
	taken->in_part[document->text.fields[0].text[0] - '0']++;
	taken->n_long += document->text.n_bytes > 1024;
	return BS_OK;
}

static struct taken sample_of(char *place, enum bs_source_kind kind)
{
	struct bs_source_record record = {
		.kind = kind, .label = place, .path = place, .is_named = true};
	struct bs_manifest manifest = {.n_sources = 1, .sources = &record};
	struct bs_source_options options = {.no_ignore = true, .reads_records = true};
	struct taken taken = {0};
	(void)mkdir("index",
	            /* the index is next to the source, because the source's path is relative to the
		 * index */
	            0777);
	struct bs_source_sample sample = {dir_at("index"), &manifest, &options, SAMPLE_BYTES,
	                                  false};
	ok(bs_sample_sources(&sample, take, &taken, ERR));
	return taken;
}

static void add_text(struct bs_buffer *to, unsigned part, size_t n_bytes)
{
	static const char line[] =
		"0123456789 abcdefghijklmnopqrstuvwxyz 0123456789 abcdefghijklmnopqrst";
	char first = (char)('0' + part);
	append_bytes(to, &first, 1);
	for (size_t n = 1; n < n_bytes; n += sizeof(line) - 1)
		append_bytes(to, line, sizeof(line) - 1);
}

/* Writes records of some 100 bytes; every n_apart-th record has a text of long_bytes. */
static void write_records(const char *path, size_t n_records, size_t n_apart, size_t long_bytes)
{
	AUTO(bs_buffer_deinit) struct bs_buffer lines = {0};
	for (size_t i = 0; i < n_records; i++) {
		char head[64];
		int n = snprintf(head, sizeof(head), "{\"id\":%zu,\"text\":\"", i);
		append_bytes(&lines, head, (size_t)n);
		add_text(&lines, (unsigned)(i * 4 / n_records),
		         n_apart && i % n_apart == 0 ? long_bytes : 70);
		append_string(&lines, "\"}\n");
	}
	write_bytes(path, lines.data, lines.used_bytes);
}

static void expect_spread(const struct taken *taken)
{
	for (unsigned i = 0; i < 4; i++)
		assert_true(taken->in_part[i] > 0);
}

static void test_collections(void **state)
{
	static const struct {
		size_t n_records;
		/* bounds for the bytes of text, which are a part of the lines */
		uint64_t least, most;
	} cases[] = {
		{10, 700, 720}, /* everything */
		/* nearly everything: lines across two pieces are omitted */
		{100, 6000, 7200},
		{1000, LEAST_BYTES / 2, LEAST_BYTES}, /* 100 KB: a sixth of SAMPLE_BYTES */
		{4000, 26000, 50000},                 /* 400 KB: an eighth of the source */
		{20000, 50000, SAMPLE_BYTES},         /* 2 MB: SAMPLE_BYTES */
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char place[] = "records.jsonl";
		write_records(place, cases[i].n_records, 0, 0);
		struct taken taken = sample_of(place, BS_SOURCE_COLLECTION);
		if (taken.n_bytes < cases[i].least || taken.n_bytes > cases[i].most)
			fail_msg("%zu records: %llu bytes", cases[i].n_records,
			         (unsigned long long)taken.n_bytes);
		expect_spread(&taken);
	}
}

/* Records that are longer than the part of a piece that is read are sampled, too, if they fit into
 * a piece. */
static void test_long_records(void **state)
{
	char place[] = "records.jsonl";
	write_records(place, 1000, 1, 400);
	struct taken taken = sample_of(place, BS_SOURCE_COLLECTION);
	expect_spread(&taken);
	assert_in_range(taken.n_documents, 40, 96 * 2);
}

/* Writes n_folders folders of 64 files; each folder is a batch. */
static void write_tree(const char *path, unsigned n_folders, size_t file_bytes)
{
	assert_int_equal(mkdir(path, 0777), 0);
	for (unsigned i = 0; i < n_folders * 64; i++) {
		AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
		char name[64];
		snprintf(name, sizeof(name), "%s/%02u", path, i / 64);
		if (i % 64 == 0)
			assert_int_equal(mkdir(name, 0777), 0);
		snprintf(name, sizeof(name), "%s/%02u/%02u", path, i / 64, i % 64);
		add_text(&text, i * 4 / (n_folders * 64), file_bytes);
		write_bytes(name, text.data, text.used_bytes);
	}
}

/* The sample has a piece of each batch, or of every other one if there are many. Here a piece has
 * some 1,050 bytes. */
static void test_folders(void **state)
{
	char few[] = "few", some[] = "some", small[] = "small";
	write_tree(few, 8, 200);
	struct taken taken = sample_of(few, BS_SOURCE_FOLDER);
	assert_in_range(taken.n_bytes, 8 * 1024, 8 * 1400); /* too few batches to omit one */
	write_tree(some, 40, 200);
	taken = sample_of(some, BS_SOURCE_FOLDER);
	assert_in_range(taken.n_bytes, 20 * 1024, 20 * 1400); /* every other batch */
	expect_spread(&taken);
	write_tree(small, 24, 1);
	taken = sample_of(small, BS_SOURCE_FOLDER);
	assert_int_equal(
		taken.n_documents,
		24 * 64); /* all documents, because they are fewer than the sample may have */
}

/* A batch that is a record file in a folder is never omitted. */
static void test_inner_collection(void **state)
{
	char tree[] = "tree";
	write_tree(tree, 39, 200);
	write_records("tree/18/99.jsonl", 400, 0, 0);
	write_records("tree/19/99.jsonl", 400, 0, 0);
	struct taken taken = sample_of(tree, BS_SOURCE_FOLDER);
	assert_true(taken.n_documents > 20 * 4 + 2 * 100);
}

RUN_FOLDER_TESTS(test_collections, test_long_records, test_folders, test_inner_collection)
