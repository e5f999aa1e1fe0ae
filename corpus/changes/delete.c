/* delete.c: see delete.h. */
#include "corpus/changes/delete.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/vector.h"
#include "core/collections/sort.h"
#include "core/collections/term_table.h"
#include "core/store/doc_order.h"
#include "core/store/index_dir.h"
#include "core/store/summary_make.h"
#include "core/system/deadline.h"
#include "corpus/changes/exclusions.h"
#include "corpus/changes/recorded.h"

static int compare_refs(const void *a, const void *b, void *context)
{
	const struct bs_doc_ref *x = a, *y = b;
	return bs_document_order(context, *x, *y);
}

static enum bs_status sort_refs(const struct bs_snapshot *snapshot, struct bs_doc_refs *refs,
                                struct bs_error *err)
{
	return bs_sort(refs->items, bs_vector_n(refs), sizeof(*refs->items), compare_refs,
	               (void *)(uintptr_t)snapshot, err);
}

#define DOCUMENT_NS 50u /* estimated cost of one document */

/* Flags of a wanted id, in the member df of its entry in the table `ids`. */
enum {
	MATCHES_ID = 1,      /* a document has it as its id */
	MATCHES_LOCAL_ID = 2 /* a document has it as its local id */
};

/* A document whose id equals wanted id `number`, but whose local id equals no wanted id. It counts
 * as found only if no document has the wanted id as its local id. */
struct by_id {
	struct bs_doc_ref ref;
	uint32_t number;
};

BS_VECTOR(by_ids, struct by_id);

struct wanted {
	const struct bs_snapshot *snapshot;
	/* the sources with their paths, because local ids contain paths */
	struct bs_source *sources;
	struct bs_term_table ids;
	struct by_ids by_id;
	struct bs_buffer id;
	struct bs_doc_refs *refs;
};

static bool is_wanted(const struct wanted *wanted, uint32_t *number_out)
{
	const struct bs_buffer *id = &wanted->id;
	return bs_term_table_find(&wanted->ids, id->data, (uint32_t)id->used_bytes,
	                          bs_hash_slot(id->data, id->used_bytes), number_out);
}

static enum bs_status look_at(struct wanted *wanted, struct bs_doc_ref ref, struct bs_error *err)
{
	struct bs_doc_record record;
	struct by_id found = {.ref = ref};
	enum bs_status status = bs_snapshot_record(wanted->snapshot, ref, &record, err);
	if (status || record.source >= wanted->snapshot->manifest.n_sources)
		return status;
	const struct bs_source *source = &wanted->sources[record.source];
	status = bs_recorded_local_id(source, &record, &wanted->id, err);
	bool is_here = !status && is_wanted(wanted, &found.number);
	if (is_here) {
		wanted->ids.entries[found.number].df |= MATCHES_LOCAL_ID;
		status = bs_vector_append(wanted->refs, &ref, err);
	}
	if (!status)
		status = bs_recorded_id(source, &record, &wanted->id, err);
	if (status || !is_wanted(wanted, &found.number))
		return status;
	wanted->ids.entries[found.number].df |= MATCHES_ID;
	return is_here ? BS_OK : bs_vector_append(&wanted->by_id, &found, err);
}

/* If there are at most this many wanted ids, each document's name is first compared with the ends
 * of the ids, which rules out most documents. */
#define FEW_IDS 8u

/* *may_out: false if no wanted id ends with the last component of the document's name, so that the
 * document is not wanted. Only this end is compared, because the part of an id before it depends on
 * the working directory. Always true for documents of the overlay, for documents without a name,
 * and if there are more than FEW_IDS wanted ids. */
static enum bs_status may_be_wanted(const struct wanted *wanted, uint32_t segment,
                                    uint32_t document, bool *may_out, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = wanted->snapshot;
	const struct bs_term_table *ids = &wanted->ids;
	const uint8_t *name;
	uint32_t n_bytes;
	*may_out = true;
	if (segment >= snapshot->manifest.n_segments || ids->n_terms > FEW_IDS)
		return BS_OK;
	enum bs_status status = bs_names_get(&snapshot->segments[segment].docs.names, document,
	                                     &name, &n_bytes, err);
	const uint8_t *slash = !status && n_bytes > 0 ? memrchr(name, '/', n_bytes) : NULL;
	if (slash) {
		n_bytes -= (uint32_t)(slash + 1 - name);
		name = slash + 1;
	}
	*may_out = !status && n_bytes == 0;
	for (uint32_t i = 0; i < ids->n_terms && !status && !*may_out; i++) {
		uint32_t id_bytes = ids->entries[i].n_bytes;
		*may_out =
			id_bytes >= n_bytes &&
			memcmp(bs_term_table_key(ids, i) + id_bytes - n_bytes, name, n_bytes) == 0;
	}
	return status;
}

