/*
 * test_stored_filters.c: the stored forms of the Bloom family: round trips, equality with
 * tests/golden/bloom, and invalid bytes, which are refused with the position of the error. With a
 * folder as argument it writes the files of tests/golden/bloom there.
 */
#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/bitsift/bloom.h"
#include "tests/rigs/core_rig.h"

AUTO_OF(struct bs_attenuated, bs_attenuated_free)
AUTO_OF(struct bs_bloom, bs_bloom_free)
AUTO_OF(struct bs_counting, bs_counting_free)

/* The stored filters have 700 bits, 5 hashes and 40 words; the delta removes 8 words and adds 4. */
#define BITS   700
#define HASHES 5

void *__real_malloc(size_t n_bytes);
void *__real_calloc(size_t n, size_t n_bytes);
void *__real_realloc(void *old, size_t n_bytes);
void *__wrap_malloc(size_t n_bytes);
void *__wrap_calloc(size_t n, size_t n_bytes);
void *__wrap_realloc(void *old, size_t n_bytes);

/* The number of allocations before the one that fails; negative: none fails. */
static int n_left = -1;

static bool fails(void)
{
	return n_left >= 0 && n_left-- == 0;
}

void *__wrap_malloc(size_t n_bytes)
{
	return fails() ? NULL : __real_malloc(n_bytes);
}

void *__wrap_calloc(size_t n, size_t n_bytes)
{
	return fails() ? NULL : __real_calloc(n, n_bytes);
}

void *__wrap_realloc(void *old, size_t n_bytes)
{
	return fails() ? NULL : __real_realloc(old, n_bytes);
}

static struct bs_bloom_key key_of(unsigned i)
{
	char word[16];
	return bs_bloom_key_of_bytes(word, (size_t)snprintf(word, sizeof(word), "word%u", i));
}

static struct bs_bloom *filter_of(unsigned first, unsigned end)
{
	struct bs_bloom *bloom;
	assert_int_equal(bs_bloom_new(BITS, HASHES, &bloom, NULL),
	                 BS_OK); /* keeps the last error */
	for (; first < end; first++)
		bs_bloom_add(bloom, key_of(first));
	return bloom;
}

/* Fails the test unless the filter has the words from `first` to `end`. */
static void expect_filter(struct bs_bloom_view view, unsigned first, unsigned end)
{
	AUTO(bs_bloom_free_at) struct bs_bloom *wanted = filter_of(first, end);
	assert_int_equal(view.n_bits, BITS);
	assert_int_equal(view.n_hashes, HASHES);
	assert_memory_equal(view.bits, bs_bloom_look(wanted).bits, (BITS + 63) / 64 * 8);
}

struct form {
	uint8_t *bytes;
	size_t n_bytes;
};

static struct form room(size_t n_bytes)
{
	return (struct form){must_malloc(n_bytes), n_bytes};
}

static void form_deinit(struct form *form)
{
	free(form->bytes);
}

static struct form make_plain(void)
{
	AUTO(bs_bloom_free_at) struct bs_bloom *bloom = filter_of(0, 40);
	struct form form = room(bs_bloom_stored_bytes(bs_bloom_look(bloom)));
	bs_bloom_store(bs_bloom_look(bloom), form.bytes);
	return form;
}

static struct form make_counting(void)
{
	AUTO(bs_counting_free_at) struct bs_counting *counting;
	ok(bs_counting_new(BITS, HASHES, &counting, ERR));
	for (unsigned i = 0; i < 40; i++)
		bs_counting_add(counting, key_of(i));
	for (unsigned i = 0; i < 17; i++)
		bs_counting_add(counting, key_of(7));
	struct form form = room(bs_counting_stored_bytes(counting));
	bs_counting_store(counting, form.bytes);
	return form;
}

static struct form make_compressed(void)
{
	AUTO(bs_bloom_free_at) struct bs_bloom *bloom = filter_of(0, 40);
	struct form form;
	ok(bs_bloom_compress(bs_bloom_look(bloom), &form.bytes, &form.n_bytes, ERR));
	return form;
}

static struct form make_delta(void)
{
	AUTO(bs_bloom_free_at) struct bs_bloom *from = filter_of(0, 40), *to = filter_of(8, 44);
	struct form form;
	ok(bs_bloom_delta(bs_bloom_look(from), bs_bloom_look(to), &form.bytes, &form.n_bytes, ERR));
	return form;
}

