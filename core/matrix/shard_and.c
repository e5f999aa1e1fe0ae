/* shard_and.c: see shard_and.h; shard.h has a picture of the columns. */
#include "core/matrix/shard_and.h"

#include <string.h>

/* A column, and the share of its bits that are set, which is estimated for hashed columns. */
struct ordered_column {
	bs_column column;
	float share;
};

void bs_and_deinit(struct bs_and_scratch *scratch)
{
	bs_buffer_deinit(&scratch->columns);
	bs_buffer_deinit(&scratch->pointers);
}

void bs_and_term_init(struct bs_and_term *term, uint64_t hash, uint64_t ordinal, uint64_t df,
                      const struct bs_term_treatment_table *treatments)
{
	*term = (struct bs_and_term){
		.treatment = bs_term_treatment_find(treatments, df), .ordinal = ordinal, .df = df};
	for (uint32_t level = 0; level < treatments->n_levels; level++)
		term->probes[level] = bs_hash_probe(hash, treatments->ranks[level]);
}

enum bs_status bs_shard_term_init(struct bs_shard_term *here, const struct bs_shard *shard,
                                  const struct bs_and_term *term, struct bs_error *err)
{
	bool found = false;
	*here = (struct bs_shard_term){.term = term, .exact_column = BS_NO_COLUMN};
	if (shard->exact.level.n_columns == 0 || term->df < shard->exact.least_popcount)
		return BS_OK;
	uint32_t column;
	enum bs_status status = bs_shard_find_exact(shard, term->ordinal, &found, &column, err);
	if (status || !found)
		return status;
	here->exact_column = column;
	return bs_shard_exact_popcount(shard, column, &here->popcount, err);
}

void bs_shard_prefetch(const struct bs_shard *shard, const struct bs_and_term *term)
{
	uint32_t coarsest = shard->hashed.n_levels - 1;
	const struct bs_level *level = &shard->hashed.levels[coarsest];
	if (level->n_columns == 0)
		return;
	for (uint32_t i = 0; i < term->treatment->n_columns[coarsest]; i++) {
		uint32_t c = bs_hash_position(term->probes[coarsest], i, level->n_columns);
		__builtin_prefetch(shard->columns.data +
		                   (level->first_line + (uint64_t)c * level->n_lines) *
		                           BS_LINE_BYTES);
	}
}

void bs_live_all(struct bs_live *live, uint32_t n)
{
	memset(live, 0, sizeof(*live));
	for (uint32_t i = 0; i < n / 64; i++)
		live->words[i] = UINT64_MAX;
	if (n % 64)
		live->words[n / 64] = (UINT64_C(1) << (n % 64)) - 1;
}

bool bs_live_any(const struct bs_live *live)
{
	uint64_t any = 0;
	for (size_t i = 0; i < BS_SHARD_MAX_BLOCKS / 64; i++)
		any |= live->words[i];
	return any != 0;
}

/* Reserves room for all columns that the terms can have at a level, so that adding columns needs no
 * checks. */
static enum bs_status reserve_columns(struct bs_and_scratch *scratch, size_t n_terms,
                                      struct bs_error *err)
{
	size_t n = n_terms * BS_SHARD_MAX_HASHES;
	bs_buffer_clear(&scratch->columns);
	bs_buffer_clear(&scratch->pointers);
	enum bs_status status =
		bs_buffer_reserve(&scratch->columns, n * sizeof(struct ordered_column), err);
	return status ? status : bs_buffer_reserve(&scratch->pointers, n * sizeof(bs_column), err);
}

/* The columns of one AND at one level, in reading order. Exact columns that are sparser than hashed
 * ones come first. Then the hashed columns come in rounds: the first column of each term, in the
 * caller's order of terms, then the second columns, and so on. This rejects documents sooner than
 * reading all columns of one term first. Denser exact columns come last. Popcounts of hashed
 * columns are not used: all have about the same density, and each popcount costs a cache miss. */
struct column_list {
	struct ordered_column *columns; /* memory of the scratch */
	size_t n;
	bool is_impossible; /* a term needs a hashed column, but this level of the shard has none */
};

