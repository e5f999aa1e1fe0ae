/*
 * sqlite_base.h: what several files need: SQLite's codes for what the library failed with, and
 * arrays that grow.
 */
#ifndef BINDINGS_SQLITE_BASE_SQLITE_BASE_H
#define BINDINGS_SQLITE_BASE_SQLITE_BASE_H

#include <stddef.h>

#include <sqlite3ext.h>

#include "core/bitsift/status.h"

int bsql_code_of(enum bs_status status);

/* A message of the library, with SQLite's remedies. */
void bsql_reword(struct bs_error *err);

/* Makes room for one more behind n elements; array: where the pointer to them is. SQLITE_NOMEM. */
int bsql_grow(void *array, size_t n, size_t *capacity, size_t element_bytes);

#endif
