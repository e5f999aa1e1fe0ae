/* fetch.c: see fetch.h and fetch_internal.h. */
#include "query/search/fetch_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus/changes/recorded.h"

/* ---- making ---- */

enum bs_status bs_fetcher_new(const struct bs_snapshot *snapshot, void (*notice)(void *context, const char *message),
                              void *context, struct bs_fetcher **fetcher_out, struct bs_error *err)
{
	const struct bs_manifest *manifest = &snapshot->manifest;
	struct bs_fetcher *fetcher = calloc(1, sizeof(*fetcher));
	*fetcher_out = NULL;
	if (!fetcher)
		return bs_fail_memory(err, "a fetcher", sizeof(*fetcher));
	fetcher->snapshot = snapshot;
	fetcher->query = 1;
	fetcher->notice = notice;
	fetcher->context = context;
	fetcher->options = bs_recorded_options(&manifest->options, NULL);
	fetcher->sources = calloc((size_t)manifest->n_sources + 1, sizeof(*fetcher->sources));
	enum bs_status status = BS_OK;
	if (!fetcher->sources)
		status = bs_fail_memory(err, "a fetcher", manifest->n_sources * sizeof(*fetcher->sources));
	if (!status)
		status = bs_reader_new(&fetcher->options, &fetcher->reader, err);
	for (uint32_t i = 0; i < manifest->n_sources && !status; i++) {
		status = bs_recorded_source(snapshot->dir, &manifest->sources[i], &fetcher->sources[i].source, err);
		fetcher->sources[i].is_noticed = manifest->sources[i].is_told;
	}
	if (status) {
		bs_fetcher_free(fetcher);
		return status;
	}
	*fetcher_out = fetcher;
	return BS_OK;
}

void bs_fetcher_free(struct bs_fetcher *fetcher)
{
	if (!fetcher)
		return;
	for (uint32_t i = 0; fetcher->sources && i < fetcher->snapshot->manifest.n_sources; i++) {
		bs_source_deinit(&fetcher->sources[i].source);
		bs_buffer_deinit(&fetcher->sources[i].moved);
	}
	bs_stored_texts_free(fetcher->stored);
	bs_doc_bits_deinit(&fetcher->noticed);
	free(fetcher->sources);
	bs_reader_free(fetcher->reader);
	bs_buffer_deinit(&fetcher->raw);
	bs_buffer_deinit(&fetcher->path);
	bs_buffer_deinit(&fetcher->name);
	bs_buffer_deinit(&fetcher->id);
	free(fetcher);
}

uint64_t bs_fetcher_failures(const struct bs_fetcher *fetcher)
{
	return fetcher->n_failures;
}

/* ---- names ---- */

static enum bs_status find_record(struct bs_fetcher *fetcher, uint32_t segment, uint32_t document,
                                  struct bs_doc_record *record_out, struct fetch_source **source_out,
                                  struct bs_error *err)
{
	struct bs_doc_ref ref = {segment, document};
	enum bs_status status = bs_snapshot_record(fetcher->snapshot, ref, record_out, err);
	if (status)
		return status;
	const struct bs_snapshot *snapshot = fetcher->snapshot;
	*source_out = record_out->source < snapshot->manifest.n_sources ? &fetcher->sources[record_out->source] : NULL;
	if (segment >= snapshot->manifest.n_segments)
		return BS_OK;
	const struct bs_segment *found = &snapshot->segments[segment];
	if (!*source_out)
		return bs_container_corrupt(found->file, err, "document %u is of source %u, which is not recorded", document,
		                            record_out->source);
	if ((*source_out)->source.kind == BS_SOURCE_FOLDER &&
	    !bs_doc_name_is_below(record_out->name, record_out->name_bytes))
		return bs_container_corrupt(found->file, err, "the name of document %u leads out of its source", document);
	return BS_OK;
}

/* The path of a folder's file, or the source's own; NUL-ended, the NUL not counted. */
static enum bs_status make_path(const struct fetch_source *source, const struct bs_doc_record *record,
                                struct bs_buffer *path, struct bs_error *err)
{
	size_t n = strlen(source->source.path);
	bool is_folder = source->source.kind == BS_SOURCE_FOLDER;
	enum bs_status status = BS_OK;
	bs_buffer_clear(path);
	/* A file in "." is named without it, as its id is. */
	if (!is_folder || strcmp(source->source.path, ".") != 0) {
		status = bs_buffer_append(path, source->source.path, n, err);
		if (!status && is_folder && n > 0 && source->source.path[n - 1] != '/')
			status = bs_buffer_append(path, "/", 1, err);
	}
	if (!status && is_folder)
		status = bs_buffer_append(path, record->name, record->name_bytes, err);
	if (!status)
		status = bs_buffer_append(path, "", 1, err);
	if (!status)
		path->used_bytes--;
	return status;
}

