/* sqlite_check.h: the command 'integrity-check'. */
#ifndef BINDINGS_SQLITE_TABLE_SQLITE_CHECK_H
#define BINDINGS_SQLITE_TABLE_SQLITE_CHECK_H

#include "bindings/sqlite/index/sqlite_index.h"

/* Checks the files against the format, the documents against the rows, and that rows are found by
 * their words. On a difference returns SQLITE_CORRUPT_VTAB; the index's error has the message. */
int bsql_check(struct bsql_index *index);

#endif
