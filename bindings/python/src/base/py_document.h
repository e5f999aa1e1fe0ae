/* py_document.h: converts between Python documents and the library's texts. */
#pragma once

#include <bitsift/host.h>

#include "py_convert.h"

/* A growing list of texts. Zero-initialise. `items` is bytes.data as a typed array, which may move
 * with every append. bs_py_bytes_free(&texts.bytes) frees the list. */
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

/* Appends the texts of a Python document, which borrow from `keep`. A str or bytes is one text,
 * whose field has no name. A mapping has a text for each str, bytes or number, whose field is the
 * key; None and bool are skipped; a list has several texts of the same field; the keys of a nested
 * mapping are added to the outer key after a dot. False with an exception set. */
bool bs_py_document(struct bs_py_keep *keep, PyObject *document, struct bs_py_text_list *texts);
/* The inverse of bs_py_document. Returns {field: text}, or {field: [text, ...]} if the field occurs
 * several times. */
PyObject *bs_py_texts(const struct bs_text *texts, size_t n);
