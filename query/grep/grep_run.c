/* grep_run.c: see grep_run.h. */
#include "query/grep/grep_run.h"

#include <stdlib.h>
#include <string.h>

#include "core/bitsift/grep_request.h"
#include "core/system/deadline.h"
#include "core/system/workers.h"
#include "query/grep/grep_search.h"
#include "query/regex/text.h"

/* The capacity of the ring of files between the source and the output. */
#define N_SLOTS 512
/* If the calling thread will soon search, too, another thread (whose start takes 50 us) is started
 * only if the waiting files are more than this number plus the idle threads. */
#define WORTH_A_THREAD 6
/* When the calling thread begins a file this large, one waiting file starts another thread. */
#define LARGE_BYTES ((size_t)1 << 19)
/* Unless it is line-buffered, output is emitted in pieces of about this many bytes. */
#define BLOCK_BYTES ((size_t)1 << 16)
/* About the most output that is held for searched files whose turn has not come. */
#define HELD_BYTES     ((size_t)4 << 20)  /* for one file */
#define ALL_HELD_BYTES ((size_t)16 << 20) /* for all files */
/* The memory of a slot's output that is kept for the next file. */
#define KEPT_BYTES ((size_t)4096)

/* Estimated time per file, without its bytes, for the deadline. */
#define FILE_NS 2000u

struct slot {
	struct bs_grep_file file; /* its names are in `names` */
	struct bs_buffer names;
	struct bs_result_marks marks; /* used with --max-results and --after */
	bool is_message;              /* not a file: `out` is a message, reported in its turn */
	/* not a file: `out` is the output of known files (struct bs_grep_known), which were not
	 * opened */
	bool are_known;
	uint64_t n_known; /* are_known: how many of the known files count as files with a match */
	struct bs_buffer out;
	struct bs_grep_outcome outcome;
	bool is_begun;    /* a part of the file's output was emitted */
	bool is_stopped;  /* the callback asked to stop */
	bool is_left_out; /* the file is the one that the results are written to */
	uint64_t read_bytes;
};

struct searcher {
	struct bs_grep_scratch *scratch;   /* NULL: no file was searched yet */
	struct bs_condition_matcher asker; /* if there are conditions */
	struct bs_grep_text text;
	struct bs_grep_printer printer;
	/* run is set before the first file; task and slot before each file. */
	struct running *run;
	const struct bs_task *task;
	struct slot *slot;
};

struct running {
	struct bs_grep_search *plan;
	struct bs_buffer separator; /* between the outputs of files; empty: none */
	struct bs_workers *workers;
	/* one for each of n_threads workers, and one for the calling thread */
	struct searcher *searchers;
	struct slot slots[N_SLOTS];
	uint64_t n_added;
	/* The output of consecutive known files, before it is added to the ring. */
	struct bs_grep_printer known_printer; /* ready if its `offer` is set */
	struct bs_buffer known_out;
	uint64_t n_known, n_known_matched;
	bool has_known_match;
	bool has_written;
	bool is_line_buffered;
	bool waits; /* before_wait() is called before an input waits (not with --max-results) */
	/* most output held for a searched file whose turn has not come */
	size_t held_bytes;
};

static enum bs_grep_binary binary_rule(const struct bs_grep_search *plan, bool is_named)
{
	if (plan->is_text)
		return BS_GREP_BINARY_TEXT;
	return is_named || plan->request->files.search_binary ? BS_GREP_BINARY_CONVERT
	                                                      : BS_GREP_BINARY_QUIT;
}

static void report(const struct bs_grep_search *plan, const char *shown, const char *why)
{
	struct bs_error line;
	(void)bs_fail(&line, BS_IO, "%s: %s", shown, why);
	plan->report(plan->context, line.text);
}

/* Emits output of the file that is next in order. False: stop. */
static bool put_output(struct running *run, struct slot *slot)
{
	struct bs_grep_search *plan = run->plan;
	const char *shown = slot->file.shown;
	bool is_apart = run->has_written && slot->outcome.has_lines && !slot->is_begun &&
	                run->separator.used_bytes > 0;
	if (is_apart)
		plan->sums.printed_bytes += run->separator.used_bytes;
	run->has_written = true;
	slot->is_begun = true;
	slot->is_stopped = (is_apart && !plan->put(plan->context, shown, &run->separator)) ||
	                   !plan->put(plan->context, shown, &slot->out);
	/* A match counts even if the callback asks to stop when it gets this output. */
	run->plan->result->has_match |= slot->outcome.has_matched;
	return !slot->is_stopped;
}

