/* sqlite_functions.h: the auxiliary functions of FTS5: highlight(t, column, open, close),
 * snippet(t, column, open, close, ellipsis, words), bm25(t) and bm25(t, weight, ...). */
#ifndef BINDINGS_SQLITE_TABLE_SQLITE_FUNCTIONS_H
#define BINDINGS_SQLITE_TABLE_SQLITE_FUNCTIONS_H

#include "bindings/sqlite/table/sqlite_cursor.h"

/* Registers the names, so that SQLite accepts statements that use them before it calls
 * xFindFunction. */
int bsql_functions_register(sqlite3 *db);
/* The module's xFindFunction. */
int bsql_find_function(sqlite3_vtab *vtab, int n_arguments, const char *name,
                       void (**function_out)(sqlite3_context *, int, sqlite3_value **),
                       void **argument_out);

#endif
