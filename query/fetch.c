/* fetch.c: see fetch.h. */
#include "query/fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "corpus/recorded.h"
#include "corpus/stored_text.h"

/* Where a record of a changed collection stands now. */
struct moved_record {
	uint64_t hash; /* of its id */
	uint64_t offset;
	uint64_t raw_bytes;
	uint64_t line;
};

/* A source, and what is known of its state now. */
struct fetch_source {
	struct bs_source source;
	bool is_checked;  /* collections: stat'ed once */
	bool is_suspect;  /* the stamp is that of the index, but too young to prove anything */
	bool is_changed;
	bool is_gone;
	bool is_noticed;
	bool is_mapped;   /* changed collections: moved is filled */
	struct bs_buffer moved; /* struct moved_record each, sorted by hash, of equal ones the last in the file first */
};

struct bs_fetcher {
	const struct bs_snapshot *snapshot;
	struct fetch_source *sources; /* snapshot->manifest.n_sources */
	struct bs_source_options options;
	struct bs_reader *reader;
	struct bs_doc_bits noticed;             /* documents whose change was told */
	struct bs_stored_texts *stored;         /* made when needed */
	struct bs_buffer raw;
	struct bs_buffer path;
	struct bs_buffer id;
	uint64_t n_failures;
	void (*notice)(void *context, const char *message);
	void *context;
};

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
	fetcher->notice = notice;
	fetcher->context = context;
	fetcher->options = bs_recorded_options(&manifest->options, NULL);
	fetcher->sources = calloc((size_t)manifest->n_sources + 1, sizeof(*fetcher->sources));
	enum bs_status status = BS_OK;
	if (!fetcher->sources)
		status = bs_fail_memory(err, "a fetcher", manifest->n_sources * sizeof(*fetcher->sources));
	if (!status)
		status = bs_reader_new(&fetcher->options, &fetcher->reader, err);
	for (uint32_t i = 0; i < manifest->n_sources && !status; i++)
		status = bs_recorded_source(snapshot->dir, &manifest->sources[i], &fetcher->sources[i].source, err);
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

static enum bs_status make_id(const struct fetch_source *source, const struct bs_doc_record *record,
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
		status = make_id(source, &record, id, err);
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

static void notice_source(struct bs_fetcher *fetcher, struct fetch_source *source)
{
	if (!source->is_noticed)
		say_changed(fetcher, source->source.path, source->is_gone);
	source->is_noticed = true;
}

/* Turns a failure to read into a state of the document; only what is our own fault stays a failure. */
static enum bs_status soften(struct bs_fetcher *fetcher, enum bs_status status, enum bs_fetched *fetched_out,
                             struct bs_error *err)
{
	if (status == BS_NO_MEMORY || status == BS_CORRUPT)
		return status;
	*fetched_out = BS_FETCHED_FAILED;
	fetcher->n_failures++;
	if (fetcher->notice && err)
		fetcher->notice(fetcher->context, err->text);
	return BS_OK;
}

/* ---- files ---- */

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
	status = bs_reader_fetch_file(fetcher->reader, path, document_out, &stamp, err);
	if (status == BS_NOT_FOUND) {
		*fetched_out = BS_FETCHED_GONE;
		notice_document(fetcher, segment, document, path, true);
		return BS_OK;
	}
	if (status)
		return soften(fetcher, status, fetched_out, err);
	bool matches = bs_stamp_equals(&stamp, record->place);
	*fetched_out = matches && !(record->flags & BS_DOC_SUSPECT) ? BS_FETCHED_UNCHANGED : BS_FETCHED_CHANGED;
	if (!matches)
		notice_document(fetcher, segment, document, path, false);
	return BS_OK;
}

/* ---- collections ---- */

