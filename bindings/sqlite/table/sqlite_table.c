/* sqlite_table.c: see sqlite_table.h. sqlite_cursor.c finds rows, sqlite_index.c stores changes. */
#include "bindings/sqlite/table/sqlite_table.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/sqlite/table/sqlite_check.h"
#include "bindings/sqlite/table/sqlite_cursor.h"
#include "bindings/sqlite/table/sqlite_functions.h"
#include "bindings/sqlite/table/sqlite_info.h"
#include "bindings/sqlite/table/sqlite_plan.h"
#include "core/bitsift/host.h"

SQLITE_EXTENSION_INIT3

/* The indexed texts of a row must be shorter than this in total. */
#define MOST_ROW_BYTES ((size_t)256 << 20)

static struct bsql_table *table_of(sqlite3_vtab *vtab)
{
	return (struct bsql_table *)vtab;
}

static int refuse(sqlite3_vtab *vtab, int code, char *message)
{
	sqlite3_free(vtab->zErrMsg);
	vtab->zErrMsg = message;
	return code;
}

static int fail(sqlite3_vtab *vtab, int code)
{
	return code ? refuse(vtab, code,
	                     sqlite3_mprintf("%s", bsql_index_error(table_of(vtab)->index)))
	            : SQLITE_OK;
}

static int note(sqlite3_vtab *vtab, sqlite3_int64 id, bool there, const struct bs_text *texts,
                size_t n_texts)
{
	int code = bsql_index_note(table_of(vtab)->index, id, there, texts, n_texts);
	return code == SQLITE_OK || code == SQLITE_NOMEM ? code : fail(vtab, code);
}

static int declare(sqlite3 *db, const struct bsql_declaration *declaration)
{
	char *schema = bsql_declaration_schema(declaration);
	int code = schema ? sqlite3_declare_vtab(db, schema) : SQLITE_NOMEM;
	sqlite3_free(schema);
	if (!code)
		code = sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
	return code ? code : sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
}

static int start(sqlite3 *db, void *registry, int argc, const char *const *argv, bool is_new,
                 sqlite3_vtab **vtab_out, char **message_out)
{
	struct bsql_declaration declaration;
	struct bsql_index *index = NULL;
	struct bs_error err = {""};
	int code = bsql_declaration_read(&declaration, argc, argv, message_out);
	if (!code && is_new)
		code = bsql_declaration_check_new(&declaration, message_out);
	if (!code)
		code = declare(db, &declaration);
	if (code && !*message_out)
		*message_out = sqlite3_mprintf("%s", sqlite3_errmsg(db));
	if (code) {
		bsql_declaration_deinit(&declaration);
		return code;
	}
	struct bsql_table *table = calloc(1, sizeof(*table));
	code = bsql_index_acquire(registry, db, &declaration, &index, &err);
	if (!code && !table)
		code = SQLITE_NOMEM;
	/* Let the library check the options before the tables are created. */
	if (!code && is_new)
		code = bsql_index_check_query(index, "a", 1);
	if (!code && is_new)
		code = bsql_shadow_create(bsql_index_shadow(index));
	if (code) {
		*message_out = sqlite3_mprintf("%s", index ? bsql_index_error(index) : err.text);
		if (index)
			bsql_index_release(index);
		free(table);
		return code;
	}
	*table = (struct bsql_table){.db = db, .registry = registry, .index = index};
	*vtab_out = &table->base;
	return SQLITE_OK;
}

static int create(sqlite3 *db, void *registry, int argc, const char *const *argv,
                  sqlite3_vtab **vtab_out, char **message_out)
{
	return start(db, registry, argc, argv, true, vtab_out, message_out);
}

static int connect(sqlite3 *db, void *registry, int argc, const char *const *argv,
                   sqlite3_vtab **vtab_out, char **message_out)
{
	return start(db, registry, argc, argv, false, vtab_out, message_out);
}

