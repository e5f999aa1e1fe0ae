/*
 * pg_bind.c: binds queries to indexes. The text of a query alone does not determine how words are
 * split and folded; the index of the searched column does, so that the result is the same whether
 * or not the planner chooses the index. While a statement is planned, a query that is compared with
 * a column is bound to the column's index: it gets the analysis of that index and, if it ranks, the
 * index itself, for its statistics. A parameter is bound when its value is known.
 *
 * Implements the support function of all functions that take a text and a query.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "bindings/postgresql/base/pg_own_index.h"
#include "bindings/postgresql/base/pg_versions.h"
#include "bindings/postgresql/storage/pg_analysis.h"
#include "bindings/postgresql/types/pg_query_type.h"

PG_FUNCTION_INFO_V1(bitsift_support);
PG_FUNCTION_INFO_V1(bitsift_bind);

/* The index of the column that an expression refers to. */

struct binding {
	Oid index;                    /* InvalidOid: the column has no bitsift index */
	struct bsp_analysis analysis; /* of the index */
	/* is_partial: the index has a predicate. is_foreign: the column is of a foreign table.
	 * has_parts: the table may have partitions or children. */
	bool is_partial, is_foreign, has_parts;
};

static Node *strip(Node *node)
{
	while (node && IsA(node, RelabelType))
		node = (Node *)((RelabelType *)node)->arg;
	return node;
}

/* A query of a statement with nested queries. */
struct level {
	Query *query;
	const struct level *above; /* the query that contains it; NULL: it is the outermost */
};

static const struct level *new_level(Query *query, const struct level *above)
{
	struct level *level = palloc(sizeof(*level));
	*level = (struct level){query, above};
	return level;
}

static const struct level *levels_of(PlannerInfo *root)
{
	return root && root->parse ? new_level(root->parse, levels_of(root->parent_root)) : NULL;
}

static const struct level *go_up(const struct level *level, Index n)
{
	while (n-- > 0 && level)
		level = level->above;
	return level;
}

static Query *common_table(const struct level *level, const char *name)
{
	ListCell *cell;
	foreach (cell, level->query->cteList) {
		CommonTableExpr *table = lfirst_node(CommonTableExpr, cell);
		if (strcmp(table->ctename, name) == 0 && !table->cterecursive &&
		    IsA(table->ctequery, Query))
			return (Query *)table->ctequery;
	}
	return NULL;
}

static Node *column_of(Query *query, AttrNumber column)
{
	TargetEntry *entry =
		query && !query->setOperations ? get_tle_by_resno(query->targetList, column) : NULL;
	return entry && !entry->resjunk ? (Node *)entry->expr : NULL;
}

/* Traces a column of a view, a separately planned subquery or a common table expression to the
 * expression that is selected there. Sets *level to the query of the returned expression. Returns
 * NULL if the column has no single source. */
static Node *source_of(Node *node, const struct level **level)
{
	for (node = strip(node); node && IsA(node, Var); node = strip(node)) {
		Var *var = (Var *)node;
		*level = go_up(*level, var->varlevelsup);
		if (!*level || IS_SPECIAL_VARNO(var->varno) || var->varno < 1 ||
		    var->varno > list_length((*level)->query->rtable))
			return NULL;
		RangeTblEntry *entry = rt_fetch(var->varno, (*level)->query->rtable);
		if (entry->rtekind == RTE_RELATION) {
			Var *own = copyObject(var);
			own->varlevelsup = 0;
			return (Node *)own;
		}
		Query *query = NULL;
		if (var->varattno < 1)
			return NULL;
		if (entry->rtekind == RTE_JOIN) {
			node = list_nth(entry->joinaliasvars, var->varattno - 1);
			continue;
		}
		if (entry->rtekind == RTE_SUBQUERY) {
			query = entry->subquery;
		} else if (entry->rtekind == RTE_CTE) {
			*level = go_up(*level, entry->ctelevelsup);
			query = *level ? common_table(*level, entry->ctename) : NULL;
		}
		node = column_of(query, var->varattno);
		*level = node ? new_level(query, *level) : NULL;
	}
	return node;
}

/* Returns the range table index of the table that the expression refers to; 0 unless the expression
 * refers to exactly one table, which belongs to this query. */
static Index relation_of(PlannerInfo *root, const struct level *level, Node *node)
{
	/* pull_varnos needs the root only for nodes that the planner has added. A query that is
	 * planned separately has no such nodes yet, and `root` belongs to another query. */
	Relids relids = pull_varnos(level->query == root->parse ? root : NULL, node);
	int varno;
	bool is_one = bms_get_singleton_member(relids, &varno);
	bms_free(relids);
	if (!is_one || varno < 1 || varno > list_length(level->query->rtable) ||
	    contain_vars_of_level(node, 1))
		return 0;
	return rt_fetch(varno, level->query->rtable)->rtekind == RTE_RELATION ? (Index)varno : 0;
}

