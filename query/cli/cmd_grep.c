/* cmd_grep.c: `bitsift grep`: what it says of itself, and the run. Options are grep_arguments.c's, the search is grep_session.c's. */
#include "query/cli/cmd_grep.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/simd/kernels.h"
#include "core/base/visible.h"
#include "corpus/walk/file_types.h"
#include "query/cli/cmd_output.h"
#include "query/cli/cmd_shared.h"
#include "query/cli/grep_arguments.h"
#include "query/grep/grep_index.h"
#include "query/grep/grep_run.h"

static const char *const grep_examples[] = {
	"bitsift grep mutex_lock", "in the files below here",
	"bitsift grep -n -C2 'foo(?=bar)' src", "two lines around",
	"bitsift grep -i -t c -g '!old' word", "C files, not in old",
	"bitsift grep -l -w TODO", "files only",
	"bitsift grep -o -r '$2' '(\\w+)=(\\w+)'", "what follows =",
	NULL,
};

static const char grep_description[] =
	"Prints the lines that match a pattern, in files below the working directory or in the files and folders named. "
	"It searches the same files and prints the same lines as rg(1) 13 with `--no-heading --sort path`: hidden files, "
	"binary files, and those that .gitignore and the like leave out are skipped, unless you ask for them. Without a "
	"PATH, standard input is searched if it is a pipe or a file; it is also searched for the PATH `-`.\n\n"
	"Patterns are those of PCRE2, with Unicode classes: lookaround and backreferences work without `-P`. Several "
	"patterns (`-e`, `-f`) are alternatives.\n\n"
	"# Limits\n\n"
	"A file of patterns (`-f`) may have 16 MiB. Of a file of ignore rules the first 4 MiB and 65,536 rules count. A "
	"match that takes too long is given up, with a message and exit status 2, as in rg -P.\n\n"
	"# Differences from rg\n\n"
	"- The output is always sorted by path. Headings are printed only with `--heading`, even on a terminal.\n\n"
	"- There is one pattern language, PCRE2's, as with `rg -P`. It differs from rg's own in a few points: && and -- "
	"are ordinary characters in classes; the first alternative that matches at a place is taken, also with `-w`; a "
	"pattern with a line feed matches nothing without `-U`, where rg refuses it; \\w does not match combining marks; "
	"[[:alpha:]] and the like are Unicode's, not ASCII's.\n\n"
	"- No part of a pattern matches bytes that are not UTF-8, and they are printed as they are. With `-P` they are "
	"matched and printed as U+FFFD, as `rg -P` does. `-w` looks at what is around a match, as `rg -P` does; rg's own "
	"engine requires characters there, which two matches cannot share.\n\n"
	"- With `-P`, after an empty match before a character of several bytes, rg looks for the next match inside that "
	"character. PCRE2 does not define what happens then, and rg may crash. Here an empty match follows, or none.\n\n"
	"- If a pattern takes too long on a file (PCRE2's match limit), the search of that file stops, the file is named "
	"on standard error, and the exit status is 2.\n\n"
	"- `--sort` takes only path and none; `--encoding` only UTF-8, UTF-16, windows-1252 and none. `--pre`, `-z`, "
	"`--sortr`, `--engine`, `--ignore-file`, `--one-file-system`, `--path-separator` and configuration files are "
	"missing.\n\n"
	"- With `--no-stat` a candidate that has become a symbolic link, or lies in a folder that has, is not followed; "
	"it is named on standard error, as one that is not there any more, and the exit status is 2.\n\n"
	"- On a terminal, control characters and marks of direction in paths are shown as \\xNN, in JSON as \\uNNNN. "
	"Lines are shown as they are.\n\n"
	"- `--stats` prints one JSON object on standard error.\n\n"
	"- Messages on standard error are worded differently.";

