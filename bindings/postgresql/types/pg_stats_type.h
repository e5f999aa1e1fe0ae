/*
 * pg_stats_type.h: the type bitsift_stats: the frequencies of a query's words in an index without
 * fields, as struct bs_statistics (core/bitsift/query.h) has them. Several indexes that share them
 * rank as one.
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

/* Borrowed from the datum. */
const char *bsp_stats_parts(const struct bsp_stats_datum *stats, size_t *bytes_out);
/* Returns an object of the library, to be freed with bs_statistics_free. */
struct bs_statistics *bsp_stats_load(const char *parts, size_t n_bytes);
struct bsp_stats_datum *bsp_stats_save(const struct bs_statistics *statistics);
/* The text form, and its parser, which returns NULL if the text is invalid. */
char *bsp_stats_format(const char *parts, size_t n_bytes);
struct bsp_stats_datum *bsp_stats_parse(const char *text);

#endif
