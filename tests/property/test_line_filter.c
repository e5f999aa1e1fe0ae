/*
 * test_line_filter.c: the line filter of grep and its linear engine must not change what is found.
 * Random patterns search random texts with the filter from the first byte on, without it, by RE2,
 * and by PCRE2 line by line. Also tests class runs against their definition.
 *
 * Arguments: [N_PATTERNS [SEED]].
 */
#include "core/bitsift/grep_request.h"
#include "core/simd/kernels.h"
#include "query/grep/match/automaton.h"
#include "query/grep/match/class_run.h"
#include "query/grep/match/grep_matcher.h"
#include "query/grep/match/linear_matcher.h"
#include "tests/rigs/core_rig.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/test.h"

#define TEXT_BYTES    ((size_t)20000)
#define PATTERN_BYTES 512u
#define N_TEXTS       3u

static const char *const atoms[] = {"a",        "b",           "foo",         "k",
                                    "S",        ".",           "\\w",         "\\d",
                                    "\\s",      "\\S",         "\\W",         "\\D",
                                    "[ab]",     "[^a]",        "[a-f]",       "[^\\w ]",
                                    "[k-s]",    "(?:ab)",      "(o)",         "(?:a|bb|)",
                                    "(?:x|yy)", "\\.",         " ",           "(?i:fOO)",
                                    "(?i:k)",   "\xc3\xa9",    "[\xc3\xa9x]", "\\pL",
                                    "\\p{Lu}",  "[[:upper:]]", "[[:punct:]]", "_",
                                    "(?=a)",    "(?<=b)",      "(?!o)",       "(?s:.)",
                                    "[0-9]",    "\\x61",       "(?:a+b)",     "[^\\n]",
                                    "(?>a|ab)", "[a-z]*+",     "(?>b*)",      "o++",
                                    "(?:a*|b)", "(?:|a|ab)",   "(?-u:\\xff)", "(?u:[a\xc3\xa9]+x)"};
static const char *const quantifiers[] = {"",      "",      "",      "",       "+",      "*",
                                          "?",     "{2}",   "{0,1}", "+?",     "*?",     "{3,}",
                                          "{1,4}", "{12,}", "{20}",  "{0,30}", "{2,40}", "{301}"};
static const char *const places[] = {"^", "$", "\\b", "\\B", "\\A", "\\z"};
static const char *const pieces[] = {
	"a",        "b",        "foo",  "Foo",  "k",  "K",  "s",        "S",
	"x",        "yy",       "ab",   " ",    " ",  "_",  ".",        "1",
	"42",       "A",        "o",    "bar",  "\t", "\r", "\xc3\xa9", "\xe2\x84\xaa",
	"\xc5\xbf", "\xce\xa3", "\xff", "\xe6", "-",  "zz", "aaaa",     "\xe6\x97\xa5"};

static struct {
	uint8_t bytes[TEXT_BYTES];
	size_t n_bytes;
} texts[N_TEXTS];

/* Makes a text. In some stretches, lines are of ASCII; some lines are long. */
static void make_text(size_t which)
{
	size_t n = 0;
	bool is_ascii = true;
	while (n + 8 < TEXT_BYTES) {
		if (below(200) == 0)
			is_ascii = !is_ascii;
		const char *piece = pieces[below(COUNT(pieces))];
		if (below(12) == 0)
			piece = "\n";
		else if (is_ascii && (uint8_t)*piece >= 0x80)
			piece = "e";
		size_t n_copies = below(60) == 0 ? 30 : 1;
		for (size_t i = 0; i < n_copies && n + 8 < TEXT_BYTES; i++) {
			memcpy(texts[which].bytes + n, piece, strlen(piece));
			n += strlen(piece);
		}
	}
	texts[which].bytes[n++] = '\n';
	texts[which].n_bytes = n;
}

static void make_pattern(char *pattern)
{
	*pattern = '\0';
	for (uint32_t n = 1 + below(5); n > 0; n--) {
		if (below(6) == 0)
			strcat(pattern, places[below(COUNT(places))]);
		strcat(pattern, atoms[below(COUNT(atoms))]);
		strcat(pattern, quantifiers[below(COUNT(quantifiers))]);
		if (below(8) == 0 && n > 1)
			strcat(pattern, "|");
	}
	if (below(8) == 0)
		strcat(pattern, places[below(COUNT(places))]);
}

/* Appends the matches in a line. */
static enum bs_status find_matches(struct bs_grep_scratch *scratch, const uint8_t *text,
                                   struct bs_grep_span line, struct bs_buffer *found)
{
	size_t n = line.end - line.start, from = 0;
	const uint8_t *bytes = text + line.start;
	struct bs_grep_span match;
	bool is_found = true;
	enum bs_status status = BS_OK;
	n -= n > 0 && bytes[n - 1] == '\n';
	while (from <= n && !status && is_found) {
		status = bs_grep_next_match(scratch, bytes, from, n, false, &match, &is_found, ERR);
		if (status || !is_found)
			break;
		from = match.end > from ? match.end : from + 1;
		while (match.end == match.start && from < n && (bytes[from] & 0xc0) == 0x80)
			from++;
		match = (struct bs_grep_span){line.start + match.start, line.start + match.end};
		assert_int_equal(bs_buffer_append(found, &match, sizeof(match), ERR), BS_OK);
	}
	return status;
}