const struct bs_command bs_command_grep = {
	.name = "grep",
	.summary = "Print the lines that match a pattern, as rg does.",
	.usage = "[OPTION]... (PATTERN | -e PATTERN | -f FILE) [PATH]...",
	.description = grep_description,
	.options = bs_grep_option_table,
	.n_in_help = BS_GREP_N_IN_HELP,
	.examples = grep_examples,
	.exit_status = "0 when something matched, 1 when nothing did, 2 after an error, even if something matched (but "
	               "with `-q`, 0 as soon as something matches).",
};

struct grep_session {
	const struct bs_grep_arguments *arguments;
	atomic_bool has_erred;
	bool is_broken; /* standard output */
	int write_error;
};

static bool write_out(void *context, const void *bytes, size_t n_bytes)
{
	struct grep_session *session = context;
	if (!session->is_broken && !bs_output_add(bytes, n_bytes)) {
		session->is_broken = true;
		session->write_error = errno;
	}
	return !session->is_broken;
}

static void report(void *context, const char *message)
{
	struct grep_session *session = context;
	atomic_store(&session->has_erred, true);
	if (session->arguments->no_messages)
		return;
	/* It stands behind what came before it, where both go to the same place. */
	(void)bs_output_flush();
	fprintf(stderr, "bitsift: %s\n", message);
}

static enum bs_status list_types(const struct bs_grep_arguments *arguments, struct bs_error *err)
{
	struct bs_buffer text = {0};
	enum bs_status status = bs_file_types_list(arguments->file_types, &text, err);
	if (!status)
		fwrite(text.data, 1, text.used_bytes, stdout);
	bs_buffer_deinit(&text);
	return status;
}

/* BS_STOPPED: nobody wants more. */
static enum bs_status show_path(const struct bs_grep_arguments *arguments, struct grep_session *session, const char *path,
                                struct bs_error *err)
{
	struct bs_buffer shown = {0};
	enum bs_status status = arguments->output.is_terminal ? bs_visible_escape(&shown, path, strlen(path), err)
	                                                      : bs_buffer_append(&shown, path, strlen(path), err);
	if (!status)
		status = bs_buffer_append(&shown, arguments->output.nul_after_path ? "" : "\n", 1, err);
	if (!status && !write_out(session, shown.data, shown.used_bytes))
		status = BS_STOPPED;
	bs_buffer_deinit(&shown);
	return status;
}

/* --files, --candidates */
static enum bs_status list_files(const struct bs_grep_arguments *arguments, struct grep_session *session,
                                 struct bs_grep_source *source, struct bs_grep_outcome *outcome, struct bs_error *err)
{
	struct bs_grep_file file;
	enum bs_status status;
	while ((status = source->next(source, &file, err)) == BS_OK && file.shown) {
		outcome->has_match = true;
		if (arguments->quiet)
			break;
		status = show_path(arguments, session, file.shown, err);
		if (status)
			break;
	}
	return status == BS_STOPPED ? BS_OK : status;
}

/* Whether anything can match; if not, no file is looked at. */
static bool searches(const struct bs_grep_arguments *arguments)
{
	return arguments->pattern.n_patterns > 0 && arguments->output.max_count > 0;
}

static enum bs_status search(const struct bs_grep_arguments *arguments, const struct bs_grep_analysis *analysis,
                             struct grep_session *session, struct bs_grep_source *source, struct bs_grep_outcome *outcome,
                             struct bs_error *err)
{
	struct bs_grep_matcher *matcher;
	const struct bs_kernel *kernel;
	enum bs_status status = bs_kernel_choose(arguments->kernel, &kernel, err);
	if (!status)
		status = bs_grep_matcher_new(&arguments->pattern, analysis, kernel, &matcher, err);
	if (status)
		return status;
	struct bs_grep_request request = {.source = source,
	                                  .matcher = matcher,
	                                  .search = &arguments->search,
	                                  .output = &arguments->output,
	                                  .coding = arguments->coding,
	                                  .is_text = arguments->is_text,
	                                  .search_binary = arguments->search_binary,
	                                  .maps_files = arguments->maps_files,
	                                  .stop_after_match = arguments->quiet,
	                                  .n_threads = arguments->n_threads,
	                                  .write = write_out,
	                                  .report = report,
	                                  .context = session};
	if (arguments->explain)
		fprintf(stderr, "bitsift: %s, %u threads\n", bs_grep_matcher_plan(matcher), arguments->n_threads);
	if (searches(arguments))
		status = bs_grep_run(&request, outcome, err);
	bs_grep_matcher_free(matcher);
	return status;
}

