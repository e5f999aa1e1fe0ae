/*
 * recorded.h: between a source as the manifest records it and a source as it is read. Both rooms above need it: the
 * indexer to record and refresh, the query to read documents again.
 *
 * A source below the folder in which the index lies is recorded by its path from there, so that a project may be moved
 * or mounted elsewhere together with its index; any other by its absolute path.
 */
#ifndef BS_CORPUS_RECORDED_H
#define BS_CORPUS_RECORDED_H

#include "core/manifest.h"
#include "core/status.h"
#include "corpus/source.h"

/* The path to record for a source whose path is openable from the current directory, with the index in index_dir (which
 * must exist). To be freed by the caller. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_recorded_path(const char *index_dir, const struct bs_source *source, char **path_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* The source of a record, openable from the current directory; release with bs_source_deinit. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_recorded_source(const char *index_dir, const struct bs_source_record *record,
                                  struct bs_source *source_out, struct bs_error *err) BS_WARN_UNUSED;

/* How documents are read, as the index's options say. Borrows from options. index_dir (nullable) is passed over. */
struct bs_source_options bs_recorded_options(const struct bs_index_options *options, const char *index_dir);

#endif
