/* doc_ref.h: which document of a snapshot (snapshot.h). */
#pragma once

#include "core/base/vector.h"

struct bs_doc_ref {
	/* from 0; the number of segments stands for the overlay; or one of the two below */
	uint32_t segment;
	uint32_t document;
};

BS_VECTOR(bs_doc_refs, struct bs_doc_ref);

#define BS_DOC_EXCLUDED (UINT32_MAX - 1) /* instead of a segment: an entry of the exclusions */
#define BS_DOC_NONE     UINT32_MAX       /* no document */
