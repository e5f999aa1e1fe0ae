/* check_terms.h: checks the terms of a segment, for check.c. */
#pragma once

#include "core/check/check_state.h"

/* Decodes the rare-term lists and, for each term, adds to check->listed the number of documents
 * that have the term in these lists. Needs check->row_of. */
void bs_check_listed_terms(struct check *check);

/* Checks the lexicon, and compares it with the shards, false-positive lists, rare-term lists (all
 * of which must have been checked) and tf codes. */
void bs_check_terms(struct check *check);
