/* flush.c: rows that wait become a file of the index. */
#include "store.h"

#include "miscadmin.h"

#include "pending.h"

static size_t largest_row(Relation index, const StringInfo bytes)
{
	size_t largest = 0, at = 0, from = 0;
	struct bsp_row *row = palloc(sizeof(*row));
	while (bsp_pending_next(index, bytes, &at, row)) {
		largest = Max(largest, at - from);
		from = at;
	}
	pfree(row);
	return largest;
}

static void flush_chain(Relation index, const struct bsp_pending *closing)
{
	struct bsp_store *store = bsp_store_open(index);
	MemoryContext before = MemoryContextSwitchTo(store->context);
	StringInfoData bytes;
	struct bsp_place place = {.is_begun = false};
	initStringInfo(&bytes);
	if (!bsp_pending_read(index, closing, &place, &bytes))
		ereport(ERROR, (errcode(ERRCODE_INDEX_CORRUPTED),
		                errmsg("index \"%s\" lacks pages of rows that wait", RelationGetRelationName(index)),
		                errhint("REINDEX makes it anew.")));
	bsp_store_write(store, largest_row(index, &bytes));
	struct bsp_row *row = palloc(sizeof(*row));
	for (size_t at = 0; bsp_pending_next(index, &bytes, &at, row);)
		bsp_store_add(store, &row->tid, &row->texts);
	MemoryContextSwitchTo(before);
	bsp_store_commit(store, true);
	bsp_store_close(store);
}

void bsp_flush_locked(Relation index)
{
	struct bsp_pending closing;
	/* The first one may be what a writer left that did not come to its end. */
	for (int i = 0; i < 2 && bsp_pending_close(index, &closing); i++)
		flush_chain(index, &closing);
}

bool bsp_flush(Relation index, bool wait)
{
	if (!bsp_writer_lock(index, wait))
		return false;
	bsp_flush_locked(index);
	bsp_writer_unlock(index);
	return true;
}
