/* test_attenuated.c: compares level i of attenuated filters with the words of the nodes i hops
 * away, and tests the search for the nearest holder in networks of 64 nodes. */
#include "core/bitsift/bloom.h"
#include "tests/generate/network.h"
#include "tests/rigs/core_rig.h"

AUTO_OF(struct bs_attenuated, bs_attenuated_free)
AUTO_OF(struct bs_route, bs_route_free)
AUTO_OF(struct bs_network, bs_network_free)

static struct bs_attenuated *new_attenuated(uint32_t n_levels, uint64_t n_bits, uint32_t n_hashes)
{
	struct bs_attenuated *attenuated;
	ok(bs_attenuated_new(n_levels, n_bits, n_hashes, &attenuated, ERR));
	return attenuated;
}

struct shape {
	uint32_t n_levels;
	uint64_t n_bits;
	uint32_t n_hashes;
};

static void test_shapes(void **state)
{
	static const struct shape wrong[] = {
		{0, 1, 1}, {65, 1, 1}, {UINT32_MAX, 1, 1}, {1, 0, 1}, {1, UINT64_C(1) << 32, 1},
		{1, 1, 0}, {1, 1, 65}};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		struct bs_attenuated *attenuated = (struct bs_attenuated *)ERR;
		expect_status(bs_attenuated_new(wrong[i].n_levels, wrong[i].n_bits,
		                                wrong[i].n_hashes, &attenuated, ERR),
		              BS_INVALID);
		assert_null(attenuated);
	}
	AUTO(bs_attenuated_free_at) struct bs_attenuated *mine = new_attenuated(3, 100, 4);
	static const struct shape others[] = {{2, 100, 4}, {4, 100, 4}, {3, 101, 4}, {3, 100, 5}};
	for (size_t i = 0; i < COUNT(others); i++) {
		AUTO(bs_attenuated_free_at)
		struct bs_attenuated *other =
			new_attenuated(others[i].n_levels, others[i].n_bits, others[i].n_hashes);
		expect_status(bs_attenuated_hear(mine, bs_attenuated_look(other), ERR), BS_INVALID);
		if (i >= 2)
			expect_status(bs_attenuated_unite(
					      mine,
					      bs_attenuated_level(bs_attenuated_look(other), 0),
					      ERR),
			              BS_INVALID);
	}
	bs_attenuated_free(NULL);
}

/* A line of nodes with one word each: level i of a filter is the plain filter of the words of the
 * nodes at the end of a path of i hops; words farther than the last level are in no level. */
static void test_a_line(void **state)
{
	enum {
		NODES = 9,
		LEVELS = 4
	};
	struct bs_attenuated *filters[NODES];
	for (uint32_t i = 0; i < NODES; i++)
		filters[i] = new_attenuated(LEVELS, 10000, 5);
	for (int round = 0; round < LEVELS; round++) {
		for (uint32_t i = 0; i < NODES; i++) {
			struct bs_bloom *own;
			ok(bs_bloom_new(10000, 5, &own, ERR));
			bs_bloom_add(own, bs_bloom_key_of_hash(i));
			if (round == 2)
				bs_attenuated_clear(filters[i]);
			ok(bs_attenuated_unite(filters[i], bs_bloom_look(own), ERR));
			if (i > 0)
				ok(bs_attenuated_hear(filters[i],
				                      bs_attenuated_look(filters[i - 1]), ERR));
			if (i + 1 < NODES)
				ok(bs_attenuated_hear(filters[i],
				                      bs_attenuated_look(filters[i + 1]), ERR));
			bs_bloom_free(own);
		}
	}
	for (uint32_t i = 0; i < NODES; i++) {
		struct bs_attenuated_view view = bs_attenuated_look(filters[i]);
		for (uint32_t word = 0; word < NODES; word++) {
			uint32_t hops = word > i ? word - i : i - word;
			assert_int_equal(bs_attenuated_nearest(view, bs_bloom_key_of_hash(word)),
			                 hops < LEVELS ? hops : LEVELS);
		}
		for (uint32_t level = 0; level < LEVELS; level++) {
			struct bs_bloom *plain;
			ok(bs_bloom_new(10000, 5, &plain, ERR));
			/* A path may return over the same link. */
			for (uint32_t end = i % 2 == level % 2 ? 0 : 1; end < NODES; end += 2)
				if (end <= i + level && i <= end + level)
					bs_bloom_add(plain, bs_bloom_key_of_hash(end));
			assert_memory_equal(bs_attenuated_level(view, level).bits,
			                    bs_bloom_look(plain).bits, 10000 / 8);
			bs_bloom_free(plain);
		}
		assert_int_equal(bs_attenuated_nearest(view, bs_bloom_key_of_hash(1000)), LEVELS);
		bs_attenuated_clear(filters[i]);
		assert_int_equal(bs_attenuated_nearest(view, bs_bloom_key_of_hash(i)), LEVELS);
		bs_attenuated_free(filters[i]);
	}
}

