/* module.c: bitsift._bitsift: its exceptions, and what the other files put into it. See bitsift_py.h. */
#include "bitsift_py.h"

struct bs_py_types bs_py_types;

PyTypeObject *bs_py_add_type(PyObject *module, PyType_Spec *spec)
{
	PyObject *type = PyType_FromSpec(spec);
	if (type && PyModule_AddType(module, (PyTypeObject *)type) < 0)
		Py_CLEAR(type);
	return (PyTypeObject *)type;
}

/* An exception for each status, which is also one of Python's own. */
static const struct kin {
	const char *name, *doc;
	enum bs_status status;
} kin[] = {
	{"bitsift.InvalidError",
         "What was asked for makes no sense. position: where in the query, in characters; or None.", BS_INVALID},
	{"bitsift.NoMemoryError", "There is not enough memory, or a limit says so.", BS_NO_MEMORY},
	{"bitsift.IOFailure", "The operating system said no.", BS_IO},
	{"bitsift.NotFoundError", "What was named is not there.", BS_NOT_FOUND},
	{"bitsift.CorruptError", "A file of the index is damaged.", BS_CORRUPT},
	{"bitsift.UnsupportedError", "A file of a newer format, an unknown kernel, another analyzer.", BS_UNSUPPORTED},
	{"bitsift.BusyError", "Another writer is at work.", BS_BUSY},
	{"bitsift.StoppedError", "A callback asked to stop.", BS_STOPPED},
	{"bitsift.UntrustedError",
         "The index is another user's, or nobody has consented that a source be read: trust=True.", BS_UNTRUSTED},
	{"bitsift.DeadlineError", "The call took as long as it may.", BS_DEADLINE},
};

static PyObject *python_kin(enum bs_status status)
{
	switch (status) {
	case BS_INVALID:
		return PyExc_ValueError;
	case BS_NO_MEMORY:
		return PyExc_MemoryError;
	case BS_IO:
		return PyExc_OSError;
	case BS_NOT_FOUND:
		return PyExc_FileNotFoundError;
	case BS_BUSY:
		return PyExc_BlockingIOError;
	case BS_UNTRUSTED:
		return PyExc_PermissionError;
	case BS_DEADLINE:
		return PyExc_TimeoutError;
	default:
		return PyExc_RuntimeError;
	}
}

static bool add_error(PyObject *module, const struct kin *one)
{
	PyObject *bases = PyTuple_Pack(2, bs_py_types.errors[BS_OK], python_kin(one->status));
	PyObject *members =
		bases ? Py_BuildValue("{s:s,s:O}", "status", bs_status_name(one->status), "position", Py_None) : NULL;
	PyObject *error = members ? PyErr_NewExceptionWithDoc(one->name, one->doc, bases, members) : NULL;
	Py_XDECREF(bases);
	Py_XDECREF(members);
	bs_py_types.errors[one->status] = error;
	return error && PyModule_AddObjectRef(module, one->name + sizeof("bitsift.") - 1, error) == 0;
}

static bool add_errors(PyObject *module)
{
	PyObject *members = Py_BuildValue("{s:s,s:O}", "status", "error", "position", Py_None);
	PyObject *error =
		members ? PyErr_NewExceptionWithDoc("bitsift.Error",
	                                            "What the library reports. status: its name there.", NULL, members)
			: NULL;
	Py_XDECREF(members);
	bs_py_types.errors[BS_OK] = error;
	bool ok = error && PyModule_AddObjectRef(module, "Error", error) == 0;
	for (size_t i = 0; i < sizeof(kin) / sizeof(*kin) && ok; i++)
		ok = add_error(module, &kin[i]);
	return ok;
}

static PyObject *kernels(PyObject *module, PyObject *unused)
{
	const char *names[16];
	size_t n = bs_kernel_names(names, 16);
	PyObject *list = PyList_New(0);
	(void)module;
	(void)unused;
	for (size_t i = 0; list && i < n && i < 16; i++) {
		PyObject *name = PyUnicode_FromString(names[i]);
		if (!name || PyList_Append(list, name) < 0)
			Py_CLEAR(list);
		Py_XDECREF(name);
	}
	return list;
}

static PyMethodDef functions[] = {
	BS_PY_DOCUMENTED("kernels", kernels, METH_NOARGS,
                         "kernels()\n--\n\nThe SIMD code that this machine can run, best first."),
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "bitsift._bitsift",
                                        "The library behind bitsift.",
                                        -1,
                                        functions,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__bitsift(void);
PyMODINIT_FUNC PyInit__bitsift(void)
{
	PyObject *module = PyModule_Create(&definition);
	if (module && (!add_errors(module) || !bs_py_add_searching(module) || !bs_py_add_writing(module) ||
	               !bs_py_add_grep(module) || !bs_py_add_matrix(module) ||
	               PyModule_AddStringConstant(module, "version", bs_version()) < 0))
		Py_CLEAR(module);
	return module;
}
