/*
 * engine_fts5.c: SQLite FTS5. The table is contentless and has no column sizes, so that it is only
 * the index of words, as small as possible. It is built in one transaction, then 'optimize' merges
 * the index into one b-tree, then VACUUM.
 *
 * The tokenizer of this file ignores the inserted text and returns the tokens of the current
 * document instead; in a query, each string is one term. FTS5 has no gaps between positions, so a
 * gap is represented by one filler token, which no query has.
 */
#include "bench/engine_fts5.h"

#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "bench/tool.h"

#define FILLER "\x01"

/* The context of the tokenizer: the document whose tokens it returns while a table is built. A
 * query needs neither member. */
struct source {
	const struct terms *terms;
	const struct token_stream *document;
};

static void check(sqlite3 *database, int code, const char *what)
{
	if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
		die("SQLite: %s: %s", what, sqlite3_errmsg(database));
}

static void run(sqlite3 *database, const char *sql)
{
	check(database, sqlite3_exec(database, sql, NULL, NULL, NULL), sql);
}

/* The tokenizer. */

static int tokenizer_create(void *context, const char **arguments, int n_arguments,
                            Fts5Tokenizer **tokenizer_out)
{
	(void)arguments, (void)n_arguments;
	*tokenizer_out = context;
	return SQLITE_OK;
}

static void tokenizer_delete(Fts5Tokenizer *tokenizer)
{
	(void)tokenizer;
}

static int give_document(const struct source *source, void *context,
                         int (*take)(void *, int, const char *, int, int, int))
{
	uint32_t next = 0;
	for (size_t i = 0; i < source->document->n_tokens; i++) {
		const struct token *token = &source->document->tokens[i];
		const struct term *term = &source->terms->terms[token->term];
		int code = token->position > next ? take(context, 0, FILLER, 1, 0, 0) : SQLITE_OK;
		if (code == SQLITE_OK)
			code = take(context, 0, term->text, (int)term->n_bytes, 0, 0);
		if (code != SQLITE_OK)
			return code;
		next = token->position + 1;
	}
	return SQLITE_OK;
}

static int tokenizer_run(Fts5Tokenizer *tokenizer, void *context, int flags, const char *text,
                         int n_bytes, int (*take)(void *, int, const char *, int, int, int))
{
	if (flags & FTS5_TOKENIZE_DOCUMENT)
		return give_document((const struct source *)(void *)tokenizer, context, take);
	return n_bytes ? take(context, 0, text, n_bytes, 0, n_bytes) : SQLITE_OK;
}

static void register_tokenizer(sqlite3 *database, struct source *source)
{
	fts5_tokenizer tokenizer = {tokenizer_create, tokenizer_delete, tokenizer_run};
	fts5_api *api = NULL;
	sqlite3_stmt *statement;
	check(database, sqlite3_prepare_v2(database, "SELECT fts5(?1)", -1, &statement, NULL),
	      "fts5");
	sqlite3_bind_pointer(statement, 1, (void *)&api, "fts5_api_ptr", NULL);
	check(database, sqlite3_step(statement), "fts5");
	sqlite3_finalize(statement);
	if (!api)
		die("this SQLite has no FTS5");
	check(database, api->xCreateTokenizer(api, "given", source, &tokenizer, NULL),
	      "a tokenizer");
}

/* Building. */

static sqlite3 *create(const char *path)
{
	sqlite3 *database;
	if (sqlite3_open(path, &database))
		die("%s: %s", path, sqlite3_errmsg(database));
	run(database, "PRAGMA journal_mode = OFF");
	run(database, "PRAGMA synchronous = OFF");
	run(database, "PRAGMA cache_size = -262144");
	return database;
}

static void finish(sqlite3 *database, struct build_times *times_out)
{
	run(database, "COMMIT");
	build_finishes(times_out);
	run(database, "INSERT INTO t(t) VALUES('optimize')");
	run(database, "VACUUM");
	sqlite3_close(database);
	build_ends(times_out);
}

