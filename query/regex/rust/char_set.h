/* char_set.h: sets of code points, or of bytes, as sorted ranges. */
#pragma once

#include "core/base/vector.h"
#include "core/bitsift/status.h"

#define BS_CODE_MAX 0x10ffffu
#define BS_BYTE_MAX 0xffu

struct bs_char_range {
	uint32_t first, last;
};

BS_VECTOR(bs_char_ranges, struct bs_char_range);

/* Zero-initialise; release with bs_char_set_deinit. The ranges are only sorted and merged after a
 * call of bs_char_set_n. Sticky: after the first failure (BS_NO_MEMORY, BS_UNSUPPORTED without ICU,
 * or those of a deadline) a set does not change, and its content is meaningless. */
struct bs_char_set {
	struct bs_char_ranges ranges;
	bool is_unsorted;
	enum bs_status status;
	struct bs_error *err;
};

static inline void bs_char_set_deinit(struct bs_char_set *set)
{
	bs_vector_deinit(&set->ranges);
}

/* Sorts the ranges, merges those that touch, and returns their number. */
size_t bs_char_set_n(struct bs_char_set *set);
void bs_char_set_add(struct bs_char_set *set, uint32_t first, uint32_t last);
/* `other` must not be `set`. */
void bs_char_set_unite(struct bs_char_set *set, struct bs_char_set *other);
void bs_char_set_intersect(struct bs_char_set *set, struct bs_char_set *other);
void bs_char_set_subtract(struct bs_char_set *set, struct bs_char_set *other);
/* Keeps what exactly one of the two sets contains. */
void bs_char_set_differ(struct bs_char_set *set, struct bs_char_set *other);
/* Replaces the set by its complement in 0..last. last: BS_CODE_MAX or BS_BYTE_MAX. No set of code
 * points contains surrogates. */
void bs_char_set_negate(struct bs_char_set *set, uint32_t last);
/* Adds the characters whose simple case folding is that of a character of the set. is_ascii: only
 * ASCII letters have another case. */
void bs_char_set_fold(struct bs_char_set *set, bool is_ascii);
bool bs_char_set_has(struct bs_char_set *set, uint32_t c);
