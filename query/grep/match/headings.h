/*
 * headings.h: which lines of a file are headings: the first lines of functions and classes, the headings of a text. What
 * they look like is told by the language, and that by the file's name. The rules find the lines that git's do, which puts
 * them behind the @@ of its diffs (userdiff.c, gitattributes(5)); git is told the language by attributes, not by names.
 */
#ifndef BS_QUERY_GREP_MATCH_HEADINGS_H
#define BS_QUERY_GREP_MATCH_HEADINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

/* A longer line is none: it is no line for people. */
#define BS_HEADING_MOST_BYTES ((size_t)1024)

/* The rules, as far as they were needed. One thread's. */
struct bs_headings;

enum bs_status bs_headings_new(struct bs_headings **headings_out, struct bs_error *err) BS_WARN_UNUSED;
void bs_headings_free(struct bs_headings *headings);

/* The lines that follow are those of this file. BS_NO_MEMORY. */
enum bs_status bs_headings_choose(struct bs_headings *headings, const char *path, struct bs_error *err) BS_WARN_UNUSED;
/* line without its end. */
bool bs_headings_has(const struct bs_headings *headings, const uint8_t *line, size_t n_bytes);

#endif
