/* regex_rig.c: see regex_rig.h. */
#include "tests/rigs/regex_rig.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <unicode/utf8.h>

#include "core/base/utf8.h"
#include "core/bitsift/grep.h"
#include "core/simd/kernels.h"
#include "core/simd/needle.h"
#include "core/text/grams.h"
#include "query/regex/prefilter/regex_grams.h"

/* Ends the program if a call failed. It is for calls that fail only if memory runs out. */
static void must(enum bs_status status)
{
	if (status)
		abort();
}

static uint32_t pcre2_options(unsigned options)
{
	uint32_t base =
		PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | (options & RIG_CASELESS ? PCRE2_CASELESS : 0);
	if (options & RIG_LITERAL)
		return base | PCRE2_LITERAL;
	return base | PCRE2_UCP | (options & RIG_MULTILINE ? PCRE2_MULTILINE : 0) |
	       (options & RIG_DOTALL ? PCRE2_DOTALL : 0) |
	       (options & RIG_EXTENDED ? PCRE2_EXTENDED : 0);
}

static void forget(struct regex_rig *rig)
{
	pcre2_code_free(rig->code);
	pcre2_code_free(rig->alone);
	pcre2_code_free(rig->many);
	pcre2_code_free(rig->whole);
	for (size_t i = 0; i < 2; i++) {
		bs_grep_seeker_free(rig->seekers[i]);
		bs_grep_list_free(rig->lists[i]);
		rig->seekers[i] = NULL;
		rig->lists[i] = NULL;
	}
	pcre2_match_data_free(rig->match_data);
	bs_gram_tree_free(rig->tree);
	bs_grep_analysis_deinit(&rig->analysis);
	bs_buffer_clear(&rig->pattern);
	rig->code = rig->alone = rig->many = rig->whole = rig->match_data = NULL;
	rig->tree = NULL;
	rig->analysis = (struct bs_grep_analysis){.is_ascii = false};
}

void rig_close(struct regex_rig *rig)
{
	forget(rig);
	pcre2_match_context_free(rig->match_context);
	bs_buffer_deinit(&rig->pattern);
	bs_buffer_deinit(&rig->folded);
	bs_buffer_deinit(&rig->keys);
	*rig = (struct regex_rig){0};
}

/* Analyses the pattern as a search does. False if a search refuses it. */
static bool analyse(struct regex_rig *rig, unsigned options)
{
	rig->asked_text = (const char *)rig->pattern.data;
	rig->asked = (struct bs_grep_pattern){.patterns = &rig->asked_text,
	                                      .pattern_bytes = &rig->pattern.used_bytes,
	                                      .n_patterns = 1,
	                                      .letter_case = options & RIG_CASELESS
	                                                             ? BS_GREP_CASE_INSENSITIVE
	                                                             : BS_GREP_CASE_SENSITIVE,
	                                      .is_fixed = options & RIG_LITERAL};
	struct bs_regex_window_options wanted = {
		.is_caseless = options & RIG_CASELESS, .keeps_line_end = true, .line_end = '\n'};
	double rate;
	enum bs_status status = bs_grep_analyse(&rig->asked, &rig->analysis, NULL);
	must(status == BS_INVALID ? BS_OK : status);
	if (status)
		return false;
	must(bs_regex_window(&rig->analysis.regex, &wanted, &rig->window, &rate, NULL));
	must(bs_regex_grams(&rig->analysis.regex, &rig->tree, NULL));
	return true;
}

/* Compiles with JIT, as a search does. Without JIT, PCRE2 treats some invalid UTF-8 differently. */
static void *compile_for_lines(const struct bs_buffer *text, unsigned options)
{
	int code;
	PCRE2_SIZE at;
	uint32_t wanted =
		pcre2_options((options & RIG_CASELESS) | RIG_MULTILINE) | PCRE2_NO_DOTSTAR_ANCHOR;
	pcre2_code *compiled =
		pcre2_compile(text->data, text->used_bytes - 1, wanted, &code, &at, NULL);
	if (!compiled)
		abort();
	(void)pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);
	return compiled;
}

static void open_lists(struct regex_rig *rig, unsigned options)
{
	const struct bs_grep_analysis *analysis = &rig->analysis;
	if (analysis->list.n_parts < 2)
		return;
	rig->whole = compile_for_lines(&analysis->alone, options);
	for (size_t i = 0; i < 2; i++) {
		if (i && !bs_grep_list_is_literal(&rig->asked, analysis, false))
			break;
		must(bs_grep_list_new(&rig->asked, analysis, i, &rig->lists[i], NULL));
		must(bs_grep_seeker_new(rig->lists[i], rig->match_context, &rig->seekers[i], NULL));
	}
}

