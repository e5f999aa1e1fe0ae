/*
 * sqlite_base.h: translates status codes and messages of the library for SQLite; grows arrays.
 */
#ifndef BINDINGS_SQLITE_BASE_SQLITE_BASE_H
#define BINDINGS_SQLITE_BASE_SQLITE_BASE_H

#include <stddef.h>

#include <sqlite3ext.h>

#include "core/bitsift/status.h"

int bsql_code_of(enum bs_status status);

/* Rewords a message of the library: advice to run the command `bitsift` becomes SQL to run. */
void bsql_reword(struct bs_error *err);

/* Makes room for one more element after the first n. `array` points to the pointer to the elements.
 * Returns SQLITE_OK or SQLITE_NOMEM. */
int bsql_grow(void *array, size_t n, size_t *capacity, size_t element_bytes);

#endif
