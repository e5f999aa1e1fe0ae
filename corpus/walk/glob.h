/*
 * glob.h: matches a glob against a path, on raw bytes, by the rules of ripgrep 15's ignore files
 * and -g.
 *
 *     *        any bytes except /            [a-z] [!a] [^a]   a byte of a set, maybe /
 *     ?        a byte except /               {a,b}             an alternative, may nest  
 *     **       any components, if it is a    \x                x itself
 *              whole component; otherwise *
 *
 * A glob matches a whole path; "anywhere below" is a leading "**" component, which ignore.h adds.
 * Private to corpus/.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vector.h"

/* A path to match, without a leading or trailing slash. name_off: offset of its last component. */
struct bs_glob_path {
	const uint8_t *bytes;
	size_t n_bytes;
	size_t name_off;
};

struct bs_glob_token;
struct bs_byte_set;
BS_VECTOR(bs_glob_tokens, struct bs_glob_token);
BS_VECTOR(bs_byte_sets, struct bs_byte_set);

/* How a glob is matched, fastest first. */
enum bs_glob_kind {
	BS_GLOB_PATH,        /* the path equals the literal */
	BS_GLOB_NAME,        /* the name equals the literal */
	BS_GLOB_NAME_ENDING, /* the name ends with the literal */
	BS_GLOB_NAME_TOKENS, /* the tokens match the name */
	BS_GLOB_PATH_TOKENS, /* the tokens match the path */
};

/* A compiled glob. Private to glob.c, except last_byte. */
struct bs_glob {
	enum bs_glob_kind kind;
	int16_t last_byte; /* last byte of every matching path; -1: any byte */
	bool is_caseless;  /* literal, and the bytes of tokens, are in lower case */
	/* kinds with a literal: the literal; kinds with tokens: bytes that every match contains */
	uint8_t *literal;
	size_t literal_bytes;
	struct bs_glob_tokens tokens; /* for the kinds NAME_TOKENS and PATH_TOKENS */
	struct bs_byte_sets sets;
	uint64_t *states; /* scratch of a match: two sets of states */
};

/* Flags of bs_glob_init. */
#define BS_GLOB_CASELESS     1u /* ASCII letters match in either case */
#define BS_GLOB_UNCLOSED_SET 2u /* a [ without a ] is a literal byte instead of an error */

/* Compiles a pattern, which is not kept. BS_INVALID for an invalid glob (an unclosed [ or {, a }
 * without {, a descending range, a \ at the end, more than 64 KiB); err names it. BS_NO_MEMORY.
 * After a failure bs_glob_deinit is not needed. */
enum bs_status bs_glob_init(struct bs_glob *glob, const uint8_t *pattern, size_t pattern_bytes,
                            unsigned flags, struct bs_error *err) BS_WARN_UNUSED;

/* Takes at most time proportional to path times pattern, for any pattern. Not thread-safe: uses
 * scratch in glob. */
bool bs_glob_match(struct bs_glob *glob, const struct bs_glob_path *path);

/* True if only the last component of a path decides. */
bool bs_glob_is_about_name(const struct bs_glob *glob);

void bs_glob_deinit(struct bs_glob *glob);
