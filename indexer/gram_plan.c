/* gram_plan.c: see gram_plan.h. */
#include "indexer/gram_plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/grams.h"
#include "core/hash.h"

#define TRIGRAM_MASK 0xffffffu
#define FILTER_BITS  (1u << 17) /* 16 KB: stays in the first level of cache; frequent trigrams are some thousands */
#define LEAST_SLOTS  64u

/* At one column a gram, a share d of the bits is set where there are 1 / -ln(1 - d) columns for each gram. */
#define COLUMNS_A_GRAM 2.8037 /* d = 0.3 */
#define LEAST_COLUMNS  8u

enum { TREATMENT_HASHED = 0, TREATMENT_LEFT_OUT = 1, TREATMENT_EXACT = 2 };

/* ---- classes ---- */

uint32_t bs_gram_class_of(uint64_t n_grams)
{
	if (n_grams == 0)
		return 0;
	if (n_grams > UINT32_MAX)
		return BS_GRAM_CLASSES - 1;
	uint32_t log = 63 - (uint32_t)__builtin_clzll(n_grams);
	/* n >= 2^(log + 1/2), squared. */
	return 1 + 2 * log + (n_grams * n_grams >= UINT64_C(1) << (2 * log + 1));
}

uint32_t bs_gram_class_columns(uint32_t class, double share_hashed)
{
	if (class == 0)
		return 0;
	/* From 1 to the square root of 2 times the least number; in the middle of that. */
	double middle = (double)(UINT64_C(1) << (class - 1) / 2) * ((class - 1) % 2 ? 1.41421356 : 1.0) * 1.19;
	double n = middle * share_hashed * COLUMNS_A_GRAM;
	/* A file of more grams than that is a candidate for everything: its bits are all set. */
	return n > 1e9 ? 1000000000u : n < LEAST_COLUMNS ? LEAST_COLUMNS : (uint32_t)n;
}

static enum bs_status copy_list(const uint32_t *from, uint32_t n, uint32_t **to, struct bs_error *err)
{
	free(*to);
	*to = malloc(((size_t)n + 1) * sizeof(**to));
	if (!*to)
		return bs_fail_memory(err, "frequent trigrams", n * sizeof(**to));
	if (n)
		memcpy(*to, from, n * sizeof(**to));
	return BS_OK;
}

enum bs_status bs_gram_plan_set(struct bs_gram_plan *plan, uint32_t class, uint32_t n_columns, const uint32_t *exact,
                                uint32_t n_exact, const uint32_t *left_out, uint32_t n_left_out, struct bs_error *err)
{
	struct bs_gram_class *to = &plan->classes[class];
	enum bs_status status = copy_list(exact, n_exact, &to->exact, err);
	if (!status)
		status = copy_list(left_out, n_left_out, &to->left_out, err);
	if (status)
		return status;
	to->n_columns = n_columns;
	to->n_exact = n_exact;
	to->n_left_out = n_left_out;
	return BS_OK;
}

void bs_gram_plan_deinit(struct bs_gram_plan *plan)
{
	for (uint32_t class = 0; class < BS_GRAM_CLASSES; class++) {
		free(plan->classes[class].exact);
		free(plan->classes[class].left_out);
	}
	free(plan->filter);
	free(plan->slots);
	free(plan->treatments);
	*plan = (struct bs_gram_plan){.filter = NULL};
}

/* ---- frequent trigrams ---- */

static inline uint32_t trigram_hash(uint32_t trigram)
{
	return (trigram * UINT32_C(0x9e3779b1)) >> 8;
}

/* Its slot, or the empty one where it would be. */
static inline uint32_t slot_of(const struct bs_gram_plan *plan, uint32_t trigram)
{
	uint32_t at = trigram_hash(trigram) & plan->slot_mask;
	while (plan->slots[at] && plan->slots[at] >> 32 != trigram)
		at = (at + 1) & plan->slot_mask;
	return at;
}

static void number_list(struct bs_gram_plan *plan, const uint32_t *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = slot_of(plan, list[i]), bit = trigram_hash(list[i]) % FILTER_BITS;
		if (!plan->slots[at])
			plan->slots[at] = (uint64_t)list[i] << 32 | ++plan->n_frequent;
		plan->filter[bit / 64] |= UINT64_C(1) << (bit % 64);
	}
}

