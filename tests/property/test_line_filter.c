/*
 * test_line_filter.c: the line filter of grep and its linear engine must not change what is found.
 * Random texts are searched for random patterns with the filter (used from the first byte on),
 * without it, by RE2, and by PCRE2 line by line. The results are compared. Also compares the search
 * for class sequences with their definition.
 *
 * Arguments: [N_PATTERNS [SEED]].
 */
#include "core/bitsift/grep_request.h"
#include "core/simd/kernels.h"
#include "query/grep/match/automaton.h"
#include "query/grep/match/grep_matcher.h"
#include "query/grep/match/linear_matcher.h"
#include "query/grep/match/sequence_search.h"
#include "query/grep/match/span_filter.h"
#include "tests/rigs/core_rig.h"
#include "tests/rigs/dice.h"

#define TEXT_BYTES    ((size_t)20000)
#define PATTERN_BYTES 512u
#define N_TEXTS       3u

static const char *const atoms[] = {
	"a", "b", "foo", "k", "S", ".", "\\w", "\\d", "\\s", "\\S", "\\W", "\\D", "[ab]", "[^a]",
	"[a-f]", "[^\\w ]", "[k-s]", "(?:ab)", "(o)", "(?:a|bb|)", "(?:x|yy)", "\\.", " ",
	"(?i:fOO)", "(?i:k)", "\xc3\xa9",
	/* Letters beyond ASCII, classes, lookarounds, atomic groups. */
	"[\xc3\xa9x]", "\\pL", "\\p{Lu}", "[[:upper:]]", "[[:punct:]]", "_", "(?=a)", "(?<=b)",
	"(?!o)", "(?s:.)", "[0-9]", "\\x61", "(?:a+b)", "[^\\n]", "(?>a|ab)", "[a-z]*+", "(?>b*)",
	"o++", "(?:a*|b)", "(?:|a|ab)", "(?-u:\\xff)", "(?u:[a\xc3\xa9]+x)"};
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

/* Makes a text. Parts of it are ASCII only; some of its lines are long. */
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

/* Makes a pattern. with_line_feeds: it may contain line feeds, for -U. */
static void make_pattern(char *pattern, bool with_line_feeds)
{
	*pattern = '\0';
	for (uint32_t n = 1 + below(5); n > 0; n--) {
		if (with_line_feeds && below(3) == 0)
			strcat(pattern, below(3) ? "\\n" : "\\n*");
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

struct search {
	struct bs_grep_analysis analysis;
	struct bs_grep_matcher *matcher;
	struct bs_grep_scratch *scratch;
};

static void search_deinit(struct search *search)
{
	bs_grep_scratch_free(search->scratch);
	bs_grep_matcher_free(search->matcher);
	bs_grep_analysis_deinit(&search->analysis);
}

static enum bs_status search_init(struct search *search, const struct bs_grep_pattern *pattern)
{
	const struct bs_kernel *kernel;
	*search = (struct search){.matcher = NULL};
	ok(bs_kernel_choose(NULL, &kernel, ERR));
	enum bs_status status = bs_grep_analyse_rust(pattern, true, &search->analysis, ERR);
	if (!status)
		status = bs_grep_matcher_new(pattern, &search->analysis, kernel, &search->matcher,
		                             ERR);
	return status ? status : bs_grep_scratch_new(search->matcher, &search->scratch, ERR);
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
		append_bytes(found, &match, sizeof(match));
	}
	return status;
}

/* Appends the lines found and, with_matches, their matches. False: PCRE2 gave up on a line. */
static bool find_lines(const struct bs_grep_pattern *pattern, size_t which, bool with_matches,
                       struct bs_buffer *found, bool *has_filter_out)
{
	AUTO(search_deinit) struct search search;
	size_t from = 0, end = texts[which].n_bytes;
	struct bs_grep_span line;
	bool is_found = true;
	enum bs_status status = BS_OK;
	ok(search_init(&search, pattern));
	*has_filter_out = bs_grep_matcher_has_filter(search.matcher);
	bs_grep_scratch_reset(search.scratch);
	while (!status &&
	       !(status = bs_grep_next_line(search.scratch, texts[which].bytes, from, end, &line,
	                                    &is_found, ERR)) &&
	       is_found) {
		append_bytes(found, &line, sizeof(line));
		if (with_matches)
			status = find_matches(search.scratch, texts[which].bytes, line, found);
		from = line.end;
	}
	return !status;
}

static unsigned n_with_engine, n_found, n_compared;

/* Prints the entry of the longer list at the first difference of two lists. */
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
	print_escaped("line", texts[which].bytes + line.start, line.end - line.start);
}

