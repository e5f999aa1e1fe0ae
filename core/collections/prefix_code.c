/* prefix_code.c: see prefix_code.h. */
#include "core/collections/prefix_code.h"

#include <assert.h>
#include <stdlib.h>

#include "core/base/bytes.h"

/* An exclusive upper bound of code lengths before they are limited: a code of 60 bits needs counts
 * whose sum is more than 2^40. */
#define N_LENGTHS 64

struct counted {
	uint64_t count;
	uint32_t symbol;
};

static int compare_counted(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;
	int order = bs_compare_u64(x->count, y->count);
	return order ? order : bs_compare_u64(x->symbol, y->symbol);
}

/* Moffat and Katajainen, "In-place calculation of minimum-redundancy codes" (1995). On entry, a[]
 * holds n ascending counts; on return, the lengths of their codes. The first pass makes the inner
 * nodes of the tree and replaces each by the index of its parent; the second pass computes the
 * depths of inner nodes, the third those of leaves. */
static void huffman_lengths(uint64_t *a, int64_t n)
{
	if (n < 2) {
		a[0] = 1;
		return;
	}
	int64_t root = 0, leaf = 2;
	a[0] += a[1];
	for (int64_t next = 1; next < n - 1; next++) {
		bool take_root = leaf >= n || a[root] < a[leaf];
		a[next] = take_root ? a[root] : a[leaf++];
		if (take_root)
			a[root++] = (uint64_t)next;
		take_root = leaf >= n || (root < next && a[root] < a[leaf]);
		a[next] += take_root ? a[root] : a[leaf++];
		if (take_root)
			a[root++] = (uint64_t)next;
	}
	a[n - 2] = 0;
	for (int64_t next = n - 3; next >= 0; next--)
		a[next] = a[a[next]] + 1;
	int64_t n_open = 1, n_inner = 0, next = n - 1;
	root = n - 2;
	for (uint64_t depth = 0; n_open > 0; depth++) {
		for (n_inner = 0; root >= 0 && a[root] == depth; root--)
			n_inner++;
		for (; n_open > n_inner; n_open--)
			a[next--] = depth;
		n_open = 2 * n_inner;
	}
}

/* Limits code lengths to BS_CODE_MAX_BITS. n_of[i]: the number of codes of length i, that is, of
 * leaves at depth i of the code's tree. Each step removes two leaves that are too deep: one
 * replaces their parent, and the other becomes a sibling of a less deep leaf, which moves down one
 * level. */
static void limit_lengths(uint32_t n_of[N_LENGTHS])
{
	for (uint32_t i = N_LENGTHS - 1; i > BS_CODE_MAX_BITS; i--) {
		while (n_of[i] > 0) {
			uint32_t j = i - 2;
			while (n_of[j] == 0)
				j--;
			n_of[i] -= 2;
			n_of[i - 1]++;
			n_of[j + 1] += 2;
			n_of[j]--;
		}
	}
}

enum bs_status bs_code_lengths(const uint64_t *counts, uint32_t n, uint8_t *lengths,
                               struct bs_error *err)
{
	struct counted *counted = malloc(((size_t)n + 1) * sizeof(*counted));
	uint64_t *work = malloc(((size_t)n + 1) * sizeof(*work));
	enum bs_status status = BS_OK;
	uint32_t n_of[N_LENGTHS] = {0}, n_used = 0;
	memset(lengths, 0, n);
	if (!counted || !work) {
		status = bs_fail_memory(err, "prefix codes",
		                        (uint64_t)n * (sizeof(*counted) + sizeof(*work)));
		goto out;
	}
	for (uint32_t i = 0; i < n; i++)
		if (counts[i] > 0)
			counted[n_used++] = (struct counted){counts[i], i};
	if (n_used == 0)
		goto out;
	qsort(counted, n_used, sizeof(*counted), compare_counted);
	for (uint32_t i = 0; i < n_used; i++)
		work[i] = counted[i].count;
	huffman_lengths(work, n_used);
	for (uint32_t i = 0; i < n_used; i++)
		n_of[work[i]]++;
	limit_lengths(n_of);
	for (uint32_t i = n_used, length = 1; i-- > 0;) {
		while (n_of[length] == 0)
			length++;
		lengths[counted[i].symbol] = (uint8_t)length;
		n_of[length]--;
	}
out:
	free(counted);
	free(work);
	return status;
}

/* The first code of each length. False if there are more codes of some length than its bits can
 * distinguish. */
static bool first_codes(const uint32_t n_of[BS_CODE_MAX_BITS + 1],
                        uint32_t first[BS_CODE_MAX_BITS + 1])
{
	uint32_t code = 0;
	for (uint32_t length = 1; length <= BS_CODE_MAX_BITS; length++) {
		code <<= 1;
		first[length] = code;
		code += n_of[length];
		if (code > 1u << length)
			return false;
	}
	return true;
}

void bs_code_values(const uint8_t *lengths, uint32_t n, uint32_t *values)
{
	uint32_t n_of[BS_CODE_MAX_BITS + 1] = {0};
	uint32_t next[BS_CODE_MAX_BITS + 1] = {0};
	for (uint32_t i = 0; i < n; i++)
		n_of[lengths[i]]++;
	n_of[0] = 0;
	first_codes(n_of, next);
	for (uint32_t i = 0; i < n; i++)
		values[i] = lengths[i] ? next[lengths[i]]++ << 4 | lengths[i] : 0;
}

