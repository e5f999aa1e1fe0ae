/*
 * grammar.h: the parts of the test of the query language: random query texts, and a second parser
 * that shares nothing with the library's but the tokenizer. The oracle (oracle.h) has the documents
 * and evaluates the queries.
 *
 *   grammar_draw.c  random documents; query texts grown from the grammar, some mutated
 *   grammar_read.c  parses a text by recursive descent into a tree, by the rules of the manual
 *   test_grammar.c  compares with the library's search, for the text and for its normal form
 */
#pragma once

#include "core/base/buffer.h"
#include "tests/property/oracle/oracle.h"
#include "tests/rigs/words_rig.h"

#define GRAMMAR_N_NAMES   8
#define GRAMMAR_N_RECORDS 26
#define GRAMMAR_N_FILES   10
#define GRAMMAR_N_DOCS    (GRAMMAR_N_RECORDS + GRAMMAR_N_FILES)
#define GRAMMAR_MAX_TEXT  2000 /* bytes of a query */

/* The field names, which are those of the oracle; the last one is "name". */
extern const char *const grammar_names[GRAMMAR_N_NAMES];

struct grammar {
	struct bs_tokenizer *tokenizer, *unstemmed; /* the same one if there is no stemming */
	struct oracle oracle;
};

/* Draws documents, writes them to "files/" and "records.jsonl" in the current folder, and adds them
 * to the oracle, which the caller has initialised. */
void grammar_write(struct grammar *grammar);

/* Draws a query; sometimes a mutation of the query that `text` already holds. */
void grammar_draw(const struct grammar *grammar, struct bs_buffer *text);

/* Parses a text, as with --any if any is set, into *query. False: it has no words and no ranges. */
bool grammar_read(struct grammar *grammar, const uint8_t *text, size_t n_bytes, bool any,
                  struct oracle_query *query);