/* Once a fetcher: is the collection what was indexed? */
static void check_collection(struct bs_fetcher *fetcher, struct fetch_source *source, uint32_t number)
{
	const struct bs_source_record *recorded = &fetcher->snapshot->manifest.sources[number];
	struct bs_stamp stamp;
	if (source->is_checked)
		return;
	source->is_checked = true;
	enum bs_status status = bs_path_stamp(source->source.path, &stamp, NULL);
	/* Refused by the system: neither gone nor changed for all we know; reading it will tell. */
	bool matches = status ? status != BS_NOT_FOUND : bs_stamp_equals(&stamp, recorded->stamp);
	source->is_gone = status == BS_NOT_FOUND;
	source->is_changed = status != BS_OK || !matches;
	source->is_suspect = recorded->is_suspect;
	if (!matches)
		notice_source(fetcher, source);
}

static int compare_moved(const void *a, const void *b)
{
	const struct moved_record *x = a;
	const struct moved_record *y = b;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->offset > y->offset ? -1 : x->offset < y->offset;
}

/* Context of the sink that maps a changed collection. */
struct mapping {
	struct bs_fetcher *fetcher;
	struct fetch_source *source;
};

static enum bs_status map_document(void *context, const struct bs_document *document, struct bs_error *err)
{
	struct mapping *mapping = context;
	struct bs_buffer *id = &mapping->fetcher->id;
	bs_buffer_clear(id);
	enum bs_status status = bs_source_append_id(&mapping->source->source, document->name, document->name_bytes,
	                                            document->is_named_by_line ? document->line : 0, id, err);
	if (status)
		return status;
	struct moved_record moved = {.hash = bs_checksum(id->data, id->used_bytes), .offset = document->offset,
	                             .raw_bytes = document->raw_bytes, .line = document->line};
	return bs_buffer_append(&mapping->source->moved, &moved, sizeof(moved), err);
}

static enum bs_status map_skip(void *context, enum bs_skip reason, const char *message, struct bs_error *err)
{
	(void)context, (void)reason, (void)message, (void)err;
	return BS_OK;
}

/* Reads a changed collection once through: where does each id stand now? */
static enum bs_status map_collection(struct bs_fetcher *fetcher, struct fetch_source *source, struct bs_error *err)
{
	struct mapping mapping = {fetcher, source};
	struct bs_document_sink sink = {.context = &mapping, .document = map_document, .skip = map_skip};
	struct bs_feed *feed = NULL;
	struct bs_batch batch = {0};
	if (source->is_mapped)
		return BS_OK;
	source->is_mapped = true;
	enum bs_status status = bs_feed_open(&source->source, &fetcher->options, NULL, NULL, &feed, err);
	while (!status) {
		status = bs_feed_next(feed, &batch, err);
		if (status || batch.n_items == 0)
			break;
		status = bs_reader_read(fetcher->reader, &source->source, &batch, &sink, err);
	}
	bs_feed_close(feed);
	bs_batch_deinit(&batch);
	if (!status && source->moved.used_bytes > 0)
		qsort(source->moved.data, source->moved.used_bytes / sizeof(struct moved_record), sizeof(struct moved_record),
		      compare_moved);
	return status;
}

