/*
 * pg_query_type.h: the type bitsift_query: a query's text, and what it means: how words are cut and
 * folded, which index it is bound to, by which statistics it ranks.
 *
 * Its text form is the query itself. What is said besides stands before it, in braces, so that the
 * form is lossless:
 *
 *     {stemmer=english,any}running shoes
 *
 * A query whose own text begins with a brace is written with {} before it. What is in braces and is
 * no such list is text.
 */
#ifndef BINDINGS_POSTGRESQL_TYPES_PG_QUERY_TYPE_H
#define BINDINGS_POSTGRESQL_TYPES_PG_QUERY_TYPE_H

#include "postgres.h"

#include "fmgr.h"

#include "bindings/postgresql/storage/pg_analysis.h"
#include "core/bitsift/status.h"

struct bs_search_request;

enum bsp_query_flags {
	BSP_QUERY_ANY = 1,    /* any of the words, not all */
	BSP_QUERY_STATED = 2, /* whoever wrote the query says how words are cut, */
	/* ... or the planner, by the index that the column has. Neither: words are cut plainly */
	BSP_QUERY_BOUND = 4,
	BSP_QUERY_FOLD_ACCENTS = 8,
	BSP_QUERY_SPLIT_IDENTIFIERS = 16,
	BSP_QUERY_STRICT = 32, /* what may mean something else than it seems is an error */
	BSP_QUERY_FLAGS = 63
};

/* As it is stored; its parts follow in this order. */
struct bsp_query_datum {
	int32 vl_len_;
	uint8 version; /* 1 */
	uint8 flags;
	uint8 stemmer_bytes;
	uint8 stop_bytes;
	/* by whose statistics it ranks, perhaps a partitioned one; InvalidOid: none */
	Oid index;
	/* as struct bitsift_stats has them behind its head (pg_stats_type.h); 0: none */
	uint32 statistics_bytes;
	char parts[FLEXIBLE_ARRAY_MEMBER];
};

/* The same, taken apart: borrowed of a datum, or to make one of. */
struct bsp_query {
	uint8 flags;
	Oid index;
	const char *stemmer; /* not NUL-ended, as the others */
	const char *stop;
	const char *statistics;
	const char *text;
	size_t stemmer_bytes, stop_bytes, statistics_bytes, text_bytes;
};

/* Of a datum that is detoasted, with a header of four bytes. */
void bsp_query_read(const struct bsp_query_datum *datum, struct bsp_query *query_out);
struct bsp_query_datum *bsp_query_make(const struct bsp_query *query);
#define BSP_QUERY_OF(datum) ((struct bsp_query_datum *)PG_DETOAST_DATUM(datum))

/* Does the query cut words as the index does? */
bool bsp_query_is_analysed_as(const struct bsp_query *query, const struct bsp_analysis *analysis);
/* What the index says, instead of what the query says. */
void bsp_query_set_analysis(struct bsp_query *query, const struct bsp_analysis *analysis);

/* The query with the analysis of that index, unless it states one, and ranked by it. */
struct bsp_query_datum *bsp_query_bound_to(const struct bsp_query_datum *datum, Oid index);

/* What every request of the library is told of a query. The strings are in the buffers. */
struct bsp_query_strings {
	char stemmer[256], stop[256];
};
void bsp_query_find_request(const struct bsp_query *query, struct bsp_query_strings *strings,
                            struct bs_search_request *request_out);

/* An error with the place in the query where it is, if there is one: where error_byte is not
 * SIZE_MAX. */
void bsp_query_fail(enum bs_status status, const struct bs_error *err,
                    const struct bsp_query *query, size_t error_byte);

/* Texts are UTF-8, or bytes of which ASCII is known: an error in databases of other encodings. */
void bsp_check_encoding(void);

#endif
