/*
 * py_grep.c: see py_grep.h.
 *
 * The search runs on a thread of its own, which never takes the GIL and appends lines to `found`.
 * The reader, a Python thread that iterates over the Grep, takes all lines of `found` together. So
 * a line is available as soon as it is found, and if there are many, the reader locks `found` only
 * once for all of them.
 */
#include "py_grep.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bitsift/grep.h>

#include "../base/py_context.h"
#include "../base/py_messages.h"
#include "py_lines.h"

/* The search pauses while this many bytes wait for the reader. */
#define MOST_BYTES (1u << 20)

/* The options that the caller passed, and the request that make_request derives from them. */
struct plan {
	struct bs_grep_request request;
	struct bs_py_deadline deadline;
	struct bs_py_context context;
	uint64_t max_depth, max_file_bytes; /* NO_MOST: unlimited */
	bool ignore_case, smart_case, files, files_without, list_files, candidates;
};
#define NO_MOST UINT64_MAX

struct grep {
	PyObject_HEAD struct plan plan;
	struct bs_py_keep keep; /* owns what `plan` borrows */

	pthread_t thread;
	bool has_thread; /* `thread` has not been joined yet */
	pid_t process;   /* the process that created the thread; its forks do not have the thread */
	bool is_closed;

	/* Protects the members up to is_short_of_memory; never held while waiting for the GIL. */
	pthread_mutex_t mutex;
	/* is_more: lines were found, or the search is over. has_room: lines were taken. */
	pthread_cond_t is_more, has_room;
	struct bs_py_bytes found; /* found lines, in the format of py_lines.c */
	/* is_over: the search has ended. is_left: the reader needs no more lines, so the search
	 * must stop. is_cut_short: is_left was set before the search had ended. */
	bool is_over, is_left, is_cut_short, is_short_of_memory;

	/* Used only by the search's thread until is_over. */
	struct bs_py_bytes notices, name; /* name: the beginning of an incomplete file name */
	struct bs_grep_result result;
	enum bs_status status;
	struct bs_error err;
	char *cursor;
	uint64_t n_shown, n_found;

	/* Lines taken from `found`; the next one to return is at `at`. Protected by the GIL. */
	struct bs_py_bytes taken;
	size_t at;
	PyObject *answer; /* the object made of `result`, once the search is over */
	PyObject *weak_references;
};

/* Wakes the reader after an append to `found`, and waits while `found` is full. ok: the append
 * succeeded. The caller holds the mutex. Nonzero: stop the search. */
static int tell(struct grep *self, bool ok)
{
	self->is_short_of_memory |= !ok;
	(void)pthread_cond_signal(&self->is_more);
	while (ok && self->found.n_bytes >= MOST_BYTES && !self->is_left)
		(void)pthread_cond_wait(&self->has_room, &self->mutex);
	return !ok || self->is_left;
}

static int hear_line(void *context, const struct bs_grep_line *line)
{
	struct grep *self = context;
	(void)pthread_mutex_lock(&self->mutex);
	int stops = tell(self, bs_py_put_line(&self->found, line));
	(void)pthread_mutex_unlock(&self->mutex);
	return stops;
}

/* Receives file names as they would be printed, each NUL-terminated; a call may end within a
 * name. */
static int hear_names(void *context, const void *bytes, size_t n_bytes)
{
	struct grep *self = context;
	const char *at = bytes, *end = at + n_bytes;
	int stops = 0;
	(void)pthread_mutex_lock(&self->mutex);
	while (at < end && !stops) {
		const char *stop = memchr(at, 0, (size_t)(end - at));
		bool ok = bs_py_append(&self->name, at, (size_t)((stop ? stop : end) - at));
		at = stop ? stop + 1 : end;
		if (ok && !stop)
			continue;
		ok = ok && bs_py_put_name(&self->found, self->name.data, self->name.n_bytes);
		self->name.n_bytes = 0;
		stops = tell(self, ok);
	}
	(void)pthread_mutex_unlock(&self->mutex);
	return stops;
}

static void hear_notice(void *context, const char *message)
{
	bs_py_record_line(&((struct grep *)context)->notices, message);
}

static void hear_results(void *context, const struct bs_grep_results *results)
{
	struct grep *self = context;
	self->n_shown = results->n_shown;
	self->n_found = results->n_found;
	self->cursor = results->resume_token ? strdup(results->resume_token) : NULL;
}

/* The `stop` callback: ends a search whose lines are not needed any more, even while it finds no
 * lines. */
