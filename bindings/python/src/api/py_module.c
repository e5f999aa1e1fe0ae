/* py_module.c: bitsift._bitsift: its exceptions, and what the other files put into it. See py_bitsift.h. */
#include "../base/py_bitsift.h"

struct bs_py_types bs_py_types;

void bs_py_free(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

PyTypeObject *bs_py_add_sequence(PyObject *module, const char *name, PyStructSequence_Desc *desc)
{
	PyTypeObject *type = PyStructSequence_NewType(desc);
	if (type && PyModule_AddObjectRef(module, name, (PyObject *)type) < 0)
		Py_CLEAR(type);
	return type;
}

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
         "What was asked for makes no sense. position: where in the query, in characters, and caret: a picture of it; "
         "or None.",
         BS_INVALID},
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
	PyObject *members = bases ? Py_BuildValue("{s:s,s:O,s:O}", "status", bs_status_name(one->status), "position",
	                                          Py_None, "caret", Py_None)
	                          : NULL;
	PyObject *error = members ? PyErr_NewExceptionWithDoc(one->name, one->doc, bases, members) : NULL;
	Py_XDECREF(bases);
	Py_XDECREF(members);
	bs_py_types.errors[one->status] = error;
	return error && PyModule_AddObjectRef(module, one->name + sizeof("bitsift.") - 1, error) == 0;
}

static bool add_errors(PyObject *module)
{
	PyObject *members = Py_BuildValue("{s:s,s:O,s:O}", "status", "error", "position", Py_None, "caret", Py_None);
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

/* What the module was when it was first made: types and errors are those of the process, which all that is asked for later share. */
static PyObject *first;

static int fill(PyObject *module)
{
	if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
		PyErr_SetString(PyExc_ImportError, "bitsift does not work in a subinterpreter");
		return -1;
	}
	if (first)
		return PyDict_Update(PyModule_GetDict(module), PyModule_GetDict(first));
	if (!add_errors(module) || !bs_py_add_analyzer(module) || !bs_py_add_limits(module) ||
	    !bs_py_add_handle(module) || !bs_py_add_hits(module) || !bs_py_add_search(module) ||
	    !bs_py_add_query(module) || !bs_py_add_statistics(module) || !bs_py_add_writer(module) ||
	    !bs_py_add_files(module) || !bs_py_add_grep(module) || !bs_py_add_lines(module) ||
	    !bs_py_add_matrix(module) || PyModule_AddStringConstant(module, "version", bs_version()) < 0)
		return -1;
	first = Py_NewRef(module);
	return 0;
}

static PyModuleDef_Slot slots[] = {
	{Py_mod_exec, (void *)(uintptr_t)fill},
	{0, NULL},
};

static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                        .m_name = "bitsift._bitsift",
                                        .m_doc = "The library behind bitsift.",
                                        .m_methods = functions,
                                        .m_slots = slots};

PyMODINIT_FUNC PyInit__bitsift(void);
PyMODINIT_FUNC PyInit__bitsift(void)
{
	return PyModuleDef_Init(&definition);
}
