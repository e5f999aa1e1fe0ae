/* pg_scan.h: index scans: the access method's ambeginscan, amrescan, amgetbitmap, amgettuple and
 * amendscan. */
#ifndef BINDINGS_POSTGRESQL_ACCESS_PG_SCAN_H
#define BINDINGS_POSTGRESQL_ACCESS_PG_SCAN_H

#include "postgres.h"

#include "access/genam.h"
#include "nodes/tidbitmap.h"

IndexScanDesc bsp_beginscan(Relation index, int n_keys, int n_orderbys);
void bsp_rescan(IndexScanDesc scan, ScanKey keys, int n_keys, ScanKey orderbys, int n_orderbys);
int64 bsp_getbitmap(IndexScanDesc scan, TIDBitmap *bitmap);
bool bsp_gettuple(IndexScanDesc scan, ScanDirection direction);
void bsp_endscan(IndexScanDesc scan);

#endif
