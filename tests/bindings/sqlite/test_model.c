/*
 * test_model.c: compares a virtual table with a model under random transactions by two connections
 * and by processes that are killed. The model is an array of rows and bs_query_match on each row.
 * Every few steps a connection must find by MATCH exactly the rows that match in its current view.
 *
 *      test_sqlite_model EXTENSION N_TRANSACTIONS SEED [wal|delete] [own|content]
 *
 * content: the rows belong to another table, whose triggers pass changes to the virtual table.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "core/bitsift/query.h"
#include "tests/rigs/dice.h"

#define N_IDS      240u
#define MOST_DEPTH 3u
#define TEXT_BYTES 400

/* Rows by id. The number of a row determines its text; 0: no row. */
struct state {
	uint32_t rows[N_IDS + 1];
};

/* The report of a child process that is killed later; in shared memory. */
struct told {
	struct state committed, in_flight;
	uint64_t n_committed, n_checks;
};

struct connection {
	sqlite3 *db;
	struct state state; /* the connection's view of the table */
	struct state marks[MOST_DEPTH];
	unsigned depth;
	sqlite3_stmt *kept; /* a search prepared once */
	/* False: each statement is a transaction of its own, which put() reports. */
	bool is_in_transaction;
};

static const char *extension, *journal, *written = "t", *asked = "t";
static bool is_external;
static char path[64];
static uint32_t n_texts;
/* Shared with child processes: a mapped file, named like the database with "-told" appended. */
static struct told *told;
static char **program;

/* Some rowids are near the limits of 64 bits. */
static sqlite3_int64 rowid_of(uint32_t id)
{
	return id % 16 == 0   ? INT64_MIN + id / 16 - 1
	       : id % 16 == 1 ? INT64_MAX - id / 16
	                      : (sqlite3_int64)id;
}

/* Returns 0 for a rowid that this test does not use. */
static uint32_t id_of(sqlite3_int64 rowid)
{
	sqlite3_int64 id = rowid < 0           ? (rowid - INT64_MIN + 1) * 16
	                   : rowid > (1 << 30) ? (INT64_MAX - rowid) * 16 + 1
	                                       : rowid;
	return id >= 1 && id <= (sqlite3_int64)N_IDS && rowid_of((uint32_t)id) == rowid
	               ? (uint32_t)id
	               : 0;
}

static void die(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fprintf(stderr, "seed %llu, %s, %s: ", (unsigned long long)rounds.seed, journal,
	        is_external ? "content" : "own");
	vfprintf(stderr, format, arguments);
	fprintf(stderr, "\n");
	va_end(arguments);
	abort();
}

static int run(struct connection *connection, const char *format, ...)
{
	va_list arguments;
	char *message = NULL;
	va_start(arguments, format);
	char *sql = sqlite3_vmprintf(format, arguments);
	va_end(arguments);
	int code = sqlite3_exec(connection->db, sql, NULL, NULL, &message);
	if (code && code != SQLITE_BUSY && code != SQLITE_CONSTRAINT)
		die("%s: %s (%d)", sql, message ? message : sqlite3_errmsg(connection->db), code);
	sqlite3_free(message);
	sqlite3_free(sql);
	return code;
}

static void must(struct connection *connection, const char *sql)
{
	int code = run(connection, "%s", sql);
	if (code)
		die("%s: %s", sql, sqlite3_errmsg(connection->db));
}

static const char *const WORDS[] = {
	"apple", "banana",  "Cherry",     "date",        "elder",
	"fig",   "grape",   "Honey",      "ivy",         "juniper",
	"kiwi",  "lemon",   "mango",      "nut",         "olive",
	"pear",  "quince",  "rose",       "sage",        "thyme",
	"don't", "foo_bar", "obj.method", "caf\xc3\xa9", "\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd",
	"42"};
#define N_WORDS (sizeof(WORDS) / sizeof(*WORDS))

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 31)) * UINT64_C(0x9E3779B97F4A7C15);
	return x ^ (x >> 29);
}

/* A few words are frequent, as in real texts. */
static const char *word_of(uint64_t number)
{
	uint64_t x = mix(number);
	size_t limit = x % 4 ? 8 : N_WORDS;
	return WORDS[(x >> 8) % limit];
}

static void text_of(uint32_t row, unsigned column, char text[TEXT_BYTES])
{
	uint64_t x = mix(row * 2 + column + 1);
	size_t n = column == 0 ? x % 4 : x % 24;
	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		strcat(text, i == 0 ? "" : i % 7 == 6 ? ". " : " ");
		strcat(text, word_of(x + i * 77));
	}
}

