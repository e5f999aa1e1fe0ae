/* pg_module.c: the entry point of the module and the handler of the access method. */
#include "postgres.h"

#include "access/amapi.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "fmgr.h"

#include "bindings/postgresql/access/pg_build.h"
#include "bindings/postgresql/access/pg_cost.h"
#include "bindings/postgresql/access/pg_insert.h"
#include "bindings/postgresql/access/pg_scan.h"
#include "bindings/postgresql/access/pg_vacuum.h"
#include "bindings/postgresql/access/pg_validate.h"
#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/base/pg_options.h"
#include "bindings/postgresql/search/pg_strategy.h"
#include "bindings/postgresql/storage/pg_view.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);
PGDLLEXPORT PG_FUNCTION_INFO_V1(bitsift_handler);

void _PG_init(void)
{
	bsp_options_init();
	bsp_on_damage(bsp_view_forget);
}

PGDLLEXPORT Datum bitsift_handler(PG_FUNCTION_ARGS)
{
	IndexAmRoutine *am = makeNode(IndexAmRoutine);
	am->amstrategies = BSP_STRATEGIES;
	am->amcanorderbyop = true;
	am->amcanmulticol = true;
	am->amoptionalkey = true;
	am->amusemaintenanceworkmem = true;
	/* VACUUM may process this index in a parallel worker while others process other indexes. */
	am->amparallelvacuumoptions =
		VACUUM_OPTION_PARALLEL_BULKDEL | VACUUM_OPTION_PARALLEL_COND_CLEANUP;
	am->amkeytype = InvalidOid;
	am->ambuild = bsp_build;
	am->ambuildempty = bsp_buildempty;
	am->aminsert = bsp_insert;
	am->ambulkdelete = bsp_bulkdelete;
	am->amvacuumcleanup = bsp_vacuumcleanup;
	am->amcostestimate = bsp_costestimate;
	am->amoptions = bsp_amoptions;
	am->amvalidate = bsp_validate;
	am->ambeginscan = bsp_beginscan;
	am->amrescan = bsp_rescan;
	am->amgettuple = bsp_gettuple;
	am->amgetbitmap = bsp_getbitmap;
	am->amendscan = bsp_endscan;
	PG_RETURN_POINTER(am);
}
