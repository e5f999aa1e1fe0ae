/* term_table.h: numbers distinct byte strings in order of first appearance. Used, for example, for
 * the terms of a batch, the names of fields and the words of a text. Not thread-safe. */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"

struct bs_term_entry {
	uint64_t hash;   /* bs_hash_slot of the string */
	uint64_t offset; /* offset of the string in bs_term_table.bytes */
	uint32_t n_bytes;
	uint32_t df; /* for the caller: the number of documents that have the term */
};

/* A zero-initialised table is empty. entries[0..n_terms) is indexed by number. `entries` and the
 * strings may move with every new term. */
struct bs_term_table {
	struct bs_term_entry *entries;
	uint32_t n_terms;
	/* Hash table. Low half of a slot: number + 1; high half: the high half of the hash. 0:
	 * empty slot. */
	uint64_t *slots;
	uint32_t slot_mask; /* number of slots, a power of two, less one */
	/* hash >> slot_shift is the index of the slot, so that slots are in the order of hashes. */
	uint32_t slot_shift;
	struct bs_buffer bytes;      /* the strings */
	struct bs_buffer of_entries; /* the memory of `entries` */
};

void bs_term_table_deinit(struct bs_term_table *table);
/* Removes all strings. Keeps the memory, unless the table is huge. */
void bs_term_table_clear(struct bs_term_table *table);
/* Frees `slots`. Until the table is cleared, strings can be read by number, but not found or
 * added. */
void bs_term_table_seal(struct bs_term_table *table);

/* Returns the number of the string; adds it if it is new. hash is bs_hash_slot of the string.
 * is_new_out may be NULL. BS_NO_MEMORY, also if there are more than two thirds of 2^32 strings, or
 * the deadline's status. */
enum bs_status bs_term_table_intern(struct bs_term_table *table, const uint8_t *bytes,
                                    uint32_t n_bytes, uint64_t hash, uint32_t *number_out,
                                    bool *is_new_out, struct bs_error *err) BS_WARN_UNUSED;

/* Adds a string that is not in the table. Fails like bs_term_table_intern. */
enum bs_status bs_term_table_add(struct bs_term_table *table, const uint8_t *bytes,
                                 uint32_t n_bytes, uint64_t hash, uint32_t *number_out,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* True if the string is in the table; sets its number. */
bool bs_term_table_find(const struct bs_term_table *table, const uint8_t *bytes, uint32_t n_bytes,
                        uint64_t hash, uint32_t *number_out);

/* True if `number` is the number of this string. */
bool bs_term_table_is(const struct bs_term_table *table, uint32_t number, const uint8_t *bytes,
                      uint32_t n_bytes, uint64_t hash);

/* Prefetch functions must always be inlined: gcc 12 classifies a function that only prefetches as
 * "pure" and removes calls of it unless it is inlined before. */
#define BS_PREFETCHING __attribute__((always_inline)) static inline

/* The slot where the search for a string begins. The table must have slots. */
static inline uint32_t bs_term_table_slot(const struct bs_term_table *table, uint64_t hash)
{
	return (uint32_t)(hash >> table->slot_shift);
}

/* Prefetches the slot of a hash. Call it a few terms ahead of the look-up. */
BS_PREFETCHING void bs_term_table_prefetch(const struct bs_term_table *table, uint64_t hash)
{
	if (table->slots)
		__builtin_prefetch(&table->slots[bs_term_table_slot(table, hash)]);
}

/* The first half of a look-up, from the slots alone. Returns the string's number if it is in the
 * table, or, rarely, the number of another string whose hash has the same upper 32 bits.
 * BS_TERM_NONE: not in the table. */
#define BS_TERM_NONE UINT32_MAX
static inline uint32_t bs_term_table_guess(const struct bs_term_table *table, uint64_t hash)
{
	if (!table->slots)
		return BS_TERM_NONE;
	uint32_t at = bs_term_table_slot(table, hash);
	while (table->slots[at] && (table->slots[at] ^ hash) > UINT32_MAX)
		at = (at + 1) & table->slot_mask;
	return (uint32_t)table->slots[at] - 1;
}

/* bs_term_table_prefetch_entry prefetches the entry of a number that bs_term_table_guess returned.
 * bs_term_table_prefetch_key, called some time later, prefetches the bytes of the string. */
BS_PREFETCHING void bs_term_table_prefetch_entry(const struct bs_term_table *table, uint32_t guess)
{
	if (table->n_terms)
		__builtin_prefetch(&table->entries[guess == BS_TERM_NONE ? 0 : guess]);
}

BS_PREFETCHING void bs_term_table_prefetch_key(const struct bs_term_table *table, uint32_t guess)
{
	if (table->n_terms)
		__builtin_prefetch(table->bytes.data +
		                   table->entries[guess == BS_TERM_NONE ? 0 : guess].offset);
}

/* The bytes that the content takes (strings, entries and slots), for a memory budget. Does not
 * count unused capacity from earlier contents. */
uint64_t bs_term_table_bytes(const struct bs_term_table *table);
/* The part of bs_term_table_bytes that bs_term_table_seal frees. */
uint64_t bs_term_table_slot_bytes(const struct bs_term_table *table);

static inline const uint8_t *bs_term_table_key(const struct bs_term_table *table, uint32_t number)
{
	return table->bytes.data + table->entries[number].offset;
}
