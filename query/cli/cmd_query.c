/* cmd_query.c: `bitsift query`: arguments, batches and output; bs_search searches. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/bitsift/catalog.h"
#include "core/bitsift/index_open.h"
#include "core/bitsift/search.h"
#include "core/program/catalog_search.h"
#include "core/program/search_program.h"
#include "query/cli/cmd_input.h"
#include "query/cli/cmd_output.h"
#include "query/cli/commands.h"
#include "query/format/hit_format.h"
#include "query/options/shared_options.h"

struct query_arguments {
	const char *index;
	/* The path of the catalog; "": the user's catalog; NULL: no catalog. */
	const char *catalog;
	bool partial;
	const char *kernel;
	const char *batch;
	const char *format;
	struct bs_search_request request;
	struct bs_word_list globs, types, type_nots, places, stops;
	uint64_t n_best, offset, n_threads, feedback_docs;
	struct bs_limits limits;
	int color; /* When to use colours: WHEN_AUTO, WHEN_ALWAYS or WHEN_NEVER. */
	const char *sort;
	char *sort_field; /* The field of --sort, without the direction. */
	char *text;       /* The query: the operands, joined. */
	const char *like_file;
	/* The contents of the files that --stop and --like-file name. */
	char *stop_words, *like_text;
	bool count, ids, nul, json, trec, stats, fresh, explain;
};

#define SETS(kind, field) BS_OPTION_SETS(kind, struct query_arguments, field)

enum when {
	WHEN_AUTO,
	WHEN_ALWAYS,
	WHEN_NEVER
};
static const char *const when_names[] = {"auto", "always", "never", NULL};

static const struct bs_option query_options[] = {
	BS_SHARED_INDEX(struct query_arguments, index),
	BS_SHARED_CATALOG(struct query_arguments, catalog,
                          "search all indexes of a catalog (bitsift-catalog(1)) [your catalog]"),
	{0, "partial", NULL, "with --catalog: skip indexes that cannot be reached",
         SETS(FLAG, partial)},
	{'n', "number", "K", "how many hits to show [10]", SETS(NUMBER, n_best),
         .most = 1000000000},
	{0, "offset", "N", "skip the first N hits", SETS(NUMBER, offset), .most = 1000000000},
	{'c', "count", NULL, "only the exact number of matches", SETS(FLAG, count)},
	{'l', "ids", NULL, "all matches by name, one per line, in document order", SETS(FLAG, ids)},
	{'0', "null", NULL, "end ids with NUL instead of a line feed", SETS(FLAG, nul)},
	{0, "json", NULL, "one JSON object per hit", SETS(FLAG, json)},
	{0, "format", "FORMAT",
         "one line per hit, such as '{path}:{line}:{column}:{text}', or trec",
         SETS(STRING, format)},
	{0, "color", "WHEN", "colours: auto, always or never [auto: on a terminal]",
         SETS(NAME, color), .names = when_names},
	BS_SHARED_GLOB(struct query_arguments, globs),
	BS_SHARED_TYPE(struct query_arguments, types),
	BS_SHARED_TYPE_NOT(struct query_arguments, type_nots),
	{0, "in", "PATH", "only PATH and its contents; repeatable", SETS(LIST, places)},
	{0, "newer", "DATE", "only files changed at DATE or later: 2024-05-17, 2h, 3d",
         SETS(STRING, request.filter.newer)},
	{0, "older", "DATE", "only files changed before DATE", SETS(STRING, request.filter.older)},
	{0, "date", "FIELD", "the field of records for --newer and --older",
         SETS(STRING, request.filter.date_field)},
	{0, "sort", "FIELD",
         "sort by numbers or dates in this field of records; FIELD:desc sorts the greatest first",
         SETS(STRING, sort)},
	{0, "any", NULL, "documents with any of the words, not all", SETS(FLAG, request.query.any)},
	{0, "stop", "LANG|FILE", "stop words: english, or a file of words; repeatable",
         SETS(LIST, stops)},
	{0, "feedback", "DOCS", "also search words of the best DOCS documents [10]",
         SETS(NUMBER, feedback_docs), .is_optional = true, .value = 10, .least = 1, .most = 1000},
	{0, "like", "ID", "documents like this one, by its typical words",
         SETS(ONCE, request.query.like_id)},
	{0, "like-file", "FILE", "documents like this text (- is standard input)",
         SETS(ONCE, like_file)},
	{0, "strict-query", NULL, "treat warnings about the query as errors",
         SETS(FLAG, request.query.strict)},
	{0, "batch", "FILE", "run each line of FILE as a query (- is standard input)",
         SETS(STRING, batch)},
	{0, "approx", NULL, "read only the most promising documents; may miss better hits",
         SETS(FLAG, request.method.approx)},
	{0, "brute", NULL, "read every document instead of using the index",
         SETS(FLAG, request.method.brute)},
	{0, "fresh", NULL, "check every source first; also search new and changed text",
         SETS(FLAG, fresh)},
	{0, "no-stat", NULL, "trust the index; do not check files",
         SETS(FLAG, request.method.no_stat)},
	BS_SHARED_JOBS(struct query_arguments, n_threads,
                       "threads that read texts [one per processor]"),
	{0, "time-limit", "TIME",
         "stop after 250ms, 2s, ...; show the hits found so far, with a notice",
         SETS(DURATION, limits.deadline_ns)},
	{0, "memory", "SIZE", "maximum memory of a query", SETS(SIZE, limits.memory_bytes)},
	{'v', "verbose", NULL, "name every file that changed or cannot be read",
         SETS(FLAG, request.callbacks.verbose)},
	{0, "explain", NULL, "explain on stderr how the query is answered", SETS(FLAG, explain)},
	BS_SHARED_STATS(struct query_arguments, stats),
	BS_SHARED_KERNEL(struct query_arguments, kernel),
	{0},
};

