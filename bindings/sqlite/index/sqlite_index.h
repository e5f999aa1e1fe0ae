/*
 * sqlite_index.h: the index of a virtual table as a connection has it: the files of t_files in
 * memory, opened, and what changed since they were written.
 *
 * A change of a row is only noted (t_content has the row). Before a query, what is noted is brought
 * into the memory, where it stays for this connection alone. At the end of a transaction few notes
 * go to t_pending, where other connections find them; of many, the files are written back, and
 * t_pending is emptied. So the tables are all there is: after a rollback, or a change by another
 * connection, the memory is made to be what they say, by the files that differ.
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

/* Notes that t_pending may have: each reader has to take them in. And of how many bytes of text,
 * about. */
#define BSQL_MOST_PENDING       64
#define BSQL_MOST_PENDING_BYTES 65536

struct bsql_index;
struct bsql_cursor;

/* What a connection has. Indexes are found by schema and table: SQLite may connect a table a second
 * time before it disconnects it. */
struct bsql_registry {
	bool has_warned; /* of an index whose words were cut by other rules */
	struct bsql_index *indexes;
	struct bsql_cursor *cursors;
};
struct bsql_registry *bsql_registry_new(void);
void bsql_registry_free(void *registry);

/* An index that is there serves what is declared as it. Takes over what the declaration has; on
 * failure, too. *index_out is for bsql_index_release. */
int bsql_index_acquire(struct bsql_registry *registry, sqlite3 *db,
                       struct bsql_declaration *declaration, struct bsql_index **index_out,
                       struct bs_error *err);
void bsql_index_release(struct bsql_index *index);
/* The table is dropped, or is called otherwise: nobody shall find it by its name. */
void bsql_index_forget(struct bsql_index *index);
int bsql_index_rename(struct bsql_index *index, const char *table);

const struct bsql_declaration *bsql_index_declaration(const struct bsql_index *index);
struct bsql_shadow *bsql_index_shadow(struct bsql_index *index);
/* What the last function that did not return SQLITE_OK failed with. */
const char *bsql_index_error(const struct bsql_index *index);

/* SQLITE_ERROR while the table reads or writes its rows or its own tables: before it is read or
 * written, as it would be again without end if its content is the table itself (by its name, a
 * view, a ring of tables, a trigger). */
int bsql_index_refuse_recursion(struct bsql_index *index);

/* Each time that another commit is opened, another number. */
uint64_t bsql_index_view(const struct bsql_index *index);

/* Grows with each change of a row that this connection makes, and with each that it takes back. */
uint64_t bsql_index_n_changes(const struct bsql_index *index);

/* The row changed: there says whether it is one now. texts: those that are indexed; NULL: content
 * has them, or it is gone. */
int bsql_index_note(struct bsql_index *index, sqlite3_int64 id, bool there,
                    const struct bs_text *texts, size_t n_texts);

/* Before a savepoint, and before the table is called otherwise: what was noted goes to t_pending,
 * so that the tables alone are gone back to. */
int bsql_index_flush(struct bsql_index *index);
/* The end of a transaction; a rollback, to a savepoint too. */
int bsql_index_sync(struct bsql_index *index);
void bsql_index_commit(struct bsql_index *index);
void bsql_index_rollback(struct bsql_index *index);

/* Hits come in the place of what is there; hits may be NULL with BS_SEARCH_COUNT. limit: so many
 * are enough, those of BS_SEARCH_TOP being the best; 0: all. *n_out: with BS_SEARCH_COUNT, how many
 * match. */
int bsql_index_find(struct bsql_index *index, const char *query, size_t query_bytes,
                    enum bs_search_mode mode, size_t limit, struct bsql_hits *hits,
                    uint64_t *n_out);

/* All hits by id, borrowed until anything is asked again; with their scores, if they are wanted.
 * They are kept: to ask the same once more, as a join does for row after row, costs next to
 * nothing. */
int bsql_index_find_all(struct bsql_index *index, const char *query, size_t query_bytes,
                        bool wants_scores, const struct bsql_hits **hits_out);

/* A query apart from the index, with the table's rules, and its weights unless these are given; for
 * bs_query_free. */
int bsql_index_query(struct bsql_index *index, const char *query, size_t query_bytes,
                     const char *const *weights, struct bs_query **query_out);
/* What its scores go by; for bs_statistics_free. */
/* An error if the query, or an option of the table that says how words are cut, is invalid. */
int bsql_index_check_query(struct bsql_index *index, const char *query, size_t query_bytes);
int bsql_index_gather(struct bsql_index *index, const char *query, size_t query_bytes,
                      struct bs_statistics **statistics_out);

/* The one of that table; NULL: no table that is connected has one. */
struct bsql_index *bsql_index_find_table(const struct bsql_registry *registry, const char *schema,
                                         const char *table);

/* The present contents of an index. The versions are those by which its words were cut. */
struct bsql_info {
	int64_t n_rows, n_deleted, n_segments;
	char icu[16], unicode[16];
	bool has_other_rules; /* those are not the ones of this extension: queries read every row */
};
int bsql_index_describe(struct bsql_index *index, struct bsql_info *info_out);

/* INSERT INTO t(t) VALUES('optimize'), 'rebuild', 'delete-all'. optimize: not while
 * has_other_rules. */
int bsql_index_optimize(struct bsql_index *index);
int bsql_index_rebuild(struct bsql_index *index);
int bsql_index_delete_all(struct bsql_index *index);
/* Reads the files anew and checks every byte. */
int bsql_index_check_files(struct bsql_index *index);

#endif
