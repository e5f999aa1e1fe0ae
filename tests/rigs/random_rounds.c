/* random_rounds.c: see random_rounds.h. */
#include "tests/rigs/dice.h"
#include "tests/rigs/sanitized.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define USUAL_PART (SANITIZED ? 5 : 1)

struct random_rounds rounds;
uint64_t random_state;

static uint64_t number(const char *argument, const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable) ? getenv(variable) : argument;
	char *end;
	if (!text || !*text)
		return otherwise;
	uint64_t value = strtoull(text, &end, 10);
	if (*end || end == text) {
		fprintf(stderr, "%s: not a number: %s\n", variable, text);
		exit(2);
	}
	return value;
}

struct random_rounds random_rounds(int argc, char **argv, unsigned long n_rounds, uint64_t seed)
{
	rounds.n = (unsigned long)number(argc > 1 ? argv[1] : NULL, "ROUNDS",
	                                 (n_rounds + USUAL_PART - 1) / USUAL_PART);
	rounds.is_short = rounds.n < n_rounds;
	rounds.seed = number(argc > 2 ? argv[2] : NULL, "SEED", seed);
	random_state = rounds.seed;
	printf("rounds %lu, seed %" PRIu64 "\n", rounds.n, rounds.seed);
	return rounds;
}

uint32_t below(uint64_t bound)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)(((z ^ (z >> 31)) >> 32) % bound);
}

bool by_chance(uint32_t percent)
{
	return below(100) < percent;
}