/* Emits the output so far of the file that the worker is searching. It must be the file's turn. */
static bool put_part(struct searcher *searcher)
{
	struct bs_grep_printer *printer = &searcher->printer;
	struct slot *slot = searcher->slot;
	slot->outcome = printer->outcome;
	bool is_wanted = put_output(searcher->run, slot);
	printer->taken_bytes += slot->out.used_bytes;
	bs_buffer_clear(&slot->out);
	return is_wanted;
}

/* Called between two pieces of the file whose turn it is: flushes output that has waited for a long
 * time. False: stop. */
static bool tick(struct searcher *searcher)
{
	const struct bs_grep_search *plan = searcher->run->plan;
	searcher->slot->is_stopped |= !plan->tick(plan->context);
	return !searcher->slot->is_stopped;
}

/* The `offer` callback of the printer. */
static bool take_output(void *context)
{
	struct searcher *searcher = context;
	struct bs_grep_printer *printer = &searcher->printer;
	const struct bs_task *task = searcher->task;
	size_t n_bytes = searcher->slot->out.used_bytes;
	if (!bs_task_is_wanted(task))
		return false;
	if (n_bytes < printer->offer_bytes)
		return !bs_task_is_turn(task) || tick(searcher);
	if (!bs_task_is_turn(task) && n_bytes < searcher->run->held_bytes) {
		if (!searcher->run->is_line_buffered)
			printer->offer_bytes = n_bytes + BLOCK_BYTES;
		return true;
	}
	return bs_task_wait_turn(task) && put_part(searcher);
}

/* Called before an input waits: in the file's turn, emits and flushes the output so far. Before the
 * file's turn, only the output of a command can make the worker wait. That is harmless, because
 * the command ends. False: stop. */
static bool before_wait(void *context)
{
	struct searcher *searcher = context;
	struct bs_grep_search *plan = searcher->run->plan;
	if (!bs_task_is_turn(searcher->task))
		return bs_task_is_wanted(searcher->task);
	if (searcher->slot->out.used_bytes > 0 && !put_part(searcher))
		return false;
	plan->flush(plan->context);
	return true;
}

/* Prepares the printer of a file for --max-results and --after. With --max-results, all output of
 * the file is kept until its turn, because only then the number of results to show is known. */
static void pick_results(const struct bs_results *results, struct bs_grep_printer *printer,
                         struct slot *slot)
{
	printer->picks = !results->are_files;
	printer->most_results = atomic_load(&results->is_full) ? 0 : results->most;
	printer->passed_line = slot->file.passed_line;
	printer->marks = &slot->marks;
	if (results->most != UINT64_MAX)
		printer->offer_bytes = SIZE_MAX;
}

/* Searches a text for one condition. Stops at the first matching line and prints nothing. */
static enum bs_status is_in_file(const struct bs_condition *condition,
                                 struct bs_grep_scratch *scratch, struct bs_grep_text *text,
                                 enum bs_grep_binary binary, bool is_slice, bool *is_in_out,
                                 struct bs_error *err)
{
	static const struct bs_grep_program no_program;
	struct bs_grep_request request = {.pattern = condition->pattern,
	                                  .output = {.format = BS_GREP_QUIET}};
	struct bs_buffer nothing = {0};
	struct bs_grep_printer printer;
	bs_grep_printer_init(&printer, &request, &no_program, condition->matcher, scratch);
	printer.to = (struct bs_text_writer){.out = &nothing, .err = err};
	printer.offer_bytes = SIZE_MAX;
	bs_grep_search_text(condition->matcher, text, binary, is_slice, &printer);
	*is_in_out = printer.outcome.has_matched;
	bs_grep_printer_deinit(&printer);
	bs_buffer_deinit(&nothing);
	return printer.to.status;
}