static void make_query(char query[TEXT_BYTES])
{
	static const char *const forms[] = {"\"%s %s\"",       "-%s",        "title:%s", "%.2s*",
	                                    "(%s OR body:%s)", "\"%s %s\"~3"};
	size_t n = 1 + below(3);
	query[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		const char *word = word_of(below(UINT32_MAX)), *other = word_of(below(UINT32_MAX));
		char piece[120];
		unsigned form = below(10);
		snprintf(piece, sizeof(piece),
		         form < sizeof(forms) / sizeof(*forms) ? forms[form] : "%s", word, other);
		strcat(query, i ? " " : "");
		strcat(query, piece);
	}
}

/* Sets `matches` by matching each row of the state. False: the query is invalid. */
static bool match_model(const struct state *state, const char *query, bool matches[N_IDS + 1])
{
	static const char *const fields[] = {"title", "body", NULL};
	struct bs_query_request request = {
		.query = query, .query_bytes = strlen(query), .fields = fields};
	struct bs_query *of;
	if (bs_query_new(&request, &of, NULL, NULL))
		return false;
	for (uint32_t id = 1; id <= N_IDS; id++) {
		char title[TEXT_BYTES], body[TEXT_BYTES];
		struct bs_query_result result = {.is_match = false};
		text_of(state->rows[id], 0, title);
		text_of(state->rows[id], 1, body);
		struct bs_text texts[] = {{"title", 5, title, strlen(title)},
		                          {"body", 4, body, strlen(body)}};
		if (state->rows[id] && bs_query_match(of, texts, 2, &result, NULL))
			die("bs_query_match failed: %s", query);
		matches[id] = result.is_match;
	}
	bs_query_free(of);
	return true;
}

static void prepare(struct connection *connection, sqlite3_stmt **statement_out, const char *format,
                    ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *sql = sqlite3_vmprintf(format, arguments);
	va_end(arguments);
	int code = sqlite3_prepare_v2(connection->db, sql, -1, statement_out, NULL);
	if (code && code != SQLITE_BUSY)
		die("%s: %s", sql, sqlite3_errmsg(connection->db));
	sqlite3_free(sql);
}

/* The statement that is kept must find n_expected rows. */
static void check_kept(struct connection *connection, const char *query, sqlite3_int64 n_expected)
{
	int n = 0, code;
	if (!connection->kept)
		prepare(connection, &connection->kept, "SELECT rowid FROM %s WHERE %s MATCH ?",
		        asked, asked);
	if (!connection->kept)
		return;
	sqlite3_bind_text(connection->kept, 1, query, -1, SQLITE_TRANSIENT);
	while ((code = sqlite3_step(connection->kept)) == SQLITE_ROW)
		n++;
	if (code == SQLITE_DONE && n != n_expected)
		die("%s: %d by a statement that is kept, not %lld", query, n,
		    (long long)n_expected);
	if (code != SQLITE_DONE && code != SQLITE_BUSY)
		die("%s: %s", query, sqlite3_errmsg(connection->db));
	sqlite3_reset(connection->kept);
}

static void check_query(struct connection *connection, const char *query)
{
	static const char *const forms[] = {
		"SELECT rowid FROM %s WHERE %s MATCH %Q",
		"SELECT rowid FROM %s(%.0s%Q) ORDER BY rank",
		"SELECT rowid, title FROM %s WHERE %s MATCH %Q ORDER BY rowid DESC"};
	bool expected[N_IDS + 1] = {false}, found[N_IDS + 1] = {false};
	sqlite3_stmt *statement;
	sqlite3_int64 n_found = 0;
	if (!match_model(&connection->state, query, expected))
		return;
	prepare(connection, &statement, forms[below(3)], asked, asked, query);
	const char *sql = statement ? sqlite3_sql(statement) : query;
	int code = statement ? SQLITE_ROW : SQLITE_BUSY;
	while (statement && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		uint32_t id = id_of(sqlite3_column_int64(statement, 0));
		if (!id || found[id])
			die("%s: row %lld, or twice", sql,
			    (long long)sqlite3_column_int64(statement, 0));
		found[id] = true;
	}
	/* In rollback-journal mode, a writer whose cache overflows locks readers out. */
	if (code == SQLITE_BUSY && strcmp(journal, "wal")) {
		sqlite3_finalize(statement);
		return;
	}
	if (code != SQLITE_DONE)
		die("%s: %s", sql, sqlite3_errmsg(connection->db));
	for (uint32_t id = 1; id <= N_IDS; id++) {
		n_found += found[id];
		if (expected[id] != found[id])
			die("%s: row %u is %sfound", sql, id, found[id] ? "" : "not ");
	}
	sqlite3_finalize(statement);
	prepare(connection, &statement, "SELECT count(*) FROM %s WHERE %s MATCH %Q", asked, asked,
	        query);
	if (sqlite3_step(statement) != SQLITE_ROW || sqlite3_column_int64(statement, 0) != n_found)
		die("%s: not %lld: %s", query, (long long)n_found, sqlite3_errmsg(connection->db));
	sqlite3_finalize(statement);
	check_kept(connection, query, n_found);
	told->n_checks++;
}

