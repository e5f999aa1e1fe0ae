/* sqlite_check.h: the command 'integrity-check'. */
#ifndef BINDINGS_SQLITE_TABLE_SQLITE_CHECK_H
#define BINDINGS_SQLITE_TABLE_SQLITE_CHECK_H

#include "bindings/sqlite/index/sqlite_index.h"

/* Checks that the files have the index format, that the index has exactly the rows of the content,
 * and that a sample of rows is found by their words. Otherwise returns SQLITE_CORRUPT_VTAB;
 * bsql_index_error has the message. */
int bsql_check(struct bsql_index *index);

#endif