static void expect_hop(struct bs_route *route, uint64_t node, uint64_t from, uint32_t hops,
                       uint32_t level)
{
	struct bs_route_hop hop;
	assert_true(bs_route_next(route, &hop));
	assert_int_equal(hop.node, node);
	assert_int_equal(hop.from, from);
	assert_int_equal(hop.hops, hops);
	assert_int_equal(hop.level, level);
}

/* The route returns offered nodes by ascending level. Among equal levels it prefers more hops from
 * the first node, then the earlier offer. It returns no node twice. */
static void test_order_of_asking(void **state)
{
	AUTO(bs_route_free_at) struct bs_route *route;
	struct bs_route_hop hop;
	ok(bs_route_new(&route, ERR));
	assert_false(bs_route_next(route, &hop));
	for (int again = 0; again < 2; again++) {
		ok(bs_route_start(route, 7, ERR));
		expect_hop(route, 7, 7, 0, 0);
		ok(bs_route_offer(route, 1, 2, ERR));
		ok(bs_route_offer(route, 2, 1, ERR));
		ok(bs_route_offer(route, UINT64_MAX, 1, ERR));
		ok(bs_route_offer(route, 7, 0, ERR)); /* this node has been asked already */
		expect_hop(route, 2, 7, 1, 1);        /* node 2 lacks the key, despite its filter */
		ok(bs_route_offer(route, 3, 2, ERR));
		ok(bs_route_offer(route, 1, 3, ERR));
		expect_hop(route, UINT64_MAX, 7, 1, 1);
		ok(bs_route_offer(route, 4, 1, ERR));
		expect_hop(route, 4, UINT64_MAX, 2, 1);
		expect_hop(route, 1, 7, 1, 2);
		expect_hop(route, 3, 2, 2, 2);
		assert_false(bs_route_next(route, &hop));
		assert_int_equal(hop.node, 0);
	}
	/* Many nodes are offered; each is asked only once. */
	ok(bs_route_start(route, 0, ERR));
	assert_true(bs_route_next(route, &hop));
	for (uint64_t i = 0; i < 10000; i++)
		ok(bs_route_offer(route, i / 2, (uint32_t)(i * 7919 % 64), ERR));
	uint32_t level = 0, n_asked = 0;
	for (; bs_route_next(route, &hop); n_asked++) {
		assert_true(hop.level >= level);
		level = hop.level;
		ok(bs_route_offer(route, hop.node, 0, ERR));
	}
	assert_int_equal(n_asked, 4999);
	bs_route_free(NULL);
}

/* The home of a key does not depend on the order of the nodes; nodes are homes of about equal
 * numbers of keys; if a node leaves, only its keys get another home. */
static void test_homes(void **state)
{
	enum {
		NODES = 10,
		KEYS = 100000
	};
	static const uint64_t golden[] = {4, 9, 3, 2, 0, 8, 4, 1, 2, 1, 2, 5, 1, 5, 4, 4};
	uint64_t nodes[NODES], backwards[NODES];
	uint32_t n_keys[NODES] = {0};
	for (uint32_t i = 0; i < NODES; i++)
		nodes[i] = backwards[NODES - 1 - i] = i;
	for (uint32_t i = 0; i < KEYS; i++) {
		struct bs_bloom_key key = bs_bloom_key_of_hash(i);
		uint64_t home = bs_route_home(key, nodes, NODES),
			 without = bs_route_home(key, nodes, NODES - 1);
		assert_true(home < NODES && (i >= COUNT(golden) || home == golden[i]));
		assert_int_equal(bs_route_home(key, backwards, NODES), home);
		assert_true(without == home || home == NODES - 1);
		n_keys[home]++;
	}
	for (uint32_t i = 0; i < NODES; i++)
		assert_true(n_keys[i] > KEYS / NODES * 0.96 && n_keys[i] < KEYS / NODES * 1.04);
}

