/* cmd_grep.c: `bitsift grep`: what it says of itself, and what becomes of the answers. Options are
 * grep_arguments.c's. */
#include <errno.h>
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
#include "query/cli/cmd_catalog.h"
#include "query/cli/cmd_output.h"
#include "query/cli/cmd_trust.h"
#include "query/cli/commands.h"
#include "query/cli/grep_arguments.h"

static const char *const grep_examples[] = {
	"bitsift grep mutex_lock", "in the files below here",
	"bitsift grep -n -C2 'foo(?=bar)' src", "two lines around",
	"bitsift grep -i -t c -g '!old' word", "C files, not in old",
	"bitsift grep -l -w TODO", "files only",
	"bitsift grep -o -r '$2' '(\\w+)=(\\w+)'", "what follows =",
	"bitsift grep lock --and door --not key", "lines with the first two, without the third",
	"bitsift grep -n --enclosing --max-results 50 lock", "50 lines at most, with their functions",
	NULL,
};

static const char grep_description[] =
	"Prints the lines that match a pattern, in files below the working directory or in the files and folders named. "
	"It searches the same files and prints the same lines as rg(1) 13 with `--no-heading --sort path`: hidden files, "
	"binary files, and those that .gitignore and the like leave out are skipped, unless you ask for them. Without a "
	"PATH, standard input is searched if it is a pipe, a socket or a file; it is also searched for the PATH `-`. On a terminal, a "
	"search without an index says once how to make one. Where an index has files, but does not follow their source "
	"(bitsift-trust(1)), all of them are searched: it says so on a terminal, and with `--index` always.\n\n"
	"Options may stand anywhere before `--`, the last of those that undo each other counts, and each has rg's negation. Names are "
	"not shortened. An ignore rule that makes no sense does not count, and is named with its file and line.\n\n"
	"Patterns are those of PCRE2, with Unicode classes: lookaround and backreferences work without `-P`. Several "
	"patterns (`-e`, `-f`) are alternatives.\n\n"
	"Lists may be long: literals (with or without `-F`, also `a|b|c`) are looked for all at once, however many there are; "
	"of regexes only those are tried in a line whose literals stand there.\n\n"
	"# Streams\n\n"
	"Files, pipes and standard input are searched piece by piece, as they come, and what is found is printed while "
	"the search goes on; files stay in their order. On a terminal and with `--line-buffered` each line is printed "
	"at once. Otherwise lines are printed in blocks, but never later than when a pipe has no more for now: `tail -f "
	"log | bitsift grep x | ...` shows each line as it comes (`--block-buffered`: only in blocks). When the reader "
	"of the output goes away, as head(1) does, the search ends quietly with status 0.\n\n"
	"# Order\n\n"
	"Files come by path. With `--sort modified` (or accessed, created), the entries of each folder are sorted by that time, a "
	"folder by its own, and what lies in it stays together; `--sortr` turns the order round. PATHs stay in the order given. "
	"The search begins when all files are known.\n\n"
	"# Other programs' files\n\n"
	"With `-z`, files that end in .gz, .tgz, .bz2, .tbz2, .xz, .txz, .lzma, .lz4, .zst, .zstd, .br or .Z are searched as they were "
	"before they were compressed; for .Z, gzip(1) is run. One that is cut off or damaged is named, and the exit status is 2; what "
	"stands before the damage is searched. With `--pre COMMAND`, COMMAND is run for each file (or those of `--pre-glob`), without a "
	"shell, with its path as the only argument and the file as its standard input, and what it prints is searched. If it fails, the "
	"file is named with the first of what it said on standard error, and the exit status is 2. An index knows nothing of "
	"what such files hold: all of them are searched.\n\n"
	"# Configuration\n\n"
	"If BITSIFT_CONFIG_PATH names a file, its lines are arguments that come before those of the command line: one a line, as it is, "
	"without quotes, but for white space around it; empty lines, and those that begin with #, do not count. `--no-config` "
	"leaves the file alone.\n\n"
	"# Several conditions\n\n"
	"`--and` and `--not` take further patterns, and may be given several times. A line is found if PATTERN (or one of "
	"several) matches it, each `--and` matches it, too, and no `--not` does: on the lines, this is `rg PATTERN | rg AND | "
	"rg -v NOT`. `-F`, `-i`, `-w`, `-x`, `-P` and so on apply to all of these patterns; `-S` looks at the upper-case letters "
	"of each by itself. What is marked, printed by `-o`, replaced by `-r` and counted by `--count-matches` are the matches of "
	"PATTERN. All options about lines that match are about the lines found: `-v` prints all others, `-c` counts them, "
	"`-m` limits them, `-l` and `--files-without-match` go by them. With `-U`, the lines that one match touches are looked "
	"at as one text.\n\n"
	"With `--scope file` these patterns choose files, not lines: those in which each `--and` matches somewhere and no "
	"`--not` does anywhere, as `rg -l` says for each of them. Other files are not searched, and not even `-v`, "
	"`-c --include-zero` and `--files-without-match` print anything about them. In the chosen files PATTERN is searched for "
	"as usual. Each file is then read into memory as a whole.\n\n"
	"With an index, only files that can hold PATTERN and every `--and` are opened.\n\n"
	"# The function around a match\n\n"
	"`--enclosing` prints the heading of a match before it: the last line above that begins a function, a class or a "
	"section. It has = instead of : behind its path and number. It is printed once for all matches below it, and not for a "
	"match that is such a line itself. Which lines are headings depends on the language, which is told by the file's name. "
	"The rules are those by which git finds the line behind @@ in a diff (git-grep's `-p`), for Ada, Bash, BibTeX, C, C++, "
	"C#, CSS, device trees, Elixir, Fortran, Fountain, Go, HTML, INI and TOML, Java, Kotlin, Markdown, Objective-C, Pascal, "
	"Perl, PHP, Python, R, Ruby, Rust, Scheme and TeX. In any other file a heading is a line that begins with a letter, _ or "
	"$. A line of more than 1,024 bytes is never one. With `--json` each match has `\"enclosing\"`: null, or an object with "
	"`lines`, `line_number` and `absolute_offset`; if the match is such a line itself, it is that line. `--enclosing` has no "
	"effect with `--passthru`, which prints all lines anyway, nor with `-c`, `-l` and the like.\n\n"
	"# Several indexes\n\n"
	"`--catalog[=FILE]` searches the sources of all indexes of a catalog (see bitsift-catalog(1)), one index after the other in its order. An index of which the catalog knows that no file can "
	"have a match, by the trigrams of its texts, is passed over: of it the answer is that of its last commit, whatever has become of its files since. The catalog looks "
	"at each index's commit number (one stat each), and anew at those that have changed; of all others the answer is as fresh as without a catalog. Options by which files are searched that no index "
	"has, such as `--hidden`, `-g`, `--ignore-file` or `-t` (which lets hidden files in), and those by which all files are told of, such as `-v`, have all indexes searched. Paths can be opened from the working directory. `--json` ends with a summary for each index that was searched, "
	"in which `\"results\"` are those of all so far. A cursor has the name of an index in front, as in `notes:src/lock.c:120`. An index that cannot be reached is an error; with `--partial` it is named, and the others are searched.\n\n"
	"# A limit of time\n\n"
	"`--time-limit TIME` (250ms, 2s, 1.5m; without a unit, seconds) ends a search that takes longer, reading the index included. What "
	"was found until then is printed, a line on standard error says that not everything was searched, and the exit status is "
	"2.\n\n"
	"# A limit for all results, and the next ones\n\n"
	"`--max-results N` prints the first N lines found in all files together, in the usual order, and then on standard error "
	"how many there are in all, as in\n\n"
	"    50 of 1,234 matches in 87 files; for more: --after src/lock.c:120\n\n"
	"The numbers are exact, because the other files are searched, too, and their lines counted. A line with several matches "
	"counts once, also with `-o` and `--vimgrep`; so do, with `-U`, all lines of a match (of several that touch), and so "
	"does a binary file. With `-c`, `--count-matches`, `-l`, `--files-without-match`, `--files` and `--candidates` files are "
	"counted instead. What `-m` leaves out is not counted. Context after the last line ends where the next match begins.\n\n"
	"`--after CURSOR` prints what comes next: take the cursor from that message, and the same patterns, options and paths. "
	"A cursor is the path and the line of the last result (its last line, if it has several; 0 if it is a file), with #N "
	"behind them where it must be said below which of the paths named it lies. It marks a place, and nothing else is "
	"remembered: everything up to that line of that file, and in files before it, is passed over and not counted; "
	"what stands behind it now is printed. So if lines were added above, some results come twice, and if lines were removed, "
	"some are missed. If the file is gone, the search goes on with the one that would come after it; but if files are "
	"sorted by times, that is an error, and the exit status 2.\n\n"
	"With `--json` the summary has `\"results\"`, with `shown`, `found`, `files` and `after`, which is the cursor, or null when "
	"there is nothing more. Its `stats` are about what was printed. Standard input is read to its end before anything is printed, "
	"because the numbers are exact; so input that never ends needs `-m`. `-q` ends with the first match, as ever.\n\n"
	"# Limits\n\n"
	"A line, with the context that is wanted around it, must fit into memory; so must a whole file with `-U`, if a "
	"match may span lines, as in rg, and what `--max-results` shows of one file. Nothing else grows with the file. Holes of a sparse file are not read, and count as "
	"NUL bytes; a line with a hole of more than 1 GiB is searched, but not shown: the file is named, and the exit status 2. "
	"A file of patterns (`-f`) and the one that BITSIFT_CONFIG_PATH names may have 16 MiB, and all patterns together 32. Literals take some 200 bytes of memory each, "
	"regexes 1 KiB and, once tried, some more for their machine code. PCRE2 has room for 64 KiB of one pattern, its repetitions "
	"written out, and counts to 65,535: `(foo|bar){3000}` and `.{65536}` are refused. Alternatives at the outermost level are "
	"patterns of their own here. Of a file of ignore rules the first 4 MiB and 65,536 rules count. A "
	"match that takes too long is given up, with a message and exit status 2, as in rg -P.\n\n"
	"# Differences from rg\n\n"
	"- Without `--sort` the output is sorted by path. Headings are printed only with `--heading`, even on a terminal.\n\n"
	"- There is one pattern language, PCRE2's, as with `rg -P`. It differs from rg's own in a few points: && and -- "
	"are ordinary characters in classes; the first alternative that matches at a place is taken, also with `-w`; a "
	"pattern with a line feed matches nothing without `-U`, where rg refuses it; \\w does not match combining marks; "
	"[[:alpha:]] and the like are Unicode's, not ASCII's; with `--no-unicode` a pattern may have characters that are not ASCII, "
	"and \\pL. (?-u) is understood at the start of all patterns, where it means `--no-unicode`, and not with `-w`. (?u), "
	"\\u{66}, \\u0066, \\p{gc=Ll} and a repetition of a repetition (`a**`) are errors: write nothing, \\x{66}, \\p{Ll} and `(?:a*)*`. "
	"Others that rg's own engine refuses have a meaning: (?=a), (?<n>a), \\1, \\h.\n\n"
	"- \\A, and ^ without (?m), match at the start of each line. With `-o` and the like, rg's own engine finds them only at the start of "
	"what it has read, and shows other lines whole. After an empty match, that engine does not see what stands before it (\\b), "
	"and behind a match it may find ^ where no line begins (`^\\S_?|[\\s_]`); with `-U --crlf` "
	"a CR alone ends no line for it. Here all is as in `rg -P`.\n\n"
	"- No part of a pattern matches bytes that are not UTF-8, and they are printed as they are. With `-P` they are "
	"matched and printed as U+FFFD, as `rg -P` does. `-w` looks at what is around a match, as `rg -P` does; rg's own "
	"engine requires characters there, which two matches cannot share.\n\n"
	"- With `-P`, after an empty match before a character of several bytes, rg looks for the next match inside that "
	"character. PCRE2 does not define what happens then, and rg may crash. Here an empty match follows, or none.\n\n"
	"- Of long lists (from some 30 patterns on) rg 13's own engine forgets empty patterns, and with `-x` it may find nothing. "
	"Here they match as short lists do.\n\n"
	"- If a pattern takes too long on a file (PCRE2's match limit), the search of that file stops, the file is named "
	"on standard error, and the exit status is 2.\n\n"
	"- `-E` decodes by ICU, whose Big5, EUC-JP and EUC-KR have more private characters than rg's, and other numbers of U+FFFD "
	"for bytes that are no characters. It has no ISO-8859-16.\n\n"
	"- `--engine auto` is `--engine default`, and `--engine pcre2` is `-P`. Files whose times are equal come by name.\n\n"
	"- Folders named `.bitsift` are never searched, unless a PATH leads into them.\n\n"
	"- With `--no-stat` a candidate that has become a symbolic link, or lies in a folder that has, is not followed; "
	"it is named on standard error, as one that is not there any more, and the exit status is 2.\n\n"
	"- Bytes of `-r` that are not UTF-8 are printed as they are; rg prints U+FFFD.\n\n"
	"- A PATH, or standard input, that is the file to which the output goes is searched up to where it ended at first; rg may "
	"go on with what it writes. Below a folder both pass it over.\n\n"
	"- When the reader of the output goes away, rg's exit status is 0 or 1, by how it searches.\n\n"
	"- On a terminal, control characters and marks of direction in paths are shown as \\xNN, in JSON as \\uNNNN. "
	"Lines are shown as they are.\n\n"
	"- `--stats` prints one JSON object on standard error. (Of rg's own tests, f411_single_threaded_search_stats and "
	"f411_parallel_search_stats ask for more.)\n\n"
	"- Messages on standard error are worded differently. (Of rg's own tests, f1404_nothing_searched_warning and "
	"r428_unrecognized_style compare them.)";