/* --scope file. *hold_out: the file satisfies --and and --not, so it is searched. A condition
 * matches a file if a search for this condition alone would find a line; NUL bytes are treated as
 * in any search. The whole text must be in memory; it is unchanged afterwards. */
static enum bs_status hold_in_file(struct bs_condition_matcher *asker, struct bs_grep_text *text,
                                   enum bs_grep_binary binary, bool is_slice, bool *hold_out,
                                   struct bs_error *err)
{
	struct bs_buffer kept = {0};
	enum bs_status status = BS_OK;
	size_t n_bytes = text->bytes.used_bytes;
	*hold_out = true;
	/* A search turns NUL bytes into line ends. */
	bool is_changed = binary == BS_GREP_BINARY_CONVERT && n_bytes > 0 &&
	                  memchr(text->bytes.data, 0, n_bytes);
	if (is_changed)
		status = bs_buffer_append(&kept, text->bytes.data, n_bytes, err);
	for (size_t i = 0; i < asker->conditions->n && *hold_out && !status; i++) {
		const struct bs_condition *condition = &asker->conditions->list[i];
		bool found = false;
		status = is_in_file(condition, asker->states[i].scratch, text, binary, is_slice,
		                    &found, err);
		*hold_out = !status && found != condition->is_not;
		if (is_changed)
			memcpy(text->bytes.data, kept.data, n_bytes);
	}
	bs_buffer_deinit(&kept);
	return status;
}

static void search_text(struct running *run, struct searcher *searcher, struct slot *slot,
                        struct bs_error *err)
{
	struct bs_grep_search *plan = run->plan;
	struct bs_grep_printer *printer = &searcher->printer;
	bool has_path =
		plan->request->output.with_path || plan->request->output.format != BS_GREP_LINES;
	printer->path = has_path ? slot->file.shown : NULL;
	printer->to = (struct bs_text_writer){.out = &slot->out, .err = err};
	printer->offer_bytes = run->is_line_buffered ? 1 : BLOCK_BYTES;
	if (plan->results.is_asked)
		pick_results(&plan->results, printer, slot);
	bool is_slice = plan->maps_files && slot->file.path && !searcher->text.had_mark &&
	                !searcher->text.is_decoded && !searcher->text.input->is_stream;
	enum bs_grep_binary binary = binary_rule(plan, slot->file.is_named);
	bool is_chosen = true;
	if (printer->context)
		printer->to.status =
			bs_function_context_begin(printer->context, slot->file.shown, err);
	if (plan->conditions.n > 0 && plan->conditions.by_file && !printer->to.status)
		printer->to.status = hold_in_file(&searcher->asker, &searcher->text, binary,
		                                  is_slice, &is_chosen, err);
	if (is_chosen && !printer->to.status)
		bs_grep_search_text(plan->matcher, &searcher->text, binary, is_slice, printer);
	else
		bs_grep_print_begin(printer);
	slot->outcome = printer->outcome;
	slot->read_bytes = searcher->text.read_bytes;
}

static enum bs_status search_file(struct running *run, struct searcher *searcher, struct slot *slot,
                                  bool is_caller, struct bs_error *err)
{
	struct bs_grep_search *plan = run->plan;
	const struct bs_grep_traits *traits = bs_grep_matcher_traits(plan->matcher);
	/* In a file that rg maps, lookbehind sees the whole text. */
	bool sees_all = plan->looks_far && plan->maps_files && slot->file.path &&
	                !slot->file.packing && plan->coding != BS_GREP_CODING_UTF8;
	bool by_file = plan->conditions.n > 0 && plan->conditions.by_file;
	struct bs_grep_text *text = &searcher->text;
	struct bs_grep_read_request reading = {.file = &slot->file,
	                                       .coding = plan->coding,
	                                       .command = plan->request->files.preprocessor,
	                                       .in_pieces = traits->by_line && !by_file,
	                                       .wants_all = sees_all};
	enum bs_status status = bs_grep_text_read(text, &reading, err);
	if (!status) {
		if (is_caller && text->input->size_bytes >= LARGE_BYTES) {
			/* Another thread shall search the waiting files meanwhile. */
			struct bs_workers_load load = bs_workers_add(run->workers, 0);
			if (load.n_waiting > 0 && load.n_started + 1 < plan->n_threads)
				(void)bs_workers_start(run->workers);
		}
		slot->is_left_out = text->file.is_output && !slot->file.is_named;
		if (!slot->is_left_out) {
			search_text(run, searcher, slot, err);
			status = searcher->printer.to.status;
		}
		enum bs_status end_status = bs_grep_text_close(text, status ? NULL : err);
		status = status ? status : end_status;
	}
	bool is_over = bs_deadline_ended(status) && bs_deadline_is_over();
	if (status && status != BS_STOPPED && !is_over)
		report(plan, slot->file.shown, err->text);
	return slot->is_stopped ? BS_STOPPED : is_over || status == BS_NO_MEMORY ? status : BS_OK;
}

