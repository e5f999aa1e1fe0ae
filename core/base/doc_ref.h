/* doc_ref.h: identifies a document of a snapshot (core/store/snapshot.h). */
#pragma once

#include "core/base/vector.h"

struct bs_doc_ref {
	/* Segment number, from 0. A number equal to the number of segments means the overlay: new
	 * and changed documents, found when the index was opened with `fresh` (bs_open_request).
	 * May also be BS_DOC_EXCLUDED or BS_DOC_NONE. */
	uint32_t segment;
	uint32_t document; /* the number of the document in the segment or the overlay */
};

BS_VECTOR(bs_doc_refs, struct bs_doc_ref);

/* Value of `segment`: `document` is the number of an exclusion. */
#define BS_DOC_EXCLUDED (UINT32_MAX - 1)
/* Value of `segment`: there is no document. */
#define BS_DOC_NONE UINT32_MAX
