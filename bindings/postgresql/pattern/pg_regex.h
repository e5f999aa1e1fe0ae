/*
 * pg_regex.h: regular expressions of PostgreSQL, as the library understands them.
 *
 * bsp_regex_pattern appends a pattern of PCRE2, in UTF-8, in which a dot is any character. It matches
 * every text that the original matches, and perhaps more: a text that it rules out cannot match.
 * Constructs that are not understood match everything.
 */
#ifndef BINDINGS_POSTGRESQL_PATTERN_PG_REGEX_H
#define BINDINGS_POSTGRESQL_PATTERN_PG_REGEX_H

#include "postgres.h"

#include "lib/stringinfo.h"

/* *caseless_out: its letters are those of both cases. */
void bsp_regex_pattern(StringInfo out, const char *pattern, size_t n_bytes, bool is_caseless, Oid collation,
                       bool *caseless_out);

#endif
