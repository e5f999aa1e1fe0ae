/* id_ends.c: see id_ends.h. */
#include "corpus/changes/id_ends.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vector.h"
#include "core/store/doc_order.h"
#include "core/system/deadline.h"
#include "corpus/changes/recorded.h"

#define DOCUMENT_NS 200u /* estimated cost of one document in make_table */

static uint64_t hash_end(const uint8_t *id, size_t id_bytes)
{
	size_t from = id_bytes;
	while (from > 0 && id[from - 1] != '/' && id[from - 1] != '#' && id[from - 1] != ':')
		from--;
	return bs_id_hash(id + from, id_bytes - from);
}

static enum bs_status add_document(struct bs_id_ends *ends, struct bs_doc_ref ref,
                                   struct bs_id_entries *entries, struct bs_error *err)
{
	struct bs_doc_record record;
	enum bs_status status = bs_deadline_check_after(DOCUMENT_NS, err);
	if (!status)
		status = bs_snapshot_record(ends->snapshot, ref, &record, err);
	if (status || record.source >= ends->snapshot->manifest.n_sources)
		return status;
	status = bs_recorded_id(&ends->sources[record.source], &record, &ends->id, err);
	struct bs_id_entry entry = {hash_end(ends->id.data, ends->id.used_bytes), ref.document};
	return status ? status : bs_vector_append(entries, &entry, err);
}

static enum bs_status make_table(struct bs_id_ends *ends, uint32_t segment,
                                 struct bs_id_entries *entries, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = ends->snapshot;
	uint32_t n_docs = bs_snapshot_has_words(snapshot, segment)
	                          ? bs_snapshot_segment_docs(snapshot, segment)
	                          : 0;
	enum bs_status status = BS_OK;
	bs_vector_clear(entries);
	for (uint32_t d = 0; d < n_docs && !status; d++)
		if (!bs_snapshot_is_deleted(snapshot, segment, d))
			status = add_document(ends, (struct bs_doc_ref){segment, d}, entries, err);
	return status ? status
	              : bs_id_table_make(&ends->tables[segment], entries->items,
	                                 bs_vector_n(entries), err);
}

enum bs_status bs_id_ends_init(struct bs_id_ends *ends, const struct bs_snapshot *snapshot,
                               struct bs_error *err)
{
	uint32_t n = snapshot->manifest.n_segments + 1;
	struct bs_id_entries entries = {0};
	*ends = (struct bs_id_ends){.snapshot = snapshot,
	                            .tables = calloc(n, sizeof(*ends->tables))};
	enum bs_status status =
		ends->tables ? BS_OK
			     : bs_fail_memory(err, "tables of ids", n * sizeof(*ends->tables));
	/* Makes ends->id.data non-NULL, in case the id of the first document is empty. */
	if (!status)
		status = bs_buffer_reserve(&ends->id, 1, err);
	if (!status)
		status =
			bs_recorded_places(snapshot->dir, &snapshot->manifest, &ends->sources, err);
	for (uint32_t s = 0; s < n && !status; s++)
		status = make_table(ends, s, &entries, err);
	bs_vector_deinit(&entries);
	if (status)
		bs_id_ends_deinit(ends);
	return status;
}

void bs_id_ends_deinit(struct bs_id_ends *ends)
{
	for (uint32_t s = 0; ends->tables && s <= ends->snapshot->manifest.n_segments; s++)
		bs_id_table_deinit(&ends->tables[s]);
	free(ends->tables);
	if (ends->snapshot)
		bs_recorded_places_free(ends->sources, ends->snapshot->manifest.n_sources);
	bs_buffer_deinit(&ends->id);
	*ends = (struct bs_id_ends){.snapshot = NULL};
}

static bool is_id(const struct bs_buffer *own, const void *id, size_t id_bytes)
{
	return own->used_bytes == id_bytes &&
	       (id_bytes == 0 || memcmp(own->data, id, id_bytes) == 0);
}

static void keep_first(const struct bs_snapshot *snapshot, struct bs_doc_ref *first,
                       struct bs_doc_ref ref)
{
	if (first->segment == BS_DOC_NONE || bs_document_order(snapshot, ref, *first) < 0)
		*first = ref;
}

/* Compares a candidate document with the wanted id. *here: the first document so far whose local id
 * equals it; *by_id: the first one whose id does. */
static enum bs_status look_at(struct bs_id_ends *ends, struct bs_doc_ref ref, const void *id,
                              size_t id_bytes, struct bs_doc_ref *here, struct bs_doc_ref *by_id,
                              struct bs_error *err)
{
	struct bs_doc_record record;
	enum bs_status status = bs_snapshot_record(ends->snapshot, ref, &record, err);
	if (status)
		return status;
	const struct bs_source *source = &ends->sources[record.source];
	status = bs_recorded_local_id(source, &record, &ends->id, err);
	if (!status && is_id(&ends->id, id, id_bytes))
		keep_first(ends->snapshot, here, ref);
	if (!status)
		status = bs_recorded_id(source, &record, &ends->id, err);
	if (!status && is_id(&ends->id, id, id_bytes))
		keep_first(ends->snapshot, by_id, ref);
	return status;
}

enum bs_status bs_id_ends_find(struct bs_id_ends *ends, const void *id, size_t id_bytes,
                               struct bs_doc_ref *ref_out, struct bs_error *err)
{
	struct bs_doc_ref here = {BS_DOC_NONE, 0}, by_id = here;
	uint64_t hash = hash_end(id, id_bytes);
	enum bs_status status = BS_OK;
	for (uint32_t s = 0; s <= ends->snapshot->manifest.n_segments; s++) {
		struct bs_doc_ref ref = {s, 0};
		for (uint64_t at = 0; !status && ref.document != UINT32_MAX;) {
			status = bs_id_table_next(&ends->tables[s], hash, &at, &ref.document, err);
			if (!status && ref.document != UINT32_MAX)
				status = look_at(ends, ref, id, id_bytes, &here, &by_id, err);
		}
	}
	*ref_out = here.segment != BS_DOC_NONE ? here : by_id;
	return status;
}
