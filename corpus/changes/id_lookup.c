/* id_lookup.c: see id_lookup.h. */
#include "corpus/changes/id_lookup.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/vector.h"
#include "core/store/id_table.h"
#include "core/system/deadline.h"
#include "corpus/changes/recorded.h"

#define DOCUMENT_NS 200u /* estimated cost of one document in make_table */

struct bs_id_lookup_segment {
	uint32_t segment;
	struct bs_id_table own; /* for a segment without a stored table */
};

static bool has_source(const struct bs_doc_table *docs, uint32_t number)
{
	for (uint32_t i = 0; i < docs->n_ranges; i++)
		if (bs_doc_table_range(docs, i).source == number)
			return true;
	return false;
}

enum bs_status bs_id_lookup_init(struct bs_id_lookup *ids, const struct bs_snapshot *snapshot,
                                 uint32_t number, struct bs_error *err)
{
	size_t n_bytes = (snapshot->manifest.n_segments + 1) * sizeof(*ids->segments);
	*ids = (struct bs_id_lookup){
		.snapshot = snapshot, .number = number, .segments = calloc(1, n_bytes)};
	if (!ids->segments)
		return bs_fail_memory(err, "tables of ids", n_bytes);
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++)
		if (bs_snapshot_has_words(snapshot, s) &&
		    has_source(&snapshot->segments[s].docs, number))
			ids->segments[ids->n_segments++].segment = s;
	return BS_OK;
}

void bs_id_lookup_deinit(struct bs_id_lookup *ids)
{
	for (uint32_t i = 0; i < ids->n_segments; i++)
		bs_id_table_deinit(&ids->segments[i].own);
	free(ids->segments);
	bs_buffer_deinit(&ids->id);
	*ids = (struct bs_id_lookup){.snapshot = NULL};
}

static enum bs_status make_id(struct bs_id_lookup *ids, const struct bs_doc_record *record,
                              struct bs_error *err)
{
	struct bs_source source =
		bs_recorded_name_of(&ids->snapshot->manifest.sources[ids->number]);
	return bs_recorded_id(&source, record, &ids->id, err);
}

/* Makes an id table of the live documents, for a segment without a stored one. */
static enum bs_status make_table(struct bs_id_lookup *ids, struct bs_id_lookup_segment *segment,
                                 struct bs_error *err)
{
	const struct bs_doc_table *docs = &ids->snapshot->segments[segment->segment].docs;
	struct bs_id_entries entries = {0};
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < docs->n_ranges; i++) {
		struct bs_source_range range = bs_doc_table_range(docs, i);
		for (uint32_t d = range.first;
		     range.source == ids->number && d < range.end && !status; d++) {
			struct bs_doc_record record;
			if (bs_snapshot_is_deleted(ids->snapshot, segment->segment, d))
				continue;
			status = bs_deadline_check_after(DOCUMENT_NS, err);
			if (!status)
				status = bs_doc_table_get(docs, d, &record, err);
			if (!status)
				status = make_id(ids, &record, err);
			struct bs_id_entry entry = {bs_id_hash(ids->id.data, ids->id.used_bytes),
			                            d};
			if (!status)
				status = bs_vector_append(&entries, &entry, err);
		}
	}
	if (!status)
		status = bs_id_table_make(&segment->own, entries.items, bs_vector_n(&entries), err);
	bs_vector_deinit(&entries);
	return status;
}

/* Binary search for an id among documents [first, end), whose ids ascend. The last document is
 * compared first, because new ids mostly follow all existing ones. *document_out: UINT32_MAX if
 * none has the id. */
static enum bs_status find_by_halves(const struct bs_doc_table *docs, uint32_t first, uint32_t end,
                                     const void *id, size_t id_bytes, uint32_t *document_out,
                                     struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*document_out = UINT32_MAX;
	for (uint32_t at = end - 1; first < end && !status; at = first + (end - first) / 2) {
		struct bs_doc_record record;
		status = bs_doc_table_get(docs, at, &record, err);
		int order =
			status ? 0 : bs_compare_bytes(id, id_bytes, record.name, record.name_bytes);
		if (order == 0) {
			*document_out = status ? UINT32_MAX : at;
			break;
		}
		if (order < 0)
			end = at;
		else
			first = at + 1;
	}
	return status;
}

