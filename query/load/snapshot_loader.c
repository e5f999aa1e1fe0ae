/* snapshot_loader.c: see snapshot_loader.h. */
#include "query/load/snapshot_loader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/bitsift/host.h"
#include "core/bitsift/search_result.h"
#include "core/system/deadline.h"
#include "corpus/changes/recorded.h"
#include "corpus/changes/stored_text.h"
#include "corpus/read/reader.h"
#include "corpus/read/recognize.h"
#include "corpus/walk/file.h"

/* A source, and what is known about its current state. */
struct fetch_source {
	struct bs_source source;
	/* Collections: the number of the last query in which the fingerprint was checked. */
	uint64_t checked;
	/* Neither the fingerprint nor a prefix check proves that the content is the indexed one. */
	bool is_racy;
	/* Collections: the indexed bytes are no longer the beginning of the file, or its state is
	 * unknown. Stays true once set. */
	bool is_changed;
	bool is_gone;    /* Collections: the file is gone, or is no longer a collection. */
	bool is_noticed; /* The change, or the refusal, of the source was reported. */
	/* Changed collections: reading was tried, and `moved` is filled unless is_unread. */
	bool is_mapped;
	bool is_unread; /* Changed collections: the file could not be read. */
	/* The latest prefix check of a collection. NULL: none was needed so far, or reading
	 * failed. */
	const struct bs_prefix_check *prefix_check;
	/* The records of a changed collection, at their current places. */
	struct bs_relocated moved;
};

/* A document to load, and the result. */
struct asked {
	struct bs_doc_ref ref;
	struct bs_doc_record record;
	struct fetch_source *source;
	struct bs_document *document;
	enum bs_load_state fetched;
};

/* The range of adjacent documents of one source that contains the last document asked for. */
struct fetch_range {
	uint32_t segment;
	uint32_t first;
	uint32_t end;    /* The end of the range; 0: no range yet. */
	uint32_t number; /* The number of the source in the manifest. */
};

struct bs_snapshot_loader {
	const struct bs_snapshot *snapshot;
	struct bs_prefix_checks *prefix_checks;
	struct fetch_source *sources; /* One per source of the manifest. */
	struct bs_source_options options;
	struct bs_reader *reader;
	struct bs_recognizer *recognizer; /* Recognizes collections; created on first use. */
	struct bs_doc_bits noticed;       /* Documents whose change has been reported. */
	struct bs_stored_texts *stored;   /* Reads stored texts; created on first use. */
	uint64_t query;                   /* The number of the current query: 1, 2, ... */
	struct fetch_range range;
	/* Documents of expected_segment that the caller will ask for, ascending. */
	const uint32_t *expected;
	size_t n_expected;
	size_t next_expected;
	uint32_t expected_segment;
	/* The latest read covered the bytes ahead_from..ahead_to of source ahead_of_source. */
	uint32_t ahead_of_source;
	uint64_t ahead_from;
	uint64_t ahead_to;
	struct bs_buffer raw;      /* The stored text that was read last. */
	struct bs_buffer path;     /* The path of a document. */
	struct bs_buffer name;     /* The name of a file, relative to its folder. */
	struct bs_buffer id;       /* The id of the record that was read last. */
	uint64_t n_failures;       /* See bs_snapshot_loader_failures. */
	struct bs_changes changes; /* The changes found in this query. */
	bool verbose;
	bool trusts;         /* See bs_snapshot_load_begin. */
	bool leaves_changed; /* See bs_snapshot_load_skip_changed. */
	/* See bs_snapshot_load_ask_head. */
	bool (*is_enough)(void *context, const uint8_t *text, size_t n_bytes);
	void *enough_context;
	void (*notice)(void *context, const char *message);
	void *context;
};

enum bs_status bs_snapshot_loader_new(const struct bs_snapshot *snapshot,
                                      struct bs_prefix_checks *prefix_checks,
                                      void (*notice)(void *context, const char *message),
                                      void *context,
                                      struct bs_snapshot_loader **snapshot_loader_out,
                                      struct bs_error *err)
{
	const struct bs_manifest *manifest = &snapshot->manifest;
	struct bs_snapshot_loader *snapshot_loader = calloc(1, sizeof(*snapshot_loader));
	*snapshot_loader_out = NULL;
	if (!snapshot_loader)
		return bs_fail_memory(err, "a snapshot loader", sizeof(*snapshot_loader));
	snapshot_loader->snapshot = snapshot;
	snapshot_loader->prefix_checks = prefix_checks;
	snapshot_loader->query = 1;
	snapshot_loader->notice = notice;
	snapshot_loader->context = context;
	snapshot_loader->options = bs_recorded_options(&manifest->options, NULL);
	snapshot_loader->sources =
		calloc((size_t)manifest->n_sources + 1, sizeof(*snapshot_loader->sources));
	enum bs_status status = BS_OK;
	if (!snapshot_loader->sources)
		status = bs_fail_memory(err, "a snapshot loader",
		                        manifest->n_sources * sizeof(*snapshot_loader->sources));
	if (!status)
		status = bs_reader_new(&snapshot_loader->options, &snapshot_loader->reader, err);
	for (uint32_t i = 0; i < manifest->n_sources && !status; i++) {
		const struct bs_source_record *record = &manifest->sources[i];
		struct bs_source *source = &snapshot_loader->sources[i].source;
		status = record->parent
		                 ? bs_recorded_inner(
					   &snapshot_loader->sources[record->parent - 1].source,
					   record, source, err)
		                 : bs_recorded_root(snapshot->dir, record, source, err);
		snapshot_loader->sources[i].is_noticed = record->is_told;
	}
	if (status) {
		bs_snapshot_loader_free(snapshot_loader);
		return status;
	}
	*snapshot_loader_out = snapshot_loader;
	return BS_OK;
}

