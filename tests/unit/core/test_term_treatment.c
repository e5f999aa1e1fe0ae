/* test_term_treatment.c: every table obeys the rules that readers rely on, for any policy and
 * number of documents. */
#include "core/matrix/term_treatment.h"
#include "tests/rigs/core_rig.h"

static const uint64_t doc_counts[] = {0,       1,        2,        3,         8,         100,
                                      511,     512,      513,      10000,     262144,    262145,
                                      1000000, 10000000, 33333333, 100000000, 1000000000};

/* The last entry whose min_df is not above df. */
static const struct bs_term_treatment *find_linearly(const struct bs_term_treatment_table *table,
                                                     uint64_t df)
{
	const struct bs_term_treatment *found = &table->entries[0];
	for (uint32_t i = 0; i < table->n_entries; i++)
		if (table->entries[i].min_df <= df)
			found = &table->entries[i];
	return found;
}

static void check_find(const struct bs_term_treatment_table *table, uint64_t df)
{
	assert_ptr_equal(bs_term_treatment_find(table, df), find_linearly(table, df));
}

/* Checks the rules of term_treatment.h one by one, not only by bs_term_treatment_table_is_valid. */
static void check_table(const struct bs_term_treatment_table *table,
                        const struct bs_term_treatment_policy *policy)
{
	assert_true(bs_term_treatment_table_is_valid(table));
	assert_in_range(table->n_levels, 1, BS_MAX_LEVELS);
	assert_in_range(table->n_entries, 1, BS_MAX_TREATMENTS);
	assert_int_equal(table->ranks[0], BS_LEVEL_DOCUMENT);
	assert_int_equal(table->entries[0].min_df, 0);
	for (uint32_t i = 0; i < table->n_entries; i++) {
		const struct bs_term_treatment *entry = &table->entries[i];
		assert_true(entry->n_columns[0] >= 1);
		for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
			assert_true(entry->n_columns[level] <=
			            (level < table->n_levels ? BS_MAX_HASHES : 0));
		if (i > 0)
			assert_true(entry->min_df > entry[-1].min_df);
	}
	for (uint32_t level = 1; level < table->n_levels; level++) {
		bool is_used = false;
		for (uint32_t i = 0; i < table->n_entries; i++)
			is_used |= table->entries[i].n_columns[level] > 0;
		assert_true(is_used);
		assert_true(table->ranks[level] > table->ranks[level - 1]);
		assert_true(table->ranks[level] == BS_LEVEL_GROUP ||
		            table->ranks[level] == BS_LEVEL_BLOCK);
		if (!policy->is_forced) {
			assert_true(policy->use_groups || table->ranks[level] != BS_LEVEL_GROUP);
			assert_true(policy->use_blocks || table->ranks[level] != BS_LEVEL_BLOCK);
		}
	}
	for (uint64_t df = 0; df < 300; df++)
		check_find(table, df);
	for (uint32_t i = 1; i < table->n_entries; i++)
		for (uint64_t df = table->entries[i].min_df - 1; df <= table->entries[i].min_df + 1;
		     df++)
			check_find(table, df);
	check_find(table, UINT64_MAX);
}

static void test_every_policy(void **state)
{
	static const double densities[] = {0.05, BS_DEFAULT_DENSITY, 0.6};
	struct bs_term_treatment_table table, again;
	for (size_t d = 0; d < COUNT(densities); d++) {
		for (unsigned levels = 0; levels < 4; levels++) {
			for (size_t i = 0; i < COUNT(doc_counts); i++) {
				struct bs_term_treatment_policy policy =
					bs_term_treatment_policy_default();
				policy.density = densities[d];
				policy.use_groups = levels & 1;
				policy.use_blocks = levels & 2;
				memset(&table, 0xa5, sizeof(table));
				bs_term_treatment_table_make(&policy, doc_counts[i], &table);
				check_table(&table, &policy);
				if (i % 4)
					continue;
				memset(&again, 0x5a, sizeof(again));
				bs_term_treatment_table_make(&policy, doc_counts[i], &again);
				assert_int_equal(table.n_entries, again.n_entries);
				for (uint32_t e = 0; e < table.n_entries; e++)
					assert_memory_equal(table.entries[e].n_columns,
					                    again.entries[e].n_columns,
					                    BS_MAX_LEVELS);
			}
		}
	}
	struct bs_term_treatment_policy policy = bs_term_treatment_policy_default();
	bs_term_treatment_table_make(&policy, UINT64_MAX, &table);
	check_table(&table, &policy);
}

