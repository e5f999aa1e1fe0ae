/* inner.c: see inner.h. */
#include "corpus/changes/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/bitsift/skip.h"
#include "corpus/changes/recorded.h"
#include "corpus/read/feed.h"
#include "corpus/walk/file.h"

static void inner_free(struct bs_inner *inner)
{
	bs_feed_close(inner->feed);
	bs_source_deinit(&inner->source);
	free(inner);
}

void bs_inners_deinit(struct bs_inners *inners)
{
	while (inners->under_way) {
		struct bs_inner *inner = inners->under_way;
		inners->under_way = inner->next;
		inner_free(inner);
	}
	bs_recognizer_free(inners->recognizer);
	bs_term_table_deinit(&inners->known);
	bs_buffer_deinit(&inners->key);
	bs_buffer_deinit(&inners->is_met);
	*inners = (struct bs_inners){.manifest = NULL};
}

static enum bs_status make_key(struct bs_inners *inners, uint32_t folder, const char *path,
                               uint64_t *hash_out, struct bs_error *err)
{
	struct bs_buffer *key = &inners->key;
	bs_buffer_clear(key);
	enum bs_status status = bs_buffer_append(key, &folder, sizeof(folder), err);
	if (!status)
		status = bs_buffer_append(key, path, strlen(path), err);
	*hash_out = status ? 0 : bs_hash_slot(key->data, key->used_bytes);
	return status;
}

/* Adds an inner collection to the known ones. If a path occurs twice, the later source number
 * wins. */
static enum bs_status remember(struct bs_inners *inners, uint32_t number, struct bs_error *err)
{
	const struct bs_source_record *record = &inners->manifest->sources[number];
	uint64_t hash;
	uint32_t entry;
	enum bs_status status = make_key(inners, record->parent - 1, record->path, &hash, err);
	if (!status)
		status = bs_term_table_intern(&inners->known, inners->key.data,
		                              (uint32_t)inners->key.used_bytes, hash, &entry, NULL,
		                              err);
	if (!status)
		inners->known.entries[entry].df = number;
	return status;
}

static enum bs_status note_met(struct bs_inners *inners, uint32_t number, struct bs_error *err)
{
	static const uint8_t zeros[64];
	enum bs_status status = BS_OK;
	while (inners->is_met.used_bytes <= number && !status)
		status = bs_buffer_append(&inners->is_met, zeros, sizeof(zeros), err);
	if (!status)
		inners->is_met.data[number] = 1;
	return status;
}

static bool is_met(const struct bs_inners *inners, uint32_t number)
{
	return number < inners->is_met.used_bytes && inners->is_met.data[number];
}

/* *number_out: the source number of the collection at path in the current folder; UINT32_MAX if it
 * is not a source yet. */
static enum bs_status find_number(struct bs_inners *inners, const char *path, uint32_t *number_out,
                                  struct bs_error *err)
{
	uint64_t hash;
	uint32_t entry;
	*number_out = UINT32_MAX;
	enum bs_status status = make_key(inners, inners->folder_number, path, &hash, err);
	if (!status && bs_term_table_find(&inners->known, inners->key.data,
	                                  (uint32_t)inners->key.used_bytes, hash, &entry))
		*number_out = inners->known.entries[entry].df;
	return status;
}

/* The number for a new source: one that was forgotten before this run and has no documents in any
 * segment, or else n_sources. Numbers are reused because files that come and go use up many. */
static uint32_t find_free(struct bs_inners *inners)
{
	const struct bs_manifest *before = &inners->refresh->snapshot->manifest;
	uint32_t *next = &inners->next_free;
	/* A folder has a lower number than its inner collections. */
	*next = *next > inners->folder_number ? *next : inners->folder_number + 1;
	for (; *next < before->n_sources; ++*next)
		if (before->sources[*next].kind == BS_SOURCE_FORGOTTEN &&
		    inners->manifest->sources[*next].kind == BS_SOURCE_FORGOTTEN &&
		    !bs_refresh_has_documents(inners->refresh, *next))
			return (*next)++;
	return inners->manifest->n_sources;
}

/* Adds an inner collection as a source of the manifest. */
static enum bs_status add_source(struct bs_inners *inners, const char *path, uint32_t *number_out,
                                 struct bs_error *err)
{
	struct bs_manifest *manifest = inners->manifest;
	struct bs_source_record record = {.kind = BS_SOURCE_COLLECTION,
	                                  .parent = inners->folder_number + 1,
	                                  .path = (char *)(uintptr_t)path};
	*number_out = find_free(inners);
	enum bs_status status = bs_manifest_label_below(
		manifest->sources[inners->folder_number].label, path, &record.label, err);
	if (!status && *number_out < manifest->n_sources)
		status = bs_manifest_replace_source(manifest, *number_out, &record, err);
	else if (!status)
		status = bs_manifest_add_source(manifest, &record, err);
	free(record.label);
	return status ? status : remember(inners, *number_out, err);
}

