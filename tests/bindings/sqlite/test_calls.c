/* test_calls.c: tests what the SQLite shell cannot do: statements that outlive their table,
 * extended result codes, changes under an open statement, interrupts. The first argument is the
 * extension's file. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include <sqlite3.h>

#include "tests/rigs/test.h"

static const char *extension;
static char dir[] = "/tmp/bitsift-sqlite-XXXXXX";

static sqlite3 *open_database(const char *name)
{
	char path[80], *message = NULL;
	sqlite3 *db;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(sqlite3_open(*name ? path : ":memory:", &db), SQLITE_OK);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
	if (sqlite3_load_extension(db, extension, NULL, &message))
		fail_msg("%s", message);
	return db;
}

static void run(sqlite3 *db, const char *sql)
{
	char *message = NULL;
	if (sqlite3_exec(db, sql, NULL, NULL, &message))
		fail_msg("%s: %s", sql, message);
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement;
	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	return statement;
}

/* Returns the first column of all rows as text, separated by spaces, and resets the statement. */
static const char *rows_of(sqlite3_stmt *statement)
{
	static char rows[400];
	rows[0] = '\0';
	while (sqlite3_step(statement) == SQLITE_ROW)
		snprintf(rows + strlen(rows), sizeof(rows) - strlen(rows), "%s%s", *rows ? " " : "",
		         (const char *)sqlite3_column_text(statement, 0));
	if (sqlite3_reset(statement))
		fail_msg("%s", sqlite3_errmsg(sqlite3_db_handle(statement)));
	return rows;
}

static const char *ask(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement = prepare(db, sql);
	const char *rows = rows_of(statement);
	sqlite3_finalize(statement);
	return rows;
}

