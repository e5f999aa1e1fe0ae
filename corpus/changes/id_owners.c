/* id_owners.c: see id_owners.h. */
#include "corpus/changes/id_owners.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "corpus/changes/recorded.h"

#define FIRST_LOG2 10u
/* maximum of slots_log2 and of number_bits: a slot has a number and slots_log2 bits of a hash */
#define MOST_BITS 32u
/* One binary search among n ordered ids costs as much as adding slots for 16 ids. So after n / 16
 * searches, slots for all of them would have cost the same. */
#define ORDERED_A_SEARCH 16u

static uint64_t n_slots_of(const struct bs_id_owners *owners)
{
	return owners->slots ? UINT64_C(1) << owners->slots_log2 : 0;
}

static uint64_t number_mask(uint32_t number_bits)
{
	return (UINT64_C(1) << number_bits) - 1;
}

static void free_slots(struct bs_id_owners *owners)
{
	if (owners->slots_file.file)
		bs_buffer_deinit(&owners->slots_file);
	else
		free(owners->slots);
	owners->slots = NULL;
}

void bs_id_owners_start_source(struct bs_id_owners *owners)
{
	const struct bs_id_owners_segment *last =
		owners->n_segments ? &owners->segments[owners->n_segments - 1] : NULL;
	free_slots(owners);
	owners->slots_log2 = 0;
	owners->number_bits = BS_ID_OWNERS_NUMBER_BITS;
	owners->first_number = last ? last->first + last->n_documents : 0;
	owners->n_used = 0;
	owners->n_ordered = 0;
	owners->n_searches = 0;
}

/* The memory that n_bytes of slots need. While they are filled, the old slots (half as many) exist
 * too. */
static uint64_t slots_take(uint64_t n_bytes)
{
	return n_bytes * 3 / 2;
}

uint64_t bs_id_owners_bytes(const struct bs_id_owners *owners)
{
	return slots_take(n_slots_of(owners) * sizeof(*owners->slots));
}

/* The next slot whose hash bits equal those of `hash`; NULL if there are no more. *cursor starts at
 * the home slot. */
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
	struct bs_buffer file = {0};
	uint64_t *slots = NULL;
	if (owners->spill && slots_take(n_bytes) > owners->most_bytes &&
	    bs_dir_has_folder(owners->spill->dir)) {
		enum bs_status status = bs_dir_place(owners->spill->dir, &file, err);
		if (!status)
			/* The memory is zero, because the file is new. */
			status = bs_buffer_reserve(&file, n_bytes, err);
		if (status) {
			bs_buffer_deinit(&file);
			return status;
		}
		slots = (uint64_t *)(void *)file.data;
	} else {
		slots = calloc(1, n_bytes);
		if (!slots)
			return bs_fail_memory(err, "the set of ids", n_bytes);
		bs_buffer_advise(slots, n_bytes);
	}
	for (uint64_t i = 0; i < n_slots_of(owners); i++)
		if (owners->slots[i])
			fill_slot(slots, slots_log2, owners->slots[i]);
	free_slots(owners);
	owners->slots = slots;
	owners->slots_file = file;
	owners->slots_log2 = slots_log2;
	return BS_OK;
}

/* Gives document numbers one more bit, taken from the hashes. */
static void widen_numbers(struct bs_id_owners *owners)
{
	uint64_t bit = UINT64_C(1) << owners->number_bits++;
	for (uint64_t i = 0; i < n_slots_of(owners); i++)
		owners->slots[i] &= ~bit;
}

/* Enlarges the table if it has no room for a further used slot (checked only if is_new), and
 * number_bits if `number` + 1 does not fit. */
static enum bs_status make_room(struct bs_id_owners *owners, const struct bs_source *source,
                                uint64_t number, bool is_new, struct bs_error *err)
{
	bool is_full = is_new && owners->n_used * 4 >= n_slots_of(owners) * 3;
	while (owners->number_bits < MOST_BITS && number >= number_mask(owners->number_bits))
		widen_numbers(owners);
	if (number >= number_mask(owners->number_bits) ||
	    (is_full && owners->slots_log2 == MOST_BITS))
		return bs_fail(err, BS_INVALID, "%s: more than 2^32 records at once",
		               source->label);
	return is_full ? grow(owners, err) : BS_OK;
}

