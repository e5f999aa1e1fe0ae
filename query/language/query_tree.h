/*
 * query_tree.h: a parsed query: a tree of words, phrases, ranges and operators (parse.h says what
 * they mean), and the options that it is parsed with. It knows nothing of an index, is immutable
 * once parsed, and may be shared by threads.
 */
#pragma once

#include "core/base/value.h"
#include "core/base/vector.h"
#include "core/collections/term_table.h"
#include "core/text/tokenizer.h"

#define BS_QUERY_MAX_WORDS 100000u /* most words of a query, each time that one stands there */
/* ... of a phrase or NEAR, which a token of several words is, too */
#define BS_QUERY_MAX_PHRASE 16384u
/* most words with *, ? or ~: each of them is compared with every word of a document */
#define BS_QUERY_MAX_INEXACT 1024u
#define BS_QUERY_MAX_RANGES  1024u
#define BS_QUERY_RANGE_SHOWN 63u
/* deepest nesting of brackets; the tree is at most three times as deep */
#define BS_QUERY_MAX_DEPTH 1000
/* a larger N of "words"~N counts as this: no document is longer */
#define BS_QUERY_MAX_DISTANCE    (1u << 30)
#define BS_QUERY_MAX_FIELD_BYTES 255u
#define BS_QUERY_ANY_FIELD       UINT32_MAX
/* name: of files: the words of the path below the source */
#define BS_QUERY_FILE_NAME  (UINT32_MAX - 1)
#define BS_QUERY_NOTICES    5    /* most that are kept */
#define BS_QUERY_MAX_WEIGHT 1000 /* the largest N of ^N */
/* A product of more counts as this, and one of less as 0: sums of scores stay exact to nine digits
 * and more. */
#define BS_QUERY_MOST_WEIGHT  1e9
#define BS_QUERY_LEAST_WEIGHT 1e-9

/* How an element is compared with the terms of a document. */
enum bs_element_kind {
	BS_ELEMENT_TERM,    /* equal bytes */
	BS_ELEMENT_PREFIX,  /* the document's term begins with these bytes */
	BS_ELEMENT_PATTERN, /* all of it matches the pattern (pattern.h) */
	BS_ELEMENT_FUZZY,   /* at most max_distance edits of code points */
	/* a bigram of the analysis, equal bytes: an aid to the filter, never verified or scored */
	BS_ELEMENT_BIGRAM,
};

/* A distinct matcher of terms; no two elements of a query agree in kind, max_distance and term. */
struct bs_element {
	enum bs_element_kind kind;
	uint8_t max_distance; /* FUZZY: 1 or 2, else 0 */
	/* stands somewhere under an even number of NOTs; never so for a BIGRAM */
	bool is_positive;
	/* of all such places, added up; 0: it does not score. The sum need not be that of the
	 * nodes */
	double weight;
	uint32_t term_bytes; /* > 0 */
	/* as the analyzer folded it; not NUL-ended. PREFIX, PATTERN and FUZZY: not stemmed */
	const uint8_t *term;
};

/* A word of a leaf. */
struct bs_query_item {
	uint32_t element;
	uint32_t position; /* relative to the first item of the leaf; ascending */
	bool is_stop;      /* it does not score here */
};

enum bs_node_kind {
	BS_NODE_WORD, /* items[0] occurs */
	/* n_items >= 2: all occur in one field, at these positions relative to each other */
	BS_NODE_PHRASE,
	/* n_items >= 2: all occur in one field, any order, last - first <= distance + n_items -
	 * 1 */
	BS_NODE_NEAR,
	BS_NODE_RANGE, /* n_items == 0: a text of the field is a value in the range */
	BS_NODE_AND,   /* n_children >= 2, none of them an AND */
	BS_NODE_OR,    /* n_children >= 2, none of them an OR */
	BS_NODE_NOT,   /* n_children == 1, not a NOT */
};

/* The text that a leaf was read from, as offsets into the query's text; equal if the leaf was added
 * to the query. */
struct bs_leaf_text {
	uint32_t start_byte, end_byte;
	bool is_quoted; /* it was between quotes, */
	bool is_near;   /* and a distance followed: also of a single word, which is no NEAR */
};

/*
 * A node of the tree. The arrays belong to the query. In a NEAR an element that stands twice needs
 * two occurrences.
 *
 * aids (of a PHRASE only): the bigrams that every document in which the phrase matches is sure to
 * hold. Why: the analyzer makes a bigram of any two terms of a certain kind at adjacent positions,
 * whatever the text they come from (see tokenizer.h). Where the phrase matches, the terms of a
 * bigram at p and p + 1 stand at q and q + 1, so their bigram is there, too. A NEAR has no aids,
 * because its words need not be adjacent.
 */
