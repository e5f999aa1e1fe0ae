/* test_store.c: stored texts: round trips, equal bytes for equal input, and damage of every
 * kind. */
#include <dirent.h>
#include <pthread.h>
#include <unistd.h>

#include "core/base/bytes.h"
#include "corpus/read/text_store.h"
#include "tests/rigs/core_rig.h"

AUTO_OF(struct bs_store, bs_store_close)

static struct bs_store_writer *new_writer(const char *path, bool has_thread)
{
	struct bs_store_writer *writer;
	ok(bs_store_writer_new(dir_at(path), has_thread, &writer, ERR));
	return writer;
}

/* Documents, concatenated in `text`. `offsets` has where each document begins, and where the last
 * one ends. */
struct documents {
	struct bs_buffer text;
	struct bs_buffer offsets; /* of size_t */
	size_t n_documents;
};

static struct documents no_documents(void)
{
	struct documents documents = {.n_documents = 0};
	append_bytes(&documents.offsets, &(size_t){0}, sizeof(size_t));
	return documents;
}

static void documents_end(struct documents *documents)
{
	append_bytes(&documents->offsets, &documents->text.used_bytes,
	             sizeof(documents->text.used_bytes));
	documents->n_documents++;
}

static void documents_add(struct documents *documents, const void *bytes, size_t n_bytes)
{
	append_bytes(&documents->text, bytes, n_bytes);
	documents_end(documents);
}

static const uint8_t *documents_get(const struct documents *documents, size_t i,
                                    size_t *n_bytes_out)
{
	const size_t *offsets = (const void *)documents->offsets.data;
	*n_bytes_out = offsets[i + 1] - offsets[i];
	return documents->text.data ? documents->text.data + offsets[i] : (const uint8_t *)"";
}

static void documents_deinit(struct documents *documents)
{
	bs_buffer_deinit(&documents->text);
	bs_buffer_deinit(&documents->offsets);
}

/* Adds n similar records. */
static void add_records(struct documents *documents, size_t n, uint64_t *random)
{
	static const char *const words[] = {"subject", "fix",    "the",  "memory", "leak",
	                                    "in",      "driver", "when", "reset"};
	for (size_t i = 0; i < n; i++) {
		append_format(&documents->text, "{\"id\":%" PRIu64 ",\"text\":\"",
		              next_random(random));
		for (uint64_t j = next_random(random) % 60; j; j--)
			append_format(&documents->text, "%s ",
			              words[next_random(random) % COUNT(words)]);
		append_string(&documents->text, "\"}");
		documents_end(documents);
	}
}

/* The three parts of a store as bytes. */
struct parts {
	struct bs_buffer part[BS_STORE_PARTS];
};

static void assert_parts_equal(const struct parts *a, const struct parts *b)
{
	for (int i = 0; i < BS_STORE_PARTS; i++)
		assert_buffers_equal(&a->part[i], &b->part[i]);
}

static void write_by(bool has_thread, const struct documents *documents, struct parts *parts)
{
	struct bs_store_writer *writer = new_writer(".", has_thread);
	for (size_t i = 0; i < documents->n_documents; i++) {
		size_t n_bytes;
		const uint8_t *bytes = documents_get(documents, i, &n_bytes);
		ok(bs_store_writer_add(writer, bytes, n_bytes, ERR));
	}
	ok(bs_store_writer_finish(writer, ERR));
	*parts = (struct parts){0};
	for (int i = 0; i < BS_STORE_PARTS; i++) {
		const struct bs_buffer *part = bs_store_writer_part(writer, (enum bs_store_part)i);
		append_bytes(&parts->part[i], part->data, part->used_bytes);
	}
	bs_store_writer_free(writer);
}

static void parts_deinit(struct parts *parts)
{
	for (int i = 0; i < BS_STORE_PARTS; i++)
		bs_buffer_deinit(&parts->part[i]);
}

