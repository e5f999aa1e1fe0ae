/* pg_build.c: see pg_build.h. */
#include "bindings/postgresql/access/pg_build.h"

#include "access/tableam.h"
#include "catalog/index.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "bindings/postgresql/storage/pg_store.h"

struct build {
	struct bsp_store *store;
	MemoryContext row; /* for the data of one row; reset after each row */
	double n_rows;
	struct bsp_texts texts;
};

static void build_row(Relation index, ItemPointer tid, Datum *values, bool *nulls, bool is_alive,
                      void *context)
{
	struct build *build = context;
	MemoryContext before = MemoryContextSwitchTo(build->row);
	if (is_alive)
		bsp_texts_of_values(index, values, nulls, &build->texts);
	else
		bsp_texts_of_deleted(index, values, nulls, &build->texts);
	bsp_store_add(build->store, tid, &build->texts);
	build->n_rows++;
	MemoryContextSwitchTo(before);
	MemoryContextReset(build->row);
}

IndexBuildResult *bsp_build(Relation heap, Relation index, IndexInfo *info)
{
	if (RelationGetNumberOfBlocks(index) != 0)
		elog(ERROR, "index \"%s\" already contains data", RelationGetRelationName(index));
	struct build *build = palloc0(sizeof(*build));
	build->store = bsp_store_create(index);
	build->row =
		AllocSetContextCreate(CurrentMemoryContext, "bitsift row", ALLOCSET_DEFAULT_SIZES);
	IndexBuildResult *result = palloc0(sizeof(*result));
	result->heap_tuples =
		table_index_build_scan(heap, index, info, true, true, build_row, build, NULL);
	result->index_tuples = build->n_rows;
	bsp_store_commit(build->store, false);
	bsp_store_close(build->store);
	MemoryContextDelete(build->row);
	pfree(build);
	return result;
}

void bsp_buildempty(Relation index)
{
	bsp_store_write_empty(index, INIT_FORKNUM);
}