struct bs_query_node {
	enum bs_node_kind kind;
	/* leaves: its number in the query's fields, BS_QUERY_ANY_FIELD or BS_QUERY_FILE_NAME */
	uint32_t field;
	uint32_t distance; /* NEAR */
	uint32_t range;    /* RANGE: its number in the query's ranges */
	uint32_t n_children;
	uint32_t n_items;
	uint32_t n_aids;
	const uint32_t *children; /* indices into nodes, each less than this node's own */
	const struct bs_query_item *items;
	const struct bs_query_item *aids; /* position: of the bigram's first code point */
	/* leaves: the product of the ^ around it, 1 where there is none */
	double weight;
	struct bs_leaf_text text; /* leaves */
};

/* A range of a field's values (core/base/value.h). */
struct bs_query_range {
	uint32_t field;
	struct bs_range values;
	char text[BS_QUERY_RANGE_SHOWN + 1]; /* as it was written, or its beginning; NUL-ended */
	/* where the tails of its numbers stand, the query's own; NULL: it was not read from a
	 * text */
	uint8_t *long_text;
};

BS_VECTOR(bs_elements, struct bs_element);
BS_VECTOR(bs_query_items, struct bs_query_item);
BS_VECTOR(bs_query_ranges, struct bs_query_range);
BS_VECTOR(bs_query_nodes, struct bs_query_node);

/* The memory of a query's arrays. */
struct bs_query_storage {
	/* of element i, at number i, after two bytes that say how it is compared */
	struct bs_term_table terms;
	struct bs_elements elements;
	struct bs_query_items items;
	struct bs_query_ranges ranges;
	struct bs_query_nodes nodes;
	struct bs_u32s children;
};

/* On what may mean something else than it seems; no two are the same. */
struct bs_query_notices {
	uint32_t n;
	struct bs_error lines[BS_QUERY_NOTICES];
};

/*
 * A parsed query. Children stand before their parents, so that a walk over nodes[] in order
 * evaluates bottom-up, and the root is the last node. Elements are in order of first appearance;
 * there is none if all leaves are ranges.
 */
struct bs_query_tree {
	const struct bs_term_table *fields; /* as given to bs_query_parse; borrowed */
	struct bs_element *elements;
	size_t n_elements;
	struct bs_query_node *nodes;
	size_t n_nodes;
	uint32_t *children; /* of all nodes: each node's are a part of them */
	uint32_t depth;     /* nodes on the longest way from the root to a leaf */
	struct bs_query_range *ranges;
	uint32_t n_ranges;
	struct {
		/* of a leaf that names no field: options->own_field or BS_QUERY_ANY_FIELD */
		uint32_t own;
		/* the field "name" of records, which `name:` covers, too; BS_QUERY_ANY_FIELD: no
		 * record has it */
		uint32_t name;
	} field;
	struct bs_query_notices notices;
	struct bs_query_storage storage;
};

/* A word with its weight, > 0 and finite: the bytes of a term of the index. */
struct bs_weighted_term {
	const uint8_t *term;
	uint32_t term_bytes; /* > 0 */
	double weight;
};

struct bs_stop;

struct bs_query_options {
	/* the analyzer of the index; used during the call */
	struct bs_tokenizer *tokenizer;
	/* the same without stemming, for those with wildcards or a distance; NULL: words has
	 * none */
	struct bs_tokenizer *words_unstemmed;
	/* The names of those that can be asked for, by their numbers; NULL: none. One of no bytes,
	 * or of more than BS_QUERY_MAX_FIELD_BYTES, is never meant. Borrowed while the query
	 * lives. */
	const struct bs_term_table *fields;
	/* words that count for little; NULL: none. Where a query has no others, they count */
	const struct bs_stop *stop;
	uint32_t longest_field_bytes; /* no name that is longer is looked for; 0: none is */
	bool has_own_field;           /* what is in no other field is in this one: */
	uint32_t own_field;
	bool has_file_names; /* `name:` asks for files by their names, too */
	/* Whether a field, or of BS_QUERY_ANY_FIELD one of them, may have numbers or dates; NULL:
	 * none has. */
	bool (*has_values)(void *context, uint32_t field);
	/* Whether the values of one that has some are known to be dates; NULL: of none. */
	bool (*has_dates_alone)(void *context, uint32_t field);
	void *context;
	/* A range that every match is in, too; NULL: none. The caller's, during the call. */
	const struct bs_query_range *within;
	bool any;
	bool strict; /* a notice is an error */
	/*
	 * Words beside the query, which nobody typed, and then what its own weights are multiplied
	 * by, >= 0. What matches the query does so still, and so does what has one of the words;
	 * but what every match must have or not have without a score (NOT, ^0) binds. A query that
	 * asks for nothing else has the words for its score alone. With them, a text without words
	 * is a query for any of them. Copied.
	 */
	const struct bs_weighted_term *terms;
	size_t n_terms;
	double own_share;
};

static inline bool bs_query_is_file_name(const struct bs_query_node *node)
{
	return node->n_children == 0 && node->field == BS_QUERY_FILE_NAME;
}

/* Frees the ranges, and the texts of their long numbers. */
void bs_query_ranges_free(struct bs_query_ranges *ranges);
/* NULL is fine. */
void bs_query_tree_free(struct bs_query_tree *query);
