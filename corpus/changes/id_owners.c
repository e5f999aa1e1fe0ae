/* id_owners.c: see id_owners.h. */
#include "corpus/changes/id_owners.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/store/index_dir.h"
#include "corpus/changes/recorded.h"

#define FIRST_SLOTS 1024u
#define EMPTY       UINT32_MAX

void bs_id_owners_start_source(struct bs_id_owners *owners)
{
	free(owners->slots);
	owners->slots = NULL;
	owners->n_slots = owners->n_used = 0;
}

/* The next place whose id has this hash: start with *cursor = hash; NULL when there is no more. */
static struct bs_id_place *next_place(struct bs_id_owners *owners, uint64_t hash, uint64_t *cursor)
{
	while (owners->slots) {
		struct bs_id_slot *slot = &owners->slots[(*cursor)++ & (owners->n_slots - 1)];
		if (slot->place.segment == EMPTY)
			break;
		if (slot->hash == hash)
			return &slot->place;
	}
	return NULL;
}

static void fill_slot(struct bs_id_slot *slots, uint64_t n_slots, struct bs_id_slot slot)
{
	uint64_t at = slot.hash;
	while (slots[at & (n_slots - 1)].place.segment != EMPTY)
		at++;
	slots[at & (n_slots - 1)] = slot;
}

static enum bs_status grow(struct bs_id_owners *owners, struct bs_error *err)
{
	uint64_t n_slots = owners->n_slots ? owners->n_slots * 2 : FIRST_SLOTS;
	struct bs_id_slot *slots = malloc(n_slots * sizeof(*slots));
	if (!slots)
		return bs_fail_memory(err, "the set of ids", n_slots * sizeof(*slots));
	bs_buffer_advise(slots, n_slots * sizeof(*slots));
	for (uint64_t i = 0; i < n_slots; i++)
		slots[i].place.segment = EMPTY;
	for (uint64_t i = 0; i < owners->n_slots; i++)
		if (owners->slots[i].place.segment != EMPTY)
			fill_slot(slots, n_slots, owners->slots[i]);
	free(owners->slots);
	owners->slots = slots;
	owners->n_slots = n_slots;
	return BS_OK;
}

void bs_id_owners_deinit(struct bs_id_owners *owners)
{
	for (uint32_t i = 0; i < owners->n_segments; i++) {
		bs_buffer_deinit(&owners->segments[i].dead);
		if (owners->segments[i].is_open)
			bs_segment_deinit(&owners->segments[i].opened);
	}
	free(owners->segments);
	bs_id_owners_start_source(owners);
	bs_buffer_deinit(&owners->id);
	bs_buffer_deinit(&owners->other_id);
	*owners = (struct bs_id_owners){0};
}

enum bs_status bs_id_owners_next_segment(struct bs_id_owners *owners, const struct bs_dir *dir, uint64_t number,
                                      struct bs_error *err)
{
	size_t n_bytes = ((size_t)owners->n_segments + 1) * sizeof(*owners->segments);
	struct bs_id_owners_segment *segments = realloc(owners->segments, n_bytes);
	if (!segments)
		return bs_fail_memory(err, "the list of segments", n_bytes);
	owners->segments = segments;
	if (owners->n_segments > 0) {
		segments[owners->n_segments - 1].dir = dir;
		segments[owners->n_segments - 1].number = number;
	}
	segments[owners->n_segments++] = (struct bs_id_owners_segment){.n_dead = 0};
	return BS_OK;
}

/* The record of an earlier document: still accumulated, or in a segment already written. */
static enum bs_status find_record(struct bs_id_owners *owners, const struct bs_doc_table_builder *accumulated,
                                  struct bs_id_place place, struct bs_doc_record *record_out, struct bs_error *err)
{
	struct bs_id_owners_segment *segment = &owners->segments[place.segment];
	if (!segment->dir) {
		bs_doc_table_builder_get(accumulated, place.document, record_out);
		return BS_OK;
	}
	if (!segment->is_open) {
		char name[BS_INDEX_NAME_BYTES];
		enum bs_status status =
			bs_segment_open(&segment->opened, segment->dir, bs_index_file_name("seg", segment->number, name), err);
		if (status)
			return status;
		segment->is_open = true;
	}
	return bs_doc_table_get(&segment->opened.docs, place.document, record_out, err);
}

/* Zero bytes up to n_bytes. */
static enum bs_status widen(struct bs_buffer *bits, size_t n_bytes, struct bs_error *err)
{
	if (bits->used_bytes >= n_bytes)
		return BS_OK;
	enum bs_status status = bs_buffer_reserve(bits, n_bytes - bits->used_bytes, err);
	if (status)
		return status;
	memset(bits->data + bits->used_bytes, 0, n_bytes - bits->used_bytes);
	bits->used_bytes = n_bytes;
	return BS_OK;
}

