/*
 * sqlite_rowid.h: a rowid as the id of a document: decimal, as SQLite writes it.
 */
#ifndef BINDINGS_SQLITE_BASE_SQLITE_ROWID_H
#define BINDINGS_SQLITE_BASE_SQLITE_ROWID_H

#include <stdbool.h>
#include <stddef.h>

#include <sqlite3ext.h>

#define BSQL_ID_BYTES 20

/* How many bytes it has. */
size_t bsql_id_write(sqlite3_int64 id, char text[BSQL_ID_BYTES]);
/* False: it is none. */
bool bsql_id_read(const char *text, size_t text_bytes, sqlite3_int64 *id_out);

#endif
