/*
 * literal_set.h: searches for many literals at once.
 *
 * For each position, the hash of its next four bytes is looked up in a table, which says whether a
 * literal may begin there and which fifth bytes may follow. Two small tables do this for literals
 * of three bytes and of one or two. So a position costs a few instructions, however many literals
 * there are. Where a literal may begin, the first four bytes lead to a radix tree of the literals
 * that begin with them. Positions are tried from left to right, so the first match is the leftmost.
 * If several literals match at this position, the earliest of the list is returned, as an
 * alternation of the literals would match.
 *
 * Sets with BS_LITERAL_UNICODE compare literals and text by simple case folding (bs_gram_fold), as
 * PCRE2 does; tests/property/test_literal_set.c compares the two for all of Unicode. Their literals
 * must be UTF-8, and an invalid byte in the text equals nothing.
 */
#pragma once

#include <stdbool.h>

#include "core/base/vector.h"

#define BS_NO_LITERAL UINT32_MAX

struct bs_literal {
	const uint8_t *bytes;
	uint32_t n_bytes;
};
BS_VECTOR(bs_literals, struct bs_literal);

enum bs_literal_case {
	BS_LITERAL_EXACT,
	BS_LITERAL_ASCII, /* ASCII letters match in either case; other bytes must be equal */
	BS_LITERAL_UNICODE,
};

struct bs_literal_found {
	size_t start, end;
	uint32_t literal;
};

/* Returns whether to accept the literal at text[found->start..found->end). */
typedef bool (*bs_literal_accept)(void *context, const uint8_t *text, size_t n_bytes,
                                  const struct bs_literal_found *found);

struct bs_literal_set;

/* Makes a set of literals. literals and their bytes must outlive the set. n_literals > 0. An empty
 * literal matches everywhere. Time and memory are linear in the total bytes of the literals; a
 * literal takes about 100 bytes. BS_NO_MEMORY. BS_UNSUPPORTED: BS_LITERAL_UNICODE with a literal
 * beyond ASCII, and ICU is missing. */
enum bs_status bs_literal_set_new(const struct bs_literal *literals, uint32_t n_literals,
                                  enum bs_literal_case letter_case, struct bs_literal_set **set_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_literal_set_free(struct bs_literal_set *set);

/*
 * Finds the leftmost position at or after `from` where a literal matches in text[0..n_bytes), and
 * the earliest literal of the list that matches there. counts (nullable) is called for the literals
 * found, equal ones included, in the order of positions; a literal for which it returns false does
 * not match. A function that always returns false gets every literal in the text. An empty literal
 * matches at `from` without a call of counts. Thread-safe.
 */
bool bs_literal_set_find(const struct bs_literal_set *set, const uint8_t *text, size_t from,
                         size_t n_bytes, bs_literal_accept counts, void *context,
                         struct bs_literal_found *found_out);
