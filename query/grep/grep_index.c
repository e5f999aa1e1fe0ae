/* grep_index.c: see grep_index.h. */
#include "query/grep/grep_index.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/bitsift/grep_request.h"
#include "core/store/doc_order.h"
#include "core/store/folder_listings.h"
#include "core/system/deadline.h"
#include "corpus/changes/file_checks.h"
#include "corpus/changes/recorded.h"
#include "corpus/walk/file.h"
#include "corpus/walk/file_types.h"
#include "query/grep/candidate_files.h"
#include "query/grep/grep_sort.h"
#include "query/regex/gram_filter.h"
#include "query/regex/pattern_grams.h"
#include "query/regex/prefilter/regex_grams.h"
#include "query/regex/regex_read.h"

/* A list of literals is too long if the index has fewer documents than this for each of them. */
#define DOCUMENTS_A_LITERAL 4u

/* Files that are below both a path of the command line and a source of the index. */
struct area {
	size_t path; /* index of the command-line path */
	uint32_t source;
	/* from the command-line path down to the source: "sub/", or "" if the source is not below
	 * the path */
	char *below_path;
	/* from the source down to the command-line path: "sub/", or "" if the path is not below the
	 * source */
	char *below_source;
	char *source_path; /* the real path of the source */
	/* The source is a file or a collection. Then below_path ends with the name of the file,
	 * without a slash. */
	bool is_file;
	struct bs_gram_cover cover;
	bool has_cover;
	struct bs_folder_cursor folders;
	struct bs_file_checks *checks; /* NULL: not started, or the index is trusted */
	/* For a list that replaces the walk: the walk's rules, if they may select other files than
	 * the rules of the index; otherwise NULL. */
	struct bs_walk *rules;
	/* Hidden and ignored files that the rules let in, as paths below the source. */
	const char **extras;
	size_t n_extras;
};

struct index_source {
	struct bs_grep_source source;
	const struct bs_grep_search *search;
	struct bs_snapshot snapshot;
	bool has_snapshot;
	struct bs_doc_bits candidates;
	enum bs_grep_known_want want;
	uint64_t least_bytes; /* see bs_candidate_files_init */
	char **resolved;      /* resolved[i]: the real path of command-line path i, or NULL */
	struct area *areas;
	size_t n_areas;
	/* The index may have been built in another working directory, to which the patterns of the
	 * user's global excludes (git's core.excludesFile) were relative. */
	bool is_elsewhere;
	/* listings of folders recorded by the index; an unchanged folder need not be read */
	struct bs_folders folders;
	struct bs_walk_listings lists;
	struct bs_grep_walk_options walk_options;
	/* Walks all paths. NULL: no walk; the files of the areas are listed instead. */
	struct bs_grep_source *walk;
	size_t next_area;
	struct bs_candidate_files list;
	/* has_list: `list` is open. has_listed: a file was returned from a list. */
	bool has_list, has_listed;
	/* if has_held: the name of the next file of `list`; NULL at the end of the list */
	const uint8_t *held;
	size_t held_bytes;
	bool has_held;
	size_t next_extra;
	bool lists_all; /* all files are listed, not only the candidates */
	struct bs_buffer path;
};

enum bs_grep_known_want bs_grep_known_want(const struct bs_grep_request *request, bool has_sums,
                                           enum bs_grep_coding coding)
{
	const struct bs_grep_output *output = &request->output;
	const struct bs_grep_pattern *pattern = &request->pattern;
	enum bs_grep_format format = output->format;
	bool has_conditions = bs_text_list_length(request->conditions.all_of) > 0 ||
	                      bs_text_list_length(request->conditions.none_of) > 0;
	bool is_part = output->max_results || output->resume_token;
	bool is_sum = format == BS_GREP_JSON || has_sums;
	bool is_each = output->invert || output->include_zero || format == BS_GREP_FILES_WITHOUT;
	if (output->passthru || output->stop_on_nonmatch || (is_sum && is_each))
		return BS_KNOWN_TEXT;
	if (!is_sum && !is_each)
		return BS_KNOWN_NOTHING;
	if (request->task == BS_GREP_LIST_CANDIDATES)
		return BS_KNOWN_TEXT;
	/* Sums count the bytes of decoded text, which the index does not know. With conditions,
	 * only files that satisfy them are searched and counted. */
	if (coding != BS_GREP_CODING_AUTO || has_conditions || is_part)
		return BS_KNOWN_TEXT;
	if (is_sum)
		return BS_KNOWN_SUMS;
	bool is_about_file = format == BS_GREP_COUNT || format == BS_GREP_FILES_WITH ||
	                     format == BS_GREP_FILES_WITHOUT ||
	                     (format == BS_GREP_COUNT_MATCHES && !output->invert);
	bool are_lines = !pattern->is_multi_line && !pattern->null_data;
	return is_about_file && (are_lines || !output->invert) &&
	                       !bs_grep_sort_is_wanted(&request->files)
	               ? BS_KNOWN_EACH
	               : BS_KNOWN_TEXT;
}

bool bs_grep_can_filter(const struct bs_grep_request *request, bool has_sums,
                        enum bs_grep_coding coding)
{
	bool is_as_indexed = coding == BS_GREP_CODING_AUTO || coding == BS_GREP_CODING_UTF8;
	if (request->task == BS_GREP_LIST_FILES)
		return request->index.no_stat;
	return request->pattern.n_patterns > 0 && !request->pattern.is_brute && is_as_indexed &&
	       bs_grep_known_want(request, has_sums, coding) != BS_KNOWN_TEXT;
}

