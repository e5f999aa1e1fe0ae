/* cmd_index.c: `bitsift index`. Argument parsing, progress and summary; the work is bs_index_build's. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift/build.h"
#include "core/bitsift/index_build.h"
#include "core/bitsift/index_locate.h"
#include "query/cli/cmd_progress.h"
#include "query/cli/commands.h"
#include "query/options/shared_options.h"
#include "query/present/present_left_out.h"

struct index_arguments {
	const char *index;
	struct bs_build_request request;
	struct bs_word_list globs, records, text_fields, weights, forget;
	uint64_t n_threads;
	bool quiet, verbose;
	char *text; /* --text's list, cut up */
};

static enum bs_status take_text(void *to, const struct bs_option *option, const char *argument, struct bs_error *err);
static enum bs_status take_density(void *to, const struct bs_option *option, const char *argument, struct bs_error *err);
static enum bs_status take_summary(void *to, const struct bs_option *option, const char *argument, struct bs_error *err);
static enum bs_status take_max_document(void *to, const struct bs_option *option, const char *argument, struct bs_error *err);

#define SETS(kind, field) BS_OPTION_SETS(kind, struct index_arguments, field)

static const struct bs_option index_options[] = {
	{0, "index", "DIR", "where the index is or will be [the nearest .bitsift upward, or one here]", SETS(ONCE, index)},
	{0, "words", NULL, "index words, for `bitsift query`", SETS(FLAG, request.words)},
	{0, "grams", NULL, "index the files' grams, for `bitsift grep` [both]", SETS(FLAG, request.grams)},
	{0, "stem", "LANG", "index word stems (Snowball: english, german, ...)", SETS(STRING, request.stem_language)},
	{0, "store", NULL, "keep the texts in the index, so that no file need be read again", SETS(FLAG, request.store)},
	{0, "fold-accents", NULL, "let cafe find caf\xc3\xa9", SETS(FLAG, request.fold_accents)},
	{0, "split-identifiers", NULL, "let server find HTTPServer2", SETS(FLAG, request.split_identifiers)},
	{0, "id", "FIELD", "JSONL: the field that names a record [id]", SETS(STRING, request.id_field)},
	{0, "text", "F,G", "JSONL: fields to index, as in title,author.name [all]", .kind = BS_OPTION_CALL, .take = take_text},
	{0, "weight", "F=W", "JSONL: a word of this field counts W times (1 to 100) in scores; repeatable", SETS(LIST, weights)},
	{0, "density", "D", "share of set bits, 0.05 to 0.6; fewer make a faster and larger index [0.3]",
	 .kind = BS_OPTION_CALL, .take = take_density},
	{0, "summary", "RATE", "how often the summary takes an absent word for one that may be there; 0: no summary [0.01]",
	 .kind = BS_OPTION_CALL, .take = take_summary},
	{0, "max-document", "SIZE", "pass over larger files and records, with a notice [256M]",
	 .kind = BS_OPTION_CALL, .take = take_max_document},
	BS_SHARED_MEMORY(struct index_arguments, request.memory_bytes),
	{'j', "jobs", "N", "threads [one per processor]; the index does not depend on it",
	 SETS(NUMBER, n_threads), .least = 1, .most = 64},
	{0, "hidden", NULL, "hidden files and folders too", SETS(FLAG, request.hidden)},
	{0, "no-ignore", NULL, "also what .gitignore, .ignore and .rgignore leave out", SETS(FLAG, request.no_ignore)},
	BS_SHARED_GLOB(struct index_arguments, globs),
	{0, "records", "GLOB", "also read files of folders that match record by record; !GLOB not; repeatable",
	 SETS(LIST, records)},
	{0, "no-records", NULL, "read *.jsonl and *.ndjson in folders as files", SETS(FLAG, request.no_records)},
	{'a', "binary", NULL, "files with NUL bytes too", SETS(FLAG, request.binary_as_text)},
	{0, "strict", NULL, "stop at the first bad JSONL record", SETS(FLAG, request.strict)},
	{0, "rebuild", NULL, "index everything again, with new options or after damage; with SOURCE, only these sources", SETS(FLAG, request.rebuild)},
	{0, "forget", "SOURCE", "drop that source and its documents; repeatable", SETS(LIST, forget)},
	BS_SHARED_WAIT(struct index_arguments, request.wait),
	{0, "shared", NULL, "let others read the index, if they may read every source", SETS(FLAG, request.shared)},
	BS_SHARED_QUIET(struct index_arguments, quiet),
	{'v', "verbose", NULL, "name all that is left out: binary, hidden and ignored files, links", SETS(FLAG, verbose)},
	{0},
};