/* The nodes that searches asked, and how many of these were false or blind hops. */
struct hops {
	uint64_t n_asked, n_off;
};

static void count_search(struct hops *hops, const struct bs_network_search *search)
{
	hops->n_asked += search->n_asked;
	hops->n_off += search->n_false + search->n_blind;
}

static double off_share(const struct hops *hops)
{
	return (double)hops->n_off / (double)hops->n_asked;
}

/*
 * Networks of 64 nodes with three levels: the nearest holder of any word is found. A hop is false
 * if a filter promised a holder but the hop led to none, and blind if no filter promised one. With
 * 2 KB per level of a filter for each 1,000 words that it reaches, at most 2 % of the hops to
 * holders within three hops are false. If searches for farther holders ask the home of the word
 * instead of hopping blindly, at most 2 % of all hops are false and none is blind, even in a ring.
 */
static void test_nearest_holder(void **state)
{
	/* Limits for the share of false and blind hops: in searches with a holder within three
	 * hops, and in all searches if homes are asked; in all searches without homes. */
	static const struct {
		uint32_t degree;
		double bits_per_word, share, alone_share;
	} cases[] = {{8, 16, 0.02, 0.02}, {8, 8, 0.02, 0.02}, {6, 16, 0.02, 0.02},
	             {4, 16, 0.02, 0.12}, {4, 2, 1, 1},       {2, 16, 0.02, 1}};
	AUTO(bs_route_free_at) struct bs_route *route;
	ok(bs_route_new(&route, ERR));
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct bs_network_options options = {.seed = i + 1,
		                                     .n_nodes = 64,
		                                     .degree = cases[i].degree,
		                                     .n_levels = 3,
		                                     .node_words = 1000,
		                                     .home_bits = 16,
		                                     .n_words = 30000,
		                                     .bits_per_word = cases[i].bits_per_word};
		AUTO(bs_network_free_at) struct bs_network *network = bs_network_new(&options);
		assert_non_null(network);
		assert_true((double)bs_network_level_bytes(network) <=
		            2.048 * (double)bs_network_most_reached(network));
		struct hops near = {0}, alone = {0}, homes = {0};
		uint64_t random = 99;
		for (int n = 0; n < 5000;) {
			struct bs_network_search search, home;
			uint32_t from = (uint32_t)random_below(&random, 64),
				 word = (uint32_t)random_below(&random, options.n_words);
			uint32_t distance = bs_network_distance(network, from, word);
			if (distance == UINT32_MAX)
				continue;
			n++;
			assert_true(bs_network_search(network, route, from, word, false, &search));
			assert_true(bs_network_search(network, route, from, word, true, &home));
			assert_true(search.is_found && home.is_found);
			assert_true(search.hops == distance && home.hops == distance);
			assert_int_equal(search.n_asked,
			                 distance + search.n_false + search.n_blind);
			assert_true(distance > 3 || search.n_blind == 0);
			assert_int_equal(home.n_blind, 0);
			if (distance <= 3)
				count_search(&near, &search);
			count_search(&alone, &search);
			count_search(&homes, &home);
		}
		print_message("%u neighbours, %4.1f bits a word: %" PRIu64
		              " words reached, %zu bytes a level; off the way %.2f %% of the "
		              "hops to holders within three, %.2f %% of all, %.2f %% with homes of "
		              "%zu bytes\n",
		              cases[i].degree, cases[i].bits_per_word,
		              bs_network_most_reached(network), bs_network_level_bytes(network),
		              100 * off_share(&near), 100 * off_share(&alone),
		              100 * off_share(&homes), bs_network_home_bytes(network));
		assert_true(off_share(&near) <= cases[i].share &&
		            off_share(&homes) <= cases[i].share &&
		            off_share(&alone) <= cases[i].alone_share);
	}
}

RUN_TESTS(test_shapes, test_a_line, test_order_of_asking, test_homes, test_nearest_holder)
