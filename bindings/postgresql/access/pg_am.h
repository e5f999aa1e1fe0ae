/* pg_am.h: what PostgreSQL calls of the access method, but searches: pg_scan.h. Each says what it is in its file. */
#ifndef BINDINGS_POSTGRESQL_ACCESS_PG_AM_H
#define BINDINGS_POSTGRESQL_ACCESS_PG_AM_H

#include "postgres.h"

#include "access/amapi.h"
#include "access/genam.h"
#include "nodes/execnodes.h"

/* Of CREATE INDEX ... WITH (...): pg_options.c. */
struct bsp_options {
	int32 vl_len_;
	int stemmer_offset;
	bool fold_accents, split_identifiers, grams;
	int pending_limit; /* kB */
	bool condensed;
};
void bsp_options_init(void);
bytea *bsp_amoptions(Datum reloptions, bool validate);
/* Bytes of rows that may wait. */
size_t bsp_pending_limit(Relation index);
/* Whether new segments lie condensed in pages. */
bool bsp_condenses(Relation index);
/* "": none. */
const char *bsp_stemmer(Relation index);

IndexBuildResult *bsp_build(Relation heap, Relation index, IndexInfo *info);
void bsp_buildempty(Relation index);
bool bsp_insert(Relation index, Datum *values, bool *nulls, ItemPointer tid, Relation heap, IndexUniqueCheck unique,
                bool unchanged, IndexInfo *info);
IndexBulkDeleteResult *bsp_bulkdelete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
                                      IndexBulkDeleteCallback callback, void *context);
IndexBulkDeleteResult *bsp_vacuumcleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats);
bool bsp_validate(Oid opclass);

#endif
