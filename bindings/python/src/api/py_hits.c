/* py_hits.c: see py_hits.h. */
#include "py_hits.h"

#include <bitsift/search_result.h>
#include <string.h>

struct hit {
	/* owner: see bs_py_make_hits */
	PyObject_HEAD PyObject *id, *path, *name, *value, *owner;
	/* (snippet, is_changed, passages, best); NULL: not yet requested from the owner */
	PyObject *detail;
	double score;
	unsigned long long rank, document;
	char is_date;
};

/* Returns the member `detail`, borrowed; requests it from the owner if it is NULL. None if there is
 * no owner. */
static PyObject *detail_of(struct hit *self)
{
	if (!self->detail && self->owner != Py_None) {
		PyObject *detail = PyObject_CallMethod(self->owner, "_detail", "K", self->document);
		if (!detail)
			return NULL;
		/* Another thread may have set self->detail during the call. */
		if (self->detail)
			Py_DECREF(detail);
		else
			self->detail = detail;
	}
	return self->detail ? self->detail : Py_None;
}

/* part: the number of the item in the tuple `detail`. */
static PyObject *hit_part(PyObject *self, void *part)
{
	PyObject *detail = detail_of((struct hit *)self);
	if (!detail)
		return NULL;
	PyObject *value =
		detail == Py_None ? Py_None : PyTuple_GetItem(detail, (Py_ssize_t)(intptr_t)part);
	Py_XINCREF(value);
	return value;
}

static PyObject *hit_repr(PyObject *object)
{
	struct hit *self = (struct hit *)object;
	PyObject *score = PyFloat_FromDouble(self->score);
	PyObject *text =
		score ? PyUnicode_FromFormat("<bitsift.Hit %R score=%R>", self->id, score) : NULL;
	Py_XDECREF(score);
	return text;
}

static int hit_traverse(PyObject *object, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(object));
	Py_VISIT(((struct hit *)object)->owner);
	return 0;
}

static void hit_dealloc(PyObject *object)
{
	struct hit *self = (struct hit *)object;
	PyObject_GC_UnTrack(object);
	Py_XDECREF(self->id);
	Py_XDECREF(self->path);
	Py_XDECREF(self->name);
	Py_XDECREF(self->value);
	Py_XDECREF(self->owner);
	Py_XDECREF(self->detail);
	bs_py_free(object);
}

#define MEMBER(name, type, doc)                                        \
	{                                                              \
#name, type, offsetof(struct hit, name), READONLY, doc \
	}

static PyMemberDef hit_members[] = {
	MEMBER(id, T_OBJECT_EX, "The document's id."),
	MEMBER(path, T_OBJECT_EX,
               "The file that its text stands in, openable from the working directory; \"-\": the "
               "index."),
	MEMBER(name, T_OBJECT_EX,
               "The id as `bitsift query --ids` prints it here: of a file its path, of a record "
               "its id."),
	MEMBER(value, T_OBJECT_EX, "With sort: the value that counts, or None."),
	MEMBER(is_date, T_BOOL, "With sort: that value is a date."),
	MEMBER(score, T_DOUBLE, "By BM25."),
	MEMBER(rank, T_ULONGLONG, "1, 2, ..."),
	MEMBER(document, T_ULONGLONG,
               "A number that no other document of this opened index has; the matrix knows it."),
	{NULL, 0, 0, 0, NULL},
};

static PyGetSetDef hit_properties[] = {
	{"snippet", hit_part, NULL,
         "Some text around the words found; None: the text is gone. Made when it is first asked "
         "for.",
         (void *)0},
	{"is_changed", hit_part, NULL, "The text is not what was indexed.", (void *)1},
	{"passages", hit_part, NULL,
         "A list of Passage: all places where words of the query stand, in order.", (void *)2},
	{"best", hit_part, NULL,
         "The Passage that has most distinct words, or that of the beginning.", (void *)3},
	{NULL, NULL, NULL, NULL, NULL},
};

static char hit_doc[] = "A document that matches.";

static PyType_Slot hit_slots[] = {
	{Py_tp_doc, hit_doc},
	{Py_tp_dealloc, hit_dealloc},
	{Py_tp_repr, hit_repr},
	{Py_tp_members, hit_members},
	{Py_tp_getset, hit_properties},
	{Py_tp_traverse, hit_traverse},
	{0, NULL},
};

