/* py_module.c: the module bitsift._bitsift. The other files add their classes and functions to
 * it. */
#include <bitsift.h>
#include <bitsift/kernel_names.h>

#include "../base/py_analyzer.h"
#include "../base/py_limits.h"
#include "../base/py_memory.h"
#include "../base/py_messages.h"
#include "py_files.h"
#include "py_grep.h"
#include "py_handle.h"
#include "py_hits.h"
#include "py_lines.h"
#include "py_matrix.h"
#include "py_query.h"
#include "py_search.h"
#include "py_statistics.h"
#include "py_writer.h"

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
	BS_PY_DOCUMENTED(
		"kernels", kernels, METH_NOARGS,
		"kernels()\n--\n\nThe names of the SIMD kernels that this machine can run, "
		"best first."),
	{NULL, NULL, 0, NULL},
};

/* The first object of this module that was created. Because types and errors are global to the
 * process, later objects of the module share the contents of the first. */
static PyObject *first;

static int fill(PyObject *module)
{
	if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
		PyErr_SetString(PyExc_ImportError, "bitsift does not work in a subinterpreter");
		return -1;
	}
	if (first)
		return PyDict_Update(PyModule_GetDict(module), PyModule_GetDict(first));
	if (!bs_py_add_errors(module) || !bs_py_add_analyzer(module) || !bs_py_add_limits(module) ||
	    !bs_py_add_memory(module) || !bs_py_add_handle(module) || !bs_py_add_hits(module) ||
	    !bs_py_add_search(module) || !bs_py_add_query(module) ||
	    !bs_py_add_statistics(module) || !bs_py_add_writer(module) ||
	    !bs_py_add_files(module) || !bs_py_add_grep(module) || !bs_py_add_lines(module) ||
	    !bs_py_add_matrix(module) ||
	    PyModule_AddStringConstant(module, "version", bs_version()) < 0)
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
