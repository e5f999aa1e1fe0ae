/* dice.h: random numbers of a random test: splitmix64, seeded by random_rounds(). Implemented in
 * random_rounds.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/rigs/random_rounds.h"

/* The last result of random_rounds(). */
extern struct random_rounds rounds;

extern uint64_t random_state;
uint32_t below(uint64_t bound);
bool by_chance(uint32_t percent);

/* Asserts that enough cases were drawn, unless there were too few rounds. */
#define assert_reached(condition) assert_true(rounds.is_short || (condition))

/* Like RUN_TESTS and its variants in test.h, with a main() that calls random_rounds() first. */
#define RUN_RANDOM_TESTS(n_rounds, seed, ...) \
	RUN_RANDOM_TESTS_EACH_WITH(n_rounds, seed, NULL, NULL, __VA_ARGS__)
#define RUN_RANDOM_TESTS_EACH_WITH(n_rounds, seed, set_up, tear_down, ...) \
	RUN_RANDOM_NAMES(n_rounds, seed, set_up, tear_down, NULL, NULL, __VA_ARGS__)
#define RUN_RANDOM_TESTS_WITH(n_rounds, seed, all_set_up, all_tear_down, ...) \
	RUN_RANDOM_NAMES(n_rounds, seed, NULL, NULL, all_set_up, all_tear_down, __VA_ARGS__)
#define RUN_RANDOM_NAMES(n_rounds, seed, ...)              \
	int main(int argc, char **argv)                    \
	{                                                  \
		random_rounds(argc, argv, n_rounds, seed); \
		return RUN_NAMES(__VA_ARGS__);             \
	}
