/* pg_snippet.c: bitsift_snippet: a part of a text that contains words of the query, on one line,
 * with marks around them. */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/types/pg_parsed.h"
#include "core/bitsift/query.h"

PG_FUNCTION_INFO_V1(bitsift_snippet);

/* bitsift_snippet(text, query, mark_start, mark_stop, length); the length is in terminal
 * columns. */
PGDLLEXPORT Datum bitsift_snippet(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	struct bsp_query_datum *datum = BSP_QUERY_OF(PG_GETARG_DATUM(1));
	int32 columns = PG_GETARG_INT32(4);
	struct bs_text asked = {.text = VARDATA_ANY(value), .text_bytes = VARSIZE_ANY_EXHDR(value)};
	struct bs_query_snippet_request request = {
		.mark_start = text_to_cstring(PG_GETARG_TEXT_PP(2)),
		.mark_stop = text_to_cstring(PG_GETARG_TEXT_PP(3)),
		.columns = (uint32)columns,
		.favours_after = true};
	struct bs_query_snippet snippet;
	struct bs_error err = {""};
	if (columns < 1 || columns > 1000000)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("bitsift_snippet: a length is 1 to 1000000, not %d", columns)));
	bsp_check(bs_query_make_snippet(bsp_parsed(datum), &asked, 1, &request, &snippet, &err),
	          &err, NULL);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(snippet.text, (int)snippet.text_bytes));
}