static const char *const query_examples[] = {
	"bitsift query bloom filter",
	"both words",
	"bitsift query '\"bit slices\" OR simd'",
	"a phrase, or a word",
	"bitsift query 'cat -dog'",
	"cat, but not dog",
	"bitsift query --count 'a (b OR c)'",
	"how many",
	"bitsift query 'title:dog^3 dog'",
	"title matches score more",
	"bitsift query -- -dog",
	"all documents without dog",
	"bitsift query -t py --in src --newer 3d cat",
	"in Python files below src, changed in the last three days",
	"bitsift query 'name:readme install'",
	"in files with readme in their paths",
	"bitsift query --any --feedback heat shards",
	"also documents like the best ones",
	"bitsift query --like notes/a.txt",
	"documents like this one",
	"bitsift query 'ferry year:1990..2000 -price:>10k'",
	"by ranges of numbers in fields",
	"bitsift query --sort date:desc ferry",
	"the latest records first",
	"bitsift query --catalog ferry",
	"in all indexes of your catalog",
	"vim -q <(bitsift query --format '{path}:{line}:{column}:{text}' dog)",
	"hits in an editor",
	NULL,
};

/* The state of the command: its output, and sums over its queries. */
struct session {
	const struct query_arguments *arguments;
	const struct bs_consent *consent;
	struct bs_index *index;
	struct bs_index_info info;
	struct bs_searcher *searcher;
	/* The catalog to search; NULL: `index` is searched. */
	struct bs_catalog *catalog;
	/* The numbers of indexes asked, skipped and so on, summed over all queries. */
	struct bs_catalog_search_result asked;
	const char *index_name; /* The name of the current hit's index; NULL: no catalog. */
	struct bs_stats_sum stats;
	FILE *out;
	bool is_terminal; /* Standard output is a terminal. */
	bool color;
	bool has_matched; /* Some query has hits. */
	bool has_failed;  /* Some result is missing or incomplete: the exit status is 2. */
	/* Documents that could not be read, summed over all queries, and the index's sources
	 * without consent, counted once. */
	uint64_t n_unreadable;
	struct bs_changes changes; /* Summed over all queries. */
	uint64_t n_shown;          /* The number of hits printed for the current query. */
	uint32_t n_query_notices;  /* Notices about queries, counted over all queries. */
	/* An option is invalid, so every query of the batch would fail. */
	bool is_bad_request;
	const char *query; /* The current query of a batch; NULL: no batch. */
	size_t query_bytes;
	const char *query_id; /* The id of the current query, for --format trec. */
	size_t query_id_bytes;
};

static char *join(char *const *words, size_t n)
{
	char *text = NULL;
	size_t n_bytes;
	FILE *stream = open_memstream(&text, &n_bytes);
	for (size_t i = 0; i < n && stream; i++)
		fprintf(stream, "%s%s", i > 0 ? " " : "", words[i]);
	if (stream && fclose(stream) == 0)
		return text;
	free(text);
	return NULL;
}

