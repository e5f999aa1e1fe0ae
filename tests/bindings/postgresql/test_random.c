/*
 * test_random.c: makes random changes in several sessions and asks random queries, which an index
 * scan and a sequential scan must answer alike.
 *
 *     test_random CONNECTION [--seed N] [--steps N] [--queries N] [--writers N] [--tables N]
 *       [--check N] [--resume]
 *
 * Three sessions are interleaved step by step. A fourth runs VACUUM, REINDEX and similar statements
 * while their transactions are open. --writers N: N more processes write at the same time, as fast
 * as they can. After each step, --queries N queries are asked with and without the index. A
 * difference prints the seed, the step and the statement, and ends the run with status 1. --check
 * N: changes nothing and asks N queries of the existing table, after a crash or on a replica.
 * --resume: continues with the existing table. Status 3: the server is gone.
 *
 * The oracle of matching is the operator itself, evaluated row by row; that of ranking is
 * bitsift_score with the index's own statistics.
 */
#include <getopt.h>
#include <libpq-fe.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random_ask.h"

#define N_SESSIONS   3
#define MOST_WRITERS 8
/* Each row has an owner, the remainder of its id by N_OWNERS. A session changes only its own rows,
 * so that no session waits for a row of another. */
#define N_OWNERS  (N_SESSIONS + MOST_WRITERS)
#define MOST_ROWS 2500
#define CLOSE_TO  1e-6

enum status {
	SAME = 0,
	DIFFERS = 1,
	FAILED = 2,
	GONE = 3
};

/* An index of the table: what follows CREATE INDEX t_index ON t USING, and the expressions that it
 * has. */
struct shape {
	const char *index;
	const char *expressions[2];
};

static const struct shape shapes[] = {
	{"bitsift (body) WITH (grams = on, pending_limit = 64)", {"body"}},
	{"bitsift (title, body) WITH (grams = on, pending_limit = 64)", {"title", "body"}},
	{"bitsift (body) WITH (stemmer = 'english', fold_accents = on, split_identifiers = on)",
         {"body"}},
	{"bitsift ((coalesce(title, '') || ' / ' || body)) WITH (grams = on, pending_limit = 64)",
         {"(coalesce(title, '') || ' / ' || body)"}},
	{"bitsift (body) WITH (grams = on, pending_limit = 64) WHERE id % 3 <> 0", {"body"}},
	{"bitsift (body) WITH (grams = on)", {"body"}},
	{"bitsift (title COLLATE \"tr-x-icu\", body COLLATE \"en-x-icu\") WITH (grams = on, "
         "pending_limit = 64)",
         {"title COLLATE \"tr-x-icu\"", "body COLLATE \"en-x-icu\""}},
	{"bitsift (body COLLATE \"C\", title) WITH (grams = on, fold_accents = on)",
         {"body COLLATE \"C\"", "title"}},
};
#define N_SHAPES (sizeof shapes / sizeof *shapes)

struct session {
	PGconn *connection;
	unsigned owner;
	unsigned n_made; /* rows made so far */
	bool is_in_transaction;
	unsigned n_savepoints;
};

static struct run {
	const char *place;
	struct session sessions[N_SESSIONS], upkeep;
	bool is_kept_up; /* an upkeep statement is running */
	const char *kept_up_by;
	unsigned upkeep_steps; /* steps since the upkeep statement began */
	const struct shape *shape;
	unsigned step;
	/* The options. */
	unsigned seed, n_steps, n_queries, n_writers, n_tables, n_check, is_resumed;
	pid_t writers[MOST_WRITERS];
	unsigned long n_asked, n_with_index, n_rankings, n_rankings_left_out, n_errors, n_found;
} run = {.seed = 1, .n_steps = 500, .n_queries = 4, .n_tables = 5};

static void end(enum status status);

/* ---- statements ---- */

static bool is_gone(PGconn *connection)
{
	return PQstatus(connection) != CONNECTION_OK;
}

static bool has_state(const PGresult *result, const char *state)
{
	const char *is = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	return is && strcmp(is, state) == 0;
}

/* Whether a statement failed because of concurrency: lock timeout, deadlock, serialization failure,
 * or cancellation by timeout. */
static bool is_bad_luck(const PGresult *result)
{
	return has_state(result, "55P03") || has_state(result, "40P01") ||
	       has_state(result, "40001") || has_state(result, "57014");
}

