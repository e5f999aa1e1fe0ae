/* pg_ordered.h: rows in the order of their scores, best first: what ORDER BY text <@> query asks an
 * index for. */
#ifndef BINDINGS_POSTGRESQL_SEARCH_PG_ORDERED_H
#define BINDINGS_POSTGRESQL_SEARCH_PG_ORDERED_H

#include "postgres.h"

#include "access/genam.h"

struct bsp_ordered;

/* In the current memory context. It holds a view until its end. */
struct bsp_ordered *bsp_ordered_begin(IndexScanDesc scan);
/* The next row, and its distance, into the scan. False: there are no more. */
bool bsp_ordered_next(struct bsp_ordered *ordered, IndexScanDesc scan);
/* NULL is fine. Its memory goes with its context. */
void bsp_ordered_end(struct bsp_ordered *ordered);

#endif
