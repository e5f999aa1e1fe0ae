/* grep_path.h: prints a file's path: in colour, as a link of the terminal, with another
 * byte for slashes. */
#pragma once

#include "core/program/options.h"
#include "query/regex/text.h"

/* Appends the path; on a terminal without what that would obey. */
void bs_grep_path_append(const struct bs_grep_program *program, const char *path,
                         struct bs_text_writer *to);

/*
 * Links, if the program wants them: what stands between begin and end leads there. target: the
 * file, of which place holds what bs_grep_link_place has made of its path, NUL-ended; nothing is
 * appended if that is empty, as it is if the file is not there or there are no links. line and
 * column: 0 counts as 1. BS_NO_MEMORY.
 */
enum bs_status bs_grep_link_place(const struct bs_grep_program *program, const char *path,
                                  struct bs_buffer *place, struct bs_error *err) BS_WARN_UNUSED;
void bs_grep_link_begin(const struct bs_grep_program *program, const struct bs_buffer *place,
                        uint64_t line, uint64_t column, struct bs_text_writer *to);
void bs_grep_link_end(const struct bs_buffer *place, struct bs_text_writer *to);
/* Whether the target depends on the line. */
bool bs_grep_link_has_line(const struct bs_grep_program *program);