enum bs_status bs_fetch_make_id(const struct fetch_source *source, const struct bs_doc_record *record,
                                struct bs_buffer *id, struct bs_error *err)
{
	bs_buffer_clear(id);
	return bs_source_append_id(&source->source, record->name, record->name_bytes,
	                           record->flags & BS_DOC_NAMED_BY_LINE ? record->place[2] : 0, id, err);
}

enum bs_status bs_fetch_id(struct bs_fetcher *fetcher, uint32_t segment, uint32_t document, struct bs_buffer *id,
                           struct bs_buffer *path, struct bs_error *err)
{
	struct bs_doc_record record;
	struct fetch_source *source = NULL;
	enum bs_status status = find_record(fetcher, segment, document, &record, &source, err);
	if (!status)
		status = bs_fetch_make_id(source, &record, id, err);
	if (!status && path)
		status = make_path(source, &record, path, err);
	return status;
}

/* ---- notices ---- */

static void say(struct bs_fetcher *fetcher, const char *what, const char *format)
{
	struct bs_error line;
	(void)bs_fail(&line, BS_OK, format, what);
	if (fetcher->notice)
		fetcher->notice(fetcher->context, line.text);
}

static void say_changed(struct bs_fetcher *fetcher, const char *path, bool is_gone)
{
	say(fetcher, path, is_gone ? "%s: gone since it was indexed; run `bitsift index`"
	                           : "%s: changed since it was indexed; run `bitsift index`");
}

/* A document is verified, and fetched again for its snippet; its change is told once. */
static void notice_document(struct bs_fetcher *fetcher, uint32_t segment, uint32_t document, const char *path,
                            bool is_gone)
{
	struct bs_doc_ref ref = {segment, document};
	if (bs_doc_bits_has(&fetcher->noticed, ref))
		return;
	/* Out of memory, it is told once more. */
	(void)!bs_doc_bits_set(&fetcher->noticed, fetcher->snapshot, ref, NULL);
	say_changed(fetcher, path, is_gone);
}

void bs_fetch_notice_source(struct bs_fetcher *fetcher, struct fetch_source *source)
{
	if (!source->is_noticed)
		say_changed(fetcher, source->source.path, source->is_gone);
	source->is_noticed = true;
}

enum bs_status bs_fetch_soften(struct bs_fetcher *fetcher, enum bs_status status, enum bs_fetched *fetched_out,
                               struct bs_error *err)
{
	if (status == BS_NO_MEMORY || status == BS_CORRUPT)
		return status;
	*fetched_out = BS_FETCHED_FAILED;
	if (fetcher->n_failures++ < BS_FIND_TOLD_UNREADABLE && fetcher->notice && err)
		fetcher->notice(fetcher->context, err->text);
	return BS_OK;
}

/* ---- files ---- */

/* The name below the folder, NUL-ended. */
static enum bs_status make_name(struct bs_fetcher *fetcher, const struct bs_doc_record *record, struct bs_error *err)
{
	bs_buffer_clear(&fetcher->name);
	enum bs_status status = bs_buffer_append(&fetcher->name, record->name, record->name_bytes, err);
	return status ? status : bs_buffer_append(&fetcher->name, "", 1, err);
}

static enum bs_status fetch_file(struct bs_fetcher *fetcher, const struct fetch_source *source, uint32_t segment,
                                 uint32_t document, const struct bs_doc_record *record,
                                 struct bs_document *document_out, enum bs_fetched *fetched_out,
                                 struct bs_error *err)
{
	struct bs_stamp stamp;
	enum bs_status status = make_path(source, record, &fetcher->path, err);
	if (status)
		return status;
	const char *path = (const char *)fetcher->path.data;
	bool is_folder = source->source.kind == BS_SOURCE_FOLDER;
	if (is_folder)
		status = make_name(fetcher, record, err);
	if (!status)
		status = bs_reader_fetch_file(fetcher->reader, is_folder ? source->source.path : NULL,
		                              is_folder ? (const char *)fetcher->name.data : path, document_out, &stamp, err);
	/* What stands there now may be no document: a link, a binary file. */
	if (status == BS_NOT_FOUND || status == BS_INVALID) {
		*fetched_out = BS_FETCHED_GONE;
		notice_document(fetcher, segment, document, path, status == BS_NOT_FOUND);
		return BS_OK;
	}
	if (status)
		return bs_fetch_soften(fetcher, status, fetched_out, err);
	bool matches = bs_stamp_equals(&stamp, record->place);
	*fetched_out = matches && !(record->flags & BS_DOC_SUSPECT) ? BS_FETCHED_UNCHANGED : BS_FETCHED_CHANGED;
	if (!matches)
		notice_document(fetcher, segment, document, path, false);
	return BS_OK;
}

