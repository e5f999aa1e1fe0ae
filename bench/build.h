/* build.h: building indexes, and what it took. */
#ifndef BENCH_BUILD_H
#define BENCH_BUILD_H

#include "bench/engine.h"

/* (Re)builds the index in the corpus's folder, in a process of its own. */
void build_index(const struct corpus *corpus, const struct index_kind *kind);

/* What building the index at path took; false: it has not been built. */
bool build_times_read(const char *path, struct build_times *times_out, uint64_t *index_bytes_out);

#endif
