/*
 * sqlite_feeder.h: passes rows to a writer on a separate thread, which analyses them while SQLite
 * writes its tables. The caller must pass the texts of each row, because the thread must not use
 * the SQLite connection to read them.
 */
#ifndef BINDINGS_SQLITE_INDEX_SQLITE_FEEDER_H
#define BINDINGS_SQLITE_INDEX_SQLITE_FEEDER_H

#include <sqlite3ext.h>

#include "core/bitsift/status.h"

struct bs_text;
struct bs_writer;

struct bsql_feeder;

/* `fields`: the names of the texts of each row, NULL-terminated. `fields` and the writer are
 * borrowed until bsql_feeder_end; meanwhile nobody else may use the writer. If the thread cannot be
 * started, the rows are written on the caller's thread. Fails with BS_NO_MEMORY. */
enum bs_status bsql_feeder_new(struct bs_writer *writer, const char *const *fields,
                               struct bsql_feeder **feeder_out,
                               struct bs_error *err) BS_WARN_UNUSED;
/* Adds or replaces the row; texts NULL: deletes it. Texts are copied. Also returns the failure of
 * an earlier row. */
enum bs_status bsql_feeder_put(struct bsql_feeder *feeder, sqlite3_int64 id,
                               const struct bs_text *texts, struct bs_error *err) BS_WARN_UNUSED;
/* Waits until all rows are written and frees the feeder, which may be NULL. Returns the failure of
 * the first row that failed. */
enum bs_status bsql_feeder_end(struct bsql_feeder *feeder, struct bs_error *err) BS_WARN_UNUSED;

#endif
