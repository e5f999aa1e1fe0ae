/* term_table.h: distinct byte strings and numbers for them, in order of first appearance. The
 * working dictionary of an index run (terms of a batch, of a segment, names of fields) and of a
 * verifier (words seen). One thread. */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"

struct bs_term_entry {
	uint64_t hash;   /* bs_hash_slot of the bytes */
	uint64_t offset; /* of the bytes in table.bytes */
	uint32_t n_bytes;
	uint32_t df; /* for the caller: documents that have it */
};

/* Zero-initialise. entries[0..n_terms) by number; both arrays may move with every new term. */
struct bs_term_table {
	struct bs_term_entry *entries;
	uint32_t n_terms;
	/* number + 1 in the low half, high half of the hash in the high half; 0 is empty */
	uint64_t *slots;
	uint32_t slot_mask;
	/* the highest bits of a hash are its slot, so that slots stand in the order of hashes */
	uint32_t slot_shift;
	struct bs_buffer bytes;
	struct bs_buffer of_entries; /* what entries points to */
};

void bs_term_table_deinit(struct bs_term_table *table);
/* Empties it, keeping the memory. */
void bs_term_table_clear(struct bs_term_table *table);
/* Gives back what finds strings: until the table is cleared, none is found or added. */
void bs_term_table_seal(struct bs_term_table *table);

/* The number of the string, new ones getting the next (is_new_out may be NULL). hash must be
 * bs_hash_slot of it. BS_NO_MEMORY, also for the 2^32nd string. */
enum bs_status bs_term_table_intern(struct bs_term_table *table, const uint8_t *bytes,
                                    uint32_t n_bytes, uint64_t hash, uint32_t *number_out,
                                    bool *is_new_out, struct bs_error *err) BS_WARN_UNUSED;

/* The same for a string that is known not to be there. */
enum bs_status bs_term_table_add(struct bs_term_table *table, const uint8_t *bytes,
                                 uint32_t n_bytes, uint64_t hash, uint32_t *number_out,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* Whether the string is there, and its number. */
bool bs_term_table_find(const struct bs_term_table *table, const uint8_t *bytes, uint32_t n_bytes,
                        uint64_t hash, uint32_t *number_out);

/* Whether it has the number. */
bool bs_term_table_is(const struct bs_term_table *table, uint32_t number, const uint8_t *bytes,
                      uint32_t n_bytes, uint64_t hash);

/* A function that does nothing but prefetch is "pure" to gcc 12, and calls of it are dropped unless
 * it is inlined before it is judged. Before this, none of the prefetches below was in the
 * program. */
#define BS_PREFETCHING __attribute__((always_inline)) static inline

/* Where the look for a string begins; there must be slots. */
static inline uint32_t bs_term_table_slot(const struct bs_term_table *table, uint64_t hash)
{
	return (uint32_t)(hash >> table->slot_shift);
}

/* Asks the memory for the slot that will be looked at: call some terms ahead. */
BS_PREFETCHING void bs_term_table_prefetch(const struct bs_term_table *table, uint64_t hash)
{
	if (table->slots)
		__builtin_prefetch(&table->slots[bs_term_table_slot(table, hash)]);
}

/* The first half of a look-up, by the slots alone: the string's number if it is there, or that of
 * another with the same half of a hash, which is as good as never; BS_TERM_NONE if it is not
 * there. */
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

/* And asks the memory for the entry of the number guessed, and for the key, once the entry is
 * there. */
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

/* Bytes that the content takes, for a memory budget: whatever the table held before. */
uint64_t bs_term_table_bytes(const struct bs_term_table *table);
/* ... those of them that sealing it gives back. */
uint64_t bs_term_table_slot_bytes(const struct bs_term_table *table);

static inline const uint8_t *bs_term_table_key(const struct bs_term_table *table, uint32_t number)
{
	return table->bytes.data + table->entries[number].offset;
}
