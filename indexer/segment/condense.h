/*
 * condense.h: converts a segment to a smaller form for storage, and back. A condensed segment has
 * neither columns nor false-positive lists, because both can be computed from the terms of the
 * documents. It has these terms instead: rare ones in the unchanged rare-term lists, the others as
 * term vectors (core/matrix/term_vectors.h). Rows and the offsets of tf codes are written as
 * differences; all other sections are unchanged. Choices that an indexer makes by measuring
 * (widths, exact columns, codes) are stored as well, so that the restored segment depends only on
 * the file, and equals the original byte for byte.
 *
 * Documents with forward indexes keep these. FORMAT.md describes the file as kind 9.
 */
#pragma once

#include "core/base/error.h"
#include "core/file/dir.h"
#include "core/store/manifest.h"
#include "indexer/segment/shard_plan.h"

/* The file name of the condensed form of `seg-N`. */
const char *bs_condensed_name(const char *segment_name, char name_out[BS_INDEX_NAME_BYTES]);

/* Writes the condensed form of a segment to the same folder. plan: the completed plan of the
 * segment; the terms in its indexing buffer are places (shard_plan.h). term_dfs: dfs by ordinal. */
enum bs_status bs_condense(const struct bs_dir *dir, const char *segment_name,
                           const struct bs_shard_plan *plan, const uint32_t *term_dfs,
                           struct bs_error *err) BS_WARN_UNUSED;

/* Writes the segment to the folder of its condensed form. Errors: see bs_memory_index_restore. */
enum bs_status bs_restore(const struct bs_dir *dir, const char *condensed_name,
                          struct bs_error *err) BS_WARN_UNUSED;
