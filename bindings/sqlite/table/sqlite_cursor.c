/*
 * sqlite_cursor.c: see sqlite_cursor.h. With MATCH, xFilter finds all hits as rowids; a row is read
 * when one of its columns is used. Three things are postponed, because most queries do not need
 * them:
 *
 * - rowids, if the statement uses no column (PLAN_COUNT): the hits are only counted (is_counted)
 *   until a rowid is requested;
 * - hits after the first FIRST_HITS, if they are ordered by rank and no LIMIT is known
 *   (is_partial);
 * - scores, unless the statement uses the column rank with the table's weights (is_scored).
 */
#include "bindings/sqlite/table/sqlite_cursor.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/sqlite/table/sqlite_plan.h"
#include "bindings/sqlite/table/sqlite_weighted.h"
#include "core/bitsift/query.h"

SQLITE_EXTENSION_INIT3

/* An ORDER BY rank without a LIMIT first finds FIRST_HITS hits. Each time more are needed, the
 * number grows by MORE_FACTOR. */
#define FIRST_HITS  100u
#define MORE_FACTOR 10u

struct bsql_cursor {
	sqlite3_vtab_cursor base;
	struct bsql_table *table;
	struct bsql_cursor *next;            /* in the list of the registry */
	int plan;                            /* flags PLAN_... of sqlite_plan.h */
	sqlite3_int64 least_id, greatest_id; /* the bounds of rowids, inclusive */
	/* without MATCH: the scan of the rows; with MATCH: the lookup of a row */
	sqlite3_stmt *row;
	enum bsql_statement row_kind; /* which statement `row` is */
	bool is_row_read;             /* `row` is at the current row */
	bool is_at_end;               /* no more rows; with MATCH: the arguments exclude all rows */
	char *query;                  /* all MATCH operands joined; NULL: none */
	size_t query_bytes;
	struct bsql_hits hits;
	size_t at;               /* the position of the current hit */
	uint64_t n_counted;      /* the number of hits, if is_counted */
	bool is_counted;         /* only n_counted is known, not `hits` */
	bool is_partial;         /* there may be more hits after `hits` */
	uint64_t view;           /* the index's view when the hits were found */
	uint64_t n_changes;      /* the index's n_changes when the hits were found */
	struct bsql_hits scored; /* all hits with scores, sorted by id; valid if is_scored */
	bool is_scored;
	struct bs_query *asked; /* the parsed query, for `places`; NULL until it is needed */
	unsigned char *weights; /* weights for rank, given in the statement; NULL: the table's */
	struct bsql_weighted *weighted; /* scores with other weights; NULL until it is needed */
	struct bs_text *texts; /* buffer for the indexed texts of the current row; NULL: none yet */
	struct bs_query_result places; /* the places of the query's words in `texts` */
	bool has_places;               /* `places` and `texts` are those of the current row */
};

static int fail(struct bsql_cursor *cursor, int code)
{
	sqlite3_free(cursor->table->base.zErrMsg);
	cursor->table->base.zErrMsg = sqlite3_mprintf("%s", bsql_index_error(cursor->table->index));
	return code;
}

static struct bsql_shadow *shadow_of(const struct bsql_cursor *cursor)
{
	return bsql_index_shadow(cursor->table->index);
}

static const struct bsql_declaration *declaration_of(const struct bsql_cursor *cursor)
{
	return bsql_index_declaration(cursor->table->index);
}

int bsql_cursor_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor_out)
{
	struct bsql_table *table = (struct bsql_table *)vtab;
	struct bsql_cursor *cursor = calloc(1, sizeof(*cursor));
	if (!cursor)
		return SQLITE_NOMEM;
	cursor->table = table;
	cursor->next = table->registry->cursors;
	table->registry->cursors = cursor;
	*cursor_out = &cursor->base;
	return SQLITE_OK;
}

