/*
 * grep_matcher.c: see grep_matcher.h.
 *
 * The next matching line is found in the first of these ways that applies:
 *
 *     brute      match each line with the code for any text
 *     plain      search for the literal that is the whole of every match (find_needle)
 *     literal    search for a literal that every match contains; match the line around it
 *     window     like literal, for a few bytes known by their classes (find_window)
 *     list       like literal, for the literals that the patterns of a long list need
 *     exact      match many lines at once: ASCII stretches with the code for ASCII, others with the
 *                code for any text
 *     line       match each line with the code for its content
 *
 * A literal of one or two bytes that is not the whole match comes after list, and only if exact is
 * impossible. If there is no good literal or window, a line filter (line_filter.h) may replace the
 * way: it finds the lines that may match. By default, an automaton for it is built only after much
 * text was searched.
 */
#include "query/grep/match/grep_matcher.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/utf8.h>

#include "core/base/bytes.h"
#include "core/base/utf8.h"
#include "core/bitsift/grep_request.h"
#include "core/bitsift/status.h"
#include "core/system/deadline.h"
#include "query/grep/match/automaton.h"
#include "query/grep/match/grep_list.h"
#include "query/grep/match/line_filter.h"
#include "query/grep/match/linear_matcher.h"
#include "query/grep/match/span_filter.h"
#include "query/regex/prefilter/regex_grams.h"

/* rg's sizes: enough for any real pattern, and little enough for many threads. */
#define JIT_STACK_START_BYTES ((size_t)32 << 10)
#define JIT_STACK_MOST_BYTES  ((size_t)10 << 20)
/* A shorter literal occurs in many lines; matching these one by one would cost more than it
 * saves. */
#define LITERAL_MIN_BYTES 3
/* A window is not used if it is expected at more than this share of the text's positions: then too
 * many lines are candidates, and another way (enum way) is faster. */
#define WINDOW_MOST_RATE 0.03
/*
 * A candidate line that is matched alone and does not match costs as much time as
 * LINE_IN_VAIN_BYTES in a search of many lines at once. These bytes are summed up as a debt. If the
 * debt exceeds MOST_DEBT_BYTES, the next DENSE_BYTES are matched many lines at once.
 */
#define LINE_IN_VAIN_BYTES ((int64_t)96)
#define MOST_DEBT_BYTES    (64 * LINE_IN_VAIN_BYTES)
#define DENSE_BYTES        ((size_t)16384)
/* A line filter that looks for more bytes than the window replaces it if the window is expected at
 * more than this share of the text's positions. */
#define WINDOW_GOOD_RATE (1.0 / 1000)
/* A line filter also replaces a window if, because of debts, more than 1/DENSE_SHARE of the
 * searched text was matched many lines at once (DENSE_BYTES for each debt). */
#define DENSE_SHARE 8u
/* Searched bytes are added to the matcher's sum in steps of at least this many. */
#define FILTER_STEP_BYTES ((size_t)1 << 16)
/* After a dense piece (line_filter.h), or after the filter selected too many lines that do not
 * match, this many bytes are searched without it. */
#define UNFILTERED_BYTES ((size_t)1 << 18)

/* PCRE2's match limit if RE2 can match the lines that PCRE2 gives up. JIT code counts the steps of
 * each start of a match. */
#define FEW_STEPS 100000u

enum way {
	WAY_NOTHING, /* there is no pattern */
	WAY_BRUTE,
	WAY_PLAIN,
	WAY_LITERAL,
	WAY_WINDOW,
	WAY_LIST,
	WAY_EXACT,
	WAY_LINE,
};

enum filter_state {
	FILTER_NONE,     /* not built yet */
	FILTER_BUILDING, /* a thread builds it */
	FILTER_READY,
	FILTER_IMPOSSIBLE, /* the pattern has no filter, or Hyperscan is missing */
};

struct bs_grep_matcher {
	const struct bs_grep_pattern *pattern;   /* borrowed */
	const struct bs_grep_analysis *analysis; /* borrowed */
	const struct bs_kernel *kernel;
	struct bs_needle needle;
	struct bs_byte_window window;
	double window_rate;
	/* if matches may span lines: a sequence that each of them contains; n_runs is 0: none */
	struct bs_class_sequence span;
	struct bs_grep_traits traits;
	bool is_exact;
	uint8_t line_end;
	bool crlf;
	enum way way;
	enum bs_grep_engine_use filter_use;
	bool has_word_rule; /* -w: a line that the filter is sure of can fail to match */
	struct bs_byte_superset_options filter_options;
	struct bs_grep_list *list; /* NULL: none, and the codes below are used */
	/* for any text; with needs_bytes, the patterns are written by bs_grep_write_bytes */
	struct bs_grep_code any;
	/* the patterns unchanged, for ASCII text; no code if it cannot be used */
	struct bs_grep_code ascii;
	/* for text in which `any` may find something else than ripgrep (misleads(),
	 * bs_grep_is_by_bytes()); compiled when first needed */
	struct bs_grep_code bytes;
	atomic_bool is_bytes_tried;
	bool can_be_empty; /* a match may be empty */
	/* the patterns rewritten to match many lines at once; no code unless is_exact */
	struct bs_grep_code many;
	struct bs_grep_code many_ascii;
	struct bs_linear_matcher *linear;  /* NULL: RE2 is not used */
	pthread_mutex_t mutex;             /* held while a code is compiled, also by JIT */
	_Atomic int filter_state;          /* enum filter_state */
	struct bs_line_filter *filter;     /* not NULL if filter_state is FILTER_READY */
	_Atomic uint64_t unfiltered_bytes; /* bytes searched without the filter */
	_Atomic uint32_t n_debts;          /* how often MOST_DEBT_BYTES was exceeded */
};

enum content {
	CONTENT_ASCII,
	CONTENT_UTF8,
	CONTENT_INVALID,
};

struct bs_grep_scratch {
	struct bs_grep_matcher *matcher;
	struct bs_grep_list_scratch *seeker; /* NULL: there is no list */
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	/* text[opaque_from..opaque_at) is ASCII. text[opaque_at] is not, unless opaque_at is
	 * opaque_end. */
	size_t opaque_from, opaque_at, opaque_end;
	/* seen_content: the content of the text from seen_from to seen_end */
	const uint8_t *seen_from, *seen_end;
	enum content seen_content;
	/* longest_bytes: the length of the longest line in [lines_from, lines_end), to estimate the
	 * time of an attempt at a match. */
	const uint8_t *lines_from, *lines_end;
	size_t longest_bytes;
	/* cost of candidate lines that did not match, see LINE_IN_VAIN_BYTES */
	int64_t debt_bytes;
	struct bs_line_filter_scratch *filter; /* NULL: not used yet */
	/* bytes searched without the filter that are not in the matcher's sum yet */
	size_t unfiltered_bytes;
	uint32_t most_steps; /* PCRE2's match limit */
	/* Cache of next_long_line: long_at is its result for a text that ends at long_end and for
	 * any start in long_from..long_at. */
	size_t long_from, long_at, long_end;
	/* has_line_end: whether the text from ends_from to ends_end has a line end; ends_end is
	 * NULL: unknown */
	const uint8_t *ends_from, *ends_end;
	bool has_line_end;
	/* how many of the next bytes are searched without the filter, see UNFILTERED_BYTES */
	size_t pause_bytes;
};

