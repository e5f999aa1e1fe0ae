/* pg_rank.h: by which statistics a query ranks. */
#ifndef BINDINGS_POSTGRESQL_SEARCH_PG_RANK_H
#define BINDINGS_POSTGRESQL_SEARCH_PG_RANK_H

#include "bindings/postgresql/types/pg_query_type.h"

struct bs_statistics;

/* Those that it has with it, or else those of the index that it is bound to, of all its partitions
 * if there are several, as they are for the current snapshot. is_first: it is the first time that a
 * scan or an expression asks, so that they are not those of a statement before by the same
 * snapshot. Borrowed until the next call. An error if it has neither. */
const struct bs_statistics *bsp_statistics(const struct bsp_query_datum *datum, bool is_first);

#endif
