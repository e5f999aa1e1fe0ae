/* grep_code.c: see grep_code.h. */
#include "query/grep/match/grep_code.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/bitsift/grep_request.h"
#include "core/bitsift/status.h"
#include "core/system/deadline.h"
#include "query/regex/pcre2_compile.h"
#include "query/regex/rust/rust_words.h"
#include "query/regex/text.h"

#define COMPILE_NS       5000u /* estimated time to compile a pattern, without its bytes */
#define COMPILED_BYTE_NS 50u   /* estimated time per byte of a pattern */

/* most bytes shown of a pattern that does not compile */
#define SHOWN_BYTES 200

/* how many levels deeper the groups of a pattern can be nested after bs_rust_words */
#define WORDS_LEVELS 4u

static enum bs_status refuse(const struct bs_buffer *text, int code, size_t off,
                             struct bs_error *err)
{
	char why[200];
	const char *hint = "";
	int n_shown = (int)bs_text_excerpt(text->data, text->used_bytes - 1, SHOWN_BYTES);
	pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why));
	if (code == PCRE2_ERROR_PATTERN_TOO_LARGE)
		hint = "; PCRE2 holds 64 KiB of a pattern with its repetitions written out (each "
		       "\\w, \\s and \\b takes 3 bytes), and only alternatives at the outermost "
		       "level may be more";
	if (code == PCRE2_ERROR_QUANTIFIER_TOO_BIG)
		hint = "; 65535 is the most";
	return bs_fail(err, BS_INVALID,
	               "the pattern does not compile: %s%s (at byte %zu of %.*s%s)", why, hint, off,
	               n_shown, (const char *)text->data,
	               (size_t)n_shown < text->used_bytes - 1 ? "..." : "");
}

/* Compiles a pattern with Unicode's definitions of words (rust_words.h). Calls of the definitions
 * are slower to match, so they are only used if the pattern does not compile otherwise. *error_out,
 * *off_out: why it does not compile, and the position in text. */
static enum bs_status compile_words(const struct bs_buffer *text, uint32_t options,
                                    pcre2_compile_context *context, struct bs_grep_code *code_out,
                                    int *error_out, size_t *off_out, struct bs_error *err)
{
	struct bs_rust_words words = {.is_changed = true};
	enum bs_status status = BS_OK;
	int plain_error;
	for (int i = 0; i < 2 && words.is_changed && !code_out->code && !status; i++) {
		bs_buffer_clear(&words.text);
		words.is_changed = false;
		status = bs_rust_words(text->data, text->used_bytes - 1, i > 0, &words, err);
		if (!status)
			status = bs_deadline_check_after(words.text.used_bytes * COMPILED_BYTE_NS,
			                                 err);
		if (!status)
			code_out->code = bs_pcre2_compile(words.text.data, words.text.used_bytes,
			                                  options, error_out, off_out, context);
	}
	code_out->n_groups += WORDS_LEVELS;
	code_out->n_defined = words.n_defined;
	bs_buffer_deinit(&words.text);
	if (status || code_out->code || !words.is_changed)
		return status;
	/* Compile the original text, without the definitions. If this fails, too, the pattern
	 * itself is invalid, and this error is reported. */
	pcre2_code *plain = bs_pcre2_compile(text->data, text->used_bytes - 1, options,
	                                     &plain_error, off_out, context);
	if (!plain) {
		*error_out = plain_error;
	} else if (*error_out == PCRE2_ERROR_UNKNOWN_UNICODE_PROPERTY) {
		/* PCRE2 before 10.40 lacks some of the properties. \w then has PCRE2's meaning. */
		code_out->code = plain;
	} else {
		*off_out = text->used_bytes - 1;
		pcre2_code_free(plain);
	}
	return BS_OK;
}

