/* query's: goes when scan.c comes */
#include "scan.h"
#define NO elog(ERROR, "bitsift: not there yet")
IndexScanDesc bsp_beginscan(Relation index, int n_keys, int n_orderbys) { NO; return NULL; }
void bsp_rescan(IndexScanDesc scan, ScanKey keys, int n_keys, ScanKey orderbys, int n_orderbys) { NO; }
int64 bsp_getbitmap(IndexScanDesc scan, TIDBitmap *bitmap) { NO; return 0; }
bool bsp_gettuple(IndexScanDesc scan, ScanDirection direction) { NO; return false; }
void bsp_endscan(IndexScanDesc scan) { NO; }
void bsp_costestimate(PlannerInfo *root, IndexPath *path, double loop_count, Cost *startup_cost, Cost *total_cost,
                      Selectivity *selectivity, double *correlation, double *pages) { *startup_cost = *total_cost = 1e9; *selectivity = 1; *correlation = 0; *pages = 1; }