/* True if a column of the index is this expression. */
static bool has_column(Relation index, Node *node, Index varno)
{
	List *expressions = RelationGetIndexExpressions(index);
	ListCell *cell = list_head(expressions);
	for (int i = 0; i < IndexRelationGetNumberOfKeyAttributes(index); i++) {
		AttrNumber column = index->rd_index->indkey.values[i];
		if (column != 0) {
			if (IsA(node, Var) && ((Var *)node)->varattno == column)
				return true;
			continue;
		}
		Node *expression = copyObjectImpl(strip((Node *)lfirst(cell)));
		cell = lnext(expressions, cell);
		if (varno != 1)
			ChangeVarNodes(expression, 1, (int)varno, 0);
		if (equal(expression, node))
			return true;
	}
	return false;
}

/* Finds the index of the column that `asked` refers to. If there are several, prefers one without a
 * predicate, then the one with the lowest OID, so that the choice is deterministic. */
static struct binding binding_of(PlannerInfo *root, Node *asked)
{
	struct binding found = {.index = InvalidOid};
	const struct level *level = levels_of(root);
	Node *node = level ? source_of(asked, &level) : NULL;
	node = node ? BSP_WITHOUT_OUTER_JOINS(node) : NULL;
	Index varno = node ? relation_of(root, level, node) : 0;
	if (varno == 0)
		return found;
	RangeTblEntry *entry = rt_fetch(varno, level->query->rtable);
	found.is_foreign = entry->relkind == RELKIND_FOREIGN_TABLE;
	found.has_parts = entry->inh;
	if (entry->relkind != RELKIND_RELATION && entry->relkind != RELKIND_PARTITIONED_TABLE &&
	    entry->relkind != RELKIND_MATVIEW)
		return found;
	Oid method = bsp_access_method();
	Relation table = table_open(entry->relid, AccessShareLock);
	List *indexes = RelationGetIndexList(table);
	ListCell *cell;
	foreach (cell, indexes) {
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);
		bool is_ours = index->rd_rel->relam == method && index->rd_index->indisvalid &&
		               has_column(index, node, varno);
		bool is_partial = is_ours && RelationGetIndexPredicate(index) != NIL;
		if (is_ours && (!OidIsValid(found.index) || (found.is_partial && !is_partial))) {
			found.index = RelationGetRelid(index);
			found.is_partial = is_partial;
			bsp_index_analysis(index, &found.analysis);
		}
		index_close(index, AccessShareLock);
	}
	list_free(indexes);
	table_close(table, AccessShareLock);
	return found;
}

/* True if the analysis is plain: that of a query that is not bound and does not state its
 * analysis. */

static bool is_plain(const struct bsp_analysis *analysis)
{
	return !analysis->stemmer[0] && !analysis->fold_accents && !analysis->split_identifiers;
}

/* Gives the query the index and the analysis of `to`. A query that states its analysis keeps it,
 * and gets the index only if `to` has the same analysis. `to` has no text. */
static void bind(struct bsp_query *query, const struct bsp_query *to)
{
	struct bsp_analysis analysis = {.fold_accents = (to->flags & BSP_QUERY_FOLD_ACCENTS) != 0,
	                                .split_identifiers =
	                                        (to->flags & BSP_QUERY_SPLIT_IDENTIFIERS) != 0};
	memcpy(analysis.stemmer, to->stemmer, Min(to->stemmer_bytes, sizeof(analysis.stemmer) - 1));
	if (!(query->flags & BSP_QUERY_STATED)) {
		bsp_query_set_analysis(query, &analysis);
		query->stemmer = to->stemmer;
		query->flags |= BSP_QUERY_BOUND;
	} else if (!bsp_query_is_analysed_as(query, &analysis)) {
		return;
	}
	query->index = to->index;
}

PGDLLEXPORT Datum bitsift_bind(PG_FUNCTION_ARGS)
{
	struct bsp_query query, to;
	bsp_query_read(BSP_QUERY_OF(PG_GETARG_DATUM(0)), &query);
	bsp_query_read(BSP_QUERY_OF(PG_GETARG_DATUM(1)), &to);
	if (!(query.flags & BSP_QUERY_BOUND))
		bind(&query, &to);
	PG_RETURN_POINTER(bsp_query_make(&query));
}

static Const *const_of(struct bsp_query_datum *datum, Oid type)
{
	return makeConst(type, -1, InvalidOid, -1, PointerGetDatum(datum), false, false);
}

/* The function `name` in the schema of `function`, with arguments of these types. */
static Oid function_beside(Oid function, const char *name, Oid first, Oid second)
{
	Oid types[] = {first, second};
	return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
	                       PointerGetDatum(buildoidvector(types, 2)),
	                       ObjectIdGetDatum(get_func_namespace(function)));
}

static bool is_bind_call(Node *node)
{
	if (!IsA(node, FuncExpr))
		return false;
	const char *name = get_func_name(((FuncExpr *)node)->funcid);
	return name && strcmp(name, "bitsift_bind") == 0 &&
	       list_length(((FuncExpr *)node)->args) == 2;
}

