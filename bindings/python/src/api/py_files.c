/* py_files.c: see py_files.h. */
#include "py_files.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bitsift/build.h>
#include <bitsift/index_build.h>
#include <bitsift/index_check.h>
#include <bitsift/index_delete.h>
#include <bitsift/index_locate.h>

#include "../base/py_callbacks.h"
#include "../base/py_context.h"
#include "../base/py_messages.h"

/* How much was skipped, by reason: {"binary files": 3}. */
static PyObject *make_left_out(const struct bs_build_report *report)
{
	PyObject *dict = PyDict_New();
	for (unsigned i = 0; dict && i < BS_SKIP_MAX; i++) {
		if (report->skipped[i] == 0)
			continue;
		PyObject *n = PyLong_FromUnsignedLongLong(report->skipped[i]);
		PyObject *name = bs_py_message(bs_skip_name((enum bs_skip)i, 2));
		if (!n || !name || PyDict_SetItem(dict, name, n) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(n);
		Py_XDECREF(name);
	}
	return dict;
}

static const char *const steps[] = {"look", "read", "write"}; /* indexed by enum bs_build_step */

PyObject *bs_py_report(const struct bs_build_report *report, const struct bs_py_bytes *notices)
{
	uint64_t n_skipped = 0;
	for (size_t i = 0; i < BS_SKIP_MAX; i++)
		n_skipped += report->skipped[i];
	const struct bs_py_number numbers[] = {
		{"docs", report->n_docs},
		{"indexed", report->n_indexed},
		{"replaced", report->n_replaced},
		{"kept_out", report->n_kept_out},
		{"unchanged", report->n_unchanged},
		{"renewed", report->n_renewed},
		{"changed", report->n_changed},
		{"removed", report->n_removed},
		{"unread", report->n_unread},
		{"skipped", n_skipped},
		{"text_bytes", report->text_bytes},
		{"written_bytes", report->written_bytes},
		{"index_bytes", report->index_bytes},
		{"segments", report->n_segments},
		{"terms", report->n_terms},
		{"postings", report->n_postings},
		{"excluded", report->n_excluded},
		{"compacted", report->n_compacted},
		{"moved", report->n_moved},
		{"stayed", report->n_stayed},
		{"step_done", report->step_done},
		{"step_total", report->step_total},
	};
	const struct bs_py_bytes none = {.data = NULL};
	PyObject *dict = Py_BuildValue(
		"{s:d,s:O,s:N,s:s,s:N,s:N}", "seconds", (double)report->elapsed_ns / 1e9,
		"committed", report->is_committed ? Py_True : Py_False, "warning",
		bs_py_message(report->warning), "step",
		steps[(unsigned)report->step < 3 ? report->step : 0], "left_out",
		make_left_out(report), "notices", bs_py_lines(notices ? notices : &none));
	return bs_py_result("BuildReport", BS_PY_PUT_NUMBERS(dict, numbers));
}

/* A call of build, compact, delete or check. */
struct files_call {
	struct bs_py_bytes notices; /* first member, as bs_py_record_line requires */
	union {
		struct bs_build_request build;
		struct bs_delete_request delete;
		struct bs_check_request check;
	} request;
	struct bs_py_context context;
	struct bs_py_deadline deadline;
	struct bs_py_keep keep;
	PyObject *progress, *confirm; /* the functions that the caller passed; nullable */
	struct bs_py_bytes names; /* names of deleted documents, each after its length, a size_t */
	size_t n_names;
	uint64_t told_ns; /* when `progress` was last called */
	/* has_context: files_call_end must clear `context`. is_failed: memory ran out while a
	 * name was recorded. */
	bool has_context, is_failed;
};

#define AT(member)      offsetof(struct files_call, member)
#define BUILD(member)   AT(request.build.member)
#define DELETED(member) AT(request.delete.member)

static const struct bs_py_option build_options[] = {
	{"dir", BS_PY_CHARS, BUILD(dir), 0, NULL, NULL},
	{"sources", BS_PY_STRINGS, BUILD(sources), BUILD(n_sources), NULL, NULL},
	{"forget", BS_PY_STRINGS, BUILD(forget), BUILD(n_forget), NULL, NULL},
	{"words", BS_PY_BOOL, BUILD(index.words), 0, NULL, NULL},
	{"grams", BS_PY_BOOL, BUILD(index.grams), 0, NULL, NULL},
	{"stem", BS_PY_CHARS, BUILD(index.stem_language), 0, NULL, NULL},
	{"fold_accents", BS_PY_BOOL, BUILD(index.fold_accents), 0, NULL, NULL},
	{"split_identifiers", BS_PY_BOOL, BUILD(index.split_identifiers), 0, NULL, NULL},
	{"weights", BS_PY_WEIGHTS, BUILD(index.weights), 0, NULL, NULL},
	{"hidden", BS_PY_BOOL, BUILD(rules.hidden), 0, NULL, NULL},
	{"no_ignore", BS_PY_BOOL, BUILD(rules.no_ignore), 0, NULL, NULL},
	{"binary_as_text", BS_PY_BOOL, BUILD(rules.binary_as_text), 0, NULL, NULL},
	{"max_document_bytes", BS_PY_U64, BUILD(rules.max_document_bytes), 0, NULL, NULL},
	{"id_field", BS_PY_CHARS, BUILD(rules.id_field), 0, NULL, NULL},
	{"text_fields", BS_PY_STRINGS, BUILD(rules.text_fields), 0, NULL, NULL},
	{"globs", BS_PY_STRINGS, BUILD(rules.globs), 0, NULL, NULL},
	{"records", BS_PY_STRINGS, BUILD(rules.records), 0, NULL, NULL},
	{"no_records", BS_PY_BOOL, BUILD(rules.no_records), 0, NULL, NULL},
	{"store", BS_PY_BOOL, BUILD(rules.store), 0, NULL, NULL},
	{"density", BS_PY_DOUBLE, BUILD(index.density), 0, NULL, NULL},
	{"rebuild", BS_PY_BOOL, BUILD(rebuild), 0, NULL, NULL},
	{"strict", BS_PY_BOOL, BUILD(strict), 0, NULL, NULL},
	{"wait", BS_PY_BOOL, BUILD(write.wait), 0, NULL, NULL},
	{"names_hidden", BS_PY_BOOL, BUILD(callbacks.names_hidden), 0, NULL, NULL},
	{"shared", BS_PY_BOOL, BUILD(shared), 0, NULL, NULL},
	{"memory_bytes", BS_PY_U64, BUILD(write.memory_bytes), 0, NULL, NULL},
	{"threads", BS_PY_U32, BUILD(write.n_threads), 0, NULL, NULL},
	{"progress", BS_PY_FUNCTION, AT(progress), 0, NULL, NULL},
	BS_PY_CONTEXT_OPTIONS(struct files_call, context),
	BS_PY_DEADLINE_OPTIONS(struct files_call, deadline),
	{NULL, BS_PY_BOOL, 0, 0, NULL, NULL},
};

static const struct bs_py_option delete_options[] = {
	{"dir", BS_PY_CHARS, DELETED(dir), 0, NULL, NULL},
	{"ids", BS_PY_STRINGS, DELETED(ids), DELETED(n_ids), NULL, NULL},
	{"query", BS_PY_BYTES, DELETED(query), DELETED(query_bytes), NULL, NULL},
	{"any", BS_PY_BOOL, DELETED(any), 0, NULL, NULL},
	{"undo", BS_PY_BOOL, DELETED(undo), 0, NULL, NULL},
	{"dry_run", BS_PY_BOOL, DELETED(dry_run), 0, NULL, NULL},
	{"wait", BS_PY_BOOL, DELETED(wait), 0, NULL, NULL},
	{"confirm", BS_PY_FUNCTION, AT(confirm), 0, NULL, NULL},
	BS_PY_CONTEXT_OPTIONS(struct files_call, context),
	BS_PY_DEADLINE_OPTIONS(struct files_call, deadline),
	{NULL, BS_PY_BOOL, 0, 0, NULL, NULL},
};

static const struct bs_py_option check_options[] = {
	{"dir", BS_PY_CHARS, AT(request.check.dir), 0, NULL, NULL},
	{"progress", BS_PY_FUNCTION, AT(progress), 0, NULL, NULL},
	BS_PY_CONTEXT_OPTIONS(struct files_call, context),
	BS_PY_DEADLINE_OPTIONS(struct files_call, deadline),
	{NULL, BS_PY_BOOL, 0, 0, NULL, NULL},
};

/* Reads the options. False with an exception set; files_call_end must be called in any case. */
static bool files_call_begin(struct files_call *call, PyObject *arguments, PyObject *keywords,
                             const struct bs_py_option *options)
{
	bs_py_deadline_init(&call->deadline);
	if (!PyArg_ParseTuple(arguments, "") ||
	    !bs_py_read_options(&call->keep, keywords, options, call))
		return false;
	call->has_context = true;
	bs_py_deadline_begin(&call->deadline);
	return bs_py_context_begin(&call->context);
}

static void files_call_end(struct files_call *call)
{
	if (call->has_context)
		bs_py_context_clear(&call->context);
	bs_py_bytes_free(&call->notices);
	bs_py_bytes_free(&call->names);
	bs_py_keep_free(&call->keep);
}

/* True if the call succeeded; otherwise an exception is set. */
static bool is_well(struct files_call *call, enum bs_status status, const struct bs_error *err)
{
	bs_py_context_failed(&call->context);
	if (call->is_failed)
		PyErr_NoMemory();
	if (status)
		(void)bs_py_raise(status, err);
	return !PyErr_Occurred();
}

/* The minimum interval of calls of the progress function. */
#define PROGRESS_NS 50000000u

static bool is_time(struct files_call *call)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	if (now_ns - call->told_ns < PROGRESS_NS)
		return false;
	call->told_ns = now_ns;
	return true;
}