static enum bs_status compile_bytes(const struct bs_grep_pattern *pattern,
                                    const struct bs_grep_analysis *analysis,
                                    struct bs_grep_code *code_out, struct bs_error *err)
{
	struct bs_buffer text = {0};
	enum bs_status status = BS_OK;
	/* The shorter form, with calls, is tried if the pattern exceeds a limit of PCRE2: of its
	 * size, or for lookbehinds. */
	for (int calls = 0; calls < 2 && !code_out->code; calls++) {
		bs_buffer_clear(&text);
		status = bs_grep_write_bytes(pattern, analysis, calls, &text, err);
		if (!status)
			status = bs_grep_code_compile(pattern, analysis, &text, BS_GREP_CODE_BYTES,
			                              code_out, NULL, err);
		if (status && status != BS_INVALID)
			break;
	}
	bs_buffer_deinit(&text);
	return status;
}

static enum bs_status compile_all(const struct bs_grep_pattern *pattern,
                                  struct bs_grep_matcher *matcher, struct bs_error *err)
{
	const struct bs_grep_analysis *analysis = matcher->analysis;
	bool is_literal = bs_grep_list_is_literal(pattern, analysis, matcher->traits.by_line),
	     is_too_large = false;
	bool is_list = is_literal || (bs_grep_list_is_long(analysis) && !pattern->is_brute);
	enum bs_status status = BS_OK;
	if (analysis->needs_bytes) {
		status = compile_bytes(pattern, analysis, &matcher->any, err);
		if (!status && analysis->is_ascii && !pattern->is_brute)
			(void)!bs_grep_code_compile(pattern, analysis, &analysis->alone,
			                            BS_GREP_CODE_ASCII, &matcher->ascii, NULL,
			                            NULL);
		return status;
	}
	/* A list of patterns without -F is also compiled as one pattern, to know whether PCRE2
	 * rejects it. */
	if (!is_list || !pattern->is_fixed)
		status = bs_grep_code_compile(pattern, analysis, &analysis->alone,
		                              BS_GREP_CODE_CHARACTERS, &matcher->any, &is_too_large,
		                              err);
	is_list |= is_too_large && analysis->list.n_parts > 1;
	if (is_list && (!status || is_too_large)) {
		matcher->is_exact = is_literal;
		return bs_grep_list_new(pattern, analysis, is_literal, &matcher->list, err);
	}
	if (status || pattern->is_brute)
		return status;
	/* If this code does not compile (\x{100} without UTF), the other codes are used. */
	if (analysis->is_ascii)
		(void)!bs_grep_code_compile(pattern, analysis, &analysis->alone, BS_GREP_CODE_ASCII,
		                            &matcher->ascii, NULL, NULL);
	if (!analysis->is_exact)
		return BS_OK;
	(void)!bs_grep_code_compile(pattern, analysis, &analysis->many, BS_GREP_CODE_CHARACTERS,
	                            &matcher->many, NULL, NULL);
	if (matcher->many.code && analysis->is_ascii)
		(void)!bs_grep_code_compile(pattern, analysis, &analysis->many, BS_GREP_CODE_ASCII,
		                            &matcher->many_ascii, NULL, NULL);
	matcher->is_exact = matcher->many.code != NULL;
	return BS_OK;
}

/*
 * True for patterns without assertions, which match the empty string everywhere or nowhere. Other
 * patterns: true if they match the empty string between two invalid bytes; rg, which matches by
 * bytes, then also finds the empty string within a character.
 */
static bool is_bare(const struct bs_grep_pattern *pattern, const struct bs_grep_matcher *matcher)
{
	static const uint8_t no_characters[] = {0xff, 0xff};
	if (!matcher->analysis->has_assertion || pattern->n_patterns == 0)
		return true;
	if (matcher->list)
		return bs_grep_list_is_bare(matcher->list);
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	bool found = data && pcre2_match(matcher->any.code, no_characters, 2, 1, PCRE2_ANCHORED,
	                                 data, NULL) >= 0;
	pcre2_match_data_free(data);
	return found;
}

static bool can_be_empty(const struct bs_grep_matcher *matcher)
{
	uint32_t least = 1;
	if (matcher->any.code)
		(void)pcre2_pattern_info(matcher->any.code, PCRE2_INFO_MINLENGTH, &least);
	return least == 0;
}

/* True if the literal is so good that no other way is considered. */
static bool has_good_literal(const struct bs_grep_matcher *matcher)
{
	size_t n = matcher->analysis->literal.used_bytes;
	return n >= LITERAL_MIN_BYTES || (n > 0 && matcher->analysis->literal_is_match);
}

static enum way choose_way(const struct bs_grep_pattern *pattern,
                           const struct bs_grep_matcher *matcher)
{
	if (pattern->n_patterns == 0)
		return WAY_NOTHING;
	if (pattern->is_brute)
		return WAY_BRUTE;
	if (has_good_literal(matcher))
		return matcher->analysis->literal_is_match && !matcher->analysis->is_caseless
		               ? WAY_PLAIN
		               : WAY_LITERAL;
	if (matcher->window.n_bytes && matcher->window_rate <= WINDOW_MOST_RATE)
		return WAY_WINDOW;
	if (matcher->list && !matcher->is_exact && bs_grep_list_has_places(matcher->list))
		return WAY_LIST;
	if (matcher->analysis->literal.used_bytes > 0 && !matcher->is_exact)
		return WAY_LITERAL;
	return matcher->is_exact ? WAY_EXACT : WAY_LINE;
}

/* True if a filter could find the lines that may match. */
static bool takes_filter(const struct bs_grep_matcher *matcher)
{
	/* With -P --crlf a match may contain a line feed (without_end). */
	bool may_have_end = matcher->crlf && matcher->traits.looks_back;
	return !matcher->list && matcher->traits.by_line && !may_have_end &&
	       matcher->line_end == '\n' && matcher->analysis->is_legible &&
	       matcher->filter_use != BS_GREP_ENGINE_NEVER;
}

/* Chooses a window, unless there is a good literal, or the window is not rare and a filter would
 * look for a longer sequence of byte classes. */
