/*
 * term_order.c: see term_order.h. A most-significant-digit radix sort (McIlroy, Bostic and McIlroy,
 * "Engineering Radix Sort", 1993). Keys are distributed by their first two bytes when they are
 * made. Each of the resulting ranges mostly fits into the cache and is divided in place by the next
 * byte into 256 ranges, and so on. A key holds eight bytes of its term at a time, its window. So
 * after the keys are made, a term is read only if its window is equal to those of other terms.
 */
#include "indexer/segment/term_order.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/deadline.h"
#include "core/system/workers.h"

/* Ranges up to this size are sorted by insertion, because 256 counters cost more. */
#define SMALL_RANGE 32u
#define FIRST_SHIFT 48     /* the first two bytes of a window are above this bit */
#define FIRST_PARTS 65536u /* number of values of the first two bytes */
/* Estimated costs of a key, for the deadline: counting it, loading its next bytes, moving it, and
 * sorting it in a small range. */
#define COUNT_NS 5u
#define LOAD_NS  30u
#define MOVE_NS  30u
#define SMALL_NS 50u

struct sort_key {
	/* bytes of the term as a big-endian number, padded with zeros */
	uint64_t window;
	uint32_t number;  /* number of the term */
	uint32_t n_bytes; /* length of the term */
};

/* A range of keys whose terms agree in all bytes before `from`, where their windows begin, and in
 * the bytes of the windows above `shift`. */
struct range {
	struct sort_key *keys;
	size_t n;
	size_t from;
	int shift; /* shift of the next byte to sort by, 56 to 0; -8: all windows are equal */
};

struct order {
	const struct bs_term_table *terms;
	struct sort_key *keys;
	/* by the first two bytes: end of the keys that begin with these or lower bytes */
	uint32_t *ends;
	uint32_t *sorted;
};

static uint64_t load_window(const struct bs_term_table *terms, uint32_t number, size_t from)
{
	const struct bs_term_entry *entry = &terms->entries[number];
	size_t left = entry->n_bytes > from ? entry->n_bytes - from : 0;
	size_t at = (size_t)entry->offset + from;
	uint64_t window = 0;
	if (left == 0)
		return 0;
	if (at + sizeof(window) <= terms->bytes.used_bytes) {
		memcpy(&window, terms->bytes.data + at, sizeof(window));
		window = __builtin_bswap64(window);
		return left < 8 ? window & ~(UINT64_MAX >> (8 * left)) : window;
	}
	for (size_t i = 0; i < 8; i++)
		window = window << 8 | (i < left ? terms->bytes.data[at + i] : 0);
	return window;
}

static bool is_before(const struct bs_term_table *terms, const struct sort_key *x,
                      const struct sort_key *y, size_t from)
{
	if (x->window != y->window)
		return x->window < y->window;
	uint32_t n = x->n_bytes < y->n_bytes ? x->n_bytes : y->n_bytes;
	int order = n > from ? memcmp(bs_term_table_key(terms, x->number) + from,
	                              bs_term_table_key(terms, y->number) + from, n - from)
	                     : 0;
	return order ? order < 0 : x->n_bytes < y->n_bytes;
}

static void insertion_sort(const struct bs_term_table *terms, const struct range *range)
{
	for (size_t i = 1; i < range->n; i++) {
		struct sort_key key = range->keys[i];
		size_t at = i;
		for (; at > 0 && is_before(terms, &key, &range->keys[at - 1], range->from); at--)
			range->keys[at] = range->keys[at - 1];
		range->keys[at] = key;
	}
}

/* The terms of a range are scattered in the dictionary, so entries are prefetched this many terms
 * ahead, and bytes half as many. */
#define TERMS_AHEAD 16u

static inline void prefetch_term(const struct bs_term_table *terms, const struct sort_key *keys,
                                 size_t i, size_t n, size_t from)
{
	if (i + TERMS_AHEAD < n)
		__builtin_prefetch(&terms->entries[keys[i + TERMS_AHEAD].number]);
	if (i + TERMS_AHEAD / 2 < n)
		__builtin_prefetch(bs_term_table_key(terms, keys[i + TERMS_AHEAD / 2].number) +
		                   from);
}

/*
 * For a range whose windows are all equal: loads the next eight bytes of each term. Terms that end
 * within the equal windows are moved to the front. There are at most nine of these, which differ
 * only in length, because zero bytes at the end look like padding.
 */
static enum bs_status open_windows(const struct bs_term_table *terms, struct range *range,
                                   struct bs_error *err)
{
	enum bs_status status = BS_OK;
	size_t from = range->from + 8;
	size_t n_ended = 0;
	for (size_t i = 0; i < range->n; i++) {
		if (range->keys[i].n_bytes > from)
			continue;
		struct sort_key key = range->keys[i];
		range->keys[i] = range->keys[n_ended];
		range->keys[n_ended++] = key;
	}
	struct range ended = {.keys = range->keys, .n = n_ended, .from = range->from};
	insertion_sort(terms, &ended);
	*range = (struct range){
		.keys = range->keys + n_ended, .n = range->n - n_ended, .from = from, .shift = 56};
	for (size_t i = 0; i < range->n && !status; i++) {
		prefetch_term(terms, range->keys, i, range->n, from);
		range->keys[i].window = load_window(terms, range->keys[i].number, from);
		status = bs_deadline_each(i, LOAD_NS, err);
	}
	return status;
}

