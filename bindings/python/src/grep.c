/* grep.c: lines that match, handed to a function of Python in batches. See bitsift_py.h; the iterator is made of it in
 * bitsift/__init__.py, on a thread of its own. */
#include "bitsift_py.h"

#include <string.h>
#include <time.h>

static PyStructSequence_Field line_fields[] = {
	{"path", "the file, as it is shown"},
	{"number", "1, 2, ..."},
	{"text", "the line without its end; None: a file is listed"},
	{"matches", "pairs (start, stop) of characters of the text"},
	{"offset", "byte of the file where the text begins"},
	{"is_context", "a line beside one that matches"},
	{NULL, NULL},
};

static PyStructSequence_Desc line_desc = {"bitsift.Line", "A line that was found.", line_fields, 6};

/* Lines wait no longer than that for others, unless there are none. */
#define BATCH_NS    20000000u
#define BATCH_LINES 4096u
#define BATCH_BYTES (1u << 20)

struct heard_line {
	uint64_t number, byte_off;
	size_t path_bytes, text_bytes, n_matches;
	bool is_context, is_listed;
};

struct heard {
	struct bs_py_bytes lines, notices, name;
	size_t n;
	PyObject *sink;
	uint64_t handed_ns; /* when the last batch was handed out */
	bool is_failed;
	const volatile int *cancel;
};

static uint64_t now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Where a byte of the text stands in its string. */
static Py_ssize_t character_of(const char *text, size_t at)
{
	PyObject *before = bs_py_string(text, at);
	Py_ssize_t n = before ? PyUnicode_GetLength(before) : -1;
	Py_XDECREF(before);
	return n;
}

