/*
 * limits_main.c: bitsift-bench-limits INDEX TREE [N [DEADLINE_MS [SEED [KIND]]]]: tests whether
 * calls with a deadline end in time, even for hostile queries. Makes N hostile queries and patterns
 * for a tree and its index, runs each with a deadline, and prints the longest time of each kind,
 * and the number of calls that took more than twice the deadline ("late"). After each query, the
 * searcher must answer a plain query correctly. Exit status 0 if no call was late or failed and no
 * answer was wrong. KIND: only kinds whose name contains this text. Uses only the public interface.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/bitsift.h"
#include "core/bitsift/grep.h"
#include "core/bitsift/index.h"
#include "core/bitsift/search.h"
#include "core/bitsift/status.h"

#define TEXT_BYTES ((size_t)1 << 20)
#define LINE_BYTES ((size_t)8 << 20)
#define MOST_WORDS 4096
#define MOST_LIST  100000
#define PLAIN      "spinlock"

static uint64_t state;        /* of the random numbers */
static const char *only = ""; /* runs only the kinds whose name contains this */
/* the first short words of the file MAINTAINERS of TREE, with repetitions */
static char *words[MOST_WORDS];
static size_t n_words;
static char text[TEXT_BYTES + 1]; /* the current query */
static size_t text_bytes;
static char *list[MOST_LIST + 1]; /* the current patterns of grep */
static size_t list_bytes[MOST_LIST];
static size_t n_list;
static char long_line[64]; /* the path of a file of one long line */

static uint32_t draw(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((state >> 33) % n);
}

static bool has_kind(const char *const *names, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (strstr(names[i], only))
			return true;
	return false;
}

/* Draws a kind whose name contains `only`. There must be one. */
static uint32_t draw_kind(const char *const *names, uint32_t n)
{
	uint32_t kind;
	do
		kind = draw(n);
	while (!strstr(names[kind], only));
	return kind;
}

static double now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static const char *word(void)
{
	return words[draw((uint32_t)n_words)];
}

static void put(const char *piece)
{
	size_t n = strlen(piece), room = TEXT_BYTES - text_bytes;
	memcpy(text + text_bytes, piece, n < room ? n : room);
	text_bytes += n < room ? n : room;
	text[text_bytes] = '\0';
}

/* Appends n random words to the text, each with `before` and `after` around it; stops when the text
 * is full. */
static void put_words(size_t n, const char *before, const char *after)
{
	for (size_t i = 0; i < n && text_bytes < TEXT_BYTES; i++) {
		put(before);
		put(word());
		put(after);
	}
}

/* Fills the rest of the text with repetitions of `piece`. */
static void put_full(const char *piece)
{
	while (text_bytes < TEXT_BYTES)
		put(piece);
}

enum query_kind {
	AND_OF_MANY,
	ANY_OF_MANY,
	FULL_OF_WORDS,
	FULL_OF_PHRASES,
	FULL_OF_BRACKETS,
	FULL_OF_QUOTES,
	FULL_OF_HAN,
	FULL_OF_LETTERS,
	FUZZY,
	FUZZY_AND,
	PATTERNS,
	STARS,
	PREFIXES,
	PHRASES,
	LONG_PHRASE,
	NEAR,
	NEAR_MANY,
	NESTED,
	NOTS,
	NAMES,
	EVERYTHING,
	EXHAUSTIVE,
	SNIPPETS,
	BRUTE,
	BRUTE_FUZZY,
	FEEDBACK,
	LIKE_TEXT,
	FILTERED,
	COUNTED,
	MISSPELT,
	QUERY_KINDS,
};

static const char *const query_names[QUERY_KINDS] = {
	"AND of many words",
	"any of many words",
	"1 MB of words",
	"1 MB of phrases",
	"1 MB of brackets",
	"1 MB of quotes",
	"1 MB of Han",
	"1 MB in one word",
	"fuzzy words",
	"fuzzy words, AND",
	"patterns",
	"stars",
	"prefixes",
	"phrases of common words",
	"a long phrase",
	"NEAR",
	"NEAR of many",
	"nested",
	"negations",
	"names",
	"all ids",
	"exhaustive",
	"snippets and passages of many",
	"brute",
	"brute, fuzzy",
	"feedback",
	"like a text",
	"filters",
	"counted OR of phrases",
	"misspelt",
};

