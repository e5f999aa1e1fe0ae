/*
 * test_condense.c: a segment that is condensed and restored keeps every byte: with few documents
 * and with many shards, with long documents, repeated words, scripts without spaces, grams, numbers
 * and stored texts. A damaged condensed segment is refused. A condensed segment is removed with its
 * segment.
 */
#include "core/base/hash.h"
#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/limits.h"
#include "core/bitsift/writer.h"
#include "tests/rigs/core_rig.h"
#include "tests/rigs/mutate.h"

#define CONDENSED "condensed-"
/* The size and checksum of the segment restored from tests/golden/condensed. */
#define GOLDEN_BYTES 49832u
#define GOLDEN_SUM   UINT64_C(0x70f59b4c116088f1)

static struct bs_memory_index *index_memory;

static int setup(void **state)
{
	ok(bs_memory_index_new(&index_memory, ERR));
	return enter_folder(state);
}

static int teardown(void **state)
{
	bs_memory_index_free(index_memory);
	return leave_folder(state);
}

static struct bs_writer *open_with(struct bs_writer_request request)
{
	struct bs_writer *writer;
	request.memory = index_memory;
	request.write.n_threads = 1;
	ok(bs_writer_open(&request, &writer, ERR));
	return writer;
}

static void commit(struct bs_writer *writer)
{
	ok(bs_writer_commit(writer, NULL, ERR));
}

/* Fails the test unless the index conforms to FORMAT.md. */
static void check(void)
{
	struct bs_check_request request = {.memory = index_memory};
	struct bs_check_report report;
	ok(bs_index_check(&request, &report, ERR));
}

/* Draws a word from a skewed distribution: low numbers are frequent. */
static uint32_t draw_word(uint64_t *random, uint32_t n_words)
{
	uint64_t n = 1 + random_below(random, n_words);
	return (uint32_t)random_below(random, 1 + random_below(random, n));
}

static size_t put_words(char *text, uint64_t *random, uint32_t n_tokens, uint32_t n_words)
{
	size_t n = 0;
	for (uint32_t i = 0; i < n_tokens; i++) {
		uint32_t word = draw_word(random, n_words);
		n += (size_t)sprintf(text + n,
		                     word % 50 == 7   ? "全文%u検索 "
		                     : word % 50 == 9 ? "Wort_%u "
		                                      : "w%u ",
		                     word);
	}
	return n;
}

/* Adds n_docs documents of at most most_tokens tokens; one in sixteen may have 20 times as many. */
static void add_documents(struct bs_writer *writer, uint32_t n_docs, uint32_t most_tokens,
                          uint32_t n_words, uint64_t seed)
{
	FREED char *text = must_malloc((size_t)most_tokens * 20 * 24 + 24);
	char id[16];
	uint64_t random = seed;
	for (uint32_t i = 0; i < n_docs; i++) {
		uint32_t most = random_below(&random, 16) == 0 && most_tokens > 8 ? most_tokens * 20
		                                                                  : most_tokens;
		size_t id_bytes = (size_t)snprintf(id, sizeof(id), "%08u", i);
		size_t n_bytes = put_words(text, &random, (uint32_t)random_below(&random, most + 1),
		                           n_words);
		char number[8];
		size_t number_bytes = (size_t)snprintf(number, sizeof(number), "%u", i % 97);
		struct bs_text texts[] = {{.text = text, .text_bytes = n_bytes},
		                          {"size", 4, number, number_bytes}};
		ok(bs_writer_add(writer, id, id_bytes, texts, 2, ERR));
	}
}

/* Opens a writer, adds documents as add_documents does, and commits them, also as a condensed
 * segment. */
static void add_segment(struct bs_writer_request request, uint32_t n_docs, uint32_t most_tokens,
                        uint32_t n_words, uint64_t seed)
{
	request.write.condensed = true;
	struct bs_writer *writer = open_with(request);
	add_documents(writer, n_docs, most_tokens, n_words, seed);
	commit(writer);
	bs_writer_close(writer);
}

static bool is_condensed(const char *name)
{
	return strncmp(name, CONDENSED, strlen(CONDENSED)) == 0;
}

/* The file of this name in `memory`. */
static struct bs_memory_index_file find_file(const struct bs_memory_index *memory, const char *name)
{
	struct bs_memory_index_file file;
	for (size_t i = 0; i < bs_memory_index_n_files(memory); i++) {
		ok(bs_memory_index_file_at(memory, i, &file, ERR));
		if (strcmp(file.name, name) == 0)
			return file;
	}
	fail_msg("no file %s", name);
	return file;
}

