/*
 * pg_view.h: an index of PostgreSQL as a search sees it: the files of its relation, and what waits
 * to be one, opened by the library.
 *
 *      bsp_view_acquire   the index as it is now; what a backend opened once it keeps, until the
 *        index changes
 *      bsp_view_release   no later than the query's end, which does it, too
 */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_VIEW_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_VIEW_H

#include "postgres.h"

#include "storage/itemptr.h"
#include "utils/rel.h"

struct bs_searcher;
struct bs_index;

struct bsp_view;

enum bsp_fold {
	/* some of the newest rows are in no index: bsp_view_pending names them, and each may
	 * match */
	BSP_FOLD_SOME,
	BSP_FOLD_ALL, /* every row is in the index, as ranking and statistics want it */
};

/* Belongs to the current resource owner. An error of PostgreSQL on failure. */
struct bsp_view *bsp_view_acquire(Relation index, enum bsp_fold fold);
/* NULL is fine. */
void bsp_view_release(struct bsp_view *view);
struct bs_index *bsp_view_index(struct bsp_view *view);
/* One search at a time. Another view of the same index that is held at once has a searcher of its
 * own. */
struct bs_searcher *bsp_view_searcher(struct bsp_view *view);
/* Rows that are in no index, in the order in which they came, for the caller to look at. Borrowed
 * until the release. */
const ItemPointerData *bsp_view_pending(struct bsp_view *view, size_t *n_out);
/* What is open of the index, and what the cache has of it, is used no more by whoever comes
 * next. */
void bsp_view_forget(Relation index);

#endif