/* True if the list has too many literals to filter by the index: each literal costs time, and
 * nearly every file contains the grams of some literal, so that few files are ruled out. */
static bool is_too_long(const struct bs_snapshot *snapshot, const struct bs_pattern_list *list)
{
	return bs_list_has_grams(list) &&
	       bs_pattern_n_literals(list) > snapshot->totals.n_docs / DOCUMENTS_A_LITERAL;
}

static enum bs_status make_tree(const struct bs_grep_search *search,
                                const struct bs_snapshot *snapshot, struct bs_gram_tree **tree_out,
                                struct bs_error *err)
{
	const struct bs_conditions *conditions = &search->conditions;
	struct bs_regex anything = {.root = 0};
	const struct bs_pattern_list *list = &search->analysis.list;
	bool can_filter = search->analysis.is_legible && !is_too_long(snapshot, list);
	size_t n = 1;
	*tree_out = NULL;
	const struct bs_regex **regexes = malloc((conditions->n + 1) * sizeof(*regexes));
	if (!regexes)
		return bs_fail_memory(err, "patterns", (conditions->n + 1) * sizeof(*regexes));
	regexes[0] = can_filter && !bs_list_has_grams(list) ? &search->analysis.regex : &anything;
	for (size_t i = 0; i < conditions->n; i++)
		if (!conditions->list[i].is_not && conditions->list[i].analysis.is_legible)
			regexes[n++] = &conditions->list[i].analysis.regex;
	enum bs_status status = bs_regex_read(&anything, (const uint8_t *)"", 0, err);
	/* A long list is used only if no condition can be used, because one condition rules out
	 * more files than a list of many literals. */
	if (!status && n == 1 && bs_list_has_grams(list) && can_filter)
		status = bs_regex_grams_of_literals(&list->literals, tree_out, err);
	else if (!status)
		status = bs_regex_grams_of_all(regexes, n, tree_out, err);
	free(regexes);
	if (!status && search->coding == BS_GREP_CODING_UTF8 &&
	    bs_gram_tree_has_replacement(*tree_out)) {
		bs_gram_tree_free(*tree_out);
		status = bs_regex_grams(&anything, tree_out, err);
	}
	bs_regex_deinit(&anything);
	return status;
}

static enum bs_status explain(const struct bs_gram_tree *tree,
                              const struct bs_gram_filter_stats *stats, struct bs_buffer *explained,
                              struct bs_error *err)
{
	char numbers[160];
	enum bs_status status = bs_buffer_append(explained, "grams ", 6, err);
	if (!status)
		status = bs_gram_tree_format(tree, explained, err);
	snprintf(numbers, sizeof(numbers),
	         ": %llu candidates, %llu of them without grams; %llu columns, %llu bytes",
	         (unsigned long long)stats->n_candidates, (unsigned long long)stats->n_unknown,
	         (unsigned long long)stats->n_columns, (unsigned long long)stats->column_bytes);
	return status ? status : bs_buffer_append(explained, numbers, strlen(numbers), err);
}

static enum bs_status filter(struct index_source *self, struct bs_buffer *explained,
                             struct bs_error *err)
{
	struct bs_gram_tree *tree = NULL;
	struct bs_gram_filter_stats stats = {0};
	enum bs_status status = make_tree(self->search, &self->snapshot, &tree, err);
	if (!status)
		status = bs_gram_filter(
			&self->snapshot, tree,
			(struct bs_gram_filter_how){.n_threads = self->search->n_threads},
			&self->candidates, &stats, err);
	/* A NUL byte ends the search of a file below a folder. Text that is decoded is searched in
	 * smaller pieces, so that something may be found before the NUL byte. */
	if (!status && !self->search->is_text && !self->search->request->files.search_binary)
		self->least_bytes = self->search->coding == BS_GREP_CODING_AUTO
		                            ? BS_ALL_BEFORE_NUL
		                            : bs_gram_tree_least_bytes(tree);
	if (!status && explained)
		status = explain(tree, &stats, explained, err);
	bs_gram_tree_free(tree);
	return status;
}

/* Returns the part of the path `inner` below `outer`, without a leading slash: "" if they are
 * equal, NULL if inner is not below outer. Both are real paths. */
static const char *below(const char *outer, const char *inner)
{
	size_t n = strlen(outer);
	if (n == 1 && *outer == '/')
		return inner + 1;
	if (strncmp(outer, inner, n) != 0 || (inner[n] != '\0' && inner[n] != '/'))
		return NULL;
	return inner[n] ? inner + n + 1 : inner + n;
}

static char *with_slash(const char *path)
{
	size_t n = strlen(path);
	char *copy = NULL;
	return asprintf(&copy, "%s%s", path, n > 0 && path[n - 1] != '/' ? "/" : "") < 0 ? NULL
	                                                                                 : copy;
}

