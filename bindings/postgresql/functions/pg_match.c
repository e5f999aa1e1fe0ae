/* pg_match.c: the operator `@@@`: whether a text matches a query. It uses only the text and the
 * query; an index scan gives the same answer. */
#include "postgres.h"

#include "fmgr.h"

#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/base/pg_versions.h"
#include "bindings/postgresql/types/pg_parsed.h"
#include "core/bitsift/query.h"

PG_FUNCTION_INFO_V1(bitsift_match);

PGDLLEXPORT Datum bitsift_match(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	struct bsp_query_datum *datum = BSP_QUERY_OF(PG_GETARG_DATUM(1));
	struct bs_text asked = {.text = VARDATA_ANY(value), .text_bytes = VARSIZE_ANY_EXHDR(value)};
	struct bs_query_result result;
	struct bs_error err = {""};
	bsp_check(bs_query_match(bsp_parsed(datum), &asked, 1, &result, &err), &err, NULL);
	PG_FREE_IF_COPY(value, 0);
	PG_FREE_IF_COPY(datum, 1);
	PG_RETURN_BOOL(result.is_match);
}