/* Writes a store with and without a thread; the bytes must be equal. */
static struct parts write_store(const struct documents *documents)
{
	struct parts parts;
	AUTO(parts_deinit) struct parts others;
	write_by(true, documents, &others);
	write_by(false, documents, &parts);
	assert_parts_equal(&others, &parts);
	return parts;
}

static enum bs_status open_store(const struct parts *parts, struct bs_store **store_out,
                                 struct bs_error *err)
{
	const struct bs_buffer *dictionary = &parts->part[BS_STORE_DICTIONARY];
	const struct bs_buffer *offsets = &parts->part[BS_STORE_OFFSETS];
	const struct bs_buffer *frames = &parts->part[BS_STORE_FRAMES];
	return bs_store_open(dictionary->data, dictionary->used_bytes, offsets->data,
	                     offsets->used_bytes, frames->data, frames->used_bytes, store_out, err);
}

static void check_store(const struct documents *documents, const struct parts *parts)
{
	AUTO(bs_store_close_at) struct bs_store *store = NULL;
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	ok(open_store(parts, &store, ERR));
	assert_int_equal(bs_store_n_documents(store), documents->n_documents);
	for (size_t i = documents->n_documents; i-- > 0;) {
		size_t n_bytes;
		const uint8_t *bytes = documents_get(documents, i, &n_bytes);
		ok(bs_store_fetch(store, i, &text, ERR));
		assert_int_equal(text.used_bytes, n_bytes);
		assert_memory_equal(text.data, bytes, n_bytes);
	}
	assert_int_equal(bs_store_fetch(store, documents->n_documents, &text, ERR), BS_NOT_FOUND);
	assert_int_equal(bs_store_fetch(store, UINT64_MAX, &text, ERR), BS_NOT_FOUND);
}

/* Writes a store twice, compares, and reads it back. Returns the size of the dictionary. */
static size_t check_round_trip(const struct documents *documents)
{
	AUTO(parts_deinit)
	struct parts parts = write_store(documents), again = write_store(documents);
	assert_parts_equal(&parts, &again);
	assert_int_equal(parts.part[BS_STORE_OFFSETS].used_bytes, (documents->n_documents + 1) * 8);
	check_store(documents, &parts);
	return parts.part[BS_STORE_DICTIONARY].used_bytes;
}

static void test_small_stores(void **state)
{
	AUTO(documents_deinit) struct documents documents = no_documents();
	assert_int_equal(check_round_trip(&documents), 0);
	documents_add(&documents, "", 0);
	assert_int_equal(check_round_trip(&documents), 0);
	documents_add(&documents, "one", 3);
	documents_add(&documents, "", 0);
	documents_add(&documents, "a\0b\n", 4);
	assert_int_equal(check_round_trip(&documents), 0);
	AUTO(documents_deinit) struct documents empty = no_documents();
	for (int i = 0; i < 5000; i++)
		documents_add(&empty, "", 0);
	assert_int_equal(check_round_trip(&empty), 0);
}

/* Many similar records are stored in less than half of their bytes, including the dictionary. */
static void test_records(void **state)
{
	uint64_t random = 88172645463325252;
	static const size_t counts[] = {199, 200, 1000, 30000};
	for (size_t i = 0; i < COUNT(counts); i++) {
		AUTO(documents_deinit) struct documents documents = no_documents();
		add_records(&documents, counts[i], &random);
		size_t dictionary_bytes = check_round_trip(&documents);
		assert_int_equal(dictionary_bytes > 0, counts[i] >= 1000);
		assert_true(dictionary_bytes * 8 <= documents.text.used_bytes);
		AUTO(parts_deinit) struct parts parts = write_store(&documents);
		assert_true(counts[i] < 30000 ||
		            (dictionary_bytes + parts.part[BS_STORE_FRAMES].used_bytes) * 2 <
		                    documents.text.used_bytes);
	}
}