static bool compiles(const struct bs_grep_pattern *pattern)
{
	AUTO(search_deinit) struct search search;
	return search_init(&search, pattern) == BS_OK;
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

/* Whether RE2 supports the pattern: whether the matcher can search "ab" for it. */
static bool has_linear(const struct bs_grep_pattern *pattern)
{
	struct bs_grep_analysis analysis = {0};
	struct bs_linear_matcher *matcher = NULL;
	size_t found[2];
	ok(bs_grep_analyse_rust(pattern, true, &analysis, ERR));
	ok(bs_linear_matcher_new(pattern, &analysis, true, &matcher, ERR));
	bool does = bs_linear_match(matcher, (const uint8_t *)"ab", 2, 0, true, false, found, 1) !=
	            BS_LINEAR_UNABLE;
	bs_linear_matcher_free(matcher);
	bs_grep_analysis_deinit(&analysis);
	return does;
}

/* Compares the lines that PCRE2 finds line by line with those found with the filter and without it
 * or, if is_linear, with those that RE2 finds. False: the pattern is invalid. */
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
	AUTO(bs_buffer_deinit) struct bs_buffer brute = {0}, plain = {0}, other = {0};
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
			make_pattern(pattern, false);
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
	bs_automaton_version(version);
	if (!*version)
		skip();
	compare_all(false);
}

/* Patterns for which a filter may easily find other lines than PCRE2. */
static void test_known(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool is_caseless, is_pcre2;
		size_t n_lines;
	} cases[] = {
		{"[^[:upper:]]Q[79]", "aQ7\na123\n", true, true, 1},
		{"[^[:upper:]][0-9]{3}", "aQ7\na123\n", true, true, 1},
		{"[^\\P{Lu}]Q[79]", "AQ7\na123\n", true, true, 1},
		{"(?:kQ|\\b)[^A-Z]", "KaK\nk\n", false, false, 1},
		{"(?:k|\\B\\B)a(?:Z|\\b)", "KaK\nka\n", false, false, 1},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *text = cases[i].pattern;
		size_t n_bytes = strlen(text);
		struct bs_grep_pattern pattern = {.patterns = &text,
		                                  .pattern_bytes = &n_bytes,
		                                  .n_patterns = 1,
		                                  .is_pcre2 = cases[i].is_pcre2};
		pattern.letter_case =
			cases[i].is_caseless ? BS_GREP_CASE_INSENSITIVE : BS_GREP_CASE_SENSITIVE;
		texts[0].n_bytes = strlen(cases[i].text);
		memcpy(texts[0].bytes, cases[i].text, texts[0].n_bytes);
		for (int way = 0; way < 3; way++) {
			AUTO(bs_buffer_deinit) struct bs_buffer found = {0};
			bool ignored;
			pattern.is_brute = way == 0;
			pattern.line_filter =
				way == 1 ? BS_GREP_ENGINE_NEVER : BS_GREP_ENGINE_ALWAYS;
			assert_true(find_lines(&pattern, 0, false, &found, &ignored));
			if (found.used_bytes != cases[i].n_lines * sizeof(struct bs_grep_span))
				fail_msg("%s, way %d: %zu lines", text, way,
				         found.used_bytes / sizeof(struct bs_grep_span));
		}
	}
}

static void test_linear(void **state)
{
	if (!bs_linear_is_available())
		skip();
	compare_all(true);
}

/* The text is short, because PCRE2 may take cubic time if it does not search line by line. */
#define SPAN_TEXT_BYTES ((size_t)1500)

/* Searches SPAN_TEXT_BYTES of text as with -U and appends all matches. *has_filter_out: whether the
 * search used a filter. False: PCRE2 gave up. */
static bool find_spans(const struct bs_grep_pattern *pattern, const uint8_t *text,
                       struct bs_buffer *found, bool *has_filter_out)
{
	AUTO(search_deinit) struct search search;
	struct bs_class_sequence sequence;
	ok(search_init(&search, pattern));
	struct bs_byte_superset_options options = {.is_caseless = search.analysis.is_caseless};
	bs_span_filter_init(&sequence, &search.analysis.regex, &options);
	*has_filter_out = sequence.n_runs > 0 && !bs_grep_matcher_traits(search.matcher)->by_line;
	struct bs_grep_span whole = {0, SPAN_TEXT_BYTES};
	return find_matches(search.scratch, text, whole, found) == BS_OK;
}

