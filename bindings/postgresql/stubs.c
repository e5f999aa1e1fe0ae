#include "postgres.h"
#include "am.h"
#include "scan.h"
#include "view.h"
#include "fmgr.h"
#define NO elog(ERROR, "bitsift: not there yet")
IndexBulkDeleteResult *bsp_bulkdelete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats, IndexBulkDeleteCallback callback,
                                      void *context) { NO; return NULL; }
IndexBulkDeleteResult *bsp_vacuumcleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats) { NO; return NULL; }
PG_FUNCTION_INFO_V1(bitsift_merge);
PG_FUNCTION_INFO_V1(bitsift_check);
PG_FUNCTION_INFO_V1(bitsift_info);
PGDLLEXPORT Datum bitsift_merge(PG_FUNCTION_ARGS) { NO; PG_RETURN_VOID(); }
PGDLLEXPORT Datum bitsift_check(PG_FUNCTION_ARGS) { NO; PG_RETURN_VOID(); }
PGDLLEXPORT Datum bitsift_info(PG_FUNCTION_ARGS) { NO; PG_RETURN_VOID(); }
