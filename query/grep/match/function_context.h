/* function_context.h: --enclosing: the last heading (the first line of a function or class, or the
 * heading of a text) up to a place in a text that is let go piece by piece. One thread's, file
 * after file. */
#pragma once

#include "core/base/buffer.h"

struct bs_function_context {
	/* The heading. */
	bool has_line;
	struct bs_buffer line; /* with its end */
	uint64_t file_off;
	uint64_t number; /* 0: not counted */
	/* How it is found. */
	struct bs_headings *headings;
	uint8_t line_end;
	uint64_t seen_end; /* lines before this offset in the file were looked at */
};

enum bs_status bs_function_context_new(uint8_t line_end, struct bs_function_context **enclosing_out,
                                       struct bs_error *err) BS_WARN_UNUSED;
void bs_function_context_free(struct bs_function_context *context);

/* A file begins. BS_NO_MEMORY. */
enum bs_status bs_function_context_begin(struct bs_function_context *context, const char *path,
                                         struct bs_error *err) BS_WARN_UNUSED;
/*
 * Goes on to upto, in a text that begins at text_off in the file: the start of the line of that
 * number, 0 if they are not counted. What is before the text was looked at. From the last line
 * back, as far as a heading: each line once at most. BS_NO_MEMORY.
 */
enum bs_status bs_function_context_go_on(struct bs_function_context *context, const uint8_t *text,
                                         uint64_t text_off, size_t upto, uint64_t number,
                                         struct bs_error *err) BS_WARN_UNUSED;
