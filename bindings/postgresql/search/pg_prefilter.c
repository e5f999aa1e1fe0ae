/*
 * pg_prefilter.c: see pg_prefilter.h.
 *
 * A page is locked only while the values of its tuples are located. While the page is pinned the
 * values stay in place, so they are matched without the lock. Several pages are processed together,
 * so that memory fetched for one page arrives while others are processed. When the page is locked,
 * it already has all tuples that are visible to the MVCC snapshot, so tuples that are added later
 * do not matter. The versions of a row that form a HOT chain share one entry in the index. All
 * are tested: versions older than the index may differ in the indexed value.
 */
#include "bindings/postgresql/search/pg_prefilter.h"

#include "access/detoast.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_am_d.h"
#include "executor/instrument.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"
#include "utils/spccache.h"

#include "bindings/postgresql/base/pg_versions.h"
#include "bindings/postgresql/search/pg_strategy.h"
#include "core/bitsift/candidates.h"

/* Fewer candidates are not tested: preparing the pattern would cost more than the executor's
 * checks. */
#define LEAST_ROWS 8
/* The number of pages and rows that are processed together. The pages are pinned, so their number
 * is small: few shared buffers must suffice. */
#define MOST_PAGES 8
#define MOST_ROWS  512
/* The number of recently used pages whose buffers are remembered: 128 MB of a table. */
#define RECENT_PAGES 16384
/* After each WINDOW_ROWS rows, the prefilter decides whether it drops enough of them to pay. If
 * not, it pauses for FIRST_PAUSE windows, the next time for twice as many, at most for
 * MOST_PAUSE. */
#define WINDOW_ROWS 256
#define FIRST_PAUSE 16 /* in windows */
#define MOST_PAUSE  1024
/* The window for values that are compressed or stored out of line; it is smaller, because testing
 * such a value takes longer. Values above MOST_VALUE_BYTES are never tested. */
#define WINDOW_VALUES    32
#define MOST_VALUE_BYTES (16 << 20)
/* The number of bytes of each tuple that are prefetched into the CPU's cache: the header and a few
 * lines of text. */
#define AHEAD_BYTES 320
#define CACHE_LINE  64

enum state {
	IS_NEW,
	IS_READY,
	IS_OFF /* not a heap table, or the pattern cannot be tested */
};

/* A page, and the range of rows that are on it. */
struct page {
	Buffer buffer;
	size_t first, end;
};

/* A value to be tested. */
struct look {
	size_t row; /* its position in the group */
	const struct varlena *value;
	bool is_toast; /* compressed or stored out of line */
};

/* Decides whether testing pays: if too few of `window` rows or values were dropped, a pause
 * follows. */
struct trial {
	size_t window;
	unsigned least_percent; /* the share that must be dropped to pay */
	/* n_asked, n_dropped: the numbers of tested and of dropped rows or values of the current
	 * window. n_paused: how many more are passed on untested in the current pause. pause: the
	 * length of the next pause, in windows. */
	size_t n_asked, n_dropped, n_paused, pause;
};

struct bsp_prefilter {
	enum state state;
	bool is_forced; /* set by tests: never pause */
	bool is_lent;   /* the caller owns the table and visits the rows at once */
	MemoryContextCallback on_reset;
	Oid table;
	AttrNumber column;
	Snapshot snapshot;
	const struct bs_pattern_tree *pattern;
	struct bs_text_filter *filter;
	Relation heap;
	BlockNumber n_blocks;
	int n_ahead;               /* the number of pages that read_ahead prefetches */
	struct trial rows, values; /* values: the compressed or out-of-line ones */
	/* The group of rows that is being processed. */
	const ItemPointerData *tids;
	size_t n_pages, n_looks;
	struct page pages[MOST_PAGES];
	bool is_kept[MOST_ROWS];
	struct look looks[2 * MOST_ROWS];
};

/* Sets the trials. least_percent is the measured cost of testing a row here, in percent of what the
 * executor spends on a row. For `rows` the executor's cost is the lookup and the call of the
 * operator. For `values` it includes detoasting, which is done twice for rows that are passed
 * on. */
