/* sqlite_index.c: see sqlite_index.h. */
#include "bindings/sqlite/index/sqlite_index.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/sqlite/base/sqlite_base.h"
#include "bindings/sqlite/base/sqlite_rowid.h"
#include "bindings/sqlite/index/sqlite_feeder.h"
#include "bindings/sqlite/index/sqlite_files.h"
#include "core/bitsift/query.h"
#include "core/bitsift/search.h"
#include "core/bitsift/statistics.h"
#include "core/bitsift/writer.h"

SQLITE_EXTENSION_INIT3

struct change {
	sqlite3_int64 id;
	uint32_t order; /* while settle_changes sorts: the order in which changes were made */
	bool there;     /* the row exists after the change; false: it was deleted */
};

struct changes {
	struct change *all;
	size_t n, capacity;
};

/* The cached result of bsql_index_find_all. */
struct known {
	char *query; /* NULL: nothing is cached */
	size_t query_bytes;
	bool has_scores;
	uint64_t view; /* the index's view when the hits were found */
	struct bsql_hits hits;
};

struct bsql_index {
	struct bsql_registry *registry; /* NULL once the index has been removed from it */
	struct bsql_index *next;
	unsigned n_users; /* the number of connected tables that use it */
	struct bsql_declaration declaration;
	struct bsql_shadow shadow;
	struct bs_error *err; /* &shadow.err, which has the message of every failure */
	/* A function of this index is running. Prevents recursion: if `content` is a view, reading
	 * it can make SQLite read this table again. */
	bool is_busy;
	sqlite3_int64 last_rowid; /* SQLite's last_insert_rowid before the call */
	struct bs_limits limits;  /* stop the library after sqlite3_interrupt */
	pthread_t owner;          /* the thread of the current call */
	uint64_t n_changes;       /* see bsql_index_n_changes */

	/* "The memory": the files of the index in this connection. Before a query, the changes of
	 * `base` and `log` are applied to them. */
	struct bsql_files files;
	struct bs_text_provider provider; /* reads texts of rows for the library */
	int provider_code;       /* SQLite's code for a text that `provider` could not read */
	struct bs_index *handle; /* the opened `files`; NULL: not opened */
	struct bs_searcher *searcher;
	uint64_t view; /* see bsql_index_view */
	struct known known;

	/* True: the memory has the files that t_files had at `state`, and the applied changes.
	 * False: the memory, `base` and n_applied are outdated and must be reloaded. */
	bool is_known;
	sqlite3_int64 state; /* the number 'state' in t_config, as last read or written */
	struct changes base; /* the rows of t_pending that are not applied to the memory */
	struct changes log;  /* changes of this transaction that are not in t_pending */
	size_t n_applied;    /* the number of leading entries of `log` that are applied */
	size_t log_bytes;    /* size of the texts changed in this transaction */
	/* Open while a transaction has many changes: it was given `base` and the log, and is not
	 * committed yet. NULL otherwise. */
	struct bs_writer *writer;
	struct bsql_feeder *feeder; /* passes further rows to the writer */
	bool has_flushed;           /* this transaction wrote to t_pending */
};

static int append(struct changes *changes, sqlite3_int64 id, bool there)
{
	int code = bsql_grow(&changes->all, changes->n, &changes->capacity, sizeof(*changes->all));
	if (!code)
		changes->all[changes->n++] = (struct change){.id = id, .there = there};
	return code;
}

static int provide(void *context, const char *id, size_t id_bytes, const struct bs_text **texts_out,
                   size_t *n_texts_out)
{
	struct bsql_index *index = context;
	sqlite3_int64 row;
	if (!bsql_id_read(id, id_bytes, &row))
		return 1;
	int code = bsql_shadow_texts(&index->shadow, row, texts_out, n_texts_out);
	if (code == SQLITE_DONE)
		return 1;
	if (code)
		index->provider_code = code;
	return code ? 2 : 0;
}

/* Returns the code of SQLite that caused the failure, or else the code for the library's status. */
static int fail(struct bsql_index *index, enum bs_status status)
{
	int code = index->provider_code;
	index->provider_code = SQLITE_OK;
	if (!code)
		return bsql_code_of(status);
	return bsql_shadow_fail(&index->shadow, code);
}

