/*
 * sqlite_hits.h: what a search found: rowids, and the scores that they have.
 */
#ifndef BINDINGS_SQLITE_INDEX_SQLITE_HITS_H
#define BINDINGS_SQLITE_INDEX_SQLITE_HITS_H

#include <stdbool.h>
#include <stddef.h>

#include <sqlite3ext.h>

/* Empty: all zero. scores: NULL unless they were asked for. */
struct bsql_hits {
	sqlite3_int64 *ids;
	double *scores;
	size_t n, capacity;
};
void bsql_hits_deinit(struct bsql_hits *hits);

/* score: NULL where none are asked for; then never. SQLITE_NOMEM. */
int bsql_hits_add(struct bsql_hits *hits, sqlite3_int64 id, const double *score);
/* Those of another one with ids from least to greatest, which has them by id. */
int bsql_hits_add_range(struct bsql_hits *hits, const struct bsql_hits *from, sqlite3_int64 least,
                        sqlite3_int64 greatest);
int bsql_hits_sort_by_id(struct bsql_hits *hits);
void bsql_hits_turn_around(struct bsql_hits *hits);
/* Only those with ids from least to greatest stay. */
void bsql_hits_keep(struct bsql_hits *hits, sqlite3_int64 least, sqlite3_int64 greatest);
/* By id: the first from there on, or n. */
size_t bsql_hits_from(const struct bsql_hits *hits, sqlite3_int64 id);

#endif
