/*
 * pg_scan.c: see pg_scan.h. Scans with conditions, which are ANDed here. A plain index scan returns
 * rows in table order, as a bitmap scan does. pg_ordered.c has scans by score.
 */
#include "bindings/postgresql/access/pg_scan.h"

#include "access/htup_details.h"
#include "access/relscan.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "bindings/postgresql/base/pg_document.h"
#include "bindings/postgresql/search/pg_ordered.h"
#include "bindings/postgresql/search/pg_prefilter.h"
#include "bindings/postgresql/search/pg_search.h"
#include "bindings/postgresql/search/pg_strategy.h"
#include "core/bitsift/candidates.h"

/* The rows of a plain index scan. They are processed in groups: their pages are prefetched and, if
 * the only condition is a pattern, the rows are prefiltered just before they are returned. */
struct candidates {
	struct bsp_rows rows; /* calls take_candidates, which stores the rows below */
	IndexScanDesc scan;
	struct bsp_prefilter *prefilter;
	ItemPointerData *tids;
	/* `tids` has n rows. The rows are collected in `bitmap`, from which `tids` is refilled in
	 * portions, if the scan has several keys, finds more than `most` rows, or finds rows that
	 * differ in `recheck`. */
	size_t n, capacity, most;
	/* The next row to return is tids[at]. Rows before kept_end passed the prefilter; rows from
	 * n_asked on have not been prefiltered yet. */
	size_t at, kept_end, n_asked;
	bool is_ordered;   /* tids are ascending and without duplicates */
	bool recheck;      /* applies to all of tids */
	TIDBitmap *bitmap; /* NULL while all rows are in tids */
};
#define LEAST_CAPACITY 1024
/* tids is refilled from the bitmap page by page until it has this many rows. Each page that is
 * added fits, because tids has room for LEAST_CAPACITY rows. */
#define SOME_CANDIDATES (LEAST_CAPACITY - MaxHeapTuplesPerPage)

struct scan {
	MemoryContext context;  /* holds the results until the next rescan */
	bool is_begun;          /* a plain index scan has begun to find its candidates */
	TBMIterator *iterator;  /* over candidates->bitmap; NULL: there is none */
	TBMIterateResult *page; /* the next page, if it has been read from the iterator */
	struct candidates *candidates;
	struct bsp_ordered *ordered; /* NULL: not a scan by score, or not begun yet */
};