/* Parses --sort: FIELD, FIELD:asc, FIELD:desc, -FIELD. */
static enum bs_status take_sort(struct query_arguments *arguments, struct bs_error *err)
{
	const char *field = arguments->sort;
	if (!field)
		return BS_OK;
	/* A trec run is sorted by score. */
	bool is_trec = arguments->format && strcmp(arguments->format, "trec") == 0;
	if (arguments->count || arguments->ids || arguments->request.method.approx || is_trec)
		return bs_fail(err, BS_INVALID,
		               "--sort excludes --count, --ids, --approx and --format trec");
	arguments->request.output.sort_descending = *field == '-';
	field += *field == '-';
	size_t n = strlen(field), desc = strlen(":desc"), asc = strlen(":asc");
	if (n > desc && strcmp(field + n - desc, ":desc") == 0) {
		arguments->request.output.sort_descending = true;
		n -= desc;
	} else if (n > asc && strcmp(field + n - asc, ":asc") == 0) {
		n -= asc;
	}
	arguments->sort_field = strndup(field, n);
	arguments->request.output.sort_field = arguments->sort_field;
	return arguments->sort_field ? BS_OK : bs_fail_memory(err, "a field", n);
}

/* Reads the files into one text, with a line feed after each. */
static enum bs_status read_files(const char *const *paths, size_t n, const struct bs_timer *timer,
                                 char **text_out, size_t *n_bytes_out, struct bs_error *err)
{
	FILE *memory = open_memstream(text_out, n_bytes_out);
	enum bs_status status = memory ? BS_OK : bs_fail_memory(err, "a text", 0);
	for (size_t i = 0; i < n && !status; i++) {
		char *bytes;
		size_t n_bytes;
		status = bs_input_read_file(paths[i], timer, &bytes, &n_bytes, err);
		if (status)
			break;
		fwrite(bytes, 1, n_bytes, memory);
		putc('\n', memory);
		free(bytes);
	}
	bool is_kept = memory && !ferror(memory);
	if (memory)
		is_kept &= fclose(memory) == 0;
	return status || is_kept ? status : bs_fail_memory(err, "a text", *n_bytes_out);
}

/* Reads the arguments of --stop: "english" names a built-in list of stop words; any other is the
 * path of a file of stop words. */
static enum bs_status read_stops(struct query_arguments *arguments, const struct bs_timer *timer,
                                 struct bs_error *err)
{
	struct bs_word_list *stops = &arguments->stops;
	struct bs_search_request *request = &arguments->request;
	struct bs_error why;
	size_t n_files = 0;
	for (size_t i = 0; i < stops->n; i++) {
		bool is_language = strcmp(stops->list[i], "english") == 0;
		if (is_language)
			request->query.stop_language = stops->list[i];
		else
			stops->list[n_files++] = stops->list[i];
	}
	if (n_files == 0)
		return BS_OK;
	enum bs_status status = read_files(stops->list, n_files, timer, &arguments->stop_words,
	                                   &request->query.stop_words_bytes, &why);
	request->query.stop_words = arguments->stop_words;
	return status ? bs_fail(err, status, "--stop: %s; the only built-in list is english",
	                        why.text)
	              : BS_OK;
}

static enum bs_status read_like(struct query_arguments *arguments, const struct bs_timer *timer,
                                struct bs_error *err)
{
	struct bs_search_request *request = &arguments->request;
	enum bs_status status = BS_OK;
	if (arguments->like_file)
		status = read_files(&arguments->like_file, 1, timer, &arguments->like_text,
		                    &request->query.like_text_bytes, err);
	request->query.like_text = arguments->like_text;
	return status;
}

static size_t count_stdin(const struct query_arguments *arguments)
{
	size_t n = (arguments->batch && strcmp(arguments->batch, "-") == 0) +
	           (size_t)(arguments->like_file && strcmp(arguments->like_file, "-") == 0);
	for (size_t i = 0; i < arguments->stops.n; i++)
		n += strcmp(arguments->stops.list[i], "-") == 0;
	return n;
}