static void check(struct connection *connection)
{
	char query[TEXT_BYTES];
	for (unsigned i = 0; i < 2; i++) {
		make_query(query);
		check_query(connection, query);
	}
}

/* Reads all rows by a scan. */
static void read_state(struct connection *connection, struct state *state_out)
{
	sqlite3_stmt *statement;
	prepare(connection, &statement, "SELECT rowid, body, number FROM %s", written);
	*state_out = (struct state){{0}};
	while (sqlite3_step(statement) == SQLITE_ROW) {
		uint32_t id = id_of(sqlite3_column_int64(statement, 0));
		char text[TEXT_BYTES];
		uint32_t row = (uint32_t)sqlite3_column_int64(statement, 2);
		text_of(row, 1, text);
		if (!id || strcmp(text, (const char *)sqlite3_column_text(statement, 1)))
			die("row %u is not as it was written", id);
		state_out->rows[id] = row;
	}
	if (sqlite3_finalize(statement))
		die("the rows: %s", sqlite3_errmsg(connection->db));
}

static void open_connection(struct connection *connection)
{
	*connection = (struct connection){.depth = 0};
	char *message = NULL;
	if (sqlite3_open(path, &connection->db))
		die("%s: %s", path, sqlite3_errmsg(connection->db));
	sqlite3_db_config(connection->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
	if (sqlite3_load_extension(connection->db, extension, NULL, &message))
		die("%s: %s", extension, message);
	sqlite3_busy_timeout(connection->db, 0);
	must(connection, "PRAGMA synchronous = OFF; PRAGMA cache_size = 20;");
}

static uint32_t some_id(void)
{
	return 1 + below(N_IDS);
}

/* Inserts a row. Outside a transaction the expected state is reported before the statement runs,
 * because the statement is a transaction of its own. */
static void put(struct connection *connection, const char *verb)
{
	struct state next = connection->state;
	char title[TEXT_BYTES], body[TEXT_BYTES];
	uint32_t id = some_id(), row = ++n_texts;
	bool is_there = next.rows[id] != 0, fails = is_there && verb[0] == '\0';
	text_of(row, 0, title);
	text_of(row, 1, body);
	if (!is_there || strcmp(verb, "OR REPLACE") == 0)
		next.rows[id] = row;
	if (!connection->is_in_transaction)
		told->in_flight = next;
	int code = run(connection,
	               "INSERT %s INTO %s(rowid, title, body, number) VALUES(%lld, %Q, %Q, %u)",
	               verb, written, rowid_of(id), title, body, row);
	if ((code != SQLITE_OK) != fails)
		die("INSERT %s of row %u: %d", verb, id, code);
	connection->state = next;
	if (!connection->is_in_transaction)
		told->committed = next;
}

static void put_anyhow(struct connection *connection)
{
	static const char *const verbs[] = {"", "OR IGNORE", "OR REPLACE", "OR REPLACE"};
	put(connection, verbs[below(4)]);
}

/* Inserts two rows, the second of which exists; neither must be inserted. */
static void put_half(struct connection *connection)
{
	const uint32_t *rows = connection->state.rows;
	uint32_t id = some_id(), taken = some_id();
	if (rows[id] || !rows[taken])
		return;
	if (run(connection,
	        "INSERT INTO %s(rowid, title, body, number) VALUES(%lld, 'apple', 'apple', 0), "
	        "(%lld, 'apple', 'apple', 0)",
	        written, rowid_of(id), rowid_of(taken)) != SQLITE_CONSTRAINT)
		die("row %u was put over row %u", id, taken);
}

/* Copies matching rows within the table, to ids that are free. */
static void copy_found(struct connection *connection)
{
	struct state before = connection->state;
	uint32_t by = below(N_IDS);
	bool matches[N_IDS + 1];
	char query[TEXT_BYTES];
	make_query(query);
	if (!match_model(&before, query, matches))
		return;
	run(connection,
	    "INSERT OR IGNORE INTO %s(rowid, title, body, number) SELECT 1 + (rowid + %u) %% %u, "
	    "title, body, number FROM %s WHERE %s MATCH %Q AND rowid BETWEEN 1 AND %u "
	    "AND (1 + (rowid + %u) %% %u) %% 16 > 1",
	    written, by, N_IDS, asked, asked, query, N_IDS, by, N_IDS);
	for (uint32_t id = 1; id <= N_IDS; id++) {
		uint32_t to = 1 + (id + by) % N_IDS;
		if (matches[id] && id % 16 > 1 && to % 16 > 1 && !before.rows[to])
			connection->state.rows[to] = before.rows[id];
	}
}

/* Deletes rows while a search steps through its result. The search must return each remaining row
 * and no deleted one. */
static void change_under_walk(struct connection *connection)
{
	static const char *const orders[] = {"", " ORDER BY rank", " ORDER BY rowid",
	                                     " ORDER BY rowid DESC"};
	struct state *state = &connection->state;
	bool matches[N_IDS + 1], seen[N_IDS + 1] = {false};
	char query[TEXT_BYTES];
	sqlite3_stmt *statement;
	make_query(query);
	if (!match_model(state, query, matches))
		return;
	prepare(connection, &statement, "SELECT rowid, title FROM %s(%Q)%s", asked, query,
	        orders[below(4)]);
	while (sqlite3_step(statement) == SQLITE_ROW) {
		uint32_t id = id_of(sqlite3_column_int64(statement, 0)), other = some_id();
		if (!matches[id] || seen[id] || !state->rows[id])
			die("%s: row %u, which is gone", query, id);
		seen[id] = true;
		if (below(2)) {
			run(connection, "DELETE FROM %s WHERE rowid = %lld", written,
			    rowid_of(other));
			state->rows[other] = 0;
		}
	}
	if (sqlite3_finalize(statement))
		die("%s: %s", query, sqlite3_errmsg(connection->db));
	for (uint32_t id = 1; id <= N_IDS; id++)
		if (matches[id] && state->rows[id] && !seen[id])
			die("%s: row %u was not come to", query, id);
}

static void change(struct connection *connection)
{
	struct state *state = &connection->state;
	uint32_t id = some_id(), other = some_id(), row = ++n_texts;
	char text[TEXT_BYTES], title[TEXT_BYTES];
	bool matches[N_IDS + 1];
	switch (below(12)) {
	case 0:
		text_of(row, 1, text);
		text_of(row, 0, title);
		run(connection,
		    "UPDATE %s SET title = %Q, body = %Q, number = %u WHERE rowid = %lld", written,
		    title, text, row, rowid_of(id));
		state->rows[id] = state->rows[id] ? row : 0;
		break;
	case 1:
		/* For the row that REPLACE removes, SQLite does not run the delete trigger. */
		if (!state->rows[id] || other == id || (is_external && state->rows[other]))
			break;
		run(connection, "UPDATE OR REPLACE %s SET rowid = %lld WHERE rowid = %lld", written,
		    rowid_of(other), rowid_of(id));
		state->rows[other] = state->rows[id];
		state->rows[id] = 0;
		break;
	case 2:
		run(connection, "DELETE FROM %s WHERE rowid BETWEEN %u AND %u", written, id,
		    id + 3);
		for (uint32_t i = id; i <= id + 3 && i <= N_IDS; i++)
			state->rows[i] = i % 16 > 1 ? 0 : state->rows[i];
		break;
	case 3:
		make_query(text);
		if (!match_model(state, text, matches) || below(3))
			break;
		if (is_external)
			run(connection,
			    "DELETE FROM %s WHERE rowid IN (SELECT rowid FROM %s WHERE %s MATCH "
			    "%Q)",
			    written, asked, asked, text);
		else
			run(connection, "DELETE FROM %s WHERE %s MATCH %Q", written, written, text);
		for (uint32_t i = 1; i <= N_IDS; i++)
			state->rows[i] = matches[i] ? 0 : state->rows[i];
		break;
	case 4:
		run(connection, "DELETE FROM %s WHERE rowid = %lld", written, rowid_of(id));
		state->rows[id] = 0;
		break;
	case 5:
		put_half(connection);
		break;
	case 6:
		copy_found(connection);
		break;
	case 7:
		change_under_walk(connection);
		break;
	default:
		put_anyhow(connection);
	}
}

static void maintain(struct connection *connection)
{
	static const char *const commands[] = {"optimize", "rebuild", "integrity-check"};
	unsigned kind = below(6);
	if (kind < 3) {
		run(connection, "INSERT INTO %s(%s) VALUES('%s')", asked, asked, commands[kind]);
	} else if (kind > 3) {
		for (unsigned i = below(3) ? 90 : 1300; i > 0; i--)
			below(20) ? put_anyhow(connection) : change(connection);
	} else if (!is_external) {
		/* Makes SQLite read the schema again within a transaction. Not with triggers, where
		 * SQLite does not rename the column that is named like its table. */
		run(connection, "ALTER TABLE %s RENAME TO other", asked);
		run(connection, "ALTER TABLE other RENAME TO %s", asked);
	}
}

static void step(struct connection *connection)
{
	unsigned kind = below(24);
	if (kind < 2 && connection->depth < MOST_DEPTH) {
		run(connection, "SAVEPOINT s%u", connection->depth);
		connection->marks[connection->depth++] = connection->state;
	} else if (kind < 4 && connection->depth > 0) {
		unsigned to = below(connection->depth);
		run(connection, "RELEASE s%u", to);
		connection->depth = to;
	} else if (kind < 7 && connection->depth > 0) {
		unsigned to = below(connection->depth);
		run(connection, "ROLLBACK TO s%u", to);
		connection->state = connection->marks[to];
		connection->depth = to + 1;
	} else if (kind == 7 && below(4) == 0) {
		maintain(connection);
	} else if (kind < 12) {
		check(connection);
	} else if (kind < 17) {
		put_anyhow(connection);
	} else {
		change(connection);
	}
}

/* Runs a transaction and reports the committed state. other: nullable; a connection that reads
 * meanwhile. */
static void transact(struct connection *connection, struct connection *other)
{
	bool commits = below(4) > 0, is_plain = below(6) == 0;
	connection->state = told->committed;
	connection->depth = 0;
	connection->is_in_transaction = !is_plain;
	if (is_plain) {
		put_anyhow(connection);
		if (below(2))
			check(connection);
		return;
	}
	must(connection, below(2) ? "BEGIN IMMEDIATE" : "BEGIN");
	for (uint32_t n = below(12); n > 0; n--) {
		step(connection);
		if (other && below(8) == 0) {
			other->state = told->committed;
			check(other);
		}
	}
	if (commits) {
		told->in_flight = connection->state;
		must(connection, "COMMIT");
		told->committed = connection->state;
	} else {
		must(connection, "ROLLBACK");
		connection->state = told->committed;
	}
	if (below(2))
		check(connection);
}

static void share(void)
{
	char name[80];
	snprintf(name, sizeof(name), "%s-told", path);
	int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0 || ftruncate(file, sizeof(*told)))
		die("%s: cannot be made", name);
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (told == MAP_FAILED)
		die("%s: cannot be mapped", name);
	close(file);
}