/* The place of the document with this number, counted from first_number. */
static struct bs_id_place place_of(const struct bs_id_owners *owners, uint64_t number)
{
	number += owners->first_number;
	uint32_t segment = owners->n_segments - 1;
	while (owners->segments[segment].first > number)
		segment--;
	return (struct bs_id_place){segment, (uint32_t)(number - owners->segments[segment].first)};
}

static struct bs_id_place place_of_slot(const struct bs_id_owners *owners, uint64_t slot)
{
	return place_of(owners, (slot & number_mask(owners->number_bits)) - 1);
}

void bs_id_owners_deinit(struct bs_id_owners *owners)
{
	for (uint32_t i = 0; i < owners->n_segments; i++) {
		bs_buffer_deinit(&owners->segments[i].dead);
		if (owners->segments[i].is_open)
			bs_segment_deinit(&owners->segments[i].opened);
	}
	free(owners->segments);
	free_slots(owners);
	bs_buffer_deinit(&owners->id);
	bs_buffer_deinit(&owners->other_id);
	bs_buffer_deinit(&owners->last_ordered);
	*owners = (struct bs_id_owners){0};
}

enum bs_status bs_id_owners_next_segment(struct bs_id_owners *owners, const struct bs_dir *dir,
                                         uint64_t number, struct bs_error *err)
{
	size_t n_bytes = ((size_t)owners->n_segments + 1) * sizeof(*owners->segments);
	struct bs_id_owners_segment *segments = realloc(owners->segments, n_bytes);
	if (!segments)
		return bs_fail_memory(err, "the list of segments", n_bytes);
	owners->segments = segments;
	struct bs_id_owners_segment *last =
		owners->n_segments > 0 ? &segments[owners->n_segments - 1] : NULL;
	if (last) {
		last->dir = dir;
		last->number = number;
	}
	segments[owners->n_segments++] =
		(struct bs_id_owners_segment){.first = last ? last->first + last->n_documents : 0};
	return BS_OK;
}

/* The record of an earlier document: in the indexing buffer, or in a segment already written. */
static enum bs_status find_record(struct bs_id_owners *owners, struct bs_id_place place,
                                  struct bs_doc_record *record_out, struct bs_error *err)
{
	struct bs_id_owners_segment *segment = &owners->segments[place.segment];
	if (!segment->dir) {
		bs_doc_table_builder_get(owners->accumulated, place.document, record_out);
		return BS_OK;
	}
	if (!segment->is_open) {
		char name[BS_INDEX_NAME_BYTES];
		enum bs_status status =
			bs_segment_open(&segment->opened, segment->dir,
		                        bs_index_file_name("seg", segment->number, name), err);
		if (status)
			return status;
		segment->opened.docs.names.spill = owners->spill;
		segment->is_open = true;
	}
	return bs_doc_table_get(&segment->opened.docs, place.document, record_out, err);
}

/* Extends bits with zeros to n_bytes. */
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

enum bs_status bs_id_owners_kill(struct bs_id_owners *owners, struct bs_id_place place,
                                 struct bs_error *err)
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
	for (uint64_t i = 0; i < owners->n_ordered && !status; i++)
		status = bs_id_owners_kill(owners, place_of(owners, i), err);
	for (uint64_t i = 0; i < n_slots_of(owners) && !status; i++)
		if (owners->slots[i])
			status = bs_id_owners_kill(owners, place_of_slot(owners, owners->slots[i]),
			                           err);
	bs_id_owners_start_source(owners);
	return status;
}

void bs_id_owners_prefetch(struct bs_id_owners *owners, const struct bs_source *source,
                           const struct bs_doc_record *record)
{
	const struct bs_buffer *id = &owners->id;
	if (owners->slots && !bs_recorded_id(source, record, &owners->id, NULL))
		__builtin_prefetch(&owners->slots[bs_hash_slot(id->data, id->used_bytes) >>
		                                  (64 - owners->slots_log2)],
		                   1);
}

