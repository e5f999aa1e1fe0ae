/*
 * recorded.h: converts between a source as the manifest records it and a source as it is read. Used
 * by the indexer to record and refresh sources, and by queries to read documents again.
 *
 * A source inside the folder that contains the index is recorded by its path from that folder, so
 * that a project can be moved or mounted elsewhere together with its index. Any other source is
 * recorded by its absolute path.
 */
#pragma once

#include "core/base/error.h"
#include "core/file/dir.h"
#include "core/store/doc_table.h"
#include "core/store/manifest.h"
#include "core/store/snapshot.h"
#include "corpus/read/source.h"

/* The path to record in the index of dir for a source whose path can be opened from the working
 * directory. Symlinks are resolved, except in the last component. The caller frees it. BS_IO,
 * BS_NO_MEMORY. */
enum bs_status bs_recorded_path(const struct bs_dir *dir, const struct bs_source *source,
                                char **path_out, struct bs_error *err) BS_WARN_UNUSED;

/* The identity of a source: its absolute path with all symlinks resolved. If it does not exist, or
 * is_refused (it must not be accessed), the recorded path made absolute. *place_out is NULL for
 * kinds without a path. path: as recorded. The caller frees *place_out. BS_NO_MEMORY. */
enum bs_status bs_recorded_canonical(const struct bs_dir *dir, enum bs_source_kind kind,
                                     const char *path, bool is_refused, char **place_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* The part of path `inner` below path `place`: "." if they are equal, NULL if inner is not
 * below. */
const char *bs_recorded_below(const char *place, const char *inner);

/* Makes the source of record number i of a manifest. Its path can be opened from the working
 * directory; the path is relative if the source is below the working directory, or if both are in
 * the folder of the index. Release with bs_source_deinit. If is_refused is set, the source must not
 * be accessed in any way, because the manifest may be untrusted and name any path. BS_NO_MEMORY. */
enum bs_status bs_recorded_source(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                  uint32_t i, struct bs_source *source_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* Makes the source of a record without a parent; see bs_recorded_source. */
enum bs_status bs_recorded_root(const struct bs_dir *dir, const struct bs_source_record *record,
                                struct bs_source *source_out, struct bs_error *err) BS_WARN_UNUSED;
/* Makes the source of a collection in a folder; it is refused if the folder is. BS_NO_MEMORY. */
enum bs_status bs_recorded_inner(const struct bs_source *folder,
                                 const struct bs_source_record *record,
                                 struct bs_source *source_out, struct bs_error *err) BS_WARN_UNUSED;

/* Like bs_recorded_source, but only for the names of documents: does not ask whether the source may
 * be followed. */
enum bs_status bs_recorded_place(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                 uint32_t i, struct bs_source *source_out,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* bs_recorded_place for all sources. The caller frees *sources_out with bs_recorded_places_free,
 * after a failure too; NULL is allowed there. */
enum bs_status bs_recorded_places(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                  struct bs_source **sources_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_recorded_places_free(struct bs_source *sources, uint32_t n_sources);

/* Marks the record's source as named by the current user, so that it is followed. If it is outside
 * the folder of the index, the host's consent->named is called. */
enum bs_status bs_recorded_name(const struct bs_dir *dir, struct bs_source_record *record,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Makes a source that has no path and can only form ids; borrows from the record. */
static inline struct bs_source bs_recorded_name_of(const struct bs_source_record *record)
{
	return (struct bs_source){.kind = (enum bs_source_kind)record->kind,
	                          .is_inner = record->parent > 0,
	                          .label = record->label};
}

/* Overwrites id with the id of a recorded document. BS_NO_MEMORY. */
enum bs_status bs_recorded_id(const struct bs_source *source, const struct bs_doc_record *record,
                              struct bs_buffer *id, struct bs_error *err) BS_WARN_UNUSED;

/* Overwrites id with the local id of a recorded document. source needs a path. BS_NO_MEMORY. */
enum bs_status bs_recorded_local_id(const struct bs_source *source,
                                    const struct bs_doc_record *record, struct bs_buffer *id,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Whether a recorded source exists. */
enum bs_source_presence {
	BS_STANDING_THERE, /* exists and could be opened; its files were not read */
	/* a folder that contains nothing except perhaps the index: its file system may not be
	 * mounted */
	BS_STANDING_EMPTY,
	BS_STANDING_GONE,
	BS_STANDING_UNREAD, /* cannot be opened, for example for lack of permission */
};
/* Looks for a source that may be followed. why: the reason of GONE or UNREAD. BS_NO_MEMORY. */
enum bs_status bs_recorded_look(const struct bs_dir *dir, const struct bs_source *source,
                                enum bs_source_presence *standing_out, struct bs_error *why,
                                struct bs_error *err) BS_WARN_UNUSED;

/* True if the snapshot has a live document of the source or of an inner collection of it. */
bool bs_recorded_has_documents(const struct bs_snapshot *snapshot, uint32_t number);

/* Returns BS_UNTRUSTED; the message names the source and the command that allows reading it. */
enum bs_status bs_recorded_refuse(const struct bs_dir *dir, const struct bs_source *source,
                                  struct bs_error *err);

/* Returns BS_UNTRUSTED if any source must not be accessed (is_refused). Call before a full
 * re-index, which would lose the documents of such a source. BS_NO_MEMORY. */
enum bs_status bs_recorded_check(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* Converts recorded options to options for reading sources; strings are borrowed from
 * `options`. dir: the index directory, which walks of sources then skip; nullable. */
struct bs_source_options bs_recorded_options(const struct bs_recorded_options *options,
                                             const struct bs_dir *dir);
