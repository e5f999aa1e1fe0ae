/* grep_code.h: a pattern compiled by PCRE2. It is JIT-compiled when it is first used, because most
 * searches use only one of several codes. */
#pragma once

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <pthread.h>
#include <stdatomic.h>

#include "core/bitsift/grep_request.h"
#include "query/regex/pattern.h"

struct bs_grep_code {
	pcre2_code *code; /* NULL: none */
	size_t n_groups;  /* an upper bound of the nesting of groups */
	/* number of capturing groups that were added to the pattern; their numbers follow those of
	 * its own groups */
	uint32_t n_defined;
	atomic_bool is_ready;
};

/* The text that a code is for. */
enum bs_grep_code_use {
	BS_GREP_CODE_CHARACTERS, /* any text, by characters; with analysis->is_by_bytes, as ALL */
	BS_GREP_CODE_ASCII,      /* ASCII text */
	BS_GREP_CODE_BYTES,      /* any text, by bytes, for a pattern of bs_grep_write_bytes */
	BS_GREP_CODE_ALL,        /* any text, by bytes, for another pattern; not for callers */
};

/* Compiles `text`, the NUL-terminated pattern or a part of it, for one kind of text to search.
 * BS_INVALID: it does not compile; the message is one line with the position. *is_too_large_out
 * (nullable): it does not compile because it exceeds PCRE2's size limit. */
enum bs_status bs_grep_code_compile(const struct bs_grep_pattern *pattern,
                                    const struct bs_grep_analysis *analysis,
                                    const struct bs_buffer *text, enum bs_grep_code_use use,
                                    struct bs_grep_code *code_out, bool *is_too_large_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Returns the code, JIT-compiled if possible. mutex is held during JIT compilation. Thread-safe. */
const pcre2_code *bs_grep_code_ready(struct bs_grep_code *code, pthread_mutex_t *mutex);

/*
 * Like pcre2_match. If a deadline may end the call (core/system/deadline.h), the function matches
 * in attempts: each is limited to a number of steps that take about half a millisecond; if a match
 * needs more, a later attempt gets more. longest_bytes: the length of the longest line in text,
 * which one step may scan. most_steps: PCRE2's match limit, for each start of a match. context:
 * used for the match; its limits are set.
 */
int bs_grep_code_match(const pcre2_code *code, const uint8_t *text, size_t end, size_t from,
                       size_t longest_bytes, uint32_t most_steps, pcre2_match_data *data,
                       pcre2_match_context *context);
/* PCRE2's default for most_steps. */
uint32_t bs_grep_code_most_steps(void);

/* Checks a result of bs_grep_code_match. BS_OK: a match or no match. BS_UNSUPPORTED: PCRE2 failed.
 * If the deadline is over: its status. */
enum bs_status bs_grep_code_check(int result, struct bs_error *err) BS_WARN_UNUSED;

/* Formats the version of PCRE2 for users, in one line with its line feed. Returns its length. */
size_t bs_grep_engine_format(char out[128]);