struct session {
	const struct bs_grep_arguments *arguments;
	bool is_quiet;
	int write_error; /* of standard output; 0: none */
};

static int write_out(void *context, const void *bytes, size_t n_bytes)
{
	struct session *session = context;
	if (!session->is_quiet && !bs_output_add(bytes, n_bytes))
		session->write_error = errno;
	return session->is_quiet || session->write_error;
}

static void flush(void *context)
{
	struct session *session = context;
	if (!bs_output_flush() && !session->write_error)
		session->write_error = errno;
}

static void notice(void *context, const char *message)
{
	const struct session *session = context;
	if (session->arguments->no_messages)
		return;
	/* It stands behind what came before it, where both go to the same place. */
	(void)bs_output_flush();
	fprintf(stderr, "bitsift: %s\n", message);
}

static void explain(void *context, const char *text, size_t text_bytes)
{
	(void)context;
	fprintf(stderr, "bitsift: %.*s\n", (int)text_bytes, text);
}

/* A word as a shell reads it back. */
static void put_word(const char *word, FILE *to)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-#";
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
	bool are_files = request->task != BS_GREP_SEARCH ||
	                 (request->output.format != BS_GREP_LINES && request->output.format != BS_GREP_JSON);
	char shown[32], found[32], files[64];
	bs_format_count(results->n_shown, shown);
	bs_format_count(results->n_found, found);
	bs_format_things(results->n_files, "file", files);
	(void)bs_output_flush();
	fprintf(stderr, "bitsift: %s of ", shown);
	if (are_files)
		fputs(files, stderr);
	else
		fprintf(stderr, "%s %s in %s", found, results->n_found == 1 ? "match" : "matches", files);
	if (results->cursor) {
		fputs("; for more: --after ", stderr);
		put_word(results->cursor, stderr);
	}
	fputs("\n", stderr);
}

