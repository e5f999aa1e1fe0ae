/* term_table.c: an open-addressing hash table with linear probing. See term_table.h. */
#include "core/collections/term_table.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/deadline.h"

#define FIRST_SLOTS   4096u
#define LARGE_SLOTS   (1u << 18)
#define LARGE_ENTRIES ((size_t)1 << 18)
#define ENTRY_BYTES   sizeof(struct bs_term_entry)
#define SLOT_NS       5u /* estimated time of moving one slot, for the deadline */

static int64_t held_by_slots(const struct bs_term_table *table)
{
	return table->slots ? (int64_t)(((uint64_t)table->slot_mask + 1) * sizeof(*table->slots))
	                    : 0;
}

void bs_term_table_deinit(struct bs_term_table *table)
{
	(void)!bs_memory_budget_add(-held_by_slots(table), NULL);
	free(table->slots);
	bs_buffer_deinit(&table->bytes);
	bs_buffer_deinit(&table->of_entries);
	*table = (struct bs_term_table){0};
}

void bs_term_table_clear(struct bs_term_table *table)
{
	/* A huge table is freed. After one enormous document, clearing the table for every small
	 * one would cost more than growing a new one. */
	if (table->slot_mask > LARGE_SLOTS ||
	    table->of_entries.capacity_bytes > LARGE_ENTRIES * ENTRY_BYTES)
		bs_term_table_deinit(table);
	if (table->slots)
		memset(table->slots, 0, ((size_t)table->slot_mask + 1) * sizeof(*table->slots));
	bs_buffer_clear(&table->bytes);
	bs_buffer_clear(&table->of_entries);
	table->n_terms = 0;
}

void bs_term_table_seal(struct bs_term_table *table)
{
	(void)!bs_memory_budget_add(-held_by_slots(table), NULL);
	free(table->slots);
	table->slots = NULL;
	table->slot_mask = 0;
}

/* True if the table is more than two thirds full. Up to there, probe sequences are short. */
static bool is_crowded(uint64_t n_terms, uint64_t n_slots)
{
	return n_terms * 3 > n_slots * 2;
}

uint64_t bs_term_table_slot_bytes(const struct bs_term_table *table)
{
	uint64_t n_slots = table->n_terms ? FIRST_SLOTS : 0;
	while (is_crowded(table->n_terms, n_slots))
		n_slots *= 2;
	return n_slots * sizeof(uint64_t);
}

uint64_t bs_term_table_bytes(const struct bs_term_table *table)
{
	return (uint64_t)table->n_terms * ENTRY_BYTES + bs_term_table_slot_bytes(table) +
	       table->bytes.used_bytes;
}

static void place(struct bs_term_table *table, uint64_t slot)
{
	uint32_t at = bs_term_table_slot(table, slot);
	while (table->slots[at])
		at = (at + 1) & table->slot_mask;
	table->slots[at] = slot;
}

static enum bs_status grow_slots(struct bs_term_table *table, struct bs_error *err)
{
	size_t n_slots = table->slots ? ((size_t)table->slot_mask + 1) * 2 : FIRST_SLOTS;
	/* A slot holds only 32 bits of the hash. */
	if (n_slots > (size_t)UINT32_MAX + 1)
		return bs_fail_memory(err, "a dictionary of 2^31 terms",
		                      n_slots * sizeof(uint64_t));
	int64_t more_bytes = (int64_t)(n_slots * sizeof(*table->slots)) - held_by_slots(table);
	enum bs_status status = bs_memory_budget_add(more_bytes, err);
	if (status)
		return status;
	uint64_t *slots = calloc(n_slots, sizeof(*slots));
	if (!slots) {
		(void)!bs_memory_budget_add(-more_bytes, NULL);
		return bs_fail_memory(err, "a dictionary", n_slots * sizeof(*slots));
	}
	bs_buffer_advise(slots, n_slots * sizeof(*slots));
	uint64_t *old_slots = table->slots;
	size_t n_old = old_slots ? (size_t)table->slot_mask + 1 : 0;
	table->slots = slots;
	table->slot_mask = (uint32_t)(n_slots - 1);
	table->slot_shift = (uint32_t)__builtin_clzll(n_slots) + 1;
	/* Slots are in the order of hashes, so old and new slots are visited sequentially, and no
	 * entry is read. */
	for (size_t i = 0; i < n_old && !status; i++) {
		if (old_slots[i])
			place(table, old_slots[i]);
		status = bs_deadline_each(i, SLOT_NS, err);
	}
	/* Restore the old slots: the table stays unchanged. */
	if (status) {
		table->slots = old_slots;
		table->slot_mask = (uint32_t)(n_old - 1);
		table->slot_shift = (uint32_t)__builtin_clzll(n_old | 1) + 1;
		(void)!bs_memory_budget_add(-more_bytes, NULL);
		old_slots = slots;
	}
	free(old_slots);
	return status;
}

