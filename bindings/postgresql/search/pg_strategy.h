/* pg_strategy.h: the strategies of operator classes, as sql/opclass.sql numbers them. */
#ifndef BINDINGS_POSTGRESQL_SEARCH_PG_STRATEGY_H
#define BINDINGS_POSTGRESQL_SEARCH_PG_STRATEGY_H

#include "postgres.h"

enum bsp_strategy {
	BSP_MATCH = 1, /* @@@ */
	BSP_LIKE,
	BSP_ILIKE,
	BSP_REGEX,
	BSP_REGEX_CASELESS,
	BSP_DISTANCE, /* <@>, for ORDER BY */
	BSP_STRATEGIES = BSP_DISTANCE
};

#endif
