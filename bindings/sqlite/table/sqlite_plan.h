/*
 * sqlite_plan.h: query plans, which xBestIndex passes to xFilter in idxNum and idxStr.
 */
#ifndef BINDINGS_SQLITE_TABLE_SQLITE_PLAN_H
#define BINDINGS_SQLITE_TABLE_SQLITE_PLAN_H

#include <sqlite3ext.h>

/* Flags of idxNum. */
#define PLAN_MATCH   1
#define PLAN_BY_RANK 2
#define PLAN_BY_ID   4
#define PLAN_DOWN    8
#define PLAN_COUNT   16 /* no column is used */
#define PLAN_SCORES  32 /* the column rank is used */

/* Letters of idxStr, one for each argument of xFilter. */
#define ARG_MATCH  'm'
#define ARG_COLUMN 'c' /* followed by the number of a column: MATCH in that column */
#define ARG_EQUAL  '='
#define ARG_ABOVE  '>'
#define ARG_FROM   ']'
#define ARG_BELOW  '<'
#define ARG_TO     '['
#define ARG_LIMIT  'l'
#define ARG_OFFSET 'o'
#define ARG_RANK   'r' /* a rank function with weights, such as 'bm25(2, 1)' */

/* Implements xBestIndex for a table of n_columns columns, without the hidden ones.
 * SQLITE_CONSTRAINT: this combination of usable constraints is not possible. */
int bsql_plan(sqlite3 *db, int n_columns, sqlite3_index_info *info);

#endif
