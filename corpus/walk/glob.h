/*
 * glob.h: one glob against one path, on raw bytes, by the rules of ripgrep 13's ignore files and
 * -g.
 *
 *     *        any bytes but /                  [a-z] [!a] [^a]   one byte of a set; the set may
 *       hold /
 *     ?        one byte but /                   {a,b}             one of the alternatives, not
 *       nested
 *     **       whole components, where it       \x                x itself
 *              stands as one; otherwise as *
 *
 * A glob matches a whole path; "anywhere below" is a leading "**" component, which ignore.h adds.
 * Private to corpus/.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/vector.h"

/* A path to be matched; name_off is where its last component starts. It has no leading and no
 * trailing slash. */
struct bs_glob_path {
	const uint8_t *bytes;
	size_t n_bytes;
	size_t name_off;
};

struct bs_glob_token;
struct bs_byte_set;
BS_VECTOR(bs_glob_tokens, struct bs_glob_token);
BS_VECTOR(bs_byte_sets, struct bs_byte_set);

/* How the path is looked at, cheapest first. */
enum bs_glob_kind {
	BS_GLOB_NEVER,       /* cannot match; see the scar in glob.c */
	BS_GLOB_PATH,        /* the path is these bytes */
	BS_GLOB_NAME,        /* the name is these bytes */
	BS_GLOB_NAME_ENDING, /* the name ends in these bytes */
	BS_GLOB_NAME_TOKENS, /* the tokens match the name */
	BS_GLOB_PATH_TOKENS, /* the tokens match the path */
};

/* A compiled glob. Fields are for glob.c only, but last_byte. */
struct bs_glob {
	enum bs_glob_kind kind;
	int16_t last_byte; /* a path that ends in another byte cannot match; -1: any may */
	/* "anywhere below" does not reach across a folder with a line feed in its name */
	bool stops_at_line_feed;
	uint8_t *literal; /* with tokens: bytes that stand in every match */
	size_t literal_bytes;
	struct bs_glob_tokens tokens; /* of the last two kinds */
	struct bs_byte_sets sets;
	uint64_t *states; /* scratch of the match: two sets of states */
};

/* Compiles. The pattern's bytes are not kept. BS_INVALID for a bad glob (an unclosed [ or {, a
 * nested {, a range backwards, a \ at the end, more than 64 KiB), err naming it; BS_NO_MEMORY. On
 * failure there is nothing to deinit. */
enum bs_status bs_glob_init(struct bs_glob *glob, const uint8_t *pattern, size_t pattern_bytes,
                            struct bs_error *err) BS_WARN_UNUSED;

/* Time is at most path times pattern, whatever the pattern. Not thread-safe: uses scratch in
 * glob. */
bool bs_glob_match(struct bs_glob *glob, const struct bs_glob_path *path);

void bs_glob_deinit(struct bs_glob *glob);