/* Compares the matches of -U with a filter and without one. False: the pattern is invalid. */
static bool compare_spans(const char *text)
{
	const char *patterns[] = {text};
	size_t n_bytes = strlen(text), which = below(N_TEXTS);
	const uint8_t *part = texts[which].bytes + below(TEXT_BYTES - 2 * SPAN_TEXT_BYTES);
	struct bs_grep_pattern pattern = {.patterns = patterns,
	                                  .pattern_bytes = &n_bytes,
	                                  .n_patterns = 1,
	                                  .letter_case = below(3) ? BS_GREP_CASE_SENSITIVE
	                                                          : BS_GREP_CASE_INSENSITIVE,
	                                  .is_word = below(8) == 0,
	                                  .is_multi_line = true,
	                                  .no_unicode = below(8) == 0,
	                                  .is_brute = true,
	                                  .linear_engine = BS_GREP_ENGINE_NEVER};
	AUTO(bs_buffer_deinit) struct bs_buffer brute = {0}, filtered = {0};
	bool has_filter;
	if (!compiles(&pattern))
		return false;
	bool is_whole = find_spans(&pattern, part, &brute, &has_filter);
	pattern.is_brute = false;
	is_whole &= find_spans(&pattern, part, &filtered, &has_filter);
	n_with_engine += has_filter;
	n_found += has_filter && filtered.used_bytes > 0;
	n_compared += is_whole;
	if (is_whole)
		check_same(&pattern, which, "with the filter for -U", &brute, &filtered);
	return true;
}

static void test_spans(void **state)
{
	char pattern[PATTERN_BYTES];
	n_with_engine = n_found = n_compared = 0;
	for (size_t i = 0; i < N_TEXTS; i++)
		make_text(i);
	for (uint64_t i = 0; i < rounds.n; i++) {
		do
			make_pattern(pattern, true);
		while (!compare_spans(pattern));
	}
	printf("%u patterns had a filter, with which %u found matches, %u were compared\n",
	       n_with_engine, n_found, n_compared);
	assert_reached(n_with_engine > rounds.n / 20 && n_found > rounds.n / 200 &&
	               n_compared > rounds.n / 10 * 9);
}

static bool is_sequence_at(const struct bs_class_sequence *sequence, const uint8_t *text,
                           size_t from, size_t at, size_t end)
{
	size_t after = at + sequence->n_bytes;
	if (after > end)
		return false;
	for (size_t i = 0; i < sequence->n_runs; i++)
		for (size_t k = 0; k < sequence->runs[i].n_bytes; k++)
			if (!sequence->classes[sequence->runs[i].class]
			             .has[text[at + sequence->runs[i].offset + k]])
				return false;
	return (!sequence->has_gap_before || at == from || sequence->gap.has[text[at - 1]]) &&
	       (!sequence->has_gap_after || after == end || sequence->gap.has[text[after]]);
}

/* Makes a sequence of runs, in random order, over the classes "ab", "b" and "c". */
static struct bs_class_sequence make_sequence(void)
{
	struct bs_class_sequence sequence = {.n_classes = 3, .n_runs = 1 + (uint32_t)below(4)};
	bool is_long = by_chance(10);
	sequence.n_runs = is_long ? 1 : sequence.n_runs;
	for (uint32_t i = 0; i < sequence.n_runs; i++) {
		uint32_t n = 1 + (uint32_t)below(is_long ? 300 : by_chance(20) ? 16 : 3);
		sequence.runs[i] = (struct bs_class_run){is_long ? 0 : (uint32_t)below(3),
		                                         sequence.n_bytes, n};
		sequence.n_bytes += n;
	}
	struct bs_class_run *first = &sequence.runs[0],
			    *other = &sequence.runs[below(sequence.n_runs)], held = *first;
	*first = *other;
	*other = held;
	sequence.classes[0].has['a'] = sequence.classes[0].has['b'] = 1;
	sequence.classes[1].has['b'] = sequence.classes[2].has['c'] = 1;
	sequence.gap.has['c'] = sequence.gap.has['\n'] = 1;
	for (size_t i = 0; i < 3; i++)
		bs_byte_class_finish(&sequence.classes[i]);
	bs_byte_class_finish(&sequence.gap);
	sequence.has_gap_before = !is_long && by_chance(30);
	sequence.has_gap_after = !is_long && by_chance(30);
	return sequence;
}

