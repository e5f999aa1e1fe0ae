/* pg_rank.h: the statistics that a query is ranked by. */
#ifndef BINDINGS_POSTGRESQL_SEARCH_PG_RANK_H
#define BINDINGS_POSTGRESQL_SEARCH_PG_RANK_H

#include "bindings/postgresql/types/pg_query_type.h"

struct bs_statistics;

/* Returns the statistics that the query carries. If it carries none, returns those of the index
 * that the query is bound to (of all its partitions), as of the current snapshot. Borrowed until
 * the next call. Throws if the query has neither statistics nor an index.
 *
 * is_first: true in the first call of a scan or expression. Statistics that an earlier statement
 * gathered for the same snapshot are then not reused. */
const struct bs_statistics *bsp_statistics(const struct bsp_query_datum *datum, bool is_first);

#endif
