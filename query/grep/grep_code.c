/* grep_code.c: see grep_code.h. */
#include "query/grep/grep_code.h"

#include <stdio.h>

/* Of a pattern that is refused so much is shown. */
#define SHOWN_BYTES 200

static enum bs_status refuse(const struct bs_buffer *text, int code, size_t off, struct bs_error *err)
{
	char why[200];
	const char *hint = "";
	int n_shown = text->used_bytes - 1 > SHOWN_BYTES ? SHOWN_BYTES : (int)text->used_bytes - 1;
	while (n_shown > 0 && n_shown == SHOWN_BYTES && (text->data[n_shown] & 0xc0) == 0x80)
		n_shown--;
	pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why));
	if (code == PCRE2_ERROR_PATTERN_TOO_LARGE)
		hint = "; PCRE2 holds 64 KiB of a pattern with its repetitions written out, and only alternatives at "
		       "the "
		       "outermost level may be more";
	if (code == PCRE2_ERROR_QUANTIFIER_TOO_BIG)
		hint = "; 65535 is the most";
	return bs_fail(err, BS_INVALID, "the pattern does not compile: %s%s (at byte %zu of %.*s%s)", why, hint, off,
	               n_shown, (const char *)text->data, (size_t)n_shown < text->used_bytes - 1 ? "..." : "");
}

enum bs_status bs_grep_code_compile(const struct bs_grep_pattern *pattern, const struct bs_grep_analysis *analysis,
                                    const struct bs_buffer *text, bool is_ascii, struct bs_grep_code *code_out,
                                    bool *is_too_large_out, struct bs_error *err)
{
	uint32_t options = PCRE2_MULTILINE;
	int error = 0;
	PCRE2_SIZE off;
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	if (!context)
		return bs_fail_memory(err, "a pattern", text->used_bytes);
	/* Line by line there is no line end left to be told from a lone CR; rg -P does not tell them apart. */
	bool is_any_newline = pattern->crlf && (pattern->is_pcre2 || pattern->is_multi_line);
	pcre2_set_newline(context, is_any_newline ? PCRE2_NEWLINE_ANYCRLF : PCRE2_NEWLINE_LF);
	if (!is_ascii && !pattern->no_unicode)
		options |= PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF;
	/* Scar: for .*x PCRE2 tries only the starts of lines; a match behind an invalid byte was not found. */
	if (!is_ascii && !pattern->is_pcre2)
		options |= PCRE2_NO_DOTSTAR_ANCHOR;
	/* Behind the last line feed there is a line's start, for rg's own engine. */
	if (pattern->is_multi_line && !pattern->is_pcre2)
		options |= PCRE2_ALT_CIRCUMFLEX;
	if (analysis->is_caseless)
		options |= PCRE2_CASELESS;
	if (pattern->is_multi_line && pattern->dot_all)
		options |= PCRE2_DOTALL;
	code_out->code = pcre2_compile(text->data, text->used_bytes - 1, options, &error, &off, context);
	pcre2_compile_context_free(context);
	if (is_too_large_out)
		*is_too_large_out = !code_out->code && error == PCRE2_ERROR_PATTERN_TOO_LARGE;
	return code_out->code ? BS_OK : refuse(text, error, off, err);
}

const pcre2_code *bs_grep_code_ready(struct bs_grep_code *code, pthread_mutex_t *mutex)
{
	if (atomic_load_explicit(&code->is_ready, memory_order_acquire))
		return code->code;
	pthread_mutex_lock(mutex);
	/* Without JIT (not on every machine) it is slower, nothing else. */
	if (!atomic_load_explicit(&code->is_ready, memory_order_relaxed))
		(void)pcre2_jit_compile(code->code, PCRE2_JIT_COMPLETE);
	atomic_store_explicit(&code->is_ready, true, memory_order_release);
	pthread_mutex_unlock(mutex);
	return code->code;
}

enum bs_status bs_grep_code_check(int result, struct bs_error *err)
{
	char why[200];
	if (result >= 0 || result == PCRE2_ERROR_NOMATCH)
		return BS_OK;
	pcre2_get_error_message(result, (PCRE2_UCHAR *)why, sizeof(why));
	return bs_fail(err, BS_UNSUPPORTED, "given up: the pattern takes too long here (%s)", why);
}

size_t bs_grep_engine_format(char out[128])
{
	char version[64] = "";
	uint32_t has_jit = 0;
	(void)pcre2_config(PCRE2_CONFIG_VERSION, version);
	(void)pcre2_config(PCRE2_CONFIG_JIT, &has_jit);
	version[strcspn(version, " ")] = '\0';
	return (size_t)snprintf(out, 128, "PCRE2 %s is available\nJIT is %savailable\n", version, has_jit ? "" : "not ");
}