static enum bs_status take_operands(struct query_arguments *arguments,
                                    const struct bs_operands *operands, struct bs_error *err)
{
	size_t n = operands->n;
	if (arguments->count && arguments->ids)
		return bs_fail(err, BS_INVALID, "--count and --ids exclude each other");
	if (arguments->fresh && arguments->request.method.no_stat)
		return bs_fail(err, BS_INVALID,
		               "--fresh looks at every source and --no-stat at none: choose one");
	if (arguments->catalog && arguments->index)
		return bs_fail(
			err, BS_INVALID,
			"--catalog and --index exclude each other: --index names a single index");
	if (arguments->partial && !arguments->catalog)
		return bs_fail(err, BS_INVALID, BS_SHARED_PARTIAL_ALONE);
	if (arguments->offset && (arguments->count || arguments->request.method.approx))
		return bs_fail(err, BS_INVALID,
		               "--offset cannot be combined with --count or --approx");
	if (arguments->request.method.approx && (arguments->count || arguments->ids))
		return bs_fail(err, BS_INVALID,
		               "--approx is for ranked hits; --count and --ids are always exact");
	if (arguments->request.filter.date_field && !arguments->request.filter.newer &&
	    !arguments->request.filter.older)
		return bs_fail(err, BS_INVALID, "--date FIELD requires --newer or --older");
	if (arguments->format && (arguments->count || arguments->ids || arguments->json))
		return bs_fail(err, BS_INVALID, "--format excludes --count, --ids and --json");
	if (arguments->feedback_docs && (arguments->request.query.like_id || arguments->like_file))
		return bs_fail(err, BS_INVALID,
		               "--feedback (words of the best documents) and --like (words of one "
		               "document) exclude each other");
	if (n == 0 && !arguments->batch && !arguments->request.query.like_id &&
	    !arguments->like_file)
		return bs_fail(
			err, BS_INVALID,
			"no query; try `bitsift query WORD...` or see `bitsift query --help`");
	if (n > 0 && arguments->batch)
		return bs_fail(err, BS_INVALID, "a query and --batch exclude each other");
	arguments->text = join(operands->list, n);
	if (!arguments->text)
		return bs_fail_memory(err, "a query", n);
	if (count_stdin(arguments) > 1)
		return bs_fail(
			err, BS_INVALID,
			"only one of --batch, --like-file and --stop can read standard input");
	arguments->request.query.feedback_docs = (size_t)arguments->feedback_docs;
	enum bs_status status = take_sort(arguments, err);
	struct bs_timer timer;
	bs_timer_start(&timer, arguments->limits.deadline_ns);
	if (!status)
		status = read_stops(arguments, &timer, err);
	if (!status)
		status = read_like(arguments, &timer, err);
	if (status)
		return status;
	/* The time spent on reading files counts for the time limit of the query. In a batch, each
	 * query has the full time limit. */
	if (!arguments->batch)
		arguments->limits.deadline_ns = bs_timer_left(&timer);
	bool is_count = arguments->count || (arguments->n_best == 0 && !arguments->ids);
	arguments->request.filter.globs = arguments->globs.list;
	arguments->request.filter.types = arguments->types.list;
	arguments->request.filter.excluded_types = arguments->type_nots.list;
	arguments->request.filter.places = arguments->places.list;
	arguments->request.output.mode = is_count         ? BS_SEARCH_COUNT
	                                 : arguments->ids ? BS_SEARCH_IDS
	                                                  : BS_SEARCH_TOP;
	arguments->request.method.approx &= arguments->request.output.mode == BS_SEARCH_TOP;
	arguments->request.output.limit = (size_t)arguments->n_best;
	arguments->request.output.offset = is_count ? 0 : (size_t)arguments->offset;
	arguments->limits.partial = arguments->limits.deadline_ns > 0;
	arguments->request.limits = &arguments->limits;
	arguments->request.method.n_threads = (uint32_t)arguments->n_threads;
	arguments->request.output.snippets =
		arguments->request.output.mode == BS_SEARCH_TOP && !arguments->format;
	arguments->request.output.passages = arguments->json;
	arguments->trec = arguments->format && strcmp(arguments->format, "trec") == 0;
	if (!arguments->format || arguments->trec)
		return BS_OK;
	return bs_format_check_format(arguments->format, arguments->catalog != NULL,
	                              arguments->sort, &arguments->request.output.passages, err);
}

/* Prints the id; with a catalog, after the name of the index and a colon. */
static void put_id(const struct session *session, const char *id, size_t id_bytes)
{
	if (session->index_name) {
		bs_format_exact(session->index_name, strlen(session->index_name),
		                session->is_terminal, session->out);
		putc(':', session->out);
	}
	bs_format_exact(id, id_bytes, session->is_terminal, session->out);
}