void bs_snapshot_loader_free(struct bs_snapshot_loader *snapshot_loader)
{
	if (!snapshot_loader)
		return;
	for (uint32_t i = 0;
	     snapshot_loader->sources && i < snapshot_loader->snapshot->manifest.n_sources; i++) {
		bs_source_deinit(&snapshot_loader->sources[i].source);
		bs_relocated_deinit(&snapshot_loader->sources[i].moved);
		bs_prefix_check_release(snapshot_loader->prefix_checks,
		                        snapshot_loader->sources[i].prefix_check);
	}
	bs_stored_texts_free(snapshot_loader->stored);
	bs_doc_bits_deinit(&snapshot_loader->noticed);
	free(snapshot_loader->sources);
	bs_reader_free(snapshot_loader->reader);
	bs_recognizer_free(snapshot_loader->recognizer);
	bs_buffer_deinit(&snapshot_loader->raw);
	bs_buffer_deinit(&snapshot_loader->path);
	bs_buffer_deinit(&snapshot_loader->name);
	bs_buffer_deinit(&snapshot_loader->id);
	free(snapshot_loader);
}

const struct bs_changes *bs_snapshot_loader_changes(
	const struct bs_snapshot_loader *snapshot_loader)
{
	return &snapshot_loader->changes;
}

uint64_t bs_snapshot_loader_failures(const struct bs_snapshot_loader *snapshot_loader)
{
	return snapshot_loader->n_failures;
}

/* Fills in `asked` for a document, except the result. */
static enum bs_status find_record(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                                  uint32_t document, struct asked *asked, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = snapshot_loader->snapshot;
	struct bs_doc_record *record = &asked->record;
	asked->ref = (struct bs_doc_ref){segment, document};
	enum bs_status status = bs_snapshot_record(snapshot, asked->ref, record, err);
	if (status)
		return status;
	asked->source = record->source < snapshot->manifest.n_sources
	                        ? &snapshot_loader->sources[record->source]
	                        : NULL;
	if (segment >= snapshot->manifest.n_segments)
		return BS_OK;
	const struct bs_container *file = snapshot->segments[segment].file;
	if (!asked->source)
		return bs_container_corrupt(file, err,
		                            "document %u is of source %u, which is not recorded",
		                            document, record->source);
	if (asked->source->source.kind == BS_SOURCE_FOLDER &&
	    !bs_doc_name_is_below(record->name, record->name_bytes))
		return bs_container_corrupt(
			file, err, "the name of document %u leads out of its source", document);
	return BS_OK;
}

/* Overwrites a buffer with a string and a NUL, which is not counted in used_bytes. */
static enum bs_status set_string(struct bs_buffer *to, const void *bytes, size_t n_bytes,
                                 struct bs_error *err)
{
	bs_buffer_clear(to);
	enum bs_status status = bs_buffer_append(to, bytes, n_bytes, err);
	if (!status)
		status = bs_buffer_append(to, "", 1, err);
	to->used_bytes -= !status;
	return status;
}

/* Overwrites `path` with the local id of a file in a folder, which is its path, or else with the
 * path of the source. Appends a NUL, which used_bytes does not count. */
static enum bs_status make_path(const struct fetch_source *source,
                                const struct bs_doc_record *record, struct bs_buffer *path,
                                struct bs_error *err)
{
	if (source->source.kind != BS_SOURCE_FOLDER)
		return set_string(path, source->source.path, strlen(source->source.path), err);
	enum bs_status status = bs_recorded_local_id(&source->source, record, path, err);
	if (!status)
		status = bs_buffer_append(path, "", 1, err);
	path->used_bytes -= !status;
	return status;
}

enum bs_status bs_snapshot_load_id(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                                   uint32_t document, struct bs_buffer *id,
                                   struct bs_buffer *local_id, struct bs_buffer *path,
                                   struct bs_error *err)
{
	struct asked asked;
	enum bs_status status = find_record(snapshot_loader, segment, document, &asked, err);
	if (status)
		return status;
	status = bs_recorded_id(&asked.source->source, &asked.record, id, err);
	if (!status)
		status = bs_recorded_local_id(&asked.source->source, &asked.record, local_id, err);
	return status ? status : make_path(asked.source, &asked.record, path, err);
}

enum bs_status bs_snapshot_load_in_memory_id(struct bs_snapshot_loader *snapshot_loader,
                                             uint32_t segment, uint32_t document,
                                             bool *is_in_memory_out, const uint8_t **id_out,
                                             uint32_t *id_bytes_out, const char **path_out,
                                             struct bs_error *err)
{
	const struct bs_snapshot *snapshot = snapshot_loader->snapshot;
	uint8_t flags = 0;
	*is_in_memory_out = false;
	if (segment >= snapshot->manifest.n_segments ||
	    document >= snapshot->segments[segment].docs.n_docs)
		return BS_OK;
	const struct bs_doc_table *docs = &snapshot->segments[segment].docs;
	enum bs_status status = bs_doc_table_flags(docs, document, &flags, err);
	if (status || !(flags & BS_DOC_SEPARATE_ID))
		return status;
	uint32_t source = bs_doc_table_range_of(docs, document).source;
	if (source >= snapshot->manifest.n_sources ||
	    snapshot_loader->sources[source].source.kind != BS_SOURCE_STDIN)
		return BS_OK;
	*is_in_memory_out = true;
	*path_out = snapshot_loader->sources[source].source.path;
	return bs_names_get(&docs->names, document, id_out, id_bytes_out, err);
}

enum bs_status bs_snapshot_load_path(const struct bs_snapshot_loader *snapshot_loader,
                                     const struct bs_doc_record *record, struct bs_buffer *path,
                                     struct bs_error *err)
{
	return make_path(&snapshot_loader->sources[record->source], record, path, err);
}

const struct bs_source *bs_snapshot_load_source(const struct bs_snapshot_loader *snapshot_loader,
                                                uint32_t number)
{
	return &snapshot_loader->sources[number].source;
}

static void say_changed(struct bs_snapshot_loader *snapshot_loader, const char *path, bool is_gone)
{
	struct bs_changes *changes = &snapshot_loader->changes;
	struct bs_error line;
	if (changes->n_changed + changes->n_gone == 0) {
		(void)bs_fail(&line, BS_OK, "%.*s", (int)sizeof(changes->example) - 1, path);
		snprintf(changes->example, sizeof(changes->example), "%.255s", line.text);
	}
	changes->n_changed += !is_gone;
	changes->n_gone += is_gone;
	if (!snapshot_loader->notice || !snapshot_loader->verbose)
		return;
	(void)bs_fail(&line, BS_OK, "%s: %s since it was indexed", path,
	              is_gone ? "gone" : "changed");
	snapshot_loader->notice(snapshot_loader->context, line.text);
}