static void begin_trials(struct bsp_prefilter *prefilter, StrategyNumber strategy)
{
	bool is_like = strategy == BSP_LIKE, is_ilike = strategy == BSP_ILIKE;
	prefilter->rows = (struct trial){.window = WINDOW_ROWS,
	                                 .pause = FIRST_PAUSE,
	                                 .least_percent = is_like    ? 15
	                                                  : is_ilike ? 5
	                                                             : 7};
	prefilter->values = (struct trial){.window = WINDOW_VALUES,
	                                   .pause = FIRST_PAUSE,
	                                   .least_percent = is_like    ? 75
	                                                    : is_ilike ? 25
	                                                               : 15};
}

static void decide(const struct bsp_prefilter *prefilter, struct trial *trial)
{
	if (trial->n_asked < trial->window || prefilter->is_forced)
		return;
	bool pays = trial->n_dropped * 100 >= trial->n_asked * trial->least_percent;
	trial->n_paused = pays ? 0 : trial->pause * trial->window;
	trial->pause = pays ? FIRST_PAUSE : Min(trial->pause * 2, MOST_PAUSE);
	trial->n_asked = trial->n_dropped = 0;
}

/* In builds with assertions, tests can disable the prefilter or its pauses: SET bitsift.prefilter =
 * 'off', or 'all'. */
static const char *told(void)
{
#ifdef NDEBUG
	return "";
#else
	const char *how = GetConfigOption("bitsift.prefilter", true, false);
	return how ? how : "";
#endif
}

static void free_filter(void *arg)
{
	struct bsp_prefilter *prefilter = arg;
	bs_text_filter_free(prefilter->filter);
	prefilter->filter = NULL;
}

struct bsp_prefilter *bsp_prefilter_begin(Relation index, ScanKey key,
                                          const struct bs_pattern_tree *pattern, Snapshot snapshot,
                                          Relation heap)
{
	AttrNumber column = key ? index->rd_index->indkey.values[key->sk_attno - 1] : 0;
	const char *how = told();
	if (strcmp(how, "off") == 0)
		return NULL;
	if (key && (!snapshot || !IsMVCCSnapshot(snapshot) || column <= 0 ||
	            GetDatabaseEncoding() != PG_UTF8 || BSP_MAY_BE_TOO_OLD())) {
		if (!heap)
			return NULL;
		key = NULL;
	}
	struct bsp_prefilter *prefilter = palloc(sizeof(*prefilter));
	memset(prefilter, 0, offsetof(struct bsp_prefilter, pages));
	prefilter->is_forced = strcmp(how, "all") == 0;
	prefilter->table = index->rd_index->indrelid;
	prefilter->column = column;
	prefilter->snapshot = snapshot;
	prefilter->pattern = key ? pattern : NULL;
	if (key)
		begin_trials(prefilter, key->sk_strategy);
	else
		prefilter->rows.n_paused = SIZE_MAX;
	if (heap) {
		/* A plain index scan may fail between rows, so the filter is freed with the memory
		 * context. */
		prefilter->is_lent = true;
		prefilter->heap = heap;
		prefilter->on_reset =
			(MemoryContextCallback){.func = free_filter, .arg = prefilter};
		MemoryContextRegisterResetCallback(CurrentMemoryContext, &prefilter->on_reset);
	}
	return prefilter;
}

void bsp_prefilter_end(struct bsp_prefilter *prefilter)
{
	if (!prefilter)
		return;
	free_filter(prefilter);
	if (prefilter->is_lent)
		return;
	if (prefilter->heap)
		table_close(prefilter->heap, AccessShareLock);
	pfree(prefilter);
}

