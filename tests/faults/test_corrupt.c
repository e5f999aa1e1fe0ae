/*
 * test_corrupt.c: damages the bytes of a small index (manifest, segments, deletions) one at a time.
 * A search must give the right answer or an error, and `check` must find the damage. An answer with
 * unreadable documents (n_unreadable) is neither.
 */
#include <fcntl.h>
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "core/check/check.h"
#include "core/file/segment_sections.h"
#include "corpus/changes/stored_text.h"
#include "tests/rigs/check_rig.h"
#include "tests/rigs/dice.h"

/* A default run damages one of every STRIDE bytes; STRIDE rounds damage every byte. */
#define STRIDE 8

static const char *const queries[] = {
	"common", "absent", "red fox", "\"red fox\"", "w3 OR l17", "common -even",
	/* Other operators. */
	"NOT odd", "l1*", "stored~1", "title:even", "\"fox red\"~3 OR \xe6\x9d\xb1\xe4\xba\xac",
	"(even OR w5) -fox"};

static int take_hit(void *context, const struct bs_hit *hit)
{
	struct bs_buffer *answer = context;
	char score[40];
	int n = snprintf(score, sizeof(score), " %.9f\n", hit->score);
	return bs_buffer_append(answer, hit->id, hit->id_bytes, NULL) ||
	       bs_buffer_append(answer, hit->snippet, hit->snippet_bytes, NULL) ||
	       bs_buffer_append(answer, score, (size_t)n, NULL);
}

/* Appends the answers of all queries until an error; BS_IO: a document was unreadable. */
static enum bs_status answer_all(const char *kernel, struct bs_buffer *answer, struct bs_error *err)
{
	struct bs_index *index;
	struct bs_searcher *searcher = NULL;
	enum bs_status status = bs_index_open_with(
		&(struct bs_open_request){.dir = "index", .kernel = kernel}, &index, err);
	if (status)
		return status;
	status = bs_searcher_new(index, &searcher, err);
	for (size_t i = 0; i < COUNT(queries) * 2 && !status; i++) {
		struct bs_search_result result;
		char count[32];
		struct bs_search_request request = {
			QUERY(queries[i / 2]),
			.output.mode = i % 2 ? BS_SEARCH_TOP : BS_SEARCH_COUNT,
			.output.limit = 5,
			.output.snippets = i % 2,
			.callbacks.hit = take_hit,
			.callbacks.context = answer};
		status = bs_search(searcher, &request, &result, err);
		int n = snprintf(count, sizeof(count), "%llu\n", (unsigned long long)result.n_hits);
		if (!status)
			status = bs_buffer_append(answer, count, (size_t)n, err);
		if (!status && result.n_unreadable > 0)
			status = BS_IO;
	}
	bs_searcher_free(searcher);
	bs_index_close(index);
	return status;
}

static void flip(int fd, size_t at, uint8_t byte)
{
	assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
}

/* Runs the queries after the file was damaged at byte `at`. Fails the test unless they return the
 * right answer, BS_CORRUPT or BS_UNSUPPORTED, and check reports the file; counts the errors of the
 * queries. */
static void try_byte(const char *path, size_t at, const char *kernel, const struct bs_buffer *right,
                     size_t *n_errors)
{
	AUTO(bs_buffer_deinit) struct bs_buffer answer = {0};
	enum bs_status status = answer_all(kernel, &answer, ERR);
	if (status && status != BS_CORRUPT && status != BS_UNSUPPORTED)
		fail_msg("%s, byte %zu: %s: %s", path, at, bs_status_name(status), said.text);
	if (!status && (answer.used_bytes != right->used_bytes ||
	                memcmp(answer.data, right->data, right->used_bytes) != 0))
		fail_msg("%s, byte %zu, kernel %s: a wrong answer:\n%.*s", path, at, kernel,
		         (int)answer.used_bytes, (const char *)answer.data);
	*n_errors += status != BS_OK;
	status = check_index(NULL, ERR);
	if (status != BS_CORRUPT)
		fail_msg("%s, byte %zu: check says: %s", path, at, bs_status_name(status));
	if (!strstr(said.text, path))
		fail_msg("%s, byte %zu: check names another file: %s", path, at, said.text);
}

