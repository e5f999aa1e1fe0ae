/* catalog_grep.c: bs_catalog_grep. Skips indexes whose trigrams lack a literal that every match
 * must contain. Searches the sources of the others with bs_grep, one index after the other, each on
 * all threads. */
#include <stdlib.h>
#include <string.h>

#include "core/bitsift/catalog.h"
#include "core/bitsift/grep.h"
#include "core/bitsift/host.h"
#include "core/bitsift/limits.h"
#include "core/bitsift/terminal.h"
#include "core/program/catalog_grep.h"
#include "core/program/grep_program.h"
#include "core/system/deadline.h"
#include "corpus/changes/recorded.h"
#include "query/catalog/catalog_handle.h"
#include "query/regex/pattern_grams.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct grepping {
	const struct bs_catalog_grep_request *request;
	/* Settings of the command line that the public request lacks; NULL: none. */
	const struct bs_grep_program *program;
	struct bs_catalog_grep_result *result;
	struct bs_gram_tree *tree; /* The literals that every match must contain; NULL: unknown. */
	struct bs_unavailable_policy absence;
	const struct bs_catalog *catalog;
	const struct bs_catalog_item *items;
	struct bs_grep_results results; /* With max_results: totals over all indexes so far. */
	char *last;                     /* Owned copy of results.last_token. */
	/* The item that the request's resume token names; items before it are skipped. */
	size_t first;
	const char *cursor; /* The resume token within that item; NULL: none. */
	bool has_written;   /* Some output was written. */
	bool is_first;      /* No output was written for the current index. */
	bool lacks_memory;
};

/* Whether indexes without a match may be skipped: the search covers only files that the default
 * rules index, and reports nothing about files without a match. */
static bool can_skip(const struct bs_grep_request *grep, const struct bs_grep_program *program)
{
	const struct bs_grep_files *files = &grep->files;
	const struct bs_grep_output *output = &grep->output;
	bool tells_of_all = output->invert || output->passthru || output->include_zero ||
	                    output->format == BS_GREP_FILES_WITHOUT ||
	                    output->format == BS_GREP_JSON || (program && program->sums);
	bool has_more_rules =
		files->ignore_files || files->caseless_ignore_files || files->ignores_outside_git;
	/* Ignore files and file types may let hidden files in. */
	bool has_more_files = files->hidden || files->no_ignore || files->follow ||
	                      files->no_ignore_kinds || files->globs || files->iglobs ||
	                      files->types || files->type_changes || has_more_rules;
	bool reads_otherwise = files->encoding || files->search_zip || files->preprocessor;
	return grep->task == BS_GREP_SEARCH && grep->pattern.n_patterns > 0 &&
	       !grep->pattern.is_brute && !tells_of_all && !has_more_files && !reads_otherwise;
}

/* Whether an index may match. Its trigrams leave out binary files, but grep searches these up to
 * their first NUL; if none of these parts is as long as the shortest match, they are ignored. An
 * index that leaves out files by globs, or lacks the necessary data, may always match. */
static enum bs_status may_match(const struct grepping *at, const struct bs_catalog_item *item,
                                bool *may, struct bs_error *err)
{
	const struct bs_summary *summary = &item->summary;
	const struct bs_grep_files *files = &at->request->grep.files;
	*may = true;
	if (!at->tree || !(item->flags & BS_CATALOG_SUMMARY) ||
	    (item->flags & BS_CATALOG_IS_NARROW) || !summary->facts.has_text_grams ||
	    summary->facts.n_unknown_files > 0)
		return BS_OK;
	bool ends_at_nul = !files->is_text && !files->search_binary;
	if (summary->facts.most_nul_end > 0 &&
	    (!ends_at_nul || summary->facts.most_nul_end > bs_gram_tree_least_bytes(at->tree)))
		return BS_OK;
	return bs_gram_tree_may_match(at->tree, &summary->grams, may, err);
}

struct paths {
	struct bs_source *sources;
	size_t n_sources;
	const char **list; /* Borrowed from `sources`. */
	size_t n;
};

