/* rates.h: two parts of bitsift against what bounds them: the tokenizer and ICU, the AND kernels
 * and memory. */
#ifndef BENCH_RATES_H
#define BENCH_RATES_H

#include <stdio.h>

#include "bench/tokens.h"

/* Markdown to file; "rate", a name, a number to summary (nullable). */
void tokenizer_report(const struct corpus *corpus, FILE *file, FILE *summary);
void kernels_report(size_t column_bytes, FILE *file, FILE *summary);

#endif