static enum bs_status choose_window(const struct bs_grep_pattern *pattern,
                                    struct bs_grep_matcher *matcher, struct bs_error *err)
{
	struct bs_regex_window_options options = {.is_caseless = matcher->analysis->is_caseless,
	                                          .keeps_line_end = pattern->crlf &&
	                                                            matcher->traits.looks_back,
	                                          .line_end = bs_grep_end_byte(pattern)};
	bool is_wanted = matcher->traits.by_line && !has_good_literal(matcher) &&
	                 matcher->analysis->is_legible;
	if (!is_wanted || pattern->is_brute || pattern->n_patterns == 0)
		return BS_OK;
	enum bs_status status = bs_regex_window(&matcher->analysis->regex, &options,
	                                        &matcher->window, &matcher->window_rate, err);
	if (matcher->window_rate > WINDOW_GOOD_RATE && takes_filter(matcher) &&
	    bs_line_filter_sequence_bytes(&matcher->analysis->regex, &matcher->filter_options) >
	            matcher->window.n_bytes)
		matcher->window.n_bytes = 0;
	return status;
}

/* True if the window, in a large part of the text, found too many lines that do not match. */
static bool has_bad_window(const struct bs_grep_matcher *matcher)
{
	uint64_t n_bytes = atomic_load_explicit(&matcher->unfiltered_bytes, memory_order_relaxed);
	uint64_t n_debts = atomic_load_explicit(&matcher->n_debts, memory_order_relaxed);
	return n_debts * DENSE_BYTES > n_bytes / DENSE_SHARE;
}

/* True if a line filter may replace the way. It replaces the ways in which PCRE2 looks at each
 * byte, literals that are too short, and windows that find too many lines that do not match. Other
 * windows are as fast and need no library, so a filter replaces them only with
 * BS_GREP_ENGINE_ALWAYS. */
static bool may_have_filter(const struct bs_grep_matcher *matcher)
{
	bool is_asked = matcher->filter_use == BS_GREP_ENGINE_ALWAYS;
	bool is_way = matcher->way == WAY_EXACT || matcher->way == WAY_LINE ||
	              (matcher->way == WAY_WINDOW && (is_asked || has_bad_window(matcher))) ||
	              (matcher->way == WAY_LITERAL && !has_good_literal(matcher));
	return is_way && takes_filter(matcher);
}

/* True if a span filter may be used. Not with -P: a match may depend on where the search began
 * (\G). */
static bool may_have_span_filter(const struct bs_grep_matcher *matcher)
{
	const struct bs_grep_analysis *analysis = matcher->analysis;
	return !matcher->traits.by_line && !matcher->pattern->is_pcre2 && !matcher->crlf &&
	       !matcher->list && matcher->line_end == '\n' && analysis->is_legible &&
	       !analysis->needs_bytes && !analysis->is_by_bytes &&
	       matcher->filter_use != BS_GREP_ENGINE_NEVER && matcher->pattern->n_patterns > 0;
}

/* Makes the filter at once if it needs no automaton, or with BS_GREP_ENGINE_ALWAYS. Otherwise
 * count_unfiltered() builds it after much text was searched. */
static enum bs_status make_quick_filter(struct bs_grep_matcher *matcher, struct bs_error *err)
{
	if (!may_have_filter(matcher))
		return BS_OK;
	enum bs_status status = bs_line_filter_new(
		&matcher->analysis->regex, &matcher->filter_options, matcher->kernel,
		matcher->filter_use == BS_GREP_ENGINE_ALWAYS, &matcher->filter, err);
	if (matcher->filter)
		matcher->filter_state = FILTER_READY;
	return status;
}

enum bs_status bs_grep_matcher_new(const struct bs_grep_pattern *pattern,
                                   const struct bs_grep_analysis *analysis,
                                   const struct bs_kernel *kernel,
                                   struct bs_grep_matcher **matcher_out, struct bs_error *err)
{
	*matcher_out = NULL;
	struct bs_grep_matcher *matcher = calloc(1, sizeof(*matcher));
	if (!matcher)
		return bs_fail_memory(err, "a pattern", sizeof(*matcher));
	pthread_mutex_init(&matcher->mutex, NULL);
	matcher->kernel = kernel;
	matcher->line_end = bs_grep_end_byte(pattern);
	matcher->filter_use = pattern->is_brute ? BS_GREP_ENGINE_NEVER : pattern->line_filter;
	matcher->has_word_rule = pattern->is_word;
	matcher->filter_options =
		(struct bs_byte_superset_options){.is_caseless = analysis->is_caseless,
	                                          .is_line = pattern->is_line,
	                                          .is_pcre2 = pattern->is_pcre2,
	                                          .is_crlf = pattern->crlf};
	matcher->crlf = pattern->crlf;
	matcher->analysis = analysis;
	matcher->pattern = pattern;
	/* rg's own engine detects that a pattern cannot match a line feed and then searches by
	 * lines; rg -P does not. */
	matcher->traits.by_line = !pattern->is_multi_line ||
	                          (!pattern->is_pcre2 && !matcher->analysis->can_span_lines);
	matcher->traits.looks_back = pattern->is_pcre2 || !matcher->traits.by_line;
	enum bs_status status = compile_all(pattern, matcher, err);
	if (!status && !matcher->list)
		status = bs_linear_matcher_new(pattern, analysis, matcher->traits.by_line,
		                               &matcher->linear, err);
	if (!status)
		status = choose_window(pattern, matcher, err);
	if (status) {
		bs_grep_matcher_free(matcher);
		return status;
	}
	if (analysis->literal.used_bytes)
		bs_needle_init(&matcher->needle, analysis->literal.data,
		               analysis->literal.used_bytes);
	matcher->traits.is_bare = is_bare(pattern, matcher);
	matcher->can_be_empty = can_be_empty(matcher);
	matcher->way = choose_way(pattern, matcher);
	if (may_have_span_filter(matcher))
		bs_span_filter_init(&matcher->span, &analysis->regex, &matcher->filter_options);
	status = make_quick_filter(matcher, err);
	if (status)
		bs_grep_matcher_free(matcher);
	else
		*matcher_out = matcher;
	return status;
}

void bs_grep_matcher_free(struct bs_grep_matcher *matcher)
{
	if (!matcher)
		return;
	bs_line_filter_free(matcher->filter);
	bs_linear_matcher_free(matcher->linear);
	bs_grep_list_free(matcher->list);
	pcre2_code_free(matcher->any.code);
	pcre2_code_free(matcher->ascii.code);
	pcre2_code_free(matcher->bytes.code);
	pcre2_code_free(matcher->many.code);
	pcre2_code_free(matcher->many_ascii.code);
	pthread_mutex_destroy(&matcher->mutex);
	free(matcher);
}

const struct bs_grep_traits *bs_grep_matcher_traits(const struct bs_grep_matcher *matcher)
{
	return &matcher->traits;
}