/* Resets the cursor to its initial state. Caches or finalizes its statement. */
static void reset(struct bsql_cursor *cursor)
{
	sqlite3_stmt **kept = &shadow_of(cursor)->statements[cursor->row_kind];
	sqlite3_reset(cursor->row);
	if (cursor->row && !*kept && !shadow_of(cursor)->has_virtual_content)
		*kept = cursor->row;
	else
		sqlite3_finalize(cursor->row);
	cursor->row = NULL;
	sqlite3_free(cursor->query);
	cursor->query = NULL;
	bsql_hits_deinit(&cursor->scored);
	bs_query_free(cursor->asked);
	cursor->asked = NULL;
	free(cursor->texts);
	cursor->texts = NULL;
	sqlite3_free(cursor->weights);
	cursor->weights = NULL;
	bsql_weighted_free(cursor->weighted);
	cursor->weighted = NULL;
	cursor->hits.n = cursor->at = 0;
	cursor->n_counted = 0;
	cursor->is_row_read = cursor->is_at_end = cursor->is_counted = cursor->is_partial =
		cursor->has_places = false;
	cursor->is_scored = false;
}

int bsql_cursor_close(sqlite3_vtab_cursor *base)
{
	struct bsql_cursor *cursor = (struct bsql_cursor *)base,
			   **at = &cursor->table->registry->cursors;
	while (*at != cursor)
		at = &(*at)->next;
	*at = cursor->next;
	reset(cursor);
	bsql_hits_deinit(&cursor->hits);
	free(cursor);
	return SQLITE_OK;
}

/* Takes the statement out of the shadow's cache, or prepares one if the cache lacks it. */
static int take_statement(struct bsql_cursor *cursor, enum bsql_statement which)
{
	struct bsql_shadow *shadow = shadow_of(cursor);
	cursor->row_kind = which;
	cursor->row = shadow->statements[which];
	shadow->statements[which] = NULL;
	if (cursor->row)
		sqlite3_reset(cursor->row);
	return cursor->row ? SQLITE_OK : bsql_shadow_new_statement(shadow, which, &cursor->row);
}

static bool wants_scores(const struct bsql_cursor *cursor)
{
	return cursor->plan & (PLAN_BY_RANK | PLAN_SCORES);
}

/* Finds the hits whose ids are within the bounds, sorted by id (descending if PLAN_DOWN). */
static int find_within(struct bsql_cursor *cursor)
{
	const struct bsql_hits *all;
	int code = bsql_index_find_all(cursor->table->index, cursor->query, cursor->query_bytes,
	                               wants_scores(cursor), &all);
	if (code)
		return fail(cursor, code);
	cursor->view = bsql_index_view(cursor->table->index);
	cursor->n_changes = bsql_index_n_changes(cursor->table->index);
	code = bsql_hits_add_range(&cursor->hits, all, cursor->least_id, cursor->greatest_id);
	if (!code && cursor->plan & PLAN_DOWN)
		bsql_hits_turn_around(&cursor->hits);
	return code;
}

/* limit: the maximum number of hits, the best ones if they are scored; 0: all. */
static int find_hits(struct bsql_cursor *cursor, size_t limit)
{
	bool have_scores = wants_scores(cursor);
	uint64_t n;
	int code = bsql_index_find(cursor->table->index, cursor->query, cursor->query_bytes,
	                           have_scores ? BS_SEARCH_TOP : BS_SEARCH_IDS, limit,
	                           &cursor->hits, &n);
	if (code)
		return fail(cursor, code);
	cursor->view = bsql_index_view(cursor->table->index);
	cursor->n_changes = bsql_index_n_changes(cursor->table->index);
	bsql_hits_keep(&cursor->hits, cursor->least_id, cursor->greatest_id);
	if (cursor->plan & PLAN_BY_ID)
		code = bsql_hits_sort_by_id(&cursor->hits);
	if (cursor->plan & PLAN_DOWN)
		bsql_hits_turn_around(&cursor->hits);
	return code;
}

static int count_hits(struct bsql_cursor *cursor)
{
	int code = bsql_index_find(cursor->table->index, cursor->query, cursor->query_bytes,
	                           BS_SEARCH_COUNT, 0, NULL, &cursor->n_counted);
	cursor->is_counted = !code;
	cursor->view = bsql_index_view(cursor->table->index);
	return code ? fail(cursor, code) : SQLITE_OK;
}

