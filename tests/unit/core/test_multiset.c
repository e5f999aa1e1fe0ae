/*
 * test_multiset.c: numbers are added and removed repeatedly. The counts must equal those in a plain
 * array, whether the base is kept or rebuilt, and the set must have exactly the numbers whose count
 * is not 0. Also tests sets without counts, and lookups.
 */
#include "core/store/multiset.h"
#include "tests/rigs/core_rig.h"

#define N_NUMBERS 60000u

/* The values of the numbers, which are clustered or spread, and the count of each. */
static uint32_t counts[N_NUMBERS];
static uint64_t values[N_NUMBERS];

static void choose_values(uint64_t *random, bool in_crowds)
{
	uint64_t value = 0;
	for (uint32_t i = 0; i < N_NUMBERS; i++) {
		value += 1 + (in_crowds ? random_below(random, 8) * random_below(random, 3)
		                        : random_below(random, 200));
		values[i] = value;
		counts[i] = 0;
	}
}

static void append_number(struct bs_buffer *to, uint64_t value)
{
	append_bytes(to, &value, sizeof(value));
}

/* The lists of a multiset as a file has them, each in an allocation of its exact size. */
struct stored {
	struct bs_buffer bytes[BS_MULTISET_LISTS];
	struct bs_stored_multiset told;
};

static void store(const struct bs_multiset *multiset, struct stored *stored)
{
	for (unsigned i = 0; i < BS_MULTISET_LISTS; i++) {
		struct bs_buffer bytes = {0};
		struct bs_numbers made = bs_numbers_in(&multiset->made[i]);
		if (multiset->kept[i] && multiset->kept[i]->coded.n)
			append_bytes(&bytes, multiset->kept[i]->coded.bytes,
			             multiset->kept[i]->coded.n_bytes);
		else if (made.n)
			ok(bs_coded_write(made.at, made.n, &bytes, ERR));
		bs_buffer_deinit(&stored->bytes[i]);
		stored->bytes[i] = bytes;
	}
	for (unsigned i = 0; i < BS_MULTISET_LISTS; i++) {
		struct bs_section section = {.data = stored->bytes[i].data,
		                             .n_bytes = stored->bytes[i].used_bytes};
		ok(bs_coded_section_open(&stored->told.lists[i], &section, 0, section.n_bytes,
		                         ERR));
	}
}

static struct bs_coded_set set_of(const struct stored *stored)
{
	const struct bs_coded_section *lists = stored->told.lists;
	return (struct bs_coded_set){lists[BS_MULTISET_BASE], lists[BS_MULTISET_MORE],
	                             lists[BS_MULTISET_GONE]};
}

static void stored_deinit(struct stored *stored)
{
	for (unsigned i = 0; i < BS_MULTISET_LISTS; i++)
		bs_buffer_deinit(&stored->bytes[i]);
}

static void expect_set(const struct stored *stored, uint64_t *random)
{
	struct bs_coded_set set = set_of(stored);
	AUTO(bs_buffer_deinit) struct bs_buffer numbers = {0};
	ok(bs_multiset_read_set(&set, &numbers, ERR));
	struct bs_numbers all = bs_numbers_in(&numbers);
	size_t n = 0;
	for (uint32_t i = 0; i < N_NUMBERS; i++)
		if (counts[i] > 0) {
			assert_true(n < all.n);
			assert_int_equal(all.at[n++], values[i]);
		}
	assert_int_equal(n, all.n);
	for (int i = 0; i < 200; i++) {
		uint32_t number = (uint32_t)random_below(random, N_NUMBERS);
		bool has;
		ok(bs_coded_set_has(&set, values[number], &has, ERR));
		assert_int_equal(has, counts[number] > 0);
		if (number > 0 && values[number] - 1 > values[number - 1]) {
			ok(bs_coded_set_has(&set, values[number] - 1, &has, ERR));
			assert_false(has);
		}
	}
}

static void expect_counts(const struct stored *stored)
{
	AUTO(bs_multiset_deinit) struct bs_multiset folded = {.kept = {NULL}};
	const struct bs_numbers none = {.n = 0};
	bool is_done;
	ok(bs_multiset_fold(&stored->told, none, none, &folded, &is_done, ERR));
	assert_true(is_done);
	struct bs_numbers base = bs_numbers_in(&folded.made[BS_MULTISET_BASE]),
			  beyond = bs_numbers_in(&folded.made[BS_MULTISET_BEYOND]);
	for (uint32_t i = 0; i < N_NUMBERS; i++) {
		uint32_t n = 0;
		for (; base.n && *base.at == values[i]; base.at++, base.n--)
			n++;
		assert_true(n <= 1);
		for (; beyond.n && *beyond.at == values[i]; beyond.at++, beyond.n--)
			n++;
		assert_int_equal(n, counts[i]);
	}
	assert_int_equal(base.n + beyond.n, 0);
}

