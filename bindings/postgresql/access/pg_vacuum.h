/* pg_vacuum.h: the access method's ambulkdelete and amvacuumcleanup, for VACUUM. */
#ifndef BINDINGS_POSTGRESQL_ACCESS_PG_VACUUM_H
#define BINDINGS_POSTGRESQL_ACCESS_PG_VACUUM_H

#include "postgres.h"

#include "access/genam.h"

/* Removes the rows for which `callback` returns true. `stats` is NULL in the first call of a
 * VACUUM. */
IndexBulkDeleteResult *bsp_bulkdelete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
                                      IndexBulkDeleteCallback callback, void *context);
/* Flushes pending rows into files, compacts the index if it has many files, and frees unused
 * pages. */
IndexBulkDeleteResult *bsp_vacuumcleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats);

#endif