static enum bs_status look_if_live(struct wanted *wanted, uint32_t segment, uint32_t document,
                                   struct bs_error *err)
{
	bool may = false;
	if (bs_snapshot_is_deleted(wanted->snapshot, segment, document))
		return BS_OK;
	enum bs_status status = bs_deadline_check_after(DOCUMENT_NS, err);
	if (!status)
		status = may_be_wanted(wanted, segment, document, &may, err);
	return status || !may ? status
	                      : look_at(wanted, (struct bs_doc_ref){segment, document}, err);
}

static enum bs_status look_at_all(struct wanted *wanted, bool of_deleted, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = wanted->snapshot;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; of_deleted && i < snapshot->exclusions.table.n_docs && !status; i++)
		status = look_at(wanted, (struct bs_doc_ref){BS_DOC_EXCLUDED, i}, err);
	/* Segment n_segments is the overlay of a fresh snapshot. */
	for (uint32_t s = 0; !of_deleted && s <= snapshot->manifest.n_segments; s++)
		for (uint32_t d = 0; bs_snapshot_has_words(snapshot, s) &&
		                     d < bs_snapshot_segment_docs(snapshot, s) && !status;
		     d++)
			status = look_if_live(wanted, s, d, err);
	const struct by_id *by_id = wanted->by_id.items;
	for (size_t i = 0; i < bs_vector_n(&wanted->by_id) && !status; i++)
		if (!(wanted->ids.entries[by_id[i].number].df & MATCHES_LOCAL_ID))
			status = bs_vector_append(wanted->refs, &by_id[i].ref, err);
	return status;
}

enum bs_status bs_delete_find(const struct bs_snapshot *snapshot, bool of_deleted,
                              const char *const *ids, size_t n_ids, bool *found_out,
                              struct bs_doc_refs *refs, struct bs_error *err)
{
	struct wanted wanted = {.snapshot = snapshot, .refs = refs};
	uint32_t *numbers = calloc(n_ids + 1, sizeof(*numbers));
	enum bs_status status =
		numbers ? BS_OK : bs_fail_memory(err, "ids", n_ids * sizeof(*numbers));
	/* Makes wanted.id.data non-NULL, in case the id of the first document is empty. */
	if (!status)
		status = bs_buffer_reserve(&wanted.id, 1, err);
	if (!status)
		status = bs_recorded_places(snapshot->dir, &snapshot->manifest, &wanted.sources,
		                            err);
	for (size_t i = 0; i < n_ids && !status; i++)
		status = bs_term_table_intern(
			&wanted.ids, (const uint8_t *)ids[i], (uint32_t)strlen(ids[i]),
			bs_hash_slot(ids[i], strlen(ids[i])), &numbers[i], NULL, err);
	if (!status)
		status = look_at_all(&wanted, of_deleted, err);
	for (size_t i = 0; i < n_ids && !status; i++)
		found_out[i] = wanted.ids.entries[numbers[i]].df != 0;
	if (!status)
		status = sort_refs(snapshot, refs, err);
	bs_recorded_places_free(wanted.sources, snapshot->manifest.n_sources);
	bs_term_table_deinit(&wanted.ids);
	bs_vector_deinit(&wanted.by_id);
	bs_buffer_deinit(&wanted.id);
	free(numbers);
	return status;
}

enum bs_status bs_delete_list(const struct bs_snapshot *snapshot, const struct bs_doc_ref *refs,
                              size_t n_refs,
                              void (*tell)(void *context, const char *local_id,
                                           size_t local_id_bytes),
                              void *context, struct bs_error *err)
{
	struct bs_source *sources;
	struct bs_doc_record record;
	struct bs_buffer id = {0};
	enum bs_status status =
		bs_recorded_places(snapshot->dir, &snapshot->manifest, &sources, err);
	for (size_t i = 0; i < n_refs && !status; i++) {
		status = bs_deadline_check_after(DOCUMENT_NS, err);
		if (!status)
			status = bs_snapshot_record(snapshot, refs[i], &record, err);
		if (!status)
			status = bs_recorded_local_id(&sources[record.source], &record, &id, err);
		if (!status)
			tell(context, id.used_bytes ? (const char *)id.data : "", id.used_bytes);
	}
	bs_recorded_places_free(sources, snapshot->manifest.n_sources);
	bs_buffer_deinit(&id);
	return status;
}

