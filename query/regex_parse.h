/*
 * regex_parse.h: PCRE2's syntax, as far as it says which text a match must hold. Not a matcher: PCRE2 is that.
 *
 * The tree keeps literals (folded as grams are, see core/grams.h, so that case is of no account), their order, their
 * alternatives and their repetition. Everything else is "anything": a class of more than a few characters, a dot, a
 * back reference, a recursion. What a match needs beyond that (anchors, negative lookaround, boundaries) is left out.
 * The rule for every construct: each text that PCRE2 matches must be one that the tree describes; the opposite does
 * not matter. A pattern that is not understood, or that could be read in two ways by two versions of PCRE2 where the
 * weaker of both is no part of the tree, is BS_REGEX_ANYTHING as a whole; so is one that PCRE2 would refuse, or not: who
 * asks has compiled it.
 *
 * Written for PCRE2 10.42 (pcre2pattern(3)) with UTF; \C, PCRE2_ALT_BSUX, ALT_EXTENDED_CLASS, ALT_VERBNAMES and
 * ALLOW_EMPTY_CLASS are not for it. CASELESS, MULTILINE, DOTALL, UCP, DUPNAMES, FIRSTLINE and the like do not change the tree.
 */
#ifndef BS_QUERY_REGEX_PARSE_H
#define BS_QUERY_REGEX_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buffer.h"
#include "core/status.h"

#define BS_REGEX_MAX_BYTES   (1u << 20) /* a longer pattern is anything */
#define BS_REGEX_MAX_DEPTH   250u       /* of parentheses; PCRE2's own default limit */
#define BS_REGEX_CLASS_CHARS 4u         /* a class of more characters is anything: ORed, they would filter nothing */
#define BS_REGEX_NO_MAX      UINT32_MAX
#define BS_REGEX_NO_NODE     UINT32_MAX

enum bs_regex_kind {
	BS_REGEX_EMPTY,    /* matches nothing but the empty text */
	BS_REGEX_BYTES,    /* n_bytes folded bytes, > 0 */
	BS_REGEX_ANYTHING, /* any text */
	BS_REGEX_NEVER,    /* no text, not even the empty one */
	BS_REGEX_LOOK,     /* the child stands somewhere in the text; takes no place itself */
	BS_REGEX_SEQUENCE, /* the children one after the other */
	BS_REGEX_EITHER,   /* one of the children */
	BS_REGEX_REPEAT,   /* the child, least to most times */
	BS_REGEX_CLASS,    /* one character of a class: only if classes are kept */
};

/* A class, in the regex' bytes: bit c & 7 of ascii[c >> 3]; and whether there may be characters from 0x80 on in it. */
struct bs_regex_class {
	uint8_t ascii[16];
	uint8_t has_more;
};

struct bs_regex_node {
	enum bs_regex_kind kind;
	uint32_t least;
	uint32_t most; /* or BS_REGEX_NO_MAX */
	uint32_t n_bytes;
	uint32_t first_byte; /* in bytes; CLASS: of its struct bs_regex_class */
	uint32_t n_children;
	uint32_t first_child; /* BS_REGEX_NO_NODE: none */
	uint32_t last_child;
	uint32_t next; /* sibling */
};

/* Children stand before their parents. Zero-initialise; reusable; release with bs_regex_deinit. */
struct bs_regex {
	struct bs_buffer nodes; /* of struct bs_regex_node */
	struct bs_buffer bytes;
	uint32_t root;
	bool sets_caseless; /* (?i) and the like occur */
};

struct bs_regex_options {
	bool is_literal;  /* no syntax: the pattern is the text itself (-F) */
	bool is_extended; /* PCRE2_EXTENDED or EXTENDED_MORE from the start */
	/*
	 * For who looks through text instead of grams: every character and every class is a node BS_REGEX_CLASS, and
	 * nothing is folded. is_caseless: letter case is of no account; it must be set if the pattern may set it itself (see
	 * sets_caseless).
	 */
	bool keeps_classes;
	bool is_caseless;
};

/* pattern is what pcre2_compile() is given: wrappers like \b(?:...)\b and alternatives of several patterns included. Time
 * and memory are linear in n_bytes. BS_NO_MEMORY. */
enum bs_status bs_regex_parse(const uint8_t *pattern, size_t n_bytes, const struct bs_regex_options *options,
                              struct bs_regex *regex, struct bs_error *err) BS_WARN_UNUSED;
void bs_regex_deinit(struct bs_regex *regex);

static inline const struct bs_regex_node *bs_regex_node(const struct bs_regex *regex, uint32_t index)
{
	return (const struct bs_regex_node *)(const void *)regex->nodes.data + index;
}

#endif
