/* pg_rank.c: see pg_rank.h. `<@>`, bitsift_score and bitsift_stats. */
#include "bindings/postgresql/search/pg_rank.h"

#include "access/genam.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/pg_index.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/base/pg_own_index.h"
#include "bindings/postgresql/base/pg_versions.h"
#include "bindings/postgresql/storage/pg_view.h"
#include "bindings/postgresql/types/pg_parsed.h"
#include "bindings/postgresql/types/pg_stats_type.h"
#include "core/bitsift/query.h"
#include "core/bitsift/statistics.h"

PG_FUNCTION_INFO_V1(bitsift_distance);
PG_FUNCTION_INFO_V1(bitsift_score);
PG_FUNCTION_INFO_V1(bitsift_stats);

/* Statistics gathered for a statement. All of its scans use them, so that partitions rank as one
 * even if rows are inserted meanwhile. */
struct gathered {
	uint32 hash, n_bytes; /* of `bytes` */
	char *bytes;          /* a copy of the query's datum, by malloc; NULL: the slot is free */
	LocalTransactionId transaction;
	/* xmin, xmax and curcid of the snapshot */
	TransactionId snapshot_min, snapshot_max;
	CommandId command;
	/* The start of the statement for which the statistics were gathered. Later FETCHes of a
	 * cursor are statements of their own, which reuse the statistics. */
	TimestampTz statement;
	uint64 used; /* the clock at the last use */
	struct bs_statistics *statistics;
};

#define SLOTS 8
static struct gathered slots[SLOTS];

static void gather_one(Oid index_oid, const struct bsp_query_datum *datum,
                       struct bs_statistics *statistics)
{
	struct bsp_query query;
	struct bsp_query_strings strings;
	struct bs_search_request request;
	struct bs_error err = {""};
	Relation index = index_open(index_oid, AccessShareLock);
	bsp_query_read(datum, &query);
	bsp_query_search_request(&query, &strings, &request);
	struct bsp_view *view = bsp_view_acquire(index, BSP_FOLD_ALL);
	enum bs_status status =
		bs_statistics_gather(bsp_view_searcher(view), &request, statistics, &err);
	if (status == BS_INVALID)
		bsp_query_fail(status, &err, &query, SIZE_MAX);
	bsp_check(status, &err, index);
	bsp_view_release(view);
	index_close(index, AccessShareLock);
}

/* Gathers the statistics of an index, or of all leaf indexes of a partitioned one. The caller frees
 * them with bs_statistics_free. They are freed here if gathering throws. */
static struct bs_statistics *gather(Oid index, const struct bsp_query_datum *datum)
{
	struct bs_statistics *statistics;
	struct bs_error err;
	List *below = bsp_leaves(index);
	ListCell *cell;
	bsp_check(bs_statistics_new(&statistics, &err), &err, NULL);
	PG_TRY();
	{
		foreach (cell, below)
			gather_one(lfirst_oid(cell), datum, statistics);
	}
	PG_CATCH();
	{
		bs_statistics_free(statistics);
		PG_RE_THROW();
	}
	PG_END_TRY();
	list_free(below);
	return statistics;
}

/* The key of a query's statistics: the query, the transaction and the active snapshot. */
static struct gathered key_of(const struct bsp_query_datum *datum)
{
	Snapshot snapshot = ActiveSnapshotSet() ? GetActiveSnapshot() : NULL;
	struct gathered key = {
		.n_bytes = VARSIZE(datum) - offsetof(struct bsp_query_datum, version),
		.bytes = (char *)&datum->version,
		.transaction = BSP_LOCAL_TRANSACTION(MyProc),
		.statement = GetCurrentStatementStartTimestamp(),
	};
	key.hash = hash_bytes((const unsigned char *)key.bytes, (int)key.n_bytes);
	if (snapshot) {
		key.snapshot_min = snapshot->xmin;
		key.snapshot_max = snapshot->xmax;
		key.command = snapshot->curcid;
	}
	return key;
}