static PGresult *ask(struct session *session, const char *statement)
{
	PGresult *result = PQexec(session->connection, statement);
	if (is_gone(session->connection)) {
		PQclear(result);
		end(GONE);
	}
	return result;
}

static void complain(const char *statement, const char *what)
{
	printf("seed %u, step %u, index: %s\n  %.700s\n  %s\n", run.seed, run.step,
	       run.shape ? run.shape->index : "none", statement, what);
	fflush(stdout);
}

/* Runs a statement. False: it failed because of concurrency. Any other error ends the run. */
static bool must(struct session *session, const char *statement)
{
	PGresult *result = ask(session, statement);
	ExecStatusType status = PQresultStatus(result);
	bool is_done = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
	/* A backend that ends because another one crashed reports these states or none. */
	if (!is_done && (has_state(result, "57P01") || has_state(result, "57P02") ||
	                 !PQresultErrorField(result, PG_DIAG_SQLSTATE)))
		end(GONE);
	if (!is_done && !is_bad_luck(result)) {
		complain(statement, PQresultErrorMessage(result));
		PQclear(result);
		end(DIFFERS);
	}
	PQclear(result);
	return is_done;
}

/* Retries a necessary statement, for about a minute. The backend of a killed writer may hold locks
 * for a while. */
static void insist(struct session *session, const char *statement)
{
	for (unsigned i = 0; !must(session, statement); i++) {
		if (i == 60) {
			complain(statement, "is not done for a minute");
			end(FAILED);
		}
	}
}

static long number_of(struct session *session, const char *statement)
{
	PGresult *result = ask(session, statement);
	/* On a replica, the table may be locked as on its primary. */
	for (unsigned i = 0; i < 30 && is_bad_luck(result); i++) {
		PQclear(result);
		result = ask(session, statement);
	}
	if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1) {
		complain(statement, PQresultErrorMessage(result));
		end(FAILED);
	}
	long number = atol(PQgetvalue(result, 0, 0));
	PQclear(result);
	return number;
}

static void quiet(void *context, const char *message)
{
}

static void session_open(struct session *session, unsigned owner)
{
	*session = (struct session){.owner = owner};
	session->connection = PQconnectdb(run.place);
	if (is_gone(session->connection)) {
		fprintf(stderr, "test_random: %s", PQerrorMessage(session->connection));
		end(GONE);
	}
	PQsetNoticeProcessor(session->connection, quiet, NULL);
	must(session,
	     "SET lock_timeout = '1s'; SET statement_timeout = '60s'; SET jit = off;"
	     "SET max_parallel_workers_per_gather = 0; SET plan_cache_mode = force_generic_plan;"
	     "SET default_transaction_isolation = 'repeatable read'");
}

/* ---- writing ---- */

static void add_value(struct text *out)
{
	TEXT text = {0};
	ask_text(&text);
	if (one_in(30))
		text_add(out, "NULL");
	else
		text_add_quoted(out, text.bytes);
}

static void add_insert(struct session *session, struct text *out)
{
	unsigned n = one_in(4) ? 1 + below(60) : 1 + below(3);
	text_add(out, "INSERT INTO t VALUES ");
	for (unsigned i = 0; i < n; i++) {
		text_add(out, "%s(%u, %u, ", i ? ", " : "",
		         session->n_made++ * N_OWNERS + session->owner, below(20));
		add_value(out);
		text_add(out, ", ");
		add_value(out);
		text_add(out, ")");
	}
}

/* Appends a condition that selects one in n of the session's own rows. */
static void add_own_rows(struct session *session, struct text *out, unsigned n)
{
	text_add(out, " WHERE id %% %u = %u AND id / %u %% %u = %u", N_OWNERS, session->owner,
	         N_OWNERS, n, below(n));
}

static void add_change(struct session *session, struct text *out)
{
	static const unsigned shares[] = {3, 20, 150};
	unsigned share = shares[below(3)], kind = below(8);
	if (kind > 4) {
		add_insert(session, out);
		return;
	}
	if (kind < 2) {
		text_add(out, "UPDATE t SET body = ");
		add_value(out);
	} else if (kind == 2) {
		/* The texts stay the same, so this is a HOT update if the page has room. */
		text_add(out, "UPDATE t SET grp = grp + 1");
	} else {
		text_add(out,
		         kind == 3 ? "UPDATE t SET body = title, title = body" : "DELETE FROM t");
	}
	add_own_rows(session, out, kind == 3 ? share * 3 : share);
}