static void make(const char *name, const char *columns, const char *row)
{
	sqlite3 *db = open_database(name);
	char *sql = sqlite3_mprintf(
		"CREATE VIRTUAL TABLE t USING bitsift(%s); INSERT INTO t VALUES(%s)", columns, row);
	run(db, sql);
	sqlite3_free(sql);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void attach(sqlite3 *db, const char *name)
{
	char sql[100];
	snprintf(sql, sizeof(sql), "ATTACH '%s/%s' AS x", dir, name);
	run(db, sql);
}

/* Attaches another file under the same name while a statement on the old one is kept. */
static void test_attach(void **state)
{
	make("one", "a", "'one word'");
	make("two", "a", "'two word'");
	make("three", "b, c, d", "'three', 'word', 'four'");
	sqlite3 *db = open_database("");
	attach(db, "one");
	sqlite3_stmt *kept = prepare(db, "SELECT * FROM x.t('one OR two OR three')");
	assert_string_equal(rows_of(kept), "one word");
	run(db, "DETACH x");
	attach(db, "two");
	assert_string_equal(ask(db, "SELECT a FROM x.t('one')"), "");
	assert_string_equal(ask(db, "SELECT a FROM x.t('two')"), "two word");
	assert_string_equal(rows_of(kept), "two word");
	run(db, "DETACH x");
	attach(db, "three");
	assert_string_equal(ask(db, "SELECT d FROM x.t('c:word')"), "four");
	assert_string_equal(rows_of(kept), "three");
	run(db, "INSERT INTO x.t VALUES('five', 'six', 'seven')");
	assert_string_equal(ask(db, "SELECT d FROM x.t WHERE b MATCH 'five'"), "seven");
	sqlite3_finalize(kept);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Another table takes the name: in a transaction that is rolled back, and by another connection. */
static void test_made_anew(void **state)
{
	make("anew", "a", "'one'");
	sqlite3 *db = open_database("anew"), *other = open_database("anew");
	sqlite3_stmt *kept = prepare(db, "SELECT * FROM t('one')");
	assert_string_equal(rows_of(kept), "one");
	run(db, "BEGIN; DROP TABLE t; CREATE VIRTUAL TABLE t USING bitsift(b, c); INSERT INTO t "
	        "VALUES('two', 'one')");
	assert_string_equal(rows_of(kept), "two");
	run(db, "ROLLBACK");
	assert_string_equal(rows_of(kept), "one");
	run(db, "INSERT INTO t VALUES('three')");
	assert_string_equal(ask(db, "SELECT a FROM t('three')"), "three");
	run(other, "DROP TABLE t; CREATE VIRTUAL TABLE t USING bitsift(b, c); INSERT INTO t "
	           "VALUES('two', 'one')");
	assert_string_equal(rows_of(kept), "two");
	run(db, "INSERT INTO t VALUES('four', 'five')");
	assert_string_equal(ask(other, "SELECT b FROM t('c:five')"), "four");
	sqlite3_finalize(kept);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_int_equal(sqlite3_close(other), SQLITE_OK);
}

static void test_extended_codes(void **state)
{
	sqlite3 *db = open_database("");
	run(db,
	    "CREATE VIRTUAL TABLE t USING bitsift(a); INSERT INTO t(rowid, a) VALUES(1, 'one')");
	sqlite3_extended_result_codes(db, 1);
	run(db, "INSERT OR IGNORE INTO t(rowid, a) VALUES(1, 'two'), (2, 'three')");
	assert_string_equal(ask(db, "SELECT a FROM t('one OR two OR three') ORDER BY rowid"),
	                    "one three");
	assert_int_equal(
		sqlite3_exec(db, "INSERT INTO t(rowid, a) VALUES(1, 'x')", NULL, NULL, NULL) & 0xff,
		SQLITE_CONSTRAINT);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Rows ahead of an open statement are deleted, or no longer match. */
static void test_changes_ahead(void **state)
{
	static const char *const orders[] = {"", " ORDER BY rank", " ORDER BY rowid DESC"};
	for (size_t i = 0; i < 3; i++) {
		sqlite3 *db = open_database("");
		char sql[100];
		run(db, "CREATE VIRTUAL TABLE t USING bitsift(a); "
		        "INSERT INTO t VALUES('w'), ('w'), ('w'), ('w'), ('w'), ('w')");
		snprintf(sql, sizeof(sql), "SELECT a, rowid FROM t('w')%s", orders[i]);
		sqlite3_stmt *statement = prepare(db, sql);
		unsigned n = 0;
		while (sqlite3_step(statement) == SQLITE_ROW && ++n)
			if (n == 1)
				run(db, "DELETE FROM t WHERE rowid IN (2, 5);"
				        "UPDATE t SET a = 'x' WHERE rowid = 3;"
				        "UPDATE t SET a = 'w w' WHERE rowid = 4");
		assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
		assert_int_equal(n, 3);
		/* A rollback removes the rows that the statement has not returned yet. */
		run(db, "BEGIN; INSERT INTO t VALUES('w'), ('w')");
		statement = prepare(db, "SELECT a, rowid FROM t('w') ORDER BY rowid");
		for (n = 0; sqlite3_step(statement) == SQLITE_ROW; n++)
			if (n == 0)
				run(db, "ROLLBACK");
		assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
		assert_int_equal(n, 3);
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
	}
}

static atomic_bool is_done;

static void *interrupt_often(void *db)
{
	while (!is_done) {
		usleep(3000);
		sqlite3_interrupt(db);
	}
	return NULL;
}

/* Interrupts a search that reads every row, because the index cannot decide it. */
static void test_interrupt(void **state)
{
	sqlite3 *db = open_database("");
	pthread_t thread;
	run(db, "CREATE VIRTUAL TABLE t USING bitsift(a);"
	        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) "
	        "INSERT INTO t SELECT 'b ' || (i % 7) || ' c d e ' || (i % 11) || ' f b' FROM n");
	sqlite3_stmt *statement =
		prepare(db, "SELECT count(*) FROM t('\"c b\"~30 \"f c\"~30 \"e b\"~40')");
	pthread_create(&thread, NULL, interrupt_often, db);
	int code = sqlite3_step(statement);
	is_done = true;
	pthread_join(thread, NULL);
	sqlite3_finalize(statement);
	assert_int_equal(code, SQLITE_INTERRUPT);
	assert_string_equal(ask(db, "SELECT count(*) FROM t('c')"), "60000");
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Random content tables: table t<i> has the content c<i>, which is a table of two rows, or a view
 * of up to two of the tables t. */
#define N_TABLES 6

struct contents {
	int of[N_TABLES][2]; /* the tables t of which c<i> is a view; -1: none */
};

/* Whether the rows of a table depend on the table itself. `above` is the set of the tables that are
 * being followed, one bit for each. */
static bool is_recursive(const struct contents *contents, int table, unsigned above)
{
	if (above >> table & 1)
		return true;
	for (int i = 0; i < 2; i++)
		if (contents->of[table][i] >= 0 &&
		    is_recursive(contents, contents->of[table][i], above | 1u << table))
			return true;
	return false;
}

static void make_contents(sqlite3 *db, struct contents *contents)
{
	char sql[400];
	for (int table = 0; table < N_TABLES; table++) {
		int a = contents->of[table][0] = rand() % (N_TABLES + 2) - 2, b = -1;
		if (a >= 0)
			b = contents->of[table][1] = rand() % (2 * N_TABLES) - N_TABLES;
		contents->of[table][0] = a < 0 ? -1 : a;
		contents->of[table][1] = b < 0 ? -1 : b;
		if (a < 0)
			snprintf(sql, sizeof(sql),
			         "CREATE TABLE c%d(id INTEGER PRIMARY KEY, a);"
			         "INSERT INTO c%d VALUES(1, 'alpha beta'), (2, 'gamma')",
			         table, table);
		else if (b < 0)
			snprintf(sql, sizeof(sql),
			         "CREATE VIEW c%d AS SELECT rowid AS id, a FROM t%d", table, a);
		else
			snprintf(sql, sizeof(sql),
			         "CREATE VIEW c%d AS SELECT rowid AS id, a FROM t%d UNION "
			         "SELECT rowid, a FROM t%d",
			         table, a, b);
		run(db, sql);
	}
	for (int table = 0; table < N_TABLES; table++) {
		snprintf(sql, sizeof(sql),
		         "CREATE VIRTUAL TABLE t%d USING bitsift(a, content = 'c%d', "
		         "content_rowid = 'id')",
		         table, table);
		run(db, sql);
	}
}

static void check_contents(sqlite3 *db, const struct contents *contents, int table)
{
	static const char *const statements[] = {"SELECT count(*) FROM t%d",
	                                         "INSERT INTO t%d(t%d) VALUES('rebuild')",
	                                         "SELECT a FROM t%d('\"alpha beta\"')",
	                                         "INSERT INTO t%d(t%d) VALUES('integrity-check')"};
	bool is_wrong = is_recursive(contents, table, 0);
	for (size_t i = 0; i < COUNT(statements); i++) {
		char sql[100];
		snprintf(sql, sizeof(sql), statements[i], table, table);
		int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
		/* A search of an index without rows does not read the content. */
		if (is_wrong && i < 2)
			assert_int_equal(code, SQLITE_ERROR);
		else if (!is_wrong)
			assert_int_equal(code, SQLITE_OK);
		if (code)
			assert_non_null(strstr(sqlite3_errmsg(db), "recursively defined table t"));
		sqlite3_snprintf(sizeof(sql), sql, "SELECT count(*) FROM t%d('\"alpha beta\"')",
		                 table);
		if (!is_wrong && i > 0)
			assert_string_equal(ask(db, sql), "1");
	}
}

static void test_recursive_contents(void **state)
{
	int n_wrong = 0;
	srand(1);
	for (int round = 0; round < 40; round++) {
		struct contents contents;
		sqlite3 *db = open_database("");
		make_contents(db, &contents);
		for (int table = 0; table < N_TABLES; table++) {
			check_contents(db, &contents, table);
			n_wrong += is_recursive(&contents, table, 0);
		}
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
	}
	assert_in_range(n_wrong, 40, 200);
}

/* Tables that read one another, to the greatest depth that the extension allows, and one deeper. */
static void test_deep_contents(void **state)
{
	sqlite3 *db = open_database("");
	char sql[200];
	int code = SQLITE_OK, n = 0;
	run(db, "CREATE TABLE t0(a); INSERT INTO t0 VALUES('alpha beta'), ('gamma')");
	while (!code && n < 100) {
		n++;
		snprintf(sql, sizeof(sql),
		         "CREATE VIRTUAL TABLE t%d USING bitsift(a, content = 't%d');"
		         "INSERT INTO t%d(t%d) VALUES('rebuild')",
		         n, n - 1, n, n);
		code = sqlite3_exec(db, sql, NULL, NULL, NULL);
	}
	assert_int_equal(code, SQLITE_ERROR);
	assert_non_null(
		strstr(sqlite3_errmsg(db), "tables read or write one another more than 32 deep"));
	assert_int_equal(n, 33);
	assert_string_equal(ask(db, "SELECT count(*) FROM t32('\"alpha beta\"')"), "1");
	run(db, "INSERT INTO t32(t32) VALUES('integrity-check')");
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

int main(int argc, char **argv)
{
	char command[80];
	if (argc < 2 || !mkdtemp(dir))
		return 2;
	extension = argv[1];
	int n_failed = RUN_NAMES(NULL, NULL, NULL, NULL, test_attach, test_made_anew,
	                         test_extended_codes, test_changes_ahead, test_interrupt,
	                         test_recursive_contents, test_deep_contents);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) || n_failed;
}
