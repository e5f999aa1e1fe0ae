/* py_hits.h: Hit and Passage: what a search finds, heard without the GIL and made into objects
 * afterwards. */
#pragma once

#include "../base/py_convert.h"

struct bs_hit;

/* Hits as they are heard, without the GIL, and objects of them. */
struct bs_py_hits {
	struct bs_py_bytes notices, bytes;
	size_t n;
	bool is_short_of_memory, only_ids, has_details;
};
int bs_py_hear_hit(void *context, const struct bs_hit *hit);
/* owner: who says later what is shown of them, or None. */
PyObject *bs_py_make_hits(const struct bs_py_hits *hits, PyObject *owner);

/* Adds Hit and Passage to the module; false with an exception. */
bool bs_py_add_hits(PyObject *module);