static void insert_column(struct column_list *list, bs_column column, float share)
{
	size_t at = list->n++;
	for (; at > 0 && list->columns[at - 1].share > share; at--)
		list->columns[at] = list->columns[at - 1];
	list->columns[at] = (struct ordered_column){column, share};
}

static enum bs_status push_exact(const struct bs_shard *shard,
                                 const struct bs_shard_term *const *terms, size_t n_terms,
                                 bool dense, const struct bs_live *live, struct column_list *list,
                                 struct bs_error *err)
{
	for (size_t t = 0; t < n_terms; t++) {
		float share = (float)terms[t]->popcount / (float)shard->n_docs;
		bs_column column;
		if (terms[t]->exact_column == BS_NO_COLUMN ||
		    (share > shard->hashed.density) != dense)
			continue;
		enum bs_status status = bs_shard_column(shard, &shard->exact.level,
		                                        terms[t]->exact_column, live, &column, err);
		if (status)
			return status;
		insert_column(list, column, share);
	}
	return BS_OK;
}

/* Adds hashed column i of each term, if the term has that many. *more_out: whether some term has a
 * column i + 1. */
static enum bs_status push_round(const struct bs_shard *shard, uint32_t level_index,
                                 const struct bs_shard_term *const *terms, size_t n_terms,
                                 uint32_t i, const struct bs_live *live, struct column_list *list,
                                 bool *more_out, struct bs_error *err)
{
	const struct bs_level *level = &shard->hashed.levels[level_index];
	*more_out = false;
	for (size_t t = 0; t < n_terms; t++) {
		uint32_t k = bs_shard_hashes(terms[t]->term->treatment, shard->hashed.n_columns,
		                             level_index);
		if (terms[t]->exact_column != BS_NO_COLUMN || i >= k)
			continue;
		if (level->n_columns == 0) {
			list->is_impossible = true;
			return BS_OK;
		}
		uint32_t c =
			bs_hash_position(terms[t]->term->probes[level_index], i, level->n_columns);
		struct ordered_column *to = &list->columns[list->n++];
		enum bs_status status = bs_shard_column(shard, level, c, live, &to->column, err);
		if (status)
			return status;
		to->share = shard->hashed.density;
		*more_out |= i + 1 < k;
	}
	return BS_OK;
}

static enum bs_status list_columns(const struct bs_shard *shard, uint32_t level,
                                   const struct bs_shard_term *const *terms, size_t n_terms,
                                   struct bs_and_scratch *scratch, const struct bs_live *live,
                                   struct column_list *list, struct bs_error *err)
{
	*list = (struct column_list){
		.columns = (struct ordered_column *)(void *)scratch->columns.data};
	enum bs_status status =
		level == 0 ? push_exact(shard, terms, n_terms, false, live, list, err) : BS_OK;
	bool more = true;
	for (uint32_t i = 0; more && !status && !list->is_impossible; i++)
		status = push_round(shard, level, terms, n_terms, i, live, list, &more, err);
	if (!status && level == 0)
		status = push_exact(shard, terms, n_terms, true, live, list, err);
	return status;
}

/* The number of columns to read before testing whether the line is zero. While more than half a set
 * bit per line is expected to remain, the test is left out, because it would rarely succeed.
 * `alive`: an estimate of the share of lanes that are set before the first column. */
static size_t columns_before_test(const struct column_list *list, double alive)
{
	size_t n = 0;
	while (n + 1 < list->n && (alive *= list->columns[n].share) * BS_LINE_BITS > 0.5)
		n++;
	return n + 1;
}

static const bs_column *column_pointers(const struct column_list *list,
                                        struct bs_and_scratch *scratch)
{
	bs_column *pointers = (bs_column *)(void *)scratch->pointers.data;
	for (size_t i = 0; i < list->n; i++)
		pointers[i] = list->columns[i].column;
	return pointers;
}

/* Clears the live bits of blocks without a set lane. A lane represents a block; in a smaller shard,
 * 1/2, 1/4, ... of a block. */
