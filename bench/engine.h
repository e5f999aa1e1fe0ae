/*
 * engine.h: the index kinds and engines that are compared. An index kind is a way of building an
 * index; an engine is a way of querying an index. engines.c has the tables. Engines whose library
 * is missing at build time are not in them.
 */
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/queries.h"
#include "bench/tokens.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Building. */

struct build_times {
	/* The times when building begins, after the dictionary has been read. */
	uint64_t begin_ns, begin_cpu_ns;
	uint64_t begin_bytes; /* resident memory at begin_ns */
	uint64_t main_ns;     /* from begin_ns until all documents are in the index */
	uint64_t finish_ns;   /* merging and compacting after that */
	uint64_t cpu_ns;      /* CPU time from begin_ns to the end */
	uint64_t peak_bytes;  /* maximum resident memory, minus begin_bytes */
};

struct index_kind {
	const char *name;        /* also the name of its file or folder in the corpus's folder */
	const char *description; /* one line, for the reports */
	/* Built only to measure the build rate, with the engine's own tokenizer. No engine queries
	 * it. */
	bool is_rate_only;
	/* Runs in a child process, single-threaded unless the name states otherwise. path does not
	 * exist yet. */
	void (*build)(const struct corpus *corpus, const char *path, struct build_times *times_out);
};

extern const struct index_kind index_kinds[]; /* ends with an entry without a name */

/* Querying. */

enum count_kind {
	COUNT_EXACT,
	COUNT_AT_LEAST, /* a count of candidates: at least the number of matches */
	COUNT_NONE,     /* no count: the engine returns the best ten */
};

/* The data read for an answer, for engines that report it. */
struct touched {
	bool is_known;
	uint64_t index_bytes; /* columns, postings, pages */
	uint64_t text_bytes;
	uint64_t n_texts; /* documents that were read */
};

struct answer {
	uint64_t count;
	/* 0: the caller measures the time. Otherwise the time that the engine has measured itself:
	 * Lucene because it is another process, FTS5 because it counts the pages read after the
	 * query. */
	uint64_t elapsed_ns;
	struct touched touched;
};

struct engine {
	const char *name;
	const char *index; /* name of the index_kind that it queries */
	enum count_kind count_kind;
	bool has_phrases;
	bool has_any;        /* supports queries for any of the words */
	const char *classes; /* comma-separated classes to run; NULL: all */
	/* For slow engines: runs only queries whose number in the class is a multiple of this. 1:
	 * all. */
	unsigned every;
	/* The number of passes over all queries before any measurement, for engines whose code is
	 * compiled at run time. */
	unsigned warm_passes;
	void *(*open)(const struct corpus *corpus, const char *index_path,
	              const struct query_set *set);
	void (*ask)(void *handle, const struct query *query, struct answer *answer_out);
	void (*close)(void *handle);
};

extern const struct engine engines[]; /* ends with an entry without a name */

const struct index_kind *index_kind_named(const char *name); /* dies if there is none */

/* Command line options for the engines of bitsift. */
struct bitsift_options {
	const char *index_path; /* index to query; NULL: the one in the corpus's folder */
	const char *kernel;     /* NULL: the best */
	/* Never take a count from the df. Each query runs once, to measure the data read, not the
	 * time. */
	bool exhaustive;
};
extern struct bitsift_options bitsift_options;

/* An index_kind's `build`, except Lucene's, calls build_begins after it has read a dictionary (if
 * any), build_finishes when all documents are in the index, and build_ends at its end. */
void build_begins(struct build_times *times);
void build_finishes(struct build_times *times);
void build_ends(struct build_times *times);

#ifdef __cplusplus
}
#endif
#endif
