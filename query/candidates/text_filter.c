/*
 * text_filter.c: bs_text_filter (bitsift/candidates.h): may a text match a pattern?
 *
 * First searches for a literal that every match contains. If that does not decide, PCRE2 matches;
 * its code is compiled when a text first needs it. PCRE2's match limit is low, because the caller
 * may hold a lock or a page meanwhile. A text that reaches the limit may match.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/utf8.h"
#include "core/bitsift/candidates.h"
#include "core/bitsift/grep_request.h"
#include "core/simd/kernels.h"
#include "query/regex/built_pattern.h"
#include "query/regex/pattern.h"
#include "query/regex/pcre2_compile.h"

/* PCRE2's match limit for each start of a match; ordinary patterns need few steps. */
#define MOST_STEPS 256u
/* After this many texts have reached the limit, PCRE2 is no longer used. */
#define MOST_FAILURES 8u

struct bs_text_filter {
	struct bs_grep_analysis analysis;
	const struct bs_kernel *kernel;
	struct bs_needle needle;
	/* The needle is analysis.literal, in lower case. has_needle: every match contains it, in
	 * any letter case. is_exact: every match is analysis.exact_literal and nothing else.
	 * is_needle: every match is the needle and nothing else, in any letter case. */
	bool has_needle, is_exact, is_needle;
	uint32_t options;    /* The options of PCRE2 that all code has. */
	bool is_compiled;    /* Compiling was tried. */
	unsigned n_failures; /* How many texts reached the match limit, or failed otherwise. */
	/* any: the code for any text. ascii: the code for ASCII text only. NULL: no such code. */
	pcre2_code *any, *ascii;
	bool is_machine_code; /* all code is JIT-compiled */
	pcre2_match_data *data;
	pcre2_match_context *context;
};

static uint32_t options_of(const struct bs_grep_pattern *pattern,
                           const struct bs_grep_analysis *analysis)
{
	return PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX |
	       (analysis->is_caseless ? PCRE2_CASELESS : 0u) |
	       (pattern->dot_all ? PCRE2_DOTALL : 0u);
}

/* Initialises the filter from tree or, if tree is NULL, from the pattern. */
static enum bs_status make(const struct bs_grep_pattern *asked, const struct bs_pattern_tree *tree,
                           struct bs_text_filter *filter, struct bs_error *err)
{
	struct bs_grep_pattern pattern = tree ? bs_pattern_tree_options(tree) : *asked;
	struct bs_grep_analysis *analysis = &filter->analysis;
	pattern.is_multi_line = true;
	pattern.is_pcre2 = pattern.is_brute = false;
	enum bs_status status = bs_kernel_choose(NULL, &filter->kernel, err);
	if (!status)
		status = tree ? bs_pattern_tree_analyse(tree, analysis, err)
		              : bs_grep_analyse(&pattern, analysis, err);
	if (status)
		return status;
	const struct bs_regex_node *root = bs_regex_node(&analysis->regex, analysis->regex.root);
	filter->options = options_of(&pattern, analysis);
	filter->has_needle = analysis->literal.used_bytes > 0;
	filter->is_exact = filter->has_needle && analysis->literal_is_match;
	filter->is_needle = filter->has_needle && !pattern.is_word && !pattern.is_line &&
	                    analysis->is_caseless && root->kind == BS_REGEX_RUN &&
	                    root->n == analysis->literal.used_bytes;
	if (filter->has_needle)
		bs_needle_init(&filter->needle, analysis->literal.data,
		               analysis->literal.used_bytes);
	return BS_OK;
}

static enum bs_status new_filter(const struct bs_grep_pattern *pattern,
                                 const struct bs_pattern_tree *tree,
                                 struct bs_text_filter **filter_out, struct bs_error *err)
{
	struct bs_text_filter *filter = calloc(1, sizeof(*filter));
	*filter_out = NULL;
	if (!filter)
		return bs_fail_memory(err, "a pattern", sizeof(*filter));
	enum bs_status status = make(pattern, tree, filter, err);
	if (status)
		bs_text_filter_free(filter);
	else
		*filter_out = filter;
	return status;
}