void bs_grep_matcher_explain_filter(const struct bs_grep_matcher *matcher, char out[128])
{
	char version[64];
	*out = '\0';
	if (matcher->span.n_runs)
		snprintf(out, 128, "; text without its rare characters is passed over");
	if (!may_have_filter(matcher))
		return;
	bs_automaton_version(version);
	if (bs_grep_matcher_has_filter(matcher))
		snprintf(out, 128, "; lines that may match are found first");
	else if (*version)
		snprintf(out, 128, "; after 1 MiB, %s finds the lines that may match first",
		         version);
	else if (BS_AUTOMATON_IS_BUILT)
		snprintf(out, 128, "; faster if libhyperscan5 is installed");
}

bool bs_grep_matcher_has_filter(const struct bs_grep_matcher *matcher)
{
	return atomic_load_explicit(&matcher->filter_state, memory_order_acquire) == FILTER_READY;
}

const char *bs_grep_matcher_plan(const struct bs_grep_matcher *matcher)
{
	static const char *const plans[] = {"nothing",
	                                    "line by line, every line",
	                                    "a literal first, then its line",
	                                    "a literal first, then its line",
	                                    "bytes by their classes first, then their line",
	                                    "literals of a list of patterns first, then their line",
	                                    "many lines at once",
	                                    "line by line"};
	if (matcher->list && matcher->way == WAY_EXACT)
		return "a list of literals at once";
	return matcher->traits.by_line ? plans[matcher->way] : "the whole text, across lines";
}

enum bs_status bs_grep_scratch_new(struct bs_grep_matcher *matcher,
                                   struct bs_grep_scratch **scratch_out, struct bs_error *err)
{
	*scratch_out = NULL;
	struct bs_grep_scratch *scratch = calloc(1, sizeof(*scratch));
	if (!scratch)
		return bs_fail_memory(err, "a matcher", sizeof(*scratch));
	scratch->matcher = matcher;
	scratch->data = matcher->any.code
	                        ? pcre2_match_data_create_from_pattern(matcher->any.code, NULL)
	                        : pcre2_match_data_create(1, NULL);
	scratch->context = pcre2_match_context_create(NULL);
	scratch->stack = pcre2_jit_stack_create(JIT_STACK_START_BYTES, JIT_STACK_MOST_BYTES, NULL);
	if (!scratch->data || !scratch->context) {
		bs_grep_scratch_free(scratch);
		return bs_fail_memory(err, "a matcher", JIT_STACK_START_BYTES);
	}
	if (scratch->stack)
		pcre2_jit_stack_assign(scratch->context, NULL, scratch->stack);
	scratch->most_steps = matcher->linear ? FEW_STEPS : bs_grep_code_most_steps();
	enum bs_status status = matcher->list ? bs_grep_seeker_new(matcher->list, scratch->context,
	                                                           &scratch->seeker, err)
	                                      : BS_OK;
	if (status)
		bs_grep_scratch_free(scratch);
	else
		*scratch_out = scratch;
	return status;
}

void bs_grep_scratch_free(struct bs_grep_scratch *scratch)
{
	if (!scratch)
		return;
	bs_line_filter_scratch_free(scratch->filter);
	bs_grep_seeker_free(scratch->seeker);
	pcre2_match_data_free(scratch->data);
	pcre2_match_context_free(scratch->context);
	pcre2_jit_stack_free(scratch->stack);
	free(scratch);
}

void bs_grep_scratch_reset(struct bs_grep_scratch *scratch)
{
	scratch->opaque_from = 1;
	scratch->opaque_at = 0;
	scratch->lines_end = NULL;
	scratch->seen_from = NULL;
	scratch->ends_end = NULL;
	scratch->long_from = 1;
	scratch->long_at = 0;
	bs_line_filter_scratch_reset(scratch->filter);
	if (scratch->seeker)
		bs_grep_seeker_reset(scratch->seeker);
}

static struct bs_grep_span line_around(const struct bs_grep_matcher *matcher, const uint8_t *text,
                                       size_t from, size_t at, size_t end)
{
	return (struct bs_grep_span){bs_grep_line_start(text, from, at, matcher->line_end),
	                             bs_grep_line_end(text, at, end, matcher->line_end)};
}

/* The end of a line's text that is passed to PCRE2, without the line end. */
static size_t without_end(const struct bs_grep_matcher *matcher, const uint8_t *text,
                          struct bs_grep_span line)
{
	size_t end = line.end;
	if (end == line.start || text[end - 1] != matcher->line_end)
		return end;
	end--;
	if (!matcher->crlf)
		return end;
	/* With -U, a match may contain the \r, also where rg searches line by line. */
	if (end > line.start && text[end - 1] == '\r')
		return end - !(matcher->pattern->is_multi_line && !matcher->traits.looks_back);
	/* With -P --crlf, rg removes only CRLF, not a lone line feed. */
	return matcher->traits.looks_back ? line.end : end;
}

/* The position of the first byte from `from` on that is not ASCII, or `end`. Cached for calls
 * with a `from` from this one to the result. */
static size_t next_opaque(struct bs_grep_scratch *scratch, const uint8_t *text, size_t from,
                          size_t end)
{
	bool is_known = from >= scratch->opaque_from && from <= scratch->opaque_at &&
	                end == scratch->opaque_end;
	if (!is_known) {
		scratch->opaque_from = from;
		scratch->opaque_at =
			scratch->matcher->kernel->text.find_opaque(text, from, end, false);
		scratch->opaque_end = end;
	}
	return scratch->opaque_at;
}

#define SHORT_BYTES 1024u

/* An upper bound of the bytes of text[from..end) that one step of PCRE2 may scan: the longest line,
 * or all bytes if a match may cross lines or the text is short. Cached for the rest of the text. */
static size_t longest_line(struct bs_grep_scratch *scratch, const uint8_t *text, size_t from,
                           size_t end)
{
	const struct bs_grep_matcher *matcher = scratch->matcher;
	if (!matcher->traits.by_line || end - from <= SHORT_BYTES)
		return end - from;
	if (text + end == scratch->lines_end && text + from >= scratch->lines_from)
		return scratch->longest_bytes < end - from ? scratch->longest_bytes : end - from;
	scratch->longest_bytes = 0;
	for (size_t at = from, next; at < end; at = next) {
		next = bs_grep_line_end(text, at, end, matcher->line_end);
		scratch->longest_bytes =
			next - at > scratch->longest_bytes ? next - at : scratch->longest_bytes;
	}
	scratch->lines_from = text + from;
	scratch->lines_end = text + end;
	return scratch->longest_bytes;
}

/* The content of text[0..n_bytes), or with looks_back of about text[from..n_bytes), because then
 * many calls pass longer and longer texts. Cached, also for later parts of the same text. */
static enum content content_of(struct bs_grep_scratch *scratch, const uint8_t *text, size_t from,
                               size_t n_bytes)
{
	size_t start = scratch->matcher->traits.looks_back && from > U8_MAX_LENGTH
	                       ? from - U8_MAX_LENGTH
	                       : 0;
	while (start > 0 && start < from && (text[start] & 0xc0) == 0x80)
		start++;
	if (scratch->seen_from && text + n_bytes == scratch->seen_end &&
	    text + start >= scratch->seen_from)
		return scratch->seen_content;
	scratch->seen_from = text + start;
	scratch->seen_end = text + n_bytes;
	scratch->seen_content = bs_is_ascii(text + start, n_bytes - start)       ? CONTENT_ASCII
	                        : bs_text_is_utf8(text + start, n_bytes - start) ? CONTENT_UTF8
	                                                                         : CONTENT_INVALID;
	return scratch->seen_content;
}

