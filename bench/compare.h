/*
 * compare.h: runs the same queries on every engine in one run, interleaved, on one thread, and
 * records the outcomes.
 *
 * For each query the engines run in turn; the first engine rotates from query to query. An engine
 * runs a query once unmeasured, then three times; the median is the result. A query that takes more
 * than 20 ms is measured once after the unmeasured run. If it takes more than half a second, the
 * first run is the measured one. Before all queries, each engine answers the first query of each
 * class, so that initialization on first use is done. Lucene answers all queries several times
 * before, so that its code is compiled. So all caches are warm: the page cache, and the processor's
 * caches as far as one query fills them.
 *
 * A repeated query finds its columns in the L2 cache (1 MB, for example) if they fit, otherwise in
 * the L3 cache. For this reason alone, a corpus ten times as large can be more than ten times
 * slower. Real users do not repeat queries in this way. With in_turn, an engine runs all queries in
 * order, so that a query finds in the caches what the other queries left there.
 */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/engine.h"

struct outcome {
	bool is_asked; /* the engine ran the query */
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
	const char *engines; /* comma-separated; NULL: all engines whose index exists */
	const char *classes; /* comma-separated; NULL: all */
	/* Run all queries in order, in one unmeasured pass and three measured ones; the median
	 * counts. */
	bool in_turn;
	bool is_processor_time; /* measure processor time instead of time by the clock */
	/* The file that gets each outcome as a line of tab-separated values. NULL: none. */
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

/* Defined in compare_report.c: writes tables in Markdown to `file`. `summary` (nullable) gets
 * tab-separated lines: "time", row, engine, mean, p50 and p95 in microseconds; "touched", row,
 * engine, mean bytes of the index, mean bytes of texts, mean number of texts; "false", median and
 * mean number of false candidates per match. An exhaustive run (bitsift_options) writes only the
 * table of texts read and the lines "read", row, engine, mean number of texts. */
void compare_report(const struct comparison *comparison, FILE *file, FILE *summary);

#endif
