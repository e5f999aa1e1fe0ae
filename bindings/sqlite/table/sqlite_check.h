/* sqlite_check.h: 'integrity-check' of a virtual table. */
#ifndef BINDINGS_SQLITE_TABLE_SQLITE_CHECK_H
#define BINDINGS_SQLITE_TABLE_SQLITE_CHECK_H

#include "bindings/sqlite/index/sqlite_index.h"

/* Are the files what the format says, are the documents the rows, and are rows found by words of
 * theirs? SQLITE_CORRUPT_VTAB: no, and the index's error says what is wrong. */
int bsql_check(struct bsql_index *index);

#endif