/* Calls a Python function and releases `arguments`. Returns nonzero if the function raised an
 * exception or could not be called; the exception stays set. With wants_true, also returns nonzero
 * if the function returned a false value. */
static int tell(PyObject *function, PyObject *arguments, bool wants_true)
{
	PyObject *answer = NULL;
	int is_true = -1;
	if (arguments && !PyErr_Occurred() && bs_py_callback_begin(NULL)) {
		answer = PyObject_CallObject(function, arguments);
		is_true = answer ? PyObject_IsTrue(answer) : -1;
		Py_XDECREF(answer);
		bs_py_callback_end();
	}
	Py_XDECREF(arguments);
	return is_true < 0 || (wants_true && !is_true);
}

static int hear_progress(void *context, const struct bs_build_report *so_far)
{
	struct files_call *call = context;
	if (!call->progress || !is_time(call))
		return 0;
	PyGILState_STATE gil = PyGILState_Ensure();
	int stops = tell(call->progress, Py_BuildValue("(N)", bs_py_report(so_far, NULL)), false);
	PyGILState_Release(gil);
	return stops;
}

static void hear_check_progress(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
	struct files_call *call = context;
	if (!call->progress || !is_time(call))
		return;
	PyGILState_STATE gil = PyGILState_Ensure();
	(void)tell(call->progress,
	           Py_BuildValue("(KK)", (unsigned long long)done_bytes,
	                         (unsigned long long)total_bytes),
	           false);
	PyGILState_Release(gil);
}

