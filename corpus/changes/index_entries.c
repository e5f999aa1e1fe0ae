/* index_entries.c: see index_entries.h. */
#include "corpus/changes/index_entries.h"

#include <stdlib.h>
#include <string.h>

#include "core/store/doc_order.h"
#include "corpus/changes/file_checks.h"
#include "corpus/changes/recorded.h"
#include "corpus/changes/stored_text.h"
#include "corpus/read/feed.h"

#define BATCH_RECORDS 1024 /* records of a batch to read again */

struct known {
	/* the entries of the index that have not been passed to the feed yet */
	struct bs_doc_cursor cursor;
	const struct bs_source *source; /* source of the documents to read again */
	/* inner[i]: source i of the snapshot, if it is an inner collection of `source`; the array
	 * and its elements are made on first use */
	struct bs_source *inner;
	/* offset, in the feed's list of unread paths, of the first one that may contain an entry at
	 * or after the cursor */
	size_t unread_at;
	uint64_t recall_bytes; /* bytes of text that may still be read again */
	bool is_anew;          /* entries are passed without their fingerprints */
	bool may_stay;         /* see struct bs_recall */
	bool are_rows;         /* the documents are rows of collections, to be read as files */
	uint32_t number;       /* number of the source */
	struct bs_non_documents skipped; /* the next skipped file of the source, if has_skipped */
	struct bs_non_document_place skipped_at; /* after `skipped` */
	uint32_t n_skipped; /* number of `skipped` among the skipped files of the source */
	bool has_skipped;
	struct bs_file_checks *checks; /* NULL: the reader compares fingerprints */
};

/* Advances to the next skipped file of the source. */
static void next_skipped(struct known *self)
{
	self->has_skipped = bs_manifest_next_non_document(&self->cursor.snapshot->manifest,
	                                                  &self->skipped_at, &self->skipped) &&
	                    self->skipped.source == self->number;
	self->n_skipped++;
}

/* If the index has no document at this path, but lists a skipped file there, fills in the entry of
 * that file, which is binary. */
static void find_skipped(struct known *self, const uint8_t *path, size_t path_bytes,
                         struct bs_index_entry *known_out)
{
	int order = -1;
	while (self->has_skipped) {
		order = bs_compare_paths((const uint8_t *)self->skipped.name,
		                         strlen(self->skipped.name), path, path_bytes);
		if (order >= 0)
			break;
		next_skipped(self);
	}
	if (!self->has_skipped || order != 0 || known_out->ref.segment != BS_DOC_NONE ||
	    self->is_anew || !bs_non_document_has_fingerprint(&self->skipped))
		return;
	known_out->is_binary = true;
	known_out->ref = (struct bs_doc_ref){BS_DOC_NONE, self->n_skipped};
	known_out->nul_end = self->skipped.nul_end;
	memcpy(known_out->place, self->skipped.fingerprint, sizeof(known_out->place));
}

static struct bs_index_entry make_known(const struct bs_snapshot *snapshot, struct bs_doc_ref ref,
                                        const struct bs_doc_record *record)
{
	struct bs_index_entry entry = {
		.ref = ref,
		.is_row = ref.segment != BS_DOC_EXCLUDED &&
	                  !bs_snapshot_has_words(snapshot, ref.segment),
		.is_racy = record->flags & BS_DOC_RACY,
		.is_named_by_line = record->flags & BS_DOC_NAMED_BY_LINE,
		.has_separate_id = record->flags & BS_DOC_SEPARATE_ID,
		.is_elsewhere = record->flags & BS_DOC_NOT_STORED,
		.checksum = record->checksum,
	};
	memcpy(entry.place, record->place, sizeof(entry.place));
	return entry;
}

static enum bs_status add_item(struct bs_batch *batch, const struct bs_doc_record *record,
                               const struct bs_index_entry *entry, struct bs_error *err)
{
	enum bs_status status = bs_vector_append(&batch->entries, entry, err);
	if (!status)
		status = bs_buffer_append(&batch->bytes, record->name, record->name_bytes, err);
	if (!status)
		status = bs_buffer_append(&batch->bytes, "", 1, err);
	batch->n_items++;
	return status;
}

/* True if the document is at or below a path that the walk could not read. Call it in document
 * order, for documents that the walk did not yield. */
static bool is_unread(struct known *self, const struct bs_buffer *unread,
                      const struct bs_doc_record *record)
{
	while (self->unread_at < unread->used_bytes) {
		const char *path = (const char *)unread->data + self->unread_at;
		size_t n = strlen(path);
		if (bs_path_is_at_or_below(path, record->name, record->name_bytes))
			return true;
		if (bs_compare_paths((const uint8_t *)path, n, record->name, record->name_bytes) >
		    0)
			break;
		self->unread_at += n + 1;
	}
	return false;
}

