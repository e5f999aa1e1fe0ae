/* engine_fts5.h: the functions of engine_fts5.c for the tables of engines.c. */
#ifndef BENCH_ENGINE_FTS5_H
#define BENCH_ENGINE_FTS5_H

#include "bench/engine.h"

void fts5_build_full(const struct corpus *corpus, const char *path, struct build_times *times_out);
void fts5_build_column(const struct corpus *corpus, const char *path,
                       struct build_times *times_out);
void fts5_build_none(const struct corpus *corpus, const char *path, struct build_times *times_out);
void fts5_build_unicode61(const struct corpus *corpus, const char *path,
                          struct build_times *times_out);
void *fts5_open(const struct corpus *corpus, const char *index_path, const struct query_set *set);
void fts5_ask(void *handle, const struct query *query, struct answer *answer_out);
void fts5_close(void *handle);

const char *fts5_version(void);

#endif
