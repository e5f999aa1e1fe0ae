/* pg_parsed.h: queries as the library parsed them, kept by their bytes for the backend's life: the
 * same one comes with each row. */
#ifndef BINDINGS_POSTGRESQL_TYPES_PG_PARSED_H
#define BINDINGS_POSTGRESQL_TYPES_PG_PARSED_H

#include "bindings/postgresql/types/pg_query_type.h"

struct bs_query;
struct bs_statistics;

/* Borrowed until the next call. An error if it does not parse. */
struct bs_query *bsp_parsed(const struct bsp_query_datum *datum);
/* The statistics that the query has with it; NULL: none. Borrowed until the next call. */
const struct bs_statistics *bsp_parsed_statistics(const struct bsp_query_datum *datum);

#endif
