/* bm25.c: see bm25.h. */
#include "query/statistics/bm25.h"

#include <math.h>

double bs_bm25_idf(uint64_t n_docs, uint64_t df)
{
	return log(1 + ((double)n_docs - (double)df + 0.5) / ((double)df + 0.5));
}

double bs_bm25_avgdl(uint64_t n_docs, uint64_t n_positions)
{
	double average = n_docs ? (double)n_positions / (double)n_docs : 1;
	return average > 0 ? average : 1;
}
