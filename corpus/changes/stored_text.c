/* stored_text.c: see stored_text.h. */
#include "corpus/changes/stored_text.h"

#include <stdlib.h>

#include "core/base/hash.h"
#include "core/base/source_kind.h"
#include "core/bitsift/host.h"
#include "corpus/changes/recorded.h"
#include "corpus/read/in_memory_document.h"
#include "corpus/read/reader.h"
#include "corpus/read/text_store.h"

/* Reports an invalid or missing stored text, which bitsift wrote itself, as damage of the segment's
 * file. */
static enum bs_status blame(const struct bs_segment *segment, enum bs_status status,
                            const struct bs_error *why, struct bs_error *err)
{
	if (status == BS_OK || bs_is_fatal(status))
		return status ? bs_fail(err, status, "%s", why->text) : BS_OK;
	return bs_container_corrupt(segment->file, err, "%s", why->text);
}

static enum bs_status open_store(const struct bs_segment *segment, struct bs_store **store_out,
                                 struct bs_error *err)
{
	const struct bs_section *parts[] = {&segment->stored.dictionary, &segment->stored.offsets,
	                                    &segment->stored.frames};
	struct bs_error why = {""};
	enum bs_status status = BS_OK;
	for (int i = 0; i < 2 && !status; i++)
		status = bs_section_touch(parts[i], 0, parts[i]->n_bytes, err);
	if (status)
		return status;
	bs_section_trust(parts[2]);
	status = bs_store_open(parts[0]->data, (size_t)parts[0]->n_bytes, parts[1]->data,
	                       (size_t)parts[1]->n_bytes, parts[2]->data, (size_t)parts[2]->n_bytes,
	                       store_out, &why);
	return blame(segment, status, &why, err);
}

struct bs_stored_texts {
	const struct bs_snapshot *snapshot;
	struct bs_buffer line, fields; /* scratch for documents that are not stored */
	struct bs_store *stores[];     /* one for each segment; NULL: not opened yet */
};

enum bs_status bs_stored_texts_new(const struct bs_snapshot *snapshot,
                                   struct bs_stored_texts **texts_out, struct bs_error *err)
{
	size_t n_bytes =
		sizeof(**texts_out) + snapshot->manifest.n_segments * sizeof(struct bs_store *);
	*texts_out = calloc(1, n_bytes);
	if (!*texts_out)
		return bs_fail_memory(err, "readers of stored text", n_bytes);
	(*texts_out)->snapshot = snapshot;
	return BS_OK;
}

void bs_stored_texts_free(struct bs_stored_texts *texts)
{
	if (!texts)
		return;
	for (uint32_t s = 0; s < texts->snapshot->manifest.n_segments; s++)
		bs_store_close(texts->stores[s]);
	bs_buffer_deinit(&texts->line);
	bs_buffer_deinit(&texts->fields);
	free(texts);
}

enum bs_status bs_stored_texts_fetch(struct bs_stored_texts *texts, uint32_t segment,
                                     uint64_t frame, struct bs_buffer *text, struct bs_error *err)
{
	const struct bs_segment *from = &texts->snapshot->segments[segment];
	struct bs_error why = {""};
	enum bs_status status = BS_OK;
	if (!texts->stores[segment])
		status = open_store(from, &texts->stores[segment], err);
	if (status)
		return status;
	return blame(from, bs_store_fetch(texts->stores[segment], frame, text, &why), &why, err);
}

enum bs_status bs_stored_texts_ask(struct bs_stored_texts *texts, struct bs_doc_ref ref,
                                   struct bs_document *document_out, struct bs_error *err)
{
	const struct bs_text_provider *provider = texts->snapshot->texts;
	struct bs_source_options options =
		bs_recorded_options(&texts->snapshot->manifest.options, NULL);
	const struct bs_text *given = NULL;
	size_t n_given = 0;
	struct bs_doc_record record;
	*document_out =
		(struct bs_document){.name.bytes = (const uint8_t *)"", .known = {BS_DOC_NONE, 0}};
	enum bs_status status = bs_snapshot_record(texts->snapshot, ref, &record, err);
	if (status)
		return status;
	const char *id = record.name_bytes ? (const char *)record.name : "";
	int answer = provider ? provider->texts(provider->context, id, record.name_bytes, &given,
	                                        &n_given)
	                      : -1;
	if (answer)
		return bs_fail(err, answer == 1 ? BS_NOT_FOUND : BS_IO, "%.*s: %s",
		               (int)(record.name_bytes < 200 ? record.name_bytes : 200), id,
		               answer == 1 ? "there is no such document any more"
		               : provider  ? "its text cannot be read"
		                           : "its text is not in the index, and nobody is there to "
		                             "be asked for it");
	/* The JSON line is needed in two cases: if a checksum is recorded, because it is that of
	 * the line; and with text_fields, because the other fields are only in the line. */
	bool has_line = record.checksum != 0 || options.text_fields;
	if (has_line)
		status = bs_in_memory_line(given, n_given, &texts->line, err);
	if (!status)
		status = bs_in_memory_document(&options, given, n_given,
		                               has_line ? &texts->line : NULL, &texts->fields,
		                               document_out, err);
	document_out->name.bytes = record.name;
	document_out->name.n_bytes = record.name_bytes;
	return status;
}

