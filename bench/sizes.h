/* sizes.h: the corpus and its indexes in figures: bytes by part, and what building took. */
#ifndef BENCH_SIZES_H
#define BENCH_SIZES_H

#include <stdio.h>

#include "bench/tokens.h"

/* Tables in Markdown of everything that has been built; the same numbers to summary (nullable) as
 * tab-separated values: "index", its name, then bytes, the bytes that count as index of the words,
 * seconds, CPU seconds, peak bytes. */
void sizes_report(const struct corpus *corpus, FILE *file, FILE *summary);

#endif