static struct form make_attenuated(void)
{
	AUTO(bs_attenuated_free_at) struct bs_attenuated *here, *there;
	AUTO(bs_bloom_free_at) struct bs_bloom *own = filter_of(0, 20), *other = filter_of(20, 40);
	ok(bs_attenuated_new(3, BITS, HASHES, &here, ERR));
	ok(bs_attenuated_new(3, BITS, HASHES, &there, ERR));
	ok(bs_attenuated_unite(here, bs_bloom_look(own), ERR));
	ok(bs_attenuated_unite(there, bs_bloom_look(other), ERR));
	ok(bs_attenuated_hear(here, bs_attenuated_look(there), ERR));
	struct form form = room(bs_attenuated_stored_bytes(bs_attenuated_look(here)));
	bs_attenuated_store(bs_attenuated_look(here), form.bytes);
	return form;
}

/* Each of the functions read_* reads one form and checks its contents. After a failure there is
 * nothing to free. */

static enum bs_status read_plain(const uint8_t *bytes, size_t n_bytes, struct bs_error *err)
{
	struct bs_bloom_view view, head;
	enum bs_status status = bs_bloom_read(bytes, n_bytes, &view, err);
	assert_true(!view.bits == (status != BS_OK));
	if (status)
		return status;
	ok(bs_bloom_read_head(bytes, n_bytes, &head, err));
	assert_ptr_equal(view.bits, head.bits);
	expect_filter(view, 0, 40);
	return BS_OK;
}

static enum bs_status read_counting(const uint8_t *bytes, size_t n_bytes, struct bs_error *err)
{
	AUTO(bs_counting_free_at) struct bs_counting *counting = (struct bs_counting *)err;
	struct bs_counting_info info;
	AUTO(bs_bloom_free_at) struct bs_bloom *got = NULL;
	enum bs_status status = bs_counting_read(bytes, n_bytes, &counting, err);
	assert_true(!counting == (status != BS_OK));
	if (!status) {
		bs_counting_describe(counting, &info);
		assert_int_equal(info.n_counters, BITS);
		assert_int_equal(info.n_hashes, HASHES);
		assert_int_equal(info.n_keys, 57);
		/* 3 for each of 5 counters, 4 more for counters shared with other keys */
		assert_int_equal(info.n_overflows, 19);
		ok(bs_counting_to_bloom(counting, &got, ERR));
		expect_filter(bs_bloom_look(got), 0, 40);
	}
	return status;
}

static enum bs_status read_compressed(const uint8_t *bytes, size_t n_bytes, struct bs_error *err)
{
	AUTO(bs_bloom_free_at) struct bs_bloom *got = (struct bs_bloom *)err;
	enum bs_status status = bs_bloom_decompress(bytes, n_bytes, 100000, &got, err);
	assert_true(!got == (status != BS_OK));
	if (!status)
		expect_filter(bs_bloom_look(got), 0, 40);
	return status;
}

static enum bs_status read_delta(const uint8_t *bytes, size_t n_bytes, struct bs_error *err)
{
	AUTO(bs_bloom_free_at) struct bs_bloom *bloom = filter_of(0, 40);
	enum bs_status status = bs_bloom_apply(bloom, bytes, n_bytes, err);
	expect_filter(bs_bloom_look(bloom), status ? 0 : 8, status ? 40 : 44);
	return status;
}

static enum bs_status read_attenuated(const uint8_t *bytes, size_t n_bytes, struct bs_error *err)
{
	struct bs_attenuated_view view, head;
	enum bs_status status = bs_attenuated_read(bytes, n_bytes, &view, err);
	assert_true(!view.bits == (status != BS_OK));
	if (status)
		return status;
	ok(bs_attenuated_read_head(bytes, n_bytes, &head, err));
	assert_ptr_equal(view.bits, head.bits);
	assert_int_equal(view.n_levels, 3);
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(bs_attenuated_nearest(view, key_of(i)), i >= 20);
	return BS_OK;
}

static const struct {
	const char *name;
	struct form (*make)(void);
	enum bs_status (*read)(const uint8_t *bytes, size_t n_bytes, struct bs_error *err);
} kinds[] = {
	{"plain", make_plain, read_plain},
	{"counting", make_counting, read_counting},
	{"compressed", make_compressed, read_compressed},
	{"delta", make_delta, read_delta},
	{"attenuated", make_attenuated, read_attenuated},
};

