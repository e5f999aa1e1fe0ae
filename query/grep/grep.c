/* grep.c: bs_grep (bitsift/grep.h): converts a request into the inputs of the parts of grep, and
 * serialises the callbacks. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/bitsift/index_locate.h"
#include "core/bitsift/limits.h"
#include "core/program/grep_program.h"
#include "core/simd/kernels.h"
#include "core/system/deadline.h"
#include "core/system/log.h"
#include "core/system/workers.h"
#include "corpus/walk/file.h"
#include "corpus/walk/file_types.h"
#include "corpus/walk/ignore.h"
#include "query/grep/grep_index.h"
#include "query/grep/grep_run.h"
#include "query/grep/grep_sort.h"
#include "query/grep/match/automaton.h"
#include "query/grep/match/grep_code.h"
#include "query/grep/match/linear_matcher.h"
#include "query/grep/print/grep_path.h"

/* rg maps files into memory if at most this many paths are named and all of them are files. */
#define MAPS_MAX_FILES 10
#define MAX_THREADS    256u
/*
 * Output is flushed when it has waited this long. So the reader of a pipe gets the first results at
 * once and later ones soon, but one flush usually has the output of many files: a flush takes some
 * microseconds, and the search of a file with a match takes about ten.
 */
#define MOST_WAIT_NS 1000000u
/* most bytes of a pattern in a log line */
#define LOGGED_BYTES 200

struct grep {
	struct bs_grep_search search;
	pthread_mutex_t mutex; /* held while a callback runs */
	bool is_stopped;       /* a callback asked to stop, or the output has no reader any more */
	/* The output is flushed when it has waited for MOST_WAIT_NS. */
	bool flushes_soon;
	atomic_bool has_output; /* some output was written */
	bool has_unflushed;
	uint64_t looked_ns; /* when go_on() last flushed the output or asked is_closed; 0: never */
	/* NULL: the types are not needed, so their long table is not built */
	struct bs_file_types *types;
	struct bs_ignore preprocessor_globs;
	struct bs_dir dir;
};

static void tell(struct grep *grep, const char *message, bool counts)
{
	const struct bs_grep_request *request = grep->search.request;
	pthread_mutex_lock(&grep->mutex);
	grep->search.result->n_notices += counts;
	if (request->callbacks.notice)
		request->callbacks.notice(request->callbacks.context, message);
	pthread_mutex_unlock(&grep->mutex);
}

static void report(void *context, const char *message)
{
	tell(context, message, true);
}

/* Passes on a notice that does not affect the results, unless the request has no_rule_notices. */
static void remark(void *context, const char *message)
{
	struct grep *grep = context;
	if (!grep->search.request->files.no_rule_notices)
		tell(grep, message, false);
}

/* Flushes the output if it is line-buffered. */
static void flush_line(const struct grep *grep)
{
	const struct bs_grep_request *request = grep->search.request;
	enum bs_grep_buffering buffering = request->output.buffering;
	if (request->callbacks.flush &&
	    (buffering == BS_GREP_BUFFER_LINES ||
	     (buffering == BS_GREP_BUFFER_AUTO && grep->search.program->is_terminal)))
		request->callbacks.flush(request->callbacks.context);
}

/* With flushes_soon, at most once in MOST_WAIT_NS: flushes waiting output; without such output,
 * asks is_closed whether the reader is gone. The caller holds the mutex, or no other thread writes.
 * False: stop. */
static bool go_on(struct grep *grep)
{
	const struct bs_grep_request *request = grep->search.request;
	const struct bs_grep_program *program = grep->search.program;
	if (!grep->flushes_soon)
		return !grep->is_stopped;
	uint64_t now_ns = bs_now_ns();
	if (now_ns - grep->looked_ns < MOST_WAIT_NS)
		return !grep->is_stopped;
	grep->looked_ns = now_ns;
	if (grep->has_unflushed)
		request->callbacks.flush(request->callbacks.context);
	else if (program->is_closed && program->is_closed(program->closed_context))
		grep->is_stopped = true;
	grep->has_unflushed = false;
	return !grep->is_stopped;
}

static bool tick(void *context)
{
	struct grep *grep = context;
	if (!atomic_load_explicit(&grep->has_output, memory_order_relaxed) ||
	    pthread_mutex_trylock(&grep->mutex) != 0)
		return true;
	bool is_wanted = go_on(grep);
	pthread_mutex_unlock(&grep->mutex);
	return is_wanted;
}

