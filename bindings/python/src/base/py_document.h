/* py_document.h: documents of Python as texts of the library. */
#ifndef BS_PY_DOCUMENT_H
#define BS_PY_DOCUMENT_H

#include "py_convert.h"

/* The texts of a document as Python has it: a str is one without a name; of a mapping each str and number, those of a list one after the
 * other, those of a mapping inside with a dot between the names. Appended to texts (struct bs_text each), which borrow from keep. */
bool bs_py_document(struct bs_py_keep *keep, PyObject *document, struct bs_py_bytes *texts);
/* ... and back: {field: text}, or {field: [text, ...]} where it comes again. */
PyObject *bs_py_texts(const struct bs_text *texts, size_t n);

#endif