static enum bs_status add_area(struct index_source *self, size_t path, uint32_t source,
                               const char *source_path, const char *below_path,
                               const char *below_source, struct bs_error *err)
{
	bool is_file = self->snapshot.manifest.sources[source].kind != BS_SOURCE_FOLDER;
	struct area *areas = realloc(self->areas, (self->n_areas + 1) * sizeof(*areas));
	if (!areas)
		return bs_fail_memory(err, "paths of an index",
		                      (self->n_areas + 1) * sizeof(*areas));
	self->areas = areas;
	struct area *area = &areas[self->n_areas++];
	*area = (struct area){.path = path,
	                      .source = source,
	                      .is_file = is_file,
	                      .below_path = is_file ? strdup(below_path) : with_slash(below_path),
	                      .below_source = with_slash(below_source),
	                      .source_path = strdup(source_path)};
	return area->below_path && area->below_source && area->source_path
	               ? BS_OK
	               : bs_fail_memory(err, "paths of an index", PATH_MAX);
}

/* Adds an area if a path of the command line equals a source, or one is below the other. */
static enum bs_status meet(struct index_source *self, size_t path, const char *resolved,
                           uint32_t source, const char *source_path, struct bs_error *err)
{
	const char *rest = below(source_path, resolved);
	if (rest)
		return add_area(self, path, source, source_path, "", rest, err);
	rest = below(resolved, source_path);
	return rest ? add_area(self, path, source, source_path, rest, "", err) : BS_OK;
}

/* Resolves the paths of the command line; NULL for standard input and missing files. */
static enum bs_status resolve_paths(struct index_source *self, struct bs_error *err)
{
	const struct bs_grep_walk_options *walk = &self->search->walk;
	enum bs_status status = BS_OK;
	self->resolved = calloc(walk->n_paths + 1, sizeof(*self->resolved));
	if (!self->resolved)
		return bs_fail_memory(err, "paths", walk->n_paths * sizeof(*self->resolved));
	for (size_t i = 0; i < walk->n_paths && !status; i++)
		if (strcmp(walk->paths[i], "-") != 0)
			status = bs_file_real_path(walk->paths[i], &self->resolved[i], err);
	return status;
}

/* Counts source number s, which must not be read, if its recorded path is, contains or is below a
 * path of the search. */
static enum bs_status count_unfollowed(struct index_source *self, uint32_t s, struct bs_error *err)
{
	const struct bs_source_record *record = &self->snapshot.manifest.sources[s];
	char *place = NULL;
	bool is_met = false;
	enum bs_status status =
		bs_recorded_canonical(self->snapshot.dir, (enum bs_source_kind)record->kind,
	                              record->path, true, &place, err);
	for (size_t i = 0; place && i < self->search->walk.n_paths; i++)
		is_met |= self->resolved[i] &&
		          (below(place, self->resolved[i]) || below(self->resolved[i], place));
	self->source.n_unfollowed += is_met;
	free(place);
	return status;
}

static enum bs_status meet_source(struct index_source *self, uint32_t s, struct bs_error *err)
{
	struct bs_source source;
	if (self->snapshot.manifest.sources[s].parent)
		return BS_OK;
	enum bs_status status = bs_recorded_root(self->snapshot.dir,
	                                         &self->snapshot.manifest.sources[s], &source, err);
	if (status)
		return status;
	/* A refused source, which must not be read without the user's consent, cannot rule out
	 * files, so its files are searched. */
	char *source_path = NULL;
	if (source.is_refused)
		status = count_unfollowed(self, s, err);
	else if (source.kind != BS_SOURCE_STDIN && source.kind != BS_SOURCE_FORGOTTEN)
		status = bs_file_real_path(source.path, &source_path, err);
	self->is_elsewhere |= source.shown || (source.path && source.path[0] == '/');
	for (size_t i = 0; source_path && i < self->search->walk.n_paths && !status; i++)
		if (self->resolved[i])
			status = meet(self, i, self->resolved[i], s, source_path, err);
	free(source_path);
	bs_source_deinit(&source);
	return status;
}

static enum bs_status set_path(struct index_source *self, const char *before, const void *name,
                               size_t name_bytes, struct bs_error *err)
{
	bs_buffer_clear(&self->path);
	enum bs_status status = bs_buffer_append(&self->path, before, strlen(before), err);
	return status ? status : bs_buffer_append(&self->path, name, name_bytes, err);
}

/* Returns the part of a walked file's path after the area's path and below_path. NULL: the file is
 * not below them. */
static const char *below_area(const struct index_source *self, const struct area *area,
                              const char *file)
{
	const char *root = self->search->walk.paths[area->path];
	size_t root_bytes = strlen(root);
	size_t skip = strlen(area->below_path);
	if (strncmp(file, root, root_bytes) != 0)
		return NULL;
	file += root_bytes;
	if (*file == '/')
		file++;
	else if (root_bytes == 0 || root[root_bytes - 1] != '/')
		return NULL;
	return strncmp(file, area->below_path, skip) == 0 ? file + skip : NULL;
}

