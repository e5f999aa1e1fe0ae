/*
 * sqlite_shadow.h: the shadow tables of a virtual table t, and the statements on them:
 *
 *     t_content(id, c0, c1, ...)       the rows, unless the table has content='...'
 *     t_pending(id, there)             rows whose data in the files is outdated; `there` is 1 if
 *                                      the row exists, 0 if it was deleted
 *     t_files(name, part, sum, data)   the files of the index, in parts; `sum` is the checksum of
 *                                      the whole file, in its first part, otherwise NULL
 *     t_config(k, v)                   'version', and 'state': a number that changes with every
 *                                      transaction that changes one of these tables
 *
 * This module does not interpret the files. Its functions return codes of SQLite; the message of a
 * failure is in shadow->err.
 */
#ifndef BINDINGS_SQLITE_INDEX_SQLITE_SHADOW_H
#define BINDINGS_SQLITE_INDEX_SQLITE_SHADOW_H

#include <stddef.h>
#include <stdint.h>

#include <sqlite3ext.h>

#include "bindings/sqlite/index/sqlite_declaration.h"
#include "core/bitsift/status.h"

struct bs_text;

/* The comments give: parameters -> columns of the result. The statements BSQL_PENDING... are on
 * t_pending, BSQL_STATE... on the value `state` of t_config, BSQL_FILE... on t_files, the others
 * except BSQL_NOTHING on the rows of the table. */
enum bsql_statement {
	BSQL_ROW,                /* id -> id and columns */
	BSQL_ROWS,               /* least id, greatest id -> id and columns, ascending by id */
	BSQL_ROWS_DOWN,          /* parameters and columns of BSQL_ROWS, descending by id */
	BSQL_IDS,                /* -> all ids, ascending */
	BSQL_TEXTS,              /* id -> id and columns; used only by bsql_shadow_texts */
	BSQL_ROW_INSERT,         /* id, columns */
	BSQL_ROW_REPLACE,        /* id, columns */
	BSQL_ROW_UPDATE,         /* the new id, columns, the old id */
	BSQL_ROW_UPDATE_REPLACE, /* as BSQL_ROW_UPDATE; replaces a row that has the new id */
	BSQL_ROW_DELETE,         /* id */
	BSQL_ROWS_DELETE,        /* deletes all rows */
	BSQL_PENDING,            /* -> id, there */
	BSQL_PENDING_PUT,        /* id, there */
	BSQL_PENDING_COUNT,      /* -> the number of rows */
	BSQL_PENDING_CLEAR,
	BSQL_STATE,        /* -> the value */
	BSQL_STATE_PUT,    /* the value */
	BSQL_FILES,        /* -> name, sum */
	BSQL_FILE,         /* name -> part, data */
	BSQL_FILE_PUT,     /* name, part, sum, data */
	BSQL_FILE_DELETE,  /* name */
	BSQL_FILES_DELETE, /* deletes all files */
	BSQL_NOTHING,      /* stepped only to ask SQLite whether it is interrupted */
	BSQL_STATEMENTS,   /* the number of statements */
};

struct bsql_shadow {
	sqlite3 *db;
	const struct bsql_declaration *declaration;
	/* The cached statements. NULL: not prepared yet, or taken by a cursor. */
	sqlite3_stmt *statements[BSQL_STATEMENTS];
	struct bs_text *texts; /* buffer for the indexed texts of a row */
	/* `content` is a virtual table or a view of one, perhaps of this table; therefore no
	 * statement on it may stay open. */
	bool has_virtual_content;
	/* The number of statements of this shadow that are being stepped now. While one is, the
	 * virtual table must not be read or written. */
	unsigned n_steps;
	struct bs_error err;
};

int bsql_shadow_init(struct bsql_shadow *shadow, sqlite3 *db,
                     const struct bsql_declaration *declaration);
void bsql_shadow_deinit(struct bsql_shadow *shadow);

/* Create, drop and rename the shadow tables of t. */
int bsql_shadow_create(struct bsql_shadow *shadow);
int bsql_shadow_drop(struct bsql_shadow *shadow);
int bsql_shadow_rename(struct bsql_shadow *shadow, const char *table);
/* True if `name`, the part of a table's name after "t_", is that of a shadow table. */
int bsql_shadow_is_name(const char *name);

/* bsql_shadow_statement returns a cached statement, borrowed, reset and without values.
 * bsql_shadow_new_statement returns a new one, to be finalized by the caller. */
int bsql_shadow_statement(struct bsql_shadow *shadow, enum bsql_statement which,
                          sqlite3_stmt **statement_out);
int bsql_shadow_new_statement(struct bsql_shadow *shadow, enum bsql_statement which,
                              sqlite3_stmt **statement_out);
/* True after sqlite3_interrupt. Only for the thread that uses the connection. */
bool bsql_shadow_is_interrupted(struct bsql_shadow *shadow);
/* Called when an operation has ended. Resets BSQL_TEXTS, because an unfinished read blocks writers.
 * If has_virtual_content, also finalizes the cached statements on the content. */
void bsql_shadow_end(struct bsql_shadow *shadow);
/* Steps a statement. Returns SQLITE_ROW or SQLITE_DONE, or an error code, after which the statement
 * is reset. Steps are nested if the content of a table is a table of this module; nesting that is
 * too deep is an error. To enforce this, all statements but BSQL_NOTHING are stepped here. */
int bsql_shadow_step(struct bsql_shadow *shadow, sqlite3_stmt *statement);
/* Runs a statement that returns no rows: steps it once and resets it. */
int bsql_shadow_run(struct bsql_shadow *shadow, sqlite3_stmt *statement);
/* Sets the message to SQLite's current one and returns `code`. */
int bsql_shadow_fail(struct bsql_shadow *shadow, int code);

/* Returns the indexed texts of the row; NULL values are empty texts. They are valid until the next
 * call, bsql_shadow_end or another reset of BSQL_TEXTS. SQLITE_DONE if the row does not exist. */
int bsql_shadow_texts(struct bsql_shadow *shadow, sqlite3_int64 id,
                      const struct bs_text **texts_out, size_t *n_texts_out);

/* Returns the first column of the first row; *value_out is unchanged if there is none. */
int bsql_shadow_number(struct bsql_shadow *shadow, enum bsql_statement which,
                       sqlite3_int64 *value_out);
int bsql_shadow_put_state(struct bsql_shadow *shadow, sqlite3_int64 state);
int bsql_shadow_put_pending(struct bsql_shadow *shadow, sqlite3_int64 id, int there);

/* Reads a file of t_files. *bytes_out is freed with free(). Returns SQLITE_CORRUPT_VTAB if its
 * checksum differs from `sum`. */
int bsql_shadow_load_file(struct bsql_shadow *shadow, const char *name, uint64_t sum,
                          void **bytes_out, size_t *n_bytes_out);
/* Stores a file in t_files, in place of an older one of the same name. */
int bsql_shadow_save_file(struct bsql_shadow *shadow, const char *name, uint64_t sum,
                          const void *bytes, size_t n_bytes);
int bsql_shadow_delete_file(struct bsql_shadow *shadow, const char *name);
uint64_t bsql_checksum(const void *bytes, size_t n_bytes);

#endif
