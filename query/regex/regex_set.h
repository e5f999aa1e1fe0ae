/*
 * regex_set.h: sets of characters, as far as searches by bytes ask: of ASCII each one, of the
 * others whether there are some.
 *
 * A set may be known only by what it holds at most (is_sure false: \p{Greek}); its complement then
 * may hold anything. So of every set that is computed here no character is missing, whatever it was
 * made of.
 */
#pragma once

#include "query/regex/regex_tree.h"

struct bs_regex_set {
	uint64_t ascii[2]; /* bit c & 63 of ascii[c >> 6] */
	bool is_sure;      /* else ascii may hold too many */
	bool has_more;     /* perhaps characters from 0x80 on */
	bool has_all_more; /* all of them, for sure */
};

static inline bool bs_regex_set_has(const struct bs_regex_set *set, uint32_t c)
{
	return c < 0x80 ? set->ascii[c >> 6] >> (c & 63) & 1 : set->has_more;
}

struct bs_regex_set bs_regex_set_of_range(uint32_t first, uint32_t last);
/* With both cases of what it holds. K and S have a third form each, beyond ASCII (U+212A, U+017F):
 * then it may be that. */
struct bs_regex_set bs_regex_set_fold(struct bs_regex_set set);

struct bs_regex_set bs_regex_set_of_member(const struct bs_regex *regex,
                                           const struct bs_regex_member *member);
/* Of a node that is a set; is_caseless: as asked for the whole pattern. */
struct bs_regex_set bs_regex_set_of(const struct bs_regex *regex, const struct bs_regex_node *node,
                                    bool is_caseless);
