/* py_hits.h: Hit and Passage. Hits are recorded without the GIL and converted to objects
 * afterwards. */
#pragma once

#include "../base/py_convert.h"

struct bs_hit;

/* Hits recorded without the GIL. */
struct bs_py_hits {
	struct bs_py_bytes notices, bytes;
	size_t n;
	bool is_short_of_memory, only_ids, has_details;
};
int bs_py_record_hit(void *context, const struct bs_hit *hit);
/* Returns a list of Hit. owner: the object that is asked later for snippets and passages, or
 * None. */
PyObject *bs_py_make_hits(const struct bs_py_hits *hits, PyObject *owner);

/* Adds Hit and Passage to the module; false with an exception set. */
bool bs_py_add_hits(PyObject *module);
