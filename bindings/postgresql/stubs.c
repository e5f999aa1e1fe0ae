#include "postgres.h"
#include "am.h"
#include "scan.h"
#include "view.h"
#include "fmgr.h"
#define NO elog(ERROR, "bitsift: not there yet")
IndexBuildResult *bsp_build(Relation heap, Relation index, IndexInfo *info) { NO; return NULL; }
void bsp_buildempty(Relation index) { NO; }
bool bsp_insert(Relation index, Datum *values, bool *nulls, ItemPointer tid, Relation heap, IndexUniqueCheck unique,
                bool unchanged, IndexInfo *info) { NO; return false; }
IndexBulkDeleteResult *bsp_bulkdelete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats, IndexBulkDeleteCallback callback,
                                      void *context) { NO; return NULL; }
IndexBulkDeleteResult *bsp_vacuumcleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats) { NO; return NULL; }
struct bsp_view *bsp_view_acquire(Relation index, enum bsp_fold fold) { NO; return NULL; }
void bsp_view_release(struct bsp_view *view) { NO; }
struct bs_index *bsp_view_index(struct bsp_view *view) { NO; return NULL; }
struct bs_finder *bsp_view_finder(struct bsp_view *view) { NO; return NULL; }
const ItemPointerData *bsp_view_pending(const struct bsp_view *view, size_t *n_out) { NO; return NULL; }
uint64_t bsp_view_stamp(const struct bsp_view *view) { NO; return 0; }
ItemPointerData bsp_tid_of_id(const char *id) { ItemPointerData t; NO; return t; }
size_t bsp_id_of_tid(const ItemPointerData *tid, bool has_null, char id_out[BSP_ID_BYTES + 1]) { NO; return 0; }
void bsp_index_analysis(Relation index, struct bsp_analysis *out) { NO; }
void bsp_field_name(Relation index, int column, char name_out[BSP_FIELD_BYTES]) { NO; }
PG_FUNCTION_INFO_V1(bitsift_merge);
PG_FUNCTION_INFO_V1(bitsift_check);
PG_FUNCTION_INFO_V1(bitsift_info);
PGDLLEXPORT Datum bitsift_merge(PG_FUNCTION_ARGS) { NO; PG_RETURN_VOID(); }
PGDLLEXPORT Datum bitsift_check(PG_FUNCTION_ARGS) { NO; PG_RETURN_VOID(); }
PGDLLEXPORT Datum bitsift_info(PG_FUNCTION_ARGS) { NO; PG_RETURN_VOID(); }
