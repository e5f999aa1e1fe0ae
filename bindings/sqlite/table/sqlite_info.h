/* sqlite_info.h: bitsift_info('t'), a table-valued function: what the index of a table is made of,
 * in one row. */
#ifndef BINDINGS_SQLITE_TABLE_SQLITE_INFO_H
#define BINDINGS_SQLITE_TABLE_SQLITE_INFO_H

#include "bindings/sqlite/index/sqlite_index.h"

/* registry: that of the connection's tables. It must live as long as they do. */
int bsql_info_register(sqlite3 *db, struct bsql_registry *registry);

#endif
