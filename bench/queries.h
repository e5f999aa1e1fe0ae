/*
 * queries.h: the questions of the benchmark, by class. A file of them is made once a corpus, number
 * and seed, and read by every run after that. A line: class, tab, "and", "or", "not" (of two words
 * the first without the second) or "phrase", then the words, each behind a tab.
 *
 * A word of a query is a term of the analyzer that, as query text, is analysed to itself again, so
 * that every engine can be asked for the same thing.
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
	unsigned class_number; /* in the set's classes */
	unsigned number;       /* within its class, from 0 */
	bool is_phrase;
	bool is_any; /* of the words */
	bool is_not; /* the first word without the second */
	unsigned n_words;
	char *words[QUERY_MAX_WORDS];
	char *text; /* as bitsift is asked */
};

struct query_set {
	struct query *queries; /* class by class */
	size_t n_queries;
	char *classes[QUERY_MAX_CLASSES];
	unsigned n_classes;
};

/* Chooses n_per_class queries of every class, and writes them to path. */
void queries_choose(const struct corpus *corpus, unsigned n_per_class, uint64_t seed,
                    const char *path);

/* Those whose class is listed (NULL: all). */
void queries_read(const char *path, const char *classes, struct query_set *set_out);
void queries_free(struct query_set *set);

#ifdef __cplusplus
}
#endif
#endif