static PyType_Spec hit_spec = {
	"bitsift.Hit", sizeof(struct hit), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, hit_slots};

static PyStructSequence_Field passage_fields[] = {
	{"line", "1, 2, ...: of the file; of a record, its line in the collection; 0: unknown"},
	{"column", "1, 2, ...: in that line, in bytes"},
	{"start", "byte of the file, or of the text of the field, where the first word begins"},
	{"stop", "... where the last one ends"},
	{"field", "of a record: the field's name"},
	{"text", "the lines that the words stand in, as one"},
	{NULL, NULL},
};

static PyStructSequence_Desc passage_desc = {
	"bitsift.Passage", "A place in a document where words of the query stand.", passage_fields,
	6};

/* The recorded length of a string that is missing; it becomes None. */
#define NONE SIZE_MAX
/* The beginning of a recorded hit. After it come the strings whose sizes it has (id, local id,
 * path, value and snippet), then the passages and, if there are details, the best passage. */
struct heard_hit {
	uint64_t rank, document;
	double score;
	size_t id_bytes, name_bytes, path_bytes, value_bytes, snippet_bytes, n_passages;
	bool is_changed, is_date;
};
/* The beginning of a recorded passage. The field and the text follow. */
struct heard_passage {
	uint64_t line, column, start, stop;
	size_t field_bytes, text_bytes;
};
static bool hear_passage(struct bs_py_hits *heard, const struct bs_passage *passage)
{
	struct heard_passage one = {passage->line,      passage->column,      passage->start_byte,
	                            passage->stop_byte, passage->field_bytes, passage->text_bytes};
	return bs_py_append(&heard->bytes, &one, sizeof(one)) &&
	       bs_py_append(&heard->bytes, passage->field, passage->field_bytes) &&
	       bs_py_append(&heard->bytes, passage->text, passage->text_bytes);
}

static bool hear_whole(struct bs_py_hits *heard, const struct bs_hit *hit)
{
	struct heard_hit one = {
		.rank = hit->rank,
		.document = hit->document,
		.score = hit->score,
		.id_bytes = hit->id_bytes,
		.name_bytes = hit->local_id_bytes,
		.path_bytes = strlen(hit->path),
		.value_bytes = hit->value ? strlen(hit->value) : NONE,
		.snippet_bytes = heard->has_details && hit->snippet ? hit->snippet_bytes : NONE,
		.n_passages = heard->has_details ? hit->n_passages : 0,
		.is_changed = hit->is_changed,
		.is_date = hit->is_date,
	};
	struct bs_py_bytes *hits = &heard->bytes;
	bool ok =
		bs_py_append(hits, &one, sizeof(one)) &&
		bs_py_append(hits, hit->id, one.id_bytes) &&
		bs_py_append(hits, hit->local_id, one.name_bytes) &&
		bs_py_append(hits, hit->path, one.path_bytes) &&
		(!hit->value || bs_py_append(hits, hit->value, one.value_bytes)) &&
		(one.snippet_bytes == NONE || bs_py_append(hits, hit->snippet, one.snippet_bytes));
	for (size_t i = 0; i < one.n_passages && ok; i++)
		ok = hear_passage(heard, &hit->passages[i]);
	return ok && (!heard->has_details || hear_passage(heard, &hit->best));
}

int bs_py_record_hit(void *context, const struct bs_hit *hit)
{
	struct bs_py_hits *heard = context;
	bool ok = heard->only_ids
	                  ? bs_py_append(&heard->bytes, &hit->id_bytes, sizeof(hit->id_bytes)) &&
	                            bs_py_append(&heard->bytes, hit->id, hit->id_bytes)
	                  : hear_whole(heard, hit);
	heard->n += ok;
	heard->is_short_of_memory |= !ok;
	return !ok;
}

static PyObject *take_string(const char **at, size_t n_bytes)
{
	if (n_bytes == NONE)
		Py_RETURN_NONE;
	PyObject *string = bs_py_string(*at, n_bytes);
	*at += n_bytes;
	return string;
}