static PyObject *make_matches(const char *text, bool is_ascii, const char *spans, size_t n)
{
	PyObject *list = PyList_New((Py_ssize_t)n);
	for (size_t i = 0; list && i < n; i++) {
		struct bs_grep_span span;
		memcpy(&span, spans + i * sizeof(span), sizeof(span));
		Py_ssize_t start = is_ascii ? (Py_ssize_t)span.start : character_of(text, span.start);
		Py_ssize_t end = is_ascii ? (Py_ssize_t)span.end : character_of(text, span.end);
		PyObject *pair = start < 0 || end < 0 ? NULL : Py_BuildValue("(nn)", start, end);
		if (!pair || PyList_SetItem(list, (Py_ssize_t)i, pair) < 0)
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *make_line(const char **at)
{
	struct heard_line heard;
	memcpy(&heard, *at, sizeof(heard));
	const char *path = *at + sizeof(heard), *text = path + heard.path_bytes, *spans = text + heard.text_bytes;
	*at = spans + heard.n_matches * sizeof(struct bs_grep_span);
	PyObject *line = PyStructSequence_New(bs_py_types.line);
	PyObject *string = heard.is_listed ? Py_NewRef(Py_None) : bs_py_string(text, heard.text_bytes);
	if (!line || !string) {
		Py_XDECREF(line);
		Py_XDECREF(string);
		return NULL;
	}
	bool is_ascii = heard.is_listed || (size_t)PyUnicode_GetLength(string) == heard.text_bytes;
	PyStructSequence_SetItem(line, 0, bs_py_string(path, heard.path_bytes));
	PyStructSequence_SetItem(line, 1, PyLong_FromUnsignedLongLong(heard.number));
	PyStructSequence_SetItem(line, 2, string);
	PyStructSequence_SetItem(line, 3, make_matches(text, is_ascii, spans, heard.n_matches));
	PyStructSequence_SetItem(line, 4, PyLong_FromUnsignedLongLong(heard.byte_off));
	PyStructSequence_SetItem(line, 5, PyBool_FromLong(heard.is_context));
	if (PyErr_Occurred())
		Py_CLEAR(line);
	return line;
}

/* With the GIL. Whether to go on. */
static bool hand_out(struct heard *heard)
{
	const char *at = heard->lines.data;
	PyObject *list = PyList_New((Py_ssize_t)heard->n);
	for (size_t i = 0; list && i < heard->n; i++) {
		PyObject *line = make_line(&at);
		if (!line || PyList_SetItem(list, (Py_ssize_t)i, line) < 0)
			Py_CLEAR(list);
	}
	PyObject *answer = list ? PyObject_CallFunctionObjArgs(heard->sink, list, NULL) : NULL;
	int stops = answer ? PyObject_IsTrue(answer) : -1;
	Py_XDECREF(list);
	Py_XDECREF(answer);
	heard->lines.n_bytes = heard->n = 0;
	return stops == 0;
}

/* A line is there, or there was no memory for it: hands out what there is, if it is time to. Not 0: to stop. */
static int tell(struct heard *heard, bool ok)
{
	heard->n += ok;
	uint64_t now = now_ns();
	if (ok &&
	    (heard->n >= BATCH_LINES || heard->lines.n_bytes >= BATCH_BYTES || now - heard->handed_ns > BATCH_NS)) {
		PyGILState_STATE gil = PyGILState_Ensure();
		ok = hand_out(heard);
		if (PyErr_Occurred()) {
			PyErr_WriteUnraisable(heard->sink);
			PyErr_Clear();
		}
		PyGILState_Release(gil);
		heard->handed_ns = now_ns();
	}
	heard->is_failed |= !ok;
	return !ok;
}

static int hear_line(void *context, const struct bs_grep_line *line)
{
	struct heard *heard = context;
	size_t text_bytes = line->text ? line->text_bytes : 0;
	if (text_bytes > 0 && line->text[text_bytes - 1] == '\n')
		text_bytes--;
	struct heard_line one = {
		.number = line->number,
		.byte_off = line->byte_off,
		.path_bytes = strlen(line->path),
		.text_bytes = text_bytes,
		.n_matches = line->n_matches,
		.is_context = line->is_context,
		.is_listed = !line->text,
	};
	bool ok = bs_py_append(&heard->lines, &one, sizeof(one)) &&
	          bs_py_append(&heard->lines, line->path, one.path_bytes) &&
	          bs_py_append(&heard->lines, line->text, text_bytes);
	for (size_t i = 0; i < line->n_matches && ok; i++) {
		struct bs_grep_span span = line->matches[i];
		span.start = span.start < text_bytes ? span.start : text_bytes;
		span.end = span.end < text_bytes ? span.end : text_bytes;
		ok = bs_py_append(&heard->lines, &span, sizeof(span));
	}
	return tell(heard, ok);
}

/* Names of files come as they would be printed, NUL-ended each. */
static int hear_names(void *context, const void *bytes, size_t n_bytes)
{
	struct heard *heard = context;
	const char *at = bytes, *end = at + n_bytes;
	bool ok = true;
	while (at < end && ok) {
		const char *stop = memchr(at, 0, (size_t)(end - at));
		ok = bs_py_append(&heard->name, at, (size_t)((stop ? stop : end) - at));
		at = stop ? stop + 1 : end;
		if (!stop || !ok)
			continue;
		struct heard_line one = {.path_bytes = heard->name.n_bytes, .is_listed = true};
		ok = bs_py_append(&heard->lines, &one, sizeof(one)) &&
		     bs_py_append(&heard->lines, heard->name.data, heard->name.n_bytes) && tell(heard, true) == 0;
		heard->name.n_bytes = 0;
	}
	heard->is_failed |= !ok;
	return !ok;
}

static void hear_notice(void *context, const char *message)
{
	struct heard *heard = context;
	(void)bs_py_append(&heard->notices, message, strlen(message) + 1);
}

/* grep(sink, patterns, paths, ...) -> {...}; sink gets lists of Line and returns whether to stop. */
static PyObject *grep(PyObject *module, PyObject *arguments, PyObject *keywords)
{
	static const char *const names[] = {
		"sink",   "patterns", "paths",     "index",     "ignore_case", "smart_case", "fixed",
		"word",   "line",     "multiline", "invert",    "pcre2",       "hidden",     "no_ignore",
		"follow", "globs",    "types",     "not_types", "before",      "after",      "max_count",
		"files",  "no_stat",  "brute",     "threads",   "trust",       "text",       "encoding",
		"ands",   "nots",     "by_file",   "deadline",  "candidates",  NULL};
	PyObject *sink, *patterns, *paths = Py_None, *index = Py_None, *globs = Py_None, *types = Py_None,
				   *not_types = Py_None, *ands = Py_None, *nots = Py_None, *answer = NULL;
	int ignore_case = 0, smart_case = 0, fixed = 0, word = 0, line = 0, multiline = 0, invert = 0, pcre2 = 0,
	    hidden = 0, no_ignore = 0, follow = 0, files = 0, no_stat = 0, brute = 0, trust = 0, text = 0, by_file = 0,
	    candidates = 0;
	unsigned long long before = 0, after = 0, max_count = 0;
	unsigned threads = 0;
	const char *encoding = NULL;
	double deadline = 0;
	struct bs_py_keep keep = {.objects = NULL};
	struct bs_py_watch watch;
	struct heard heard = {.n = 0};
	struct bs_grep_result result = {.n_files = 0};
	struct bs_error err;
	size_t n_list;
	bool ok = true;
	(void)module;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|OOpppppppppppOOOKKKpppIppzOOpdp", BS_PY_NAMES(names),
	                                 &sink, &patterns, &paths, &index, &ignore_case, &smart_case, &fixed, &word,
	                                 &line, &multiline, &invert, &pcre2, &hidden, &no_ignore, &follow, &globs,
	                                 &types, &not_types, &before, &after, &max_count, &files, &no_stat, &brute,
	                                 &threads, &trust, &text, &encoding, &ands, &nots, &by_file, &deadline,
	                                 &candidates))
		return NULL;
	struct bs_consent consent = {.all = trust != 0};
	bs_py_watch_init(&watch, deadline, false);
	struct bs_grep_request request = {
		.pattern = {.is_fixed = fixed != 0,
	                    .is_word = word != 0,
	                    .is_line = line != 0,
	                    .is_multi_line = multiline != 0,
	                    .is_pcre2 = pcre2 != 0,
	                    .is_brute = brute != 0,
	                    .letter_case = ignore_case  ? BS_GREP_CASE_INSENSITIVE
	                                   : smart_case ? BS_GREP_CASE_SMART
	                                                : BS_GREP_CASE_SENSITIVE},
		.conditions = {.by_file = by_file != 0},
		.files = {.hidden = hidden != 0,
	                  .no_ignore = no_ignore != 0,
	                  .follow = follow != 0,
	                  .encoding = encoding,
	                  .is_text = text != 0},
		.output = {.format = files ? BS_GREP_FILES_WITH : BS_GREP_LINES,
	                   .invert = invert != 0,
	                   .line_numbers = !files,
	                   .nul_after_path = files != 0,

	                   .before = before,
	                   .after = after,
	                   .max_count = max_count},
		.task = candidates ? BS_GREP_LIST_CANDIDATES : BS_GREP_SEARCH,
		.index = bs_py_chars(&keep, index, &ok),
		.no_stat = no_stat != 0,
		.consent = &consent,
		.limits = &watch.limits,
		.n_threads = threads,
		.line = files ? NULL : hear_line,
		.write = files ? hear_names : NULL,
		.notice = hear_notice,
		.context = &heard,
	};
	request.pattern.patterns = bs_py_strings(&keep, patterns, &request.pattern.n_patterns, &ok);
	request.files.paths = bs_py_strings(&keep, paths, &request.files.n_paths, &ok);
	request.files.globs = bs_py_strings(&keep, globs, &n_list, &ok);
	request.files.types = bs_py_strings(&keep, types, &n_list, &ok);
	request.files.type_nots = bs_py_strings(&keep, not_types, &n_list, &ok);
	request.conditions.ands = bs_py_strings(&keep, ands, &n_list, &ok);
	request.conditions.nots = bs_py_strings(&keep, nots, &n_list, &ok);
	size_t *n_bytes = ok ? bs_py_block(&keep, (request.pattern.n_patterns + 1) * sizeof(*n_bytes)) : NULL;
	for (size_t i = 0; n_bytes && i < request.pattern.n_patterns; i++)
		n_bytes[i] = strlen(request.pattern.patterns[i]);
	request.pattern.pattern_bytes = n_bytes;
	heard.sink = sink;
	if (ok && n_bytes) {
		enum bs_status status;
		Py_BEGIN_ALLOW_THREADS status = bs_grep(&request, &result, &err);
		Py_END_ALLOW_THREADS ok = heard.n == 0 || heard.is_failed || hand_out(&heard);
		bool is_over = status == BS_OK || (status == BS_STOPPED && heard.is_failed);
		PyObject *notices = PyErr_Occurred() ? NULL : !is_over ? bs_py_raise(status, &err) : PyList_New(0);
		for (size_t at = 0; notices && at < heard.notices.n_bytes; at += strlen(heard.notices.data + at) + 1) {
			PyObject *notice = bs_py_text(heard.notices.data + at, strlen(heard.notices.data + at));
			if (!notice || PyList_Append(notices, notice) < 0)
				Py_CLEAR(notices);
			Py_XDECREF(notice);
		}
		if (notices)
			answer = Py_BuildValue(
				"{s:K,s:K,s:K,s:K,s:K,s:d,s:N}", "files", (unsigned long long)result.n_files,
				"files_with_match", (unsigned long long)result.n_with_match, "ruled_out",
				(unsigned long long)result.n_ruled_out, "unread", (unsigned long long)result.n_notices,
				"read_bytes", (unsigned long long)result.read_bytes, "seconds",
				(double)result.elapsed_ns / 1e9, "notices", notices);
	}
	bs_py_bytes_free(&heard.lines);
	bs_py_bytes_free(&heard.notices);
	bs_py_bytes_free(&heard.name);
	bs_py_keep_free(&keep);
	return answer;
}

static PyMethodDef functions[] = {
	BS_PY_METHOD("grep", grep, METH_VARARGS | METH_KEYWORDS),
	{NULL, NULL, 0, NULL},
};

bool bs_py_add_grep(PyObject *module)
{
	bs_py_types.line = PyStructSequence_NewType(&line_desc);
	return bs_py_types.line && PyModule_AddObjectRef(module, "Line", (PyObject *)bs_py_types.line) == 0 &&
	       PyModule_AddFunctions(module, functions) == 0;
}
