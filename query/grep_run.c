/* grep_run.c: see grep_run.h. */
#include "query/grep_run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "query/grep_search.h"

/* Files between the source and the output. */
#define N_SLOTS 256
/* Files that must wait before another thread is worth its start (50 us), if the source is quick and whoever asks it will soon
 * search, too. */
#define WORTH_A_THREAD 6
/* And a file of this many bytes, if only one waits. */
#define LARGE_BYTES ((size_t)1 << 19)
/* Output that a file may hold while it is not next. */
#define HELD_BYTES ((size_t)1 << 20)
/* Memory of a slot that is kept for the next file. */
#define KEPT_BYTES ((size_t)65536)

enum slot_state {
	SLOT_EMPTY,
	SLOT_WAITING,
	SLOT_TAKEN,
	SLOT_DONE,
};

struct slot {
	enum slot_state state;
	struct bs_buffer names; /* the path as it is opened, NUL, as it is shown, NUL */
	bool is_stdin;
	bool is_named;
	size_t root_bytes;
	bool is_message; /* no file: out is what is to be reported in its turn */
	struct bs_buffer out;
	bool has_match;
	bool has_lines; /* not only that a binary file matches, which no line sets apart from other files */
	struct bs_grep_sums sums;
	uint64_t read_bytes;
};

struct crew {
	const struct bs_grep_request *request;
	struct bs_grep_outcome *outcome;
	pthread_mutex_t mutex;
	pthread_cond_t work;  /* a slot waits for a worker, or nothing more comes */
	pthread_cond_t moved; /* the output got further */
	unsigned n_idle;      /* workers that wait for work, and below who waits for the output: only then is there a signal */
	unsigned n_held;
	bool is_feeder_waiting;
	struct slot slots[N_SLOTS];
	uint64_t n_filled, n_taken, n_put; /* files so far; slot = number modulo N_SLOTS */
	bool is_over;                      /* nothing more comes */
	bool is_stopped;                   /* nothing more is wanted */
	bool has_written;
	struct bs_buffer pending; /* output of a file, to be written at once */
	struct worker *workers;   /* n_threads; those that were needed so far are started */
	unsigned n_workers;       /* only the caller's thread starts any; at last it may be one of them */
	enum bs_status status;
	struct bs_error *err;
};

struct worker {
	struct crew *crew;
	struct bs_grep_scratch *scratch;
	struct bs_grep_text text;
	struct bs_grep_printer printer;
	struct bs_error err;
	pthread_t thread;
	bool is_started;
	bool is_caller;
};

static void get_help(struct crew *crew, uint64_t least_waiting);

static void crew_fail(struct crew *crew, enum bs_status status, const struct bs_error *why)
{
	if (!crew->status) {
		crew->status = status;
		if (crew->err && why)
			*crew->err = *why;
	}
	crew->is_stopped = true;
}

/* ---- one file ---- */

static enum bs_grep_binary binary_rule(const struct bs_grep_request *request, bool is_named)
{
	if (request->is_text)
		return BS_GREP_BINARY_TEXT;
	return is_named || request->search_binary ? BS_GREP_BINARY_CONVERT : BS_GREP_BINARY_QUIT;
}

static void report(const struct crew *crew, const char *shown, const char *why)
{
	struct bs_error line;
	(void)bs_fail(&line, BS_IO, "%s: %s", shown, why);
	crew->request->report(crew->request->context, line.text);
}

static bool shows_path(const struct bs_grep_output *output)
{
	return output->with_path || output->format != BS_GREP_LINES;
}

static void search_file(struct worker *worker, struct slot *slot)
{
	const struct bs_grep_request *request = worker->crew->request;
	const char *path = (const char *)slot->names.data, *shown = path + strlen(path) + 1;
	enum bs_grep_binary binary = binary_rule(request, slot->is_named);
	bool by_line = bs_grep_matcher_by_line(request->matcher);
	bool may_be_slice = request->maps_files && !slot->is_stdin;
	struct bs_grep_reading reading = {.coding = request->coding,
	                                  .root_bytes = slot->root_bytes,
	                                  .stop_at_nul = binary == BS_GREP_BINARY_QUIT && by_line,
	                                  .in_pieces = by_line && !may_be_slice};
	struct bs_grep_sink *sink = &worker->printer.sink;
	worker->err.text[0] = '\0';
	enum bs_status status =
		bs_grep_text_read(&worker->text, slot->is_stdin ? NULL : path, &reading, &worker->err);
	if (status) {
		report(worker->crew, shown, worker->err.text);
		return;
	}
	if (worker->is_caller && worker->text.size_bytes >= LARGE_BYTES)
		get_help(worker->crew, 1);
	sink->path = shows_path(request->output) ? shown : NULL;
	sink->out = &slot->out;
	sink->status = BS_OK;
	sink->err = &worker->err;
	sink->has_matched = false;
	bool is_slice = may_be_slice && !worker->text.had_mark && worker->text.pieces.used_bytes == 0;
	bs_grep_search_text(request->matcher, &worker->text, binary, is_slice, sink);
	bs_grep_text_close(&worker->text);
	if (sink->status)
		report(worker->crew, shown, worker->err.text);
	slot->has_match = sink->has_matched;
	slot->has_lines = worker->printer.has_lines;
	slot->read_bytes = worker->text.read_bytes;
	slot->sums = worker->printer.sums;
}

