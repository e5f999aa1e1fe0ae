/*
 * recorded.h: between a source as the manifest records it and a source as it is read. Both rooms
 * above need it: the indexer to record and refresh, the query to read documents again.
 *
 * A source below the folder in which the index lies is recorded by its path from there, so that a
 * project may be moved or mounted elsewhere together with its index; any other by its absolute
 * path.
 */
#pragma once

#include "core/base/error.h"
#include "core/file/dir.h"
#include "core/store/doc_table.h"
#include "core/store/manifest.h"
#include "core/store/snapshot.h"
#include "corpus/read/source.h"

/* The path to record for a source whose path is openable from the current directory, in the index
 * of dir: no link leads there but its last component. To be freed by the caller. BS_IO,
 * BS_NO_MEMORY. */
enum bs_status bs_recorded_path(const struct bs_dir *dir, const struct bs_source *source,
                                char **path_out, struct bs_error *err) BS_WARN_UNUSED;

/* Where a source is, by which it is known: the absolute path without a link in it; of one that is
 * not there or must not be looked at, as recorded. NULL of one that has no place. path: as
 * recorded. To be freed. BS_NO_MEMORY. */
enum bs_status bs_recorded_canonical(const struct bs_dir *dir, enum bs_source_kind kind,
                                     const char *path, bool is_refused, char **place_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* What remains of a place below another, "." for that itself, NULL if it is not below. */
const char *bs_recorded_below(const char *place, const char *inner);

/* The source that is number i of a manifest, openable from the current directory: by a relative
 * path if it lies below that, or both lie in the folder of the index; release with
 * bs_source_deinit. If it is_refused, it must not be looked at in any way: the manifest may come
 * from anyone, and name any place. BS_NO_MEMORY. */
enum bs_status bs_recorded_source(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                  uint32_t i, struct bs_source *source_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* The same of a record that has no parent. */
enum bs_status bs_recorded_root(const struct bs_dir *dir, const struct bs_source_record *record,
                                struct bs_source *source_out, struct bs_error *err) BS_WARN_UNUSED;
/* The same of a collection in a folder, which is followed as its folder is. BS_NO_MEMORY. */
enum bs_status bs_recorded_inner(const struct bs_source *folder,
                                 const struct bs_source_record *record,
                                 struct bs_source *source_out, struct bs_error *err) BS_WARN_UNUSED;

/* As bs_recorded_source for its names alone: whether it is followed is not asked. */
enum bs_status bs_recorded_place(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                 uint32_t i, struct bs_source *source_out,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* The same of all sources; bs_recorded_places_free takes back what they are, NULL too. */
enum bs_status bs_recorded_places(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                  struct bs_source **sources_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_recorded_places_free(struct bs_source *sources, uint32_t n_sources);

/* The record's source was named by whoever runs now: it is followed, and if it lies outside, the
 * consent is told. */
enum bs_status bs_recorded_name(const struct bs_dir *dir, struct bs_source_record *record,
                                struct bs_error *err) BS_WARN_UNUSED;

/* As much of a recorded source as ids are made of, borrowed from the record; without a path. */
static inline struct bs_source bs_recorded_name_of(const struct bs_source_record *record)
{
	return (struct bs_source){.kind = (enum bs_source_kind)record->kind,
	                          .is_inner = record->parent > 0,
	                          .label = record->label};
}

/* Overwrites id with that of a recorded document of the source. BS_NO_MEMORY. */
enum bs_status bs_recorded_id(const struct bs_source *source, const struct bs_doc_record *record,
                              struct bs_buffer *id, struct bs_error *err) BS_WARN_UNUSED;

/* The same with the local id, of a source with a path. */
enum bs_status bs_recorded_local_id(const struct bs_source *source,
                                    const struct bs_doc_record *record, struct bs_buffer *id,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* The state of a recorded source's place. */
enum bs_standing {
	BS_STANDING_THERE, /* as far as can be seen before it is read */
	/* a folder without any entry but the index: its file system may not be mounted */
	BS_STANDING_EMPTY,
	BS_STANDING_GONE,
	BS_STANDING_UNREAD, /* the operating system refuses to tell, or to open it */
};
/* Looks at a source that is followed. why: the reason of GONE and UNREAD. BS_NO_MEMORY. */
enum bs_status bs_recorded_look(const struct bs_dir *dir, const struct bs_source *source,
                                enum bs_standing *standing_out, struct bs_error *why,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Whether the snapshot has a live document of the source, or of a collection in it. */
bool bs_recorded_has_documents(const struct bs_snapshot *snapshot, uint32_t number);

/* BS_UNTRUSTED, and the line that says which source is not followed, and how to consent. */
enum bs_status bs_recorded_refuse(const struct bs_dir *dir, const struct bs_source *source,
                                  struct bs_error *err);

/* BS_UNTRUSTED if a source is not followed: for who reads everything again, and would lose it.
 * BS_NO_MEMORY. */
enum bs_status bs_recorded_check(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* How documents are read, as the index's options say. Borrows from options. dir (nullable) is
 * passed over by walks. */
struct bs_source_options bs_recorded_options(const struct bs_recorded_options *options,
                                             const struct bs_dir *dir);
