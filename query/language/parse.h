/*
 * parse.h: query text -> syntax tree. This is the definition of the query language:
 *
 *     query   = or
 *     or      = and { ("OR" | "||") and }
 *     and     = unary { ["AND" | "&&"] unary }
 *     unary   = ["-" | "!" | "NOT"] primary
 *     primary = ( word | pattern | word~1 | word~2 | "phrase" | "phrase pattern" | "words"~N |
 *                 field:primary | field:RANGE | ( or ) ) [ ^WEIGHT ]
 *     pattern = a word that contains * (any run of characters) or ? (one character)
 *
 * Tokens are separated by white space (Unicode White_Space) and cut at ( ) " where these delimit.
 * There are no escapes. The rest of a token is text for the analyzer, so that a query has the same
 * words as a document. Only two things are errors: a query without words, and a query that is too
 * large or too deeply nested. A sign without its other half or its operand counts as punctuation,
 * with a notice; with options->strict, each notice is an error. In detail:
 *
 * - A " delimits if another " follows; pairs are formed from left to right.
 * - Brackets outside phrases form a group if they are a pair, contain a word, and the opening
 *   bracket does not directly follow a word character; it may follow AND, OR or NOT. So f(x, y) and
 *   main() are text.
 * - AND, OR, NOT, && and || are operators if they are a whole token; -AND and title:AND search for
 *   the word "and". An operator without operand counts as punctuation, AND OR as OR, and NOT NOT as
 *   NOT.
 * - `-` and `!` negate at the start of a token that contains a word or begins with a field, and
 *   directly before a phrase or group. Each primary has one negation: --a is -a. The analyzer
 *   decides whether a token contains a word; for example, it reads __ as a word.
 * - A token of several words is a phrase. A token without words is ignored, with a notice unless it
 *   contains an unpaired quote or bracket.
 * - `*`, `~1` and `~2` are operators at the end of a token that has other characters before them.
 *   They apply to the last word of the token.
 * - A `*` elsewhere in a token is a wildcard if the token has at least three letters or digits. A
 *   `?` is a wildcard if it is between two word characters of one word. Both are wildcards only in
 *   the last word of a token, and only if this word has other characters: users?id=7, foo*r.bar and
 *   count(*) are phrases of their words, but foo.ba*r contains a pattern. There are no wildcards
 *   with ~N and in tokens of more than BS_PATTERN_MAX_BYTES. The analyzer cuts and folds the text
 *   around a wildcard as if the wildcard were a letter.
 * - The last token of a phrase, unless it is a NEAR, may contain `*` and `?` in the same way. They
 *   are ignored next to a code point of a script run (Han, kana, Thai, ...), which remains a plain
 *   word.
 * - `~N` directly after a phrase makes it a NEAR if the end of the token or a weight follows;
 *   otherwise ~N is a token of its own.
 * - `^` and a decimal from 0 to 1000 (2, 2.5, .5) is a weight at the end of a token, unless only
 *   digits precede it, and directly after a phrase or group if the token ends there.
 * - A field name is the longest indexed name that the token begins with, before a colon. Its
 *   operand may follow after white space. With nested fields the innermost counts, as in Lucene.
 * - `name:` applies to files: the leaf matches words of their paths. If records have a field
 *   "name", `name:` searches both, as an OR of two leaves.
 * - A stop word does not score. With `any`, a stop word that is a leaf of its own and not negated
 *   is ignored.
 * - RANGE is a token in a field that has numbers or dates. It has no quotes, except that a range of
 *   dates with a space between date and time must be in quotes. A token that looks like a range and
 *   is invalid is text, usually with a notice; so is a range without a field.
 * - With `any`, adjacency outside brackets means OR and binds less than AND. A negated operand on
 *   its own excludes from its neighbours up to the next OR: `a b -c` is (a OR b) AND NOT c.
 *
 * Parsing is deterministic. Threads may parse at the same time with analyzers of their own.
 */
#pragma once

#include "query/language/query_tree.h"

/*
 * Parses text[0..text_bytes), which may be any bytes: invalid UTF-8 counts as U+FFFD, and NUL is an
 * ordinary character. For BS_INVALID, err has the reason ("the query has no words") and
 * *error_byte_out (nullable) the position, 0..text_bytes, for bs_query_caret. Also fails with
 * BS_NO_MEMORY, if the deadline is over, or with the status of the analyzer. The caller frees
 * *query_out by bs_query_tree_free.
 */
enum bs_status bs_query_parse(const uint8_t *text, size_t text_bytes,
                              const struct bs_query_options *options,
                              struct bs_query_tree **query_out, size_t *error_byte_out,
                              struct bs_error *err) BS_WARN_UNUSED;