static const char *const globs[] = {"**/*a*/**", "*.[ch]", "!*b*c*", NULL}, *const types[] = {
										    "c", "make",
										    NULL};

static void make_query(enum query_kind kind, struct bs_search_request *request)
{
	static char piece[4096];
	text_bytes = 0;
	text[0] = '\0';
	request->output.limit = 10;
	switch (kind) {
	case AND_OF_MANY:
		put_words(10000, "", " ");
		break;
	case ANY_OF_MANY:
		put_words(10000, "", " ");
		request->query.any = true;
		break;
	case FULL_OF_WORDS:
		put_words(SIZE_MAX, "", " ");
		request->query.any = draw(2);
		break;
	case FULL_OF_PHRASES:
		put_words(SIZE_MAX, "\"the ", " of a\" OR ");
		put("x");
		break;
	case FULL_OF_BRACKETS:
		put_full(draw(2) ? "(" : "(a");
		break;
	case FULL_OF_QUOTES:
		put_full(draw(2) ? "\"" : "\"a b\" ");
		break;
	case FULL_OF_HAN:
		put_full("\xe4\xb8\xad\xe6\x96\x87\xe8\xa9\x9e");
		break;
	case FULL_OF_LETTERS:
		put_full(draw(2) ? "aB1_" : "\xc3\xa9\xcc\x81");
		break;
	case FUZZY:
		put_words(1 + draw(300), "", "~2 ");
		request->query.any = true;
		break;
	case FUZZY_AND:
		put_words(1 + draw(20), "", "~2 ");
		break;
	case PATTERNS:
		put_words(1 + draw(100), "*", "*a*e? ");
		request->query.any = draw(2);
		break;
	case STARS:
		for (size_t i = 0; i < 1 + draw(200); i++) {
			snprintf(piece, sizeof(piece), "*%c*%c*%c* ", (char)('a' + draw(26)),
			         (char)('a' + draw(26)), (char)('a' + draw(26)));
			put(piece);
		}
		request->query.any = draw(2);
		break;
	case PREFIXES:
		for (char c = 'a'; c <= 'z'; c++) {
			snprintf(piece, sizeof(piece), "%c* %c%c* ", c, c, (char)('a' + draw(26)));
			put(piece);
		}
		request->query.any = draw(2);
		break;
	case PHRASES:
		for (size_t i = 0; i < 1 + draw(50); i++)
			put(draw(2)   ? "\"in the\" "
			    : draw(2) ? "\"to be a\" "
			              : "\"struct int return\" ");
		request->query.any = draw(2);
		break;
	case LONG_PHRASE:
		put("\"");
		put_words(50 + draw(1000), "int ", " ");
		put("\"");
		break;
	case NEAR:
		put("\"the if return int\" NEAR/1000");
		put(" \"struct the int\"~500");
		break;
	case NEAR_MANY:
		put_words(30, "\"", " if the\"~1000 OR ");
		put("x");
		break;
	case NESTED:
		for (size_t i = 0; i < 60; i++)
			put("(a OR b (");
		put_words(100, "", " ");
		for (size_t i = 0; i < 120; i++)
			put(")");
		break;
	case NOTS:
		put("int ");
		put_words(2000, "-", " ");
		put_words(100, "NOT \"the ", "\" ");
		break;
	case NAMES:
		put_words(50, "name:*", "* OR ");
		put("name:*a*");
		break;
	case EVERYTHING:
		put(draw(2) ? "*" : "the OR int");
		request->output.mode = BS_SEARCH_IDS;
		break;
	case EXHAUSTIVE:
		put_words(30, "", " ");
		request->query.any = request->method.exhaustive = true;
		request->output.limit = 100000;
		break;
	case SNIPPETS:
		put("int the \"if the\"");
		request->query.any = request->output.snippets = request->output.passages = true;
		request->output.limit = 20000;
		break;
	case BRUTE:
		put_words(3, "", " ");
		request->method.brute = true;
		break;
	case BRUTE_FUZZY:
		put_words(100, "", "~2 ");
		request->method.brute = request->query.any = true;
		break;
	case FEEDBACK:
		put_words(3, "", " ");
		request->query.any = true;
		request->query.feedback_docs = 1000;
		break;
	case LIKE_TEXT:
		put_words(SIZE_MAX, "", " ");
		request->query.like_text = text;
		request->query.like_text_bytes = text_bytes;
		break;
	case FILTERED:
		put("the OR \"of a\"");
		request->filter.globs = globs;
		request->filter.types = types;
		request->filter.newer = "9999w";
		break;
	case COUNTED:
		put_words(500, "\"the ", "\" OR ");
		put("x");
		request->output.mode = BS_SEARCH_COUNT;
		break;
	case MISSPELT:
		put_words(3, "zq", "zz ");
		request->callbacks.suggest = true;
		break;
	case QUERY_KINDS:
		break;
	}
	request->query.text = text;
	request->query.text_bytes = kind == LIKE_TEXT ? 0 : text_bytes;
}