/* Reads the id of an earlier document into other_id. */
static enum bs_status recall_id(struct bs_id_owners *owners, const struct bs_source *source,
                                struct bs_id_place place, struct bs_error *err)
{
	struct bs_doc_record other;
	enum bs_status status = find_record(owners, place, &other, err);
	return status ? status : bs_recorded_id(source, &other, &owners->other_id, err);
}

static int compare_ids(const struct bs_buffer *a, const struct bs_buffer *b)
{
	return bs_compare_bytes(a->data, a->used_bytes, b->data, b->used_bytes);
}

struct owner {
	bool is_there;
	struct bs_id_place place;
	uint64_t *slot; /* NULL: not found, or an ordered id, which has no slot */
	uint64_t hash;  /* hash of the id that is looked up */
};

/* Looks the id in owners->id up among the slots. */
static enum bs_status find_slot(struct bs_id_owners *owners, const struct bs_source *source,
                                struct owner *owner, struct bs_error *err)
{
	uint64_t cursor = owners->slots ? owner->hash >> (64 - owners->slots_log2) : 0;
	uint64_t *slot;
	while (!owner->is_there && (slot = next_slot(owners, owner->hash, &cursor)) != NULL) {
		owner->place = place_of_slot(owners, *slot);
		enum bs_status status = recall_id(owners, source, owner->place, err);
		if (status)
			return status;
		/* The ids may differ although their hashes are equal. */
		owner->is_there = compare_ids(&owners->id, &owners->other_id) == 0;
		owner->slot = owner->is_there ? slot : NULL;
	}
	return BS_OK;
}