static void show_notice(void *context, const char *message)
{
	const struct session *session = context;
	fflush(session->out);
	(void)bs_output_flush();
	fprintf(stderr, "bitsift: %s\n", message);
}

static int show_hit(void *context, const struct bs_hit *hit)
{
	struct session *session = context;
	const struct query_arguments *arguments = session->arguments;
	const char *id = session->index_name ? hit->id : hit->local_id;
	size_t id_bytes = session->index_name ? hit->id_bytes : hit->local_id_bytes;
	if (arguments->ids && arguments->nul && bs_cmd_refuse_nul(id, id_bytes)) {
		session->has_failed = true;
		return 0;
	}
	if (arguments->trec) {
		bs_format_trec(hit, session->index_name, session->query_id, session->query_id_bytes,
		               session->out);
	} else if (arguments->json) {
		bs_format_json(hit, session->index_name, arguments->sort != NULL, session->query,
		               session->query_bytes, session->out);
	} else if (arguments->format) {
		bs_format_template(hit, session->index_name, arguments->format,
		                   session->is_terminal, session->out);
	} else if (!arguments->ids) {
		bs_format_text(hit, session->index_name, arguments->sort != NULL, session->color,
		               session->out);
	} else {
		if (arguments->batch && !arguments->nul && session->n_shown > 0)
			putc('\t', session->out);
		put_id(session, id, id_bytes);
		if (arguments->nul || !arguments->batch)
			putc(arguments->nul ? '\0' : '\n', session->out);
	}
	session->n_shown++;
	return 0;
}

static int show_catalog_hit(void *context, const struct bs_catalog_hit *hit)
{
	struct session *session = context;
	session->index_name = hit->index;
	return show_hit(session, hit->hit);
}

#define MOST_QUERY_NOTICES 5u

static void show_query_notice(void *context, const char *message)
{
	struct session *session = context;
	if (session->n_query_notices++ < MOST_QUERY_NOTICES)
		show_notice(session, message);
}

static void show_explain(void *context, const char *text, size_t text_bytes)
{
	(void)context;
	fwrite(text, 1, text_bytes, stderr);
}

/* On a terminal: reports which hits were shown, unless these are certainly all. */
static void tell_place(const struct session *session, const struct bs_search_result *result)
{
	const struct query_arguments *arguments = session->arguments;
	uint64_t n_before = arguments->offset, n_until = n_before + session->n_shown;
	bool is_open =
		result->is_at_least && result->n_hits <= n_until; /* no more hits are known */
	bool has_more = result->n_hits > n_until || is_open;
	const char *least = result->is_at_least ? "at least " : "";
	const char *first = BS_COUNT(n_before + 1), *last = BS_COUNT(n_until),
		   *hits = BS_COUNT(result->n_hits);
	if (session->n_shown == 0) {
		if (n_before > 0 && result->n_hits > 0)
			fprintf(stderr, "no more hits: --offset skips all %s\n", hits);
		return;
	}
	if (n_before == 0 && !has_more)
		return;
	if (n_before == 0)
		fprintf(stderr, "the %s %s", arguments->sort ? "first" : "best", last);
	else if (session->n_shown == 1)
		fprintf(stderr, "hit %s", first);
	else
		fprintf(stderr, "%s to %s", first, last);
	if (!is_open)
		fprintf(stderr, " of %s%s", least, hits);
	if (has_more && n_before == 0)
		fprintf(stderr, "; -n K shows more%s", is_open ? ", if there are more" : "");
	else if (has_more)
		fprintf(stderr, "; the next%s: --offset %llu", is_open ? ", if there are more" : "",
		        (unsigned long long)n_until);
	putc('\n', stderr);
}

static void end_query(struct session *session, const struct bs_search_result *result)
{
	const struct query_arguments *arguments = session->arguments;
	if (arguments->count && arguments->json)
		bs_format_json_count(result->n_hits, session->query, session->query_bytes,
		                     session->out);
	else if (arguments->count)
		fprintf(session->out, "%llu\n", (unsigned long long)result->n_hits);
	else if (arguments->batch && !arguments->trec)
		putc('\n', session->out);
	fflush(session->out);
	if (!session->is_terminal)
		return;
	(void)bs_output_flush();
	if (result->is_partial)
		return;
	if (result->n_hits == 0 && !arguments->count && !arguments->batch &&
	    result->n_unreadable == 0)
		fputs("no document matches\n", stderr);
	if (!arguments->count && !arguments->ids && !arguments->json)
		tell_place(session, result);
	if (session->catalog && !arguments->batch)
		fprintf(stderr, "searched %llu of %llu indexes\n",
		        (unsigned long long)session->asked.n_asked,
		        (unsigned long long)session->asked.n_indexes);
}

