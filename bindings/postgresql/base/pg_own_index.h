/* pg_own_index.h: the indexes of this access method, and the right to query them. */
#ifndef BINDINGS_POSTGRESQL_BASE_PG_OWN_INDEX_H
#define BINDINGS_POSTGRESQL_BASE_PG_OWN_INDEX_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* The access method's OID; InvalidOid: the extension is not in this database. */
Oid bsp_access_method(void);
/* Is it an index, or partitioned index, of ours? */
bool bsp_is_index(Oid index);
/* An error unless it is. */
void bsp_require_index(Oid index);
/* The index itself, or all indexes below a partitioned one, locked. */
List *bsp_leaves(Oid index);
/* May the current user know how frequent words are in all rows of the index? False, too, if the
 * index is not one of ours. */
bool bsp_may_ask(Oid index);

#endif