/* Reports the change of a document only once: it may be loaded twice, for verifying and for its
 * snippet. */
static void notice_document(struct bs_snapshot_loader *snapshot_loader, struct bs_doc_ref ref,
                            const char *path, bool is_gone)
{
	if (bs_doc_bits_has(&snapshot_loader->noticed, ref))
		return;
	/* Without memory, the change may be reported twice. */
	(void)!bs_doc_bits_set(&snapshot_loader->noticed, snapshot_loader->snapshot, ref, NULL);
	say_changed(snapshot_loader, path, is_gone);
}

static void notice_source(struct bs_snapshot_loader *snapshot_loader, struct fetch_source *source)
{
	if (!source->is_noticed)
		say_changed(snapshot_loader, source->source.path, source->is_gone);
	source->is_noticed = true;
}

/* Turns a failure to read into the state of the document (asked->fetched). Fatal failures,
 * BS_CORRUPT and an expired deadline remain failures. */
static enum bs_status soften(struct bs_snapshot_loader *snapshot_loader, enum bs_status status,
                             struct asked *asked, struct bs_error *err)
{
	if (status == BS_OK || bs_is_fatal(status) || status == BS_CORRUPT ||
	    bs_deadline_ended(status))
		return status;
	asked->fetched = BS_LOADED_FAILED;
	if ((snapshot_loader->n_failures++ < BS_MAX_UNREADABLE_NOTICES ||
	     snapshot_loader->verbose) &&
	    snapshot_loader->notice && err)
		snapshot_loader->notice(snapshot_loader->context, err->text);
	return BS_OK;
}

/* The arguments for the reader: the folder and the name below it; for a file that is a source
 * itself, NULL and its path. */
static enum bs_status place_file(struct bs_snapshot_loader *snapshot_loader,
                                 const struct asked *asked, const char **folder_out,
                                 const char **name_out, struct bs_error *err)
{
	const struct bs_source *source = &asked->source->source;
	bool is_folder = source->kind == BS_SOURCE_FOLDER;
	enum bs_status status = BS_OK;
	if (is_folder)
		status = set_string(&snapshot_loader->name, asked->record.name,
		                    asked->record.name_bytes, err);
	*folder_out = is_folder ? source->path : NULL;
	*name_out = is_folder ? (const char *)snapshot_loader->name.data : source->path;
	return status;
}

static enum bs_status need_recognizer(struct bs_snapshot_loader *snapshot_loader,
                                      struct bs_error *err)
{
	return snapshot_loader->recognizer ? BS_OK
	                                   : bs_recognizer_new(&snapshot_loader->options,
	                                                       &snapshot_loader->recognizer, err);
}

/* Sets *is_out if a folder's file, which was just read, is now a collection and hence no longer a
 * document. */
static enum bs_status is_collection_now(struct bs_snapshot_loader *snapshot_loader,
                                        const struct asked *asked, const char *name, bool *is_out,
                                        struct bs_error *err)
{
	const struct bs_document *document = asked->document;
	*is_out = false;
	if (!snapshot_loader->options.reads_records ||
	    asked->source->source.kind != BS_SOURCE_FOLDER)
		return BS_OK;
	enum bs_status status = need_recognizer(snapshot_loader, err);
	if (status || !bs_recognizer_has_name(snapshot_loader->recognizer, name))
		return status;
	return bs_recognizer_has_text(snapshot_loader->recognizer, document->raw.bytes,
	                              (size_t)document->raw.n_bytes, is_out, err);
}

/* Whether a changed collection in a folder is now an ordinary file, so that its records are gone.
 * False if unknown. */
static bool is_plain_now(struct bs_snapshot_loader *snapshot_loader,
                         const struct fetch_source *source)
{
	struct bs_error why;
	bool has_line = true;
	if (!source->source.is_inner || need_recognizer(snapshot_loader, &why))
		return false;
	int fd = bs_source_open(&source->source, O_RDONLY | O_NONBLOCK);
	bool is_known = fd >= 0 && !bs_recognizer_has_line(snapshot_loader->recognizer, fd,
	                                                   source->source.path, &has_line, &why);
	if (fd >= 0)
		close(fd);
	return is_known && !has_line;
}

/* Context of is_head_enough. */
struct asked_head {
	struct bs_snapshot_loader *snapshot_loader;
	const struct asked *asked;
};

static bool is_head_enough(void *context, const struct bs_fingerprint *fingerprint,
                           const uint8_t *bytes, size_t n_bytes)
{
	const struct asked_head *head = context;
	bool is_indexed = bs_fingerprint_equals(fingerprint, head->asked->record.place) &&
	                  !(head->asked->record.flags & BS_DOC_RACY);
	return is_indexed && head->snapshot_loader->is_enough(head->snapshot_loader->enough_context,
	                                                      bytes, n_bytes);
}

static enum bs_status open_stored(struct bs_snapshot_loader *snapshot_loader, struct bs_error *err)
{
	return snapshot_loader->stored ? BS_OK
	                               : bs_stored_texts_new(snapshot_loader->snapshot,
	                                                     &snapshot_loader->stored, err);
}

/* Reads a stored text, frame number `frame` of segment s, into snapshot_loader->raw. */
static enum bs_status fetch_frame(struct bs_snapshot_loader *snapshot_loader, uint32_t s,
                                  uint64_t frame, struct bs_error *err)
{
	enum bs_status status = open_stored(snapshot_loader, err);
	return status ? status
	              : bs_stored_texts_fetch(snapshot_loader->stored, s, frame,
	                                      &snapshot_loader->raw, err);
}

/* Whether the index stores the texts of a segment's documents, each in the frame of its own
 * number. */
static bool has_texts(const struct bs_snapshot_loader *snapshot_loader, uint32_t segment)
{
	return snapshot_loader->snapshot->manifest.options.store &&
	       segment < snapshot_loader->snapshot->manifest.n_segments;
}