/* Divides the range by the byte at range->shift: keys with byte b move to [starts[b], starts[b +
 * 1]). Fails only at the deadline. */
static enum bs_status divide(const struct range *range, size_t starts[257], struct bs_error *err)
{
	size_t next[256];
	size_t ends[256];
	enum bs_status status = BS_OK;
	memset(starts, 0, 257 * sizeof(*starts));
	for (size_t i = 0; i < range->n && !status; i++) {
		starts[(range->keys[i].window >> range->shift & 0xff) + 1]++;
		status = bs_deadline_each(i, COUNT_NS, err);
	}
	if (status)
		return status;
	for (size_t b = 0; b < 256; b++) {
		starts[b + 1] += starts[b];
		next[b] = starts[b];
		ends[b] = starts[b + 1];
	}
	for (size_t b = 0; b < 256; b++) {
		while (next[b] < ends[b]) {
			struct sort_key key = range->keys[next[b]];
			size_t to = key.window >> range->shift & 0xff;
			while (to != b) {
				struct sort_key other = range->keys[next[to]];
				range->keys[next[to]++] = key;
				key = other;
				to = key.window >> range->shift & 0xff;
			}
			range->keys[next[b]++] = key;
			if ((status = bs_deadline_each(next[b], MOVE_NS, err)))
				return status;
		}
	}
	return BS_OK;
}

/* Sorts a range. Loops over its largest part and recurses into the others, so that the depth is at
 * most log2 n. */
static enum bs_status sort_range(const struct bs_term_table *terms, struct range range,
                                 struct bs_error *err)
{
	enum bs_status status = BS_OK;
	while (range.n > SMALL_RANGE && !status) {
		if (range.shift < 0) {
			status = open_windows(terms, &range, err);
			continue;
		}
		size_t starts[257];
		size_t largest = 0;
		status = divide(&range, starts, err);
		if (status)
			break;
		for (size_t b = 1; b < 256; b++)
			if (starts[b + 1] - starts[b] > starts[largest + 1] - starts[largest])
				largest = b;
		for (size_t b = 0; b < 256; b++) {
			struct range part = {range.keys + starts[b], starts[b + 1] - starts[b],
			                     range.from, range.shift - 8};
			if (b != largest && part.n > 1 && !status)
				status = sort_range(terms, part, err);
		}
		range = (struct range){range.keys + starts[largest],
		                       starts[largest + 1] - starts[largest], range.from,
		                       range.shift - 8};
	}
	if (status)
		return status;
	insertion_sort(terms, &range);
	return bs_deadline_check_after((range.n + 1) * SMALL_NS, err);
}

static enum bs_status sort_first_byte(void *context, const struct bs_task *task,
                                      struct bs_error *err)
{
	struct order *order = context;
	uint64_t byte = task->number;
	size_t first = byte ? order->ends[byte * 256 - 1] : 0;
	size_t start = first;
	enum bs_status status = BS_OK;
	for (uint64_t part = byte * 256; part < (byte + 1) * 256 && !status; part++) {
		size_t end = order->ends[part];
		if (end - start > 1)
			status = sort_range(order->terms,
			                    (struct range){order->keys + start, end - start, 0,
			                                   FIRST_SHIFT - 8},
			                    err);
		start = end;
	}
	for (size_t i = first; i < start && !status; i++)
		order->sorted[i] = order->keys[i].number;
	return status;
}

enum bs_status bs_term_order(const struct bs_term_table *terms, uint32_t n_threads,
                             uint32_t *sorted, struct bs_error *err)
{
	_Static_assert(sizeof(struct sort_key) == BS_TERM_ORDER_BYTES, "what the header says");
	size_t n_bytes = ((size_t)terms->n_terms + 1) * sizeof(struct sort_key);
	struct order order = {.terms = terms, .sorted = sorted};
	struct bs_workers_plan plan = {
		.n_threads = n_threads, .work = sort_first_byte, .context = &order};
	enum bs_status status = BS_OK;
	uint32_t n_before = 0;
	order.keys = malloc(n_bytes);
	order.ends = calloc(FIRST_PARTS, sizeof(*order.ends));
	if (!order.keys || !order.ends) {
		status = bs_fail_memory(err, "sorting the lexicon", n_bytes);
		goto out;
	}
	bs_buffer_advise(order.keys, n_bytes);
	for (uint32_t i = 0; i < terms->n_terms && !status; i++) {
		order.ends[load_window(terms, i, 0) >> FIRST_SHIFT]++;
		status = bs_deadline_each(i, COUNT_NS, err);
	}
	for (uint32_t part = 0; part < FIRST_PARTS; part++) {
		uint32_t n_here = order.ends[part];
		order.ends[part] = n_before;
		n_before += n_here;
	}
	for (uint32_t i = 0; i < terms->n_terms && !status; i++) {
		uint64_t window = load_window(terms, i, 0);
		order.keys[order.ends[window >> FIRST_SHIFT]++] =
			(struct sort_key){window, i, terms->entries[i].n_bytes};
		status = bs_deadline_each(i, MOVE_NS, err);
	}
	if (!status)
		status = bs_workers_run(&plan, 256, err);
out:
	free(order.keys);
	free(order.ends);
	return status;
}