/* Call after output was written, with the mutex held or while no other thread writes. Flushes the
 * output if it is line-buffered, or was not flushed for MOST_WAIT_NS (go_on). */
static void flush_after_output(struct grep *grep)
{
	atomic_store_explicit(&grep->has_output, true, memory_order_relaxed);
	grep->has_unflushed = true;
	flush_line(grep);
	(void)go_on(grep);
}

static bool put(void *context, const char *shown, const struct bs_buffer *out)
{
	struct grep *grep = context;
	const struct bs_grep_request *request = grep->search.request;
	bool is_for_line = request->callbacks.line && request->output.format == BS_GREP_LINES;
	pthread_mutex_lock(&grep->mutex);
	grep->is_stopped = is_for_line ? !bs_grep_deliver_lines(request, shown, out)
	                               : request->callbacks.write(request->callbacks.context,
	                                                          out->data, out->used_bytes) != 0;
	flush_after_output(grep);
	pthread_mutex_unlock(&grep->mutex);
	return !grep->is_stopped;
}

static void flush(void *context)
{
	struct grep *grep = context;
	pthread_mutex_lock(&grep->mutex);
	if (grep->search.request->callbacks.flush)
		grep->search.request->callbacks.flush(grep->search.request->callbacks.context);
	pthread_mutex_unlock(&grep->mutex);
}

static enum bs_status check_request(const struct bs_grep_request *request, struct bs_error *err)
{
	enum bs_status status =
		BS_CHECK_RESERVED(err, BS_RESERVED(bs_grep_request, *request),
	                          BS_RESERVED(bs_grep_pattern, request->pattern),
	                          BS_RESERVED(bs_grep_conditions, request->conditions),
	                          BS_RESERVED(bs_grep_files, request->files),
	                          BS_RESERVED(bs_grep_index, request->index),
	                          BS_RESERVED(bs_grep_output, request->output),
	                          BS_RESERVED(bs_grep_callbacks, request->callbacks),
	                          BS_RESERVED(bs_host, request->host));
	bool is_list =
		request->task == BS_GREP_LIST_FILES || request->task == BS_GREP_LIST_CANDIDATES;
	bool has_line =
		request->callbacks.line && (is_list || request->output.format == BS_GREP_LINES);
	bool is_mute = request->task == BS_GREP_CHECK ||
	               (!is_list && request->output.format == BS_GREP_QUIET);
	if (!status && !request->callbacks.write && !has_line && !is_mute)
		status = bs_fail(err, BS_INVALID, "a search wants a callback for what it finds");
	if (!status && request->pattern.is_word && request->pattern.is_line)
		status = bs_fail(err, BS_INVALID,
		                 "a match is a whole word or a whole line, not both");
	return status;
}

/* The four kinds of changes and selections of file types. struct bs_grep_files has a list for each
 * (see make_types); an element of its type_changes begins with one of type_prefixes. */
enum type_change {
	TYPE_CLEAR,
	TYPE_ADD,
	TYPE_WANT,
	TYPE_EXCLUDE,
	TYPE_CHANGES
};
static const char *const type_prefixes[TYPE_CHANGES] = {
	"type-clear=", "type-add=", "type=", "type-not="};

static enum bs_status change_type(struct bs_file_types *types, enum type_change change,
                                  const char *value, struct bs_error *err)
{
	if (change == TYPE_CLEAR)
		bs_file_types_clear(types, value);
	if (change == TYPE_ADD)
		return bs_file_types_add(types, value, err);
	return change == TYPE_CLEAR
	               ? BS_OK
	               : bs_file_types_choose(types, value, change == TYPE_EXCLUDE, err);
}

/* Applies an element of type_changes. */
static enum bs_status change_type_by_name(struct bs_file_types *types, const char *text,
                                          struct bs_error *err)
{
	for (unsigned change = 0; change < TYPE_CHANGES; change++) {
		size_t n = strlen(type_prefixes[change]);
		if (strncmp(text, type_prefixes[change], n) == 0)
			return change_type(types, (enum type_change)change, text + n, err);
	}
	return bs_fail(err, BS_INVALID, "invalid change of file types: %s", text);
}