/* Finds the next document of standard input in segment s whose text is stored, from *document on.
 * *found_out: there is one. */
static enum bs_status next_stored(const struct bs_snapshot *snapshot, uint32_t s,
                                  uint32_t *document, struct bs_doc_record *record_out,
                                  bool *found_out, struct bs_error *err)
{
	const struct bs_segment *segment = &snapshot->segments[s];
	*found_out = false;
	for (; *document < segment->meta.n_docs; ++*document) {
		enum bs_status status =
			bs_doc_table_get(&segment->docs, *document, record_out, err);
		if (status)
			return status;
		*found_out = record_out->source < snapshot->manifest.n_sources &&
		             !(record_out->flags & BS_DOC_NOT_STORED) &&
		             snapshot->manifest.sources[record_out->source].kind == BS_SOURCE_STDIN;
		if (*found_out)
			return BS_OK;
	}
	return BS_OK;
}

/* For a segment that stores the texts of all documents: checks that a text has the checksum of its
 * document. If the document is not stored (BS_DOC_NOT_STORED), its text must be empty. */
static enum bs_status check_sum(const struct bs_snapshot *snapshot, struct bs_doc_ref ref,
                                const struct bs_buffer *text, struct bs_error *err)
{
	struct bs_doc_record record;
	enum bs_status status = bs_snapshot_record(snapshot, ref, &record, err);
	if (status)
		return status;
	bool is_same = record.flags & BS_DOC_NOT_STORED
	                       ? text->used_bytes == 0
	                       : bs_checksum(text->data, text->used_bytes) == record.checksum;
	return is_same ? BS_OK
	               : bs_container_corrupt(snapshot->segments[ref.segment].file, err,
	                                      "stored text %u is not that of its document",
	                                      ref.document);
}

/* Checks all texts of segment s. records: parses the texts of standard input, which must be valid
 * records, because they are loaded as records. */
static enum bs_status check_texts(struct bs_stored_texts *texts, uint32_t s,
                                  struct bs_reader *records, struct bs_buffer *text,
                                  struct bs_error *err)
{
	const struct bs_snapshot *snapshot = texts->snapshot;
	const struct bs_container *file = snapshot->segments[s].file;
	struct bs_doc_record record;
	struct bs_document parsed;
	uint32_t document = 0;
	bool found;
	enum bs_status status = next_stored(snapshot, s, &document, &record, &found, err);
	bool are_all = snapshot->manifest.options.store;
	if (!status && are_all &&
	    bs_store_n_documents(texts->stores[s]) != snapshot->segments[s].meta.n_docs)
		status = bs_container_corrupt(
			file, err, "%llu stored texts",
			(unsigned long long)bs_store_n_documents(texts->stores[s]));
	for (uint64_t i = 0; i < bs_store_n_documents(texts->stores[s]) && !status; i++) {
		struct bs_error why = {""};
		status = bs_stored_texts_fetch(texts, s, i, text, err);
		if (!status && are_all)
			status =
				check_sum(snapshot, (struct bs_doc_ref){s, (uint32_t)i}, text, err);
		if (status || !found || record.place[0] != i)
			continue;
		if (record.place[1] != text->used_bytes)
			return bs_container_corrupt(
				file, err,
				"stored text %llu has %zu bytes where document %u has %llu",
				(unsigned long long)i, text->used_bytes, document,
				(unsigned long long)record.place[1]);
		bs_reader_set_separate_id(records, record.flags & BS_DOC_SEPARATE_ID);
		status = bs_reader_fetch_raw(records, text->data, text->used_bytes, &parsed, &why);
		if (bs_is_fatal(status))
			return bs_fail(err, status, "%s", why.text);
		if (status)
			return bs_container_corrupt(file, err, "the stored text of document %u: %s",
			                            document, why.text);
		document++;
		status = next_stored(snapshot, s, &document, &record, &found, err);
	}
	if (!status && found)
		status = bs_container_corrupt(
			file, err, "document %u has no stored text of its own", document);
	return status;
}

enum bs_status bs_stored_text_check(const struct bs_snapshot *snapshot, uint32_t s,
                                    struct bs_error *err)
{
	struct bs_stored_texts *texts = NULL;
	struct bs_reader *records = NULL;
	struct bs_buffer text = {0};
	struct bs_source_options options = bs_recorded_options(&snapshot->manifest.options, NULL);
	const struct bs_section *frames = &snapshot->segments[s].stored.frames;
	enum bs_status status = bs_section_touch(frames, 0, frames->n_bytes, err);
	if (!status)
		status = bs_stored_texts_new(snapshot, &texts, err);
	if (!status)
		status = open_store(&snapshot->segments[s], &texts->stores[s], err);
	if (!status)
		status = bs_reader_new(&options, &records, err);
	if (!status)
		status = check_texts(texts, s, records, &text, err);
	bs_buffer_deinit(&text);
	bs_reader_free(records);
	bs_stored_texts_free(texts);
	return status;
}