/* Initialises a thread's searcher before its first file. */
static enum bs_status ready_searcher(struct running *run, struct searcher *searcher,
                                     struct bs_error *err)
{
	struct bs_grep_search *plan = run->plan;
	const struct bs_grep_output *output = &plan->request->output;
	struct bs_grep_printer *printer = &searcher->printer;
	bool shows_lines = output->format == BS_GREP_LINES || output->format == BS_GREP_JSON;
	enum bs_status status = bs_grep_scratch_new(plan->matcher, &searcher->scratch, err);
	if (status)
		return status;
	bs_grep_printer_init(printer, plan->request, plan->program, plan->matcher,
	                     searcher->scratch);
	printer->offer = take_output;
	printer->offer_context = searcher;
	searcher->run = run;
	searcher->text.file.output_device = plan->program->output_device;
	searcher->text.file.output_inode = plan->program->output_inode;
	/* With --max-results, output is kept until its file's turn, so before_wait is not used. */
	if (run->waits && plan->results.most == UINT64_MAX)
		searcher->text.file.wait = (struct bs_grep_wait){before_wait, searcher};
	if (plan->conditions.n > 0)
		status = bs_condition_asker_init(&searcher->asker, &plan->conditions, err);
	printer->asker =
		plan->conditions.n > 0 && !plan->conditions.by_file ? &searcher->asker : NULL;
	if (!status && output->show_function && shows_lines)
		status = bs_function_context_new(printer->line_end, &printer->context, err);
	return status;
}

static enum bs_status search_slot(void *context, const struct bs_task *task, struct bs_error *err)
{
	struct running *run = context;
	struct slot *slot = &run->slots[task->number % N_SLOTS];
	struct searcher *searcher = &run->searchers[task->worker];
	enum bs_status status = BS_OK;
	if (slot->is_message || slot->are_known)
		return BS_OK;
	if (!searcher->scratch) {
		status = ready_searcher(run, searcher, err);
		if (status)
			return status;
	}
	if (slot->file.is_stream && !bs_task_wait_turn(task))
		return BS_OK;
	status = bs_deadline_check_after(FILE_NS, err);
	if (status)
		return status;
	searcher->task = task;
	searcher->slot = slot;
	status = search_file(run, searcher, slot, task->worker == 0, err);
	if (slot->out.used_bytes > KEPT_BYTES)
		(void)bs_task_hold(task, slot->out.used_bytes);
	return status;
}

/* Makes the separator that is printed between the outputs of two files: an empty line with
 * --heading, the group separator with context lines, otherwise nothing. */
static enum bs_status make_separator(struct running *run, struct bs_error *err)
{
	const struct bs_grep_request *request = run->plan->request;
	const struct bs_grep_output *output = &request->output;
	struct bs_grep_separator group = bs_grep_group_separator(output);
	struct bs_text_writer to = {.out = &run->separator, .err = err};
	bool has_context = output->before > 0 || output->after > 0;
	uint8_t line_end = bs_grep_end_byte(&request->pattern);
	if (output->format != BS_GREP_LINES || request->callbacks.line ||
	    (!output->heading && (!has_context || !group.bytes)))
		return BS_OK;
	if (!output->heading)
		bs_text_put(&to, group.bytes, group.n_bytes);
	bs_text_put_string(&to, request->pattern.crlf ? "\r" : "");
	bs_text_put(&to, &line_end, 1);
	return to.status;
}