static int disconnect(sqlite3_vtab *vtab)
{
	bsql_index_release(table_of(vtab)->index);
	free(vtab);
	return SQLITE_OK;
}

static int destroy(sqlite3_vtab *vtab)
{
	struct bsql_index *index = table_of(vtab)->index;
	int code = bsql_shadow_drop(bsql_index_shadow(index));
	if (code)
		return fail(vtab, code);
	bsql_index_forget(index);
	return disconnect(vtab);
}

static int rename_table(sqlite3_vtab *vtab, const char *name)
{
	struct bsql_index *index = table_of(vtab)->index;
	int code = bsql_index_flush(index);
	return fail(vtab, code ? code : bsql_index_rename(index, name));
}

static int is_shadow_name(const char *name)
{
	return bsql_shadow_is_name(name);
}

/* Commands: INSERT INTO t(t) VALUES('...'). */

static int run_command(sqlite3_vtab *vtab, const char *command)
{
	struct bsql_index *index = table_of(vtab)->index;
	if (sqlite3_stricmp(command, "optimize") == 0)
		return fail(vtab, bsql_index_optimize(index));
	if (sqlite3_stricmp(command, "rebuild") == 0)
		return fail(vtab, bsql_index_rebuild(index));
	if (sqlite3_stricmp(command, "integrity-check") == 0)
		return fail(vtab, bsql_check(index));
	if (sqlite3_stricmp(command, "delete-all") == 0 && bsql_index_declaration(index)->content)
		return fail(vtab, bsql_index_delete_all(index));
	return refuse(vtab, SQLITE_ERROR,
	              sqlite3_mprintf("no command %s: there are delete and delete-all (of a table "
	                              "with content='...'), "
	                              "integrity-check, optimize, rebuild",
	                              command));
}

static int command(sqlite3_vtab *vtab, sqlite3_value *what, sqlite3_value *rank,
                   sqlite3_value *rowid)
{
	struct bsql_index *index = table_of(vtab)->index;
	const char *text = (const char *)sqlite3_value_text(what);
	if (!text)
		return SQLITE_NOMEM;
	if (sqlite3_value_type(rank) != SQLITE_NULL && sqlite3_stricmp(text, "integrity-check"))
		return refuse(vtab, SQLITE_ERROR, sqlite3_mprintf("%s takes no value", text));
	if (sqlite3_stricmp(text, "delete") || !bsql_index_declaration(index)->content)
		return run_command(vtab, text);
	if (sqlite3_value_type(rowid) != SQLITE_INTEGER)
		return refuse(vtab, SQLITE_ERROR, sqlite3_mprintf("delete needs a rowid"));
	return note(vtab, sqlite3_value_int64(rowid), false, NULL, 0);
}

static size_t texts_bytes(const struct bsql_declaration *of, sqlite3_value **columns)
{
	size_t n_bytes = 0;
	for (int i = 0; i < of->n_columns; i++)
		n_bytes += of->columns[i].is_indexed ? (size_t)sqlite3_value_bytes(columns[i]) : 0;
	return n_bytes;
}

/* Returns the indexed texts of the columns, in the buffer `texts` of the shadow. */
static int take_texts(sqlite3_vtab *vtab, sqlite3_value **columns, const struct bs_text **texts_out,
                      size_t *n_texts_out)
{
	struct bsql_index *index = table_of(vtab)->index;
	const struct bsql_declaration *of = bsql_index_declaration(index);
	struct bs_text *texts = bsql_index_shadow(index)->texts;
	size_t n = 0;
	for (int i = 0; i < of->n_columns; i++) {
		if (!of->columns[i].is_indexed)
			continue;
		const char *name = of->columns[i].name,
			   *text = (const char *)sqlite3_value_text(columns[i]);
		if (!text && sqlite3_value_type(columns[i]) != SQLITE_NULL)
			return SQLITE_NOMEM;
		texts[n++] = (struct bs_text){name, strlen(name), text ? text : "",
		                              text ? (size_t)sqlite3_value_bytes(columns[i]) : 0};
	}
	*texts_out = texts;
	*n_texts_out = n;
	return SQLITE_OK;
}

