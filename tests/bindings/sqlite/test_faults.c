/*
 * test_faults.c: makes the n-th allocation or write of SQLite and all later ones fail in a script,
 * for increasing n. Afterwards this connection and another one must find by MATCH what a scan
 * finds, and integrity-check must succeed.
 *
 *      test_sqlite_faults EXTENSION
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

static const char *extension;
static char dir[] = "/tmp/bitsift-sqlite-XXXXXX";

enum kind {
	ALLOCATIONS,
	WRITES,
	N_KINDS
};
static const char *const kind_names[] = {"allocation", "write"};
static struct fault {
	enum kind kind;
	uint64_t left; /* calls up to and including the first that fails; 0: none fails */
	bool has_come;
} fault;

/* Counts a call. After the first failure, all calls of its kind fail, as on a full disk. */
static bool fails(enum kind kind)
{
	if (fault.kind != kind || fault.left == 0)
		return false;
	if (fault.left > 1) {
		fault.left--;
		return false;
	}
	fault.has_come = true;
	return true;
}

static sqlite3_mem_methods memory;

static void *allocate(int n_bytes)
{
	return fails(ALLOCATIONS) ? NULL : memory.xMalloc(n_bytes);
}

static void *reallocate(void *old, int n_bytes)
{
	return fails(ALLOCATIONS) ? NULL : memory.xRealloc(old, n_bytes);
}

static ssize_t (*write_there)(int file, const void *bytes, size_t n_bytes, off_t offset);

static ssize_t write_or_fail(int file, const void *bytes, size_t n_bytes, off_t offset)
{
	if (!fails(WRITES))
		return write_there(file, bytes, n_bytes, offset);
	errno = ENOSPC;
	return -1;
}

static void install_failing_calls(void)
{
	static const char *const names[] = {"pwrite", "pwrite64"};
	sqlite3_mem_methods failing;
	sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory);
	failing = memory;
	failing.xMalloc = allocate;
	failing.xRealloc = reallocate;
	sqlite3_config(SQLITE_CONFIG_MALLOC, &failing);
	sqlite3_initialize();
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	for (size_t i = 0; i < 2; i++) {
		sqlite3_syscall_ptr call = vfs->xGetSystemCall(vfs, names[i]);
		if (!call)
			continue;
		write_there = (ssize_t(*)(int, const void *, size_t, off_t))call;
		vfs->xSetSystemCall(vfs, names[i], (sqlite3_syscall_ptr)write_or_fail);
	}
}

static void die(const char *what, const char *why, uint64_t n)
{
	fprintf(stderr, "%s %llu: %s: %s\n", kind_names[fault.kind], (unsigned long long)n, what,
	        why);
	abort();
}

static sqlite3 *open_database(const char *path)
{
	sqlite3 *db;
	char *message = NULL;
	if (sqlite3_open(path, &db))
		die(path, sqlite3_errmsg(db), 0);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
	if (sqlite3_load_extension(db, extension, NULL, &message))
		die(extension, message, 0);
	sqlite3_exec(
		db,
		"PRAGMA synchronous = OFF; PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 5",
		NULL, NULL, NULL);
	return db;
}

static const char *const script[] = {
	"SELECT count(*) FROM t('fizz -b3')",
	"INSERT INTO t(a, b) VALUES ('fizz', 'one more')",
	"BEGIN",
	"INSERT INTO t(a, b) SELECT 'fizz', 'b' || i FROM numbers WHERE i < 40",
	"SAVEPOINT x",
	"UPDATE t SET a = 'fizz buzz' WHERE rowid % 7 = 0",
	("SELECT snippet(t, 0, '[', ']', '..', 5), bm25(t, 2) "
         "FROM t('\"fizz buzz\"') ORDER BY rank LIMIT 5"),
	"SAVEPOINT y",
	"DELETE FROM t WHERE t MATCH 'b1*'",
	"SELECT count(*) FROM t('a:fizz')",
	"ROLLBACK TO x",
	"UPDATE OR REPLACE t SET rowid = rowid + 1 WHERE rowid % 5 = 0",
	"COMMIT",
	"INSERT INTO t(a, b) SELECT 'fizz', 'c' || i FROM numbers",
	"SELECT highlight(t, 0, '<', '>') FROM t('c1* OR buzz')",
	"INSERT INTO t(t) VALUES ('optimize')",
	"INSERT INTO t(t) VALUES ('rebuild')"};

