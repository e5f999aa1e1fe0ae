/*
 * route.c: which node to ask next for a key. See bitsift/bloom.h.
 *
 * The caller offers the neighbours of each node that was asked, with the level that the neighbour's
 * attenuated filter reports for the key. If a node is h hops from the start and reports level l,
 * all holders of the key that are reached through this node are at least h + l hops from the start.
 * The node with the least sum h + l is asked next; of equal sums, the node with more hops. This is
 * A* search, and the first holder that it finds is a nearest one, because the levels that two
 * neighbours report differ by at most one (each hears the other).
 */
#include <stdlib.h>

#include "core/base/buffer.h"
#include "core/base/hash.h"
#include "core/base/vector.h"
#include "core/bitsift/bloom.h"

struct offer {
	uint64_t node;
	uint64_t from;   /* the asked node that has `node` as a neighbour; the start: itself */
	uint64_t number; /* serial number; the lowest of otherwise equal offers is first */
	uint32_t hops;   /* from the start */
	uint32_t level;
};
BS_VECTOR(offers, struct offer);

struct bs_route {
	struct offers offers; /* a binary heap in the order of is_before */
	/* Hash table of the nodes asked so far: n_slots (a power of two) entries of struct slot. */
	struct bs_buffer asked;
	size_t n_slots;
	size_t n_asked;     /* number of nodes in the table */
	uint64_t n_offered; /* offers since the start; the last serial number */
	uint64_t here;      /* the node asked last */
	uint32_t hops;      /* distance of `here` from the start */
};

struct slot {
	uint64_t node;
	uint64_t is_used;
};

enum bs_status bs_route_new(struct bs_route **route_out, struct bs_error *err)
{
	*route_out = calloc(1, sizeof(**route_out));
	return *route_out ? BS_OK : bs_fail_memory(err, "a route", sizeof(**route_out));
}

void bs_route_free(struct bs_route *route)
{
	if (route) {
		bs_vector_deinit(&route->offers);
		bs_buffer_deinit(&route->asked);
	}
	free(route);
}

/* The node's slot, or the free slot where it would be inserted. */
static struct slot *slot_of(struct slot *slots, size_t n_slots, uint64_t node)
{
	size_t i = (size_t)bs_hash_mix(node ^ bs_hash_get_secret().words[0]) & (n_slots - 1);
	while (slots[i].is_used && slots[i].node != node)
		i = (i + 1) & (n_slots - 1);
	return &slots[i];
}

static struct slot *slots_of(const struct bs_route *route)
{
	return (struct slot *)(void *)route->asked.data;
}

/* Enlarges the table: all asked nodes, all waiting offers and one more node must fill at most half
 * of it. */
static enum bs_status make_room(struct bs_route *route, struct bs_error *err)
{
	if ((route->n_asked + bs_vector_n(&route->offers) + 1) * 2 <= route->n_slots)
		return BS_OK;
	size_t n_slots = route->n_slots ? route->n_slots * 2 : 64;
	struct bs_buffer larger = {0};
	enum bs_status status = bs_buffer_reserve(&larger, n_slots * sizeof(struct slot), err);
	if (status)
		return status;
	memset(larger.data, 0, n_slots * sizeof(struct slot));
	struct slot *slots = (struct slot *)(void *)larger.data;
	for (size_t i = 0; i < route->n_slots; i++)
		if (slots_of(route)[i].is_used)
			*slot_of(slots, n_slots, slots_of(route)[i].node) = slots_of(route)[i];
	bs_buffer_deinit(&route->asked);
	route->asked = larger;
	route->n_slots = n_slots;
	return BS_OK;
}

static bool is_before(const struct offer *a, const struct offer *b)
{
	uint64_t a_sum = (uint64_t)a->hops + a->level, b_sum = (uint64_t)b->hops + b->level;
	if (a_sum != b_sum)
		return a_sum < b_sum;
	return a->hops != b->hops ? a->hops > b->hops : a->number < b->number;
}

static enum bs_status push(struct bs_route *route, struct offer offer, struct bs_error *err)
{
	enum bs_status status = make_room(route, err);
	if (!status)
		status = bs_vector_append(&route->offers, &offer, err);
	if (status)
		return status;
	struct offer *offers = route->offers.items;
	size_t i = bs_vector_n(&route->offers) - 1;
	for (; i > 0 && is_before(&offer, &offers[(i - 1) / 2]); i = (i - 1) / 2)
		offers[i] = offers[(i - 1) / 2];
	offers[i] = offer;
	return BS_OK;
}

static struct offer pop(struct bs_route *route)
{
	struct offer *offers = route->offers.items, first = offers[0];
	size_t n = bs_vector_n(&route->offers) - 1, i = 0;
	struct offer last = offers[n];
	bs_vector_set_n(&route->offers, n);
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		child += child + 1 < n && is_before(&offers[child + 1], &offers[child]);
		if (!is_before(&offers[child], &last))
			break;
		offers[i] = offers[child];
	}
	offers[i] = last;
	return first;
}

enum bs_status bs_route_start(struct bs_route *route, uint64_t node, struct bs_error *err)
{
	bs_vector_clear(&route->offers);
	route->n_asked = 0;
	route->n_offered = 0;
	if (route->n_slots)
		memset(route->asked.data, 0, route->n_slots * sizeof(struct slot));
	return push(route, (struct offer){.node = node, .from = node}, err);
}

enum bs_status bs_route_offer(struct bs_route *route, uint64_t node, uint32_t level,
                              struct bs_error *err)
{
	if (route->n_slots && slot_of(slots_of(route), route->n_slots, node)->is_used)
		return BS_OK;
	struct offer offer = {node, route->here, ++route->n_offered, route->hops + 1, level};
	return push(route, offer, err);
}

bool bs_route_next(struct bs_route *route, struct bs_route_hop *hop_out)
{
	*hop_out = (struct bs_route_hop){0};
	while (bs_vector_n(&route->offers)) {
		struct offer offer = pop(route);
		struct slot *slot = slot_of(slots_of(route), route->n_slots, offer.node);
		if (slot->is_used)
			continue;
		*slot = (struct slot){offer.node, 1};
		route->n_asked++;
		route->here = offer.node;
		route->hops = offer.hops;
		*hop_out = (struct bs_route_hop){.node = offer.node,
		                                 .from = offer.from,
		                                 .hops = offer.hops,
		                                 .level = offer.level};
		return true;
	}
	return false;
}

/* The node with the greatest weight. Weights of different nodes differ, because mixing is a
 * bijection. */
uint64_t bs_route_home(struct bs_bloom_key key, const uint64_t *nodes, size_t n_nodes)
{
	uint64_t home = nodes[0], most = 0;
	for (size_t i = 0; i < n_nodes; i++) {
		uint64_t weight = bs_hash_mix(bs_hash_mix(nodes[i]) ^ key.start);
		home = weight > most ? nodes[i] : home;
		most = weight > most ? weight : most;
	}
	return home;
}
