/* pg_query_text.c: the text form of bitsift_query (pg_query_type.h), and the SQL functions that
 * return one. */
#include "postgres.h"

#include "access/xlog.h"
#include "fmgr.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"

#include "bindings/postgresql/base/pg_own_index.h"
#include "bindings/postgresql/base/pg_versions.h"
#include "bindings/postgresql/types/pg_parsed.h"
#include "bindings/postgresql/types/pg_stats_type.h"

PG_FUNCTION_INFO_V1(bitsift_query_in);
PG_FUNCTION_INFO_V1(bitsift_query_out);
PG_FUNCTION_INFO_V1(bitsift_query_recv);
PG_FUNCTION_INFO_V1(bitsift_query_send);
PG_FUNCTION_INFO_V1(bitsift_query_of);
PG_FUNCTION_INFO_V1(bitsift_with_stats);

/* The parsed options in braces. */
struct head {
	struct bsp_query query;
	bool is_stated; /* one of the options determines how words are analysed */
	uint64 system;  /* the system identifier of the cluster that has query.index */
};

/* Reads a word of lower-case letters and underscores. */
static bool read_name(const char **at, const char **name_out, size_t *bytes_out)
{
	*name_out = *at;
	while ((**at >= 'a' && **at <= 'z') || **at == '_')
		++*at;
	*bytes_out = (size_t)(*at - *name_out);
	return *bytes_out > 0;
}

/* Reads a bare value, or one in quotes where a backslash escapes a quote or a backslash. Returns a
 * palloc'ed string, or NULL if the value is invalid. */
static char *read_value(const char **at)
{
	StringInfoData value;
	const char *from = *at;
	initStringInfo(&value);
	if (*from != '"') {
		while (*from && !strchr(",}\"\\{=", *from))
			appendStringInfoChar(&value, *from++);
		*at = from;
		return value.len > 0 ? value.data : NULL;
	}
	for (from++; *from && *from != '"'; from++) {
		if (*from == '\\' && !*++from)
			return NULL;
		appendStringInfoChar(&value, *from);
	}
	*at = from + 1;
	return *from == '"' ? value.data : NULL;
}

static bool take_index(struct head *head, const char *value)
{
	unsigned index;
	unsigned long long system;
	int end = 0;
	if (sscanf(value, "%u/%llu%n", &index, &system, &end) != 2 || value[end])
		return false;
	head->query.index = index;
	head->system = system;
	return true;
}

static bool take_option(struct head *head, const char *name, size_t name_bytes, const char *value)
{
	static const struct {
		const char *name;
		uint8 flags;
	} switches[] = {{"any", BSP_QUERY_ANY},
	                {"strict", BSP_QUERY_STRICT},
	                {"plain", 0},
	                {"stated", BSP_QUERY_STATED},
	                {"fold_accents", BSP_QUERY_FOLD_ACCENTS},
	                {"split_identifiers", BSP_QUERY_SPLIT_IDENTIFIERS},
	                {"bound", BSP_QUERY_BOUND}};
	struct bsp_query *query = &head->query;
	for (size_t i = 0; i < lengthof(switches) && !value; i++)
		if (strlen(switches[i].name) == name_bytes &&
		    memcmp(switches[i].name, name, name_bytes) == 0) {
			query->flags |= switches[i].flags;
			head->is_stated |=
				!(switches[i].flags & (BSP_QUERY_ANY | BSP_QUERY_STRICT));
			return true;
		}
	size_t value_bytes = value ? strlen(value) : 0;
	if (!value)
		return false;
	if (name_bytes == 7 && memcmp(name, "stemmer", 7) == 0 && value_bytes < 32) {
		query->stemmer = value;
		query->stemmer_bytes = value_bytes;
		head->is_stated = true;
		return true;
	}
	if (name_bytes == 4 && memcmp(name, "stop", 4) == 0 && value_bytes < 32) {
		query->stop = value;
		query->stop_bytes = value_bytes;
		return true;
	}
	if (name_bytes == 5 && memcmp(name, "index", 5) == 0)
		return take_index(head, value);
	if (name_bytes == 10 && memcmp(name, "statistics", 10) == 0) {
		struct bsp_stats_datum *stats = bsp_stats_parse(value);
		query->statistics = stats ? bsp_stats_parts(stats, &query->statistics_bytes) : NULL;
		return stats != NULL;
	}
	return false;
}