static enum bs_status make_types(struct grep *grep, struct bs_error *err)
{
	const struct bs_grep_files *files = &grep->search.request->files;
	const char *const *lists[] = {files->cleared_types, files->added_types, files->types,
	                              files->excluded_types};
	size_t n_changes = bs_text_list_length(files->type_changes);
	bool is_asked = grep->search.program->task == BS_GREP_LIST_TYPES || n_changes > 0;
	for (size_t list = 0; list < TYPE_CHANGES; list++)
		is_asked |= bs_text_list_length(lists[list]) > 0;
	enum bs_status status = is_asked ? bs_file_types_new(&grep->types, err) : BS_OK;
	for (unsigned list = 0; list < TYPE_CHANGES; list++)
		for (size_t i = 0; i < bs_text_list_length(lists[list]) && !status; i++)
			status = change_type(grep->types, (enum type_change)list, lists[list][i],
			                     err);
	for (size_t i = 0; i < n_changes && !status; i++)
		status = change_type_by_name(grep->types, files->type_changes[i], err);
	if (!status && is_asked)
		status = bs_file_types_finish(grep->types, err);
	bool is_chosen = is_asked && bs_file_types_has_choice(grep->types);
	grep->search.walk.walk.types = is_chosen ? grep->types : NULL;
	return status;
}

static enum bs_status list_types(struct grep *grep, struct bs_error *err)
{
	struct bs_buffer text = {0};
	enum bs_status status = bs_file_types_list(grep->types, &text, err);
	if (!status &&
	    grep->search.request->callbacks.write(grep->search.request->callbacks.context,
	                                          text.data, text.used_bytes) != 0)
		grep->is_stopped = true;
	bs_buffer_deinit(&text);
	return status;
}

/* Prints the version of PCRE2 and, with has_all, whether the other engines are available. */
static void tell_engines(struct grep *grep, bool has_all)
{
	char text[256], hyperscan[64];
	size_t n = bs_grep_engine_format(text);
	if (has_all) {
		bs_automaton_version(hyperscan);
		n += (size_t)snprintf(
			text + n, sizeof(text) - n, "%s is %savailable\nRE2 is %savailable\n",
			*hyperscan ? hyperscan : "Hyperscan 5.4", *hyperscan ? "" : "not ",
			bs_linear_is_available() ? "" : "not ");
	}
	grep->is_stopped = grep->search.request->callbacks.write(
				   grep->search.request->callbacks.context, text, n) != 0;
}

static void explain(struct grep *grep, const void *text, size_t n_bytes)
{
	if (grep->search.request->callbacks.explain && n_bytes > 0)
		grep->search.request->callbacks.explain(grep->search.request->callbacks.context,
		                                        text, n_bytes);
}

static void explain_left_out(void *context, enum bs_skip reason, bool is_special, const char *path,
                             const char *below)
{
	(void)is_special, (void)below;
	struct bs_error line;
	bool is_hidden = reason == BS_SKIP_HIDDEN || reason == BS_SKIP_HIDDEN_FOLDER;
	(void)bs_fail(&line, BS_INVALID, "%s: left out: %s", path,
	              is_hidden ? "hidden" : "by an ignore file, a glob or its type");
	explain(context, line.text, strlen(line.text));
}

/* Reports --ignore-file files that cannot be opened. Like rg, the search continues without them. */
static void check_ignore_files(const struct grep *grep)
{
	const struct bs_grep_request *request = grep->search.request;
	struct bs_error line;
	for (const char *const *path = request->files.ignore_files;
	     path && *path && request->callbacks.notice; path++) {
		int fd = bs_file_open(AT_FDCWD, *path, O_RDONLY | O_NONBLOCK);
		if (fd < 0) {
			(void)bs_fail(&line, BS_IO, "%s: %s", *path, strerror(errno));
			request->callbacks.notice(request->callbacks.context, line.text);
		} else {
			close(fd);
		}
	}
}

