/* py_callbacks.c: see py_callbacks.h. */
#include "py_callbacks.h"

/*
 * The limit for nested callbacks of a thread. Python's own limit counts only Python frames, so it
 * would let several hundred calls of the library nest. Between two Python frames, each call takes
 * some 10 KiB of stack; 16 of them fit into a stack of 192 KiB.
 */
#define MOST_CALLBACKS 16u
static _Thread_local const void *callbacks[MOST_CALLBACKS]; /* the argument `served` of each */
static _Thread_local unsigned n_callbacks;

bool bs_py_callback_begin(const void *served)
{
	if (n_callbacks == MOST_CALLBACKS) {
		PyErr_Format(PyExc_RecursionError,
		             "functions that bitsift calls use bitsift again, more than %d deep",
		             (int)MOST_CALLBACKS);
		return false;
	}
	callbacks[n_callbacks++] = served;
	return true;
}

void bs_py_callback_end(void)
{
	n_callbacks--;
}

bool bs_py_is_served(const void *served)
{
	for (unsigned i = 0; i < n_callbacks; i++)
		if (callbacks[i] == served)
			return true;
	return false;
}