/* Advances the cursor of index entries to after the path at path_at of the batch's bytes (SIZE_MAX:
 * to the end), and returns the entry of that path in *known_out. An entry that the cursor skips is
 * a file that the walk did not find: it is gone, unless the walk could not read the folder. In this
 * case it is appended to the batch as a further item, after the paths of the walk. */
static enum bs_status pass_known(struct known *self, const struct bs_buffer *unread,
                                 struct bs_batch *batch, size_t path_at, size_t path_bytes,
                                 struct bs_index_entry *known_out, struct bs_error *err)
{
	struct bs_doc_ref ref;
	struct bs_doc_record record;
	enum bs_status status = BS_OK;
	*known_out = (struct bs_index_entry){.ref = {BS_DOC_NONE, 0}};
	while (!status && bs_doc_cursor_peek(&self->cursor, &ref, &record)) {
		int order = -1;
		if (path_at != SIZE_MAX)
			order = bs_compare_paths(record.name, record.name_bytes,
			                         batch->bytes.data + path_at, path_bytes);
		if (order > 0)
			break;
		struct bs_index_entry entry = make_known(self->cursor.snapshot, ref, &record);
		entry.is_kept = order < 0;
		if (self->is_anew)
			memset(entry.place, 0, sizeof(entry.place));
		if (order == 0)
			*known_out = entry;
		else if (is_unread(self, unread, &record))
			status = add_item(batch, &record, &entry, err);
		if (!status)
			status = bs_doc_cursor_advance(&self->cursor, err);
	}
	return status;
}

/* Decides whether the file of an entry is unchanged, if that is checked ahead of the reader. */
static enum bs_status check_entry(struct known *self, struct bs_index_entry *entry,
                                  struct bs_error *err)
{
	struct bs_doc_ref ref = entry->ref;
	if (!self->checks || entry->is_racy || ref.segment == BS_DOC_EXCLUDED ||
	    (ref.segment == BS_DOC_NONE && !entry->is_binary))
		return BS_OK;
	if (entry->is_binary)
		ref.segment = self->cursor.snapshot->manifest.n_segments;
	return bs_file_checks_is_unchanged(self->checks, ref, &entry->is_unchanged, err);
}

static enum bs_status tell_paths(void *context, const struct bs_buffer *unread, bool is_last,
                                 struct bs_batch *batch, struct bs_error *err)
{
	struct known *self = context;
	size_t n_paths = batch->n_items, at = 0;
	struct bs_index_entry entry;
	enum bs_status status = bs_vector_reserve(&batch->entries, n_paths, err);
	if (!status)
		bs_vector_set_n(&batch->entries, n_paths);
	for (size_t i = 0; i < n_paths && !status; i++) {
		size_t path_bytes = strlen((const char *)batch->bytes.data + at);
		status = pass_known(self, unread, batch, at, path_bytes, &entry, err);
		if (!status)
			find_skipped(self, batch->bytes.data + at, path_bytes, &entry);
		if (!status)
			status = check_entry(self, &entry, err);
		batch->entries.items[i] = entry;
		at += path_bytes + 1;
	}
	/* After the last batch the caller marks documents of the source deleted, so no check may
	 * still run then. */
	if (is_last) {
		bs_file_checks_free(self->checks);
		self->checks = NULL;
	}
	if (!status && is_last && unread->used_bytes > 0)
		status = pass_known(self, unread, batch, SIZE_MAX, 0, &entry, err);
	return status;
}

/* The source of a document to read again: the recall's source or an inner collection of it. */
static enum bs_status find_source(struct known *self, uint32_t number,
                                  const struct bs_source **source_out, struct bs_error *err)
{
	const struct bs_manifest *manifest = &self->cursor.snapshot->manifest;
	*source_out = self->source;
	if (!manifest->sources[number].parent)
		return BS_OK;
	if (!self->inner && !(self->inner = calloc(manifest->n_sources, sizeof(*self->inner))))
		return bs_fail_memory(err, "sources", manifest->n_sources * sizeof(*self->inner));
	*source_out = &self->inner[number];
	return self->inner[number].path
	               ? BS_OK
	               : bs_recorded_inner(self->source, &manifest->sources[number],
	                                   &self->inner[number], err);
}