/* ---- output ---- */

/* Writes what is pending. The lock is held: output is slower than the search only where it would wait anyway. */
static void flush_pending(struct crew *crew)
{
	if (crew->pending.used_bytes > 0 && !crew->request->write(crew->request->context, crew->pending.data,
	                                                          crew->pending.used_bytes))
		crew->is_stopped = true;
	bs_buffer_clear(&crew->pending);
}

static void add_pending(struct crew *crew, const void *bytes, size_t n)
{
	struct bs_error why = {""};
	if (n == 0)
		return;
	enum bs_status status = bs_buffer_append(&crew->pending, bytes, n, &why);
	if (status)
		crew_fail(crew, status, &why);
}

static void free_slot(struct crew *crew, struct slot *slot)
{
	bs_buffer_trim(&slot->out, KEPT_BYTES);
	slot->state = SLOT_EMPTY;
	crew->n_put++;
}

static void put_slot(struct crew *crew, struct slot *slot)
{
	const struct bs_grep_output *output = crew->request->output;
	struct bs_grep_outcome *outcome = crew->outcome;
	if (slot->out.used_bytes > 0 && !crew->is_stopped) {
		if (crew->has_written && output->file_separator && slot->has_lines) {
			add_pending(crew, output->file_separator, strlen(output->file_separator));
			if (output->crlf)
				add_pending(crew, "\r", 1);
			add_pending(crew, &output->line_end, 1);
		}
		add_pending(crew, slot->out.data, slot->out.used_bytes);
		crew->has_written = true;
		flush_pending(crew);
	}
	bool counts = !crew->is_stopped;
	if (counts) {
		outcome->n_files++;
		outcome->has_match |= slot->has_match;
		outcome->n_with_match += slot->has_match;
		outcome->read_bytes += slot->read_bytes;
		outcome->sums.elapsed_ns += slot->sums.elapsed_ns;
		outcome->sums.searches += slot->sums.searches;
		outcome->sums.searches_with_match += slot->sums.searches_with_match;
		outcome->sums.searched_bytes += slot->sums.searched_bytes;
		outcome->sums.printed_bytes += slot->sums.printed_bytes;
		outcome->sums.matched_lines += slot->sums.matched_lines;
		outcome->sums.matches += slot->sums.matches;
	}
	if (slot->has_match && crew->request->stop_after_match)
		crew->is_stopped = true;
	free_slot(crew, slot);
}

/* What could not be read is said in its turn too: after -q has found something, it is not. */
static void put_message(struct crew *crew, struct slot *slot)
{
	flush_pending(crew);
	if (!crew->is_stopped)
		crew->request->report(crew->request->context, (const char *)slot->out.data);
	free_slot(crew, slot);
}

/* Hands over what is next in order and done. */
static void put_done(struct crew *crew)
{
	uint64_t before = crew->n_put;
	struct slot *next = &crew->slots[before % N_SLOTS];
	while (crew->n_put < crew->n_filled && next->state == SLOT_DONE) {
		if (next->is_message)
			put_message(crew, next);
		else
			put_slot(crew, next);
		next = &crew->slots[crew->n_put % N_SLOTS];
	}
	/* The feeder is woken when there is room for many. */
	bool has_room = crew->is_feeder_waiting && crew->n_filled - crew->n_put <= N_SLOTS / 2;
	if (crew->is_stopped || (crew->n_put != before && (crew->n_held > 0 || has_room)))
		pthread_cond_broadcast(&crew->moved);
}

/* ---- threads ---- */

static void clear_slot(struct slot *slot)
{
	bs_buffer_clear(&slot->out);
	slot->has_match = false;
	slot->read_bytes = 0;
	slot->sums = (struct bs_grep_sums){0};
}