static enum bs_status finish(const struct bs_grep_arguments *arguments, struct grep_session *session,
                             const struct bs_grep_outcome *outcome, uint64_t elapsed_ns, struct bs_error *err)
{
	struct bs_buffer text = {0};
	enum bs_status status = BS_OK;
	if (arguments->output.format == BS_GREP_JSON && searches(arguments) && !arguments->files)
		status = bs_grep_json_summary(&outcome->sums, elapsed_ns, &text, err);
	if (!status && text.used_bytes)
		write_out(session, text.data, text.used_bytes);
	bs_buffer_deinit(&text);
	if (arguments->stats)
		fprintf(stderr, "{\"queries\":1,\"total\":{\"p50_us\":%.1f,\"p95_us\":%.1f,\"mean_us\":%.1f},\"candidates\":%llu,"
		        "\"verified\":%llu,\"hits\":%llu,\"false_positives\":%llu,\"bytes_verified\":%llu}\n",
		        (double)elapsed_ns / 1e3, (double)elapsed_ns / 1e3, (double)elapsed_ns / 1e3,
		        (unsigned long long)outcome->n_files, (unsigned long long)outcome->n_files,
		        (unsigned long long)outcome->n_with_match,
		        (unsigned long long)(outcome->n_files - outcome->n_with_match), (unsigned long long)outcome->read_bytes);
	return status;
}

/*
 * The files by the index, if there is one, and it can rule some out. One that was not asked for by name, and cannot be used,
 * is told of, and all files are searched.
 */
static enum bs_status open_index(const struct bs_grep_index_options *options, const struct bs_grep_arguments *arguments,
                                 struct grep_session *session, struct bs_grep_source **source_out, struct bs_error *err)
{
	struct bs_buffer explained = {0};
	enum bs_status status = bs_grep_index_open(options, arguments->explain ? &explained : NULL, source_out, err);
	if (!status && explained.used_bytes)
		fprintf(stderr, "bitsift: %.*s\n", (int)explained.used_bytes, (const char *)explained.data);
	bs_buffer_deinit(&explained);
	if (status && status != BS_NO_MEMORY && status != BS_INVALID && !arguments->index) {
		report(session, err->text);
		*err = (struct bs_error){""};
		return BS_OK;
	}
	return status;
}

/* dir->place is NULL if there is none, or one that nobody asked for and that must not be used. */
static enum bs_status open_dir(const struct bs_grep_arguments *arguments, const struct bs_consent *consent, struct bs_dir *dir,
                               struct grep_session *session, struct bs_error *err)
{
	char *path = NULL;
	enum bs_status status = bs_cmd_locate(arguments->index, &path, err);
	bool is_none = status == BS_NOT_FOUND;
	if (!status)
		status = bs_dir_open(dir, path, consent, err);
	free(path);
	if (!status || arguments->index || status == BS_NO_MEMORY)
		return status;
	if (!is_none)
		report(session, err->text);
	*err = (struct bs_error){""};
	return BS_OK;
}