static int abort_walk(struct bsql_cursor *cursor)
{
	sqlite3_free(cursor->table->base.zErrMsg);
	cursor->table->base.zErrMsg =
		sqlite3_mprintf("%s was changed under a query", declaration_of(cursor)->table);
	return SQLITE_ABORT;
}

/* Finds the ids of hits that were only counted. Fails if the index has changed since then. */
static int name_counted(struct bsql_cursor *cursor)
{
	uint64_t view = cursor->view;
	cursor->is_counted = false;
	int code = find_hits(cursor, 0);
	return code || (view == cursor->view && cursor->hits.n == cursor->n_counted)
	               ? code
	               : abort_walk(cursor);
}

/* Searches again for more hits. n: their total number; 0: all. Fails if the index has changed since
 * the last search. */
static int find_more(struct bsql_cursor *cursor, size_t n)
{
	uint64_t view = cursor->view;
	int code = find_hits(cursor, n);
	cursor->is_partial = n > 0 && cursor->hits.n == n;
	return code || view == cursor->view ? code : abort_walk(cursor);
}

int bsql_cursors_complete(struct bsql_table *table)
{
	int code = SQLITE_OK;
	for (struct bsql_cursor *cursor = table->registry->cursors; cursor && !code;
	     cursor = cursor->next) {
		if (cursor->table->index != table->index)
			continue;
		if (cursor->is_counted && cursor->at < cursor->n_counted)
			code = name_counted(cursor);
		else if (cursor->is_partial)
			code = find_more(cursor, 0);
	}
	return code;
}

/* True if parentheses and quotes of a query are balanced, so that it can be put in parentheses. */
static bool is_balanced(const char *query, size_t query_bytes)
{
	size_t depth = 0;
	bool is_quoted = false;
	for (size_t i = 0; i < query_bytes; i++) {
		is_quoted ^= query[i] == '"';
		depth += !is_quoted && query[i] == '(';
		if (!is_quoted && query[i] == ')' && depth-- == 0)
			return false;
	}
	return depth == 0 && !is_quoted;
}

/* True if the name can be written before a colon in a query. */
static bool is_nameable(const char *name)
{
	for (const char *at = name; *at; at++)
		if (strchr(" \t\r\n\f\"():*?^~<>=,;!&|'+[]{}/", *at))
			return false;
	return name[0] != '-';
}

static int refuse(struct bsql_cursor *cursor, char *message)
{
	sqlite3_free(cursor->table->base.zErrMsg);
	cursor->table->base.zErrMsg = message;
	return SQLITE_ERROR;
}

/* Adds the operand of a MATCH to the query. column: the column that is searched; -1: the whole
 * table. */
static int add_query(struct bsql_cursor *cursor, int column, sqlite3_value *value)
{
	const struct bsql_column *of = column < 0 ? NULL : &declaration_of(cursor)->columns[column];
	const char *text = (const char *)sqlite3_value_text(value);
	size_t n_bytes = (size_t)sqlite3_value_bytes(value);
	bool is_alone = !of && !cursor->query;
	if (!text && sqlite3_value_type(value) != SQLITE_NULL)
		return SQLITE_NOMEM;
	if (!text || (of && !of->is_indexed)) {
		cursor->is_at_end = true;
		return SQLITE_OK;
	}
	if (n_bytes > BS_QUERY_MAX_BYTES)
		return refuse(cursor,
		              sqlite3_mprintf("a query of more than %u bytes", BS_QUERY_MAX_BYTES));
	if (!is_alone && (!is_balanced(text, n_bytes) ||
	                  (cursor->query && !is_balanced(cursor->query, cursor->query_bytes))))
		return refuse(cursor, sqlite3_mprintf("brackets and quotes must be balanced in a "
		                                      "query for one column, or one of several "
		                                      "queries: %s",
		                                      text));
	if (of && !is_nameable(of->name))
		return refuse(cursor,
		              sqlite3_mprintf("a column named \"%s\" cannot be searched by itself",
		                              of->name));
	sqlite3_str *joined = sqlite3_str_new(NULL);
	if (cursor->query) {
		sqlite3_str_appendall(joined, "(");
		sqlite3_str_append(joined, cursor->query, (int)cursor->query_bytes);
		sqlite3_str_appendall(joined, ") ");
	}
	if (of)
		sqlite3_str_appendf(joined, "%s:", of->name);
	sqlite3_str_appendall(joined, is_alone ? "" : "(");
	sqlite3_str_append(joined, text, (int)n_bytes);
	sqlite3_str_appendall(joined, is_alone ? "" : ")");
	int code = sqlite3_str_errcode(joined);
	cursor->query_bytes = (size_t)sqlite3_str_length(joined);
	sqlite3_free(cursor->query);
	cursor->query = sqlite3_str_finish(joined);
	if (!cursor->query && !code)
		cursor->query = sqlite3_mprintf("");
	return cursor->query ? SQLITE_OK : code ? code : SQLITE_NOMEM;
}