/* The longest query, \r, and one byte more, by which a longer line is recognised. */
#define BATCH_LINE_BYTES ((size_t)BS_QUERY_MAX_BYTES + 2)

/* The width of a snippet: that of the terminal, minus the indentation and a "…" at both ends. 0:
 * unknown or too narrow. */
static uint32_t terminal_columns(void)
{
	struct winsize size = {0};
	bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 24;
	return is_known ? size.ws_col - BS_FORMAT_INDENT - 2u : 0;
}

static enum bs_status find_in_catalog(struct session *session, const struct bs_search_request *find,
                                      const struct bs_search_program *program,
                                      struct bs_search_result *result, struct bs_error *err)
{
	struct bs_catalog_search_request request = {.search = *find,
	                                            .hit = show_catalog_hit,
	                                            .partial = session->arguments->partial,
	                                            .fresh = session->arguments->fresh};
	struct bs_catalog_search_result came, *sum = &session->asked;
	request.search.callbacks.hit = NULL;
	enum bs_status status =
		bs_catalog_search_for_program(session->catalog, &request, program, &came, err);
	*result = came.search;
	sum->n_indexes += came.n_indexes;
	sum->n_asked += came.n_asked;
	sum->n_probed += came.n_probed;
	sum->n_skipped += came.n_skipped;
	sum->n_unreachable += came.n_unreachable;
	session->has_failed |= came.n_unreachable + came.n_unread + came.n_unfollowed > 0;
	result->n_unreadable -= came.n_unfollowed;
	return status;
}

/* Runs a query. Reports its error on one line; for a syntax error, also the query with a caret
 * below it. */
static enum bs_status run_query(struct session *session, const char *text, size_t text_bytes,
                                struct bs_error *err)
{
	struct bs_search_request request = session->arguments->request;
	struct bs_search_program program = {0};
	struct bs_search_result result;
	request.query.text = text;
	request.query.text_bytes = text_bytes;
	request.callbacks.hit = show_hit;
	request.callbacks.notice = show_notice;
	request.callbacks.notice_query = show_query_notice;
	request.callbacks.explain = session->arguments->explain ? show_explain : NULL;
	program.explain_bars = request.callbacks.explain && isatty(STDERR_FILENO);
	request.callbacks.context = session;
	request.callbacks.suggest = session->is_terminal && !session->arguments->batch;
	if (session->is_terminal && !session->arguments->json)
		program.snippet_columns = terminal_columns();
	if (session->color && !session->arguments->json) {
		request.output.mark_start = "\033[1;31m";
		request.output.mark_stop = "\033[0m";
	}
	session->n_shown = 0;
	enum bs_status status = session->catalog
	                                ? find_in_catalog(session, &request, &program, &result, err)
	                                : bs_search_for_program(session->searcher, &request,
	                                                        &program, &result, err);
	session->n_unreadable += result.n_unreadable - session->info.n_unfollowed;
	if (session->changes.n_changed + session->changes.n_gone == 0)
		memcpy(session->changes.example, result.changes.example,
		       sizeof(result.changes.example));
	session->changes.n_changed += result.changes.n_changed;
	session->changes.n_gone += result.changes.n_gone;
	session->has_matched |= !status && result.n_hits > 0;
	if (!status && result.is_partial) {
		show_notice(session, "the time is up: there may be more hits, and better ones");
		session->has_failed = true;
	}
	if (!status)
		status = bs_stats_add(&session->stats, &result.stats, err);
	if (!status) {
		end_query(session, &result);
		return BS_OK;
	}
	session->is_bad_request = status == BS_INVALID && result.error_byte == SIZE_MAX;
	fflush(session->out);
	fprintf(stderr, "bitsift: %s\n", err->text);
	char *caret = NULL;
	if (status == BS_INVALID && text_bytes > 0 &&
	    bs_query_caret(text, text_bytes, result.error_byte, &caret, NULL) == BS_OK)
		fprintf(stderr, "%s\n", caret);
	free(caret);
	return status;
}

