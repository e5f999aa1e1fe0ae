/*
 * sqlite_cursor.h: cursors over a virtual table.
 */
#ifndef BINDINGS_SQLITE_TABLE_SQLITE_CURSOR_H
#define BINDINGS_SQLITE_TABLE_SQLITE_CURSOR_H

#include "bindings/sqlite/index/sqlite_index.h"

struct bs_query_place;
struct bs_text;

struct bsql_table {
	sqlite3_vtab base; /* the part that SQLite knows */
	sqlite3 *db;
	struct bsql_registry *registry;
	struct bsql_index *index;
};

struct bsql_cursor;

/* The cursor functions of the module. */
int bsql_cursor_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor_out);
int bsql_cursor_close(sqlite3_vtab_cursor *cursor);
int bsql_cursor_filter(sqlite3_vtab_cursor *cursor, int plan, const char *arguments, int argc,
                       sqlite3_value **argv);
int bsql_cursor_next(sqlite3_vtab_cursor *cursor);
int bsql_cursor_is_at_end(sqlite3_vtab_cursor *cursor);
int bsql_cursor_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column);
int bsql_cursor_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid_out);

/* Completes the postponed lookups of all cursors over the table; called before the table is
 * changed. */
int bsql_cursors_complete(struct bsql_table *table);

/* Returns the cursor whose pointer is the value of the hidden column that is named like the table.
 * NULL if it is not an open cursor at a row. */
struct bsql_cursor *bsql_cursor_of(struct bsql_registry *registry, sqlite3_value *value);
/* The BM25 score of the current row; 0 without MATCH. */
int bsql_cursor_score(struct bsql_cursor *cursor, double *score_out);
/* The score with other weights (sqlite_weighted.h). */
int bsql_cursor_score_by(struct bsql_cursor *cursor, const unsigned char *weights,
                         double *score_out);
/* Returns the places of the words of MATCH's query in the indexed texts of the current row.
 * Borrowed until the cursor moves. */
int bsql_cursor_places(struct bsql_cursor *cursor, const struct bs_query_place **places_out,
                       size_t *n_out);
/* The indexed texts of the current row, valid after bsql_cursor_places. */
const struct bs_text *bsql_cursor_texts(const struct bsql_cursor *cursor, size_t *n_out);
/* Returns the text of a column of the current row, borrowed until the cursor moves; text_out->text
 * is NULL if the value is NULL. *number_out is the column's number among the indexed columns, -1 if
 * it is not indexed. SQLITE_RANGE: no such column. */
int bsql_cursor_text(struct bsql_cursor *cursor, int column, struct bs_text *text_out,
                     int *number_out);
const struct bsql_declaration *bsql_cursor_declaration(const struct bsql_cursor *cursor);
const char *bsql_cursor_error(const struct bsql_cursor *cursor);

#endif
