/*
 * parse.h: query text -> syntax tree. The whole query language; what a query means is said here once:
 *
 *     query  = or
 *     or     = and { ("OR" | "||") and }
 *     and    = unary { ["AND" | "&&"] unary }
 *     unary  = ["-" | "!" | "NOT"] primary
 *     primary = ( word | pattern | word~1 | word~2 | "phrase" | "phrase pattern" | "words"~N | field:primary | field:RANGE
 *                 | ( or ) ) [ ^WEIGHT ]
 *     pattern = a word with * (any run of characters) or ? (one) in it
 *
 * Tokens are separated by white space (Unicode White_Space) and cut by ( ) " wherever those delimit; there are no
 * escapes. Everything else of a token is text, given to the words analyzer, so that a query has the words that a
 * document has. Nothing is an error but a query in which no word remains, and what is too large: what lacks its other half
 * or its operand is a sign, with a notice. The fine print:
 *
 * - A " delimits if another one follows; pairs are made from left to right.
 * - Brackets outside phrases group if they are a pair that holds a word and the opening one does not directly follow a word
 *   character, unless that ends a token AND, OR or NOT: f(x, y) and main() are text.
 * - AND, OR and NOT are operators when they are a whole token, as are && and ||; -AND and title:AND are about the word "and".
 *   One that lacks its operand counts as a sign, AND OR as OR alone, and NOT NOT as one.
 * - `-` and `!` negate at the start of a token that holds a word or begins with a field, and directly before a phrase or group;
 *   there is one negation per primary: --a is -a. What holds a word, the analyzer says: __ does.
 * - A token of several words is a phrase; one of none is ignored with a notice.
 * - `*`, `~1` and `~2` count at the end of a token that holds something more. They apply to the last word of several.
 * - A `*` that does not end its token is a wildcard if the token has three letters or digits; a `?`, if it stands between two word
 *   characters of one word. That is so in the last word of a token only, and if that has more than wildcards: users?id=7, foo*r.bar
 *   and count(*) are the phrases of their words, but foo.ba*r has a pattern. Not with ~N, not in a token of more than
 *   BS_PATTERN_MAX_BYTES. The analyzer cuts and folds what stands around a wildcard as if that were a letter.
 * - The last token of a phrase, if it is no NEAR, may have `*` and `?` in the same way.
 *   They mean nothing for a code point of a script run (Han, kana, Thai, ...), which stays a plain word.
 * - `~N` directly after a phrase, and followed by the end of the token or a weight, makes it a NEAR; else it is a token of its own.
 * - `^` and a decimal of 0 to 1000 (2, 2.5, .5) at the end of a token, or directly after a phrase or group and at the end of that
 *   token, is a weight, unless digits only stand before it.
 * - A field name is the longest indexed one that the token begins with, before a colon; its operand may follow after
 *   white space; of nested fields the innermost counts, as in Lucene.
 * - `name:` is of files: a leaf is about the words of their paths; where records have a field of that name, it is an OR of
 *   the two.
 * - A stop word does not score; with `any`, one that stands by itself, in no negation, is as if it were not there.
 * - RANGE is a bare token in a field that has numbers or dates; or a phrase there that is a range with a space in it, before the
 *   time of a date. A token that looks like a range and is invalid is text, with a notice; so is a range without a field.
 * - With `any`, adjacency outside brackets means OR and binds looser than AND; what stands negated by itself there
 *   excludes from its neighbours up to the next OR: `a b -c` is (a OR b) AND NOT c.
 *
 * The tree knows nothing of an index. Parsing is deterministic; two threads may parse at once with analyzers of their
 * own, and a parsed query is immutable and may be shared by threads.
 */
#ifndef BS_QUERY_LANGUAGE_PARSE_H
#define BS_QUERY_LANGUAGE_PARSE_H

#include "core/base/value.h"
#include "core/collections/term_table.h"
#include "core/text/words.h"

#define BS_QUERY_MAX_WORDS    100000u /* most words of a query, each time that one stands there */
#define BS_QUERY_MAX_PHRASE   16384u  /* ... of a phrase or NEAR, which a token of several words is, too */
#define BS_QUERY_MAX_INEXACT     1024u /* most words with *, ? or ~: each of them is compared with every word of a document */
#define BS_QUERY_MAX_RANGES   1024u
#define BS_QUERY_RANGE_SHOWN  63u
#define BS_QUERY_MAX_DEPTH    1000       /* deepest nesting of brackets; the tree is at most three times as deep */
#define BS_QUERY_MAX_DISTANCE (1u << 30) /* a larger N of "words"~N counts as this: no document is longer */
#define BS_QUERY_MAX_FIELD_BYTES 255u
#define BS_QUERY_ANY_FIELD    UINT32_MAX
#define BS_QUERY_FILE_NAME    (UINT32_MAX - 1) /* name: of files: the words of the path below the source */
#define BS_QUERY_NOTICES      5 /* most that are kept */
#define BS_QUERY_MAX_WEIGHT   1000 /* the largest N of ^N */
/* A product of more counts as this, and one of less as 0: sums of scores stay exact to nine digits and more. */
#define BS_QUERY_MOST_WEIGHT  1e9
#define BS_QUERY_LEAST_WEIGHT 1e-9

