/* pg_cost.h: the access method's amcostestimate: the cost of an index scan. */
#ifndef BINDINGS_POSTGRESQL_ACCESS_PG_COST_H
#define BINDINGS_POSTGRESQL_ACCESS_PG_COST_H

#include "postgres.h"

#include "nodes/pathnodes.h"

void bsp_costestimate(PlannerInfo *root, IndexPath *path, double loop_count, Cost *startup_cost,
                      Cost *total_cost, Selectivity *selectivity, double *correlation,
                      double *pages);

#endif
