/* sqlite_functions.h: what FTS5 calls auxiliary functions: highlight(t, column, open, close),
 * snippet(t, column, open, close, ellipsis, words), bm25(t). */
#ifndef BINDINGS_SQLITE_TABLE_SQLITE_FUNCTIONS_H
#define BINDINGS_SQLITE_TABLE_SQLITE_FUNCTIONS_H

#include "bindings/sqlite/table/sqlite_cursor.h"

/* Makes their names known, so that a statement with them is not refused before their table is
 * looked at. */
int bsql_functions_register(sqlite3 *db);
/* The module's xFindFunction. */
int bsql_find_function(sqlite3_vtab *vtab, int n_arguments, const char *name,
                       void (**function_out)(sqlite3_context *, int, sqlite3_value **),
                       void **argument_out);

#endif