enum bs_status bs_grep_code_compile(const struct bs_grep_pattern *pattern,
                                    const struct bs_grep_analysis *analysis,
                                    const struct bs_buffer *text, enum bs_grep_code_use use,
                                    struct bs_grep_code *code_out, bool *is_too_large_out,
                                    struct bs_error *err)
{
	uint32_t options = PCRE2_MULTILINE;
	if (use == BS_GREP_CODE_CHARACTERS && analysis->is_by_bytes)
		use = BS_GREP_CODE_ALL;
	int error = 0;
	PCRE2_SIZE off;
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	if (!context)
		return bs_fail_memory(err, "a pattern", text->used_bytes);
	/* In these cases rg lets a lone CR end a line, too. */
	bool is_any_newline =
		pattern->crlf && (pattern->is_pcre2 || pattern->is_multi_line || analysis->is_rust);
	bs_pcre2_guard_stack(context);
	pcre2_set_newline(context, is_any_newline ? PCRE2_NEWLINE_ANYCRLF : PCRE2_NEWLINE_LF);
	if (use == BS_GREP_CODE_CHARACTERS)
		options |= PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF;
	/* Without this option, PCRE2 tries only the starts of lines for .*x, and misses a match
	 * after an invalid byte. */
	if (use != BS_GREP_CODE_ASCII && !pattern->is_pcre2)
		options |= PCRE2_NO_DOTSTAR_ANCHOR;
	/* In rg's own engine ^ also matches at the end of the text, after a line feed (with -U or
	 * --null-data) or a lone CR (with --crlf). */
	if (!pattern->is_pcre2 && (pattern->is_multi_line || pattern->null_data || pattern->crlf))
		options |= PCRE2_ALT_CIRCUMFLEX;
	/* The text of bs_grep_write_bytes has all letter cases written out. */
	if (analysis->is_caseless && use != BS_GREP_CODE_BYTES)
		options |= PCRE2_CASELESS;
	if (pattern->is_multi_line && pattern->dot_all)
		options |= PCRE2_DOTALL;
	enum bs_status status =
		bs_deadline_check_after(COMPILE_NS + text->used_bytes * COMPILED_BYTE_NS, err);
	if (status) {
		pcre2_compile_context_free(context);
		return status;
	}
	/* \G matches where a search begins, so a search for it must not be split into attempts. */
	if (bs_deadline_here && !memmem(text->data, text->used_bytes, "\\G", 2))
		options |= PCRE2_USE_OFFSET_LIMIT;
	code_out->n_groups = bs_pcre2_groups(text->data, text->used_bytes);
	if (use == BS_GREP_CODE_CHARACTERS && analysis->is_rust)
		status = compile_words(text, options, context, code_out, &error, &off, err);
	else
		code_out->code = bs_pcre2_compile(text->data, text->used_bytes - 1, options, &error,
		                                  &off, context);
	pcre2_compile_context_free(context);
	if (status)
		return status;
	if (is_too_large_out)
		*is_too_large_out = !code_out->code && error == PCRE2_ERROR_PATTERN_TOO_LARGE;
	return code_out->code ? BS_OK : refuse(text, error, off, err);
}

const pcre2_code *bs_grep_code_ready(struct bs_grep_code *code, pthread_mutex_t *mutex)
{
	if (atomic_load_explicit(&code->is_ready, memory_order_acquire))
		return code->code;
	pthread_mutex_lock(mutex);
	/* Without JIT, which some machines lack, matching is only slower. */
	if (!atomic_load_explicit(&code->is_ready, memory_order_relaxed))
		(void)bs_pcre2_jit_compile(code->code, code->n_groups);
	atomic_store_explicit(&code->is_ready, true, memory_order_release);
	pthread_mutex_unlock(mutex);
	return code->code;
}

/*
 * PCRE2 cannot be interrupted. If the call has a deadline, a text is therefore searched in several
 * calls of pcre2_match, called attempts, each of which should take about ATTEMPT_NS.
 *
 * An attempt tries n_starts start positions (PCRE2's offset limit) and allows each the same number
 * of steps (PCRE2's match limit, which JIT code counts anew for each start). One step may scan the
 * longest line, at an assumed four bytes per nanosecond, so long lines get fewer steps.
 *
 * If an attempt finds nothing, the next one continues at the following starts, with more starts if
 * this one was fast. If a start exceeds its steps, the next attempt tries fewer starts from the
 * same position. A single start that exceeds its steps gets more steps, as long as there is time.
 */