/* Takes a file's text from the index if the index stores it, and the file is unchanged or the index
 * is trusted. Otherwise *found_out is false, and the caller must read the file. */
static enum bs_status fetch_stored_file(struct bs_snapshot_loader *snapshot_loader,
                                        struct asked *asked, bool *found_out, struct bs_error *err)
{
	const char *folder, *name;
	struct bs_fingerprint fingerprint;
	enum bs_status status = BS_OK;
	*found_out = false;
	if (!has_texts(snapshot_loader, asked->ref.segment))
		return BS_OK;
	if (!snapshot_loader->trusts) {
		status = place_file(snapshot_loader, asked, &folder, &name, err);
		if (status || asked->record.flags & BS_DOC_RACY ||
		    bs_reader_fingerprint(snapshot_loader->reader, folder, name, &fingerprint,
		                          NULL) ||
		    !bs_fingerprint_equals(&fingerprint, asked->record.place))
			return status;
	}
	*found_out = true;
	asked->fetched = BS_LOADED_UNCHANGED;
	status = fetch_frame(snapshot_loader, asked->ref.segment, asked->ref.document, err);
	return status ? status
	              : bs_reader_take_file(snapshot_loader->reader, &snapshot_loader->raw,
	                                    asked->document, err);
}

static enum bs_status fetch_file(struct bs_snapshot_loader *snapshot_loader, struct asked *asked,
                                 struct bs_error *err)
{
	struct asked_head asked_head = {snapshot_loader, asked};
	struct bs_file_head head = {is_head_enough, &asked_head};
	struct bs_fingerprint fingerprint;
	const char *folder, *name;
	bool is_stored;
	enum bs_status status = fetch_stored_file(snapshot_loader, asked, &is_stored, err);
	if (status || is_stored)
		return status;
	status = make_path(asked->source, &asked->record, &snapshot_loader->path, err);
	if (!status)
		status = place_file(snapshot_loader, asked, &folder, &name, err);
	if (status)
		return status;
	const char *path = (const char *)snapshot_loader->path.data;
	bs_reader_ask_head(snapshot_loader->reader, snapshot_loader->is_enough ? &head : NULL);
	status = bs_reader_fetch_file(snapshot_loader->reader, folder, name, asked->document,
	                              &fingerprint, err);
	bs_reader_ask_head(snapshot_loader->reader, NULL);
	/* The path may lead to something that is not a document now: a symlink or a binary file. */
	if (status == BS_NOT_FOUND || status == BS_INVALID) {
		asked->fetched = BS_LOADED_GONE;
		notice_document(snapshot_loader, asked->ref, path, status == BS_NOT_FOUND);
		return BS_OK;
	}
	if (status)
		return soften(snapshot_loader, status, asked, err);
	bool matches = bs_fingerprint_equals(&fingerprint, asked->record.place);
	asked->fetched = !matches                            ? BS_LOADED_CHANGED
	                 : asked->record.flags & BS_DOC_RACY ? BS_LOADED_RACY
	                                                     : BS_LOADED_UNCHANGED;
	if (!matches)
		notice_document(snapshot_loader, asked->ref, path, false);
	bool is_collection = false;
	if (asked->fetched != BS_LOADED_UNCHANGED)
		status = is_collection_now(snapshot_loader, asked, name, &is_collection, err);
	if (is_collection)
		asked->fetched = BS_LOADED_GONE;
	return status;
}

/* Sets snapshot_loader->range to the range that contains the document. False: the document is in no
 * segment of the manifest (the overlay has it), or the index is damaged. */
static bool find_range(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                       uint32_t document)
{
	struct fetch_range *range = &snapshot_loader->range;
	const struct bs_manifest *manifest = &snapshot_loader->snapshot->manifest;
	if (segment == range->segment && document >= range->first && document < range->end)
		return true;
	if (segment >= manifest->n_segments)
		return false;
	const struct bs_doc_table *table = &snapshot_loader->snapshot->segments[segment].docs;
	if (document >= table->n_docs)
		return false;
	struct bs_source_range found = bs_doc_table_range_of(table, document);
	if (document < found.first || document >= found.end || found.source >= manifest->n_sources)
		return false;
	*range = (struct fetch_range){
		.segment = segment, .first = found.first, .end = found.end, .number = found.source};
	return true;
}

/* Reads a changed collection once, from beginning to end. */
static enum bs_status map_collection(struct bs_snapshot_loader *snapshot_loader,
                                     struct fetch_source *source, struct bs_error *err)
{
	struct bs_feed *feed = NULL;
	if (source->is_unread)
		return bs_fail(err, BS_IO, "%s: cannot be read", source->source.path);
	if (source->is_mapped)
		return BS_OK;
	source->is_mapped = true;
	enum bs_status status =
		bs_feed_open(&source->source, &snapshot_loader->options, NULL, NULL, &feed, err);
	if (!status)
		status = bs_relocated_read(&source->moved, &source->source, snapshot_loader->reader,
		                           feed, err);
	bs_feed_close(feed);
	source->is_unread = status == BS_IO;
	/* A failed read may have left some records out, so `moved` is unusable. */
	if (status && status != BS_IO) {
		bs_relocated_deinit(&source->moved);
		source->is_mapped = false;
	}
	return status;
}

/* Whether the collection still begins with the indexed bytes. Called if its fingerprint differs or
 * is racy. A lasting result is kept as long as the fingerprint stays the same. */
static bool is_as_indexed(struct bs_snapshot_loader *snapshot_loader, struct fetch_source *source,
                          uint32_t number, const struct bs_fingerprint *fingerprint)
{
	const struct bs_prefix_check *prefix_check = source->prefix_check;
	if (!prefix_check || !prefix_check->is_lasting ||
	    !bs_fingerprint_equals(fingerprint, prefix_check->fingerprint)) {
		bs_prefix_check_release(snapshot_loader->prefix_checks, prefix_check);
		prefix_check = bs_prefix_check_take(snapshot_loader->prefix_checks, number,
		                                    &source->source, &snapshot_loader->options,
		                                    snapshot_loader->reader, fingerprint);
		source->prefix_check = prefix_check;
	}
	return prefix_check && prefix_check->is_same;
}

