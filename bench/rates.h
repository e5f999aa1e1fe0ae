/* rates.h: measures the rates of two parts of bitsift and compares them with a limit: the tokenizer
 * with ICU's word breaks, and the AND kernels with the memory bandwidth. */
#ifndef BENCH_RATES_H
#define BENCH_RATES_H

#include <stdio.h>

#include "bench/tokens.h"

/* Write Markdown to file, and lines of "rate", a name and a number to summary (nullable). */
void tokenizer_report(const struct corpus *corpus, FILE *file, FILE *summary);
void kernels_report(size_t column_bytes, FILE *file, FILE *summary);

#endif