static void add_random_document(struct documents *documents, uint64_t *random)
{
	uint64_t n_bytes = next_random(random) % ((uint64_t)1 << next_random(random) % 16);
	bool is_noise = next_random(random) % 3 == 0;
	for (uint64_t i = 0; i < n_bytes; i++) {
		uint8_t byte = (uint8_t)(is_noise ? next_random(random) : 'a' + i % 7);
		append_bytes(&documents->text, &byte, 1);
	}
	documents_end(documents);
}

static void test_random_documents(void **state)
{
	uint64_t random = 4101842887655102017;
	for (int round = 0; round < 10; round++) {
		AUTO(documents_deinit) struct documents documents = no_documents();
		for (uint64_t n = next_random(&random) % 2000; n; n--)
			add_random_document(&documents, &random);
		(void)check_round_trip(&documents);
	}
}

static void test_large_documents(void **state)
{
	uint64_t random = 88172645463325252;
	static const size_t large_bytes = 10 << 20;
	AUTO(documents_deinit) struct documents documents = no_documents();
	add_records(&documents, 300, &random);
	uint8_t *noise = must_malloc(large_bytes);
	fill_random(noise, large_bytes, &random);
	documents_add(&documents, noise, large_bytes);
	memset(noise, 'x', large_bytes);
	documents_add(&documents, noise, large_bytes);
	documents_add(&documents, noise, 100);
	free(noise);
	add_records(&documents, 5000, &random);
	assert_true(check_round_trip(&documents) > 0);
}

/* Opens a store that may be damaged and fetches all documents. Each must be right, or be reported
 * as BS_CORRUPT. Returns the number of right ones. */
static size_t survive(const struct documents *documents, const struct parts *parts)
{
	AUTO(bs_store_close_at) struct bs_store *store = NULL;
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	size_t n_right = 0;
	enum bs_status status = open_store(parts, &store, ERR);
	if (status) {
		assert_int_equal(status, BS_CORRUPT);
		assert_null(store);
		assert_true(strlen(said.text) > 10);
		return 0;
	}
	for (size_t i = 0; i < bs_store_n_documents(store); i++) {
		status = bs_store_fetch(store, i, &text, ERR);
		if (status) {
			assert_int_equal(status, BS_CORRUPT);
			assert_int_equal(text.used_bytes, 0);
			continue;
		}
		size_t n_bytes;
		const uint8_t *bytes = documents_get(documents, i, &n_bytes);
		assert_int_equal(text.used_bytes, n_bytes);
		assert_memory_equal(text.data, bytes, n_bytes);
		n_right++;
	}
	return n_right;
}

static void test_small_damaged_stores(void **state)
{
	uint64_t random = 88172645463325252;
	AUTO(documents_deinit) struct documents documents = no_documents();
	documents_add(&documents, "", 0);
	documents_add(&documents, "one", 3);
	documents_add(&documents, "", 0);
	documents_add(&documents, "", 0);
	add_records(&documents, 8, &random);
	documents_add(&documents, "", 0);
	for (int i = 0; i < 3; i++)
		add_random_document(&documents, &random);
	append_repeated(&documents.text, "a", 80);
	documents_end(&documents);
	AUTO(parts_deinit) struct parts parts = write_store(&documents);
	size_t n_right = 0, n_tried = 0;
	for (int i = 0; i < BS_STORE_PARTS; i++) {
		for (size_t at = 0; at < parts.part[i].used_bytes; at++) {
			uint8_t *byte = parts.part[i].data + at;
			uint8_t right = *byte;
			for (int bit = 0; bit < 9; bit++) {
				*byte = (uint8_t)(bit < 8 ? right ^ 1 << bit : ~right);
				n_right += survive(&documents, &parts);
				n_tried += documents.n_documents;
				*byte = right;
			}
		}
	}
	/* Damage mostly affects a single document, and is detected. */
	assert_true(n_right > n_tried / 2);
	assert_true(n_right < n_tried);
	assert_int_equal(survive(&documents, &parts), documents.n_documents);
	/* Nothing is read from a store whose offsets or frames are cut off. */
	for (int i = BS_STORE_OFFSETS; i < BS_STORE_PARTS; i++) {
		size_t whole_bytes = parts.part[i].used_bytes;
		for (size_t n = 0; n < whole_bytes; n++) {
			parts.part[i].used_bytes = n;
			assert_int_equal(survive(&documents, &parts), 0);
		}
		parts.part[i].used_bytes = whole_bytes;
	}
}

