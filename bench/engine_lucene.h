/* engine_lucene.h: the functions of engine_lucene.c for the tables of engines.c. */
#ifndef BENCH_ENGINE_LUCENE_H
#define BENCH_ENGINE_LUCENE_H

#include "bench/engine.h"

/* The class path of the compiled LuceneEngine.java and its jars, from run.sh. NULL: Lucene is left
 * out. */
extern const char *lucene_class_path;

void lucene_build_positions(const struct corpus *corpus, const char *path,
                            struct build_times *times_out);
void lucene_build_documents(const struct corpus *corpus, const char *path,
                            struct build_times *times_out);
void lucene_build_standard(const struct corpus *corpus, const char *path,
                           struct build_times *times_out);
void *lucene_open(const struct corpus *corpus, const char *index_path, const struct query_set *set);
void lucene_count(void *handle, const struct query *query, struct answer *answer_out);
void lucene_top(void *handle, const struct query *query, struct answer *answer_out);
void lucene_close(void *handle);

#endif
