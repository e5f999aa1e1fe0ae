/* claims.c: see claims.h. */
#include "corpus/claims.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/index_dir.h"

void bs_claims_deinit(struct bs_claims *claims)
{
	for (uint32_t i = 0; i < claims->n_segments; i++) {
		bs_buffer_deinit(&claims->segments[i].dead);
		if (claims->segments[i].is_open)
			bs_segment_deinit(&claims->segments[i].opened);
	}
	free(claims->segments);
	bs_id_set_deinit(&claims->ids);
	bs_buffer_deinit(&claims->id);
	bs_buffer_deinit(&claims->other_id);
	*claims = (struct bs_claims){0};
}

void bs_claims_start_source(struct bs_claims *claims)
{
	bs_id_set_deinit(&claims->ids);
}

enum bs_status bs_claims_next_segment(struct bs_claims *claims, const struct bs_dir *dir, uint64_t number,
                                      struct bs_error *err)
{
	size_t n_bytes = ((size_t)claims->n_segments + 1) * sizeof(*claims->segments);
	struct bs_claims_segment *segments = realloc(claims->segments, n_bytes);
	if (!segments)
		return bs_fail_memory(err, "the list of segments", n_bytes);
	claims->segments = segments;
	if (claims->n_segments > 0) {
		segments[claims->n_segments - 1].dir = dir;
		segments[claims->n_segments - 1].number = number;
	}
	segments[claims->n_segments++] = (struct bs_claims_segment){.n_dead = 0};
	return BS_OK;
}

/* The record of an earlier document: still gathered, or in a segment already written. */
static enum bs_status find_record(struct bs_claims *claims, const struct bs_doc_table_builder *gathered,
                                  struct bs_id_place place, struct bs_doc_record *record_out, struct bs_error *err)
{
	struct bs_claims_segment *segment = &claims->segments[place.segment];
	if (!segment->dir) {
		bs_doc_table_gathered(gathered, place.document, record_out);
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

static enum bs_status make_id(const struct bs_source *source, const struct bs_doc_record *record, struct bs_buffer *id,
                              struct bs_error *err)
{
	bs_buffer_clear(id);
	return bs_source_append_id(source, record->name, record->name_bytes,
	                           record->flags & BS_DOC_NAMED_BY_LINE ? record->place[2] : 0, id, err);
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

enum bs_status bs_claims_kill(struct bs_claims *claims, struct bs_id_place place, struct bs_error *err)
{
	struct bs_claims_segment *segment = &claims->segments[place.segment];
	enum bs_status status = widen(&segment->dead, (size_t)place.document / 8 + 1, err);
	if (status)
		return status;
	uint8_t *byte = &segment->dead.data[place.document / 8];
	uint8_t bit = (uint8_t)(1u << (place.document % 8));
	segment->n_dead += !(*byte & bit);
	claims->n_dead += !(*byte & bit);
	*byte |= bit;
	return BS_OK;
}

enum bs_status bs_claims_withdraw(struct bs_claims *claims, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint64_t i = 0; i < claims->ids.n_slots && !status; i++)
		if (claims->ids.slots[i].place.segment != UINT32_MAX)
			status = bs_claims_kill(claims, claims->ids.slots[i].place, err);
	bs_id_set_deinit(&claims->ids);
	return status;
}

void bs_claims_prefetch(struct bs_claims *claims, const struct bs_source *source, const struct bs_doc_record *record)
{
	if (!make_id(source, record, &claims->id, NULL))
		bs_id_set_prefetch(&claims->ids, bs_hash_slot(claims->id.data, claims->id.used_bytes));
}

/* The place that bears the id of record, and the hash of it; NULL if there is none. */
static enum bs_status find_bearer(struct bs_claims *claims, const struct bs_source *source,
                                  const struct bs_doc_table_builder *gathered, const struct bs_doc_record *record,
                                  uint64_t *hash_out, struct bs_id_place **bearer_out, struct bs_error *err)
{
	struct bs_buffer *id = &claims->id;
	struct bs_buffer *other_id = &claims->other_id;
	*bearer_out = NULL;
	enum bs_status status = make_id(source, record, id, err);
	if (status)
		return status;
	uint64_t hash = bs_hash_slot(id->data, id->used_bytes);
	uint64_t cursor = hash;
	struct bs_id_place *place;
	*hash_out = hash;
	while ((place = bs_id_set_next(&claims->ids, hash, &cursor)) != NULL) {
		struct bs_doc_record other;
		status = find_record(claims, gathered, *place, &other, err);
		if (!status)
			status = make_id(source, &other, other_id, err);
		if (status)
			return status;
		if (id->used_bytes == other_id->used_bytes &&
		    (id->used_bytes == 0 || memcmp(id->data, other_id->data, id->used_bytes) == 0)) {
			*bearer_out = place;
			return BS_OK;
		}
	}
	return BS_OK;
}

enum bs_status bs_claims_take(struct bs_claims *claims, const struct bs_source *source,
                              const struct bs_doc_table_builder *gathered, const struct bs_doc_record *record,
                              uint32_t document, struct bs_error *err)
{
	struct bs_id_place place = {.segment = claims->n_segments - 1, .document = document};
	struct bs_id_place *earlier;
	uint64_t hash;
	enum bs_status status = find_bearer(claims, source, gathered, record, &hash, &earlier, err);
	if (status)
		return status;
	if (!earlier)
		return bs_id_set_add(&claims->ids, hash, place, err);
	status = bs_claims_kill(claims, *earlier, err);
	*earlier = place;
	return status;
}

enum bs_status bs_claims_find(struct bs_claims *claims, const struct bs_source *source,
                              const struct bs_doc_table_builder *gathered, const struct bs_doc_record *record,
                              bool *is_claimed_out, struct bs_error *err)
{
	struct bs_id_place *bearer = NULL;
	uint64_t hash;
	enum bs_status status = claims->ids.n_used == 0
		? BS_OK
		: find_bearer(claims, source, gathered, record, &hash, &bearer, err);
	*is_claimed_out = bearer != NULL;
	return status;
}

enum bs_status bs_claims_dead(struct bs_claims *claims, uint32_t i, uint64_t n_docs, const uint8_t **bits_out,
                              uint64_t *n_dead_out, struct bs_error *err)
{
	struct bs_claims_segment *segment = &claims->segments[i];
	*bits_out = NULL;
	*n_dead_out = segment->n_dead;
	if (segment->n_dead == 0)
		return BS_OK;
	enum bs_status status = widen(&segment->dead, (size_t)((n_docs + 7) / 8), err);
	*bits_out = segment->dead.data;
	return status;
}