static bool is_same(const struct gathered *slot, const struct gathered *key)
{
	return slot->bytes && slot->hash == key->hash && slot->n_bytes == key->n_bytes &&
	       slot->transaction == key->transaction && slot->snapshot_min == key->snapshot_min &&
	       slot->snapshot_max == key->snapshot_max && slot->command == key->command &&
	       memcmp(slot->bytes, key->bytes, key->n_bytes) == 0;
}

/* Returns the cached statistics, or gathers them and caches them. */
static const struct bs_statistics *statistics_of_index(Oid index,
                                                       const struct bsp_query_datum *datum,
                                                       bool is_first)
{
	static uint64 clock;
	struct gathered key = key_of(datum), *slot = &slots[0];
	for (int i = 0; i < SLOTS; i++) {
		if (is_same(&slots[i], &key)) {
			slot = &slots[i];
			break;
		}
		if (slots[i].used < slot->used)
			slot = &slots[i];
	}
	if (is_same(slot, &key) && (!is_first || slot->statement == key.statement)) {
		slot->used = ++clock;
		return slot->statistics;
	}
	struct bs_statistics *statistics = gather(index, datum);
	bs_statistics_free(slot->statistics);
	free(slot->bytes);
	*slot = (struct gathered){.hash = 0};
	char *bytes = malloc(key.n_bytes);
	if (!bytes) {
		bs_statistics_free(statistics);
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	}
	memcpy(bytes, key.bytes, key.n_bytes);
	key.bytes = bytes;
	key.used = ++clock;
	key.statistics = statistics;
	*slot = key;
	return statistics;
}

const struct bs_statistics *bsp_statistics(const struct bsp_query_datum *datum, bool is_first)
{
	struct bsp_query query;
	const struct bs_statistics *own = bsp_parsed_statistics(datum);
	if (own)
		return own;
	bsp_query_read(datum, &query);
	if (!OidIsValid(query.index))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("no statistics to rank by: no bitsift index of the column is "
		                "known"),
		         errhint("Make an index, or give the query some: bitsift_with_stats(query, "
		                 "bitsift_stats(index, query)).")));
	return statistics_of_index(query.index, datum, is_first);
}

static double score_of(FunctionCallInfo fcinfo)
{
	text *value = PG_GETARG_TEXT_PP(0);
	struct bsp_query_datum *datum = BSP_QUERY_OF(PG_GETARG_DATUM(1));
	struct bs_text asked = {.text = VARDATA_ANY(value), .text_bytes = VARSIZE_ANY_EXHDR(value)};
	struct bs_error err = {""};
	double score;
	/* fn_extra, which is NULL in the first call of an expression, points here afterwards. */
	static char asked_before;
	const struct bs_statistics *statistics =
		bsp_statistics(datum, fcinfo->flinfo && !fcinfo->flinfo->fn_extra);
	if (fcinfo->flinfo)
		fcinfo->flinfo->fn_extra = &asked_before;
	bsp_check(bs_query_score(bsp_parsed(datum), &asked, 1, statistics, &score, &err), &err,
	          NULL);
	PG_FREE_IF_COPY(value, 0);
	PG_FREE_IF_COPY(datum, 1);
	return score;
}

PGDLLEXPORT Datum bitsift_score(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(score_of(fcinfo));
}

/* The negated score, because ORDER BY sorts ascending. */
PGDLLEXPORT Datum bitsift_distance(PG_FUNCTION_ARGS)
{
	double score = score_of(fcinfo);
	PG_RETURN_FLOAT8(score > 0 ? -score : 0);
}

/* bitsift_stats(index, query). The query gets the analysis of the index, unless it states one. */
PGDLLEXPORT Datum bitsift_stats(PG_FUNCTION_ARGS)
{
	Oid index = PG_GETARG_OID(0);
	bsp_require_index(index);
	if (!bsp_may_query(index))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE,
		               get_rel_name(IndexGetRelation(index, false)));
	struct bsp_query_datum *datum = bsp_query_bound_to(BSP_QUERY_OF(PG_GETARG_DATUM(1)), index);
	struct bs_statistics *statistics = gather(index, datum);
	struct bsp_stats_datum *stats = bsp_stats_save(statistics);
	bs_statistics_free(statistics);
	PG_RETURN_POINTER(stats);
}
