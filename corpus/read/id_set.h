/*
 * id_set.h: which document of the run bears an id, to find the one that a later record replaces. 16 bytes a slot: only a
 * hash and where the document is; the caller compares the ids themselves when hashes are equal.
 */
#ifndef BS_CORPUS_READ_ID_SET_H
#define BS_CORPUS_READ_ID_SET_H

#include <stdint.h>

#include "core/base/status.h"
#include "core/base/term_table.h"

struct bs_id_place {
	uint32_t segment; /* of the run, from 0 */
	uint32_t document;
};

struct bs_id_slot {
	uint64_t hash;
	struct bs_id_place place; /* segment is UINT32_MAX in an empty slot */
};

/* Zero-initialise. One thread. */
struct bs_id_set {
	struct bs_id_slot *slots;
	uint64_t n_slots; /* a power of two, or 0 */
	uint64_t n_used;
};

void bs_id_set_deinit(struct bs_id_set *set);
/* Walks the places whose id has this hash: start with *cursor = hash; NULL when there is no more. */
struct bs_id_place *bs_id_set_next(struct bs_id_set *set, uint64_t hash, uint64_t *cursor);
/* Asks the memory for where the walk begins. */
BS_PREFETCHING void bs_id_set_prefetch(const struct bs_id_set *set, uint64_t hash)
{
	if (set->slots)
		__builtin_prefetch(&set->slots[hash & (set->n_slots - 1)], 1);
}
/* Adds a place under the hash. BS_NO_MEMORY. */
enum bs_status bs_id_set_add(struct bs_id_set *set, uint64_t hash, struct bs_id_place place, struct bs_error *err)
	BS_WARN_UNUSED;

#endif
