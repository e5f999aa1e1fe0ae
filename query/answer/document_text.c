/* document_text.c: see document_text.h. */
#include "query/answer/document_text.h"

#include "core/bitsift/host.h"
#include "core/bitsift/search.h"
#include "query/search/index_handle.h"

void bs_document_texts_deinit(struct bs_document_texts *texts)
{
	bs_given_ids_deinit(&texts->given);
	bs_id_ends_deinit(&texts->ends);
	bs_buffer_deinit(&texts->texts);
}

/* The number of the source of given documents; UINT32_MAX: there is none. */
static uint32_t given_source(const struct bs_snapshot *snapshot)
{
	for (uint32_t i = 0; i < snapshot->manifest.n_sources; i++)
		if (snapshot->manifest.sources[i].kind == BS_SOURCE_STDIN)
			return i;
	return UINT32_MAX;
}

static enum bs_status find_given(struct bs_document_texts *texts, const struct bs_snapshot *snapshot, const char *id,
                                 size_t id_bytes, struct bs_doc_ref *ref_out, struct bs_error *err)
{
	uint32_t number = given_source(snapshot);
	enum bs_status status = BS_OK;
	ref_out->segment = BS_DOC_NONE;
	if (number == UINT32_MAX)
		return BS_OK;
	if (!texts->given.snapshot)
		status = bs_given_ids_init(&texts->given, snapshot, number, err);
	return status ? status : bs_given_ids_find(&texts->given, id, id_bytes, ref_out, NULL, err);
}

static enum bs_status find_any(struct bs_document_texts *texts, const struct bs_snapshot *snapshot, const char *id,
                               size_t id_bytes, struct bs_doc_ref *ref_out, struct bs_error *err)
{
	enum bs_status status = texts->ends.snapshot ? BS_OK : bs_id_ends_init(&texts->ends, snapshot, err);
	return status ? status : bs_id_ends_find(&texts->ends, id, id_bytes, ref_out, err);
}

/* Its fields, as texts. */
static enum bs_status take_fields(struct bs_document_texts *texts, const struct bs_document *document, struct bs_error *err)
{
	bs_buffer_clear(&texts->texts);
	enum bs_status status = bs_buffer_reserve(&texts->texts, (document->n_fields + 1) * sizeof(struct bs_text), err);
	for (size_t i = 0; i < document->n_fields && !status; i++) {
		const struct bs_field *field = &document->fields[i];
		struct bs_text text = {field->name, field->name_bytes, field->text_bytes ? (const char *)field->text : "",
		                       field->text_bytes};
		status = bs_buffer_append(&texts->texts, &text, sizeof(text), err);
	}
	return status;
}

static enum bs_status read_document(struct bs_finder *finder, struct bs_doc_ref ref, const struct bs_text **texts_out,
                                    size_t *n_texts_out, bool *is_changed_out, struct bs_error *err)
{
	struct bs_document_texts *texts = bs_finder_texts(finder);
	struct bs_fetcher *fetcher = bs_finder_fetcher(finder);
	struct bs_document document;
	enum bs_fetched fetched;
	bs_fetch_begin(fetcher, false, false);
	enum bs_status status = bs_fetch(fetcher, ref.segment, ref.document, &document, &fetched, err);
	if (status)
		return status;
	if (fetched == BS_FETCHED_GONE)
		return bs_fail(err, BS_NOT_FOUND, "the document is gone");
	if (fetched == BS_FETCHED_FAILED)
		return bs_fail(err, BS_IO, "the document cannot be read");
	status = take_fields(texts, &document, err);
	*texts_out = (const struct bs_text *)(const void *)texts->texts.data;
	*n_texts_out = status ? 0 : document.n_fields;
	if (is_changed_out)
		*is_changed_out = fetched == BS_FETCHED_CHANGED;
	return status;
}

enum bs_status bs_document(struct bs_finder *finder, const char *id, size_t id_bytes, const struct bs_text **texts_out,
                           size_t *n_texts_out, bool *is_changed_out, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = &bs_finder_index(finder)->snapshot;
	struct bs_doc_ref ref = {BS_DOC_NONE, 0};
	struct bs_finder_use use;
	*texts_out = NULL;
	*n_texts_out = 0;
	enum bs_status status = bs_finder_enter(finder, NULL, &use, err);
	if (status)
		return status;
	status = find_given(bs_finder_texts(finder), snapshot, id, id_bytes, &ref, err);
	if (!status && ref.segment == BS_DOC_NONE)
		status = find_any(bs_finder_texts(finder), snapshot, id, id_bytes, &ref, err);
	if (!status && ref.segment == BS_DOC_NONE)
		status = bs_fail(err, BS_NOT_FOUND, "%.*s: no document has this id", (int)(id_bytes < 200 ? id_bytes : 200), id);
	if (!status)
		status = read_document(finder, ref, texts_out, n_texts_out, is_changed_out, err);
	bs_finder_leave(&use);
	return status;
}

enum bs_status bs_document_numbered(struct bs_finder *finder, uint64_t document, const struct bs_text **texts_out,
                                    size_t *n_texts_out, bool *is_changed_out, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = &bs_finder_index(finder)->snapshot;
	struct bs_doc_ref ref = bs_document_ref(document);
	*texts_out = NULL;
	*n_texts_out = 0;
	if (ref.segment > snapshot->manifest.n_segments || ref.document >= bs_snapshot_segment_docs(snapshot, ref.segment) ||
	    !bs_snapshot_has_words(snapshot, ref.segment) || bs_snapshot_is_deleted(snapshot, ref.segment, ref.document))
		return bs_fail(err, BS_NOT_FOUND, "document %llu: there is none", (unsigned long long)document);
	struct bs_finder_use use;
	enum bs_status status = bs_finder_enter(finder, NULL, &use, err);
	if (status)
		return status;
	status = read_document(finder, ref, texts_out, n_texts_out, is_changed_out, err);
	bs_finder_leave(&use);
	return status;
}
