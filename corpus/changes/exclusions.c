/* exclusions.c: see exclusions.h. */
#include "corpus/changes/exclusions.h"

#include <stdlib.h>

#include "core/base/hash.h"
#include "corpus/changes/recorded.h"
#include "corpus/walk/file.h"

/* What an excluded document is known by: its id, and the number of its source behind it. */
static enum bs_status make_key(const struct bs_source *source, const struct bs_doc_record *record, struct bs_buffer *key,
                               struct bs_error *err)
{
	enum bs_status status = bs_recorded_id(source, record, key, err);
	return status ? status : bs_buffer_append(key, &record->source, sizeof(record->source), err);
}

static uint64_t key_hash(const struct bs_buffer *key)
{
	return bs_hash_slot(key->data, key->used_bytes);
}

static enum bs_status add_entry(struct bs_exclusions *exclusions, const struct bs_snapshot *snapshot, uint32_t i,
                                struct bs_error *err)
{
	struct bs_doc_record *record = &exclusions->entries[i].record;
	struct bs_buffer *key = &exclusions->key;
	uint32_t number;
	bool is_new;
	enum bs_status status = bs_doc_table_get(&snapshot->exclusions, i, record, err);
	if (status)
		return status;
	struct bs_source source = bs_recorded_name_of(&snapshot->manifest.sources[record->source]);
	status = make_key(&source, record, key, err);
	if (!status)
		status = bs_term_table_intern(&exclusions->keys, key->data, (uint32_t)key->used_bytes, key_hash(key), &number,
		                              &is_new, err);
	if (!status && is_new)
		exclusions->keys.entries[number].df = i;
	return status;
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
	bs_term_table_deinit(&exclusions->keys);
	bs_buffer_deinit(&exclusions->key);
	*exclusions = (struct bs_exclusions){0};
}

enum bs_status bs_exclusions_find(struct bs_exclusions *exclusions, const struct bs_source *source,
                                  const struct bs_doc_record *record, uint32_t *i_out, struct bs_error *err)
{
	struct bs_buffer *key = &exclusions->key;
	uint32_t number;
	*i_out = UINT32_MAX;
	if (exclusions->n_entries == 0)
		return BS_OK;
	enum bs_status status = make_key(source, record, key, err);
	if (!status && bs_term_table_find(&exclusions->keys, key->data, (uint32_t)key->used_bytes, key_hash(key), &number))
		*i_out = exclusions->keys.entries[number].df;
	return status;
}

enum bs_status bs_exclusions_meet(struct bs_exclusions *exclusions, const struct bs_source *source,
                                  const struct bs_doc_record *record, struct bs_id_place place, struct bs_error *err)
{
	uint32_t i;
	enum bs_status status = bs_exclusions_find(exclusions, source, record, &i, err);
	if (status || i == UINT32_MAX)
		return status;
	struct bs_exclusion *entry = &exclusions->entries[i];
	entry->state = BS_EXCLUSION_MET;
	entry->met = *record;
	entry->place = place;
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
