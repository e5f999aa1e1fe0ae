/* sqlite_shadow.c: see sqlite_shadow.h. */
#include "bindings/sqlite/index/sqlite_shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bitsift/host.h"
#include <xxhash.h>

SQLITE_EXTENSION_INIT3

/* The size of a part of a file, below every usual limit of SQLite for blobs. */
#define PART_BYTES ((size_t)1 << 20)

/*
 * The limit for nested steps of a thread. A step of a shadow's statement runs inside another if the
 * content of a table is itself a table of this module, or a view of one. Each level takes some
 * 4 KiB of stack, so all 32 fit into 128 KiB.
 */
#define MOST_DEPTH 32u
static _Thread_local unsigned depth;

/* Format strings that take the schema and the name of the table. sql_of builds the statements that
 * are missing here. */
static const char *const SQL[BSQL_STATEMENTS] = {
	[BSQL_PENDING] = "SELECT id, there FROM \"%w\".\"%w_pending\" ORDER BY id",
	[BSQL_PENDING_PUT] = "REPLACE INTO \"%w\".\"%w_pending\"(id, there) VALUES(?1, ?2)",
	[BSQL_PENDING_COUNT] = "SELECT count(*) FROM \"%w\".\"%w_pending\"",
	[BSQL_PENDING_CLEAR] = "DELETE FROM \"%w\".\"%w_pending\"",
	[BSQL_STATE] = "SELECT v FROM \"%w\".\"%w_config\" WHERE k = 'state'",
	[BSQL_STATE_PUT] = "REPLACE INTO \"%w\".\"%w_config\"(k, v) VALUES('state', ?1)",
	[BSQL_FILES] = "SELECT name, sum FROM \"%w\".\"%w_files\" WHERE part = 0 ORDER BY name",
	[BSQL_FILE] = "SELECT part, data FROM \"%w\".\"%w_files\" WHERE name = ?1 ORDER BY part",
	[BSQL_FILE_PUT] =
		"INSERT INTO \"%w\".\"%w_files\"(name, part, sum, data) VALUES(?1, ?2, ?3, ?4)",
	[BSQL_FILE_DELETE] = "DELETE FROM \"%w\".\"%w_files\" WHERE name = ?1",
	[BSQL_FILES_DELETE] = "DELETE FROM \"%w\".\"%w_files\"",
	[BSQL_NOTHING] = "SELECT 1",
	[BSQL_ROW_DELETE] = "DELETE FROM \"%w\".\"%w_content\" WHERE id = ?1",
	[BSQL_ROWS_DELETE] = "DELETE FROM \"%w\".\"%w_content\"",
};

static const char *const NAMES[] = {"content", "pending", "files", "config"};
#define N_NAMES (sizeof(NAMES) / sizeof(*NAMES))

int bsql_shadow_is_name(const char *name)
{
	for (size_t i = 0; i < N_NAMES; i++)
		if (sqlite3_stricmp(name, NAMES[i]) == 0)
			return 1;
	return 0;
}

int bsql_shadow_init(struct bsql_shadow *shadow, sqlite3 *db,
                     const struct bsql_declaration *declaration)
{
	*shadow = (struct bsql_shadow){.db = db, .declaration = declaration};
	shadow->texts = calloc((size_t)declaration->n_columns + 1, sizeof(*shadow->texts));
	return shadow->texts ? SQLITE_OK : SQLITE_NOMEM;
}

/* Finalizes the cached statements. Called before the tables that they name are renamed or
 * dropped. */
static void finalize(struct bsql_shadow *shadow)
{
	for (size_t i = 0; i < BSQL_STATEMENTS; i++) {
		sqlite3_finalize(shadow->statements[i]);
		shadow->statements[i] = NULL;
	}
}

void bsql_shadow_deinit(struct bsql_shadow *shadow)
{
	finalize(shadow);
	free(shadow->texts);
	shadow->texts = NULL;
}

int bsql_shadow_fail(struct bsql_shadow *shadow, int code)
{
	(void)bs_fail(&shadow->err, BS_OK, "%s",
	              code == SQLITE_NOMEM ? "out of memory" : sqlite3_errmsg(shadow->db));
	return code;
}

