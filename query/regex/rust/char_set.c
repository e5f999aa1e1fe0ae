/* char_set.c: see char_set.h. */
#include "query/regex/rust/char_set.h"

#include <stdlib.h>

#include "core/system/icu.h"

#define FIRST_SURROGATE 0xd800u
#define LAST_SURROGATE  0xdfffu
/* No character from here on has another letter case. */
#define CASED_END 0x1f000u

static int compare(const void *a, const void *b)
{
	const struct bs_char_range *one = a, *other = b;
	return (one->first > other->first) - (one->first < other->first);
}

/* Sorts the ranges, and merges those that touch. */
static void normalize(struct bs_char_set *set)
{
	struct bs_char_range *ranges = set->ranges.items;
	size_t n = bs_char_set_n(set), n_kept = 0;
	if (set->status || n < 2)
		return;
	qsort(ranges, n, sizeof(*ranges), compare);
	for (size_t i = 1; i < n; i++) {
		if (ranges[i].first > ranges[n_kept].last + 1)
			ranges[++n_kept] = ranges[i];
		else if (ranges[i].last > ranges[n_kept].last)
			ranges[n_kept].last = ranges[i].last;
	}
	bs_vector_set_n(&set->ranges, n_kept + 1);
}

/* Adds a range; the caller normalizes. */
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
	normalize(set);
}

void bs_char_set_unite(struct bs_char_set *set, const struct bs_char_set *other)
{
	set->status = set->status ? set->status : other->status;
	if (!set->status && bs_char_set_n(other))
		set->status = bs_vector_extend(&set->ranges, other->ranges.items,
		                               bs_char_set_n(other), set->err);
	normalize(set);
}

void bs_char_set_negate(struct bs_char_set *set, uint32_t last)
{
	struct bs_char_set others = {.err = set->err};
	uint32_t next = 0;
	if (set->status)
		return;
	for (size_t i = 0; i < bs_char_set_n(set); i++) {
		if (set->ranges.items[i].first > next)
			append_without_surrogates(&others, next, set->ranges.items[i].first - 1);
		next = set->ranges.items[i].last + 1;
	}
	if (next <= last)
		append_without_surrogates(&others, next, last);
	normalize(&others);
	bs_char_set_deinit(set);
	*set = others;
}

void bs_char_set_intersect(struct bs_char_set *set, const struct bs_char_set *other)
{
	struct bs_char_set both = {.status = set->status ? set->status : other->status,
	                           .err = set->err};
	size_t i = 0, k = 0;
	while (!both.status && i < bs_char_set_n(set) && k < bs_char_set_n(other)) {
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

void bs_char_set_subtract(struct bs_char_set *set, const struct bs_char_set *other)
{
	struct bs_char_set others = {.err = set->err};
	bs_char_set_unite(&others, other);
	bs_char_set_negate(&others, BS_CODE_MAX);
	bs_char_set_intersect(set, &others);
	bs_char_set_deinit(&others);
}

void bs_char_set_differ(struct bs_char_set *set, const struct bs_char_set *other)
{
	struct bs_char_set both = {.err = set->err};
	bs_char_set_unite(&both, set);
	bs_char_set_intersect(&both, other);
	bs_char_set_unite(set, other);
	bs_char_set_subtract(set, &both);
	bs_char_set_deinit(&both);
}

bool bs_char_set_has(const struct bs_char_set *set, uint32_t c)
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
	normalize(set);
}

static uint32_t folding(uint32_t c)
{
	return (uint32_t)bs_icu.u_foldCase((UChar32)c, U_FOLD_CASE_DEFAULT);
}

void bs_char_set_fold(struct bs_char_set *set, bool is_ascii)
{
	struct bs_char_set foldings = {.err = set->err};
	if (is_ascii)
		fold_ascii(set);
	if (is_ascii || set->status || bs_char_set_n(set) == 0)
		return;
	set->status = bs_icu_load(set->err);
	for (size_t i = 0; !set->status && i < bs_char_set_n(set); i++) {
		struct bs_char_range range = set->ranges.items[i];
		append(&foldings, range.first, range.last);
		for (uint32_t c = range.first; c <= range.last && c < CASED_END; c++)
			if (folding(c) != c)
				append(&foldings, folding(c), folding(c));
	}
	normalize(&foldings);
	for (uint32_t c = 0; !set->status && c < CASED_END; c++)
		if (folding(c) != c && bs_char_set_has(&foldings, folding(c)))
			append(set, c, c);
	bs_char_set_unite(set, &foldings);
	bs_char_set_deinit(&foldings);
}
