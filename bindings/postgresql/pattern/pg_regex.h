/*
 * pg_regex.h: translates PostgreSQL's regular expressions for the library.
 *
 * bsp_regex_pattern returns a tree, owned by the current memory context. It matches every text that
 * the original expression matches, and may match more. So a text that the tree rejects cannot
 * match. An expression with a construct that is not understood matches everything.
 */
#ifndef BINDINGS_POSTGRESQL_PATTERN_PG_REGEX_H
#define BINDINGS_POSTGRESQL_PATTERN_PG_REGEX_H

#include "postgres.h"

#include "core/bitsift/pattern_tree.h"

struct bs_pattern_tree *bsp_regex_pattern(const char *pattern, size_t n_bytes, bool is_caseless,
                                          Oid collation);

#endif
