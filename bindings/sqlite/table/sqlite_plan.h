/*
 * sqlite_plan.h: what a plan for a SELECT tells the cursor that carries it out, by idxNum and
 * idxStr.
 */
#ifndef BINDINGS_SQLITE_TABLE_SQLITE_PLAN_H
#define BINDINGS_SQLITE_TABLE_SQLITE_PLAN_H

#include <sqlite3ext.h>

/* idxNum */
#define PLAN_MATCH   1
#define PLAN_BY_RANK 2
#define PLAN_BY_ID   4
#define PLAN_DOWN    8
#define PLAN_COUNT   16 /* no column is wanted */
#define PLAN_SCORES  32 /* rank is */

/* idxStr: a letter for each argument. */
#define ARG_MATCH  'm'
#define ARG_COLUMN 'c' /* and its number: MATCH in that column */
#define ARG_EQUAL  '='
#define ARG_ABOVE  '>'
#define ARG_FROM   ']'
#define ARG_BELOW  '<'
#define ARG_TO     '['
#define ARG_LIMIT  'l'
#define ARG_OFFSET 'o'
#define ARG_RANK   'r' /* how rank is counted: 'bm25(2, 1)' */

/* Plans a SELECT from a table of n_columns columns, its hidden ones apart, as xBestIndex does: sets
 * idxNum, idxStr, the costs and which constraints are taken. SQLITE_CONSTRAINT: not in this way. */
int bsql_plan(sqlite3 *db, int n_columns, sqlite3_index_info *info);

#endif
