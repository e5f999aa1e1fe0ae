/*
 * random_rounds.h: the number of rounds and the seed of a random test. Each is taken from the
 * environment variable ROUNDS or SEED or, if this is not set, from the arguments of the test,
 * [ROUNDS [SEED]]. Both are printed, so that a failure can be repeated.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct random_rounds {
	unsigned long n;
	uint64_t seed;
	bool is_short; /* n is below the argument n_rounds, so some cases may not occur */
};

/* Returns the rounds and the seed of this run; n_rounds and seed are the defaults. With sanitizers,
 * the default is a fifth of n_rounds. */
struct random_rounds random_rounds(int argc, char **argv, unsigned long n_rounds, uint64_t seed);
