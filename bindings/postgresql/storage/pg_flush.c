/* pg_flush.c: see pg_flush.h. */
#include "bindings/postgresql/storage/pg_flush.h"

#include "miscadmin.h"

#include "bindings/postgresql/storage/pg_pending.h"
#include "bindings/postgresql/storage/pg_store.h"

/* The size of the pieces in which a chain is read. A row may extend over several pieces. */
#define PIECE_BYTES ((size_t)64 << 20)

/* Appends the next piece of the chain to `bytes`, which has the incomplete last row of the previous
 * piece. Returns true after the last piece. */
static bool read_piece(Relation index, const struct bsp_pending *closing, struct bsp_place *place,
                       StringInfo bytes)
{
	bool is_end;
	if (!bsp_pending_read(index, closing, place, bytes, PIECE_BYTES + (size_t)bytes->len,
	                      &is_end))
		ereport(ERROR, (errcode(ERRCODE_INDEX_CORRUPTED),
		                errmsg("index \"%s\" lacks pages of rows that wait",
		                       RelationGetRelationName(index)),
		                errhint("REINDEX makes it anew.")));
	return is_end;
}

/* Adds the complete rows of `bytes` to the store and removes them from `bytes`. */
static void add_rows(struct bsp_store *store, StringInfo bytes, bool is_end)
{
	struct bsp_row *row = palloc(sizeof(*row));
	size_t at = 0;
	while (bsp_pending_next(store->index, bytes, is_end, &at, row))
		bsp_store_add(store, &row->tid, &row->texts);
	bytes->len -= (int)at;
	memmove(bytes->data, bytes->data + at, (size_t)bytes->len);
	pfree(row);
}

static void flush_chain(Relation index, const struct bsp_pending *closing)
{
	struct bsp_store *store = bsp_store_open(index);
	MemoryContext before = MemoryContextSwitchTo(store->context);
	StringInfoData bytes;
	struct bsp_place place = {.is_begun = false};
	initStringInfo(&bytes);
	bool is_end = read_piece(index, closing, &place, &bytes);
	bsp_store_write(store, is_end ? (size_t)bytes.len : BSP_MOST_TEXT_BYTES);
	add_rows(store, &bytes, is_end);
	while (!is_end) {
		is_end = read_piece(index, closing, &place, &bytes);
		add_rows(store, &bytes, is_end);
	}
	MemoryContextSwitchTo(before);
	bsp_store_commit(store, true);
	bsp_store_close(store);
}

void bsp_flush_locked(Relation index)
{
	struct bsp_pending closing;
	/* The first closing chain may be left over from a writer that failed. Then the second is
	 * the pending one. */
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