static enum state make_ready(struct bsp_prefilter *prefilter)
{
	struct bs_error err;
	if (!prefilter->heap)
		prefilter->heap = table_open(prefilter->table, AccessShareLock);
	if (prefilter->heap->rd_rel->relam != HEAP_TABLE_AM_OID ||
	    (prefilter->pattern &&
	     bs_text_filter_new_of_tree(prefilter->pattern, &prefilter->filter, &err)))
		return IS_OFF;
	prefilter->n_blocks = RelationGetNumberOfBlocks(prefilter->heap);
	prefilter->n_ahead = get_tablespace_io_concurrency(prefilter->heap->rd_rel->reltablespace);
	return IS_READY;
}

static bool wants_value(struct bsp_prefilter *prefilter, const struct varlena *value)
{
	bool is_paused = prefilter->values.n_paused > 0;
	prefilter->values.n_paused -= is_paused;
	return !is_paused && toast_raw_datum_size(PointerGetDatum(value)) <= MOST_VALUE_BYTES;
}

/* Adds the values of all versions of a row to `looks`. row: its position in the group. False if the
 * row must be passed on untested. */
static bool look_at(struct bsp_prefilter *prefilter, Buffer buffer, OffsetNumber offset, size_t row)
{
	Page page = BufferGetPage(buffer);
	TupleDesc columns = RelationGetDescr(prefilter->heap);
	bool is_redirected = false;
	for (unsigned n = 0; n < MaxHeapTuplesPerPage && offset >= FirstOffsetNumber; n++) {
		if (offset > PageGetMaxOffsetNumber(page))
			return false;
		ItemId item = PageGetItemId(page, offset);
		if (n == 0 && ItemIdIsRedirected(item)) {
			offset = ItemIdGetRedirect(item);
			is_redirected = true;
			continue;
		}
		if (!ItemIdIsNormal(item))
			return false;
		HeapTupleData tuple = {.t_len = ItemIdGetLength(item),
		                       .t_tableOid = prefilter->table,
		                       .t_data = (HeapTupleHeader)PageGetItem(page, item)};
		ItemPointerSet(&tuple.t_self, BufferGetBlockNumber(buffer), offset);
		bool is_null;
		if ((n == 0 && !is_redirected && HeapTupleIsHeapOnly(&tuple)) ||
		    HeapTupleHeaderGetNatts(tuple.t_data) < prefilter->column)
			return false;
		Datum value = heap_getattr(&tuple, prefilter->column, columns, &is_null);
		if (!is_null) {
			const struct varlena *text = (const struct varlena *)DatumGetPointer(value);
			bool is_toast = VARATT_IS_EXTERNAL(text) || VARATT_IS_COMPRESSED(text);
			if (prefilter->n_looks == lengthof(prefilter->looks) ||
			    (is_toast && !wants_value(prefilter, text)))
				return false;
			/* An out-of-line value of an invisible version may have been removed. A
			 * serializable transaction must visit rows that are not visible yet, to
			 * detect conflicts if they match. */
			if (!is_toast ||
			    HeapTupleSatisfiesVisibility(&tuple, prefilter->snapshot, buffer))
				prefilter->looks[prefilter->n_looks++] =
					(struct look){row, text, is_toast};
			else if (IsolationIsSerializable())
				return false;
		}
		if (!HeapTupleIsHotUpdated(&tuple))
			return true;
		offset = ItemPointerGetOffsetNumber(&tuple.t_data->t_ctid);
	}
	return false;
}

/* Prefetches the next pages from disk, as PostgreSQL's bitmap scan does. Called after a page was
 * not in the shared buffers. */
static void read_ahead(struct bsp_prefilter *prefilter, const ItemPointerData *tids, size_t n)
{
	BlockNumber last = InvalidBlockNumber;
	for (size_t i = 0, n_pages = 0; i < n && n_pages < (size_t)prefilter->n_ahead; i++) {
		BlockNumber block = ItemPointerGetBlockNumber(&tids[i]);
		if (block == last || block >= prefilter->n_blocks)
			continue;
		(void)PrefetchBuffer(prefilter->heap, MAIN_FORKNUM, block);
		last = block;
		n_pages++;
	}
}

/* The buffers of recently used pages of one table, because a lookup in the buffer table takes as
 * long as testing a row. */
