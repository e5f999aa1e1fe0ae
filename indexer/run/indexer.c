/*
 * indexer.c: an index run (bs_index_build): sources -> segments -> one commit. See
 * indexing.h.
 *
 * The run takes the writer's lock, checks the sources that it is to read, reads new and changed
 * documents, writes new segments and the tombstones of removed documents, and commits by replacing
 * the manifest. Until then the old index is unchanged, whatever fails. Compaction follows, if due,
 * as a commit of its own.
 */
#include "indexer/run/indexing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/clock.h"
#include "core/bitsift/index_build.h"
#include "core/bitsift/index_locate.h"
#include "core/bitsift/limits.h"
#include "core/bitsift/memory_index.h"
#include "core/store/doc_order.h"
#include "core/store/field_weights.h"
#include "core/store/summary_make.h"
#include "core/system/deadline.h"
#include "core/system/log.h"
#include "core/text/tokenizer.h"
#include "corpus/changes/index_entries.h"
#include "corpus/changes/recorded.h"
#include "corpus/read/feed.h"
#include "corpus/walk/ignore.h"
#include "indexer/run/compact.h"

_Static_assert((int)BS_SKIP_REASONS <= (int)BS_SKIP_MAX,
               "no room for every reason in struct bs_build_report");

/* A record with the name, checksum and line of a document. */
static struct bs_doc_record named_record(const struct bs_term_batch *term_batch,
                                         const struct bs_term_batch_doc *doc)
{
	return (struct bs_doc_record){
		.checksum = doc->document.raw.checksum,
		.flags = doc->document.name.is_line ? BS_DOC_NAMED_BY_LINE : 0,
		.name = term_batch->names.data + doc->name_offset,
		.name_bytes = (uint32_t)doc->document.name.n_bytes,
		.place = {0, 0, doc->document.place.line},
	};
}

/* The source of the batch being merged. */
static const struct bs_source *source_of(const struct bs_indexing *at)
{
	return at->inner ? &at->inner->source : &at->source;
}

static uint32_t number_of(const struct bs_indexing *at)
{
	return at->inner ? at->inner->number : at->source_number;
}

/* Makes the record of a document of standard input whose text was read again, from the old index or
 * from the text provider: replaces *record by the document's record in the old index. The name and
 * the flags in *record stay, because options may have changed how names are made, unless the id was
 * passed separately. For a text of the text provider, the checksum in *record also stays, because
 * the text may have changed, unless the old record has no checksum. */
static enum bs_status old_record(const struct bs_indexing *at, struct bs_doc_ref known,
                                 struct bs_doc_record *record, struct bs_error *err)
{
	struct bs_doc_record now = *record;
	enum bs_status status = bs_snapshot_record(&at->old, known, record, err);
	record->source = number_of(at);
	if (record->flags & BS_DOC_NOT_STORED && record->checksum != 0)
		record->checksum = now.checksum;
	if (record->flags & BS_DOC_SEPARATE_ID)
		return status;
	record->flags = now.flags;
	record->name = now.name;
	record->name_bytes = now.name_bytes;
	return status;
}

static void fill_record(struct bs_indexing *at, const struct bs_document *document, bool is_row,
                        struct bs_doc_record *record)
{
	record->source = number_of(at);
	record->checksum = document->raw.checksum;
	switch (is_row ? BS_SOURCE_FILE : source_of(at)->kind) {
	case BS_SOURCE_FOLDER:
	case BS_SOURCE_FILE:
		bs_fingerprint_record(&document->fingerprint, record->place);
		record->flags |= document->is_racy ? BS_DOC_RACY : 0;
		break;
	case BS_SOURCE_COLLECTION:
		record->place[0] = document->place.offset;
		record->place[1] = document->place.n_bytes;
		break;
	case BS_SOURCE_STDIN:
		record->place[1] = document->raw.n_bytes;
		record->place[3] = at->next_sequence++;
		break;
	case BS_SOURCE_FORGOTTEN:
		break;
	}
}

/* Makes the record of a restored document: the old record, with the new number of its source. */
static enum bs_status restored_record(const struct bs_indexing *at, struct bs_doc_ref known,
                                      struct bs_doc_record *record, struct bs_error *err)
{
	enum bs_status status = bs_snapshot_record(&at->old, known, record, err);
	if (!status)
		record->source = at->list.moves[record->source].number;
	return status;
}

/* ids are prefetched this many documents ahead */
#define IDS_AHEAD 4u

static enum bs_status add_document(void *context, const struct bs_term_batch *term_batch,
                                   uint32_t i, struct bs_error *err)
{
	struct bs_indexing *at = context;
	const struct bs_term_batch_doc *doc = &term_batch->docs.items[i];
	struct bs_doc_ref known = doc->document.known;
	struct bs_doc_record record = named_record(term_batch, doc);
	struct bs_refreshing *refreshing = at->inner ? &at->inner->at : &at->refreshing;
	enum bs_status status = BS_OK;
	if (at->is_restored) {
		status = restored_record(at, known, &record, err);
		return status ? status
		              : bs_index_writer_add(&at->writer, term_batch, i, &record, err);
	}
	if (i + IDS_AHEAD < term_batch->n_docs && !term_batch->is_row) {
		struct bs_doc_record next = named_record(term_batch, doc + IDS_AHEAD);
		bs_refresh_prefetch(&at->refresh, refreshing, &next);
	}
	/* A known document of standard input was read again by replay_stdin. */
	if (at->source.kind == BS_SOURCE_STDIN && known.segment != BS_DOC_NONE)
		status = old_record(at, known, &record, err);
	else
		fill_record(at, &doc->document, term_batch->is_row, &record);
	if (!status && !term_batch->is_row)
		status = bs_refresh_take(&at->refresh, refreshing, &record, known, err);
	return status ? status : bs_index_writer_add(&at->writer, term_batch, i, &record, err);
}

/* True if each walk reports skips of this kind, so that the source's counts include all of them. */
static bool is_found_anew(enum bs_skip reason)
{
	return reason != BS_SKIP_UNREADABLE && reason != BS_SKIP_UNTRUSTED &&
	       reason != BS_SKIP_BAD_RECORD && reason != BS_SKIP_NO_TEXT;
}

static void skip(struct bs_indexing *at, enum bs_skip reason, const char *message)
{
	if (!at->is_left || !is_found_anew(reason))
		bs_index_writer_skip(&at->writer, reason, message);
}

/* Counts a skipped file; n_bad counts skipped records. The extension of a binary file is taken from
 * the message, which is its id, a colon and the reason. */
static void count_left_out(struct bs_indexing *at, const struct bs_source *source,
                           enum bs_skip reason, const char *message)
{
	char kind[BS_SKIP_KIND_BYTES];
	at->left_out.n[reason] += is_found_anew(reason) && !bs_source_has_records(source);
	if (reason != BS_SKIP_BINARY || at->is_left)
		return;
	const char *end = strrchr(message, ':');
	bs_skip_kind_of(message, end ? (size_t)(end - message) : 0, kind);
	bs_skip_kinds_add(at->left_out.binary, kind, 1);
	bs_skip_kinds_add(at->report.binary, kind, 1);
}

static enum bs_status merge_skips(struct bs_indexing *at, const struct bs_term_batch *term_batch,
                                  struct bs_error *err)
{
	enum bs_skip reason;
	const char *message;
	for (size_t next = 0;
	     (message = bs_term_batch_next_skip(term_batch, &next, &reason)) != NULL;) {
		if (at->request->strict &&
		    (reason == BS_SKIP_BAD_RECORD || reason == BS_SKIP_NO_TEXT))
			return bs_fail(err, BS_INVALID,
			               "%s (--strict stops here; the index is unchanged)", message);
		count_left_out(at, source_of(at), reason, message);
		if (bs_source_has_records(source_of(at)) && !term_batch->is_row)
			(at->inner ? &at->inner->at : &at->refreshing)->n_bad[reason]++;
		skip(at, reason, message);
	}
	return BS_OK;
}

