/*
 * sqlite_rowid.h: rowids as document ids: decimal, as SQLite prints them.
 */
#ifndef BINDINGS_SQLITE_BASE_SQLITE_ROWID_H
#define BINDINGS_SQLITE_BASE_SQLITE_ROWID_H

#include <stdbool.h>
#include <stddef.h>

#include <sqlite3ext.h>

#define BSQL_ID_BYTES 20

/* Writes a rowid and returns the number of bytes written; the text is not NUL-terminated. */
size_t bsql_id_write(sqlite3_int64 id, char text[BSQL_ID_BYTES]);
/* Reads a rowid. False if the text is not a decimal rowid. */
bool bsql_id_read(const char *text, size_t text_bytes, sqlite3_int64 *id_out);

#endif
