/*
 * sqlite_feeder.h: rows on their way to a writer, which has a thread of its own, so that their
 * words are found while SQLite writes its tables. Only rows that come with their texts go this way:
 * the other thread must not ask SQLite for any.
 */
#ifndef BINDINGS_SQLITE_INDEX_SQLITE_FEEDER_H
#define BINDINGS_SQLITE_INDEX_SQLITE_FEEDER_H

#include <sqlite3ext.h>

#include "core/bitsift/status.h"

struct bs_text;
struct bs_writer;

struct bsql_feeder;

/* fields: the names of the texts of each row, NULL-ended; they and the writer are borrowed until
 * bsql_feeder_end, and nobody else uses the writer. BS_NO_MEMORY. Without a thread the rows go to
 * the writer by the caller's. */
enum bs_status bsql_feeder_new(struct bs_writer *writer, const char *const *fields,
                               struct bsql_feeder **feeder_out,
                               struct bs_error *err) BS_WARN_UNUSED;
/* A row that is added, or replaces the one of that id; texts NULL: one that is deleted. What failed
 * of those before fails this. */
enum bs_status bsql_feeder_put(struct bsql_feeder *feeder, sqlite3_int64 id,
                               const struct bs_text *texts, struct bs_error *err) BS_WARN_UNUSED;
/* When the writer has all of them, or what one of them failed with. Frees it; NULL is fine. */
enum bs_status bsql_feeder_end(struct bsql_feeder *feeder, struct bs_error *err) BS_WARN_UNUSED;

#endif