/* Adds the skipped files of an analysed batch, in document order, to the manifest's list. */
static enum bs_status add_non_documents(struct bs_manifest *manifest, uint32_t source,
                                        const struct bs_term_batch *term_batch,
                                        struct bs_error *err)
{
	const struct bs_buffer *files = &term_batch->non_documents;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < files->used_bytes && !status;) {
		struct bs_non_documents file = {.source = source};
		memcpy(&file.nul_end, files->data + i, sizeof(file.nul_end));
		i += sizeof(file.nul_end);
		memcpy(file.fingerprint, files->data + i, sizeof(file.fingerprint));
		i += sizeof(file.fingerprint);
		file.name = (const char *)files->data + i;
		status = bs_manifest_add_non_document(manifest, &file, err);
		i += strlen(file.name) + 1;
	}
	return status;
}

/* Finds the next skipped file of the source in `before` that the new manifest keeps; returns false
 * if there are no more. */
static bool next_kept(const struct bs_manifest *before, uint32_t source, const struct bs_feed *feed,
                      struct bs_non_document_place *place, struct bs_non_documents *file_out)
{
	while (bs_manifest_next_non_document(before, place, file_out) && file_out->source == source)
		if (!feed || bs_feed_is_unread(feed, file_out->name))
			return true;
	return false;
}

static bool is_before(const struct bs_non_documents *a, const struct bs_non_documents *b)
{
	return bs_compare_paths((const uint8_t *)a->name, strlen(a->name), (const uint8_t *)b->name,
	                        strlen(b->name)) < 0;
}

/*
 * Keeps those skipped files of the source in the previous commit that the feed could not look at
 * (feed NULL: all). Merges them, in document order, with the files skipped in this run, which begin
 * at `from` in the list.
 */
static enum bs_status keep_non_documents(struct bs_manifest *manifest,
                                         const struct bs_manifest *before, uint32_t source,
                                         const struct bs_feed *feed,
                                         struct bs_non_document_place from, struct bs_error *err)
{
	struct bs_manifest found = {.n_sources = 0};
	struct bs_non_documents kept_file, found_file;
	struct bs_non_document_place kept_at = bs_manifest_find_non_documents(before, source),
				     found_at = {0}, next = from;
	enum bs_status status = BS_OK;
	if (!next_kept(before, source, feed, &kept_at, &kept_file))
		return BS_OK;
	while (!status && bs_manifest_next_non_document(manifest, &next, &found_file))
		status = bs_manifest_add_non_document(&found, &found_file, err);
	if (!status)
		bs_manifest_truncate_non_documents(manifest, &from);
	bool has_kept = true;
	bool has_found = bs_manifest_next_non_document(&found, &found_at, &found_file);
	while (!status && (has_kept || has_found)) {
		bool takes_kept = has_kept && (!has_found || is_before(&kept_file, &found_file));
		status = bs_manifest_add_non_document(manifest,
		                                      takes_kept ? &kept_file : &found_file, err);
		if (takes_kept)
			has_kept = next_kept(before, source, feed, &kept_at, &kept_file);
		else
			has_found = bs_manifest_next_non_document(&found, &found_at, &found_file);
	}
	bs_manifest_forget_non_documents(&found);
	return status;
}

/* Moves lists that grow with skipped files and folders to files if they are too large. */
static enum bs_status hold_lists(struct bs_indexing *at, struct bs_error *err)
{
	enum bs_status status =
		bs_index_writer_hold_skipped(&at->writer, &at->writer.manifest, err);
	return status ? status : bs_index_writer_hold_list(&at->writer, &at->folders.records, err);
}

static enum bs_status merge(void *context, const struct bs_term_batch *term_batch,
                            const struct bs_batch *batch, bool is_last, struct bs_error *err)
{
	struct bs_indexing *at = context;
	at->inner = batch->begins_inner ? NULL : batch->inner;
	at->writer.progress.done = batch->source_done + (at->reads_files ? at->n_files_done : 0);
	enum bs_status status = merge_skips(at, term_batch, err);
	for (size_t i = 0; i < bs_vector_n(&term_batch->unchanged) && !status; i++)
		status = bs_refresh_unchanged(&at->refresh, term_batch->unchanged.items[i], err);
	at->report.n_unchanged = at->refresh.n_unchanged;
	if (!status && at->writer.manifest.options.grams)
		status =
			add_non_documents(&at->writer.manifest, at->source_number, term_batch, err);
	if (!status)
		status = hold_lists(at, err);
	if (!status)
		status = bs_index_writer_merge(&at->writer, term_batch, add_document, at, err);
	if (!status && batch->ends_inner && is_last)
		status = bs_inners_end(&at->inners, batch, err);
	at->inner = NULL;
	return status;
}

static void report_skip(void *context, enum bs_skip reason, const char *message)
{
	struct bs_indexing *at = context;
	count_left_out(at, &at->source, reason, message);
	skip(at, reason, message);
}

/* Counts an entry that was skipped because it is hidden or ignored. If it is a file or a folder,
 * adds it to the manifest's list of passed entries. Reports its name only on request, because there
 * may be thousands. */
static void take_left_out(void *context, enum bs_skip reason, bool is_special, const char *path,
                          const char *below)
{
	struct bs_indexing *at = context;
	struct bs_manifest *manifest = &at->writer.manifest;
	struct bs_passed_entry entry = {
		.source = at->source_number, .reason = reason, .path = below};
	if (!is_special && bs_manifest_add_passed_entry(manifest, &entry, NULL) != BS_OK)
		bs_manifest_forget_passed_entries(manifest);
	bool is_hidden = reason == BS_SKIP_HIDDEN || reason == BS_SKIP_HIDDEN_FOLDER;
	struct bs_error line;
	if (at->is_left)
		return;
	if (at->request->callbacks.names_hidden) {
		(void)bs_fail(&line, BS_OK, "%s: %s", path, is_hidden ? "hidden" : "ignored");
		report_skip(at, reason, line.text);
	} else {
		at->left_out.n[reason]++;
		at->report.skipped[reason]++;
	}
}

/* Reads the documents of source number `from` of the old index again, from their stored texts. */
static enum bs_status recall_source(struct bs_indexing *at, uint32_t from, struct bs_error *err)
{
	struct bs_feed *feed = NULL;
	uint32_t n_segments = at->old.manifest.n_segments;
	bool *of_words = calloc((size_t)n_segments + 1, sizeof(*of_words));
	enum bs_status status = of_words ? BS_OK : bs_fail_memory(err, "segments", n_segments);
	for (uint32_t s = 0; s < n_segments && !status; s++)
		of_words[s] = bs_snapshot_has_words(&at->old, s);
	struct bs_recall_choice choice = {.segments = of_words, .limit_bytes = UINT64_MAX};
	if (!status)
		status = bs_index_entries_recall(&at->source, &at->old, from, &choice, &feed, err);
	if (!status)
		status = bs_pipeline_run(at->writer.pipeline, feed,
		                         bs_index_writer_stores(&at->writer, at->source.kind),
		                         merge, at, err);
	bs_feed_close(feed);
	free(of_words);
	return status;
}

/* Reads the records of standard input again, from the old index or from the text provider. */
static enum bs_status replay_stdin(struct bs_indexing *at, struct bs_error *err)
{
	uint32_t from = 0;
	while (from < at->list.n_moves && at->list.moves[from].number != at->source_number)
		from++;
	return recall_source(at, from, err);
}

