/*
 * pg_like.h: patterns of LIKE and ILIKE, as the library understands them.
 *
 * bsp_like_pattern appends a pattern of PCRE2, in UTF-8, in which a dot is any character. It matches
 * every text that the original matches, and perhaps more: a text that it rules out cannot match.
 * Constructs that are not understood match everything.
 */
#ifndef BINDINGS_POSTGRESQL_PATTERN_PG_LIKE_H
#define BINDINGS_POSTGRESQL_PATTERN_PG_LIKE_H

#include "postgres.h"

#include "lib/stringinfo.h"

void bsp_like_pattern(StringInfo out, const char *pattern, size_t n_bytes, bool is_caseless, Oid collation);

#endif