/* The number of columns of a term with this df, on all levels. */
static uint32_t count_columns(const struct bs_term_treatment_table *table, uint64_t df)
{
	uint32_t n = 0;
	for (uint32_t level = 0; level < table->n_levels; level++)
		n += bs_term_treatment_find(table, df)->n_columns[level];
	return n;
}

/* Rare terms have more columns if the segment is searched together with others. */
static void test_one_of_several_segments(void **state)
{
	struct bs_term_treatment_policy alone = bs_term_treatment_policy_default(), beside = alone;
	struct bs_term_treatment_table table, again;
	beside.look_times = 10;
	bs_term_treatment_table_make(&alone, 2000000, &table);
	bs_term_treatment_table_make(&beside, 2000000, &again);
	check_table(&again, &beside);
	for (uint64_t df = 1; df < 16; df++)
		assert_true(count_columns(&again, df) > count_columns(&table, df));
}

static void test_forced_policy(void **state)
{
	static const uint8_t forces[][BS_MAX_LEVELS] = {
		{1, 0, 0}, {3, 0, 0}, {2, 1, 0}, {2, 0, 1}, {4, 2, 3}, {16, 0, 0}, {16, 16, 16}};
	static const uint8_t ranks[BS_MAX_LEVELS] = {BS_LEVEL_DOCUMENT, BS_LEVEL_GROUP,
	                                             BS_LEVEL_BLOCK};
	for (size_t f = 0; f < COUNT(forces); f++) {
		for (size_t i = 0; i < COUNT(doc_counts); i++) {
			struct bs_term_treatment_policy policy = bs_term_treatment_policy_default();
			policy.is_forced = true;
			memcpy(policy.force, forces[f], sizeof(policy.force));
			struct bs_term_treatment_table table;
			bs_term_treatment_table_make(&policy, doc_counts[i], &table);
			check_table(&table, &policy);
			for (uint64_t df = 1; df < UINT64_MAX / 3; df *= 3) {
				/* `forces` has the number of columns on each level. Levels with 0
				 * columns must be omitted from the table. */
				const struct bs_term_treatment *entry =
					bs_term_treatment_find(&table, df);
				uint32_t level = 0;
				for (uint32_t r = 0; r < BS_MAX_LEVELS; r++) {
					if (forces[f][r] == 0)
						continue;
					assert_true(level < table.n_levels);
					assert_int_equal(table.ranks[level], ranks[r]);
					assert_int_equal(entry->n_columns[level], forces[f][r]);
					level++;
				}
				assert_int_equal(level, table.n_levels);
			}
		}
	}
}

/* Breaks each rule in turn. */
static void test_invalid_tables(void **state)
{
	struct bs_term_treatment_table good = {
		.n_levels = 3,
		.ranks = {BS_LEVEL_DOCUMENT, BS_LEVEL_GROUP, BS_LEVEL_BLOCK},
		.n_entries = 3,
		.entries = {{0, {6, 1, 2}, false}, {10, {4, 1, 0}, false}, {11, {1, 0, 0}, false}},
	};
	assert_true(bs_term_treatment_table_is_valid(&good));
	struct bs_term_treatment_table bad[17];
	for (size_t i = 0; i < COUNT(bad); i++)
		bad[i] = good;
	bad[0].n_levels = 0;
	bad[1].n_levels = 4;
	bad[2].n_levels = UINT32_MAX;
	bad[3].n_levels = 2; /* a column of a missing level */
	bad[4].ranks[0] = BS_LEVEL_GROUP;
	bad[5].ranks[1] = BS_LEVEL_DOCUMENT;
	bad[6].ranks[1] = 4;
	bad[7].ranks[1] = BS_LEVEL_BLOCK;
	bad[8].ranks[2] = BS_LEVEL_GROUP;
	bad[9].n_entries = 0;
	bad[10].n_entries = BS_MAX_TREATMENTS + 1;
	bad[11].entries[0].min_df = 1;
	bad[12].entries[1].min_df = 0;
	bad[13].entries[2].min_df = 10;
	bad[14].entries[1].n_columns[0] = 0;
	bad[15].entries[2].n_columns[2] = BS_MAX_HASHES + 1;
	bad[16].entries[0].n_columns[0] = 255;
	for (size_t i = 0; i < COUNT(bad); i++)
		if (bs_term_treatment_table_is_valid(&bad[i]))
			fail_msg("broken rule %zu passed", i);
}

RUN_TESTS(test_every_policy, test_one_of_several_segments, test_forced_policy, test_invalid_tables)