/* Updates the kind of the source: for example, a recorded folder may be a file now. */
static enum bs_status look_at_source(struct bs_indexing *at, struct bs_source_record *record,
                                     struct bs_error *err)
{
	struct bs_source found;
	if (at->source.kind == BS_SOURCE_STDIN)
		return BS_OK;
	enum bs_status status = bs_source_init(&found, at->source.path, err);
	if (status)
		return status;
	record->kind = found.kind;
	at->source.kind = found.kind;
	bs_source_deinit(&found);
	return BS_OK;
}

/* The number of files in the old index: the estimate for a refresh. */
static uint64_t count_known_files(const struct bs_snapshot *old)
{
	const struct bs_manifest *manifest = &old->manifest;
	struct bs_non_documents file;
	uint64_t n = 0;
	struct bs_non_document_place place = {0};
	while (bs_manifest_next_non_document(manifest, &place, &file))
		n++;
	for (uint32_t s = 0; s < manifest->n_segments; s++) {
		const struct bs_doc_table *docs = &old->segments[s].docs;
		for (uint32_t i = 0; i < docs->n_ranges; i++) {
			struct bs_source_range range = bs_doc_table_range(docs, i);
			enum bs_source_kind kind =
				(enum bs_source_kind)manifest->sources[range.source].kind;
			n += kind == BS_SOURCE_FOLDER || kind == BS_SOURCE_FILE
			             ? range.end - range.first
			             : 0;
		}
	}
	return n;
}

static enum bs_status begin_step(struct bs_indexing *at, struct bs_error *err)
{
	bool goes_on = at->reads_files;
	at->reads_files = !bs_source_has_records(&at->source);
	if (goes_on && at->reads_files)
		return BS_OK;
	uint64_t n_bytes =
		at->source.kind == BS_SOURCE_COLLECTION ? at->refreshing.fingerprint.size_bytes : 0;
	return bs_index_writer_step(&at->writer, BS_BUILD_READ,
	                            at->reads_files ? at->writer.n_files : n_bytes, err);
}

/* True if source i is also number i of the previous commit, with unchanged names of documents. */
static bool is_known(const struct bs_indexing *at, uint32_t i)
{
	return !at->is_full && i < at->list.n_moves && at->list.moves[i].number == i &&
	       !at->list.moves[i].below[0];
}

/* True if collections that were named as sources have rows: the index has grams, and it also has a
 * folder or a file as a source, or the user requested rows. */
static bool wants_rows(const struct bs_manifest *manifest)
{
	bool wants = manifest->options.gram_collections;
	for (uint32_t i = 0; i < manifest->n_sources; i++)
		wants |= manifest->sources[i].kind == BS_SOURCE_FOLDER ||
		         manifest->sources[i].kind == BS_SOURCE_FILE;
	return wants && manifest->options.grams;
}

/* Reads the current collection as a file, to make its row, unless its row in the index has the
 * file's fingerprint. */
static enum bs_status read_row(struct bs_indexing *at, uint32_t i, struct bs_error *err)
{
	struct bs_feed *feed = NULL;
	struct bs_index_entry entry = {.ref = {BS_DOC_NONE, 0}};
	struct bs_fingerprint fingerprint;
	enum bs_status status =
		is_known(at, i) ? bs_index_entries_row(&at->old, i, &entry, err) : BS_OK;
	if (at->source.is_anew)
		memset(entry.place, 0, sizeof(entry.place));
	/* The reader would also detect an unchanged file, but this check starts no threads. */
	if (!status && entry.ref.segment != BS_DOC_NONE && !entry.is_racy &&
	    bs_source_fingerprint(&at->source, &fingerprint, NULL) == BS_OK &&
	    bs_fingerprint_equals(&fingerprint, entry.place))
		return bs_refresh_unchanged(&at->refresh, entry.ref, err);
	if (!status)
		status = bs_feed_open_row(&at->source, &entry, &feed, err);
	if (!status)
		status = bs_pipeline_run(at->writer.pipeline, feed, false, merge, at, err);
	bs_feed_close(feed);
	return status;
}

/* Reads the changes of source number i of the new manifest. read_stdin: the user named "-" in this
 * run. *is_refused_out: true if the failure is that the source cannot be read. */
static enum bs_status read_source(struct bs_indexing *at, uint32_t i, bool read_stdin,
                                  bool *is_refused_out, struct bs_error *err)
{
	const struct bs_manifest *manifest = &at->writer.manifest;
	struct bs_feed *feed = NULL;
	at->left_out = (struct bs_left_out){{0}, {{{0}, 0}}};
	at->is_left = at->list.sources[i].is_left;
	struct bs_non_document_place found_at = bs_manifest_end_of_non_documents(manifest);
	enum bs_status status = bs_refresh_begin(
		&at->refresh, i, &at->source, &manifest->sources[i], &at->writer.source_options,
		read_stdin, report_skip, at, &at->refreshing, &feed, err);
	*is_refused_out = status == BS_IO || status == BS_NOT_FOUND;
	if (!status)
		status = begin_step(at, err);
	if (!status && at->source.kind == BS_SOURCE_STDIN && at->is_full && at->has_old &&
	    !at->source.is_anew)
		status = replay_stdin(at, err);
	at->next_sequence = manifest->sources[i].read_lines;
	if (!status && at->source.kind == BS_SOURCE_FOLDER)
		status = bs_inners_attach(&at->inners, feed, &at->source, i, err);
	if (!status && feed) {
		status = bs_pipeline_run(at->writer.pipeline, feed,
		                         bs_index_writer_stores(&at->writer, at->source.kind),
		                         merge, at, err);
		*is_refused_out = status && at->source.kind == BS_SOURCE_COLLECTION &&
		                  bs_feed_has_failed(feed);
	}
	if (!status && at->source.kind == BS_SOURCE_COLLECTION && wants_rows(&at->writer.manifest))
		status = read_row(at, i, err);
	if (!status && feed && is_known(at, i))
		status = keep_non_documents(&at->writer.manifest, &at->old.manifest, i, feed,
		                            found_at, err);
	if (!status)
		status = hold_lists(at, err);
	/* The array may have moved, because inner collections were added. */
	struct bs_source_record *record = &at->writer.manifest.sources[i];
	if (!status)
		status = bs_refresh_end(&at->refresh, &at->refreshing, feed, record, err);
	if (!status)
		status = bs_inners_settle(&at->inners, i, feed, BS_INNERS_GONE, err);
	if (at->source.kind == BS_SOURCE_STDIN)
		record->read_lines = at->next_sequence;
	if (at->reads_files)
		at->n_files_done = at->writer.progress.done;
	if (!at->source.parts && !bs_source_has_records(&at->source))
		record->left_out = at->left_out;
	bs_feed_close(feed);
	return status;
}

/* For a source that is not read: keeps its inner collections, and its old lists of folders and
 * skipped files. */
static enum bs_status keep_source(struct bs_indexing *at, uint32_t i, struct bs_error *err)
{
	struct bs_manifest *manifest = &at->writer.manifest;
	enum bs_status status = bs_folder_recorder_keep(&at->folders, err);
	if (!status)
		status = bs_inners_settle(&at->inners, i, NULL, BS_INNERS_KEPT, err);
	if (!status)
		status = keep_non_documents(manifest, &at->old.manifest, i, NULL,
		                            bs_manifest_end_of_non_documents(manifest), err);
	return status ? status : hold_lists(at, err);
}

/* Reports a missing source, whose documents stay in the index. */
static enum bs_status tell_away(struct bs_indexing *at, enum bs_source_presence standing,
                                struct bs_error *err)
{
	struct bs_buffer line = {0};
	enum bs_status status = bs_away_tell(&at->away, &at->source, standing, &line, err);
	if (!status)
		report_skip(at, BS_SKIP_GONE, (const char *)line.data);
	bs_buffer_deinit(&line);
	return status;
}

