/* build.h: builds indexes and records time and memory. */
#ifndef BENCH_BUILD_H
#define BENCH_BUILD_H

#include "bench/engine.h"

/* Builds or rebuilds an index in the corpus's folder, in a child process. */
void build_index(const struct corpus *corpus, const struct index_kind *kind);

/* Reads the time and memory of building the index at path. Returns false if it has not been
 * built. */
bool build_times_read(const char *path, struct build_times *times_out, uint64_t *index_bytes_out);

#endif
