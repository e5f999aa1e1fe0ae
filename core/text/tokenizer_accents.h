/* tokenizer_accents.h: removes the accents of Latin, Greek and Cyrillic letters from terms. For the
 * tokenizer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <unicode/utf16.h>

/* Copies a folded term in NFD to `to` without accents: nonspacing marks of script Inherited are
 * removed if they follow a Latin, Greek or Cyrillic letter. Latin letters with a stroke, a hook and
 * the like, and ligatures, become plain letters. Everything else is unchanged: vowel signs, nuktas
 * and viramas of other scripts are not accents. Returns the number of units written: 0 for an empty
 * term, at most BS_ACCENTS_GROWTH * n_units, for which `to` must have room. */
#define BS_ACCENTS_GROWTH 2
int32_t bs_accents_drop(const UChar *nfd, int32_t n_units, UChar *to);

/* Whether bs_accents_drop may turn this code point into ASCII, or remove it. */
bool bs_accents_may_go(UChar32 c);