/* *has_out: the first line of the file is a record. *failed_out: why the file could not be read. If
 * the file is not yet a collection of the index (!is_known), missing permission is not a failure
 * here, because the file is then read as a plain file, which reports it. */
static enum bs_status has_line(struct bs_inners *inners, const struct bs_source *source,
                               bool is_known, bool *has_out, enum bs_status *failed_out,
                               struct bs_error *err)
{
	struct bs_error why = {""};
	int fd = bs_source_open(source, O_RDONLY | O_NONBLOCK);
	*has_out = false;
	*failed_out = BS_OK;
	bool is_forbidden = fd < 0 && (errno == EACCES || errno == EPERM);
	if (fd < 0)
		*failed_out = bs_fail(&why, bs_file_status(errno), "%s: %s", source->path,
		                      strerror(errno));
	else
		*failed_out =
			bs_recognizer_has_line(inners->recognizer, fd, source->path, has_out, &why);
	if (fd >= 0)
		close(fd);
	if (bs_is_fatal(*failed_out))
		return bs_fail(err, *failed_out, "%s", why.text);
	if (*failed_out == BS_IO && !is_known && !is_forbidden && inners->report)
		inners->report(inners->context, BS_SKIP_UNREADABLE, why.text);
	*failed_out = is_known || !is_forbidden ? *failed_out : BS_OK;
	return BS_OK;
}

/* True if the file still has the fingerprint that was recorded when it was read as a collection. */
static bool is_unchanged(const struct bs_inners *inners, const struct bs_inner *inner)
{
	const struct bs_snapshot *snapshot = inners->refresh->snapshot;
	struct bs_fingerprint fingerprint;
	if (inner->number >= snapshot->manifest.n_sources)
		return false;
	const struct bs_source_record *record = &snapshot->manifest.sources[inner->number];
	return record->kind == BS_SOURCE_COLLECTION && !record->is_racy && !inner->source.is_anew &&
	       bs_source_fingerprint(&inner->source, &fingerprint, NULL) == BS_OK &&
	       bs_fingerprint_equals(&fingerprint, record->fingerprint);
}

/* Begins to refresh an inner collection. If it cannot be read, its documents stay. */
static enum bs_status begin(struct bs_inners *inners, struct bs_inner *inner, struct bs_error *err)
{
	struct bs_error why = {""};
	enum bs_status status =
		bs_refresh_begin(inners->refresh, inner->number, &inner->source,
	                         &inners->manifest->sources[inner->number], inners->options, false,
	                         NULL, NULL, &inner->at, &inner->feed, &why);
	inner->is_kept = status == BS_IO || status == BS_NOT_FOUND || status == BS_INVALID;
	if (!inner->is_kept)
		return status ? bs_fail(err, status, "%s", why.text) : BS_OK;
	if (status == BS_IO && inners->report)
		inners->report(inners->context, BS_SKIP_UNREADABLE, why.text);
	return BS_OK;
}

/* Fills inner from the file at path. *is_one_out: the file is a collection, and inner has its
 * source number. *is_unread_out: it is a new file that cannot be read. */
static enum bs_status identify(struct bs_inners *inners, struct bs_inner *inner, const char *path,
                               bool *is_one_out, bool *is_unread_out, struct bs_error *err)
{
	struct bs_source_record record = {.kind = BS_SOURCE_COLLECTION,
	                                  .path = (char *)(uintptr_t)path,
	                                  .label = (char[]){""}};
	enum bs_status failed = BS_OK;
	enum bs_status status = find_number(inners, path, &inner->number, err);
	if (!status)
		status = bs_manifest_label_below(inners->folder->label, path, &record.label, err);
	if (status)
		return status;
	status = bs_recorded_inner(inners->folder, &record, &inner->source, err);
	free(record.label);
	*is_one_out = !status && is_unchanged(inners, inner);
	if (!status && !*is_one_out)
		status = has_line(inners, &inner->source, inner->number != UINT32_MAX, is_one_out,
		                  &failed, err);
	/* A known collection that cannot be read now stays a collection. */
	*is_one_out |= failed == BS_IO && inner->number != UINT32_MAX;
	*is_unread_out = failed == BS_IO && !*is_one_out;
	if (!status && *is_one_out && inner->number == UINT32_MAX)
		status = add_source(inners, path, &inner->number, err);
	if (!status && *is_one_out)
		status = note_met(inners, inner->number, err);
	return status;
}

