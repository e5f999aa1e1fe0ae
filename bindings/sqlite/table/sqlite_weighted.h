/*
 * sqlite_weighted.h: scores with column weights given in a statement, as in bm25(t, 2, 1), instead
 * of those of the table. The score is computed from the texts of each row.
 */
#ifndef BINDINGS_SQLITE_TABLE_SQLITE_WEIGHTED_H
#define BINDINGS_SQLITE_TABLE_SQLITE_WEIGHTED_H

#include "bindings/sqlite/index/sqlite_index.h"

struct bs_text;

struct bsql_weighted;

/* Returns a weight of 1 for each column, UNINDEXED ones included; freed with sqlite3_free. NULL if
 * memory runs out. Weights are 1 to BSQL_MOST_WEIGHT. */
#define BSQL_MOST_WEIGHT 100
unsigned char *bsql_weights_new(const struct bsql_declaration *declaration);
/* Sets the weight of a column. False unless it is an integer from 1 to BSQL_MOST_WEIGHT. Weights
 * beyond the last column are ignored. */
bool bsql_weights_put(unsigned char *weights, const struct bsql_declaration *declaration,
                      int column, double weight);
/* Sets weights from a text such as "bm25(2, 1)". False if it is invalid. */
bool bsql_weights_read(unsigned char *weights, const struct bsql_declaration *declaration,
                       const char *text);

/* Prepares scoring for a query with the current statistics of the index. Freed with
 * bsql_weighted_free. */
int bsql_weighted_new(struct bsql_index *index, const char *query, size_t query_bytes,
                      const unsigned char *weights, struct bsql_weighted **weighted_out);
void bsql_weighted_free(struct bsql_weighted *weighted);
/* True if `weighted` is not NULL and has these weights. */
bool bsql_weighted_is(const struct bsql_weighted *weighted, const unsigned char *weights);
/* Computes the score of a row. `texts`: its indexed texts, in the order of the columns. */
int bsql_weighted_score(struct bsql_weighted *weighted, const struct bs_text *texts,
                        double *score_out);

#endif
