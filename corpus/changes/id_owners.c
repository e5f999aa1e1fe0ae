/* id_owners.c: see id_owners.h. */
#include "corpus/changes/id_owners.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/store/index_dir.h"
#include "corpus/changes/recorded.h"

#define FIRST_LOG2        10u
#define FIRST_NUMBER_BITS 16u
#define MOST_BITS         32u /* of places and of numbers, so that a slot holds both */

static uint64_t n_slots_of(const struct bs_id_owners *owners)
{
	return owners->slots ? UINT64_C(1) << owners->slots_log2 : 0;
}

static uint64_t number_mask(uint32_t number_bits)
{
	return (UINT64_C(1) << number_bits) - 1;
}

void bs_id_owners_start_source(struct bs_id_owners *owners)
{
	const struct bs_id_owners_segment *last = owners->n_segments ? &owners->segments[owners->n_segments - 1] : NULL;
	free(owners->slots);
	owners->slots = NULL;
	owners->slots_log2 = 0;
	owners->number_bits = FIRST_NUMBER_BITS;
	owners->first_number = last ? last->first + last->n_documents : 0;
	owners->n_used = 0;
}

uint64_t bs_id_owners_bytes(const struct bs_id_owners *owners)
{
	return n_slots_of(owners) * sizeof(*owners->slots) * 3 / 2;
}

/* The next slot of an id that seems to have this hash: start with *cursor = its place; NULL when there is no more. */
static uint64_t *next_slot(const struct bs_id_owners *owners, uint64_t hash, uint64_t *cursor)
{
	while (owners->slots) {
		uint64_t *slot = &owners->slots[(*cursor)++ & (n_slots_of(owners) - 1)];
		if (*slot == 0)
			break;
		if ((*slot ^ hash) >> owners->number_bits == 0)
			return slot;
	}
	return NULL;
}

static void fill_slot(uint64_t *slots, uint32_t slots_log2, uint64_t slot)
{
	uint64_t mask = (UINT64_C(1) << slots_log2) - 1;
	uint64_t at = slot >> (64 - slots_log2);
	while (slots[at & mask])
		at++;
	slots[at & mask] = slot;
}

static enum bs_status grow(struct bs_id_owners *owners, struct bs_error *err)
{
	uint32_t slots_log2 = owners->slots ? owners->slots_log2 + 1 : FIRST_LOG2;
	size_t n_bytes = sizeof(*owners->slots) << slots_log2;
	uint64_t *slots = calloc(1, n_bytes);
	if (!slots)
		return bs_fail_memory(err, "the set of ids", n_bytes);
	bs_buffer_advise(slots, n_bytes);
	for (uint64_t i = 0; i < n_slots_of(owners); i++)
		if (owners->slots[i])
			fill_slot(slots, slots_log2, owners->slots[i]);
	free(owners->slots);
	owners->slots = slots;
	owners->slots_log2 = slots_log2;
	return BS_OK;
}

/* Gives numbers a bit more, of the hashes. */
static void widen_numbers(struct bs_id_owners *owners)
{
	uint64_t bit = UINT64_C(1) << owners->number_bits++;
	for (uint64_t i = 0; i < n_slots_of(owners); i++)
		owners->slots[i] &= ~bit;
}

/* Room for one more slot, and for this number + 1. */
static enum bs_status make_room(struct bs_id_owners *owners, const struct bs_source *source, uint64_t number,
                                bool is_new, struct bs_error *err)
{
	bool is_full = is_new && owners->n_used * 4 >= n_slots_of(owners) * 3;
	while (owners->number_bits < MOST_BITS && number >= number_mask(owners->number_bits))
		widen_numbers(owners);
	if (number >= number_mask(owners->number_bits) || (is_full && owners->slots_log2 == MOST_BITS))
		return bs_fail(err, BS_INVALID, "%s: more than 2^32 records at once", source->label);
	return is_full ? grow(owners, err) : BS_OK;
}

static struct bs_id_place place_of(const struct bs_id_owners *owners, uint64_t slot)
{
	uint64_t number = owners->first_number + (slot & number_mask(owners->number_bits)) - 1;
	uint32_t segment = owners->n_segments - 1;
	while (owners->segments[segment].first > number)
		segment--;
	return (struct bs_id_place){segment, (uint32_t)(number - owners->segments[segment].first)};
}

void bs_id_owners_deinit(struct bs_id_owners *owners)
{
	for (uint32_t i = 0; i < owners->n_segments; i++) {
		bs_buffer_deinit(&owners->segments[i].dead);
		if (owners->segments[i].is_open)
			bs_segment_deinit(&owners->segments[i].opened);
	}
	free(owners->segments);
	free(owners->slots);
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
	struct bs_id_owners_segment *last = owners->n_segments > 0 ? &segments[owners->n_segments - 1] : NULL;
	if (last) {
		last->dir = dir;
		last->number = number;
	}
	segments[owners->n_segments++] =
		(struct bs_id_owners_segment){.first = last ? last->first + last->n_documents : 0};
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
	for (uint64_t i = 0; i < n_slots_of(owners) && !status; i++)
		if (owners->slots[i])
			status = bs_id_owners_kill(owners, place_of(owners, owners->slots[i]), err);
	bs_id_owners_start_source(owners);
	return status;
}

