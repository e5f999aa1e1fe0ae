/* exclusions.c: see exclusions.h. */
#include "corpus/changes/exclusions.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/store/doc_order.h"
#include "corpus/changes/recorded.h"
#include "corpus/walk/file.h"

/* The key of an excluded document: its id followed by the number of its source. */
static enum bs_status make_key(const struct bs_source *source, const struct bs_doc_record *record,
                               struct bs_buffer *key, struct bs_error *err)
{
	enum bs_status status = bs_recorded_id(source, record, key, err);
	return status ? status
	              : bs_buffer_append(key, &record->source, sizeof(record->source), err);
}

static uint64_t key_hash(const struct bs_buffer *key)
{
	return bs_hash_slot(key->data, key->used_bytes);
}

static int compare_excluded(const void *a, const void *b, void *context)
{
	return bs_compare_documents(context, a, b);
}

/* Sets the source number of an excluded document to the current one. If the document has a new
 * name, appends it to `names`, from which point_at_names sets the pointer. The exclusion ends if
 * its source is no longer a source, or if no exclusion can match the documents of the source any
 * more (is_lost). */
static enum bs_status move_entry(struct bs_exclusions *exclusions, struct bs_exclusion *entry,
                                 const struct bs_source_move *move, struct bs_error *err)
{
	struct bs_doc_record *record = &entry->record;
	struct bs_buffer *names = &exclusions->names;
	size_t below_bytes = strlen(move->below);
	enum bs_status status = BS_OK;
	exclusions->is_changed |= move->number != record->source || below_bytes > 0;
	record->source = move->number;
	if (move->number == BS_SOURCE_GONE || move->is_lost)
		entry->state = BS_EXCLUSION_OVER;
	if (below_bytes > 0)
		status = bs_buffer_append(names, move->below, below_bytes, err);
	if (below_bytes > 0 && !status)
		status = bs_buffer_append(names, record->name, record->name_bytes, err);
	record->name_bytes += (uint32_t)below_bytes;
	return status;
}

/* Points the records of moved entries at their new names in `names`. Called after all names were
 * appended, because `names` moves while it grows. */
static void point_at_names(struct bs_exclusions *exclusions, const struct bs_snapshot *snapshot,
                           const struct bs_source_move *moves)
{
	const uint8_t *at = exclusions->names.data;
	for (uint32_t i = 0, range = 0; i < exclusions->n_entries; i++) {
		while (bs_doc_table_range(&snapshot->exclusions.table, range).end <= i)
			range++;
		if (!moves[bs_doc_table_range(&snapshot->exclusions.table, range).source].below[0])
			continue;
		exclusions->entries[i].record.name = at;
		at += exclusions->entries[i].record.name_bytes;
	}
}

/* Adds an entry to the lookup table, unless it has ended. */
static enum bs_status add_key(struct bs_exclusions *exclusions, const struct bs_manifest *now,
                              uint32_t i, struct bs_error *err)
{
	const struct bs_doc_record *record = &exclusions->entries[i].record;
	struct bs_buffer *key = &exclusions->key;
	uint32_t number;
	bool is_new;
	if (exclusions->entries[i].state == BS_EXCLUSION_OVER)
		return BS_OK;
	struct bs_source source = bs_recorded_name_of(&now->sources[record->source]);
	enum bs_status status = make_key(&source, record, key, err);
	if (!status)
		status = bs_term_table_intern(&exclusions->keys, key->data,
		                              (uint32_t)key->used_bytes, key_hash(key), &number,
		                              &is_new, err);
	if (!status && is_new)
		exclusions->keys.entries[number].df = i;
	return status;
}

enum bs_status bs_exclusions_init(struct bs_exclusions *exclusions,
                                  const struct bs_snapshot *snapshot, const struct bs_manifest *now,
                                  const struct bs_source_move *moves, struct bs_error *err)
{
	uint32_t n = snapshot->exclusions.table.n_docs;
	*exclusions = (struct bs_exclusions){.n_entries = n};
	exclusions->entries = calloc((size_t)n + 1, sizeof(*exclusions->entries));
	if (!exclusions->entries)
		return bs_fail_memory(err, "exclusions",
		                      ((size_t)n + 1) * sizeof(*exclusions->entries));
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < n && !status; i++) {
		struct bs_exclusion *entry = &exclusions->entries[i];
		status = bs_doc_table_get(&snapshot->exclusions.table, i, &entry->record, err);
		if (!status && moves)
			status = move_entry(exclusions, entry, &moves[entry->record.source], err);
	}
	if (!status && moves)
		point_at_names(exclusions, snapshot, moves);
	/* compare_excluded compares records; an entry begins with its record. */
	if (!status && moves && exclusions->is_changed)
		qsort_r(exclusions->entries, n, sizeof(*exclusions->entries), compare_excluded,
		        (void *)(uintptr_t)now);
	for (uint32_t i = 0; i < n && !status; i++)
		status = add_key(exclusions, now, i, err);
	if (status)
		bs_exclusions_deinit(exclusions);
	return status;
}

