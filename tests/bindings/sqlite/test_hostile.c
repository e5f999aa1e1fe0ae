/*
 * test_hostile.c: tables with hostile names, columns and texts (tests/rigs/hostile.h). Each row has
 * a unique word, which must find the row after each transaction, after reopening the database, and
 * after integrity-check, optimize and rebuild.
 *
 * Usage: test_sqlite_hostile EXTENSION [N_ROUNDS [SEED]]
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "tests/rigs/hostile.h"
#include "tests/rigs/random_rounds.h"

#define MOST_COLUMNS 4
#define MOST_ROWS    64
#define NAME_BYTES   200

struct row {
	sqlite3_int64 id;
	char word[16];
	int column;
	bool is_dead;
};

static const char *extension;
static unsigned long long seed;
static struct hostile hostile;
static sqlite3 *db;
static char path[64], folder[] = "/tmp/bitsift-sqlite-XXXXXX";
static char *table, *columns[MOST_COLUMNS];
static char *column_list; /* the quoted names of the columns */
static int n_columns;
static bool is_utf16;
static struct row rows[MOST_ROWS];
static size_t n_rows;
static unsigned long long n_words, n_found;

static void fail(const char *step, const struct row *row, const char *what)
{
	fprintf(stderr, "seed %llu, %s: %s", seed, step, what);
	if (row)
		fprintf(stderr, "; row %lld, word %s, column %d", (long long)row->id, row->word,
		        row->column);
	fprintf(stderr, "; table %s\n",
	        table ? bytes_shown((struct bytes){table, strlen(table)}) : "-");
	exit(1);
}

static uint64_t below(uint64_t bound)
{
	return hostile_below(&hostile, bound);
}

static int run(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *sql = sqlite3_vmprintf(format, arguments);
	va_end(arguments);
	int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_free(sql);
	return code;
}

#define must_run(...) (run(__VA_ARGS__) ? fail(#__VA_ARGS__, NULL, sqlite3_errmsg(db)) : (void)0)

static void open_database(void)
{
	char *message = NULL;
	if (sqlite3_open(path, &db))
		fail("open", NULL, sqlite3_errmsg(db));
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
	if (sqlite3_load_extension(db, extension, NULL, &message))
		fail("load", NULL, message);
	must_run("PRAGMA synchronous = OFF");
}

/* Replaces U+FFFE and U+FFFF by U+FFFD, as SQLite does in a UTF-16 database. There, names with the
 * original characters do not find columns, in tables of any kind. */
static void spell_as_utf16(char *name)
{
	for (char *at = name; (at = strstr(at, "\xef\xbf")) != NULL; at += 2)
		if (at[2] == '\xbe' || at[2] == '\xbf')
			at[2] = '\xbd';
}

/* Makes a valid SQL name: UTF-8 without NUL, usually short. */
static char *make_name(const char *end)
{
	struct bytes bytes = hostile_string(&hostile), text;
	bytes.n = bytes.n < NAME_BYTES || below(4) == 0 ? bytes.n : NAME_BYTES;
	text = hostile_as_text(bytes, true);
	bytes_put(&text, end, strlen(end));
	free(bytes.data);
	if (is_utf16)
		spell_as_utf16(text.data);
	return text.data;
}

static bool is_taken(const char *name)
{
	for (int i = 0; i < n_columns; i++)
		if (sqlite3_stricmp(columns[i], name) == 0)
			return true;
	return sqlite3_stricmp(name, table) == 0;
}