static enum bs_status next_recalled(void *context, const struct bs_buffer *unread, bool is_last,
                                    struct bs_batch *batch, struct bs_error *err)
{
	struct known *self = context;
	const struct bs_snapshot *snapshot = self->cursor.snapshot;
	uint64_t n_bytes = 0;
	struct bs_doc_ref ref;
	struct bs_doc_record record;
	enum bs_status status = BS_OK;
	(void)unread, (void)is_last;
	if (!bs_doc_cursor_peek(&self->cursor, &ref, &record))
		return BS_OK;
	uint32_t number = record.source;
	status = find_source(self, number, &batch->source, err);
	bool is_record = !status && bs_source_has_records(batch->source);
	batch->recall = (struct bs_recall){snapshot,
	                                   bs_stored_texts_new,
	                                   bs_stored_texts_fetch,
	                                   bs_stored_texts_ask,
	                                   bs_stored_texts_free,
	                                   snapshot->manifest.options.store,
	                                   self->may_stay};
	batch->is_row = self->are_rows;
	while (!status && batch->n_items < (is_record ? BATCH_RECORDS : BS_BATCH_PATHS) &&
	       n_bytes < BS_BATCH_BYTES && self->recall_bytes > 0 &&
	       bs_doc_cursor_peek(&self->cursor, &ref, &record) && record.source == number) {
		struct bs_index_entry entry = make_known(snapshot, ref, &record);
		if (batch->source->kind == BS_SOURCE_FOLDER &&
		    !bs_doc_name_is_below(record.name, record.name_bytes))
			return bs_container_corrupt(
				snapshot->segments[ref.segment].file, err,
				"the name of document %u leads out of its source", ref.document);
		status = add_item(batch, &record, &entry, err);
		if (!status)
			status = bs_doc_cursor_advance(&self->cursor, err);
		uint64_t size_bytes = is_record ? record.place[1] : record.place[0];
		n_bytes += size_bytes;
		self->recall_bytes -=
			size_bytes < self->recall_bytes ? size_bytes : self->recall_bytes;
	}
	return status;
}

static void close_known(void *context)
{
	struct known *self = context;
	for (uint32_t i = 0; self->inner && i < self->cursor.snapshot->manifest.n_sources; i++)
		bs_source_deinit(&self->inner[i]);
	free(self->inner);
	bs_doc_cursor_deinit(&self->cursor);
	bs_file_checks_free(self->checks);
	free(self);
}

static enum bs_status new_known(struct known **self_out, struct bs_error *err)
{
	struct known *self = calloc(1, sizeof(*self));
	*self_out = self;
	return self ? BS_OK : bs_fail_memory(err, "what is known of a source", sizeof(*self));
}

enum bs_status bs_index_entries_attach(struct bs_feed *feed, const struct bs_source *of,
                                       const struct bs_snapshot *snapshot, uint32_t source,
                                       unsigned n_checkers, struct bs_error *err)
{
	struct known *self;
	enum bs_status status = new_known(&self, err);
	if (status)
		return status;
	self->is_anew = of->is_anew;
	self->number = source;
	status = bs_doc_cursor_init(&self->cursor, snapshot, source, NULL, BS_CURSOR_EXCLUSIONS,
	                            NULL, err);
	if (!status && n_checkers > 0 && of->kind == BS_SOURCE_FOLDER && !of->is_anew)
		status = bs_file_checks_start(snapshot, NULL, source, of->path, n_checkers,
		                              &self->checks, err);
	if (status) {
		close_known(self);
	} else {
		self->skipped_at = bs_manifest_find_non_documents(&snapshot->manifest, source);
		self->n_skipped = UINT32_MAX;
		next_skipped(self);
		bs_feed_set_entry_lookup(feed,
		                         &(struct bs_entry_lookup){self, tell_paths, close_known});
	}
	return status;
}

enum bs_status bs_index_entries_recall(const struct bs_source *source,
                                       const struct bs_snapshot *snapshot, uint32_t number,
                                       const struct bs_recall_choice *choice,
                                       struct bs_feed **feed_out, struct bs_error *err)
{
	struct known *self;
	*feed_out = NULL;
	enum bs_status status = new_known(&self, err);
	if (status)
		return status;
	status = bs_doc_cursor_init(&self->cursor, snapshot, number, choice->segments,
	                            BS_CURSOR_INNER, NULL, err);
	if (status) {
		close_known(self);
		return status;
	}
	self->source = source;
	self->are_rows = choice->are_rows;
	self->recall_bytes = choice->limit_bytes;
	self->may_stay = choice->may_stay;
	return bs_feed_open_recall(
		source, &(struct bs_entry_lookup){self, next_recalled, close_known}, feed_out, err);
}

enum bs_status bs_index_entries_row(const struct bs_snapshot *snapshot, uint32_t source,
                                    struct bs_index_entry *known_out, struct bs_error *err)
{
	struct bs_doc_record record;
	enum bs_status status = BS_OK;
	*known_out = (struct bs_index_entry){.ref = {BS_DOC_NONE, 0}};
	for (uint32_t s = 0;
	     s < snapshot->manifest.n_segments && known_out->ref.segment == BS_DOC_NONE && !status;
	     s++) {
		const struct bs_doc_table *docs = &snapshot->segments[s].docs;
		for (uint32_t i = 0;
		     !bs_snapshot_has_words(snapshot, s) && i < docs->n_ranges && !status; i++) {
			struct bs_source_range range = bs_doc_table_range(docs, i);
			struct bs_doc_ref ref = {s, range.first};
			if (range.source != source ||
			    bs_snapshot_is_deleted(snapshot, s, range.first))
				continue;
			status = bs_snapshot_record(snapshot, ref, &record, err);
			if (!status)
				*known_out = make_known(snapshot, ref, &record);
		}
	}
	return status;
}