enum bs_status bs_id_owners_kill(struct bs_id_owners *owners, struct bs_id_place place, struct bs_error *err)
{
	struct bs_id_owners_segment *segment = &owners->segments[place.segment];
	enum bs_status status = widen(&segment->dead, (size_t)place.document / 8 + 1, err);
	if (status)
		return status;
	uint8_t *byte = &segment->dead.data[place.document / 8];
	uint8_t bit = (uint8_t)(1u << (place.document % 8));
	segment->n_dead += !(*byte & bit);
	owners->n_dead += !(*byte & bit);
	*byte |= bit;
	return BS_OK;
}

enum bs_status bs_id_owners_withdraw(struct bs_id_owners *owners, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint64_t i = 0; i < owners->n_slots && !status; i++)
		if (owners->slots[i].place.segment != EMPTY)
			status = bs_id_owners_kill(owners, owners->slots[i].place, err);
	bs_id_owners_start_source(owners);
	return status;
}

void bs_id_owners_prefetch(struct bs_id_owners *owners, const struct bs_source *source, const struct bs_doc_record *record)
{
	const struct bs_buffer *id = &owners->id;
	if (owners->slots && !bs_recorded_id(source, record, &owners->id, NULL))
		__builtin_prefetch(&owners->slots[bs_hash_slot(id->data, id->used_bytes) & (owners->n_slots - 1)], 1);
}

/* The place of the owner of the id of record, and the hash of it; NULL if there is none. */
static enum bs_status find_owner(struct bs_id_owners *owners, const struct bs_source *source,
                                  const struct bs_doc_table_builder *accumulated, const struct bs_doc_record *record,
                                  uint64_t *hash_out, struct bs_id_place **owner_out, struct bs_error *err)
{
	struct bs_buffer *id = &owners->id;
	struct bs_buffer *other_id = &owners->other_id;
	*owner_out = NULL;
	enum bs_status status = bs_recorded_id(source, record, id, err);
	if (status)
		return status;
	uint64_t hash = bs_hash_slot(id->data, id->used_bytes);
	uint64_t cursor = hash;
	struct bs_id_place *place;
	*hash_out = hash;
	while ((place = next_place(owners, hash, &cursor)) != NULL) {
		struct bs_doc_record other;
		status = find_record(owners, accumulated, *place, &other, err);
		if (!status)
			status = bs_recorded_id(source, &other, other_id, err);
		if (status)
			return status;
		if (id->used_bytes == other_id->used_bytes &&
		    (id->used_bytes == 0 || memcmp(id->data, other_id->data, id->used_bytes) == 0)) {
			*owner_out = place;
			return BS_OK;
		}
	}
	return BS_OK;
}

enum bs_status bs_id_owners_take(struct bs_id_owners *owners, const struct bs_source *source,
                              const struct bs_doc_table_builder *accumulated, const struct bs_doc_record *record,
                              uint32_t document, struct bs_error *err)
{
	struct bs_id_place place = {.segment = owners->n_segments - 1, .document = document};
	struct bs_id_place *earlier;
	uint64_t hash;
	enum bs_status status = find_owner(owners, source, accumulated, record, &hash, &earlier, err);
	if (status)
		return status;
	if (!earlier) {
		if (owners->n_used * 4 >= owners->n_slots * 3)
			status = grow(owners, err);
		if (!status)
			fill_slot(owners->slots, owners->n_slots, (struct bs_id_slot){hash, place});
		owners->n_used += !status;
		return status;
	}
	status = bs_id_owners_kill(owners, *earlier, err);
	*earlier = place;
	return status;
}

enum bs_status bs_id_owners_find(struct bs_id_owners *owners, const struct bs_source *source,
                              const struct bs_doc_table_builder *accumulated, const struct bs_doc_record *record,
                              bool *is_owned_out, bool *is_same_out, struct bs_error *err)
{
	struct bs_id_place *owner = NULL;
	struct bs_doc_record now;
	uint64_t hash;
	enum bs_status status = owners->n_used == 0
		? BS_OK
		: find_owner(owners, source, accumulated, record, &hash, &owner, err);
	*is_owned_out = owner != NULL;
	*is_same_out = false;
	if (status || !owner)
		return status;
	status = find_record(owners, accumulated, *owner, &now, err);
	*is_same_out = !status && now.checksum == record->checksum;
	return status;
}

enum bs_status bs_id_owners_dead(struct bs_id_owners *owners, uint32_t i, uint64_t n_docs, const uint8_t **bits_out,
                              uint64_t *n_dead_out, struct bs_error *err)
{
	struct bs_id_owners_segment *segment = &owners->segments[i];
	*bits_out = NULL;
	*n_dead_out = segment->n_dead;
	if (segment->n_dead == 0)
		return BS_OK;
	enum bs_status status = widen(&segment->dead, (size_t)((n_docs + 7) / 8), err);
	*bits_out = segment->dead.data;
	return status;
}