static int is_to_stop(void *context)
{
	struct grep *self = context;
	(void)pthread_mutex_lock(&self->mutex);
	int stops = self->is_left;
	(void)pthread_mutex_unlock(&self->mutex);
	return stops;
}

static void *search(void *context)
{
	struct grep *self = context;
	enum bs_status status = bs_grep(&self->plan.request, &self->result, &self->err);
	(void)pthread_mutex_lock(&self->mutex);
	self->status = status;
	self->is_over = true;
	(void)pthread_cond_broadcast(&self->is_more);
	(void)pthread_mutex_unlock(&self->mutex);
	return NULL;
}

#define AT(member) offsetof(struct plan, member)

/* indexed by enum bs_grep_sort */
static const char *const sorts[] = {"path", "modified", "accessed", "created", NULL};

static const struct bs_py_option grep_options[] = {
	{"patterns", BS_PY_STRINGS, AT(request.pattern.patterns), AT(request.pattern.n_patterns),
         NULL, NULL},
	{"paths", BS_PY_STRINGS, AT(request.files.paths), AT(request.files.n_paths), NULL, NULL},
	{"index", BS_PY_CHARS, AT(request.index.dir), 0, NULL, NULL},
	{"ignore_case", BS_PY_BOOL, AT(ignore_case), 0, NULL, NULL},
	{"smart_case", BS_PY_BOOL, AT(smart_case), 0, NULL, NULL},
	{"fixed", BS_PY_BOOL, AT(request.pattern.is_fixed), 0, NULL, NULL},
	{"word", BS_PY_BOOL, AT(request.pattern.is_word), 0, NULL, NULL},
	{"line", BS_PY_BOOL, AT(request.pattern.is_line), 0, NULL, NULL},
	{"multiline", BS_PY_BOOL, AT(request.pattern.is_multi_line), 0, NULL, NULL},
	{"dot_all", BS_PY_BOOL, AT(request.pattern.dot_all), 0, NULL, NULL},
	{"crlf", BS_PY_BOOL, AT(request.pattern.crlf), 0, NULL, NULL},
	{"no_unicode", BS_PY_BOOL, AT(request.pattern.no_unicode), 0, NULL, NULL},
	{"pcre2", BS_PY_BOOL, AT(request.pattern.is_pcre2), 0, NULL, NULL},
	{"brute", BS_PY_BOOL, AT(request.pattern.is_brute), 0, NULL, NULL},
	{"invert", BS_PY_BOOL, AT(request.output.invert), 0, NULL, NULL},
	{"ands", BS_PY_STRINGS, AT(request.conditions.all_of), 0, NULL, NULL},
	{"nots", BS_PY_STRINGS, AT(request.conditions.none_of), 0, NULL, NULL},
	{"by_file", BS_PY_BOOL, AT(request.conditions.by_file), 0, NULL, NULL},
	{"hidden", BS_PY_BOOL, AT(request.files.hidden), 0, NULL, NULL},
	{"no_ignore", BS_PY_BOOL, AT(request.files.no_ignore), 0, NULL, NULL},
	{"ignore_files", BS_PY_STRINGS, AT(request.files.ignore_files), 0, NULL, NULL},
	{"follow", BS_PY_BOOL, AT(request.files.follow), 0, NULL, NULL},
	{"one_file_system", BS_PY_BOOL, AT(request.files.one_file_system), 0, NULL, NULL},
	{"max_depth", BS_PY_U64, AT(max_depth), 0, NULL, NULL},
	{"max_file_bytes", BS_PY_U64, AT(max_file_bytes), 0, NULL, NULL},
	{"globs", BS_PY_STRINGS, AT(request.files.globs), 0, NULL, NULL},
	{"iglobs", BS_PY_STRINGS, AT(request.files.iglobs), 0, NULL, NULL},
	{"types", BS_PY_STRINGS, AT(request.files.types), 0, NULL, NULL},
	{"not_types", BS_PY_STRINGS, AT(request.files.excluded_types), 0, NULL, NULL},
	{"type_adds", BS_PY_STRINGS, AT(request.files.added_types), 0, NULL, NULL},
	{"encoding", BS_PY_CHARS, AT(request.files.encoding), 0, NULL, NULL},
	{"text", BS_PY_BOOL, AT(request.files.is_text), 0, NULL, NULL},
	{"search_zip", BS_PY_BOOL, AT(request.files.search_zip), 0, NULL, NULL},
	{"preprocessor", BS_PY_CHARS, AT(request.files.preprocessor), 0, NULL, NULL},
	{"preprocessor_globs", BS_PY_STRINGS, AT(request.files.preprocessor_globs), 0, NULL, NULL},
	{"sort", BS_PY_CHOICE, AT(request.files.sort), 0, NULL, sorts},
	{"descending", BS_PY_BOOL, AT(request.files.is_reversed), 0, NULL, NULL},
	{"before", BS_PY_U64, AT(request.output.before), 0, NULL, NULL},
	{"after", BS_PY_U64, AT(request.output.after), 0, NULL, NULL},
	{"passthru", BS_PY_BOOL, AT(request.output.passthru), 0, NULL, NULL},
	{"enclosing", BS_PY_BOOL, AT(request.output.show_function), 0, NULL, NULL},
	{"max_count", BS_PY_U64, AT(request.output.max_count), 0, NULL, NULL},
	{"max_results", BS_PY_U64, AT(request.output.max_results), 0, NULL, NULL},
	{"cursor", BS_PY_CHARS, AT(request.output.resume_token), 0, NULL, NULL},
	{"files", BS_PY_BOOL, AT(files), 0, NULL, NULL},
	{"files_without", BS_PY_BOOL, AT(files_without), 0, NULL, NULL},
	{"list_files", BS_PY_BOOL, AT(list_files), 0, NULL, NULL},
	{"candidates", BS_PY_BOOL, AT(candidates), 0, NULL, NULL},
	{"no_stat", BS_PY_BOOL, AT(request.index.no_stat), 0, NULL, NULL},
	{"try_index", BS_PY_BOOL, AT(request.index.is_optional), 0, NULL, NULL},
	{"kernel", BS_PY_CHARS, AT(request.kernel), 0, NULL, NULL},
	{"threads", BS_PY_U32, AT(request.n_threads), 0, NULL, NULL},
	{"partial", BS_PY_BOOL, AT(deadline.limits.partial), 0, NULL, NULL},
	BS_PY_DEADLINE_OPTIONS(struct plan, deadline),
	{"log", BS_PY_OBJECT, AT(context.logger), 0, NULL, NULL},
	{"slow", BS_PY_SECONDS, AT(context.log.slow_ns), 0, NULL, NULL},
	{"trust", BS_PY_BOOL, AT(context.consent.all), 0, NULL, NULL},
	{NULL, BS_PY_BOOL, 0, 0, NULL, NULL},
};

