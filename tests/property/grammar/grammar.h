/*
 * grammar.h: the parts of the test of the query language: random query texts, and a second parser
 * that shares nothing with the library's but the tokenizer.
 *
 *   grammar_draw.c  random documents; query texts grown from the grammar, some mutated
 *   grammar_read.c  parses a text by recursive descent into a tree, by the rules of the manual
 *   grammar_eval.c  evaluates the tree on the words of a document; scores
 *   test_grammar.c  compares with the library's search, for the text and for its normal form
 */
#pragma once

#include "core/base/buffer.h"
#include "tests/property/oracle/oracle.h"
#include "tests/rigs/words_rig.h"

/* ---- documents ---- */

#define GRAMMAR_ANY_FIELD (-1)
/* The field of a name: clause: the words of a file's path, and a record's own field "name". */
#define GRAMMAR_FILE_NAME  (-2)
#define GRAMMAR_MAX_FIELDS 8 /* per document */
#define GRAMMAR_N_NAMES    8

/* The field names; the last one is "name". */
extern const char *const grammar_names[GRAMMAR_N_NAMES];

struct grammar_text {
	/* index in grammar_names; GRAMMAR_ANY_FIELD: this is the text of a file, which has no
	 * fields */
	int field;
	char *text;
	struct kept words;
};

struct grammar_doc {
	char id[64];
	struct grammar_text texts[GRAMMAR_MAX_FIELDS];
	uint32_t n_texts;
	struct kept path; /* the words of a file's path below its source; empty for a record */
	uint32_t length;  /* in words */
};

#define GRAMMAR_N_RECORDS 26
#define GRAMMAR_N_FILES   10
#define GRAMMAR_N_DOCS    (GRAMMAR_N_RECORDS + GRAMMAR_N_FILES)

struct grammar {
	struct bs_tokenizer *tokenizer, *unstemmed; /* the same one if there is no stemming */
	struct grammar_doc docs[GRAMMAR_N_DOCS];
	bool has_values[GRAMMAR_N_NAMES];
	double mean_length;
};

/* Draws documents and writes them to "files/" and "records.jsonl" in the current folder. */
void grammar_write(struct grammar *grammar);
void grammar_deinit(struct grammar *grammar);

/* Draws a query; sometimes a mutation of the query that `text` already holds. */
void grammar_draw(const struct grammar *grammar, struct bs_buffer *text);

/* ---- a query, read ---- */

enum grammar_kind {
	GRAMMAR_LEAF,
	GRAMMAR_NEAR,
	GRAMMAR_RANGE,
	GRAMMAR_AND,
	GRAMMAR_OR,
	GRAMMAR_NOT
};
enum grammar_match {
	GRAMMAR_EXACT,
	GRAMMAR_PREFIX,
	GRAMMAR_PATTERN,
	GRAMMAR_FUZZY
};

/* A word of a leaf. `distance`: how many edits a fuzzy word allows. `position`: relative to the
 * leaf's first word. In a pattern, byte 0xff matches any characters and 0xfe a single one. */
struct grammar_item {
	enum grammar_match match;
	uint32_t distance, position;
	size_t n_bytes;
	uint8_t *bytes;
};

#define GRAMMAR_MAX_TEXT 2000 /* bytes of a query */

/* A node of a query's tree. `field` is an index in grammar_names, GRAMMAR_ANY_FIELD or
 * GRAMMAR_FILE_NAME. `distance` is the N of "..."~N (GRAMMAR_NEAR). `child` is the first operand of
 * an operator, and `next` the next operand of the same operator. */
struct grammar_node {
	enum grammar_kind kind;
	int field;
	uint64_t distance;
	double weight; /* of a leaf: its own weight times those of the brackets around it */
	struct grammar_item *items;
	size_t n_items;
	struct oracle_range range;
	char range_text[2][GRAMMAR_MAX_TEXT];
	struct grammar_node *child, *next;
};

/* Parses a text, as with --any if any is set. Returns NULL if it has no words and no ranges. */
struct grammar_node *grammar_read(struct grammar *grammar, const uint8_t *text, size_t n_bytes,
                                  bool any);
void grammar_free(struct grammar_node *node);

/* ---- evaluation ---- */

bool grammar_matches(const struct grammar *grammar, const struct grammar_node *node,
                     const struct grammar_doc *doc);
double grammar_score(const struct grammar *grammar, const struct grammar_node *root,
                     const struct grammar_doc *doc);
