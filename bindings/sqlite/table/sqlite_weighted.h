/*
 * sqlite_weighted.h: scores by weights of columns that a statement gives, bm25(t, 2, 1), instead of
 * those that the table was made with: each row is looked at for its own.
 */
#ifndef BINDINGS_SQLITE_TABLE_SQLITE_WEIGHTED_H
#define BINDINGS_SQLITE_TABLE_SQLITE_WEIGHTED_H

#include "bindings/sqlite/index/sqlite_index.h"

struct bs_text;

struct bsql_weighted;

/* A weight for each column, UNINDEXED ones included, from 1 to BSQL_MOST_WEIGHT; for sqlite3_free.
 * Columns behind those given have 1. NULL: no memory. */
#define BSQL_MOST_WEIGHT 100
unsigned char *bsql_weights_new(const struct bsql_declaration *declaration);
/* False: it is no such weight. What is behind the last column means nothing. */
bool bsql_weights_put(unsigned char *weights, const struct bsql_declaration *declaration,
                      int column, double weight);
/* Of "bm25(2, 1)". */
bool bsql_weights_read(unsigned char *weights, const struct bsql_declaration *declaration,
                       const char *text);

/* For a query, in the state that the index is in. For bsql_weighted_free. */
int bsql_weighted_new(struct bsql_index *index, const char *query, size_t query_bytes,
                      const unsigned char *weights, struct bsql_weighted **weighted_out);
void bsql_weighted_free(struct bsql_weighted *weighted);
/* Is it by these weights? */
bool bsql_weighted_is(const struct bsql_weighted *weighted, const unsigned char *weights);
/* texts: those that are indexed. */
int bsql_weighted_score(struct bsql_weighted *weighted, const struct bs_text *texts,
                        double *score_out);

#endif