static void test_flipped_dictionary(void **state)
{
	uint64_t random = 88172645463325252;
	AUTO(documents_deinit) struct documents documents = no_documents();
	add_records(&documents, 400, &random);
	AUTO(parts_deinit) struct parts parts = write_store(&documents);
	struct bs_buffer *dictionary = &parts.part[BS_STORE_DICTIONARY];
	assert_true(dictionary->used_bytes > 1000);
	for (size_t at = 0; at < dictionary->used_bytes; at += at < 300 ? 1 : 37) {
		dictionary->data[at] ^= (uint8_t)(1 << at % 8);
		(void)survive(&documents, &parts);
		dictionary->data[at] ^= (uint8_t)(1 << at % 8);
	}
	size_t whole_bytes = dictionary->used_bytes;
	for (size_t n = 0; n < whole_bytes; n += 101) {
		dictionary->used_bytes = n;
		(void)survive(&documents, &parts);
	}
	dictionary->used_bytes = whole_bytes;
	assert_int_equal(survive(&documents, &parts), 400);
}

static uint64_t offset_of(const struct parts *parts, size_t document)
{
	return bs_load_u64(parts->part[BS_STORE_OFFSETS].data + document * 8);
}

/* Small texts share frames with their neighbours, large ones do not. Damage of a frame affects only
 * its texts, and is detected. */
static void test_shared_frames(void **state)
{
	uint64_t random = 88172645463325252;
	AUTO(documents_deinit) struct documents documents = no_documents();
	AUTO(bs_store_close_at) struct bs_store *store = NULL;
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	char message[64];
	static const uint8_t large[5000] = {0};
	add_records(&documents, 600, &random);
	documents_add(&documents, large, sizeof(large));
	add_records(&documents, 600, &random);
	AUTO(parts_deinit) struct parts parts = write_store(&documents);
	size_t n_frames = 0, n = documents.n_documents;
	for (size_t i = 0; i < n; i++)
		n_frames += offset_of(&parts, i) != offset_of(&parts, i + 1);
	assert_in_range(n_frames, n / 20, n / 3);
	assert_true(offset_of(&parts, 599) < offset_of(&parts, 600) &&
	            offset_of(&parts, 600) < offset_of(&parts, 601));
	uint64_t bad = offset_of(&parts, 300);
	uint8_t *byte = parts.part[BS_STORE_FRAMES].data + bad + 40;
	*byte ^= 1;
	ok(open_store(&parts, &store, ERR));
	for (size_t round = 0; round < 2; round++) {
		for (size_t i = 0; i < n; i++) {
			size_t at = round ? n - 1 - i : i, n_bytes;
			const uint8_t *bytes = documents_get(&documents, at, &n_bytes);
			enum bs_status status = bs_store_fetch(store, at, &text, ERR);
			assert_int_equal(status, offset_of(&parts, at) == bad ? BS_CORRUPT : BS_OK);
			assert_int_equal(text.used_bytes, status ? 0 : n_bytes);
			snprintf(message, sizeof(message), "stored text: document %zu: ", at);
			assert_true(status ? !strncmp(said.text, message, strlen(message))
			                   : !memcmp(text.data, bytes, n_bytes));
		}
	}
	*byte ^= 1;
	/* A document whose offset is that of another frame is not found there. */
	for (size_t i = 1; i + 1 < n; i++) {
		uint8_t *offset = parts.part[BS_STORE_OFFSETS].data + i * 8;
		uint64_t right = bs_load_u64(offset);
		for (size_t j = i < 20 ? 0 : i - 20; j < i + 20 && j < n; j++) {
			bs_store_u64(offset, offset_of(&parts, j));
			(void)survive(&documents, &parts);
		}
		bs_store_u64(offset, right);
		i += 37;
	}
	assert_int_equal(survive(&documents, &parts), n);
}