enum grep_kind {
	CATASTROPHIC,
	CATASTROPHIC_LONG,
	LISTED,
	LITERALS,
	REPEATED,
	UNICODE,
	ACROSS,
	ACROSS_LONG,
	BACKWARDS,
	LOOKING_BACK,
	WITHOUT_INDEX,
	BRUTE_FORCE,
	OFTEN,
	INVERTED,
	CONTEXT,
	CONDITIONS,
	COUNT_ALL,
	FILES,
	OPTIONAL,
	GREP_KINDS,
};

static const char *const grep_names[GREP_KINDS] = {
	"catastrophic",
	"catastrophic, a long line",
	"a list of patterns",
	"a list of literals",
	"repetitions",
	"classes of Unicode",
	"across lines",
	"across lines, a long line",
	"back references",
	"looking back",
	"without index",
	"brute, -i",
	"a match each word",
	"inverted",
	"context",
	"conditions",
	"counts",
	"files",
	"optional parts",
};

static const char *const hostile[] = {
	"(a+)+$x",
	"(\\w+\\s*)+;;x",
	"(.*)(.*)(.*)(.*)(.*)q{5}x",
	"(x+x+)+y",
	"([a-z]+)*[A-Z]{9}",
	"^(\\s*\\w+\\s*)*#$",
	"(?:\\w|\\d|_)*!!x",
	"((a|b|e|i)*)*zz",
	"(.*?,){11}P",
	"\\b(\\w+\\W+){1,40}zzz",
	"(a?){30}a{30}x",
	"(?:(?:(?:\\w+)*)*)*@@",
};

/* Appends a pattern to `list`. */
static char *pattern(const char *bytes)
{
	free(list[n_list]);
	list[n_list] = strdup(bytes);
	list_bytes[n_list] = strlen(bytes);
	return list[n_list++];
}

#define SOME(choices) ((choices)[draw((uint32_t)(sizeof(choices) / sizeof(*(choices))))])