static const char *const index_examples[] = {
	"bitsift index .", "the files below here, into ./.bitsift",
	"bitsift index mail.jsonl", "one document per line",
	"zcat a.jsonl.gz | bitsift index -", "from a pipe; the text is stored",
	"bitsift index", "refresh the recorded sources",
	"bitsift index --rebuild mail.jsonl", "read a source anew, whatever its stamps say",
	"bitsift index --forget mail.jsonl", "drop a source and its documents",
	NULL,
};

static const char index_description[] =
	"Reads every SOURCE and makes an index of it: a directory, `.bitsift` unless told otherwise, that `bitsift "
	"query` searches. The sources are recorded in the index. If the index exists, new sources are added to it, and those "
	"that it has are refreshed, the others staying as they were; without SOURCE, all recorded ones are.\n\n"
	"The index is the nearest `.bitsift` in the working directory or above, as for `bitsift query` and `bitsift grep`, and "
	"is made in the working directory if there is none; `--index` or the environment variable BITSIFT_INDEX names another. "
	"`--index .bitsift` makes one here though there is one above; folders above a new index are made too.\n\n"
	"A refresh reads what is new or changed. A file is unchanged if its size, times and inode are what they were, "
	"and older than the run that read it. A collection is read from where the last run ended, if a checksum shows "
	"that everything before is still the same; otherwise it is read from the start. Documents gone from a folder or a "
	"collection are removed from the index. Records on standard input are added to those that came before, and replace those of the "
	"same id. A document that `bitsift delete` removed stays out until it changes, or `bitsift delete --undo` brings it back; "
	"`--rebuild` says how many do. Now and then a refresh merges "
	"small segments of the index; `bitsift compact` merges all of them.\n\n"
	"The texts stay where they are and are read again when a document has to be verified or shown. Only what came "
	"from standard input is kept in the index. With `--store` all texts are, compressed: then phrases, snippets and compaction "
	"read no source, which may be slow, far away or, with `bitsift query --no-stat`, not there. Whether a source is what was indexed "
	"is looked at all the same: what has changed is read as it is now, and what is gone is no hit.\n\n"
	"# Sources and ids\n\n"
	"A source's label is where it is: its path from the folder that holds `.bitsift`, empty for that folder itself, and the "
	"absolute path of a source elsewhere. With `--index` or BITSIFT_INDEX it is the SOURCE as given, without leading ./ and "
	"trailing slash.\n\n"
	"- A folder: every file below it, as ripgrep sees it: hidden and binary files are left out, and what "
	"`.gitignore`, `.ignore`, `.rgignore` and git's global excludes name. A file's id is its path below the folder, "
	"after the label and a slash; where that is empty, the path alone.\n\n"
	"- A file: its id is the label.\n\n"
	"- A collection: a file named *.jsonl or *.ndjson. Each line is a JSON object and makes one document. Its id is "
	"the field `id`: a string as it is, an integer in decimal; a record without one is named by its line, as in "
	"mail.jsonl:812. Its text is every other string, and every number as it is spelled, each in a field that a query "
	"can name. In `{\"author\": {\"name\": \"Ann\"}, \"tags\": [\"a\", \"b\"]}` the fields are author.name and, for both "
	"strings, tags. A name made of names is at most 255 bytes long; what is deeper has the name of what is around it. "
	"In a name U+0000, and whatever is not UTF-8, counts as U+FFFD. "
	"If several records have the same id, the last one counts.\n\n"
	"- A collection in a folder: a file that is named so, and whose first line (that is not blank) is a JSON object. Each line "
	"makes one document; its id is the file's, a `#` and the record's, or the file's and the line, as in logs/app.jsonl#17 "
	"and logs/app.jsonl:812; ids are unique within the file. `--records GLOB` reads other files so, too, `--records '!GLOB'` "
	"leaves some out: what a GLOB means is what it means in a `.gitignore` of the folder. `--no-records` reads all of "
	"them as files, and so does an index that was made before there was a choice. New, rotated and appended-to ones are "
	"picked up by the next refresh. One that is empty, or has blank lines only, is a collection without records.\n\n"
	"- `-`: a collection on standard input.\n\n"
	"Each file belongs to one source, by its place, links resolved. A SOURCE inside a recorded folder is a part of it: just "
	"that part is refreshed. It is a source of its own only if the rules leave it out there, being hidden, ignored or binary, "
	"and no longer than they do. "
	"A folder takes in the sources that were recorded inside of it: their documents are read again as its own, what was "
	"deleted stays deleted, and a line says so. The same place by another name is the same source.\n\n"
	"`--forget SOURCE` drops a source and its documents; a part of a source cannot be forgotten.\n\n"
	"A source that is gone, or a folder without any entry but the index itself, as if its file system were not mounted, keeps "
	"its documents until it is back. Each run that looks at it says so, and how to forget it; the exit status is 2. "
	"Meanwhile its documents are no hits, but `bitsift query "
	"--no-stat` finds them. `--rebuild SOURCE` has a folder be empty.\n\n"
	"# Reading everything again\n\n"
	"`--rebuild SOURCE...` reads these sources of the index again from the start, whatever their stamps say, and keeps all others as "
	"they are, with the order of sources and what was deleted. With `-`, what comes from standard input replaces all that came "
	"from there. A SOURCE that the index does not have, that is a part of one, or that is gone is an error, and nothing changes. "
	"So are other options than those that the index was made with, since they hold for all its sources; but those that say what "
	"is a document in a folder may change: `--hidden`, `--no-ignore`, `--glob`, `--binary`, `--records`, `--no-records`. They are "
	"recorded once for the index, so that other folders follow them from their next refresh on, as a line says.\n\n"
	"`--rebuild` without SOURCE, or with all of them, makes everything anew. Nothing changes, and the exit status is 2, while a "
	"source that held documents is gone, is an empty folder or cannot be read, unless its text is stored (`--store`): then its documents "
	"are made anew from that. So it is with a refresh after a change of the rules for words or of ICU, which reads everything "
	"again, too. A damaged index keeps nothing: `--rebuild SOURCE...` makes an index of those, which must be all that "
	"it had, as far as that is known; `--forget` may name some of them.\n\n"
	"# Words and grams\n\n"
	"An index has words, for `bitsift query`, and grams, which are short strings of bytes of the files, for `bitsift "
	"grep`. `--words` or `--grams` makes an index of one of them only. A collection that is a SOURCE has words; it has grams, "
	"too, where the index has a folder or file among its sources, or where `--grams` is given (with `--words`, for both): "
	"then `bitsift grep` opens it only if it may match. For its grams a collection is read as a whole whenever it has changed. "
	"Binary files are left out, but recorded by name, because `bitsift grep` must look into those in which a match may stand before "
	"the first NUL byte.\n\n"
	"Text is UTF-8, or UTF-16 with a byte order mark; a collection may also be UTF-32 with one. Invalid bytes are not part of any word. Words are found by the "
	"Unicode rules for word boundaries. Case and compatibility forms make no difference, nor does whether an accent is one "
	"character with its letter (NFC) or two (NFD, as in file names of macOS), or which apostrophe stands in a word. `don't`, `foo_bar`, `3.14` and `192.168.0.1` are one word each; obj.method is cut into words at the dot, "
	"a@example.com at the @, too, 2031-01-02T03:04:05Z at all that is no digit. A sign that is no letter parts words: H\u2082O is h and o, "
	"which `h2o` does not find. Of scripts "
	"written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) every character can be found, alone and "
	"in any sequence. Korean words are what stands between spaces, particles with them: `\ud55c\uad6d*` finds "
	"\ud55c\uad6d\uc5b4. Emoji are words, flags and keycaps too.\n\n"
	"With `--fold-accents` the accents of Latin, Greek and Cyrillic letters do not count: `cafe` finds caf\u00e9. Letters with "
	"strokes and ligatures are found by plain letters: `lodz` finds \u0141\u00f3d\u017a, `aeon` \u00e6on. The vowel signs and "
	"points of other scripts stay.\n\n"
	"With `--split-identifiers` a word of several parts can be found as a whole and by its parts: HTTPServer2 by `httpserver2`, "
	"`http`, `server`, `2` and `\"http server\"`. Parts are what stands between low lines, and what begins with an upper-case letter "
	"behind a lower-case one, with the last of several upper-case ones, with a digit behind a letter or the other way. What a "
	"query asks for is not split. The whole stands where its first part does, and the length of a document, for its score, "
	"counts the parts.\n\n"
	"With `--weight title=3` a word in the field title of a record counts three times for its score, as if it stood there so "
	"often; the length of the record stays what it is.\n\n"
	"An index has a summary, a file of about a hundredth of the text or less, from which can be told what it certainly lacks, words "
	"and trigrams, so that many indexes can be asked without opening them. Of 100 words that are not there one seems to be, or as many "
	"as `--summary` says; the rate is recorded, and may be changed by any later run. What a refresh brings is put into the "
	"summary by what changed.\n\n"
	"An index whose words were cut by other rules, by an earlier bitsift or another version of ICU, is answered by reading every "
	"document, with a warning. The next `bitsift index` indexes everything again. `bitsift grep` does not use words.\n\n"
	"# Options that are kept\n\n"
	"`--words`, `--grams`, `--store`, `--stem`, `--fold-accents`, `--split-identifiers`, `--id`, `--text`, `--weight`, `--density`, "
	"`--max-document`, `--hidden`, "
	"`--no-ignore`, `--glob`, `--records`, `--no-records` and `--binary` are recorded with the index and hold for every refresh. Giving different "
	"ones is an error, unless `--rebuild` is given too, without SOURCE; then everything is indexed again with them, and all others are as by default. "
	"`--rebuild` without any of them keeps what is recorded; `--rebuild --words --grams` is for the defaults again.\n\n"
	"# Who may read the index\n\n"
	"An index tells what is in its sources. So its folder and files are for their owner alone (0700, 0600), unless "
	"`--shared` asks for more and every source may be read by its group or by others: each file that was indexed, "
	"each collection, and each folder that is a SOURCE, by its own mode. (Standard input, and what could not be "
	"looked at, counts as private.) Then the modes are those that the umask gives to any file. `--shared` is not "
	"recorded: a refresh without it makes the index private again; `bitsift compact` and `bitsift delete` leave it "
	"as it is.\n\n"
	"# Sources elsewhere\n\n"
	"A SOURCE outside the folder that holds the index, links resolved, is noted as named by you, in "
	"$XDG_STATE_HOME/bitsift (~/.local/state/bitsift). An index that came from somebody else can name any place, so "
	"no command looks at a source elsewhere that you have not named: it is named on standard error, what the index "
	"has of it stays, and the exit status is 2. `bitsift trust DIR` consents to all sources of an index. An index "
	"that belongs to another user is refused in the same way; see bitsift-trust(1). Where nothing can be noted, as "
	"without a home, a line says so, and only sources inside the folder will be followed later.\n\n"
	"# Limits and memory\n\n"
	"A file or a record of more than `--max-document` bytes is passed over, counted and named; `bitsift grep` looks into such files "
	"all the same. So is a file of UTF-16 that is larger as UTF-8. The line of a record that is too long is never held as a whole. Holes of a sparse file are not read, and count as NUL "
	"bytes.\n\n"
	"`--memory` is for what is gathered before a segment is written. Beside it the program takes up to 128 MiB with one or two "
	"threads, and some 20 MiB more for each further one. A large document is read alone, after room has been made for it. One that "
	"needs more than `--memory` all the same, for its text, some 90 bytes for each distinct word and some 30 for each value of a "
	"record, is passed over like one over `--max-document`, counted and named: give more memory to have it indexed. With the "
	"usual memory that is 100 MB of nothing but distinct words; 256 MB of prose, code or logs have far fewer. Ids, names of files "
	"and lists that do not fit are kept in temporary files in the folder of the index until the run ends.\n\n"
	"The first 131,072 names of fields can be asked for, of up to 255 bytes each; the text of all other fields is found, too. Of "
	"a file of ignore rules the first 4 MiB and 65,536 rules count.\n\n"
	"# Safety\n\n"
	"The new index replaces the old one in one step at the end, after its new files have been opened again as a query opens them. "
	"If that fails, or the run fails or is killed before, the old index "
	"stays as it was; queries that are running keep the index that they opened. A run that is interrupted (Ctrl-C, or "
	"SIGTERM) removes what it has written, says so, and ends by that signal, 130 or 143 to a shell; a second Ctrl-C ends it "
	"at once, and so does a call that works on for a tenth of a second, as reading one record of 100 MB may; what it leaves then "
	"the next run removes. One `bitsift index` at a time writes "
	"an index; with `--wait` another one waits for it. A command that is refused memory says so and ends with 2; "
	"only where ICU, simdjson or the loader need some for themselves may it be ended by them. Equal input and "
	"options make equal files of a new index, whatever the number of threads.\n\n"
	"What could not be indexed (unreadable files, malformed records) is listed on standard error. The line `left out` of the "
	"summary counts that and all else that is not searched: binary files, by the ends of their names, symbolic links, hidden "
	"and ignored files (by ignore files or `--glob`) and folders; a folder counts as one, for nobody looks into it. `bitsift "
	"stats` says it again, and `--verbose` names each. What "
	"cannot be read for the moment (a folder, a file, an ignore file, a whole source) is no reason to drop anything: "
	"what the index had of it stays, the rest is committed, and the exit status is 2. Files gone from "
	"a folder are removed. With `--rebuild` alone no file or folder below a source stays that cannot be read: it comes in with a later refresh.";

