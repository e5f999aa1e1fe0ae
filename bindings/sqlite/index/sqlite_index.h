/*
 * sqlite_index.h: the index of a virtual table t in a connection. It consists of the files of
 * t_files, loaded into memory and opened, and of the row changes since the files were written.
 *
 * A change of a row is only logged, because t_content has the row. Before a query, logged changes
 * are applied to the memory, where only this connection sees them. At the end of a transaction, a
 * small log is written to t_pending, where other connections find it. A large log is applied, the
 * files are written back and t_pending is cleared. So the tables are the only persistent state:
 * after a rollback, or a change by another connection, the memory is synchronized with the tables
 * by reloading the files that differ.
 */
#ifndef BINDINGS_SQLITE_INDEX_SQLITE_INDEX_H
#define BINDINGS_SQLITE_INDEX_SQLITE_INDEX_H

#include <stdbool.h>

#include "bindings/sqlite/index/sqlite_hits.h"
#include "bindings/sqlite/index/sqlite_shadow.h"
#include "core/bitsift/search_request.h"

struct bs_query;
struct bs_statistics;
struct bs_text;

/* At the end of a transaction, its log is written to t_pending only if the rows of t_pending and
 * the changes of the log are at most BSQL_MOST_PENDING together, and the texts that the transaction
 * changed have at most BSQL_MOST_PENDING_BYTES. Otherwise all changes are written to the files.
 * t_pending is kept small because every connection that searches must apply its rows. */
#define BSQL_MOST_PENDING       64
#define BSQL_MOST_PENDING_BYTES 65536

struct bsql_index;
struct bsql_cursor;

/* The state of a connection. Indexes are looked up by their declaration, because SQLite may connect
 * a table a second time before it disconnects it; both then share an index. */
struct bsql_registry {
	bool has_warned; /* warned of an index with other tokenizer rules */
	struct bsql_index *indexes;
	struct bsql_cursor *cursors; /* the open cursors of all tables */
};
struct bsql_registry *bsql_registry_new(void);
void bsql_registry_free(void *registry);

/* Gives *index_out the index with an equal declaration, or a new one, to be released with
 * bsql_index_release. Takes ownership of the contents of `declaration`, even on failure. */
int bsql_index_acquire(struct bsql_registry *registry, sqlite3 *db,
                       struct bsql_declaration *declaration, struct bsql_index **index_out,
                       struct bs_error *err);
void bsql_index_release(struct bsql_index *index);
/* Removes an index from the registry; called when its table is dropped. */
void bsql_index_forget(struct bsql_index *index);
/* Renames the shadow tables; called when the virtual table is renamed to `table`. */
int bsql_index_rename(struct bsql_index *index, const char *table);

const struct bsql_declaration *bsql_index_declaration(const struct bsql_index *index);
struct bsql_shadow *bsql_index_shadow(struct bsql_index *index);
/* The message of the last function that did not return SQLITE_OK. */
const char *bsql_index_error(const struct bsql_index *index);

/* Returns SQLITE_ERROR while the table reads or writes its content or its own tables. To be called
 * before the table is read or written; this prevents endless recursion if its content is the table
 * itself (by name, through a view, a cycle of tables or a trigger). */
int bsql_index_refuse_recursion(struct bsql_index *index);

/* A number that changes each time the files in memory are opened again. */
uint64_t bsql_index_view(const struct bsql_index *index);

/* A number that grows with each call of bsql_index_note and each rollback. */
uint64_t bsql_index_n_changes(const struct bsql_index *index);

/* Logs a change of a row. there: the row exists now; false: it was deleted. texts: its indexed
 * texts; NULL if the table has content='...', or if the row was deleted. */
int bsql_index_note(struct bsql_index *index, sqlite3_int64 id, bool there,
                    const struct bs_text *texts, size_t n_texts);

/* Writes the log to t_pending. Called before a savepoint, so that a rollback to it restores the
 * pending changes with the tables, and before the table is renamed. */
int bsql_index_flush(struct bsql_index *index);
/* Writes the changes of a transaction to the tables, before SQLite commits it. */
int bsql_index_sync(struct bsql_index *index);
void bsql_index_commit(struct bsql_index *index);
/* Called after a rollback of the whole transaction or to a savepoint. */
void bsql_index_rollback(struct bsql_index *index);

/* Searches. Replaces the contents of `hits`, which may be NULL with BS_SEARCH_COUNT. limit: the
 * maximum number of hits (with BS_SEARCH_TOP, the best ones); 0: all. *n_out: the number of
 * matching rows, with BS_SEARCH_COUNT. */
int bsql_index_find(struct bsql_index *index, const char *query, size_t query_bytes,
                    enum bs_search_mode mode, size_t limit, struct bsql_hits *hits,
                    uint64_t *n_out);

/* All hits, sorted by id, with scores if requested. Borrowed until the next call for this index.
 * The last result is cached, so that repeating a query, as a join does for each row, costs almost
 * nothing. */
int bsql_index_find_all(struct bsql_index *index, const char *query, size_t query_bytes,
                        bool wants_scores, const struct bsql_hits **hits_out);

/* Parses a query with the options of the table, for use without the index. weights: NULL for those
 * of the table. Freed with bs_query_free. */
int bsql_index_query(struct bsql_index *index, const char *query, size_t query_bytes,
                     const char *const *weights, struct bs_query **query_out);
/* Returns an error if the query, or an option of the table that determines the analysis, is
 * invalid. */
int bsql_index_check_query(struct bsql_index *index, const char *query, size_t query_bytes);
/* Gathers the statistics that score the query; freed with bs_statistics_free. */
int bsql_index_gather(struct bsql_index *index, const char *query, size_t query_bytes,
                      struct bs_statistics **statistics_out);

/* The connected index of a table, or NULL. */
struct bsql_index *bsql_index_find_table(const struct bsql_registry *registry, const char *schema,
                                         const char *table);

/* The current contents of an index. */
struct bsql_info {
	/* n_deleted: deleted or replaced rows whose data is still in a segment. */
	int64_t n_rows, n_deleted, n_segments;
	char icu[16], unicode[16]; /* the versions of ICU and Unicode that split its words */
	/* The index was made with other tokenizer rules than those of this extension, so queries
	 * read every row. */
	bool has_other_rules;
};
int bsql_index_describe(struct bsql_index *index, struct bsql_info *info_out);

/* The commands 'optimize', 'rebuild' and 'delete-all' of INSERT INTO t(t) VALUES(...). 'optimize'
 * does nothing if has_other_rules. */
int bsql_index_optimize(struct bsql_index *index);
int bsql_index_rebuild(struct bsql_index *index);
int bsql_index_delete_all(struct bsql_index *index);
/* Reloads the files from t_files and checks every byte of them. */
int bsql_index_check_files(struct bsql_index *index);

#endif