static void refuse(struct grepping *at, const struct bs_catalog_item *item, const char *path)
{
	const struct bs_grep_request *grep = &at->request->grep;
	struct bs_error line;
	(void)bs_fail(&line, BS_UNTRUSTED,
	              "%s: %s is not searched: you did not name it as a source", item->name, path);
	bs_advise(&line,
	          "; to consent: ", (const char *const[]){"bitsift", "trust", item->place, NULL});
	at->result->grep.n_notices++;
	if (grep->callbacks.notice)
		grep->callbacks.notice(grep->callbacks.context, line.text);
}

/* Writes output. The first output of an index is preceded by the separator that grep writes between
 * two files. */
static int write_separated(void *context, const void *bytes, size_t n_bytes)
{
	struct grepping *at = context;
	const struct bs_grep_request *grep = &at->request->grep;
	const struct bs_grep_output *output = &grep->output;
	const struct bs_grep_separator *group = &output->group_separator;
	bool has_context = (output->before > 0 || output->after > 0) &&
	                   !output->no_group_separator && !output->passthru;
	int stop = 0;
	if (at->has_written && at->is_first && n_bytes > 0 && output->format == BS_GREP_LINES) {
		if (!output->heading && has_context)
			stop = group->bytes
			               ? grep->callbacks.write(grep->callbacks.context,
			                                       group->bytes, group->n_bytes)
			               : grep->callbacks.write(grep->callbacks.context, "--", 2);
		if (!stop && (output->heading || has_context))
			stop = grep->callbacks.write(grep->callbacks.context, "\n", 1);
	}
	at->has_written |= n_bytes > 0;
	at->is_first &= n_bytes == 0;
	return stop ? stop : grep->callbacks.write(grep->callbacks.context, bytes, n_bytes);
}

static void pass_flush(void *context)
{
	const struct grepping *at = context;
	at->request->grep.callbacks.flush(at->request->grep.callbacks.context);
}

static int pass_line(void *context, const struct bs_grep_line *line)
{
	const struct grepping *at = context;
	return at->request->grep.callbacks.line(at->request->grep.callbacks.context, line);
}

static void pass_notice(void *context, const char *message)
{
	const struct grepping *at = context;
	at->request->grep.callbacks.notice(at->request->grep.callbacks.context, message);
}

static void pass_explain(void *context, const char *text, size_t text_bytes)
{
	const struct grepping *at = context;
	at->request->grep.callbacks.explain(at->request->grep.callbacks.context, text, text_bytes);
}

/* Stores the totals over all indexes so far. */
static void take_results(void *context, const struct bs_grep_results *results)
{
	struct grepping *at = context;
	char *last = results->last_token ? strdup(results->last_token) : NULL;
	free(at->last);
	at->results = *results;
	at->last = last;
	at->lacks_memory |= results->last_token && !last;
	at->results.last_token = last;
	at->results.resume_token = results->n_shown < results->n_found ? last : NULL;
}

static void add_result(struct bs_grep_result *to, const struct bs_grep_result *from)
{
	to->has_match |= from->has_match;
	to->is_partial |= from->is_partial;
	to->n_files += from->n_files;
	to->n_with_match += from->n_with_match;
	to->n_ruled_out += from->n_ruled_out;
	to->n_notices += from->n_notices;
	to->read_bytes += from->read_bytes;
	to->elapsed_ns += from->elapsed_ns;
	to->n_unfollowed += from->n_unfollowed;
}

/* Finds the current paths of the index's sources, which can be opened from the working directory.
 * Sources without consent (struct bs_consent) are refused and not searched. */
static enum bs_status find_sources(struct grepping *at, const struct bs_catalog_item *item,
                                   const struct bs_consent *consent, struct paths *paths,
                                   struct bs_error *err)
{
	struct bs_dir dir;
	struct bs_manifest manifest;
	enum bs_status status = bs_dir_open(&dir, item->place, NULL, consent, err);
	if (status)
		return status;
	status = bs_manifest_read(&dir, &manifest, err);
	if (!status) {
		paths->sources = calloc(manifest.n_sources + (size_t)1, sizeof(*paths->sources));
		paths->list = calloc(manifest.n_sources + (size_t)1, sizeof(*paths->list));
		if (!paths->sources || !paths->list)
			status = bs_fail_memory(err, "sources",
			                        manifest.n_sources * sizeof(*paths->sources));
		for (uint32_t i = 0; i < manifest.n_sources && !status; i++) {
			struct bs_source *source = &paths->sources[paths->n_sources];
			uint32_t kind = manifest.sources[i].kind;
			if (kind == BS_SOURCE_FORGOTTEN || kind == BS_SOURCE_STDIN ||
			    manifest.sources[i].parent)
				continue;
			status = bs_recorded_source(&dir, &manifest, i, source, err);
			paths->n_sources += !status;
			if (!status && source->is_refused)
				refuse(at, item, source->path);
			else if (!status)
				paths->list[paths->n++] = source->path;
		}
		bs_manifest_deinit(&manifest);
	}
	bs_dir_close(&dir);
	return status;
}