static void treat_list(struct bs_gram_plan *plan, uint32_t class, const uint32_t *list, uint32_t n, bool is_exact)
{
	uint16_t *treatments = plan->treatments + (size_t)class * plan->n_frequent;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t number = (uint32_t)plan->slots[slot_of(plan, list[i])] - 1;
		treatments[number] = (uint16_t)(is_exact ? TREATMENT_EXACT + i : TREATMENT_LEFT_OUT);
	}
}

/* Distinct ones of all lists: the table is looked at for every gram of every file, and is to stay in cache. */
static enum bs_status count_frequent(const struct bs_gram_plan *plan, uint32_t *n_out, struct bs_error *err)
{
	uint8_t *seen = calloc(TRIGRAM_MASK / 8 + 1, 1);
	if (!seen)
		return bs_fail_memory(err, "frequent trigrams", TRIGRAM_MASK / 8 + 1);
	*n_out = 0;
	for (uint32_t class = 0; class < BS_GRAM_CLASSES; class++) {
		const struct bs_gram_class *of = &plan->classes[class];
		for (uint32_t i = 0; i < of->n_exact + of->n_left_out; i++) {
			uint32_t trigram = i < of->n_exact ? of->exact[i] : of->left_out[i - of->n_exact];
			*n_out += !(seen[trigram / 8] >> (trigram % 8) & 1);
			seen[trigram / 8] |= (uint8_t)(1u << (trigram % 8));
		}
	}
	free(seen);
	return BS_OK;
}

enum bs_status bs_gram_plan_finish(struct bs_gram_plan *plan, struct bs_error *err)
{
	uint32_t n_frequent = 0;
	size_t n_slots = LEAST_SLOTS;
	enum bs_status status = count_frequent(plan, &n_frequent, err);
	if (status)
		return status;
	while (n_slots < 2 * (size_t)n_frequent)
		n_slots *= 2;
	plan->slot_mask = (uint32_t)n_slots - 1;
	plan->filter = calloc(FILTER_BITS / 64, sizeof(*plan->filter));
	plan->slots = calloc(n_slots, sizeof(*plan->slots));
	plan->treatments = calloc(((size_t)n_frequent + 1) * BS_GRAM_CLASSES, sizeof(*plan->treatments));
	if (!plan->filter || !plan->slots || !plan->treatments)
		return bs_fail_memory(err, "frequent trigrams", n_slots * sizeof(*plan->slots));
	for (uint32_t class = 0; class < BS_GRAM_CLASSES; class++) {
		number_list(plan, plan->classes[class].exact, plan->classes[class].n_exact);
		number_list(plan, plan->classes[class].left_out, plan->classes[class].n_left_out);
	}
	for (uint32_t class = 1; class < BS_GRAM_CLASSES; class++) {
		struct bs_gram_class *of = &plan->classes[class];
		if (of->n_columns == 0)
			of->n_columns = bs_gram_class_columns(class, 1);
		treat_list(plan, class, of->exact, of->n_exact, true);
		treat_list(plan, class, of->left_out, of->n_left_out, false);
	}
	return BS_OK;
}

/* ---- rows ---- */

static inline void set_bit(uint64_t *row, uint32_t bit)
{
	row[bit / 64] |= UINT64_C(1) << (bit % 64);
}

void bs_gram_plan_row(const struct bs_gram_plan *plan, uint32_t class, const uint64_t *keys, size_t n_keys, uint64_t *row)
{
	uint32_t m = plan->classes[class].n_columns;
	const uint16_t *treatments = plan->treatments + (size_t)class * plan->n_frequent;
	for (size_t i = 0; i < n_keys; i++) {
		uint32_t trigram = (uint32_t)keys[i] & TRIGRAM_MASK, bit = trigram_hash(trigram) % FILTER_BITS;
		if ((plan->filter[bit / 64] >> (bit % 64) & 1) && bs_gram_bytes(keys[i]) == BS_GRAM_LEAST) {
			uint64_t slot = plan->slots[slot_of(plan, trigram)];
			uint32_t treatment = slot ? treatments[(uint32_t)slot - 1] : TREATMENT_HASHED;
			if (treatment >= TREATMENT_EXACT)
				set_bit(row, m + treatment - TREATMENT_EXACT);
			if (treatment != TREATMENT_HASHED)
				continue;
		}
		set_bit(row, bs_gram_hash_column(keys[i], m));
	}
}