/* Derives the rest of the request from the options. */
static bool make_request(struct grep *self)
{
	struct plan *plan = &self->plan;
	struct bs_grep_request *request = &plan->request;
	bool prints = plan->files || plan->files_without;
	size_t *n_bytes =
		bs_py_block(&self->keep, (request->pattern.n_patterns + 1) * sizeof(*n_bytes));
	for (size_t i = 0; n_bytes && i < request->pattern.n_patterns; i++)
		n_bytes[i] = strlen(request->pattern.patterns[i]);
	request->pattern.pattern_bytes = n_bytes;
	request->pattern.letter_case = plan->ignore_case  ? BS_GREP_CASE_INSENSITIVE
	                               : plan->smart_case ? BS_GREP_CASE_SMART
	                                                  : BS_GREP_CASE_SENSITIVE;
	request->files.has_max_depth = plan->max_depth != NO_MOST;
	request->files.max_depth =
		plan->max_depth > UINT32_MAX ? UINT32_MAX : (uint32_t)plan->max_depth;
	request->files.has_max_file_bytes = plan->max_file_bytes != NO_MOST;
	request->files.max_file_bytes = plan->max_file_bytes;
	request->output.format = plan->files_without ? BS_GREP_FILES_WITHOUT
	                         : plan->files       ? BS_GREP_FILES_WITH
	                                             : BS_GREP_LINES;
	request->output.line_numbers = !prints;
	request->output.nul_after_path = prints;
	request->task = plan->list_files   ? BS_GREP_LIST_FILES
	                : plan->candidates ? BS_GREP_LIST_CANDIDATES
	                                   : BS_GREP_SEARCH;
	request->callbacks.line = prints ? NULL : hear_line;
	request->callbacks.write = prints ? hear_names : NULL;
	request->callbacks.notice = hear_notice;
	request->callbacks.results = hear_results;
	request->callbacks.context = self;
	request->host.consent = &plan->context.consent;
	request->host.log = bs_py_context_log(&plan->context);
	request->limits = &plan->deadline.limits;
	bs_py_deadline_begin(&plan->deadline);
	plan->deadline.limits.stop = is_to_stop;
	plan->deadline.limits.context = self;
	return n_bytes != NULL;
}

/* The stack of the search's thread, independent of the default of the host program. */
#define STACK_BYTES ((size_t)4 << 20)

