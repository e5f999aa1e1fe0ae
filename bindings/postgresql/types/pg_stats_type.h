/*
 * pg_stats_type.h: the type bitsift_stats: how frequent the words of a query are in an index, so
 * that several rank as one: what bs_statistics (core/bitsift/query.h) knows, of an index without
 * fields.
 *
 * Its text form: how many documents, how many words they have in all, and each word with the number
 * of documents that have it, words in bytewise order:
 *
 *     300000 12000000 "dog"=120 "house"=4711
 */
#ifndef BINDINGS_POSTGRESQL_TYPES_PG_STATS_TYPE_H
#define BINDINGS_POSTGRESQL_TYPES_PG_STATS_TYPE_H

#include "postgres.h"

struct bs_statistics;

struct bsp_stats_datum {
	int32 vl_len_;
	char parts
		/* two numbers of 8 bytes; then, word by word, its number of 8 bytes, its length of
		 * 4, itself */
		[FLEXIBLE_ARRAY_MEMBER];
};
#define BSP_STATS_OF(datum) ((struct bsp_stats_datum *)PG_DETOAST_DATUM(datum))

/* Borrowed of the datum. */
const char *bsp_stats_parts(const struct bsp_stats_datum *stats, size_t *bytes_out);
/* The library's, for bs_statistics_free. */
struct bs_statistics *bsp_stats_load(const char *parts, size_t n_bytes);
struct bsp_stats_datum *bsp_stats_save(const struct bs_statistics *statistics);
/* The text form, and back. NULL: it is none. */
char *bsp_stats_format(const char *parts, size_t n_bytes);
struct bsp_stats_datum *bsp_stats_parse(const char *text);

#endif