/* Finds the recorded listing of a folder in an area's source, if the folder is unchanged. */
static bool find_list(void *context, const char *root, const char *path, size_t path_bytes,
                      const struct bs_fingerprint *fingerprint, struct bs_folder_listing *list_out)
{
	struct index_source *self = context;
	uint64_t recorded[4];
	bs_fingerprint_record(fingerprint, recorded);
	for (size_t i = 0; i < self->n_areas; i++) {
		struct area *area = &self->areas[i];
		size_t skip = strlen(area->below_path);
		if (area->is_file || strcmp(self->search->walk.paths[area->path], root) != 0 ||
		    path_bytes < skip || memcmp(path, area->below_path, skip) != 0)
			continue;
		if (set_path(self, area->below_source, path + skip, path_bytes - skip, NULL) !=
		    BS_OK)
			return false;
		if (bs_folders_find(&self->folders, &area->folders, area->source,
		                    (const char *)self->path.data, self->path.used_bytes, recorded,
		                    list_out))
			return true;
	}
	return false;
}

/* Opens a walk that takes the entries of unchanged folders from the index instead of reading them,
 * if the index has usable listings. */
static enum bs_status open_walk(struct index_source *self, struct bs_error *err)
{
	self->walk_options = self->search->walk;
	if (bs_folders_open(self->snapshot.dir, &self->folders, NULL) == BS_OK) {
		self->lists = (struct bs_walk_listings){.find = find_list, .context = self};
		self->walk_options.walk.lists = &self->lists;
	}
	return bs_grep_walk_open(&self->walk_options, &self->walk, err);
}

static enum bs_status begin_area(struct index_source *self, struct area *area, struct bs_error *err)
{
	if (area->has_cover)
		return BS_OK;
	area->has_cover = true;
	return bs_gram_cover_init(&area->cover, &self->snapshot, &self->candidates, area->source,
	                          self->least_bytes, err);
}

/* Finds the facts that the index has about a file that cannot match. ref: as `found` of struct
 * bs_gram_cover. known_out->is_known is false if the index lacks the number of lines, and for the
 * file that the output is written to, because that file is not searched. */
static enum bs_status know(const struct index_source *self, struct bs_doc_ref ref,
                           struct bs_grep_known *known_out, struct bs_error *err)
{
	uint64_t output_inode = self->search->program->output_inode, n_bytes = 0, inode = 0;
	uint32_t lines;
	if (ref.segment == self->snapshot.manifest.n_segments) {
		*known_out = (struct bs_grep_known){.is_known = true, .is_binary = true};
		return BS_OK;
	}
	const struct bs_doc_table *docs = &self->snapshot.segments[ref.segment].docs;
	enum bs_status status = bs_doc_table_lines(docs, ref.document, &lines, err);
	if (!status)
		status = bs_packed_get(&docs->places[0], ref.document, &n_bytes, err);
	if (!status && output_inode != 0)
		status = bs_packed_get(&docs->places[3], ref.document, &inode, err);
	bool is_known = !status && lines > 0 && (output_inode == 0 || inode != output_inode);
	*known_out = (struct bs_grep_known){.is_known = is_known,
	                                    .n_bytes = is_known ? n_bytes : 0,
	                                    .n_lines = is_known ? lines - 1 : 0};
	return status;
}

/* *out: the file cannot match and is unchanged since it was indexed (with no_stat: is assumed to
 * be). name: the file's path below area->below_path. Without no_stat, the first call starts the
 * checks of the files of the area's source. */
static enum bs_status ask(struct index_source *self, struct area *area, const char *name, bool *out,
                          struct bs_error *err)
{
	enum bs_gram_answer answer;
	enum bs_status status = begin_area(self, area, err);
	if (!status && !self->search->request->index.no_stat && !area->checks)
		status = bs_file_checks_start(&self->snapshot, &self->candidates, area->source,
		                              area->source_path, self->search->n_threads,
		                              &area->checks, err);
	if (!status)
		status = set_path(self, area->below_source, name, strlen(name), err);
	if (!status)
		status = bs_gram_cover_ask(&area->cover, self->path.data, self->path.used_bytes,
		                           NULL, &answer, err);
	*out = !status && answer == BS_GRAM_NO_MATCH;
	if (*out && area->checks)
		status = bs_file_checks_is_unchanged(area->checks, area->cover.found, out, err);
	return status;
}

/* Like ask, for a single file: the area's source, or the file at below_source in it. */
static enum bs_status ask_alone(struct index_source *self, struct area *area, const char *file,
                                bool *out, struct bs_error *err)
{
	enum bs_gram_answer answer;
	struct bs_fingerprint fingerprint;
	uint64_t now[4];
	const uint8_t *name = (const uint8_t *)area->below_source;
	size_t name_bytes = strlen(area->below_source);
	bool trusts = self->search->request->index.no_stat;
	name_bytes -= name_bytes > 0; /* without the slash */
	enum bs_status status = begin_area(self, area, err);
	/* A NUL byte does not end the search of a named file. */
	area->cover.least_bytes = 0;
	/* A file that cannot be checked is searched, and the search reports the reason. */
	if (status || (!trusts && bs_path_fingerprint(file, &fingerprint, NULL) != BS_OK))
		return status;
	if (!trusts)
		bs_fingerprint_record(&fingerprint, now);
	if (!area->is_file)
		status = bs_doc_cursor_seek(&area->cover.cursor, name, name_bytes, err);
	if (!status)
		status = bs_gram_cover_ask(&area->cover, name, name_bytes, trusts ? NULL : now,
		                           &answer, err);
	*out = !status && answer == BS_GRAM_NO_MATCH;
	return status;
}

/* A smaller named file below a folder source is searched without asking the index, because the
 * search takes no longer. */
