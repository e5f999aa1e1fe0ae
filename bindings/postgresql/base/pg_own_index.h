/* pg_own_index.h: recognizes the indexes of this access method and checks the right to query
 * them. */
#ifndef BINDINGS_POSTGRESQL_BASE_PG_OWN_INDEX_H
#define BINDINGS_POSTGRESQL_BASE_PG_OWN_INDEX_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* The OID of the access method, or InvalidOid if the extension is not installed in this
 * database. */
Oid bsp_access_method(void);
/* True for an index or a partitioned index of this access method. */
bool bsp_is_index(Oid index);
/* Throws unless bsp_is_index(index). */
void bsp_require_index(Oid index);
/* The index itself, or all leaf indexes of a partitioned index, locked with AccessShareLock. */
List *bsp_leaves(Oid index);
/* True if the current user may see the word frequencies of all rows of the index. False for other
 * access methods and for tables with row-level security. */
bool bsp_may_query(Oid index);

#endif
