/* exclusions.c: see exclusions.h. */
#include "corpus/changes/exclusions.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "corpus/changes/recorded.h"
#include "corpus/walk/file.h"

/* Of one source ids are unique, whether a record is named by its line or has an id that looks like it. */
static uint64_t id_hash(const struct bs_buffer *id, uint32_t source)
{
	return bs_hash_mix(bs_hash_slot(id->data, id->used_bytes) + source);
}

static enum bs_status add_entry(struct bs_exclusions *exclusions, const struct bs_snapshot *snapshot, uint32_t i,
                                struct bs_error *err)
{
	struct bs_exclusion *entry = &exclusions->entries[i];
	struct bs_buffer *id = &exclusions->id;
	enum bs_status status = bs_doc_table_get(&snapshot->exclusions, i, &entry->record, err);
	if (status)
		return status;
	uint32_t number = entry->record.source;
	struct bs_source source = bs_recorded_name_of(&snapshot->manifest.sources[number]);
	status = bs_recorded_id(&source, &entry->record, id, err);
	entry->id_offset = exclusions->id_texts.used_bytes;
	entry->id_bytes = id->used_bytes;
	if (!status)
		status = bs_buffer_append(&exclusions->id_texts, id->data, id->used_bytes, err);
	return status ? status : bs_id_set_add(&exclusions->ids, id_hash(id, number), (struct bs_id_place){0, i}, err);
}

enum bs_status bs_exclusions_init(struct bs_exclusions *exclusions, const struct bs_snapshot *snapshot,
                                  struct bs_error *err)
{
	uint32_t n = snapshot->exclusions.n_docs;
	*exclusions = (struct bs_exclusions){0};
	exclusions->entries = calloc((size_t)n + 1, sizeof(*exclusions->entries));
	if (!exclusions->entries)
		return bs_fail_memory(err, "exclusions", ((size_t)n + 1) * sizeof(*exclusions->entries));
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < n && !status; i++) {
		status = add_entry(exclusions, snapshot, i, err);
		exclusions->n_entries += !status;
	}
	if (status)
		bs_exclusions_deinit(exclusions);
	return status;
}

void bs_exclusions_deinit(struct bs_exclusions *exclusions)
{
	free(exclusions->entries);
	bs_id_set_deinit(&exclusions->ids);
	bs_buffer_deinit(&exclusions->id_texts);
	bs_buffer_deinit(&exclusions->id);
	*exclusions = (struct bs_exclusions){0};
}

enum bs_status bs_exclusions_meet(struct bs_exclusions *exclusions, const struct bs_source *source,
                                  const struct bs_doc_record *record, struct bs_id_place place, struct bs_error *err)
{
	struct bs_buffer *id = &exclusions->id;
	if (exclusions->n_entries == 0)
		return BS_OK;
	enum bs_status status = bs_recorded_id(source, record, id, err);
	if (status)
		return status;
	uint64_t hash = id_hash(id, record->source);
	uint64_t cursor = hash;
	struct bs_id_place *found;
	while ((found = bs_id_set_next(&exclusions->ids, hash, &cursor)) != NULL) {
		struct bs_exclusion *entry = &exclusions->entries[found->document];
		const uint8_t *text = exclusions->id_texts.data + entry->id_offset;
		if (entry->record.source != record->source || entry->id_bytes != id->used_bytes ||
		    (id->used_bytes > 0 && memcmp(text, id->data, id->used_bytes) != 0))
			continue;
		entry->state = BS_EXCLUSION_MET;
		entry->met = *record;
		entry->place = place;
		break;
	}
	return BS_OK;
}

/* Whether the file of an entry is still there, though no walk came by it. */
static bool is_there(const struct bs_source *source, const struct bs_doc_record *record)
{
	struct bs_buffer path = {0};
	struct bs_stamp stamp;
	if (source->kind != BS_SOURCE_FOLDER || !bs_doc_name_is_below(record->name, record->name_bytes))
		return false;
	enum bs_status status = bs_file_join(source->path, record->name, record->name_bytes, &path, NULL);
	/* In doubt it stays deleted. */
	if (!status)
		status = bs_path_stamp((const char *)path.data, &stamp, NULL);
	bs_buffer_deinit(&path);
	return status != BS_NOT_FOUND;
}

/* The same content, if at another place or under another stamp, is killed again; anything else ends the entry. */
static enum bs_status settle_met(struct bs_exclusions *exclusions, struct bs_exclusion *entry, struct bs_id_owners *owners,
                                 struct bs_error *err)
{
	exclusions->is_changed = true;
	if (entry->met.checksum != entry->record.checksum) {
		entry->state = BS_EXCLUSION_OVER;
		return BS_OK;
	}
	struct bs_doc_record moved = entry->met;
	moved.name = entry->record.name;
	moved.name_bytes = entry->record.name_bytes;
	entry->record = moved;
	return bs_id_owners_kill(owners, entry->place, err);
}

enum bs_status bs_exclusions_settle(struct bs_exclusions *exclusions, const struct bs_source *source, uint32_t number,
                                    bool is_whole, struct bs_id_owners *owners, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < exclusions->n_entries && !status; i++) {
		struct bs_exclusion *entry = &exclusions->entries[i];
		if (entry->record.source != number)
			continue;
		if (entry->state == BS_EXCLUSION_MET)
			status = settle_met(exclusions, entry, owners, err);
		if (entry->state != BS_EXCLUSION_UNSEEN || !is_whole || is_there(source, &entry->record))
			continue;
		entry->state = BS_EXCLUSION_OVER;
		exclusions->is_changed = true;
	}
	return status;
}

enum bs_status bs_exclusions_record(const struct bs_exclusions *exclusions, struct bs_doc_table_builder *records,
                                    struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < exclusions->n_entries && !status; i++)
		if (exclusions->entries[i].state != BS_EXCLUSION_OVER)
			status = bs_doc_table_add(records, &exclusions->entries[i].record, err);
	return status;
}
