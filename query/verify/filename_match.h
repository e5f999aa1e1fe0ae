/*
 * filename_match.h: the leaves of a query that ask for files by their names (`name:` of parse.h).
 * The index has the names; a name is matched as a text is, by its bytes and, where those do not
 * decide, by analysing it. A record in a collection that lies in a folder has the name of that
 * file, unless it has a field `name` of its own, which only its text can tell; other records have
 * no name.
 */
#pragma once

#include "core/simd/kernels.h"
#include "core/text/tokenizer.h"
#include "query/plan/file_names.h"
#include "query/plan/plan.h"

/* The leaves of one query that ask for names, and what is known of each document's name. One
 * thread. Zero-initialise; release with bs_filename_match_deinit. */
struct bs_filename_match {
	struct bs_file_names names; /* the first: names->has casts it back */
	const struct bs_snapshot_list *list;
	struct bs_name_leaf *leaves; /* names.n_leaves */
};
void bs_filename_match_deinit(struct bs_filename_match *named);

/* Prepares it for the plan's query, in place of the query before. All is borrowed; words must be
 * the analyzer of the index. kernel NULL: every name is analysed. BS_NO_MEMORY, or what the
 * analyzer returned. */
enum bs_status bs_filename_match_begin(struct bs_filename_match *named, const struct bs_plan *plan,
                                       struct bs_tokenizer *tokenizer,
                                       const struct bs_kernel *kernel,
                                       struct bs_error *err) BS_WARN_UNUSED;
