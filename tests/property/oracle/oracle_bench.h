/*
 * oracle_bench.h: a random corpus, indexed, and the engine ready to search it with every kernel.
 * The corpus stands in a folder of its own, which is the current one meanwhile.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/bitsift/host.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"
#include "core/simd/kernels.h"
#include "tests/property/oracle/oracle.h"

#define BENCH_MAX_KERNELS 16
#define ORACLE_MAX_FIELDS 64 /* of a document that is given */

/* What a search gave. */
struct found {
	struct bs_buffer ids;  /* one after the other */
	struct bs_buffer hits; /* struct found_hit */
	struct bs_query_stats stats;
	uint64_t n_unreadable; /* of all searches */
	enum bs_status status;
	struct bs_error err;
	unsigned n_changed; /* files that were not what was indexed, of all searches */
	bool is_at_least;   /* of the last search: its number of hits */
};

struct found_hit {
	size_t id_off, id_bytes;
	double score;
	size_t rank;
};

static inline size_t n_found(const struct found *found)
{
	return found->hits.used_bytes / sizeof(struct found_hit);
}

static inline const struct found_hit *found_at(const struct found *found, size_t i)
{
	return (const struct found_hit *)(const void *)found->hits.data + i;
}

/* Everything about the corpus under test. */
struct bench {
	struct dice dice;
	struct oracle_setup setup;
	struct oracle_vocabulary vocabulary;
	struct oracle oracle;
	struct oracle_query query;
	struct oracle_filter filter;
	struct bs_memory_index *memory; /* of the index; NULL: a directory */
	struct bs_text_provider texts;  /* of in-memory documents that are not stored */
	struct bs_text text[ORACLE_MAX_FIELDS];
	struct bs_buffer expected; /* struct oracle_hit in document order */
	struct bs_buffer ranked;   /* the same, the best first */
	struct found found;
	const struct bs_kernel *kernels[BENCH_MAX_KERNELS];
	struct bs_index *indexes[BENCH_MAX_KERNELS];
	struct bs_searcher *searchers[BENCH_MAX_KERNELS];
	size_t n_kernels;
	/* The search under test. */
	struct bs_search_request request;
	size_t kernel;
	const char *sort_field; /* of the next searches; NULL: by score */
	bool is_descending;
	bool is_told; /* of this query */
};

/* Draws the options, which may then be changed, and the vocabulary; enters the folder. n_docs as
 * oracle_setup_draw. */
void bench_init(struct bench *bench, uint64_t seed, unsigned number, uint32_t n_docs);
/* Writes the sources that the options ask for. */
void bench_write(struct bench *bench);
/* Or writes a file of the folder "signs" and adds it to the oracle, which is open: in ascending
 * order. */
void bench_write_file(struct bench *bench, unsigned number, const char *text);
/* Indexes them, and opens the index with every kernel. */
void bench_open(struct bench *bench);
/* An index of some of the sources, in a folder of that name. */
void bench_index(struct bench *bench, const char *dir, uint32_t first_source, uint32_t n_sources);
/* Gives the documents of "-" to a writer of that index, in several commits, deletes some, and takes
 * some changes back. Returns how many documents the index has then. In oracle_writer.c. */
uint64_t bench_give(struct bench *bench, const char *dir);
/* Removes the replaced documents that compaction has removed from the index from the oracle's
 * statistics. Fails the test if a document of the index was not written, differs in id or length,
 * or is deleted without being replaced or the other way round, or if a document that was not
 * replaced is missing. In oracle_held.c. */
void bench_count_held(struct bench *bench);
/* The provider of texts that are not stored. */
void bench_provide(struct bench *bench);
/* Leaves and removes the folder. */
void bench_deinit(struct bench *bench);
/* A teardown for cmocka: removes the folder that a failed test left. */
int bench_clean(void **state);

/* Runs bench->query; what it gave is in bench->found. */
void bench_search(struct bench *bench, size_t kernel, enum bs_search_mode mode, bool brute);

/* Asks each document about bench->query by bs_query_match and bs_query_score: what they say that
 * the naive search, or a search of the index with given statistics or without, does not. NULL:
 * nothing. In oracle_apart.c. */
const char *bench_check_apart(struct bench *bench);

/* Whether a search for candidates, like that of the last bench_search, says what a search that
 * reads texts does. NULL: it does; *n_certain_io: so many more hits that need no text. In
 * oracle_candidates.c. */
const char *bench_check_candidates(struct bench *bench, uint64_t *n_certain_io);
