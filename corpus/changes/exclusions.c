/* exclusions.c: see exclusions.h. */
#include "corpus/changes/exclusions.h"

#include <stdlib.h>

#include "core/base/hash.h"
#include "core/store/doc_order.h"
#include "core/store/index_dir.h"
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

static int compare_excluded(const void *a, const void *b, void *context)
{
	const struct bs_manifest *manifest = context;
	const struct bs_doc_record *x = a;
	const struct bs_doc_record *y = b;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return x->source < manifest->n_sources ? bs_compare_records(manifest->sources[x->source].kind, x, y) : 0;
}

/* An entry under the source that it has now; it may be none. */
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

/* Moved names lie one behind the other, and where is known only when there are no more. */
static void point_at_names(struct bs_exclusions *exclusions, const struct bs_snapshot *snapshot,
                           const struct bs_source_move *moves)
{
	const uint8_t *at = exclusions->names.data;
	for (uint32_t i = 0, range = 0; i < exclusions->n_entries; i++) {
		while (bs_doc_table_range(&snapshot->exclusions, range).end <= i)
			range++;
		if (!moves[bs_doc_table_range(&snapshot->exclusions, range).source].below[0])
			continue;
		exclusions->entries[i].record.name = at;
		at += exclusions->entries[i].record.name_bytes;
	}
}

/* By which they are found. */
static enum bs_status add_key(struct bs_exclusions *exclusions, const struct bs_manifest *now, uint32_t i,
                              struct bs_error *err)
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
		status = bs_term_table_intern(&exclusions->keys, key->data, (uint32_t)key->used_bytes, key_hash(key), &number,
		                              &is_new, err);
	if (!status && is_new)
		exclusions->keys.entries[number].df = i;
	return status;
}

enum bs_status bs_exclusions_init(struct bs_exclusions *exclusions, const struct bs_snapshot *snapshot,
                                  const struct bs_manifest *now, const struct bs_source_move *moves, struct bs_error *err)
{
	uint32_t n = snapshot->exclusions.n_docs;
	*exclusions = (struct bs_exclusions){.n_entries = n};
	exclusions->entries = calloc((size_t)n + 1, sizeof(*exclusions->entries));
	if (!exclusions->entries)
		return bs_fail_memory(err, "exclusions", ((size_t)n + 1) * sizeof(*exclusions->entries));
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < n && !status; i++) {
		struct bs_exclusion *entry = &exclusions->entries[i];
		status = bs_doc_table_get(&snapshot->exclusions, i, &entry->record, err);
		if (!status && moves)
			status = move_entry(exclusions, entry, &moves[entry->record.source], err);
	}
	if (!status && moves)
		point_at_names(exclusions, snapshot, moves);
	/* The record is what an entry begins with. */
	if (!status && moves && exclusions->is_changed)
		qsort_r(exclusions->entries, n, sizeof(*exclusions->entries), compare_excluded, (void *)(uintptr_t)now);
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