static void end_transaction(struct session *session, bool is_kept)
{
	if (session->is_in_transaction)
		must(session, is_kept ? "COMMIT" : "ROLLBACK");
	session->is_in_transaction = false;
	session->n_savepoints = 0;
}

static void write_some(struct session *session)
{
	TEXT statement = {0};
	add_change(session, &statement);
	if (!must(session, statement.bytes))
		end_transaction(session, false);
}

static void begin_or_end(struct session *session)
{
	TEXT statement = {0};
	unsigned kind = below(6);
	if (!session->is_in_transaction) {
		session->is_in_transaction = must(session, "BEGIN");
	} else if (kind < 2) {
		text_add(&statement, "SAVEPOINT s%u", ++session->n_savepoints);
		must(session, statement.bytes);
	} else if (kind == 2 && session->n_savepoints > 0) {
		session->n_savepoints = 1 + below(session->n_savepoints);
		text_add(&statement, "ROLLBACK TO s%u", session->n_savepoints);
		must(session, statement.bytes);
	} else {
		end_transaction(session, kind > 3);
	}
}

/* ---- upkeep: one statement at a time, while transactions are open ---- */

/* Whether PostgreSQL itself failed to read text of deleted rows, for a new table or an expression
 * (its bug 18351). */
static bool is_text_gone(const PGresult *result)
{
	bool reads_itself = strstr(run.kept_up_by, "FULL") || strstr(run.kept_up_by, "CLUSTER") ||
	                    strstr(run.shape->index, "((");
	return reads_itself && has_state(result, "XX001") &&
	       strstr(PQresultErrorMessage(result), "missing chunk number");
}

static void finish_upkeep(void)
{
	if (!run.is_kept_up)
		return;
	for (unsigned i = 0; i < N_SESSIONS; i++)
		end_transaction(&run.sessions[i], true);
	for (PGresult *result; (result = PQgetResult(run.upkeep.connection)); PQclear(result)) {
		if (PQresultStatus(result) == PGRES_FATAL_ERROR && !is_bad_luck(result) &&
		    !is_text_gone(result)) {
			if (is_gone(run.upkeep.connection))
				end(GONE);
			complain(run.kept_up_by, PQresultErrorMessage(result));
			end(DIFFERS);
		}
	}
	if (is_gone(run.upkeep.connection))
		end(GONE);
	run.is_kept_up = false;
	/* CREATE INDEX CONCURRENTLY leaves a new index next to the old one, or an invalid index. */
	PGresult *result = ask(&run.upkeep, "SELECT indexrelid::regclass FROM pg_index WHERE "
	                                    "indrelid = 't'::regclass AND NOT indisvalid");
	for (int i = 0; i < PQntuples(result); i++) {
		TEXT statement = {0};
		text_add(&statement, "DROP INDEX IF EXISTS %s", PQgetvalue(result, i, 0));
		must(&run.upkeep, statement.bytes);
	}
	PQclear(result);
	if (number_of(&run.upkeep, "SELECT count(*) FROM pg_class WHERE relname = 't_new'") > 0 &&
	    must(&run.upkeep, "DROP INDEX IF EXISTS t_index"))
		insist(&run.upkeep, "ALTER INDEX t_new RENAME TO t_index");
}