static struct {
	Oid table;
	Buffer buffers[RECENT_PAGES];
} recent;

static Buffer pin(Relation heap, BlockNumber block)
{
	Buffer *last = &recent.buffers[block % RECENT_PAGES];
	if (recent.table != RelationGetRelid(heap)) {
		memset(&recent, 0, sizeof(recent));
		recent.table = RelationGetRelid(heap);
	}
	if (!BufferIsValid(*last) || RelationUsesLocalBuffers(heap) ||
	    !ReadRecentBuffer(BSP_LOCATOR(heap), MAIN_FORKNUM, block, *last))
		*last = ReadBuffer(heap, block);
	return *last;
}

/* Forms a group of the first of n rows: pins their pages and prefetches their line pointers.
 * Returns the number of rows of the group. */
static size_t pin_pages(struct bsp_prefilter *prefilter, const ItemPointerData *tids, size_t n)
{
	size_t at = 0, end;
	int64 n_read = pgBufferUsage.shared_blks_read;
	prefilter->tids = tids;
	for (prefilter->n_pages = 0; at < n && at < MOST_ROWS && prefilter->n_pages < MOST_PAGES;
	     at = end) {
		BlockNumber block = ItemPointerGetBlockNumber(&tids[at]);
		if (block >= prefilter->n_blocks)
			break;
		for (end = at + 1;
		     end < n && end < MOST_ROWS && ItemPointerGetBlockNumber(&tids[end]) == block;
		     end++)
			;
		Buffer buffer = pin(prefilter->heap, block);
		Page page = BufferGetPage(buffer);
		__builtin_prefetch(page);
		for (size_t i = at; i < end; i++)
			__builtin_prefetch(
				PageGetItemId(page, ItemPointerGetOffsetNumber(&tids[i])));
		prefilter->pages[prefilter->n_pages++] = (struct page){buffer, at, end};
	}
	if (pgBufferUsage.shared_blks_read != n_read)
		read_ahead(prefilter, tids + at, n - at);
	return at;
}

/* Prefetches the tuples of a page. No lock: a stale line pointer only costs a useless prefetch. */
static void fetch_tuples(const struct bsp_prefilter *prefilter, const struct page *at)
{
	Page page = BufferGetPage(at->buffer);
	for (size_t i = at->first; i < at->end; i++) {
		OffsetNumber offset = ItemPointerGetOffsetNumber(&prefilter->tids[i]);
		if (offset < FirstOffsetNumber || offset > PageGetMaxOffsetNumber(page))
			continue;
		const char *tuple =
			(const char *)page + ItemIdGetOffset(PageGetItemId(page, offset));
		for (size_t byte = 0; byte < AHEAD_BYTES; byte += CACHE_LINE)
			__builtin_prefetch(tuple + byte);
	}
}

static bool text_may_match(struct bsp_prefilter *prefilter, const struct varlena *text)
{
	return bs_text_filter_may_match(prefilter->filter, VARDATA_ANY(text),
	                                VARSIZE_ANY_EXHDR(text));
}

static bool value_may_match(struct bsp_prefilter *prefilter, const struct varlena *value)
{
	CHECK_FOR_INTERRUPTS();
	struct varlena *text = detoast_attr((struct varlena *)value);
	bool may_match = text_may_match(prefilter, text);
	pfree(text);
	prefilter->values.n_asked++;
	prefilter->values.n_dropped += !may_match;
	decide(prefilter, &prefilter->values);
	return may_match;
}

/* Tests the rows of the pinned pages; sets is_kept. */
static void ask_pages(struct bsp_prefilter *prefilter)
{
	prefilter->n_looks = 0;
	for (size_t i = 0; i < prefilter->n_pages; i++) {
		const struct page *page = &prefilter->pages[i];
		LockBuffer(page->buffer, BUFFER_LOCK_SHARE);
		for (size_t row = page->first; row < page->end; row++)
			prefilter->is_kept[row] =
				!look_at(prefilter, page->buffer,
			                 ItemPointerGetOffsetNumber(&prefilter->tids[row]), row);
		LockBuffer(page->buffer, BUFFER_LOCK_UNLOCK);
	}
	for (size_t i = 0; i < prefilter->n_looks; i++) {
		const struct look *look = &prefilter->looks[i];
		if (!prefilter->is_kept[look->row])
			prefilter->is_kept[look->row] =
				look->is_toast ? value_may_match(prefilter, look->value)
					       : text_may_match(prefilter, look->value);
	}
}

