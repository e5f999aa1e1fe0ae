/* grep_code.h: a pattern as PCRE2 has it. It becomes machine code when it is first matched with:
 * most searches need one of several. */
#pragma once

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <pthread.h>
#include <stdatomic.h>

#include "core/bitsift/grep_request.h"
#include "query/regex/pattern.h"

struct bs_grep_code {
	pcre2_code *code; /* or NULL */
	size_t n_groups;  /* of the pattern */
	atomic_bool is_ready;
};

/* text, NUL-ended, of the pattern or a part of it. is_ascii: for ASCII text only. BS_INVALID for
 * one that does not compile, the message being one line with the place; is_too_large_out, unless
 * NULL: because PCRE2 has no room for it. */
enum bs_status bs_grep_code_compile(const struct bs_grep_pattern *pattern,
                                    const struct bs_grep_analysis *analysis,
                                    const struct bs_buffer *text, bool is_ascii,
                                    struct bs_grep_code *code_out, bool *is_too_large_out,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* The code, to be matched with. mutex: held while machine code is made. Any thread. */
const pcre2_code *bs_grep_code_ready(struct bs_grep_code *code, pthread_mutex_t *mutex);

/*
 * pcre2_match. Where a deadline may end the call (core/system/deadline.h), in attempts: each may
 * take only so many steps, so that it takes about a millisecond, and if that was not enough, the
 * next one may take more. longest_bytes: of the lines in text, which a step may have to look
 * through. context is what the code is matched with, and has no limit of its own.
 */
int bs_grep_code_match(const pcre2_code *code, const uint8_t *text, size_t end, size_t from,
                       size_t longest_bytes, pcre2_match_data *data, pcre2_match_context *context);

/* BS_UNSUPPORTED for what pcre2_match returned, if that is a failure; or why the call is to end. */
enum bs_status bs_grep_code_check(int result, struct bs_error *err) BS_WARN_UNUSED;

/* Which PCRE2 is at work, in two lines, for people. Returns their length. */
size_t bs_grep_engine_format(char out[128]);