static void begin_upkeep(void)
{
	static const char *const plain[] = {
		"VACUUM t", "VACUUM (FREEZE) t", "VACUUM (ANALYZE, INDEX_CLEANUP on) t",
		"ANALYZE t", "SELECT bitsift_merge('t_index')", "SELECT bitsift_check('t_index')",
		"VACUUM t", "VACUUM t", "SELECT bitsift_merge('t_index')",
		/* All of these but CHECKPOINT make the index anew. */
		"REINDEX INDEX t_index", "VACUUM FULL t", "CLUSTER t USING t_pkey", "TRUNCATE t",
		"CHECKPOINT", "REINDEX INDEX CONCURRENTLY t_index", "REINDEX TABLE CONCURRENTLY t",
		"CREATE INDEX CONCURRENTLY"};
	if (run.is_kept_up)
		return;
	unsigned n = sizeof plain / sizeof *plain, a = below(n), b = below(n);
	const char *statement = plain[a < b ? a : b];
	bool waits = strstr(statement, "CONCURRENTLY") != NULL;
	run.kept_up_by = statement;
	TEXT create = {0};
	if (strcmp(statement, "CREATE INDEX CONCURRENTLY") == 0) {
		text_add(&create, "%s t_new ON t USING %s", statement, run.shape->index);
		statement = create.bytes;
	}
	must(&run.upkeep, waits ? "SET lock_timeout = 0" : "SET lock_timeout = '300ms'");
	if (!PQsendQuery(run.upkeep.connection, statement))
		end(GONE);
	run.is_kept_up = true;
	run.upkeep_steps = 0;
	/* Wait for statements with an exclusive lock on the table, because other statements would
	 * queue behind them. */
	if (strstr(statement, "FULL") || strstr(statement, "CLUSTER") ||
	    strstr(statement, "TRUNCATE") || strncmp(statement, "REINDEX INDEX t", 15) == 0)
		finish_upkeep();
}

static void look_after_upkeep(void)
{
	if (!run.is_kept_up)
		return;
	if (!PQconsumeInput(run.upkeep.connection))
		end(GONE);
	if (!PQisBusy(run.upkeep.connection) || ++run.upkeep_steps > 15)
		finish_upkeep();
}

/* ---- asking ---- */

static const char *expression(void)
{
	const struct shape *shape = run.shape;
	return shape->expressions[shape->expressions[1] && one_in(2)];
}

/* Returns the condition of a partial index, which queries need in order to use it. */
static const char *condition(void)
{
	const char *where = strstr(run.shape->index, " WHERE ");
	return where ? where + strlen(" WHERE ") : "true";
}

static bool has_grams(void)
{
	return strstr(run.shape->index, "grams");
}

static void add_condition(struct text *out)
{
	TEXT pattern = {0};
	const char *of = expression();
	/* Without grams, LIKE and regexes cannot use the index, so they are not asked. */
	unsigned kind = below(has_grams() ? 10 : 5);
	const char *sign = NULL;
	if (kind < 5) {
		ask_query(&pattern);
		text_add(out, "%s @@@ ", of);
	} else if (kind < 7 || (kind < 8 && one_in(2))) {
		ask_like(&pattern);
		sign = one_in(2) ? "LIKE" : "ILIKE";
	} else {
		ask_regex(&pattern);
		sign = one_in(2) ? "~" : "~*";
	}
	if (sign)
		text_add(out, "%s %s ", of, sign);
	text_add_quoted(out, pattern.bytes);
}

/* Appends a condition with an array of queries. */
static void add_any(struct text *out)
{
	TEXT a = {0}, b = {0};
	ask_query(&a);
	ask_query(&b);
	text_add(out, "%s @@@ ANY (ARRAY[", expression());
	text_add_quoted(out, a.bytes);
	text_add(out, ", ");
	text_add_quoted(out, b.bytes);
	text_add(out, "]::bitsift_query[])");
}

static void add_where(struct text *out)
{
	static const char *const joins[] = {" OR ", " AND ", " AND ", " AND NOT "};
	unsigned kind = below(12);
	text_add(out, " WHERE %s AND (", condition());
	if (kind == 5)
		add_any(out);
	else
		add_condition(out);
	if (kind < 4) {
		text_add(out, "%s", joins[kind]);
		add_condition(out);
	}
	text_add(out, kind == 4 ? ") AND grp < 10" : ")");
}

static const char with_index[] =
	"SET enable_seqscan = off; SET enable_indexscan = on; SET enable_bitmapscan = on";
static const char by_bitmap[] =
	"SET enable_seqscan = off; SET enable_indexscan = off; SET enable_bitmapscan = on";
/* Settings of the prefilter, which reads candidates of patterns before returning them: adaptive,
 * all candidates, none. */
static const char *const prefilters[] = {
	"SET bitsift.prefilter = ''", "SET bitsift.prefilter = 'all'",
	"SET bitsift.prefilter = 'all'", "SET bitsift.prefilter = 'off'"};
static const char without_index[] =
	"SET enable_seqscan = on; SET enable_indexscan = off; SET enable_bitmapscan = off";

