/* pg_cost.c: costs and selectivities of searches. If the planner knows the query or pattern, the
 * index estimates how many rows it finds. */
#include "bindings/postgresql/access/pg_cost.h"

#include <math.h>

#include "access/genam.h"
#include "access/relation.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "parser/parsetree.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"

#include "bindings/postgresql/base/pg_document.h"
#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/base/pg_own_index.h"
#include "bindings/postgresql/base/pg_versions.h"
#include "bindings/postgresql/search/pg_search.h"
#include "bindings/postgresql/search/pg_strategy.h"
#include "core/bitsift/candidates.h"
#include "core/bitsift/index_open.h"

PG_FUNCTION_INFO_V1(bitsift_matchsel);

/* The share of rows if the index gives no estimate of a word query, because the query is invalid or
 * the index has no rows. */
#define USUAL_SHARE 0.005
/* The share of rows if a word query is not known until execution, has no index, or must not be
 * estimated (hides_rows). For a pattern that is not known until execution: 5 times this share. */
#define LATER_SHARE 0.01

/* A cached estimate. The planner estimates a condition several times for each statement. */
struct estimate {
	Oid index, collation;
	StrategyNumber strategy;
	AttrNumber column;
	uint32 hash, n_bytes;  /* of the query or pattern */
	TimestampTz statement; /* start of the statement that the estimate is for */
	double share;          /* see share_of */
};

#define SLOTS 16
static struct estimate estimates[SLOTS];

static double estimate_query(Relation index, struct bsp_view *view, ScanKey key)
{
	struct bsp_query query;
	struct bsp_query_strings strings;
	struct bs_search_request request;
	struct bs_search_estimate estimate;
	char field[BSP_FIELD_BYTES];
	struct bs_error err;
	bsp_query_read(bsp_key_query(key), &query);
	if (!bsp_is_answerable(index, &query))
		return 1;
	bsp_field_name(index, key->sk_attno, field);
	bsp_query_search_request(&query, &strings, &request);
	request.query.field = field[0] ? field : NULL;
	/* Ignore errors of the query here; execution reports them. */
	if (bs_estimate(bsp_view_searcher(view), &request, &estimate, &err) || estimate.n_docs == 0)
		return USUAL_SHARE;
	return (double)estimate.n_hits / (double)estimate.n_docs;
}

static double estimate_pattern(struct bsp_view *view, ScanKey key)
{
	MemoryContext own = AllocSetContextCreate(CurrentMemoryContext, "bitsift pattern",
	                                          ALLOCSET_SMALL_SIZES);
	struct bs_candidates_request request = {
		.tree = bsp_key_pattern(key, own), .estimate = true, .limits = bsp_limits()};
	struct bs_candidates_result result;
	struct bs_index_info info;
	struct bs_error err;
	bs_index_describe(bsp_view_index(view), &info);
	enum bs_status status = bs_candidates(bsp_view_searcher(view), &request, &result, &err);
	MemoryContextDelete(own);
	if (status || info.n_docs == 0)
		return 1;
	return Min(1.0, (double)result.n_candidates / (double)info.n_docs);
}

static double ask(Oid index_oid, ScanKey key)
{
	Relation index = index_open(index_oid, AccessShareLock);
	struct bsp_view *view = bsp_view_acquire(index, BSP_FOLD_SOME);
	double share = key->sk_strategy == BSP_MATCH ? estimate_query(index, view, key)
	                                             : estimate_pattern(view, key);
	bsp_view_release(view);
	index_close(index, AccessShareLock);
	return share;
}

/* The share of the index's rows that a scan with this key returns: rows that match, or, for
 * patterns, candidates. The result is cached for this statement. */
static double share_of(Oid index, ScanKey key)
{
	static unsigned next;
	struct varlena *argument = PG_DETOAST_DATUM(key->sk_argument);
	struct estimate asked = {
		.index = index,
		/* Word queries do not depend on the collation. */
		.collation = key->sk_strategy == BSP_MATCH ? InvalidOid : key->sk_collation,
		.strategy = key->sk_strategy,
		.column = key->sk_attno,
		.n_bytes = VARSIZE(argument),
		.hash = hash_bytes((const unsigned char *)argument, VARSIZE(argument)),
		.statement = GetCurrentStatementStartTimestamp(),
	};
	for (int i = 0; i < SLOTS; i++) {
		struct estimate *known = &estimates[i];
		if (known->index == asked.index && known->strategy == asked.strategy &&
		    known->column == asked.column && known->collation == asked.collation &&
		    known->n_bytes == asked.n_bytes && known->hash == asked.hash &&
		    known->statement == asked.statement)
			return known->share;
	}
	asked.share = ask(index, key);
	estimates[next++ % SLOTS] = asked;
	return asked.share;
}

/* True if a security policy may hide rows of the table. Then the index must not be asked: the
 * planner's estimates would reveal the number of hidden rows. */
static bool hides_rows(PlannerInfo *root, RelOptInfo *rel)
{
	return root->qual_security_level > 0 && rel &&
	       (rel->reloptkind != RELOPT_BASEREL ||
	        planner_rt_fetch(rel->relid, root)->securityQuals != NIL);
}

/* Returns the bitsift index on the expression, and the number of its column from 1; NULL: none. */
static IndexOptInfo *index_of(RelOptInfo *rel, Node *node, int *column_out)
{
	Oid method = bsp_access_method();
	ListCell *cell;
	if (!rel || rel->reloptkind == RELOPT_UPPER_REL)
		return NULL;
	foreach (cell, rel->indexlist) {
		IndexOptInfo *index = lfirst(cell);
		for (int i = 0;
		     i < index->nkeycolumns && index->relam == method && !index->hypothetical; i++)
			if (match_index_to_operand(node, i, index)) {
				*column_out = i + 1;
				return index;
			}
	}
	return NULL;
}