static void expect_restored(const struct bs_memory_index_file *condensed, const char *folder)
{
	char name[BS_MEMORY_INDEX_NAME_BYTES];
	struct bs_memory_index *memory;
	snprintf(name, sizeof(name), "seg-%s", condensed->name + strlen(CONDENSED));
	struct bs_memory_index_file was = find_file(index_memory, name);
	ok(bs_memory_index_new(&memory, ERR));
	ok(bs_memory_index_use_folder(memory, folder, ERR));
	ok(bs_memory_index_put(memory, condensed->name, condensed->bytes, condensed->n_bytes, ERR));
	ok(bs_memory_index_restore(memory, condensed->name, NULL, ERR));
	struct bs_memory_index_file restored = find_file(memory, name);
	assert_int_equal(restored.n_bytes, was.n_bytes);
	assert_memory_equal(restored.bytes, was.bytes, was.n_bytes);
	bs_memory_index_free(memory);
}

/* Restores and compares all segments; returns their number. */
static size_t expect_all_restored(void)
{
	struct bs_memory_index_file file;
	size_t n_condensed = 0, n_segments = 0;
	for (size_t i = 0; i < bs_memory_index_n_files(index_memory); i++) {
		ok(bs_memory_index_file_at(index_memory, i, &file, ERR));
		n_segments += strncmp(file.name, "seg-", 4) == 0;
		if (!is_condensed(file.name))
			continue;
		n_condensed++;
		expect_restored(&file, NULL);
		expect_restored(&file, ".");
	}
	assert_int_equal(n_condensed, n_segments);
	return n_condensed;
}

/* Indexes of many kinds. The last one has more documents than a shard can have. */
static void test_every_byte_is_restored(void **state)
{
	static const struct {
		struct bs_writer_request request;
		uint32_t n_docs, most_tokens, n_words;
	} cases[] = {
		{{.not_stored = true}, 1, 3, 5},
		{{.not_stored = true}, 700, 0, 1},
		{{.not_stored = true, .no_checksums = true, .phrase_bits = .1}, 6000, 60, 8000},
		{{.index.grams = true, .index.stem_language = "english"}, 3000, 40, 20000},
		{{.not_stored = true}, 270000, 6, 50000},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		bs_memory_index_free(index_memory);
		ok(bs_memory_index_new(&index_memory, ERR));
		add_segment(cases[i].request, cases[i].n_docs, cases[i].most_tokens,
		            cases[i].n_words, cases[i].n_docs + cases[i].most_tokens);
		assert_true(expect_all_restored() >= 1);
		check();
	}
}

/* A segment that a commit makes by merging others is also condensed. The merged ones are removed,
 * in both forms. */
static void test_compaction(void **state)
{
	struct bs_writer *writer = open_with((struct bs_writer_request){.write.condensed = true});
	for (uint64_t i = 0; i < 12; i++) {
		add_documents(writer, 40 + (uint32_t)i, 30, 900, 1 + i);
		commit(writer);
		ok(bs_writer_delete(writer, "00000003", 8, NULL, ERR));
	}
	bs_writer_close(writer);
	assert_true(expect_all_restored() < 12);
	struct bs_build_request request = {.memory = index_memory, .write.condensed = true};
	struct bs_build_report report;
	ok(bs_index_compact(&request, &report, ERR));
	assert_int_equal(expect_all_restored(), 1);
	/* A writer without the option `condensed` makes no condensed segments. */
	writer = open_with((struct bs_writer_request){.write.memory_bytes = 0});
	add_documents(writer, 50, 30, 900, 99);
	commit(writer);
	bs_writer_close(writer);
	check();
}

/* Restores a condensed segment from these bytes. Whatever they are, restoring must end; if it
 * fails, it must leave no segment. */
static enum bs_status restore(const void *bytes, size_t n_bytes)
{
	struct bs_memory_index *memory;
	ok(bs_memory_index_new(&memory, ERR));
	ok(bs_memory_index_put(memory, "condensed-000001", bytes, n_bytes, ERR));
	enum bs_status status = bs_memory_index_restore(memory, "condensed-000001", NULL, ERR);
	assert_int_equal(bs_memory_index_n_files(memory), status ? 1 : 2);
	bs_memory_index_free(memory);
	return status;
}

