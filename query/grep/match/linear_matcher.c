/* linear_matcher.c: see linear_matcher.h. Without RE2's headers at build time, no line is matched
 * linearly. */
#include "query/grep/match/linear_matcher.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/system/deadline.h"
#include "query/regex/prefilter/byte_superset.h"

#ifdef BITSIFT_HAS_RE2
#include "core/system/library.h"
#include "query/grep/match/re2.h"

#define RE2_FUNCTIONS(each) \
	each(bs_re2_version) each(bs_re2_new) each(bs_re2_free) each(bs_re2_match)

BS_LIBRARY_TABLE(bs_re2, RE2_FUNCTIONS);
BS_LIBRARY_DEFINE_OWN(bs_re2, "RE2", "libbitsift-re2.so", BS_RE2_VERSION, RE2_FUNCTIONS)

/* least_bytes[n]: for a pattern with n repeats without a small upper bound, the length from which a
 * line may take PCRE2 about 0.1 seconds, if it tries each length of each repeat from each start. */
static const size_t least_bytes[] = {SIZE_MAX, 4096, 1024, 256};
#define MOST_REPEATS ((uint32_t)(sizeof(least_bytes) / sizeof(*least_bytes)) - 1)
#define SMALL_REPEAT 16u

/* A form of the patterns: for ASCII text, or for any text. */
struct form {
	atomic_bool is_tried;
	struct bs_re2_regex *regex; /* NULL: the form does not exist, or RE2 refuses it */
};

struct bs_linear_matcher {
	const struct bs_grep_pattern *pattern;
	const struct bs_grep_analysis *analysis;
	atomic_size_t least_bytes;
	pthread_mutex_t mutex; /* held while a form is compiled */
	struct form ascii, any;
};

/* Sets is_optional[i] if node i may match the empty text. */
static void find_optional(const struct bs_regex *regex, bool *is_optional)
{
	for (uint32_t i = 0; i < bs_regex_n_nodes(regex); i++) {
		const struct bs_regex_node *node = bs_regex_node(regex, i);
		bool has_optional = false, has_other = false;
		if (node->kind == BS_REGEX_SEQUENCE || node->kind == BS_REGEX_ALTERNATION)
			for (uint32_t c = node->first; c != BS_REGEX_NO_NODE;
			     c = bs_regex_node(regex, c)->next) {
				has_optional |= is_optional[c];
				has_other |= !is_optional[c];
			}
		is_optional[i] = node->kind == BS_REGEX_SEQUENCE      ? !has_other
		                 : node->kind == BS_REGEX_ALTERNATION ? has_optional
		                 : node->kind == BS_REGEX_REPEAT
		                         ? node->least == 0 || is_optional[node->first]
		                         : node->kind != BS_REGEX_RUN &&
		                                   node->kind != BS_REGEX_SET &&
		                                   node->kind != BS_REGEX_NEVER;
	}
}

/* *least_out: see bs_linear_matcher_least. It is 0 if something is repeated that may match the
 * empty text: PCRE2 ends such a loop after an empty match, Rust's engine and RE2 go on with another
 * alternative, so that matches differ. Otherwise it depends on the number of repeats (least_bytes);
 * with is_brute it is SIZE_MAX. */
static enum bs_status find_least(const struct bs_regex *regex, bool is_brute, size_t *least_out,
                                 struct bs_error *err)
{
	uint32_t n = 0, n_nodes = bs_regex_n_nodes(regex);
	bool *is_optional = malloc(n_nodes + 1), has_loop = false;
	if (!is_optional)
		return bs_fail_memory(err, "a pattern", n_nodes);
	find_optional(regex, is_optional);
	for (uint32_t i = 0; i < n_nodes; i++) {
		const struct bs_regex_node *node = bs_regex_node(regex, i);
		bool is_repeat = node->kind == BS_REGEX_REPEAT && node->most > 1;
		has_loop |= is_repeat && is_optional[node->first];
		n += is_repeat && node->most > SMALL_REPEAT;
	}
	free(is_optional);
	*least_out = has_loop   ? 0
	             : is_brute ? SIZE_MAX
	                        : least_bytes[n < MOST_REPEATS ? n : MOST_REPEATS];
	return BS_OK;
}

enum bs_status bs_linear_matcher_new(const struct bs_grep_pattern *pattern,
                                     const struct bs_grep_analysis *analysis, bool by_line,
                                     struct bs_linear_matcher **matcher_out, struct bs_error *err)
{
	bool is_possible = analysis->is_rust && !pattern->is_fixed && by_line && !pattern->crlf &&
	                   !pattern->null_data && !analysis->rust.has_extension &&
	                   pattern->n_patterns > 0 &&
	                   pattern->linear_engine != BS_GREP_ENGINE_NEVER;
	*matcher_out = NULL;
	if (!is_possible)
		return BS_OK;
	struct bs_linear_matcher *matcher = calloc(1, sizeof(*matcher));
	if (!matcher)
		return bs_fail_memory(err, "a pattern", sizeof(*matcher));
	size_t least = 0;
	enum bs_status status = BS_OK;
	if (pattern->linear_engine != BS_GREP_ENGINE_ALWAYS)
		status = find_least(&analysis->regex, pattern->is_brute, &least, err);
	if (status) {
		free(matcher);
		return status;
	}
	pthread_mutex_init(&matcher->mutex, NULL);
	matcher->pattern = pattern;
	matcher->analysis = analysis;
	matcher->least_bytes = least;
	*matcher_out = matcher;
	return BS_OK;
}