/* Binds a value. A text is not copied: run_row clears the bindings before it becomes invalid. */
static int bind(sqlite3_stmt *statement, int i, sqlite3_value *value)
{
	if (sqlite3_value_type(value) != SQLITE_TEXT)
		return sqlite3_bind_value(statement, i, value);
	const char *text = (const char *)sqlite3_value_text(value);
	return text ? sqlite3_bind_text(statement, i, text, sqlite3_value_bytes(value),
	                                SQLITE_STATIC)
	            : SQLITE_NOMEM;
}

static int run_row(sqlite3_vtab *vtab, enum bsql_statement which, int n_values,
                   sqlite3_value **values, sqlite3_value *old_id)
{
	struct bsql_shadow *shadow = bsql_index_shadow(table_of(vtab)->index);
	sqlite3_stmt *statement;
	int code = bsql_shadow_statement(shadow, which, &statement);
	for (int i = 0; i < n_values && !code; i++)
		code = bind(statement, i + 1, values[i]);
	if (old_id && !code)
		code = sqlite3_bind_value(statement, n_values + 1, old_id);
	code = code ? code : bsql_shadow_run(shadow, statement);
	if (statement)
		sqlite3_clear_bindings(statement);
	return fail(vtab, code);
}

static int delete_row(sqlite3_vtab *vtab, sqlite3_value *id)
{
	struct bsql_index *index = table_of(vtab)->index;
	int code = bsql_index_declaration(index)->content
	                   ? SQLITE_OK
	                   : run_row(vtab, BSQL_ROW_DELETE, 1, &id, NULL);
	return code ? code : note(vtab, sqlite3_value_int64(id), false, NULL, 0);
}

/* old_id: NULL for a new row. values: the id, which may be NULL for a new row, and the columns. */
static int put_row(sqlite3_vtab *vtab, sqlite3_value *old_id, sqlite3_value **values,
                   sqlite3_int64 *id_out)
{
	struct bsql_table *table = table_of(vtab);
	const struct bsql_declaration *of = bsql_index_declaration(table->index);
	bool is_named = sqlite3_value_numeric_type(values[0]) == SQLITE_INTEGER;
	bool replaces = sqlite3_vtab_on_conflict(table->db) == SQLITE_REPLACE;
	enum bsql_statement which = old_id ? replaces ? BSQL_ROW_UPDATE_REPLACE : BSQL_ROW_UPDATE
	                            : replaces ? BSQL_ROW_REPLACE
	                                       : BSQL_ROW_INSERT;
	const struct bs_text *texts = NULL;
	size_t n_texts = 0;
	int code = SQLITE_OK;
	if (texts_bytes(of, values + 1) >= MOST_ROW_BYTES)
		return refuse(vtab, SQLITE_TOOBIG,
		              sqlite3_mprintf("%s: a row of more than 256 MiB", of->table));
	if (!is_named && (of->content || sqlite3_value_type(values[0]) != SQLITE_NULL))
		return refuse(
			vtab, SQLITE_MISMATCH,
			sqlite3_mprintf("%s: a row needs a rowid that is an integer", of->table));
	if (!of->content)
		code = run_row(vtab, which, of->n_columns + 1, values, old_id);
	if (code)
		return code;
	*id_out = is_named ? sqlite3_value_int64(values[0]) : sqlite3_last_insert_rowid(table->db);
	if (old_id && sqlite3_value_int64(old_id) != *id_out)
		code = note(vtab, sqlite3_value_int64(old_id), false, NULL, 0);
	if (!of->content && !code)
		code = take_texts(vtab, values + 1, &texts, &n_texts);
	return code ? code : note(vtab, *id_out, true, texts, n_texts);
}

