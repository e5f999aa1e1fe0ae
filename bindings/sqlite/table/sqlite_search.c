/*
 * sqlite_search.c: see sqlite_search.h. SELECT * FROM bitsift_search('DIR', 'query') returns a row
 * for each hit, the best first. id is the id of a JSONL record, or the path of a file. The result
 * is that of `bitsift query --index DIR` without the options by which a user permits more:
 * sources outside the folder of the index are not read (struct bs_consent).
 */
#include "bindings/sqlite/table/sqlite_search.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/sqlite/base/sqlite_base.h"
#include "core/bitsift/index_open.h"
#include "core/bitsift/search.h"

SQLITE_EXTENSION_INIT3

enum column {
	COLUMN_ID,
	COLUMN_PATH,
	COLUMN_SCORE,
	COLUMN_LINE,
	COLUMN_SNIPPET,
	COLUMN_DIR,
	COLUMN_QUERY
};
#define SCHEMA "CREATE TABLE x(id, path, score, line, snippet, dir HIDDEN, query HIDDEN)"

/* Flags of idxNum: which columns the statement uses. idxStr has a letter for each argument: d
 * (dir), q (query), l (LIMIT) and o (OFFSET). */
#define PLAN_SNIPPETS 1 /* the column snippet is used */
#define PLAN_PASSAGES 2 /* the column line is used */
#define PLAN_COUNT    4 /* no column is used: hits are only counted */

struct row {
	char *id, *path, *snippet;
	size_t id_bytes, snippet_bytes;
	double score;
	uint64_t line;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct row *rows; /* the hits; none if PLAN_COUNT */
	size_t n_rows, capacity;
	uint64_t n;  /* the number of hits */
	uint64_t at; /* the position of the current hit */
	char *dir, *query;
};

static int connect(sqlite3 *db, void *context, int argc, const char *const *argv,
                   sqlite3_vtab **vtab_out, char **message_out)
{
	(void)context, (void)argc, (void)argv, (void)message_out;
	int code = sqlite3_declare_vtab(db, SCHEMA);
	/* The function reads files, so statements inside a database file, such as views, must not
	 * call it. */
	if (!code)
		code = sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
	sqlite3_vtab *vtab = code ? NULL : calloc(1, sizeof(*vtab));
	*vtab_out = vtab;
	return code ? code : vtab ? SQLITE_OK : SQLITE_NOMEM;
}

static int disconnect(sqlite3_vtab *vtab)
{
	free(vtab);
	return SQLITE_OK;
}

static int argument_letter(const sqlite3_index_info *info, int i)
{
	int column = info->aConstraint[i].iColumn;
	unsigned char op = info->aConstraint[i].op;
#ifdef SQLITE_INDEX_CONSTRAINT_LIMIT
	if (op == SQLITE_INDEX_CONSTRAINT_LIMIT || op == SQLITE_INDEX_CONSTRAINT_OFFSET)
		return op == SQLITE_INDEX_CONSTRAINT_LIMIT ? 'l' : 'o';
#endif
	if (op != SQLITE_INDEX_CONSTRAINT_EQ || (column != COLUMN_DIR && column != COLUMN_QUERY))
		return 0;
	return column == COLUMN_DIR ? 'd' : 'q';
}

