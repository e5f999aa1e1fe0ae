/* fresh.c: see fresh.h. */
#include "corpus/changes/fresh.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/value.h"
#include "core/base/vector.h"
#include "core/bitsift/skip.h"
#include "core/store/folder_listings.h"
#include "core/system/deadline.h"
#include "core/system/workers.h"
#include "corpus/changes/inner.h"
#include "corpus/changes/recorded.h"
#include "corpus/changes/refresh.h"
#include "corpus/read/reader.h"

#define MOST_CHECKERS 8 /* most threads that compare fingerprints */

struct folder_place {
	char *place; /* the folder's path without symlinks */
	uint32_t source;
};
BS_VECTOR(folder_places, struct folder_place);

struct freshening {
	struct bs_snapshot *snapshot;
	struct bs_refresh refresh;
	struct bs_source_options options;
	struct bs_reader *reader;
	struct bs_source source;
	uint32_t number; /* number of source */
	struct bs_refreshing refreshing;
	struct folder_places places; /* paths of all source folders, sorted */
	struct bs_inners inners;     /* the inner collections of source */
	struct bs_inner *inner;      /* the inner collection being read; NULL: none */
	/* the recorded listings of folders; file is NULL without listings */
	struct bs_folders folders;
	struct bs_folder_cursor folder_cursor;
	struct bs_walk_listings lists;
	uint64_t n_unread;
	void (*skipped)(void *context, enum bs_skip reason, const char *message);
	void *context;
};

/* Finds the recorded listing of a folder of the current source, if the folder is unchanged. */
static bool find_list(void *context, const char *root, const char *path, size_t path_bytes,
                      const struct bs_fingerprint *fingerprint, struct bs_folder_listing *list_out)
{
	struct freshening *at = context;
	uint64_t recorded[4];
	(void)root;
	bs_fingerprint_record(fingerprint, recorded);
	return bs_folders_find(&at->folders, &at->folder_cursor, at->number, path, path_bytes,
	                       recorded, list_out);
}

static void tell_skipped(void *context, enum bs_skip reason, const char *message)
{
	struct freshening *at = context;
	at->n_unread += reason == BS_SKIP_UNREADABLE;
	if (at->skipped)
		at->skipped(at->context, reason, message);
}

static enum bs_status take_skip(void *context, enum bs_skip reason, const char *message,
                                struct bs_error *err)
{
	(void)err;
	tell_skipped(context, reason, message);
	return BS_OK;
}

static enum bs_status take_unchanged(void *context, struct bs_doc_ref known, struct bs_error *err)
{
	struct freshening *at = context;
	return bs_refresh_unchanged(&at->refresh, known, err);
}

static enum bs_status take_field(struct bs_snapshot *snapshot, const struct bs_field *field,
                                 struct bs_error *err)
{
	struct bs_value value;
	uint32_t number;
	enum bs_status status =
		bs_manifest_add_field(&snapshot->manifest, field->name, field->name_bytes, err);
	if (status || !bs_value_parse(field->text, field->text_bytes, &value))
		return status;
	return bs_term_table_intern(&snapshot->overlay.value_names, (const uint8_t *)field->name,
	                            (uint32_t)field->name_bytes,
	                            bs_hash_slot(field->name, field->name_bytes), &number, NULL,
	                            err);
}

static enum bs_status take_document(void *context, const struct bs_document *document,
                                    struct bs_error *err)
{
	struct freshening *at = context;
	bool is_record = at->inner || at->source.kind == BS_SOURCE_COLLECTION;
	struct bs_refreshing *refreshing = at->inner ? &at->inner->at : &at->refreshing;
	struct bs_doc_record record = {
		.source = at->inner ? at->inner->number : at->number,
		.flags = document->name.is_line ? BS_DOC_NAMED_BY_LINE : 0,
		.name = document->name.bytes,
		.name_bytes = (uint32_t)document->name.n_bytes,
		.checksum = document->raw.checksum,
	};
	if (is_record) {
		record.place[0] = document->place.offset;
		record.place[1] = document->place.n_bytes;
		record.place[2] = document->place.line;
	} else {
		bs_fingerprint_record(&document->fingerprint, record.place);
		record.flags |= document->is_racy ? BS_DOC_RACY : 0;
	}
	enum bs_status status =
		bs_refresh_take(&at->refresh, refreshing, &record, document->known, err);
	for (size_t i = 0; i < document->text.n_fields && !status; i++)
		if (document->text.fields[i].name_bytes > 0)
			status = take_field(at->snapshot, &document->text.fields[i], err);
	return status ? status : bs_doc_table_add(&at->snapshot->overlay.docs, &record, err);
}