static void show_stats(const struct bs_grep_result *result, const struct bs_catalog_grep_result *catalog)
{
	double us = (double)result->elapsed_ns / 1e3;
	fprintf(stderr, "{\"queries\":1,\"total\":{\"p50_us\":%.1f,\"p95_us\":%.1f,\"mean_us\":%.1f},\"candidates\":%llu,"
	        "\"verified\":%llu,\"hits\":%llu,\"false_positives\":%llu,\"bytes_verified\":%llu",
	        us, us, us, (unsigned long long)result->n_files, (unsigned long long)result->n_files,
	        (unsigned long long)result->n_with_match, (unsigned long long)(result->n_files - result->n_with_match),
	        (unsigned long long)result->read_bytes);
	if (catalog)
		fprintf(stderr, ",\"catalog\":{\"indexes\":%llu,\"asked\":%llu,\"skipped\":%llu,\"unreachable\":%llu}",
		        (unsigned long long)catalog->n_indexes, (unsigned long long)catalog->n_asked, (unsigned long long)catalog->n_skipped,
		        (unsigned long long)catalog->n_unreachable);
	fputs("}\n", stderr);
}

/* Of a search in a catalog the sums are left in came. */
static enum bs_status grep_catalog(const struct bs_grep_arguments *arguments, const struct bs_grep_request *grep,
                                   const struct bs_grep_program *program, struct bs_catalog_grep_result *came, struct bs_error *err)
{
	struct bs_catalog *catalog;
	struct bs_catalog_grep_request request = {.grep = *grep, .partial = arguments->partial};
	enum bs_status status = bs_cmd_open_catalog(arguments->catalog, false, grep->kernel, grep->consent, &catalog, err);
	if (!status)
		status = bs_catalog_grep_for_program(catalog, &request, program, came, err);
	came->grep.n_notices += came->n_unreachable;
	bs_catalog_close(catalog);
	return status;
}

