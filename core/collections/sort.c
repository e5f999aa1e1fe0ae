/* sort.c: see sort.h. bs_sort sorts runs of RUN_ITEMS items with qsort_r and merges them in
 * pairs. */
#include "core/collections/sort.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/deadline.h"

#define RUN_ITEMS 8192u
#define ITEM_NS   50u  /* estimated time of one step of a merge */
#define SORTED_NS 700u /* estimated time of sorting one item within its run */

struct sort {
	size_t item_bytes;
	int (*compare)(const void *a, const void *b, void *context);
	void *context;
	struct bs_error *err;
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static enum bs_status sort_runs(const struct sort *sort, uint8_t *items, size_t n)
{
	enum bs_status status = BS_OK;
	for (size_t at = 0; at < n && !status; at += RUN_ITEMS) {
		size_t n_here = least(RUN_ITEMS, n - at);
		qsort_r(items + at * sort->item_bytes, n_here, sort->item_bytes, sort->compare,
		        sort->context);
		status = bs_deadline_check_after(n_here * SORTED_NS, sort->err);
	}
	return status;
}

/* Merges two adjacent runs. */
static enum bs_status merge(const struct sort *sort, const uint8_t *left, size_t n_left,
                            size_t n_right, uint8_t *to)
{
	size_t item_bytes = sort->item_bytes, n_merged = 0;
	const uint8_t *right = left + n_left * item_bytes;
	enum bs_status status = BS_OK;
	for (; n_left > 0 && n_right > 0 && !status; to += item_bytes) {
		bool takes_left = sort->compare(left, right, sort->context) <= 0;
		memcpy(to, takes_left ? left : right, item_bytes);
		left += takes_left ? item_bytes : 0;
		right += takes_left ? 0 : item_bytes;
		n_left -= takes_left;
		n_right -= !takes_left;
		status = bs_deadline_each(n_merged++, ITEM_NS, sort->err);
	}
	memcpy(to, n_left > 0 ? left : right, (n_left + n_right) * item_bytes);
	return status;
}

enum bs_status bs_sort(void *items, size_t n_items, size_t item_bytes,
                       int (*compare)(const void *a, const void *b, void *context), void *context,
                       struct bs_error *err)
{
	struct sort sort = {item_bytes, compare, context, err};
	uint8_t *room =
		n_items > RUN_ITEMS && bs_deadline_here ? malloc(n_items * item_bytes) : NULL;
	if (!room) {
		if (n_items > 1)
			qsort_r(items, n_items, item_bytes, compare, context);
		return BS_OK;
	}
	uint8_t *from = items, *to = room;
	enum bs_status status = sort_runs(&sort, from, n_items);
	for (size_t n_run = RUN_ITEMS; n_run < n_items && !status; n_run *= 2) {
		for (size_t at = 0; at < n_items && !status; at += 2 * n_run) {
			size_t n_left = least(n_run, n_items - at),
			       n_right = least(n_run, n_items - at - n_left);
			status = merge(&sort, from + at * item_bytes, n_left, n_right,
			               to + at * item_bytes);
		}
		/* `from` still holds all items. */
		if (status)
			break;
		uint8_t *merged = to;
		to = from;
		from = merged;
	}
	if (from != items)
		memcpy(items, from, n_items * item_bytes);
	free(room);
	return status;
}

#define DIGIT_BITS 11u /* bits of a digit in the radix sort */
/* Up to this many numbers are sorted by insertion: for a radix sort of them, clearing and summing
 * 2048 counters would cost more. */
#define FEW_NUMBERS 64u

static void insertion_sort(uint32_t *numbers, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		uint32_t number = numbers[i], to = i;
		for (; to > 0 && numbers[to - 1] > number; to--)
			numbers[to] = numbers[to - 1];
		numbers[to] = number;
	}
}

/* One pass of a radix sort. */
static void sort_digit(const uint32_t *from, uint32_t *to, uint32_t n, uint32_t shift)
{
	uint32_t starts[(1u << DIGIT_BITS) + 1] = {0};
	uint32_t mask = (1u << DIGIT_BITS) - 1;
	for (uint32_t i = 0; i < n; i++)
		starts[(from[i] >> shift & mask) + 1]++;
	for (uint32_t digit = 0; digit < mask; digit++)
		starts[digit + 1] += starts[digit];
	for (uint32_t i = 0; i < n; i++)
		to[starts[from[i] >> shift & mask]++] = from[i];
}

void bs_sort_u32(uint32_t *numbers, uint32_t *spare, uint32_t n, uint32_t most)
{
	uint32_t *from = numbers, *to = spare;
	if (n <= FEW_NUMBERS) {
		insertion_sort(numbers, n);
		return;
	}
	for (uint32_t shift = 0; shift < 32 && most >> shift; shift += DIGIT_BITS) {
		sort_digit(from, to, n, shift);
		uint32_t *sorted = to;
		to = from;
		from = sorted;
	}
	if (from != numbers)
		memcpy(numbers, from, (size_t)n * sizeof(*numbers));
}