/* Looks the id in owners->id up among the ordered ids. */
static enum bs_status find_ordered(struct bs_id_owners *owners, const struct bs_source *source,
                                   struct owner *owner, struct bs_error *err)
{
	uint64_t low = 0, high = owners->n_ordered;
	if (high == 0 || compare_ids(&owners->id, &owners->last_ordered) > 0)
		return BS_OK;
	owners->n_searches++;
	while (low < high && !owner->is_there) {
		uint64_t middle = low + (high - low) / 2;
		owner->place = place_of(owners, middle);
		enum bs_status status = recall_id(owners, source, owner->place, err);
		if (status)
			return status;
		int order = compare_ids(&owners->id, &owners->other_id);
		owner->is_there = order == 0;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return BS_OK;
}

/* Looks up the owner of the id in owners->id. Slots are searched first, because an ordered id that
 * a later document took over has a slot, which is the valid entry. */
static enum bs_status find_owner(struct bs_id_owners *owners, const struct bs_source *source,
                                 struct owner *owner, struct bs_error *err)
{
	*owner = (struct owner){.hash = bs_hash_slot(owners->id.data, owners->id.used_bytes)};
	enum bs_status status = find_slot(owners, source, owner, err);
	return status || owner->is_there ? status : find_ordered(owners, source, owner, err);
}

static enum bs_status find_owner_of(struct bs_id_owners *owners, const struct bs_source *source,
                                    const struct bs_doc_record *record, struct owner *owner,
                                    struct bs_error *err)
{
	*owner = (struct owner){.is_there = false};
	if (owners->n_used == 0 && owners->n_ordered == 0)
		return BS_OK;
	enum bs_status status = bs_recorded_id(source, record, &owners->id, err);
	return status ? status : find_owner(owners, source, owner, err);
}

/* Adds a slot for an id that has none. */
static enum bs_status add_slot(struct bs_id_owners *owners, const struct bs_source *source,
                               uint64_t hash, uint64_t number, struct bs_error *err)
{
	enum bs_status status = make_room(owners, source, number, true, err);
	if (status)
		return status;
	fill_slot(owners->slots, owners->slots_log2,
	          (hash & ~number_mask(owners->number_bits)) | (number + 1));
	owners->n_used++;
	return BS_OK;
}

/* Adds a slot for each ordered id (see n_ordered), so that ids are found by hash instead of binary
 * search. An ordered id that a later document took over has a slot already and gets no other.
 * Preserves owners->id. */
static enum bs_status give_slots(struct bs_id_owners *owners, const struct bs_source *source,
                                 struct bs_error *err)
{
	struct bs_buffer at_hand = owners->id;
	enum bs_status status = BS_OK;
	owners->id = (struct bs_buffer){0};
	for (uint64_t i = 0; i < owners->n_ordered && !status; i++) {
		struct owner owner = {0};
		status = recall_id(owners, source, place_of(owners, i), err);
		if (status)
			break;
		struct bs_buffer id = owners->other_id;
		owners->other_id = owners->id;
		owners->id = id;
		owner.hash = bs_hash_slot(id.data, id.used_bytes);
		status = find_slot(owners, source, &owner, err);
		if (!status && !owner.is_there)
			status = add_slot(owners, source, owner.hash, i, err);
	}
	bs_buffer_deinit(&owners->id);
	owners->id = at_hand;
	owners->n_ordered = status ? owners->n_ordered : 0;
	return status;
}

/* True if document `number` extends the ordered ids: no id has a slot yet, and the id in owners->id
 * is greater than all earlier ones. */
static bool is_next_ordered(const struct bs_id_owners *owners, uint64_t number)
{
	return owners->n_used == 0 && number == owners->n_ordered &&
	       (number == 0 || compare_ids(&owners->id, &owners->last_ordered) > 0);
}

static enum bs_status take_over(struct bs_id_owners *owners, const struct bs_source *source,
                                uint64_t number, struct bs_error *err)
{
	struct owner earlier;
	enum bs_status status = BS_OK;
	if (owners->n_searches * ORDERED_A_SEARCH > owners->n_ordered)
		status = give_slots(owners, source, err);
	if (!status)
		status = find_owner(owners, source, &earlier, err);
	if (!status && earlier.is_there)
		status = bs_id_owners_kill(owners, earlier.place, err);
	if (status || !earlier.slot)
		return status ? status : add_slot(owners, source, earlier.hash, number, err);
	status = make_room(owners, source, number, false, err);
	if (!status)
		*earlier.slot = (earlier.hash & ~number_mask(owners->number_bits)) | (number + 1);
	return status;
}

enum bs_status bs_id_owners_take(struct bs_id_owners *owners, const struct bs_source *source,
                                 const struct bs_doc_record *record, uint32_t document,
                                 struct bs_error *err)
{
	struct bs_id_owners_segment *segment = &owners->segments[owners->n_segments - 1];
	uint64_t number = segment->first + document - owners->first_number;
	enum bs_status status = bs_recorded_id(source, record, &owners->id, err);
	if (status)
		return status;
	if (is_next_ordered(owners, number)) {
		struct bs_buffer id = owners->last_ordered;
		owners->last_ordered = owners->id;
		owners->id = id;
		owners->n_ordered++;
	} else {
		status = take_over(owners, source, number, err);
	}
	if (!status)
		segment->n_documents = document + 1;
	return status;
}

enum bs_status bs_id_owners_lives(struct bs_id_owners *owners, const struct bs_source *source,
                                  const struct bs_doc_record *record, bool *lives_out,
                                  struct bs_id_place *place_out, struct bs_error *err)
{
	struct owner owner;
	*lives_out = false;
	enum bs_status status = find_owner_of(owners, source, record, &owner, err);
	if (status || !owner.is_there)
		return status;
	*place_out = owner.place;
	const struct bs_buffer *dead = &owners->segments[place_out->segment].dead;
	size_t byte = place_out->document / 8;
	*lives_out =
		byte >= dead->used_bytes || !(dead->data[byte] >> (place_out->document % 8) & 1);
	return BS_OK;
}

enum bs_status bs_id_owners_find(struct bs_id_owners *owners, const struct bs_source *source,
                                 const struct bs_doc_record *record, bool *is_owned_out,
                                 bool *is_same_out, struct bs_error *err)
{
	struct owner owner;
	struct bs_doc_record now;
	enum bs_status status = find_owner_of(owners, source, record, &owner, err);
	*is_owned_out = !status && owner.is_there;
	*is_same_out = false;
	if (!*is_owned_out)
		return status;
	status = find_record(owners, owner.place, &now, err);
	*is_same_out = !status && now.checksum == record->checksum;
	return status;
}

enum bs_status bs_id_owners_dead(struct bs_id_owners *owners, uint32_t i, uint64_t n_docs,
                                 const uint8_t **bits_out, uint64_t *n_dead_out,
                                 struct bs_error *err)
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
