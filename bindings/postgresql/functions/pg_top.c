/* pg_top.c: bitsift_top: the best rows of an index's table, or of all its partitions; short for a
 * SELECT with WHERE @@@, ORDER BY <@> and LIMIT. */
#include "postgres.h"

#include "catalog/index.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "bindings/postgresql/base/pg_own_index.h"

PG_FUNCTION_INFO_V1(bitsift_top);

/* The predicate of a partial index, or "true". */
static char *condition_of(Oid index, Oid table)
{
	bool is_null;
	char *condition = "true";
	HeapTuple tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(index));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for index %u", index);
	Datum predicate = SysCacheGetAttr(INDEXRELID, tuple, Anum_pg_index_indpred, &is_null);
	if (!is_null)
		condition = TextDatumGetCString(
			DirectFunctionCall2(pg_get_expr, predicate, ObjectIdGetDatum(table)));
	ReleaseSysCache(tuple);
	return condition;
}

/* The SQL statement of bitsift_top. It runs with the rights of the current user. Its operators are
 * qualified with the schema of the function. */
static char *statement_of(Oid index, Oid function)
{
	StringInfoData sql;
	Oid table = IndexGetRelation(index, false);
	const char *table_schema = quote_identifier(get_namespace_name(get_rel_namespace(table)));
	const char *schema = quote_identifier(get_namespace_name(get_func_namespace(function)));
	Datum definition = DirectFunctionCall3(pg_get_indexdef_ext, ObjectIdGetDatum(index),
	                                       Int32GetDatum(1), BoolGetDatum(false));
	char *column = TextDatumGetCString(definition);
	char *condition = condition_of(index, table);
	initStringInfo(&sql);
	appendStringInfo(&sql,
	                 "SELECT tableoid::pg_catalog.regclass, ctid, pg_catalog.float8mi(0, (%s) "
	                 "OPERATOR(%s.<@>) $1) "
	                 "FROM %s.%s "
	                 "WHERE (%s) OPERATOR(%s.@@@) $1 AND (%s) ORDER BY (%s) OPERATOR(%s.<@>) "
	                 "$1 LIMIT $2",
	                 column, schema, table_schema, quote_identifier(get_rel_name(table)),
	                 column, schema, condition, column, schema);
	return sql.data;
}

/* bitsift_top(index, query, k) */
PGDLLEXPORT Datum bitsift_top(PG_FUNCTION_ARGS)
{
	Oid index = PG_GETARG_OID(0);
	int32 k = PG_GETARG_INT32(2);
	ReturnSetInfo *set = (ReturnSetInfo *)fcinfo->resultinfo;
	Oid types[] = {get_fn_expr_argtype(fcinfo->flinfo, 1), INT8OID};
	Datum values[] = {PG_GETARG_DATUM(1), Int64GetDatum(k)};
	bsp_require_index(index);
	if (k < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		                errmsg("bitsift_top: the number of rows is not negative")));
	InitMaterializedSRF(fcinfo, 0);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "bitsift_top: SPI_connect");
	if (SPI_execute_with_args(statement_of(index, fcinfo->flinfo->fn_oid), 2, types, values,
	                          NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "bitsift_top: the query failed");
	for (uint64 i = 0; i < SPI_processed; i++) {
		Datum row[3];
		bool nulls[3];
		for (int c = 0; c < 3; c++)
			row[c] = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, c + 1,
			                       &nulls[c]);
		tuplestore_putvalues(set->setResult, set->setDesc, row, nulls);
	}
	SPI_finish();
	return (Datum)0;
}