/* Returns matcher->bytes, the code that matches by bytes as ripgrep does; compiles it at the first
 * call. NULL: it does not compile, because the pattern exceeds a limit of PCRE2. */
static struct bs_grep_code *bytes_code(struct bs_grep_matcher *matcher)
{
	if (!atomic_load_explicit(&matcher->is_bytes_tried, memory_order_acquire)) {
		pthread_mutex_lock(&matcher->mutex);
		if (!atomic_load_explicit(&matcher->is_bytes_tried, memory_order_relaxed))
			(void)!compile_bytes(matcher->pattern, matcher->analysis, &matcher->bytes,
			                     NULL);
		atomic_store_explicit(&matcher->is_bytes_tried, true, memory_order_release);
		pthread_mutex_unlock(&matcher->mutex);
	}
	return matcher->bytes.code ? &matcher->bytes : NULL;
}

/* True if `any` may find other lines in the text than ripgrep's engine, which matches by bytes. */
static bool misleads(struct bs_grep_scratch *scratch, const uint8_t *text, size_t from,
                     size_t n_bytes)
{
	const struct bs_grep_matcher *matcher = scratch->matcher;
	return matcher->analysis->sees_validity && !matcher->list &&
	       content_of(scratch, text, from, n_bytes) == CONTENT_INVALID;
}

bool bs_grep_is_by_bytes(struct bs_grep_scratch *scratch, const uint8_t *text, size_t from,
                         size_t n_bytes)
{
	struct bs_grep_matcher *matcher = scratch->matcher;
	const struct bs_grep_analysis *analysis = matcher->analysis;
	if (!analysis->is_rust || matcher->list || matcher->way == WAY_NOTHING ||
	    matcher->way == WAY_PLAIN)
		return false;
	if (analysis->needs_bytes || analysis->is_by_bytes)
		return true;
	if (analysis->rust.has_extension)
		return false;
	bool is_needed = matcher->can_be_empty
	                         ? content_of(scratch, text, from, n_bytes) != CONTENT_ASCII
	                         : misleads(scratch, text, from, n_bytes);
	return is_needed && bytes_code(matcher);
}

/* Matches text[0..end) from `from` on. *place_out: a position in the line that matches. */
static enum bs_status match(struct bs_grep_scratch *scratch, struct bs_grep_code *code,
                            const uint8_t *text, size_t from, size_t end, size_t *place_out,
                            bool *found_out, struct bs_error *err)
{
	static const uint8_t nothing[1];
	struct bs_grep_matcher *matcher = scratch->matcher;
	if (matcher->list) {
		struct bs_grep_span found = {0};
		enum bs_status status =
			bs_grep_list_find(scratch->seeker, text, from, end, !matcher->is_exact,
		                          &found, found_out, err);
		*place_out = found.start;
		return status;
	}
	size_t longest_bytes = bs_deadline_here ? longest_line(scratch, text, from, end) : 0;
	int n = bs_grep_code_match(bs_grep_code_ready(code, &matcher->mutex), text ? text : nothing,
	                           end, from, longest_bytes, scratch->most_steps, scratch->data,
	                           scratch->context);
	*found_out = n >= 0;
	*place_out = pcre2_get_ovector_pointer(scratch->data)[0];
	return bs_grep_code_check(n, err);
}

#define LINEAR_BYTE_NS        2u  /* estimated time of RE2 per byte */
#define LINEAR_GROUPS_BYTE_NS 50u /* estimated time of RE2 per byte if it finds groups */

/* Matches a line, text[0..end), by RE2, and finds the first n_groups groups. *is_able_out: false if
 * RE2 cannot decide on the line. Fails when the deadline is over. */
static enum bs_status match_linearly(struct bs_grep_scratch *scratch, const uint8_t *text,
                                     size_t from, size_t end, size_t n_groups, bool given_up,
                                     bool *is_able_out, bool *found_out, struct bs_error *err)
{
	*is_able_out = false;
	if (!scratch->matcher->linear)
		return BS_OK;
	/* RE2 cannot be interrupted. */
	enum bs_status status = bs_deadline_check_after(
		(end - from) * (n_groups > 1 ? LINEAR_GROUPS_BYTE_NS : LINEAR_BYTE_NS), err);
	if (status)
		return status;
	enum bs_linear_result result =
		bs_linear_match(scratch->matcher->linear, text, end, from,
	                        content_of(scratch, text, from, end) == CONTENT_ASCII, given_up,
	                        pcre2_get_ovector_pointer(scratch->data), n_groups);
	*is_able_out = result != BS_LINEAR_UNABLE;
	*found_out = result == BS_LINEAR_MATCH;
	return BS_OK;
}

/* Like match, for text that is a line. RE2 matches long lines and those that PCRE2 gives up. */
static enum bs_status match_in_line(struct bs_grep_scratch *scratch, struct bs_grep_code *code,
                                    const uint8_t *text, size_t from, size_t end, size_t n_groups,
                                    bool *found_out, struct bs_error *err)
{
	struct bs_linear_matcher *linear = scratch->matcher->linear;
	size_t place;
	bool is_able = false;
	enum bs_status status = BS_OK;
	if (end >= bs_linear_matcher_least(linear))
		status = match_linearly(scratch, text, from, end, n_groups, false, &is_able,
		                        found_out, err);
	if (status || is_able)
		return status;
	status = match(scratch, code, text, from, end, &place, found_out, err);
	if (status != BS_UNSUPPORTED || !linear || bs_deadline_is_over())
		return status;
	status = match_linearly(scratch, text, from, end, n_groups, true, &is_able, found_out, err);
	if (status || is_able)
		return status;
	scratch->most_steps = bs_grep_code_most_steps();
	return match(scratch, code, text, from, end, &place, found_out, err);
}

/* Whether text[0..end) has a line end. Cached for the last text. */
static bool has_line_end(struct bs_grep_scratch *scratch, const uint8_t *text, size_t end)
{
	if (scratch->ends_from != text || scratch->ends_end != text + end) {
		scratch->ends_from = text;
		scratch->ends_end = text + end;
		scratch->has_line_end = memchr(text, scratch->matcher->line_end, end);
	}
	return scratch->has_line_end;
}

