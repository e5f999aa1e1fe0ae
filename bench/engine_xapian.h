/* engine_xapian.h: the functions of engine_xapian.cpp for the tables of engines.c. */
#ifndef BENCH_ENGINE_XAPIAN_H
#define BENCH_ENGINE_XAPIAN_H

#include "bench/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

void xapian_build_positions(const struct corpus *corpus, const char *path,
                            struct build_times *times_out);
void xapian_build_documents(const struct corpus *corpus, const char *path,
                            struct build_times *times_out);
void xapian_build_generator(const struct corpus *corpus, const char *path,
                            struct build_times *times_out);
void *xapian_open(const struct corpus *corpus, const char *index_path, const struct query_set *set);
/* The ten best by BM25. */
void xapian_top(void *handle, const struct query *query, struct answer *answer_out);
void xapian_ask(void *handle, const struct query *query, struct answer *answer_out);
void xapian_close(void *handle);

const char *xapian_version(void);

#ifdef __cplusplus
}
#endif
#endif