/* Asks inside a savepoint, because an error would abort the transaction. */
static PGresult *ask_so(struct session *session, const char *how, const char *statement)
{
	must(session, how);
	must(session, "SAVEPOINT question");
	PGresult *result;
	char *what = strstr(statement, "\x01");
	if (what) {
		/* The statement has a parameter, whose value is enclosed in two U+0001. */
		char *copy = strdup(statement), *first = copy + (what - statement),
		     *last = strchr(first + 1, '\x01');
		*first = *last = '\0';
		TEXT text = {0};
		text_add(&text, "%s$1%s", copy, last + 1);
		const char *value = first + 1;
		result = PQexecParams(session->connection, text.bytes, 1, NULL, &value, NULL, NULL,
		                      0);
		free(copy);
		if (is_gone(session->connection))
			end(GONE);
	} else
		result = ask(session, statement);
	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		must(session, "ROLLBACK TO SAVEPOINT question");
	must(session, "RELEASE SAVEPOINT question");
	return result;
}

static void show_plan(struct session *session, const char *statement)
{
	TEXT explain = {0};
	text_add(&explain, "EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) %s", statement);
	PGresult *result = ask_so(session, with_index, explain.bytes);
	for (int i = 0; i < PQntuples(result); i++)
		printf("    %.400s\n", PQgetvalue(result, i, 0));
	PQclear(result);
}

static bool plan_has_index(struct session *session, const char *statement)
{
	TEXT explain = {0};
	bool has = false;
	text_add(&explain, "EXPLAIN (COSTS off) %s", statement);
	PGresult *result = ask_so(session, with_index, explain.bytes);
	for (int i = 0; i < PQntuples(result); i++)
		has = has || strstr(PQgetvalue(result, i, 0), "t_index");
	PQclear(result);
	return has;
}

static bool are_errors_alike(const PGresult *a, const PGresult *b)
{
	const char *x = PQresultErrorField(a, PG_DIAG_SQLSTATE),
		   *y = PQresultErrorField(b, PG_DIAG_SQLSTATE);
	return x && y && strcmp(x, y) == 0;
}

static void differ(struct session *session, const char *statement, const char *what)
{
	complain(statement, what);
	show_plan(session, statement);
	end(DIFFERS);
}

/* Returns whether one of the answers is an error. Apart from bad luck, the other one must then be
 * the same error. */
static bool has_error(struct session *session, const char *statement, const PGresult *a,
                      const PGresult *b)
{
	if (PQresultStatus(a) == PGRES_TUPLES_OK && PQresultStatus(b) == PGRES_TUPLES_OK)
		return false;
	run.n_errors++;
	if (!is_bad_luck(a) && !is_bad_luck(b) && !are_errors_alike(a, b)) {
		printf("  with the index: %s  without: %s\n", PQresultErrorMessage(a),
		       PQresultErrorMessage(b));
		differ(session, statement, "one of them fails, or otherwise");
	}
	return true;
}

/* Compares the answers with and without the index, of one value each, and reports a difference. */
static void compare_matches(struct session *session, const char *statement)
{
	const char *how = one_in(2) ? with_index : by_bitmap;
	must(session, prefilters[below(sizeof prefilters / sizeof *prefilters)]);
	PGresult *a = ask_so(session, how, statement),
		 *b = ask_so(session, without_index, statement);
	if (!has_error(session, statement, a, b)) {
		run.n_found += !PQgetisnull(a, 0, 0);
		if (strcmp(PQgetvalue(a, 0, 0), PQgetvalue(b, 0, 0)) != 0) {
			printf("  with the index: %s\n  without: %s\n", PQgetvalue(a, 0, 0),
			       PQgetvalue(b, 0, 0));
			differ(session, statement, "the answers differ");
		}
	}
	PQclear(a);
	PQclear(b);
}