/* Whether a line matches on its own. */
static enum bs_status match_line(struct bs_grep_scratch *scratch, const uint8_t *text,
                                 struct bs_grep_span line, bool *found_out, struct bs_error *err)
{
	struct bs_grep_matcher *matcher = scratch->matcher;
	size_t n = without_end(matcher, text, line) - line.start;
	bool use_ascii = matcher->ascii.code && bs_is_ascii(text + line.start, n);
	struct bs_grep_code *code = use_ascii ? &matcher->ascii : &matcher->any;
	if (!use_ascii && misleads(scratch, text + line.start, 0, n) && bytes_code(matcher))
		code = &matcher->bytes;
	return match_in_line(scratch, code, text + line.start, 0, n, 0, found_out, err);
}

static enum bs_status next_by_line(struct bs_grep_scratch *scratch, const uint8_t *text,
                                   size_t from, size_t end, struct bs_grep_span *line_out,
                                   bool *found_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*found_out = false;
	for (size_t at = from; at < end && !*found_out && !status; at = line_out->end) {
		*line_out = (struct bs_grep_span){
			at, bs_grep_line_end(text, at, end, scratch->matcher->line_end)};
		status = match_line(scratch, text, *line_out, found_out, err);
	}
	return status;
}

/* Matches many whole lines at once, text[from..end). If this exceeds PCRE2's limits, or `many` may
 * find other lines than ripgrep (misleads()), matches the lines one by one. */
static enum bs_status next_in_stretch(struct bs_grep_scratch *scratch, struct bs_grep_code *code,
                                      const uint8_t *text, size_t from, size_t end,
                                      struct bs_grep_span *line_out, bool *found_out,
                                      struct bs_error *err)
{
	size_t place;
	if (code == &scratch->matcher->many && misleads(scratch, text + from, 0, end - from))
		return next_by_line(scratch, text, from, end, line_out, found_out, err);
	enum bs_status status =
		match(scratch, code, text + from, 0, end - from, &place, found_out, NULL);
	if (status && bs_deadline_is_over())
		return bs_deadline_check(err);
	if (status)
		return next_by_line(scratch, text, from, end, line_out, found_out, err);
	if (!*found_out)
		return BS_OK;
	size_t at = from + place;
	/* There is no line after the last line feed. */
	*found_out = at < end || text[end - 1] != scratch->matcher->line_end;
	if (*found_out)
		*line_out = line_around(scratch->matcher, text, from, at, end);
	return BS_OK;
}

/* The start of the first line in text[from..end), which begins with a line, that has at least
 * `least` bytes; `end` if there is none. */
static size_t find_long_line(const struct bs_grep_matcher *matcher, const uint8_t *text,
                             size_t from, size_t end, size_t least)
{
	/* Looks at the text in steps of least / 2 bytes: a line of `least` bytes covers at least
	 * one step. */
	const size_t step = least / 2;
	for (size_t at = from; end - at >= step;) {
		if (memchr(text + at, matcher->line_end, step)) {
			at += step;
			continue;
		}
		struct bs_grep_span line = line_around(matcher, text, from, at, end);
		if (line.end - line.start >= least)
			return line.start;
		at = line.end;
	}
	return end;
}

/* The start of the next line in text[from..end) that RE2 should match instead of PCRE2; `end`: no
 * such line follows. text[from] is the start of a line. Cached for later starts before the line. */
static size_t next_long_line(struct bs_grep_scratch *scratch, const uint8_t *text, size_t from,
                             size_t end)
{
	const struct bs_grep_matcher *matcher = scratch->matcher;
	size_t least = bs_linear_matcher_least(matcher->linear);
	if (least == SIZE_MAX || least < 2)
		return least < 2 ? from : end;
	bool is_known =
		from >= scratch->long_from && from <= scratch->long_at && end == scratch->long_end;
	if (!is_known) {
		scratch->long_from = from;
		scratch->long_at = find_long_line(matcher, text, from, end, least);
		scratch->long_end = end;
	}
	return scratch->long_at;
}

static enum bs_status next_exact(struct bs_grep_scratch *scratch, const uint8_t *text, size_t from,
                                 size_t end, struct bs_grep_span *line_out, bool *found_out,
                                 struct bs_error *err)
{
	struct bs_grep_matcher *matcher = scratch->matcher;
	enum bs_status status = BS_OK;
	*found_out = false;
	for (size_t at = from; at < end && !*found_out && !status;) {
		size_t stretch_end = end, opaque = end;
		struct bs_grep_code *code = &matcher->many;
		if (matcher->many_ascii.code) {
			opaque = next_opaque(scratch, text, at, end);
			stretch_end = opaque == end ? end
			                            : bs_grep_line_start(text, at, opaque,
			                                                 matcher->line_end);
			code = &matcher->many_ascii;
		}
		if (stretch_end == at) {
			stretch_end = bs_grep_opaque_end(matcher->kernel, text, at, opaque, end,
			                                 matcher->line_end);
			code = &matcher->many;
		}
		size_t long_line = next_long_line(scratch, text, at, stretch_end);
		if (long_line > at) {
			status = next_in_stretch(scratch, code, text, at, long_line, line_out,
			                         found_out, err);
			at = long_line;
			continue;
		}
		*line_out = (struct bs_grep_span){
			at, bs_grep_line_end(text, at, end, matcher->line_end)};
		status = match_line(scratch, text, *line_out, found_out, err);
		at = line_out->end;
	}
	return status;
}

/* Searches with a list that consists of literals. */
static enum bs_status next_of_list(struct bs_grep_scratch *scratch, const uint8_t *text,
                                   size_t from, size_t end, struct bs_grep_span *line_out,
                                   bool *found_out, struct bs_error *err)
{
	struct bs_grep_span place;
	enum bs_status status = bs_grep_list_find(scratch->seeker, text + from, 0, end - from,
	                                          false, &place, found_out, err);
	/* There is no line after the last line feed. */
	*found_out &= from + place.start < end ||
	              (from < end && text[end - 1] != scratch->matcher->line_end);
	if (*found_out)
		*line_out = line_around(scratch->matcher, text, from, from + place.start, end);
	return status;
}

/* For WAY_PLAIN: finds the next occurrence of the literal, in its own letter case. */
static bool find_literal(const struct bs_grep_matcher *matcher, const uint8_t *text, size_t from,
                         size_t end, size_t *at_out)
{
	const struct bs_buffer *exact = &matcher->analysis->exact_literal;
	size_t at = from;
	while ((at = matcher->kernel->text.find_needle(text, at, end, &matcher->needle)) < end) {
		*at_out = at;
		if (memcmp(text + at, exact->data, exact->used_bytes) == 0)
			return true;
		at++;
	}
	return false;
}

/* After too many candidate lines that did not match: matches the next lines many at once. *at_out:
 * the position up to which no line matches, if none is found. */