#define LEAST_ASKED_BYTES (UINT64_C(256) << 10)

/* *out: the index rules the file out, and file->known has the facts that the output needs
 * (self->want). */
static enum bs_status is_ruled_out(struct index_source *self, struct bs_grep_file *file, bool *out,
                                   struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bool is_list = self->search->request->task == BS_GREP_LIST_FILES;
	*out = false;
	for (size_t i = 0; i < self->n_areas && !status && !*out && !is_list; i++) {
		struct area *area = &self->areas[i];
		const char *name = file->is_named || (area->is_file && !*area->below_path)
		                           ? NULL
		                           : below_area(self, area, file->path);
		if (file->is_named) {
			if (!*area->below_path &&
			    (area->is_file || file->n_bytes >= LEAST_ASKED_BYTES) &&
			    strcmp(file->path, self->search->walk.paths[area->path]) == 0)
				status = ask_alone(self, area, file->path, out, err);
		} else if (name && !area->is_file) {
			status = ask(self, area, name, out, err);
		} else if (name && !*name) {
			status = ask_alone(self, area, file->path, out, err);
		}
		if (!status && *out && self->want != BS_KNOWN_NOTHING) {
			status = know(self, area->cover.found, &file->known, err);
			*out = !status && file->known.is_known;
		}
	}
	return status;
}

#define TICK_FILES 64 /* files ruled out between two calls of the listener's tick */

/* Counts a file that is ruled out. True: the source does not return this file. */
static bool pass(struct index_source *self, const struct bs_grep_known *known)
{
	self->source.n_ruled_out++;
	self->source.n_passed += self->want == BS_KNOWN_SUMS;
	self->source.passed_bytes += self->want == BS_KNOWN_SUMS ? known->n_bytes : 0;
	return self->want != BS_KNOWN_EACH;
}

static enum bs_status next_walked(struct bs_grep_source *source, struct bs_grep_file *file_out,
                                  struct bs_error *err)
{
	struct index_source *self = (struct index_source *)(void *)source;
	const struct bs_grep_listener *listener = &self->source.listener;
	self->walk->listener = self->source.listener;
	for (;;) {
		bool is_out;
		enum bs_status status = self->walk->next(self->walk, file_out, err);
		if (status || !file_out->shown || !file_out->path || file_out->packing)
			return status;
		status = is_ruled_out(self, file_out, &is_out, err);
		if (status || !is_out || !pass(self, &file_out->known))
			return status;
		if (self->source.n_ruled_out % TICK_FILES == 0 && listener->tick &&
		    !listener->tick(listener->tick_context))
			return BS_STOPPED;
	}
}

/* True if the walk follows the rules of the index, apart from the options that has_selection
 * checks. */
static bool has_same_rules(const struct index_source *self)
{
	const struct bs_grep_walk_options *wanted = &self->search->walk;
	const struct bs_recorded_options *made = &self->snapshot.manifest.options;
	const struct bs_walk_options *walk = &wanted->walk;
	return walk->hidden == made->hidden && walk->no_ignore == made->no_ignore &&
	       !walk->no_ignore_kinds && !walk->ignores_outside_git &&
	       !walk->caseless_ignore_files && !walk->ignore_files && !walk->one_file_system &&
	       !walk->follow && !walk->left_out && !wanted->only_files &&
	       !(made->globs && made->globs[0]) && !wanted->search_zip && !wanted->preprocess;
}

/* True if globs or selected types may let in files that the rules of the index left out. */
static bool may_let_in(const struct bs_walk_options *walk)
{
	return walk->n_globs > 0 || walk->n_caseless_globs > 0 ||
	       (walk->types && bs_file_types_has_wanted(walk->types));
}

/* True if globs, types or a depth limit select some of the files of the index, or let in others. */
static bool has_selection(const struct bs_walk_options *walk)
{
	return may_let_in(walk) || walk->types || walk->max_depth;
}

/* True if each path is in exactly one folder source, and the areas are in the order of the paths.
 * Then a walk would find the files of these areas, one area after the other. Sources that are files
 * in such a folder are ignored: they are sources of their own only because the folder's rules leave
 * them out, so a walk by these rules does not find them. */
static bool has_area_for_each(const struct index_source *self)
{
	size_t n = 0;
	for (size_t i = 0; i < self->n_areas; i++)
		if (!self->areas[i].is_file &&
		    (self->areas[i].path != n++ || *self->areas[i].below_path))
			return false;
	return n > 0 && n == self->search->walk.n_paths;
}

/* *is_in_out: the walk would yield the file `name` of the area's source, or would skip it only
 * because of its size. */
static enum bs_status is_in(const struct area *area, const uint8_t *name, size_t name_bytes,
                            bool *is_in_out, struct bs_error *err)
{
	enum bs_walk_judgement judgement = BS_WALK_BY_RULES;
	enum bs_status status = BS_OK;
	size_t n = strlen(area->below_source);
	*is_in_out = name_bytes > n && memcmp(name, area->below_source, n) == 0;
	if (*is_in_out && area->rules)
		status = bs_walk_judge(area->rules, name + n, name_bytes - n, false, &judgement,
		                       err);
	*is_in_out = *is_in_out && !status && judgement != BS_WALK_NO;
	return status;
}

/* *lets_in_out: the walk yields the entry (a file) or visits it (a folder), although the rules of
 * the index left it out. */