#define LISTED_SKIPS 20 /* of one reason, unless --verbose */

struct display {
	struct bs_progress progress;
	bool verbose;
	uint64_t n_listed[BS_SKIP_REASONS];
};

/* That a binary file or a link is passed over is expected; it is counted in the summary. */
static bool is_expected(enum bs_skip reason)
{
	return reason == BS_SKIP_BINARY || reason == BS_SKIP_LINK || reason == BS_SKIP_SPECIAL || reason >= BS_SKIP_HIDDEN;
}

static void show_skip(void *context, enum bs_skip reason, const char *message)
{
	struct display *display = context;
	if (++display->n_listed[reason] > LISTED_SKIPS && !display->verbose)
		return;
	if (is_expected(reason) && !display->verbose)
		return;
	bs_progress_clear(&display->progress);
	fprintf(stderr, "bitsift: skipped: %s\n", message);
}

static void show_notice(void *context, const char *message)
{
	struct display *display = context;
	bs_progress_clear(&display->progress);
	fprintf(stderr, "bitsift: %s\n", message);
}

static int show_progress(void *context, const struct bs_build_report *report)
{
	struct display *display = context;
	return bs_progress_show(&display->progress, report);
}

/* Whether all that was left out has been named. */
static bool has_named_all(const struct display *display, const struct bs_build_report *report)
{
	for (int reason = 0; reason < BS_SKIP_REASONS && !display->verbose; reason++)
		if (report->skipped[reason] > (is_expected((enum bs_skip)reason) ? 0 : LISTED_SKIPS))
			return false;
	return true;
}