/* False if the text does not begin with valid options. */
static bool read_head(const char *text, struct head *head, const char **rest_out)
{
	const char *at = text + 1, *name;
	size_t name_bytes;
	if (*text != '{')
		return false;
	if (*at == '}') {
		*rest_out = at + 1;
		return true;
	}
	for (;; at++) {
		char *value = NULL;
		if (!read_name(&at, &name, &name_bytes))
			return false;
		if (*at == '=') {
			at++;
			if (!(value = read_value(&at)))
				return false;
		}
		if (!take_option(head, name, name_bytes, value))
			return false;
		if (*at == '}')
			break;
		if (*at != ',')
			return false;
	}
	*rest_out = at + 1;
	return true;
}

/* Drops an index of another cluster, and one that the current user may not query. The analysis is
 * kept, as if the author of the query had stated it. */
static void settle(struct head *head)
{
	struct bsp_query *query = &head->query;
	bool is_stated = (query->flags & BSP_QUERY_STATED) != 0;
	if (OidIsValid(query->index) &&
	    (head->system != GetSystemIdentifier() || !bsp_may_query(query->index))) {
		query->index = InvalidOid;
		query->flags &= ~BSP_QUERY_BOUND;
	}
	if (head->is_stated && !(query->flags & BSP_QUERY_BOUND) && !is_stated)
		query->flags |= BSP_QUERY_STATED;
}

static struct bsp_query_datum *query_of_text(const char *text)
{
	struct head head = {.is_stated = false};
	const char *rest = text;
	bsp_check_encoding();
	if (read_head(text, &head, &rest))
		settle(&head);
	else
		head = (struct head){.is_stated = false};
	head.query.text = rest;
	head.query.text_bytes = strlen(rest);
	struct bsp_query_datum *datum = bsp_query_make(&head.query);
	(void)bsp_parsed(datum); /* Throws if the query is invalid. */
	return datum;
}

PGDLLEXPORT Datum bitsift_query_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(query_of_text(PG_GETARG_CSTRING(0)));
}

static void append_quoted(StringInfo out, const char *text)
{
	appendStringInfoChar(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			appendStringInfoChar(out, '\\');
		appendStringInfoChar(out, *text);
	}
	appendStringInfoChar(out, '"');
}

static void append_head(StringInfo out, const struct bsp_query *query)
{
	int start = out->len;
	bool is_analysed = (query->flags & (BSP_QUERY_STATED | BSP_QUERY_BOUND)) != 0;
	appendStringInfoChar(out, '{');
	if (query->flags & BSP_QUERY_ANY)
		appendStringInfoString(out, "any,");
	if (query->flags & BSP_QUERY_STRICT)
		appendStringInfoString(out, "strict,");
	if (query->stop_bytes > 0)
		appendStringInfo(out, "stop=%.*s,", (int)query->stop_bytes, query->stop);
	if (query->stemmer_bytes > 0)
		appendStringInfo(out, "stemmer=%.*s,", (int)query->stemmer_bytes, query->stemmer);
	if (query->flags & BSP_QUERY_FOLD_ACCENTS)
		appendStringInfoString(out, "fold_accents,");
	if (query->flags & BSP_QUERY_SPLIT_IDENTIFIERS)
		appendStringInfoString(out, "split_identifiers,");
	if (is_analysed && query->stemmer_bytes == 0 &&
	    !(query->flags & (BSP_QUERY_FOLD_ACCENTS | BSP_QUERY_SPLIT_IDENTIFIERS)))
		appendStringInfoString(out, "plain,");
	if (query->flags & BSP_QUERY_BOUND)
		appendStringInfoString(out, query->flags & BSP_QUERY_STATED ? "bound,stated,"
		                                                            : "bound,");
	if (OidIsValid(query->index))
		appendStringInfo(out, "index=%u/" UINT64_FORMAT ",", query->index,
		                 GetSystemIdentifier());
	if (query->statistics_bytes > 0) {
		appendStringInfoString(out, "statistics=");
		append_quoted(out, bsp_stats_format(query->statistics, query->statistics_bytes));
		appendStringInfoChar(out, ',');
	}
	if (out->data[out->len - 1] == ',')
		out->data[out->len - 1] = '}';
	else if (query->text_bytes > 0 && query->text[0] == '{')
		appendStringInfoChar(out, '}');
	else
		out->len = start;
}