/* Checks which sequences are derived from patterns, for ASCII texts. */
static void test_chosen(void **state)
{
	static const struct {
		const char *pattern;
		uint32_t n_bytes, before_bytes;
		bool has_gap_before, has_gap_after, is_exact;
	} cases[] = {
		{"[A-Z]{3}_[0-9]{4}", 8, 0, false, false, false},
		{"\\b[A-Z]{3}_[0-9]{4}\\b", 8, 0, true, true, false},
		{"\\b-[0-9]{3}-\\b", 5, 0, false, false, false},
		{"\\b[0-9]{3}-\\b[0-9]{4}", 8, 0, true, false, false},
		{"(?:[0-9]{3})\\b|x", 0, 0, false, false, false},
		{"\\b[0-9]{3,}X", 4, BS_SEQUENCE_UNBOUNDED, false, false, false},
		{"[ab]{2,5}[0-9]{3}X", 6, 5, false, false, false},
		{"a?(b*)[0-9]{5}", 5, BS_SEQUENCE_UNBOUNDED, false, false, false},
		{"a?[0-9]{5}", 5, 1, false, false, false},
		{"[0-9]{100}", 100, 0, false, false, true},
		{"[0-9]{100}X", 100, 0, false, false, false},
		{"\\w{30,}", 30, 0, false, false, true},
		{"^\\w{30,}", 30, 0, false, false, false},
		{"\\w{30,}\\b", 30, BS_SEQUENCE_UNBOUNDED, false, true, false},
		{"(?:ee)+[0-9]{5}", 5, BS_SEQUENCE_UNBOUNDED, false, false, false},
		{"(?:X[0-9]Z){2}", 3, 0, false, false, false},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *text = cases[i].pattern;
		size_t n_bytes = strlen(text);
		struct bs_grep_pattern pattern = {
			.patterns = &text, .pattern_bytes = &n_bytes, .n_patterns = 1};
		struct bs_byte_superset_options options = {.is_ascii = true};
		struct bs_grep_analysis analysis = {0};
		struct bs_class_sequence sequence;
		double rate;
		bool is_exact;
		ok(bs_grep_analyse_rust(&pattern, true, &analysis, ERR));
		bs_regex_class_sequence(&analysis.regex, &options, false, &sequence, &rate,
		                        &is_exact);
		if (sequence.n_bytes != cases[i].n_bytes ||
		    sequence.before_bytes != cases[i].before_bytes ||
		    sequence.has_gap_before != cases[i].has_gap_before ||
		    sequence.has_gap_after != cases[i].has_gap_after ||
		    is_exact != cases[i].is_exact)
			fail_msg("%s: %u bytes, %u before, gaps %d %d, exact %d", text,
			         sequence.n_bytes, sequence.before_bytes, sequence.has_gap_before,
			         sequence.has_gap_after, is_exact);
		bs_grep_analysis_deinit(&analysis);
	}
}

/* A text that is searched for a sequence. All places of the sequence must be reported in order. */
struct expected {
	const struct bs_class_sequence *sequence;
	const uint8_t *text;
	size_t from, at, end;
	size_t n_left; /* places until the search is stopped */
};

/* Moves `at` to the next place of the sequence, by the definition of a sequence. */
static void move_to_place(struct expected *expected)
{
	while (expected->at < expected->end &&
	       !is_sequence_at(expected->sequence, expected->text, expected->from, expected->at,
	                       expected->end))
		expected->at++;
}

static size_t check_place(void *context, size_t place)
{
	struct expected *expected = context;
	move_to_place(expected);
	assert_int_equal(place, expected->at);
	while (expected->at < expected->end && expected->text[expected->at++] != '\n')
		continue;
	return --expected->n_left > 0 ? expected->at : SIZE_MAX;
}

static void test_sequences(void **state)
{
	static uint8_t text[6000];
	const struct bs_kernel *kernels[8];
	size_t n_kernels = bs_kernel_list(kernels, COUNT(kernels));
	for (uint64_t i = 0; i < 20000; i++) {
		struct bs_class_sequence sequence = make_sequence();
		size_t n = below(by_chance(10) ? sizeof(text) + 1 : 300), from = below(n + 1);
		const char *letters = by_chance(50) ? "aaaaaaabbbbbbbbbbbbb" : "abbbcccc\naaabbb";
		for (size_t k = 0; k < n; k++)
			text[k] = (uint8_t)(by_chance(1) ? '\n' : letters[below(strlen(letters))]);
		struct expected expected = {&sequence, text, from, from, n, 1 + below(20)};
		struct bs_place_taker to = {check_place, &expected};
		bs_class_sequence_find(&sequence, kernels[i % n_kernels], text, from, n, &to);
		if (expected.n_left > 0) {
			move_to_place(&expected);
			assert_int_equal(expected.at, n);
		}
	}
}

RUN_RANDOM_TESTS(100, 7, test_filter, test_linear, test_spans, test_known, test_chosen,
                 test_sequences)