static void show_index_line(const struct bs_build_report *report, const char *dir, bool with_ratios)
{
	char index[24];
	struct bs_error place;
	(void)bs_fail(&place, BS_OK, "%s", dir);
	bs_format_bytes(report->index_bytes, index);
	fprintf(stderr, "  index     %s", index);
	with_ratios &= report->text_bytes >= BS_LEAST_BYTES_FOR_RATIO;
	if (with_ratios)
		fprintf(stderr, ", %.1f %% of the text", (double)report->index_bytes * 100 / (double)report->text_bytes);
	if (with_ratios && report->n_postings > 0)
		fprintf(stderr, ", %.1f bits a posting", (double)report->index_bytes * 8 / (double)report->n_postings);
	fprintf(stderr, ", in %s (%llu segment%s)\n", place.text, (unsigned long long)report->n_segments,
	        report->n_segments == 1 ? "" : "s");
}

static void show_made(const struct bs_build_report *report, const char *dir)
{
	char docs[64], terms[32], postings[64], text[24], replaced[64];
	bs_format_count(report->n_terms, terms);
	bs_format_bytes(report->text_bytes, text);
	fprintf(stderr, "indexed %s, %s, in %.2f s", bs_format_things(report->n_docs, "document", docs), text,
	        (double)report->elapsed_ns / 1e9);
	if (report->text_bytes >= BS_LEAST_BYTES_FOR_RATIO)
		fprintf(stderr, " (%.0f MB/s)",
		        report->elapsed_ns ? (double)report->text_bytes * 1e3 / (double)report->elapsed_ns : 0);
	fprintf(stderr, "\n  terms     %s distinct, %s\n", terms, bs_format_things(report->n_postings, "posting", postings));
	show_index_line(report, dir, true);
	if (report->n_replaced > 0)
		fprintf(stderr, "  replaced  %s by a later one of the same id\n",
		        bs_format_things(report->n_replaced, "earlier record", replaced));
	if (report->n_excluded > 0)
		fprintf(stderr, "  deleted   %s stay%s so (bitsift delete --undo brings them back)\n",
		        bs_format_things(report->n_excluded, "document", docs), report->n_excluded == 1 ? "s" : "");
}