static enum bs_status is_let_in(const struct area *area, const struct bs_passed_entry *entry,
                                bool *lets_in_out, struct bs_error *err)
{
	bool is_folder =
		entry->reason == BS_SKIP_HIDDEN_FOLDER || entry->reason == BS_SKIP_IGNORED_FOLDER;
	enum bs_walk_judgement judgement = BS_WALK_NO;
	enum bs_status status = BS_OK;
	size_t n = strlen(area->below_source), n_bytes = strlen(entry->path);
	if (entry->source == area->source && n_bytes > n &&
	    memcmp(entry->path, area->below_source, n) == 0)
		status = bs_walk_judge(area->rules, entry->path + n, n_bytes - n, is_folder,
		                       &judgement, err);
	*lets_in_out = judgement == BS_WALK_BY_GLOB ||
	               (judgement == BS_WALK_BY_TYPE && entry->reason == BS_SKIP_HIDDEN);
	return status;
}

/* Opens the walk's rules for an area, and finds the hidden and ignored files that they let in.
 * *can_out: all of these files are known. It is false if the rules let in a folder, whose content
 * the index does not list, or if the index has no list of such entries. */
static enum bs_status open_rules(struct index_source *self, struct area *area, bool *can_out,
                                 struct bs_error *err)
{
	const struct bs_walk_options *walk = &self->search->walk.walk;
	const struct bs_manifest *manifest = &self->snapshot.manifest;
	struct bs_passed_entry entry;
	size_t most = 0;
	*can_out = !may_let_in(walk) || manifest->has_passed_entries;
	if (!has_selection(walk) || !*can_out)
		return BS_OK;
	enum bs_status status =
		bs_walk_open_rules(self->search->walk.paths[area->path], walk, &area->rules, err);
	for (size_t at = 0;
	     may_let_in(walk) && bs_manifest_next_passed_entry(manifest, &at, &entry);)
		most++;
	area->extras = calloc(most + 1, sizeof(*area->extras));
	if (!status && !area->extras)
		status = bs_fail_memory(err, "hidden files", most * sizeof(*area->extras));
	for (size_t at = 0; most > 0 && *can_out && !status &&
	                    bs_manifest_next_passed_entry(manifest, &at, &entry);) {
		bool lets_in;
		status = is_let_in(area, &entry, &lets_in, err);
		if (status || !lets_in)
			continue;
		*can_out = entry.reason == BS_SKIP_HIDDEN || entry.reason == BS_SKIP_IGNORED;
		area->extras[area->n_extras++] = entry.path;
	}
	return status;
}

/* *has_out: the index has a file in the area, whether it is a candidate or not. */
static enum bs_status has_files(struct index_source *self, const struct area *area, bool *has_out,
                                struct bs_error *err)
{
	struct bs_doc_cursor cursor;
	struct bs_doc_ref ref;
	struct bs_doc_record record;
	*has_out = false;
	enum bs_status status =
		bs_doc_cursor_init(&cursor, &self->snapshot, area->source, NULL, 0, NULL, err);
	while (!status && !*has_out && bs_doc_cursor_peek(&cursor, &ref, &record)) {
		status = is_in(area, record.name, record.name_bytes, has_out, err);
		if (!status && !*has_out)
			status = bs_doc_cursor_advance(&cursor, err);
	}
	bs_doc_cursor_deinit(&cursor);
	return status;
}

/* *is_same_out: the global excludes rule out the same files in all working directories. */
static enum bs_status has_same_excludes(bool *is_same_out, struct bs_error *err)
{
	struct bs_ignore excludes = {.n_plain = 0};
	enum bs_status status = bs_ignore_read_global(false, &excludes, err);
	*is_same_out = bs_ignore_is_about_names(&excludes);
	bs_ignore_deinit(&excludes);
	return status;
}

static enum bs_status can_list(struct index_source *self, bool *can_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bool is_each = self->want == BS_KNOWN_EACH || self->want == BS_KNOWN_SUMS ||
	               self->search->request->task == BS_GREP_LIST_FILES ||
	               has_selection(&self->search->walk.walk);
	*can_out = self->search->request->index.no_stat && has_same_rules(self) &&
	           has_area_for_each(self);
	if (*can_out && self->is_elsewhere && !self->search->walk.walk.no_ignore)
		status = has_same_excludes(can_out, err);
	/* An excluded document is not listed, although its file exists. */
	*can_out = *can_out && (!is_each || self->snapshot.exclusions.table.n_docs == 0);
	/* A named path that the index's rules exclude must be walked, because the index has none of
	 * its files. */
	for (size_t i = 0; i < self->n_areas && *can_out && !status; i++)
		if (!self->areas[i].is_file && *self->areas[i].below_source)
			status = has_files(self, &self->areas[i], can_out, err);
	for (size_t i = 0; i < self->n_areas && *can_out && !status; i++)
		if (!self->areas[i].is_file)
			status = open_rules(self, &self->areas[i], can_out, err);
	return status;
}

#define FILE_NS 200u /* estimated time to list a file */

