/* function_context.h: the function context of --enclosing: the last heading before a position. A
 * heading is the first line of a function or class, or the heading of a section. The text may be
 * dropped piece by piece after it was examined. A context belongs to one thread and is used for one
 * file after the other. */
#pragma once

#include "core/base/buffer.h"

struct bs_function_context {
	/* The heading. */
	bool has_line;
	struct bs_buffer line; /* including its line end */
	uint64_t file_off;
	uint64_t number; /* 0: lines are not counted */
	/* The state of the search for the heading. */
	struct bs_headings *headings;
	uint8_t line_end;
	uint64_t seen_end; /* file offset up to which lines were examined */
};

/* Makes a context for texts whose lines end with line_end. Release *enclosing_out with
 * bs_function_context_free, also after a failure. BS_NO_MEMORY. */
enum bs_status bs_function_context_new(uint8_t line_end, struct bs_function_context **enclosing_out,
                                       struct bs_error *err) BS_WARN_UNUSED;
void bs_function_context_free(struct bs_function_context *context);

/* Begins a file. BS_NO_MEMORY. */
enum bs_status bs_function_context_begin(struct bs_function_context *context, const char *path,
                                         struct bs_error *err) BS_WARN_UNUSED;
/*
 * Advances to text[upto], where line number `number` starts (0: lines are not counted), and finds
 * the last heading before this position. text begins at text_off in the file; the file before
 * text_off must have been examined. Looks backwards from upto; each line is examined at most once.
 * BS_NO_MEMORY.
 */
enum bs_status bs_function_context_go_on(struct bs_function_context *context, const uint8_t *text,
                                         uint64_t text_off, size_t upto, uint64_t number,
                                         struct bs_error *err) BS_WARN_UNUSED;
