/* pg_scan.h: searches by an index. What PostgreSQL calls of the access method; pg_scan.c, pg_ordered.c and pg_cost.c have them. */
#ifndef BINDINGS_POSTGRESQL_ACCESS_PG_SCAN_H
#define BINDINGS_POSTGRESQL_ACCESS_PG_SCAN_H

#include "postgres.h"

#include "access/genam.h"
#include "nodes/pathnodes.h"
#include "nodes/tidbitmap.h"

/* The strategies of operator classes: sql/opclass.sql. */
enum bsp_strategy {
	BSP_MATCH = 1, /* @@@ */
	BSP_LIKE,
	BSP_ILIKE,
	BSP_REGEX,
	BSP_REGEX_CASELESS,
	BSP_DISTANCE, /* <@>, for ORDER BY */
	BSP_STRATEGIES = BSP_DISTANCE
};

IndexScanDesc bsp_beginscan(Relation index, int n_keys, int n_orderbys);
void bsp_rescan(IndexScanDesc scan, ScanKey keys, int n_keys, ScanKey orderbys, int n_orderbys);
int64 bsp_getbitmap(IndexScanDesc scan, TIDBitmap *bitmap);
bool bsp_gettuple(IndexScanDesc scan, ScanDirection direction);
void bsp_endscan(IndexScanDesc scan);
void bsp_costestimate(PlannerInfo *root, IndexPath *path, double loop_count, Cost *startup_cost, Cost *total_cost,
                      Selectivity *selectivity, double *correlation, double *pages);

#endif