IndexScanDesc bsp_beginscan(Relation index, int n_keys, int n_orderbys)
{
	IndexScanDesc scan = RelationGetIndexScan(index, n_keys, n_orderbys);
	struct scan *own = palloc0(sizeof(*own));
	own->context =
		AllocSetContextCreate(CurrentMemoryContext, "bitsift scan", ALLOCSET_DEFAULT_SIZES);
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
	struct candidates *all = own->candidates;
	if (all)
		bsp_prefilter_end(all->prefilter);
	bsp_ordered_end(own->ordered);
	if (own->iterator)
		tbm_end_iterate(own->iterator);
	if (all && all->bitmap)
		tbm_free(all->bitmap);
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

/* Returns a bitmap that is limited to work_mem. Above the limit, pages become lossy: all their rows
 * count as found and are rechecked against the conditions of the scan. The recheck of a plain index
 * scan does not include the predicate of a partial index, so its bitmap is not limited. */
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

/* Adds the rows that may satisfy all keys to the bitmap. */
static int64 search_keys(IndexScanDesc scan, struct bsp_view *view, TIDBitmap *bitmap)
{
	struct bitmap_rows into = {.rows = {add_to_bitmap}, .bitmap = bitmap};
	int64 n_rows = 0;
	if (scan->numberOfKeys == 0)
		return bsp_search_all(scan->indexRelation, view, &into.rows);
	/* Prefilter only a single key: with several keys, the other keys may exclude more rows at
	 * less cost. */
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

static int64 fill_bitmap(IndexScanDesc scan, TIDBitmap *bitmap)
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

/* A join calls this function for each row of its other table, so the memory is reset at the end. */
int64 bsp_getbitmap(IndexScanDesc scan, TIDBitmap *bitmap)
{
	struct scan *own = scan->opaque;
	MemoryContext before = MemoryContextSwitchTo(own->context);
	int64 n_rows = fill_bitmap(scan, bitmap);
	MemoryContextSwitchTo(before);
	MemoryContextReset(own->context);
	return n_rows;
}

static bool next_page(struct scan *own)
{
	CHECK_FOR_INTERRUPTS();
	own->page = tbm_iterate(own->iterator);
	return own->page;
}

static void take_candidates(struct bsp_rows *rows, const ItemPointerData *tids, int n, bool recheck)
{
	struct candidates *all = (struct candidates *)rows;
	bool is_unlike = all->n > 0 && recheck != all->recheck;
	if (!all->bitmap && (is_unlike || all->n + n > all->most)) {
		all->bitmap = new_bitmap(all->scan);
		tbm_add_tuples(all->bitmap, all->tids, (int)all->n, all->recheck);
		all->n = 0;
	}
	if (all->bitmap) {
		tbm_add_tuples(all->bitmap, (ItemPointer)tids, n, recheck);
		return;
	}
	all->recheck = recheck;
	if (all->n + n > all->capacity) {
		all->capacity = Min(Max(all->n + n, all->capacity * 2), all->most);
		all->tids = repalloc_huge(all->tids, all->capacity * sizeof(*tids));
	}
	for (int i = 0; i < n; i++) {
		all->is_ordered &=
			all->n == 0 || ItemPointerCompare((ItemPointer)&all->tids[all->n - 1],
		                                          (ItemPointer)&tids[i]) < 0;
		all->tids[all->n++] = tids[i];
	}
}

/* Sorts the rows and removes duplicates. */
static void order(struct candidates *all)
{
	size_t n = all->n;
	if (all->is_ordered)
		return;
	qsort(all->tids, n, sizeof(*all->tids), bsp_compare_tids);
	all->n = 0;
	for (size_t i = 0; i < n; i++)
		if (i == 0 || bsp_compare_tids(&all->tids[all->n - 1], &all->tids[i]) < 0)
			all->tids[all->n++] = all->tids[i];
}

/* Finds the rows of a scan with at most one key. */
static void find_candidates(IndexScanDesc scan, struct candidates *all)
{
	pgstat_count_index_scan(scan->indexRelation);
	struct bsp_view *view = bsp_view_acquire(scan->indexRelation, BSP_FOLD_SOME);
	if (scan->numberOfKeys == 0)
		(void)bsp_search_all(scan->indexRelation, view, &all->rows);
	else
		(void)bsp_search(scan->indexRelation, view, scan->keyData, &all->rows);
	(void)bsp_search_pending(view, &all->rows);
	bsp_view_release(view);
}

static void begin_candidates(IndexScanDesc scan, struct scan *own)
{
	struct candidates *all = palloc0(sizeof(*all));
	ScanKey pattern_key = scan->numberOfKeys == 1 && scan->keyData[0].sk_strategy != BSP_MATCH
	                              ? scan->keyData
	                              : NULL;
	own->candidates = all;
	*all = (struct candidates){.rows = {take_candidates},
	                           .scan = scan,
	                           .most = (size_t)work_mem * 1024 / sizeof(ItemPointerData),
	                           .capacity = LEAST_CAPACITY,
	                           .is_ordered = true};
	all->tids = palloc(all->capacity * sizeof(*all->tids));
	if (scan->numberOfKeys > 1)
		fill_bitmap(scan, all->bitmap = new_bitmap(scan));
	else
		find_candidates(scan, all);
	if (all->bitmap)
		own->iterator = tbm_begin_iterate(all->bitmap);
	else
		order(all);
	if (!all->bitmap && all->n == 0)
		return;
	all->prefilter =
		bsp_prefilter_begin(scan->indexRelation, pattern_key,
	                            pattern_key ? bsp_key_pattern(pattern_key, own->context) : NULL,
	                            scan->xs_snapshot, scan->heapRelation);
}

/* Takes the next rows from the bitmap, all with the same `recheck`. */
static void refill(struct scan *own)
{
	struct candidates *all = own->candidates;
	if (!all->bitmap)
		return;
	all->n_asked = all->n = 0;
	while (all->n < SOME_CANDIDATES && (own->page || next_page(own))) {
		/* A lossy page has no list of rows, so every line pointer is a candidate. */
		const TBMIterateResult *page = own->page;
		bool is_lossy = page->ntuples < 0, recheck = page->recheck || is_lossy;
		if (all->n > 0 && recheck != all->recheck)
			break;
		all->recheck = recheck;
		for (int i = 0, n = is_lossy ? MaxHeapTuplesPerPage : page->ntuples; i < n;
		     i++, all->n++)
			ItemPointerSet(&all->tids[all->n], page->blockno,
			               is_lossy ? i + FirstOffsetNumber : page->offsets[i]);
		own->page = NULL;
	}
}

static bool next_candidate(IndexScanDesc scan, struct scan *own)
{
	struct candidates *all;
	if (!own->is_begun) {
		MemoryContext before = MemoryContextSwitchTo(own->context);
		own->is_begun = true;
		begin_candidates(scan, own);
		MemoryContextSwitchTo(before);
	}
	all = own->candidates;
	while (all->at == all->kept_end) {
		if (all->n_asked == all->n)
			refill(own);
		if (all->n_asked == all->n)
			return false;
		size_t n_kept;
		all->at = all->n_asked;
		all->n_asked += bsp_prefilter_group(all->prefilter, all->tids + all->at,
		                                    all->n - all->at, &n_kept);
		all->kept_end = all->at + n_kept;
	}
	scan->xs_heaptid = all->tids[all->at++];
	scan->xs_recheck = all->recheck;
	bsp_prefilter_visit(all->prefilter, scan->xs_heapfetch,
	                    ItemPointerGetBlockNumber(&scan->xs_heaptid));
	return true;
}

bool bsp_gettuple(IndexScanDesc scan, ScanDirection direction)
{
	struct scan *own = scan->opaque;
	if (!ScanDirectionIsForward(direction))
		elog(ERROR, "bitsift indexes are read forward");
	if (has_null_key(scan))
		return false;
	if (scan->numberOfOrderBys == 0)
		return next_candidate(scan, own);
	if (!own->ordered) {
		MemoryContext before = MemoryContextSwitchTo(own->context);
		own->ordered = bsp_ordered_begin(scan);
		MemoryContextSwitchTo(before);
	}
	return bsp_ordered_next(own->ordered, scan);
}
