/* char_set.c: see char_set.h. */
#include "query/regex/rust/char_set.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/system/deadline.h"
#include "core/system/icu.h"
#include "core/text/grams.h"

#define FIRST_SURROGATE 0xd800u
#define LAST_SURROGATE  0xdfffu
/* No character from here on has another letter case. */
#define CASED_END 0x1f000u
/* More than the number of characters whose folding is another character: 1,500 in Unicode 17. */
#define CASED_MOST 2048u
#define RANGE_NS   50u /* estimated time to sort a range */

static int compare(const void *a, const void *b)
{
	const struct bs_char_range *one = a, *other = b;
	return (one->first > other->first) - (one->first < other->first);
}

size_t bs_char_set_n(struct bs_char_set *set)
{
	struct bs_char_range *ranges = set->ranges.items;
	size_t n = bs_vector_n(&set->ranges), n_kept = 0;
	if (!set->is_unsorted || set->status)
		return n;
	set->is_unsorted = false;
	set->status = bs_deadline_check_after(n * RANGE_NS, set->err);
	if (set->status || n < 2)
		return n;
	qsort(ranges, n, sizeof(*ranges), compare);
	for (size_t i = 1; i < n; i++) {
		if (ranges[i].first > ranges[n_kept].last + 1)
			ranges[++n_kept] = ranges[i];
		else if (ranges[i].last > ranges[n_kept].last)
			ranges[n_kept].last = ranges[i].last;
	}
	bs_vector_set_n(&set->ranges, n_kept + 1);
	return n_kept + 1;
}

/* Adds a range. The caller sets is_unsorted. */
static void append(struct bs_char_set *set, uint32_t first, uint32_t last)
{
	struct bs_char_range range = {first, last};
	if (!set->status && first <= last)
		set->status = bs_vector_append(&set->ranges, &range, set->err);
}

static void append_without_surrogates(struct bs_char_set *set, uint32_t first, uint32_t last)
{
	append(set, first, last < FIRST_SURROGATE ? last : FIRST_SURROGATE - 1);
	append(set, first > LAST_SURROGATE ? first : LAST_SURROGATE + 1, last);
}

void bs_char_set_add(struct bs_char_set *set, uint32_t first, uint32_t last)
{
	append_without_surrogates(set, first, last);
	set->is_unsorted = true;
}

void bs_char_set_unite(struct bs_char_set *set, struct bs_char_set *other)
{
	size_t n = bs_vector_n(&other->ranges);
	set->status = set->status ? set->status : other->status;
	if (!set->status && n)
		set->status = bs_vector_extend(&set->ranges, other->ranges.items, n, set->err);
	set->is_unsorted = true;
}

void bs_char_set_negate(struct bs_char_set *set, uint32_t last)
{
	struct bs_char_set others = {.err = set->err};
	uint32_t next = 0;
	size_t n = bs_char_set_n(set);
	if (set->status)
		return;
	for (size_t i = 0; i < n; i++) {
		if (set->ranges.items[i].first > next)
			append_without_surrogates(&others, next, set->ranges.items[i].first - 1);
		next = set->ranges.items[i].last + 1;
	}
	if (next <= last)
		append_without_surrogates(&others, next, last);
	bs_char_set_deinit(set);
	*set = others;
}

void bs_char_set_intersect(struct bs_char_set *set, struct bs_char_set *other)
{
	struct bs_char_set both = {.err = set->err};
	size_t n_set = bs_char_set_n(set), n_other = bs_char_set_n(other), i = 0, k = 0;
	both.status = set->status ? set->status : other->status;
	while (!both.status && i < n_set && k < n_other) {
		struct bs_char_range a = set->ranges.items[i], b = other->ranges.items[k];
		append(&both, a.first > b.first ? a.first : b.first,
		       a.last < b.last ? a.last : b.last);
		if (a.last < b.last)
			i++;
		else
			k++;
	}
	bs_char_set_deinit(set);
	*set = both;
}