enum rig_result rig_open(struct regex_rig *rig, const uint8_t *pattern, size_t n_bytes,
                         unsigned options)
{
	int code;
	PCRE2_SIZE at;
	bool is_extended = (options & RIG_EXTENDED) && !(options & RIG_LITERAL);
	forget(rig);
	if (!rig->match_context) {
		rig->match_context = pcre2_match_context_create(NULL);
		pcre2_set_match_limit(rig->match_context, 20000);
		pcre2_set_depth_limit(rig->match_context, 2000);
	}
	must(bs_buffer_append(&rig->pattern, "(?x)", is_extended ? 4 : 0, NULL));
	must(bs_buffer_append(&rig->pattern, pattern, n_bytes, NULL));
	if (!analyse(rig, options))
		return RIG_NO_PATTERN;
	rig->code = pcre2_compile(rig->pattern.data, rig->pattern.used_bytes,
	                          pcre2_options(options), &code, &at, NULL);
	if (!rig->code)
		return RIG_NO_PATTERN;
	if (rig->analysis.is_exact) {
		rig->alone = compile_for_lines(&rig->analysis.alone, options);
		rig->many = compile_for_lines(&rig->analysis.many, options);
	}
	open_lists(rig, options);
	rig->match_data = pcre2_match_data_create_from_pattern(rig->code, NULL);
	return RIG_NO_MATCH;
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static bool has_gram(const struct bs_buffer *keys, uint64_t key)
{
	return keys->used_bytes &&
	       bsearch(&key, keys->data, keys->used_bytes / sizeof(key), sizeof(key), compare_keys);
}

/* Appends the keys of all grams of n_bytes in the folded text; repeated grams have repeated
 * keys. */
static void add_grams(struct regex_rig *rig, uint32_t n_bytes)
{
	for (size_t at = 0; at + n_bytes <= rig->folded.used_bytes; at++) {
		uint64_t key = bs_gram_key(rig->folded.data + at, n_bytes);
		must(bs_buffer_append(&rig->keys, &key, sizeof(key), NULL));
	}
}

static void find_grams(struct regex_rig *rig, const uint8_t *text, size_t n_bytes)
{
	bs_buffer_clear(&rig->folded);
	bs_buffer_clear(&rig->keys);
	must(bs_grams_fold(text, n_bytes, &rig->folded, NULL));
	add_grams(rig, BS_GRAM_LEAST);
	add_grams(rig, BS_GRAM_LONG_BYTES);
	if (rig->keys.used_bytes)
		qsort(rig->keys.data, rig->keys.used_bytes / sizeof(uint64_t), sizeof(uint64_t),
		      compare_keys);
}

static const struct bs_kernel *kernel(void)
{
	const struct bs_kernel *chosen;
	must(bs_kernel_choose(NULL, &chosen, NULL));
	return chosen;
}

static bool has_window(const struct regex_rig *rig, const uint8_t *text, size_t n_bytes)
{
	return rig->window.n_bytes == 0 ||
	       kernel()->text.find_window(text, 0, n_bytes, &rig->window) < n_bytes;
}

/* False if the text lacks the literal that every match contains, or if the literal is the whole
 * match, case matters, and PCRE2's match differs from the literal. */
static bool has_literal(const struct regex_rig *rig, const uint8_t *text, size_t n_bytes)
{
	const struct bs_grep_analysis *analysis = &rig->analysis;
	const PCRE2_SIZE *places = pcre2_get_ovector_pointer(rig->match_data);
	struct bs_needle needle;
	if (analysis->literal.used_bytes == 0)
		return true;
	bs_needle_init(&needle, analysis->literal.data, analysis->literal.used_bytes);
	if (kernel()->text.find_needle(text, 0, n_bytes, &needle) == n_bytes)
		return false;
	return !analysis->literal_is_match || analysis->is_caseless ||
	       (places[1] - places[0] == analysis->exact_literal.used_bytes &&
	        memcmp(text + places[0], analysis->exact_literal.data,
	               analysis->exact_literal.used_bytes) == 0);
}

/* Returns the start of the first line with a match in text[from..n_bytes); n_bytes if there is
 * none; -1 if a limit was reached. */
static long next_line(const struct regex_rig *rig, void *code, const uint8_t *text, size_t from,
                      size_t n_bytes)
{
	int found = pcre2_match(code, text + from, n_bytes - from, 0, 0, rig->match_data,
	                        rig->match_context);
	size_t at = from +
	            (found >= 0 ? pcre2_get_ovector_pointer(rig->match_data)[0] : n_bytes - from);
	if (found < 0 && found != PCRE2_ERROR_NOMATCH)
		return -1;
	if (found < 0 || (at == n_bytes && text[at - 1] == '\n'))
		return (long)n_bytes;
	while (at > from && text[at - 1] != '\n')
		at--;
	return (long)at;
}

/* True if a search for lines in the whole text finds the same lines as matching each line alone, or
 * if PCRE2 reaches a limit. Returns true without checking if the text is invalid UTF-8, because the
 * JIT code of PCRE2 10.42 is inconsistent there: in caseless mode, [^\x{212a}] matches an invalid
 * sequence, but [^\n\x{212a}] does not. */
static bool finds_lines(const struct regex_rig *rig, const uint8_t *text, size_t n_bytes)
{
	size_t wanted_from = 0;
	for (size_t at = 0; at < n_bytes && rig->many && bs_text_is_utf8(text, n_bytes);) {
		const uint8_t *line_end = memchr(text + at, '\n', n_bytes - at);
		size_t end = line_end ? (size_t)(line_end - text) : n_bytes;
		int found = pcre2_match(rig->alone, text + at, end - at, 0, 0, rig->match_data,
		                        rig->match_context);
		if (found < 0 && found != PCRE2_ERROR_NOMATCH)
			return true;
		size_t next = line_end ? end + 1 : end;
		if (found >= 0 || next == n_bytes) {
			long seen = next_line(rig, rig->many, text, wanted_from, n_bytes);
			if (seen != (long)(found >= 0 ? at : n_bytes))
				return seen < 0;
			wanted_from = next;
		}
		at = next;
	}
	return true;
}

/* True if bs_grep_list_find and PCRE2 find the same matches until a limit is reached; each search
 * begins after the previous match. Returns true without checking if the text is invalid UTF-8; see
 * finds_lines. */
static bool finds_list(const struct regex_rig *rig, const uint8_t *text, size_t n_bytes)
{
	const PCRE2_SIZE *places = pcre2_get_ovector_pointer(rig->match_data);
	bool is_same = true;
	for (size_t i = 0; i < 2 && rig->seekers[i] && bs_text_is_utf8(text, n_bytes); i++) {
		bool found = true;
		bs_grep_seeker_reset(rig->seekers[i]);
		for (size_t from = 0; found && is_same && from <= n_bytes;) {
			struct bs_grep_span match;
			int wanted = pcre2_match(rig->whole, text, n_bytes, from, 0,
			                         rig->match_data, rig->match_context);
			if (bs_grep_list_find(rig->seekers[i], text, from, n_bytes, false, &match,
			                      &found, NULL) ||
			    (wanted < 0 && wanted != PCRE2_ERROR_NOMATCH))
				break;
			is_same = found == (wanted >= 0) &&
			          (!found || (match.start == places[0] && match.end == places[1]));
			from = found ? match.end + (match.end == match.start) : from;
			while (found && from < n_bytes && (text[from] & 0xc0) == 0x80)
				from++;
		}
	}
	return is_same;
}

static bool has_all(const struct regex_rig *rig, const struct bs_gram_node *node)
{
	for (uint32_t i = 0; i < node->n_keys; i++)
		if (!has_gram(&rig->keys, node->keys[i]))
			return false;
	return true;
}

/* A simple and slow test whether the text's grams satisfy a part of the tree. */
static bool satisfies(const struct regex_rig *rig, const struct bs_gram_node *node)
{
	bool is_and = node->kind == BS_GRAM_AND;
	if (node->kind == BS_GRAM_LITERAL)
		return has_all(rig, node);
	for (uint32_t i = 0; i < node->n_children; i++)
		if (satisfies(rig, &rig->tree->nodes[node->children[i]]) != is_and)
			return !is_and;
	return node->n_children ? is_and : node->kind == BS_GRAM_ANY;
}

enum rig_result rig_ask(struct regex_rig *rig, const uint8_t *text, size_t n_bytes,
                        bool *is_sound_out, bool *holds_out)
{
	find_grams(rig, text, n_bytes);
	*holds_out = satisfies(rig, bs_gram_tree_root(rig->tree)) && has_window(rig, text, n_bytes);
	int found =
		pcre2_match(rig->code, text, n_bytes, 0, 0, rig->match_data, rig->match_context);
	rig->fault = found >= 0 && !*holds_out ? "a match without its grams or window"
	             : found >= 0 && !has_literal(rig, text, n_bytes)
	                     ? "a match without its literal"
	             : !finds_lines(rig, text, n_bytes) ? "other lines among many than alone"
	             : !finds_list(rig, text, n_bytes)  ? "another match in parts than as a whole"
	                                                : NULL;
	*is_sound_out = !rig->fault;
	return found < 0 ? RIG_NO_MATCH : RIG_MATCH;
}

char *rig_tree_text(const struct regex_rig *rig)
{
	struct bs_buffer text = {0};
	must(bs_gram_tree_format(rig->tree, &text, NULL));
	must(bs_buffer_append(&text, "", 1, NULL));
	return (char *)text.data;
}