/* Writes the excluded documents of the next commit to a new file, in document order. */
static enum bs_status write_exclusions(const struct bs_snapshot *snapshot, struct bs_doc_refs *refs,
                                       struct bs_manifest *manifest, struct bs_error *err)
{
	struct bs_doc_table_builder builder = {0};
	struct bs_doc_record record;
	size_t n = bs_vector_n(refs);
	enum bs_status status = sort_refs(snapshot, refs, err);
	for (size_t i = 0; i < n && !status; i++) {
		status = bs_snapshot_record(snapshot, refs->items[i], &record, err);
		if (!status)
			status = bs_doc_table_add(&builder, &record, err);
	}
	manifest->exclusions.n_docs = n;
	manifest->exclusions.number = n ? manifest->next_number++ : 0;
	if (!status && n)
		status = bs_exclusions_write(snapshot->dir, manifest->exclusions.number, &builder,
		                             err);
	bs_doc_table_builder_deinit(&builder);
	return status;
}

/* Commits the snapshot: documents that are marked as deleted get tombstones, and those in
 * `excluded` are the exclusions. */
static enum bs_status commit(const struct bs_snapshot *snapshot, struct bs_doc_refs *excluded,
                             struct bs_manifest *manifest, struct bs_error *err)
{
	uint32_t n_changed;
	manifest->generation++;
	manifest->next_number = bs_index_next_number(snapshot->dir, &snapshot->manifest);
	enum bs_status status = write_exclusions(snapshot, excluded, manifest, err);
	if (!status)
		status = bs_index_keep_segments(snapshot, manifest, &n_changed, err);
	if (!status)
		status =
			bs_summary_update(snapshot->dir, snapshot, NULL, UINT64_MAX, manifest, err);
	if (!status)
		status = bs_snapshot_commit(snapshot->dir, &snapshot->manifest, manifest, err);
	if (status)
		bs_index_sweep_failed(snapshot->dir, &snapshot->manifest);
	else
		bs_index_sweep(snapshot->dir, manifest);
	return status;
}

enum bs_status bs_delete_documents(struct bs_snapshot *snapshot, const struct bs_doc_ref *refs,
                                   size_t n_refs, struct bs_error *err)
{
	struct bs_manifest manifest;
	struct bs_doc_refs excluded = {0};
	enum bs_status status = bs_manifest_copy_head(&snapshot->manifest, &manifest, err);
	if (status)
		return status;
	for (uint32_t i = 0; i < snapshot->exclusions.table.n_docs && !status; i++)
		status = bs_vector_append(&excluded, (&(struct bs_doc_ref){BS_DOC_EXCLUDED, i}),
		                          err);
	if (!status)
		status = bs_vector_extend(&excluded, refs, n_refs, err);
	for (size_t i = 0; i < n_refs && !status; i++)
		status = bs_snapshot_mark(snapshot, refs[i], true, err);
	if (!status)
		status = commit(snapshot, &excluded, &manifest, err);
	bs_manifest_deinit(&manifest);
	bs_vector_deinit(&excluded);
	return status;
}

/* If the dead document has the recorded id, place and content of an exclusion, sets the exclusion's
 * element of places to it. If several documents have them, the last one stays in places. */
static enum bs_status match_dead(struct bs_exclusions *exclusions,
                                 const struct bs_snapshot *snapshot, struct bs_doc_ref ref,
                                 struct bs_doc_ref *places, struct bs_error *err)
{
	struct bs_doc_record record;
	uint32_t i;
	enum bs_status status = bs_deadline_check_after(DOCUMENT_NS, err);
	if (!status)
		status = bs_snapshot_record(snapshot, ref, &record, err);
	if (status)
		return status;
	struct bs_source source = bs_recorded_name_of(&snapshot->manifest.sources[record.source]);
	status = bs_exclusions_find(exclusions, &source, &record, &i, err);
	if (status || i == UINT32_MAX)
		return status;
	const struct bs_doc_record *entry = &exclusions->entries[i].record;
	if (entry->checksum == record.checksum &&
	    memcmp(entry->place, record.place, sizeof(record.place)) == 0)
		places[i] = ref;
	return BS_OK;
}

/* *places_out: for each exclusion, the dead document of a segment that match_dead finds for it;
 * segment BS_DOC_NONE if no document matches. The caller frees *places_out, after a failure too. */
static enum bs_status find_dead(const struct bs_snapshot *snapshot, struct bs_doc_ref **places_out,
                                struct bs_error *err)
{
	struct bs_exclusions exclusions;
	*places_out = NULL;
	enum bs_status status =
		bs_exclusions_init(&exclusions, snapshot, &snapshot->manifest, NULL, err);
	if (status)
		return status;
	struct bs_doc_ref *places = calloc((size_t)exclusions.n_entries + 1, sizeof(*places));
	if (!places)
		status = bs_fail_memory(err, "exclusions", exclusions.n_entries * sizeof(*places));
	for (uint32_t i = 0; places && i < exclusions.n_entries; i++)
		places[i].segment = BS_DOC_NONE;
	for (uint32_t s = 0; exclusions.n_entries > 0 && s < snapshot->manifest.n_segments; s++)
		for (uint32_t d = 0; bs_snapshot_has_words(snapshot, s) &&
		                     d < bs_snapshot_segment_docs(snapshot, s) && !status;
		     d++)
			if (bs_snapshot_is_deleted(snapshot, s, d))
				status = match_dead(&exclusions, snapshot,
				                    (struct bs_doc_ref){s, d}, places, err);
	bs_exclusions_deinit(&exclusions);
	*places_out = places;
	return status;
}