static enum bs_status next_where_dense(struct bs_grep_scratch *scratch, const uint8_t *text,
                                       size_t from, size_t end, struct bs_grep_span *line_out,
                                       bool *found_out, size_t *at_out, struct bs_error *err)
{
	size_t limit = end - from > DENSE_BYTES ? from + DENSE_BYTES : end;
	*at_out = bs_grep_line_end(text, limit, end, scratch->matcher->line_end);
	enum bs_status status = next_exact(scratch, text, from, *at_out, line_out, found_out, err);
	size_t done = *found_out ? line_out->end : *at_out;
	scratch->debt_bytes -= (int64_t)(done - from) * MOST_DEBT_BYTES / (int64_t)DENSE_BYTES;
	return status;
}

/* Reduces the debt after n_bytes without a candidate. */
static void pay_debt(struct bs_grep_scratch *scratch, size_t n_bytes)
{
	scratch->debt_bytes -= (int64_t)n_bytes;
	scratch->debt_bytes = scratch->debt_bytes > 0 ? scratch->debt_bytes : 0;
}

/* Finds the next matching line: searches for a literal (also one of a list) or a window, and
 * matches the line around the place found. */
static enum bs_status next_by_candidate(struct bs_grep_scratch *scratch, const uint8_t *text,
                                        size_t from, size_t end, struct bs_grep_span *line_out,
                                        bool *found_out, struct bs_error *err)
{
	const struct bs_grep_matcher *matcher = scratch->matcher;
	const struct bs_kernel *kernel = matcher->kernel;
	enum bs_status status = BS_OK;
	*found_out = false;
	for (size_t at = from; at < end && !*found_out && !status;) {
		if (matcher->is_exact && scratch->debt_bytes > MOST_DEBT_BYTES) {
			atomic_fetch_add_explicit(&scratch->matcher->n_debts, 1,
			                          memory_order_relaxed);
			status = next_where_dense(scratch, text, at, end, line_out, found_out, &at,
			                          err);
			continue;
		}
		size_t place = matcher->way == WAY_LITERAL
		                       ? kernel->text.find_needle(text, at, end, &matcher->needle)
		               : matcher->way == WAY_LIST
		                       ? bs_grep_list_find_place(matcher->list, text, at, end)
		                       : kernel->text.find_window(text, at, end, &matcher->window);
		pay_debt(scratch, place - at);
		if (place == end)
			break;
		*line_out = line_around(matcher, text, at, place, end);
		status = match_line(scratch, text, *line_out, found_out, err);
		scratch->debt_bytes += *found_out ? 0 : LINE_IN_VAIN_BYTES;
		at = line_out->end;
	}
	return status;
}

/* Builds the filter, unless this was begun before. Other threads go on without it meanwhile. */
static enum bs_status build_filter(struct bs_grep_matcher *matcher, struct bs_error *err)
{
	int none = FILTER_NONE;
	if (!atomic_compare_exchange_strong(&matcher->filter_state, &none, FILTER_BUILDING))
		return BS_OK;
	enum bs_status status =
		bs_line_filter_new(&matcher->analysis->regex, &matcher->filter_options,
	                           matcher->kernel, true, &matcher->filter, err);
	atomic_store_explicit(&matcher->filter_state,
	                      matcher->filter ? FILTER_READY : FILTER_IMPOSSIBLE,
	                      memory_order_release);
	return status;
}

/* Counts text that was searched without the filter. Builds the filter after enough text. */
static enum bs_status count_unfiltered(struct bs_grep_scratch *scratch, size_t n_bytes,
                                       struct bs_error *err)
{
	struct bs_grep_matcher *matcher = scratch->matcher;
	scratch->pause_bytes -= n_bytes < scratch->pause_bytes ? n_bytes : scratch->pause_bytes;
	scratch->unfiltered_bytes += n_bytes;
	if (scratch->unfiltered_bytes < FILTER_STEP_BYTES ||
	    atomic_load_explicit(&matcher->filter_state, memory_order_relaxed) != FILTER_NONE)
		return BS_OK;
	uint64_t sum = atomic_fetch_add(&matcher->unfiltered_bytes, scratch->unfiltered_bytes) +
	               scratch->unfiltered_bytes;
	scratch->unfiltered_bytes = 0;
	return sum >= BS_LINE_FILTER_AFTER_BYTES && may_have_filter(matcher)
	               ? build_filter(matcher, err)
	               : BS_OK;
}

static bool uses_filter(const struct bs_grep_scratch *scratch)
{
	return scratch->pause_bytes == 0 && bs_grep_matcher_has_filter(scratch->matcher);
}

/* Finds the next matching line, by matching the lines that the filter selects. If none is found,
 * *at_out is the offset up to which no line matches: `end`, or less if the filter is suspended
 * because it selects too many lines. */
static enum bs_status next_by_filter(struct bs_grep_scratch *scratch, const uint8_t *text,
                                     size_t from, size_t end, struct bs_grep_span *line_out,
                                     bool *found_out, size_t *at_out, struct bs_error *err)
{
	const struct bs_grep_matcher *matcher = scratch->matcher;
	enum bs_status status = BS_OK;
	struct bs_line_candidate candidate;
	size_t at = from;
	*found_out = false;
	if (!scratch->filter)
		status = bs_line_filter_scratch_new(&scratch->filter, err);
	while (at < end && !*found_out && !status && scratch->pause_bytes == 0) {
		bool is_candidate = false;
		status = bs_line_filter_next(matcher->filter, scratch->filter, text, at, end,
		                             &candidate, &is_candidate, err);
		if (status || !is_candidate) {
			at = end;
			break;
		}
		*line_out = (struct bs_grep_span){
			bs_grep_line_start(text, at, candidate.place, matcher->line_end),
			candidate.line_end};
		*found_out = candidate.is_sure && !matcher->has_word_rule;
		if (!*found_out)
			status = match_line(scratch, text, *line_out, found_out, err);
		pay_debt(scratch, line_out->start - at);
		scratch->debt_bytes += *found_out ? 0 : LINE_IN_VAIN_BYTES;
		bool is_in_debt = matcher->is_exact && scratch->debt_bytes > MOST_DEBT_BYTES;
		if (is_in_debt || candidate.is_dense) {
			scratch->debt_bytes = 0;
			scratch->pause_bytes = UNFILTERED_BYTES;
		}
		at = line_out->end;
	}
	*at_out = at;
	return status;
}

static enum bs_status next_unfiltered(struct bs_grep_scratch *scratch, const uint8_t *text,
                                      size_t from, size_t end, struct bs_grep_span *line_out,
                                      bool *found_out, struct bs_error *err)
{
	const struct bs_grep_matcher *matcher = scratch->matcher;
	size_t at;
	*found_out = false;
	if (scratch->seeker)
		bs_grep_seeker_reset(scratch->seeker);
	switch (matcher->way) {
	case WAY_NOTHING:
		return BS_OK;
	case WAY_PLAIN:
		*found_out = find_literal(matcher, text, from, end, &at);
		if (*found_out)
			*line_out = line_around(matcher, text, from, at, end);
		return BS_OK;
	case WAY_LITERAL:
	case WAY_WINDOW:
	case WAY_LIST:
		return next_by_candidate(scratch, text, from, end, line_out, found_out, err);
	case WAY_EXACT:
		return matcher->list
		               ? next_of_list(scratch, text, from, end, line_out, found_out, err)
		               : next_exact(scratch, text, from, end, line_out, found_out, err);
	case WAY_BRUTE:
	case WAY_LINE:
		break;
	}
	return next_by_line(scratch, text, from, end, line_out, found_out, err);
}