/* Keeps the documents of a missing source. */
static enum bs_status keep_away(struct bs_indexing *at, uint32_t i,
                                enum bs_source_presence standing, struct bs_error *err)
{
	at->n_sources_lost++;
	enum bs_status status = bs_refresh_keep(&at->refresh, i, false, err);
	if (!status)
		status = keep_source(at, i, err);
	return status ? status : tell_away(at, standing, err);
}

/* *is_away_out: whether the source held documents in the previous commit, and now does not exist or
 * is an empty folder; perhaps its file system is not mounted. */
static enum bs_status is_away(struct bs_indexing *at, uint32_t i,
                              enum bs_source_presence *standing_out, bool *is_away_out,
                              struct bs_error *err)
{
	struct bs_error why;
	*is_away_out = false;
	if (!is_known(at, i))
		return BS_OK;
	enum bs_status status = bs_away_look(&at->away, i, &at->source, standing_out, &why, err);
	bool is_empty = *standing_out == BS_STANDING_EMPTY && !at->source.is_anew;
	*is_away_out = !status && (*standing_out == BS_STANDING_GONE || is_empty);
	return status;
}

/* For a full run: true if source i of the new manifest held documents, which would be lost if it
 * cannot be read now. */
static bool had_documents(const struct bs_indexing *at, uint32_t i)
{
	for (uint32_t k = 0; at->has_old && k < at->list.n_moves; k++)
		if (at->list.moves[k].number == i && bs_recorded_has_documents(&at->old, k))
			return true;
	return false;
}

/* Copies from source `from` of the previous commit to source i: the list of skipped files, and the
 * records of the source and of its inner collections, which say how far they were read. */
static enum bs_status restore_rest(struct bs_indexing *at, uint32_t from, uint32_t i,
                                   struct bs_error *err)
{
	const struct bs_manifest *old = &at->old.manifest;
	struct bs_manifest *manifest = &at->writer.manifest;
	struct bs_non_documents file;
	enum bs_status status = BS_OK;
	bool reads_same = bs_recorded_options_read_same(&old->options, &manifest->options);
	struct bs_non_document_place place = bs_manifest_find_non_documents(old, from);
	while (manifest->options.grams && !status &&
	       bs_manifest_next_non_document(old, &place, &file) && file.source == from) {
		file.source = i;
		status = bs_manifest_add_non_document(manifest, &file, err);
	}
	for (uint32_t k = 0; k < at->list.n_moves; k++) {
		if (bs_manifest_root(old, k) != from || at->list.moves[k].number == BS_SOURCE_GONE)
			continue;
		struct bs_source_record *record = &manifest->sources[at->list.moves[k].number];
		struct bs_source_record now = old->sources[k];
		now.label = record->label;
		now.path = record->path;
		now.parent = record->parent;
		/* If options changed, names or texts of records may differ, so the collection will
		 * be read from its start when it is available again. */
		if (!reads_same)
			now = (struct bs_source_record){.kind = now.kind,
			                                .parent = now.parent,
			                                .label = now.label,
			                                .path = now.path};
		*record = now;
	}
	return status;
}

/* Takes the documents of source i, which cannot be read, from their stored texts. */
static enum bs_status restore_source(struct bs_indexing *at, uint32_t i, struct bs_error *err)
{
	uint32_t from = at->list.sources[i].old;
	struct bs_error why = {""};
	enum bs_source_presence standing;
	at->refreshing = (struct bs_refreshing){.source = &at->source, .number = i};
	at->n_sources_lost++;
	at->n_sources_read++;
	enum bs_status status = begin_step(at, err);
	at->is_restored = true;
	if (!status)
		status = recall_source(at, from, err);
	at->is_restored = false;
	if (!status)
		status = restore_rest(at, from, i, err);
	if (!status)
		status = bs_away_look(&at->away, from, &at->source, &standing, &why, err);
	if (status || standing == BS_STANDING_THERE)
		return status;
	if (standing == BS_STANDING_UNREAD)
		report_skip(at, BS_SKIP_UNREADABLE, why.text);
	return standing == BS_STANDING_UNREAD ? BS_OK : tell_away(at, standing, err);
}

/* Handles a source that cannot be read, for the given reason. It stays a source, because it may
 * come back. If it does not exist, its documents are removed. Otherwise its documents and its
 * record of the previous commit stay; without such a record, it is read from the start next
 * time. */
static enum bs_status do_without(struct bs_indexing *at, uint32_t i, enum bs_status reason,
                                 bool has_begun, struct bs_error *err)
{
	struct bs_manifest *manifest = &at->writer.manifest;
	struct bs_source_record *record = &manifest->sources[i];
	struct bs_source_record now = {.kind = record->kind};
	bool is_lost = reason == BS_NOT_FOUND && !has_begun;
	at->n_sources_lost += is_lost;
	if (is_known(at, i) && !is_lost)
		now = at->old.manifest.sources[i];
	now.label = record->label;
	now.path = record->path;
	*record = now;
	enum bs_status status = is_lost ? bs_refresh_lose(&at->refresh, i, err)
	                                : bs_refresh_keep(&at->refresh, i, has_begun, err);
	if (!status)
		status = bs_inners_settle(&at->inners, i, NULL,
		                          is_lost ? BS_INNERS_LOST : BS_INNERS_KEPT, err);
	return status || is_lost || !is_known(at, i)
	               ? status
	               : keep_non_documents(manifest, &at->old.manifest, i, NULL,
	                                    bs_manifest_end_of_non_documents(manifest), err);
}

enum bs_status bs_indexing_source(struct bs_indexing *at, uint32_t i, struct bs_error *err)
{
	struct bs_source_record *record = &at->writer.manifest.sources[i];
	const struct bs_listed_source *listed = &at->list.sources[i];
	if (record->parent)
		return BS_OK;
	struct bs_error why = {""};
	bool is_refused = false, has_begun = false;
	bool is_walked = false;
	at->source_number = i;
	at->folders.source = i;
	at->folders.is_kept = listed->parts != NULL;
	enum bs_status status = bs_recorded_root(&at->dir, record, &at->source, err);
	if (status || record->kind == BS_SOURCE_FORGOTTEN)
		goto out;
	if (at->source.is_refused || !listed->is_read) {
		(void)bs_recorded_refuse(&at->dir, &at->source, &why);
		if (listed->is_read)
			report_skip(at, BS_SKIP_UNTRUSTED, why.text);
		else
			status = bs_refresh_keep(&at->refresh, i, false, err);
		if (!status)
			status = keep_source(at, i, err);
		goto out;
	}
	if (listed->is_restored) {
		status = restore_source(at, i, err);
		goto out;
	}
	at->source.parts = listed->parts;
	at->source.is_anew = listed->is_anew;
	if (listed->parts)
		status = bs_folder_recorder_keep(&at->folders, err);
	if (status)
		goto out;
	enum bs_source_presence standing;
	bool is_lost;
	status = is_away(at, i, &standing, &is_lost, err);
	if (!status && is_lost)
		status = keep_away(at, i, standing, err);
	if (status || is_lost)
		goto out;
	status = look_at_source(at, record, &why);
	is_refused = status && !bs_is_fatal(status);
	if (!status) {
		has_begun = true;
		status = read_source(at, i, at->list.read_stdin, &is_refused, &why);
	}
	at->n_sources_read += !status;
	is_walked = !status && !listed->parts && !listed->is_left;
	if (is_refused && (listed->is_absorbing || (at->is_full && had_documents(at, i)))) {
		status = bs_fail(err, status, "%s; the index is unchanged", why.text);
	} else if (is_refused) {
		if (status != BS_NOT_FOUND || has_begun)
			report_skip(at, BS_SKIP_UNREADABLE, why.text);
		status = do_without(at, i, status, has_begun, err);
	} else if (status) {
		status = bs_fail(err, status, "%s", why.text);
	}
out:
	/* The list of entries that rules left out is complete only if all folders are walked as a
	 * whole. */
	if (!is_walked && at->source.kind == BS_SOURCE_FOLDER)
		bs_manifest_forget_passed_entries(&at->writer.manifest);
	bs_source_deinit(&at->source);
	return status;
}

