/* rare_build.h: the lists of rare terms (core/matrix/rare_term_list.h) of a segment: of all
 * documents that are rows of a matrix, the terms that have no false positives. */
#pragma once

#include "core/base/error.h"
#include "core/file/container.h"
#include "indexer/segment/shard_plan.h"
#include "indexer/segment/size_classes.h"

/* Writes the sections, on n_threads. Of the plan all that bs_shard_plan_make fills counts. Sticky
 * like the writer; BS_NO_MEMORY. */
enum bs_status bs_rare_build(const struct bs_shard_plan *plan,
                             const struct bs_size_classes *classes, uint32_t n_threads,
                             struct bs_file_writer *writer, struct bs_error *err) BS_WARN_UNUSED;
