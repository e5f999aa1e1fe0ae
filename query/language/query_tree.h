/*
 * query_tree.h: a parsed query: a tree of words, phrases, ranges and operators (parse.h defines
 * their meaning), and the options for parsing. Independent of any index, immutable once parsed, and
 * may be shared by threads.
 */
#pragma once

#include "core/base/value.h"
#include "core/base/vector.h"
#include "core/collections/term_table.h"
#include "core/text/tokenizer.h"

#define BS_QUERY_MAX_WORDS 100000u /* most words of a query, repetitions included */
/* Most words of a phrase or NEAR; a token of several words is a phrase, too. */
#define BS_QUERY_MAX_PHRASE 16384u
/* Most words with *, ? or ~: each is compared with every word of a document. */
#define BS_QUERY_MAX_INEXACT 1024u
#define BS_QUERY_MAX_RANGES  1024u
#define BS_QUERY_RANGE_SHOWN 63u /* most bytes kept of a range's text, for display */
/* deepest nesting of brackets; each bracket adds at most three levels to the tree: OR, AND, NOT */
#define BS_QUERY_MAX_DEPTH 1000
/* The largest N of "words"~N; a larger N is reduced to this, because no document is longer. */
#define BS_QUERY_MAX_DISTANCE    (1u << 30)
#define BS_QUERY_MAX_FIELD_BYTES 255u
#define BS_QUERY_ANY_FIELD       UINT32_MAX
/* field of a `name:` leaf for files: the words of the path below the source */
#define BS_QUERY_FILE_NAME  (UINT32_MAX - 1)
#define BS_QUERY_NOTICES    5    /* most notices kept */
#define BS_QUERY_MAX_WEIGHT 1000 /* largest N of ^N */
/* A product of weights above BS_QUERY_MOST_WEIGHT is reduced to it, and one below
 * BS_QUERY_LEAST_WEIGHT becomes 0, because a product of many weights could overflow or lose
 * digits. */
#define BS_QUERY_MOST_WEIGHT  1e9
#define BS_QUERY_LEAST_WEIGHT 1e-9

/* How an element is compared with the terms of a document. */
enum bs_element_kind {
	BS_ELEMENT_TERM,    /* equal bytes */
	BS_ELEMENT_PREFIX,  /* the document's term begins with these bytes */
	BS_ELEMENT_PATTERN, /* the whole term matches the pattern (wildcard.h) */
	BS_ELEMENT_FUZZY,   /* at most max_distance edits of code points */
	/* Equal bytes, for a bigram that the analyzer made from a script run. It only excludes
	 * documents by its columns; it is never verified or scored. */
	BS_ELEMENT_BIGRAM,
};

/* A distinct matcher of terms. Elements of a query differ in kind, max_distance or term. */
struct bs_element {
	enum bs_element_kind kind;
	uint8_t max_distance; /* FUZZY: 1 or 2. Other kinds: 0 */
	/* Some occurrence is under an even number of NOTs. Always false for a BIGRAM. */
	bool is_positive;
	/* Sum of the weights of its positive occurrences that are not stop words. It may differ
	 * from the sum of the weights of its nodes: one of the two leaves of a `name:` is not
	 * counted, and a feedback term may have no node. 0: does not score. */
	double weight;
	uint32_t term_bytes; /* > 0 */
	/* As folded by the analyzer; not NUL-terminated. For PREFIX, PATTERN and FUZZY not
	 * stemmed. */
	const uint8_t *term;
};

/* A word of a leaf. */
struct bs_query_item {
	uint32_t element;
	uint32_t position; /* relative to the first item of the leaf; ascending */
	bool is_stop;      /* the word is a stop word and does not score */
};

enum bs_node_kind {
	BS_NODE_WORD, /* items[0] occurs */
	/* n_items >= 2: all occur in one field, at these relative positions */
	BS_NODE_PHRASE,
	/* n_items >= 2: all occur in one field in any order; the positions of the last and the
	 * first differ by at most distance + n_items - 1. */
	BS_NODE_NEAR,
	BS_NODE_RANGE, /* n_items == 0: the field has a value in the range */
	BS_NODE_AND,   /* n_children >= 2, none of them an AND */
	BS_NODE_OR,    /* n_children >= 2, none of them an OR */
	BS_NODE_NOT,   /* n_children == 1, not a NOT */
};

/* The source text of a leaf, as offsets into the query text. The offsets are equal if the leaf is
 * not from the text. */
struct bs_leaf_text {
	uint32_t start_byte, end_byte;
	bool is_quoted; /* the text was in quotes */
	/* The text was followed by a distance. Also true for a single word, whose node is a
	 * WORD. */
	bool is_near;
};

/*
 * A node of the tree. Its arrays belong to the query. An element that is listed twice in a NEAR
 * must match two occurrences.
 *
 * aids (PHRASE only): bigrams. Every document in which the phrase matches also contains these
 * bigrams. Reason: the analyzer makes a bigram of any two terms of certain kinds at adjacent
 * positions, regardless of the text (see tokenizer.h). If the phrase matches, its terms at p and p
 * + 1 occur at some q and q + 1 of the document, so the document has their bigram, too. A NEAR has
 * no aids, because its words need not be adjacent.
 */
