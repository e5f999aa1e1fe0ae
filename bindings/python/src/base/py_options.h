/* py_options.h: keyword arguments into structs. */
#pragma once

#include "py_convert.h"

/* Options: a row for each keyword says what is stored, and where in a struct. None leaves what is
 * there. */
enum bs_py_kind {
	BS_PY_BOOL,     /* bool: what Python takes for true */
	BS_PY_NOT,      /* bool: the opposite */
	BS_PY_U32,      /* uint32_t; negative ones are a ValueError, larger ones an OverflowError */
	BS_PY_U64,      /* uint64_t, or size_t; likewise */
	BS_PY_SECONDS,  /* uint64_t of nanoseconds; what is over already is 1, what is for ever 0 */
	BS_PY_DOUBLE,   /* double */
	BS_PY_CHARS,    /* const char *: as bs_py_chars */
	BS_PY_BYTES,    /* const char *, and beside it the size_t of its length */
	BS_PY_STRINGS,  /* const char *const *, and beside it (0: nowhere) the size_t of how many */
	BS_PY_WEIGHTS,  /* the same of {"title": 3}, too */
	BS_PY_PAIR,     /* const char *, and another one beside it: a pair of strings */
	BS_PY_OBJECT,   /* PyObject *, of that type, if there is one; kept */
	BS_PY_FUNCTION, /* PyObject *, which can be called; kept */
	BS_PY_CHOICE,   /* unsigned: which of the names */
};
struct bs_py_option {
	const char *name;
	enum bs_py_kind kind;
	size_t at, beside;
	PyTypeObject *const *type;
	const char *const *names; /* NULL-ended */
};
/* keywords: a dict, or NULL. False with an exception: TypeError for one that no row names. */
bool bs_py_read_options(struct bs_py_keep *keep, PyObject *keywords,
                        const struct bs_py_option *options, void *into);