static void make_walk(struct grep *grep)
{
	static const char *const here[] = {"./"};
	const struct bs_grep_files *files = &grep->search.request->files;
	bool is_default = files->n_paths == 0;
	grep->search.walk = (struct bs_grep_walk_options){
		.walk = {.hidden = files->hidden,
	                 .no_ignore = files->no_ignore,
	                 .no_ignore_kinds = files->no_ignore_kinds,
	                 .ignores_outside_git = files->ignores_outside_git,
	                 .caseless_ignore_files = files->caseless_ignore_files,
	                 .ignore_files = bs_text_list_length(files->ignore_files) > 0
	                                         ? files->ignore_files
	                                         : NULL,
	                 .one_file_system = files->one_file_system,
	                 .follow = files->follow,
	                 .max_depth = files->has_max_depth ? files->max_depth : 0,
	                 .globs = files->globs,
	                 .n_globs = bs_text_list_length(files->globs),
	                 .caseless_globs = files->iglobs,
	                 .n_caseless_globs = bs_text_list_length(files->iglobs),
	                 .left_out =
	                         grep->search.request->callbacks.explain &&
	                                         grep->search.request->callbacks.explain_left_out
	                                 ? explain_left_out
	                                 : NULL,
	                 .left_out_context = grep},
		.paths = is_default ? here : files->paths,
		.n_paths = is_default ? 1 : files->n_paths,
		.is_default_path = is_default,
		.only_files = files->has_max_depth && files->max_depth == 0,
		.max_file_bytes = files->has_max_file_bytes ? files->max_file_bytes : UINT64_MAX,
		.search_zip = files->search_zip,
		.preprocess = files->preprocessor != NULL,
		.preprocessor_globs = &grep->preprocessor_globs,
	};
}

static enum bs_status add_globs(struct bs_ignore *rules, const char *const *globs,
                                struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < bs_text_list_length(globs) && !status; i++) {
		const uint8_t *glob = (const uint8_t *)globs[i];
		size_t n = strlen(globs[i]);
		status = bs_text_is_utf8(glob, n)
		                 ? bs_ignore_add_line(rules, glob, n, err)
		                 : bs_fail(err, BS_INVALID, "glob '%s': not UTF-8", globs[i]);
	}
	return status;
}

static enum bs_status choose_coding(struct grep *grep, struct bs_error *err)
{
	const char *encoding = grep->search.request->files.encoding;
	grep->search.coding = BS_GREP_CODING_AUTO;
	return encoding ? bs_grep_coding_find(encoding, &grep->search.coding, err) : BS_OK;
}

static bool maps_files(const struct bs_grep_files *files)
{
	struct stat found;
	bool maps = files->n_paths > 0 && files->n_paths <= MAPS_MAX_FILES;
	if (files->maps != BS_GREP_MAPS_AS_RG)
		return files->maps == BS_GREP_MAPS_ALL;
	for (size_t i = 0; i < files->n_paths && maps; i++)
		maps = bs_file_stat(AT_FDCWD, files->paths[i], &found) == 0 &&
		       S_ISREG(found.st_mode);
	return maps;
}

/* True if a match of a -P pattern may depend on text further back than the line before the match:
 * the pattern may have a lookbehind, or something that matches only where the text or the search
 * begins. */
static bool looks_far(const struct bs_grep_pattern *pattern)
{
	static const char *const signs[] = {"(?<", "(*", "\\A", "\\G"};
	for (size_t i = 0; i < pattern->n_patterns && pattern->is_pcre2; i++)
		for (size_t k = 0; k < sizeof(signs) / sizeof(*signs); k++)
			if (memmem(pattern->patterns[i], pattern->pattern_bytes[i], signs[k],
			           strlen(signs[k])))
				return true;
	return false;
}

/* Opens the index folder. grep->dir.place is NULL if there is no index and none is required. */
static enum bs_status open_dir(struct grep *grep, struct bs_error *err)
{
	const struct bs_grep_request *request = grep->search.request;
	char *located = NULL;
	enum bs_status status = BS_OK;
	if (!request->index.dir && request->index.is_optional) {
		status = bs_index_locate(&located, err);
		if (status == BS_NOT_FOUND)
			return BS_OK;
	}
	const char *path = request->index.dir ? request->index.dir : located;
	if (!status && path)
		status = bs_dir_open(&grep->dir, path, NULL, request->host.consent, err);
	free(located);
	return status;
}

static enum bs_status open_by_index(struct grep *grep, struct bs_error *err)
{
	struct bs_buffer explained = {0},
			 *wanted = grep->search.request->callbacks.explain ? &explained : NULL;
	enum bs_status status = open_dir(grep, err);
	if (!status && grep->dir.place)
		status = bs_grep_index_open(&grep->search, &grep->dir, wanted, &grep->search.source,
		                            err);
	if (!status)
		explain(grep, explained.data, explained.used_bytes);
	bs_buffer_deinit(&explained);
	return status;
}