static int hear_confirm(void *context, uint64_t n_documents)
{
	struct files_call *call = context;
	if (!call->confirm)
		return 0;
	PyGILState_STATE gil = PyGILState_Ensure();
	int stops =
		tell(call->confirm, Py_BuildValue("(K)", (unsigned long long)n_documents), true);
	PyGILState_Release(gil);
	return stops;
}

static void hear_skipped(void *context, enum bs_skip reason, const char *message)
{
	(void)reason;
	bs_py_record_line(context, message);
}

static void hear_document(void *context, const char *local_id, size_t local_id_bytes)
{
	struct files_call *call = context;
	call->is_failed |= !bs_py_append(&call->names, &local_id_bytes, sizeof(local_id_bytes)) ||
	                   !bs_py_append(&call->names, local_id, local_id_bytes);
	call->n_names++;
}

/* build(dir=, sources=, ...) calls bs_index_build; compact(dir=, ...) calls bs_index_compact. */
static PyObject *build(PyObject *arguments, PyObject *keywords, bool is_compact)
{
	struct files_call call = {.request = {.build = {.dir = NULL}}};
	struct bs_build_request *request = &call.request.build;
	struct bs_build_report report;
	struct bs_error err;
	bool ok = files_call_begin(&call, arguments, keywords, build_options);
	if (ok) {
		enum bs_status status;
		BS_PY_FILL_REQUEST(request, &call.context, &call.deadline);
		request->callbacks.progress = hear_progress;
		request->callbacks.skipped = hear_skipped;
		request->callbacks.notice = bs_py_record_line;
		request->callbacks.context = &call;
		BS_PY_WITHOUT_GIL(status = (is_compact ? bs_index_compact
		                                       : bs_index_build)(request, &report, &err));
		ok = is_well(&call, status, &err);
	}
	PyObject *answer = ok ? bs_py_report(&report, &call.notices) : NULL;
	files_call_end(&call);
	return answer;
}

static PyObject *build_index(PyObject *module, PyObject *arguments, PyObject *keywords)
{
	(void)module;
	return build(arguments, keywords, false);
}

static PyObject *compact_index(PyObject *module, PyObject *arguments, PyObject *keywords)
{
	(void)module;
	return build(arguments, keywords, true);
}