/* In the file's turn, counts its results, cuts those beyond the limit from its output, and ends its
 * JSON. */
static enum bs_status take_results(struct running *run, struct slot *slot, struct bs_error *err)
{
	struct bs_results *results = &run->plan->results;
	const struct bs_result_mark *marks = slot->marks.items;
	const char *shown = slot->file.shown;
	uint64_t n = results->are_files ? slot->out.used_bytes > 0 : slot->outcome.n_results,
		 n_shown;
	bool was_full = atomic_load(&results->is_full);
	enum bs_status status =
		bs_results_take(results, shown, slot->file.root, n, marks, &n_shown, err);
	if (n_shown < n || was_full)
		slot->out.used_bytes = n_shown > 0 ? marks[n_shown].out_off : 0;
	if (n_shown < n && n_shown > 0) {
		slot->outcome.sums.matched_lines = marks[n_shown].matched_lines;
		slot->outcome.sums.matches = marks[n_shown].matches;
	}
	if (n_shown < n || slot->outcome.owes_end)
		slot->outcome.sums.printed_bytes = slot->out.used_bytes;
	if (slot->out.used_bytes == 0) {
		slot->outcome.sums =
			(struct bs_grep_sums){.elapsed_ns = slot->outcome.sums.elapsed_ns,
		                              .searches = slot->outcome.sums.searches,
		                              .searched_bytes = slot->outcome.sums.searched_bytes};
	} else if (slot->outcome.owes_end && !status) {
		status = bs_grep_json_end(run->plan->program, shown, &slot->outcome.finish,
		                          &slot->outcome.sums, &slot->out, err);
	}
	return status;
}

static void count_file(struct running *run, const struct slot *slot)
{
	struct bs_grep_result *result = run->plan->result;
	struct bs_grep_sums *sums = &run->plan->sums;
	result->n_files++;
	result->has_match |= slot->outcome.has_matched;
	result->n_with_match += slot->outcome.has_matched;
	result->read_bytes += slot->read_bytes;
	sums->elapsed_ns += slot->outcome.sums.elapsed_ns;
	sums->searches += slot->outcome.sums.searches;
	sums->searches_with_match += slot->outcome.sums.searches_with_match;
	sums->searched_bytes += slot->outcome.sums.searched_bytes;
	sums->printed_bytes += slot->outcome.sums.printed_bytes;
	sums->matched_lines += slot->outcome.sums.matched_lines;
	sums->matches += slot->outcome.sums.matches;
}

/* Emits the output or the message of a slot in its turn. Therefore no message of the source is
 * reported after -q has found a match. */
static enum bs_status put_slot(void *context, uint64_t task, struct bs_error *err)
{
	struct running *run = context;
	struct slot *slot = &run->slots[task % N_SLOTS];
	enum bs_status status = BS_OK;
	if (slot->is_message) {
		run->plan->report(run->plan->context, (const char *)slot->out.data);
	} else if (slot->are_known) {
		run->plan->result->n_with_match += slot->n_known;
		if (slot->out.used_bytes > 0 && !put_output(run, slot))
			status = BS_STOPPED;
		run->plan->result->has_match |= slot->outcome.has_matched;
	} else {
		if (run->plan->results.most != UINT64_MAX)
			status = take_results(run, slot, err);
		bool is_wanted = slot->out.used_bytes > 0 ? status || put_output(run, slot)
		                                          : run->plan->tick(run->plan->context);
		if (!status && !is_wanted)
			status = BS_STOPPED;
		if (!status && !slot->is_left_out)
			count_file(run, slot);
		if (!status && slot->outcome.has_matched && !run->plan->program->sums &&
		    run->plan->request->output.format == BS_GREP_QUIET)
			status = BS_STOPPED;
	}
	bs_buffer_trim(&slot->out, KEPT_BYTES);
	bs_buffer_trim(&slot->marks.bytes, KEPT_BYTES);
	return status;
}