/* The pwrite that SQLite would call. write_or_die calls it n_writes_left times and then kills the
 * process. */
static ssize_t (*write_there)(int file, const void *bytes, size_t n_bytes, off_t offset);
static uint32_t n_writes_left;

static ssize_t write_or_die(int file, const void *bytes, size_t n_bytes, off_t offset)
{
	if (n_writes_left-- == 0)
		raise(SIGKILL);
	return write_there(file, bytes, n_bytes, offset);
}

static void count_writes(void)
{
	static const char *const names[] = {"pwrite", "pwrite64"};
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	for (size_t i = 0; i < 2; i++) {
		sqlite3_syscall_ptr call = vfs->xGetSystemCall(vfs, names[i]);
		if (!call)
			continue;
		write_there = (ssize_t(*)(int, const void *, size_t, off_t))call;
		vfs->xSetSystemCall(vfs, names[i], (sqlite3_syscall_ptr)write_or_die);
	}
	n_writes_left = below(below(4) ? 60 : 1500);
}

/* Runs transactions until the process is killed. The transaction in flight is then either complete
 * or absent. */
static void run_child(void)
{
	struct connection connection;
	open_connection(&connection);
	count_writes();
	for (;;) {
		transact(&connection, NULL);
		told->n_committed++;
	}
}

