/*
 * regex_tree.h: the syntax tree of a pattern in PCRE2's syntax, read by regex_read.h or built by
 * calls (built_pattern.h). These are derived from the tree: the text for PCRE2 (regex_rewrite.h),
 * the literal that a search looks for first and whether the pattern has upper case (pattern.c), the
 * grams that a file must have and the window that a match must have (regex_grams.h), and line
 * filters (class_sequence.h, byte_superset.h).
 *
 * The rule for every construct: the tree must describe each text that PCRE2 matches; it may
 * describe more. If some part is not understood, or versions of PCRE2 read it differently, the
 * whole pattern becomes one BS_REGEX_UNKNOWN node. This also happens to some patterns that PCRE2
 * rejects; PCRE2 reports these errors.
 *
 * Written for PCRE2 10.42 (pcre2pattern(3)) with UTF. PCRE2_ALT_BSUX, ALT_EXTENDED_CLASS,
 * ALT_VERBNAMES and ALLOW_EMPTY_CLASS are not supported.
 */
#pragma once

#include "core/base/vector.h"

#define BS_REGEX_MAX_BYTES (32u << 20) /* longer patterns are not analysed */
/* nesting of parentheses; PCRE2's default limit, beyond which it fails */
#define BS_REGEX_MAX_DEPTH 250u
#define BS_REGEX_NO_MAX    UINT32_MAX
#define BS_REGEX_NO_NODE   UINT32_MAX

enum bs_regex_kind {
	BS_REGEX_EMPTY, /* matches the empty text: settings, verbs, callouts */
	/* An assertion. letter: one of ^ $ b B A G K z Z; < or > for [[:<:]] and [[:>:]]; ! for
	 * negative lookaround. */
	BS_REGEX_ASSERTION,
	BS_REGEX_RUN, /* the characters bytes[first..first + n), n > 0 */
	/* One character in (letter ^: not in) members[first..first + n). letter: [ or ^: a class;
	 * 0: an escape or the dot. */
	BS_REGEX_SET,
	/* A construct that is not analysed further, and is assumed to match any text. letter: C, R
	 * or X for these escapes; the digit of \1 to \9; g for \g, \k and longer numbers; 0 for
	 * other constructs. */
	BS_REGEX_ANYTHING,
	BS_REGEX_NEVER, /* matches nothing, not even the empty text */
	/* Positive lookaround: the child matches somewhere in the text; the node itself matches
	 * the empty text. */
	BS_REGEX_LOOK,
	BS_REGEX_SEQUENCE,    /* all children in order */
	BS_REGEX_ALTERNATION, /* one of the children */
	BS_REGEX_REPEAT,      /* the child, `least` to `most` times */
	BS_REGEX_UNKNOWN,     /* the whole pattern, not understood */
};

/* The state of an option that a pattern may set for a part of itself. */
enum bs_regex_option_state {
	BS_REGEX_AS_ASKED, /* as requested for the whole pattern */
	BS_REGEX_ON,
	BS_REGEX_OFF,
};

struct bs_regex_node {
	uint8_t kind; /* enum bs_regex_kind */
	uint8_t letter;
	uint8_t caseless, multi_line, dot_all; /* enum bs_regex_option_state */
	uint32_t from, to;                     /* position in the pattern: text[from..to) */
	/* RUN: offset in `bytes`. SET: index in `members`. Other kinds: the first child, or
	 * BS_REGEX_NO_NODE. */
	uint32_t first;
	uint32_t n;           /* number of bytes, members or children */
	uint32_t next;        /* next sibling, or BS_REGEX_NO_NODE */
	uint32_t least, most; /* REPEAT only; most may be BS_REGEX_NO_MAX */
};

/*
 * A part of a set. letter: 0 for the characters first..last; d h s v w N for an escape, in upper
 * case if negated (except N); . for the dot; p or P for a property; : for a name in [: :]; ? for a
 * part that is not understood.
 */
struct bs_regex_member {
	uint32_t from, to; /* position in the pattern: text[from..to) */
	uint32_t first, last;
	uint8_t letter;
};

BS_VECTOR(bs_regex_nodes, struct bs_regex_node);
BS_VECTOR(bs_regex_members, struct bs_regex_member);
BS_VECTOR(bs_regex_bars, uint32_t);

/* Children precede their parents. Nodes that match text are in the order of the pattern. Some nodes
 * are not part of the tree, such as those of assertions that may fail. Zero-initialise; release
 * with bs_regex_deinit. */
struct bs_regex {
	const uint8_t *text; /* borrowed */
	size_t n_bytes;
	struct bs_regex_nodes nodes;
	struct bs_regex_members members;
	struct bs_buffer bytes;    /* the text of runs, in UTF-8, with escapes resolved */
	struct bs_regex_bars bars; /* positions of | outside parentheses */
	uint32_t root;
	uint32_t n_captures; /* at least the number of capturing groups */
	bool is_utf8;        /* the pattern is valid UTF-8; if it is not, the root is UNKNOWN */
	bool is_ascii;       /* no character beyond ASCII; false if UNKNOWN */
	/* has verbs, callouts, conditional groups, recursion or non-atomic lookarounds. The tree
	 * does not show all their effects: (*UCP) changes an option, (*SKIP) moves the start of the
	 * search. PCRE2 must search line by line. */
	bool has_control;
	/* has possessive quantifiers, atomic groups or script runs, which the tree shows as other
	 * quantifiers and groups: the tree may match texts that the pattern does not match */
	bool is_superset;
	bool is_of_pcre2; /* uses syntax that PCRE2 has and ripgrep's own engine lacks */
	/* ends in a comment of extended syntax, which would swallow text appended on the same
	 * line */
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

/* True if an option applies to a node. as_asked: the option for the whole pattern. */
static inline bool bs_regex_is(uint8_t node_switch, bool as_asked)
{
	return node_switch == BS_REGEX_AS_ASKED ? as_asked : node_switch == BS_REGEX_ON;
}
