/* AND two slices and count what is left; the loop every bit-sliced index begins with. */
#include <stddef.h>
#include <stdint.h>

size_t and_slices(uint64_t *to, const uint64_t *from, size_t n_words)
{
	size_t n_candidates = 0;
	for (size_t i = 0; i < n_words; i++) {
		to[i] &= from[i];
		n_candidates += (size_t)__builtin_popcountll(to[i]);
	}
	return n_candidates;
}

/* TODO: stop early when a whole block of eight words is zero. */