/* Only integers narrow the range; SQLite evaluates other bounds itself. */
static void add_bound(struct bsql_cursor *cursor, char letter, sqlite3_value *value)
{
	if (sqlite3_value_type(value) != SQLITE_INTEGER)
		return;
	sqlite3_int64 id = sqlite3_value_int64(value);
	bool is_below = letter == ARG_BELOW || letter == ARG_TO, is_equal = letter == ARG_EQUAL;
	if ((letter == ARG_ABOVE && id == INT64_MAX) || (letter == ARG_BELOW && id == INT64_MIN)) {
		cursor->is_at_end = true;
		return;
	}
	id += letter == ARG_ABOVE ? 1 : letter == ARG_BELOW ? -1 : 0;
	if (!is_below && id > cursor->least_id)
		cursor->least_id = id;
	if ((is_below || is_equal) && id < cursor->greatest_id)
		cursor->greatest_id = id;
}

static int add_rank(struct bsql_cursor *cursor, sqlite3_value *value)
{
	const char *text = (const char *)sqlite3_value_text(value);
	sqlite3_free(cursor->weights);
	cursor->weights = bsql_weights_new(declaration_of(cursor));
	if (!cursor->weights)
		return SQLITE_NOMEM;
	/* Without MATCH, rank is NULL and equals nothing. */
	cursor->is_at_end |= !(cursor->plan & PLAN_MATCH);
	if (text && bsql_weights_read(cursor->weights, declaration_of(cursor), text))
		return SQLITE_OK;
	return refuse(cursor,
	              sqlite3_mprintf(
			      "rank takes weights, as in 'bm25(3, 1)': whole numbers from 1 to %d",
			      BSQL_MOST_WEIGHT));
}

/* Reads the arguments of xFilter. Without LIMIT or OFFSET, *limit_out is -1 and *offset_out is
 * 0. */
static int read_arguments(struct bsql_cursor *cursor, const char *letters, int argc,
                          sqlite3_value **argv, sqlite3_int64 *limit_out, sqlite3_int64 *offset_out)
{
	int code = SQLITE_OK;
	*limit_out = -1;
	*offset_out = 0;
	for (int i = 0; i < argc && !code && letters && *letters; i++) {
		char letter = *letters++;
		if (letter == ARG_MATCH)
			code = add_query(cursor, -1, argv[i]);
		else if (letter == ARG_COLUMN)
			code = add_query(cursor, (int)strtol(letters, (char **)&letters, 10),
			                 argv[i]);
		else if (letter == ARG_RANK)
			code = add_rank(cursor, argv[i]);
		else if (letter == ARG_LIMIT)
			*limit_out = sqlite3_value_int64(argv[i]);
		else if (letter == ARG_OFFSET)
			*offset_out = sqlite3_value_int64(argv[i]);
		else
			add_bound(cursor, letter, argv[i]);
	}
	return code;
}

/* The number of hits to find, so that those of LIMIT remain after OFFSET; 0: all. */
static size_t limit_of(sqlite3_int64 limit, sqlite3_int64 offset)
{
	if (limit < 0 || offset > INT32_MAX || limit > INT32_MAX)
		return 0;
	return (size_t)(limit + (offset > 0 ? offset : 0));
}

