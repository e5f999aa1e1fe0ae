/* py_search.h: searchers, and what is asked of them. */
#pragma once

#include "core/program/options.h"

#include <bitsift/search_request.h>

#include "../base/py_limits.h"

struct bs_searcher;

/* The searcher, for a caller with the GIL, until bs_py_searcher_done; NULL with an exception:
 * another thread is at it. */
struct bs_searcher *bs_py_searcher_begin(PyObject *object);
void bs_py_searcher_done(PyObject *object);
/* Reads a query and options of a search into *search_out, which then borrows from keep. */
struct bs_py_search {
	struct bs_search_request request;
	struct bs_search_program program;
	struct bs_py_deadline deadline;
	PyObject *statistics;
	bool explains;
};
bool bs_py_read_search(struct bs_py_keep *keep, PyObject *query, PyObject *options,
                       struct bs_py_search *search_out);

/* Adds Searcher to the module; false with an exception. */
bool bs_py_add_search(PyObject *module);