static enum bs_status meet(void *context, const char *path, struct bs_inner **inner_out,
                           struct bs_feed **feed_out, bool *is_unread_out, struct bs_error *err)
{
	struct bs_inners *inners = context;
	bool is_one = false;
	*inner_out = NULL;
	*feed_out = NULL;
	if (!bs_recognizer_has_name(inners->recognizer, path))
		return BS_OK;
	struct bs_inner *inner = calloc(1, sizeof(*inner));
	if (!inner)
		return bs_fail_memory(err, "a collection", sizeof(*inner));
	enum bs_status status = identify(inners, inner, path, &is_one, is_unread_out, err);
	if (!status && is_one)
		status = begin(inners, inner, err);
	if (status || !is_one) {
		inner_free(inner);
		return status;
	}
	inner->next = inners->under_way;
	inners->under_way = inner;
	*inner_out = inner;
	*feed_out = inner->feed;
	return BS_OK;
}

enum bs_status bs_inners_attach(struct bs_inners *inners, struct bs_feed *feed,
                                const struct bs_source *folder, uint32_t number,
                                struct bs_error *err)
{
	enum bs_status status = BS_OK;
	if (!inners->options->reads_records)
		return BS_OK;
	if (!inners->recognizer) {
		status = bs_recognizer_new(inners->options, &inners->recognizer, err);
		for (uint32_t i = 0; i < inners->manifest->n_sources && !status; i++)
			if (inners->manifest->sources[i].parent)
				status = remember(inners, i, err);
	}
	inners->folder = folder;
	inners->folder_number = number;
	inners->reader = (struct bs_inner_reader){
		.context = inners, .has_rows = inners->has_rows, .meet = meet};
	if (!status)
		bs_feed_set_inner_reader(feed, &inners->reader);
	return status;
}

enum bs_status bs_inners_end(struct bs_inners *inners, const struct bs_batch *batch,
                             struct bs_error *err)
{
	struct bs_inner *inner = batch->inner;
	struct bs_inner **link = &inners->under_way;
	enum bs_status status;
	while (*link != inner)
		link = &(*link)->next;
	*link = inner->next;
	if (batch->has_failed && inners->report)
		inners->report(inners->context, BS_SKIP_UNREADABLE,
		               (const char *)batch->bytes.data);
	if (inner->is_kept || batch->has_failed)
		status = bs_refresh_keep(inners->refresh, inner->number, batch->has_failed, err);
	else
		status = bs_refresh_end(inners->refresh, &inner->at, inner->feed,
		                        &inners->manifest->sources[inner->number], err);
	inner_free(inner);
	return status;
}

/* Removes an inner collection from the sources. */
static enum bs_status forget(struct bs_inners *inners, uint32_t number, struct bs_error *err)
{
	struct bs_source_record gone = {
		.kind = BS_SOURCE_FORGOTTEN, .label = (char[]){""}, .path = (char[]){"-"}};
	enum bs_status status = bs_refresh_lose(inners->refresh, number, err);
	bs_exclusions_drop(&inners->refresh->exclusions, number);
	return status ? status : bs_manifest_replace_source(inners->manifest, number, &gone, err);
}

/* Clears the record of an inner collection, except kind, parent, label and path, and removes its
 * documents. */
static enum bs_status lose(struct bs_inners *inners, uint32_t number, struct bs_error *err)
{
	struct bs_source_record *record = &inners->manifest->sources[number];
	*record = (struct bs_source_record){.kind = record->kind,
	                                    .parent = record->parent,
	                                    .label = record->label,
	                                    .path = record->path};
	return bs_refresh_lose(inners->refresh, number, err);
}

enum bs_status bs_inners_settle(struct bs_inners *inners, uint32_t folder,
                                const struct bs_feed *feed, enum bs_inners_fate fate,
                                struct bs_error *err)
{
	/* The source may be a file now that was a folder earlier; then all of its inner collections
	 * are gone. */
	bool is_folder = inners->manifest->sources[folder].kind == BS_SOURCE_FOLDER;
	enum bs_status status = BS_OK;
	for (uint32_t i = folder + 1; i < inners->manifest->n_sources && !status; i++) {
		const struct bs_source_record *record = &inners->manifest->sources[i];
		if (record->parent != folder + 1 || is_met(inners, i))
			continue;
		bool is_kept = fate == BS_INNERS_KEPT || (fate == BS_INNERS_GONE && feed &&
		                                          bs_feed_is_unread(feed, record->path));
		if (is_folder && is_kept)
			status = bs_refresh_keep(inners->refresh, i, false, err);
		else if (is_folder && fate == BS_INNERS_LOST)
			status = lose(inners, i, err);
		else
			status = forget(inners, i, err);
	}
	return status;
}
