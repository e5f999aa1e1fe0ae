/* pg_vacuum.h: VACUUM: the access method's ambulkdelete and amvacuumcleanup. */
#ifndef BINDINGS_POSTGRESQL_ACCESS_PG_VACUUM_H
#define BINDINGS_POSTGRESQL_ACCESS_PG_VACUUM_H

#include "postgres.h"

#include "access/genam.h"

/* Removes the rows of which callback returns true. stats: NULL at the first call. */
IndexBulkDeleteResult *bsp_bulkdelete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
                                      IndexBulkDeleteCallback callback, void *context);
/* Rows that wait become a part of the index, many files become few, and pages that nobody uses
 * become free. */
IndexBulkDeleteResult *bsp_vacuumcleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats);

#endif