static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	char letters[8] = "";
	int n = 0, n_others = 0;
	bool has_dir = false, has_query = false;
	(void)vtab;
	info->orderByConsumed = info->nOrderBy == 0 ||
	                        (info->nOrderBy == 1 && info->aOrderBy[0].iColumn == COLUMN_SCORE &&
	                         info->aOrderBy[0].desc);
	for (int i = 0; i < info->nConstraint; i++) {
		int letter = argument_letter(info, i);
		bool is_new = letter == 'd' ? !has_dir : letter == 'q' && !has_query;
		n_others += !letter || ((letter == 'd' || letter == 'q') && !is_new);
		if (!is_new)
			continue;
		if (!info->aConstraint[i].usable)
			return SQLITE_CONSTRAINT;
		has_dir |= letter == 'd';
		has_query |= letter == 'q';
		letters[n++] = (char)letter;
		info->aConstraintUsage[i].argvIndex = n;
		info->aConstraintUsage[i].omit = 1;
	}
	for (int i = 0; i < info->nConstraint && n_others == 0 && info->orderByConsumed; i++) {
		int letter = argument_letter(info, i);
		if ((letter != 'l' && letter != 'o') || !info->aConstraint[i].usable ||
		    n == (int)sizeof(letters) - 1)
			continue;
		letters[n++] = (char)letter;
		info->aConstraintUsage[i].argvIndex = n;
	}
	sqlite3_uint64 used = info->colUsed & ((1u << COLUMN_DIR) - 1);
	info->idxNum = (used >> COLUMN_SNIPPET & 1 ? PLAN_SNIPPETS : 0) |
	               (used >> COLUMN_LINE & 1 ? PLAN_PASSAGES : 0) | (used == 0 ? PLAN_COUNT : 0);
	info->idxStr = sqlite3_mprintf("%s", letters);
	info->needToFreeIdxStr = 1;
	info->estimatedRows = 1000;
	info->estimatedCost = has_dir && has_query ? 1000 : 1e12;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
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

static void clear(struct cursor *cursor)
{
	for (size_t i = 0; i < cursor->n_rows; i++) {
		free(cursor->rows[i].id);
		free(cursor->rows[i].path);
		free(cursor->rows[i].snippet);
	}
	sqlite3_free(cursor->dir);
	sqlite3_free(cursor->query);
	cursor->dir = cursor->query = NULL;
	cursor->n_rows = 0;
	cursor->n = cursor->at = 0;
}

static int close(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;
	clear(cursor);
	free(cursor->rows);
	free(cursor);
	return SQLITE_OK;
}

static char *copy(const char *bytes, size_t n_bytes)
{
	char *copied = malloc(n_bytes + 1);
	if (copied && n_bytes > 0)
		memcpy(copied, bytes, n_bytes);
	return copied;
}

static int take_hit(void *context, const struct bs_hit *hit)
{
	struct cursor *cursor = context;
	if (bsql_grow(&cursor->rows, cursor->n_rows, &cursor->capacity, sizeof(*cursor->rows)))
		return 1;
	struct row row = {
		.id = copy(hit->local_id, hit->local_id_bytes),
		.id_bytes = hit->local_id_bytes,
		.path = strdup(hit->path),
		.snippet = hit->snippet ? copy(hit->snippet, hit->snippet_bytes) : NULL,
		.snippet_bytes = hit->snippet_bytes,
		.score = hit->score,
		.line = hit->best.line,
	};
	cursor->rows[cursor->n_rows++] = row;
	return !row.id || !row.path || (hit->snippet && !row.snippet);
}