static int ask(sqlite3 *db, const char *sql, uint64_t n)
{
	sqlite3_stmt *statement;
	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) ||
	    sqlite3_step(statement) != SQLITE_ROW)
		die(sql, sqlite3_errmsg(db), n);
	int value = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	return value;
}

static void check(sqlite3 *db, uint64_t n)
{
	if (ask(db, "SELECT count(*) FROM t('fizz')", n) !=
	            ask(db, "SELECT count(*) FROM t WHERE a LIKE '%fizz%'", n) ||
	    ask(db, "SELECT count(*) FROM t('buzz')", n) !=
	            ask(db, "SELECT count(*) FROM t WHERE a LIKE '%buzz%'", n))
		die("what is found", "not what there is", n);
	if (sqlite3_exec(db, "INSERT INTO t(t) VALUES ('integrity-check')", NULL, NULL, NULL))
		die("integrity-check", sqlite3_errmsg(db), n);
}

static void make(const char *path)
{
	sqlite3 *db = open_database(path);
	char *message = NULL;
	if (sqlite3_exec(db,
	                 "CREATE VIRTUAL TABLE t USING bitsift(a, b); CREATE TABLE numbers(i);"
	                 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
	                 "1500) INSERT INTO numbers SELECT i FROM n;"
	                 "INSERT INTO t SELECT 'fizz', 'b' || i FROM numbers WHERE i < 150;"
	                 "INSERT INTO t VALUES ('buzz', 'pending')",
	                 NULL, NULL, &message))
		die(path, message, 0);
	sqlite3_close(db);
}

/* Runs the script; the n-th and all later calls fail. False: the script made fewer than n calls. */
static bool run_with(const char *journal, enum kind kind, uint64_t n)
{
	char base[40], path[40], command[200], sql[64];
	snprintf(base, sizeof(base), "%s/base", dir);
	snprintf(path, sizeof(path), "%s/db", dir);
	snprintf(command, sizeof(command), "rm -f %s*; cp %s %s", path, base, path);
	fault = (struct fault){.kind = kind};
	if (system(command))
		die(command, "failed", n);
	sqlite3 *db = open_database(path);
	snprintf(sql, sizeof(sql), "PRAGMA journal_mode = %s", journal);
	sqlite3_exec(db, sql, NULL, NULL, NULL);
	fault.left = n;
	for (size_t i = 0; i < sizeof(script) / sizeof(*script); i++)
		if (sqlite3_exec(db, script[i], NULL, NULL, NULL) && !fault.has_come)
			die(script[i], sqlite3_errmsg(db), n);
	bool has_come = fault.has_come;
	fault.left = 0;
	fault.has_come = false;
	if (!sqlite3_get_autocommit(db))
		sqlite3_exec(db, n % 2 ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL);
	check(db, n);
	sqlite3 *other = open_database(path);
	check(other, n);
	if (sqlite3_close(other) || sqlite3_close(db))
		die("a connection", "cannot be closed", n);
	return has_come;
}

int main(int argc, char **argv)
{
	static const char *const journals[] = {"wal", "delete"};
	char path[64], command[80];
	unsigned n_runs = 0;
	if (argc < 2 || !mkdtemp(dir))
		return 2;
	extension = argv[1];
	install_failing_calls();
	snprintf(path, sizeof(path), "%s/base", dir);
	make(path);
	for (enum kind kind = ALLOCATIONS; kind < N_KINDS; kind++)
		for (size_t i = 0; i < 2; i++)
			/* n grows by increasing steps, because late failures are alike. */
			for (uint64_t n = 1; run_with(journals[i], kind, n); n += 1 + n / 12)
				n_runs++;
	printf("%u runs with a failure: nothing is lost\n", n_runs);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}