/* Opens the source of the files: an index if it can rule files out, otherwise a walk. */
static enum bs_status open_source(struct grep *grep, struct bs_error *err)
{
	const struct bs_grep_request *request = grep->search.request;
	struct bs_error why = {""};
	enum bs_status status = BS_OK;
	if (bs_grep_can_filter(request, grep->search.program->sums != NULL, grep->search.coding))
		status = open_by_index(grep, &why);
	if (status &&
	    (!request->index.is_optional || status == BS_NO_MEMORY || status == BS_INVALID))
		return bs_fail(err, status, "%s", why.text);
	if (status)
		report(grep, why.text);
	if (!grep->search.source)
		status = bs_grep_walk_open(&grep->search.walk, &grep->search.source, err);
	if (grep->search.source && bs_grep_sort_is_wanted(&request->files))
		status = bs_grep_sort_open(grep->search.source, &request->files,
		                           &grep->search.source, err);
	if (grep->search.source)
		grep->search.source->listener =
			(struct bs_grep_listener){report, grep, remark, grep, tick, grep};
	return grep->search.source ? BS_OK : status;
}

static enum bs_status show_file(struct grep *grep, const char *path, struct bs_error *err)
{
	const struct bs_grep_request *request = grep->search.request;
	struct bs_buffer shown = {0}, place = {0};
	if (request->callbacks.line) {
		struct bs_grep_line line = {.path = path};
		grep->is_stopped = request->callbacks.line(request->callbacks.context, &line) != 0;
		return BS_OK;
	}
	struct bs_text_writer to = {.out = &shown, .err = err};
	to.status = bs_grep_link_place(grep->search.program, path, &place, err);
	bs_grep_link_begin(grep->search.program, &place, 0, 0, &to);
	bs_grep_path_append(grep->search.program, path, &to);
	bs_grep_link_end(&place, &to);
	bs_text_put(&to, request->output.nul_after_path ? "" : "\n", 1);
	if (!to.status)
		grep->is_stopped = request->callbacks.write(request->callbacks.context, shown.data,
		                                            shown.used_bytes) != 0;
	bs_buffer_deinit(&place);
	flush_after_output(grep);
	bs_buffer_deinit(&shown);
	return to.status;
}

static enum bs_status finish_results(struct grep *grep, struct bs_error *err)
{
	const struct bs_grep_request *request = grep->search.request;
	struct bs_results *results = &grep->search.results;
	enum bs_status status = grep->is_stopped ? BS_OK : bs_results_finish(results, err);
	if (!status && !grep->is_stopped && results->most != UINT64_MAX &&
	    request->callbacks.results)
		request->callbacks.results(request->callbacks.context, &results->told);
	return status;
}

#define LIST_NS 300u /* estimated time per listed file */

static enum bs_status list_files(struct grep *grep, struct bs_error *err)
{
	struct bs_results *results = &grep->search.results;
	struct bs_grep_file file;
	enum bs_status status;
	while ((status = grep->search.source->next(grep->search.source, &file, err)) == BS_OK &&
	       file.shown && !grep->is_stopped) {
		uint64_t n_shown = 1;
		if ((status = bs_deadline_check_after(LIST_NS, err)) || !tick(grep))
			break;
		if (results->token.path && bs_resume_token_place(&results->token, &file) <= 0)
			continue;
		grep->search.result->has_match = true;
		if (results->most != UINT64_MAX)
			status = bs_results_take(results, file.shown, file.root, 1, NULL, &n_shown,
			                         err);
		if (!status && n_shown > 0)
			status = show_file(grep, file.shown, err);
		if (status)
			break;
	}
	return status ? status : finish_results(grep, err);
}

static enum bs_status put_summary(struct grep *grep, uint64_t start_ns, struct bs_error *err)
{
	struct bs_buffer text = {0};
	enum bs_status status = bs_grep_json_summary(
		&grep->search.sums, bs_now_ns() - start_ns,
		grep->search.results.most != UINT64_MAX ? &grep->search.results.told : NULL, &text,
		err);
	if (!status)
		(void)put(grep, NULL, &text);
	bs_buffer_deinit(&text);
	return status;
}

