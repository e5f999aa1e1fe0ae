/*
 * gram_plan.h: how the grams of a file become a row of bits: what class it is of by their number, how wide the rows of
 * that class are, and which trigrams are frequent in it (core/gram_slab.h). Fixed before a run, so that a file's row can be
 * made as soon as the file is read, on whatever thread, and nothing but rows is ever held.
 */
#ifndef BS_INDEXER_GRAM_PLAN_H
#define BS_INDEXER_GRAM_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/gram_slab.h"
#include "core/status.h"

/* Where no row is made: the text of the document is not a file's. */
#define BS_GRAM_NO_CLASS UINT32_MAX

struct bs_gram_class {
	uint32_t n_columns; /* m */
	uint32_t n_exact;
	uint32_t n_left_out;
	uint32_t *exact;    /* trigrams, ascending */
	uint32_t *left_out;
};

/* Zero-initialise; then bs_gram_plan_set for the classes of which something is known, then bs_gram_plan_finish. */
struct bs_gram_plan {
	struct bs_gram_class classes[BS_GRAM_CLASSES];
	/* The trigrams that are frequent in any class, by a hash of theirs; behind a filter of a bit each. */
	uint64_t *filter;
	uint64_t *slots;      /* trigram << 32 | its number + 1; 0 is empty */
	uint32_t slot_mask;
	uint32_t n_frequent;
	uint16_t *treatments; /* by class and number: 0 hashed, 1 left out, else an exact column + 2 */
};
void bs_gram_plan_deinit(struct bs_gram_plan *plan);

/* More than anybody needs: a class that has more is not set. */
#define BS_GRAM_MOST_EXACT 60000u

/* Takes over a class's numbers; copies the lists. BS_NO_MEMORY. */
enum bs_status bs_gram_plan_set(struct bs_gram_plan *plan, uint32_t class, uint32_t n_columns, const uint32_t *exact,
                                uint32_t n_exact, const uint32_t *left_out, uint32_t n_left_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Classes that were not set hash every gram. BS_NO_MEMORY. */
enum bs_status bs_gram_plan_finish(struct bs_gram_plan *plan, struct bs_error *err) BS_WARN_UNUSED;

/* The class of a file with so many distinct grams. */
uint32_t bs_gram_class_of(uint64_t n_grams);
/* Columns of a class, if so much of the grams of its files is hashed. */
uint32_t bs_gram_class_columns(uint32_t class, double share_hashed);

/* Rows are whole words, the first column in the lowest bit of the first. */
static inline uint32_t bs_gram_row_words(const struct bs_gram_plan *plan, uint32_t class)
{
	uint64_t n_bits = (uint64_t)plan->classes[class].n_columns + plan->classes[class].n_exact;
	return (uint32_t)((n_bits + 63) / 64);
}

/* Sets the bits of a file's distinct grams in its row, which must be zeros. class: bs_gram_class_of(n_keys). */
void bs_gram_plan_row(const struct bs_gram_plan *plan, uint32_t class, const uint64_t *keys, size_t n_keys,
                      uint64_t *row);

#endif
