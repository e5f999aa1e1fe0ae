/* pg_strategy.h: strategy numbers of the operator class; sql/opclass.sql has the same numbers. */
#ifndef BINDINGS_POSTGRESQL_SEARCH_PG_STRATEGY_H
#define BINDINGS_POSTGRESQL_SEARCH_PG_STRATEGY_H

#include "postgres.h"

enum bsp_strategy {
	BSP_MATCH = 1,      /* @@@ */
	BSP_LIKE,           /* ~~ */
	BSP_ILIKE,          /* ~~* */
	BSP_REGEX,          /* ~ */
	BSP_REGEX_CASELESS, /* ~* */
	BSP_DISTANCE,       /* <@>, for ORDER BY */
	BSP_STRATEGIES = BSP_DISTANCE
};

#endif