/* How an element is compared with the terms of a document. */
enum bs_element_kind {
	BS_ELEMENT_TERM,   /* equal bytes */
	BS_ELEMENT_PREFIX, /* the document's term begins with these bytes */
	BS_ELEMENT_PATTERN, /* all of it matches the pattern (pattern.h) */
	BS_ELEMENT_FUZZY,  /* at most max_distance edits of code points */
	BS_ELEMENT_BIGRAM, /* a bigram of the analysis, equal bytes: an aid to the filter, never verified or scored */
};

/* A distinct matcher of terms; no two elements of a query agree in kind, max_distance and term. */
struct bs_element {
	enum bs_element_kind kind;
	uint8_t max_distance; /* FUZZY: 1 or 2, else 0 */
	bool is_positive;     /* stands somewhere under an even number of NOTs; never so for a BIGRAM */
	double weight;        /* of all such places, added up; 0: it does not score. The sum need not be that of the nodes */
	uint32_t term_bytes;  /* > 0 */
	const uint8_t *term;  /* as the analyzer folded it; not NUL-ended. PREFIX, PATTERN and FUZZY: not stemmed */
};

/* A word of a leaf. */
struct bs_query_item {
	uint32_t element;
	uint32_t position; /* relative to the first item of the leaf; ascending */
	bool is_stop;      /* it does not score here */
};

enum bs_node_kind {
	BS_NODE_WORD,   /* items[0] occurs */
	BS_NODE_PHRASE, /* n_items >= 2: all occur in one field, at these positions relative to each other */
	BS_NODE_NEAR,   /* n_items >= 2: all occur in one field, any order, last - first <= distance + n_items - 1 */
	BS_NODE_RANGE,  /* n_items == 0: a text of the field is a value in the range */
	BS_NODE_AND,    /* n_children >= 2, none of them an AND */
	BS_NODE_OR,     /* n_children >= 2, none of them an OR */
	BS_NODE_NOT,    /* n_children == 1, not a NOT */
};

/*
 * A node of the tree. The arrays belong to the query. In a NEAR an element that stands twice needs two occurrences.
 *
 * aids (of a PHRASE only): the bigrams that every document in which the phrase matches is sure to hold. Why: the
 * analyzer makes a bigram of any two terms of a certain kind at adjacent positions, whatever the text they come from
 * (see words.h). Where the phrase matches, the terms of a bigram at p and p + 1 stand at q and q + 1, so their bigram
 * is there, too. A NEAR has no aids, because its words need not be adjacent.
 */
struct bs_query_node {
	enum bs_node_kind kind;
	uint32_t field;    /* leaves: its number in the query's fields, BS_QUERY_ANY_FIELD or BS_QUERY_FILE_NAME */
	uint32_t distance; /* NEAR */
	uint32_t n_children;
	uint32_t n_items;
	uint32_t n_aids;
	uint32_t range;    /* RANGE: its number in the query's ranges */
	/* Leaves: the text they were read from, as offsets into the query's text; equal if the leaf was added to the query. */
	uint32_t text_start_byte, text_end_byte;
	bool is_quoted;    /* leaves: that text stood between quotes, */
	bool is_near;      /* and a distance followed: also of a single word, which is no NEAR */
	const uint32_t *children; /* indices into nodes, each less than this node's own */
	const struct bs_query_item *items;
	const struct bs_query_item *aids; /* position: of the bigram's first code point */
	double weight;                    /* leaves: the product of the ^ around it, 1 where none stands */
};

/* A range of a field's values (core/base/value.h). */
struct bs_query_range {
	uint32_t field;
	struct bs_range values;
	char text[BS_QUERY_RANGE_SHOWN + 1]; /* as it was written, or its beginning; NUL-ended */
	uint8_t *long_text; /* where the tails of its numbers stand, the query's own; NULL: none has one */
};

/*
 * A parsed query. Children stand before their parents, so that a walk over nodes[] in order evaluates bottom-up, and
 * the root is the last node. Elements are in order of first appearance; there is none if all leaves are ranges.
 */
struct bs_query_tree {
	const struct bs_term_table *fields; /* as given to bs_query_parse; borrowed */
	struct bs_element *elements;
	size_t n_elements;
	struct bs_term_table terms; /* of element i, at number i, behind two bytes that say how it is compared */
	struct bs_query_node *nodes;
	size_t n_nodes;
	uint32_t depth; /* nodes on the longest way from the root to a leaf */
	struct bs_query_item *items;
	uint32_t *children;
	struct bs_query_range *ranges;
	uint32_t n_ranges;
	struct bs_buffer memory_elements, memory_items, memory_ranges, memory_nodes, memory_children;
	uint32_t own_field;  /* that a leaf without a field is in: options->own_field or BS_QUERY_ANY_FIELD */
	uint32_t name_field; /* the field "name" of records, which `name:` covers, too; BS_QUERY_ANY_FIELD: no record has it */
	uint32_t n_notices; /* on what may mean something else than it seems; no two are the same */
	struct bs_error notices[BS_QUERY_NOTICES];
};