static sqlite3_stmt *begin(sqlite3 *database, const char *options)
{
	sqlite3_stmt *insert;
	char *sql = text_of("CREATE VIRTUAL TABLE t USING fts5(x, content='', columnsize=0, %s)",
	                    options);
	run(database, sql);
	free(sql);
	run(database, "BEGIN");
	check(database,
	      sqlite3_prepare_v2(database, "INSERT INTO t(rowid, x) VALUES(?1, ?2)", -1, &insert,
	                         NULL),
	      "INSERT");
	return insert;
}

static void insert_row(sqlite3 *database, sqlite3_stmt *insert, uint64_t row, const char *text,
                       size_t n_bytes)
{
	sqlite3_bind_int64(insert, 1, (sqlite3_int64)row);
	sqlite3_bind_text64(insert, 2, text, n_bytes, SQLITE_STATIC, SQLITE_UTF8);
	check(database, sqlite3_step(insert), "INSERT");
	sqlite3_reset(insert);
}

static void build(const struct corpus *corpus, const char *path, const char *options,
                  struct build_times *times_out)
{
	struct terms terms;
	struct token_stream stream;
	struct source source = {.terms = &terms, .document = &stream};
	sqlite3 *database = create(path);
	terms_read(corpus, &terms);
	register_tokenizer(database, &source);
	build_begins(times_out);
	sqlite3_stmt *insert = begin(database, options);
	for (token_stream_open(corpus, &stream); token_stream_next(&stream);)
		insert_row(database, insert, stream.document + 1u, "x", 1);
	sqlite3_finalize(insert);
	finish(database, times_out);
	token_stream_close(&stream);
	terms_free(&terms);
}

void fts5_build_full(const struct corpus *corpus, const char *path, struct build_times *times_out)
{
	build(corpus, path, "tokenize='given', detail=full", times_out);
}

void fts5_build_column(const struct corpus *corpus, const char *path, struct build_times *times_out)
{
	build(corpus, path, "tokenize='given', detail=column", times_out);
}

void fts5_build_none(const struct corpus *corpus, const char *path, struct build_times *times_out)
{
	build(corpus, path, "tokenize='given', detail=none", times_out);
}

void fts5_build_unicode61(const struct corpus *corpus, const char *path,
                          struct build_times *times_out)
{
	struct text_stream stream;
	uint64_t row = 0;
	sqlite3 *database = create(path);
	build_begins(times_out);
	sqlite3_stmt *insert = begin(database, "tokenize='unicode61', detail=full");
	for (text_stream_open(corpus, &stream); text_stream_next(&stream);)
		insert_row(database, insert, ++row, stream.text, stream.n_bytes);
	text_stream_close(&stream);
	sqlite3_finalize(insert);
	finish(database, times_out);
}

/* Querying. */

struct fts5 {
	sqlite3 *database;
	sqlite3_stmt *count;
	/* A second connection without mmap, which requests every page from its cache and counts
	 * it. */
	sqlite3 *counted;
	sqlite3_stmt *counted_count;
	uint64_t *page_bytes; /* for each query of the set; 0: not yet known */
	struct source source;
	const struct query_set *set;
	char **expressions; /* for each query of the set */
};

/* The query in FTS5's syntax: "one" AND "two", "one" NOT "two", or "one" + "two" for a phrase. */
static char *expression_of(const struct query *query)
{
	char *text = text_of("\"%s\"", query->words[0]);
	for (unsigned i = 1; i < query->n_words; i++) {
		char *longer = text_of("%s %s \"%s\"", text,
		                       query->is_phrase ? "+"
		                       : query->is_not  ? "NOT"
		                                        : "AND",
		                       query->words[i]);
		free(text);
		text = longer;
	}
	return text;
}

