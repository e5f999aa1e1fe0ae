/*
 * multiset.h: numbers and how often each counts, as two parts: a set that can be asked, which is in
 * a summary, and counts, which only who makes the next ones reads. A change costs by what comes and
 * goes, not by what there is: that stays as it is coded.
 *
 *      set      base     numbers that counted when this was made from scratch
 *               more     numbers that came since, each once; some may be in base, too
 *               gone     numbers of base that do not count any more
 *      counts   beyond   numbers of base, each as often as it counted then, all but once
 *               gained   numbers, each as often as it counts more than then, beside more
 *               lost     numbers, each as often as it counts less than then
 *
 * This is a counting filter of one hash whose counters, nearly all 0 or 1, are lists. Nothing can
 * overflow.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/file/coded_section.h"

enum bs_multiset_list {
	BS_MULTISET_BASE,
	BS_MULTISET_MORE,
	BS_MULTISET_GONE,
	BS_MULTISET_BEYOND,
	BS_MULTISET_GAINED,
	BS_MULTISET_LOST,
	BS_MULTISET_LISTS
};
#define BS_MULTISET_SHOWN 3u /* so many lists are the set */

/* As it is in files, whose pages must have been verified. */
struct bs_told_tally {
	struct bs_coded_section lists[BS_MULTISET_LISTS];
};

/* One that is made: each list is one that there is, coded, or these numbers, ascending, u64 each.
 * Zeros are an empty one, in memory. */
struct bs_multiset {
	/* borrowed, nullable: lists are made in temporary files of this directory */
	const struct bs_dir *files;
	const struct bs_coded_section *kept[BS_MULTISET_LISTS]; /* nullable */
	struct bs_buffer made[BS_MULTISET_LISTS];
};

struct bs_numbers {
	uint64_t *at;
	size_t n;
};
static inline struct bs_numbers bs_numbers_in(const struct bs_buffer *buffer)
{
	return (struct bs_numbers){(uint64_t *)(void *)buffer->data,
	                           buffer->used_bytes / sizeof(uint64_t)};
}

/* Frees the lists; files stays. */
void bs_multiset_deinit(struct bs_multiset *multiset);
/* How many different numbers count, at most: some may be counted twice. */
uint64_t bs_multiset_n(const struct bs_multiset *multiset);
/* How many numbers a list has. */
uint64_t bs_multiset_list_n(const struct bs_multiset *multiset, enum bs_multiset_list list);

/* Counts, in an empty one, each number as often as it is there; they ascend. BS_NO_MEMORY. */
enum bs_status bs_multiset_count(struct bs_multiset *multiset, struct bs_numbers numbers,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* What a multiset that is told becomes, in an empty one, when these numbers came and went, which
 * ascend, and may be there several times. change leaves base as it is, unless so much has changed
 * since it was made that fold is better: *is_done_out false. fold makes another base. *is_done_out
 * false: more went than there was. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_multiset_change(const struct bs_told_tally *told, struct bs_numbers came,
                                  struct bs_numbers went, struct bs_multiset *multiset,
                                  bool *is_done_out, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_multiset_fold(const struct bs_told_tally *told, struct bs_numbers came,
                                struct bs_numbers went, struct bs_multiset *multiset,
                                bool *is_done_out, struct bs_error *err) BS_WARN_UNUSED;

/* Of sets alone, without counts: multisets of three lists. */

/* Adds the numbers of a set, in one that was made so. BS_NO_MEMORY. */
enum bs_status bs_multiset_add(struct bs_multiset *multiset, struct bs_numbers set,
                               struct bs_error *err) BS_WARN_UNUSED;
/* Leaves out of two runs of ascending numbers those that are in both. */
void bs_multiset_leave_out_both(struct bs_buffer *a, struct bs_buffer *b);
/* Leaves out of ascending numbers those that a list has. BS_CORRUPT. */
enum bs_status bs_multiset_leave_out(const struct bs_coded_section *list, struct bs_buffer *numbers,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Leaves of ascending numbers those that are among others. */
void bs_multiset_keep(struct bs_buffer *numbers, struct bs_numbers others);
/* As bs_multiset_change. What went is in the set; what came may be in it, and is not among what
 * went. more is that of the set, read. stays: all of base is known to, so that what went is gone
 * from more alone. */
enum bs_status bs_multiset_change_set(const struct bs_coded_set *set, struct bs_numbers more,
                                      struct bs_numbers came, struct bs_numbers went, bool stays,
                                      struct bs_multiset *multiset, bool *is_done_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Which is more of a set than may stand beside a base of so many numbers, perhaps in both. */
#define BS_MULTISET_MORE_SHARE 8u
/* Appends the numbers that a set has. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_multiset_read_set(const struct bs_coded_set *set, struct bs_buffer *numbers,
                                    struct bs_error *err) BS_WARN_UNUSED;