#define ATTEMPT_NS    400000u
#define ATTEMPT_BYTES ((uint64_t)4 * ATTEMPT_NS) /* bytes that the steps of an attempt may scan */
#define FIRST_STARTS  1024u
#define STARTS_GROWTH 8u /* factor of n_starts after a fast attempt */
/* The bounds of the factor by which a single start gets more steps for its next attempt. */
#define MOST_GROWTH  8.0
#define LEAST_GROWTH 2.0
#define MATCH_NS     100u /* estimated time of a match, without the bytes that it scans */

struct attempts {
	const pcre2_code *code;
	const uint8_t *text;
	size_t end;
	bool is_utf8, can_split;
	size_t at, n_starts, next; /* the attempt tries starts in [at, next) */
	/* n_steps: the limit for all starts of an attempt together; first_steps: its first value */
	uint64_t first_steps, n_steps;
	uint32_t most_steps; /* most steps of one start */
};

/* The steps of the next attempt at a single start position, after an attempt with n_steps took
 * spent_ns. 0: there is no time left. */
static uint64_t more_steps(uint64_t n_steps, uint64_t spent_ns)
{
	uint64_t left_ns = bs_deadline_left_ns();
	double growth = (double)ATTEMPT_NS / (double)(spent_ns + 1);
	growth = growth > MOST_GROWTH ? MOST_GROWTH : growth < LEAST_GROWTH ? LEAST_GROWTH : growth;
	if (left_ns < UINT64_MAX / 2 && growth * (double)spent_ns > (double)(left_ns + ATTEMPT_NS))
		growth = (double)(left_ns + ATTEMPT_NS) / (double)spent_ns;
	return growth < 1 ? 0 : (uint64_t)(growth * (double)n_steps) + 1;
}

static int attempt(struct attempts *attempts, pcre2_match_data *data, pcre2_match_context *context)
{
	size_t left = attempts->end - attempts->at,
	       n = attempts->can_split && attempts->n_starts < left ? attempts->n_starts : left + 1;
	uint64_t n_steps = attempts->n_steps / n + 1;
	attempts->next = attempts->at + n;
	/* The next attempt must not begin within a character. */
	while (attempts->is_utf8 && attempts->next < attempts->end &&
	       (attempts->text[attempts->next] & 0xc0) == 0x80)
		attempts->next++;
	(void)pcre2_set_match_limit(context, n_steps < attempts->most_steps ? (uint32_t)n_steps
	                                                                    : attempts->most_steps);
	if (attempts->can_split)
		(void)pcre2_set_offset_limit(context, attempts->next - 1);
	return pcre2_match(attempts->code, attempts->text, attempts->end, attempts->at, 0, data,
	                   context);
}

/* Prepares the next attempt after one that found nothing. False: there is no next attempt. */
static bool prepare_next(struct attempts *attempts, int result, uint64_t spent_ns)
{
	size_t n_starts = attempts->next - attempts->at;
	if (result == PCRE2_ERROR_NOMATCH) {
		attempts->at = attempts->next;
		attempts->n_steps = attempts->first_steps;
		attempts->n_starts = spent_ns < ATTEMPT_NS / STARTS_GROWTH
		                             ? n_starts * STARTS_GROWTH
		                     : spent_ns > ATTEMPT_NS ? n_starts / 2 + 1
		                                             : n_starts;
		return attempts->at <= attempts->end;
	}
	if (attempts->n_steps / n_starts >= attempts->most_steps)
		return false;
	if (attempts->can_split && attempts->n_starts > 1) {
		attempts->n_starts = n_starts / (2 * STARTS_GROWTH) + 1 < n_starts
		                             ? n_starts / (2 * STARTS_GROWTH) + 1
		                             : 1;
		return true;
	}
	attempts->n_steps = more_steps(attempts->n_steps, spent_ns);
	if (attempts->n_steps == 0)
		bs_deadline_give_up();
	return attempts->n_steps > 0;
}

