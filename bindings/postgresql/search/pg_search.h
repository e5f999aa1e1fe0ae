/*
 * pg_search.h: what an index says of one condition: rows that match, and rows that only may, which
 * are to be asked again.
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

/* Gets rows, many at once; of all of them is said whether they are to be asked again. May fail as
 * all of PostgreSQL does. */
struct bsp_rows {
	void (*take)(struct bsp_rows *rows, const ItemPointerData *tids, int n, bool recheck);
	/* not NULL: rows of a pattern that do not match by it may be left out (pg_prefilter.h) */
	Snapshot snapshot;
};

/* Returns how many. No row twice. Rows that are in no index are left to the caller:
 * bsp_search_pending. */
int64 bsp_search(Relation index, struct bsp_view *view, ScanKey key, struct bsp_rows *rows);
int64 bsp_search_pending(struct bsp_view *view, struct bsp_rows *rows);
int64 bsp_search_all(Relation index, struct bsp_view *view, struct bsp_rows *rows);

/* Of a key whose argument is a query. */
struct bsp_query_datum *bsp_key_query(ScanKey key);
/* May the index answer it? If not, each row is to be asked. */
bool bsp_is_answerable(Relation index, const struct bsp_query *query);

/* The pattern of a key, of the strategies for patterns; an error if it does not compile. It lives
 * as long as the memory context. */
const struct bs_pattern_tree *bsp_key_pattern(ScanKey key, MemoryContext context);

#endif