static void make_pattern(enum grep_kind kind, const char *tree, const char **path,
                         struct bs_grep_request *request)
{
	static const char *const repeated[] = {"(?:[a-z]{1,50} ){3,40}[0-9]{9}", "\\w{30,900}x",
	                                       "(?:a|b|c|d|e){5,500}z", "[^x]{200,4000}y"};
	static const char *const unicode[] = {"\\p{Lu}\\p{Ll}{10,}\\p{Nd}+", "(?i)\\p{Greek}+",
	                                      "(?i)stra\u00dfe|k", "\\X{50}z"};
	static const char *const across[] = {"(?s)struct.*?\\{.*?\\}.*zzzz", "(?s)a.*b.*c.*d.*zqzq",
	                                     "(\\w+\\s+)+\\n\\n\\n\\nz", "\\s+int\\s+x\\s+$z"};
	static const char *const ands[] = {"the", "(\\w+\\s*)+;$", NULL}, *const nots[] = {
										  "(x+x+)+y", NULL};
	char piece[128];
	n_list = 0;
	*path = tree;
	switch (kind) {
	case CATASTROPHIC:
		pattern(SOME(hostile));
		break;
	case CATASTROPHIC_LONG:
		pattern(SOME(hostile));
		*path = long_line;
		break;
	case LISTED:
		for (size_t i = 0, n = 10 + draw(5000); i < n; i++) {
			snprintf(piece, sizeof(piece), "%.40s\\w+%.40s[0-9]?", word(), word());
			pattern(piece);
		}
		break;
	case LITERALS:
		for (size_t i = 0, n = 10 + draw(MOST_LIST - 10); i < n; i++) {
			snprintf(piece, sizeof(piece), "%.40s %.40s", word(), word());
			pattern(piece);
		}
		request->pattern.is_fixed = draw(2);
		break;
	case REPEATED:
		pattern(SOME(repeated));
		break;
	case UNICODE:
		pattern(SOME(unicode));
		break;
	case ACROSS:
		pattern(SOME(across));
		request->pattern.is_multi_line = true;
		break;
	case ACROSS_LONG:
		pattern(SOME(across));
		request->pattern.is_multi_line = true;
		*path = long_line;
		break;
	case BACKWARDS:
		pattern(draw(2) ? "(\\w+).*\\1.*\\1.*\\1zz" : "(.+)\\1\\1\\1$");
		request->pattern.is_pcre2 = true;
		break;
	case LOOKING_BACK:
		pattern("(?<=the )(?<!x)\\w+(?=.*(?:a|e)*!!)");
		request->pattern.is_pcre2 = true;
		break;
	case WITHOUT_INDEX:
		pattern(word());
		request->index.dir = NULL;
		break;
	case BRUTE_FORCE:
		pattern("[aeiou]{4}\\W");
		request->pattern.is_brute = true;
		request->pattern.letter_case = BS_GREP_CASE_INSENSITIVE;
		break;
	case OFTEN:
		pattern("\\w+");
		request->output.only_matching = true;
		break;
	case INVERTED:
		pattern(word());
		request->output.invert = true;
		break;
	case CONTEXT:
		pattern("int");
		request->output.before = request->output.after = 1000;
		request->output.line_numbers = true;
		break;
	case CONDITIONS:
		pattern("a");
		request->conditions.all_of = ands;
		request->conditions.none_of = nots;
		break;
	case COUNT_ALL:
		pattern("[a-z]");
		request->output.format = BS_GREP_COUNT_MATCHES;
		break;
	case FILES:
		request->task = draw(2) ? BS_GREP_LIST_FILES : BS_GREP_LIST_CANDIDATES;
		pattern("the");
		break;
	case OPTIONAL:
		pattern("(?:a?b?c?d?e?){60}(?:f|g|h)+q");
		break;
	case GREP_KINDS:
		break;
	}
	request->pattern.patterns = (const char *const *)list;
	request->pattern.pattern_bytes = list_bytes;
	request->pattern.n_patterns = n_list;
	request->files.paths = path;
	request->files.n_paths = 1;
}

static int take_hit(void *context, const struct bs_hit *hit)
{
	(void)hit;
	++*(uint64_t *)context;
	return 0;
}

static int take_bytes(void *context, const void *bytes, size_t n_bytes)
{
	(void)bytes;
	*(uint64_t *)context += n_bytes;
	return 0;
}

/* Totals of a kind of queries or patterns. */
struct kind_sum {
	/* n: all calls. n_ended: calls that returned BS_DEADLINE. n_partial: calls that returned a
	 * part of the answer at the deadline. n_failed: calls that returned another error; for
	 * queries, BS_INVALID and BS_NOT_FOUND do not count. */
	size_t n, n_ended, n_partial, n_failed;
	double worst_ms;
};

static struct kind_sum query_sums[QUERY_KINDS], grep_sums[GREP_KINDS];
static double *all_ms;

static void note(struct kind_sum *sum, enum bs_status status, bool is_partial, double ms,
                 const char *why)
{
	sum->n++;
	sum->n_ended += status == BS_DEADLINE;
	sum->n_partial += is_partial;
	sum->worst_ms = ms > sum->worst_ms ? ms : sum->worst_ms;
	bool is_query = sum < grep_sums || sum >= grep_sums + GREP_KINDS;
	if (status && status != BS_DEADLINE &&
	    !(is_query && (status == BS_INVALID || status == BS_NOT_FOUND))) {
		sum->n_failed++;
		fprintf(stderr, "%s: %s\n", bs_status_name(status), why);
	}
}