static PyObject *make_names(const struct files_call *call)
{
	PyObject *list = PyList_New((Py_ssize_t)call->n_names);
	const char *at = call->names.data;
	for (size_t i = 0; list && i < call->n_names; i++) {
		size_t n_bytes;
		memcpy(&n_bytes, at, sizeof(n_bytes));
		PyObject *name = bs_py_string(at + sizeof(n_bytes), n_bytes);
		at += sizeof(n_bytes) + n_bytes;
		if (!name || PyList_SetItem(list, (Py_ssize_t)i, name) < 0)
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *delete_documents(PyObject *module, PyObject *arguments, PyObject *keywords)
{
	struct files_call call = {.request = {.delete = {.dir = NULL}}};
	struct bs_delete_request *request = &call.request.delete;
	struct bs_delete_result result = {.error_byte = SIZE_MAX};
	struct bs_error err;
	(void)module;
	bool ok = files_call_begin(&call, arguments, keywords, delete_options);
	if (ok) {
		enum bs_status status;
		BS_PY_FILL_REQUEST(request, &call.context, &call.deadline);
		request->callbacks.notice = bs_py_record_line;
		request->callbacks.document = hear_document;
		request->callbacks.confirm = hear_confirm;
		request->callbacks.context = &call;
		BS_PY_WITHOUT_GIL(status = bs_index_delete(request, &result, &err));
		if (status && !PyErr_Occurred())
			(void)bs_py_raise_at(status, &err, request->query, request->query_bytes,
			                     result.error_byte);
		ok = is_well(&call, status, &err);
	}
	PyObject *answer = ok ? Py_BuildValue("{s:K,s:N,s:K,s:K,s:K,s:N}", "deleted",
	                                      (unsigned long long)result.n_deleted, "documents",
	                                      make_names(&call), "unreadable",
	                                      (unsigned long long)result.n_unreadable, "to_read",
	                                      (unsigned long long)result.n_to_read, "lost",
	                                      (unsigned long long)result.n_lost, "notices",
	                                      bs_py_lines(&call.notices))
	                      : NULL;
	files_call_end(&call);
	return bs_py_result("DeleteReport", answer);
}

static PyObject *check_index(PyObject *module, PyObject *arguments, PyObject *keywords)
{
	struct files_call call = {.request = {.check = {.dir = NULL}}};
	struct bs_check_request *request = &call.request.check;
	struct bs_check_report report;
	struct bs_error err;
	(void)module;
	bool ok = files_call_begin(&call, arguments, keywords, check_options);
	if (ok) {
		enum bs_status status;
		request->memory = bs_py_context_memory(&call.context);
		request->host.consent = &call.context.consent;
		request->limits = &call.deadline.limits;
		request->progress = hear_check_progress;
		request->context = &call;
		BS_PY_WITHOUT_GIL(status = bs_index_check(request, &report, &err));
		ok = is_well(&call, status, &err);
	}
	PyObject *answer =
		ok ? Py_BuildValue("{s:K,s:K,s:K}", "docs", (unsigned long long)report.n_docs,
	                           "segments", (unsigned long long)report.n_segments, "bytes",
	                           (unsigned long long)report.n_bytes)
		   : NULL;
	files_call_end(&call);
	return bs_py_result("CheckReport", answer);
}

static PyObject *locate_index(PyObject *module, PyObject *unused)
{
	char *dir;
	struct bs_error err;
	(void)module;
	(void)unused;
	enum bs_status status = bs_index_locate(&dir, &err);
	if (status)
		return bs_py_raise(status, &err);
	PyObject *path = bs_py_string(dir, strlen(dir));
	free(dir);
	return path;
}

static PyMethodDef functions[] = {
	BS_PY_METHOD("build", build_index, METH_VARARGS | METH_KEYWORDS),
	BS_PY_METHOD("compact", compact_index, METH_VARARGS | METH_KEYWORDS),
	BS_PY_METHOD("delete", delete_documents, METH_VARARGS | METH_KEYWORDS),
	BS_PY_METHOD("check", check_index, METH_VARARGS | METH_KEYWORDS),
	BS_PY_DOCUMENTED("locate", locate_index, METH_NOARGS,
                         "locate()\n--\n\nReturns the nearest directory .bitsift in the working "
                         "directory or above it. Raises NotFoundError if there is none."),
	{NULL, NULL, 0, NULL},
};

bool bs_py_add_files(PyObject *module)
{
	return PyModule_AddFunctions(module, functions) == 0;
}