/* Truncation is refused, and flipped bits are refused unless they do not matter. Then files with
 * valid checksums and changed contents are restored or refused. */
static void test_damage(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer file = {0};
	uint64_t random = 5;
	uint32_t n_restored = 0;
	add_segment((struct bs_writer_request){.not_stored = true}, 2500, 12, 900, 1);
	struct bs_memory_index_file sound = find_file(index_memory, "condensed-000001");
	struct bs_buffer whole = {.data = (uint8_t *)(uintptr_t)sound.bytes,
	                          .used_bytes = sound.n_bytes};
	for (int i = 0; i < 200; i++) {
		copy_bytes(&file, &whole);
		file.data[random_below(&random, file.used_bytes)] ^=
			(uint8_t)(1u << random_below(&random, 8));
		enum bs_status status =
			restore(file.data,
		                i % 10 ? file.used_bytes : random_below(&random, file.used_bytes));
		assert_true(status == BS_CORRUPT || status == BS_UNSUPPORTED ||
		            (status == BS_OK && i % 10));
	}
	for (int i = 0; i < 1000; i++) {
		copy_bytes(&file, &whole);
		mutate_file(&file, &whole, &random);
		n_restored += restore(file.data, file.used_bytes) == BS_OK;
	}
	assert_true(n_restored > 0 && n_restored < 1000);
}

/* All later programs must restore a stored condensed segment to the bytes that it was made from,
 * because an index records their number. With UPDATE=1 in the environment the test makes the golden
 * file; this is allowed only before the first release of a format. */
static void test_golden(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	if (getenv("UPDATE")) {
		add_segment((struct bs_writer_request){.not_stored = true, .phrase_bits = .1}, 1500,
		            8, 400, 7);
		struct bs_memory_index_file made = find_file(index_memory, "condensed-000001");
		write_bytes(GOLDEN, made.bytes, made.n_bytes);
		bs_memory_index_free(index_memory);
		ok(bs_memory_index_new(&index_memory, ERR));
	}
	read_bytes(GOLDEN, &bytes);
	ok(bs_memory_index_put(index_memory, "condensed-000001", bytes.data, bytes.used_bytes,
	                       ERR));
	ok(bs_memory_index_restore(index_memory, "condensed-000001", NULL, ERR));
	struct bs_memory_index_file restored = find_file(index_memory, "seg-000001");
	uint64_t sum = bs_checksum(restored.bytes, restored.n_bytes);
	if (restored.n_bytes != GOLDEN_BYTES || sum != GOLDEN_SUM)
		fail_msg("%zu bytes, 0x%016llx", restored.n_bytes, (unsigned long long)sum);
}

static void test_refused(void **state)
{
	struct bs_memory_index *memory;
	volatile int cancel = 1;
	struct bs_limits limits = {.cancel = &cancel};
	ok(bs_memory_index_new(&memory, ERR));
	assert_int_equal(bs_memory_index_restore(memory, "condensed-000001", NULL, ERR),
	                 BS_NOT_FOUND);
	assert_int_equal(bs_memory_index_restore(memory, "seg-000001", NULL, ERR), BS_INVALID);
	bs_memory_index_free(memory);
	add_segment((struct bs_writer_request){.not_stored = false}, 5000, 30, 700, 1);
	struct bs_memory_index_file file = find_file(index_memory, "condensed-000001");
	ok(bs_memory_index_new(&memory, ERR));
	ok(bs_memory_index_put(memory, file.name, file.bytes, file.n_bytes, ERR));
	assert_int_equal(bs_memory_index_restore(memory, file.name, &limits, ERR), BS_STOPPED);
	assert_int_equal(bs_memory_index_n_files(memory), 1);
	bs_memory_index_free(memory);
	/* An index in a directory has no condensed segments. */
	struct bs_writer_request request = {.dir = "index", .write.condensed = true};
	struct bs_writer *writer;
	enum bs_status status = bs_writer_open(&request, &writer, ERR);
	if (!status)
		status = bs_writer_add(writer, "a", 1,
		                       &(struct bs_text){.text = "one", .text_bytes = 3}, 1, ERR);
	if (!status)
		status = bs_writer_commit(writer, NULL, ERR);
	assert_int_equal(status, BS_INVALID);
	bs_writer_close(writer);
}

RUN_TESTS_EACH_WITH(setup, teardown, test_every_byte_is_restored, test_compaction, test_golden,
                    test_damage, test_refused)
