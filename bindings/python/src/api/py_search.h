/* py_search.h: the class Searcher, and the options of searches. */
#pragma once

#include "core/program/options.h"

#include <bitsift/search_request.h>

#include "../base/py_limits.h"

struct bs_searcher;

/* Returns the searcher of a Searcher object; until bs_py_searcher_done, only the caller may use it.
 * NULL with an exception set if it is in use already. The caller holds the GIL. */
struct bs_searcher *bs_py_searcher_begin(PyObject *object);
void bs_py_searcher_done(PyObject *object);
struct bs_py_search {
	struct bs_search_request request;
	struct bs_search_program program;
	struct bs_py_deadline deadline;
	PyObject *statistics; /* a Statistics; nullable */
	bool explains;        /* the option explain */
};
/* Reads a query and the options of a search into *search_out, which borrows from `keep`. False with
 * an exception set. */
bool bs_py_read_search(struct bs_py_keep *keep, PyObject *query, PyObject *options,
                       struct bs_py_search *search_out);

/* Adds Searcher to the module; false with an exception set. */
bool bs_py_add_search(PyObject *module);
