/* network.c: see network.h. */
#include "tests/generate/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/bitsift/bloom.h"

struct bs_network {
	struct bs_network_options options;
	uint8_t *is_linked; /* n_nodes * n_nodes */
	uint8_t *has;       /* n_nodes * n_words */
	uint32_t *hops;     /* n_nodes * n_nodes: distance between two nodes */
	uint64_t *nodes;    /* 0, 1, 2 ... */
	struct bs_bloom **homes;
	struct bs_attenuated **filters;
	uint64_t most_reached;
	size_t level_bytes;
};

static uint64_t random_of(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return bs_hash_mix(*state);
}

static uint32_t below(uint64_t *state, uint32_t bound)
{
	return bs_hash_reduce(random_of(state), bound);
}

static bool node_has(const struct bs_network *network, uint32_t node, uint32_t word)
{
	return network->has[(size_t)node * network->options.n_words + word];
}

/* The key under which the word's home stores that the node has the word. */
static struct bs_bloom_key held_key(uint32_t node, uint32_t word)
{
	return bs_bloom_key_of_hash((UINT64_C(1) + node) << 32 | word);
}

static uint32_t home_of(const struct bs_network *network, uint32_t word)
{
	return (uint32_t)bs_route_home(bs_bloom_key_of_hash(word), network->nodes,
	                               network->options.n_nodes);
}

static bool linked(const struct bs_network *network, uint32_t a, uint32_t b)
{
	return network->is_linked[(size_t)a * network->options.n_nodes + b];
}

/* Makes degree / 2 rings through all nodes: the first by number, the others in random orders. */
static bool link_nodes(struct bs_network *network, uint64_t *state)
{
	uint32_t n = network->options.n_nodes;
	uint32_t *order = malloc(n * sizeof(*order));
	for (uint32_t i = 0; order && i < n; i++)
		order[i] = i;
	for (uint32_t ring = 0; order && ring < network->options.degree / 2; ring++) {
		for (uint32_t i = n - 1; ring && i > 0; i--) {
			uint32_t other = below(state, i + 1), swap = order[i];
			order[i] = order[other];
			order[other] = swap;
		}
		for (uint32_t i = 0; i < n; i++) {
			uint32_t a = order[i], b = order[(i + 1) % n];
			network->is_linked[(size_t)a * n + b] =
				network->is_linked[(size_t)b * n + a] = 1;
		}
	}
	free(order);
	return order != NULL;
}

/* Computes distances by a breadth-first search from each node. */
static bool measure_distances(struct bs_network *network)
{
	uint32_t n = network->options.n_nodes, *queue = malloc(n * sizeof(*queue));
	for (uint32_t from = 0; queue && from < n; from++) {
		uint32_t *hops = network->hops + (size_t)from * n, first = 0, end = 0;
		for (uint32_t i = 0; i < n; i++)
			hops[i] = i == from ? 0 : UINT32_MAX;
		queue[end++] = from;
		for (; first < end; first++)
			for (uint32_t next = 0; next < n; next++)
				if (linked(network, queue[first], next) &&
				    hops[next] == UINT32_MAX) {
					hops[next] = hops[queue[first]] + 1;
					queue[end++] = next;
				}
	}
	free(queue);
	return queue != NULL;
}

/* Draws words with a frequency of about 1 / rank: the logarithm of the rank is uniform. */
static void give_words(struct bs_network *network, uint64_t *state)
{
	const struct bs_network_options *o = &network->options;
	for (uint32_t node = 0; node < o->n_nodes; node++) {
		for (uint32_t n = 0; n < o->node_words;) {
			double share = (double)(random_of(state) >> 11) * 0x1p-53;
			uint32_t word = (uint32_t)exp(share * log(o->n_words + 1.0)) - 1;
			uint8_t *has = &network->has[(size_t)node * o->n_words +
			                             (word < o->n_words ? word : o->n_words - 1)];
			n += !*has;
			*has = 1;
		}
	}
}

/* Computes most_reached. Level i of a node's filter has the words of all nodes that a path of
 * exactly i hops leads to. A path may return over the same link, because filters are published in
 * both directions. */
static bool count_reached(struct bs_network *network)
{
	uint32_t n = network->options.n_nodes, n_words = network->options.n_words;
	uint8_t *now = calloc(2, n), *words = malloc(n_words);
	for (uint32_t from = 0; now && words && from < n; from++) {
		memset(now, 0, n);
		now[from] = 1;
		for (uint32_t level = 0; level < network->options.n_levels; level++) {
			uint64_t n_reached = 0;
			memset(words, 0, n_words);
			for (uint32_t node = 0; node < n; node++)
				for (uint32_t word = 0; now[node] && word < n_words; word++)
					words[word] |= network->has[(size_t)node * n_words + word];
			for (uint32_t word = 0; word < n_words; word++)
				n_reached += words[word];
			if (n_reached > network->most_reached)
				network->most_reached = n_reached;
			for (uint32_t node = 0; node < n; node++) {
				now[n + node] = 0;
				for (uint32_t other = 0; other < n; other++)
					now[n + node] |= now[other] & linked(network, other, node);
			}
			memcpy(now, now + n, n);
		}
	}
	bool done = now && words;
	free(now);
	free(words);
	return done;
}

