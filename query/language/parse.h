/*
 * parse.h: query text -> syntax tree. The whole query language; what a query means is said here
 * once:
 *
 *     query  = or
 *     or     = and { ("OR" | "||") and }
 *     and    = unary { ["AND" | "&&"] unary }
 *     unary  = ["-" | "!" | "NOT"] primary
 *     primary = ( word | pattern | word~1 | word~2 | "phrase" | "phrase pattern" | "words"~N |
 *       field:primary | field:RANGE
 *                 | ( or ) ) [ ^WEIGHT ]
 *     pattern = a word with * (any run of characters) or ? (one) in it
 *
 * Tokens are separated by white space (Unicode White_Space) and cut by ( ) " wherever those
 * delimit; there are no escapes. Everything else of a token is text, given to the words analyzer,
 * so that a query has the words that a document has. Nothing is an error but a query in which no
 * word remains, and what is too large: what lacks its other half or its operand is a sign, with a
 * notice. The fine print:
 *
 * - A " delimits if another one follows; pairs are made from left to right.
 * - Brackets outside phrases group if they are a pair that holds a word and the opening one does
 *   not directly follow a word character, unless that ends a token AND, OR or NOT: f(x, y) and
 *   main() are text.
 * - AND, OR and NOT are operators when they are a whole token, as are && and ||; -AND and title:AND
 *   are about the word "and". One that lacks its operand counts as a sign, AND OR as OR alone, and
 *   NOT NOT as one.
 * - `-` and `!` negate at the start of a token that holds a word or begins with a field, and
 *   directly before a phrase or group; there is one negation per primary: --a is -a. What holds a
 *   word, the analyzer says: __ does.
 * - A token of several words is a phrase; one of none is ignored with a notice.
 * - `*`, `~1` and `~2` count at the end of a token that holds something more. They apply to the
 *   last word of several.
 * - A `*` that does not end its token is a wildcard if the token has three letters or digits; a
 *   `?`, if it stands between two word characters of one word. That is so in the last word of a
 *   token only, and if that has more than wildcards: users?id=7, foo*r.bar and count(*) are the
 *   phrases of their words, but foo.ba*r has a pattern. Not with ~N, not in a token of more than
 *   BS_PATTERN_MAX_BYTES. The analyzer cuts and folds what stands around a wildcard as if that were
 *   a letter.
 * - The last token of a phrase, if it is no NEAR, may have `*` and `?` in the same way. They mean
 *   nothing for a code point of a script run (Han, kana, Thai, ...), which stays a plain word.
 * - `~N` directly after a phrase, and followed by the end of the token or a weight, makes it a
 *   NEAR; else it is a token of its own.
 * - `^` and a decimal of 0 to 1000 (2, 2.5, .5) at the end of a token, or directly after a phrase
 *   or group and at the end of that token, is a weight, unless digits only stand before it.
 * - A field name is the longest indexed one that the token begins with, before a colon; its operand
 *   may follow after white space; of nested fields the innermost counts, as in Lucene.
 * - `name:` is of files: a leaf is about the words of their paths; where records have a field of
 *   that name, it is an OR of the two.
 * - A stop word does not score; with `any`, one that stands by itself, in no negation, is as if it
 *   were not there.
 * - RANGE is a bare token in a field that has numbers or dates; or a phrase there that is a range
 *   with a space in it, before the time of a date. A token that looks like a range and is invalid
 *   is text, with a notice; so is a range without a field.
 * - With `any`, adjacency outside brackets means OR and binds looser than AND; what stands negated
 *   by itself there excludes from its neighbours up to the next OR: `a b -c` is (a OR b) AND NOT c.
 *
 * Parsing is deterministic; two threads may parse at once with analyzers of their own.
 */
#pragma once

#include "query/language/query_tree.h"

/*
 * Parses text[0..text_bytes), any bytes at all: invalid UTF-8 counts as U+FFFD, NUL is a character
 * like any other. On BS_INVALID, err says what is wrong ("the query has no words") and
 * *error_byte_out (may be NULL) where: an offset in 0..text_bytes, for bs_query_caret. Also fails
 * with BS_NO_MEMORY and with what the analyzer returns. The caller owns *query_out:
 * bs_query_tree_free.
 */
enum bs_status bs_query_parse(const uint8_t *text, size_t text_bytes,
                              const struct bs_query_options *options,
                              struct bs_query_tree **query_out, size_t *error_byte_out,
                              struct bs_error *err) BS_WARN_UNUSED;
