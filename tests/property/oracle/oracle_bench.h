/* oracle_bench.h: a random indexed corpus, and the engine opened to search it with every kernel.
 * The corpus has a folder of its own, which is the current directory until bench_deinit. */
#pragma once

#include "core/base/buffer.h"
#include "core/bitsift/host.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"
#include "core/simd/kernels.h"
#include "tests/property/oracle/oracle.h"
#include "tests/rigs/library_rig.h"

#define BENCH_MAX_KERNELS 16
#define ORACLE_MAX_FIELDS 64 /* of a document */

struct found_hit {
	size_t id_off, id_bytes;
	double score;
	size_t rank;
};

BS_VECTOR(found_hits, struct found_hit);

struct found {
	struct bs_buffer ids; /* ids of the hits, concatenated */
	struct found_hits hits;
	struct bs_query_stats stats;
	uint64_t n_unreadable; /* sum over all searches */
	enum bs_status status;
	struct bs_error err;
	unsigned n_changed; /* source files found changed, sum over all searches */
	bool is_at_least;   /* last search: the number of hits is a lower bound */
};

void found_deinit(struct found *found);

/* The corpus that is in use. */
extern struct bench {
	struct oracle_setup setup;
	struct oracle_vocabulary vocabulary;
	struct oracle oracle;
	struct oracle_query query;
	struct oracle_filter filter;
	struct bs_memory_index *memory; /* holds the index; NULL: the index is a directory */
	struct bs_text_provider texts;  /* for in-memory documents that are not stored */
	struct bs_text text[ORACLE_MAX_FIELDS]; /* of bench_texts */
	struct oracle_hits expected;            /* in document order */
	struct oracle_hits ranked;
	double *scores; /* of each document, in oracle_apart.c */
	struct found found;
	const struct bs_kernel *kernels[BENCH_MAX_KERNELS];
	struct bs_index *indexes[BENCH_MAX_KERNELS];
	struct bs_searcher *searchers[BENCH_MAX_KERNELS];
	size_t n_kernels;
	/* The search under test: its request and the kernel's index in kernels. */
	struct bs_search_request request;
	size_t kernel;
	const char *sort_field; /* field that the next searches sort by; NULL: score */
	bool is_descending;
	char folder[FOLDER_BYTES]; /* "": none is in use */
} bench;

/* Draws the options, which the caller may change, and the vocabulary; enters a new folder.
 * number, n_docs: as in oracle_setup_draw. */
void bench_init(unsigned number, uint32_t n_docs);
/* Writes the sources of the setup. */
void bench_write(void);
/* Alternative to bench_write: writes one file of the folder "signs" and adds it to the oracle,
 * which the caller has initialised. Call it with ascending numbers. */
void bench_write_file(unsigned number, const char *text);
/* Indexes the sources and opens the index with every kernel. */
void bench_open(void);
/* Indexes some of the sources into the folder dir. */
void bench_index(const char *dir, uint32_t first_source, uint32_t n_sources);
/* Uses a writer to add the documents of the source "-" (standard input) to the index in dir: in
 * several commits, with some deletions, and with some changes that are rolled back. Returns the
 * number of documents that the index has then. In oracle_writer.c. */
uint64_t bench_give(const char *dir);
/* Finds out which replaced documents the index no longer holds, because compaction has removed
 * them, and subtracts these from the statistics of the oracle. Fails the test if a document of the
 * index was never written, has another id or length than was written, or is deleted in the index
 * but not replaced in the oracle or the reverse; also if the index lacks a document that was not
 * replaced. In oracle_held.c. */
void bench_count_held(void);
/* Fills bench.text with the fields of a document. Returns their number. */
size_t bench_texts(size_t doc);
/* Sets the provider of texts that are not stored. */
void bench_provide(void);
/* Frees everything; leaves and removes the folder. */
void bench_deinit(void);
/* Teardown for cmocka: after a failed test, prints the setup and the last search, and removes the
 * folder. */
int bench_clean(void **state);
void bench_print(const uint8_t *bytes, size_t n_bytes); /* escaped, to standard error */

/* Returns a request for bench.query. */
struct bs_search_request bench_request(void);
/* A callback that appends a hit to `found`, a struct found. */
int bench_take_hit(void *found, const struct bs_hit *hit);
/* Runs bench.query; the results are in bench.found. */
void bench_search(size_t kernel, enum bs_search_mode mode, bool brute);

/* Compares bs_query_match and bs_query_score of each document with the naive search, and with
 * searches of the index, with and without given statistics. In oracle_apart.c. */
void bench_check_apart(void);

/* Compares a search for candidates, with the request of the last bench_search, with a search that
 * reads texts. Returns the number of certain hits. In oracle_candidates.c. */
uint64_t bench_check_candidates(void);
