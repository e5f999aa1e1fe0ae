/* pg_vacuum.c: VACUUM: removes dead rows from the index, flushes pending rows, and finds unused
 * pages. */
#include "bindings/postgresql/access/pg_vacuum.h"

#include "access/generic_xlog.h"
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "storage/indexfsm.h"
#include "utils/memutils.h"

#include "core/bitsift/candidates.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"

#include "bindings/postgresql/base/pg_array.h"
#include "bindings/postgresql/base/pg_document.h"
#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/storage/pg_flush.h"
#include "bindings/postgresql/storage/pg_pending.h"
#include "bindings/postgresql/storage/pg_store.h"

/* VACUUM compacts an index with more files, because searches read the files one after the other. */
#define MANY_FILES 24

struct deletion {
	IndexBulkDeleteCallback is_gone; /* VACUUM's function: true if the row must be deleted */
	void *context;                   /* of is_gone */
	MemoryContext memory;
	double n_rows; /* rows of the index that is_gone was called for */
	/* The ids of the rows to delete: for each, its length in one byte, then its bytes. */
	char *ids;
	size_t n_bytes, capacity;
};

static void note_id(struct deletion *deletion, const char *id, size_t id_bytes)
{
	deletion->ids = bsp_grow(deletion->memory, deletion->ids, deletion->n_bytes + id_bytes + 1,
	                         &deletion->capacity, 1);
	deletion->ids[deletion->n_bytes] = (char)id_bytes;
	memcpy(deletion->ids + deletion->n_bytes + 1, id, id_bytes);
	deletion->n_bytes += id_bytes + 1;
}

static void ask_of(void *context, const void *what)
{
	struct deletion *deletion = context;
	const struct bs_hit_batch *batch = what;
	size_t start = 0;
	for (size_t i = 0; i < batch->n; i++) {
		ItemPointerData tid = bsp_tid_of_id(batch->ids + start);
		if (deletion->is_gone(&tid, deletion->context))
			note_id(deletion, batch->ids + start, batch->id_ends[i] - start);
		start = batch->id_ends[i];
	}
	deletion->n_rows += (double)batch->n;
}

static int take_batch(void *context, const struct bs_hit_batch *batch)
{
	return bsp_call(ask_of, context, batch);
}

/* Calls is_gone for all rows of the index; an empty pattern matches each of them. */
static void ask_of_all(struct bsp_store *store, struct deletion *deletion)
{
	const char *const pattern = "";
	const size_t pattern_bytes = 0;
	struct bs_open_request open = {.memory = store->memory, .limits = bsp_limits()};
	struct bs_candidates_request request = {
		.pattern = {.patterns = &pattern, .pattern_bytes = &pattern_bytes, .n_patterns = 1},
		.batch = take_batch,
		.context = deletion,
		.limits = bsp_limits(),
	};
	struct bs_index *index = NULL;
	struct bs_searcher *searcher = NULL;
	struct bs_error err;
	enum bs_status status = bs_index_open_with(&open, &index, &err);
	if (!status)
		status = bs_searcher_new(index, &searcher, &err);
	if (!status)
		status = bs_candidates(searcher, &request, NULL, &err);
	bs_searcher_free(searcher);
	bs_index_close(index);
	bsp_check(status, &err, store->index);
}

static double delete_noted(struct bsp_store *store, const struct deletion *deletion)
{
	double n = 0;
	bsp_store_write(store, 0);
	for (size_t at = 0; at < deletion->n_bytes;) {
		size_t id_bytes = (size_t)deletion->ids[at];
		struct bs_error err;
		bsp_check(bs_writer_delete(store->writer, deletion->ids + at + 1, id_bytes, NULL,
		                           &err),
		          &err, store->index);
		at += id_bytes + 1;
		n++;
	}
	bsp_store_commit(store, false);
	return n;
}

IndexBulkDeleteResult *bsp_bulkdelete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
                                      IndexBulkDeleteCallback callback, void *context)
{
	Relation index = info->index;
	if (!stats)
		stats = palloc0(sizeof(*stats));
	bsp_writer_lock(index, true);
	bsp_flush_locked(index);
	struct bsp_store *store = bsp_store_open(index);
	struct deletion deletion = {
		.is_gone = callback, .context = context, .memory = store->context};
	double n_removed = 0;
	if (store->copy.meta.n_files > 0)
		ask_of_all(store, &deletion);
	if (deletion.n_bytes > 0)
		n_removed = delete_noted(store, &deletion);
	stats->tuples_removed += n_removed;
	stats->num_index_tuples = deletion.n_rows - n_removed;
	bsp_store_close(store);
	bsp_writer_unlock(index);
	return stats;
}

/* True if no chain contains the page, because the backend that allocated it failed before it linked
 * the page to a chain. tail_number: the number of the last page of the pending chain. */