static enum bs_status read_feed(struct freshening *at, struct bs_feed *feed, struct bs_error *err)
{
	struct bs_document_sink sink = {.context = at,
	                                .document = take_document,
	                                .skip = take_skip,
	                                .ignores_unchanged_binary = true,
	                                .unchanged = take_unchanged};
	struct bs_batch batch = {0};
	enum bs_status status;
	do {
		status = bs_feed_next(feed, &batch, err);
		at->inner = batch.begins_inner ? NULL : batch.inner;
		if (!status)
			status = bs_reader_read(at->reader, &batch, &sink, err);
		if (!status && batch.ends_inner)
			status = bs_inners_end(&at->inners, &batch, err);
	} while (!status && batch.n_items > 0);
	at->inner = NULL;
	bs_batch_deinit(&batch);
	return status;
}

static int compare_places(const void *left, const void *right)
{
	const struct folder_place *a = left, *b = right;
	return strcmp(a->place, b->place);
}

/* Adds the path without symlinks of source f, a folder. A folder that must not be read is left
 * out. */
static enum bs_status add_place(struct freshening *at, uint32_t f, struct bs_error *err)
{
	const struct bs_source_record *record = &at->snapshot->manifest.sources[f];
	struct folder_place folder = {.source = f};
	struct bs_source source;
	enum bs_status status = bs_recorded_root(at->snapshot->dir, record, &source, err);
	if (status)
		return status;
	if (!source.is_refused)
		status = bs_recorded_canonical(at->snapshot->dir, source.kind, record->path, false,
		                               &folder.place, err);
	if (!status && folder.place)
		status = bs_vector_append(&at->places, &folder, err);
	if (status)
		free(folder.place);
	bs_source_deinit(&source);
	return status;
}

static void sort_places(struct freshening *at)
{
	if (bs_vector_n(&at->places) > 0)
		qsort(at->places.items, bs_vector_n(&at->places), sizeof(*at->places.items),
		      compare_places);
}

/* Finds the paths without symlinks of all source folders. */
static enum bs_status find_places(struct freshening *at, struct bs_error *err)
{
	const struct bs_manifest *manifest = &at->snapshot->manifest;
	enum bs_status status = BS_OK;
	for (uint32_t f = 0; f < manifest->n_sources && !status; f++)
		if (manifest->sources[f].kind == BS_SOURCE_FOLDER)
			status = add_place(at, f, err);
	sort_places(at);
	return status;
}

/* Reads the changes of an existing source. Its kind may differ from the recorded one.
 * *is_refused_out: true if the failure is that the source cannot be read. */
static enum bs_status freshen_found(struct freshening *at, struct bs_source_record *record,
                                    bool *is_refused_out, struct bs_error *err)
{
	struct bs_feed *feed = NULL;
	enum bs_status status =
		bs_refresh_begin(&at->refresh, at->number, &at->source, record, &at->options, false,
	                         tell_skipped, at, &at->refreshing, &feed, err);
	*is_refused_out = status == BS_IO || status == BS_NOT_FOUND;
	if (!status && at->source.kind == BS_SOURCE_FOLDER)
		status = bs_inners_attach(&at->inners, feed, &at->source, at->number, err);
	if (!status && feed) {
		status = read_feed(at, feed, err);
		*is_refused_out = status && bs_feed_has_failed(feed);
	}
	/* The array may have moved, because inner collections were added. */
	record = &at->snapshot->manifest.sources[at->number];
	if (!status)
		status = bs_refresh_end(&at->refresh, &at->refreshing, feed, record, err);
	bool becomes_folder = record->kind != BS_SOURCE_FOLDER;
	if (!status)
		record->kind = at->source.kind;
	becomes_folder &= record->kind == BS_SOURCE_FOLDER;
	if (!status && becomes_folder)
		status = add_place(at, at->number, err);
	if (!status && becomes_folder)
		sort_places(at);
	if (!status)
		status = bs_inners_settle(&at->inners, at->number, feed, BS_INNERS_GONE, err);
	bs_feed_close(feed);
	return status;
}

