/*
 * sqlite_shadow.h: the tables in which a virtual table t keeps all that it has, as statements:
 *
 *      t_content(id, c0, c1, ...)       the rows, unless the table has content='...'
 *      t_pending(id, there)             rows of which what the files say is void: there 1, the row
 *        is as content has it; 0, it is gone
 *      t_files(name, part, sum, data)   the files of the index, in parts; sum, of the first one, is
 *        the checksum of the whole
 *      t_config(k, v)                   'version', and 'state': another number whenever a
 *        transaction changed any of these
 *
 * It knows nothing of what the files mean. Functions return SQLite's codes; what went wrong is in
 * err.
 */
#ifndef BINDINGS_SQLITE_INDEX_SQLITE_SHADOW_H
#define BINDINGS_SQLITE_INDEX_SQLITE_SHADOW_H

#include <stddef.h>
#include <stdint.h>

#include <sqlite3ext.h>

#include "bindings/sqlite/index/sqlite_declaration.h"
#include "core/bitsift/status.h"

struct bs_text;

enum bsql_statement {
	BSQL_ROW,  /* id -> id and columns */
	BSQL_ROWS, /* least id, greatest id -> rows, ascending */
	BSQL_ROWS_DOWN,
	BSQL_IDS,   /* -> all ids, ascending */
	BSQL_TEXTS, /* id -> id and columns, for the index alone */
	BSQL_ROW_INSERT,
	BSQL_ROW_REPLACE,
	BSQL_ROW_UPDATE, /* id, columns, id before */
	BSQL_ROW_UPDATE_REPLACE,
	BSQL_ROW_DELETE,
	BSQL_ROWS_DELETE,
	BSQL_PENDING, /* -> id, there */
	BSQL_PENDING_PUT,
	BSQL_PENDING_COUNT,
	BSQL_PENDING_CLEAR,
	BSQL_STATE,
	BSQL_STATE_PUT,
	BSQL_FILES,       /* -> name, sum */
	BSQL_FILE,        /* name -> part, data */
	BSQL_FILE_PUT,    /* name, part, sum, data */
	BSQL_FILE_DELETE, /* name */
	BSQL_FILES_DELETE,
	BSQL_NOTHING, /* for what SQLite says when it is stepped */
	BSQL_STATEMENTS,
};

struct bsql_shadow {
	sqlite3 *db;
	const struct bsql_declaration *declaration;
	sqlite3_stmt *statements[BSQL_STATEMENTS];
	struct bs_text *texts;
	/* content is a virtual table, or a view of one, perhaps of this one: no statement may keep
	 * that busy */
	bool has_virtual_content;
	unsigned
		/* how many of these statements are being stepped now: they must not read or write
		 * this table */
		n_steps;
	struct bs_error err;
};

int bsql_shadow_init(struct bsql_shadow *shadow, sqlite3 *db,
                     const struct bsql_declaration *declaration);
void bsql_shadow_deinit(struct bsql_shadow *shadow);

/* Of t: makes them, drops them, calls them after another t. */
int bsql_shadow_create(struct bsql_shadow *shadow);
int bsql_shadow_drop(struct bsql_shadow *shadow);
int bsql_shadow_rename(struct bsql_shadow *shadow, const char *table);
/* Is the name behind t_ one of theirs? */
int bsql_shadow_is_name(const char *name);

/* The statement, borrowed, reset and without values. A new one, for sqlite3_finalize. */
int bsql_shadow_statement(struct bsql_shadow *shadow, enum bsql_statement which,
                          sqlite3_stmt **statement_out);
int bsql_shadow_new_statement(struct bsql_shadow *shadow, enum bsql_statement which,
                              sqlite3_stmt **statement_out);
/* Has sqlite3_interrupt been called? On the thread that uses the connection. */
bool bsql_shadow_is_interrupted(struct bsql_shadow *shadow);
/* When nothing is under way any more: a statement that was not stepped to its end keeps others from
 * writing. */
void bsql_shadow_end(struct bsql_shadow *shadow);
/* SQLITE_ROW or SQLITE_DONE; or an error, then the statement is reset. All statements above are
 * stepped by this function: it bounds how deep tables can read one another. */
int bsql_shadow_step(struct bsql_shadow *shadow, sqlite3_stmt *statement);
/* To its end, for those without rows; then it is reset. */
int bsql_shadow_run(struct bsql_shadow *shadow, sqlite3_stmt *statement);
/* The same with SQLite's own words for what it failed with. */
int bsql_shadow_fail(struct bsql_shadow *shadow, int code);

/* The texts of the row that are indexed, borrowed until the next call or until BSQL_TEXTS is reset:
 * NULL counts as empty. SQLITE_DONE: there is no such row. */
int bsql_shadow_texts(struct bsql_shadow *shadow, sqlite3_int64 id,
                      const struct bs_text **texts_out, size_t *n_texts_out);

/* *value_out stays as it is where there is none. */
int bsql_shadow_number(struct bsql_shadow *shadow, enum bsql_statement which,
                       sqlite3_int64 *value_out);
int bsql_shadow_put_state(struct bsql_shadow *shadow, sqlite3_int64 state);
int bsql_shadow_put_pending(struct bsql_shadow *shadow, sqlite3_int64 id, int there);

/* *bytes_out is for free(). SQLITE_CORRUPT_VTAB: its checksum is not sum. */
int bsql_shadow_load_file(struct bsql_shadow *shadow, const char *name, uint64_t sum,
                          void **bytes_out, size_t *n_bytes_out);
/* In the place of one of that name. */
int bsql_shadow_save_file(struct bsql_shadow *shadow, const char *name, uint64_t sum,
                          const void *bytes, size_t n_bytes);
int bsql_shadow_delete_file(struct bsql_shadow *shadow, const char *name);
uint64_t bsql_checksum(const void *bytes, size_t n_bytes);

#endif