/* Runs one round per level: each node publishes its own words, and what its neighbours published in
 * the round before. */
static bool publish(struct bs_network *network)
{
	const struct bs_network_options *o = &network->options;
	uint64_t n_bits = (uint64_t)((double)network->most_reached * o->bits_per_word);
	uint32_t n_hashes = bs_bloom_optimal_hashes(n_bits, network->most_reached);
	struct bs_bloom **own = calloc(o->n_nodes, sizeof(struct bs_bloom *));
	struct bs_attenuated **next = calloc(o->n_nodes, sizeof(struct bs_attenuated *));
	bool done = own && next;
	for (uint32_t i = 0; done && i < o->n_nodes; i++) {
		done = !bs_bloom_new(n_bits, n_hashes, &own[i], NULL) &&
		       !bs_attenuated_new(o->n_levels, n_bits, n_hashes, &network->filters[i],
		                          NULL) &&
		       !bs_attenuated_new(o->n_levels, n_bits, n_hashes, &next[i], NULL);
		for (uint32_t word = 0; done && word < o->n_words; word++)
			if (node_has(network, i, word))
				bs_bloom_add(own[i], bs_bloom_key_of_hash(word));
	}
	for (uint32_t round = 0; done && round < o->n_levels; round++) {
		for (uint32_t i = 0; done && i < o->n_nodes; i++) {
			bs_attenuated_clear(next[i]);
			done = !bs_attenuated_unite(next[i], bs_bloom_look(own[i]), NULL);
			for (uint32_t j = 0; done && j < o->n_nodes; j++)
				if (linked(network, i, j))
					done = !bs_attenuated_hear(
						next[i], bs_attenuated_look(network->filters[j]),
						NULL);
		}
		for (uint32_t i = 0; done && i < o->n_nodes; i++) {
			struct bs_attenuated *before = network->filters[i];
			network->filters[i] = next[i];
			next[i] = before;
		}
	}
	network->level_bytes = (n_bits + 63) / 64 * 8;
	for (uint32_t i = 0; i < o->n_nodes; i++) {
		if (own)
			bs_bloom_free(own[i]);
		if (next)
			bs_attenuated_free(next[i]);
	}
	free(own);
	free(next);
	return done;
}

/* Reports each word of each node to the word's home, which adds it to its filter. */
static bool tell_homes(struct bs_network *network)
{
	const struct bs_network_options *o = &network->options;
	uint64_t *n_keys = calloc(o->n_nodes, sizeof(*n_keys));
	uint32_t *home = calloc(o->n_words, sizeof(*home));
	bool done = n_keys && home;
	for (uint32_t word = 0; done && word < o->n_words; word++) {
		home[word] = home_of(network, word);
		for (uint32_t node = 0; node < o->n_nodes; node++)
			n_keys[home[word]] += node_has(network, node, word);
	}
	for (uint32_t i = 0; done && i < o->n_nodes; i++) {
		uint64_t n_bits = n_keys[i] * o->home_bits + 1;
		done = !bs_bloom_new(n_bits, bs_bloom_optimal_hashes(n_bits, n_keys[i]),
		                     &network->homes[i], NULL);
	}
	for (uint32_t word = 0; done && word < o->n_words; word++)
		for (uint32_t node = 0; node < o->n_nodes; node++)
			if (node_has(network, node, word))
				bs_bloom_add(network->homes[home[word]], held_key(node, word));
	free(n_keys);
	free(home);
	return done;
}

struct bs_network *bs_network_new(const struct bs_network_options *options)
{
	uint32_t n = options->n_nodes;
	uint64_t state = options->seed;
	struct bs_network *network = calloc(1, sizeof(*network));
	if (!network)
		return NULL;
	network->options = *options;
	network->is_linked = calloc(n, n);
	network->has = calloc(n, options->n_words);
	network->hops = calloc(n, n * sizeof(*network->hops));
	network->nodes = calloc(n, sizeof(*network->nodes));
	network->filters = calloc(n, sizeof(struct bs_attenuated *));
	network->homes = calloc(n, sizeof(struct bs_bloom *));
	for (uint32_t i = 0; network->nodes && i < n; i++)
		network->nodes[i] = i;
	if (network->is_linked && network->has && network->hops && network->nodes &&
	    network->filters && network->homes && link_nodes(network, &state) &&
	    measure_distances(network)) {
		give_words(network, &state);
		if (count_reached(network) && publish(network) && tell_homes(network))
			return network;
	}
	bs_network_free(network);
	return NULL;
}