static void forget_paths(struct paths *paths)
{
	for (size_t i = 0; i < paths->n_sources; i++)
		bs_source_deinit(&paths->sources[i]);
	free(paths->sources);
	free(paths->list);
}

static enum bs_status grep_one(struct grepping *at, const struct bs_catalog_item *item,
                               const struct bs_consent *consent, struct bs_error *err)
{
	struct bs_grep_request grep = at->request->grep;
	struct bs_grep_result result = {.n_files = 0};
	struct bs_error why = {""};
	struct paths paths = {.n = 0};
	struct bs_limits limits;
	enum bs_status status = grep.limits ? bs_catalog_limit(grep.limits, &limits, &why) : BS_OK;
	if (!status)
		status = find_sources(at, item, consent, &paths, &why);
	bool is_here = paths.n == 1 && strcmp(paths.list[0], ".") == 0;
	grep.files.paths = is_here ? NULL : paths.list;
	grep.files.n_paths = is_here ? 0 : paths.n;
	grep.index.dir = item->place;
	grep.host.consent = consent;
	grep.callbacks.write = grep.callbacks.write ? write_separated : NULL;
	grep.callbacks.flush = grep.callbacks.flush ? pass_flush : NULL;
	grep.callbacks.line = grep.callbacks.line ? pass_line : NULL;
	grep.callbacks.notice = grep.callbacks.notice ? pass_notice : NULL;
	grep.callbacks.explain = grep.callbacks.explain ? pass_explain : NULL;
	grep.callbacks.results = take_results;
	grep.output.before_this = &at->results;
	grep.output.resume_name = item->name;
	grep.output.resume_token = item == &at->items[at->first] ? at->cursor : NULL;
	grep.limits = grep.limits ? &limits : NULL;
	grep.callbacks.context = at;
	at->is_first = true;
	if (!status && paths.n > 0)
		status = bs_grep_for_program(&grep, at->program, &result, &why);
	add_result(&at->result->grep, &result);
	forget_paths(&paths);
	if (!status && at->lacks_memory)
		return bs_fail_memory(err, "a cursor", 0);
	return status ? bs_catalog_leave_out(at->catalog, &at->absence, item, status, &why, err)
	              : BS_OK;
}

/* Splits the resume token NAME:TOKEN into the index and the token within it. */
static enum bs_status find_cursor(struct grepping *at, size_t n_items, struct bs_error *err)
{
	const char *cursor = at->request->grep.output.resume_token,
		   *colon = cursor ? strchr(cursor, ':') : NULL;
	if (!cursor)
		return BS_OK;
	while (colon && at->first < n_items &&
	       (strncmp(at->items[at->first].name, cursor, (size_t)(colon - cursor)) != 0 ||
	        at->items[at->first].name[colon - cursor] != '\0'))
		at->first++;
	if (!colon || at->first == n_items)
		return bs_fail(err, BS_INVALID,
		               "'%s' is not a cursor of this catalog: a cursor is NAME:PATH:LINE, "
		               "with the name of an index",
		               cursor);
	at->cursor = colon + 1;
	return BS_OK;
}

static enum bs_status grep_all(struct grepping *at, struct bs_catalog *catalog,
                               struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < catalog->file.n_items && !status; i++) {
		const struct bs_catalog_item *item = &catalog->file.items[i];
		bool may = false;
		if (at->absence.is_absent[i])
			continue;
		status = bs_deadline_check(err);
		if (!status && i >= at->first)
			status = may_match(at, item, &may, err);
		if (!status && may)
			status = grep_one(at, item, catalog->consent, err);
		at->result->n_asked += may && !at->absence.is_absent[i];
		at->result->n_skipped += !may;
		if (at->result->grep.is_partial ||
		    (at->request->grep.output.format == BS_GREP_QUIET &&
		     !(at->program && at->program->sums) && at->result->grep.has_match))
			break;
	}
	return status;
}

