/* cmd_grep.c: `bitsift grep`: its help, and the output of results. grep_arguments.c parses the
 * options. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift.h"
#include "core/bitsift/catalog.h"
#include "core/bitsift/index_locate.h"
#include "core/bitsift/terminal.h"
#include "core/program/catalog_grep.h"
#include "core/program/grep_program.h"
#include "query/cli/cmd_output.h"
#include "query/cli/commands.h"
#include "query/cli/grep_arguments.h"
#include "query/cli/program.h"

static const char *const grep_examples[] = {
	"bitsift grep mutex_lock",
	"in this folder and below",
	"bitsift grep -n -C2 'foo(?=bar)' src",
	"with two lines of context",
	"bitsift grep -i -t c -g '!old' word",
	"C files, not in old",
	"bitsift grep -l -w TODO",
	"only paths",
	"bitsift grep -o -r '$2' '(\\w+)=(\\w+)'",
	"values after =",
	"bitsift grep lock --and door --not key",
	"lines with the first two, without the third",
	"bitsift grep -n --enclosing --max-results 50 lock",
	"50 lines at most, with their functions",
	NULL,
};

/* The variables that may name a configuration file. The first one that is set counts. */
static const char *const config_variables[] = {"BITSIFT_CONFIG_PATH", "RIPGREP_CONFIG_PATH", NULL};

struct session {
	const struct bs_grep_arguments *arguments;
	bool is_quiet;
	int write_error; /* The errno of writing to standard output; 0: no error. */
};

/* Adds output to the buffer, but nothing with -q. Nonzero stops the search: after a failure to
 * write, and at the first output with -q. As in rg, -q --stats searches all files nevertheless. */
static int write_out(void *context, const void *bytes, size_t n_bytes)
{
	struct session *session = context;
	if (!session->is_quiet && !bs_output_add(bytes, n_bytes))
		session->write_error = errno;
	return session->write_error || (session->is_quiet && !session->arguments->program.sums);
}

static void flush(void *context)
{
	struct session *session = context;
	if (!bs_output_flush() && !session->write_error)
		session->write_error = errno;
}

/* For bs_grep_program.is_closed: true if the reader has closed the pipe, or after a failure to
 * write. */
static bool is_closed(void *context)
{
	struct session *session = context;
	struct pollfd output = {.fd = STDOUT_FILENO};
	if (!session->write_error && poll(&output, 1, 0) == 1 && output.revents & POLLERR)
		session->write_error = EPIPE;
	return session->write_error != 0;
}

static void notice(void *context, const char *message)
{
	const struct session *session = context;
	if (session->arguments->no_messages)
		return;
	/* The output so far must appear before the notice if both go to the same terminal or
	 * file. */
	(void)bs_output_flush();
	fprintf(stderr, "bitsift: %s\n", message);
}

static void explain(void *context, const char *text, size_t text_bytes)
{
	(void)context;
	fprintf(stderr, "bitsift: %.*s\n", (int)text_bytes, text);
}

/* Prints a word, quoted for a shell. */
static void put_word(const char *word, FILE *to)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-#";
	bool is_plain = word[strspn(word, plain)] == '\0' && *word != '#', is_odd = false;
	for (const char *at = word; *at; at++)
		is_odd |= (unsigned char)*at < 0x20 || (unsigned char)*at >= 0x7f || *at == '\'';
	fputs(is_plain ? "" : is_odd ? "$'" : "'", to);
	for (const char *at = word; *at; at++) {
		if ((unsigned char)*at < 0x20 || (unsigned char)*at >= 0x7f)
			fprintf(to, "\\x%02x", (unsigned char)*at);
		else
			fprintf(to, is_odd && (*at == '\'' || *at == '\\') ? "\\%c" : "%c", *at);
	}
	fputs(is_plain ? "" : "'", to);
}

static void show_results(void *context, const struct bs_grep_results *results)
{
	const struct session *session = context;
	const struct bs_grep_request *request = &session->arguments->request;
	bool are_files =
		request->task != BS_GREP_SEARCH ||
		(request->output.format != BS_GREP_LINES && request->output.format != BS_GREP_JSON);
	const char *files = BS_THINGS(results->n_files, "file");
	(void)bs_output_flush();
	fprintf(stderr, "bitsift: %s of ", BS_COUNT(results->n_shown));
	if (are_files)
		fputs(files, stderr);
	else
		fprintf(stderr, "%s %s in %s", BS_COUNT(results->n_found),
		        results->n_found == 1 ? "match" : "matches", files);
	if (results->resume_token) {
		fputs("; for more: --after ", stderr);
		put_word(results->resume_token, stderr);
	}
	fputs("\n", stderr);
}