/* Counts a nested step. Each successful call is paired with go_up. */
static int go_down(struct bsql_shadow *shadow)
{
	if (depth == MOST_DEPTH) {
		(void)bs_fail(&shadow->err, BS_OK,
		              "%s: tables read or write one another more than %u deep",
		              shadow->declaration->table, MOST_DEPTH);
		return SQLITE_ERROR;
	}
	depth++;
	shadow->n_steps++;
	return SQLITE_OK;
}

static void go_up(struct bsql_shadow *shadow)
{
	depth--;
	shadow->n_steps--;
}

static int execute(struct bsql_shadow *shadow, char *sql)
{
	int code = go_down(shadow);
	if (!code) {
		code = sql ? sqlite3_exec(shadow->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
		code = code ? bsql_shadow_fail(shadow, code) : SQLITE_OK;
		go_up(shadow);
	}
	sqlite3_free(sql);
	return code;
}

int bsql_shadow_step(struct bsql_shadow *shadow, sqlite3_stmt *statement)
{
	int code = go_down(shadow);
	if (code) {
		sqlite3_reset(statement);
		return code;
	}
	code = sqlite3_step(statement);
	go_up(shadow);
	if (code == SQLITE_ROW || code == SQLITE_DONE)
		return code;
	code = sqlite3_reset(statement);
	return bsql_shadow_fail(shadow, code ? code : SQLITE_ERROR);
}

int bsql_shadow_create(struct bsql_shadow *shadow)
{
	const struct bsql_declaration *of = shadow->declaration;
	sqlite3_str *sql = sqlite3_str_new(shadow->db);
	if (!of->content) {
		sqlite3_str_appendf(sql,
		                    "CREATE TABLE \"%w\".\"%w_content\"(id INTEGER PRIMARY KEY",
		                    of->schema, of->table);
		for (int i = 0; i < of->n_columns; i++)
			sqlite3_str_appendf(sql, ", c%d", i);
		sqlite3_str_appendall(sql, ");");
	}
	sqlite3_str_appendf(
		sql,
		"CREATE TABLE \"%w\".\"%w_pending\"(id INTEGER PRIMARY KEY, there);"
		"CREATE TABLE \"%w\".\"%w_files\"(name TEXT, part INTEGER, sum, data BLOB, PRIMARY "
		"KEY(name, part)) "
		"WITHOUT ROWID;"
		"CREATE TABLE \"%w\".\"%w_config\"(k PRIMARY KEY, v) WITHOUT ROWID;"
		"INSERT INTO \"%w\".\"%w_config\" VALUES('version', 1), ('state', random());",
		of->schema, of->table, of->schema, of->table, of->schema, of->table, of->schema,
		of->table);
	return execute(shadow, sqlite3_str_finish(sql));
}

/* The index in NAMES of the first shadow table. With content='...', a table named t_content is not
 * a shadow table: it belongs to the user. */
static size_t first_name(const struct bsql_declaration *declaration)
{
	return declaration->content ? 1 : 0;
}

int bsql_shadow_drop(struct bsql_shadow *shadow)
{
	const struct bsql_declaration *of = shadow->declaration;
	int code = SQLITE_OK;
	finalize(shadow);
	for (size_t i = first_name(of); i < N_NAMES && !code; i++)
		code = execute(shadow, sqlite3_mprintf("DROP TABLE IF EXISTS \"%w\".\"%w_%w\"",
		                                       of->schema, of->table, NAMES[i]));
	return code;
}

int bsql_shadow_rename(struct bsql_shadow *shadow, const char *table)
{
	const struct bsql_declaration *of = shadow->declaration;
	int code = SQLITE_OK;
	finalize(shadow);
	for (size_t i = first_name(of); i < N_NAMES && !code; i++)
		code = execute(shadow,
		               sqlite3_mprintf("ALTER TABLE \"%w\".\"%w_%w\" RENAME TO \"%w_%w\"",
		                               of->schema, of->table, NAMES[i], table, NAMES[i]));
	return code;
}

/* Selects id and columns from the content. `rest` is a format string for the rest of the statement;
 * it takes the name of the rowid column up to two times. Names that the user chose are qualified
 * with T, because SQLite reads "x" as a string if there is no column x. */
static void append_select(sqlite3_str *sql, const struct bsql_declaration *of, const char *rest)
{
	const char *rowid = of->content ? of->content_rowid : "id";
	sqlite3_str_appendf(sql, "SELECT T.\"%w\"", rowid);
	for (int i = 0; i < of->n_columns; i++)
		if (of->content)
			sqlite3_str_appendf(sql, ", T.\"%w\"", of->columns[i].name);
		else
			sqlite3_str_appendf(sql, ", c%d", i);
	sqlite3_str_appendf(sql, " FROM \"%w\".\"%w%s\" AS T", of->schema,
	                    of->content ? of->content : of->table, of->content ? "" : "_content");
	sqlite3_str_appendf(sql, rest, rowid, rowid);
}

static void append_insert(sqlite3_str *sql, const struct bsql_declaration *of, const char *verb)
{
	sqlite3_str_appendf(sql, "%s INTO \"%w\".\"%w_content\" VALUES(?1", verb, of->schema,
	                    of->table);
	for (int i = 0; i < of->n_columns; i++)
		sqlite3_str_appendf(sql, ", ?%d", i + 2);
	sqlite3_str_appendall(sql, ")");
}

static void append_update(sqlite3_str *sql, const struct bsql_declaration *of, const char *verb)
{
	sqlite3_str_appendf(sql, "%s \"%w\".\"%w_content\" SET id = ?1", verb, of->schema,
	                    of->table);
	for (int i = 0; i < of->n_columns; i++)
		sqlite3_str_appendf(sql, ", c%d = ?%d", i, i + 2);
	sqlite3_str_appendf(sql, " WHERE id = ?%d", of->n_columns + 2);
}

static char *sql_of(struct bsql_shadow *shadow, enum bsql_statement which)
{
	const struct bsql_declaration *of = shadow->declaration;
	sqlite3_str *sql = sqlite3_str_new(shadow->db);
	switch (which) {
	case BSQL_ROW:
	case BSQL_TEXTS:
		append_select(sql, of, " WHERE T.\"%w\" = ?1");
		break;
	case BSQL_ROWS:
		append_select(sql, of, " WHERE T.\"%w\" BETWEEN ?1 AND ?2 ORDER BY T.\"%w\" ASC");
		break;
	case BSQL_ROWS_DOWN:
		append_select(sql, of, " WHERE T.\"%w\" BETWEEN ?1 AND ?2 ORDER BY T.\"%w\" DESC");
		break;
	case BSQL_IDS:
		sqlite3_str_appendf(sql, "SELECT T.\"%w\" FROM \"%w\".\"%w%s\" AS T ORDER BY 1",
		                    of->content ? of->content_rowid : "id", of->schema,
		                    of->content ? of->content : of->table,
		                    of->content ? "" : "_content");
		break;
	case BSQL_ROW_INSERT:
		append_insert(sql, of, "INSERT");
		break;
	case BSQL_ROW_REPLACE:
		append_insert(sql, of, "REPLACE");
		break;
	case BSQL_ROW_UPDATE:
		append_update(sql, of, "UPDATE");
		break;
	case BSQL_ROW_UPDATE_REPLACE:
		append_update(sql, of, "UPDATE OR REPLACE");
		break;
	default:
		sqlite3_str_appendf(sql, SQL[which], of->schema, of->table);
	}
	return sqlite3_str_finish(sql);
}

int bsql_shadow_new_statement(struct bsql_shadow *shadow, enum bsql_statement which,
                              sqlite3_stmt **statement_out)
{
	char *sql = sql_of(shadow, which);
	*statement_out = NULL;
	int code = sql ? sqlite3_prepare_v3(shadow->db, sql, -1,
	                                    SQLITE_PREPARE_PERSISTENT | SQLITE_PREPARE_NO_VTAB,
	                                    statement_out, NULL)
	               : SQLITE_NOMEM;
	if (code == SQLITE_ERROR && shadow->declaration->content) {
		code = sqlite3_prepare_v3(shadow->db, sql, -1, 0, statement_out, NULL);
		shadow->has_virtual_content |= code == SQLITE_OK;
	}
	sqlite3_free(sql);
	return code ? bsql_shadow_fail(shadow, code) : SQLITE_OK;
}

int bsql_shadow_statement(struct bsql_shadow *shadow, enum bsql_statement which,
                          sqlite3_stmt **statement_out)
{
	int code = SQLITE_OK;
	if (!shadow->statements[which])
		code = bsql_shadow_new_statement(shadow, which, &shadow->statements[which]);
	else
		sqlite3_reset(shadow->statements[which]);
	*statement_out = shadow->statements[which];
	return code;
}

bool bsql_shadow_is_interrupted(struct bsql_shadow *shadow)
{
	sqlite3_stmt *statement;
	if (bsql_shadow_statement(shadow, BSQL_NOTHING, &statement))
		return false;
	(void)sqlite3_step(statement);
	return (sqlite3_reset(statement) & 0xff) == SQLITE_INTERRUPT;
}

void bsql_shadow_end(struct bsql_shadow *shadow)
{
	static const enum bsql_statement of_content[] = {BSQL_ROW, BSQL_ROWS, BSQL_ROWS_DOWN,
	                                                 BSQL_IDS, BSQL_TEXTS};
	sqlite3_reset(shadow->statements[BSQL_TEXTS]);
	for (size_t i = 0;
	     i < sizeof(of_content) / sizeof(*of_content) && shadow->has_virtual_content; i++) {
		sqlite3_finalize(shadow->statements[of_content[i]]);
		shadow->statements[of_content[i]] = NULL;
	}
}

int bsql_shadow_run(struct bsql_shadow *shadow, sqlite3_stmt *statement)
{
	int code = bsql_shadow_step(shadow, statement);
	sqlite3_reset(statement);
	return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

int bsql_shadow_texts(struct bsql_shadow *shadow, sqlite3_int64 id,
                      const struct bs_text **texts_out, size_t *n_texts_out)
{
	const struct bsql_declaration *of = shadow->declaration;
	sqlite3_stmt *statement;
	size_t n = 0;
	int code = bsql_shadow_statement(shadow, BSQL_TEXTS, &statement);
	*n_texts_out = 0;
	*texts_out = shadow->texts;
	if (code)
		return code;
	sqlite3_bind_int64(statement, 1, id);
	code = bsql_shadow_step(shadow, statement);
	if (code != SQLITE_ROW) {
		sqlite3_reset(statement);
		return code;
	}
	for (int i = 0; i < of->n_columns; i++) {
		if (!of->columns[i].is_indexed)
			continue;
		const char *name = of->columns[i].name,
			   *text = (const char *)sqlite3_column_text(statement, i + 1);
		size_t n_bytes = (size_t)sqlite3_column_bytes(statement, i + 1);
		if (!text && sqlite3_column_type(statement, i + 1) != SQLITE_NULL &&
		    sqlite3_errcode(shadow->db) == SQLITE_NOMEM)
			return bsql_shadow_fail(shadow, SQLITE_NOMEM);
		shadow->texts[n++] =
			(struct bs_text){name, strlen(name), text ? text : "", text ? n_bytes : 0};
	}
	*n_texts_out = n;
	return SQLITE_OK;
}

int bsql_shadow_number(struct bsql_shadow *shadow, enum bsql_statement which,
                       sqlite3_int64 *value_out)
{
	sqlite3_stmt *statement;
	int code = bsql_shadow_statement(shadow, which, &statement);
	if (code)
		return code;
	code = bsql_shadow_step(shadow, statement);
	if (code == SQLITE_ROW)
		*value_out = sqlite3_column_int64(statement, 0);
	sqlite3_reset(statement);
	return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

int bsql_shadow_put_state(struct bsql_shadow *shadow, sqlite3_int64 state)
{
	sqlite3_stmt *statement;
	int code = bsql_shadow_statement(shadow, BSQL_STATE_PUT, &statement);
	if (code)
		return code;
	sqlite3_bind_int64(statement, 1, state);
	return bsql_shadow_run(shadow, statement);
}

int bsql_shadow_put_pending(struct bsql_shadow *shadow, sqlite3_int64 id, int there)
{
	sqlite3_stmt *statement;
	int code = bsql_shadow_statement(shadow, BSQL_PENDING_PUT, &statement);
	if (code)
		return code;
	sqlite3_bind_int64(statement, 1, id);
	sqlite3_bind_int(statement, 2, there);
	return bsql_shadow_run(shadow, statement);
}

uint64_t bsql_checksum(const void *bytes, size_t n_bytes)
{
	return XXH3_64bits(bytes, n_bytes);
}

/* Appends the parts of a file to *bytes. Stops at a gap in their numbers; the caller detects
 * missing bytes by the checksum. */
static int read_parts(struct bsql_shadow *shadow, sqlite3_stmt *statement, char **bytes,
                      size_t *n_bytes)
{
	size_t capacity = 0;
	int code;
	for (int part = 0; (code = bsql_shadow_step(shadow, statement)) == SQLITE_ROW; part++) {
		const void *data = sqlite3_column_blob(statement, 1);
		size_t data_bytes = (size_t)sqlite3_column_bytes(statement, 1);
		if (sqlite3_column_int(statement, 0) != part)
			break;
		if (*n_bytes + data_bytes > capacity) {
			capacity = (*n_bytes + data_bytes) * 2;
			char *grown = realloc(*bytes, capacity);
			if (!grown)
				return bsql_shadow_fail(shadow, SQLITE_NOMEM);
			*bytes = grown;
		}
		if (data_bytes > 0)
			memcpy(*bytes + *n_bytes, data, data_bytes);
		*n_bytes += data_bytes;
	}
	return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

int bsql_shadow_load_file(struct bsql_shadow *shadow, const char *name, uint64_t sum,
                          void **bytes_out, size_t *n_bytes_out)
{
	sqlite3_stmt *statement;
	char *bytes = NULL;
	size_t n_bytes = 0;
	int code = bsql_shadow_statement(shadow, BSQL_FILE, &statement);
	*bytes_out = NULL;
	*n_bytes_out = 0;
	if (code)
		return code;
	sqlite3_bind_text(statement, 1, name, -1, SQLITE_TRANSIENT);
	code = read_parts(shadow, statement, &bytes, &n_bytes);
	sqlite3_reset(statement);
	if (!code && bsql_checksum(bytes, n_bytes) != sum) {
		code = SQLITE_CORRUPT_VTAB;
		(void)bs_fail(&shadow->err, BS_OK,
		              "%s_files: %s is damaged: its checksum is wrong; INSERT INTO %s(%s) "
		              "VALUES('rebuild') restores it",
		              shadow->declaration->table, name, shadow->declaration->table,
		              shadow->declaration->table);
	}
	if (code) {
		free(bytes);
		return code;
	}
	*bytes_out = bytes;
	*n_bytes_out = n_bytes;
	return SQLITE_OK;
}

int bsql_shadow_delete_file(struct bsql_shadow *shadow, const char *name)
{
	sqlite3_stmt *statement;
	int code = bsql_shadow_statement(shadow, BSQL_FILE_DELETE, &statement);
	if (code)
		return code;
	sqlite3_bind_text(statement, 1, name, -1, SQLITE_TRANSIENT);
	return bsql_shadow_run(shadow, statement);
}

int bsql_shadow_save_file(struct bsql_shadow *shadow, const char *name, uint64_t sum,
                          const void *bytes, size_t n_bytes)
{
	sqlite3_stmt *statement;
	size_t done = 0;
	int code = bsql_shadow_delete_file(shadow, name);
	if (!code)
		code = bsql_shadow_statement(shadow, BSQL_FILE_PUT, &statement);
	for (int part = 0; !code && (part == 0 || done < n_bytes); part++) {
		size_t part_bytes = n_bytes - done < PART_BYTES ? n_bytes - done : PART_BYTES;
		sqlite3_bind_text(statement, 1, name, -1, SQLITE_TRANSIENT);
		sqlite3_bind_int(statement, 2, part);
		if (part == 0)
			sqlite3_bind_int64(statement, 3, (sqlite3_int64)sum);
		else
			sqlite3_bind_null(statement, 3);
		sqlite3_bind_blob(statement, 4, (const char *)bytes + done, (int)part_bytes,
		                  SQLITE_STATIC);
		code = bsql_shadow_run(shadow, statement);
		done += part_bytes;
	}
	return code;
}