static enum bs_status search(struct grep *grep, uint64_t start_ns, struct bs_error *err)
{
	const struct bs_grep_request *request = grep->search.request;
	const struct bs_kernel *kernel;
	char plan[320], filter[128] = "";
	enum bs_status status = bs_kernel_choose(request->kernel, &kernel, err);
	if (!status)
		status = bs_conditions_compile(&grep->search.conditions, kernel, err);
	if (!status)
		status = bs_grep_matcher_new(&request->pattern, &grep->search.analysis, kernel,
		                             &grep->search.matcher, err);
	if (status)
		return status;
	grep->search.maps_files = maps_files(&request->files);
	grep->search.looks_far = looks_far(&request->pattern);
	if (request->callbacks.explain)
		bs_grep_matcher_explain_filter(grep->search.matcher, filter);
	explain(grep, plan,
	        (size_t)snprintf(plan, sizeof(plan), "%s%s, %u threads",
	                         bs_grep_matcher_plan(grep->search.matcher), filter,
	                         grep->search.n_threads));
	/* Without patterns nothing can match, so no file is read, except with -v. */
	bool may_find = request->pattern.n_patterns > 0 || request->output.invert;
	if (request->task == BS_GREP_SEARCH && may_find) {
		status = bs_grep_run(&grep->search, err);
		if (!status && bs_deadline_is_over() && !grep->is_stopped)
			status = bs_deadline_check(err);
		if (!status)
			status = finish_results(grep, err);
		grep->search.sums.searches += grep->search.source->n_passed;
		grep->search.sums.searched_bytes += grep->search.source->passed_bytes;
		bool has_summary = request->output.format == BS_GREP_JSON ||
		                   grep->search.program->json_summary;
		bool has_end = has_summary && !grep->is_stopped &&
		               (!status || bs_grep_is_cut(request, status));
		enum bs_status end_status = has_end ? put_summary(grep, start_ns, err) : BS_OK;
		status = end_status ? end_status : status;
	}
	bs_grep_matcher_free(grep->search.matcher);
	return status;
}

/* Checks the globs. The walk checks them, too, but there may be no walk: if only files are named,
 * or nothing is searched. */
static enum bs_status check_globs(const struct bs_grep_files *files, struct bs_error *err)
{
	struct bs_ignore rules = {.n_plain = 0};
	enum bs_status status = add_globs(&rules, files->globs, err);
	if (!status)
		status = add_globs(&rules, files->iglobs, err);
	bs_ignore_deinit(&rules);
	return status;
}

static enum bs_status run(struct grep *grep, uint64_t start_ns, struct bs_error *err)
{
	const struct bs_grep_request *request = grep->search.request;
	bool bans_nul = !request->files.is_text && !request->pattern.null_data;
	enum bs_status status =
		bs_grep_analyse_rust(&request->pattern, bans_nul, &grep->search.analysis, err);
	if (!status)
		status = bs_results_init(&grep->search.results, request, &grep->search.walk, err);
	if (!status)
		status = bs_conditions_read(request, &grep->search.conditions, err);
	if (!status)
		status = open_source(grep, err);
	if (status)
		return status;
	bool lists =
		request->task == BS_GREP_LIST_FILES || request->task == BS_GREP_LIST_CANDIDATES;
	return lists ? list_files(grep, err) : search(grep, start_ns, err);
}

static void add_sums(struct bs_grep_sums *to, const struct bs_grep_sums *from)
{
	to->elapsed_ns += from->elapsed_ns;
	to->searches += from->searches;
	to->searches_with_match += from->searches_with_match;
	to->searched_bytes += from->searched_bytes;
	to->printed_bytes += from->printed_bytes;
	to->matched_lines += from->matched_lines;
	to->matches += from->matches;
}

