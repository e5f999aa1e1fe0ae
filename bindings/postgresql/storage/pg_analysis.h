/* pg_analysis.h: how the words of an index are cut and folded. */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_ANALYSIS_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_ANALYSIS_H

#include "postgres.h"

#include "utils/rel.h"

/* The options of the index, for struct bs_query_request. */
struct bsp_analysis {
	char stemmer[32]; /* "": none */
	bool fold_accents, split_identifiers, grams;
};
void bsp_index_analysis(Relation index, struct bsp_analysis *out);

#endif
