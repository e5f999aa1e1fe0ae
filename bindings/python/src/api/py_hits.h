/* py_hits.h: the classes Hit and Passage. Hits are recorded without the GIL and converted to
 * objects afterwards. */
#pragma once

#include "../base/py_convert.h"

struct bs_hit;

/* Hits recorded without the GIL. */
struct bs_py_hits {
	/* notices: the first member, as bs_py_record_line requires. bytes: the hits. */
	struct bs_py_bytes notices, bytes;
	size_t n;
	/* only_ids: records only ids. has_details: records snippets and passages, too. */
	bool is_short_of_memory, only_ids, has_details;
};
/* A callback of the library that records a hit; its context begins with a struct bs_py_hits. */
int bs_py_record_hit(void *context, const struct bs_hit *hit);
/* Returns a list of Hit, or of ids with only_ids. owner: an object whose method _detail(document)
 * returns snippet and passages of a hit when they are requested; or None. */
PyObject *bs_py_make_hits(const struct bs_py_hits *hits, PyObject *owner);

/* Adds Hit and Passage to the module; false with an exception set. */
bool bs_py_add_hits(PyObject *module);