static char *text_of(const struct bsp_query_datum *datum)
{
	struct bsp_query query;
	StringInfoData out;
	bsp_query_read(datum, &query);
	initStringInfo(&out);
	append_head(&out, &query);
	appendBinaryStringInfo(&out, query.text, (int)query.text_bytes);
	return out.data;
}

PGDLLEXPORT Datum bitsift_query_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(text_of(BSP_QUERY_OF(PG_GETARG_DATUM(0))));
}

PGDLLEXPORT Datum bitsift_query_recv(PG_FUNCTION_ARGS)
{
	StringInfo message = (StringInfo)PG_GETARG_POINTER(0);
	int n_bytes;
	PG_RETURN_POINTER(
		query_of_text(pq_getmsgtext(message, message->len - message->cursor, &n_bytes)));
}

PGDLLEXPORT Datum bitsift_query_send(PG_FUNCTION_ARGS)
{
	const char *text = text_of(BSP_QUERY_OF(PG_GETARG_DATUM(0)));
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendtext(&out, text, (int)strlen(text));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

/* Argument i of an SQL function, a name of at most 31 characters; "" for NULL. */
static const char *name_argument(FunctionCallInfo fcinfo, int i, const char *what)
{
	char *name = PG_ARGISNULL(i) ? pstrdup("") : text_to_cstring(PG_GETARG_TEXT_PP(i));
	if (strlen(name) >= 32 ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(name))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		                errmsg("bitsift_query: no %s \"%s\"", what, name)));
	return name;
}

static uint8 flag_argument(FunctionCallInfo fcinfo, int i, uint8 flag)
{
	return !PG_ARGISNULL(i) && PG_GETARG_BOOL(i) ? flag : 0;
}

/* bitsift_query(query, stemmer, fold_accents, split_identifiers, any, stop, strict, statistics) */
PGDLLEXPORT Datum bitsift_query_of(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	text *words = PG_GETARG_TEXT_PP(0);
	bool is_stated = !PG_ARGISNULL(1) || !PG_ARGISNULL(2) || !PG_ARGISNULL(3);
	struct bsp_query query = {
		.flags = (is_stated ? BSP_QUERY_STATED : 0) |
	                 flag_argument(fcinfo, 2, BSP_QUERY_FOLD_ACCENTS) |
	                 flag_argument(fcinfo, 3, BSP_QUERY_SPLIT_IDENTIFIERS) |
	                 flag_argument(fcinfo, 4, BSP_QUERY_ANY) |
	                 flag_argument(fcinfo, 6, BSP_QUERY_STRICT),
		.text = VARDATA_ANY(words),
		.text_bytes = VARSIZE_ANY_EXHDR(words),
		.stemmer = name_argument(fcinfo, 1, "stemmer"),
		.stop = name_argument(fcinfo, 5, "list of stop words"),
	};
	bsp_check_encoding();
	query.stemmer_bytes = strlen(query.stemmer);
	query.stop_bytes = strlen(query.stop);
	if (!PG_ARGISNULL(7))
		query.statistics =
			bsp_stats_parts(BSP_STATS_OF(PG_GETARG_DATUM(7)), &query.statistics_bytes);
	struct bsp_query_datum *datum = bsp_query_make(&query);
	(void)bsp_parsed(datum);
	PG_RETURN_POINTER(datum);
}

/* Returns the query with these statistics. */
PGDLLEXPORT Datum bitsift_with_stats(PG_FUNCTION_ARGS)
{
	struct bsp_query query;
	bsp_query_read(BSP_QUERY_OF(PG_GETARG_DATUM(0)), &query);
	query.statistics =
		bsp_stats_parts(BSP_STATS_OF(PG_GETARG_DATUM(1)), &query.statistics_bytes);
	PG_RETURN_POINTER(bsp_query_make(&query));
}
