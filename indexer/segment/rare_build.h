/* rare_build.h: builds the rare-term lists (core/matrix/rare_term_list.h) of a segment. For each
 * document that is a row of a matrix, they have those of its terms that have no false-positive
 * lists. */
#pragma once

#include "core/base/error.h"
#include "core/file/container.h"
#include "indexer/segment/shard_plan.h"
#include "indexer/segment/size_classes.h"

/* Writes the sections of rare-term lists, using n_threads threads. plan: completed by
 * bs_shard_plan_make. After a failure of the writer nothing is written, and the writer reports it;
 * BS_NO_MEMORY. */
enum bs_status bs_rare_build(const struct bs_shard_plan *plan,
                             const struct bs_size_classes *classes, uint32_t n_threads,
                             struct bs_file_writer *writer, struct bs_error *err) BS_WARN_UNUSED;