/* Creates the table. If the extension refuses the hostile names, plain names are used. */
static void make_table(void)
{
	static const char *const ends[] = {"", "", "x1", "x2"};
	is_utf16 = below(3) == 0;
	must_run("PRAGMA encoding = '%s'", is_utf16 ? "UTF-16le" : "UTF-8");
	table = make_name("_t");
	n_columns = 0;
	for (int wanted = 1 + (int)below(MOST_COLUMNS); wanted > 0; wanted--) {
		char *name = make_name(ends[below(4)]);
		if (is_taken(name))
			free(name);
		else
			columns[n_columns++] = name;
	}
	while (n_columns == 0)
		columns[n_columns++] = strdup("only");
	for (int attempt = 0; attempt < 2; attempt++) {
		sqlite3_str *list = sqlite3_str_new(db);
		for (int i = 0; i < n_columns; i++)
			sqlite3_str_appendf(list, "%s\"%w\"", i ? ", " : "", columns[i]);
		sqlite3_free(column_list);
		column_list = sqlite3_str_finish(list);
		if (!run("CREATE VIRTUAL TABLE \"%w\" USING bitsift(%s)", table, column_list))
			return;
		if (attempt > 0)
			fail("create", NULL, sqlite3_errmsg(db));
		free(table);
		table = strdup("plain");
		for (int i = 0; i < n_columns; i++) {
			free(columns[i]);
			if (asprintf(&columns[i], "c%d", i) < 0)
				abort();
		}
	}
}

static void free_names(void)
{
	free(table);
	table = NULL;
	sqlite3_free(column_list);
	column_list = NULL;
	for (int i = 0; i < n_columns; i++)
		free(columns[i]);
}

static struct bytes text_around(const char *word)
{
	struct bytes text = below(2) ? hostile_bytes(&hostile) : bytes_of(NULL, 0);
	bytes_put(&text, "\n", 1);
	bytes_put(&text, word, strlen(word));
	bytes_put(&text, "\n", 1);
	if (below(3) == 0) {
		struct bytes more = hostile_bytes(&hostile);
		bytes_put(&text, more.data, more.n);
		free(more.data);
	}
	return text;
}

static void bind_value(sqlite3_stmt *statement, int at, const char *word)
{
	struct bytes text = word ? text_around(word) : hostile_bytes(&hostile);
	/* In a UTF-16 database, SQLite would truncate or corrupt invalid text; it is not tested. */
	if (is_utf16) {
		struct bytes valid = hostile_as_text(text, true);
		free(text.data);
		text = valid;
	}
	if (!word && below(4) == 0)
		sqlite3_bind_null(statement, at);
	else if (!word && below(4) == 0)
		sqlite3_bind_int64(statement, at, (sqlite3_int64)hostile.random);
	else if (!is_utf16 && below(4) == 0)
		sqlite3_bind_blob64(statement, at, text.data, text.n, SQLITE_TRANSIENT);
	else
		sqlite3_bind_text64(statement, at, text.data, text.n, SQLITE_TRANSIENT,
		                    SQLITE_UTF8);
	free(text.data);
}

static struct row *live_row(void)
{
	struct row *row = n_rows ? &rows[below(n_rows)] : NULL;
	return row && !row->is_dead ? row : NULL;
}

/* Inserts a row, or replaces the given one. */
static void put_row(struct row *replaced)
{
	static const sqlite3_int64 ids[] = {INT64_MIN, INT64_MIN + 1, -1,       0,
	                                    1,         INT64_MAX - 1, INT64_MAX};
	struct row *row = &rows[n_rows++];
	*row = (struct row){.column = (int)below((uint64_t)n_columns)};
	row->id = replaced   ? replaced->id
	          : below(4) ? (sqlite3_int64)below(1u << 30)
	                     : ids[below(sizeof(ids) / sizeof(*ids))];
	unsigned long long n = n_words++;
	row->word[0] = 'q';
	for (int i = 1; i < 7; i++, n /= 20)
		row->word[i] = "abcdefghijklmnoprstv"[n % 20];
	for (size_t i = 0; i + 1 < n_rows; i++)
		rows[i].is_dead |= rows[i].id == row->id;
	/* as many of the parameters as there are columns */
	char *text = sqlite3_mprintf("REPLACE INTO \"%w\"(rowid, %s) VALUES(?1%.*s)", table,
	                             column_list, 4 * n_columns, ", ?2, ?3, ?4, ?5");
	sqlite3_stmt *statement;
	if (sqlite3_prepare_v2(db, text, -1, &statement, NULL))
		fail("insert", row, sqlite3_errmsg(db));
	sqlite3_bind_int64(statement, 1, row->id);
	for (int i = 0; i < n_columns; i++)
		bind_value(statement, i + 2, i == row->column ? row->word : NULL);
	if (sqlite3_step(statement) != SQLITE_DONE)
		fail("insert", row, sqlite3_errmsg(db));
	sqlite3_finalize(statement);
	sqlite3_free(text);
}

