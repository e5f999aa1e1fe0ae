/*
 * random_rounds.h: the number of rounds and the seed of a random test. It takes both from the
 * variables ROUNDS and SEED or, without them, from its arguments, PROGRAM [ROUNDS [SEED]], and
 * prints them, so that a failure can be repeated.
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
