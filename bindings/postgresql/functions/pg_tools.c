/* pg_tools.c: functions on an index: bitsift_merge, bitsift_check, bitsift_info. */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/xlog.h"
#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/base/pg_own_index.h"
#include "bindings/postgresql/base/pg_versions.h"
#include "bindings/postgresql/storage/pg_cache.h"
#include "bindings/postgresql/storage/pg_flush.h"
#include "bindings/postgresql/storage/pg_pending.h"
#include "bindings/postgresql/storage/pg_store.h"
#include "core/bitsift/index_check.h"
#include "core/bitsift/memory_index.h"

PGDLLEXPORT PG_FUNCTION_INFO_V1(bitsift_merge);
PGDLLEXPORT PG_FUNCTION_INFO_V1(bitsift_check);
PGDLLEXPORT PG_FUNCTION_INFO_V1(bitsift_info);

/* Opens an index and its table. Locks the table first, as PostgreSQL does everywhere. Throws unless
 * the current user owns the index, because merging and checking are expensive. */
static Relation open_index(Oid relid, LOCKMODE heap_mode, LOCKMODE mode, Relation *heap_out)
{
	Oid heap_id = IndexGetRelation(relid, true);
	*heap_out = OidIsValid(heap_id) ? table_open(heap_id, heap_mode) : NULL;
	Relation index = *heap_out ? index_open(relid, mode) : NULL;
	if (!index || index->rd_rel->relkind != RELKIND_INDEX ||
	    index->rd_rel->relam != bsp_access_method())
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		                errmsg("\"%s\" is not a bitsift index",
		                       get_rel_name(relid) ? get_rel_name(relid) : "?")));
	if (!BSP_OWNS_RELATION(relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_INDEX, RelationGetRelationName(index));
	if (RELATION_IS_OTHER_TEMP(index))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		                errmsg("index \"%s\" is of another session's temporary table",
		                       RelationGetRelationName(index))));
	return index;
}

static void close_index(Relation index, Relation heap)
{
	index_close(index, NoLock);
	table_close(heap, NoLock);
}

PGDLLEXPORT Datum bitsift_merge(PG_FUNCTION_ARGS)
{
	if (RecoveryInProgress())
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		                errmsg("recovery is in progress")));
	Relation heap, index = open_index(PG_GETARG_OID(0), ShareUpdateExclusiveLock,
	                                  RowExclusiveLock, &heap);
	bsp_writer_lock(index, true);
	bsp_flush_locked(index);
	struct bsp_store *store = bsp_store_open(index);
	if (!bsp_store_compact(store))
		ereport(NOTICE, (errmsg("index \"%s\" was made by another version of the "
		                        "tokenizer: nothing is merged",
		                        RelationGetRelationName(index)),
		                 errhint("REINDEX indexes it again.")));
	bsp_store_close(store);
	bsp_writer_unlock(index);
	close_index(index, heap);
	PG_RETURN_VOID();
}

/* Adds the number of rows of a pending chain to *n. False if the chain no longer exists. */
static bool count_waiting(Relation index, const struct bsp_pending *chain, int64 *n)
{
	StringInfoData bytes;
	struct bsp_place place = {.is_begun = false};
	struct bsp_row *row = palloc(sizeof(*row));
	initStringInfo(&bytes);
	bool is_end, is_there = bsp_pending_read(index, chain, &place, &bytes, SIZE_MAX, &is_end);
	for (size_t at = 0; is_there && bsp_pending_next(index, &bytes, true, &at, row);)
		(*n)++;
	pfree(bytes.data);
	pfree(row);
	return is_there;
}

/* Checks the index and returns its number of rows in *n. False if pages or files that the metapage
 * lists no longer exist. */
static bool check_index(Relation index, int64 *n)
{
	union bsp_meta_copy *copy = palloc(sizeof(*copy));
	struct bs_memory_index *memory;
	struct bs_check_report report = {.n_docs = 0};
	struct bs_error err;
	*n = 0;
	bsp_meta_read(index, copy);
	if (!count_waiting(index, &copy->meta.closing, n) ||
	    !count_waiting(index, &copy->meta.pending, n) ||
	    !bsp_cache_verify(index, &copy->meta, &memory))
		return false;
	struct bs_check_request request = {.memory = memory, .limits = bsp_limits()};
	enum bs_status status =
		copy->meta.n_files ? bs_index_check(&request, &report, &err) : BS_OK;
	bs_memory_index_free(memory);
	bsp_check(status, &err, index);
	*n += (int64)report.n_docs;
	pfree(copy);
	return true;
}

PGDLLEXPORT Datum bitsift_check(PG_FUNCTION_ARGS)
{
	Relation heap,
		index = open_index(PG_GETARG_OID(0), AccessShareLock, AccessShareLock, &heap);
	bool is_alone = !RecoveryInProgress();
	int64 n = 0;
	/* The lock prevents other backends from removing files during the check. A standby cannot
	 * take the lock, so there the check is repeated if a file was removed. */
	if (is_alone)
		bsp_writer_lock(index, true);
	bool is_there = check_index(index, &n);
	for (int i = 0; !is_there && !is_alone && i < 100; i++)
		is_there = check_index(index, &n);
	if (!is_there)
		bsp_fail_lost_pages(index);
	if (is_alone)
		bsp_writer_unlock(index);
	close_index(index, heap);
	PG_RETURN_INT64(n);
}

/* The number of pages of the pending chain, which may grow meanwhile. */
static int32 count_pending_pages(Relation index, const struct bsp_pending *pending)
{
	if (pending->tail == InvalidBlockNumber)
		return 0;
	Buffer tail = ReadBuffer(index, pending->tail);
	LockBuffer(tail, BUFFER_LOCK_SHARE);
	Page page = BufferGetPage(tail);
	const struct bsp_special *special = bsp_special_of(page);
	int32 n = !PageIsNew(page) && bsp_name_equals(&special->chain, &pending->chain)
	                  ? (int32)special->number + 1
	                  : 0;
	UnlockReleaseBuffer(tail);
	return n;
}

PGDLLEXPORT Datum bitsift_info(PG_FUNCTION_ARGS)
{
	Relation heap,
		index = open_index(PG_GETARG_OID(0), AccessShareLock, AccessShareLock, &heap);
	union bsp_meta_copy *copy = palloc(sizeof(*copy));
	uint64 n_stored = 0, n_plain = 0;
	bsp_meta_read(index, copy);
	for (uint32 i = 0; i < copy->meta.n_files; i++) {
		n_stored += copy->meta.files[i].n_stored;
		n_plain += copy->meta.files[i].n_bytes;
	}
	TupleDesc columns;
	if (get_call_result_type(fcinfo, NULL, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	Datum values[] = {Int64GetDatum((int64)copy->meta.generation),
	                  Int32GetDatum((int32)copy->meta.n_files),
	                  Int32GetDatum(count_pending_pages(index, &copy->meta.pending)),
	                  Int64GetDatum((int64)n_stored), Int64GetDatum((int64)n_plain)};
	bool nulls[lengthof(values)] = {false};
	close_index(index, heap);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls)));
}
