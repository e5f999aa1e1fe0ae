/*
 * pg_query_type.h: the type bitsift_query: the text of a query, how its words are split and folded,
 * the index it is bound to, and the statistics it is ranked by.
 *
 * Its text form is the query itself. Options precede it in braces, so that the form is lossless:
 *
 *    {stemmer=english,any}running shoes
 *
 * A query that itself begins with a brace is written with {} before it. A brace that does not begin
 * a valid list of options is text.
 */
#ifndef BINDINGS_POSTGRESQL_TYPES_PG_QUERY_TYPE_H
#define BINDINGS_POSTGRESQL_TYPES_PG_QUERY_TYPE_H

#include "postgres.h"

#include "fmgr.h"

#include "bindings/postgresql/storage/pg_analysis.h"
#include "core/bitsift/status.h"

struct bs_search_request;

enum bsp_query_flags {
	BSP_QUERY_ANY = 1,    /* hits have any of the words, not all */
	BSP_QUERY_STATED = 2, /* the author of the query states how words are analysed */
	/* The analysis is that of the column's index. If neither this nor BSP_QUERY_STATED is set,
	 * there is no stemming, folding of accents or splitting of identifiers. */
	BSP_QUERY_BOUND = 4,
	BSP_QUERY_FOLD_ACCENTS = 8,
	BSP_QUERY_SPLIT_IDENTIFIERS = 16,
	BSP_QUERY_STRICT = 32, /* characters that only look like operators are an error */
	BSP_QUERY_FLAGS = 63
};

/* The stored form. Its parts follow in this order: stemmer, stop, statistics, text. */
struct bsp_query_datum {
	int32 vl_len_;
	uint8 version; /* 1 */
	uint8 flags;
	uint8 stemmer_bytes;
	uint8 stop_bytes;
	/* The index whose statistics rank the query, possibly a partitioned one, or InvalidOid. */
	Oid index;
	/* Size of the statistics, in the format of bsp_stats_datum.parts (pg_stats_type.h); 0:
	 * none. */
	uint32 statistics_bytes;
	char parts[FLEXIBLE_ARRAY_MEMBER];
};

/* The parts of a query: borrowed from a datum, or input of bsp_query_make. */
struct bsp_query {
	uint8 flags;
	Oid index;
	const char *stemmer; /* none of the strings is NUL-terminated */
	const char *stop;
	const char *statistics;
	const char *text;
	size_t stemmer_bytes, stop_bytes, statistics_bytes, text_bytes;
};

/* Reads a detoasted datum, which has a header of four bytes. *query_out borrows its strings. */
void bsp_query_read(const struct bsp_query_datum *datum, struct bsp_query *query_out);
struct bsp_query_datum *bsp_query_make(const struct bsp_query *query);
#define BSP_QUERY_OF(datum) ((struct bsp_query_datum *)PG_DETOAST_DATUM(datum))

/* True if the query analyses words as the index does. */
bool bsp_query_is_analysed_as(const struct bsp_query *query, const struct bsp_analysis *analysis);
/* Replaces the analysis of the query with that of the index. */
void bsp_query_set_analysis(struct bsp_query *query, const struct bsp_analysis *analysis);

/* Returns the query bound to the index, whose statistics then rank it. It gets the analysis of the
 * index unless it states one. */
struct bsp_query_datum *bsp_query_bound_to(const struct bsp_query_datum *datum, Oid index);

/* Sets the fields of a request that every search with this query has. The request borrows its
 * strings from `query` and from `strings`, which receives NUL-terminated copies of the stemmer and
 * of `stop`. */
struct bsp_query_strings {
	char stemmer[256], stop[256];
};
void bsp_query_search_request(const struct bsp_query *query, struct bsp_query_strings *strings,
                              struct bs_search_request *request_out);

/* Throws an error of the library. The message names the position in the query if status is
 * BS_INVALID and `error_byte` is not SIZE_MAX. */
void bsp_query_fail(enum bs_status status, const struct bs_error *err,
                    const struct bsp_query *query, size_t error_byte);

/* Throws unless the encoding of the database is UTF8 or SQL_ASCII. */
void bsp_check_encoding(void);

#endif