static void show_refreshed(const struct bs_build_report *report, const char *dir)
{
	char docs[64], added[32], changed[32], removed[32], text[24];
	uint64_t n_old = report->n_changed + report->n_renewed + report->n_replaced + report->n_kept_out;
	bs_format_count(report->n_indexed > n_old ? report->n_indexed - n_old : 0, added);
	bs_format_count(report->n_changed, changed);
	bs_format_count(report->n_removed, removed);
	fprintf(stderr, "refreshed %s in %.2f s: %s new, %s changed, %s removed\n",
	        bs_format_things(report->n_docs, "document", docs), (double)report->elapsed_ns / 1e9, added, changed, removed);
	show_index_line(report, dir, false);
	if (report->n_compacted > 0) {
		bs_format_bytes(report->compacted_bytes, text);
		fprintf(stderr, "  compacted %llu segment%s: %s, %s written\n", (unsigned long long)report->n_compacted,
		        report->n_compacted == 1 ? "" : "s", bs_format_things(report->n_moved, "document", docs), text);
	}
}

static void show_summary(const struct display *display, const struct bs_build_report *report, const char *dir)
{
	if (report->is_refresh)
		show_refreshed(report, dir);
	else
		show_made(report, dir);
	if (*report->warning)
		fprintf(stderr, "  %s\n", report->warning);
	if (bs_present_left_out(report->skipped, report->binary, "  left out  ", stderr))
		fputs(has_named_all(display, report) ? "\n" : " (-v names them)\n", stderr);
}