void bs_char_set_subtract(struct bs_char_set *set, struct bs_char_set *other)
{
	struct bs_char_set others = {.err = set->err};
	bs_char_set_unite(&others, other);
	bs_char_set_negate(&others, BS_CODE_MAX);
	bs_char_set_intersect(set, &others);
	bs_char_set_deinit(&others);
}

void bs_char_set_differ(struct bs_char_set *set, struct bs_char_set *other)
{
	struct bs_char_set both = {.err = set->err};
	bs_char_set_unite(&both, set);
	bs_char_set_intersect(&both, other);
	bs_char_set_unite(set, other);
	bs_char_set_subtract(set, &both);
	bs_char_set_deinit(&both);
}

bool bs_char_set_has(struct bs_char_set *set, uint32_t c)
{
	size_t low = 0, high = bs_char_set_n(set);
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (set->ranges.items[middle].last < c)
			low = middle + 1;
		else
			high = middle;
	}
	return low < bs_char_set_n(set) && set->ranges.items[low].first <= c;
}

static void fold_ascii(struct bs_char_set *set)
{
	size_t n = bs_char_set_n(set);
	for (size_t i = 0; i < n; i++) {
		struct bs_char_range range = set->ranges.items[i];
		for (uint32_t c = range.first; c <= range.last && c <= 'z'; c++)
			if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
				append(set, c ^ 0x20, c ^ 0x20);
	}
	set->is_unsorted = true;
}

/* The characters below CASED_END whose folding is another character: sorted by character, and
 * sorted by folding. Made once, under the mutex. */
static struct {
	pthread_mutex_t mutex;
	struct cased_char {
		uint32_t c, folding;
	} by_char[CASED_MOST], by_folding[CASED_MOST];
	size_t n;
} cased = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static int compare_foldings(const void *a, const void *b)
{
	const struct cased_char *one = a, *other = b;
	return one->folding != other->folding ? (one->folding > other->folding ? 1 : -1)
	                                      : (one->c > other->c) - (one->c < other->c);
}

static enum bs_status load_cased(struct bs_error *err)
{
	enum bs_status status = bs_icu_load(err);
	if (status)
		return status;
	pthread_mutex_lock(&cased.mutex);
	if (cased.n == 0) {
		for (uint32_t c = 0; c < CASED_END && cased.n < CASED_MOST; c++)
			if (bs_gram_fold(c) != c)
				cased.by_char[cased.n++] = (struct cased_char){c, bs_gram_fold(c)};
		assert(cased.n < CASED_MOST);
		memcpy(cased.by_folding, cased.by_char, cased.n * sizeof(*cased.by_char));
		qsort(cased.by_folding, cased.n, sizeof(*cased.by_folding), compare_foldings);
	}
	pthread_mutex_unlock(&cased.mutex);
	return BS_OK;
}

/* Adds the foldings of the set's characters or, with is_inverse, the characters whose foldings the
 * set contains. */
static void append_cased(struct bs_char_set *set, bool is_inverse)
{
	const struct cased_char *chars = is_inverse ? cased.by_folding : cased.by_char;
	size_t n = bs_char_set_n(set);
	for (size_t i = 0; i < n && !set->status; i++) {
		struct bs_char_range range = set->ranges.items[i];
		size_t low = 0, high = cased.n;
		while (low < high) {
			size_t middle = (low + high) / 2;
			uint32_t key = is_inverse ? chars[middle].folding : chars[middle].c;
			if (key < range.first)
				low = middle + 1;
			else
				high = middle;
		}
		for (; low < cased.n; low++) {
			uint32_t key = is_inverse ? chars[low].folding : chars[low].c,
				 other = is_inverse ? chars[low].c : chars[low].folding;
			if (key > range.last)
				break;
			append(set, other, other);
		}
	}
	set->is_unsorted = true;
}

void bs_char_set_fold(struct bs_char_set *set, bool is_ascii)
{
	if (is_ascii)
		fold_ascii(set);
	if (is_ascii || set->status || bs_char_set_n(set) == 0)
		return;
	set->status = load_cased(set->err);
	if (set->status)
		return;
	append_cased(set, false);
	append_cased(set, true);
}
