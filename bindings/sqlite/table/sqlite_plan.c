/* sqlite_plan.c: see sqlite_plan.h. */
#include "bindings/sqlite/table/sqlite_plan.h"

#include <stdbool.h>

SQLITE_EXTENSION_INIT3

struct planning {
	sqlite3_index_info *info;
	sqlite3_str *arguments;
	int n_arguments, n_columns;
	int n_taken; /* the number of constraints passed to xFilter, without LIMIT and OFFSET */
	/* has_id: a constraint on the rowid is passed. has_rank: the statement gives weights for
	 * the column rank. is_impossible: a MATCH is not usable in this plan. */
	bool has_match, has_id, has_rank, is_impossible;
};

/* Passes the value of a constraint to xFilter. is_sure: SQLite need not check it again. */
static void take(struct planning *planning, int constraint, char letter, bool is_sure)
{
	sqlite3_str_appendchar(planning->arguments, 1, letter);
	planning->info->aConstraintUsage[constraint].argvIndex = ++planning->n_arguments;
	planning->info->aConstraintUsage[constraint].omit = is_sure;
}

static char id_letter(unsigned char op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		return ARG_EQUAL;
	case SQLITE_INDEX_CONSTRAINT_GT:
		return ARG_ABOVE;
	case SQLITE_INDEX_CONSTRAINT_GE:
		return ARG_FROM;
	case SQLITE_INDEX_CONSTRAINT_LT:
		return ARG_BELOW;
	case SQLITE_INDEX_CONSTRAINT_LE:
		return ARG_TO;
	default:
		return 0;
	}
}

static void plan_constraint(struct planning *planning, int i)
{
	int column = planning->info->aConstraint[i].iColumn;
	unsigned char op = planning->info->aConstraint[i].op;
	bool is_usable = planning->info->aConstraint[i].usable;
	bool is_match = (op == SQLITE_INDEX_CONSTRAINT_MATCH && column >= 0) ||
	                (op == SQLITE_INDEX_CONSTRAINT_EQ && column >= planning->n_columns);
	if (is_match && !is_usable) {
		planning->is_impossible = true;
	} else if (is_match && column > planning->n_columns) {
		take(planning, i, ARG_RANK, true);
		planning->has_rank = true;
		planning->n_taken++;
	} else if (is_match) {
		take(planning, i, column == planning->n_columns ? ARG_MATCH : ARG_COLUMN, true);
		if (column < planning->n_columns)
			sqlite3_str_appendf(planning->arguments, "%d", column);
		planning->has_match = true;
		planning->n_taken++;
	} else if (column < 0 && is_usable && id_letter(op)) {
		take(planning, i, id_letter(op), false);
		planning->info->estimatedRows =
			op == SQLITE_INDEX_CONSTRAINT_EQ ? 1 : planning->info->estimatedRows / 4;
		if (op == SQLITE_INDEX_CONSTRAINT_EQ)
			planning->info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
		planning->has_id = true;
		planning->n_taken++;
	}
}

#ifdef SQLITE_INDEX_CONSTRAINT_LIMIT
static bool is_limit(const sqlite3_index_info *info, int i)
{
	return info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_LIMIT ||
	       info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_OFFSET;
}

/* The LIMIT applies to our hits only if SQLite evaluates no other constraints and the hits are in
 * the requested order. */
static void plan_limit(struct planning *planning)
{
	sqlite3_index_info *info = planning->info;
	int n_others = 0;
	for (int i = 0; i < info->nConstraint; i++)
		n_others += !is_limit(info, i);
	if (!planning->has_match || planning->has_id || n_others > planning->n_taken ||
	    (info->nOrderBy > 0 && !info->orderByConsumed))
		return;
	for (int i = 0; i < info->nConstraint; i++)
		if (is_limit(info, i) && info->aConstraint[i].usable)
			take(planning, i,
			     info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_LIMIT ? ARG_LIMIT
			                                                              : ARG_OFFSET,
			     false);
}
#else
static bool is_limit(const sqlite3_index_info *info, int i)
{
	(void)info, (void)i;
	return false;
}
static void plan_limit(struct planning *planning)
{
	(void)planning;
}
#endif

static void plan_order(struct planning *planning)
{
	sqlite3_index_info *info = planning->info;
	if (info->nOrderBy != 1)
		return;
	int column = info->aOrderBy[0].iColumn;
	bool is_rank = column == planning->n_columns + 1 && planning->has_match;
	/* With weights in the statement, SQLite sorts the hits. */
	if ((!is_rank && column >= 0) || (is_rank && planning->has_rank))
		return;
	info->orderByConsumed = 1;
	info->idxNum |=
		(is_rank ? PLAN_BY_RANK : PLAN_BY_ID) | (info->aOrderBy[0].desc ? PLAN_DOWN : 0);
}

int bsql_plan(sqlite3 *db, int n_columns, sqlite3_index_info *info)
{
	struct planning planning = {
		.info = info, .arguments = sqlite3_str_new(db), .n_columns = n_columns};
	info->idxNum = 0;
	info->estimatedRows = 1000000;
	for (int i = 0; i < info->nConstraint; i++)
		if (!is_limit(info, i))
			plan_constraint(&planning, i);
	if (planning.has_match)
		info->idxNum |= PLAN_MATCH;
	if (planning.has_match && info->estimatedRows > 1000)
		info->estimatedRows = 1000;
	plan_order(&planning);
	plan_limit(&planning);
	int rank = n_columns + 1 > 63 ? 63 : n_columns + 1;
	if (info->colUsed >> rank & 1 && !(info->idxNum & PLAN_BY_RANK) && !planning.has_rank)
		info->idxNum |= PLAN_SCORES;
	/* If no column is used except the hidden one that is named like the table, counting the
	 * hits suffices at first. MATCH and the auxiliary functions use the hidden column; if an
	 * auxiliary function needs the rows, the cursor finds them then. */
	if ((info->colUsed & ~(n_columns < 63 ? (sqlite3_uint64)1 << n_columns : 0)) == 0)
		info->idxNum |= PLAN_COUNT;
	info->estimatedCost = (double)info->estimatedRows * (planning.has_match ? 1 : 3) + 10;
	int code = sqlite3_str_errcode(planning.arguments);
	info->idxStr = sqlite3_str_finish(planning.arguments);
	info->needToFreeIdxStr = 1;
	if (code)
		return code;
	return planning.is_impossible ? SQLITE_CONSTRAINT : SQLITE_OK;
}