/* Appends the lines found and, with_matches, their matches. False: PCRE2 gave up on a line. */
static bool find_lines(const struct bs_grep_pattern *pattern, size_t which, bool with_matches,
                       struct bs_buffer *found, bool *has_filter_out)
{
	struct bs_grep_analysis analysis = {0};
	struct bs_grep_matcher *matcher = NULL;
	struct bs_grep_scratch *scratch = NULL;
	const struct bs_kernel *kernel;
	size_t from = 0, end = texts[which].n_bytes;
	struct bs_grep_span line;
	bool is_found = true;
	assert_int_equal(bs_kernel_choose(NULL, &kernel, ERR), BS_OK);
	assert_int_equal(bs_grep_analyse_rust(pattern, true, &analysis, ERR), BS_OK);
	assert_int_equal(bs_grep_matcher_new(pattern, &analysis, kernel, &matcher, ERR), BS_OK);
	assert_int_equal(bs_grep_scratch_new(matcher, &scratch, ERR), BS_OK);
	*has_filter_out = bs_grep_matcher_has_filter(matcher);
	enum bs_status status = BS_OK;
	bs_grep_scratch_reset(scratch);
	while (!status &&
	       !(status = bs_grep_next_line(scratch, texts[which].bytes, from, end, &line,
	                                    &is_found, ERR)) &&
	       is_found) {
		assert_int_equal(bs_buffer_append(found, &line, sizeof(line), ERR), BS_OK);
		if (with_matches)
			status = find_matches(scratch, texts[which].bytes, line, found);
		from = line.end;
	}
	bs_grep_scratch_free(scratch);
	bs_grep_matcher_free(matcher);
	bs_grep_analysis_deinit(&analysis);
	return !status;
}

static unsigned n_with_engine, n_found, n_compared;

/* Prints the first line that only one of two lists has. */
static void print_difference(size_t which, const struct bs_buffer *a, const struct bs_buffer *b)
{
	size_t n = 0;
	while (n < a->used_bytes && n < b->used_bytes && a->data[n] == b->data[n])
		n++;
	const struct bs_buffer *longer = a->used_bytes > b->used_bytes ? a : b;
	struct bs_grep_span line;
	n -= n % sizeof(line);
	if (n + sizeof(line) > longer->used_bytes)
		return;
	memcpy(&line, longer->data + n, sizeof(line));
	fprintf(stderr, "line at %zu: ", line.start);
	for (size_t i = line.start; i < line.end; i++)
		fprintf(stderr, "\\x%02x", texts[which].bytes[i]);
	fprintf(stderr, "\n");
}

static bool compiles(const struct bs_grep_pattern *pattern)
{
	struct bs_grep_analysis analysis = {0};
	struct bs_grep_matcher *matcher = NULL;
	const struct bs_kernel *kernel;
	assert_int_equal(bs_kernel_choose(NULL, &kernel, ERR), BS_OK);
	bool does = bs_grep_analyse_rust(pattern, true, &analysis, ERR) == BS_OK &&
	            bs_grep_matcher_new(pattern, &analysis, kernel, &matcher, ERR) == BS_OK;
	bs_grep_matcher_free(matcher);
	bs_grep_analysis_deinit(&analysis);
	return does;
}

/* Fails if two lists of lines, or of lines and matches, differ. */
static void check_same(const struct bs_grep_pattern *pattern, size_t which, const char *way,
                       const struct bs_buffer *expected, const struct bs_buffer *found)
{
	if (expected->used_bytes == found->used_bytes &&
	    (expected->used_bytes == 0 ||
	     memcmp(expected->data, found->data, found->used_bytes) == 0))
		return;
	print_difference(which, expected, found);
	fail_msg("%s%s%s%s%s%s%s: %zu lines or matches by PCRE2, %zu %s",
	         pattern->letter_case == BS_GREP_CASE_INSENSITIVE ? "-i " : "",
	         pattern->is_word ? "-w " : "", pattern->is_line ? "-x " : "",
	         pattern->crlf ? "--crlf " : "", pattern->no_unicode ? "--no-unicode " : "",
	         pattern->is_pcre2 ? "-P " : "", *pattern->patterns,
	         expected->used_bytes / sizeof(struct bs_grep_span),
	         found->used_bytes / sizeof(struct bs_grep_span), way);
}

