/* regex_rig.c: see regex_rig.h. */
#include "tests/regex_rig.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "core/grams.h"
#include "core/kernels.h"
#include "query/grep_window.h"
#include "query/regex_grams.h"

/* Only memory can fail here. */
static void must(enum bs_status status)
{
	if (status)
		abort();
}

static uint32_t pcre2_options(unsigned options)
{
	uint32_t base = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | (options & RIG_CASELESS ? PCRE2_CASELESS : 0);
	if (options & RIG_LITERAL)
		return base | PCRE2_LITERAL;
	return base | PCRE2_UCP | (options & RIG_MULTILINE ? PCRE2_MULTILINE : 0) |
	       (options & RIG_DOTALL ? PCRE2_DOTALL : 0) | (options & RIG_EXTENDED ? PCRE2_EXTENDED : 0);
}

static void forget(struct regex_rig *rig)
{
	pcre2_code_free(rig->code);
	pcre2_match_data_free(rig->match_data);
	bs_gram_tree_free(rig->tree);
	rig->code = rig->match_data = NULL;
	rig->tree = NULL;
}

void rig_close(struct regex_rig *rig)
{
	forget(rig);
	pcre2_match_context_free(rig->match_context);
	bs_buffer_deinit(&rig->folded);
	bs_buffer_deinit(&rig->scratch);
	bs_buffer_deinit(&rig->keys);
	*rig = (struct regex_rig){0};
}

/* Options that a search through text does not have: no window. */
static void choose_window(struct regex_rig *rig, const uint8_t *pattern, size_t n_bytes, unsigned options)
{
	struct bs_grep_window_options wanted = {
		.is_caseless = options & RIG_CASELESS, .keeps_line_end = true, .line_end = '\n'};
	double rate;
	rig->window.n_bytes = 0;
	if (!(options & (RIG_EXTENDED | RIG_LITERAL)))
		must(bs_grep_window_choose(pattern, n_bytes, &wanted, &rig->window, &rate, NULL));
}

static bool has_window(const struct regex_rig *rig, const uint8_t *text, size_t n_bytes)
{
	const struct bs_kernel *kernel;
	must(bs_kernel_choose(NULL, &kernel, NULL));
	return rig->window.n_bytes == 0 || kernel->find_window(text, 0, n_bytes, &rig->window) < n_bytes;
}

enum rig_result rig_open(struct regex_rig *rig, const uint8_t *pattern, size_t n_bytes, unsigned options)
{
	struct bs_pattern one = {pattern, n_bytes};
	struct bs_regex_options analysis = {.is_literal = options & RIG_LITERAL, .is_extended = options & RIG_EXTENDED};
	int code;
	PCRE2_SIZE at;
	forget(rig);
	if (!rig->match_context) {
		rig->match_context = pcre2_match_context_create(NULL);
		pcre2_set_match_limit(rig->match_context, 20000);
		pcre2_set_depth_limit(rig->match_context, 2000);
	}
	choose_window(rig, pattern, n_bytes, options);
	must(bs_regex_grams(&one, 1, &analysis, &rig->tree, NULL));
	rig->code = pcre2_compile(pattern, n_bytes, pcre2_options(options), &code, &at, NULL);
	if (!rig->code)
		return RIG_NO_PATTERN;
	rig->match_data = pcre2_match_data_create_from_pattern(rig->code, NULL);
	return RIG_NO_MATCH;
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static bool has_gram(const void *context, uint64_t key)
{
	const struct bs_buffer *keys = context;
	return keys->used_bytes && bsearch(&key, keys->data, keys->used_bytes / sizeof(key), sizeof(key), compare_keys);
}

/* With repeats. */
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
		qsort(rig->keys.data, rig->keys.used_bytes / sizeof(uint64_t), sizeof(uint64_t), compare_keys);
}

enum rig_result rig_ask(struct regex_rig *rig, const uint8_t *text, size_t n_bytes, bool *is_sound_out, bool *holds_out)
{
	find_grams(rig, text, n_bytes);
	must(bs_gram_tree_test(rig->tree, has_gram, &rig->keys, &rig->scratch, holds_out, NULL));
	*holds_out = *holds_out && has_window(rig, text, n_bytes);
	int found = pcre2_match(rig->code, text, n_bytes, 0, 0, rig->match_data, rig->match_context);
	*is_sound_out = found < 0 || *holds_out;
	return found < 0 ? RIG_NO_MATCH : RIG_MATCH;
}

char *rig_tree_text(const struct regex_rig *rig)
{
	struct bs_buffer text = {0};
	must(bs_gram_tree_format(rig->tree, &text, NULL));
	must(bs_buffer_append(&text, "", 1, NULL));
	return (char *)text.data;
}