/* Adds or removes about one in one_in numbers, some several times. No number is removed more often
 * than it was added. */
static void choose_changes(uint64_t *random, uint64_t one_in, struct bs_buffer *came,
                           struct bs_buffer *went)
{
	bs_buffer_clear(came);
	bs_buffer_clear(went);
	uint64_t goes = random_below(random, 3);
	for (uint32_t i = 0; i < N_NUMBERS; i++) {
		if (random_below(random, one_in) > 0)
			continue;
		for (uint64_t n = goes != 0 ? random_below(random, 4) / 2 + (goes == 2) : 0; n > 0;
		     n--, counts[i]++)
			append_number(came, values[i]);
		for (uint64_t n = goes != 1 ? random_below(random, 5) : 0; n > 0 && counts[i] > 0;
		     n--, counts[i]--)
			append_number(went, values[i]);
	}
}

static void test_counts(void **state)
{
	static const uint64_t parts[] = {3, 20, 400, 50, 7, 3000};
	unsigned n_changed = 0, n_folded = 0;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		uint64_t random = seed;
		AUTO(bs_buffer_deinit) struct bs_buffer came = {0}, went = {0};
		AUTO(stored_deinit) struct stored stored = {.bytes = {{0}}};
		choose_values(&random, seed % 2);
		for (uint32_t i = 0; i < N_NUMBERS; i++)
			for (uint64_t n = random_below(&random, 3)
			                          ? 0
			                          : 1 + random_below(&random, i % 500 ? 2 : 3000);
			     n > 0; n--, counts[i]++)
				append_number(&came, values[i]);
		struct bs_multiset multiset = {.kept = {NULL}};
		ok(bs_multiset_count(&multiset, bs_numbers_in(&came), ERR));
		store(&multiset, &stored);
		bs_multiset_deinit(&multiset);
		for (int step = 0; step < 40; step++) {
			bool is_done;
			choose_changes(&random, parts[random_below(&random, 6)], &came, &went);
			ok(bs_multiset_change(&stored.told, bs_numbers_in(&came),
			                      bs_numbers_in(&went), &multiset, &is_done, ERR));
			n_changed += is_done;
			n_folded += !is_done;
			if (!is_done) {
				ok(bs_multiset_fold(&stored.told, bs_numbers_in(&came),
				                    bs_numbers_in(&went), &multiset, &is_done,
				                    ERR));
				assert_true(is_done);
			}
			uint64_t n_most = bs_multiset_n(&multiset), n_there = 0;
			store(&multiset, &stored);
			bs_multiset_deinit(&multiset);
			expect_set(&stored, &random);
			expect_counts(&stored);
			for (uint32_t i = 0; i < N_NUMBERS; i++)
				n_there += counts[i] > 0;
			assert_true(n_there <= n_most);
		}
	}
	assert_true(n_changed > 30 && n_folded > 10);
}

/* Removing a number more often than it was added is an error. */
static void test_unsound(void **state)
{
	uint64_t random = 3, some[] = {0, 0, 0, 0};
	AUTO(bs_buffer_deinit) struct bs_buffer all = {0};
	AUTO(stored_deinit) struct stored stored = {.bytes = {{0}}};
	AUTO(bs_multiset_deinit) struct bs_multiset multiset = {.kept = {NULL}};
	bool is_done;
	choose_values(&random, false);
	for (uint32_t i = 0; i < 5000; i++)
		for (uint32_t n = 0; n <= (i == 77); n++)
			append_number(&all, values[i]);
	ok(bs_multiset_count(&multiset, bs_numbers_in(&all), ERR));
	store(&multiset, &stored);
	for (uint64_t n = 1; n <= 4; n++) {
		const struct bs_numbers none = {.n = 0}, went = {some, (size_t)n};
		some[n - 1] = values[77];
		ok(bs_multiset_change(&stored.told, none, went, &multiset, &is_done, ERR));
		assert_int_equal(is_done, n <= 2);
		assert_int_equal(bs_multiset_n(&multiset), n < 2    ? 5000
		                                           : n == 2 ? 4999
		                                                    : bs_multiset_n(&multiset));
		ok(bs_multiset_fold(&stored.told, none, went, &multiset, &is_done, ERR));
		assert_int_equal(is_done, n <= 2);
	}
}