/* The `stop` callback of struct bs_limits. Returns 0 on the library's worker threads, which must
 * not use the connection; the calling thread has it locked. */
static int is_interrupted(void *context)
{
	struct bsql_index *index = context;
	return pthread_equal(pthread_self(), index->owner) &&
	       bsql_shadow_is_interrupted(&index->shadow);
}

static int fail_recursive(struct bsql_index *index)
{
	const char *table = index->declaration.table;
	(void)bs_fail(index->err, BS_OK,
	              "recursively defined table %s: what it reads or writes is %s itself", table,
	              table);
	return SQLITE_ERROR;
}

int bsql_index_refuse_recursion(struct bsql_index *index)
{
	return index->is_busy || index->shadow.n_steps > 0 ? fail_recursive(index) : SQLITE_OK;
}

static int enter(struct bsql_index *index)
{
	index->err->text[0] = '\0';
	if (index->is_busy)
		return fail_recursive(index);
	index->is_busy = true;
	index->provider_code = SQLITE_OK;
	index->last_rowid = sqlite3_last_insert_rowid(index->shadow.db);
	index->owner = pthread_self();
	return SQLITE_OK;
}

static int leave(struct bsql_index *index, int code)
{
	bsql_shadow_end(&index->shadow);
	index->is_busy = false;
	/* Inserts into t_pending and t_files must not change last_insert_rowid. */
	sqlite3_set_last_insert_rowid(index->shadow.db, index->last_rowid);
	if (code)
		bsql_reword(index->err);
	if (code && (!index->err->text[0] || (code & 0xff) == SQLITE_INTERRUPT))
		(void)bs_fail(index->err, BS_OK, "%s", sqlite3_errstr(code));
	return code;
}

static void close_handle(struct bsql_index *index)
{
	bs_searcher_free(index->searcher);
	bs_index_close(index->handle);
	index->searcher = NULL;
	index->handle = NULL;
}

/* Discards the writer; its changes are still in `base` and the log. */
static void drop_writer(struct bsql_index *index)
{
	(void)!bsql_feeder_end(index->feeder, NULL);
	index->feeder = NULL;
	bs_writer_close(index->writer);
	index->writer = NULL;
}

struct bsql_registry *bsql_registry_new(void)
{
	return calloc(1, sizeof(struct bsql_registry));
}

void bsql_registry_free(void *registry)
{
	struct bsql_registry *of = registry;
	for (struct bsql_index *index = of->indexes; index; index = index->next)
		index->registry = NULL;
	free(of);
}

static void start_over(struct bsql_index *index)
{
	drop_writer(index);
	close_handle(index);
	bsql_files_deinit(&index->files);
	index->is_known = false;
}

static void forget_hits(struct bsql_index *index)
{
	free(index->known.query);
	bsql_hits_deinit(&index->known.hits);
	index->known = (struct known){.query = NULL};
}

static void free_index(struct bsql_index *index)
{
	start_over(index);
	forget_hits(index);
	bsql_shadow_deinit(&index->shadow);
	bsql_declaration_deinit(&index->declaration);
	free(index->base.all);
	free(index->log.all);
	free(index);
}

static struct bsql_index *find_index(struct bsql_registry *registry,
                                     const struct bsql_declaration *declaration)
{
	for (struct bsql_index *index = registry->indexes; index; index = index->next)
		if (bsql_declaration_equals(&index->declaration, declaration))
			return index;
	return NULL;
}

struct bsql_index *bsql_index_find_table(const struct bsql_registry *registry, const char *schema,
                                         const char *table)
{
	for (struct bsql_index *index = registry->indexes; index; index = index->next)
		if (sqlite3_stricmp(index->declaration.schema, schema) == 0 &&
		    sqlite3_stricmp(index->declaration.table, table) == 0)
			return index;
	return NULL;
}