/* Checks that at least one argument is readable before an index directory is created, so that a
 * mistyped argument does not create one. */
static enum bs_status check_arguments(struct bs_indexing *at, struct bs_error *err)
{
	const struct bs_build_request *request = at->request;
	struct stat info;
	if (request->memory ? bs_memory_index_n_files(request->memory) > 0
	                    : stat(request->dir, &info) == 0)
		return BS_OK;
	if (request->n_sources == 0)
		return bs_source_list_fail_empty(err);
	for (size_t i = 0; i < request->n_sources; i++) {
		struct bs_source source;
		enum bs_status status = bs_source_init(&source, request->sources[i], err);
		if (!status)
			bs_source_deinit(&source);
		if (!status || bs_is_fatal(status))
			return status;
	}
	for (size_t i = 0; i < request->n_sources; i++) {
		struct bs_source source;
		struct bs_error why = {""};
		if (bs_source_init(&source, request->sources[i], &why) == BS_OK)
			bs_source_deinit(&source);
		report_skip(at, BS_SKIP_UNREADABLE, why.text);
	}
	return bs_fail(err, BS_NOT_FOUND, "none of the sources can be read");
}

/* *left_out: a source of the index that the rebuild does not name; BS_SOURCE_GONE: none. */
static enum bs_status find_left_out(struct bs_indexing *at, uint32_t *left_out,
                                    struct bs_error *err)
{
	struct bs_source_list_request request = {.old = &at->old.manifest, .index = &at->away};
	*left_out = BS_SOURCE_GONE;
	return at->request->n_sources > 0
	               ? bs_source_list_check_rebuild(&at->writer, &request, left_out, err)
	               : BS_OK;
}

static bool is_forgotten(const struct bs_build_request *request, const char *source)
{
	for (size_t i = 0; i < request->n_forget; i++)
		if (strcmp(request->forget[i], source) == 0)
			return true;
	return false;
}

/* Lets a rebuild of all sources replace a damaged index. None of its documents can be kept, but its
 * manifest, if readable, lists the sources. Fails if a source is left out, or if text of standard
 * input, which exists nowhere else, would be lost. */
static enum bs_status salvage_sources(struct bs_indexing *at, enum bs_status damage,
                                      struct bs_error *err)
{
	const struct bs_build_request *request = at->request;
	const struct bs_manifest *old = &at->old.manifest;
	uint32_t left_out;
	if (!request->rebuild)
		return damage;
	if (bs_manifest_read(&at->dir, &at->old.manifest, NULL) != BS_OK) {
		bs_manifest_deinit(&at->old.manifest);
		if (request->n_sources > 0)
			return BS_OK;
		return bs_fail(err, damage,
		               "%s: its manifest cannot be read, and with it the list of sources "
		               "is lost: name "
		               "them, as in `bitsift index --rebuild .`",
		               at->dir.path);
	}
	enum bs_status status = find_left_out(at, &left_out, err);
	for (uint32_t i = 0; request->n_sources == 0 && i < old->n_sources; i++)
		if (old->sources[i].kind == BS_SOURCE_STDIN && !is_forgotten(request, "-"))
			left_out = i;
	if (status || left_out == BS_SOURCE_GONE)
		return status;
	if (old->sources[left_out].kind == BS_SOURCE_STDIN)
		return bs_fail(
			err, damage,
			"%s: damaged; the records from standard input are stored only here: pass "
			"them again and name all other sources: `bitsift index --rebuild - "
			"SOURCE...`",
			at->dir.path);
	return bs_fail(
		err, damage,
		"%s: damaged, so it can only be rebuilt as a whole, but %s is not named: name "
		"all sources, or none: "
		"`bitsift index --rebuild`; the index is unchanged",
		at->dir.path, old->sources[left_out].path);
}

/* Takes the lock and opens the last commit, if any. */
static enum bs_status open_old(struct bs_indexing *at, struct bs_error *err)
{
	const struct bs_build_request *request = at->request;
	enum bs_status status =
		request->memory ? BS_OK : bs_index_create_dir(request->dir, &at->made_bytes, err);
	if (!status)
		status = bs_dir_open(&at->dir, request->dir, request->memory, request->host.consent,
		                     err);
	/* A writer of in-memory documents does not change file modes. */
	bool keeps_modes = !status && at->is_in_memory && bs_dir_has(&at->dir, "manifest");
	if (!status)
		status = keeps_modes ? bs_index_lock_existing(&at->dir, request->write.wait,
		                                              &at->lock, err)
		                     : bs_index_lock_take(&at->dir, BS_INDEX_LOCK,
		                                          request->write.wait, &at->lock, err);
	if (status)
		return status;
	at->writer.dir = &at->dir;
	at->writer.reads_alone = request->host.texts && !request->host.texts->any_thread;
	status = bs_snapshot_open(&at->dir, &at->old, err);
	at->old.texts = request->host.texts;
	at->has_old = status == BS_OK;
	at->away = (struct bs_away_index){&at->dir, at->has_old ? &at->old : NULL,
	                                  &at->old.manifest, at->is_located};
	at->is_damaged = status != BS_OK && status != BS_NOT_FOUND;
	if (at->is_damaged) {
		enum bs_status salvaged = salvage_sources(at, status, err);
		if (salvaged)
			return salvaged;
	}
	/* Remove files of a killed run. Files of a damaged index stay until the new commit replaces
	 * it. */
	if (!at->is_damaged)
		bs_index_sweep(&at->dir, at->has_old ? &at->old.manifest : NULL);
	return BS_OK;
}

/* For a writer that adds to an index of another tokenizer version: keeps the recorded version. The
 * index then has words of both versions, and searches read every document until it is rebuilt. */
static void keep_versions(struct bs_indexing *at)
{
	struct bs_manifest *manifest = &at->writer.manifest;
	memcpy(manifest->versions.icu, at->old.manifest.versions.icu,
	       sizeof(manifest->versions.icu));
	memcpy(manifest->versions.unicode, at->old.manifest.versions.unicode,
	       sizeof(manifest->versions.unicode));
	bs_manifest_mark_mixed_words(manifest);
}

static void note_renewal(const struct bs_indexing *at)
{
	struct bs_error line;
	(void)bs_fail(&line, BS_OK,
	              "%s: made by another version of the tokenizer: everything is indexed again",
	              at->dir.path);
	if (at->request->callbacks.notice)
		at->request->callbacks.notice(at->request->callbacks.context, line.text);
}

static enum bs_status start(struct bs_indexing *at, struct bs_error *err)
{
	struct bs_manifest *manifest = &at->writer.manifest;
	enum bs_status status = check_arguments(at, err);
	bool is_outdated = false;
	uint32_t left_out = BS_SOURCE_GONE;
	if (!status)
		status = open_old(at, err);
	if (!status && at->has_old && at->request->rebuild)
		status = find_left_out(at, &left_out, err);
	if (!status)
		status = bs_manifest_is_outdated(&at->old.manifest, &is_outdated, err);
	if (!status)
		status = bs_tokenizer_versions(manifest->versions.icu, manifest->versions.unicode,
		                               err);
	if (status)
		return status;
	at->is_partial = left_out != BS_SOURCE_GONE;
	is_outdated &= at->has_old;
	at->is_renewal =
		is_outdated && (!at->request->rebuild || at->is_partial) && !at->is_in_memory;
	at->is_full = !at->has_old || (at->request->rebuild && !at->is_partial) || at->is_renewal;
	if (is_outdated && !bs_indexing_is_all_new(at))
		keep_versions(at);
	if (at->is_renewal)
		note_renewal(at);
	at->report.is_refresh = !at->is_full;
	manifest->generation = at->old.manifest.generation + 1;
	manifest->next_number = bs_index_next_number(&at->dir, &at->old.manifest);
	status = bs_indexing_choose_options(at, err);
	if (!status && !at->is_full)
		status = bs_manifest_add_fields(manifest, &at->old.manifest.fields, err);
	if (!status && at->request->shared)
		status = bs_index_group(&at->dir, &at->access.group, err);
	if (!status)
		status = bs_index_writer_start(&at->writer,
		                               at->request->shared ? &at->access : NULL, err);
	return status ? status : bs_index_writer_read(&at->writer, &at->old, err);
}