/* A word with its weight, > 0 and finite: the bytes of a term of the index. */
struct bs_weighted_term {
	const uint8_t *term;
	uint32_t term_bytes; /* > 0 */
	double weight;
};

struct bs_stop;

struct bs_query_options {
	struct bs_words *words;           /* the analyzer of the index; used during the call */
	struct bs_words *words_unstemmed; /* the same without stemming, for those with wildcards or a distance; NULL: words has none */
	/* The names of those that can be asked for, by their numbers; NULL: none. One of no bytes, or of more than
	 * BS_QUERY_MAX_FIELD_BYTES, is never meant. Borrowed while the query lives. */
	const struct bs_term_table *fields;
	const struct bs_stop *stop;         /* words that count for little; NULL: none. Where a query has no others, they count */
	uint32_t longest_field_bytes;       /* no name that is longer is looked for; 0: none is */
	bool has_own_field;                 /* what is in no other field is in this one: */
	uint32_t own_field;
	bool has_file_names;                /* `name:` asks for files by their names, too */
	/* Whether a field, or of BS_QUERY_ANY_FIELD one of them, may have numbers or dates; NULL: none has. */
	bool (*has_values)(void *context, uint32_t field);
	/* Whether the values of one that has some are known to be dates; NULL: of none. */
	bool (*has_dates_alone)(void *context, uint32_t field);
	void *context;
	/* A range that every match is in, too; NULL: none. The caller's, during the call. */
	const struct bs_query_range *within;
	bool any;
	bool strict;                        /* a notice is an error */
	/*
	 * Words beside the query, which nobody typed, and then what its own weights are multiplied by, >= 0. What matches
	 * the query does so still, and so does what has one of the words; but what every match must have or not have
	 * without a score (NOT, ^0) binds. A query that asks for nothing else has the words for its score alone. With them,
	 * a text without words is a query for any of them. Copied.
	 */
	const struct bs_weighted_term *terms;
	size_t n_terms;
	double own_share;
};

static inline bool bs_query_is_file_name(const struct bs_query_node *node)
{
	return node->n_children == 0 && node->field == BS_QUERY_FILE_NAME;
}

/*
 * Parses text[0..text_bytes), any bytes at all: invalid UTF-8 counts as U+FFFD, NUL is a character like any other.
 * On BS_INVALID, err says what is wrong ("the query has no words") and *error_byte_out (may be NULL) where: an
 * offset in 0..text_bytes, for bs_query_caret. Also fails with BS_NO_MEMORY and with what the analyzer returns.
 * The caller owns *query_out: bs_query_tree_free.
 */
enum bs_status bs_query_parse(const uint8_t *text, size_t text_bytes, const struct bs_query_options *options,
			      struct bs_query_tree **query_out, size_t *error_byte_out, struct bs_error *err) BS_WARN_UNUSED;

/* NULL is fine. */
void bs_query_tree_free(struct bs_query_tree *query);

/*
 * Appends the tree on one line, without a line feed, for --explain and tests:
 *
 *     (AND cat (OR title:dog be* colour~1) (NOT (PHRASE big@0 dog@1)) (NEAR/5 a b) (PHRASE 漢@0 字@1 +漢字) year:>1990)
 *
 * A term or field name that is more than letters, digits, marks and underscores is written in double quotes, with " and
 * \ and control characters as \xNN. BS_NO_MEMORY.
 */
enum bs_status bs_query_format(const struct bs_query_tree *query, struct bs_buffer *out,
                               struct bs_error *err) BS_WARN_UNUSED;

/*
 * Appends the query in its normal form, without a line feed: a query text that means the same without the rules of
 * precedence, adjacency and --any. Every operator is written out, every AND and OR has parentheses, every leaf has its own
 * field and weight, and exact words, beginnings and patterns stand in double quotes:
 *
 *     cat title:(dog OR be*) -colour~1^2   ->   ("cat" AND (title:"dog" OR title:"be*") AND NOT colour~1^2)
 *
 * text: what the query was parsed from. Parsed with the same options, the normal form matches the same documents with the
 * same scores, and has itself as its normal form. Operands keep their order, except that an operand with an unpaired
 * double quote comes last. A learnt word (options->terms) is written as the index has it. BS_NO_MEMORY.
 */
enum bs_status bs_query_format_normal(const struct bs_query_tree *query, const uint8_t *text, struct bs_buffer *out,
                                      struct bs_error *err) BS_WARN_UNUSED;

#endif
