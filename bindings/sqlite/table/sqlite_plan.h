/*
 * sqlite_plan.h: query plans, which xBestIndex passes to xFilter in idxNum and idxStr.
 */
#ifndef BINDINGS_SQLITE_TABLE_SQLITE_PLAN_H
#define BINDINGS_SQLITE_TABLE_SQLITE_PLAN_H

#include <sqlite3ext.h>

/* Flags of idxNum. */
#define PLAN_MATCH   1
#define PLAN_BY_RANK 2  /* the cursor returns rows ordered by rank */
#define PLAN_BY_ID   4  /* the cursor returns rows ordered by rowid */
#define PLAN_DOWN    8  /* the order by rank or rowid is descending */
#define PLAN_COUNT   16 /* no column is used, except the hidden one named like the table */
#define PLAN_SCORES  32 /* the column rank is used, with the table's weights */

/* Letters of idxStr, one for each argument of xFilter. */
#define ARG_MATCH  'm'
#define ARG_COLUMN 'c' /* followed by the number of a column: MATCH in that column */
#define ARG_EQUAL  '=' /* rowid = value */
#define ARG_ABOVE  '>' /* rowid > value */
#define ARG_FROM   ']' /* rowid >= value */
#define ARG_BELOW  '<' /* rowid < value */
#define ARG_TO     '[' /* rowid <= value */
#define ARG_LIMIT  'l'
#define ARG_OFFSET 'o'
#define ARG_RANK   'r' /* a rank function with weights, such as 'bm25(2, 1)' */

/* Implements xBestIndex for a table of n_columns columns, without the hidden ones. Returns
 * SQLITE_CONSTRAINT if a MATCH is not usable in the plan that SQLite proposes. */
int bsql_plan(sqlite3 *db, int n_columns, sqlite3_index_info *info);

#endif