enum bs_status bs_text_filter_new(const struct bs_grep_pattern *pattern,
                                  struct bs_text_filter **filter_out, struct bs_error *err)
{
	return new_filter(pattern, NULL, filter_out, err);
}

enum bs_status bs_text_filter_new_of_tree(const struct bs_pattern_tree *tree,
                                          struct bs_text_filter **filter_out, struct bs_error *err)
{
	return new_filter(NULL, tree, filter_out, err);
}

void bs_text_filter_free(struct bs_text_filter *filter)
{
	if (!filter)
		return;
	pcre2_code_free(filter->any);
	pcre2_code_free(filter->ascii);
	pcre2_match_data_free(filter->data);
	pcre2_match_context_free(filter->context);
	bs_grep_analysis_deinit(&filter->analysis);
	free(filter);
}

static pcre2_code *compile(struct bs_text_filter *filter, uint32_t options,
                           pcre2_compile_context *context)
{
	const struct bs_buffer *text = &filter->analysis.alone;
	int error;
	PCRE2_SIZE off;
	pcre2_code *code = bs_pcre2_compile(text->data, text->used_bytes - 1,
	                                    filter->options | options, &error, &off, context);
	if (code)
		filter->is_machine_code &=
			bs_pcre2_jit_compile(code, bs_pcre2_groups(text->data, text->used_bytes)) ==
			0;
	return code;
}

/* If the pattern cannot be compiled, every text that contains the needle may match. */
static void compile_all(struct bs_text_filter *filter)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	filter->is_compiled = filter->is_machine_code = true;
	filter->data = pcre2_match_data_create(1, NULL);
	filter->context = pcre2_match_context_create(NULL);
	if (!context || !filter->data || !filter->context) {
		pcre2_compile_context_free(context);
		return;
	}
	bs_pcre2_guard_stack(context);
	(void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	(void)pcre2_set_match_limit(filter->context, MOST_STEPS);
	if (filter->analysis.is_ascii)
		filter->ascii = compile(filter, 0, context);
	filter->any = compile(
		filter, PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | PCRE2_NO_DOTSTAR_ANCHOR,
		context);
	pcre2_compile_context_free(context);
}

static bool may_match(struct bs_text_filter *filter, const uint8_t *text, size_t n_bytes)
{
	if (!filter->is_compiled)
		compile_all(filter);
	bool is_ascii = bs_is_ascii(text, n_bytes);
	const pcre2_code *code = is_ascii && filter->ascii ? filter->ascii : filter->any;
	if (!code || filter->n_failures >= MOST_FAILURES ||
	    (!is_ascii && !bs_text_is_utf8(text, n_bytes)))
		return true;
	int result = (filter->is_machine_code ? pcre2_jit_match : pcre2_match)(
		code, text, n_bytes, 0, 0, filter->data, filter->context);
	filter->n_failures += result < 0 && result != PCRE2_ERROR_NOMATCH;
	return result != PCRE2_ERROR_NOMATCH;
}

bool bs_text_filter_may_match(struct bs_text_filter *filter, const char *bytes, size_t n_bytes)
{
	const uint8_t *text = (const uint8_t *)bytes;
	const struct bs_buffer *exact = &filter->analysis.exact_literal;
	size_t at = 0;
	if (!filter->has_needle)
		return may_match(filter, text, n_bytes);
	while ((at = filter->kernel->text.find_needle(text, at, n_bytes, &filter->needle)) <
	       n_bytes) {
		if (!filter->is_exact || memcmp(text + at, exact->data, exact->used_bytes) == 0)
			return filter->is_exact || filter->is_needle ||
			       may_match(filter, text, n_bytes);
		at++;
	}
	return false;
}