static Node *constant_of(PlannerInfo *root, Node *node)
{
	return estimate_expression_value(root, node);
}

PGDLLEXPORT Datum bitsift_matchsel(PG_FUNCTION_ARGS)
{
	PlannerInfo *root = (PlannerInfo *)PG_GETARG_POINTER(0);
	List *args = (List *)PG_GETARG_POINTER(2);
	int var_relation = PG_GETARG_INT32(3), column;
	VariableStatData data;
	double share = LATER_SHARE;
	if (list_length(args) != 2)
		PG_RETURN_FLOAT8(share);
	examine_variable(root, linitial(args), var_relation, &data);
	Node *query = constant_of(root, lsecond(args));
	IndexOptInfo *index = index_of(data.rel, linitial(args), &column);
	if (IsA(query, Const) && ((Const *)query)->constisnull) {
		share = 0;
	} else if (IsA(query, Const) && index && !hides_rows(root, data.rel)) {
		ScanKeyData key = {.sk_attno = (AttrNumber)column,
		                   .sk_strategy = BSP_MATCH,
		                   .sk_argument = ((Const *)query)->constvalue};
		share = share_of(index->indexoid, &key);
	}
	ReleaseVariableStats(data);
	CLAMP_PROBABILITY(share);
	PG_RETURN_FLOAT8(share);
}

/* The share of rows that the conditions of an index clause return. */
static double share_of_clause(PlannerInfo *root, IndexOptInfo *index, IndexClause *clause)
{
	double share = 1;
	ListCell *cell;
	foreach (cell, clause->indexquals) {
		RestrictInfo *info = lfirst(cell);
		if (!IsA(info->clause, OpExpr))
			continue;
		OpExpr *op = (OpExpr *)info->clause;
		Node *argument = constant_of(root, lsecond(op->args));
		int strategy =
			get_op_opfamily_strategy(op->opno, index->opfamily[clause->indexcol]);
		if (!IsA(argument, Const)) {
			share *= strategy == BSP_MATCH ? LATER_SHARE : LATER_SHARE * 5;
			continue;
		}
		if (((Const *)argument)->constisnull)
			return 0;
		ScanKeyData key = {.sk_attno = (AttrNumber)(clause->indexcol + 1),
		                   .sk_strategy = (StrategyNumber)strategy,
		                   .sk_collation = op->inputcollid,
		                   .sk_argument = ((Const *)argument)->constvalue};
		share *= share_of(index->indexoid, &key);
	}
	return share;
}

/* This index returns rows in table order, so an index scan reads the same heap pages as a bitmap
 * scan. Returns the correlation for which PostgreSQL computes the same cost for both. It
 * interpolates between the costs of random and sequential order by the square of the
 * correlation. */
static double correlation_of_pages(PlannerInfo *root, const IndexOptInfo *index, double n_found)
{
	double n_pages = Max(index->rel->pages, 1), n_rows = Max(index->rel->tuples, 1), random,
	       sequential;
	get_tablespace_page_costs(index->rel->reltablespace, &random, &sequential);
	double n_visited =
		Min(index_pages_fetched(n_found, index->rel->pages, index->pages, root), n_pages);
	double most = n_visited * random,
	       least = random + (ceil(n_found / n_rows * n_pages) - 1) * sequential;
	double as_bitmap = n_visited * (random - (random - sequential) * sqrt(n_visited / n_pages));
	return least < most ? sqrt(Min(Max(most - as_bitmap, 0) / (most - least), 1)) : 0;
}

/* A scan reads the bits of this many rows at once, a block. The cost below is from measurements: a
 * condition reads a few hundred bytes sequentially for each thousand rows, and each returned row
 * takes about as long as in other index types. Ranking reads less. */
#define ROWS_READ_AT_ONCE 512.0

void bsp_costestimate(PlannerInfo *root, IndexPath *path, double loop_count, Cost *startup_cost,
                      Cost *total_cost, Selectivity *selectivity, double *correlation,
                      double *pages)
{
	IndexOptInfo *index = path->indexinfo;
	double n_rows = Max(index->rel->tuples, 1), share = 1;
	int n_conditions = list_length(path->indexclauses);
	ListCell *cell;
	foreach (cell, path->indexclauses)
		share *= share_of_clause(root, index, lfirst_node(IndexClause, cell));
	CLAMP_PROBABILITY(share);
	double n_found = ceil(share * n_rows);
	double read = (n_conditions + 1) * n_rows / ROWS_READ_AT_ONCE * cpu_operator_cost * 4;
	/* A scan reads the lexicon and the columns before it returns the first row. */
	*startup_cost = 2 * cpu_tuple_cost + read;
	if (path->indexorderbys != NIL) {
		bool can_rank = list_length(path->indexorderbys) == 1 && index->nkeycolumns == 1;
		*startup_cost += can_rank ? 10 * cpu_tuple_cost
		                          : n_rows * (cpu_tuple_cost + 400 * cpu_operator_cost);
	}
	*total_cost = *startup_cost + n_found * cpu_index_tuple_cost;
	*selectivity = share;
	*correlation = path->indexorderbys == NIL ? correlation_of_pages(root, index, n_found) : 0;
	*pages = ceil(read);
	/* Never scan the index without a condition. For count(*), which needs no columns, the
	 * planner would choose an index-only scan, which this index does not support. */
	if (path->indexclauses == NIL && path->indexorderbys == NIL)
		*startup_cost = *total_cost = get_float8_infinity();
}