static int match_in_attempts(struct attempts *attempts, size_t longest_bytes,
                             pcre2_match_data *data, pcre2_match_context *context)
{
	uint32_t options = 0;
	int result;
	uint64_t start_ns = bs_now_ns(), spent_ns;
	(void)pcre2_pattern_info(attempts->code, PCRE2_INFO_ALLOPTIONS, &options);
	attempts->is_utf8 = options & PCRE2_UTF;
	attempts->can_split = options & PCRE2_USE_OFFSET_LIMIT;
	attempts->n_steps = attempts->first_steps = ATTEMPT_BYTES / (longest_bytes + 1) + 1;
	/* Each start takes at least a step. */
	attempts->n_starts =
		attempts->n_steps < FIRST_STARTS ? (size_t)attempts->n_steps : FIRST_STARTS;
	do {
		result = attempt(attempts, data, context);
		spent_ns = bs_now_ns() - start_ns;
		start_ns += spent_ns;
		bool is_left = attempts->next <= attempts->end;
		if (result != PCRE2_ERROR_MATCHLIMIT &&
		    (result != PCRE2_ERROR_NOMATCH || !is_left)) {
			(void)!bs_deadline_check_after(
				spent_ns < ATTEMPT_NS ? spent_ns : ATTEMPT_NS, NULL);
			break;
		}
		/* Spends the time in advance: the next attempt may take as long as this one. */
		if (bs_deadline_check_after(spent_ns > ATTEMPT_NS ? spent_ns : ATTEMPT_NS, NULL)) {
			result = PCRE2_ERROR_MATCHLIMIT;
			break;
		}
	} while (prepare_next(attempts, result, spent_ns));
	(void)pcre2_set_offset_limit(context, PCRE2_UNSET);
	return result;
}

int bs_grep_code_match(const pcre2_code *code, const uint8_t *text, size_t end, size_t from,
                       size_t longest_bytes, uint32_t most_steps, pcre2_match_data *data,
                       pcre2_match_context *context)
{
	(void)pcre2_set_match_limit(context, most_steps);
	if (!bs_deadline_here)
		return pcre2_match(code, text, end, from, 0, data, context);
	/* A single step cannot be interrupted, and may scan the longest line. */
	if (bs_deadline_check_after(MATCH_NS + longest_bytes, NULL))
		return PCRE2_ERROR_MATCHLIMIT;
	struct attempts attempts = {
		.code = code, .text = text, .end = end, .at = from, .most_steps = most_steps};
	return match_in_attempts(&attempts, longest_bytes, data, context);
}

uint32_t bs_grep_code_most_steps(void)
{
	uint32_t most_steps = UINT32_MAX;
	(void)pcre2_config(PCRE2_CONFIG_MATCHLIMIT, &most_steps);
	return most_steps;
}

enum bs_status bs_grep_code_check(int result, struct bs_error *err)
{
	char why[200];
	if (result >= 0 || result == PCRE2_ERROR_NOMATCH)
		return BS_OK;
	if (bs_deadline_is_over())
		return bs_deadline_check(err);
	pcre2_get_error_message(result, (PCRE2_UCHAR *)why, sizeof(why));
	return bs_fail(err, BS_UNSUPPORTED,
	               "not searched to its end: the pattern takes too long (%s)", why);
}

size_t bs_grep_engine_format(char out[128])
{
	char version[64] = "";
	uint32_t has_jit = 0;
	(void)pcre2_config(PCRE2_CONFIG_VERSION, version);
	(void)pcre2_config(PCRE2_CONFIG_JIT, &has_jit);
	version[strcspn(version, " ")] = '\0';
	return (size_t)snprintf(out, 128, "PCRE2 %s is available (JIT is %savailable)\n", version,
	                        has_jit ? "" : "not ");
}