enum bs_status bs_delete_show(struct bs_snapshot *snapshot, struct bs_doc_ref **places_out,
                              struct bs_error *err)
{
	struct bs_doc_ref *places;
	struct bs_doc_record record;
	enum bs_status status = find_dead(snapshot, &places, err);
	*places_out = places;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++)
		for (uint32_t d = 0; d < bs_snapshot_segment_docs(snapshot, s) && !status; d++)
			status = bs_snapshot_mark(snapshot, (struct bs_doc_ref){s, d}, true, err);
	snapshot->totals.n_live_docs = 0;
	for (uint32_t i = 0; i < snapshot->exclusions.table.n_docs && !status; i++) {
		status = bs_snapshot_record(snapshot, (struct bs_doc_ref){BS_DOC_EXCLUDED, i},
		                            &record, err);
		if (status)
			break;
		if (places[i].segment != BS_DOC_NONE) {
			status = bs_snapshot_mark(snapshot, places[i], false, err);
		} else if (snapshot->manifest.sources[record.source].kind != BS_SOURCE_STDIN) {
			places[i] = (struct bs_doc_ref){snapshot->manifest.n_segments,
			                                snapshot->overlay.docs.n_docs};
			status = bs_doc_table_add(&snapshot->overlay.docs, &record, err);
		}
		snapshot->totals.n_live_docs += places[i].segment != BS_DOC_NONE;
	}
	return status;
}

/* Undoes the deletion of exclusion i; the caller removes the exclusion. If a segment has the
 * document, at `place`, marks it as live. Otherwise counts it in `undone` and, if it is a record of
 * a collection, makes the next refresh read the collection from its start. */
static enum bs_status undo(struct bs_snapshot *snapshot, uint32_t i, struct bs_doc_ref place,
                           struct bs_manifest *manifest, struct bs_undone *undone,
                           struct bs_error *err)
{
	struct bs_doc_record record;
	enum bs_status status =
		bs_snapshot_record(snapshot, (struct bs_doc_ref){BS_DOC_EXCLUDED, i}, &record, err);
	if (status)
		return status;
	struct bs_source_record *source = &manifest->sources[record.source];
	if (place.segment != BS_DOC_NONE)
		return bs_snapshot_mark(snapshot, place, false, err);
	undone->n_lost += source->kind == BS_SOURCE_STDIN;
	undone->n_to_read += source->kind != BS_SOURCE_STDIN;
	/* The next walk will find the file as a new one, but a collection must be read again from
	 * its start. */
	if (source->kind == BS_SOURCE_COLLECTION) {
		source->is_racy = true;
		source->read_bytes = source->read_lines = source->read_checksum = 0;
	}
	return BS_OK;
}

enum bs_status bs_delete_undo(struct bs_snapshot *snapshot, const struct bs_doc_ref *refs,
                              size_t n_refs, struct bs_undone *undone_out, struct bs_error *err)
{
	struct bs_manifest manifest;
	struct bs_doc_refs excluded = {0};
	struct bs_doc_ref *places = NULL;
	uint32_t n = snapshot->exclusions.table.n_docs;
	bool *is_over = calloc((size_t)n + 1, sizeof(*is_over));
	*undone_out = (struct bs_undone){0};
	enum bs_status status = is_over ? bs_manifest_copy_head(&snapshot->manifest, &manifest, err)
	                                : bs_fail_memory(err, "exclusions", n * sizeof(*is_over));
	if (status) {
		free(is_over);
		return status;
	}
	status = find_dead(snapshot, &places, err);
	for (size_t i = 0; i < n_refs && !status; i++) {
		is_over[refs[i].document] = true;
		status = undo(snapshot, refs[i].document, places[refs[i].document], &manifest,
		              undone_out, err);
	}
	for (uint32_t i = 0; i < n && !status; i++)
		if (!is_over[i])
			status = bs_vector_append(&excluded,
			                          (&(struct bs_doc_ref){BS_DOC_EXCLUDED, i}), err);
	if (!status)
		status = commit(snapshot, &excluded, &manifest, err);
	bs_manifest_deinit(&manifest);
	bs_vector_deinit(&excluded);
	free(is_over);
	free(places);
	return status;
}