/* With much output, waits until it is this file's turn. */
static void wait_turn(struct crew *crew, uint64_t number)
{
	const struct slot *slot = &crew->slots[number % N_SLOTS];
	crew->n_held++;
	while (slot->out.used_bytes > HELD_BYTES && crew->n_put < number && !crew->is_stopped)
		pthread_cond_wait(&crew->moved, &crew->mutex);
	crew->n_held--;
}

static void *work(void *context)
{
	struct worker *worker = context;
	struct crew *crew = worker->crew;
	pthread_mutex_lock(&crew->mutex);
	for (;;) {
		crew->n_idle++;
		while (crew->n_taken == crew->n_filled && !crew->is_over && !crew->is_stopped)
			pthread_cond_wait(&crew->work, &crew->mutex);
		crew->n_idle--;
		if (crew->n_taken == crew->n_filled || crew->is_stopped)
			break;
		uint64_t number = crew->n_taken++;
		struct slot *slot = &crew->slots[number % N_SLOTS];
		slot->state = SLOT_TAKEN;
		pthread_mutex_unlock(&crew->mutex);
		worker->printer.sink.status = BS_OK;
		if (!slot->is_message)
			search_file(worker, slot);
		pthread_mutex_lock(&crew->mutex);
		wait_turn(crew, number);
		slot->state = SLOT_DONE;
		if (worker->printer.sink.status == BS_NO_MEMORY)
			crew_fail(crew, BS_NO_MEMORY, &worker->err);
		put_done(crew);
	}
	pthread_mutex_unlock(&crew->mutex);
	return NULL;
}

static enum bs_status set_names(struct slot *slot, const struct bs_grep_file *file, struct bs_error *err)
{
	const char *path = file->path ? file->path : "";
	bs_buffer_clear(&slot->names);
	slot->is_stdin = !file->path;
	slot->is_named = file->is_named;
	slot->root_bytes = file->root_bytes;
	enum bs_status status = bs_buffer_append(&slot->names, path, strlen(path) + 1, err);
	return status ? status : bs_buffer_append(&slot->names, file->shown, strlen(file->shown) + 1, err);
}

static enum bs_status add_worker(struct crew *crew, struct worker **worker_out, struct bs_error *err)
{
	struct worker *worker = &crew->workers[crew->n_workers];
	const struct bs_grep_request *request = crew->request;
	worker->crew = crew;
	crew->n_workers++;
	*worker_out = worker;
	enum bs_status status = bs_grep_scratch_new(request->matcher, &worker->scratch, err);
	if (!status)
		bs_grep_printer_init(&worker->printer, request->output, request->search, request->matcher, worker->scratch);
	return status;
}

/* One more, if there is work that nobody waits for. A search of one file needs no second thread. */
static enum bs_status start_worker(struct crew *crew, struct bs_error *err)
{
	struct worker *worker;
	enum bs_status status = add_worker(crew, &worker, err);
	if (status)
		return status;
	if (pthread_create(&worker->thread, NULL, work, worker) != 0)
		return bs_fail(err, BS_NO_MEMORY, "a thread could not be started");
	worker->is_started = true;
	return BS_OK;
}

/* Another worker, if so many files wait. The caller's thread goes on without, if there can be none. */
static void get_help(struct crew *crew, uint64_t least_waiting)
{
	pthread_mutex_lock(&crew->mutex);
	bool is_wanted = crew->n_filled - crew->n_taken >= least_waiting && crew->n_workers < crew->request->n_threads;
	pthread_mutex_unlock(&crew->mutex);
	if (is_wanted)
		(void)start_worker(crew, NULL);
}

/* The caller's thread, which has nothing more to add, searches with the others. */
static enum bs_status join_in(struct crew *crew, struct bs_error *err)
{
	struct worker *worker;
	if (crew->n_workers == crew->request->n_threads)
		return BS_OK;
	enum bs_status status = add_worker(crew, &worker, err);
	worker->is_caller = true;
	if (!status)
		work(worker);
	return status;
}

