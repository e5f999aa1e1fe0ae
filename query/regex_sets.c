/* regex_sets.c: the memory of an analysis, and sets of strings. See regex_needs.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "query/regex_needs.h"

#define BLOCK_BYTES (1u << 20)

struct bs_arena_block {
	struct bs_arena_block *before;
	_Alignas(16) uint8_t bytes[BLOCK_BYTES];
};

/* ---- memory ---- */

enum bs_status bs_arena_prepare(struct bs_arena *arena, bool *is_full_out, struct bs_error *err)
{
	*is_full_out = arena->total_bytes > BS_ARENA_MOST_BYTES;
	if (*is_full_out || (arena->last && BLOCK_BYTES - arena->used_bytes >= BS_ARENA_STEP_BYTES))
		return BS_OK;
	struct bs_arena_block *block = malloc(sizeof(*block));
	if (!block)
		return bs_fail_memory(err, "the analysis of a pattern", sizeof(*block));
	block->before = arena->last;
	arena->last = block;
	arena->used_bytes = 0;
	return BS_OK;
}

void *bs_arena_take(struct bs_arena *arena, size_t n_bytes)
{
	n_bytes = (n_bytes + 15) & ~(size_t)15;
	assert(arena->last && BLOCK_BYTES - arena->used_bytes >= n_bytes);
	void *taken = arena->last->bytes + arena->used_bytes;
	arena->used_bytes += n_bytes;
	arena->total_bytes += n_bytes;
	return taken;
}

void bs_arena_deinit(struct bs_arena *arena)
{
	while (arena->last) {
		struct bs_arena_block *before = arena->last->before;
		free(arena->last);
		arena->last = before;
	}
	*arena = (struct bs_arena){0};
}

/* ---- sets ---- */

static const struct bs_string empty_string = {(const uint8_t *)"", 0};

struct bs_set bs_set_empty(void)
{
	return (struct bs_set){&empty_string, 1};
}

bool bs_set_is_empty_string(const struct bs_set *set)
{
	return set->n == 1 && set->strings[0].n_bytes == 0;
}

struct bs_set bs_set_of(struct bs_arena *arena, const uint8_t *bytes, uint32_t n_bytes)
{
	struct bs_string *string = bs_arena_take(arena, sizeof(*string));
	uint8_t *copy = bs_arena_take(arena, n_bytes);
	memcpy(copy, bytes, n_bytes);
	*string = (struct bs_string){copy, n_bytes};
	return (struct bs_set){string, 1};
}

static int compare(const struct bs_string *a, const struct bs_string *b)
{
	uint32_t n = a->n_bytes < b->n_bytes ? a->n_bytes : b->n_bytes;
	int order = memcmp(a->bytes, b->bytes, n);
	return order ? order : (a->n_bytes > b->n_bytes) - (a->n_bytes < b->n_bytes);
}

static size_t total_bytes(const struct bs_set *set)
{
	size_t n = 0;
	for (uint32_t i = 0; i < set->n; i++)
		n += set->strings[i].n_bytes;
	return n;
}

/* Puts a string where it belongs, unless it is there. */
static uint32_t insert(struct bs_string *strings, uint32_t n, struct bs_string string)
{
	uint32_t at = n;
	while (at > 0) {
		int order = compare(&strings[at - 1], &string);
		if (order == 0)
			return n;
		if (order < 0)
			break;
		at--;
	}
	memmove(strings + at + 1, strings + at, (n - at) * sizeof(*strings));
	strings[at] = string;
	return n + 1;
}

/* Many by many is too much sooner than many by one: each string gets only a little longer, and there are many more. */
static bool is_worth_crossing(const struct bs_set *a, const struct bs_set *b)
{
	uint32_t n = a->n * b->n;
	return n <= (a->n == 1 || b->n == 1 ? BS_SET_MOST_STRINGS : BS_SET_MOST_STRINGS / 4) &&
	       total_bytes(a) * b->n + total_bytes(b) * a->n <= BS_SET_MOST_BYTES;
}

bool bs_set_cross(struct bs_arena *arena, const struct bs_set *a, const struct bs_set *b, struct bs_set *set_out)
{
	if (bs_set_is_empty_string(a) || bs_set_is_empty_string(b)) {
		*set_out = bs_set_is_empty_string(a) ? *b : *a;
		return true;
	}
	if (!is_worth_crossing(a, b))
		return false;
	struct bs_string *strings = bs_arena_take(arena, a->n * b->n * sizeof(*strings));
	uint32_t n = 0;
	for (uint32_t i = 0; i < a->n; i++) {
		for (uint32_t k = 0; k < b->n; k++) {
			struct bs_string x = a->strings[i], y = b->strings[k];
			uint8_t *bytes = bs_arena_take(arena, x.n_bytes + y.n_bytes);
			memcpy(bytes, x.bytes, x.n_bytes);
			memcpy(bytes + x.n_bytes, y.bytes, y.n_bytes);
			n = insert(strings, n, (struct bs_string){bytes, x.n_bytes + y.n_bytes});
		}
	}
	*set_out = (struct bs_set){strings, n};
	return true;
}

bool bs_set_join(struct bs_arena *arena, const struct bs_set *a, const struct bs_set *b, struct bs_set *set_out)
{
	if (a->n + b->n > BS_SET_MOST_STRINGS || total_bytes(a) + total_bytes(b) > BS_SET_MOST_BYTES)
		return false;
	struct bs_string *strings = bs_arena_take(arena, (a->n + b->n) * sizeof(*strings));
	memcpy(strings, a->strings, a->n * sizeof(*strings));
	uint32_t n = a->n;
	for (uint32_t i = 0; i < b->n; i++)
		n = insert(strings, n, b->strings[i]);
	*set_out = (struct bs_set){strings, n};
	return true;
}

static bool has_part(const struct bs_string *whole, const struct bs_string *part, bool is_end)
{
	if (part->n_bytes >= whole->n_bytes)
		return false;
	size_t from = is_end ? whole->n_bytes - part->n_bytes : 0;
	return memcmp(whole->bytes + from, part->bytes, part->n_bytes) == 0;
}

struct bs_set bs_set_shortest(struct bs_arena *arena, const struct bs_set *set, bool are_ends)
{
	if (set->n == 1)
		return *set;
	struct bs_string *strings = bs_arena_take(arena, set->n * sizeof(*strings));
	uint32_t n = 0;
	for (uint32_t i = 0; i < set->n; i++) {
		bool is_longer = false;
		for (uint32_t k = 0; k < set->n && !is_longer; k++)
			is_longer = has_part(&set->strings[i], &set->strings[k], are_ends);
		if (!is_longer)
			strings[n++] = set->strings[i];
	}
	return (struct bs_set){strings, n};
}
