/*
 * file_names.h: the leaves of a query that ask for files by their names (`name:` of parse.h), as
 * the plan and the scan see them. A name is matched as a text is, by the verifier, which comes
 * after them: so they call it through a pointer (query/verify/filename_match.h).
 */
#pragma once

#include <stdbool.h>

#include "core/base/doc_ref.h"
#include "core/base/error.h"

/* One thread. */
struct bs_file_names {
	/* Whether the name of the document's file is one that leaf n of the query asks for.
	 * Computed once for each document. BS_CORRUPT, BS_NO_MEMORY. */
	enum bs_status (*has)(struct bs_file_names *names, uint32_t n, struct bs_doc_ref ref,
	                      bool *has_out, struct bs_error *err);
	uint32_t n_leaves; /* that ask for names */
	/* Some records may have a field `name` of their own, which takes the place of the file's
	 * name and only their text can tell. */
	bool is_loose;
};
