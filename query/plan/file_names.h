/*
 * file_names.h: the interface through which plan and scan check `name:` clauses (parse.h), which
 * ask for files by name. A name is matched like a text by the verifier, which is a later stage and
 * cannot be included here; hence the function pointer (query/verify/filename_match.h).
 */
#pragma once

#include <stdbool.h>

#include "core/base/doc_ref.h"
#include "core/base/error.h"

/* Used by one thread. */
struct bs_file_names {
	/* Whether the name of the document's file matches leaf n of the query. Computed once for
	 * each document. BS_CORRUPT, BS_NO_MEMORY. */
	enum bs_status (*has)(struct bs_file_names *names, uint32_t n, struct bs_doc_ref ref,
	                      bool *has_out, struct bs_error *err);
	uint32_t n_leaves; /* The number of `name:` leaves. */
	/* Some records may have a field `name` of their own, which replaces the file's name; only
	 * the text of the record shows whether it does. */
	bool is_loose;
};