/* *is_in_out: the walk of source f, a folder, yields the file or folder at `below` in it. It may
 * yield one that it skipped at the commit, because the folder's ignore rules may have changed. */
static enum bs_status is_in_folder(struct freshening *at, const char *below, uint32_t f,
                                   bool *is_in_out, struct bs_error *err)
{
	const struct bs_source_record *record = &at->snapshot->manifest.sources[f];
	struct bs_source folder;
	struct bs_error why = {""};
	enum bs_status status = bs_recorded_root(at->snapshot->dir, record, &folder, err);
	if (status)
		return status;
	/* A folder that cannot be read does not count as containing the source. */
	enum bs_status reached = bs_feed_reaches(&folder, &at->options, below, is_in_out, &why);
	status = reached == BS_NO_MEMORY ? bs_fail(err, reached, "%s", why.text) : BS_OK;
	*is_in_out &= !reached;
	bs_source_deinit(&folder);
	return status;
}

/* *is_in_out: the walk of another source, a folder, yields this source, so the next refresh will
 * make it a part of that folder. Looks up each folder above the source. */
static enum bs_status is_taken_in(struct freshening *at, const struct bs_source_record *record,
                                  bool *is_in_out, struct bs_error *err)
{
	size_t n = bs_vector_n(&at->places);
	char *place = NULL;
	enum bs_status status = BS_OK;
	*is_in_out = false;
	if (n > 0 && record->kind != BS_SOURCE_STDIN)
		status = bs_recorded_canonical(at->snapshot->dir, at->source.kind, record->path,
		                               false, &place, err);
	for (char *slash = place ? strchr(place, '/') : NULL;
	     slash && slash[1] && !status && !*is_in_out; slash = strchr(slash + 1, '/')) {
		char *end = slash == place ? slash + 1 : slash, held = *end;
		*end = '\0';
		const struct folder_place *found =
			bsearch(&(struct folder_place){.place = place}, at->places.items, n,
		                sizeof(*found), compare_places);
		*end = held;
		if (found)
			status = is_in_folder(at, slash + 1, found->source, is_in_out, err);
	}
	free(place);
	return status;
}

static enum bs_status freshen_source(struct freshening *at, uint32_t i, struct bs_error *err)
{
	struct bs_source_record *record = &at->snapshot->manifest.sources[i];
	struct bs_source found = {.kind = BS_SOURCE_STDIN};
	struct bs_error why = {""};
	bool is_refused, has_begun = false;
	at->number = i;
	enum bs_status status = bs_recorded_root(at->snapshot->dir, record, &at->source, err);
	if (status)
		return status;
	if (at->source.kind == BS_SOURCE_FORGOTTEN) {
		bs_source_deinit(&at->source);
		return BS_OK;
	}
	if (at->source.is_refused) {
		(void)bs_recorded_refuse(at->snapshot->dir, &at->source, &why);
		tell_skipped(at, BS_SKIP_UNTRUSTED, why.text);
		record->is_told = true;
		bs_source_deinit(&at->source);
		return BS_OK;
	}
	bool is_in = false;
	status = is_taken_in(at, record, &is_in, err);
	if (!status && is_in)
		status = bs_refresh_lose(&at->refresh, i, err);
	if (!status && is_in)
		status = bs_inners_settle(&at->inners, i, NULL, BS_INNERS_LOST, err);
	if (status || is_in) {
		bs_source_deinit(&at->source);
		return status;
	}
	status = record->kind == BS_SOURCE_STDIN ? BS_OK
	                                         : bs_source_init(&found, at->source.path, &why);
	is_refused = status && !bs_is_fatal(status);
	if (!status) {
		has_begun = true;
		at->source.kind = found.kind;
		status = freshen_found(at, record, &is_refused, &why);
	}
	if (status && !is_refused) {
		status = bs_fail(err, status, "%s", why.text);
	} else if (status) {
		bool is_lost = status == BS_NOT_FOUND && !has_begun;
		tell_skipped(at, is_lost ? BS_SKIP_GONE : BS_SKIP_UNREADABLE, why.text);
		status = is_lost ? bs_refresh_lose(&at->refresh, i, err)
		                 : bs_refresh_keep(&at->refresh, i, has_begun, err);
		if (!status)
			status = bs_inners_settle(&at->inners, i, NULL,
			                          is_lost ? BS_INNERS_LOST : BS_INNERS_KEPT, err);
	}
	bs_source_deinit(&found);
	bs_source_deinit(&at->source);
	return status;
}

