/*
 * pg_search.h: searches the index for one scan key. Returns rows that match, and candidates that
 * must be rechecked.
 */
#ifndef BINDINGS_POSTGRESQL_SEARCH_PG_SEARCH_H
#define BINDINGS_POSTGRESQL_SEARCH_PG_SEARCH_H

#include "postgres.h"

#include "access/skey.h"
#include "storage/itemptr.h"
#include "utils/snapshot.h"

#include "bindings/postgresql/storage/pg_view.h"
#include "bindings/postgresql/types/pg_query_type.h"

struct bs_candidates_request;

/* Receives rows in batches. `recheck` applies to all rows of a call. `take` may throw. */
struct bsp_rows {
	void (*take)(struct bsp_rows *rows, const ItemPointerData *tids, int n, bool recheck);
	/* nullable; if set, rows that do not match a pattern for this snapshot may be omitted
	 * (pg_prefilter.h) */
	Snapshot snapshot;
};

/* These functions return the number of rows. No row is returned twice. Only bsp_search_pending
 * returns the rows of bsp_view_pending, which are in no index yet. */
int64 bsp_search(Relation index, struct bsp_view *view, ScanKey key, struct bsp_rows *rows);
int64 bsp_search_pending(struct bsp_view *view, struct bsp_rows *rows);
int64 bsp_search_all(Relation index, struct bsp_view *view, struct bsp_rows *rows);

/* The query of a key of the strategies BSP_MATCH and BSP_DISTANCE. */
struct bsp_query_datum *bsp_key_query(ScanKey key);
/* True if the index analyses words as the query does. If not, every row must be rechecked. */
bool bsp_is_answerable(Relation index, const struct bsp_query *query);

/* The pattern of a key of the LIKE and regular expression strategies. Lives as long as `context`.
 * Throws if the expression does not compile. */
const struct bs_pattern_tree *bsp_key_pattern(ScanKey key, MemoryContext context);

#endif