static bool start_thread(struct grep *self)
{
	pthread_attr_t attributes;
	if (pthread_attr_init(&attributes))
		return false;
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	int failed = pthread_create(&self->thread, &attributes, search, self);
	(void)pthread_attr_destroy(&attributes);
	return !failed;
}

static bool begin(struct grep *self)
{
	pthread_condattr_t monotonic;
	(void)pthread_mutex_init(&self->mutex, NULL);
	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&self->is_more, &monotonic);
	(void)pthread_cond_init(&self->has_room, NULL);
	(void)pthread_condattr_destroy(&monotonic);
	self->process = getpid();
	if (!bs_py_context_begin(&self->plan.context) || !make_request(self))
		return false;
	self->has_thread = start_thread(self);
	if (!self->has_thread)
		PyErr_SetString(PyExc_RuntimeError, "no thread can be made");
	return self->has_thread;
}

static PyObject *grep_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
	struct bs_py_keep keep = {.objects = NULL};
	struct plan plan = {.max_depth = NO_MOST, .max_file_bytes = NO_MOST};
	struct grep *self = NULL;
	bs_py_deadline_init(&plan.deadline);
	if (PyArg_ParseTuple(arguments, "") &&
	    bs_py_read_options(&keep, keywords, grep_options, &plan))
		self = (struct grep *)PyType_GenericAlloc(type, 0);
	if (!self) {
		bs_py_keep_free(&keep);
		return NULL;
	}
	self->plan = plan;
	self->keep = keep;
	if (!begin(self))
		Py_CLEAR(self);
	return (PyObject *)self;
}

/* Ends the search and joins its thread. In the child of a fork there is no thread. */
static void leave(struct grep *self)
{
	bool has_thread = self->has_thread && self->process == getpid();
	self->is_closed = true;
	self->has_thread = false;
	if (!has_thread)
		return;
	(void)pthread_mutex_lock(&self->mutex);
	self->is_cut_short = !self->is_over;
	self->is_left = true;
	(void)pthread_cond_broadcast(&self->has_room);
	(void)pthread_cond_broadcast(&self->is_more);
	(void)pthread_mutex_unlock(&self->mutex);
	BS_PY_WITHOUT_GIL(pthread_join(self->thread, NULL));
}

static int grep_traverse(PyObject *object, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(object));
	struct grep *self = (struct grep *)object;
	int visited = bs_py_keep_traverse(&self->keep, visit, arg);
	return visited ? visited : bs_py_context_traverse(&self->plan.context, visit, arg);
}

static void grep_dealloc(PyObject *object)
{
	struct grep *self = (struct grep *)object;
	PyObject_GC_UnTrack(object);
	PyObject_ClearWeakRefs(object);
	leave(self);
	(void)pthread_mutex_destroy(&self->mutex);
	(void)pthread_cond_destroy(&self->is_more);
	(void)pthread_cond_destroy(&self->has_room);
	bs_py_context_clear(&self->plan.context);
	bs_py_keep_free(&self->keep);
	bs_py_bytes_free(&self->found);
	bs_py_bytes_free(&self->taken);
	bs_py_bytes_free(&self->notices);
	bs_py_bytes_free(&self->name);
	free(self->cursor);
	Py_XDECREF(self->answer);
	bs_py_free(object);
}

/* The interval at which a waiting reader checks for Ctrl-C. */
#define WAIT_NS 50000000

/* Waits at most WAIT_NS for a line or for the end. The caller does not hold the GIL. */
static void wait_for_more(struct grep *self)
{
	struct timespec until;
	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += WAIT_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	(void)pthread_mutex_lock(&self->mutex);
	int status = 0;
	while (self->found.n_bytes == 0 && !self->is_over && !self->is_left && status == 0)
		status = pthread_cond_timedwait(&self->is_more, &self->mutex, &until);
	(void)pthread_mutex_unlock(&self->mutex);
}

/* Moves all lines of `found` to `taken`, which must have been read. Returns true if the search is
 * over. */
static bool take(struct grep *self)
{
	(void)pthread_mutex_lock(&self->mutex);
	struct bs_py_bytes empty = self->taken;
	bool is_over = self->is_over;
	empty.n_bytes = 0;
	self->taken = self->found;
	self->found = empty;
	self->at = 0;
	(void)pthread_cond_signal(&self->has_room);
	(void)pthread_mutex_unlock(&self->mutex);
	return is_over;
}

