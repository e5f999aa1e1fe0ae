/*
 * bm25.h: the formula of scores.
 *
 * score(d) = sum over the distinct words w of d of
 *                weight(w) idf(w) tf (k1 + 1) / (tf + k1 (1 - b + b dl / avgdl))
 *
 * with k1 = 1.2, b = 0.75, weight(w) the sum of the weights of all elements that w matches, and
 * idf(w) = ln(1 + (N - df + 0.5) / (df + 0.5)): Robertson and Zaragoza, "The Probabilistic
 * Relevance Framework: BM25 and Beyond" (2009), with Lucene's idf, which is never negative. tf is
 * the number of occurrences of w in d, multiplied by the weights of their fields; dl is the length
 * of d in positions, and avgdl the mean length of documents; N is the number of documents, and df
 * the number of those that have w. N, df and avgdl count deleted documents that are still in the
 * index.
 */
#pragma once

#include <stdint.h>

#define BS_BM25_K1 1.2
#define BS_BM25_B  0.75

double bs_bm25_idf(uint64_t n_docs, uint64_t df);

/* The mean length of n_docs documents, in positions; 1 if there are no documents, or if all are
 * empty. */
double bs_bm25_avgdl(uint64_t n_docs, uint64_t n_positions);

/* What a word contributes to the score of a document. worth: its weight in the query times its idf.
 * tf >= 1, avgdl > 0. Inline, because a ranked query computes it several times for each
 * candidate. */
static inline double bs_bm25_share(double worth, uint32_t tf, uint32_t length, double avgdl)
{
	double norm = BS_BM25_K1 * (1 - BS_BM25_B + BS_BM25_B * length / avgdl);
	return worth * tf * (BS_BM25_K1 + 1) / (tf + norm);
}