static void try_file(const char *path, const char *const kernels[2], const struct bs_buffer *right)
{
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	size_t n_errors = 0;
	read_bytes(path, &bytes);
	int fd = open(path, O_WRONLY);
	assert_true(fd >= 0);
	for (size_t at = 0; at < bytes.used_bytes; at++) {
		if ((at + rounds.seed) % STRIDE >= rounds.n)
			continue;
		for (int i = 0; i < 2; i++) {
			flip(fd, at, bytes.data[at] ^ (i ? 0xff : 0x01));
			try_byte(path, at, kernels[(at / STRIDE + (size_t)i) % 2], right,
			         &n_errors);
			flip(fd, at, bytes.data[at]);
		}
	}
	close(fd);
	print_message("%s: %zu bytes, %zu of %zu flips were in the way of the queries\n", path,
	              bytes.used_bytes, n_errors, bytes.used_bytes * 2);
	/* The queries miss flips in the gaps between sections and in parts that they do not read;
	 * they must notice more than a quarter of all flips. */
	assert_true(n_errors * 2 > bytes.used_bytes / STRIDE * rounds.n);
}

static void test_every_byte(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer right = {0};
	const struct bs_kernel *found[8];
	size_t n = bs_kernel_list(found, 8);
	const char *const kernels[2] = {found[0]->name, found[n - 1]->name};
	make_small_index();
	ok(answer_all(kernels[0], &right, ERR));
	ok(check_index(NULL, ERR));
	static const char *const prefixes[] = {"manifest", "seg", "seg", "del", "del"};
	static const unsigned numbers[] = {0, 0, 1, 0, 1};
	for (size_t i = 0; i < COUNT(prefixes); i++) {
		FREED char *path = index_file(prefixes[i], numbers[i]);
		try_file(path, kernels, &right);
	}
	ok(check_index(NULL, ERR));
}

/* If a segment is truncated or too long, a search must give the right answer or an error. */
static void test_every_length(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer right = {0};
	size_t n_errors = 0;
	make_small_index();
	ok(answer_all(NULL, &right, ERR));
	FREED char *path = index_file("seg", 0);
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	read_bytes(path, &bytes);
	for (size_t n_bytes = 0; n_bytes < bytes.used_bytes; n_bytes += n_bytes < 200 ? 1 : 37) {
		write_bytes(path, bytes.data, n_bytes);
		try_byte(path, n_bytes, NULL, &right, &n_errors);
	}
	append_bytes(&bytes, "", 1);
	write_bytes(path, bytes.data, bytes.used_bytes);
	try_byte(path, bytes.used_bytes, NULL, &right, &n_errors);
}

/* Damage under valid checksums, as an attacker could make it: any answer or error is allowed, but
 * no crash and no read out of bounds, which sanitizers would report. */
static void test_crafted(void **state)
{
	uint64_t random = 7;
	AUTO(bs_buffer_deinit) struct bs_buffer answer = {0};
	make_small_index();
	static const char *const prefixes[] = {"seg", "seg", "seg", "manifest", "del"};
	for (int i = 0; i < 4000; i++) {
		AUTO(bs_buffer_deinit) struct bs_buffer good = {0}, bad = {0};
		FREED char *path = index_file(prefixes[i % 5], i % 5 == 2);
		read_bytes(path, &good);
		read_bytes(path, &bad);
		size_t table_off = (size_t)bs_load_u64(good.data + 24);
		damage_bytes(bad.data, 64, random_below(&random, 8) ? table_off : good.used_bytes,
		             &random);
		write_resealed(path, &bad);
		bs_buffer_clear(&answer);
		if (answer_all(NULL, &answer, ERR) != BS_OK)
			assert_true(said.text[0] != '\0');
		if (check_index(NULL, ERR) != BS_OK)
			assert_true(said.text[0] != '\0');
		write_bytes(path, good.data, good.used_bytes);
	}
}

/* A document name that leads out of its folder is not followed. */
static void test_outside(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0}, answer = {0};
	uint64_t n_bytes;
	make_small_index();
	write_text("at", "A fox in a file; common words.\n");
	FREED char *path = index_file("seg", 0);
	read_bytes(path, &bytes);
	uint8_t *names = section_in(bytes.data, BS_SECTION_DOC_NAMES, 0, &n_bytes);
	memcpy(names + n_bytes - 5, "../at", 5);
	write_resealed(path, &bytes);
	expect_error(answer_all(NULL, &answer, ERR), BS_CORRUPT, "leads out of its source");
}

RUN_RANDOM_TESTS_EACH_WITH(1, 1, enter_folder, leave_folder, test_every_byte, test_every_length,
                           test_crafted, test_outside)