static enum bs_status open_source(const struct bs_grep_arguments *arguments, struct bs_grep_index_options *options,
                                  const struct bs_consent *consent, struct bs_dir *dir, struct grep_session *session, struct bs_grep_source **source_out, struct bs_error *err)
{
	bool can_filter = !arguments->files && !arguments->pattern.is_brute && (arguments->coding == BS_GREP_CODING_AUTO || arguments->coding == BS_GREP_CODING_UTF8) &&
	                  bs_grep_can_filter(&arguments->pattern, &arguments->search, &arguments->output);
	enum bs_status status = BS_OK;
	*source_out = NULL;
	if (can_filter)
		status = open_dir(arguments, consent, dir, session, err);
	options->dir = dir;
	if (!status && dir->place)
		status = open_index(options, arguments, session, source_out, err);
	if (!status && !*source_out)
		status = bs_grep_walk_open(options->walk, source_out, err);
	return status;
}

static int run_search(const struct bs_grep_arguments *arguments, const struct bs_grep_analysis *analysis,
                      const struct bs_consent *consent, struct bs_error *err)
{
	struct grep_session session = {.arguments = arguments};
	struct bs_grep_walk_options options = arguments->source;
	struct bs_grep_index_options by_index = {.walk = &options, .pattern = analysis, .trust = arguments->trust,
	                                        .n_threads = arguments->n_threads,
	                                        .ends_at_nul = !arguments->is_text && !arguments->search_binary,
	                                        .replaces_invalid = arguments->coding == BS_GREP_CODING_UTF8};
	struct bs_grep_source *source;
	struct bs_grep_outcome outcome = {0};
	struct bs_dir dir = {.fd = -1};
	uint64_t start_ns = bs_cmd_now_ns();
	enum bs_status status = open_source(arguments, &by_index, consent, &dir, &session, &source, err);
	if (status) {
		bs_dir_close(&dir);
		return 2;
	}
	source->report = report;
	source->report_context = &session;
	if (arguments->files || arguments->candidates)
		status = list_files(arguments, &session, source, &outcome, err);
	else
		status = search(arguments, analysis, &session, source, &outcome, err);
	uint64_t n_ruled_out = source->n_ruled_out;
	source->close(source);
	bs_dir_close(&dir);
	bool lists = arguments->files || arguments->candidates;
	if (!status && options.is_default_path && outcome.n_files + n_ruled_out == 0 && !lists && searches(arguments))
		report(&session, "no files were searched: there are none, or all are left out; --files lists those that would be");
	if (!status)
		status = finish(arguments, &session, &outcome, bs_cmd_now_ns() - start_ns, err);
	if (!bs_output_flush() && !session.is_broken) {
		session.is_broken = true;
		session.write_error = errno;
	}
	/* Whoever reads less than all (`| head`) has had enough: no error. */
	if (!status && session.is_broken && session.write_error != EPIPE)
		status = bs_fail(err, BS_IO, "standard output: %s", strerror(session.write_error));
	if (status)
		return 2;
	if (atomic_load(&session.has_erred) && !(arguments->quiet && outcome.has_match))
		return 2;
	return outcome.has_match ? 0 : 1;
}

int bs_cmd_grep(int argc, char **argv, const struct bs_consent *consent)
{
	struct bs_error err = {""};
	struct bs_grep_analysis analysis = {.is_ascii = false};
	struct bs_grep_arguments arguments = {.n_threads = 0};
	int exit_status = 2;
	enum bs_status status = bs_grep_arguments_parse(&bs_command_grep, argc, argv, &arguments, &err);
	if (!status && arguments.help)
		exit_status = bs_cmd_show_help(&bs_command_grep);
	else if (!status && arguments.kernel && strcmp(arguments.kernel, "list") == 0)
		exit_status = bs_cmd_list_kernels();
	else if (!status && arguments.type_list)
		exit_status = list_types(&arguments, &err) ? 2 : 0;
	else if (!status && (status = bs_grep_analyse(&arguments.pattern, &analysis, &err)) == BS_OK)
		exit_status = run_search(&arguments, &analysis, consent, &err);
	bs_grep_analysis_deinit(&analysis);
	if (*err.text)
		fprintf(stderr, "bitsift: %s\n", err.text);
	bs_grep_arguments_deinit(&arguments);
	return exit_status;
}
