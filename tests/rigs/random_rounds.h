/*
 * random_rounds.h: how many rounds a random test runs, and from which seed. Every random test takes
 * both from the variables ROUNDS and SEED, or from its arguments, PROGRAM [ROUNDS [SEED]], and
 * prints them, so that its failure can be repeated.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct random_rounds {
	unsigned long n;
	uint64_t seed;
	bool is_short; /* fewer rounds than in the ordinary run: they may not reach every case */
};

/* The rounds and the seed of this run; n_rounds and seed are those of the ordinary run of the
 * tests. Sanitizers run a fifth of the rounds. */
struct random_rounds random_rounds(int argc, char **argv, unsigned long n_rounds, uint64_t seed);