/* Puts a file, or a message, into the ring, waiting for room. */
static enum bs_status add(struct crew *crew, const struct bs_grep_file *file, const char *message, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bool needs_worker = false;
	pthread_mutex_lock(&crew->mutex);
	crew->is_feeder_waiting = true;
	while (crew->n_filled - crew->n_put == N_SLOTS && !crew->is_stopped)
		pthread_cond_wait(&crew->moved, &crew->mutex);
	crew->is_feeder_waiting = false;
	struct slot *slot = &crew->slots[crew->n_filled % N_SLOTS];
	if (!crew->is_stopped) {
		clear_slot(slot);
		slot->is_message = message != NULL;
		if (message)
			status = bs_buffer_append(&slot->out, message, strlen(message) + 1, err);
		else
			status = set_names(slot, file, err);
		slot->state = SLOT_WAITING;
		crew->n_filled += !status;
		if (crew->n_idle > 0)
			pthread_cond_signal(&crew->work);
		/* The caller's own thread will be one of them, unless so many files come that it is kept waiting for room. */
		uint64_t n_waiting = crew->n_filled - crew->n_taken;
		bool joins = crew->request->source->is_quick && crew->request->n_threads > 1 && n_waiting < N_SLOTS / 2;
		uint64_t spared = crew->n_idle + (joins ? WORTH_A_THREAD : 0);
		needs_worker = n_waiting > spared && crew->n_workers + joins < crew->request->n_threads;
	}
	pthread_mutex_unlock(&crew->mutex);
	return !status && needs_worker ? start_worker(crew, err) : status;
}

/* The source's report. */
static void add_message(void *context, const char *message)
{
	struct crew *crew = context;
	struct bs_error why = {""};
	enum bs_status status = add(crew, NULL, message, &why);
	if (status) {
		pthread_mutex_lock(&crew->mutex);
		crew_fail(crew, status, &why);
		pthread_mutex_unlock(&crew->mutex);
	}
}

static enum bs_status feed(struct crew *crew, struct bs_error *err)
{
	crew->request->source->report = add_message;
	crew->request->source->report_context = crew;
	struct bs_grep_file file;
	enum bs_status status;
	bool is_stopped = false;
	do {
		status = crew->request->source->next(crew->request->source, &file, err);
		if (!status && file.shown)
			status = add(crew, &file, NULL, err);
		pthread_mutex_lock(&crew->mutex);
		is_stopped = crew->is_stopped;
		pthread_mutex_unlock(&crew->mutex);
	} while (!status && file.shown && !is_stopped);
	return status;
}

static void end_worker(struct worker *worker)
{
	if (worker->is_started)
		pthread_join(worker->thread, NULL);
	bs_grep_printer_deinit(&worker->printer);
	bs_grep_scratch_free(worker->scratch);
	bs_grep_text_deinit(&worker->text);
}

static void crew_free(struct crew *crew)
{
	for (size_t i = 0; i < N_SLOTS; i++) {
		bs_buffer_deinit(&crew->slots[i].names);
		bs_buffer_deinit(&crew->slots[i].out);
	}
	bs_buffer_deinit(&crew->pending);
	pthread_mutex_destroy(&crew->mutex);
	pthread_cond_destroy(&crew->work);
	pthread_cond_destroy(&crew->moved);
	free(crew);
}

enum bs_status bs_grep_run(const struct bs_grep_request *request, struct bs_grep_outcome *outcome_out, struct bs_error *err)
{
	*outcome_out = (struct bs_grep_outcome){0};
	struct bs_error why = {""};
	struct crew *crew = calloc(1, sizeof(*crew));
	struct worker *workers = calloc(request->n_threads, sizeof(*workers));
	if (!crew || !workers) {
		free(crew);
		free(workers);
		return bs_fail_memory(err, "threads", request->n_threads * sizeof(*workers));
	}
	crew->request = request;
	crew->outcome = outcome_out;
	crew->err = err;
	pthread_mutex_init(&crew->mutex, NULL);
	pthread_cond_init(&crew->work, NULL);
	pthread_cond_init(&crew->moved, NULL);
	crew->workers = workers;
	enum bs_status status = feed(crew, &why);
	pthread_mutex_lock(&crew->mutex);
	if (status)
		crew_fail(crew, status, &why);
	crew->is_over = true;
	pthread_cond_broadcast(&crew->work);
	pthread_cond_broadcast(&crew->moved);
	pthread_mutex_unlock(&crew->mutex);
	if (!status)
		status = join_in(crew, &why);
	if (status) {
		pthread_mutex_lock(&crew->mutex);
		crew_fail(crew, status, &why);
		pthread_mutex_unlock(&crew->mutex);
	}
	for (unsigned i = 0; i < crew->n_workers; i++)
		end_worker(&workers[i]);
	flush_pending(crew);
	status = crew->status;
	crew_free(crew);
	free(workers);
	return status;
}
