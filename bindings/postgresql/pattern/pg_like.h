/*
 * pg_like.h: translates patterns of LIKE and ILIKE for the library.
 *
 * bsp_like_pattern returns a tree, owned by the current memory context. It matches every text that
 * the original pattern matches, and may match more. So a text that the tree rejects cannot match.
 * Invalid UTF-8 in the pattern matches any text.
 */
#ifndef BINDINGS_POSTGRESQL_PATTERN_PG_LIKE_H
#define BINDINGS_POSTGRESQL_PATTERN_PG_LIKE_H

#include "postgres.h"

#include "core/bitsift/pattern_tree.h"

struct bs_pattern_tree *bsp_like_pattern(const char *pattern, size_t n_bytes, bool is_caseless,
                                         Oid collation);

#endif
