/*
 * compare.h: the same queries to every engine in one run, interleaved, one thread; and what came of
 * it.
 *
 * For each query each engine in turn, the first one rotating from query to query: once unmeasured,
 * then three times, of which the median counts. A query that takes over 20 ms is measured once
 * after the unmeasured one, and over half a second the first time counts. Each engine answers the
 * first query of each class before all that, so that what is done on first touch is done. So
 * everything is warm: the page cache, the processor's caches as far as one query fills them, and
 * Lucene's code, which goes through all queries several times before.
 *
 * A query that has just been asked finds its columns in the second cache (1 MB, say) if they fit,
 * and in the third if not: of a corpus ten times as large that alone makes more than ten times.
 * Nobody asks so. Queries in turn, each engine by itself, find what as many other queries left.
 */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/engine.h"

struct outcome {
	bool is_asked;
	uint64_t count;
	uint64_t elapsed_ns;
	struct touched touched;
};

struct comparison {
	struct query_set set;
	const struct engine **engines;
	size_t n_engines;
	struct outcome *outcomes; /* of query q and engine e: [q * n_engines + e] */
	size_t n_wrong;           /* queries whose counts disagree */
};

struct compare_request {
	const char *queries_path;
	const char *engines; /* a list; NULL: all whose index is there */
	const char *classes; /* a list; NULL: all */
	/* all queries, then all again: one unmeasured pass and three, of which the median counts */
	bool in_turn;
	/* where every single outcome goes, as tab-separated values; NULL: nowhere */
	const char *raw_path;
};

void compare_run(const struct corpus *corpus, const struct compare_request *request,
                 struct comparison *comparison_out);
void compare_free(struct comparison *comparison);

static inline const struct outcome *outcome_of(const struct comparison *comparison, size_t query,
                                               size_t engine)
{
	return &comparison->outcomes[query * comparison->n_engines + engine];
}

/* compare_report.c: tables in Markdown; and to summary (nullable), tab-separated: "time", the row's
 * name, the engine, microseconds mean, p50, p95; "touched", the row's name, the engine, bytes of
 * the index, bytes of texts, texts, all mean; and "false" with median and mean of the false
 * candidates. Exhaustive: only what was read, and "read", the row's name, the engine, texts. */
void compare_report(const struct comparison *comparison, FILE *file, FILE *summary);

#endif