enum bs_status bs_term_table_add(struct bs_term_table *table, const uint8_t *bytes,
                                 uint32_t n_bytes, uint64_t hash, uint32_t *number_out,
                                 struct bs_error *err)
{
	struct bs_term_entry entry = {
		.hash = hash, .offset = table->bytes.used_bytes, .n_bytes = n_bytes};
	enum bs_status status = BS_OK;
	if (table->n_terms == UINT32_MAX)
		status =
			bs_fail_memory(err, "a dictionary of 2^32 terms", UINT32_MAX * ENTRY_BYTES);
	if (!table->entries && !status)
		status = bs_buffer_reserve(&table->of_entries, FIRST_SLOTS / 2 * ENTRY_BYTES, err);
	if (!status && (!table->slots ||
	                is_crowded((uint64_t)table->n_terms + 1, (uint64_t)table->slot_mask + 1)))
		status = grow_slots(table, err);
	if (!status)
		status = bs_buffer_append(&table->bytes, bytes, n_bytes, err);
	if (!status)
		status = bs_buffer_append(&table->of_entries, &entry, ENTRY_BYTES, err);
	if (status)
		return status;
	table->entries = (struct bs_term_entry *)(void *)table->of_entries.data;
	place(table, (hash & ~(uint64_t)UINT32_MAX) | ((uint64_t)table->n_terms + 1));
	*number_out = table->n_terms++;
	return BS_OK;
}

bool bs_term_table_is(const struct bs_term_table *table, uint32_t number, const uint8_t *bytes,
                      uint32_t n_bytes, uint64_t hash)
{
	const struct bs_term_entry *entry = &table->entries[number];
	return entry->hash == hash && entry->n_bytes == n_bytes &&
	       (!n_bytes || memcmp(table->bytes.data + entry->offset, bytes, n_bytes) == 0);
}

bool bs_term_table_find(const struct bs_term_table *table, const uint8_t *bytes, uint32_t n_bytes,
                        uint64_t hash, uint32_t *number_out)
{
	if (!table->slots)
		return false;
	for (uint32_t at = bs_term_table_slot(table, hash); table->slots[at];
	     at = (at + 1) & table->slot_mask) {
		uint32_t number = (uint32_t)table->slots[at] - 1;
		if ((table->slots[at] ^ hash) <= UINT32_MAX &&
		    bs_term_table_is(table, number, bytes, n_bytes, hash)) {
			*number_out = number;
			return true;
		}
	}
	return false;
}

enum bs_status bs_term_table_intern(struct bs_term_table *table, const uint8_t *bytes,
                                    uint32_t n_bytes, uint64_t hash, uint32_t *number_out,
                                    bool *is_new_out, struct bs_error *err)
{
	bool is_new = !bs_term_table_find(table, bytes, n_bytes, hash, number_out);
	if (is_new_out)
		*is_new_out = is_new;
	if (!is_new)
		return BS_OK;
	return bs_term_table_add(table, bytes, n_bytes, hash, number_out, err);
}