static enum bs_status check_request(const struct bs_catalog_grep_request *request,
                                    const struct bs_grep_program *program, struct bs_error *err)
{
	const struct bs_grep_request *grep = &request->grep;
	if (grep->files.n_paths || grep->index.dir || grep->index.is_optional)
		return bs_fail(err, BS_INVALID,
		               "a catalog says which files are searched, and by which indexes: no "
		               "paths, no index");
	if (grep->output.before_this || grep->output.resume_name)
		return bs_fail(err, BS_INVALID, "a catalog goes on from index to index itself");
	if (program && program->task != BS_GREP_AS_REQUESTED)
		return bs_fail(err, BS_INVALID, "that is asked of no index");
	return BS_CHECK_RESERVED(err, BS_RESERVED(bs_catalog_grep_request, *request));
}

/* Whether the request wants results (max_results), and its kind of search has any. */
static bool tells_results(const struct bs_grep_request *grep)
{
	bool is_list = grep->task == BS_GREP_LIST_FILES || grep->task == BS_GREP_LIST_CANDIDATES;
	bool finds = grep->task == BS_GREP_SEARCH && grep->pattern.n_patterns > 0 &&
	             grep->output.format != BS_GREP_QUIET;
	return grep->output.max_results && grep->callbacks.results && (is_list || finds);
}

enum bs_status bs_catalog_grep(struct bs_catalog *catalog,
                               const struct bs_catalog_grep_request *request,
                               struct bs_catalog_grep_result *result_out, struct bs_error *err)
{
	return bs_catalog_grep_for_program(catalog, request, NULL, result_out, err);
}

enum bs_status bs_catalog_grep_for_program(struct bs_catalog *catalog,
                                           const struct bs_catalog_grep_request *request,
                                           const struct bs_grep_program *program,
                                           struct bs_catalog_grep_result *result_out,
                                           struct bs_error *err)
{
	struct bs_catalog_grep_result own, *result = result_out ? result_out : &own;
	struct grepping at = {.request = request,
	                      .program = program,
	                      .result = result,
	                      .catalog = catalog,
	                      .items = catalog->file.items,
	                      .absence = {.partial = request->partial,
	                                  .without = "searches",
	                                  .not_done = "not searched: ",
	                                  .notice = request->grep.callbacks.notice,
	                                  .context = request->grep.callbacks.context}};
	uint64_t n_changed;
	struct bs_deadline deadline;
	const struct bs_limits *limits = request->grep.limits;
	*result = (struct bs_catalog_grep_result){.n_indexes = catalog->file.n_items};
	enum bs_status status = check_request(request, program, err);
	if (!status)
		status = bs_deadline_begin(&deadline, limits, err);
	if (status)
		return status;
	status = find_cursor(&at, catalog->file.n_items, err);
	if (!status && can_skip(&request->grep, program))
		status = bs_pattern_grams_rust(&request->grep.pattern, &at.tree, err);
	if (!status && !(at.absence.is_absent = calloc(catalog->file.n_items + 1, sizeof(bool))))
		status = bs_fail_memory(err, "a search", catalog->file.n_items);
	if (!status)
		status = bs_catalog_look_at_all(catalog, &at.absence, &n_changed, err);
	if (!status)
		status = grep_all(&at, catalog, err);
	result->n_unreachable = at.absence.n;
	bool is_over = bs_deadline_is_over();
	bs_deadline_end(&deadline);
	if (bs_deadline_ended(status) && is_over && limits && limits->partial) {
		result->grep.is_partial = true;
		status = BS_OK;
	}
	if (!status && tells_results(&request->grep) && !result->grep.is_partial)
		request->grep.callbacks.results(request->grep.callbacks.context, &at.results);
	free(at.last);
	bs_gram_tree_free(at.tree);
	free(at.absence.is_absent);
	bs_catalog_keep(catalog);
	return status;
}
