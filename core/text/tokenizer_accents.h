/* tokenizer_accents.h: terms without the accents of Latin, Greek and Cyrillic letters. For the
 * words analyzer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <unicode/utf16.h>

/* to = a folded term in NFD, without the nonspacing marks of script Inherited that follow a letter
 * of those scripts, as far as the next code point that is no mark. A Latin letter with a stroke, a
 * hook or the like, and a ligature, become plain letters. All else stays: the vowel signs, nuktas
 * and viramas of other scripts are no accents. Returns how many units there are: none if there were
 * none, and at most BS_ACCENTS_GROWTH times as many, for which there must be room. */
#define BS_ACCENTS_GROWTH 2
int32_t bs_accents_drop(const UChar *nfd, int32_t n_units, UChar *to);

/* Whether a code point of such a term may become ASCII or nothing. */
bool bs_accents_may_go(UChar32 c);
