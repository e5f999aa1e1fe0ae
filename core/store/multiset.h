/*
 * multiset.h: a multiset of numbers in two parts: the set of numbers, which can be queried and is
 * stored in a summary, and their counts, which only the maker of the next summary reads. The cost
 * of a change depends on how many numbers were added and removed since `base` was made, not on the
 * size of the multiset, because `base` is kept encoded.
 *
 *      set      base     numbers counted when the multiset was made from scratch
 *               more     numbers added since, each once; some may be in base, too
 *               gone     numbers of base whose count is 0 now
 *      counts   beyond   numbers of base, each repeated (its count when base was made) - 1 times
 *               gained   numbers, repeated by the increase of their count since; without the one
 *                        occurrence that is in more
 *               lost     numbers, repeated by the decrease of their count since
 *
 * This is a counting filter of one hash whose counters, which are nearly all 0 or 1, are lists.
 * Counters cannot overflow.
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
#define BS_MULTISET_SHOWN 3u /* number of lists of the set */

/* A multiset in a file. The caller has verified its pages. */
struct bs_stored_multiset {
	struct bs_coded_section lists[BS_MULTISET_LISTS];
};

/* A multiset being made. Each list is either an encoded list that is kept, or numbers, ascending,
 * u64 each. Zero-initialised it is empty and in memory. */
struct bs_multiset {
	/* Borrowed, nullable: lists are made in temporary files of this directory. */
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

/* Frees the lists. Keeps only multiset->files, so that the multiset can be made again. */
void bs_multiset_deinit(struct bs_multiset *multiset);
/* An upper bound of the number of distinct numbers: those in both base and more count twice. */
uint64_t bs_multiset_n(const struct bs_multiset *multiset);
uint64_t bs_multiset_list_n(const struct bs_multiset *multiset, enum bs_multiset_list list);

/* Makes a multiset from ascending numbers, with repeats. It must be empty before. BS_NO_MEMORY. */
enum bs_status bs_multiset_count(struct bs_multiset *multiset, struct bs_numbers numbers,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Replaces the lists of `multiset` by those of the stored multiset, plus the numbers `came`, minus
 * the numbers `went`; both ascend, with repeats. BS_CORRUPT, BS_NO_MEMORY.
 *
 * bs_multiset_change keeps the list `base`, bs_multiset_fold makes a new one. Both set *is_done_out
 * to false if a number would be removed more often than it is present (bs_multiset_change may not
 * notice this if the number was never there). bs_multiset_change also sets it to false if many
 * numbers have changed, so that bs_multiset_fold is better. If it is false, the lists of `multiset`
 * are not usable. */
enum bs_status bs_multiset_change(const struct bs_stored_multiset *told, struct bs_numbers came,
                                  struct bs_numbers went, struct bs_multiset *multiset,
                                  bool *is_done_out, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_multiset_fold(const struct bs_stored_multiset *told, struct bs_numbers came,
                                struct bs_numbers went, struct bs_multiset *multiset,
                                bool *is_done_out, struct bs_error *err) BS_WARN_UNUSED;

/* Sets without counts: multisets of three lists. */

/* Adds the numbers of a set to the list `base` of `multiset`, which has no other list and does not
 * keep `base` encoded. BS_NO_MEMORY. */
enum bs_status bs_multiset_add(struct bs_multiset *multiset, struct bs_numbers set,
                               struct bs_error *err) BS_WARN_UNUSED;
/* Removes from a and from b the numbers that are in both; both ascend. */
void bs_multiset_leave_out_both(struct bs_buffer *a, struct bs_buffer *b);
/* Removes from `numbers`, which ascend, those that are in the list. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_multiset_subtract(const struct bs_coded_section *list, struct bs_buffer *numbers,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Removes from `numbers` those that are not in `others`; both ascend. */
void bs_multiset_keep(struct bs_buffer *numbers, struct bs_numbers others);
/* bs_multiset_change for a set without counts. Numbers of `went` are in the set and not in `came`;
 * numbers of `came` may be in the set. more: the decoded list `more` of the set. stays: the caller
 * knows that no number of base is removed, so numbers of `went` are only removed from `more`.
 * BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_multiset_change_set(const struct bs_coded_set *set, struct bs_numbers more,
                                      struct bs_numbers came, struct bs_numbers went, bool stays,
                                      struct bs_multiset *multiset, bool *is_done_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* In sets without counts: while `more` has at most 1/BS_MULTISET_MORE_SHARE as many numbers as
 * base, it may also have numbers of base. */
#define BS_MULTISET_MORE_SHARE 8u
/* Appends the numbers of a set, ascending. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_multiset_read_set(const struct bs_coded_set *set, struct bs_buffer *numbers,
                                    struct bs_error *err) BS_WARN_UNUSED;
