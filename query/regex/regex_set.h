/*
 * regex_set.h: sets of characters, with the precision that byte searches need: each ASCII
 * character, and whether the set has other characters.
 *
 * Of some sets (\p{Greek}) only an upper bound is known: is_sure is false. The complement of such a
 * set may be anything. So every computed set contains at least all characters of the true set.
 */
#pragma once

#include "query/regex/regex_tree.h"

/* A class [:name:], as pairs of a first and a last character. */
struct bs_ascii_class {
	const char *name, *pairs;
	size_t n_bytes; /* of pairs */
	uint8_t letter; /* PCRE2's escape with the same meaning; 0: none */
};

#define BS_N_ASCII_CLASSES 14u
extern const struct bs_ascii_class bs_ascii_classes[BS_N_ASCII_CLASSES];
/* The index of the class with this name, or BS_N_ASCII_CLASSES. */
size_t bs_ascii_class(const void *name, size_t n_bytes);

struct bs_regex_set {
	uint64_t ascii[2]; /* character c: bit c & 63 of ascii[c >> 6] */
	bool is_sure;      /* false: ascii may contain too many */
	bool has_more;     /* may contain characters from U+0080 on */
	bool has_all_more; /* certainly contains all characters from U+0080 on */
};

static inline bool bs_regex_set_has(const struct bs_regex_set *set, uint32_t c)
{
	return c < 0x80 ? set->ascii[c >> 6] >> (c & 63) & 1 : set->has_more;
}

struct bs_regex_set bs_regex_set_of_range(uint32_t first, uint32_t last);
/* Adds the other letter case of each character. K and S have a third form beyond ASCII (U+212A,
 * U+017F): a set with one of them gets has_more, and a set with has_more gets both. */
struct bs_regex_set bs_regex_set_fold(struct bs_regex_set set);

struct bs_regex_set bs_regex_set_of_member(const struct bs_regex *regex,
                                           const struct bs_regex_member *member);
/* The set of a SET node. is_caseless: the whole pattern ignores letter case. is_sure is also false
 * if a name such as [:upper:] or \p{Lu} ignores letter case, because PCRE2 and the set may fold it
 * differently. */
struct bs_regex_set bs_regex_set_of(const struct bs_regex *regex, const struct bs_regex_node *node,
                                    bool is_caseless);