static int update(sqlite3_vtab *vtab, int argc, sqlite3_value **argv, sqlite3_int64 *id_out)
{
	int n_columns = bsql_index_declaration(table_of(vtab)->index)->n_columns;
	int code = fail(vtab, bsql_index_refuse_recursion(table_of(vtab)->index));
	if (!code)
		code = bsql_cursors_complete(table_of(vtab));
	if (code)
		return code;
	if (argc == 1)
		return delete_row(vtab, argv[0]);
	bool is_new = sqlite3_value_type(argv[0]) == SQLITE_NULL;
	if (is_new && sqlite3_value_type(argv[2 + n_columns]) != SQLITE_NULL)
		return command(vtab, argv[2 + n_columns], argv[3 + n_columns], argv[1]);
	return put_row(vtab, is_new ? NULL : argv[0], argv + 1, id_out);
}

static int begin(sqlite3_vtab *vtab)
{
	(void)vtab;
	return SQLITE_OK;
}

static int sync_table(sqlite3_vtab *vtab)
{
	return fail(vtab, bsql_index_sync(table_of(vtab)->index));
}

static int commit(sqlite3_vtab *vtab)
{
	bsql_index_commit(table_of(vtab)->index);
	return SQLITE_OK;
}

static int rollback(sqlite3_vtab *vtab)
{
	bsql_index_rollback(table_of(vtab)->index);
	return SQLITE_OK;
}

static int savepoint(sqlite3_vtab *vtab, int number)
{
	(void)number;
	return fail(vtab, bsql_index_flush(table_of(vtab)->index));
}

static int release(sqlite3_vtab *vtab, int number)
{
	(void)vtab, (void)number;
	return SQLITE_OK;
}

static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	struct bsql_table *table = table_of(vtab);
	return bsql_plan(table->db, bsql_index_declaration(table->index)->n_columns, info);
}

static int rollback_to(sqlite3_vtab *vtab, int number)
{
	(void)number;
	return rollback(vtab);
}

#if SQLITE_VERSION_NUMBER >= 3044000
/* For PRAGMA integrity_check. */
static int integrity(sqlite3_vtab *vtab, const char *schema, const char *table, int flags,
                     char **message_out)
{
	(void)schema, (void)table, (void)flags;
	int code = bsql_check(table_of(vtab)->index);
	if (code != SQLITE_CORRUPT_VTAB)
		return code;
	*message_out = sqlite3_mprintf("%s", bsql_index_error(table_of(vtab)->index));
	return SQLITE_OK;
}
#endif

static const sqlite3_module MODULE = {
#if SQLITE_VERSION_NUMBER >= 3044000
	.iVersion = 4,
	.xIntegrity = integrity,
#else
	.iVersion = 3,
#endif
	.xCreate = create,
	.xConnect = connect,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xDestroy = destroy,
	.xOpen = bsql_cursor_open,
	.xClose = bsql_cursor_close,
	.xFilter = bsql_cursor_filter,
	.xNext = bsql_cursor_next,
	.xEof = bsql_cursor_is_at_end,
	.xColumn = bsql_cursor_column,
	.xRowid = bsql_cursor_rowid,
	.xUpdate = update,
	.xBegin = begin,
	.xSync = sync_table,
	.xCommit = commit,
	.xRollback = rollback,
	.xFindFunction = bsql_find_function,
	.xRename = rename_table,
	.xSavepoint = savepoint,
	.xRelease = release,
	.xRollbackTo = rollback_to,
	.xShadowName = is_shadow_name,
};

int bsql_table_register(sqlite3 *db)
{
	struct bsql_registry *registry = bsql_registry_new();
	if (!registry)
		return SQLITE_NOMEM;
	int code = sqlite3_create_module_v2(db, "bitsift", &MODULE, registry, bsql_registry_free);
	return code ? code : bsql_info_register(db, registry);
}