static void ask_matches(struct session *session)
{
	TEXT statement = {0};
	unsigned kind = below(10);
	/* OFFSET 0: otherwise a later PostgreSQL might scan the primary key, for the order. */
	text_add(&statement, "SELECT array_agg(n ORDER BY n) FROM (");
	if (kind == 0) {
		/* A parameter whose value is known only when the plan runs. */
		TEXT query = {0};
		bool is_like = has_grams() && one_in(2);
		(is_like ? ask_like : ask_query)(&query);
		text_add(&statement, "SELECT id AS n FROM t WHERE %s AND %s %s \x01%s\x01%s",
		         condition(), expression(), is_like ? "LIKE" : "@@@", query.bytes,
		         is_like ? "" : "::bitsift_query");
	} else if (kind == 1) {
		TEXT a = {0}, b = {0};
		ask_ranking(&a);
		ask_ranking(&b);
		text_add(&statement, "SELECT t.id * 2 + v.n AS n FROM (VALUES (0, ");
		text_add_quoted(&statement, a.bytes);
		text_add(&statement, "::bitsift_query), (1, ");
		text_add_quoted(&statement, b.bytes);
		text_add(&statement, "::bitsift_query)) v(n, q) JOIN t ON %s @@@ v.q AND %s",
		         expression(), condition());
	} else {
		text_add(&statement, "SELECT %s AS n FROM t", kind < 4 ? "count(*)" : "id");
		add_where(&statement);
	}
	text_add(&statement, " OFFSET 0) q");
	if (one_in(20) && !strchr(statement.bytes, '\x01'))
		run.n_with_index += 20 * plan_has_index(session, statement.bytes);
	compare_matches(session, statement.bytes);
}

/* Compares scores. a: the rows from `offset` on, at most `limit`, with the index's distance and the
 * negated bitsift_score. b: all rows with the latter, best first, without the index. All must agree
 * at each place. Rows with equal scores may be swapped. The caller does not compare rankings if
 * other sessions changed the statistics meanwhile. */
static bool are_rankings_alike(const PGresult *a, const PGresult *b, int offset, int limit)
{
	int n = PQntuples(a), n_all = PQntuples(b),
	    n_wanted = n_all - offset < 0 ? 0 : n_all - offset;
	if (n != (n_wanted < limit ? n_wanted : limit)) {
		printf("  %d rows with the index, of %d, from %d on\n", n, n_all, offset);
		return false;
	}
	for (int i = 0; i < n; i++) {
		bool is_null = PQgetisnull(a, i, 1), other = PQgetisnull(b, offset + i, 1);
		double x = atof(PQgetvalue(a, i, 1)), y = atof(PQgetvalue(b, offset + i, 1)),
		       own = PQgetisnull(a, i, 2) ? 0 : atof(PQgetvalue(a, i, 2));
		double most = CLOSE_TO * (1 + fabs(y));
		if (is_null != other || fabs(x - y) > most || fabs(x - own) > most) {
			printf("  place %d: id %s has %s (%s by itself) with the index, id %s has "
			       "%s without\n",
			       offset + i, PQgetvalue(a, i, 0), PQgetvalue(a, i, 1),
			       PQgetvalue(a, i, 2), PQgetvalue(b, offset + i, 0),
			       PQgetvalue(b, offset + i, 1));
			return false;
		}
	}
	return true;
}

static char *statistics_of(struct session *session, const char *query)
{
	TEXT statement = {0};
	text_add(&statement, "SELECT bitsift_stats('t_index'::regclass, %s)", query);
	PGresult *result = ask_so(session, with_index, statement.bytes);
	char *statistics =
		PQresultStatus(result) == PGRES_TUPLES_OK ? strdup(PQgetvalue(result, 0, 0)) : NULL;
	PQclear(result);
	return statistics;
}

static void ask_best(struct session *session)
{
	TEXT query = {0}, quoted = {0}, where = {0}, statement = {0}, oracle = {0}, own = {0};
	ask_ranking(&query);
	text_add_quoted(&quoted, query.bytes);
	text_add(&quoted, "::bitsift_query");
	const char *of = run.shape->expressions[0];
	int limit = 1 + (int)below(one_in(10) ? MOST_ROWS : 30);
	int offset = one_in(5) ? (int)below(30) : 0;
	text_add(&where, " WHERE %s", condition());
	if (one_in(2))
		text_add(&where, " AND %s @@@ %s", of, quoted.bytes);
	if (one_in(5))
		text_add(&where, " AND grp < 10");
	char *before = statistics_of(session, quoted.bytes);
	if (before) {
		text_add(&own, "-bitsift_score(%s, bitsift_with_stats(%s, ", of, quoted.bytes);
		text_add_quoted(&own, before);
		text_add(&own, "))");
		text_add(&oracle, "SELECT id, %s FROM t%s ORDER BY 2", own.bytes, where.bytes);
		text_add(&statement,
		         "SELECT id, %s <@> %s, %s FROM t%s ORDER BY %s <@> %s LIMIT %d OFFSET %d",
		         of, quoted.bytes, own.bytes, where.bytes, of, quoted.bytes, limit, offset);
		PGresult *a = ask_so(session, with_index, statement.bytes),
			 *b = ask_so(session, without_index, oracle.bytes);
		char *after = statistics_of(session, quoted.bytes);
		if (!after || strcmp(before, after) != 0)
			run.n_rankings_left_out++;
		else if (!has_error(session, statement.bytes, a, b) &&
		         !are_rankings_alike(a, b, offset, limit)) {
			printf("  oracle: %s\n", oracle.bytes);
			differ(session, statement.bytes, "the rankings differ");
		}
		run.n_rankings++;
		free(after);
		PQclear(a);
		PQclear(b);
	} else
		run.n_errors++;
	free(before);
}