static PyObject *make_passage(const char **at)
{
	struct heard_passage heard;
	memcpy(&heard, *at, sizeof(heard));
	*at += sizeof(heard);
	PyObject *passage = PyStructSequence_New(bs_py_types.passage);
	if (!passage)
		return NULL;
	PyStructSequence_SetItem(passage, 0, PyLong_FromUnsignedLongLong(heard.line));
	PyStructSequence_SetItem(passage, 1, PyLong_FromUnsignedLongLong(heard.column));
	PyStructSequence_SetItem(passage, 2, PyLong_FromUnsignedLongLong(heard.start));
	PyStructSequence_SetItem(passage, 3, PyLong_FromUnsignedLongLong(heard.stop));
	PyStructSequence_SetItem(passage, 4, take_string(at, heard.field_bytes));
	PyStructSequence_SetItem(passage, 5, take_string(at, heard.text_bytes));
	if (PyErr_Occurred())
		Py_CLEAR(passage);
	return passage;
}

static PyObject *make_detail(const struct heard_hit *heard, const char **at)
{
	PyObject *snippet = take_string(at, heard->snippet_bytes);
	PyObject *passages = PyList_New(0);
	for (size_t i = 0; i < heard->n_passages && passages; i++) {
		PyObject *passage = make_passage(at);
		if (!passage || PyList_Append(passages, passage) < 0)
			Py_CLEAR(passages);
		Py_XDECREF(passage);
	}
	PyObject *best = passages ? make_passage(at) : NULL;
	PyObject *detail = snippet && best ? Py_BuildValue("(OOOO)", snippet,
	                                                   heard->is_changed ? Py_True : Py_False,
	                                                   passages, best)
	                                   : NULL;
	Py_XDECREF(snippet);
	Py_XDECREF(passages);
	Py_XDECREF(best);
	return detail;
}

/* The path of the previous hit. Hits of the same record file share the str. */
struct last_path {
	PyObject *path; /* borrowed from the previous hit */
	const char *bytes;
	size_t n_bytes;
};

static PyObject *make_hit(const char **at, PyObject *owner, bool has_details,
                          struct last_path *last)
{
	struct heard_hit heard;
	memcpy(&heard, *at, sizeof(heard));
	*at += sizeof(heard);
	struct hit *hit = (struct hit *)PyType_GenericAlloc(bs_py_types.hit, 0);
	if (!hit)
		return NULL;
	const char *id = *at;
	hit->rank = heard.rank;
	hit->document = heard.document;
	hit->score = heard.score;
	hit->is_date = heard.is_date;
	hit->owner = owner;
	Py_INCREF(owner);
	hit->id = take_string(at, heard.id_bytes);
	if (heard.name_bytes == heard.id_bytes && memcmp(id, *at, heard.id_bytes) == 0) {
		Py_XINCREF(hit->id);
		hit->name = hit->id;
		*at += heard.name_bytes;
	} else {
		hit->name = take_string(at, heard.name_bytes);
	}
	if (last->path && last->n_bytes == heard.path_bytes &&
	    memcmp(last->bytes, *at, heard.path_bytes) == 0) {
		Py_INCREF(last->path);
		hit->path = last->path;
		*at += heard.path_bytes;
	} else {
		last->bytes = *at;
		last->n_bytes = heard.path_bytes;
		last->path = hit->path = take_string(at, heard.path_bytes);
	}
	hit->value = take_string(at, heard.value_bytes);
	if (has_details)
		hit->detail = make_detail(&heard, at);
	if (!hit->id || !hit->name || !hit->path || !hit->value || PyErr_Occurred())
		Py_CLEAR(hit);
	return (PyObject *)hit;
}

PyObject *bs_py_make_hits(const struct bs_py_hits *heard, PyObject *owner)
{
	PyObject *list = PyList_New((Py_ssize_t)heard->n);
	const char *at = heard->bytes.data;
	struct last_path last = {.path = NULL};
	for (size_t i = 0; list && i < heard->n; i++) {
		PyObject *one;
		if (heard->only_ids) {
			size_t n_bytes;
			memcpy(&n_bytes, at, sizeof(n_bytes));
			at += sizeof(n_bytes);
			one = take_string(&at, n_bytes);
		} else {
			one = make_hit(&at, owner, heard->has_details, &last);
		}
		if (!one || PyList_SetItem(list, (Py_ssize_t)i, one) < 0)
			Py_CLEAR(list);
	}
	return list;
}

bool bs_py_add_hits(PyObject *module)
{
	bs_py_types.passage = bs_py_add_sequence(module, "Passage", &passage_desc);
	bs_py_types.hit = bs_py_add_type(module, &hit_spec);
	return bs_py_types.passage && bs_py_types.hit;
}
