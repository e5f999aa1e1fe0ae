/* test_memory.c: in-memory indexes: their files are copied from and to other places, and kept in a
 * folder. A writer then has its indexing buffer in this folder, too; its segments are the same byte
 * by byte, except that a segment that ends when memory is full has more documents. A full disk
 * fails the writer and harms nothing. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/writer.h"
#include "tests/rigs/writer_rig.h"

#define N_DOCS       60000u
#define LITTLE_BYTES ((uint64_t)16 << 20)

/* An in-memory index is a set of files, which the application may copy elsewhere. */
static void test_memory_files(void **state)
{
	struct bs_memory_index *copy, *carried;
	struct bs_memory_index_file file;
	struct bs_writer *writer = open_writer();
	add(writer, "a", "one", NULL);
	commit(writer);
	ok(bs_memory_index_copy(rig.memory, &copy, ERR));
	ok(bs_memory_index_new(&carried, ERR));
	assert_int_equal(bs_memory_index_n_files(carried), 0);
	for (size_t i = 0; i < bs_memory_index_n_files(rig.memory); i++) {
		ok(bs_memory_index_file_at(rig.memory, i, &file, ERR));
		ok(bs_memory_index_put(carried, file.name, file.bytes, file.n_bytes, ERR));
	}
	assert_int_equal(bs_memory_index_file_at(rig.memory, 99, &file, ERR), BS_NOT_FOUND);
	assert_int_equal(bs_memory_index_put(carried, "", "x", 1, ERR), BS_INVALID);
	assert_int_equal(bs_memory_index_put_file(carried, "", 0, ERR), BS_INVALID);
	assert_int_equal(
		bs_memory_index_put(carried, "0123456789012345678901234567890123", "x", 1, ERR),
		BS_INVALID);
	/* The copies are independent. */
	add(writer, "b", "one", NULL);
	commit(writer);
	bs_writer_close(writer);
	expect("one", "a b");
	struct bs_memory_index *original = rig.memory;
	rig.memory = copy;
	expect("one", "a");
	rig.memory = carried;
	expect("one", "a");
	ok(bs_memory_index_put(carried, "x", "", 0, ERR));
	ok(bs_memory_index_put(carried, "x", "yz", 2, ERR));
	size_t n_files = bs_memory_index_n_files(carried);
	ok(bs_memory_index_file_at(carried, n_files - 1, &file, ERR));
	assert_string_equal(file.name, "x");
	assert_int_equal(file.n_bytes, 2);
	bs_memory_index_remove(carried, "x");
	bs_memory_index_remove(carried, "x");
	assert_int_equal(bs_memory_index_n_files(carried), n_files - 1);
	/* Without its manifest it is not an index. */
	bs_memory_index_remove(carried, "manifest");
	struct bs_open_request request = {.memory = carried};
	struct bs_index *index;
	assert_int_equal(bs_index_open_with(&request, &index, ERR), BS_NOT_FOUND);
	request.dir = "x";
	assert_int_equal(bs_index_open_with(&request, &index, ERR), BS_INVALID);
	rig.memory = original;
	bs_memory_index_free(carried);
	bs_memory_index_free(copy);
	bs_memory_index_free(NULL);
}

/* An in-memory index can be made from open files, and its files can be kept on a disk, without
 * names. */
static void test_memory_descriptors(void **state)
{
	char path[FOLDER_BYTES + 16], line[512];
	struct bs_memory_index *mapped, *original = rig.memory;
	struct bs_memory_index_file file;
	struct stat found;
	int fd;
	assert_int_equal(bs_memory_index_use_folder(rig.memory, "/nowhere", ERR), BS_IO);
	assert_int_equal(bs_memory_index_use_folder(rig.memory, "/dev/null", ERR), BS_IO);
	ok(bs_memory_index_use_folder(rig.memory, rig.folder, ERR));
	struct bs_writer *writer = open_writer();
	for (int i = 0; i < 2000; i++) {
		snprintf(path, sizeof(path), "id %d", i);
		snprintf(line, sizeof(line), "one number%d of%d them%d", i, i * 7, i * 13);
		add(writer, path, line, NULL);
	}
	commit(writer);
	bs_writer_close(writer);
	assert_int_equal(stat(rig.folder, &found), 0);
	ok(bs_memory_index_new(&mapped, ERR));
	dev_t device = found.st_dev;
	for (size_t i = 0; i < bs_memory_index_n_files(rig.memory); i++) {
		char first[16] = "", again[16] = "";
		ok(bs_memory_index_file_at(rig.memory, i, &file, ERR));
		ok(bs_memory_index_descriptor_at(rig.memory, i, &fd, ERR));
		assert_int_equal(fstat(fd, &found), 0);
		assert_int_equal(found.st_dev, device);
		assert_int_equal(found.st_size, file.n_bytes);
		/* Copies the file to a file with a name, which is then removed. */
		int named = open("copy", O_RDWR | O_CREAT | O_EXCL, 0600);
		assert_int_equal(write(named, file.bytes, file.n_bytes), file.n_bytes);
		ok(bs_memory_index_put_file(mapped, file.name, named, ERR));
		assert_int_equal(unlink("copy"), 0);
		assert_int_equal(pread(fd, first, sizeof(first), 0),
		                 pread(named, again, sizeof(again), 0));
		assert_memory_equal(first, again, sizeof(first));
		close(named);
		close(fd);
	}
	assert_int_equal(bs_memory_index_descriptor_at(rig.memory, 99, &fd, ERR), BS_NOT_FOUND);
	fd = open(rig.folder, O_RDONLY);
	assert_int_equal(bs_memory_index_put_file(mapped, "x", fd, ERR), BS_INVALID);
	close(fd);
	assert_int_equal(bs_memory_index_put_file(mapped, "x", -1, ERR), BS_IO);
	ok(bs_memory_index_use_folder(rig.memory, NULL, ERR));
	assert_int_equal(rmdir(rig.folder), 0);
	expect("number7", "id 7");
	rig.memory = mapped;
	expect("number7", "id 7");
	writer = open_writer();
	add(writer, "more", "number7", NULL);
	commit(writer);
	bs_writer_close(writer);
	expect("number7", "id 7 more");
	rig.memory = original;
	expect("number7", "id 7");
	bs_memory_index_free(mapped);
}

