/*
 * regex_needs.h: a gram tree while it grows, and the memory it grows in. Inside query/ only: regex_grams.c says what a
 * pattern needs; here are the arena, sets of strings, AND and OR with what makes them smaller, and the final tree.
 */
#ifndef BS_QUERY_REGEX_NEEDS_H
#define BS_QUERY_REGEX_NEEDS_H

#include "query/gram_tree.h"

/* ---- memory ---- */

/* What one step of the analysis may allocate at most, and all of them together. */
#define BS_ARENA_STEP_BYTES (384u << 10)
#define BS_ARENA_MOST_BYTES (48u << 20)

struct bs_arena_block;

/* Zero-initialise; release with bs_arena_deinit. */
struct bs_arena {
	struct bs_arena_block *last;
	size_t used_bytes;  /* of the last block */
	size_t total_bytes; /* asked for in all */
};

/* Makes sure that the next BS_ARENA_STEP_BYTES can be had. is_full_out: the work is over its limit. BS_NO_MEMORY. */
enum bs_status bs_arena_prepare(struct bs_arena *arena, bool *is_full_out, struct bs_error *err) BS_WARN_UNUSED;
/* Never NULL within what was prepared; aligned for any of our structs. */
void *bs_arena_take(struct bs_arena *arena, size_t n_bytes);
void bs_arena_deinit(struct bs_arena *arena);

/* ---- sets of strings ---- */

#define BS_SET_MOST_STRINGS 64u
#define BS_SET_MOST_BYTES   4096u

struct bs_string {
	const uint8_t *bytes;
	uint32_t n_bytes;
};

/* Sorted, distinct, at least one; strings and array are immutable, in the arena or the regex. */
struct bs_set {
	const struct bs_string *strings;
	uint32_t n;
};

struct bs_set bs_set_of(struct bs_arena *arena, const uint8_t *bytes, uint32_t n_bytes);
/* The empty string alone: as a set of beginnings or ends, no knowledge. */
struct bs_set bs_set_empty(void);
bool bs_set_is_empty_string(const struct bs_set *set);
/* Each of a followed by each of b; false if that is too much. */
bool bs_set_cross(struct bs_arena *arena, const struct bs_set *a, const struct bs_set *b, struct bs_set *set_out);
/* false if that is too much. */
bool bs_set_join(struct bs_arena *arena, const struct bs_set *a, const struct bs_set *b, struct bs_set *set_out);
/* As beginnings, or ends: what begins (ends) with another of the set is left out. */
struct bs_set bs_set_shortest(struct bs_arena *arena, const struct bs_set *set, bool are_ends);

/* ---- needs ---- */

#define BS_NEED_MOST_ANDED 256u
#define BS_NEED_MOST_ORED  16384u

/* A node in the making. Immutable, and shared by whoever needs it. */
struct bs_need {
	enum bs_gram_node_kind kind;
	uint32_t n_children;
	const struct bs_need *const *children;
	struct bs_string literal;
	uint32_t n_leaves; /* below and with it, shared ones as often as they are */
};

extern const struct bs_need bs_need_any, bs_need_none;

/* ANY for what is too short for a gram. */
const struct bs_need *bs_need_literal(struct bs_arena *arena, const uint8_t *bytes, uint32_t n_bytes);
/* One of the strings. */
const struct bs_need *bs_need_of_set(struct bs_arena *arena, const struct bs_set *set);
const struct bs_need *bs_need_and(struct bs_arena *arena, const struct bs_need *a, const struct bs_need *b);
/* needs may be changed. n >= 0; NONE of none; ANY of more than BS_NEED_MOST_ORED. */
const struct bs_need *bs_need_or(struct bs_arena *arena, const struct bs_need **needs, uint32_t n);

/* Makes the tree of it, on its own memory. BS_NO_MEMORY. */
enum bs_status bs_need_finish(const struct bs_need *need, struct bs_gram_tree **tree_out,
                              struct bs_error *err) BS_WARN_UNUSED;

#endif
