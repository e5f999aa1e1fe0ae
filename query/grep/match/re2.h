/*
 * re2.h: the interface of libbitsift-re2.so, in C. It matches by RE2, whose time is linear in the
 * length of the text. linear_matcher.c loads it when it is first needed (core/system/library.h);
 * without it, patterns that take PCRE2 too long are given up.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of all declarations below; increased when any of them changes. A library with another
 * version is rejected. */
#define BS_RE2_VERSION 1u

/* A compiled pattern. May be used by several threads. */
struct bs_re2_regex;

/* Returns BS_RE2_VERSION of the loaded library. */
uint32_t bs_re2_version(void);
/* Compiles a pattern. pattern: in RE2's syntax, on bytes (Latin-1); ^ and $ match at the ends of
 * the text only. NULL: RE2 refuses it, it is too large, or memory is short. */
struct bs_re2_regex *bs_re2_new(const char *pattern, size_t n_bytes);
/* NULL is allowed. */
void bs_re2_free(struct bs_re2_regex *re2);
/* Finds the leftmost match in text[0..end) that begins at `from` or later. places_out: n_groups
 * pairs of offsets, of the whole match first; SIZE_MAX for a group without a match. Returns 1 for a
 * match, 0 for none, -1 if memory is short. */
int bs_re2_match(const struct bs_re2_regex *re2, const char *text, size_t end, size_t from,
                 size_t *places_out, size_t n_groups);

#ifdef __cplusplus
}
#endif