/* Binds a query that is a constant, or unbinds it for a foreign table. Returns NULL if it does not
 * change. */
static Node *bind_const(Const *constant, const struct binding *binding, const struct bsp_query *to)
{
	struct bsp_query query, before;
	if (constant->constisnull)
		return NULL;
	bsp_query_read(BSP_QUERY_OF(constant->constvalue), &before);
	query = before;
	if (binding->is_foreign && (query.flags & BSP_QUERY_BOUND)) {
		/* The query was bound to a local index; the foreign server binds it anew. */
		struct bsp_analysis none = {.stemmer = ""};
		if (!(query.flags & BSP_QUERY_STATED))
			bsp_query_set_analysis(&query, &none);
		query.flags &= ~BSP_QUERY_BOUND;
		query.index = InvalidOid;
	} else if (!binding->is_foreign && to && !(query.flags & BSP_QUERY_BOUND)) {
		bind(&query, to);
	}
	if (query.flags == before.flags && query.index == before.index &&
	    query.stemmer_bytes == before.stemmer_bytes)
		return NULL;
	return (Node *)const_of(bsp_query_make(&query), constant->consttype);
}

/* Returns the query argument of a call of `function`, bound to the index and the analysis of `to`;
 * an argument that is not a constant is wrapped in a call of bitsift_bind. If the column is of a
 * foreign table, returns the argument unbound. Returns NULL if the argument does not change. If
 * `to` is NULL, nothing needs to be bound. */
static Node *bind_argument(Oid function, Node *argument, const struct binding *binding,
                           const struct bsp_query *to)
{
	Oid type = exprType(argument);
	if (IsA(argument, Const))
		return bind_const((Const *)argument, binding, to);
	if (is_bind_call(argument))
		return binding->is_foreign ? (Node *)linitial(((FuncExpr *)argument)->args) : NULL;
	Oid bind_function = to ? function_beside(function, "bitsift_bind", type, type) : InvalidOid;
	if (!OidIsValid(bind_function) || binding->is_foreign)
		return NULL;
	Const *second = const_of(bsp_query_make(to), type);
	return (Node *)makeFuncExpr(bind_function, type, list_make2(argument, second), InvalidOid,
	                            InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Rebuilds the call with bound arguments. If operator_name is given (`@@@` or `<@>`), returns an
 * expression with this operator, because indexes answer only operators; NULL: it does not exist. */
static Node *call_again(FuncExpr *call, const char *operator_name, List *arguments)
{
	Oid left = exprType(linitial(arguments)), right = exprType(lsecond(arguments)),
	    op = InvalidOid;
	if (operator_name)
		op = GetSysCacheOid4(OPERNAMENSP, Anum_pg_operator_oid,
		                     CStringGetDatum(operator_name), ObjectIdGetDatum(left),
		                     ObjectIdGetDatum(right),
		                     ObjectIdGetDatum(get_func_namespace(call->funcid)));
	if (OidIsValid(op)) {
		OpExpr *made = (OpExpr *)make_opclause(op, call->funcresulttype, false,
		                                       linitial(arguments), lsecond(arguments),
		                                       InvalidOid, call->inputcollid);
		made->opfuncid = call->funcid;
		return (Node *)made;
	}
	if (operator_name)
		return NULL;
	FuncExpr *made = makeNode(FuncExpr);
	*made = *call;
	made->args = arguments;
	return (Node *)made;
}

static Node *simplify(SupportRequestSimplify *request)
{
	FuncExpr *call = request->fcall;
	struct bsp_query to = {.flags = BSP_QUERY_BOUND};
	if (list_length(call->args) < 2)
		return NULL;
	const char *name = get_func_name(call->funcid);
	bool is_match = strcmp(name, "bitsift_match") == 0,
	     is_distance = strcmp(name, "bitsift_distance") == 0;
	bool ranks = is_distance || strcmp(name, "bitsift_score") == 0;
	struct binding binding = binding_of(request->root, linitial(call->args));
	bool has_index = OidIsValid(binding.index);
	if (has_index) {
		bsp_query_set_analysis(&to, &binding.analysis);
		to.index = ranks ? binding.index : InvalidOid;
	}
	/* Binding changes nothing if the index uses the plain analysis and the query does not rank,
	 * unless a partition may have an index of its own. */
	bool is_needed = has_index && (ranks || binding.has_parts || !is_plain(&binding.analysis));
	Node *bound =
		bind_argument(call->funcid, lsecond(call->args), &binding, is_needed ? &to : NULL);
	if (!bound)
		return NULL;
	List *arguments = list_copy(call->args);
	lsecond(arguments) = bound;
	return call_again(call, is_match ? "@@@" : is_distance ? "<@>" : NULL, arguments);
}

PGDLLEXPORT Datum bitsift_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *)PG_GETARG_POINTER(0), *made = NULL;
	if (IsA(request, SupportRequestSimplify))
		made = simplify((SupportRequestSimplify *)request);
	PG_RETURN_POINTER(made);
}
