/*
 * network.h: seeded networks of nodes that hold words and publish attenuated filters, for tests and
 * the benchmark. The same options make the same network everywhere.
 */
#pragma once

#include "core/bitsift/bloom.h"

struct bs_network_options {
	uint64_t seed;
	uint32_t n_nodes;
	/* neighbours of a node in the mean, even: it is connected, otherwise random */
	uint32_t degree;
	uint32_t n_levels;
	uint32_t
		/* distinct words of a node, by Zipf's law: frequent ones at many nodes, most at one
		 * or few */
		node_words;
	uint32_t n_words;     /* of which they are drawn */
	double bits_per_word; /* of a level, for each word that the fullest level of all reaches */
	uint32_t home_bits;   /* of a home, for each word of a node that it knows */
};

struct bs_network;

/* NULL: out of memory. */
struct bs_network *bs_network_new(const struct bs_network_options *options);
void bs_network_free(struct bs_network *network);

/* Words that the last level of a node's filter reaches, the most of all nodes; bytes of one level
 * of one entry. */
uint64_t bs_network_most_reached(const struct bs_network *network);
size_t bs_network_level_bytes(const struct bs_network *network);
/* Of the filter of a home, the largest of all. */
size_t bs_network_home_bytes(const struct bs_network *network);
const struct bs_attenuated *bs_network_filter(const struct bs_network *network, uint32_t node);

/* Hops from a node to the nearest holder of a word; UINT32_MAX: nobody has it. By looking at
 * all. */
uint32_t bs_network_distance(const struct bs_network *network, uint32_t from, uint32_t word);
bool bs_network_node_has(const struct bs_network *network, uint32_t node, uint32_t word);
struct bs_bloom_key bs_network_key(uint32_t word);

/* Of the nodes that were asked, all but the first: each is on the way to the one that was found, or
 * false (its filter promised a holder within the levels, and none was found by it), or blind
 * (filters told nothing of it). */
struct bs_network_search {
	bool is_found;
	uint32_t hops; /* to the node that was found, by the shortest way */
	uint32_t n_asked;
	uint32_t n_false;
	uint32_t n_blind;
};
/* By the filters: bs_route. asks_home: where it would go on blindly, the word's home is asked who
 * has the word (a question more, on the way), and then those, nearest first. False: out of
 * memory. */
bool bs_network_search(const struct bs_network *network, struct bs_route *route, uint32_t from,
                       uint32_t word, bool asks_home, struct bs_network_search *search_out);
