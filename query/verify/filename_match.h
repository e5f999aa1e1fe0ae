/*
 * filename_match.h: evaluates the `name:` leaves of a query (parse.h), which search for files by
 * name. The names are read from the index. A name is matched like a text: by its bytes and, where
 * these do not decide, by analysing it. A record of a collection in a folder has the name of the
 * collection's file, unless the record has a field `name`; to find that out, its text must be read.
 * Other records have no name.
 */
#pragma once

#include "core/simd/kernels.h"
#include "core/text/tokenizer.h"
#include "query/plan/file_names.h"
#include "query/plan/plan.h"

/* The `name:` leaves of one query, and their results so far. Used by one thread. Zero-initialise;
 * release with bs_filename_match_deinit. */
struct bs_filename_match {
	struct bs_file_names names; /* First member, because names->has casts it back. */
	const struct bs_snapshot_list *list;
	struct bs_name_leaf *leaves; /* The `name:` leaves; names.n_leaves of them. */
};
void bs_filename_match_deinit(struct bs_filename_match *named);

/* Prepares for the query of a plan; releases the previous query. All inputs are borrowed; tokenizer
 * must be the analyzer of the index. kernel NULL: every name is analysed. BS_NO_MEMORY, or the
 * failures of the analyzer. */
enum bs_status bs_filename_match_begin(struct bs_filename_match *named, const struct bs_plan *plan,
                                       struct bs_tokenizer *tokenizer,
                                       const struct bs_kernel *kernel,
                                       struct bs_error *err) BS_WARN_UNUSED;
