/* py_document.h: documents of Python as texts of the library. */
#pragma once

#include <bitsift/host.h>

#include "py_convert.h"

/* Texts that grow. Zero-initialise; `items` may move with every append.
 * bs_py_bytes_free(&texts.bytes) frees them. */
struct bs_py_text_list {
	union {
		struct bs_py_bytes bytes;
		struct bs_text *items;
	};
};
static inline size_t bs_py_n_texts(const struct bs_py_text_list *texts)
{
	return texts->bytes.n_bytes / sizeof(*texts->items);
}

/* The texts of a document as Python has it: a str is one without a name; of a mapping each str and
 * number, those of a list one after the other, those of a mapping inside with a dot between the
 * names. Appended to texts, which borrow from keep. */
bool bs_py_document(struct bs_py_keep *keep, PyObject *document, struct bs_py_text_list *texts);
/* ... and back: {field: text}, or {field: [text, ...]} where it comes again. */
PyObject *bs_py_texts(const struct bs_text *texts, size_t n);