/* --stats: rg's statistics, after the results. */
static void show_sums(struct session *session, const struct bs_grep_sums *sums, uint64_t elapsed_ns)
{
	char text[512];
	int n = snprintf(text, sizeof(text),
	                 "\n%llu matches\n%llu matched lines\n%llu files contained matches\n"
	                 "%llu files searched\n%llu bytes printed\n%llu bytes searched\n"
	                 "%.6f seconds spent searching\n%.6f seconds total\n",
	                 sums->matches, sums->matched_lines, sums->searches_with_match,
	                 sums->searches, sums->printed_bytes, sums->searched_bytes,
	                 (double)sums->elapsed_ns / 1e9, (double)elapsed_ns / 1e9);
	if (!session->write_error && !bs_output_add(text, (size_t)n))
		session->write_error = errno;
}

static void show_stats(const struct bs_grep_result *result,
                       const struct bs_catalog_grep_result *catalog)
{
	double us = (double)result->elapsed_ns / 1e3;
	fprintf(stderr,
	        "{\"queries\":1,\"total\":{\"p50_us\":%.1f,\"p95_us\":%.1f,\"mean_us\":%.1f},"
	        "\"candidates\":%llu,"
	        "\"verified\":%llu,\"hits\":%llu,\"false_positives\":%llu,\"bytes_verified\":%llu",
	        us, us, us, (unsigned long long)result->n_files,
	        (unsigned long long)result->n_files, (unsigned long long)result->n_with_match,
	        (unsigned long long)(result->n_files - result->n_with_match),
	        (unsigned long long)result->read_bytes);
	if (catalog)
		fprintf(stderr,
		        ",\"catalog\":{\"indexes\":%llu,\"asked\":%llu,\"skipped\":%llu,"
		        "\"unreachable\":%llu}",
		        (unsigned long long)catalog->n_indexes,
		        (unsigned long long)catalog->n_asked,
		        (unsigned long long)catalog->n_skipped,
		        (unsigned long long)catalog->n_unreachable);
	fputs("}\n", stderr);
}

/* Searches the indexes of a catalog. *came: the result, summed over all indexes. */
static enum bs_status grep_catalog(const struct bs_grep_arguments *arguments,
                                   const struct bs_grep_request *grep,
                                   const struct bs_grep_program *program,
                                   struct bs_catalog_grep_result *came, struct bs_error *err)
{
	struct bs_catalog *catalog;
	struct bs_catalog_grep_request request = {.grep = *grep, .partial = arguments->partial};
	enum bs_status status = bs_cmd_open_catalog(arguments->catalog, false, grep->kernel,
	                                            grep->host.consent, &catalog, err);
	if (!status)
		status = bs_catalog_grep_for_program(catalog, &request, program, came, err);
	came->grep.n_notices += came->n_unreachable;
	bs_catalog_close(catalog);
	return status;
}

/* Reports that files were searched without the index because their source has no consent. If the
 * index was not named but found automatically, reports this only on a terminal. */
static void tell_of_consent(const struct bs_grep_request *request)
{
	char *located = NULL;
	struct bs_error line;
	if (!request->index.dir && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
		(void)!bs_index_locate(&located, NULL);
	const char *dir = request->index.dir ? request->index.dir : located;
	if (dir) {
		(void)bs_fail(&line, BS_UNTRUSTED,
		              "the index was not used for sources that you did not name");
		bs_advise(&line,
		          "; to consent: ", (const char *const[]){"bitsift", "trust", dir, NULL});
		fprintf(stderr, "bitsift: %s\n", line.text);
	}
	free(located);
}

/* Suggests making an index. Only once per user. Never if the fact that it was suggested cannot be
 * stored. */
static void tell_of_index(const struct bs_grep_request *request)
{
	char *dir = NULL;
	bool has_folder = request->files.n_paths == 0;
	for (size_t i = 0; i < request->files.n_paths; i++)
		has_folder |= strcmp(request->files.paths[i], "-") != 0;
	if (request->task == BS_GREP_SEARCH && has_folder && !request->index.dir &&
	    !request->pattern.is_brute && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO) &&
	    bs_index_locate(&dir, NULL) == BS_NOT_FOUND && bs_cmd_is_first("grep-without-index"))
		fputs("bitsift: all files were searched; with an index (`bitsift index .`), only "
		      "those that may match are. This message is shown once.\n",
		      stderr);
	free(dir);
}

/* Flushes a text that is not the result of a search. If the reader of the pipe has closed it, the
 * rest is dropped without an error. */
static void flush_text(void)
{
	struct session session = {0};
	if (fflush(stdout) == 0 || !is_closed(&session))
		return;
	int sink = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (sink >= 0 && dup2(sink, STDOUT_FILENO) >= 0)
		clearerr(stdout);
	if (sink >= 0)
		close(sink);
}

/* --generate, whose KIND is named as in rg. */
static int generate(const char *kind)
{
	static const char completions[] = "complete-";
	size_t n = strlen(completions);
	bool is_made = strncmp(kind, completions, n) == 0 ? bs_cmd_generate(kind + n, NULL)
	                                                  : bs_cmd_generate(kind, "grep");
	flush_text();
	return is_made ? 0 : 2;
}