static void seal(struct form form)
{
	bs_store_u64(form.bytes + 48, bs_checksum(form.bytes + 64, form.n_bytes - 64));
	bs_store_u64(form.bytes + 56, bs_checksum(form.bytes, 56));
}

static void test_golden(void **state)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		char path[1000];
		AUTO(bs_buffer_deinit) struct bs_buffer golden = {0};
		snprintf(path, sizeof(path), "%s/%s", GOLDEN, kinds[i].name);
		read_bytes(path, &golden);
		ok(kinds[i].read(golden.data, golden.used_bytes, ERR));
		/* The comparison holds only as long as the library writes the version that the
		 * golden files have. */
		AUTO(form_deinit) struct form form = kinds[i].make();
		assert_int_equal(form.n_bytes, golden.used_bytes);
		assert_memory_equal(form.bytes, golden.data, form.n_bytes);
	}
}

/* Each form is accepted only by its own reader, also at unaligned addresses. */
static void test_kinds_and_places(void **state)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		AUTO(form_deinit) struct form form = kinds[i].make();
		for (size_t j = 0; j < COUNT(kinds); j++) {
			FREED uint8_t *moved = must_malloc(form.n_bytes + j + 1);
			memcpy(moved + j + 1, form.bytes, form.n_bytes);
			if (i == j)
				ok(kinds[j].read(moved + j + 1, form.n_bytes, ERR));
			else
				expect_error(kinds[j].read(moved + j + 1, form.n_bytes, ERR),
				             BS_CORRUPT, "byte 12: of another kind: ");
		}
	}
}

/* A flipped bit (the message names a byte), truncation and up to 15 bytes too many are refused. */
static void test_damage(void **state)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		AUTO(form_deinit) struct form form = kinds[i].make();
		for (size_t bit = 0; bit < form.n_bytes * 8; bit++) {
			form.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			expect_error(kinds[i].read(form.bytes, form.n_bytes, ERR), BS_CORRUPT,
			             "byte ");
			form.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		for (size_t n = 0; n < form.n_bytes + 16; n++) {
			/* a separate allocation, so that sanitizers detect reads past the end */
			FREED uint8_t *cut = must_calloc(1, n);
			memcpy(cut, form.bytes, n < form.n_bytes ? n : form.n_bytes);
			if (n != form.n_bytes)
				expect_status(kinds[i].read(cut, n, ERR), BS_CORRUPT);
		}
	}
}

