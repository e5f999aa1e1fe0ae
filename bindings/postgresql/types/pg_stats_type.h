/*
 * pg_stats_type.h: the type bitsift_stats: the document frequencies of a query's words. It is a
 * stored form of struct bs_statistics (core/bitsift/statistics.h) without the names of document
 * fields. Several indexes that rank by the sum of their statistics rank as one index.
 *
 * Its text form: the number of documents, their total number of words, and each word with its
 * number of documents, in bytewise order:
 *
 *    300000 12000000 "dog"=120 "house"=4711
 */
#ifndef BINDINGS_POSTGRESQL_TYPES_PG_STATS_TYPE_H
#define BINDINGS_POSTGRESQL_TYPES_PG_STATS_TYPE_H

#include "postgres.h"

struct bs_statistics;

struct bsp_stats_datum {
	int32 vl_len_;
	/* n_docs and n_positions, 8 bytes each; then for each word: n_docs in 8 bytes, its length
	 * in 4 bytes, its bytes. */
	char parts[FLEXIBLE_ARRAY_MEMBER];
};
#define BSP_STATS_OF(datum) ((struct bsp_stats_datum *)PG_DETOAST_DATUM(datum))

/* Returns stats->parts and its size. */
const char *bsp_stats_parts(const struct bsp_stats_datum *stats, size_t *bytes_out);
/* Converts the parts of a datum to an object of the library, to be freed with
 * bs_statistics_free. */
struct bs_statistics *bsp_stats_load(const char *parts, size_t n_bytes);
/* Converts an object of the library to a datum. */
struct bsp_stats_datum *bsp_stats_save(const struct bs_statistics *statistics);
/* Returns the text form of the parts of a datum. */
char *bsp_stats_format(const char *parts, size_t n_bytes);
/* Parses the text form. NULL if the text is invalid. */
struct bsp_stats_datum *bsp_stats_parse(const char *text);

#endif
