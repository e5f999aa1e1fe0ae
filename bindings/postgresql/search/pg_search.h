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
	/* If not NULL, a search for a pattern may omit a row if no version that this snapshot sees
	 * matches (pg_prefilter.h). */
	Snapshot snapshot;
};

/* Each of the next three functions passes rows to rows->take, no row twice, and returns the number
 * of these rows. */

/* The rows of the index that match the key, and candidates, which must be rechecked. */
int64 bsp_search(Relation index, struct bsp_view *view, ScanKey key, struct bsp_rows *rows);
/* The rows of bsp_view_pending, which are in no index yet; they must be rechecked. */
int64 bsp_search_pending(struct bsp_view *view, struct bsp_rows *rows);
/* All rows of the index; they must be rechecked. */
int64 bsp_search_all(Relation index, struct bsp_view *view, struct bsp_rows *rows);

/* The query of a key of the strategies BSP_MATCH and BSP_DISTANCE. */
struct bsp_query_datum *bsp_key_query(ScanKey key);
/* True if the index analyses words as the query does. If not, every row must be rechecked. */
bool bsp_is_answerable(Relation index, const struct bsp_query *query);

/* The pattern of a key of the strategies BSP_LIKE to BSP_REGEX_CASELESS. Lives as long as
 * `context`. Throws if a regular expression does not compile. */
const struct bs_pattern_tree *bsp_key_pattern(ScanKey key, MemoryContext context);

#endif
