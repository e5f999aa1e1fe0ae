/* py_types.c: see py_types.h. */
#include "py_types.h"

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
