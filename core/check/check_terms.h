/* check_terms.h: checks the terms of a segment. For check.c. */
#pragma once

#include "core/check/check_state.h"

/* How many documents of lists each rare term has, into check->listed; when the rows of documents
 * are known. */
void bs_check_listed_terms(struct check *check);

/* The lexicon against itself, against the shards, false positives and lists, which have been looked
 * at, and tf codes. */
void bs_check_terms(struct check *check);