static int run(void *set, const struct bs_operands *operands, const struct bs_consent *consent,
               struct bs_error *err)
{
	struct bs_grep_arguments *arguments = set;
	/* If the reader of a pipe closes it, writing fails with EPIPE instead of ending the
	 * program. */
	(void)signal(SIGPIPE, SIG_IGN);
	if (bs_cmd_lists_kernels(arguments->request.kernel))
		return 0;
	if (arguments->version) {
		printf("bitsift %s\n\n", bs_version());
		flush_text();
	}
	if (arguments->mode == BS_GREP_MODE_GENERATE && !arguments->pcre2_version &&
	    !arguments->version)
		return generate(arguments->generate);
	if (bs_grep_arguments_decide(arguments, operands, err))
		return -1;
	struct session session = {.arguments = arguments,
	                          .is_quiet = arguments->quiet && !arguments->program.task &&
	                                      !arguments->program.json_summary};
	struct bs_grep_request request = arguments->request;
	struct bs_grep_program program = arguments->program;
	struct bs_grep_result result;
	struct stat output;
	request.host.consent = consent;
	arguments->limits.partial = true;
	request.limits = arguments->limits.deadline_ns > 0 ? &arguments->limits : NULL;
	if (fstat(STDOUT_FILENO, &output) != 0)
		output = (struct stat){.st_mode = 0};
	if (S_ISREG(output.st_mode)) {
		program.output_device = output.st_dev;
		program.output_inode = output.st_ino;
	}
	/* With --max-results, output ends early but the results are counted to the end. */
	if (S_ISFIFO(output.st_mode) && !request.output.max_results && !arguments->stats) {
		program.is_closed = is_closed;
		program.closed_context = &session;
	}
	request.callbacks.write = write_out;
	request.callbacks.flush = flush;
	request.callbacks.notice = notice;
	request.callbacks.results = show_results;
	request.callbacks.explain =
		arguments->explain || request.callbacks.explain_left_out ? explain : NULL;
	request.callbacks.context = &session;
	struct bs_catalog_grep_result of_all = {.n_indexes = 0};
	enum bs_status status = arguments->catalog
	                                ? grep_catalog(arguments, &request, &program, &of_all, err)
	                                : bs_grep_for_program(&request, &program, &result, err);
	if (arguments->catalog)
		result = of_all.grep;
	if (status && status != BS_STOPPED)
		return -1;
	bool may_find = request.task == BS_GREP_SEARCH &&
	                (request.pattern.n_patterns > 0 || request.output.invert);
	if (may_find && !result.is_partial && !arguments->catalog && request.files.n_paths == 0 &&
	    !request.output.resume_token && !result.has_match &&
	    result.n_files + result.n_ruled_out == 0) {
		notice(&session, "no files were searched: there are none, or all are left out; "
		                 "--files lists those that "
		                 "would be");
		result.n_notices++;
	}
	if (result.is_partial) {
		notice(&session, "the time is up: not everything was searched");
		result.n_notices++;
	}
	if (arguments->stats == BS_GREP_STATS_TEXT && arguments->program.sums && may_find &&
	    !program.json_summary)
		show_sums(&session, arguments->program.sums, result.elapsed_ns);
	if (arguments->stats == BS_GREP_STATS_JSON)
		show_stats(&result, arguments->catalog ? &of_all : NULL);
	if (arguments->catalog && isatty(STDOUT_FILENO) && !arguments->no_messages)
		fprintf(stderr, "bitsift: searched %llu of %llu indexes\n",
		        (unsigned long long)of_all.n_asked, (unsigned long long)of_all.n_indexes);
	flush(&session);
	if (!arguments->no_messages && result.n_unfollowed > 0)
		tell_of_consent(&request);
	else if (!arguments->no_messages && !arguments->catalog && !result.is_partial)
		tell_of_index(&request);
	/* The reader of the pipe has read enough (`| head`), which is not an error. */
	if (session.write_error == EPIPE)
		return result.n_notices > 0 ? 2 : 0;
	if (session.write_error) {
		(void)bs_fail(err, BS_IO, "standard output: %s", strerror(session.write_error));
		return -1;
	}
	if (result.n_notices > 0 && !(arguments->quiet && result.has_match))
		return 2;
	return result.has_match || program.task ? 0 : 1;
}

const struct bs_command bs_command_grep = {
	.name = "grep",
	.summary = "Print the lines that match a pattern, as rg does.",
	.usage = "[OPTION]... (PATTERN | -e PATTERN | -f FILE) [PATH]...",
	.options = bs_grep_option_table,
	.n_in_help = BS_GREP_N_IN_HELP,
	.examples = grep_examples,
	.config_variables = config_variables,
	.arguments_bytes = sizeof(struct bs_grep_arguments),
	.defaults = &bs_grep_defaults,
	.run = run,
	.release = bs_grep_arguments_release,
};
