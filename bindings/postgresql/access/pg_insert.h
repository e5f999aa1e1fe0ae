/* pg_insert.h: the access method's aminsert. */
#ifndef BINDINGS_POSTGRESQL_ACCESS_PG_INSERT_H
#define BINDINGS_POSTGRESQL_ACCESS_PG_INSERT_H

#include "postgres.h"

#include "access/genam.h"
#include "nodes/execnodes.h"

/* Always returns false, because the index does not check uniqueness. */
bool bsp_insert(Relation index, Datum *values, bool *nulls, ItemPointer tid, Relation heap,
                IndexUniqueCheck unique, bool unchanged, IndexInfo *info);

#endif