static int filter_match(struct bsql_cursor *cursor, sqlite3_int64 limit, sqlite3_int64 offset)
{
	bool has_bounds = cursor->least_id != INT64_MIN || cursor->greatest_id != INT64_MAX;
	bool is_by_rank = cursor->plan & PLAN_BY_RANK;
	size_t n = cursor->plan & PLAN_BY_ID || (is_by_rank && cursor->plan & PLAN_DOWN)
	                   ? 0
	                   : limit_of(limit, offset);
	if (limit == 0 || cursor->is_at_end || !cursor->query ||
	    cursor->least_id > cursor->greatest_id)
		return SQLITE_OK;
	if (has_bounds && !is_by_rank)
		return find_within(cursor);
	if (n > 0)
		return find_hits(cursor, n);
	if (is_by_rank && !has_bounds && !(cursor->plan & PLAN_DOWN)) {
		int code = find_hits(cursor, FIRST_HITS);
		cursor->is_partial = cursor->hits.n == FIRST_HITS;
		return code;
	}
	return cursor->plan & PLAN_COUNT && !has_bounds ? count_hits(cursor) : find_hits(cursor, 0);
}

static int step_row(struct bsql_cursor *cursor)
{
	int code = bsql_shadow_step(shadow_of(cursor), cursor->row);
	cursor->is_row_read = code == SQLITE_ROW;
	cursor->is_at_end = code != SQLITE_ROW;
	return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : fail(cursor, code);
}

static int filter_rows(struct bsql_cursor *cursor)
{
	if (cursor->is_at_end || cursor->least_id > cursor->greatest_id) {
		cursor->is_at_end = true;
		return SQLITE_OK;
	}
	int code = take_statement(cursor, cursor->plan & PLAN_DOWN ? BSQL_ROWS_DOWN : BSQL_ROWS);
	if (code)
		return fail(cursor, code);
	sqlite3_bind_int64(cursor->row, 1, cursor->least_id);
	sqlite3_bind_int64(cursor->row, 2, cursor->greatest_id);
	return step_row(cursor);
}

int bsql_cursor_filter(sqlite3_vtab_cursor *base, int plan, const char *arguments, int argc,
                       sqlite3_value **argv)
{
	struct bsql_cursor *cursor = (struct bsql_cursor *)base;
	sqlite3_int64 limit, offset;
	int code = bsql_index_refuse_recursion(cursor->table->index);
	if (code)
		return fail(cursor, code);
	reset(cursor);
	cursor->plan = plan;
	cursor->least_id = INT64_MIN;
	cursor->greatest_id = INT64_MAX;
	code = read_arguments(cursor, arguments, argc, argv, &limit, &offset);
	if (code)
		return code;
	return plan & PLAN_MATCH ? filter_match(cursor, limit, offset) : filter_rows(cursor);
}

int bsql_cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid_out)
{
	struct bsql_cursor *cursor = (struct bsql_cursor *)base;
	int code = cursor->is_counted ? name_counted(cursor) : SQLITE_OK;
	if (!code)
		*rowid_out = cursor->plan & PLAN_MATCH ? cursor->hits.ids[cursor->at]
		                                       : sqlite3_column_int64(cursor->row, 0);
	return code;
}

/* Sets is_row_read if the row exists. */
static int look_up_row(struct bsql_cursor *cursor)
{
	sqlite3_int64 id;
	if (cursor->is_row_read)
		return SQLITE_OK;
	int code = bsql_cursor_rowid(&cursor->base, &id);
	if (!code && !cursor->row && (code = take_statement(cursor, BSQL_ROW)))
		return fail(cursor, code);
	if (code)
		return code;
	sqlite3_reset(cursor->row);
	sqlite3_bind_int64(cursor->row, 1, id);
	code = bsql_shadow_step(shadow_of(cursor), cursor->row);
	cursor->is_row_read = code == SQLITE_ROW;
	if (code == SQLITE_DONE)
		sqlite3_reset(cursor->row);
	return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : fail(cursor, code);
}

static int read_row(struct bsql_cursor *cursor)
{
	sqlite3_int64 id;
	int code = look_up_row(cursor);
	if (code || cursor->is_row_read || (code = bsql_cursor_rowid(&cursor->base, &id)))
		return code;
	sqlite3_free(cursor->table->base.zErrMsg);
	cursor->table->base.zErrMsg = sqlite3_mprintf(
		"%s: row %lld is in the index and nowhere else", declaration_of(cursor)->table, id);
	return SQLITE_CORRUPT_VTAB;
}