static enum bs_status set_file(struct slot *slot, const struct bs_grep_file *file,
                               struct bs_error *err)
{
	size_t path_bytes = file->path ? strlen(file->path) + 1 : 0;
	struct bs_text_writer to = {.out = &slot->names, .err = err};
	bs_buffer_clear(to.out);
	bs_text_put(&to, file->path, path_bytes);
	bs_text_put(&to, file->shown, strlen(file->shown) + 1);
	slot->file = *file;
	slot->file.path = file->path ? (const char *)slot->names.data : NULL;
	slot->file.shown = (const char *)slot->names.data + path_bytes;
	return to.status;
}

/* Waits for a free slot and adds an entry to the ring: a file, a message, or, if both are NULL, the
 * output of known files. After a file, starts another thread if more entries wait than threads are
 * idle, up to plan->n_threads threads. If the calling thread will soon search, too, it counts as
 * one of them, and WORTH_A_THREAD more entries must wait. BS_STOPPED: stop. */
static enum bs_status add(struct running *run, const struct bs_grep_file *file, const char *message,
                          struct bs_error *err)
{
	struct bs_grep_search *plan = run->plan;
	if (!bs_workers_wait_room(run->workers))
		return BS_STOPPED;
	struct slot *slot = &run->slots[run->n_added % N_SLOTS];
	bs_buffer_clear(&slot->out);
	bs_vector_clear(&slot->marks);
	slot->outcome = (struct bs_grep_outcome){0};
	slot->is_begun = slot->is_stopped = slot->is_left_out = false;
	slot->read_bytes = 0;
	slot->is_message = message != NULL;
	slot->are_known = !message && !file;
	enum bs_status status = BS_OK;
	if (message) {
		status = bs_buffer_append(&slot->out, message, strlen(message) + 1, err);
	} else if (file) {
		status = set_file(slot, file, err);
	} else {
		struct bs_buffer empty = slot->out;
		slot->out = run->known_out;
		run->known_out = empty;
		slot->file = (struct bs_grep_file){.path = NULL};
		slot->n_known = run->n_known_matched;
		slot->outcome.has_matched = run->has_known_match;
		run->n_known = run->n_known_matched = 0;
		run->has_known_match = false;
	}
	if (status)
		return status;
	run->n_added++;
	struct bs_workers_load load = bs_workers_add(run->workers, 1);
	/* The calling thread will soon join the workers if the source is quick, unless it must
	 * wait for free slots because of the number of files. */
	bool joins = plan->source->is_quick && plan->n_threads > 1 && load.n_waiting < N_SLOTS / 2;
	if (file && load.n_waiting > load.n_idle + (joins ? WORTH_A_THREAD : 0) &&
	    load.n_started + joins < plan->n_threads)
		(void)bs_workers_start(run->workers);
	return BS_OK;
}

/* Adds the output of the known files since the last call to the ring. */
static enum bs_status add_known_out(struct running *run, struct bs_error *err)
{
	return run->n_known > 0 ? add(run, NULL, NULL, err) : BS_OK;
}

/* The `offer` callback of known_printer. It leaves the output in known_out, because a known file
 * has only a short line. */
static bool keep_output(void *context)
{
	(void)context;
	return true;
}

/* Prints the output of a known file, which is not opened, to known_out. */
static enum bs_status add_known(struct running *run, const struct bs_grep_file *file,
                                struct bs_error *err)
{
	struct bs_grep_search *plan = run->plan;
	struct bs_grep_printer *printer = &run->known_printer;
	if (!printer->offer)
		bs_grep_printer_init(printer, plan->request, plan->program, plan->matcher, NULL);
	printer->offer = keep_output;
	printer->path = file->shown;
	printer->to = (struct bs_text_writer){.out = &run->known_out, .err = err};
	bs_grep_print_known(printer, &file->known);
	run->n_known++;
	run->n_known_matched += printer->outcome.has_matched;
	run->has_known_match |= printer->outcome.has_matched;
	if (printer->to.status)
		return printer->to.status;
	return run->is_line_buffered || run->known_out.used_bytes >= BLOCK_BYTES
	               ? add_known_out(run, err)
	               : BS_OK;
}

/* The `report` callback of the source: adds the message to the ring, so that it is reported after
 * the files before it. */
static void add_message(void *context, const char *message)
{
	struct running *run = context;
	struct bs_error why = {""};
	enum bs_status status = add_known_out(run, &why);
	if (!status)
		status = add(run, NULL, message, &why);
	if (status)
		bs_workers_stop(run->workers, status, &why);
}