/* The matcher's answer to "ab", to know whether RE2 takes the pattern. */
static bool has_linear(const struct bs_grep_pattern *pattern)
{
	struct bs_grep_analysis analysis = {0};
	struct bs_linear_matcher *matcher = NULL;
	size_t found[2];
	assert_int_equal(bs_grep_analyse_rust(pattern, true, &analysis, ERR), BS_OK);
	assert_int_equal(bs_linear_matcher_new(pattern, &analysis, true, &matcher, ERR), BS_OK);
	bool does = bs_linear_match(matcher, (const uint8_t *)"ab", 2, 0, true, false, found, 1) !=
	            BS_LINEAR_UNABLE;
	bs_linear_matcher_free(matcher);
	bs_grep_analysis_deinit(&analysis);
	return does;
}

/* Compares what PCRE2 finds line by line with what is found with the filter and without it, or with
 * what RE2 finds. False: the pattern is invalid. */
static bool compare(const char *text, bool is_linear)
{
	const char *patterns[] = {text};
	size_t n_bytes = strlen(text), which = below(N_TEXTS), bounds = below(8);
	struct bs_grep_pattern pattern = {
		.patterns = patterns,
		.pattern_bytes = &n_bytes,
		.n_patterns = 1,
		.letter_case = below(3) ? BS_GREP_CASE_SENSITIVE : BS_GREP_CASE_INSENSITIVE,
		.is_word = bounds == 0,
		.is_line = bounds == 1,
		.crlf = below(8) == 0,
		.no_unicode = below(8) == 0,
		.is_pcre2 = below(4) == 0,
		.is_brute = true,
		.line_filter = BS_GREP_ENGINE_NEVER,
		.linear_engine = is_linear ? BS_GREP_ENGINE_AUTO : BS_GREP_ENGINE_NEVER};
	struct bs_buffer brute = {0}, plain = {0}, other = {0};
	bool has_filter = false, ignored;
	if (!compiles(&pattern))
		return false;
	bool is_whole = find_lines(&pattern, which, is_linear, &brute, &ignored);
	pattern.is_brute = false;
	if (is_linear) {
		pattern.linear_engine = BS_GREP_ENGINE_ALWAYS;
		n_with_engine += has_linear(&pattern);
	} else {
		is_whole &= find_lines(&pattern, which, false, &plain, &has_filter);
		assert_false(has_filter);
		pattern.line_filter = BS_GREP_ENGINE_ALWAYS;
	}
	is_whole &= find_lines(&pattern, which, is_linear, &other, &has_filter);
	n_with_engine += has_filter;
	n_found += other.used_bytes > 0;
	n_compared += is_whole;
	if (is_whole && !is_linear)
		check_same(&pattern, which, "without a filter", &brute, &plain);
	if (is_whole)
		check_same(&pattern, which, is_linear ? "by RE2" : "with the filter", &brute,
		           &other);
	bs_buffer_deinit(&plain);
	bs_buffer_deinit(&other);
	bs_buffer_deinit(&brute);
	return true;
}

static void compare_all(bool is_linear)
{
	char pattern[PATTERN_BYTES];
	n_with_engine = n_found = n_compared = 0;
	for (size_t i = 0; i < N_TEXTS; i++)
		make_text(i);
	for (uint64_t i = 0; i < rounds.n; i++) {
		do
			make_pattern(pattern);
		while (!compare(pattern, is_linear));
	}
	printf("%u patterns had %s, %u found lines, %u were compared\n", n_with_engine,
	       is_linear ? "RE2" : "a filter", n_found, n_compared);
	assert_reached(n_with_engine > rounds.n / 4 && n_found > rounds.n / 4 &&
	               n_compared > rounds.n / 10 * 9);
}

static void test_filter(void **state)
{
	char version[64];
	(void)state;
	bs_automaton_version(version);
	if (!*version)
		skip();
	compare_all(false);
}

static void test_linear(void **state)
{
	(void)state;
	if (!bs_linear_is_available())
		skip();
	compare_all(true);
}

static size_t run_naively(const struct bs_class_run *run, const uint8_t *text, size_t from,
                          size_t end)
{
	for (size_t n = 0; from + n < end;) {
		if (!run->has[text[from + n]]) {
			from += n + 1;
			n = 0;
		} else if (++n == run->least) {
			return from;
		}
	}
	return end;
}

static void test_class_runs(void **state)
{
	uint8_t text[200];
	(void)state;
	for (uint64_t i = 0; i < 20000; i++) {
		struct bs_class_run run = {.least = 1 + below(20)};
		size_t n = below(sizeof(text) + 1), from = below(n + 1);
		run.has['a'] = run.has['b'] = true;
		for (size_t k = 0; k < n; k++)
			text[k] = (uint8_t) "abab\n"[below(by_chance(50) ? 4 : 5)];
		assert_int_equal(bs_class_run_find(&run, text, from, n),
		                 run_naively(&run, text, from, n));
	}
}

RUN_RANDOM_TESTS(200, 7, cmocka_unit_test(test_filter), cmocka_unit_test(test_linear),
                 cmocka_unit_test(test_class_runs))
