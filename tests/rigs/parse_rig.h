/* parse_rig.h: what the tests of the query language share: words to cut queries by, fields, and
 * parsing that must work. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "query/language/parse.h"
#include "tests/rigs/error_rig.h"
#include "tests/rigs/test.h"

AUTO_OF(struct bs_query_tree, bs_query_tree_free)

#define N_FIELDS 7u /* of which year has values */
extern const struct field_name {
	const char *name;
	size_t name_bytes;
} fields[N_FIELDS];
/* between open_words and close_words, of a group of tests */
extern struct bs_tokenizer *plain_words, *english_words;

int open_words(void **state);
int close_words(void **state);
struct bs_query_options make_options(bool any);

/* The query, or NULL with *error_byte and *err. */
struct bs_query_tree *parse(const char *text, size_t text_bytes, bool any, size_t *error_byte,
                            struct bs_error *err);
/* The query; fails the test if there is an error. */
struct bs_query_tree *must_parse(const char *text, bool any);
/* The tree as text, NUL-ended; the caller frees it. */
char *format(const struct bs_query_tree *query);
