/*
 * sqlite_hits.h: the result of a search: rowids and optionally scores.
 */
#ifndef BINDINGS_SQLITE_INDEX_SQLITE_HITS_H
#define BINDINGS_SQLITE_INDEX_SQLITE_HITS_H

#include <stdbool.h>
#include <stddef.h>

#include <sqlite3ext.h>

/* All zero: empty. */
struct bsql_hits {
	sqlite3_int64 *ids;
	double *scores; /* one for each id; NULL if bsql_hits_add got no scores */
	size_t n, capacity;
};
void bsql_hits_deinit(struct bsql_hits *hits);

/* Adds a hit. `score` is NULL either for all hits or for none. Returns SQLITE_OK or
 * SQLITE_NOMEM. */
int bsql_hits_add(struct bsql_hits *hits, sqlite3_int64 id, const double *score);
/* Adds those hits of `from` whose ids are from `least` to `greatest`. Requires `from` sorted by
 * id. */
int bsql_hits_add_range(struct bsql_hits *hits, const struct bsql_hits *from, sqlite3_int64 least,
                        sqlite3_int64 greatest);
int bsql_hits_sort_by_id(struct bsql_hits *hits);
/* Reverses the order. */
void bsql_hits_turn_around(struct bsql_hits *hits);
/* Keeps only hits whose ids are from `least` to `greatest`. */
void bsql_hits_keep(struct bsql_hits *hits, sqlite3_int64 least, sqlite3_int64 greatest);
/* The position of the first hit whose id is at least `id`, or n. Requires hits sorted by id. */
size_t bsql_hits_from(const struct bsql_hits *hits, sqlite3_int64 id);

#endif