/* ---- stored text ---- */

/* The line in fetcher->raw. */
static enum bs_status fetch_stored_line(struct bs_fetcher *fetcher, uint32_t s, uint64_t frame, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	if (!fetcher->stored)
		status = bs_stored_texts_new(fetcher->snapshot, &fetcher->stored, err);
	return status ? status : bs_stored_texts_fetch(fetcher->stored, s, frame, &fetcher->raw, err);
}

static enum bs_status fetch_stored(struct bs_fetcher *fetcher, uint32_t s, const struct bs_doc_record *record,
                                   struct bs_document *document_out, enum bs_fetched *fetched_out,
                                   struct bs_error *err)
{
	struct bs_error why = {""};
	*fetched_out = BS_FETCHED_UNCHANGED;
	enum bs_status status = fetch_stored_line(fetcher, s, record->place[0], err);
	if (status)
		return status;
	status = bs_reader_fetch_raw(fetcher->reader, fetcher->raw.data, fetcher->raw.used_bytes, document_out, &why);
	document_out->line = record->place[2];
	if (status == BS_NO_MEMORY)
		return bs_fail(err, status, "%s", why.text);
	/* We wrote it ourselves: text that does not parse is damage. */
	return status ? bs_container_corrupt(fetcher->snapshot->segments[s].file, err, "stored text %llu: %s",
	                                     (unsigned long long)record->place[0], why.text)
	              : BS_OK;
}

/* A source that is not followed is named once. */
static enum bs_status refuse(struct bs_fetcher *fetcher, struct fetch_source *source, enum bs_fetched *fetched_out)
{
	struct bs_error why;
	(void)bs_recorded_refuse(fetcher->snapshot->dir, &source->source, &why);
	if (!source->is_noticed && fetcher->notice)
		fetcher->notice(fetcher->context, why.text);
	source->is_noticed = true;
	fetcher->n_failures++;
	*fetched_out = BS_FETCHED_FAILED;
	return BS_OK;
}

/* ---- the two questions ---- */

enum bs_status bs_fetch(struct bs_fetcher *fetcher, uint32_t segment, uint32_t document,
                        struct bs_document *document_out, enum bs_fetched *fetched_out, struct bs_error *err)
{
	struct bs_doc_record record;
	struct fetch_source *source = NULL;
	struct bs_error own;
	*document_out = (struct bs_document){0};
	*fetched_out = BS_FETCHED_GONE;
	if (!err)
		err = &own;
	enum bs_status status = find_record(fetcher, segment, document, &record, &source, err);
	if (status)
		return status;
	if (source->source.is_refused)
		return refuse(fetcher, source, fetched_out);
	switch (source->source.kind) {
	case BS_SOURCE_FOLDER:
	case BS_SOURCE_FILE:
		return fetch_file(fetcher, source, segment, document, &record, document_out, fetched_out, err);
	case BS_SOURCE_COLLECTION:
		return bs_fetch_from_collection(fetcher, source, segment, document, &record, document_out, fetched_out, err);
	case BS_SOURCE_STDIN:
		return fetch_stored(fetcher, segment, &record, document_out, fetched_out, err);
	}
	return bs_fail(err, BS_CORRUPT, "%s: source %u is of an unknown kind", fetcher->snapshot->dir->path, record.source);
}

/* ---- without all that a document needs ---- */

bool bs_fetch_find_range(struct bs_fetcher *fetcher, uint32_t segment, uint32_t document)
{
	struct fetch_range *range = &fetcher->range;
	const struct bs_manifest *manifest = &fetcher->snapshot->manifest;
	if (segment == range->segment && document >= range->first && document < range->end)
		return true;
	if (segment >= manifest->n_segments)
		return false;
	const struct bs_doc_table *table = &fetcher->snapshot->segments[segment].docs;
	if (document >= table->n_docs)
		return false;
	struct bs_source_range found = bs_doc_table_range(table, bs_doc_table_range_of(table, document));
	if (document < found.first || document >= found.end || found.source >= manifest->n_sources)
		return false;
	*range = (struct fetch_range){.segment = segment, .first = found.first, .end = found.end, .number = found.source};
	return true;
}

/* Whether the source of fetcher->range, a collection or standard input, is what was indexed. */
static bool is_range_unchanged(struct bs_fetcher *fetcher)
{
	struct fetch_source *source = &fetcher->sources[fetcher->range.number];
	if (source->source.kind == BS_SOURCE_STDIN)
		return true;
	if (source->source.kind != BS_SOURCE_COLLECTION)
		return false;
	bs_fetch_check_collection(fetcher, source, fetcher->range.number);
	return !source->is_changed && !source->is_suspect && !source->is_gone;
}