/* The folder must be empty, because the files in it never have names. */
static int teardown_empty(void **state)
{
	assert_int_equal(rmdir(rig.folder), 0);
	return 0;
}

/* Writes a short text: common words, some words of a few documents, one unique word, and sometimes
 * a word that occurs many times. */
static void write_document(uint32_t n, char *text, size_t n_bytes)
{
	snprintf(text, n_bytes, "the wolf and the hare %s%u met%u near%u %s own%x %s",
	         n % 3 ? "fox" : "owl", n % 7, n % 100, n % 5000,
	         n % 11 ? "" : "again again again again again", n,
	         n % 17 ? "" : "an elk, an elk and an elk");
}

static struct bs_memory_index *new_memory(bool in_folder)
{
	struct bs_memory_index *memory;
	ok(bs_memory_index_new(&memory, ERR));
	if (in_folder)
		ok(bs_memory_index_use_folder(memory, rig.folder, ERR));
	return memory;
}

/* Adds N_DOCS documents in a transaction. */
static enum bs_status fill(struct bs_memory_index *memory, uint64_t memory_bytes,
                           uint32_t n_threads, struct bs_error *err)
{
	rig.memory = memory;
	struct bs_writer *writer =
		OPEN_WITH(.not_stored = true, .index.grams = true,
	                  .write.memory_bytes = memory_bytes, .write.n_threads = n_threads);
	char id[16], text[256];
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

static bool is_segment(const struct bs_memory_index_file *file)
{
	return strncmp(file->name, "seg-", 4) == 0;
}

static uint32_t count_segments(const struct bs_memory_index *memory)
{
	uint32_t n = 0;
	for (size_t i = 0; i < bs_memory_index_n_files(memory); i++) {
		struct bs_memory_index_file file;
		ok(bs_memory_index_file_at(memory, i, &file, ERR));
		n += is_segment(&file);
	}
	return n;
}

static void expect_same_segments(const struct bs_memory_index *one,
                                 const struct bs_memory_index *other)
{
	assert_int_equal(bs_memory_index_n_files(one), bs_memory_index_n_files(other));
	for (size_t i = 0; i < bs_memory_index_n_files(one); i++) {
		struct bs_memory_index_file a, b;
		ok(bs_memory_index_file_at(one, i, &a, ERR));
		ok(bs_memory_index_file_at(other, i, &b, ERR));
		assert_string_equal(a.name, b.name);
		if (!is_segment(&a))
			continue;
		assert_int_equal(a.n_bytes, b.n_bytes);
		assert_memory_equal(a.bytes, b.bytes, a.n_bytes);
	}
}

static uint64_t count_in(struct bs_memory_index *memory, const char *query)
{
	rig.memory = memory;
	return count(query);
}

static void test_same_bytes(void **state)
{
	AUTO(bs_memory_index_free_at) struct bs_memory_index *inside = new_memory(false);
	ok(fill(inside, 0, 1, ERR));
	for (uint32_t n_threads = 1; n_threads <= 3; n_threads += 2) {
		AUTO(bs_memory_index_free_at) struct bs_memory_index *outside = new_memory(true);
		ok(fill(outside, 0, n_threads, ERR));
		expect_same_segments(inside, outside);
	}
}

static void test_fewer_segments(void **state)
{
	AUTO(bs_memory_index_free_at)
	struct bs_memory_index *inside = new_memory(false), *outside = new_memory(true);
	ok(fill(inside, LITTLE_BYTES, 1, ERR));
	ok(fill(outside, LITTLE_BYTES, 1, ERR));
	assert_true(count_segments(outside) * 2 <= count_segments(inside));
	const char *queries[] = {"wolf",       "own1f4",     "near77", "elk OR owl3",
	                         "fox1 met50", "again -elk", "absent"};
	for (size_t i = 0; i < COUNT(queries); i++)
		assert_int_equal(count_in(inside, queries[i]), count_in(outside, queries[i]));
	assert_int_equal(count_in(outside, "wolf"), N_DOCS);
	assert_int_equal(count_in(outside, "near77"), N_DOCS / 5000);
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
	AUTO(bs_memory_index_free_at) struct bs_memory_index *memory = new_memory(true);
	limit_files((uint64_t)4 << 20);
	expect_error(fill(memory, LITTLE_BYTES, 1, ERR), BS_IO, "a temporary file: cannot take ");
	limit_files(RLIM_INFINITY);
	ok(fill(memory, LITTLE_BYTES, 1, ERR));
	assert_int_equal(count_in(memory, "wolf"), N_DOCS);
}

RUN_UNIT_TESTS(cmocka_unit_test_setup_teardown(test_memory_files, setup_memory, teardown),
               cmocka_unit_test_setup_teardown(test_memory_descriptors, setup_memory, teardown),
               cmocka_unit_test_setup_teardown(test_same_bytes, setup_dir, teardown_empty),
               cmocka_unit_test_setup_teardown(test_fewer_segments, setup_dir, teardown_empty),
               cmocka_unit_test_setup_teardown(test_full_disk, setup_dir, teardown_empty))
