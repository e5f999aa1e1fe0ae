/* sizes.h: sizes of the corpus and its indexes: bytes by part, and time and memory of building. */
#ifndef BENCH_SIZES_H
#define BENCH_SIZES_H

#include <stdio.h>

#include "bench/tokens.h"

/* Writes tables in Markdown about all indexes that have been built. summary (nullable) gets
 * tab-separated lines: "index", name, bytes, bytes of the index of words, seconds, CPU seconds,
 * peak bytes. */
void sizes_report(const struct corpus *corpus, FILE *file, FILE *summary);

#endif