static void keep_blocks(const struct bs_shard *shard, const uint64_t lanes[BS_LINE_WORDS],
                        struct bs_live *live)
{
	uint32_t per_block_log2 = 9 - bs_shard_lane_shift(shard->n_docs);
	if (per_block_log2 == 0) {
		for (size_t word = 0; word < BS_LINE_WORDS; word++)
			live->words[word] &= lanes[word];
		return;
	}
	struct bs_live found = {{0}};
	for (size_t word = 0; word < BS_LINE_WORDS; word++) {
		for (uint64_t left = lanes[word]; left != 0; left &= left - 1) {
			size_t block =
				(word * 64 + (size_t)__builtin_ctzll(left)) >> per_block_log2;
			found.words[block / 64] |= UINT64_C(1) << (block % 64);
		}
	}
	for (size_t word = 0; word < BS_SHARD_MAX_BLOCKS / 64; word++)
		live->words[word] &= found.words[word];
}

static void and_blocks(const struct bs_shard *shard, const struct column_list *list,
                       struct bs_live *live)
{
	uint64_t lanes[BS_LINE_WORDS];
	memset(lanes, 0xff, sizeof(lanes));
	for (size_t i = 0; i < list->n; i++)
		for (size_t word = 0; word < BS_LINE_WORDS; word++)
			lanes[word] &= list->columns[i].column[word];
	keep_blocks(shard, lanes, live);
}

/* ANDs the group columns, and writes the documents of the remaining groups to the lines of live
 * blocks. Eight blocks have one line of groups and one byte of the live mask. */
static uint64_t and_groups(const struct bs_kernel *kernel, const struct column_list *list,
                           struct bs_and_scratch *scratch, const struct bs_and_frame *frame,
                           struct bs_live *live)
{
	struct bs_live groups = {{0}};
	for (size_t g = 0; g < BS_SHARD_MAX_BLOCKS / 8; g++)
		groups.words[0] |= (uint64_t)((live->words[g / 8] >> (g % 8 * 8) & 0xff) != 0) << g;
	uint64_t n_read =
		kernel->lines.and_columns(frame->groups, &groups, column_pointers(list, scratch),
	                                  list->n, columns_before_test(list, 1), true);
	for (size_t g = 0; g < BS_SHARD_MAX_BLOCKS / 8; g++)
		if (!(groups.words[0] >> g & 1))
			live->words[g / 8] &= ~(UINT64_C(0xff) << (g % 8 * 8));
	kernel->lines.spread_groups(frame->lines, live, frame->groups);
	return n_read;
}

enum bs_status bs_shard_and(const struct bs_shard *shard, const struct bs_kernel *kernel,
                            const struct bs_shard_term *const *terms, size_t n_terms,
                            struct bs_and_scratch *scratch, const struct bs_and_frame *frame,
                            struct bs_live *live, struct bs_and_cost *cost, struct bs_error *err)
{
	bool fresh = true;
	struct column_list list;
	enum bs_status status = reserve_columns(scratch, n_terms, err);
	for (uint32_t level = shard->hashed.n_levels; level-- > 0 && !status;) {
		status = list_columns(shard, level, terms, n_terms, scratch, live, &list, err);
		if (status)
			return status;
		if (list.is_impossible)
			memset(live, 0, sizeof(*live));
		if (list.n == 0 || list.is_impossible)
			continue;
		uint64_t n_read = list.n;
		if (shard->hashed.levels[level].rank == BS_LEVEL_BLOCK) {
			and_blocks(shard, &list, live);
		} else if (shard->hashed.levels[level].rank == BS_LEVEL_GROUP) {
			n_read = and_groups(kernel, &list, scratch, frame, live);
			fresh = false;
		} else {
			n_read = kernel->lines.and_columns(
				frame->lines, live, column_pointers(&list, scratch), list.n,
				columns_before_test(&list, fresh ? 1 : 1.0 / 64), fresh);
			cost->document_lines += n_read;
		}
		cost->lines += n_read;
		if (!bs_live_any(live))
			return BS_OK;
	}
	return status;
}
