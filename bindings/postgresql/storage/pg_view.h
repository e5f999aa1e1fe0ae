/*
 * pg_view.h: an index as a search sees it: its files and its pending rows, opened by the library.
 *
 *     bsp_view_acquire   returns the current state; a backend reuses an open index until it changes
 *     bsp_view_release   releases the view; the resource owner releases it at the end of the query
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
	/* Some of the newest rows may be in no index: bsp_view_pending lists them, and each may
	 * match. */
	BSP_FOLD_SOME,
	BSP_FOLD_ALL, /* every row is in the index, as ranking and statistics require */
};

/* The view belongs to the current resource owner. Throws on failure. */
struct bsp_view *bsp_view_acquire(Relation index, enum bsp_fold fold);
/* `view` may be NULL. */
void bsp_view_release(struct bsp_view *view);
struct bs_index *bsp_view_index(struct bsp_view *view);
/* The view's searcher, for one search at a time. Each view has its own. */
struct bs_searcher *bsp_view_searcher(struct bsp_view *view);
/* The rows that are in no index, in order of insertion; the caller must check them itself. Borrowed
 * until the release. */
const ItemPointerData *bsp_view_pending(struct bsp_view *view, size_t *n_out);
/* Makes later views open the index again and create its cached files again. */
void bsp_view_forget(Relation index);

#endif
