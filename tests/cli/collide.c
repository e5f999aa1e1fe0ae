/*
 * collide.c: prints about 16,000 different words, one per line, with the same bs_hash_term, as an
 * attacker can construct them to slow down a hash table of words. Always prints the same words.
 *
 * XXH3-64 of 128 bytes is a function of the sum of eight numbers, one for each 16 bytes. Therefore
 * the program searches for eight blocks of letters whose numbers sum to zero: the generalized
 * birthday problem (Wagner, 2002). Two lists of blocks are joined to pairs whose sums end in 18
 * zero bits, two lists of pairs to fours with 38 zero bits, and two lists of fours to the words.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"

#define N_LISTS     8u
#define BLOCK_BYTES 16u
#define WORD_BYTES  (N_LISTS * BLOCK_BYTES)
#define LIST_LOG2   19u
#define MOST_PAIRS  (1u << 21)

/* For each block, the offset of the part of XXH3's secret that is mixed with it. */
static const unsigned secret_offset[N_LISTS] = {0, 32, 64, 96, 112, 80, 48, 16};

struct entry {
	uint64_t sum;
	uint32_t first;  /* of a block: its number; otherwise an index in the first joined list */
	uint32_t second; /* an index in the second joined list */
};

struct list {
	struct entry *entries;
	size_t n;
};

static struct list new_list(size_t capacity)
{
	struct list list = {malloc(capacity * sizeof(struct entry)), 0};
	if (!list.entries)
		exit(2);
	return list;
}

static void spell(unsigned l, uint32_t number, char block[BLOCK_BYTES])
{
	uint64_t x = bs_hash_mix((uint64_t)l << 32 | number), y = bs_hash_mix(x);
	for (unsigned i = 0; i < BLOCK_BYTES; i++)
		block[i] = (char)('a' + ((i < 8 ? x : y) >> (i % 8 * 8) & 15));
}

static struct list make_blocks(unsigned l)
{
	struct list list = new_list((size_t)1 << LIST_LOG2);
	for (uint32_t i = 0; i < 1u << LIST_LOG2; i++) {
		char block[BLOCK_BYTES];
		spell(l, i, block);
		uint64_t sum =
			XXH3_mix16B((const xxh_u8 *)block, XXH3_kSecret + secret_offset[l], 0);
		list.entries[list.n++] =
			(struct entry){sum + (l ? 0 : WORD_BYTES * XXH_PRIME64_1), i, 0};
	}
	return list;
}

static int compare_sums(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return x->sum < y->sum ? -1 : x->sum > y->sum;
}

/* Returns pairs of an entry of `a` and one of `b`, at most MOST_PAIRS: those whose sum ends in
 * n_zeros zero bits. Changes the order and the sums of `b`. */
static struct list join(struct list a, struct list b, unsigned n_zeros)
{
	struct list joined = new_list(MOST_PAIRS);
	uint64_t mask = (n_zeros < 64 ? UINT64_C(1) << n_zeros : 0) - 1;
	uint32_t shift = 64 - n_zeros;
	/* Rotate the sums, so that the low n_zeros bits, which must match, are sorted first. */
	for (size_t i = 0; i < b.n; i++)
		b.entries[i].sum =
			b.entries[i].sum << shift | (shift ? b.entries[i].sum >> n_zeros : 0);
	qsort(b.entries, b.n, sizeof(struct entry), compare_sums);
	for (size_t i = 0; i < a.n; i++) {
		uint64_t wanted = (0 - a.entries[i].sum) & mask;
		size_t low = 0, high = b.n;
		while (low < high) {
			size_t middle = low + (high - low) / 2;
			if (b.entries[middle].sum >> shift < wanted)
				low = middle + 1;
			else
				high = middle;
		}
		for (; low < b.n && b.entries[low].sum >> shift == wanted && joined.n < MOST_PAIRS;
		     low++) {
			uint64_t sum = b.entries[low].sum >> shift |
			               (shift ? b.entries[low].sum << n_zeros : 0);
			joined.entries[joined.n++] =
				(struct entry){a.entries[i].sum + sum, (uint32_t)i, (uint32_t)low};
		}
	}
	return joined;
}

static void free_lists(struct list *lists, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(lists[i].entries);
}

int main(void)
{
	struct list blocks[N_LISTS], pairs[4], fours[2];
	for (unsigned l = 0; l < N_LISTS; l++)
		blocks[l] = make_blocks(l);
	for (unsigned p = 0; p < 4; p++)
		pairs[p] = join(blocks[2 * p], blocks[2 * p + 1], 18);
	for (unsigned f = 0; f < 2; f++)
		fours[f] = join(pairs[2 * f], pairs[2 * f + 1], 38);
	struct list words = join(fours[0], fours[1], 64);
	uint64_t hash = 0;
	for (size_t i = 0; i < words.n; i++) {
		char word[WORD_BYTES + 1] = "";
		for (unsigned l = 0; l < N_LISTS; l++) {
			const struct entry *entry = &words.entries[i];
			uint32_t four = l / 4 ? entry->second : entry->first;
			entry = &fours[l / 4].entries[four];
			uint32_t pair = l / 2 % 2 ? entry->second : entry->first;
			entry = &pairs[l / 2].entries[pair];
			uint32_t block = l % 2 ? entry->second : entry->first;
			spell(l, blocks[l].entries[block].first, word + (size_t)l * BLOCK_BYTES);
		}
		uint64_t here = bs_hash_term(word, WORD_BYTES);
		hash = i ? hash : here;
		if (here != hash)
			return 1;
		puts(word);
	}
	free_lists(blocks, N_LISTS);
	free_lists(pairs, 4);
	free_lists(fours, 2);
	free_lists(&words, 1);
	return words.n < 5000;
}