int bsql_index_acquire(struct bsql_registry *registry, sqlite3 *db,
                       struct bsql_declaration *declaration, struct bsql_index **index_out,
                       struct bs_error *err)
{
	struct bsql_index *index = find_index(registry, declaration);
	*index_out = index;
	if (index) {
		bsql_declaration_deinit(declaration);
		index->n_users++;
		return SQLITE_OK;
	}
	index = calloc(1, sizeof(*index));
	if (!index) {
		bsql_declaration_deinit(declaration);
		return bsql_code_of(bs_fail_memory(err, "an index", sizeof(*index)));
	}
	index->declaration = *declaration;
	index->provider = (struct bs_text_provider){.texts = provide, .context = index};
	index->err = &index->shadow.err;
	index->limits = (struct bs_limits){.stop = is_interrupted, .context = index};
	int code = bsql_shadow_init(&index->shadow, db, &index->declaration);
	if (code) {
		free_index(index);
		return code;
	}
	index->n_users = 1;
	index->registry = registry;
	index->next = registry->indexes;
	registry->indexes = index;
	*index_out = index;
	return SQLITE_OK;
}

void bsql_index_forget(struct bsql_index *index)
{
	struct bsql_index **at = index->registry ? &index->registry->indexes : NULL;
	while (at && *at != index)
		at = &(*at)->next;
	if (at)
		*at = index->next;
	index->registry = NULL;
}

void bsql_index_release(struct bsql_index *index)
{
	if (--index->n_users > 0)
		return;
	bsql_index_forget(index);
	free_index(index);
}

int bsql_index_rename(struct bsql_index *index, const char *table)
{
	char *name = sqlite3_mprintf("%s", table);
	int code = name ? bsql_shadow_rename(&index->shadow, table) : SQLITE_NOMEM;
	if (code) {
		sqlite3_free(name);
		return code;
	}
	sqlite3_free(index->declaration.table);
	index->declaration.table = name;
	return SQLITE_OK;
}

const struct bsql_declaration *bsql_index_declaration(const struct bsql_index *index)
{
	return &index->declaration;
}

struct bsql_shadow *bsql_index_shadow(struct bsql_index *index)
{
	return &index->shadow;
}

const char *bsql_index_error(const struct bsql_index *index)
{
	return index->err->text;
}

uint64_t bsql_index_view(const struct bsql_index *index)
{
	return index->view;
}

uint64_t bsql_index_n_changes(const struct bsql_index *index)
{
	return index->n_changes;
}