static int compare_ms(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void print(const char *what, const char *const *names, const struct kind_sum *sums, size_t n)
{
	printf("\n| %s | runs | ended by the deadline | cut off | worst ms "
	       "|\n|---|--:|--:|--:|--:|\n",
	       what);
	for (size_t i = 0; i < n; i++)
		if (sums[i].n > 0)
			printf("| %s | %zu | %zu | %zu | %.1f |\n", names[i], sums[i].n,
			       sums[i].n_ended, sums[i].n_partial, sums[i].worst_ms);
}

/* Fills `words` from the file MAINTAINERS of the tree, and writes the file long_line. False if
 * either fails. */
static bool prepare(const char *tree)
{
	static char bytes[1 << 20];
	char path[4096];
	snprintf(path, sizeof(path), "%s/MAINTAINERS", tree);
	FILE *file = fopen(path, "r");
	size_t n = file ? fread(bytes, 1, sizeof(bytes) - 1, file) : 0;
	if (file)
		fclose(file);
	for (char *at = strtok(bytes, " \t\n.,:;<>@()/*\"'[]{}?+-_=#$&|!^\\");
	     at && n_words < MOST_WORDS; at = strtok(NULL, " \t\n.,:;<>@()/*\"'[]{}?+-_=#$&|!^\\"))
		if (strlen(at) < 40)
			words[n_words++] = at;
	snprintf(long_line, sizeof(long_line), "/tmp/bitsift-limits-XXXXXX");
	int fd = n > 0 ? mkstemp(long_line) : -1;
	char *line = malloc(LINE_BYTES);
	for (size_t i = 0; line && i < LINE_BYTES; i++)
		line[i] = "aaaaabxe i, "[i % 4096 < 2000 ? 0 : draw(12)];
	bool is_written = fd >= 0 && line && write(fd, line, LINE_BYTES) == (ssize_t)LINE_BYTES;
	free(line);
	if (fd >= 0)
		close(fd);
	return n_words > 100 && is_written;
}

/* CPU time of all threads. *n_reads_out: major page faults plus blocks of 512 bytes read. */
static double cpu_ms(long *n_reads_out)
{
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	*n_reads_out = used.ru_majflt + used.ru_inblock;
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
}

/* The results of cpu_ms before the current call. */
static double before_ms;
static long before_reads;

/* Prints the call if it was late. */
static void tell_late(double ms, const struct bs_limits *limits, const char *name,
                      const char *asked)
{
	long n_reads;
	double spent_ms = cpu_ms(&n_reads) - before_ms;
	if (ms * 1e6 > 2 * (double)limits->deadline_ns)
		fprintf(stderr, "%.1f ms (%.1f of processors, %ld reads of a disk): %s: %.100s\n",
		        ms, spent_ms, n_reads - before_reads, name, asked);
}

static double run_query(struct bs_searcher *searcher, const struct bs_limits *limits,
                        uint64_t plain_hits, bool *is_wrong)
{
	enum query_kind kind = (enum query_kind)draw_kind(query_names, QUERY_KINDS);
	uint64_t n = 0;
	struct bs_error err = {""};
	struct bs_search_result result;
	struct bs_search_request request = {
		.callbacks.hit = take_hit, .callbacks.context = &n, .limits = limits};
	make_query(kind, &request);
	before_ms = cpu_ms(&before_reads);
	double start_ms = now_ms();
	enum bs_status status = bs_search(searcher, &request, &result, &err);
	double ms = now_ms() - start_ms;
	note(&query_sums[kind], status, result.is_partial, ms, err.text);
	tell_late(ms, limits, query_names[kind], text);
	request = (struct bs_search_request){.query.text = PLAIN,
	                                     .query.text_bytes = strlen(PLAIN),
	                                     .output.mode = BS_SEARCH_COUNT};
	*is_wrong = bs_search(searcher, &request, &result, &err) != BS_OK ||
	            result.n_hits != plain_hits;
	if (*is_wrong)
		fprintf(stderr, "after %s: %llu hits of %llu\n", query_names[kind],
		        (unsigned long long)result.n_hits, (unsigned long long)plain_hits);
	return ms;
}

static double run_grep(const char *index, const char *tree, const struct bs_consent *consent,
                       const struct bs_limits *limits)
{
	enum grep_kind kind = (enum grep_kind)draw_kind(grep_names, GREP_KINDS);
	uint64_t n = 0;
	struct bs_error err = {""};
	struct bs_grep_result result = {0};
	const char *path;
	struct bs_grep_request request = {.index.dir = index,
	                                  .host.consent = consent,
	                                  .callbacks.write = take_bytes,
	                                  .callbacks.context = &n,
	                                  .limits = limits};
	make_pattern(kind, tree, &path, &request);
	before_ms = cpu_ms(&before_reads);
	double start_ms = now_ms();
	enum bs_status status = bs_grep(&request, &result, &err);
	double ms = now_ms() - start_ms;
	note(&grep_sums[kind], status, result.is_partial, ms, err.text);
	tell_late(ms, limits, grep_names[kind], list[0]);
	return ms;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return fprintf(stderr, "Usage: bitsift-bench-limits INDEX TREE [N [DEADLINE_MS "
		                       "[SEED [KIND]]]]\n"),
		       2;
	size_t n = argc > 3 ? (size_t)atol(argv[3]) : 1000, n_late = 0, n_wrong = 0, n_failed = 0;
	double deadline_ms = argc > 4 ? atof(argv[4]) : 10;
	state = argc > 5 ? (uint64_t)atol(argv[5]) : 1;
	only = argc > 6 ? argv[6] : "";
	struct bs_consent consent = {.all = true};
	struct bs_limits limits = {.deadline_ns = (uint64_t)(deadline_ms * 1e6)};
	struct bs_open_request open = {.dir = argv[1], .host.consent = &consent};
	struct bs_search_request plain = {.query.text = PLAIN,
	                                  .query.text_bytes = strlen(PLAIN),
	                                  .output.mode = BS_SEARCH_COUNT};
	struct bs_search_result result;
	struct bs_index *index = NULL;
	struct bs_searcher *searcher = NULL;
	struct bs_error err = {"cannot prepare"};
	all_ms = calloc(n + 1, sizeof(*all_ms));
	if (!prepare(argv[2]) || bs_index_open_with(&open, &index, &err) ||
	    bs_searcher_new(index, &searcher, &err) || bs_search(searcher, &plain, &result, &err))
		return fprintf(stderr, "%s\n", err.text), 2;
	uint64_t plain_hits = result.n_hits;
	for (size_t i = 0; i < n; i++) {
		bool is_wrong = false;
		limits.partial = draw(4) == 0;
		bool is_query = has_kind(query_names, QUERY_KINDS) &&
		                (!has_kind(grep_names, GREP_KINDS) || draw(2));
		all_ms[i] = is_query ? run_query(searcher, &limits, plain_hits, &is_wrong)
		                     : run_grep(argv[1], argv[2], &consent, &limits);
		n_late += all_ms[i] > 2 * deadline_ms;
		n_wrong += is_wrong;
	}
	unlink(long_line);
	print("queries", query_names, query_sums, QUERY_KINDS);
	print("patterns", grep_names, grep_sums, GREP_KINDS);
	for (size_t i = 0; i < QUERY_KINDS; i++)
		n_failed += query_sums[i].n_failed;
	for (size_t i = 0; i < GREP_KINDS; i++)
		n_failed += grep_sums[i].n_failed;
	qsort(all_ms, n, sizeof(*all_ms), compare_ms);
	printf("\n%zu runs with a deadline of %g ms: median %.1f, 99%% %.1f, worst %.1f ms; %zu "
	       "late, %zu wrong, %zu failed\n",
	       n, deadline_ms, all_ms[n / 2], all_ms[n * 99 / 100], all_ms[n - 1], n_late, n_wrong,
	       n_failed);
	bs_searcher_free(searcher);
	bs_index_close(index);
	return n_late + n_wrong + n_failed > 0;
}