/* The next name of the list or of the extras of the area, in document order; NULL: no more. */
static enum bs_status next_name(struct index_source *self, const struct area *area,
                                const uint8_t **name_out, size_t *name_bytes_out,
                                bool *is_extra_out, struct bs_error *err)
{
	const char *extra =
		self->next_extra < area->n_extras ? area->extras[self->next_extra] : NULL;
	enum bs_status status = BS_OK;
	if (!self->has_held)
		status = bs_candidate_files_next(&self->list, &self->held, &self->held_bytes, err);
	self->has_held = !status;
	*is_extra_out = !status && extra &&
	                (!self->held || bs_compare_paths((const uint8_t *)extra, strlen(extra),
	                                                 self->held, self->held_bytes) < 0);
	*name_out = *is_extra_out ? (const uint8_t *)extra : self->held;
	*name_bytes_out = *is_extra_out ? strlen(extra) : self->held_bytes;
	self->next_extra += *is_extra_out;
	self->has_held = *is_extra_out;
	return status;
}

/* For a list of all files: finds the facts that the index has about the file listed last.
 * known_out->is_known is false for a candidate, and for a file that must be read. */
static enum bs_status know_listed(struct index_source *self, struct bs_grep_known *known_out,
                                  struct bs_error *err)
{
	const struct bs_candidate_files *list = &self->list;
	*known_out = (struct bs_grep_known){.is_known = false};
	if (list->found.segment != BS_DOC_NONE)
		return bs_doc_bits_has(&self->candidates, list->found)
		               ? BS_OK
		               : know(self, list->found, known_out, err);
	known_out->is_known = known_out->is_binary =
		bs_skipped_file_is_out(&list->skipped, self->least_bytes);
	return BS_OK;
}

static bool is_too_large(const struct index_source *self, const struct bs_grep_file *file)
{
	struct stat found;
	uint64_t most_bytes = self->search->walk.max_file_bytes;
	if (most_bytes == UINT64_MAX)
		return false;
	if (file->known.is_known && !file->known.is_binary)
		return file->known.n_bytes > most_bytes;
	return bs_file_stat(AT_FDCWD, file->path, &found) == 0 &&
	       (uint64_t)found.st_size > most_bytes;
}

/* The next file of the current area; file_out->shown is NULL if there is none. */
static enum bs_status next_in_area(struct index_source *self, const struct area *area,
                                   struct bs_grep_file *file_out, struct bs_error *err)
{
	const struct bs_grep_walk_options *walk = &self->search->walk;
	size_t skip = strlen(area->below_source);
	struct bs_grep_known known = {.is_known = false};
	const uint8_t *name;
	size_t name_bytes;
	for (;;) {
		bool is_extra = false, is_wanted = false;
		enum bs_status status = bs_deadline_check_after(FILE_NS, err);
		if (!status)
			status = next_name(self, area, &name, &name_bytes, &is_extra, err);
		if (status || !name)
			return status;
		is_wanted = is_extra;
		if (!is_extra)
			status = is_in(area, name, name_bytes, &is_wanted, err);
		if (!status && is_wanted && !is_extra && self->lists_all &&
		    self->want != BS_KNOWN_NOTHING)
			status = know_listed(self, &known, err);
		if (!status && is_wanted)
			status = bs_grep_file_below(walk, area->path, name + skip,
			                            name_bytes - skip, &self->path, file_out, err);
		if (status)
			return status;
		if (!is_wanted)
			continue;
		file_out->known = is_extra ? (struct bs_grep_known){.is_known = false} : known;
		if (!is_too_large(self, file_out) &&
		    (!file_out->known.is_known || !pass(self, &file_out->known)))
			return BS_OK;
		file_out->shown = NULL;
	}
}

/* For sums over whole sources: counts the documents that cannot match. If the index knows too
 * little about a document, makes it a candidate instead, so that it is searched. */
static enum bs_status sum_documents(struct index_source *self, uint32_t source,
                                    struct bs_error *err)
{
	const struct bs_snapshot *snapshot = &self->snapshot;
	enum bs_status status = BS_OK;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++) {
		const struct bs_doc_table *docs = &snapshot->segments[s].docs;
		for (uint32_t i = 0; i < docs->n_ranges; i++) {
			struct bs_source_range range = bs_doc_table_range(docs, i);
			for (uint32_t d = range.first; d < range.end && range.source == source;
			     d++) {
				struct bs_doc_ref ref = {s, d};
				struct bs_grep_known known;
				if (bs_snapshot_is_deleted(snapshot, s, d) ||
				    bs_doc_bits_has(&self->candidates, ref))
					continue;
				status = bs_deadline_check_after(FILE_NS, err);
				if (!status)
					status = know(self, ref, &known, err);
				if (!status && !known.is_known)
					status = bs_doc_bits_set(&self->candidates, snapshot, ref,
					                         err);
				if (status)
					return status;
				if (known.is_known)
					(void)pass(self, &known);
			}
		}
	}
	return status;
}

/* Counts the skipped files of a source that the list leaves out. */
static void sum_skipped(struct index_source *self, uint32_t source)
{
	struct bs_grep_known known = {.is_known = true, .is_binary = true};
	struct bs_non_documents file;
	const struct bs_manifest *manifest = &self->snapshot.manifest;
	struct bs_non_document_place place = bs_manifest_find_non_documents(manifest, source);
	while (bs_manifest_next_non_document(manifest, &place, &file) && file.source == source)
		if (bs_skipped_file_is_out(&file, self->least_bytes))
			(void)pass(self, &known);
}