void bs_id_owners_prefetch(struct bs_id_owners *owners, const struct bs_source *source, const struct bs_doc_record *record)
{
	const struct bs_buffer *id = &owners->id;
	if (owners->slots && !bs_recorded_id(source, record, &owners->id, NULL))
		__builtin_prefetch(&owners->slots[bs_hash_slot(id->data, id->used_bytes) >> (64 - owners->slots_log2)], 1);
}

/* The slot of the owner of the id of record, NULL if there is none; and the hash of it. */
static enum bs_status find_owner(struct bs_id_owners *owners, const struct bs_source *source,
                                  const struct bs_doc_table_builder *accumulated, const struct bs_doc_record *record,
                                  uint64_t *hash_out, uint64_t **owner_out, struct bs_error *err)
{
	struct bs_buffer *id = &owners->id;
	struct bs_buffer *other_id = &owners->other_id;
	*owner_out = NULL;
	enum bs_status status = bs_recorded_id(source, record, id, err);
	if (status)
		return status;
	uint64_t hash = bs_hash_slot(id->data, id->used_bytes);
	uint64_t cursor = owners->slots ? hash >> (64 - owners->slots_log2) : 0;
	uint64_t *slot;
	*hash_out = hash;
	while ((slot = next_slot(owners, hash, &cursor)) != NULL) {
		struct bs_doc_record other;
		status = find_record(owners, accumulated, place_of(owners, *slot), &other, err);
		if (!status)
			status = bs_recorded_id(source, &other, other_id, err);
		if (status)
			return status;
		if (id->used_bytes == other_id->used_bytes &&
		    (id->used_bytes == 0 || memcmp(id->data, other_id->data, id->used_bytes) == 0)) {
			*owner_out = slot;
			return BS_OK;
		}
	}
	return BS_OK;
}

enum bs_status bs_id_owners_take(struct bs_id_owners *owners, const struct bs_source *source,
                              const struct bs_doc_table_builder *accumulated, const struct bs_doc_record *record,
                              uint32_t document, struct bs_error *err)
{
	struct bs_id_owners_segment *segment = &owners->segments[owners->n_segments - 1];
	uint64_t number = segment->first + document - owners->first_number;
	uint64_t *earlier, hash;
	enum bs_status status = find_owner(owners, source, accumulated, record, &hash, &earlier, err);
	if (!status && earlier)
		status = bs_id_owners_kill(owners, place_of(owners, *earlier), err);
	if (!status)
		status = make_room(owners, source, number, !earlier, err);
	if (status)
		return status;
	uint64_t mask = number_mask(owners->number_bits);
	uint64_t slot = (hash & ~mask) | (number + 1);
	if (earlier)
		*earlier = slot;
	else
		fill_slot(owners->slots, owners->slots_log2, slot);
	owners->n_used += !earlier;
	segment->n_documents = document + 1;
	return BS_OK;
}

enum bs_status bs_id_owners_lives(struct bs_id_owners *owners, const struct bs_source *source,
                                  const struct bs_doc_table_builder *accumulated, const struct bs_doc_record *record,
                                  bool *lives_out, struct bs_id_place *place_out, struct bs_error *err)
{
	uint64_t *owner = NULL, hash;
	*lives_out = false;
	enum bs_status status = owners->n_used == 0 ? BS_OK : find_owner(owners, source, accumulated, record, &hash, &owner, err);
	if (status || !owner)
		return status;
	*place_out = place_of(owners, *owner);
	const struct bs_buffer *dead = &owners->segments[place_out->segment].dead;
	size_t byte = place_out->document / 8;
	*lives_out = byte >= dead->used_bytes || !(dead->data[byte] >> (place_out->document % 8) & 1);
	return BS_OK;
}

enum bs_status bs_id_owners_find(struct bs_id_owners *owners, const struct bs_source *source,
                              const struct bs_doc_table_builder *accumulated, const struct bs_doc_record *record,
                              bool *is_owned_out, bool *is_same_out, struct bs_error *err)
{
	uint64_t *owner = NULL;
	struct bs_doc_record now;
	uint64_t hash;
	enum bs_status status = owners->n_used == 0
		? BS_OK
		: find_owner(owners, source, accumulated, record, &hash, &owner, err);
	*is_owned_out = owner != NULL;
	*is_same_out = false;
	if (status || !owner)
		return status;
	status = find_record(owners, accumulated, place_of(owners, *owner), &now, err);
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