/* Skips hits that this connection has deleted or changed since they were found, if they no longer
 * match. */
static int skip_changed(struct bsql_cursor *cursor)
{
	const struct bs_query_place *places;
	size_t n;
	int code = SQLITE_OK;
	while (!code && !cursor->is_counted && cursor->at < cursor->hits.n &&
	       cursor->n_changes != bsql_index_n_changes(cursor->table->index)) {
		code = look_up_row(cursor);
		if (!code && cursor->is_row_read)
			code = bsql_cursor_places(cursor, &places, &n);
		if (code || (cursor->is_row_read && cursor->places.is_match))
			break;
		cursor->is_row_read = cursor->has_places = false;
		cursor->at++;
	}
	return code;
}

int bsql_cursor_next(sqlite3_vtab_cursor *base)
{
	struct bsql_cursor *cursor = (struct bsql_cursor *)base;
	if (!(cursor->plan & PLAN_MATCH)) {
		cursor->has_places = false;
		return step_row(cursor);
	}
	cursor->is_row_read = cursor->has_places = false;
	cursor->at++;
	return cursor->is_partial && cursor->at == cursor->hits.n
	               ? find_more(cursor, cursor->hits.n * MORE_FACTOR)
	               : skip_changed(cursor);
}

int bsql_cursor_is_at_end(sqlite3_vtab_cursor *base)
{
	struct bsql_cursor *cursor = (struct bsql_cursor *)base;
	if (!(cursor->plan & PLAN_MATCH))
		return cursor->is_at_end;
	return cursor->is_counted ? cursor->at >= cursor->n_counted : cursor->at >= cursor->hits.n;
}

int bsql_cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	struct bsql_cursor *cursor = (struct bsql_cursor *)base;
	int n_columns = declaration_of(cursor)->n_columns, code;
	double score;
	if (column == n_columns) {
		sqlite3_result_pointer(context, cursor, "bitsift cursor", NULL);
		return SQLITE_OK;
	}
	if (column == n_columns + 1) {
		code = !(cursor->plan & PLAN_MATCH) ? SQLITE_DONE
		       : cursor->weights ? bsql_cursor_score_by(cursor, cursor->weights, &score)
		                         : bsql_cursor_score(cursor, &score);
		if (!code)
			sqlite3_result_double(context, -score);
		return code == SQLITE_DONE ? SQLITE_OK : code;
	}
	/* In an UPDATE, the value of an unchanged column is not needed if the table has
	 * content='...', because then the UPDATE does not write the row. */
	if (sqlite3_vtab_nochange(context) && declaration_of(cursor)->content)
		return SQLITE_OK;
	code = read_row(cursor);
	if (!code)
		sqlite3_result_value(context, sqlite3_column_value(cursor->row, column + 1));
	return code;
}

struct bsql_cursor *bsql_cursor_of(struct bsql_registry *registry, sqlite3_value *value)
{
	struct bsql_cursor *wanted = sqlite3_value_pointer(value, "bitsift cursor"),
			   *cursor = registry->cursors;
	while (cursor && cursor != wanted)
		cursor = cursor->next;
	return cursor && !bsql_cursor_is_at_end(&cursor->base) ? cursor : NULL;
}

static int score_hits(struct bsql_cursor *cursor)
{
	const struct bsql_hits *all;
	int code = bsql_index_find_all(cursor->table->index, cursor->query, cursor->query_bytes,
	                               true, &all);
	if (code)
		return fail(cursor, code);
	code = bsql_hits_add_range(&cursor->scored, all, INT64_MIN, INT64_MAX);
	cursor->is_scored = !code;
	return code;
}

int bsql_cursor_score(struct bsql_cursor *cursor, double *score_out)
{
	sqlite3_int64 id;
	*score_out = 0;
	if (!(cursor->plan & PLAN_MATCH))
		return SQLITE_OK;
	if (wants_scores(cursor)) {
		*score_out = cursor->hits.scores[cursor->at];
		return SQLITE_OK;
	}
	int code = bsql_cursor_rowid(&cursor->base, &id);
	if (!code && !cursor->is_scored)
		code = score_hits(cursor);
	if (code)
		return code;
	size_t at = bsql_hits_from(&cursor->scored, id);
	if (at < cursor->scored.n && cursor->scored.ids[at] == id)
		*score_out = cursor->scored.scores[at];
	return SQLITE_OK;
}