/* Invalid values under valid checksums. */
static void test_lies(void **state)
{
	enum {
		PLAIN,
		COUNTING,
		COMPRESSED,
		DELTA,
		ATTENUATED
	};
	static const struct {
		int kind; /* index in `kinds`; -1: all of them */
		size_t at;
		uint32_t value;
		enum bs_status status;
		const char *place;
	} lies[] = {
		{-1, 8, 2, BS_UNSUPPORTED, "version 2"},
		{-1, 12, 0, BS_CORRUPT, "byte 12: of another kind: none that is known"},
		{-1, 12, 6, BS_CORRUPT, "byte 12"},
		{-1, 16, 1, BS_UNSUPPORTED, "hash scheme 1"},
		{-1, 20, 0, BS_CORRUPT, "byte 20: 0 hashes"},
		{-1, 20, 65, BS_CORRUPT, "byte 20: 65 hashes"},
		{-1, 24, 0, BS_CORRUPT, "byte 24: 0 bits"},
		{-1, 28, 1, BS_CORRUPT, "byte 24"},
		{-1, 32, 5, BS_CORRUPT, "byte 32"},
		{-1, 36, 1, BS_CORRUPT, "byte 32"},
		{PLAIN, 24, 705, BS_CORRUPT, "byte 24"},
		{PLAIN, 24, 640, BS_CORRUPT, "byte 24"},
		{PLAIN, 40, 1, BS_CORRUPT, "byte 40"},
		{PLAIN, 64 + 84, UINT32_C(1) << 28, BS_CORRUPT,
	         "byte 144: set bits after the last of 700"},
		{COUNTING, 24, 705, BS_CORRUPT, "byte 24"},
		{COUNTING, 24, 688, BS_CORRUPT, "byte 24"},
		{COUNTING, 64 + 8 + 348, UINT32_C(1) << 16, BS_CORRUPT,
	         "byte 416: nonzero counters after"},
		{COMPRESSED, 24, 100001, BS_INVALID, "100000 are allowed"},
		{COMPRESSED, 24, 699, BS_CORRUPT, "byte 64"},
		{COMPRESSED, 40, 701, BS_CORRUPT, "byte 64"},
		{COMPRESSED, 40, 100, BS_CORRUPT, "byte 64"},
		{COMPRESSED, 40, 0, BS_CORRUPT, "byte 64"},
		{COMPRESSED, 44, 1, BS_CORRUPT, "byte 64"},
		{DELTA, 24, 699, BS_INVALID, "another filter"},
		{DELTA, 20, 4, BS_INVALID, "another filter"},
		{DELTA, 40, 701, BS_CORRUPT, "byte 96"},
		{DELTA, 40, 5, BS_CORRUPT, "byte 96"},
		{DELTA, 64, 3, BS_CORRUPT, "cleared"},
		{DELTA, 68, 1, BS_CORRUPT, "cleared"},
		{DELTA, 72, 0, BS_INVALID, "another filter"},
		{DELTA, 80, 0, BS_CORRUPT, "byte 80"},
		{DELTA, 88, 1, BS_CORRUPT, "byte 96"},
		{DELTA, 88, 26, BS_CORRUPT, "byte 88"}, /* the two codes have 25 bytes */
		{DELTA, 88, 1000, BS_CORRUPT, "byte 88"},
		{DELTA, 92, UINT32_MAX, BS_CORRUPT, "byte 88"},
		{ATTENUATED, 40, 0, BS_CORRUPT, "byte 40: 0 levels"},
		{ATTENUATED, 40, 65, BS_CORRUPT, "byte 40: 65 levels"},
		{ATTENUATED, 44, 1, BS_CORRUPT, "byte 40"},
		{ATTENUATED, 40, 2, BS_CORRUPT, "byte 24"},
		{ATTENUATED, 24, 705, BS_CORRUPT, "byte 24"},
		{ATTENUATED, 64 + 88 + 84, UINT32_C(1) << 31, BS_CORRUPT,
	         "byte 232: set bits after"},
	};
	for (size_t i = 0; i < COUNT(lies); i++) {
		for (size_t kind = 0; kind < COUNT(kinds); kind++) {
			if (lies[i].kind >= 0 && kind != (size_t)lies[i].kind)
				continue;
			AUTO(form_deinit) struct form form = kinds[kind].make();
			bs_store_u32(form.bytes + lies[i].at, lies[i].value);
			seal(form);
			expect_error(kinds[kind].read(form.bytes, form.n_bytes, ERR),
			             lies[i].status, lies[i].place);
		}
	}
}

/* The functions that read only the head of a filter accept damaged bits. The code of a compressed
 * filter must not be followed by unused bytes. */
static void test_heads_and_tails(void **state)
{
	struct bs_bloom_view view;
	struct bs_attenuated_view levels;
	AUTO(form_deinit)
	struct form plain = make_plain(), attenuated = make_attenuated(),
		    compressed = make_compressed();
	plain.bytes[100] ^= 1;
	ok(bs_bloom_read_head(plain.bytes, plain.n_bytes, &view, ERR));
	expect_status(bs_bloom_read(plain.bytes, plain.n_bytes, &view, ERR), BS_CORRUPT);
	attenuated.bytes[100] ^= 1;
	ok(bs_attenuated_read_head(attenuated.bytes, attenuated.n_bytes, &levels, ERR));
	expect_status(bs_attenuated_read(attenuated.bytes, attenuated.n_bytes, &levels, ERR),
	              BS_CORRUPT);
	for (size_t more = 1; more < 20; more++) {
		AUTO(form_deinit) struct form longer = room(compressed.n_bytes + more);
		memset(longer.bytes, more % 2, longer.n_bytes);
		memcpy(longer.bytes, compressed.bytes, compressed.n_bytes);
		bs_store_u64(longer.bytes + 32, longer.n_bytes);
		seal(longer);
		expect_status(read_compressed(longer.bytes, longer.n_bytes, ERR), BS_CORRUPT);
	}
}

static struct form kept[COUNT(kinds)];

/* Each of the functions do_* allocates. MAKES defines one whose call sets the pointer `made`, to
 * NULL after a failure. */
#define MAKES(name, type, release, call)                                         \
	static enum bs_status name(struct bs_bloom *bloom, struct bs_error *err) \
	{                                                                        \
		AUTO(release) type *made = (type *)bloom;                        \
		enum bs_status status = (call);                                  \
		assert_true(!made == (status != BS_OK));                         \
		return status;                                                   \
	}

