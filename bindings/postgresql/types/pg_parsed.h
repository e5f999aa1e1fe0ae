/* pg_parsed.h: parsed queries. The most recently used ones are cached, because functions such as
 * bitsift_match are called with the same query for each row. */
#ifndef BINDINGS_POSTGRESQL_TYPES_PG_PARSED_H
#define BINDINGS_POSTGRESQL_TYPES_PG_PARSED_H

#include "bindings/postgresql/types/pg_query_type.h"

struct bs_query;
struct bs_statistics;

/* Returns the parsed query, borrowed until the next call. Throws if the query does not parse. */
struct bs_query *bsp_parsed(const struct bsp_query_datum *datum);
/* The statistics that the query carries, or NULL. Borrowed until the next call. */
const struct bs_statistics *bsp_parsed_statistics(const struct bsp_query_datum *datum);

#endif