/* If rules of folders have changed, reports that they also apply to folders that this run does not
 * read. */
static void note_rules(const struct bs_indexing *at)
{
	const struct bs_manifest *manifest = &at->writer.manifest;
	struct bs_error line;
	bool is_changed = !bs_recorded_options_equal(&at->old.manifest.options, &manifest->options);
	for (uint32_t i = 0; at->is_partial && is_changed && at->request->callbacks.notice &&
	                     i < manifest->n_sources;
	     i++) {
		const struct bs_source_record *record = &manifest->sources[i];
		if (record->kind != BS_SOURCE_FOLDER || at->list.sources[i].is_read)
			continue;
		(void)bs_fail(
			&line, BS_OK,
			"%s: the changed options for folders also apply to this folder, from its "
			"next refresh on",
			record->label[0] ? record->label : ".");
		at->request->callbacks.notice(at->request->callbacks.context, line.text);
	}
}

/* Determines the sources of this run, and which documents of the previous commit belong to them. */
static enum bs_status list_sources(struct bs_indexing *at, struct bs_error *err)
{
	struct bs_manifest *manifest = &at->writer.manifest;
	struct bs_source_list_request request = {.old = &at->old.manifest,
	                                         .index = &at->away,
	                                         .is_full = at->is_full,
	                                         .by_place = at->is_located};
	enum bs_status status = bs_source_list_make(&at->list, &at->writer, &request, err);
	if (!status && at->is_full)
		status = bs_recorded_check(&at->dir, manifest, err);
	if (!status)
		status = bs_refresh_init(&at->refresh, at->is_full ? &at->empty : &at->old,
		                         &at->old, manifest, at->list.moves,
		                         &at->writer.indexing_buffer.doc_table, err);
	if (!status)
		note_rules(at);
	bs_index_writer_use_owners(&at->writer, &at->refresh.owners);
	at->inners.manifest = manifest;
	at->inners.refresh = &at->refresh;
	at->inners.options = &at->writer.source_options;
	at->inners.report = report_skip;
	at->inners.has_rows = manifest->options.grams;
	at->inners.context = at;
	for (uint32_t i = 0; i < at->list.n_moves && !status && !at->is_full; i++) {
		uint64_t n_removed = at->refresh.n_removed;
		if (is_known(at, i))
			continue;
		status = bs_refresh_lose(&at->refresh, i, err);
		if (at->list.moves[i].number != BS_SOURCE_GONE) {
			at->n_absorbed += at->refresh.n_removed - n_removed;
			at->refresh.n_removed = n_removed;
		}
		/* Make the refresh ignore the old record of this source number. */
		at->old.manifest.sources[i].kind = BS_SOURCE_FORGOTTEN;
	}
	return status;
}

static enum bs_status settle_exclusions(struct bs_indexing *at, struct bs_error *err)
{
	struct bs_manifest *manifest = &at->writer.manifest;
	struct bs_doc_table_builder records = {0};
	manifest->exclusions.number = at->has_old ? at->old.manifest.exclusions.number : 0;
	manifest->exclusions.n_docs = at->has_old ? at->old.manifest.exclusions.n_docs : 0;
	if (!at->refresh.exclusions.is_changed)
		return BS_OK;
	enum bs_status status = bs_exclusions_record(&at->refresh.exclusions, &records, err);
	manifest->exclusions.n_docs = records.n_docs;
	manifest->exclusions.number = records.n_docs ? manifest->next_number++ : 0;
	if (!status && records.n_docs)
		status = bs_exclusions_write(&at->dir, manifest->exclusions.number, &records, err);
	bs_doc_table_builder_deinit(&records);
	return status;
}

static bool is_source_changed(const struct bs_source_record *a, const struct bs_source_record *b)
{
	return a->kind != b->kind || a->is_racy != b->is_racy || a->read_bytes != b->read_bytes ||
	       a->read_lines != b->read_lines || a->read_checksum != b->read_checksum ||
	       memcmp(&a->left_out, &b->left_out, sizeof(a->left_out)) != 0 ||
	       memcmp(a->fingerprint, b->fingerprint, sizeof(a->fingerprint)) != 0;
}

static bool is_anything_new(const struct bs_indexing *at)
{
	const struct bs_manifest *old = &at->old.manifest;
	const struct bs_manifest *new = &at->writer.manifest;
	bool are_documents = at->is_full || at->n_changed_segments > 0 ||
	                     at->refresh.exclusions.is_changed ||
	                     new->n_segments != old->n_segments ||
	                     new->options.summary_rate != old->options.summary_rate;
	/* A run of in-memory documents commits only if documents changed: its source is recorded
	 * with the first document. */
	if (are_documents || at->is_in_memory)
		return are_documents;
	if (at->list.is_changed || new->n_sources != old->n_sources ||
	    !bs_recorded_options_equal(&old->options, &new->options) ||
	    new->options.gram_collections != old->options.gram_collections)
		return true;
	if (!bs_manifest_has_same_non_documents(old, new))
		return true;
	if (new->has_passed_entries != old->has_passed_entries ||
	    !bs_buffer_equals(&new->passed_entries, &old->passed_entries))
		return true;
	for (uint32_t i = 0; i < old->n_sources; i++)
		if (is_source_changed(&old->sources[i], &new->sources[i]))
			return true;
	return false;
}

/* Decides the file modes of the index. A file that could not be read may be private to its owner,
 * so the index is private then, too. Those who may not read may not write, either. */
static enum bs_status settle_modes(struct bs_indexing *at, struct bs_error *err)
{
	const uint64_t *skipped = at->report.skipped;
	const mode_t all = 0066;
	mode_t denied = (mode_t)at->access.denied | (mode_t)at->access.denied >> 1;
	if (!at->request->shared || skipped[BS_SKIP_UNREADABLE] || skipped[BS_SKIP_UNTRUSTED] ||
	    at->n_sources_lost)
		denied = all;
	at->report.is_shared = denied != all;
	return bs_index_set_modes(&at->dir, denied, err);
}

static enum bs_status commit(struct bs_indexing *at, struct bs_error *err)
{
	/* Without this check, reading that a deadline ended would count as an unreadable source. */
	enum bs_status status = bs_deadline_check(err);
	if (!status)
		status = bs_index_writer_flush(&at->writer, err);
	if (!status)
		status = bs_index_writer_settle(&at->writer, at->is_full ? NULL : &at->old,
		                                &at->n_changed_segments, err);
	if (!status)
		status = settle_exclusions(at, err);
	if (!status && !at->is_in_memory)
		status = settle_modes(at, err);
	at->report.is_committed = !status && is_anything_new(at);
	if (at->report.is_committed) {
		bs_index_writer_release(&at->writer); /* making the summary may need this memory */
		status = bs_summary_update(
			&at->dir, at->is_full ? NULL : &at->old, &at->writer.cache,
			at->writer.source_options.memory_bytes, &at->writer.manifest, err);
	}
	if (at->report.is_committed && !status)
		status = bs_snapshot_commit(&at->dir, at->is_full ? NULL : &at->old.manifest,
		                            &at->writer.manifest, err);
	if (!status) {
		const struct bs_manifest *last =
			at->report.is_committed ? &at->writer.manifest : &at->old.manifest;
		bs_index_sweep(&at->dir, last);
	}
	return status;
}

