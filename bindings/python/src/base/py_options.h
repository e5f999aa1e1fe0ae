/* py_options.h: reads keyword arguments into structs. */
#pragma once

#include "py_convert.h"

/* Each option has a row in a table: its name, its kind, and the offset of its value in a struct. An
 * option whose value is None leaves the struct unchanged. The comments give the type of the value
 * in the struct. */
enum bs_py_kind {
	BS_PY_BOOL, /* bool: the truth value */
	BS_PY_NOT,  /* bool: the negated truth value */
	/* uint32_t; raises ValueError if negative, OverflowError if too large */
	BS_PY_U32,
	BS_PY_U64, /* uint64_t or size_t, with the errors of BS_PY_U32 */
	/* uint64_t: nanoseconds; 1 for zero or negative seconds, 0 (no limit) from 1e10 seconds
	 * on */
	BS_PY_SECONDS,
	BS_PY_DOUBLE,   /* double */
	BS_PY_CHARS,    /* const char *, by bs_py_chars */
	BS_PY_BYTES,    /* const char *; the size_t length at `beside` */
	BS_PY_STRINGS,  /* const char *const *; the size_t number at `beside`, unless that is 0 */
	BS_PY_WEIGHTS,  /* like BS_PY_STRINGS, and also accepts a dict such as {"title": 3} */
	BS_PY_PAIR,     /* two const char *, the second at `beside`; from a tuple of two str */
	BS_PY_OBJECT,   /* PyObject *, of `type` unless that is NULL; `keep` gets a reference */
	BS_PY_FUNCTION, /* PyObject *, callable; `keep` gets a reference */
	BS_PY_CHOICE,   /* unsigned: the position in `names` */
};
struct bs_py_option {
	const char *name;
	enum bs_py_kind kind;
	size_t at, beside;         /* offsets in the struct, in bytes */
	PyTypeObject *const *type; /* for BS_PY_OBJECT; NULL: any type */
	const char *const *names;  /* for BS_PY_CHOICE; NULL-terminated */
};
/* Reads keyword arguments into the struct `into`. keywords: a dict, or NULL. False with an
 * exception set; an unknown keyword is a TypeError. */
bool bs_py_read_options(struct bs_py_keep *keep, PyObject *keywords,
                        const struct bs_py_option *options, void *into);