static PyObject *make_answer(struct grep *self)
{
	const struct bs_grep_result *result = &self->result;
	return bs_py_result("GrepReport",
	                    Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:O,s:K,s:K,s:z,s:d,s:N}", "files",
	                                  (unsigned long long)result->n_files, "files_with_match",
	                                  (unsigned long long)result->n_with_match, "ruled_out",
	                                  (unsigned long long)result->n_ruled_out, "unread",
	                                  (unsigned long long)result->n_notices, "read_bytes",
	                                  (unsigned long long)result->read_bytes, "partial",
	                                  result->is_partial ? Py_True : Py_False, "shown",
	                                  (unsigned long long)self->n_shown, "found",
	                                  (unsigned long long)self->n_found, "cursor", self->cursor,
	                                  "seconds", (double)result->elapsed_ns / 1e9, "notices",
	                                  bs_py_lines(&self->notices)));
}

/* The first call ends the search and creates the result; later ones do nothing. False with an
 * exception set if the search failed, unless the reader stopped it. */
static bool finish(struct grep *self)
{
	bool is_first = self->has_thread;
	leave(self);
	if (!is_first)
		return true;
	if (self->is_short_of_memory)
		PyErr_NoMemory();
	else if (self->status && !(self->is_cut_short && self->status == BS_STOPPED))
		(void)bs_py_raise(self->status, &self->err);
	else
		self->answer = make_answer(self);
	return !PyErr_Occurred();
}

static PyObject *grep_next(PyObject *object)
{
	struct grep *self = (struct grep *)object;
	if (self->process != getpid())
		return PyErr_Format(PyExc_RuntimeError,
		                    "the search belongs to the process that began it");
	while (!self->is_closed) {
		if (self->at < self->taken.n_bytes) {
			const char *at = self->taken.data + self->at;
			PyObject *line = bs_py_make_line(&at);
			self->at = (size_t)(at - self->taken.data);
			return line;
		}
		bool is_over = take(self);
		if (self->taken.n_bytes > 0)
			continue;
		if (is_over) {
			(void)finish(self);
			return NULL;
		}
		BS_PY_WITHOUT_GIL(wait_for_more(self));
		if (PyErr_CheckSignals() < 0)
			return NULL;
	}
	return NULL;
}

static PyObject *grep_close(PyObject *object, PyObject *unused)
{
	struct grep *self = (struct grep *)object;
	(void)unused;
	return finish(self) ? Py_NewRef(Py_None) : NULL;
}

static PyObject *grep_exit(PyObject *object, PyObject *arguments)
{
	(void)arguments;
	return grep_close(object, NULL);
}

static PyObject *grep_enter(PyObject *object, PyObject *unused)
{
	(void)unused;
	return Py_NewRef(object);
}

static PyObject *grep_iter(PyObject *object)
{
	return Py_NewRef(object);
}

static PyObject *grep_result(PyObject *object, void *unused)
{
	PyObject *answer = ((struct grep *)object)->answer;
	(void)unused;
	return Py_NewRef(answer ? answer : Py_None);
}

static PyMethodDef grep_methods[] = {
	BS_PY_DOCUMENTED("close", grep_close, METH_NOARGS,
                         "close($self, /)\n--\n\nEnds the search."),
	BS_PY_METHOD("__enter__", grep_enter, METH_NOARGS),
	BS_PY_METHOD("__exit__", grep_exit, METH_VARARGS),
	{NULL, NULL, 0, NULL},
};

static PyMemberDef grep_members[] = {
	{"__weaklistoffset__", T_PYSSIZET, offsetof(struct grep, weak_references), READONLY, NULL},
	{NULL, 0, 0, 0, NULL},
};

static PyGetSetDef grep_properties[] = {
	{"result", grep_result, NULL,
         "What was searched, once it is over: a GrepReport; None before.", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static char grep_doc[] =
	"An iterator of Line, in the order of files and lines; each line is available "
	"as soon as it is found. Returned by grep and Index.grep.\n\nresult: after the "
	"end, a GrepReport. close() ends the search early; so do the end of `with` and "
	"the deletion of the object.";

static PyType_Slot grep_slots[] = {
	{Py_tp_doc, grep_doc},         {Py_tp_new, grep_new},
	{Py_tp_dealloc, grep_dealloc}, {Py_tp_traverse, grep_traverse},
	{Py_tp_iter, grep_iter},       {Py_tp_iternext, grep_next},
	{Py_tp_methods, grep_methods}, {Py_tp_getset, grep_properties},
	{Py_tp_members, grep_members}, {0, NULL},
};

static PyType_Spec grep_spec = {"bitsift.Grep", sizeof(struct grep), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, grep_slots};

bool bs_py_add_grep(PyObject *module)
{
	bs_py_types.grep = bs_py_add_type(module, &grep_spec);
	return bs_py_types.grep != NULL;
}
