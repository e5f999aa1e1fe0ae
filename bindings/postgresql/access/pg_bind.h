/*
 * pg_bind.h: which index a query is about. A query's text alone does not say how words are cut and folded: that says the index of the
 * column that is asked, so that the answer is the same whether the planner chooses the index or not. While a statement is planned, a
 * query that is compared with a column is bound to the column's index: it gets the analysis of that index, and, where it ranks, the
 * index itself, whose statistics count. A parameter is bound when its value is known.
 */
#ifndef BINDINGS_POSTGRESQL_ACCESS_PG_BIND_H
#define BINDINGS_POSTGRESQL_ACCESS_PG_BIND_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/pg_list.h"
#include "utils/rel.h"

#include "bindings/postgresql/types/pg_query_type.h"

/* The access method's OID. */
Oid bsp_access_method(void);
/* Is it an index, or partitioned index, of ours? */
bool bsp_is_index(Oid index);
/* An error unless it is. */
void bsp_require_index(Oid index);
/* The index itself, or all indexes below a partitioned one, locked. */
List *bsp_leaves(Oid index);

/* The query with the analysis of that index, unless it states one, and ranked by it. */
struct bsp_query_datum *bsp_bound_to(const struct bsp_query_datum *datum, Oid index);

#endif
