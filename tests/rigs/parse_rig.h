/* parse_rig.h: shared by the tests of the query language: tokenizers, field names and calls of the
 * parser. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "query/language/parse.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/error_rig.h"
#include "tests/rigs/test.h"

AUTO_OF(struct bs_query_tree, bs_query_tree_free)

#define N_FIELDS 7u /* the field "year" has values */
extern const struct field_name {
	const char *name;
	size_t name_bytes;
} fields[N_FIELDS];
/* opened by open_words, the setup of a group of tests; closed by close_words */
extern struct bs_tokenizer *plain_words, *english_words;

int open_words(void **state);
int close_words(void **state);
struct bs_query_options make_options(bool any);

/* Returns the tree, or NULL with *error_byte and *err set. */
struct bs_query_tree *parse(const char *text, size_t text_bytes, bool any, size_t *error_byte,
                            struct bs_error *err);
/* Returns the tree; fails the test if the query is invalid. */
struct bs_query_tree *must_parse(const char *text, bool any);
/* The tree as a NUL-terminated text; the caller frees it. */
char *format(const struct bs_query_tree *query);
