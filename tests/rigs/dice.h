/* dice.h: the random numbers of a test: splitmix64, from the seed of random_rounds.h on. In random_rounds.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

extern uint64_t random_state;
uint32_t below(uint64_t bound);
bool by_chance(uint32_t percent);
