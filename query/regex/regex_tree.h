/*
 * regex_tree.h: the tree of a pattern in PCRE2's syntax, which regex_read.h reads once. Whatever is
 * asked of a pattern before it is matched is asked of this tree: what PCRE2 is given instead
 * (regex_rewrite.h), which literal a search through text looks for first and whether the pattern
 * asks for upper case (pattern.c), which grams a file must have and which window a match
 * (regex_grams.h). Not a matcher: PCRE2 is that.
 *
 * The rule for every construct: each text that PCRE2 matches must be one that the tree describes;
 * the opposite does not matter. What is not understood, and what two versions of PCRE2 could read
 * in two ways, makes the whole pattern one node BS_REGEX_UNKNOWN; so does what PCRE2 would refuse,
 * or not: who asks has compiled it.
 *
 * Written for PCRE2 10.42 (pcre2pattern(3)) with UTF; PCRE2_ALT_BSUX, ALT_EXTENDED_CLASS,
 * ALT_VERBNAMES and ALLOW_EMPTY_CLASS are not for it.
 */
#pragma once

#include "core/base/vector.h"

#define BS_REGEX_MAX_BYTES (32u << 20) /* a longer pattern is unknown */
/* of parentheses; PCRE2's own default limit, beyond which it refuses */
#define BS_REGEX_MAX_DEPTH 250u
#define BS_REGEX_NO_MAX    UINT32_MAX
#define BS_REGEX_NO_NODE   UINT32_MAX

enum bs_regex_kind {
	BS_REGEX_EMPTY, /* the empty text: settings, verbs, callouts */
	/* the same where letter says: ^ $ b B A G K z Z, < > of [[:<:]] [[:>:]], ! of negative
	 * lookaround */
	BS_REGEX_PLACE,
	BS_REGEX_RUN, /* characters: bytes[first..first + n), n > 0 */
	/* one character of members[first..first + n). letter: [ or ^ of a class, of none of them;
	 * 0: an escape */
	BS_REGEX_SET,
	/* any text. letter: of the escape, a single digit for a back reference; 0: something
	 * else */
	BS_REGEX_ANYTHING,
	BS_REGEX_NEVER,    /* no text, not even the empty one */
	BS_REGEX_LOOK,     /* the child stands somewhere in the text; takes no place itself */
	BS_REGEX_SEQUENCE, /* the children one after the other */
	BS_REGEX_EITHER,   /* one of the children */
	BS_REGEX_REPEAT,   /* the child, least to most times */
	BS_REGEX_UNKNOWN,  /* the whole pattern */
};

/* An option that a pattern may set for a part of itself. */
enum bs_regex_switch {
	BS_REGEX_AS_ASKED, /* as it is for the whole pattern */
	BS_REGEX_ON,
	BS_REGEX_OFF,
};

struct bs_regex_node {
	uint8_t kind; /* enum bs_regex_kind */
	uint8_t letter;
	uint8_t caseless, multi_line, dot_all; /* enum bs_regex_switch */
	uint32_t from, to;                     /* where it stands in the pattern */
	/* of bytes or members; the first child, or BS_REGEX_NO_NODE */
	uint32_t first;
	uint32_t n;           /* of bytes, members or children */
	uint32_t next;        /* sibling, or BS_REGEX_NO_NODE */
	uint32_t least, most; /* REPEAT; most may be BS_REGEX_NO_MAX */
};

/*
 * A part of a set. letter: 0 for the characters first to last; d h s v w N, in upper case for all
 * but these, of an escape; . of the dot; p P of a property; : of a name in [: :]; ? for what is not
 * known.
 */
struct bs_regex_member {
	uint32_t from, to; /* where it stands in the pattern */
	uint32_t first, last;
	uint8_t letter;
};

BS_VECTOR(bs_regex_nodes, struct bs_regex_node);
BS_VECTOR(bs_regex_members, struct bs_regex_member);
BS_VECTOR(bs_regex_bars, uint32_t);

/* Children stand before their parents, and what matches text in the order of the pattern, also what
 * is no part of the tree: assertions that may fail. Zero-initialise; release with
 * bs_regex_deinit. */
struct bs_regex {
	const uint8_t *text; /* borrowed */
	size_t n_bytes;
	struct bs_regex_nodes nodes;
	struct bs_regex_members members;
	struct bs_buffer bytes;    /* UTF-8, as it is matched: escapes are resolved */
	struct bs_regex_bars bars; /* where a | stands that is in no parentheses */
	uint32_t root;
	uint32_t n_captures; /* groups that capture, or more */
	bool is_utf8;        /* else unknown */
	bool is_ascii;       /* nothing in it is beyond; not of the unknown */
	/* verbs, callouts, conditions, recursion: how it matches depends on more than the text */
	bool has_control;
	bool is_of_pcre2; /* holds what only PCRE2 has, and rg's own engine not */
	/* of extended syntax, which would swallow what is put after the pattern on the same line */
	bool ends_in_comment;
};

static inline void bs_regex_deinit(struct bs_regex *regex)
{
	bs_vector_deinit(&regex->nodes);
	bs_vector_deinit(&regex->members);
	bs_buffer_deinit(&regex->bytes);
	bs_vector_deinit(&regex->bars);
}

static inline uint32_t bs_regex_n_nodes(const struct bs_regex *regex)
{
	return (uint32_t)bs_vector_n(&regex->nodes);
}

static inline const struct bs_regex_node *bs_regex_node(const struct bs_regex *regex,
                                                        uint32_t index)
{
	return &regex->nodes.items[index];
}

static inline const struct bs_regex_member *bs_regex_member(const struct bs_regex *regex,
                                                            uint32_t index)
{
	return &regex->members.items[index];
}

/* Whether an option holds for a node, given whether it does for the whole pattern. */
static inline bool bs_regex_is(uint8_t node_switch, bool as_asked)
{
	return node_switch == BS_REGEX_AS_ASKED ? as_asked : node_switch == BS_REGEX_ON;
}