/* Reads the next line, without its end. Keeps only the first BATCH_LINE_BYTES of a line.
 * *is_line_out is false at the end of the file. The time limit starts with the line's first byte;
 * the wait for that byte is unlimited. */
static enum bs_status next_line(struct bs_input *file, uint64_t limit_ns, char *line,
                                size_t *line_bytes_out, bool *is_line_out, struct bs_error *err)
{
	struct bs_timer timer;
	const char *end = NULL;
	size_t n = 0;
	enum bs_status status = BS_OK;
	bs_timer_start(&timer, 0);
	*is_line_out = false;
	while (!status && !end) {
		if (file->at == file->n_bytes) {
			status = bs_input_more(file, &timer, err);
			if (status || file->n_bytes == 0)
				break;
		}
		if (!*is_line_out)
			bs_timer_start(&timer, limit_ns);
		const char *from = file->bytes + file->at;
		size_t n_left = file->n_bytes - file->at, n_room = BATCH_LINE_BYTES - n;
		end = memchr(from, '\n', n_left);
		size_t n_more = end ? (size_t)(end - from) : n_left;
		memcpy(line + n, from, n_more < n_room ? n_more : n_room);
		n += n_more < n_room ? n_more : n_room;
		file->at += n_more + (end != NULL);
		*is_line_out = true;
	}
	if (n > 0 && n < BATCH_LINE_BYTES && line[n - 1] == '\r')
		n--;
	*line_bytes_out = n;
	return status;
}

/* Prints an error in place of a query's hits; nothing in a trec run. */
static void show_error(struct session *session, const struct bs_error *err)
{
	const struct query_arguments *arguments = session->arguments;
	if (arguments->trec)
		return;
	if (arguments->json)
		bs_format_json_error(err, session->query, session->query_bytes, session->out);
	else
		fputs("error\n", session->out);
	if (!arguments->count && (!arguments->ids || arguments->json))
		putc('\n', session->out);
	fflush(session->out);
}

/* Sets the id of a query in a trec run: the text before a tab, or else the line's number. Returns
 * the beginning of the query in the line. */
static const char *take_query_id(struct session *session, const char *line, size_t n,
                                 uint64_t number, char own[24])
{
	const char *tab = memchr(line, '\t', n);
	session->query_id = own;
	session->query_id_bytes = (size_t)snprintf(own, 24, "%llu", (unsigned long long)number);
	if (!tab || tab == line)
		return tab ? tab + 1 : line;
	session->query_id = line;
	session->query_id_bytes = (size_t)(tab - line);
	return tab + 1;
}

/* Runs the query of one line of a batch. If it is invalid or unsupported, prints its error in place
 * of its hits and returns BS_OK. Other failures, such as an invalid option, end the batch. */
static enum bs_status run_line(struct session *session, const char *line, size_t n, uint64_t number,
                               struct bs_error *err)
{
	char own_id[24];
	session->query =
		session->arguments->trec ? take_query_id(session, line, n, number, own_id) : line;
	session->query_bytes = n - (size_t)(session->query - line);
	enum bs_status status = run_query(session, session->query, session->query_bytes, err);
	if (!status || (status != BS_INVALID && status != BS_UNSUPPORTED) ||
	    session->is_bad_request)
		return status;
	show_error(session, err);
	session->has_failed = true;
	return BS_OK;
}

static enum bs_status run_batch(struct session *session, struct bs_error *err)
{
	struct bs_input *file = malloc(sizeof(*file));
	char *line = malloc(BATCH_LINE_BYTES);
	bool is_line = true, is_told = false;
	size_t n;
	enum bs_status status = file && line ? bs_input_open(file, session->arguments->batch, err)
	                                     : bs_fail_memory(err, "a line", BATCH_LINE_BYTES);
	bool is_open = !status;
	for (uint64_t number = 1; !status && is_line; number++) {
		status = next_line(file, session->arguments->limits.deadline_ns, line, &n, &is_line,
		                   err);
		if (status || !is_line)
			break;
		status = run_line(session, line, n, number, err);
		is_told = status;
	}
	if (status && !is_told)
		fprintf(stderr, "bitsift: %s\n", err->text);
	if (is_open)
		bs_input_close(file);
	free(file);
	free(line);
	return status;
}