/* Sets the report's facts about the index at its last commit: its bytes, and its numbers of
 * documents, segments and excluded documents. */
static enum bs_status report_index(const struct bs_dir *dir, struct bs_build_report *report,
                                   struct bs_error *err)
{
	struct bs_manifest manifest;
	enum bs_status status = bs_manifest_read(dir, &manifest, err);
	if (status)
		return status;
	report->index_bytes = bs_index_bytes(dir, &manifest);
	report->n_docs = 0;
	report->n_segments = 0;
	report->n_excluded = manifest.exclusions.n_docs;
	for (uint32_t i = 0; i < manifest.n_segments; i++) {
		const struct bs_segment_record *segment = &manifest.segments[i];
		report->n_segments += !segment->is_rows;
		report->n_docs += segment->is_rows ? 0 : segment->n_docs - segment->n_deleted;
	}
	bs_manifest_deinit(&manifest);
	return BS_OK;
}

static void indexing_deinit(struct bs_indexing *at)
{
	bs_inners_deinit(&at->inners);
	bs_refresh_deinit(&at->refresh);
	bs_source_deinit(&at->source);
	bs_source_list_deinit(&at->list);
	bs_folder_recorder_deinit(&at->folders);
	bs_index_writer_deinit(&at->writer);
	bs_snapshot_deinit(&at->old);
	bs_index_lock_release(&at->lock);
	bs_dir_close(&at->dir);
}

/* Writes the folder listings, which are empty without grams. A failure is only a warning. */
static void note_folders(struct bs_indexing *at)
{
	struct bs_error why = {""};
	if (bs_folders_write(&at->dir, &at->folders.records, &why) != BS_OK)
		snprintf(at->report.warning, sizeof(at->report.warning),
		         "folders not noted: %.200s", why.text);
}

/* Reports field weights whose field is in no record: the name may be mistyped. */
static void note_weights(const struct bs_indexing *at)
{
	const struct bs_build_request *request = at->request;
	const struct bs_manifest *manifest = &at->writer.manifest;
	char *const *weights = request->index.weights && request->callbacks.notice
	                               ? manifest->options.weights
	                               : NULL;
	struct bs_error line;
	uint32_t number;
	for (size_t i = 0; weights && weights[i] && manifest->fields.n_terms < BS_MOST_FIELDS;
	     i++) {
		size_t n_bytes = (size_t)(strrchr(weights[i], '=') - weights[i]);
		if (n_bytes > BS_MOST_FIELD_BYTES ||
		    bs_term_table_find(&manifest->fields, (const uint8_t *)weights[i],
		                       (uint32_t)n_bytes,
		                       bs_hash_slot((const uint8_t *)weights[i], n_bytes), &number))
			continue;
		(void)bs_fail(&line, BS_OK, "--weight %s: no record has such a field", weights[i]);
		request->callbacks.notice(request->callbacks.context, line.text);
	}
}

/* Ends a run after its commit: writes the folder listings, reports warnings, and runs the
 * compaction that is due. If compaction fails, the run succeeds, and the next run tries again. */
static enum bs_status tidy(struct bs_indexing *at, struct bs_error *err)
{
	struct bs_error why = {""};
	if (at->writer.manifest.fields.n_terms >= BS_MOST_FIELDS)
		snprintf(at->report.warning, sizeof(at->report.warning),
		         "%u names of fields are known; later ones cannot be asked for by "
		         "NAME:word, unless --text chooses them",
		         BS_MOST_FIELDS);
	note_folders(at);
	note_weights(at);
	bs_index_writer_release(&at->writer);
	/* Free these lists first, because compaction and the report read the lists of the new
	 * commit. */
	bs_buffer_deinit(&at->folders.records);
	bs_manifest_forget_non_documents(&at->writer.manifest);
	bs_manifest_forget_non_documents(&at->old.manifest);
	if (at->report.is_refresh && at->report.is_committed &&
	    bs_compact(at->request, &at->dir, false, &at->report, &why) != BS_OK)
		snprintf(at->report.warning, sizeof(at->report.warning), "not compacted: %.200s",
		         why.text);
	return report_index(&at->dir, &at->report, err);
}

/* Checks globs by parsing them as a walk does, because a run without folders has no walk. */
static enum bs_status check_globs(const char *const *globs, struct bs_error *err)
{
	struct bs_ignore rules = {.n_plain = 0};
	enum bs_status status = BS_OK;
	for (; globs && *globs && !status; globs++)
		status = bs_ignore_add_line(&rules, (const uint8_t *)*globs, strlen(*globs), err);
	bs_ignore_deinit(&rules);
	return status;
}

/* Checks options that this run may not use but records: the maximum size of a document, the name of
 * the analyzer, globs and the stemmer. */
static enum bs_status check_recorded(const struct bs_build_request *request, struct bs_error *err)
{
	struct bs_tokenizer_options options = {.stem_language = request->index.stem_language};
	struct bs_tokenizer *tokenizer = NULL;
	enum bs_status status = BS_OK;
	if (request->rules.max_document_bytes > BS_MAX_DOCUMENT_BYTES)
		return bs_fail(err, BS_INVALID, "documents of %llu bytes: %llu are the most",
		               (unsigned long long)request->rules.max_document_bytes,
		               (unsigned long long)BS_MAX_DOCUMENT_BYTES);
	if (request->host.analyzer)
		status = bs_tokenizer_check_analyzer_name(request->host.analyzer->name, err);
	if (!status)
		status = check_globs(request->rules.globs, err);
	if (!status)
		status = check_globs(request->rules.records, err);
	if (!status && request->index.stem_language)
		status = bs_tokenizer_new(&options, &tokenizer, err);
	bs_tokenizer_free(tokenizer);
	return status;
}

enum bs_status bs_indexing_check_request(const struct bs_build_request *request,
                                         struct bs_error *err)
{
	if (!request->memory && (!request->dir || !*request->dir))
		return bs_fail(err, BS_INVALID, "no directory for the index");
	if (request->index.density != 0 &&
	    !(request->index.density >= BS_MIN_DENSITY && request->index.density <= BS_MAX_DENSITY))
		return bs_fail(err, BS_INVALID, "density %g: not a number from %g to %g",
		               request->index.density, BS_MIN_DENSITY, BS_MAX_DENSITY);
	if (request->index.summary_rate > 0 &&
	    !(request->index.summary_rate >= BS_MIN_SUMMARY_RATE &&
	      request->index.summary_rate <= BS_MAX_SUMMARY_RATE))
		return bs_fail(err, BS_INVALID, "a summary of rate %g: not a number from %f to %g",
		               request->index.summary_rate, BS_MIN_SUMMARY_RATE,
		               BS_MAX_SUMMARY_RATE);
	if (request->rules.records && request->rules.no_records)
		return bs_fail(err, BS_INVALID,
		               "the options records and no_records exclude each other");
	enum bs_status status =
		BS_CHECK_RESERVED(err, BS_RESERVED(bs_build_request, *request),
	                          BS_RESERVED(bs_index_options, request->index),
	                          BS_RESERVED(bs_source_rules, request->rules),
	                          BS_RESERVED(bs_write_options, request->write),
	                          BS_RESERVED(bs_build_callbacks, request->callbacks),
	                          BS_RESERVED(bs_host, request->host));
	return status ? status : check_recorded(request, err);
}

/* *dir_out: the index directory if the user did not name one: an existing one, or ".bitsift" in the
 * working directory. */