static void test_sets(void **state)
{
	static const uint64_t parts[] = {3, 20, 400, 50, 7, 3000};
	unsigned n_changed = 0, n_made = 0;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		uint64_t random = seed;
		AUTO(bs_buffer_deinit) struct bs_buffer came = {0}, went = {0};
		AUTO(stored_deinit) struct stored stored = {.bytes = {{0}}};
		struct bs_multiset multiset = {.kept = {NULL}};
		choose_values(&random, seed % 2);
		for (unsigned part = 0; part < 3; part++) {
			bs_buffer_clear(&came);
			for (uint32_t i = 0; i < N_NUMBERS; i++)
				if (random_below(&random, 4) == 0) {
					counts[i] = 1;
					append_number(&came, values[i]);
				}
			ok(bs_multiset_add(&multiset, bs_numbers_in(&came), ERR));
		}
		store(&multiset, &stored);
		/* In some rounds the numbers of the base are permanent: removing them has no
		 * effect. */
		const bool stays = seed % 3 == 0;
		bool is_base[N_NUMBERS];
		for (uint32_t i = 0; i < N_NUMBERS; i++)
			is_base[i] = counts[i];
		for (int step = 0; step < 40; step++) {
			uint64_t one_in = parts[random_below(&random, 6)];
			bool is_done;
			bs_buffer_clear(&came);
			bs_buffer_clear(&went);
			for (uint32_t i = 0; i < N_NUMBERS; i++) {
				if (random_below(&random, one_in) > 0)
					continue;
				bool goes = counts[i] && random_below(&random, 2);
				append_number(goes ? &went : &came, values[i]);
				/* A number in both lists changes nothing. */
				if (random_below(&random, 5) == 0)
					append_number(goes ? &came : &went, values[i]);
				else
					counts[i] = !goes || (stays && is_base[i]);
			}
			bs_multiset_leave_out_both(&came, &went);
			struct bs_coded_set set = set_of(&stored);
			AUTO(bs_buffer_deinit) struct bs_buffer more = {0}, twice = {0};
			ok(bs_coded_section_read(&set.more, &more, ERR));
			ok(bs_multiset_change_set(&set, bs_numbers_in(&more), bs_numbers_in(&came),
			                          bs_numbers_in(&went), stays, &multiset, &is_done,
			                          ERR));
			n_changed += is_done;
			n_made += !is_done;
			store(&multiset, &stored);
			expect_set(&stored, &random);
			if (!is_done) {
				set = set_of(&stored);
				ok(bs_multiset_read_set(&set, &twice, ERR));
				bs_multiset_deinit(&multiset);
				ok(bs_multiset_count(&multiset, bs_numbers_in(&twice), ERR));
				store(&multiset, &stored);
				for (uint32_t i = 0; i < N_NUMBERS; i++)
					is_base[i] = counts[i];
			}
			bs_multiset_deinit(&multiset);
		}
	}
	assert_true(n_changed > 30 && n_made > 10);
}

/* bs_multiset_subtract removes from `numbers` exactly those that the coded list contains. */
static void test_looking(void **state)
{
	for (uint64_t seed = 1; seed <= 30; seed++) {
		uint64_t random = seed, in_list = 1 + random_below(&random, 40),
			 asked = 1 + random_below(&random, 400);
		AUTO(bs_buffer_deinit)
		struct bs_buffer list = {0}, bytes = {0}, numbers = {0}, left = {0};
		struct bs_coded_section coded;
		choose_values(&random, seed % 2);
		for (uint32_t i = 0; i < N_NUMBERS; i++) {
			bool is_listed = random_below(&random, in_list) == 0;
			/* In some rounds, copies of one number fill several blocks. */
			for (uint32_t n = 0;
			     is_listed && n < (i == 30000 && seed % 3 == 0 ? 7000 : 1); n++)
				append_number(&list, values[i]);
			if (random_below(&random, asked) > 0 && i != 30000)
				continue;
			append_number(&numbers, values[i]);
			if (!is_listed)
				append_number(&left, values[i]);
		}
		struct bs_numbers all = bs_numbers_in(&list);
		ok(bs_coded_write(all.at, all.n, &bytes, ERR));
		struct bs_section section = {.data = bytes.data, .n_bytes = bytes.used_bytes};
		ok(bs_coded_section_open(&coded, &section, 0, section.n_bytes, ERR));
		ok(bs_multiset_subtract(&coded, &numbers, ERR));
		assert_buffers_equal(&numbers, &left);
	}
}

RUN_TESTS(test_counts, test_unsound, test_sets, test_looking)
