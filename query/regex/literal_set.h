/*
 * literal_set.h: many literals, looked for at once.
 *
 * A table says for the four bytes at a place, by a hash, whether some literal may begin there, and
 * what its fifth byte may be; two small ones say the same of literals of three bytes and of fewer.
 * So a place costs some instructions however many literals there are. Where one may begin, the
 * first four bytes lead to a radix tree of the literals that begin with them. Places are asked from
 * left to right, so the first match is the leftmost one; of the literals that begin there the
 * caller gets the one that stands first in the list, as an alternation of them would have it.
 *
 * Letter case aside, literals and text are compared by simple case folding (bs_gram_fold), which is
 * what PCRE2 does: tests/property/test_literal_set.c compares the two for all of Unicode. Literals
 * are UTF-8 then; in the text, a byte that is of no character is equal to nothing.
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
	BS_LITERAL_ASCII, /* the letters of ASCII are equal, bytes beyond as they are */
	BS_LITERAL_UNICODE,
};

struct bs_literal_found {
	size_t start, end;
	uint32_t literal;
};

/* Whether a literal that stands in text[found->start..found->end) counts. */
typedef bool (*bs_literal_counts)(void *context, const uint8_t *text, size_t n_bytes,
                                  const struct bs_literal_found *found);

struct bs_literal_set;

/* literals, and their bytes, must live as long as the set. n_literals > 0. An empty literal stands
 * everywhere. Time and memory are linear in what the literals have of bytes: some 100 bytes a
 * literal. BS_NO_MEMORY; BS_UNSUPPORTED: Unicode's case is asked for, some literal is not ASCII,
 * and there is no ICU. */
enum bs_status bs_literal_set_new(const struct bs_literal *literals, uint32_t n_literals,
                                  enum bs_literal_case letter_case, struct bs_literal_set **set_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_literal_set_free(struct bs_literal_set *set);

/*
 * The leftmost place at or after from where a literal stands in text[0..n_bytes), and of those that
 * begin there the first of the list. counts, unless NULL, is asked about each literal in turn,
 * equal ones too, in the order of places; one that says no to all sees whatever stands in the text.
 * An empty literal is found at from, whatever counts says. Any number of threads.
 */
bool bs_literal_set_find(const struct bs_literal_set *set, const uint8_t *text, size_t from,
                         size_t n_bytes, bs_literal_counts counts, void *context,
                         struct bs_literal_found *found_out);
