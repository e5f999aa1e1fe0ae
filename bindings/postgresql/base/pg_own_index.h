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
/* Returns the leaf indexes of a partitioned index, each locked with AccessShareLock. For an index
 * that is not partitioned, returns the index itself and takes no lock. */
List *bsp_leaves(Oid index);
/* True if the current user may see the word frequencies of all rows of the index. False for an
 * index of another access method, and if row-level security applies to the user. */
bool bsp_may_query(Oid index);

#endif