static void log_grep(const struct bs_grep_request *request, const struct bs_grep_result *result,
                     enum bs_status status, const struct bs_error *err)
{
	const struct bs_log *log = request->host.log;
	const struct bs_grep_pattern *pattern = &request->pattern;
	bool is_cut = status == BS_DEADLINE || result->is_partial;
	bool has_bytes = pattern->n_patterns > 0 && pattern->pattern_bytes[0] < LOGGED_BYTES;
	int n_bytes = has_bytes                 ? (int)pattern->pattern_bytes[0]
	              : pattern->n_patterns > 0 ? LOGGED_BYTES
	                                        : 0;
	bs_log_line(
		log,
		is_cut ? BS_LOG_WARNING : bs_log_level_of(log, result->elapsed_ns, BS_LOG_DEBUG),
		"grep %.1f ms, %llu files searched, %llu match, %llu ruled out%s%s: %.*s",
		(double)result->elapsed_ns / 1e6, (unsigned long long)result->n_files,
		(unsigned long long)result->n_with_match, (unsigned long long)result->n_ruled_out,
		result->is_partial ? ", cut off"
		: status           ? ", "
				   : "",
		status ? err ? err->text : bs_status_name(status) : "", n_bytes,
		n_bytes ? pattern->patterns[0] : "");
}

static enum bs_status run_task(struct grep *grep, uint64_t start_ns, struct bs_error *err)
{
	const struct bs_grep_files *files = &grep->search.request->files;
	enum bs_grep_program_task task = grep->search.program->task;
	if (task == BS_GREP_SHOW_PCRE2_VERSION || task == BS_GREP_SHOW_ENGINE_VERSIONS) {
		tell_engines(grep, task == BS_GREP_SHOW_ENGINE_VERSIONS);
		return BS_OK;
	}
	make_walk(grep);
	check_ignore_files(grep);
	enum bs_status status =
		add_globs(&grep->preprocessor_globs, files->preprocessor_globs, err);
	if (!status)
		status = check_globs(files, err);
	if (!status)
		status = make_types(grep, err);
	if (!status)
		status = choose_coding(grep, err);
	if (status)
		return status;
	return task == BS_GREP_LIST_TYPES ? list_types(grep, err) : run(grep, start_ns, err);
}

enum bs_status bs_grep(const struct bs_grep_request *request, struct bs_grep_result *result_out,
                       struct bs_error *err)
{
	return bs_grep_for_program(request, NULL, result_out, err);
}

enum bs_status bs_grep_for_program(const struct bs_grep_request *request,
                                   const struct bs_grep_program *program,
                                   struct bs_grep_result *result_out, struct bs_error *err)
{
	static const struct bs_grep_program none;
	struct bs_grep_result result = {.n_files = 0};
	uint64_t start_ns = bs_now_ns();
	struct grep grep = {.mutex = PTHREAD_MUTEX_INITIALIZER, .dir = {.fd = -1}};
	grep.search = (struct bs_grep_search){
		.request = request,
		.program = program ? program : &none,
		.is_text = request->files.is_text || request->pattern.null_data,
		.n_threads = bs_workers_n_threads(request->n_threads, MAX_THREADS),
		.result = &result,
		.put = put,
		.flush = flush,
		.tick = tick,
		.report = report,
		.context = &grep,
	};
	grep.flushes_soon =
		request->callbacks.flush && request->output.buffering == BS_GREP_BUFFER_AUTO;
	struct bs_deadline deadline;
	enum bs_status status = bs_deadline_begin(&deadline, request->limits, err);
	if (status)
		return status;
	status = check_request(request, err);
	if (!status)
		status = run_task(&grep, start_ns, err);
	if (!status && grep.is_stopped)
		status = bs_fail(err, BS_STOPPED, "stopped by the callback");
	result.is_partial = !grep.is_stopped && bs_grep_is_cut(request, status);
	if (result.is_partial)
		status = BS_OK;
	if (grep.search.source) {
		result.n_ruled_out = grep.search.source->n_ruled_out;
		result.n_unfollowed = grep.search.source->n_unfollowed;
		grep.search.source->close(grep.search.source);
	}
	if (grep.search.program->sums)
		add_sums(grep.search.program->sums, &grep.search.sums);
	bs_results_deinit(&grep.search.results);
	bs_conditions_deinit(&grep.search.conditions);
	bs_grep_analysis_deinit(&grep.search.analysis);
	bs_ignore_deinit(&grep.preprocessor_globs);
	bs_file_types_free(grep.types);
	bs_dir_close(&grep.dir);
	result.elapsed_ns = bs_now_ns() - start_ns;
	bs_deadline_end(&deadline);
	log_grep(request, &result, status, err);
	if (result_out)
		*result_out = result;
	return status;
}