static void check_collection(struct bs_snapshot_loader *snapshot_loader,
                             struct fetch_source *source, uint32_t number)
{
	const struct bs_source_record *recorded =
		&snapshot_loader->snapshot->manifest.sources[number];
	struct bs_fingerprint fingerprint;
	/* A changed collection stays changed, because the places of its records (`moved`) are read
	 * only once. */
	if (source->checked == snapshot_loader->query || source->is_changed)
		return;
	/* A refused source is not opened; loading its records reports the reason. */
	if (source->source.is_refused) {
		source->is_changed = true;
		return;
	}
	source->checked = snapshot_loader->query;
	enum bs_status status = bs_source_fingerprint(&source->source, &fingerprint, NULL);
	/* After an error other than BS_NOT_FOUND it is unknown whether the collection changed;
	 * reading it will show. */
	bool matches = status ? status != BS_NOT_FOUND
	                      : bs_fingerprint_equals(&fingerprint, recorded->fingerprint);
	bool is_sure = !status && ((matches && !recorded->is_racy) ||
	                           is_as_indexed(snapshot_loader, source, number, &fingerprint));
	/* The deadline may have interrupted the check, so the next call checks again. */
	if (bs_deadline_is_over()) {
		source->checked = 0;
		return;
	}
	source->is_gone = status == BS_NOT_FOUND;
	source->is_changed = status != BS_OK || (!matches && !is_sure);
	source->is_racy = !is_sure;
	if (matches)
		return;
	/* The path may lead to another file now, so the reader must open it again. */
	bs_reader_forget(snapshot_loader->reader, true);
	notice_source(snapshot_loader, source);
	source->is_gone |= source->is_changed && !status && is_plain_now(snapshot_loader, source);
}

static enum bs_status fetch_record_at(struct bs_snapshot_loader *snapshot_loader,
                                      struct asked *asked, uint64_t offset, uint64_t source_bytes,
                                      uint64_t line, struct bs_error *err)
{
	struct bs_fingerprint fingerprint;
	enum bs_status status =
		bs_reader_fetch_record(snapshot_loader->reader, &asked->source->source, offset,
	                               source_bytes, asked->document, &fingerprint, err);
	asked->document->place.line = line;
	return status;
}

/* Records at most GAP_BYTES apart are read together, because reading the gap costs less than
 * another system call. One read has at most AHEAD_BYTES, unless its first record is longer. */
#define GAP_BYTES   ((uint64_t)8 * 1024)
#define AHEAD_BYTES ((uint64_t)256 * 1024)

/* Sets *to_out to the end of the read for the record at offset..end: it also covers the expected
 * records that follow closely. */
static enum bs_status find_ahead(struct bs_snapshot_loader *snapshot_loader, uint32_t document,
                                 uint64_t offset, uint64_t end, uint64_t *to_out,
                                 struct bs_error *err)
{
	const struct bs_doc_table *table =
		&snapshot_loader->snapshot->segments[snapshot_loader->range.segment].docs;
	enum bs_status status = BS_OK;
	*to_out = end;
	if (snapshot_loader->expected_segment != snapshot_loader->range.segment)
		return BS_OK;
	while (snapshot_loader->next_expected < snapshot_loader->n_expected &&
	       snapshot_loader->expected[snapshot_loader->next_expected] <= document)
		snapshot_loader->next_expected++;
	for (size_t i = snapshot_loader->next_expected; i < snapshot_loader->n_expected && !status;
	     i++) {
		uint64_t place[2];
		if (snapshot_loader->expected[i] >= snapshot_loader->range.end)
			break;
		status = bs_doc_table_place(table, snapshot_loader->expected[i], 2, place, err);
		if (status || place[0] < *to_out || place[0] - *to_out > GAP_BYTES ||
		    place[1] > AHEAD_BYTES || place[0] + place[1] - offset > AHEAD_BYTES)
			break;
		*to_out = place[0] + place[1];
	}
	return status;
}

static enum bs_status fetch_line_in_place(struct bs_snapshot_loader *snapshot_loader,
                                          uint32_t document, const uint8_t **line_out,
                                          size_t *line_bytes_out, struct bs_error *err)
{
	const struct fetch_source *source =
		&snapshot_loader->sources[snapshot_loader->range.number];
	struct bs_error why;
	struct bs_fingerprint fingerprint;
	uint64_t place[2], ahead_to = 0;
	*line_out = NULL;
	enum bs_status status = bs_doc_table_place(
		&snapshot_loader->snapshot->segments[snapshot_loader->range.segment].docs, document,
		2, place, err);
	if (status)
		return status;
	bool is_read = snapshot_loader->ahead_of_source == snapshot_loader->range.number &&
	               place[0] >= snapshot_loader->ahead_from &&
	               place[0] + place[1] <= snapshot_loader->ahead_to;
	if (!is_read && place[0] <= INT64_MAX && place[1] <= INT64_MAX - place[0]) {
		status = find_ahead(snapshot_loader, document, place[0], place[0] + place[1],
		                    &ahead_to, err);
		snapshot_loader->ahead_of_source = snapshot_loader->range.number;
		snapshot_loader->ahead_from = place[0];
		snapshot_loader->ahead_to = ahead_to;
	}
	if (status)
		return status;
	status = bs_reader_fetch_line(snapshot_loader->reader, &source->source, place[0], place[1],
	                              ahead_to, line_out, line_bytes_out, &fingerprint, &why);
	if (status)
		*line_out = NULL;
	return status == BS_NO_MEMORY ? bs_fail(err, status, "%s", why.text) : BS_OK;
}

/* Whether the id of the record just read equals `wanted`. */
static enum bs_status is_wanted(struct bs_snapshot_loader *snapshot_loader,
                                const struct asked *asked, const struct bs_buffer *wanted,
                                bool *is_wanted_out, struct bs_error *err)
{
	struct bs_buffer *id = &snapshot_loader->id;
	enum bs_status status = bs_relocated_id(&asked->source->source, asked->document, id, err);
	*is_wanted_out = !status && bs_buffer_equals(id, wanted);
	return status;
}