/* Why the exit status is not 0. */
static void show_unread(const struct bs_build_report *report)
{
	char count[32];
	bs_format_count(report->n_unread, count);
	fprintf(stderr, "bitsift: %s of the files, folders and sources could not be read%s\n", count,
	        report->is_refresh ? "; what the index had of them stays" : "");
}

/* "F,G": a list. */
static enum bs_status take_text(void *to, const struct bs_option *option, const char *argument, struct bs_error *err)
{
	struct index_arguments *arguments = to;
	enum bs_status status = BS_OK;
	(void)option;
	free(arguments->text);
	arguments->text_fields.n = 0;
	arguments->text = strdup(argument);
	if (!arguments->text)
		return bs_fail_memory(err, "options", strlen(argument));
	char *rest = arguments->text;
	for (char *field = strsep(&rest, ","); field && !status; field = strsep(&rest, ","))
		if (*field)
			status = bs_word_list_add(&arguments->text_fields, field, err);
	if (!status && arguments->text_fields.n == 0)
		return bs_fail(err, BS_INVALID, "--text needs the name of a field");
	return status;
}

static enum bs_status take_density(void *to, const struct bs_option *option, const char *argument, struct bs_error *err)
{
	struct index_arguments *arguments = to;
	char *end;
	double density = strtod(argument, &end);
	(void)option;
	if (end == argument || *end || !(density >= 0.05 && density <= 0.6))
		return bs_fail(err, BS_INVALID, "--density %s: not a number from 0.05 to 0.6", argument);
	arguments->request.density = density;
	return BS_OK;
}

