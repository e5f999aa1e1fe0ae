/* sqlite_search.h: bitsift_search('DIR', 'query'), a table-valued function that searches the index
 * in a directory. */
#ifndef BINDINGS_SQLITE_TABLE_SQLITE_SEARCH_H
#define BINDINGS_SQLITE_TABLE_SQLITE_SEARCH_H

#include <sqlite3ext.h>

int bsql_search_register(sqlite3 *db);

#endif