/* Loads the last record that has the document's id, from a collection that changed or grew. */
static enum bs_status fetch_moved(struct bs_snapshot_loader *snapshot_loader, struct asked *asked,
                                  struct bs_error *err)
{
	struct bs_buffer wanted = {0};
	bool found = false;
	enum bs_status status = asked->source->is_changed
	                                ? map_collection(snapshot_loader, asked->source, err)
	                                : BS_OK;
	if (!status)
		status = bs_recorded_id(&asked->source->source, &asked->record, &wanted, err);
	uint64_t hash = bs_hash_slot(wanted.data, wanted.used_bytes);
	const struct bs_relocated_record *end;
	const struct bs_relocated *moved = asked->source->is_changed
	                                           ? &asked->source->moved
	                                           : &asked->source->prefix_check->behind;
	const struct bs_relocated_record *at = bs_relocated_find(moved, hash, &end);
	for (; !status && !found && at && at < end && at->hash == hash; at++) {
		status = fetch_record_at(snapshot_loader, asked, at->offset, at->source_bytes,
		                         at->line, err);
		if (!status)
			status = is_wanted(snapshot_loader, asked, &wanted, &found, err);
	}
	bs_buffer_deinit(&wanted);
	asked->fetched = found ? BS_LOADED_CHANGED : BS_LOADED_GONE;
	return soften(snapshot_loader, status, asked, err);
}

/* Loads a record from its indexed place. *found_out false: the record is no longer there. */
static enum bs_status fetch_in_place(struct bs_snapshot_loader *snapshot_loader,
                                     struct asked *asked, bool *found_out, struct bs_error *err)
{
	struct bs_buffer wanted = {0};
	const uint64_t *place = asked->record.place;
	const uint8_t *line = NULL;
	size_t line_bytes = 0;
	enum bs_status status = BS_OK;
	*found_out = false;
	/* Also reads the next records that bs_snapshot_load_expect announced, if they follow
	 * closely. */
	if (find_range(snapshot_loader, asked->ref.segment, asked->ref.document))
		status = fetch_line_in_place(snapshot_loader, asked->ref.document, &line,
		                             &line_bytes, err);
	if (status)
		return status;
	bs_reader_set_separate_id(snapshot_loader->reader, false);
	if (line && !asked->source->is_racy) {
		*found_out = bs_reader_scan_line(snapshot_loader->reader, line, line_bytes,
		                                 asked->document, NULL) == BS_OK;
		asked->document->place = (struct bs_document_place){
			.line = place[2], .offset = place[0], .n_bytes = place[1]};
		if (*found_out)
			return BS_OK;
	}
	status = fetch_record_at(snapshot_loader, asked, place[0], place[1], place[2], err);
	if (status == BS_INVALID || status == BS_NOT_FOUND)
		return BS_OK;
	*found_out = !asked->source->is_racy;
	if (!status && asked->source->is_racy) {
		status = bs_recorded_id(&asked->source->source, &asked->record, &wanted, err);
		if (!status)
			status = is_wanted(snapshot_loader, asked, &wanted, found_out, err);
	}
	bs_buffer_deinit(&wanted);
	return status;
}

/* Whether the source is used unchecked, because the index is trusted and stores its texts. */
static bool is_trusted(const struct bs_snapshot_loader *snapshot_loader, uint32_t number)
{
	return snapshot_loader->trusts && snapshot_loader->snapshot->manifest.options.store &&
	       !snapshot_loader->sources[number].source.is_refused;
}

static bool is_replaced(const struct bs_snapshot_loader *snapshot_loader, uint32_t number,
                        uint32_t segment, uint32_t document)
{
	const struct bs_prefix_check *prefix_check = snapshot_loader->sources[number].prefix_check;
	return prefix_check && !is_trusted(snapshot_loader, number) && prefix_check->has_replaced &&
	       bs_doc_bits_has(&prefix_check->replaced, (struct bs_doc_ref){segment, document});
}

/* Loads the text of a document from the application that added it, which keeps the text. */
static enum bs_status ask_provider(struct bs_snapshot_loader *snapshot_loader, struct asked *asked,
                                   struct bs_error *err)
{
	const struct bs_text_provider *provider = snapshot_loader->snapshot->texts;
	bool is_left = snapshot_loader->leaves_changed && (!provider || !provider->any_thread);
	asked->fetched = is_left ? BS_LOADED_CHANGED : BS_LOADED_GONE;
	if (is_left)
		return BS_OK;
	enum bs_status status = open_stored(snapshot_loader, err);
	if (!status)
		status = bs_stored_texts_ask(snapshot_loader->stored, asked->ref, asked->document,
		                             err);
	if (status == BS_NOT_FOUND)
		return BS_OK;
	bool is_same = !status && (asked->record.checksum == 0 ||
	                           asked->record.checksum ==
	                                   bs_checksum(asked->document->raw.bytes,
	                                               (size_t)asked->document->raw.n_bytes));
	asked->fetched = is_same ? BS_LOADED_UNCHANGED : BS_LOADED_CHANGED;
	return soften(snapshot_loader, status, asked, err);
}

static enum bs_status fetch_stored(struct bs_snapshot_loader *snapshot_loader, struct asked *asked,
                                   struct bs_error *err)
{
	struct bs_error why = {""};
	asked->fetched = BS_LOADED_UNCHANGED;
	if (asked->record.flags & BS_DOC_NOT_STORED)
		return ask_provider(snapshot_loader, asked, err);
	uint64_t frame = has_texts(snapshot_loader, asked->ref.segment) ? asked->ref.document
	                                                                : asked->record.place[0];
	enum bs_status status = fetch_frame(snapshot_loader, asked->ref.segment, frame, err);
	if (status)
		return status;
	bs_reader_set_separate_id(snapshot_loader->reader,
	                          asked->record.flags & BS_DOC_SEPARATE_ID);
	status = bs_reader_scan_line(snapshot_loader->reader, snapshot_loader->raw.data,
	                             snapshot_loader->raw.used_bytes, asked->document, &why);
	asked->document->place.line = asked->record.place[2];
	if (bs_is_fatal(status))
		return bs_fail(err, status, "%s", why.text);
	/* The library wrote the stored text itself, so text that does not parse is damage. */
	return status ? bs_container_corrupt(
				snapshot_loader->snapshot->segments[asked->ref.segment].file, err,
				"stored text %llu: %s", (unsigned long long)frame, why.text)
	              : BS_OK;
}