/* *bears_out: the document is live, belongs to the source, and has the id. */
static enum bs_status bears(struct bs_id_lookup *ids, struct bs_doc_ref ref, const void *id,
                            size_t id_bytes, struct bs_doc_record *record, bool *bears_out,
                            struct bs_error *err)
{
	*bears_out = false;
	/* Also rejects invalid document numbers (of a damaged table). */
	enum bs_status status = bs_snapshot_record(ids->snapshot, ref, record, err);
	if (status || record->source != ids->number ||
	    bs_snapshot_is_deleted(ids->snapshot, ref.segment, ref.document))
		return status;
	status = make_id(ids, record, err);
	*bears_out = !status && ids->id.used_bytes == id_bytes &&
	             (id_bytes == 0 || memcmp(ids->id.data, id, id_bytes) == 0);
	return status;
}

static enum bs_status find_ordered(struct bs_id_lookup *ids, uint32_t segment, const void *id,
                                   size_t id_bytes, struct bs_doc_ref *ref_out,
                                   struct bs_doc_record *record, struct bs_error *err)
{
	const struct bs_doc_table *docs = &ids->snapshot->segments[segment].docs;
	bool is_it = false;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < docs->n_ranges && !status && !is_it; i++) {
		struct bs_source_range range = bs_doc_table_range(docs, i);
		struct bs_doc_ref ref = {segment, UINT32_MAX};
		if (range.source != ids->number)
			continue;
		status = find_by_halves(docs, range.first, range.end, id, id_bytes, &ref.document,
		                        err);
		if (!status && ref.document != UINT32_MAX)
			status = bears(ids, ref, id, id_bytes, record, &is_it, err);
		if (is_it)
			*ref_out = ref;
	}
	return status;
}

static enum bs_status find_in(struct bs_id_lookup *ids, struct bs_id_lookup_segment *segment,
                              const void *id, size_t id_bytes, uint64_t hash,
                              struct bs_doc_ref *ref_out, struct bs_doc_record *record,
                              struct bs_error *err)
{
	const struct bs_id_table *table = &ids->snapshot->segments[segment->segment].ids;
	uint64_t at = 0;
	bool is_it = false;
	enum bs_status status = BS_OK;
	if (table->n_ordered > 0)
		return find_ordered(ids, segment->segment, id, id_bytes, ref_out, record, err);
	if (!table->is_there)
		table = &segment->own;
	if (!table->is_there)
		status = make_table(ids, segment, err);
	while (!status && !is_it) {
		struct bs_doc_ref ref = {segment->segment, 0};
		status = bs_id_table_next(table, hash, &at, &ref.document, err);
		if (status || ref.document == UINT32_MAX)
			break;
		status = bears(ids, ref, id, id_bytes, record, &is_it, err);
		if (is_it)
			*ref_out = ref;
	}
	return status;
}

enum bs_status bs_id_lookup_find(struct bs_id_lookup *ids, const void *id, size_t id_bytes,
                                 struct bs_doc_ref *ref_out, struct bs_doc_record *record_out,
                                 struct bs_error *err)
{
	struct bs_doc_record own;
	uint64_t hash = bs_id_hash(id, id_bytes);
	enum bs_status status = BS_OK;
	ref_out->segment = BS_DOC_NONE;
	/* Newest segments first: they are small, and recent documents change most often. */
	for (uint32_t i = ids->n_segments; i-- > 0 && ref_out->segment == BS_DOC_NONE && !status;)
		status = find_in(ids, &ids->segments[i], id, id_bytes, hash, ref_out,
		                 record_out ? record_out : &own, err);
	return status;
}