static void kill_one(struct connection *connections)
{
	struct state now;
	char child_seed[24];
	snprintf(child_seed, sizeof(child_seed), "%u", below(1u << 30));
	pid_t child = fork();
	if (child == 0) {
		execl(program[0], program[0], extension, "0", child_seed, journal, program[5], path,
		      (char *)NULL);
		_exit(2);
	}
	int status;
	waitpid(child, &status, 0);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		die("a child ended by itself");
	read_state(&connections[0], &now);
	if (memcmp(&now, &told->committed, sizeof(now)) &&
	    memcmp(&now, &told->in_flight, sizeof(now)))
		die("after a kill the rows are neither those before nor those after the commit");
	told->committed = now;
	for (unsigned i = 0; i < 2; i++) {
		connections[i].state = now;
		check(&connections[i]);
	}
}

static void create(struct connection *connection)
{
	run(connection, "PRAGMA journal_mode = %s", journal);
	if (!is_external) {
		must(connection,
		     "CREATE VIRTUAL TABLE t USING bitsift(title, body, number UNINDEXED)");
		return;
	}
	must(connection,
	     "CREATE TABLE v(id INTEGER PRIMARY KEY, title, body, number);"
	     "CREATE VIRTUAL TABLE t USING bitsift(title, body, number UNINDEXED, content='v', "
	     "content_rowid='id');"
	     "CREATE TRIGGER v_insert AFTER INSERT ON v BEGIN"
	     " INSERT INTO t(rowid, title, body) VALUES(new.id, new.title, new.body); END;"
	     "CREATE TRIGGER v_delete AFTER DELETE ON v BEGIN"
	     " INSERT INTO t(t, rowid, title, body) VALUES('delete', old.id, old.title, old.body); "
	     "END;"
	     "CREATE TRIGGER v_update AFTER UPDATE ON v BEGIN"
	     " INSERT INTO t(t, rowid, title, body) VALUES('delete', old.id, old.title, old.body);"
	     " INSERT INTO t(rowid, title, body) VALUES(new.id, new.title, new.body); END;");
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/bitsift-sqlite-XXXXXX", command[64];
	struct connection connections[2];
	if (argc < 6)
		return 2;
	program = argv;
	extension = argv[1];
	const bool is_child = argc > 6;
	if (is_child)
		rounds.seed = strtoull(argv[3], NULL, 10);
	else
		random_rounds(argc - 1, argv + 1, 130, 1);
	unsigned n_transactions = (unsigned)rounds.n, n_kills = 0;
	journal = argv[4];
	is_external = strcmp(argv[5], "content") == 0;
	random_state = rounds.seed;
	if (is_external)
		written = "v";
	if (is_child) {
		n_texts = below(UINT32_MAX);
		snprintf(path, sizeof(path), "%s", argv[6]);
		share();
		run_child();
	}
	if (!mkdtemp(folder))
		return 2;
	snprintf(path, sizeof(path), "%s/db", folder);
	share();
	open_connection(&connections[0]);
	create(&connections[0]);
	open_connection(&connections[1]);
	for (unsigned i = 0; i < n_transactions; i++) {
		if (below(20) == 0) {
			kill_one(connections);
			n_kills++;
			continue;
		}
		unsigned who = below(2);
		transact(&connections[who], &connections[1 - who]);
		if (below(60) == 0)
			must(&connections[who], "VACUUM");
		if (below(100) == 0) {
			sqlite3_finalize(connections[who].kept);
			sqlite3_close(connections[who].db);
			open_connection(&connections[who]);
			must(&connections[who], below(2) ? "VACUUM" : "PRAGMA integrity_check");
		}
	}
	for (unsigned i = 0; i < 2; i++) {
		connections[i].state = told->committed;
		check(&connections[i]);
		run(&connections[i], "INSERT INTO t(t) VALUES('integrity-check')");
		sqlite3_finalize(connections[i].kept);
		if (sqlite3_close(connections[i].db))
			die("a connection cannot be closed");
	}
	printf("%u transactions, %u kills, %llu committed by the killed, %llu queries: no "
	       "difference\n",
	       n_transactions, n_kills, (unsigned long long)told->n_committed,
	       (unsigned long long)told->n_checks);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}
