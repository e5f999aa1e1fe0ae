/* pg_options.h: the options of CREATE INDEX ... WITH (...). */
#ifndef BINDINGS_POSTGRESQL_BASE_PG_OPTIONS_H
#define BINDINGS_POSTGRESQL_BASE_PG_OPTIONS_H

#include "postgres.h"

#include "utils/rel.h"

struct bsp_options {
	int32 vl_len_;
	int stemmer_offset; /* of the stemmer's name in this struct, in bytes; 0: no stemmer */
	bool fold_accents, split_identifiers, grams;
	int pending_limit; /* in kB; see bsp_pending_limit */
	bool condensed;    /* see bsp_condenses */
};

/* Registers the options. Called once, when the module is loaded. */
void bsp_options_init(void);
/* The access method's amoptions. */
bytea *bsp_amoptions(Datum reloptions, bool validate);
/* The option pending_limit, in bytes; see PATIENCE in access/pg_insert.c. */
size_t bsp_pending_limit(Relation index);
/* True if new segments are stored condensed (docs/glossary.md) in the index pages. */
bool bsp_condenses(Relation index);
/* The name of the stemmer, or "" if the index has none. */
const char *bsp_stemmer(Relation index);

#endif
