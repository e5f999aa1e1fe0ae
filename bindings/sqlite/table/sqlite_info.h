/* sqlite_info.h: bitsift_info('t'), a table-valued function with one row about the index of a
 * table. */
#ifndef BINDINGS_SQLITE_TABLE_SQLITE_INFO_H
#define BINDINGS_SQLITE_TABLE_SQLITE_INFO_H

#include "bindings/sqlite/index/sqlite_index.h"

/* `registry` is that of the connection's tables and must live as long as the module. */
int bsql_info_register(sqlite3 *db, struct bsql_registry *registry);

#endif