/* Crafted frames: wrong sizes, skippable frames, no checksum, two frames. */
static void test_crafted_frames(void **state)
{
	static const struct {
		const char *frame;
		size_t n_bytes;
	} crafted[] = {
		/* An empty frame; a frame of only a magic number. */
		{"", 0},
		{"\x28\xb5\x2f\xfd", 4},
		/* A frame that states 2^62 bytes of contents and has one RLE block; a frame that
		 * does not state its size. */
		{"\x28\xb5\x2f\xfd\xe4\0\0\0\0\0\0\0\x40\x0b\0\0x\0\0\0\0", 21},
		{"\x28\xb5\x2f\xfd\x04\x00\x09\0\0x\0\0\0\0", 14},
		/* A frame of 17 bytes that states 4 GiB - 1 bytes of contents. */
		{"\x28\xb5\x2f\xfd\xa4\xff\xff\xff\xff\x0b\0\0x\0\0\0\0", 17},
		/* The empty text without a checksum, as a skippable frame, and in two older
		 * formats. */
		{"\x28\xb5\x2f\xfd\x20\x00\x01\0\0", 9},
		{"\x50\x2a\x4d\x18\0\0\0\0", 8},
		{"\x27\xb5\x2f\xfd\x20\x00\x01\0\0", 9},
		{"\x25\xb5\x2f\xfd\x00\xc0\0\0", 8},
		/* The empty text with its checksum, twice; with a wrong checksum. */
		{"\x28\xb5\x2f\xfd\x24\x00\x01\0\0\x99\xe9\xd8\x51\x28\xb5\x2f\xfd\x24\x00\x01\0\0"
	         "\x99\xe9\xd8\x51",
	         26},
		{"\x28\xb5\x2f\xfd\x24\x00\x01\0\0\x98\xe9\xd8\x51", 13},
	};
	AUTO(documents_deinit) struct documents none = no_documents();
	for (size_t i = 0; i < COUNT(crafted); i++) {
		AUTO(parts_deinit) struct parts parts = {0};
		uint8_t offsets[16] = {0};
		bs_store_u64(offsets + 8, crafted[i].n_bytes);
		append_bytes(&parts.part[BS_STORE_OFFSETS], offsets, sizeof(offsets));
		append_bytes(&parts.part[BS_STORE_FRAMES], crafted[i].frame, crafted[i].n_bytes);
		assert_int_equal(survive(&none, &parts), 0);
	}
	/* The empty text with its checksum, once, is a valid frame. */
	AUTO(parts_deinit) struct parts parts = {0};
	uint8_t offsets[16] = {0};
	bs_store_u64(offsets + 8, 13);
	append_bytes(&parts.part[BS_STORE_OFFSETS], offsets, sizeof(offsets));
	append_bytes(&parts.part[BS_STORE_FRAMES], crafted[9].frame, 13);
	documents_end(&none);
	assert_int_equal(survive(&none, &parts), 1);
}

static void test_random_bytes(void **state)
{
	uint64_t random = 88172645463325252;
	AUTO(documents_deinit) struct documents none = no_documents();
	for (int round = 0; round < 20000; round++) {
		AUTO(parts_deinit) struct parts parts = {0};
		uint64_t n_documents = next_random(&random) % 4;
		uint64_t n_bytes = next_random(&random) % 64;
		uint8_t offsets[40] = {0};
		for (uint64_t i = 1; i < n_documents; i++)
			bs_store_u64(offsets + i * 8, next_random(&random) % 80);
		if (n_documents)
			bs_store_u64(offsets + n_documents * 8, n_bytes);
		append_bytes(&parts.part[BS_STORE_OFFSETS], offsets, (size_t)(n_documents + 1) * 8);
		append_bytes(&parts.part[BS_STORE_FRAMES], "\x28\xb5\x2f\xfd", 4);
		for (uint64_t i = 4; i < n_bytes; i++)
			append_bytes(&parts.part[BS_STORE_FRAMES],
			             &(uint8_t){(uint8_t)next_random(&random)}, 1);
		if (round % 2)
			append_bytes(&parts.part[BS_STORE_DICTIONARY],
			             "\x37\xa4\x30\xec\x11\0\0\0abcdefghijklmnopq", 25);
		(void)survive(&none, &parts);
	}
}