void bs_exclusions_deinit(struct bs_exclusions *exclusions)
{
	free(exclusions->entries);
	bs_term_table_deinit(&exclusions->keys);
	bs_buffer_deinit(&exclusions->key);
	bs_buffer_deinit(&exclusions->names);
	*exclusions = (struct bs_exclusions){0};
}

enum bs_status bs_exclusions_find(struct bs_exclusions *exclusions, const struct bs_source *source,
                                  const struct bs_doc_record *record, uint32_t *i_out,
                                  struct bs_error *err)
{
	struct bs_buffer *key = &exclusions->key;
	uint32_t number;
	*i_out = UINT32_MAX;
	if (exclusions->n_entries == 0)
		return BS_OK;
	enum bs_status status = make_key(source, record, key, err);
	if (!status && bs_term_table_find(&exclusions->keys, key->data, (uint32_t)key->used_bytes,
	                                  key_hash(key), &number))
		*i_out = exclusions->keys.entries[number].df;
	return status;
}

enum bs_status bs_exclusions_note_read(struct bs_exclusions *exclusions,
                                       const struct bs_source *source,
                                       const struct bs_doc_record *record, struct bs_id_place place,
                                       struct bs_error *err)
{
	uint32_t i;
	enum bs_status status = bs_exclusions_find(exclusions, source, record, &i, err);
	if (status || i == UINT32_MAX)
		return status;
	struct bs_exclusion *entry = &exclusions->entries[i];
	/* The exclusion has ended: it belonged to a former source with the same number. */
	if (entry->state == BS_EXCLUSION_OVER)
		return BS_OK;
	entry->state = BS_EXCLUSION_READ_AGAIN;
	entry->met = *record;
	entry->place = place;
	return BS_OK;
}

/* True if the file of an excluded document of a folder may still exist, although the walk did not
 * yield it. */
static bool is_there(const struct bs_source *source, const struct bs_doc_record *record)
{
	struct bs_buffer path = {0};
	struct bs_fingerprint fingerprint;
	if (source->kind != BS_SOURCE_FOLDER ||
	    !bs_doc_name_is_below(record->name, record->name_bytes))
		return false;
	enum bs_status status =
		bs_file_join(source->path, record->name, record->name_bytes, &path, NULL);
	/* After other errors the file counts as existing, so that the document stays deleted. */
	if (!status)
		status = bs_path_fingerprint((const char *)path.data, &fingerprint, NULL);
	bs_buffer_deinit(&path);
	return status != BS_NOT_FOUND;
}

/* Settles the exclusion of a document that was read again. If its content is the deleted content,
 * even at another place or with another fingerprint, it is marked dead again. Otherwise the
 * exclusion ends. */
static enum bs_status settle_met(struct bs_exclusions *exclusions, struct bs_exclusion *entry,
                                 struct bs_id_owners *owners, struct bs_error *err)
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

enum bs_status bs_exclusions_settle(struct bs_exclusions *exclusions,
                                    const struct bs_source *source, uint32_t number, bool is_whole,
                                    struct bs_id_owners *owners, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < exclusions->n_entries && !status; i++) {
		struct bs_exclusion *entry = &exclusions->entries[i];
		if (entry->record.source != number)
			continue;
		if (entry->state == BS_EXCLUSION_READ_AGAIN)
			status = settle_met(exclusions, entry, owners, err);
		if (entry->state != BS_EXCLUSION_UNSEEN || !is_whole ||
		    is_there(source, &entry->record))
			continue;
		entry->state = BS_EXCLUSION_OVER;
		exclusions->is_changed = true;
	}
	return status;
}

void bs_exclusions_drop(struct bs_exclusions *exclusions, uint32_t number)
{
	for (uint32_t i = 0; i < exclusions->n_entries; i++) {
		struct bs_exclusion *entry = &exclusions->entries[i];
		if (entry->record.source != number || entry->state == BS_EXCLUSION_OVER)
			continue;
		entry->state = BS_EXCLUSION_OVER;
		exclusions->is_changed = true;
	}
}

enum bs_status bs_exclusions_record(const struct bs_exclusions *exclusions,
                                    struct bs_doc_table_builder *records, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < exclusions->n_entries && !status; i++)
		if (exclusions->entries[i].state != BS_EXCLUSION_OVER)
			status = bs_doc_table_add(records, &exclusions->entries[i].record, err);
	return status;
}
