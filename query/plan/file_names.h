/* file_names.h: the interface through which plan and scan evaluate `name:` clauses (parse.h), which
 * search for files by name. The verifier matches a name like a text; it is a later stage that
 * cannot be included here, so it is called through a function pointer
 * (query/verify/filename_match.h). */
#pragma once

#include <stdbool.h>

#include "core/base/doc_ref.h"
#include "core/base/error.h"

/* Used by one thread. */
struct bs_file_names {
	/* Whether the name of the document's file matches leaf n of the query. The result is
	 * computed once for each document. BS_CORRUPT, BS_NO_MEMORY. */
	enum bs_status (*has)(struct bs_file_names *names, uint32_t n, struct bs_doc_ref ref,
	                      bool *has_out, struct bs_error *err);
	uint32_t n_leaves; /* The number of `name:` leaves. */
	/* Some records may have a field `name` of their own, which replaces the name of their file.
	 * Only the text of a record shows whether it has this field. */
	bool is_loose;
};
