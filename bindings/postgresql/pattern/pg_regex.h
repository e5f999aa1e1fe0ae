/*
 * pg_regex.h: regular expressions of PostgreSQL, as the library understands them.
 *
 * bsp_regex_pattern returns a tree, which belongs to the current memory context. It matches every
 * text that the original matches, and perhaps more: a text that it rules out cannot match.
 * Constructs that are not understood match everything.
 */
#ifndef BINDINGS_POSTGRESQL_PATTERN_PG_REGEX_H
#define BINDINGS_POSTGRESQL_PATTERN_PG_REGEX_H

#include "postgres.h"

#include "core/bitsift/pattern_tree.h"

struct bs_pattern_tree *bsp_regex_pattern(const char *pattern, size_t n_bytes, bool is_caseless,
                                          Oid collation);

#endif
