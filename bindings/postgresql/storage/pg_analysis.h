/* pg_analysis.h: how an index splits and folds words. */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_ANALYSIS_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_ANALYSIS_H

#include "postgres.h"

#include "utils/rel.h"

/* The options of an index that determine its words, and whether it has grams. */
struct bsp_analysis {
	char stemmer[32]; /* "": none */
	bool fold_accents, split_identifiers, grams;
};
void bsp_index_analysis(Relation index, struct bsp_analysis *out);

#endif
