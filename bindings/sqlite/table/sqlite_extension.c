/*
 * sqlite_extension.c: the entry points of bitsift_sqlite.so. SQLite derives the name
 * sqlite3_bitsiftsqlite_init from the file's name; sqlite3_extension_init is used if the file is
 * renamed.
 */
#include <sqlite3ext.h>

#include "bindings/sqlite/table/sqlite_functions.h"
#include "bindings/sqlite/table/sqlite_search.h"
#include "bindings/sqlite/table/sqlite_table.h"
#include "core/bitsift/api.h"

SQLITE_EXTENSION_INIT1

/* The oldest supported version. SQLITE_VTAB_DIRECTONLY and SQLITE_VTAB_INNOCUOUS require 3.31. */
#define LEAST_SQLITE 3034000

BS_API int sqlite3_bitsiftsqlite_init(sqlite3 *db, char **message_out,
                                      const sqlite3_api_routines *api);
BS_API int sqlite3_extension_init(sqlite3 *db, char **message_out, const sqlite3_api_routines *api);

int sqlite3_bitsiftsqlite_init(sqlite3 *db, char **message_out, const sqlite3_api_routines *api)
{
	SQLITE_EXTENSION_INIT2(api);
	if (sqlite3_libversion_number() < LEAST_SQLITE) {
		*message_out = sqlite3_mprintf("bitsift needs SQLite 3.34 or later");
		return SQLITE_ERROR;
	}
	int code = bsql_table_register(db);
	if (!code)
		code = bsql_functions_register(db);
	return code ? code : bsql_search_register(db);
}

int sqlite3_extension_init(sqlite3 *db, char **message_out, const sqlite3_api_routines *api)
{
	return sqlite3_bitsiftsqlite_init(db, message_out, api);
}
