/* network.h: random networks of nodes that hold words and publish attenuated filters, for tests and
 * the benchmark. The same options give the same network (if log and exp are rounded equally). */
#pragma once

#include "core/bitsift/bloom.h"

struct bs_network_options {
	uint64_t seed;
	uint32_t n_nodes;
	/* even; each node is in degree / 2 rings, so it has at most this number of neighbours */
	uint32_t degree;
	uint32_t n_levels;
	/* Number of distinct words of a node. They are drawn by Zipf's law, so frequent words are
	 * at many nodes, and most words at few. */
	uint32_t node_words;
	uint32_t n_words; /* number of different words in the network */
	/* Each level of each filter has this number of bits for each word in the fullest level of
	 * the network. */
	double bits_per_word;
	/* Size of a home's filter, in bits per pair of a word and a node that has it. (The home of
	 * a word knows which nodes have the word.) */
	uint32_t home_bits;
};

struct bs_network;

/* Returns NULL if memory runs out. */
struct bs_network *bs_network_new(const struct bs_network_options *options);
void bs_network_free(struct bs_network *network);

/* Returns the largest number of words in a level of any node's filter. */
uint64_t bs_network_most_reached(const struct bs_network *network);
/* Returns the size of one level of a filter. */
size_t bs_network_level_bytes(const struct bs_network *network);
/* Returns the bytes of the largest filter of a home. */
size_t bs_network_home_bytes(const struct bs_network *network);

/* Returns the hops from a node to the nearest holder of a word; UINT32_MAX: no node has it. Looks
 * at all nodes. */
uint32_t bs_network_distance(const struct bs_network *network, uint32_t from, uint32_t word);

/* The result of a search. Each asked node, except the first, is on the path to the found node, or
 * false (its filter promised a holder within its levels, but it did not lead to one), or blind (no
 * filter indicated the word). */
struct bs_network_search {
	bool is_found;
	uint32_t hops; /* from the first node to the found node */
	uint32_t n_asked;
	uint32_t n_false;
	uint32_t n_blind;
};
/* Searches by the filters with bs_route. asks_home: instead of continuing blindly, asks the word's
 * home (one more question) for the nodes that have the word, and then these nodes, nearest first.
 * False: out of memory. */
bool bs_network_search(const struct bs_network *network, struct bs_route *route, uint32_t from,
                       uint32_t word, bool asks_home, struct bs_network_search *search_out);
