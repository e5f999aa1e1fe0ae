/*
 * queries.h: the queries of the benchmark, by class. A file of queries is made once for each
 * corpus, number of queries and seed; all later runs read it. A line has, separated by tabs, the
 * class, the kind of the query, and the words. The kind is "and", "or", "not" (the first of two
 * words without the second) or "phrase".
 *
 * Each word of a query is a term that the tokenizer leaves unchanged, so that every engine can run
 * the same query.
 */
#ifndef BENCH_QUERIES_H
#define BENCH_QUERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/tokens.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QUERY_MAX_WORDS   8
#define QUERY_MAX_CLASSES 64

struct query {
	unsigned class_number; /* index into query_set.classes */
	unsigned number;       /* within its class, from 0 */
	bool is_phrase;
	bool is_any; /* an OR query: documents with any of the words */
	bool is_not; /* a NOT query: documents with the first word and without the second */
	unsigned n_words;
	char *words[QUERY_MAX_WORDS];
	char *text; /* query text for bitsift */
};

struct query_set {
	struct query *queries; /* class by class */
	size_t n_queries;
	char *classes[QUERY_MAX_CLASSES];
	unsigned n_classes;
};

/* Chooses n_per_class queries of every class and writes them to path. */
void queries_choose(const struct corpus *corpus, unsigned n_per_class, uint64_t seed,
                    const char *path);

/* Reads the queries whose class is listed (NULL: all). */
void queries_read(const char *path, const char *classes, struct query_set *set_out);
void queries_free(struct query_set *set);

#ifdef __cplusplus
}
#endif
#endif