/* Asks n queries in one snapshot: the session's transaction, or a new one. */
static void ask_some(struct session *session, unsigned n)
{
	bool is_own = session->is_in_transaction;
	if (!is_own && !must(session, "BEGIN"))
		return;
	for (unsigned i = 0; i < n; i++) {
		if (one_in(5))
			ask_best(session);
		else
			ask_matches(session);
		run.n_asked++;
	}
	if (!is_own)
		must(session, "COMMIT");
}

/* ---- the run ---- */

static void new_table(struct session *session)
{
	TEXT statement = {0};
	run.shape = &shapes[below(N_SHAPES)];
	insist(session, "DROP TABLE IF EXISTS t");
	text_add(&statement,
	         "CREATE %s TABLE t (id int PRIMARY KEY, grp int, title text, body text) WITH "
	         "(fillfactor = %u, autovacuum_enabled = off)",
	         one_in(N_SHAPES) ? "UNLOGGED" : "", 60 + below(41));
	insist(session, statement.bytes);
	bool is_filled = one_in(2);
	for (unsigned i = 0; i < 20 && is_filled; i++) {
		text_clear(&statement);
		add_insert(session, &statement);
		insist(session, statement.bytes);
	}
	text_clear(&statement);
	text_add(&statement, "CREATE INDEX t_index ON t USING %s; COMMENT ON TABLE t IS '%td'",
	         run.shape->index, run.shape - shapes);
	insist(session, statement.bytes);
}

/* Uses the existing table. Its comment has the number of its shape; its texts become the recent
 * texts for queries. */
static void old_table(struct session *session)
{
	run.shape =
		&shapes[number_of(session, "SELECT coalesce(obj_description('t'::regclass), '0')") %
	                (long)N_SHAPES];
	PGresult *result = ask(
		session,
		"SELECT left(body, 500) FROM t WHERE body <> '' ORDER BY md5(id::text) LIMIT 256");
	for (int i = 0; i < PQntuples(result); i++)
		ask_remember(PQgetvalue(result, i, 0));
	PQclear(result);
	long n_made = number_of(session, "SELECT coalesce(max(id), 0) FROM t") / N_OWNERS + 1;
	for (unsigned i = 0; i < N_SESSIONS; i++)
		run.sessions[i].n_made = (unsigned)n_made;
}

static void keep_small(struct session *session, unsigned n_most)
{
	char statement[200];
	long n = number_of(session, "SELECT count(*) FROM t");
	if (n <= n_most)
		return;
	snprintf(statement, sizeof statement,
	         "DELETE FROM t WHERE id %% %u = %u AND hashint8extended(id, %ld) & 1023 < 614",
	         N_OWNERS, session->owner, n);
	must(session, statement);
}

/* Writes as fast as it can, until the process is killed or the server is gone. */
static void write_on(unsigned owner)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	struct session session;
	random_state = run.seed * 100 + owner;
	run.n_writers = 0;
	session_open(&session, owner);
	session.n_made =
		(unsigned)number_of(&session, "SELECT coalesce(max(id), 0) FROM t") / N_OWNERS + 1;
	for (unsigned i = 0;; i++) {
		if (one_in(4))
			begin_or_end(&session);
		else
			write_some(&session);
		if (i % 50 == 49) {
			end_transaction(&session, true);
			keep_small(&session, MOST_ROWS / 2);
		}
		if (!run.n_check && run.n_queries)
			usleep(below(20000));
	}
}

