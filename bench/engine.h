/*
 * engine.h: what is compared. An index is built once by one way of building; an engine is one way
 * of asking an index. engines.c has the tables; an engine whose library was not there at build time
 * is not in them.
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

/* ---- building ---- */

struct build_times {
	/* set when all that is not building (the dictionary) has been read */
	uint64_t begin_ns, begin_cpu_ns;
	uint64_t begin_bytes; /* resident then */
	uint64_t main_ns;     /* until everything is in the index */
	uint64_t finish_ns;   /* merging and compacting after that */
	uint64_t cpu_ns;
	uint64_t peak_bytes; /* resident at most, beyond begin_bytes */
};

struct index_kind {
	const char *name;        /* and of its folder or file in the corpus's */
	const char *description; /* one line for the record */
	/* built for its rate, with the engine's own tokenizer; no engine asks it */
	bool is_rate_only;
	/* Runs in a process of its own, single-threaded unless the name says otherwise. path does
	 * not exist yet. */
	void (*build)(const struct corpus *corpus, const char *path, struct build_times *times_out);
};

extern const struct index_kind index_kinds[]; /* ended by one without a name */

/* ---- asking ---- */

enum count_kind {
	COUNT_EXACT,
	COUNT_AT_LEAST, /* candidates: no fewer than there are matches */
	COUNT_NONE,     /* the best ten */
};

/* What an answer touched, of an engine that knows. */
struct touched {
	bool is_known;
	uint64_t index_bytes; /* columns, postings, pages */
	uint64_t text_bytes;
	uint64_t n_texts; /* documents that were read */
};

struct answer {
	uint64_t count;
	/* 0: the caller's clock counts; else the engine's own, where it is in another process */
	uint64_t elapsed_ns;
	struct touched touched;
};

struct engine {
	const char *name;
	const char *index; /* the name of its index_kind; NULL: none */
	enum count_kind count_kind;
	bool has_phrases;
	bool has_any;        /* can be asked for any of the words */
	const char *classes; /* a list: asked only these; NULL: all */
	/* asked only every so many queries of a class, for what is slow; 1: all */
	unsigned every;
	/* over all queries, before anything is measured: for code that is compiled as it runs */
	unsigned warm_passes;
	void *(*open)(const struct corpus *corpus, const char *index_path,
	              const struct query_set *set);
	void (*ask)(void *handle, const struct query *query, struct answer *answer_out);
	void (*close)(void *handle);
};

extern const struct engine engines[]; /* ended by one without a name */

const struct index_kind *index_kind_named(const char *name); /* dies if there is none */

/* Given on the command line, for the engines of bitsift. */
struct bitsift_options {
	const char *index_path; /* NULL: the one in the corpus's folder */
	const char *kernel;     /* NULL: the best */
	/* no count is a df: each query once, for what is read, not for the time */
	bool exhaustive;
};
extern struct bitsift_options bitsift_options;

/* Called by a builder when it has read its dictionary and begins, when the index is complete, and
 * at the end. */
void build_begins(struct build_times *times);
void build_finishes(struct build_times *times);
void build_ends(struct build_times *times);

#ifdef __cplusplus
}
#endif
#endif