static void test_writer_fails(void **state)
{
	/* The writer makes a temporary file only when it needs one; in /proc this fails. */
	uint8_t noise[1 << 19];
	uint64_t random = 88172645463325252;
	fill_random(noise, sizeof(noise), &random);
	struct bs_store_writer *writer = new_writer("/proc", false);
	ok(bs_store_writer_add(writer, noise, sizeof(noise), ERR));
	expect_status(bs_store_writer_finish(writer, ERR), BS_IO);
	bs_store_writer_free(writer);
	writer = new_writer(".", false);
	ok(bs_store_writer_add(writer, (const uint8_t *)"a", 1, ERR));
	expect_status(bs_store_writer_add(writer, (const uint8_t *)"a", (size_t)1 << 32, ERR),
	              BS_INVALID);
	/* After a failure, every call of the writer fails with the same status. */
	assert_int_equal(bs_store_writer_add(writer, (const uint8_t *)"a", 1, ERR), BS_INVALID);
	assert_int_equal(bs_store_writer_finish(writer, ERR), BS_INVALID);
	assert_string_equal(said.text, "a text of 4 GiB or more cannot be stored");
	bs_store_writer_free(writer);
	bs_store_writer_free(NULL);
	bs_store_close(NULL);
}

/* A killed program leaves no files, because its temporary files are unlinked. */
static void test_nothing_has_a_name(void **state)
{
	struct bs_store_writer *writer = new_writer(".", false);
	uint8_t noise[1000];
	uint64_t random = 88172645463325252;
	for (int i = 0; i < 5000; i++) {
		fill_random(noise, sizeof(noise), &random);
		ok(bs_store_writer_add(writer, noise, sizeof(noise), ERR));
	}
	DIR *entries = opendir(".");
	assert_non_null(entries);
	for (const struct dirent *entry; (entry = readdir(entries));)
		assert_int_equal(entry->d_name[0], '.'); /* . and .. */
	closedir(entries);
	bs_store_writer_free(writer);
}

struct fetch_all {
	const struct documents *documents;
	const struct parts *parts;
	size_t n_right;
};

static void *fetch_all(void *context)
{
	struct fetch_all *job = context;
	AUTO(bs_store_close_at) struct bs_store *store = NULL;
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	if (open_store(job->parts, &store, NULL))
		return NULL;
	for (size_t i = 0; i < job->documents->n_documents; i++) {
		size_t n_bytes;
		const uint8_t *bytes = documents_get(job->documents, i, &n_bytes);
		job->n_right += !bs_store_fetch(store, i, &text, NULL) &&
		                text.used_bytes == n_bytes && !memcmp(text.data, bytes, n_bytes);
	}
	return NULL;
}

static void test_threads_share_a_store(void **state)
{
	uint64_t random = 88172645463325252;
	AUTO(documents_deinit) struct documents documents = no_documents();
	pthread_t threads[4];
	struct fetch_all jobs[4];
	add_records(&documents, 5000, &random);
	AUTO(parts_deinit) struct parts parts = write_store(&documents);
	for (int i = 0; i < 4; i++) {
		jobs[i] = (struct fetch_all){&documents, &parts, 0};
		assert_int_equal(pthread_create(&threads[i], NULL, fetch_all, &jobs[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(jobs[i].n_right, 5000);
	}
}

RUN_FOLDER_TESTS(test_small_stores, test_records, test_random_documents, test_large_documents,
                 test_small_damaged_stores, test_flipped_dictionary, test_shared_frames,
                 test_crafted_frames, test_random_bytes, test_writer_fails, test_nothing_has_a_name,
                 test_threads_share_a_store)