/* Marks documents of the overlay as deleted if they are excluded, or if a later record with the
 * same id replaced them. */
static enum bs_status bury_overlay(struct freshening *at, struct bs_error *err)
{
	struct bs_snapshot *snapshot = at->snapshot;
	uint32_t n_docs = snapshot->overlay.docs.n_docs;
	const uint8_t *bits;
	uint64_t n_dead;
	enum bs_status status =
		bs_id_owners_dead(&at->refresh.owners, 0, n_docs, &bits, &n_dead, err);
	for (uint32_t d = 0; bits && d < n_docs && !status; d++)
		if (bits[d / 8] >> (d % 8) & 1)
			status = bs_snapshot_mark(
				snapshot, (struct bs_doc_ref){snapshot->manifest.n_segments, d},
				true, err);
	return status;
}

/* The number of sources that are not inner collections. */
static uint32_t n_named_sources(const struct bs_manifest *manifest)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < manifest->n_sources; i++)
		n += !manifest->sources[i].parent;
	return n;
}

enum bs_status bs_snapshot_add_fresh(struct bs_snapshot *snapshot,
                                     void (*skipped)(void *context, enum bs_skip reason,
                                                     const char *message),
                                     void *context, struct bs_fresh_counts *freshened_out,
                                     struct bs_error *err)
{
	struct freshening at = {.snapshot = snapshot, .skipped = skipped, .context = context};
	at.options = bs_recorded_options(&snapshot->manifest.options, snapshot->dir);
	at.options.racy_from_ns = bs_fingerprint_racy_from();
	at.options.n_checkers = bs_workers_n_threads(0, MOST_CHECKERS);
	at.lists = (struct bs_walk_listings){.find = find_list, .context = &at};
	if (bs_folders_open(snapshot->dir, &at.folders, NULL) == BS_OK)
		at.options.lists = &at.lists;
	enum bs_status status = bs_reader_new(&at.options, &at.reader, err);
	if (!status)
		status = bs_refresh_init(&at.refresh, snapshot, snapshot, &snapshot->manifest, NULL,
		                         &snapshot->overlay.docs, err);
	at.inners = (struct bs_inners){.manifest = &snapshot->manifest,
	                               .refresh = &at.refresh,
	                               .options = &at.options,
	                               .report = tell_skipped,
	                               .context = &at};
	if (!status && n_named_sources(&snapshot->manifest) > 1)
		status = find_places(&at, err);
	for (uint32_t i = 0, n = snapshot->manifest.n_sources; i < n && !status; i++)
		if (!snapshot->manifest.sources[i].parent)
			status = freshen_source(&at, i, err);
	for (size_t i = 0; i < bs_vector_n(&at.places); i++)
		free(at.places.items[i].place);
	bs_vector_deinit(&at.places);
	/* A deadline may have ended reading; without this check it would count as an unreadable
	 * source. */
	if (!status)
		status = bs_deadline_check(err);
	if (!status)
		status = bury_overlay(&at, err);
	snapshot->totals.n_live_docs = 0;
	for (uint32_t s = 0; s <= snapshot->manifest.n_segments; s++)
		if (bs_snapshot_has_words(snapshot, s))
			snapshot->totals.n_live_docs += bs_snapshot_segment_docs(snapshot, s) -
			                                bs_snapshot_n_deleted(snapshot, s);
	const struct bs_refresh *refresh = &at.refresh;
	uint64_t n_read = snapshot->overlay.docs.n_docs -
	                  bs_snapshot_n_deleted(snapshot, snapshot->manifest.n_segments);
	uint64_t n_old = refresh->n_changed + refresh->n_renewed;
	*freshened_out = (struct bs_fresh_counts){.n_new = n_read > n_old ? n_read - n_old : 0,
	                                          .n_changed = refresh->n_changed,
	                                          .n_removed = refresh->n_removed,
	                                          .n_unread = at.n_unread};
	bs_inners_deinit(&at.inners);
	bs_folders_close(&at.folders);
	bs_refresh_deinit(&at.refresh);
	bs_reader_free(at.reader);
	return status;
}
