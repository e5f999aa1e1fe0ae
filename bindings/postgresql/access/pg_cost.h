/* pg_cost.h: how many rows the index has for a condition, about. What was asked of it for one plan is not asked again. */
#ifndef BINDINGS_POSTGRESQL_ACCESS_PG_COST_H
#define BINDINGS_POSTGRESQL_ACCESS_PG_COST_H

#include "postgres.h"

#include "access/skey.h"

/* A share of the index' rows, of those that it hands out for the key: those that match, or, with a pattern, those that may. */
double bsp_estimate(Oid index, ScanKey key);

#endif