/* The first of the records whose id has this hash, or NULL; they stand one after the other. */
static const struct moved_record *find_moved(const struct fetch_source *source, uint64_t hash,
                                             const struct moved_record **end_out)
{
	const struct moved_record *all = (const struct moved_record *)(const void *)source->moved.data;
	size_t low = 0;
	size_t high = source->moved.used_bytes / sizeof(*all);
	*end_out = all ? all + high : NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (all[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return all ? all + low : NULL;
}

static enum bs_status fetch_record_at(struct bs_fetcher *fetcher, const struct fetch_source *source, uint64_t offset,
                                      uint64_t raw_bytes, uint64_t line, struct bs_document *document_out,
                                      struct bs_error *err)
{
	struct bs_stamp stamp;
	enum bs_status status = bs_reader_fetch_record(fetcher->reader, source->source.path, offset, raw_bytes,
	                                               document_out, &stamp, err);
	document_out->line = line;
	return status;
}

/* Whether the record just read bears the id in wanted. */
static enum bs_status is_wanted(struct bs_fetcher *fetcher, const struct fetch_source *source,
                                const struct bs_document *document, const struct bs_buffer *wanted, bool *is_wanted_out,
                                struct bs_error *err)
{
	struct bs_buffer *id = &fetcher->id;
	bs_buffer_clear(id);
	enum bs_status status = bs_source_append_id(&source->source, document->name, document->name_bytes,
	                                            document->is_named_by_line ? document->line : 0, id, err);
	*is_wanted_out = !status && id->used_bytes == wanted->used_bytes &&
	                 (id->used_bytes == 0 || memcmp(id->data, wanted->data, id->used_bytes) == 0);
	return status;
}

/* A record of a collection that changed: by its id, the last one that bears it. */
static enum bs_status fetch_moved(struct bs_fetcher *fetcher, struct fetch_source *source,
                                  const struct bs_doc_record *record, struct bs_document *document_out,
                                  enum bs_fetched *fetched_out, struct bs_error *err)
{
	struct bs_buffer wanted = {0};
	bool found = false;
	enum bs_status status = map_collection(fetcher, source, err);
	if (!status)
		status = make_id(source, record, &wanted, err);
	uint64_t hash = bs_checksum(wanted.data, wanted.used_bytes);
	const struct moved_record *end;
	const struct moved_record *at = find_moved(source, hash, &end);
	for (; !status && !found && at && at < end && at->hash == hash; at++) {
		status = fetch_record_at(fetcher, source, at->offset, at->raw_bytes, at->line, document_out, err);
		if (!status)
			status = is_wanted(fetcher, source, document_out, &wanted, &found, err);
	}
	bs_buffer_deinit(&wanted);
	*fetched_out = found ? BS_FETCHED_CHANGED : BS_FETCHED_GONE;
	return status ? soften(fetcher, status, fetched_out, err) : BS_OK;
}

/* Where the record stood, if it still bears its id; *found_out false otherwise. */
static enum bs_status fetch_in_place(struct bs_fetcher *fetcher, const struct fetch_source *source,
                                     const struct bs_doc_record *record, struct bs_document *document_out,
                                     bool *found_out, struct bs_error *err)
{
	struct bs_buffer wanted = {0};
	*found_out = false;
	enum bs_status status = fetch_record_at(fetcher, source, record->place[0], record->place[1], record->place[2],
	                                        document_out, err);
	if (status == BS_INVALID || status == BS_NOT_FOUND)
		return BS_OK;
	*found_out = !source->is_suspect;
	if (!status && source->is_suspect) {
		status = make_id(source, record, &wanted, err);
		if (!status)
			status = is_wanted(fetcher, source, document_out, &wanted, found_out, err);
	}
	bs_buffer_deinit(&wanted);
	return status;
}

static enum bs_status fetch_collection(struct bs_fetcher *fetcher, struct fetch_source *source,
                                       const struct bs_doc_record *record, struct bs_document *document_out,
                                       enum bs_fetched *fetched_out, struct bs_error *err)
{
	check_collection(fetcher, source, record->source);
	*fetched_out = BS_FETCHED_GONE;
	if (source->is_gone)
		return BS_OK;
	if (source->is_changed)
		return fetch_moved(fetcher, source, record, document_out, fetched_out, err);
	bool found;
	enum bs_status status = fetch_in_place(fetcher, source, record, document_out, &found, err);
	*fetched_out = source->is_suspect ? BS_FETCHED_CHANGED : BS_FETCHED_UNCHANGED;
	if (status)
		return soften(fetcher, status, fetched_out, err);
	if (found)
		return BS_OK;
	/* It changed under our hands, between the stat and the read, or in the very moment of indexing. */
	source->is_changed = true;
	notice_source(fetcher, source);
	return fetch_moved(fetcher, source, record, document_out, fetched_out, err);
}

/* ---- stored text ---- */

static enum bs_status fetch_stored(struct bs_fetcher *fetcher, uint32_t s, const struct bs_doc_record *record,
                                   struct bs_document *document_out, enum bs_fetched *fetched_out,
                                   struct bs_error *err)
{
	*fetched_out = BS_FETCHED_UNCHANGED;
	enum bs_status status = BS_OK;
	if (!fetcher->stored)
		status = bs_stored_texts_new(fetcher->snapshot, &fetcher->stored, err);
	if (!status)
		status = bs_stored_texts_fetch(fetcher->stored, s, record->place[0], &fetcher->raw, err);
	if (!status)
		status = bs_reader_fetch_raw(fetcher->reader, fetcher->raw.data, fetcher->raw.used_bytes, document_out, err);
	document_out->line = record->place[2];
	/* We wrote it ourselves: text that is not there, or does not parse, is damage. */
	return status && status != BS_NO_MEMORY ? BS_CORRUPT : status;
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
	switch (source->source.kind) {
	case BS_SOURCE_FOLDER:
	case BS_SOURCE_FILE:
		return fetch_file(fetcher, source, segment, document, &record, document_out, fetched_out, err);
	case BS_SOURCE_COLLECTION:
		return fetch_collection(fetcher, source, &record, document_out, fetched_out, err);
	case BS_SOURCE_STDIN:
		return fetch_stored(fetcher, segment, &record, document_out, fetched_out, err);
	}
	return bs_fail(err, BS_CORRUPT, "%s: source %u is of an unknown kind", fetcher->snapshot->dir, record.source);
}

enum bs_status bs_fetch_is_unchanged(struct bs_fetcher *fetcher, uint32_t segment, uint32_t document,
                                     bool *unchanged_out, struct bs_error *err)
{
	struct bs_doc_record record;
	struct fetch_source *source = NULL;
	struct bs_stamp stamp;
	*unchanged_out = false;
	enum bs_status status = find_record(fetcher, segment, document, &record, &source, err);
	if (status)
		return status;
	switch (source->source.kind) {
	case BS_SOURCE_FOLDER:
	case BS_SOURCE_FILE:
		status = make_path(source, &record, &fetcher->path, err);
		if (!status && !(record.flags & BS_DOC_SUSPECT) &&
		    bs_path_stamp((const char *)fetcher->path.data, &stamp, NULL) == BS_OK)
			*unchanged_out = bs_stamp_equals(&stamp, record.place);
		return status;
	case BS_SOURCE_COLLECTION:
		check_collection(fetcher, source, record.source);
		*unchanged_out = !source->is_changed && !source->is_suspect;
		return BS_OK;
	case BS_SOURCE_STDIN:
		*unchanged_out = true;
		return BS_OK;
	}
	return BS_OK;
}

enum bs_status bs_fetch_is_segment_unchanged(struct bs_fetcher *fetcher, uint32_t segment, bool *unchanged_out,
                                             struct bs_error *err)
{
	const struct bs_snapshot *snapshot = fetcher->snapshot;
	const struct bs_doc_table *docs = &snapshot->segments[segment].docs;
	*unchanged_out = false;
	for (uint32_t i = 0; i < docs->n_runs; i++) {
		uint32_t number = bs_doc_table_run(docs, i).source;
		if (number >= snapshot->manifest.n_sources)
			return bs_container_corrupt(snapshot->segments[segment].file, err, "documents of source %u, which is not "
			                            "recorded", number);
		struct fetch_source *source = &fetcher->sources[number];
		if (source->source.kind == BS_SOURCE_COLLECTION)
			check_collection(fetcher, source, number);
		else if (source->source.kind != BS_SOURCE_STDIN)
			return BS_OK;
		if (source->is_changed || source->is_suspect)
			return BS_OK;
	}
	*unchanged_out = true;
	return BS_OK;
}
