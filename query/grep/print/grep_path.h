/* grep_path.h: prints a file's path; if the program wants it, in colour, as a terminal link or with
 * another separator instead of slashes. */
#pragma once

#include "core/program/options.h"
#include "query/regex/text.h"

/* Appends the path. If the output is a terminal, control characters are escaped. */
void bs_grep_path_append(const struct bs_grep_program *program, const char *path,
                         struct bs_text_writer *to);

/*
 * Terminal links, if the program wants them: the text between bs_grep_link_begin and
 * bs_grep_link_end is the link. bs_grep_link_place sets *place to the file's encoded path,
 * NUL-terminated. If no links are wanted or the file is missing, *place is empty, and the other two
 * append nothing. line and column: 0 counts as 1. BS_NO_MEMORY.
 */
enum bs_status bs_grep_link_place(const struct bs_grep_program *program, const char *path,
                                  struct bs_buffer *place, struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_link_begin(const struct bs_grep_program *program, const struct bs_buffer *place,
                        uint64_t line, uint64_t column, struct bs_text_writer *to);
void bs_grep_link_end(const struct bs_buffer *place, struct bs_text_writer *to);
/* True if the link target contains the line number. */
bool bs_grep_link_has_line(const struct bs_grep_program *program);
