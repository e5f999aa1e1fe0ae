/* unicode_property.h: the characters of \p{...}, with the names that Rust's regex syntax has. */
#pragma once

#include "query/regex/rust/char_set.h"

/* Adds the characters of the property to an empty set. name: the text between the braces of
 * \p{name}, or the letter of \pL. Names and values are compared loosely (UAX44-LM3). BS_INVALID:
 * the property or the value is unknown; *why_out is then a message that says which of the two.
 * Other failures are in set->status, and BS_OK is returned. */
enum bs_status bs_unicode_property(const uint8_t *name, size_t n_bytes, struct bs_char_set *set,
                                   const char **why_out) BS_WARN_UNUSED;

/* Adds the characters of \d, \s or \w to an empty set. */
void bs_unicode_perl_class(char letter, struct bs_char_set *set);
