/*
 * scan.c: see scan.h. Scans by conditions: all of them are ANDed here. A scan row by row goes through the same bitmap; what comes in the
 * order of scores is ordered.c.
 */
#include "scan.h"

#include "access/htup_details.h"
#include "access/relscan.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "ordered.h"
#include "search.h"

struct scan {
	MemoryContext context; /* of what is found, until the next rescan */
	bool is_begun;
	TIDBitmap *bitmap;
	TBMIterator *iterator;
	TBMIterateResult *page;
	int at; /* on the page */
	struct bsp_ordered *ordered;
};

IndexScanDesc bsp_beginscan(Relation index, int n_keys, int n_orderbys)
{
	IndexScanDesc scan = RelationGetIndexScan(index, n_keys, n_orderbys);
	struct scan *own = palloc0(sizeof(*own));
	own->context = AllocSetContextCreate(CurrentMemoryContext, "bitsift scan", ALLOCSET_DEFAULT_SIZES);
	scan->opaque = own;
	if (n_orderbys > 0) {
		scan->xs_orderbyvals = palloc0(sizeof(Datum) * n_orderbys);
		scan->xs_orderbynulls = palloc(sizeof(bool) * n_orderbys);
		memset(scan->xs_orderbynulls, true, sizeof(bool) * n_orderbys);
	}
	return scan;
}

static void reset(struct scan *own)
{
	bsp_ordered_end(own->ordered);
	if (own->iterator)
		tbm_end_iterate(own->iterator);
	if (own->bitmap)
		tbm_free(own->bitmap);
	MemoryContextReset(own->context);
	*own = (struct scan){.context = own->context};
}

void bsp_rescan(IndexScanDesc scan, ScanKey keys, int n_keys, ScanKey orderbys, int n_orderbys)
{
	reset(scan->opaque);
	if (keys && scan->numberOfKeys > 0)
		memmove(scan->keyData, keys, sizeof(ScanKeyData) * scan->numberOfKeys);
	if (orderbys && scan->numberOfOrderBys > 0)
		memmove(scan->orderByData, orderbys, sizeof(ScanKeyData) * scan->numberOfOrderBys);
}

void bsp_endscan(IndexScanDesc scan)
{
	struct scan *own = scan->opaque;
	reset(own);
	MemoryContextDelete(own->context);
	pfree(own);
}

/* A bitmap that forgets which rows of a page it has is for those who ask of each row all that makes it one of the index. Of rows that are
 * handed out one by one, nobody asks a partial index' own condition again. */
static TIDBitmap *new_bitmap(IndexScanDesc scan)
{
	const struct scan *own = scan->opaque;
	bool is_exact = own->is_begun && RelationGetIndexPredicate(scan->indexRelation) != NIL;
	return tbm_create(is_exact ? LONG_MAX : work_mem * INT64CONST(1024), NULL);
}

struct bitmap_rows {
	struct bsp_rows rows;
	TIDBitmap *bitmap;
};

static void add_to_bitmap(struct bsp_rows *rows, const ItemPointerData *tids, int n, bool recheck)
{
	tbm_add_tuples(((struct bitmap_rows *)rows)->bitmap, (ItemPointer)tids, n, recheck);
}

/* The rows of all keys, into the bitmap, which is empty if there are several. */
static int64 search_keys(IndexScanDesc scan, struct bsp_view *view, TIDBitmap *bitmap)
{
	struct bitmap_rows into = {.rows = {add_to_bitmap}, .bitmap = bitmap};
	int64 n_rows = 0;
	if (scan->numberOfKeys == 0)
		return bsp_search_all(scan->indexRelation, view, &into.rows);
	/* Of several keys, the others may leave out more rows for less. */
	into.rows.snapshot = scan->xs_snapshot;
	if (scan->numberOfKeys == 1)
		return bsp_search(scan->indexRelation, view, scan->keyData, &into.rows);
	TIDBitmap *all = NULL;
	for (int i = 0; i < scan->numberOfKeys; i++) {
		struct bitmap_rows one = {.rows = {add_to_bitmap}, .bitmap = new_bitmap(scan)};
		int64 n = bsp_search(scan->indexRelation, view, &scan->keyData[i], &one.rows);
		n_rows = i == 0 ? n : Min(n, n_rows);
		if (all) {
			tbm_intersect(all, one.bitmap);
			tbm_free(one.bitmap);
		} else {
			all = one.bitmap;
		}
		if (tbm_is_empty(all))
			break;
	}
	tbm_union(bitmap, all);
	tbm_free(all);
	return n_rows;
}

static bool has_null_key(IndexScanDesc scan)
{
	for (int i = 0; i < scan->numberOfKeys; i++)
		if (scan->keyData[i].sk_flags & SK_ISNULL)
			return true;
	return false;
}

int64 bsp_getbitmap(IndexScanDesc scan, TIDBitmap *bitmap)
{
	struct bitmap_rows into = {.rows = {add_to_bitmap}, .bitmap = bitmap};
	if (has_null_key(scan))
		return 0;
	pgstat_count_index_scan(scan->indexRelation);
	struct bsp_view *view = bsp_view_acquire(scan->indexRelation, BSP_FOLD_SOME);
	int64 n_rows = search_keys(scan, view, bitmap);
	n_rows += bsp_search_pending(view, &into.rows);
	bsp_view_release(view);
	return n_rows;
}

/* Row by row, from a bitmap of its own. */
static bool next_row(IndexScanDesc scan, struct scan *own)
{
	if (!own->is_begun) {
		MemoryContext before = MemoryContextSwitchTo(own->context);
		own->is_begun = true;
		own->bitmap = new_bitmap(scan);
		bsp_getbitmap(scan, own->bitmap);
		own->iterator = tbm_begin_iterate(own->bitmap);
		MemoryContextSwitchTo(before);
	}
	for (;;) {
		int n = !own->page ? 0 : own->page->ntuples >= 0 ? own->page->ntuples : MaxHeapTuplesPerPage;
		if (own->at < n) {
			/* Of a page whose rows were too many to be noted each may be one. */
			OffsetNumber offset =
				own->page->ntuples >= 0 ? own->page->offsets[own->at] : own->at + FirstOffsetNumber;
			ItemPointerSet(&scan->xs_heaptid, own->page->blockno, offset);
			scan->xs_recheck = own->page->recheck || own->page->ntuples < 0;
			own->at++;
			return true;
		}
		CHECK_FOR_INTERRUPTS();
		own->page = tbm_iterate(own->iterator);
		own->at = 0;
		if (!own->page)
			return false;
	}
}

bool bsp_gettuple(IndexScanDesc scan, ScanDirection direction)
{
	struct scan *own = scan->opaque;
	if (!ScanDirectionIsForward(direction))
		elog(ERROR, "bitsift indexes are read forward");
	if (has_null_key(scan))
		return false;
	if (scan->numberOfOrderBys == 0)
		return next_row(scan, own);
	if (!own->ordered) {
		MemoryContext before = MemoryContextSwitchTo(own->context);
		own->ordered = bsp_ordered_begin(scan);
		MemoryContextSwitchTo(before);
	}
	return bsp_ordered_next(own->ordered, scan);
}
