/* engine_roaring.h: the functions of engine_roaring.c for the tables of engines.c. */
#ifndef BENCH_ENGINE_ROARING_H
#define BENCH_ENGINE_ROARING_H

#include "bench/engine.h"

void roaring_build(const struct corpus *corpus, const char *path, struct build_times *times_out);
void *roaring_open(const struct corpus *corpus, const char *index_path,
                   const struct query_set *set);
void roaring_ask(void *handle, const struct query *query, struct answer *answer_out);
void roaring_close(void *handle);

#endif
