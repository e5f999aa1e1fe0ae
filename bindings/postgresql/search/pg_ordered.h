/* pg_ordered.h: index scans for ORDER BY text <@> query: rows by descending score. */
#ifndef BINDINGS_POSTGRESQL_SEARCH_PG_ORDERED_H
#define BINDINGS_POSTGRESQL_SEARCH_PG_ORDERED_H

#include "postgres.h"

#include "access/genam.h"

struct bsp_ordered;

/* Allocates in the current memory context. Holds a view until bsp_ordered_end. */
struct bsp_ordered *bsp_ordered_begin(IndexScanDesc scan);
/* Stores the next row and its distance in the scan. False if there are no more rows. */
bool bsp_ordered_next(struct bsp_ordered *ordered, IndexScanDesc scan);
/* `ordered` may be NULL. Its memory is freed with its context. */
void bsp_ordered_end(struct bsp_ordered *ordered);

#endif