void bs_network_free(struct bs_network *network)
{
	for (uint32_t i = 0; network->filters && i < network->options.n_nodes; i++)
		bs_attenuated_free(network->filters[i]);
	for (uint32_t i = 0; network->homes && i < network->options.n_nodes; i++)
		bs_bloom_free(network->homes[i]);
	free(network->filters);
	free(network->homes);
	free(network->hops);
	free(network->nodes);
	free(network->is_linked);
	free(network->has);
	free(network);
}

uint64_t bs_network_most_reached(const struct bs_network *network)
{
	return network->most_reached;
}

size_t bs_network_level_bytes(const struct bs_network *network)
{
	return network->level_bytes;
}

size_t bs_network_home_bytes(const struct bs_network *network)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < network->options.n_nodes; i++) {
		uint32_t n_bits = bs_bloom_look(network->homes[i]).n_bits;
		most = n_bits > most ? n_bits : most;
	}
	return (most + (size_t)63) / 64 * 8;
}

uint32_t bs_network_distance(const struct bs_network *network, uint32_t from, uint32_t word)
{
	const uint32_t *hops = network->hops + (size_t)from * network->options.n_nodes;
	uint32_t nearest = UINT32_MAX;
	for (uint32_t node = 0; node < network->options.n_nodes; node++)
		if (hops[node] < nearest && node_has(network, node, word))
			nearest = hops[node];
	return nearest;
}

/* Asks the nodes that the home lists, nearest first, until one has the word. */
static void ask_home(const struct bs_network *network, uint32_t from, uint32_t word,
                     struct bs_network_search *search)
{
	uint32_t n = network->options.n_nodes, home = home_of(network, word);
	const uint32_t *hops = network->hops + (size_t)from * n;
	struct bs_bloom_view known = bs_bloom_look(network->homes[home]);
	search->n_asked += home != from;
	for (uint32_t distance = 1; distance < n; distance++) {
		for (uint32_t node = 0; node < n; node++) {
			if (hops[node] != distance || !bs_bloom_has(known, held_key(node, word)))
				continue;
			search->n_asked++;
			if (node_has(network, node, word)) {
				search->is_found = true;
				search->hops = distance;
				return;
			}
			search->n_false++;
		}
	}
}

/* Whether a node was asked, whether blindly, and from which node. */
struct asked {
	bool is_asked, is_blind;
	uint32_t from;
};

static void tell_hops(const struct bs_network *network, struct asked *asked, uint32_t from,
                      uint32_t found, struct bs_network_search *search)
{
	asked[from].is_asked = false;
	for (uint32_t node = search->is_found ? found : from; node != from; node = asked[node].from)
		asked[node].is_asked = false;
	for (uint32_t node = 0; node < network->options.n_nodes; node++) {
		search->n_blind += asked[node].is_asked && asked[node].is_blind;
		search->n_false += asked[node].is_asked && !asked[node].is_blind;
	}
}

bool bs_network_search(const struct bs_network *network, struct bs_route *route, uint32_t from,
                       uint32_t word, bool asks_home, struct bs_network_search *search_out)
{
	const struct bs_network_options *o = &network->options;
	struct bs_bloom_key key = bs_bloom_key_of_hash(word);
	struct bs_route_hop hop = {0};
	struct asked *asked = calloc(o->n_nodes, sizeof(*asked));
	*search_out = (struct bs_network_search){0};
	bool done = asked && !bs_route_start(route, from, NULL), is_blind = false;
	while (done && !search_out->is_found && !is_blind && bs_route_next(route, &hop)) {
		uint32_t here = (uint32_t)hop.node;
		is_blind = asks_home && hop.level == o->n_levels;
		if (is_blind)
			continue;
		asked[here] = (struct asked){true, hop.level == o->n_levels, (uint32_t)hop.from};
		search_out->n_asked += here != from;
		search_out->is_found = node_has(network, here, word);
		search_out->hops = hop.hops;
		for (uint32_t next = 0; done && next < o->n_nodes; next++) {
			struct bs_attenuated_view filter =
				bs_attenuated_look(network->filters[next]);
			if (linked(network, here, next))
				done = !bs_route_offer(route, next,
				                       bs_attenuated_nearest(filter, key), NULL);
		}
	}
	if (done) {
		tell_hops(network, asked, from, (uint32_t)hop.node, search_out);
		if (is_blind)
			ask_home(network, from, word, search_out);
	}
	free(asked);
	return done;
}
