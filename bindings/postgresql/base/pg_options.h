/* pg_options.h: what CREATE INDEX ... WITH (...) may say. */
#ifndef BINDINGS_POSTGRESQL_BASE_PG_OPTIONS_H
#define BINDINGS_POSTGRESQL_BASE_PG_OPTIONS_H

#include "postgres.h"

#include "utils/rel.h"

struct bsp_options {
	int32 vl_len_;
	int stemmer_offset;
	bool fold_accents, split_identifiers, grams;
	int pending_limit; /* kB */
	bool condensed;
};

/* Registers the options. Once, when the module is loaded. */
void bsp_options_init(void);
/* The access method's amoptions. */
bytea *bsp_amoptions(Datum reloptions, bool validate);
/* Bytes of rows that may wait. */
size_t bsp_pending_limit(Relation index);
/* Whether new segments lie condensed in pages. */
bool bsp_condenses(Relation index);
/* "": none. */
const char *bsp_stemmer(Relation index);

#endif