static enum bs_status open_index(struct session *session, struct bs_error *err)
{
	char *dir = NULL;
	enum bs_status status = bs_output_stream(&session->out, err);
	if (!status && session->arguments->catalog)
		return bs_cmd_open_catalog(session->arguments->catalog, false,
		                           session->arguments->kernel, session->consent,
		                           &session->catalog, err);
	if (!status)
		status = bs_cmd_locate(session->arguments->index, &dir, err);
	struct bs_limits limits = {.deadline_ns = session->arguments->limits.deadline_ns};
	struct bs_open_request request = {
		.dir = dir,
		.kernel = session->arguments->kernel,
		.host.consent = session->consent,
		.fresh = session->arguments->fresh,
		.verbose = session->arguments->request.callbacks.verbose,
		.notice = show_notice,
		.context = session,
		.limits = limits.deadline_ns ? &limits : NULL,
	};
	if (!status)
		status = bs_index_open_with(&request, &session->index, err);
	free(dir);
	if (status)
		return status;
	bs_index_describe(session->index, &session->info);
	session->n_unreadable = session->info.n_unfollowed;
	if (session->info.is_other_unicode)
		fputs("bitsift: this index was made by another version of the tokenizer, so every "
		      "document is read; "
		      "`bitsift index` indexes everything again\n",
		      stderr);
	return bs_searcher_new(session->index, &session->searcher, err);
}

/* Whether to use colours. Respects https://no-color.org, and terminals without colours. */
static bool wants_color(int when, bool is_terminal)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool may = is_terminal && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
	return when == WHEN_AUTO ? may : when == WHEN_ALWAYS;
}

static int run(void *set, const struct bs_operands *operands, const struct bs_consent *consent,
               struct bs_error *err)
{
	struct query_arguments *arguments = set;
	struct session session = {.arguments = arguments,
	                          .consent = consent,
	                          .is_terminal = isatty(STDOUT_FILENO),
	                          .query_id = "1",
	                          .query_id_bytes = 1};
	struct bs_error told = {""}; /* The error of a query, which has already been printed. */
	if (bs_cmd_lists_kernels(arguments->kernel))
		return 0;
	if (take_operands(arguments, operands, err))
		return -1;
	session.color = wants_color(arguments->color, session.is_terminal);
	/* The time spent on opening the index (long with --fresh) counts for the time limit of the
	 * query. In a batch, each query has the full time limit. */
	struct bs_timer timer;
	bs_timer_start(&timer, arguments->limits.deadline_ns);
	enum bs_status status = open_index(&session, err);
	bool is_open = !status;
	if (!arguments->batch)
		arguments->limits.deadline_ns = bs_timer_left(&timer);
	if (is_open && arguments->batch)
		status = run_batch(&session, &told);
	else if (is_open)
		status = run_query(&session, arguments->text, strlen(arguments->text), &told);
	session.has_failed |= session.n_unreadable > 0 || session.info.n_unread > 0;
	if (session.out)
		fclose(session.out);
	if (!bs_output_flush() && !status) {
		fprintf(stderr, "bitsift: standard output: %s\n", strerror(errno));
		status = BS_IO;
	}
	if (!arguments->request.callbacks.verbose)
		bs_cmd_show_changes(&session.changes, arguments->index, true);
	bs_cmd_show_unread(session.n_unreadable - session.info.n_unfollowed);
	if (arguments->stats && !status)
		bs_stats_json(&session.stats, session.catalog ? &session.asked : NULL, stderr);
	bs_searcher_free(session.searcher);
	bs_index_close(session.index);
	bs_catalog_close(session.catalog);
	bs_stats_deinit(&session.stats);
	if (!is_open)
		return -1;
	if (status || session.has_failed)
		return 2;
	return session.has_matched ? 0 : 1;
}

static void release(void *of_options)
{
	struct query_arguments *arguments = of_options;
	free(arguments->text);
	free(arguments->sort_field);
	free(arguments->stop_words);
	free(arguments->like_text);
}

static const struct query_arguments query_defaults = {.n_best = 10};

const struct bs_command bs_command_query = {
	.name = "query",
	.summary = "Find documents by their words, phrases and fields.",
	.usage = "[OPTION]... (QUERY... | --batch FILE | --like ID)",
	.options = query_options,
	.examples = query_examples,
	.letter_hint =
		"put -- before a query with a word to leave out, as in `bitsift query -- cat -dog`",
	.arguments_bytes = sizeof(struct query_arguments),
	.defaults = &query_defaults,
	.run = run,
	.release = release,
};