static bool is_typable(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
	return n > 0 && n < 256 && !name[n] && strcmp(name, "AND") != 0 &&
	       strcmp(name, "OR") != 0 && strcmp(name, "NOT") != 0;
}

static void expect_row(const char *step, const struct row *row, bool in_column)
{
	sqlite3_stmt *statement;
	char *sql = sqlite3_mprintf("SELECT rowid FROM \"%w\" WHERE \"%w\" MATCH ?1", table, table);
	char *query = sqlite3_mprintf("%s%s%s", in_column ? columns[row->column] : "",
	                              in_column ? ":" : "", row->word);
	int n = 0;
	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL))
		fail(step, row, sqlite3_errmsg(db));
	sqlite3_bind_text(statement, 1, query, -1, SQLITE_STATIC);
	while (sqlite3_step(statement) == SQLITE_ROW) {
		n++;
		if (sqlite3_column_int64(statement, 0) != row->id)
			fail(step, row, "another row has its word");
	}
	if (sqlite3_finalize(statement))
		fail(step, row, sqlite3_errmsg(db));
	if (n != !row->is_dead)
		fail(step, row,
		     in_column ? "it is not found in its column"
		               : "it is not found as often as it should");
	n_found++;
	sqlite3_free(sql);
	sqlite3_free(query);
}

static void expect(const char *step)
{
	for (size_t i = 0; i < n_rows; i++) {
		expect_row(step, &rows[i], false);
		if (!rows[i].is_dead && is_typable(columns[rows[i].column]))
			expect_row(step, &rows[i], true);
	}
}

static void change(void)
{
	struct row *row;
	size_t n_before = n_rows;
	struct row before[MOST_ROWS];
	memcpy(before, rows, sizeof(rows));
	must_run("SAVEPOINT before");
	put_row(live_row());
	must_run("ROLLBACK TO before; RELEASE before");
	memcpy(rows, before, sizeof(rows));
	n_rows = n_before;
	for (uint64_t n = 1 + below(8); n > 0; n--)
		put_row(below(4) ? NULL : live_row());
	if ((row = live_row()) != NULL) {
		must_run("DELETE FROM \"%w\" WHERE rowid = %lld", table, row->id);
		row->is_dead = true;
	}
	if ((row = live_row()) != NULL && row->id < INT64_MAX / 2 && row->id > 0) {
		sqlite3_int64 to = row->id + INT64_MAX / 2;
		must_run("UPDATE \"%w\" SET rowid = %lld WHERE rowid = %lld", table, to, row->id);
		row->id = to;
	}
}

static void command(const char *name)
{
	must_run("INSERT INTO \"%w\"(\"%w\") VALUES('%q')", table, table, name);
	expect(name);
}

static void round_of(void)
{
	snprintf(path, sizeof(path), "%s/%llu", folder, seed);
	open_database();
	make_table();
	change();
	expect("insert");
	must_run("BEGIN");
	change();
	expect("in a transaction");
	must_run("COMMIT");
	expect("commit");
	sqlite3_close(db);
	open_database();
	expect("opened again");
	command("integrity-check");
	change();
	command("optimize");
	command("integrity-check");
	command("rebuild");
	command("integrity-check");
	sqlite3_close(db);
	unlink(path);
	free_names();
	hostile_deinit(&hostile);
	n_rows = 0;
}

int main(int argc, char **argv)
{
	struct random_rounds rounds = random_rounds(argc - 1, argv + 1, 20, 1);
	unsigned long n_rounds = rounds.n;
	extension = argv[1];
	seed = rounds.seed;
	if (!mkdtemp(folder))
		return 1;
	for (unsigned long i = 0; i < n_rounds; i++, seed++) {
		hostile = (struct hostile){.random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1};
		round_of();
	}
	rmdir(folder);
	printf("%lu rounds, %llu rows, found %llu times\n", n_rounds, n_words, n_found);
	return 0;
}