static const uint8_t no_bits[(BITS + 63) / 64 * 8];
static const struct bs_bloom_view empty = {no_bits, BITS, HASHES};
static size_t n_made_bytes;

MAKES(do_copy, struct bs_bloom, bs_bloom_free_at, bs_bloom_copy(bs_bloom_look(bloom), &made, err))
MAKES(do_compress, uint8_t, free_at,
      bs_bloom_compress(bs_bloom_look(bloom), &made, &n_made_bytes, err))
MAKES(do_delta, uint8_t, free_at,
      bs_bloom_delta(empty, bs_bloom_look(bloom), &made, &n_made_bytes, err))
MAKES(do_decompress, struct bs_bloom, bs_bloom_free_at,
      bs_bloom_decompress(kept[2].bytes, kept[2].n_bytes, 0, &made, err))
MAKES(do_attenuated, struct bs_attenuated, bs_attenuated_free_at,
      bs_attenuated_new(3, BITS, HASHES, &made, err))

/* Must be the last job, because it changes the filter if no allocation fails. */
static enum bs_status do_apply(struct bs_bloom *bloom, struct bs_error *err)
{
	uint64_t before = bs_bloom_n_set(bs_bloom_look(bloom));
	enum bs_status status = bs_bloom_apply(bloom, kept[3].bytes, kept[3].n_bytes, err);
	assert_true(!status || bs_bloom_n_set(bs_bloom_look(bloom)) == before);
	return status;
}

static enum bs_status do_counting(struct bs_bloom *bloom, struct bs_error *err)
{
	AUTO(bs_counting_free_at) struct bs_counting *made = (struct bs_counting *)bloom;
	AUTO(bs_bloom_free_at) struct bs_bloom *plain = NULL;
	enum bs_status status = bs_counting_read(kept[1].bytes, kept[1].n_bytes, &made, err);
	assert_true(!made == (status != BS_OK));
	if (!status)
		status = bs_counting_to_bloom(made, &plain, err);
	assert_true(!plain == (status != BS_OK));
	return status;
}

static enum bs_status do_route(struct bs_bloom *bloom, struct bs_error *err)
{
	struct bs_route *made = (struct bs_route *)bloom;
	struct bs_route_hop hop;
	enum bs_status status = bs_route_new(&made, err);
	assert_true(!made == (status != BS_OK));
	if (!status)
		status = bs_route_start(made, 0, err);
	for (uint64_t i = 0; !status && i < 300; i++) {
		if (i % 3 == 0)
			assert_true(bs_route_next(made, &hop));
		status = bs_route_offer(made, i + 1, (uint32_t)i % 3, err);
	}
	bs_route_free(made);
	return status;
}

/* Whichever allocation fails, the failure is reported and nothing leaks. */
static void test_out_of_memory(void **state)
{
	enum bs_status (*const jobs[])(struct bs_bloom *, struct bs_error *) = {
		do_copy,     do_compress,   do_delta, do_decompress,
		do_counting, do_attenuated, do_route, do_apply};
	AUTO(bs_bloom_free_at) struct bs_bloom *bloom = filter_of(0, 40);
	for (size_t i = 0; i < COUNT(kinds); i++)
		kept[i] = kinds[i].make();
	for (size_t i = 0; i < COUNT(jobs); i++) {
		for (int n = 0;; n++) {
			n_left = n;
			enum bs_status status = jobs[i](bloom, ERR);
			bool has_failed = n_left < 0;
			n_left = -1;
			if (!has_failed) {
				ok(status);
				assert_true(n > 0);
				break;
			}
			expect_status(status, BS_NO_MEMORY);
		}
	}
	for (size_t i = 0; i < COUNT(kinds); i++)
		free(kept[i].bytes);
}

static int write_golden(const char *folder)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		char path[1000];
		snprintf(path, sizeof(path), "%s/%s", folder, kinds[i].name);
		AUTO(form_deinit) struct form form = kinds[i].make();
		write_bytes(path, form.bytes, form.n_bytes);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return write_golden(argv[1]);
	return RUN_NAMES(NULL, NULL, NULL, NULL, test_golden, test_kinds_and_places, test_damage,
	                 test_lies, test_heads_and_tails, test_out_of_memory);
}