static enum bs_status locate(char **dir_out, struct bs_error *err)
{
	static const char here[] = ".bitsift";
	struct stat found;
	*dir_out = NULL;
	enum bs_status status =
		lstat(here, &found) == 0 ? BS_NOT_FOUND : bs_index_locate(dir_out, err);
	if (status != BS_NOT_FOUND)
		return status;
	*dir_out = strdup(here);
	return *dir_out ? bs_index_refuse_link(here, err)
	                : bs_fail_memory(err, "a path", sizeof(here));
}

enum bs_status bs_indexing_begin(struct bs_indexing *at, const struct bs_build_request *request,
                                 struct bs_error *err)
{
	at->request = request;
	at->dir.fd = at->lock.fd = -1;
	bs_index_writer_init(&at->writer, request, &at->report);
	enum bs_status status = start(at, err);
	if (!status)
		status = list_sources(at, err);
	/* A writer of in-memory documents chooses word pairs and grams later, when it has
	 * documents. */
	bool is_new = !status && (at->is_full || bs_snapshot_is_small(&at->old));
	if (!status && !(is_new && at->is_in_memory))
		status = is_new ? bs_index_writer_choose(&at->writer, &at->old, err)
		                : bs_index_writer_keep_choices(&at->writer, &at->old, err);
	if (!status && !at->writer.n_files && !at->is_full)
		at->writer.n_files = count_known_files(&at->old);
	if (!status && at->writer.manifest.options.grams) {
		bs_folder_recorder_init(&at->folders, &at->dir, at->writer.racy_from_ns);
		at->writer.source_options.lists = &at->folders.lists;
		at->writer.manifest.has_passed_entries = !at->is_in_memory;
	}
	at->writer.source_options.left_out = take_left_out;
	at->writer.source_options.left_out_context = at;
	return status;
}

/* Fills in those numbers of the report that are known only at the end of the run. */
static void sum_up(struct bs_indexing *at)
{
	struct bs_build_report *report = &at->report;
	const struct bs_refresh *refresh = &at->refresh;
	report->n_kept_out = refresh->n_kept_out;
	report->n_replaced = refresh->owners.n_dead - refresh->n_kept_out - refresh->n_withdrawn;
	report->n_indexed -= refresh->n_withdrawn;
	report->n_unread = report->skipped[BS_SKIP_UNREADABLE];
	report->n_unchanged = refresh->n_unchanged;
	report->n_renewed = refresh->n_renewed + at->n_absorbed;
	report->n_changed = refresh->n_changed;
	report->n_removed = refresh->n_removed;
}

enum bs_status bs_indexing_end(struct bs_indexing *at, enum bs_status status,
                               struct bs_build_report *report_out, struct bs_error *err)
{
	if (!status)
		status = commit(at, err);
	/* Remove the files of a failed run. */
	if (status && bs_index_lock_is_held(&at->lock) && !at->is_damaged)
		bs_index_sweep_failed(&at->dir, at->has_old ? &at->old.manifest : NULL);
	if (status && bs_index_lock_is_held(&at->lock) && at->made_bytes > 0)
		bs_index_remove_new(&at->dir, at->made_bytes);
	sum_up(at);
	if (!status)
		status = tidy(at, err);
	at->report.elapsed_ns = bs_now_ns() - at->writer.start_ns;
	if (report_out)
		*report_out = at->report;
	indexing_deinit(at);
	return status;
}

static enum bs_status run(struct bs_indexing *at, const struct bs_build_request *request,
                          struct bs_build_report *report_out, struct bs_error *err)
{
	enum bs_status status = bs_indexing_begin(at, request, err);
	for (uint32_t i = 0; i < at->list.n_sources && !status; i++)
		status = bs_indexing_source(at, i, err);
	if (!status && at->list.n_read > 0 && at->n_sources_read == 0)
		status = bs_fail(err, BS_NOT_FOUND,
		                 "none of the sources can be read; the index is unchanged");
	return bs_indexing_end(at, status, report_out, err);
}

static enum bs_status build(const struct bs_build_request *request,
                            struct bs_build_report *report_out, struct bs_error *err)
{
	struct bs_build_request own = *request;
	struct bs_indexing *at = calloc(1, sizeof(*at));
	char *located = NULL;
	if (report_out)
		*report_out = (struct bs_build_report){0};
	if (!at)
		return bs_fail_memory(err, "a run", sizeof(*at));
	at->is_located = !request->dir && !request->memory;
	enum bs_status status = at->is_located ? locate(&located, err) : BS_OK;
	if (located)
		own.dir = located;
	if (!status)
		status = bs_indexing_check_request(&own, err);
	if (!status)
		status = run(at, &own, report_out, err);
	free(located);
	free(at);
	return status;
}

void bs_indexing_log(const struct bs_build_request *request, const struct bs_build_report *report,
                     bool is_compaction, enum bs_status status, const struct bs_error *err)
{
	const struct bs_log *log = request->host.log;
	const char *dir = request->dir      ? request->dir
	                  : request->memory ? "an index in memory"
	                                    : ".bitsift";
	double ms = (double)report->elapsed_ns / 1e6;
	if (status)
		bs_log_line(log, BS_LOG_WARNING, "%s: not %s, %.1f ms: %s", dir,
		            is_compaction ? "compacted" : "built", ms,
		            err ? err->text : bs_status_name(status));
	else if (is_compaction)
		bs_log_line(log, BS_LOG_INFO,
		            "%s: compacted, %llu documents moved out of %llu segments, %.1f ms",
		            dir, (unsigned long long)report->n_moved,
		            (unsigned long long)report->n_compacted, ms);
	else
		bs_log_line(log, BS_LOG_INFO,
		            "%s: %s, %llu documents indexed, %llu unchanged, %llu gone, %llu "
		            "segments, %.1f ms",
		            dir, report->is_committed ? "committed" : "nothing new",
		            (unsigned long long)report->n_indexed,
		            (unsigned long long)report->n_unchanged,
		            (unsigned long long)report->n_removed,
		            (unsigned long long)report->n_segments, ms);
	if (!status && report->warning[0])
		bs_log_line(log, BS_LOG_WARNING, "%s: %s", dir, report->warning);
}

enum bs_status bs_index_build(const struct bs_build_request *request,
                              struct bs_build_report *report_out, struct bs_error *err)
{
	struct bs_build_report own, *report = report_out ? report_out : &own;
	struct bs_deadline deadline;
	*report = (struct bs_build_report){0};
	enum bs_status status = bs_deadline_begin(&deadline, request->limits, err);
	if (status)
		return status;
	status = build(request, report, err);
	bs_deadline_end(&deadline);
	bs_indexing_log(request, report, false, status, err);
	return status;
}

enum bs_status bs_index_compact(const struct bs_build_request *request,
                                struct bs_build_report *report_out, struct bs_error *err)
{
	struct bs_build_report own, *report = report_out ? report_out : &own;
	struct bs_index_lock lock = {.fd = -1};
	struct bs_dir dir = {.fd = -1};
	uint64_t start_ns = bs_now_ns();
	*report = (struct bs_build_report){0};
	struct bs_deadline deadline;
	enum bs_status status = bs_indexing_check_request(request, err);
	if (!status)
		status = bs_deadline_begin(&deadline, request->limits, err);
	if (status)
		return status;
	status = bs_dir_open(&dir, request->dir, request->memory, request->host.consent, err);
	if (!status)
		status = bs_index_lock_existing(&dir, request->write.wait, &lock, err);
	if (!status)
		status = bs_compact(request, &dir, true, report, err);
	if (!status)
		status = report_index(&dir, report, err);
	report->elapsed_ns = bs_now_ns() - start_ns;
	bs_index_lock_release(&lock);
	bs_dir_close(&dir);
	bs_deadline_end(&deadline);
	bs_indexing_log(request, report, true, status, err);
	return status;
}