static bool is_lost(const struct bsp_meta *meta, Page page, BlockNumber tail_number)
{
	if (PageIsNew(page))
		return true;
	const struct bsp_special *special = bsp_special_of(page);
	if (special->kind == BSP_PAGE_PENDING) {
		bool is_closing = meta->closing.head != InvalidBlockNumber &&
		                  bsp_name_equals(&special->chain, &meta->closing.chain);
		bool is_pending = meta->pending.head != InvalidBlockNumber &&
		                  bsp_name_equals(&special->chain, &meta->pending.chain);
		return !is_closing && !(is_pending && special->number <= tail_number);
	}
	if (special->kind != BSP_PAGE_FILE)
		return false;
	for (uint32 i = 0; i < meta->n_files; i++)
		if (bsp_name_equals(&special->chain, &meta->files[i].chain))
			return false;
	return true;
}

/* A search for free pages. */
struct pages {
	Relation index;
	union bsp_meta_copy copy;
	uint32 tail_number; /* the number of the last page of the pending chain */
	/* Pages that seem lost (is_lost); an insert may yet link some to the pending chain. */
	BlockNumber *doubtful;
	size_t n_doubtful, capacity;
	BlockNumber n_free;
};

static void read_meta(struct pages *pages)
{
	bsp_meta_read(pages->index, &pages->copy);
	if (pages->copy.meta.pending.tail == InvalidBlockNumber)
		return;
	Buffer tail = ReadBuffer(pages->index, pages->copy.meta.pending.tail);
	LockBuffer(tail, BUFFER_LOCK_SHARE);
	pages->tail_number = bsp_special_of(BufferGetPage(tail))->number;
	UnlockReleaseBuffer(tail);
}

static void look_at(struct pages *pages, BlockNumber block, BufferAccessStrategy strategy)
{
	Buffer buffer = ReadBufferExtended(pages->index, MAIN_FORKNUM, block, RBM_NORMAL, strategy);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	Page page = BufferGetPage(buffer);
	bool is_free = !PageIsNew(page) && bsp_special_of(page)->kind == BSP_PAGE_FREE;
	bool is_doubtful = !is_free && is_lost(&pages->copy.meta, page, pages->tail_number);
	UnlockReleaseBuffer(buffer);
	if (is_free)
		RecordFreeIndexPage(pages->index, block);
	pages->n_free += is_free;
	if (!is_doubtful)
		return;
	pages->doubtful = bsp_grow(CurrentMemoryContext, pages->doubtful, pages->n_doubtful + 1,
	                           &pages->capacity, sizeof(*pages->doubtful));
	pages->doubtful[pages->n_doubtful++] = block;
}

/* Frees the doubtful pages that no chain contains now. The caller holds the writer's lock and, by
 * bsp_append_lock, excludes inserts that add pages; so nobody is about to link one of them. */
static void free_doubtful(struct pages *pages)
{
	read_meta(pages);
	for (size_t i = 0; i < pages->n_doubtful; i++) {
		Buffer buffer = ReadBuffer(pages->index, pages->doubtful[i]);
		LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
		if (is_lost(&pages->copy.meta, BufferGetPage(buffer), pages->tail_number)) {
			bsp_page_free(pages->index, buffer);
			pages->n_free++;
		}
		UnlockReleaseBuffer(buffer);
	}
}

/* Records all free pages in the free space map and frees lost ones. The caller holds the writer's
 * lock. Returns the number of free pages. */
static BlockNumber find_free_pages(Relation index, BufferAccessStrategy strategy)
{
	struct pages *pages = palloc0(sizeof(*pages));
	pages->index = index;
	read_meta(pages);
	BlockNumber n_blocks = RelationGetNumberOfBlocks(index);
	for (BlockNumber block = BSP_META_BLOCK + 1; block < n_blocks; block++) {
		vacuum_delay_point();
		look_at(pages, block, strategy);
	}
	if (pages->n_doubtful > 0) {
		bsp_append_lock(index, ExclusiveLock);
		free_doubtful(pages);
		bsp_append_unlock(index, ExclusiveLock);
		pfree(pages->doubtful);
	}
	IndexFreeSpaceMapVacuum(index);
	BlockNumber n_free = pages->n_free;
	pfree(pages);
	return n_free;
}

static void compact_if_many(Relation index)
{
	union bsp_meta_copy *copy = palloc(sizeof(*copy));
	bsp_meta_read(index, copy);
	if (copy->meta.n_files > MANY_FILES) {
		struct bsp_store *store = bsp_store_open(index);
		(void)bsp_store_compact(store);
		bsp_store_close(store);
	}
	pfree(copy);
}

IndexBulkDeleteResult *bsp_vacuumcleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats)
{
	if (info->analyze_only)
		return stats;
	Relation index = info->index;
	if (!stats) {
		stats = palloc0(sizeof(*stats));
		stats->num_index_tuples = info->num_heap_tuples;
		stats->estimated_count = info->estimated_count;
	}
	bsp_writer_lock(index, true);
	bsp_flush_locked(index);
	compact_if_many(index);
	stats->pages_free = find_free_pages(index, info->strategy);
	stats->num_pages = RelationGetNumberOfBlocks(index);
	bsp_writer_unlock(index);
	return stats;
}