/* Tests a group of the first of n rows, moves the kept ones to its front, and returns the number of
 * its rows. During a pause all are kept; pages are still prefetched for a caller that visits the
 * rows at once. */
static size_t ask_some(struct bsp_prefilter *prefilter, ItemPointerData *tids, size_t n,
                       size_t *n_kept_out)
{
	struct trial *rows = &prefilter->rows;
	bool is_paused = rows->n_paused > 0;
	size_t n_kept = 0, n_asked;
	CHECK_FOR_INTERRUPTS();
	n_asked = is_paused && !prefilter->is_lent ? 0 : pin_pages(prefilter, tids, n);
	if (n_asked == 0) {
		rows->n_paused -= is_paused;
		*n_kept_out = 1;
		return 1;
	}
	for (size_t i = 0; i < prefilter->n_pages; i++)
		fetch_tuples(prefilter, &prefilter->pages[i]);
	if (!is_paused)
		ask_pages(prefilter);
	for (size_t i = 0; i < prefilter->n_pages; i++)
		ReleaseBuffer(prefilter->pages[i].buffer);
	if (is_paused) {
		rows->n_paused -= Min(rows->n_paused, n_asked);
		*n_kept_out = n_asked;
		return n_asked;
	}
	for (size_t i = 0; i < n_asked; i++)
		if (prefilter->is_kept[i])
			tids[n_kept++] = tids[i];
	rows->n_asked += n_asked;
	rows->n_dropped += n_asked - n_kept;
	decide(prefilter, rows);
	*n_kept_out = n_kept;
	return n_asked;
}

/* True if rows can be tested. n: the number of rows that the caller has now. */
static bool is_ready(struct bsp_prefilter *prefilter, size_t n)
{
	if (prefilter && prefilter->state == IS_NEW && (n >= LEAST_ROWS || prefilter->is_forced))
		prefilter->state = make_ready(prefilter);
	return prefilter && prefilter->state == IS_READY;
}

size_t bsp_prefilter_rows(struct bsp_prefilter *prefilter, ItemPointerData *tids, size_t n)
{
	size_t n_kept = 0, n_some;
	if (!is_ready(prefilter, n))
		return n;
	for (size_t at = 0; at < n; n_kept += n_some) {
		size_t from = at;
		at += ask_some(prefilter, tids + from, n - from, &n_some);
		memmove(tids + n_kept, tids + from, n_some * sizeof(*tids));
	}
	return n_kept;
}

size_t bsp_prefilter_group(struct bsp_prefilter *prefilter, ItemPointerData *tids, size_t n,
                           size_t *n_kept_out)
{
	if (is_ready(prefilter, n))
		return ask_some(prefilter, tids, n, n_kept_out);
	*n_kept_out = n;
	return n;
}

void bsp_prefilter_visit(struct bsp_prefilter *prefilter, IndexFetchTableData *fetch,
                         BlockNumber block)
{
	IndexFetchHeapData *heap = (IndexFetchHeapData *)fetch;
	if (!prefilter || prefilter->state != IS_READY || block >= prefilter->n_blocks ||
	    (BufferIsValid(heap->xs_cbuf) && BufferGetBlockNumber(heap->xs_cbuf) == block))
		return;
	if (BufferIsValid(heap->xs_cbuf))
		ReleaseBuffer(heap->xs_cbuf);
	heap->xs_cbuf = InvalidBuffer;
	heap->xs_cbuf = pin(prefilter->heap, block);
	heap_page_prune_opt(prefilter->heap, heap->xs_cbuf);
}