static sqlite3 *connect(const char *index_path, const char *mmap_size, struct source *source,
                        sqlite3_stmt **count_out)
{
	sqlite3 *database;
	if (sqlite3_open_v2(index_path, &database, SQLITE_OPEN_READONLY, NULL))
		die("%s: %s", index_path, sqlite3_errmsg(database));
	run(database, mmap_size);
	run(database, "PRAGMA cache_size = -262144");
	register_tokenizer(database, source);
	check(database,
	      sqlite3_prepare_v2(database, "SELECT count(*) FROM t WHERE t MATCH ?1", -1, count_out,
	                         NULL),
	      "SELECT");
	return database;
}

void *fts5_open(const struct corpus *corpus, const char *index_path, const struct query_set *set)
{
	struct fts5 *fts5 = grown(NULL, sizeof(*fts5));
	(void)corpus;
	*fts5 = (struct fts5){.set = set};
	fts5->database =
		connect(index_path, "PRAGMA mmap_size = 4294967296", &fts5->source, &fts5->count);
	fts5->counted =
		connect(index_path, "PRAGMA mmap_size = 0", &fts5->source, &fts5->counted_count);
	fts5->page_bytes = grown(NULL, set->n_queries * sizeof(*fts5->page_bytes));
	memset(fts5->page_bytes, 0, set->n_queries * sizeof(*fts5->page_bytes));
	fts5->expressions = grown(NULL, set->n_queries * sizeof(*fts5->expressions));
	for (size_t i = 0; i < set->n_queries; i++)
		fts5->expressions[i] = expression_of(&set->queries[i]);
	return fts5;
}

static uint64_t count_matches(sqlite3 *database, sqlite3_stmt *count, const char *expression)
{
	sqlite3_bind_text(count, 1, expression, -1, SQLITE_STATIC);
	check(database, sqlite3_step(count), expression);
	uint64_t n = (uint64_t)sqlite3_column_int64(count, 0);
	sqlite3_reset(count);
	return n;
}

/* Bytes of the pages that a query requests from the cache; a page counts each time it is
 * requested. */
static uint64_t count_pages(const struct fts5 *fts5, const char *expression)
{
	uint64_t n_pages = 0;
	for (int what = SQLITE_DBSTATUS_CACHE_HIT; what <= SQLITE_DBSTATUS_CACHE_MISS; what++) {
		int n, most;
		sqlite3_db_status(fts5->counted, what, &n, &most, 1);
	}
	count_matches(fts5->counted, fts5->counted_count, expression);
	for (int what = SQLITE_DBSTATUS_CACHE_HIT; what <= SQLITE_DBSTATUS_CACHE_MISS; what++) {
		int n = 0, most;
		sqlite3_db_status(fts5->counted, what, &n, &most, 0);
		n_pages += (uint64_t)n;
	}
	return n_pages * 4096;
}

void fts5_ask(void *handle, const struct query *query, struct answer *answer_out)
{
	struct fts5 *fts5 = handle;
	size_t q = (size_t)(query - fts5->set->queries);
	uint64_t start = now_ns();
	answer_out->count = count_matches(fts5->database, fts5->count, fts5->expressions[q]);
	answer_out->elapsed_ns = now_ns() - start;
	if (fts5->page_bytes[q] == 0)
		fts5->page_bytes[q] = count_pages(fts5, fts5->expressions[q]);
	answer_out->touched =
		(struct touched){.is_known = true, .index_bytes = fts5->page_bytes[q]};
}

void fts5_close(void *handle)
{
	struct fts5 *fts5 = handle;
	for (size_t i = 0; i < fts5->set->n_queries; i++)
		free(fts5->expressions[i]);
	free(fts5->expressions);
	free(fts5->page_bytes);
	sqlite3_finalize(fts5->count);
	sqlite3_finalize(fts5->counted_count);
	sqlite3_close(fts5->database);
	sqlite3_close(fts5->counted);
	free(fts5);
}

const char *fts5_version(void)
{
	return sqlite3_libversion();
}