static enum bs_status feed(struct running *run, struct bs_error *err)
{
	struct bs_grep_source *source = run->plan->source;
	struct bs_resume_token *token = &run->plan->results.token;
	struct bs_grep_file file;
	enum bs_status status;
	source->listener.report = add_message;
	source->listener.report_context = run;
	for (;;) {
		status = bs_deadline_check_after(FILE_NS, err);
		if (!status)
			status = source->next(source, &file, err);
		if (status || !file.shown)
			break;
		int place = token->path ? bs_resume_token_place(token, &file) : 1;
		if (place < 0 || (place == 0 && run->plan->results.are_files))
			continue;
		file.passed_line = place == 0 ? token->line : 0;
		if (file.known.is_known) {
			status = add_known(run, &file, err);
		} else {
			status = add_known_out(run, err);
			if (!status)
				status = add(run, &file, NULL, err);
		}
		if (status)
			break;
	}
	return status ? status : add_known_out(run, err);
}

static void run_free(struct running *run)
{
	bs_workers_free(run->workers);
	for (unsigned i = 0; run->searchers && i <= run->plan->n_threads; i++) {
		bs_function_context_free(run->searchers[i].printer.context);
		bs_grep_printer_deinit(&run->searchers[i].printer);
		bs_condition_asker_deinit(&run->searchers[i].asker);
		bs_grep_scratch_free(run->searchers[i].scratch);
		bs_grep_text_deinit(&run->searchers[i].text);
	}
	for (size_t i = 0; i < N_SLOTS; i++) {
		bs_buffer_deinit(&run->slots[i].names);
		bs_buffer_deinit(&run->slots[i].out);
		bs_vector_deinit(&run->slots[i].marks);
	}
	bs_buffer_deinit(&run->separator);
	bs_buffer_deinit(&run->known_out);
	if (run->known_printer.offer)
		bs_grep_printer_deinit(&run->known_printer);
	free(run->searchers);
	free(run);
}

bool bs_grep_is_cut(const struct bs_grep_request *request, enum bs_status status)
{
	return bs_deadline_ended(status) && bs_deadline_is_over() && request->limits &&
	       request->limits->partial;
}

enum bs_status bs_grep_run(struct bs_grep_search *plan, struct bs_error *err)
{
	const struct bs_grep_output *output = &plan->request->output;
	struct running *run = calloc(1, sizeof(*run));
	if (!run)
		return bs_fail_memory(err, "a search", sizeof(*run));
	struct bs_workers_plan workers = {.n_threads = plan->n_threads,
	                                  .n_slots = N_SLOTS,
	                                  .work = search_slot,
	                                  .put = put_slot,
	                                  .most_held_bytes = ALL_HELD_BYTES,
	                                  .context = run};
	struct bs_error why = {""};
	run->plan = plan;
	run->is_line_buffered =
		output->buffering == BS_GREP_BUFFER_LINES ||
		(output->buffering == BS_GREP_BUFFER_AUTO && plan->program->is_terminal);
	run->waits = output->buffering != BS_GREP_BUFFER_BLOCKS;
	run->held_bytes = ALL_HELD_BYTES / plan->n_threads < HELD_BYTES
	                          ? ALL_HELD_BYTES / plan->n_threads
	                          : HELD_BYTES;
	size_t n_bytes = ((size_t)plan->n_threads + 1) * sizeof(*run->searchers);
	run->searchers = calloc(1, n_bytes);
	enum bs_status status =
		run->searchers ? make_separator(run, err) : bs_fail_memory(err, "threads", n_bytes);
	if (!status)
		status = bs_workers_new(&workers, &run->workers, err);
	if (!status) {
		status = feed(run, &why);
		/* If a limit ended the call and the caller accepts partial results, the output of
		 * the files searched so far is still emitted. */
		if (status && !bs_grep_is_cut(plan->request, status))
			bs_workers_stop(run->workers, status, &why);
		status = bs_workers_finish(run->workers, err);
	}
	run_free(run);
	return status == BS_STOPPED ? BS_OK : status;
}
