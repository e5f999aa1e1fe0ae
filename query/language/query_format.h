/* query_format.h: formats a parsed query: as a tree, for --explain and tests, and as query text. */
#pragma once

#include "core/base/buffer.h"
#include "query/language/query_tree.h"

/*
 * Appends the tree on one line, without a line feed, for --explain and tests:
 *
 *     (AND cat (OR title:dog be* colour~1) (NOT (PHRASE big@0 dog@1)) (NEAR/5 a b) (PHRASE 漢@0 字@1
 *       +漢字) year:>1990)
 *
 * A term or field name with characters other than letters, digits, marks and underscores is in
 * double quotes, with ", \ and control characters as \xNN. BS_NO_MEMORY.
 */
enum bs_status bs_query_format(const struct bs_query_tree *query, struct bs_buffer *out,
                               struct bs_error *err) BS_WARN_UNUSED;

/*
 * Appends the query in its normal form, without a line feed: a query text whose meaning does not
 * depend on precedence, adjacency and --any. Every operator is explicit, every AND and OR has
 * parentheses, every leaf has its own field and weight, and exact words, prefixes and patterns are
 * in double quotes unless they contain one:
 *
 *     cat title:(dog OR be*) -colour~1^2   ->   ("cat" AND (title:"dog" OR title:"be*") AND NOT
 *       colour~1^2)
 *
 * text: the text that the query was parsed from. Parsed with the same options, the normal form
 * matches the same documents with the same scores, and is its own normal form. Operands keep their
 * order, except that an operand with an unpaired double quote is moved to the end. A feedback term
 * (options->terms) is written as in the index. BS_NO_MEMORY.
 */
enum bs_status bs_query_format_normal(const struct bs_query_tree *query, const uint8_t *text,
                                      struct bs_buffer *out, struct bs_error *err) BS_WARN_UNUSED;