enum bs_status bs_exclusions_meet(struct bs_exclusions *exclusions, const struct bs_source *source,
                                  const struct bs_doc_record *record, struct bs_id_place place, struct bs_error *err)
{
	struct bs_buffer *key = &exclusions->key;
	uint32_t number;
	if (exclusions->n_entries == 0)
		return BS_OK;
	enum bs_status status = make_key(source, record, key, err);
	if (status || !bs_term_table_find(&exclusions->keys, key->data, (uint32_t)key->used_bytes, key_hash(key), &number))
		return status;
	struct bs_exclusion *entry = &exclusions->entries[exclusions->keys.entries[number].df];
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

/* Those there are and the new ones, in document order, as a new file. */
static enum bs_status write_exclusions(const struct bs_snapshot *snapshot, const struct bs_doc_ref *refs, size_t n_refs,
                                       struct bs_manifest *manifest, struct bs_error *err)
{
	struct bs_doc_table_builder builder = {0};
	size_t n_old = snapshot->exclusions.n_docs;
	size_t n = n_old + n_refs;
	struct bs_doc_record *records = calloc(n + 1, sizeof(*records));
	enum bs_status status = records ? BS_OK : bs_fail_memory(err, "exclusions", (n + 1) * sizeof(*records));
	for (size_t i = 0; i < n && !status; i++) {
		struct bs_doc_ref ref = i < n_old ? (struct bs_doc_ref){BS_DOC_EXCLUDED, (uint32_t)i} : refs[i - n_old];
		status = bs_snapshot_record(snapshot, ref, &records[i], err);
	}
	if (!status)
		qsort_r(records, n, sizeof(*records), compare_excluded, (void *)(uintptr_t)&snapshot->manifest);
	for (size_t i = 0; i < n && !status; i++)
		status = bs_doc_table_add(&builder, &records[i], err);
	if (!status) {
		manifest->exclusions = manifest->next_number++;
		manifest->n_exclusions = n;
		status = bs_exclusions_write(snapshot->dir, manifest->exclusions, &builder, err);
	}
	bs_doc_table_builder_deinit(&builder);
	free(records);
	return status;
}

enum bs_status bs_delete_documents(struct bs_snapshot *snapshot, const struct bs_doc_ref *refs, size_t n_refs,
                                   struct bs_error *err)
{
	struct bs_manifest manifest;
	uint32_t n_changed;
	enum bs_status status = bs_manifest_copy_head(&snapshot->manifest, &manifest, err);
	if (status)
		return status;
	manifest.generation++;
	manifest.next_number = bs_index_next_number(snapshot->dir, &snapshot->manifest);
	for (size_t i = 0; i < n_refs && !status; i++)
		status = bs_snapshot_mark(snapshot, refs[i], true, err);
	if (!status)
		status = write_exclusions(snapshot, refs, n_refs, &manifest, err);
	if (!status)
		status = bs_index_keep_segments(snapshot, &manifest, &n_changed, err);
	if (!status)
		status = bs_manifest_write(snapshot->dir, &manifest, err);
	if (status)
		bs_index_sweep_failed(snapshot->dir, &snapshot->manifest);
	else
		bs_index_sweep(snapshot->dir, &manifest);
	bs_manifest_deinit(&manifest);
	return status;
}

struct wanted {
	struct bs_term_table ids; /* df: whether a document bears it */
	struct bs_buffer refs;
	struct bs_buffer id;
};

/* Notes the document if it bears one of the ids. */
static enum bs_status look_at(struct wanted *wanted, const struct bs_snapshot *snapshot, struct bs_doc_ref ref,
                              struct bs_error *err)
{
	struct bs_doc_record record;
	struct bs_buffer *id = &wanted->id;
	uint32_t number;
	enum bs_status status = bs_snapshot_record(snapshot, ref, &record, err);
	if (status || record.source >= snapshot->manifest.n_sources)
		return status;
	struct bs_source source = bs_recorded_name_of(&snapshot->manifest.sources[record.source]);
	status = bs_recorded_id(&source, &record, id, err);
	uint64_t hash = bs_hash_slot(id->data, id->used_bytes);
	if (status || !bs_term_table_find(&wanted->ids, id->data, (uint32_t)id->used_bytes, hash, &number))
		return status;
	wanted->ids.entries[number].df = 1;
	return bs_buffer_append(&wanted->refs, &ref, sizeof(ref), err);
}

static enum bs_status delete_wanted(struct wanted *wanted, const struct bs_dir *dir, uint64_t *n_deleted_out,
                                    struct bs_error *err)
{
	struct bs_snapshot snapshot;
	enum bs_status status = bs_snapshot_open(dir, &snapshot, err);
	if (status)
		return status;
	for (uint32_t s = 0; s < snapshot.manifest.n_segments; s++)
		for (uint32_t d = 0; d < bs_snapshot_segment_docs(&snapshot, s) && !status; d++)
			if (!bs_snapshot_is_deleted(&snapshot, s, d))
				status = look_at(wanted, &snapshot, (struct bs_doc_ref){s, d}, err);
	size_t n = wanted->refs.used_bytes / sizeof(struct bs_doc_ref);
	if (!status && n > 0)
		status = bs_delete_documents(&snapshot, (const struct bs_doc_ref *)(const void *)wanted->refs.data, n, err);
	*n_deleted_out = status ? 0 : n;
	bs_snapshot_deinit(&snapshot);
	return status;
}

enum bs_status bs_delete_ids(struct bs_dir *dir, bool wait, const char *const *ids, size_t n_ids, bool *found_out,
                             uint64_t *n_deleted_out, struct bs_error *err)
{
	struct wanted wanted = {0};
	struct bs_index_lock lock;
	uint32_t number;
	*n_deleted_out = 0;
	enum bs_status status = bs_index_lock_existing(dir, wait, &lock, err);
	/* Not even the first id, if it is empty, is to lie nowhere. */
	if (!status)
		status = bs_buffer_reserve(&wanted.id, 1, err);
	for (size_t i = 0; i < n_ids && !status; i++)
		status = bs_term_table_intern(&wanted.ids, (const uint8_t *)ids[i], (uint32_t)strlen(ids[i]),
		                              bs_hash_slot(ids[i], strlen(ids[i])), &number, NULL, err);
	if (!status)
		status = delete_wanted(&wanted, dir, n_deleted_out, err);
	for (size_t i = 0; i < n_ids; i++)
		found_out[i] = !status && bs_term_table_find(&wanted.ids, (const uint8_t *)ids[i], (uint32_t)strlen(ids[i]),
		                                             bs_hash_slot(ids[i], strlen(ids[i])), &number) &&
		               wanted.ids.entries[number].df;
	bs_index_lock_release(&lock);
	bs_term_table_deinit(&wanted.ids);
	bs_buffer_deinit(&wanted.refs);
	bs_buffer_deinit(&wanted.id);
	return status;
}