struct bs_query_node {
	enum bs_node_kind kind;
	/* leaves: number in the query's fields, BS_QUERY_ANY_FIELD or BS_QUERY_FILE_NAME */
	uint32_t field;
	uint32_t distance; /* NEAR only */
	uint32_t range;    /* RANGE: number in the query's ranges */
	uint32_t n_children;
	uint32_t n_items;
	uint32_t n_aids;
	const uint32_t *children; /* indices into nodes, each less than the index of this node */
	const struct bs_query_item *items;
	const struct bs_query_item *aids; /* bigrams; position: of the first code point */
	/* leaves: the product of all weights ^N that apply to the leaf; 1 if there are none; 0 for
	 * a stop word */
	double weight;
	struct bs_leaf_text text; /* leaves only */
};

/* A range of a field's values (core/base/value.h). */
struct bs_query_range {
	uint32_t field;
	struct bs_range values;
	char text[BS_QUERY_RANGE_SHOWN + 1]; /* as written, cut off if it is long; NUL-terminated */
	/* Owned text; the tails of long numbers in `values` point into it. NULL: the range was not
	 * read from a text. */
	uint8_t *long_text;
};

BS_VECTOR(bs_elements, struct bs_element);
BS_VECTOR(bs_query_items, struct bs_query_item);
BS_VECTOR(bs_query_ranges, struct bs_query_range);
BS_VECTOR(bs_query_nodes, struct bs_query_node);

struct bs_query_storage {
	/* key i is the term of element i, preceded by its kind and max_distance (two bytes) */
	struct bs_term_table terms;
	struct bs_elements elements;
	struct bs_query_items items;
	struct bs_query_ranges ranges;
	struct bs_query_nodes nodes;
	struct bs_u32s children;
};

/* Warnings about text that may not mean what it seems to mean. No two are equal. */
struct bs_query_notices {
	uint32_t n;
	struct bs_error lines[BS_QUERY_NOTICES];
};

/*
 * A parsed query. Children precede their parents and the root is the last node, so that a walk over
 * nodes[] in order evaluates bottom-up. Elements are in order of first occurrence; a query of
 * ranges alone has none.
 */
struct bs_query_tree {
	const struct bs_term_table *fields; /* from the options of bs_query_parse; borrowed */
	struct bs_element *elements;
	size_t n_elements;
	struct bs_query_node *nodes;
	size_t n_nodes;
	uint32_t *children; /* children of all nodes; node->children points into it */
	uint32_t depth;     /* nodes on the longest path from the root to a leaf */
	struct bs_query_range *ranges;
	uint32_t n_ranges;
	struct {
		/* field of a leaf that names none: options->own_field or BS_QUERY_ANY_FIELD */
		uint32_t own;
		/* The records' field "name", which `name:` searches, too. BS_QUERY_ANY_FIELD: there
		 * is none. */
		uint32_t name;
	} field;
	struct bs_query_notices notices;
	struct bs_query_storage storage;
};

/* A term of the index, with a weight > 0 and finite. */
struct bs_weighted_term {
	const uint8_t *term;
	uint32_t term_bytes; /* > 0 */
	double weight;
};

struct bs_stop;

struct bs_query_options {
	/* the analyzer of the index; used only during the call */
	struct bs_tokenizer *tokenizer;
	/* The analyzer without stemming, for words with wildcards or a distance. NULL: tokenizer
	 * does not stem. */
	struct bs_tokenizer *words_unstemmed;
	/* The names of the fields, by number; NULL: none. Empty names, and names of more than
	 * BS_QUERY_MAX_FIELD_BYTES, cannot be used. Borrowed while the query lives. */
	const struct bs_term_table *fields;
	/* stop words; NULL: none. In a query without other words, or with only negated ones, they
	 * are like other words */
	const struct bs_stop *stop;
	/* longer field names are not recognised; 0: no field name is */
	uint32_t longest_field_bytes;
	bool has_own_field; /* leaves without a field are in own_field */
	uint32_t own_field;
	bool has_file_names; /* `name:` also applies to the names of files */
	/* Returns true if the field may have numbers or dates; for BS_QUERY_ANY_FIELD, if some
	 * field may. NULL: no field has. */
	bool (*has_values)(void *context, uint32_t field);
	/* Returns true if all values of the field, which has values, are known to be dates. NULL:
	 * nothing is known. */
	bool (*has_dates_alone)(void *context, uint32_t field);
	void *context;
	/* A range that every match must also be in; NULL: none. Borrowed during the call. */
	const struct bs_query_range *within;
	bool any;    /* adjacency outside brackets means OR (parse.h) */
	bool strict; /* a notice is an error */
	/*
	 * terms: feedback terms, which the user did not type. own_share (>= 0): the query's own
	 * weights are multiplied by it. A document matches if it matches the query or contains one
	 * of the terms; operands that do not score (NOT, ^0) remain required. If the query has no
	 * other operands, the terms only add to the score. With terms, a text without words becomes
	 * a query for any of them. Copied.
	 */
	const struct bs_weighted_term *terms;
	size_t n_terms;
	double own_share;
};

static inline bool bs_query_is_file_name(const struct bs_query_node *node)
{
	return node->n_children == 0 && node->field == BS_QUERY_FILE_NAME;
}

void bs_query_ranges_free(struct bs_query_ranges *ranges);
/* query is nullable. */
void bs_query_tree_free(struct bs_query_tree *query);
