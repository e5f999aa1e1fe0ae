/* document_text.c: see document_text.h. */
#include "query/answer/document_text.h"

#include <stdlib.h>

#include "core/base/source_kind.h"
#include "corpus/changes/id_ends.h"
#include "corpus/changes/id_lookup.h"

/* The lookup tables of one snapshot. */
struct bs_document_ids {
	struct bs_id_lookup ids; /* The ids of in-memory documents; built on the first lookup. */
	/* The ids of all other documents; built when no in-memory document has the id. */
	struct bs_id_ends ends;
};

void bs_document_texts_deinit(struct bs_document_texts *texts)
{
	for (uint32_t i = 0; i < texts->n_ids; i++) {
		bs_id_lookup_deinit(&texts->ids[i].ids);
		bs_id_ends_deinit(&texts->ids[i].ends);
	}
	free(texts->ids);
	texts->ids = NULL;
	texts->n_ids = 0;
	bs_vector_deinit(&texts->texts);
}

/* The number of the source of in-memory documents; UINT32_MAX: there is none. */
static uint32_t in_memory_source(const struct bs_snapshot *snapshot)
{
	for (uint32_t i = 0; i < snapshot->manifest.n_sources; i++)
		if (snapshot->manifest.sources[i].kind == BS_SOURCE_STDIN)
			return i;
	return UINT32_MAX;
}

static enum bs_status find_in(struct bs_document_ids *ids, const struct bs_snapshot *snapshot,
                              const char *id, size_t id_bytes, struct bs_doc_ref *ref_out,
                              struct bs_error *err)
{
	uint32_t number = in_memory_source(snapshot);
	enum bs_status status = BS_OK;
	ref_out->segment = BS_DOC_NONE;
	if (number != UINT32_MAX && !ids->ids.snapshot)
		status = bs_id_lookup_init(&ids->ids, snapshot, number, err);
	if (!status && number != UINT32_MAX)
		status = bs_id_lookup_find(&ids->ids, id, id_bytes, ref_out, NULL, err);
	if (status || ref_out->segment != BS_DOC_NONE)
		return status;
	if (!ids->ends.snapshot)
		status = bs_id_ends_init(&ids->ends, snapshot, err);
	return status ? status : bs_id_ends_find(&ids->ends, id, id_bytes, ref_out, err);
}

enum bs_status bs_document_find(struct bs_document_texts *texts,
                                const struct bs_snapshot_list *list, const char *id,
                                size_t id_bytes, struct bs_doc_ref *ref_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	ref_out->segment = BS_DOC_NONE;
	if (!texts->ids)
		texts->ids = calloc(list->n_entries, sizeof(*texts->ids));
	if (!texts->ids)
		return bs_fail_memory(err, "ids", list->n_entries * sizeof(*texts->ids));
	texts->n_ids = list->n_entries;
	for (uint32_t i = 0; i < list->n_entries && !status && ref_out->segment == BS_DOC_NONE;
	     i++) {
		status = find_in(&texts->ids[i], list->entries[i].snapshot, id, id_bytes, ref_out,
		                 err);
		if (!status && ref_out->segment != BS_DOC_NONE)
			ref_out->segment += bs_list_first_segment(list, i);
	}
	if (!status && ref_out->segment == BS_DOC_NONE)
		status = bs_fail(err, BS_NOT_FOUND, "%.*s: no document has this id",
		                 (int)(id_bytes < 200 ? id_bytes : 200), id);
	return status;
}

static enum bs_status take_fields(struct bs_texts *texts, const struct bs_document *document,
                                  struct bs_error *err)
{
	bs_vector_clear(texts);
	enum bs_status status = bs_vector_reserve(texts, document->text.n_fields + 1, err);
	for (size_t i = 0; i < document->text.n_fields && !status; i++) {
		const struct bs_field *field = &document->text.fields[i];
		struct bs_text text = {field->name, field->name_bytes,
		                       field->text_bytes ? (const char *)field->text : "",
		                       field->text_bytes};
		status = bs_vector_append(texts, &text, err);
	}
	return status;
}

enum bs_status bs_document_read(struct bs_document_texts *texts, struct bs_loader *loader,
                                struct bs_doc_ref ref, bool *is_changed_out, struct bs_error *err)
{
	struct bs_document document;
	enum bs_load_state fetched;
	bs_loader_begin(loader, false, false);
	enum bs_status status = bs_load(loader, ref, &document, &fetched, err);
	if (status)
		return status;
	if (fetched == BS_LOADED_GONE)
		return bs_fail(err, BS_NOT_FOUND, "the document is gone");
	if (fetched == BS_LOADED_FAILED)
		return bs_fail(err, BS_IO, "the document cannot be read");
	status = take_fields(&texts->texts, &document, err);
	if (is_changed_out)
		*is_changed_out = fetched == BS_LOADED_CHANGED;
	return status;
}
