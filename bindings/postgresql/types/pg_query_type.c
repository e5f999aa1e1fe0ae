/* pg_query_type.c: see pg_query_type.h. */
#include "bindings/postgresql/types/pg_query_type.h"

#include "access/relation.h"
#include "mb/pg_wchar.h"
#include "utils/rel.h"

#include "bindings/postgresql/base/pg_error.h"
#include "core/bitsift/search_request.h"

void bsp_check_encoding(void)
{
	int encoding = GetDatabaseEncoding();
	if (encoding != PG_UTF8 && encoding != PG_SQL_ASCII)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		                errmsg("bitsift needs a database whose encoding is UTF8, not %s",
		                       GetDatabaseEncodingName())));
}

void bsp_query_read(const struct bsp_query_datum *datum, struct bsp_query *query_out)
{
	size_t n_bytes = VARSIZE(datum), head_bytes = offsetof(struct bsp_query_datum, parts);
	size_t parts_bytes =
		(size_t)datum->stemmer_bytes + datum->stop_bytes + datum->statistics_bytes;
	if (n_bytes < head_bytes || datum->version != 1 || n_bytes - head_bytes < parts_bytes)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
		                errmsg("a bitsift_query of an unknown format")));
	*query_out = (struct bsp_query){
		.flags = datum->flags,
		.index = datum->index,
		.stemmer = datum->parts,
		.stemmer_bytes = datum->stemmer_bytes,
		.stop = datum->parts + datum->stemmer_bytes,
		.stop_bytes = datum->stop_bytes,
		.statistics = datum->parts + datum->stemmer_bytes + datum->stop_bytes,
		.statistics_bytes = datum->statistics_bytes,
		.text = datum->parts + parts_bytes,
		.text_bytes = n_bytes - head_bytes - parts_bytes,
	};
}

static char *put(char *at, const char *bytes, size_t n_bytes)
{
	if (n_bytes > 0)
		memcpy(at, bytes, n_bytes);
	return at + n_bytes;
}

struct bsp_query_datum *bsp_query_make(const struct bsp_query *query)
{
	size_t n_bytes = offsetof(struct bsp_query_datum, parts) + query->stemmer_bytes +
	                 query->stop_bytes + query->statistics_bytes + query->text_bytes;
	struct bsp_query_datum *datum = palloc0(n_bytes);
	SET_VARSIZE(datum, n_bytes);
	datum->version = 1;
	datum->flags = query->flags;
	datum->index = query->index;
	datum->stemmer_bytes = (uint8)query->stemmer_bytes;
	datum->stop_bytes = (uint8)query->stop_bytes;
	datum->statistics_bytes = (uint32)query->statistics_bytes;
	char *at = put(datum->parts, query->stemmer, query->stemmer_bytes);
	at = put(at, query->stop, query->stop_bytes);
	at = put(at, query->statistics, query->statistics_bytes);
	put(at, query->text, query->text_bytes);
	return datum;
}

bool bsp_query_is_analysed_as(const struct bsp_query *query, const struct bsp_analysis *analysis)
{
	return query->stemmer_bytes == strlen(analysis->stemmer) &&
	       memcmp(query->stemmer, analysis->stemmer, query->stemmer_bytes) == 0 &&
	       !!(query->flags & BSP_QUERY_FOLD_ACCENTS) == analysis->fold_accents &&
	       !!(query->flags & BSP_QUERY_SPLIT_IDENTIFIERS) == analysis->split_identifiers;
}

void bsp_query_set_analysis(struct bsp_query *query, const struct bsp_analysis *analysis)
{
	query->stemmer = analysis->stemmer;
	query->stemmer_bytes = strlen(analysis->stemmer);
	query->flags &= ~(BSP_QUERY_FOLD_ACCENTS | BSP_QUERY_SPLIT_IDENTIFIERS);
	query->flags |= (analysis->fold_accents ? BSP_QUERY_FOLD_ACCENTS : 0) |
	                (analysis->split_identifiers ? BSP_QUERY_SPLIT_IDENTIFIERS : 0);
}

static char *string_of(char *buffer, const char *bytes, size_t n_bytes)
{
	memcpy(buffer, bytes, n_bytes);
	buffer[n_bytes] = 0;
	return n_bytes > 0 ? buffer : NULL;
}

void bsp_query_search_request(const struct bsp_query *query, struct bsp_query_strings *strings,
                              struct bs_search_request *request_out)
{
	string_of(strings->stemmer, query->stemmer, query->stemmer_bytes);
	*request_out = (struct bs_search_request){
		.query.text = query->text,
		.query.text_bytes = query->text_bytes,
		.query.any = (query->flags & BSP_QUERY_ANY) != 0,
		.query.strict = (query->flags & BSP_QUERY_STRICT) != 0,
		.query.stop_language = string_of(strings->stop, query->stop, query->stop_bytes),
		.method.n_threads = 1,
		.limits = bsp_limits(),
	};
}

void bsp_query_fail(enum bs_status status, const struct bs_error *err,
                    const struct bsp_query *query, size_t error_byte)
{
	if (status == BS_INVALID && error_byte <= query->text_bytes) {
		int place = pg_mbstrlen_with_len(query->text, (int)error_byte) + 1;
		int shown = pg_mbcliplen(query->text, (int)query->text_bytes, 200);
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
		                errmsg("bitsift query: %s, at character %d", err->text, place),
		                errdetail("The query is: %.*s", shown, query->text)));
	}
	bsp_check(status, err, NULL);
}

struct bsp_query_datum *bsp_query_bound_to(const struct bsp_query_datum *datum, Oid index_oid)
{
	struct bsp_query query;
	struct bsp_analysis analysis;
	Relation index = relation_open(index_oid, AccessShareLock);
	bsp_query_read(datum, &query);
	bsp_index_analysis(index, &analysis);
	relation_close(index, AccessShareLock);
	if (!(query.flags & BSP_QUERY_STATED)) {
		bsp_query_set_analysis(&query, &analysis);
		query.flags |= BSP_QUERY_BOUND;
	}
	query.index = index_oid;
	return bsp_query_make(&query);
}