enum bs_status bs_grep_next_line(struct bs_grep_scratch *scratch, const uint8_t *text, size_t from,
                                 size_t end, struct bs_grep_span *line_out, bool *found_out,
                                 struct bs_error *err)
{
	enum bs_status status = BS_OK;
	size_t at = from;
	*found_out = false;
	if (uses_filter(scratch))
		status = next_by_filter(scratch, text, from, end, line_out, found_out, &at, err);
	if (status || *found_out || (at == end && from < end))
		return status;
	status = next_unfiltered(scratch, text, at, end, line_out, found_out, err);
	size_t done = *found_out ? line_out->end : end;
	return status ? status : count_unfiltered(scratch, done - at, err);
}

#define MATCH_NS        20u /* estimated time for a match found without PCRE2 */
#define SPAN_BYTES_A_NS 8u  /* estimated speed of the search for a sequence of byte classes */

bool bs_grep_is_ascii(const struct bs_grep_scratch *scratch, const uint8_t *text, size_t n_bytes)
{
	return scratch->matcher->way != WAY_BRUTE && scratch->matcher->ascii.code &&
	       !scratch->matcher->traits.looks_back && bs_is_ascii(text, n_bytes);
}

enum bs_status bs_grep_next_match(struct bs_grep_scratch *scratch, const uint8_t *text, size_t from,
                                  size_t end, bool is_ascii_text, struct bs_grep_span *match_out,
                                  bool *found_out, struct bs_error *err)
{
	struct bs_grep_matcher *matcher = scratch->matcher;
	PCRE2_SIZE *places = pcre2_get_ovector_pointer(scratch->data);
	enum bs_status status = BS_OK;
	*found_out = false;
	if (matcher->way == WAY_NOTHING)
		return BS_OK;
	if (matcher->list || matcher->way == WAY_PLAIN)
		status = bs_deadline_check_after(MATCH_NS, err);
	if (status)
		return status;
	if (matcher->list)
		return bs_grep_list_find(scratch->seeker, text, from, end, false, match_out,
		                         found_out, err);
	if (matcher->way == WAY_PLAIN) {
		/* PCRE2 is not needed; bs_grep_expand() takes the position from places. */
		*found_out = find_literal(matcher, text, from, end, &places[0]);
		places[1] = places[0] + matcher->analysis->exact_literal.used_bytes;
	} else {
		size_t place;
		struct bs_grep_code *code = is_ascii_text ? &matcher->ascii : &matcher->any;
		if (matcher->span.n_runs)
			from = bs_span_filter_start(&matcher->span, matcher->kernel, text, from,
			                            end);
		if (from == SIZE_MAX)
			return bs_deadline_check_after(end / SPAN_BYTES_A_NS, err);
		bool is_by_bytes = !is_ascii_text && !matcher->analysis->needs_bytes &&
		                   !matcher->analysis->is_by_bytes &&
		                   bs_grep_is_by_bytes(scratch, text, from, end);
		code = is_by_bytes ? &matcher->bytes : code;
		status = !matcher->linear || has_line_end(scratch, text, end)
		                 ? match(scratch, code, text, from, end, &place, found_out, err)
		                 : match_in_line(scratch, code, text, from, end,
		                                 pcre2_get_ovector_count(scratch->data), found_out,
		                                 err);
	}
	/* \K inside a lookahead can end a match before it starts. */
	if (!status && *found_out)
		*match_out = (struct bs_grep_span){places[0],
		                                   places[1] > places[0] ? places[1] : places[0]};
	return status;
}

/* Finds a group of the last match by its name or number. False: there is no such group, or it did
 * not match. */
static bool group_of(const struct bs_grep_scratch *scratch, const char *name, size_t n,
                     struct bs_grep_span *group_out)
{
	const PCRE2_SIZE *places = pcre2_get_ovector_pointer(scratch->data);
	char copy[128];
	if (n >= sizeof(copy))
		return false;
	memcpy(copy, name, n);
	copy[n] = '\0';
	bool is_name = strspn(copy, "0123456789") < n;
	long number = !is_name && n < 9 ? atol(copy) : -1;
	if (!is_name && number < 0)
		return false;
	if (scratch->seeker)
		return bs_grep_seeker_group(scratch->seeker, number, copy, group_out);
	if (is_name)
		number = pcre2_substring_number_from_name(scratch->matcher->any.code,
		                                          (PCRE2_SPTR)copy);
	if (number < 0 || number >= (long)pcre2_get_ovector_count(scratch->data) ||
	    places[2 * number] == PCRE2_UNSET)
		return false;
	*group_out = (struct bs_grep_span){places[2 * number], places[2 * number + 1]};
	return true;
}

/* Reads $name or ${name}. Returns its length; 0 if this $ is ordinary text. */
static size_t reference_at(const char *text, size_t n, const char **name_out,
                           size_t *name_bytes_out)
{
	static const char of_names[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	size_t used = 1;
	bool is_braced = n > 1 && text[1] == '{';
	if (is_braced) {
		const char *close = memchr(text, '}', n);
		*name_out = text + 2;
		*name_bytes_out = close ? (size_t)(close - text) - 2 : 0;
		return close ? *name_bytes_out + 3 : 0;
	}
	while (used < n && text[used] && strchr(of_names, text[used]))
		used++;
	*name_out = text + 1;
	*name_bytes_out = used - 1;
	return used > 1 ? used : 0;
}

enum bs_status bs_grep_expand(struct bs_grep_scratch *scratch, const uint8_t *text,
                              const char *replacement, size_t replacement_bytes,
                              struct bs_buffer *out, struct bs_error *err)
{
	struct bs_grep_span group;
	enum bs_status status = BS_OK;
	for (size_t at = 0; at < replacement_bytes && !status;) {
		const char *name;
		size_t name_bytes, used = 0, left = replacement_bytes - at;
		bool is_dollar = replacement[at] == '$';
		if (is_dollar && left > 1 && replacement[at + 1] == '$') {
			status = bs_buffer_append(out, "$", 1, err);
			at += 2;
			continue;
		}
		if (is_dollar)
			used = reference_at(replacement + at, left, &name, &name_bytes);
		if (used == 0) {
			status = bs_buffer_append(out, replacement + at, 1, err);
			at++;
			continue;
		}
		if (group_of(scratch, name, name_bytes, &group) && group.end > group.start)
			status = bs_buffer_append(out, text + group.start, group.end - group.start,
			                          err);
		at += used;
	}
	return status;
}
