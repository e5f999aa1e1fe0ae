/* id_set.c: open addressing, linear probing. See id_set.h. */
#include "corpus/read/id_set.h"

#include <stdlib.h>

#include "core/base/buffer.h"

#define FIRST_SLOTS 1024u
#define EMPTY       UINT32_MAX

void bs_id_set_deinit(struct bs_id_set *set)
{
	free(set->slots);
	*set = (struct bs_id_set){0};
}

struct bs_id_place *bs_id_set_next(struct bs_id_set *set, uint64_t hash, uint64_t *cursor)
{
	if (!set->slots)
		return NULL;
	for (;;) {
		struct bs_id_slot *slot = &set->slots[(*cursor)++ & (set->n_slots - 1)];
		if (slot->place.segment == EMPTY)
			return NULL;
		if (slot->hash == hash)
			return &slot->place;
	}
}

static void place_slot(struct bs_id_slot *slots, uint64_t n_slots, const struct bs_id_slot *slot)
{
	uint64_t at = slot->hash;
	while (slots[at & (n_slots - 1)].place.segment != EMPTY)
		at++;
	slots[at & (n_slots - 1)] = *slot;
}

static enum bs_status grow(struct bs_id_set *set, struct bs_error *err)
{
	uint64_t n_slots = set->n_slots ? set->n_slots * 2 : FIRST_SLOTS;
	struct bs_id_slot *slots = malloc(n_slots * sizeof(*slots));
	if (!slots)
		return bs_fail_memory(err, "the set of ids", n_slots * sizeof(*slots));
	bs_buffer_advise(slots, n_slots * sizeof(*slots));
	for (uint64_t i = 0; i < n_slots; i++)
		slots[i].place.segment = EMPTY;
	for (uint64_t i = 0; i < set->n_slots; i++)
		if (set->slots[i].place.segment != EMPTY)
			place_slot(slots, n_slots, &set->slots[i]);
	free(set->slots);
	set->slots = slots;
	set->n_slots = n_slots;
	return BS_OK;
}

enum bs_status bs_id_set_add(struct bs_id_set *set, uint64_t hash, struct bs_id_place place, struct bs_error *err)
{
	if (set->n_used * 4 >= set->n_slots * 3) {
		enum bs_status status = grow(set, err);
		if (status)
			return status;
	}
	struct bs_id_slot slot = {.hash = hash, .place = place};
	place_slot(set->slots, set->n_slots, &slot);
	set->n_used++;
	return BS_OK;
}