static void start_writers(void)
{
	for (unsigned i = 0; i < run.n_writers; i++) {
		fflush(stdout);
		run.writers[i] = fork();
		if (run.writers[i] == 0)
			write_on(N_SESSIONS + i);
	}
}

/* Kills the writers. Returns the failure status of a writer that had ended by itself, or SAME. */
static enum status stop_writers(void)
{
	enum status worst = SAME;
	for (unsigned i = 0; i < run.n_writers; i++) {
		int status = 0;
		if (run.writers[i] <= 0)
			continue;
		kill(run.writers[i], SIGKILL);
		waitpid(run.writers[i], &status, 0);
		run.writers[i] = 0;
		if (WIFEXITED(status) && WEXITSTATUS(status) != SAME)
			worst = (enum status)WEXITSTATUS(status);
	}
	return worst;
}

static void end(enum status status)
{
	enum status other = stop_writers();
	if (status == SAME)
		status = other;
	fflush(stdout);
	_exit((int)status);
}

static void step(void)
{
	struct session *session = &run.sessions[below(N_SESSIONS)];
	unsigned kind = below(10);
	if (kind == 0)
		begin_upkeep();
	else if (kind < 4)
		begin_or_end(session);
	else
		write_some(session);
	look_after_upkeep();
	if (run.n_queries)
		ask_some(&run.sessions[below(N_SESSIONS)], run.n_queries);
	if (run.step % 50 == 49) {
		end_transaction(session, true);
		keep_small(session, MOST_ROWS);
	}
}

static void finish_table(void)
{
	for (unsigned i = 0; i < N_SESSIONS; i++)
		end_transaction(&run.sessions[i], true);
	finish_upkeep();
	enum status status = stop_writers();
	if (status != SAME)
		end(status);
	insist(&run.sessions[0], "SELECT bitsift_check('t_index')");
}

static void run_all(void)
{
	for (unsigned i = 0; i < N_SESSIONS; i++)
		session_open(&run.sessions[i], i);
	session_open(&run.upkeep, N_SESSIONS);
	if (run.n_check) {
		old_table(&run.sessions[0]);
		ask_some(&run.sessions[0], run.n_check);
		return;
	}
	for (unsigned table = 0; table < run.n_tables; table++) {
		if (run.is_resumed)
			old_table(&run.sessions[0]);
		else
			new_table(&run.sessions[0]);
		run.is_kept_up = run.is_resumed > 0;
		finish_upkeep();
		start_writers();
		for (unsigned i = 0; i < run.n_steps / run.n_tables; i++, run.step++)
			step();
		finish_table();
	}
}

static int usage(void)
{
	fputs("usage: test_random CONNECTION [--seed N] [--steps N] [--queries N] [--writers N] "
	      "[--tables N] [--check N] [--resume]\n",
	      stderr);
	return FAILED;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"seed", required_argument, NULL, 0},    {"steps", required_argument, NULL, 1},
		{"queries", required_argument, NULL, 2}, {"writers", required_argument, NULL, 3},
		{"tables", required_argument, NULL, 4},  {"check", required_argument, NULL, 5},
		{"resume", no_argument, NULL, 6},        {0},
	};
	static unsigned *const given[] = {&run.seed,      &run.n_steps,  &run.n_queries,
	                                  &run.n_writers, &run.n_tables, &run.n_check,
	                                  &run.is_resumed};
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (c == '?')
			return usage();
		*given[c] = optarg ? (unsigned)strtoul(optarg, NULL, 10) : 1;
	}
	if (optind != argc - 1 || run.n_writers > MOST_WRITERS)
		return usage();
	run.place = argv[optind];
	random_state = run.seed;
	setlocale(LC_CTYPE, "C.UTF-8");
	/* Even the first queries may ask for recent texts. */
	TEXT text = {0};
	for (unsigned i = 0; i < N_LATELY; i++)
		ask_text(&text);
	printf("seed %u\n", run.seed);
	run_all();
	printf("%lu questions, %lu rankings among them (%lu left out: statistics changed "
	       "meanwhile), %lu with rows, %lu errors, about %lu matches by an index: no "
	       "difference\n",
	       run.n_asked, run.n_rankings, run.n_rankings_left_out, run.n_found, run.n_errors,
	       run.n_with_index);
	end(SAME);
}
