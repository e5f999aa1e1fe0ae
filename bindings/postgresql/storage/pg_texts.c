/* pg_texts.c: see pg_texts.h. */
#include "bindings/postgresql/storage/pg_texts.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/index.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

#include "bindings/postgresql/base/pg_document.h"
#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/base/pg_versions.h"

void bsp_texts_of_values(Relation index, const Datum *values, const bool *nulls,
                         struct bsp_texts *texts_out)
{
	int n_columns = IndexRelationGetNumberOfKeyAttributes(index);
	texts_out->n = 0;
	texts_out->has_null = false;
	for (int i = 0; i < n_columns; i++) {
		if (nulls[i]) {
			texts_out->has_null = true;
			continue;
		}
		const struct varlena *text = PG_DETOAST_DATUM_PACKED(values[i]);
		char *field = texts_out->fields[texts_out->n];
		bsp_field_name(index, i + 1, field);
		texts_out->texts[texts_out->n++] = (struct bs_text){
			.field = field,
			.field_bytes = strlen(field),
			.text = VARDATA_ANY(text),
			.text_bytes = VARSIZE_ANY_EXHDR(text),
		};
	}
}

struct bsp_reader {
	Relation index, heap;
	enum bsp_reader_kind kind;
	IndexInfo *info;
	EState *estate;
	TupleTableSlot *slot;
	IndexFetchTableData *fetch;
	MemoryContext row; /* holds the data of one row */
	struct bsp_texts texts;
	bool is_deleted; /* the row is invisible to new transactions */
	/* The row is invisible to all transactions. If it still exists, it was read with
	 * SnapshotAny. */
	bool is_dead;
};

struct bsp_reader *bsp_reader_begin(Relation index, enum bsp_reader_kind kind)
{
	struct bsp_reader *reader = palloc0(sizeof(*reader));
	reader->index = index;
	reader->kind = kind;
	reader->heap = table_open(index->rd_index->indrelid, AccessShareLock);
	reader->info = BuildIndexInfo(index);
	reader->estate = CreateExecutorState();
	reader->slot = table_slot_create(reader->heap, NULL);
	GetPerTupleExprContext(reader->estate)->ecxt_scantuple = reader->slot;
	reader->fetch = table_index_fetch_begin(reader->heap);
	reader->row =
		AllocSetContextCreate(CurrentMemoryContext, "bitsift row", ALLOCSET_DEFAULT_SIZES);
	return reader;
}

void bsp_reader_end(struct bsp_reader *reader)
{
	if (!reader)
		return;
	table_index_fetch_end(reader->fetch);
	ExecDropSingleTupleTableSlot(reader->slot);
	FreeExecutorState(reader->estate);
	MemoryContextDelete(reader->row);
	table_close(reader->heap, NoLock);
	pfree(reader);
}

/* Counts the versions of a row that the snapshot sees, up to `most`. The slot then has the last one
 * that was counted. */
static unsigned walk_versions(struct bsp_reader *reader, ItemPointer tid, Snapshot snapshot,
                              unsigned most)
{
	unsigned n = 0;
	bool call_again = false, all_dead = false;
	ItemPointerData at = *tid;
	while (n < most && table_index_fetch_tuple(reader->fetch, &at, snapshot, reader->slot,
	                                           &call_again, &all_dead)) {
		n++;
		if (!call_again)
			break;
	}
	return n;
}

/* Fetches the last visible version of a HOT chain. If the index is younger than one of the
 * versions, it contains the values of the last one. Otherwise all versions have the same indexed
 * values. */
static bool fetch_version(struct bsp_reader *reader, ItemPointer tid, Snapshot snapshot)
{
	if (IsMVCCSnapshot(snapshot))
		return walk_versions(reader, tid, snapshot, 1) == 1;
	/* The call that finds no further version overwrites the slot, so walk again to the last
	 * version. */
	unsigned n = walk_versions(reader, tid, snapshot, UINT_MAX);
	return n > 0 && walk_versions(reader, tid, snapshot, n) == n;
}

static bool fetch(struct bsp_reader *reader, ItemPointer tid)
{
	if (reader->kind == BSP_READER_OF_QUERY)
		return fetch_version(reader, tid, GetActiveSnapshot());
	SnapshotData snapshot;
	InitDirtySnapshot(snapshot);
	if (fetch_version(reader, tid, &snapshot))
		return true;
	reader->is_deleted = true;
	InitNonVacuumableSnapshot(snapshot, GlobalVisTestFor(reader->heap));
	if (fetch_version(reader, tid, &snapshot))
		return true;
	/* A row that is dead here may still have readers on a standby. So it is read until it is
	 * pruned; pruning sends these readers a recovery conflict. */
	reader->is_dead = true;
	return fetch_version(reader, tid, SnapshotAny);
}