/* Of an index that was asked for by name always; of one that lies there to people. */
static void tell_of_consent(const struct bs_grep_request *request)
{
	char *located = NULL;
	struct bs_error line;
	if (!request->index && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
		(void)!bs_index_locate(&located, NULL);
	const char *dir = request->index ? request->index : located;
	if (dir) {
		(void)bs_fail(&line, BS_UNTRUSTED, "the index was not asked about files whose source you did not name");
		bs_advise(&line, "; to consent: ", (const char *const[]){"bitsift", "trust", dir, NULL});
		fprintf(stderr, "bitsift: %s\n", line.text);
	}
	free(located);
}

/* Said once to each user, where it can be kept that it was. */
static void tell_of_index(const struct bs_grep_request *request)
{
	char *dir = NULL;
	bool has_folder = request->files.n_paths == 0;
	for (size_t i = 0; i < request->files.n_paths; i++)
		has_folder |= strcmp(request->files.paths[i], "-") != 0;
	if (request->task == BS_GREP_SEARCH && has_folder && !request->index && !request->pattern.is_brute &&
	    isatty(STDOUT_FILENO) && isatty(STDERR_FILENO) && bs_index_locate(&dir, NULL) == BS_NOT_FOUND &&
	    bs_cmd_is_first("grep-without-index"))
		fputs("bitsift: all files were searched; with an index (`bitsift index .`) only those are that may match. This is said "
		      "once.\n",
		      stderr);
	free(dir);
}

static int run(void *set, const struct bs_operands *operands, const struct bs_consent *consent, struct bs_error *err)
{
	struct bs_grep_arguments *arguments = set;
	/* A reader that goes away is told by what writes. */
	(void)signal(SIGPIPE, SIG_IGN);
	if (bs_cmd_lists_kernels(arguments->request.kernel))
		return 0;
	if (arguments->version)
		return printf("bitsift %s\n", bs_version()) < 0 ? 2 : 0;
	if (bs_grep_arguments_decide(arguments, operands, err))
		return -1;
	struct session session = {.arguments = arguments,
	                          .is_quiet = arguments->request.output.format == BS_GREP_QUIET && !arguments->program.task};
	struct bs_grep_request request = arguments->request;
	struct bs_grep_program program = arguments->program;
	struct bs_grep_result result;
	struct stat output;
	request.consent = consent;
	arguments->limits.partial = true;
	request.limits = arguments->limits.deadline_ns > 0 ? &arguments->limits : NULL;
	if (fstat(STDOUT_FILENO, &output) == 0 && S_ISREG(output.st_mode)) {
		program.output_device = output.st_dev;
		program.output_inode = output.st_ino;
	}
	request.write = write_out;
	request.flush = flush;
	request.notice = notice;
	request.results = show_results;
	request.explain = arguments->explain || request.explain_left_out ? explain : NULL;
	request.context = &session;
	struct bs_catalog_grep_result of_all = {.n_indexes = 0};
	enum bs_status status = arguments->catalog ? grep_catalog(arguments, &request, &program, &of_all, err)
	                                           : bs_grep_for_program(&request, &program, &result, err);
	if (arguments->catalog)
		result = of_all.grep;
	if (status && status != BS_STOPPED)
		return -1;
	if (request.task == BS_GREP_SEARCH && !result.is_partial && !arguments->catalog && request.files.n_paths == 0 && !request.output.cursor && request.pattern.n_patterns > 0 &&
	    result.n_files + result.n_ruled_out == 0) {
		notice(&session, "no files were searched: there are none, or all are left out; --files lists those that "
		                 "would be");
		result.n_notices++;
	}
	if (result.is_partial) {
		notice(&session, "the time is up: not everything was searched");
		result.n_notices++;
	}
	if (arguments->stats)
		show_stats(&result, arguments->catalog ? &of_all : NULL);
	if (arguments->catalog && isatty(STDOUT_FILENO) && !arguments->no_messages)
		fprintf(stderr, "bitsift: asked %llu of %llu indexes\n", (unsigned long long)of_all.n_asked,
		        (unsigned long long)of_all.n_indexes);
	flush(&session);
	if (!arguments->no_messages && result.n_unfollowed > 0)
		tell_of_consent(&request);
	else if (!arguments->no_messages && !arguments->catalog && !result.is_partial)
		tell_of_index(&request);
	/* Whoever reads less than all (`| head`) has had enough: no error. */
	if (session.write_error == EPIPE)
		return result.n_notices > 0 ? 2 : 0;
	if (session.write_error) {
		(void)bs_fail(err, BS_IO, "standard output: %s", strerror(session.write_error));
		return -1;
	}
	if (result.n_notices > 0 && !(session.is_quiet && result.has_match))
		return 2;
	return result.has_match || program.task ? 0 : 1;
}

const struct bs_command bs_command_grep = {
	.name = "grep",
	.summary = "Print the lines that match a pattern, as rg does.",
	.usage = "[OPTION]... (PATTERN | -e PATTERN | -f FILE) [PATH]...",
	.description = grep_description,
	.options = bs_grep_option_table,
	.is_as_rg = true,
	.n_in_help = BS_GREP_N_IN_HELP,
	.examples = grep_examples,
	.exit_status = "0 when something matched, 1 when nothing did, 2 after an error, even if something matched (but "
	               "with `-q`, 0 as soon as something matches).",
	.config_variable = "BITSIFT_CONFIG_PATH",
	.arguments_bytes = sizeof(struct bs_grep_arguments),
	.defaults = &bs_grep_defaults,
	.run = run,
	.release = bs_grep_arguments_release,
};