static bool is_of_lines(const struct bs_fetcher *fetcher)
{
	enum bs_source_kind kind = fetcher->sources[fetcher->range.number].source.kind;
	return kind == BS_SOURCE_COLLECTION || kind == BS_SOURCE_STDIN;
}

enum bs_status bs_fetch_is_unchanged(struct bs_fetcher *fetcher, uint32_t segment, uint32_t document,
                                     bool *unchanged_out, struct bs_error *err)
{
	struct bs_doc_record record;
	struct fetch_source *source = NULL;
	struct bs_stamp stamp;
	*unchanged_out = false;
	if (bs_fetch_find_range(fetcher, segment, document) && is_of_lines(fetcher)) {
		*unchanged_out = is_range_unchanged(fetcher);
		return BS_OK;
	}
	enum bs_status status = find_record(fetcher, segment, document, &record, &source, err);
	if (status || record.flags & BS_DOC_SUSPECT)
		return status;
	bool is_folder = source->source.kind == BS_SOURCE_FOLDER;
	if (is_folder)
		status = make_name(fetcher, &record, err);
	if (status || source->source.is_refused || (!is_folder && source->source.kind != BS_SOURCE_FILE))
		return status;
	const char *path = is_folder ? (const char *)fetcher->name.data : source->source.path;
	*unchanged_out = !bs_reader_stamp(fetcher->reader, is_folder ? source->source.path : NULL, path, &stamp, NULL) &&
	                 bs_stamp_equals(&stamp, record.place);
	return BS_OK;
}

enum bs_status bs_fetch_is_segment_unchanged(struct bs_fetcher *fetcher, uint32_t segment, bool *unchanged_out,
                                             struct bs_error *err)
{
	const struct bs_snapshot *snapshot = fetcher->snapshot;
	const struct bs_doc_table *docs = &snapshot->segments[segment].docs;
	*unchanged_out = false;
	for (uint32_t i = 0; i < docs->n_ranges; i++) {
		uint32_t number = bs_doc_table_range(docs, i).source;
		if (number >= snapshot->manifest.n_sources)
			return bs_container_corrupt(snapshot->segments[segment].file, err, "documents of source %u, which is not "
			                            "recorded", number);
		struct fetch_source *source = &fetcher->sources[number];
		if (source->source.kind == BS_SOURCE_COLLECTION)
			bs_fetch_check_collection(fetcher, source, number);
		else if (source->source.kind != BS_SOURCE_STDIN)
			return BS_OK;
		if (source->is_changed || source->is_suspect || source->is_gone)
			return BS_OK;
	}
	*unchanged_out = true;
	return BS_OK;
}

enum bs_status bs_fetch_line(struct bs_fetcher *fetcher, uint32_t segment, uint32_t document, const uint8_t **line_out,
                             size_t *line_bytes_out, struct bs_error *err)
{
	uint64_t place[4];
	*line_out = NULL;
	if (!bs_fetch_find_range(fetcher, segment, document) || !is_range_unchanged(fetcher))
		return BS_OK;
	if (fetcher->sources[fetcher->range.number].source.kind == BS_SOURCE_COLLECTION)
		return bs_fetch_line_in_place(fetcher, document, line_out, line_bytes_out, err);
	enum bs_status status = bs_doc_table_place(&fetcher->snapshot->segments[segment].docs, document, place, err);
	if (!status)
		status = fetch_stored_line(fetcher, segment, place[0], err);
	if (status)
		return status;
	*line_out = fetcher->raw.data;
	*line_bytes_out = fetcher->raw.used_bytes;
	return BS_OK;
}

bool bs_fetch_cut_line(struct bs_fetcher *fetcher, const uint8_t *line, size_t line_bytes,
                       struct bs_document *document_out)
{
	bool is_known;
	return bs_reader_cut_line(fetcher->reader, line, line_bytes, document_out, &is_known, NULL) == BS_OK && is_known;
}

bool bs_fetch_scan_line(struct bs_fetcher *fetcher, const uint8_t *line, size_t line_bytes,
                        struct bs_document *document_out)
{
	return bs_reader_scan_line(fetcher->reader, line, line_bytes, document_out, NULL) == BS_OK;
}

void bs_fetch_begin(struct bs_fetcher *fetcher)
{
	fetcher->query++;
	fetcher->n_expected = 0;
	fetcher->ahead_to = 0;
	bs_reader_forget(fetcher->reader, false);
}

void bs_fetch_expect(struct bs_fetcher *fetcher, uint32_t segment, const uint32_t *documents, size_t n_documents)
{
	fetcher->expected_segment = segment;
	fetcher->expected = documents;
	fetcher->n_expected = n_documents;
	fetcher->next_expected = 0;
}
