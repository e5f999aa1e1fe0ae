/* pg_insert.c: see pg_insert.h. Inserted rows are appended to the pending rows. An insert that
 * finds more of them than pending_limit tries to flush them. */
#include "bindings/postgresql/access/pg_insert.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "bindings/postgresql/base/pg_options.h"
#include "bindings/postgresql/storage/pg_flush.h"
#include "bindings/postgresql/storage/pg_pending.h"
#include "bindings/postgresql/storage/pg_store.h"

/* If the pending rows exceed pending_limit, an insert flushes them unless another writer is active.
 * If they exceed PATIENCE times the limit, the insert waits for that writer, because otherwise the
 * rows could grow without bound. It also waits above MOST_BYTES, because readers hold the pending
 * rows in one allocation of at most MaxAllocSize. */
#define PATIENCE   8
#define MOST_BYTES (MaxAllocSize / 2)

static void check_size(Relation index, const struct bsp_texts *texts)
{
	size_t n_bytes = 0;
	for (size_t i = 0; i < texts->n; i++)
		n_bytes += texts->texts[i].text_bytes;
	if (n_bytes > BSP_MOST_TEXT_BYTES)
		ereport(ERROR,
		        (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
		         errmsg("a row of %zu bytes is too large for index \"%s\": at most %zu are "
		                "possible",
		                n_bytes, RelationGetRelationName(index), BSP_MOST_TEXT_BYTES)));
}

bool bsp_insert(Relation index, Datum *values, bool *nulls, ItemPointer tid, Relation heap,
                IndexUniqueCheck unique, bool unchanged, IndexInfo *info)
{
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "bitsift insert",
	                                          ALLOCSET_DEFAULT_SIZES);
	MemoryContext before = MemoryContextSwitchTo(row);
	struct bsp_texts *texts = palloc(sizeof(*texts));
	bsp_texts_of_values(index, values, nulls, texts);
	check_size(index, texts);
	size_t n_waiting = bsp_pending_append(index, tid, texts);
	size_t limit = bsp_pending_limit(index);
	if (n_waiting > limit)
		(void)bsp_flush(index, n_waiting > Min(PATIENCE * limit, MOST_BYTES));
	MemoryContextSwitchTo(before);
	MemoryContextDelete(row);
	return false;
}