static enum bs_status fetch_from_collection(struct bs_snapshot_loader *snapshot_loader,
                                            struct asked *asked, struct bs_error *err)
{
	struct fetch_source *source = asked->source;
	if (is_trusted(snapshot_loader, asked->record.source) &&
	    has_texts(snapshot_loader, asked->ref.segment))
		return fetch_stored(snapshot_loader, asked, err);
	check_collection(snapshot_loader, source, asked->record.source);
	asked->fetched = BS_LOADED_GONE;
	if (source->is_gone)
		return BS_OK;
	enum bs_status status = BS_OK;
	bool found, is_again = is_replaced(snapshot_loader, asked->record.source,
	                                   asked->ref.segment, asked->ref.document);
	if (snapshot_loader->leaves_changed && (source->is_changed || source->is_racy || is_again))
		return BS_OK;
	if (source->is_changed || is_again)
		status = fetch_moved(snapshot_loader, asked, err);
	/* A replaced document may be a false positive (equal hashes of ids); then its record is
	 * still at the indexed place. */
	if (source->is_changed || status || (is_again && asked->fetched != BS_LOADED_GONE))
		return status;
	if (!source->is_racy && !is_again && has_texts(snapshot_loader, asked->ref.segment))
		return fetch_stored(snapshot_loader, asked, err);
	status = fetch_in_place(snapshot_loader, asked, &found, err);
	asked->fetched = source->is_racy ? BS_LOADED_RACY : BS_LOADED_UNCHANGED;
	if (status || found)
		return soften(snapshot_loader, status, asked, err);
	asked->fetched = BS_LOADED_CHANGED;
	if (snapshot_loader->leaves_changed)
		return BS_OK;
	/* The source changed between the check and the read, or while it was indexed. */
	source->is_changed = true;
	bs_reader_forget(snapshot_loader->reader, true);
	notice_source(snapshot_loader, source);
	return fetch_moved(snapshot_loader, asked, err);
}

/* Counts a document of a refused source (one without consent) as unreadable. Gives a notice of the
 * source once. */
static enum bs_status refuse(struct bs_snapshot_loader *snapshot_loader, struct asked *asked)
{
	struct bs_error why;
	struct fetch_source *root = &snapshot_loader->sources[bs_manifest_root(
		&snapshot_loader->snapshot->manifest, asked->record.source)];
	(void)bs_recorded_refuse(snapshot_loader->snapshot->dir, &root->source, &why);
	if (!root->is_noticed && snapshot_loader->notice)
		snapshot_loader->notice(snapshot_loader->context, why.text);
	root->is_noticed = true;
	snapshot_loader->n_failures++;
	asked->fetched = BS_LOADED_FAILED;
	return BS_OK;
}

static enum bs_status fetch(struct bs_snapshot_loader *snapshot_loader, struct asked *asked,
                            struct bs_error *err)
{
	if (asked->source->source.is_refused)
		return refuse(snapshot_loader, asked);
	switch (asked->source->source.kind) {
	case BS_SOURCE_FOLDER:
	case BS_SOURCE_FILE:
		return fetch_file(snapshot_loader, asked, err);
	case BS_SOURCE_COLLECTION:
		return fetch_from_collection(snapshot_loader, asked, err);
	case BS_SOURCE_STDIN:
		return fetch_stored(snapshot_loader, asked, err);
	case BS_SOURCE_FORGOTTEN:
		break;
	}
	return bs_fail(err, BS_CORRUPT, "%s: source %u is of an unknown kind",
	               snapshot_loader->snapshot->dir->path, asked->record.source);
}

/* Estimated costs, for the deadline: FETCH_NS for a document before its bytes are read or its file
 * is checked, LINE_NS for a line of a collection whose state is known. */
#define FETCH_NS 3000u
#define LINE_NS  20u

enum bs_status bs_snapshot_load(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                                uint32_t document, struct bs_document *document_out,
                                enum bs_load_state *fetched_out, struct bs_error *err)
{
	struct asked asked = {.document = document_out, .fetched = BS_LOADED_GONE};
	struct bs_error own;
	*document_out = (struct bs_document){0};
	if (!err)
		err = &own;
	enum bs_status status = bs_deadline_check_after(FETCH_NS, err);
	if (!status)
		status = find_record(snapshot_loader, segment, document, &asked, err);
	if (!status)
		status = fetch(snapshot_loader, &asked, err);
	/* After the deadline, *fetched_out may be wrong, so the call fails. */
	if (!status && bs_deadline_is_over())
		status = bs_deadline_check(err);
	*fetched_out = asked.fetched;
	return status;
}

void bs_snapshot_load_ask_head(struct bs_snapshot_loader *snapshot_loader,
                               bool (*is_enough)(void *context, const uint8_t *text,
                                                 size_t n_bytes),
                               void *context)
{
	snapshot_loader->is_enough = is_enough;
	snapshot_loader->enough_context = context;
}

/* Whether a source is standard input, or a collection that is unchanged or trusted (is_trusted). */
static bool is_source_unchanged(struct bs_snapshot_loader *snapshot_loader, uint32_t number)
{
	struct fetch_source *source = &snapshot_loader->sources[number];
	if (source->source.kind == BS_SOURCE_STDIN)
		return true;
	if (source->source.kind != BS_SOURCE_COLLECTION)
		return false;
	if (is_trusted(snapshot_loader, number))
		return true;
	check_collection(snapshot_loader, source, number);
	/* If the deadline is over, the check may not have been made. */
	return !source->is_changed && !source->is_racy && !source->is_gone &&
	       !bs_deadline_is_over();
}

static bool is_of_lines(const struct bs_snapshot_loader *snapshot_loader)
{
	enum bs_source_kind kind =
		snapshot_loader->sources[snapshot_loader->range.number].source.kind;
	return kind == BS_SOURCE_COLLECTION || kind == BS_SOURCE_STDIN;
}

bool bs_snapshot_load_is_of_line(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                                 uint32_t document)
{
	return find_range(snapshot_loader, segment, document) && is_of_lines(snapshot_loader);
}