static enum bs_status take_summary(void *to, const struct bs_option *option, const char *argument, struct bs_error *err)
{
	struct index_arguments *arguments = to;
	char *end;
	double rate = strtod(argument, &end);
	(void)option;
	if (end == argument || *end || !(rate <= 0 ? rate == 0 : rate >= 1e-6 && rate <= 0.5))
		return bs_fail(err, BS_INVALID, "--summary %s: not a number from 0.000001 to 0.5, nor 0", argument);
	arguments->request.summary_rate = rate > 0 ? rate : -1;
	return BS_OK;
}

static enum bs_status take_max_document(void *to, const struct bs_option *option, const char *argument, struct bs_error *err)
{
	uint64_t *max_document = &((struct index_arguments *)to)->request.max_document_bytes;
	(void)option;
	enum bs_status status = bs_parse_size("--max-document", argument, max_document, err);
	if (!status && (*max_document == 0 || *max_document > BS_MAX_DOCUMENT_BYTES))
		status = bs_fail(err, BS_INVALID, "--max-document %s: not a size from 1 to 4095M", argument);
	return status;
}

static int run(void *set, const struct bs_operands *operands, const struct bs_consent *consent, struct bs_error *err)
{
	struct index_arguments *arguments = set;
	struct display display = {.verbose = arguments->verbose, .progress = {.verb = "indexing"}};
	struct bs_build_report report = {0};
	struct bs_build_request *request = &arguments->request;
	/* A fixed threshold: large blocks go back to the system when freed. glibc would raise it with the first large file
	 * and keep what came after, up to 100 MB more than --memory allows. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	request->dir = arguments->index ? arguments->index : bs_cmd_environment_index();
	const char *dir = request->dir ? request->dir : ".bitsift";
	char *above = NULL;
	struct stat here;
	if (!request->dir && lstat(dir, &here) != 0 && bs_index_locate(&above, NULL) == BS_OK) {
		dir = above;
		if (!arguments->quiet)
			fprintf(stderr, "bitsift: the index is %s (--index .bitsift makes one here)\n", above);
	}
	request->sources = (const char *const *)operands->list;
	request->n_sources = operands->n;
	request->globs = arguments->globs.list;
	request->records = arguments->records.list;
	request->text_fields = arguments->text_fields.list;
	request->weights = arguments->weights.list;
	request->forget = arguments->forget.list;
	request->n_forget = arguments->forget.n;
	request->notice = show_notice;
	request->consent = consent;
	request->n_threads = (uint32_t)arguments->n_threads;
	request->names_hidden = arguments->verbose;
	request->progress = show_progress;
	request->skipped = show_skip;
	request->context = &display;
	const struct bs_limits limits = bs_interrupt_catch();
	request->limits = &limits;
	enum bs_status status = bs_index_build(request, &report, err);
	bs_progress_clear(&display.progress);
	if (!status || status == BS_STOPPED)
		bs_interrupt_end(!status);
	if (!status && request->shared && !report.is_shared)
		fputs("bitsift: the index stays private: not every source may be read by its group or by others\n", stderr);
	if (!status && !arguments->quiet)
		show_summary(&display, &report, dir);
	if (!status && report.n_unread > 0)
		show_unread(&report);
	free(above);
	if (status)
		return -1;
	bool is_whole = !report.skipped[BS_SKIP_UNTRUSTED] && !report.skipped[BS_SKIP_GONE] && !report.n_unread;
	return is_whole ? 0 : 2;
}

static void release(void *of_options)
{
	struct index_arguments *arguments = of_options;
	free(arguments->text);
	bs_word_list_deinit(&arguments->globs);
	bs_word_list_deinit(&arguments->records);
	bs_word_list_deinit(&arguments->text_fields);
	bs_word_list_deinit(&arguments->weights);
	bs_word_list_deinit(&arguments->forget);
}

const struct bs_command bs_command_index = {
	.name = "index",
	.summary = "Index files, folders (as ripgrep sees them) and JSONL collections.",
	.usage = "[OPTION]... [SOURCE]...",
	.description = index_description,
	.options = index_options,
	.examples = index_examples,
	.exit_status = "0 when all was read, even if documents were skipped (they are counted and listed); 2 when something could not be read "
	               "or a source was gone, empty or not followed: the rest is committed; 2 also when nothing could be done.",
	.arguments_bytes = sizeof(struct index_arguments),
	.run = run,
	.release = release,
};
