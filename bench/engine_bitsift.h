/* engine_bitsift.h: the functions of engine_bitsift.c and engine_filter.c for the tables of
 * engines.c. */
#ifndef BENCH_ENGINE_BITSIFT_H
#define BENCH_ENGINE_BITSIFT_H

#include "bench/engine.h"

void *bitsift_open(const struct corpus *corpus, const char *index_path,
                   const struct query_set *set);
void bitsift_count(void *handle, const struct query *query, struct answer *answer_out);
void bitsift_count_stat(void *handle, const struct query *query, struct answer *answer_out);
void bitsift_count_two_threads(void *handle, const struct query *query, struct answer *answer_out);
void bitsift_ids(void *handle, const struct query *query, struct answer *answer_out);
void bitsift_top(void *handle, const struct query *query, struct answer *answer_out);
void bitsift_brute(void *handle, const struct query *query, struct answer *answer_out);
void bitsift_close(void *handle);

void bitsift_build(const struct corpus *corpus, const char *path, struct build_times *times_out);
void bitsift_build_two_threads(const struct corpus *corpus, const char *path,
                               struct build_times *times_out);
void bitsift_build_dense(const struct corpus *corpus, const char *path,
                         struct build_times *times_out);

void *filter_open(const struct corpus *corpus, const char *index_path, const struct query_set *set);
void filter_ask(void *handle, const struct query *query, struct answer *answer_out);
void filter_close(void *handle);

#endif