void bs_linear_matcher_free(struct bs_linear_matcher *matcher)
{
	if (!matcher)
		return;
	if (matcher->ascii.regex)
		bs_re2.bs_re2_free(matcher->ascii.regex);
	if (matcher->any.regex)
		bs_re2.bs_re2_free(matcher->any.regex);
	pthread_mutex_destroy(&matcher->mutex);
	free(matcher);
}

size_t bs_linear_matcher_least(const struct bs_linear_matcher *matcher)
{
	return matcher ? atomic_load_explicit(&matcher->least_bytes, memory_order_relaxed)
	               : SIZE_MAX;
}

static struct bs_re2_regex *compile(const struct bs_linear_matcher *matcher, bool is_ascii)
{
	const struct bs_grep_analysis *analysis = matcher->analysis;
	struct bs_rust_options options = {
		.form = BS_RUST_LINEAR,
		.is_ascii = is_ascii,
		.caseless = analysis->is_caseless,
		.has_word_edges = is_ascii &&
	                          bs_regex_has_word_edges(&analysis->regex, analysis->is_caseless)};
	struct bs_rust_traits traits;
	struct bs_buffer text = {0};
	struct bs_re2_regex *regex = NULL;
	bool is_written = !bs_rust_translate(matcher->pattern, &options, &text, &traits, NULL) &&
	                  !traits.is_beyond_linear;
	if (is_written && !bs_re2_load(NULL))
		regex = bs_re2.bs_re2_new((const char *)text.data, text.used_bytes);
	bs_buffer_deinit(&text);
	return regex;
}

static const struct bs_re2_regex *regex_of(struct bs_linear_matcher *matcher, bool is_ascii)
{
	struct form *form = is_ascii ? &matcher->ascii : &matcher->any;
	if (atomic_load_explicit(&form->is_tried, memory_order_acquire))
		return form->regex;
	pthread_mutex_lock(&matcher->mutex);
	if (!atomic_load_explicit(&form->is_tried, memory_order_relaxed))
		form->regex = compile(matcher, is_ascii);
	/* If the deadline has passed, compiling may have been ended early; a later call tries
	 * again. */
	if (form->regex || !bs_deadline_is_over())
		atomic_store_explicit(&form->is_tried, true, memory_order_release);
	pthread_mutex_unlock(&matcher->mutex);
	return form->regex;
}

enum bs_linear_result bs_linear_match(struct bs_linear_matcher *matcher, const uint8_t *text,
                                      size_t end, size_t from, bool is_ascii, bool given_up,
                                      size_t *places_out, size_t n_groups)
{
	if (!matcher)
		return BS_LINEAR_UNABLE;
	const struct bs_re2_regex *regex = regex_of(matcher, is_ascii);
	int found = regex ? bs_re2.bs_re2_match(regex, (const char *)text, end, from, places_out,
	                                        n_groups)
	                  : -1;
	if (found >= 0 && given_up)
		atomic_store_explicit(&matcher->least_bytes, 0, memory_order_relaxed);
	return found > 0 ? BS_LINEAR_MATCH : found == 0 ? BS_LINEAR_NO_MATCH : BS_LINEAR_UNABLE;
}

bool bs_linear_is_available(void)
{
	return bs_re2_load(NULL) == BS_OK;
}
#else
enum bs_status bs_linear_matcher_new(const struct bs_grep_pattern *pattern,
                                     const struct bs_grep_analysis *analysis, bool by_line,
                                     struct bs_linear_matcher **matcher_out, struct bs_error *err)
{
	(void)pattern, (void)analysis, (void)by_line, (void)err;
	*matcher_out = NULL;
	return BS_OK;
}

void bs_linear_matcher_free(struct bs_linear_matcher *matcher)
{
	(void)matcher;
}

size_t bs_linear_matcher_least(const struct bs_linear_matcher *matcher)
{
	(void)matcher;
	return SIZE_MAX;
}

enum bs_linear_result bs_linear_match(struct bs_linear_matcher *matcher, const uint8_t *text,
                                      size_t end, size_t from, bool is_ascii, bool given_up,
                                      size_t *places_out, size_t n_groups)
{
	(void)matcher, (void)text, (void)end, (void)from;
	(void)is_ascii, (void)given_up, (void)places_out, (void)n_groups;
	return BS_LINEAR_UNABLE;
}

bool bs_linear_is_available(void)
{
	return false;
}
#endif