/* Decides whether all files are listed or only candidates. For sums over whole sources, counts the
 * files that cannot match, so that they need not be listed. */
static enum bs_status begin_listing(struct index_source *self, struct bs_error *err)
{
	const struct bs_grep_walk_options *walk = &self->search->walk;
	enum bs_status status = BS_OK;
	bool is_whole = self->want == BS_KNOWN_SUMS && !has_selection(&walk->walk) &&
	                walk->max_file_bytes == UINT64_MAX;
	for (size_t i = 0; i < self->n_areas; i++)
		is_whole &= self->areas[i].is_file || !*self->areas[i].below_source;
	self->lists_all = self->search->request->task == BS_GREP_LIST_FILES ||
	                  (self->want != BS_KNOWN_NOTHING && !is_whole);
	for (size_t i = 0; i < self->n_areas && is_whole && !status; i++) {
		if (self->areas[i].is_file)
			continue;
		status = sum_documents(self, self->areas[i].source, err);
		sum_skipped(self, self->areas[i].source);
	}
	return status;
}

static enum bs_status next_listed(struct bs_grep_source *source, struct bs_grep_file *file_out,
                                  struct bs_error *err)
{
	struct index_source *self = (struct index_source *)(void *)source;
	enum bs_status status = BS_OK;
	*file_out = (struct bs_grep_file){.path = NULL};
	while (!status && !file_out->shown && self->next_area < self->n_areas) {
		const struct area *area = &self->areas[self->next_area];
		if (area->is_file) {
			self->next_area++;
			continue;
		}
		if (!self->has_list) {
			self->has_list = true;
			self->has_held = false;
			self->next_extra = 0;
			status = bs_candidate_files_init(
				&self->list, &self->snapshot,
				self->lists_all ? NULL : &self->candidates, area->source,
				self->lists_all ? 0 : self->least_bytes, err);
		}
		if (!status)
			status = next_in_area(self, area, file_out, err);
		if (!status && !file_out->shown) {
			bs_candidate_files_deinit(&self->list);
			self->has_list = false;
			self->next_area++;
		}
	}
	self->has_listed |= file_out->shown != NULL;
	/* If nothing was listed, n_ruled_out must show whether the index ruled files out or had no
	 * files to list. */
	bool has_files_out = false;
	for (size_t i = 0; i < self->n_areas && !self->has_listed && !has_files_out && !status; i++)
		if (!self->areas[i].is_file)
			status = has_files(self, &self->areas[i], &has_files_out, err);
	self->source.n_ruled_out += has_files_out;
	return status;
}

static void index_close(struct bs_grep_source *source)
{
	struct index_source *self = (struct index_source *)(void *)source;
	if (self->walk)
		self->walk->close(self->walk);
	bs_folders_close(&self->folders);
	bs_candidate_files_deinit(&self->list);
	for (size_t i = 0; i < self->n_areas; i++) {
		bs_gram_cover_deinit(&self->areas[i].cover);
		bs_file_checks_free(self->areas[i].checks);
		bs_walk_close(self->areas[i].rules);
		free(self->areas[i].extras);
		free(self->areas[i].source_path);
		free(self->areas[i].below_path);
		free(self->areas[i].below_source);
	}
	for (size_t i = 0; self->resolved && i < self->search->walk.n_paths; i++)
		free(self->resolved[i]);
	free(self->resolved);
	free(self->areas);
	bs_doc_bits_deinit(&self->candidates);
	if (self->has_snapshot)
		bs_snapshot_deinit(&self->snapshot);
	bs_buffer_deinit(&self->path);
	free(self);
}

enum bs_status bs_grep_index_open(const struct bs_grep_search *search, const struct bs_dir *dir,
                                  struct bs_buffer *explained, struct bs_grep_source **source_out,
                                  struct bs_error *err)
{
	*source_out = NULL;
	struct index_source *self = calloc(1, sizeof(*self));
	if (!self)
		return bs_fail_memory(err, "a search by an index", sizeof(*self));
	bool can = false;
	self->source = (struct bs_grep_source){.close = index_close};
	self->search = search;
	enum bs_status status = bs_snapshot_open(dir, &self->snapshot, err);
	self->has_snapshot = !status;
	if (!status)
		status = bs_snapshot_use_summary(&self->snapshot, 1, err);
	/* An index without grams cannot rule out files. */
	if (!status && self->snapshot.manifest.options.grams)
		status = resolve_paths(self, err);
	if (!status && self->snapshot.manifest.options.grams)
		for (uint32_t s = 0; s < self->snapshot.manifest.n_sources && !status; s++)
			status = meet_source(self, s, err);
	bool is_list = search->request->task == BS_GREP_LIST_FILES;
	self->want = is_list ? BS_KNOWN_NOTHING
	                     : bs_grep_known_want(search->request, search->program->sums != NULL,
	                                          search->coding);
	if (!status && self->n_areas > 0 && !is_list)
		status = filter(self, explained, err);
	if (!status)
		status = can_list(self, &can, err);
	if (!status && can)
		status = begin_listing(self, err);
	self->source.is_quick = can;
	self->source.next = can ? next_listed : next_walked;
	if (!status && !can)
		status = open_walk(self, err);
	if (status)
		index_close(&self->source);
	else
		*source_out = &self->source;
	return status;
}