static void form_values(struct bsp_reader *reader, Datum *values, bool *nulls)
{
	if (reader->info->ii_Expressions == NIL) {
		FormIndexDatum(reader->info, reader->slot, reader->estate, values, nulls);
		return;
	}
	Oid user;
	int security;
	GetUserIdAndSecContext(&user, &security);
	SetUserIdAndSecContext(reader->heap->rd_rel->relowner,
	                       security | SECURITY_RESTRICTED_OPERATION);
	PG_TRY();
	{
		FormIndexDatum(reader->info, reader->slot, reader->estate, values, nulls);
	}
	PG_FINALLY();
	{
		SetUserIdAndSecContext(user, security);
	}
	PG_END_TRY();
}

static bool read_row(struct bsp_reader *reader, const char *id)
{
	ItemPointerData tid = bsp_tid_of_id(id);
	Datum values[INDEX_MAX_KEYS];
	bool nulls[INDEX_MAX_KEYS];
	bool is_found = fetch(reader, &tid);
	if (is_found) {
		form_values(reader, values, nulls);
		bsp_texts_of_values(reader->index, values, nulls, &reader->texts);
		/* Copied, so that no buffer stays pinned. */
		for (size_t i = 0; i < reader->texts.n; i++) {
			struct bs_text *text = &reader->texts.texts[i];
			text->text =
				memcpy(palloc(text->text_bytes + 1), text->text, text->text_bytes);
		}
	}
	ExecClearTuple(reader->slot);
	table_index_fetch_reset(reader->fetch);
	ResetPerTupleExprContext(reader->estate);
	return is_found;
}

/* Runs the work of a callback with a resource owner of its own. If an error is ignored and the
 * transaction continues, this resource owner releases what the failed work has left open. */
struct guard {
	/* `context`, `owner`: those that were current before; `own`: the resource owner for the
	 * work. */
	MemoryContext context;
	ResourceOwner owner, own;
};

static void begin_guard(struct guard *guard)
{
	*guard = (struct guard){.context = CurrentMemoryContext, .owner = CurrentResourceOwner};
	guard->own = CurrentResourceOwner = ResourceOwnerCreate(guard->owner, "bitsift row");
}

static void end_guard(struct guard *guard)
{
	CurrentResourceOwner = guard->owner;
	ResourceOwnerRelease(guard->own, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
	ResourceOwnerRelease(guard->own, RESOURCE_RELEASE_LOCKS, false, false);
	ResourceOwnerRelease(guard->own, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
	ResourceOwnerDelete(guard->own);
}

/* Called in PG_CATCH for a deleted row: ignores the error if it reports a missing out-of-line
 * value; returns false otherwise. The value may be removed while PostgreSQL still counts the row as
 * visible to some transaction, because VACUUM uses different horizons for the table and for its
 * TOAST table (PostgreSQL bug 18351). A transaction that sees the row could not read the value
 * either. */
static bool pass_over_gone(const struct guard *guard)
{
	if (geterrcode() != ERRCODE_DATA_CORRUPTED)
		return false;
	MemoryContextSwitchTo(guard->context);
	FlushErrorState();
	return true;
}

void bsp_texts_of_deleted(Relation index, const Datum *values, const bool *nulls,
                          struct bsp_texts *texts_out)
{
	struct guard guard;
	begin_guard(&guard);
	PG_TRY();
	{
		bsp_texts_of_values(index, values, nulls, texts_out);
	}
	PG_CATCH();
	{
		if (!pass_over_gone(&guard))
			PG_RE_THROW();
		texts_out->n = 0;
	}
	PG_END_TRY();
	end_guard(&guard);
}

int bsp_reader_texts(void *context, const char *id, size_t id_bytes,
                     const struct bs_text **texts_out, size_t *n_texts_out)
{
	struct bsp_reader *reader = context;
	struct guard guard;
	if (id_bytes < BSP_ID_BYTES)
		return 1;
	begin_guard(&guard);
	volatile int result = 2;
	PG_TRY();
	{
		MemoryContextReset(reader->row);
		MemoryContextSwitchTo(reader->row);
		reader->texts.n = 0;
		reader->is_deleted = reader->is_dead = false;
		/* A dead row that was pruned has no text any more, and no query can find it. It is
		 * returned as an empty document, until VACUUM deletes it. If it were reported as
		 * missing, the library could not merge its segment. */
		result = read_row(reader, id) || reader->is_dead ? 0 : 1;
		MemoryContextSwitchTo(guard.context);
	}
	PG_CATCH();
	{
		if (reader->is_deleted && pass_over_gone(&guard)) {
			reader->texts.n = 0;
			ExecClearTuple(reader->slot);
			table_index_fetch_reset(reader->fetch);
			result = 0;
		} else {
			bsp_save_error(guard.context);
		}
	}
	PG_END_TRY();
	end_guard(&guard);
	*texts_out = reader->texts.texts;
	*n_texts_out = reader->texts.n;
	return result;
}
