/*
 * condense.h: a segment as it is kept where room is dear, and back. A condensed segment has neither
 * columns nor false positives, which both follow from the documents' terms: it has these, the rare
 * ones in their lists as they are, the others coded as a forward index
 * (core/matrix/term_vectors.h), and all else as it is. What a writer chooses by measuring (widths,
 * exact columns, codes) is among that, so that what is restored depends on the file alone: it is
 * the segment, byte for byte.
 *
 * Documents in forward indexes keep them. FORMAT.md has the file, its kind 9.
 */
#pragma once

#include "core/base/error.h"
#include "core/file/dir.h"
#include "core/store/manifest.h"
#include "indexer/segment/shard_plan.h"

/* What the condensed one of `seg-N` is called. */
const char *bs_condensed_name(const char *segment_name, char name_out[BS_INDEX_NAME_BYTES]);

/* Writes it beside the segment, of which plan is: complete, with the documents of its indexing
 * buffer as places. term_dfs: by ordinal. */
enum bs_status bs_condense(const struct bs_dir *dir, const char *segment_name,
                           const struct bs_shard_plan *plan, const uint32_t *term_dfs,
                           struct bs_error *err) BS_WARN_UNUSED;

/* Writes the segment beside the condensed one. As bs_memory_index_restore. */
enum bs_status bs_restore(const struct bs_dir *dir, const char *condensed_name,
                          struct bs_error *err) BS_WARN_UNUSED;
