/* sqlite_table.h: the module bitsift, for CREATE VIRTUAL TABLE t USING bitsift(...). */
#ifndef BINDINGS_SQLITE_TABLE_SQLITE_TABLE_H
#define BINDINGS_SQLITE_TABLE_SQLITE_TABLE_H

#include <sqlite3ext.h>

int bsql_table_register(sqlite3 *db);

#endif
