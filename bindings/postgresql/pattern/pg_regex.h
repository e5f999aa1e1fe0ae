/*
 * pg_regex.h: regular expressions of PostgreSQL, as the library understands them.
 *
 * The pattern that is appended is one of PCRE2, in UTF-8, in which a dot is any character. It need not mean the same: it matches every text
 * that the pattern matches, and perhaps more, so that nothing which it rules out matches. What is not surely understood matches all.
 */
#ifndef BINDINGS_POSTGRESQL_PATTERN_PG_REGEX_H
#define BINDINGS_POSTGRESQL_PATTERN_PG_REGEX_H

#include "postgres.h"

#include "lib/stringinfo.h"

/* *caseless_out: its letters are those of both cases. */
void bsp_regex_pattern(StringInfo out, const char *pattern, size_t n_bytes, bool is_caseless, Oid collation,
                       bool *caseless_out);

#endif