static uint32_t nibble(const uint8_t *nibbles, uint32_t i)
{
	return nibbles[i / 2] >> (i % 2 * 4) & 15;
}

/* Adds a table for the long codes that begin with the BS_CODE_FAST_BITS bits `prefix`. n_more: the
 * number of bits after the prefix in the longest of these codes. */
static enum bs_status add_table(struct bs_code_set *set, struct bs_code *code, uint32_t prefix,
                                uint32_t n_more, struct bs_error *err)
{
	size_t n = set->n_longer + (1u << n_more);
	if (n > set->longer_capacity) {
		set->longer_capacity = n + set->longer_capacity / 2 + 256;
		uint32_t *more = realloc(set->longer, set->longer_capacity * sizeof(*more));
		if (!more)
			return bs_fail_memory(err, "prefix codes",
			                      set->longer_capacity * sizeof(*more));
		set->longer = more;
	}
	memset(set->longer + set->n_longer, 0, sizeof(*set->longer) << n_more);
	code->fast[prefix] = (uint32_t)set->n_longer << 8 | n_more << 4;
	set->n_longer = n;
	return BS_OK;
}

/* Sets all table entries whose index begins with the code of a symbol. */
static void enter(struct bs_code_set *set, struct bs_code *code, uint32_t value, uint32_t coded)
{
	uint32_t length = BS_CODED_BITS(coded);
	if (length <= BS_CODE_FAST_BITS) {
		uint32_t n_free = BS_CODE_FAST_BITS - length;
		for (uint32_t i = 0; i < 1u << n_free; i++)
			code->fast[(value << n_free) + i] = coded;
		return;
	}
	uint32_t table = code->fast[value >> (length - BS_CODE_FAST_BITS)];
	uint32_t n_free = (table >> 4 & 15) + BS_CODE_FAST_BITS - length;
	uint32_t first = (value & ((1u << (length - BS_CODE_FAST_BITS)) - 1)) << n_free;
	for (uint32_t i = 0; i < 1u << n_free; i++)
		set->longer[(table >> 8) + first + i] = coded;
}

enum bs_status bs_code_smoothed(const uint64_t *counts, uint32_t n, uint32_t first, uint32_t end,
                                uint8_t *lengths, uint32_t *values, struct bs_error *err)
{
	uint64_t smoothed[256] = {0};
	assert(n <= 256);
	for (uint32_t i = first; i < end; i++)
		smoothed[i] = 16 * counts[i] + 1;
	enum bs_status status = bs_code_lengths(smoothed, n, lengths, err);
	if (!status)
		bs_code_values(lengths, n, values);
	return status;
}

void bs_code_nibbles(const uint8_t *lengths, uint32_t n, uint8_t *to)
{
	for (uint32_t i = 0; i < n; i += 2)
		to[i / 2] = (uint8_t)(lengths[i] | lengths[i + 1] << 4);
}

enum bs_status bs_code_set_init(struct bs_code_set *set, size_t n_codes, struct bs_error *err)
{
	*set = (struct bs_code_set){.codes = calloc(n_codes, sizeof(*set->codes)),
	                            .longer = calloc(2, sizeof(*set->longer))};
	set->n_longer = set->longer_capacity = 2;
	return set->codes && set->longer
	               ? BS_OK
	               : bs_fail_memory(err, "prefix codes", n_codes * sizeof(*set->codes));
}

void bs_code_set_deinit(struct bs_code_set *set)
{
	free(set->codes);
	free(set->longer);
	*set = (struct bs_code_set){0};
}

void bs_code_set_finish(struct bs_code_set *set, size_t n_codes)
{
	for (size_t i = 0; i < n_codes; i++)
		set->codes[i].longer = set->longer;
}

enum bs_status bs_code_read(struct bs_code_set *set, size_t which, const uint8_t *nibbles,
                            const uint32_t *what, uint32_t n, bool *valid_out, struct bs_error *err)
{
	struct bs_code *code = &set->codes[which];
	uint32_t n_of[BS_CODE_MAX_BITS + 1] = {0};
	uint32_t next[BS_CODE_MAX_BITS + 1] = {0};
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < n; i++)
		n_of[nibble(nibbles, i)]++;
	n_of[0] = 0;
	*valid_out = (n % 2 == 0 || nibbles[n / 2] >> 4 == 0) && first_codes(n_of, next);
	if (!*valid_out)
		return BS_OK;
	for (uint32_t i = 0; i < 1u << BS_CODE_FAST_BITS; i++)
		code->fast[i] = 1 << 4;
	/* Tables for the longest codes are made first; a shorter code with the same first bits
	 * shares the table. */
	for (uint32_t length = BS_CODE_MAX_BITS; length > BS_CODE_FAST_BITS && !status; length--) {
		uint32_t n_more = length - BS_CODE_FAST_BITS;
		for (uint32_t i = next[length] >> n_more;
		     n_of[length] > 0 && i <= (next[length] + n_of[length] - 1) >> n_more &&
		     !status;
		     i++)
			if (code->fast[i] == 1 << 4)
				status = add_table(set, code, i, n_more, err);
	}
	for (uint32_t i = 0; i < n && !status; i++) {
		uint32_t length = nibble(nibbles, i);
		if (length > 0)
			enter(set, code, next[length]++, (what ? what[i] : i << 4) | length);
	}
	return status;
}