static int load_pending(struct bsql_index *index)
{
	sqlite3_stmt *statement;
	int code = bsql_shadow_statement(&index->shadow, BSQL_PENDING, &statement);
	index->base.n = 0;
	while (!code && (code = bsql_shadow_step(&index->shadow, statement)) == SQLITE_ROW)
		code = append(&index->base, sqlite3_column_int64(statement, 0),
		              sqlite3_column_int(statement, 1) != 0);
	sqlite3_reset(statement);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Makes the memory equal to t_files, and `base` equal to t_pending. */
static int reload(struct bsql_index *index)
{
	drop_writer(index);
	close_handle(index);
	index->is_known = false;
	int code = bsql_files_load(&index->files, &index->shadow);
	if (!code)
		code = load_pending(index);
	if (code)
		return code;
	index->n_applied = 0;
	index->is_known = true;
	return SQLITE_OK;
}

static bool has_other_rules(const struct bsql_index *index)
{
	struct bs_index_info info = {.n_docs = 0};
	if (index->handle)
		bs_index_describe(index->handle, &info);
	return info.is_other_unicode;
}

/* Warns once per connection. */
static void warn_of_other_rules(struct bsql_index *index)
{
	if (!index->registry || index->registry->has_warned || !has_other_rules(index))
		return;
	index->registry->has_warned = true;
	sqlite3_log(SQLITE_WARNING,
	            "bitsift: %s.%s was made by another version of the tokenizer, so every query "
	            "reads all rows: "
	            "INSERT INTO %s(%s) VALUES('rebuild') renews the index",
	            index->declaration.schema, index->declaration.table, index->declaration.table,
	            index->declaration.table);
}

static int open_handle(struct bsql_index *index)
{
	struct bs_open_request request = {.memory = index->files.memory,
	                                  .host.texts = &index->provider};
	if (index->handle || !bsql_files_have_index(&index->files))
		return SQLITE_OK;
	index->view++;
	enum bs_status status = bs_index_open_with(&request, &index->handle, index->err);
	if (!status)
		status = bs_searcher_new(index->handle, &index->searcher, index->err);
	if (status)
		close_handle(index);
	warn_of_other_rules(index);
	return status ? fail(index, status) : SQLITE_OK;
}

/* A writer of fewer rows uses one thread: starting more would cost more than it saves. */
#define FEW_ROWS 1000u

static int open_writer(struct bsql_index *index, size_t n_rows, struct bs_writer **writer_out)
{
	const struct bsql_declaration *of = &index->declaration;
	struct bs_writer_request request = {
		.memory = index->files.memory,
		.not_stored = true,
		.no_checksums = true,
		/* no limit: SQLite has already accepted the row, so it cannot be refused */
		.document_memory_bytes = UINT64_MAX,
		/* no summary: it rules out absent words without opening the index, but here every
		 * query opens the index */
		.index.summary_rate = -1,
		.host.texts = &index->provider,
		.write.n_threads = n_rows < FEW_ROWS ? 1 : 0,
		.limits = &index->limits,
	};
	/* An existing index keeps its options. */
	if (!bsql_files_have_index(&index->files)) {
		request.index.stem_language = of->stem;
		request.index.fold_accents = of->fold_accents;
		request.index.split_identifiers = of->split_identifiers;
		request.index.weights = of->weights[0] ? (const char *const *)of->weights : NULL;
		request.index.density = of->density;
	}
	enum bs_status status = bs_writer_open(&request, writer_out, index->err);
	return status ? fail(index, status) : SQLITE_OK;
}

/* Passes the row's current texts to the writer, or deletes the row from the index if it does not
 * exist any more. */
static int write_row(struct bsql_index *index, struct bs_writer *writer,
                     const struct change *change)
{
	const struct bs_text *texts;
	size_t n_texts;
	char id[BSQL_ID_BYTES];
	size_t id_bytes = bsql_id_write(change->id, id);
	int code = change->there ? bsql_shadow_texts(&index->shadow, change->id, &texts, &n_texts)
	                         : SQLITE_DONE;
	if (code && code != SQLITE_DONE)
		return code;
	enum bs_status status =
		code ? bs_writer_delete(writer, id, id_bytes, NULL, index->err)
		     : bs_writer_add(writer, id, id_bytes, texts, n_texts, index->err);
	return status ? fail(index, status) : SQLITE_OK;
}

static int commit_writer(struct bsql_index *index, struct bs_writer *writer, int code)
{
	if (!code) {
		enum bs_status status = bs_writer_commit(writer, NULL, index->err);
		code = status ? fail(index, status) : SQLITE_OK;
	}
	bs_writer_close(writer);
	bsql_files_forget_changed(&index->files);
	close_handle(index);
	return code;
}

static int compare_changes(const void *a, const void *b)
{
	const struct change *left = a, *right = b;
	if (left->id != right->id)
		return left->id < right->id ? -1 : 1;
	return left->order < right->order ? -1 : 1;
}

/* Returns the changes of `base` and of the log that are not applied to the memory, only the last
 * one of each row, sorted by id. Freed with free(). */
static int settle_changes(struct bsql_index *index, struct change **changes_out, size_t *n_out)
{
	const struct changes *base = &index->base, *log = &index->log;
	size_t n = 0, n_kept = 0, n_new = log->n - index->n_applied;
	bool is_sorted = true;
	struct change *changes = malloc((base->n + n_new + 1) * sizeof(*changes));
	*changes_out = changes;
	*n_out = 0;
	if (!changes)
		return SQLITE_NOMEM;
	for (size_t i = 0; i < base->n + n_new; i++) {
		changes[n] = i < base->n ? base->all[i] : log->all[index->n_applied + i - base->n];
		changes[n].order = (uint32_t)i;
		is_sorted &= n == 0 || changes[n - 1].id <= changes[n].id;
		n++;
	}
	if (!is_sorted)
		qsort(changes, n, sizeof(*changes), compare_changes);
	for (size_t i = 0; i < n; i++)
		if (i + 1 == n || changes[i].id != changes[i + 1].id)
			changes[n_kept++] = changes[i];
	*n_out = n_kept;
	return SQLITE_OK;
}

/* Opens a writer, and adds to it all changes that the memory lacks (see settle_changes). */
static int feed(struct bsql_index *index)
{
	struct change *changes = NULL;
	size_t n = 0;
	int code = settle_changes(index, &changes, &n);
	if (!code)
		code = open_writer(index, n, &index->writer);
	for (size_t i = 0; i < n && !code; i++)
		code = write_row(index, index->writer, &changes[i]);
	free(changes);
	return code;
}

static int apply(struct bsql_index *index)
{
	if (index->base.n == 0 && index->n_applied == index->log.n)
		return SQLITE_OK;
	enum bs_status status = bsql_feeder_end(index->feeder, index->err);
	index->feeder = NULL;
	int code = status ? fail(index, status) : index->writer ? SQLITE_OK : feed(index);
	struct bs_writer *writer = index->writer;
	index->writer = NULL;
	if (writer)
		code = commit_writer(index, writer, code);
	if (code)
		return code;
	index->base.n = 0;
	index->n_applied = index->log.n;
	return SQLITE_OK;
}

/* Reloads the memory from the tables if they have changed; does not apply the log. Detects changes
 * by `state` and not by SQLite's data_version, which may be unchanged after the database file has
 * been replaced. */
static int meet_tables(struct bsql_index *index)
{
	sqlite3_int64 state = 0;
	int code = bsql_shadow_number(&index->shadow, BSQL_STATE, &state);
	if (!code && (!index->is_known || state != index->state))
		code = reload(index);
	if (!code)
		index->state = state;
	return code;
}

/* Brings the memory up to date with the tables and with this transaction, and opens the index. */
static int refresh(struct bsql_index *index)
{
	int code = meet_tables(index);
	if (!code)
		code = apply(index);
	return code ? code : open_handle(index);
}

/* Writes a new `state`, by which other connections detect that the tables have changed. */
static int change_state(struct bsql_index *index)
{
	sqlite3_int64 state = 0;
	int code = bsql_shadow_number(&index->shadow, BSQL_STATE, &state);
	if (code)
		return code;
	/* If another connection has changed the tables since index->state was read, the memory is
	 * outdated. */
	index->is_known &= state == index->state;
	sqlite3_randomness(sizeof(index->state), &index->state);
	return bsql_shadow_put_state(&index->shadow, index->state);
}

/* Writes the memory, to which all changes have been applied, to t_files, and clears t_pending. */
static int write_back(struct bsql_index *index)
{
	sqlite3_stmt *statement;
	int code = bsql_files_save(&index->files, &index->shadow);
	if (!code)
		code = bsql_shadow_statement(&index->shadow, BSQL_PENDING_CLEAR, &statement);
	if (!code)
		code = bsql_shadow_run(&index->shadow, statement);
	if (!code)
		code = change_state(index);
	index->is_known = !code;
	index->base.n = index->log.n = index->n_applied = 0;
	return code;
}

/* If a transaction has this number of changes that are not applied to the memory, each further row
 * is passed to a writer at once, so that it need not be read from t_content at the end of the
 * transaction. Not with content='...'. */
#define MANY_CHANGES 1000u

static int start_writer(struct bsql_index *index)
{
	int code = enter(index);
	if (code)
		return code;
	code = meet_tables(index);
	if (!code)
		code = feed(index);
	if (!code)
		code = bsql_code_of(bsql_feeder_new(index->writer, index->declaration.fields,
		                                    &index->feeder, index->err));
	if (code)
		drop_writer(index);
	return leave(index, code);
}

int bsql_index_note(struct bsql_index *index, sqlite3_int64 id, bool there,
                    const struct bs_text *texts, size_t n_texts)
{
	index->n_changes++;
	for (size_t i = 0; i < n_texts; i++)
		index->log_bytes += texts[i].text_bytes;
	int code = append(&index->log, id, there);
	if (code)
		return code;
	if (index->writer) {
		enum bs_status status = bsql_feeder_put(index->feeder, id, texts, index->err);
		if (status) {
			drop_writer(index);
			bsql_reword(index->err);
		}
		return bsql_code_of(status);
	}
	bool are_many =
		index->log.n - index->n_applied >= MANY_CHANGES && !index->declaration.content;
	return are_many ? start_writer(index) : SQLITE_OK;
}

/* Writes the log to t_pending. */
static int flush(struct bsql_index *index)
{
	index->has_flushed = true;
	int code = index->writer ? apply(index) : SQLITE_OK;
	if (!code)
		code = change_state(index);
	for (size_t i = 0; i < index->log.n && !code; i++)
		code = bsql_shadow_put_pending(&index->shadow, index->log.all[i].id,
		                               index->log.all[i].there);
	for (size_t i = index->n_applied; i < index->log.n && !code && index->is_known; i++)
		code = append(&index->base, index->log.all[i].id, index->log.all[i].there);
	if (!code)
		index->log.n = index->n_applied = 0;
	return code;
}

int bsql_index_flush(struct bsql_index *index)
{
	if (index->log.n == 0)
		return SQLITE_OK;
	int code = enter(index);
	return code ? code : leave(index, flush(index));
}

static int sync_changes(struct bsql_index *index)
{
	sqlite3_int64 n_pending = 0;
	int code = bsql_shadow_number(&index->shadow, BSQL_PENDING_COUNT, &n_pending);
	if (code)
		return code;
	if ((uint64_t)n_pending + index->log.n <= BSQL_MOST_PENDING &&
	    index->log_bytes <= BSQL_MOST_PENDING_BYTES)
		return index->log.n > 0 ? flush(index) : SQLITE_OK;
	if (n_pending + (sqlite3_int64)index->log.n == 0)
		return SQLITE_OK;
	code = refresh(index);
	return code ? code : write_back(index);
}

int bsql_index_sync(struct bsql_index *index)
{
	if (index->log.n == 0 && !index->has_flushed)
		return SQLITE_OK;
	int code = enter(index);
	return code ? code : leave(index, sync_changes(index));
}

static void end_transaction(struct bsql_index *index)
{
	index->log.n = index->n_applied = index->log_bytes = 0;
	index->has_flushed = false;
}

void bsql_index_commit(struct bsql_index *index)
{
	index->is_known &= index->log.n == 0;
	end_transaction(index);
}

void bsql_index_rollback(struct bsql_index *index)
{
	drop_writer(index);
	index->n_changes++;
	index->is_known &= index->n_applied == 0;
	end_transaction(index);
}

/* The context of take_hit. */
struct finding {
	struct bsql_hits *hits;
	size_t limit; /* 0: all */
	int code;     /* SQLite's code for a hit that could not be added */
	bool has_scores, is_enough;
};

static int take_hit(void *context, const struct bs_hit *hit)
{
	struct finding *finding = context;
	sqlite3_int64 id;
	finding->code = SQLITE_CORRUPT_VTAB;
	if (bsql_id_read(hit->id, hit->id_bytes, &id))
		finding->code =
			bsql_hits_add(finding->hits, id, finding->has_scores ? &hit->score : NULL);
	finding->is_enough = finding->hits->n == finding->limit;
	return finding->code || finding->is_enough;
}

static int find(struct bsql_index *index, struct bs_search_request *request,
                struct finding *finding, uint64_t *n_out)
{
	struct bs_search_result result;
	enum bs_status status = bs_search(index->searcher, request, &result, index->err);
	if (finding->code) {
		(void)bs_fail(index->err, BS_OK,
		              finding->code == SQLITE_NOMEM ? "out of memory"
		                                            : "%s_files: an id that is no rowid",
		              index->declaration.table);
		return finding->code;
	}
	if (status && !(status == BS_STOPPED && finding->is_enough))
		return fail(index, status);
	if (index->provider_code)
		return fail(index, BS_IO);
	if (!status && result.n_unreadable > 0) {
		(void)bs_fail(index->err, BS_OK, "%s: rows that may match cannot be read",
		              index->declaration.table);
		return SQLITE_ERROR;
	}
	*n_out = result.n_hits;
	return SQLITE_OK;
}

int bsql_index_check_query(struct bsql_index *index, const char *query, size_t query_bytes)
{
	struct bs_query *parsed;
	int code = bsql_index_query(index, query, query_bytes, NULL, &parsed);
	bs_query_free(parsed);
	return code;
}

/* The `limit` of a bs_search that returns all hits: the number of documents, but at least 1,
 * because bs_search takes 0 as its default of 10. */
static size_t n_docs(const struct bsql_index *index)
{
	struct bs_index_info info;
	bs_index_describe(index->handle, &info);
	return info.n_docs > 0 ? (size_t)info.n_docs : 1;
}

static int find_hits(struct bsql_index *index, const char *query, size_t query_bytes,
                     enum bs_search_mode mode, size_t limit, struct bsql_hits *hits,
                     uint64_t *n_out)
{
	struct finding finding = {
		.hits = hits, .limit = limit, .has_scores = mode == BS_SEARCH_TOP};
	struct bs_search_request request = {
		.query.text = query,
		.query.text_bytes = query_bytes,
		.output.mode = mode,
		.output.limit = mode == BS_SEARCH_TOP ? limit : 0,
		.method.exhaustive = mode == BS_SEARCH_TOP && limit == 0,
		.method.no_stat = true,
		.method.n_threads = 1,
		.limits = &index->limits,
		.callbacks.hit = mode == BS_SEARCH_COUNT ? NULL : take_hit,
		.callbacks.context = &finding,
	};
	/* An invalid query is an error even if the table has no rows. */
	if (!index->searcher)
		return bsql_index_check_query(index, query, query_bytes);
	if (request.method.exhaustive)
		request.output.limit = n_docs(index);
	return find(index, &request, &finding, n_out);
}

int bsql_index_find(struct bsql_index *index, const char *query, size_t query_bytes,
                    enum bs_search_mode mode, size_t limit, struct bsql_hits *hits, uint64_t *n_out)
{
	*n_out = 0;
	int code = enter(index);
	if (code)
		return code;
	if (hits)
		hits->n = 0;
	code = refresh(index);
	if (!code)
		code = find_hits(index, query, query_bytes, mode, limit, hits, n_out);
	return leave(index, code);
}

static int know_hits(struct bsql_index *index, const char *query, size_t query_bytes,
                     bool wants_scores)
{
	struct known *known = &index->known;
	uint64_t n;
	if (known->query && known->view == index->view && known->query_bytes == query_bytes &&
	    memcmp(known->query, query, query_bytes) == 0 && known->has_scores >= wants_scores)
		return SQLITE_OK;
	forget_hits(index);
	int code = find_hits(index, query, query_bytes,
	                     wants_scores ? BS_SEARCH_TOP : BS_SEARCH_IDS, 0, &known->hits, &n);
	if (!code)
		code = bsql_hits_sort_by_id(&known->hits);
	if (!code && !(known->query = malloc(query_bytes + 1)))
		code = SQLITE_NOMEM;
	if (code)
		return code;
	memcpy(known->query, query, query_bytes);
	known->query_bytes = query_bytes;
	known->has_scores = wants_scores;
	known->view = index->view;
	return SQLITE_OK;
}

int bsql_index_find_all(struct bsql_index *index, const char *query, size_t query_bytes,
                        bool wants_scores, const struct bsql_hits **hits_out)
{
	*hits_out = &index->known.hits;
	int code = enter(index);
	if (code)
		return code;
	code = refresh(index);
	if (!code)
		code = know_hits(index, query, query_bytes, wants_scores);
	return leave(index, code);
}

int bsql_index_query(struct bsql_index *index, const char *query, size_t query_bytes,
                     const char *const *weights, struct bs_query **query_out)
{
	const struct bsql_declaration *of = &index->declaration;
	if (!weights && of->weights[0])
		weights = (const char *const *)of->weights;
	struct bs_query_request request = {
		.query = query,
		.query_bytes = query_bytes,
		.stem_language = of->stem,
		.fold_accents = of->fold_accents,
		.split_identifiers = of->split_identifiers,
		.weights = weights,
		.fields = of->fields,
	};
	enum bs_status status = bs_query_new(&request, query_out, NULL, index->err);
	if (status)
		bsql_reword(index->err);
	return bsql_code_of(status);
}

int bsql_index_gather(struct bsql_index *index, const char *query, size_t query_bytes,
                      struct bs_statistics **statistics_out)
{
	struct bs_search_request request = {.query.text = query,
	                                    .query.text_bytes = query_bytes,
	                                    .output.mode = BS_SEARCH_COUNT,
	                                    .method.no_stat = true,
	                                    .method.n_threads = 1,
	                                    .limits = &index->limits};
	*statistics_out = NULL;
	int code = enter(index);
	if (code)
		return code;
	code = refresh(index);
	enum bs_status status = code ? BS_OK : bs_statistics_new(statistics_out, index->err);
	if (!status && !code && index->searcher)
		status = bs_statistics_gather(index->searcher, &request, *statistics_out,
		                              index->err);
	return leave(index, status ? fail(index, status) : code);
}

static void describe(const struct bsql_index *index, struct bsql_info *info_out)
{
	struct bs_index_info info;
	if (!index->handle)
		return;
	bs_index_describe(index->handle, &info);
	*info_out = (struct bsql_info){
		.n_rows = (int64_t)info.n_docs,
		.n_deleted = (int64_t)info.n_deleted,
		.n_segments = (int64_t)info.n_segments,
		.has_other_rules = info.is_other_unicode,
	};
	sqlite3_snprintf(sizeof(info_out->icu), info_out->icu, "%s", info.icu_version);
	sqlite3_snprintf(sizeof(info_out->unicode), info_out->unicode, "%s", info.unicode_version);
}

int bsql_index_describe(struct bsql_index *index, struct bsql_info *info_out)
{
	*info_out = (struct bsql_info){.n_rows = 0};
	int code = enter(index);
	if (code)
		return code;
	code = refresh(index);
	if (!code)
		describe(index, info_out);
	return leave(index, code);
}

/* Builds a new index and writes it to the tables. of_rows: from all rows of the content; otherwise
 * it is empty. */
static int build(struct bsql_index *index, bool of_rows)
{
	struct bs_writer *writer = NULL;
	sqlite3_stmt *ids;
	start_over(index);
	int code = bsql_files_make(&index->files, &index->shadow);
	if (!code)
		code = open_writer(index, of_rows ? SIZE_MAX : 0, &writer);
	if (!code && of_rows)
		code = bsql_shadow_statement(&index->shadow, BSQL_IDS, &ids);
	if (!code && of_rows) {
		while (!code && (code = bsql_shadow_step(&index->shadow, ids)) == SQLITE_ROW)
			code = write_row(index, writer,
			                 &(struct change){.id = sqlite3_column_int64(ids, 0),
			                                  .there = true});
		sqlite3_reset(ids);
		code = code == SQLITE_DONE ? SQLITE_OK : code;
	}
	if (writer)
		code = commit_writer(index, writer, code);
	index->is_known = !code;
	return code ? code : write_back(index);
}

int bsql_index_rebuild(struct bsql_index *index)
{
	int code = enter(index);
	return code ? code : leave(index, build(index, true));
}

int bsql_index_delete_all(struct bsql_index *index)
{
	int code = enter(index);
	return code ? code : leave(index, build(index, false));
}

/* Merges the segments. Does nothing if the index was made with other tokenizer rules: a merge would
 * then read all rows, as does the rebuild that such an index needs anyway. */
static int compact(struct bsql_index *index)
{
	int code = refresh(index);
	if (code || !index->handle || has_other_rules(index))
		return code;
	struct bs_build_request request = {.memory = index->files.memory,
	                                   .host.texts = &index->provider,
	                                   .limits = &index->limits};
	close_handle(index);
	enum bs_status status = bs_index_compact(&request, NULL, index->err);
	bsql_files_forget_changed(&index->files);
	return status ? fail(index, status) : write_back(index);
}

int bsql_index_optimize(struct bsql_index *index)
{
	int code = enter(index);
	return code ? code : leave(index, compact(index));
}

static int check_files(struct bsql_index *index)
{
	start_over(index);
	int code = reload(index);
	if (code || !bsql_files_have_index(&index->files))
		return code;
	struct bs_check_request request = {.memory = index->files.memory, .limits = &index->limits};
	return bsql_code_of(bs_index_check(&request, NULL, index->err));
}

int bsql_index_check_files(struct bsql_index *index)
{
	int code = enter(index);
	return code ? code : leave(index, check_files(index));
}