bool bs_snapshot_load_agrees(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                             uint32_t document)
{
	return !bs_snapshot_load_is_of_line(snapshot_loader, segment, document) ||
	       (is_source_unchanged(snapshot_loader, snapshot_loader->range.number) &&
	        !is_replaced(snapshot_loader, snapshot_loader->range.number, segment, document));
}

void bs_snapshot_load_skip_changed(struct bs_snapshot_loader *snapshot_loader)
{
	snapshot_loader->leaves_changed = true;
}

enum bs_status bs_snapshot_load_is_unchanged(struct bs_snapshot_loader *snapshot_loader,
                                             uint32_t segment, uint32_t document,
                                             bool *unchanged_out, struct bs_error *err)
{
	struct asked asked;
	struct bs_fingerprint fingerprint;
	const char *folder, *name;
	*unchanged_out = snapshot_loader->trusts;
	if (snapshot_loader->trusts)
		return BS_OK;
	if (find_range(snapshot_loader, segment, document) && is_of_lines(snapshot_loader)) {
		*unchanged_out =
			is_source_unchanged(snapshot_loader, snapshot_loader->range.number) &&
			!is_replaced(snapshot_loader, snapshot_loader->range.number, segment,
		                     document);
		return bs_deadline_check_after(LINE_NS, err);
	}
	enum bs_status status = bs_deadline_check_after(FETCH_NS, err);
	if (!status)
		status = find_record(snapshot_loader, segment, document, &asked, err);
	if (status || asked.record.flags & BS_DOC_RACY)
		return status;
	const struct bs_source *source = &asked.source->source;
	if (source->is_refused ||
	    (source->kind != BS_SOURCE_FOLDER && source->kind != BS_SOURCE_FILE))
		return BS_OK;
	status = place_file(snapshot_loader, &asked, &folder, &name, err);
	*unchanged_out =
		!status &&
		!bs_reader_fingerprint(snapshot_loader->reader, folder, name, &fingerprint, NULL) &&
		bs_fingerprint_equals(&fingerprint, asked.record.place);
	return status;
}

enum bs_status bs_snapshot_load_is_segment_unchanged(struct bs_snapshot_loader *snapshot_loader,
                                                     uint32_t segment, bool *unchanged_out,
                                                     struct bs_error *err)
{
	const struct bs_snapshot *snapshot = snapshot_loader->snapshot;
	const struct bs_doc_table *docs = &snapshot->segments[segment].docs;
	*unchanged_out = snapshot_loader->trusts;
	for (uint32_t i = 0; i < docs->n_ranges && !snapshot_loader->trusts; i++) {
		uint32_t number = bs_doc_table_range(docs, i).source;
		if (number >= snapshot->manifest.n_sources)
			return bs_container_corrupt(snapshot->segments[segment].file, err,
			                            "documents of source %u, which is not "
			                            "recorded",
			                            number);
		const struct fetch_source *source = &snapshot_loader->sources[number];
		if (!is_source_unchanged(snapshot_loader, number) ||
		    (source->prefix_check && source->prefix_check->has_replaced))
			return BS_OK;
	}
	*unchanged_out = true;
	return BS_OK;
}

enum bs_status bs_snapshot_load_line(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                                     uint32_t document, const uint8_t **line_out,
                                     size_t *line_bytes_out, struct bs_error *err)
{
	const struct bs_doc_table *docs = &snapshot_loader->snapshot->segments[segment].docs;
	uint64_t place[4];
	uint8_t flags = 0;
	*line_out = NULL;
	if (!find_range(snapshot_loader, segment, document) ||
	    !is_source_unchanged(snapshot_loader, snapshot_loader->range.number) ||
	    is_replaced(snapshot_loader, snapshot_loader->range.number, segment, document))
		return BS_OK;
	bool has_all = has_texts(snapshot_loader, segment);
	bool is_stored =
		has_all || snapshot_loader->sources[snapshot_loader->range.number].source.kind ==
				   BS_SOURCE_STDIN;
	enum bs_status status = is_stored ? bs_doc_table_flags(docs, document, &flags, err) : BS_OK;
	bs_reader_set_separate_id(snapshot_loader->reader, flags & BS_DOC_SEPARATE_ID);
	if (!status && !is_stored)
		return fetch_line_in_place(snapshot_loader, document, line_out, line_bytes_out,
		                           err);
	if (status || flags & BS_DOC_NOT_STORED)
		return status;
	place[0] = document;
	if (!has_all)
		status = bs_doc_table_place(docs, document, 4, place, err);
	if (!status)
		status = fetch_frame(snapshot_loader, segment, place[0], err);
	if (status)
		return status;
	*line_out = snapshot_loader->raw.data;
	*line_bytes_out = snapshot_loader->raw.used_bytes;
	return BS_OK;
}

bool bs_snapshot_load_cut_line(struct bs_snapshot_loader *snapshot_loader, const uint8_t *line,
                               size_t line_bytes, struct bs_document *document_out)
{
	bool is_known;
	return bs_reader_cut_line(snapshot_loader->reader, line, line_bytes, document_out,
	                          &is_known, NULL) == BS_OK &&
	       is_known;
}

bool bs_snapshot_load_resolve(struct bs_snapshot_loader *snapshot_loader,
                              struct bs_document *document)
{
	return bs_reader_resolve(snapshot_loader->reader, document);
}

void bs_snapshot_load_begin(struct bs_snapshot_loader *snapshot_loader, bool verbose, bool trusts)
{
	snapshot_loader->changes = (struct bs_changes){.n_changed = 0};
	snapshot_loader->verbose = verbose;
	snapshot_loader->trusts = trusts;
	snapshot_loader->query++;
	snapshot_loader->n_expected = snapshot_loader->next_expected = 0;
	snapshot_loader->ahead_to = 0;
	bs_reader_forget(snapshot_loader->reader, false);
}

void bs_snapshot_load_expect(struct bs_snapshot_loader *snapshot_loader, uint32_t segment,
                             const uint32_t *documents, size_t n_documents)
{
	snapshot_loader->expected_segment = segment;
	snapshot_loader->expected = documents;
	snapshot_loader->n_expected = n_documents;
	snapshot_loader->next_expected = 0;
}
