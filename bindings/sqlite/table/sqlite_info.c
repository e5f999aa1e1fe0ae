/*
 * sqlite_info.c: see sqlite_info.h. SELECT * FROM bitsift_info('t'), or ('t', 'schema'), returns
 * the number of rows in the index, the number of deleted or replaced rows whose data is still in a
 * segment, the number of segments, and the versions of ICU and Unicode that split its words.
 * other_rules is 1 if this extension would split words by other rules; then every query reads all
 * rows.
 */
#include "bindings/sqlite/table/sqlite_info.h"

#include <stdbool.h>
#include <stdlib.h>

SQLITE_EXTENSION_INIT3

enum column {
	COLUMN_ROWS,
	COLUMN_DELETED,
	COLUMN_SEGMENTS,
	COLUMN_ICU,
	COLUMN_UNICODE,
	COLUMN_OTHER_RULES,
	COLUMN_NAME,
	COLUMN_SCHEMA,
};
#define SCHEMA                                                                                 \
	"CREATE TABLE x(\"rows\", deleted, segments, icu, unicode, other_rules, name HIDDEN, " \
	"schema HIDDEN)"

struct module_table {
	sqlite3_vtab base;
	sqlite3 *db;
	struct bsql_registry *registry;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct bsql_info info;
	bool is_at_end;
};

static int connect(sqlite3 *db, void *registry, int argc, const char *const *argv,
                   sqlite3_vtab **vtab_out, char **message_out)
{
	(void)argc, (void)argv, (void)message_out;
	int code = sqlite3_declare_vtab(db, SCHEMA);
	struct module_table *table = code ? NULL : calloc(1, sizeof(*table));
	if (!table)
		return code ? code : SQLITE_NOMEM;
	table->db = db;
	table->registry = registry;
	*vtab_out = &table->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *vtab)
{
	free(vtab);
	return SQLITE_OK;
}

/* The arguments of xFilter are the name, then the schema if it is given. */
static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	int places[2] = {-1, -1};
	(void)vtab;
	for (int i = 0; i < info->nConstraint; i++) {
		int which = info->aConstraint[i].iColumn - COLUMN_NAME;
		if (which < 0 || which > 1 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (!info->aConstraint[i].usable)
			return SQLITE_CONSTRAINT;
		places[which] = i;
	}
	for (int which = 0, n = 0; which < 2; which++) {
		if (places[which] < 0)
			continue;
		info->aConstraintUsage[places[which]].argvIndex = ++n;
		info->aConstraintUsage[places[which]].omit = 1;
	}
	info->idxNum = places[0] >= 0;
	info->estimatedRows = 1;
	info->estimatedCost = 10;
	return SQLITE_OK;
}

static int open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor_out)
{
	struct cursor *cursor = calloc(1, sizeof(*cursor));
	(void)vtab;
	if (!cursor)
		return SQLITE_NOMEM;
	*cursor_out = &cursor->base;
	return SQLITE_OK;
}

static int close(sqlite3_vtab_cursor *base)
{
	free(base);
	return SQLITE_OK;
}

static int refuse(sqlite3_vtab *vtab, int code, char *message)
{
	sqlite3_free(vtab->zErrMsg);
	vtab->zErrMsg = message;
	return message ? code : SQLITE_NOMEM;
}

/* Makes SQLite call xConnect of a table, which it does when a statement first names the table. */
static int connect_table(sqlite3 *db, const char *schema, const char *name)
{
	sqlite3_stmt *statement = NULL;
	char *sql = sqlite3_mprintf("SELECT 1 FROM \"%w\".\"%w\"", schema, name);
	int code = sql ? sqlite3_prepare_v2(db, sql, -1, &statement, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	sqlite3_finalize(statement);
	return code;
}

static int filter(sqlite3_vtab_cursor *base, int has_name, const char *unused, int argc,
                  sqlite3_value **argv)
{
	struct cursor *cursor = (struct cursor *)base;
	struct module_table *table = (struct module_table *)base->pVtab;
	const char *name = has_name ? (const char *)sqlite3_value_text(argv[0]) : NULL;
	const char *schema = argc > 1 ? (const char *)sqlite3_value_text(argv[1]) : "main";
	(void)unused;
	cursor->is_at_end = false;
	if (!name || !schema)
		return refuse(base->pVtab, SQLITE_ERROR,
		              sqlite3_mprintf(
				      "usage: bitsift_info(table) or bitsift_info(table, schema)"));
	int code = connect_table(table->db, schema, name);
	if (code == SQLITE_NOMEM)
		return code;
	struct bsql_index *index = bsql_index_find_table(table->registry, schema, name);
	if (code || !index)
		return refuse(base->pVtab, SQLITE_ERROR,
		              sqlite3_mprintf("no table of bitsift: %s.%s", schema, name));
	code = bsql_index_describe(index, &cursor->info);
	return code ? refuse(base->pVtab, code, sqlite3_mprintf("%s", bsql_index_error(index)))
	            : SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->is_at_end = true;
	return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((const struct cursor *)base)->is_at_end;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid_out)
{
	(void)base;
	*rowid_out = 1;
	return SQLITE_OK;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	const struct bsql_info *info = &((const struct cursor *)base)->info;
	const sqlite3_int64 numbers[] = {info->n_rows, info->n_deleted, info->n_segments};
	if (number <= COLUMN_SEGMENTS)
		sqlite3_result_int64(context, numbers[number]);
	else if (number == COLUMN_ICU || number == COLUMN_UNICODE)
		sqlite3_result_text(context, number == COLUMN_ICU ? info->icu : info->unicode, -1,
		                    SQLITE_TRANSIENT);
	else if (number == COLUMN_OTHER_RULES)
		sqlite3_result_int(context, info->has_other_rules);
	return SQLITE_OK;
}

/* Without xCreate, the module is eponymous-only: it is used by its name, and CREATE VIRTUAL TABLE
 * fails. */
static const sqlite3_module MODULE = {
	.xConnect = connect,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xOpen = open,
	.xClose = close,
	.xFilter = filter,
	.xNext = next,
	.xEof = is_at_end,
	.xColumn = column,
	.xRowid = rowid,
};

int bsql_info_register(sqlite3 *db, struct bsql_registry *registry)
{
	return sqlite3_create_module_v2(db, "bitsift_info", &MODULE, registry, NULL);
}