static enum bs_status search(struct cursor *cursor, int plan, size_t limit, struct bs_error *err)
{
	struct bs_index *index = NULL;
	struct bs_searcher *searcher = NULL;
	struct bs_search_result result = {.n_hits = 0};
	struct bs_index_info info;
	enum bs_status status = bs_index_open(cursor->dir, &index, err);
	if (!status)
		status = bs_searcher_new(index, &searcher, err);
	if (!status) {
		bs_index_describe(index, &info);
		struct bs_search_request request = {
			.query.text = cursor->query,
			.query.text_bytes = strlen(cursor->query),
			.output.mode = plan & PLAN_COUNT ? BS_SEARCH_COUNT : BS_SEARCH_TOP,
			.output.limit = limit > 0         ? limit
		                        : info.n_docs > 0 ? (size_t)info.n_docs
		                                          : 1,
			.method.exhaustive = limit == 0 && !(plan & PLAN_COUNT),
			.output.snippets = plan & PLAN_SNIPPETS,
			.output.passages = plan & PLAN_PASSAGES,
			.callbacks.hit = take_hit,
			.callbacks.context = cursor,
		};
		status = bs_search(searcher, &request, &result, err);
	}
	bs_searcher_free(searcher);
	bs_index_close(index);
	if (!status && result.n_unreadable > 0)
		return bs_fail(err, BS_IO,
		               "%llu documents that may match cannot be read: the answer would not "
		               "be complete",
		               (unsigned long long)result.n_unreadable);
	cursor->n = plan & PLAN_COUNT ? result.n_hits : cursor->n_rows;
	return status;
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *letters, int argc,
                  sqlite3_value **argv)
{
	struct cursor *cursor = (struct cursor *)base;
	sqlite3_int64 limit = -1, offset = 0;
	struct bs_error err = {""};
	clear(cursor);
	for (int i = 0; i < argc; i++) {
		const char *text = letters[i] == 'd' || letters[i] == 'q'
		                           ? (const char *)sqlite3_value_text(argv[i])
		                           : NULL;
		char *copied = text ? sqlite3_mprintf("%s", text) : NULL;
		if (text && !copied)
			return SQLITE_NOMEM;
		if (letters[i] == 'd')
			cursor->dir = copied;
		else if (letters[i] == 'q')
			cursor->query = copied;
		else
			*(letters[i] == 'l' ? &limit : &offset) = sqlite3_value_int64(argv[i]);
	}
	if (!cursor->dir || !cursor->query) {
		sqlite3_free(base->pVtab->zErrMsg);
		base->pVtab->zErrMsg =
			sqlite3_mprintf("usage: bitsift_search(directory of an index, query)");
		return SQLITE_ERROR;
	}
	bool is_known = limit >= 0 && limit < INT32_MAX && offset < INT32_MAX;
	if (limit == 0)
		return SQLITE_OK;
	enum bs_status status = search(
		cursor, plan, is_known ? (size_t)(limit + (offset > 0 ? offset : 0)) : 0, &err);
	if (!status)
		return SQLITE_OK;
	sqlite3_free(base->pVtab->zErrMsg);
	base->pVtab->zErrMsg =
		sqlite3_mprintf("%s", status == BS_STOPPED ? "out of memory" : err.text);
	return status == BS_NO_MEMORY || status == BS_STOPPED ? SQLITE_NOMEM : SQLITE_ERROR;
}

static int next(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->at++;
	return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	const struct cursor *cursor = (const struct cursor *)base;
	return cursor->at >= cursor->n;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid_out)
{
	*rowid_out = (sqlite3_int64)((struct cursor *)base)->at + 1;
	return SQLITE_OK;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	const struct cursor *cursor = (const struct cursor *)base;
	if (number == COLUMN_DIR || number == COLUMN_QUERY) {
		sqlite3_result_text(context, number == COLUMN_DIR ? cursor->dir : cursor->query, -1,
		                    SQLITE_TRANSIENT);
		return SQLITE_OK;
	}
	if (cursor->at >= cursor->n_rows)
		return SQLITE_OK;
	const struct row *row = &cursor->rows[cursor->at];
	if (number == COLUMN_ID)
		sqlite3_result_text64(context, row->id, row->id_bytes, SQLITE_TRANSIENT,
		                      SQLITE_UTF8);
	else if (number == COLUMN_PATH)
		sqlite3_result_text(context, row->path, -1, SQLITE_TRANSIENT);
	else if (number == COLUMN_SCORE)
		sqlite3_result_double(context, row->score);
	else if (number == COLUMN_LINE && row->line > 0)
		sqlite3_result_int64(context, (sqlite3_int64)row->line);
	else if (number == COLUMN_SNIPPET && row->snippet)
		sqlite3_result_text64(context, row->snippet, row->snippet_bytes, SQLITE_TRANSIENT,
		                      SQLITE_UTF8);
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

int bsql_search_register(sqlite3 *db)
{
	return sqlite3_create_module_v2(db, "bitsift_search", &MODULE, NULL, NULL);
}