const struct bsql_declaration *bsql_cursor_declaration(const struct bsql_cursor *cursor)
{
	return declaration_of(cursor);
}

const char *bsql_cursor_error(const struct bsql_cursor *cursor)
{
	return cursor->table->base.zErrMsg ? cursor->table->base.zErrMsg
	                                   : bsql_index_error(cursor->table->index);
}

int bsql_cursor_text(struct bsql_cursor *cursor, int column, struct bs_text *text_out,
                     int *number_out)
{
	const struct bsql_declaration *of = declaration_of(cursor);
	if (column < 0 || column >= of->n_columns)
		return SQLITE_RANGE;
	int code = read_row(cursor);
	if (code)
		return code;
	const char *name = of->columns[column].name,
		   *text = (const char *)sqlite3_column_text(cursor->row, column + 1);
	*text_out = (struct bs_text){name, strlen(name), text,
	                             (size_t)sqlite3_column_bytes(cursor->row, column + 1)};
	if (!text && sqlite3_column_type(cursor->row, column + 1) != SQLITE_NULL)
		return SQLITE_NOMEM;
	*number_out = 0;
	for (int i = 0; i < column; i++)
		*number_out += of->columns[i].is_indexed;
	if (!of->columns[column].is_indexed)
		*number_out = -1;
	return SQLITE_OK;
}

static int read_texts(struct bsql_cursor *cursor)
{
	const struct bsql_declaration *of = declaration_of(cursor);
	int code = SQLITE_OK, number;
	if (!cursor->texts &&
	    !(cursor->texts = calloc((size_t)of->n_columns + 1, sizeof(*cursor->texts))))
		return SQLITE_NOMEM;
	for (int i = 0; i < of->n_columns && !code; i++) {
		struct bs_text text = {.text = ""};
		code = bsql_cursor_text(cursor, i, &text, &number);
		text.text = text.text ? text.text : "";
		if (!code && number >= 0)
			cursor->texts[number] = text;
	}
	return code;
}

int bsql_cursor_score_by(struct bsql_cursor *cursor, const unsigned char *weights,
                         double *score_out)
{
	struct bsql_index *index = cursor->table->index;
	int code = SQLITE_OK;
	*score_out = 0;
	if (!(cursor->plan & PLAN_MATCH))
		return SQLITE_OK;
	if (!bsql_weighted_is(cursor->weighted, weights)) {
		bsql_weighted_free(cursor->weighted);
		code = bsql_weighted_new(index, cursor->query, cursor->query_bytes, weights,
		                         &cursor->weighted);
	}
	if (code)
		return fail(cursor, code);
	code = read_texts(cursor);
	return code ? code : bsql_weighted_score(cursor->weighted, cursor->texts, score_out);
}

int bsql_cursor_places(struct bsql_cursor *cursor, const struct bs_query_place **places_out,
                       size_t *n_out)
{
	int code = SQLITE_OK;
	*n_out = 0;
	if (!(cursor->plan & PLAN_MATCH))
		return SQLITE_OK;
	if (!cursor->asked && (code = bsql_index_query(cursor->table->index, cursor->query,
	                                               cursor->query_bytes, NULL, &cursor->asked)))
		return fail(cursor, code);
	if (!cursor->has_places)
		code = read_texts(cursor);
	if (!cursor->has_places && !code &&
	    bs_query_match(cursor->asked, cursor->texts, (size_t)declaration_of(cursor)->n_fields,
	                   &cursor->places, NULL))
		code = SQLITE_NOMEM;
	if (code)
		return code;
	cursor->has_places = true;
	*places_out = cursor->places.places;
	*n_out = cursor->places.is_match ? cursor->places.n_places : 0;
	return SQLITE_OK;
}

const struct bs_text *bsql_cursor_texts(const struct bsql_cursor *cursor, size_t *n_out)
{
	*n_out = (size_t)declaration_of(cursor)->n_fields;
	return cursor->texts;
}
