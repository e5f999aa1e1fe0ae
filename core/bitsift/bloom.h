/*
 * bloom.h: the Bloom filter and its family. The public interface of libbitsift-bloom, which does
 * not depend on libbitsift; the rules are those of bitsift.h. Link with bitsift::bloom (CMake) or
 * `pkg-config --cflags --libs bitsift-bloom`. The library also defines bs_status_name, which
 * status.h declares.
 *
 *      bs_bloom            a set of keys in few bits: "certainly not" or "maybe" (Bloom 1970)
 *      bs_counting         a set with 4-bit counters, so that keys can be removed (Fan, Cao,
 *                          Almeida, Broder 2000)
 *      bs_bloom_compress   a filter, compressed to its entropy (Mitzenmacher 2002)
 *      bs_bloom_delta      the changes of a filter, compressed to their entropy
 *      bs_attenuated       a filter for each number of hops: how near a key is (Rhea, Kubiatowicz
 *                          2002)
 *      bs_route            which node to ask next to find a key
 *
 * A filter of m bits in which n distinct keys have set k bits each
 *   is smallest for a wanted false positive rate p at     m = -n ln p / (ln 2)^2,
 *                                                         k = (m / n) ln 2;
 *   has a bit set with probability (its density)          d = 1 - e^{-k n / m};
 *   answers "maybe" for an absent key with probability    d^k;
 *   with t bits set holds about                           n* = -(m / k) ln(1 - t / m)   keys.
 * These formulas are accurate to a few percent from about 100 keys on, and to less than one percent
 * from 1,000 keys on.
 *
 * Each kind of filter has a stored form: little-endian, with magic, version and checksums, the same
 * on every machine (core/FORMAT.md, "Filters"). Stored plain and attenuated filters can be queried
 * in place, without a copy, for example in a mapped file. The functions that read a stored form
 * check all of it, except those whose names end with _read_head. BS_CORRUPT: it is damaged, and the
 * message names the byte and the error; BS_UNSUPPORTED: another version wrote it.
 *
 * Many threads may read an object at once, as long as no thread changes it.
 */
#ifndef BITSIFT_BLOOM_H
#define BITSIFT_BLOOM_H

#include "status.h"

BS_BEGIN_DECLS

/*
 * A key: two numbers from which all filters compute their positions, by enhanced double hashing
 * (Dillinger and Manolios, "Bloom Filters in Probabilistic Verification", 2004):
 *
 *      x_i = start + i * step + (i^3 - i) / 6 * 0x9e3779b97f4a7c15 mod 2^64
 *      position_i = floor(x_i * m / 2^64)          i = 0 .. k-1
 *
 * A key is computed once for any number of filters of any shape. Different inputs with equal
 * hashes give the same key: with a 64-bit hash, 0.5 such pairs are expected among 2^32 inputs.
 */
struct bs_bloom_key {
	uint64_t start;
	uint64_t step;
};
/* The key of some bytes: made from their XXH3-64 without a seed. bytes may be NULL if n_bytes is
 * 0. */
BS_API struct bs_bloom_key bs_bloom_key_of_bytes(const void *bytes, size_t n_bytes);
/* The key of a hash that the caller computed. The hash may be weak, even a serial number, as
 * long as different inputs have different hashes. */
BS_API struct bs_bloom_key bs_bloom_key_of_hash(uint64_t hash);
/* The key of a strong hash of 128 bits, for sets in which 64 bits would collide. */
BS_API struct bs_bloom_key bs_bloom_key_of_hash_wide(uint64_t low, uint64_t high);

/* The number of bits that a filter of n_keys keys needs for a false positive rate in (0, 1),
 * rounded up; at least 1, at most 2^64 - 1. */
BS_API uint64_t bs_bloom_optimal_bits(uint64_t n_keys, double rate);
/* The number of hashes with the lowest false positive rate, for n_keys keys in n_bits bits; rounded
 * to an integer in 1..64. */
BS_API uint32_t bs_bloom_optimal_hashes(uint64_t n_bits, uint64_t n_keys);
/* Expected share of set bits, in [0, 1]. */
BS_API double bs_bloom_density(uint64_t n_bits, uint32_t n_hashes, uint64_t n_keys);
/* Expected false positive rate, in [0, 1]. */
BS_API double bs_bloom_false_rate(uint64_t n_bits, uint32_t n_hashes, uint64_t n_keys);
/* The bits per key at which a filter with n_hashes (k) hashes has this density (d, in (0, 1)):
 * k / -ln(1 - d). */
BS_API double bs_bloom_bits_per_key(double n_hashes, double density);
/* The entropy, in bits, of one bit that is set with probability d, the density:
 * -d log2 d - (1 - d) log2(1 - d). */
BS_API double bs_bloom_entropy(double density);

struct bs_bloom;

/* A filter that can be queried; its bits are borrowed. Bit i is bit i % 8 of byte i / 8. The bytes
 * have any alignment, their number is a multiple of 8, and bits from n_bits on are 0. A caller that
 * has verified the bits by other means may fill in the struct itself. */
struct bs_bloom_view {
	const uint8_t *bits;
	uint32_t n_bits;   /* 1 or more */
	uint32_t n_hashes; /* 1 to 64 */
};

/* Creates an empty filter; free it with bs_bloom_free. BS_INVALID unless n_bits is in 1..2^32-1 and
 * n_hashes in 1..64; BS_NO_MEMORY. *bloom_out is NULL on failure. */
BS_API enum bs_status bs_bloom_new(uint64_t n_bits, uint32_t n_hashes, struct bs_bloom **bloom_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* Creates a filter with the bits of the view; free it with bs_bloom_free. BS_NO_MEMORY. */
BS_API enum bs_status bs_bloom_copy(struct bs_bloom_view view, struct bs_bloom **bloom_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_bloom_free(struct bs_bloom *bloom);
BS_API void bs_bloom_add(struct bs_bloom *bloom, struct bs_bloom_key key);
/* A view of the filter. It shows later changes and is valid until the filter is freed. */
BS_API struct bs_bloom_view bs_bloom_look(const struct bs_bloom *bloom);

/* False: the key was never added. True: it was added, or this is a false positive. */
BS_API bool bs_bloom_has(struct bs_bloom_view view, struct bs_bloom_key key);
/* Queries n_views filters (fewer than 2^32) for n_keys keys. Writes the numbers of the filters that
 * may have all keys to passed_out, in ascending order, and returns how many there are. If the
 * filters are not in the processor's cache, this takes 25 ns per filter and is a third faster than
 * querying one filter after the other. */
BS_API size_t bs_bloom_pass(const struct bs_bloom_view *views, size_t n_views,
                            const struct bs_bloom_key *keys, size_t n_keys, uint32_t *passed_out);

/* Replace the bits of a filter by those of its union (OR) or intersection (AND) with another one.
 * The intersection has all common keys, but more false positives than a filter to which only these
 * keys were added. BS_INVALID: the shapes (n_bits, n_hashes) differ. */
BS_API enum bs_status bs_bloom_unite(struct bs_bloom *bloom, struct bs_bloom_view other,
                                     struct bs_error *err) BS_WARN_UNUSED;
BS_API enum bs_status bs_bloom_intersect(struct bs_bloom *bloom, struct bs_bloom_view other,
                                         struct bs_error *err) BS_WARN_UNUSED;

BS_API uint64_t bs_bloom_n_set(struct bs_bloom_view view);
/* Estimated number of distinct keys added (n* above); infinity when every bit is set. */
BS_API double bs_bloom_cardinality(struct bs_bloom_view view);
/* Estimates the number of distinct keys in the union and the intersection (at least 0) of two
 * filters. More accurate than the cardinality of bs_bloom_intersect's result, which is too high.
 * BS_INVALID: the shapes differ. */
BS_API enum bs_status bs_bloom_cardinality_of_either(struct bs_bloom_view a, struct bs_bloom_view b,
                                                     double *n_keys_out,
                                                     struct bs_error *err) BS_WARN_UNUSED;
BS_API enum bs_status bs_bloom_cardinality_of_both(struct bs_bloom_view a, struct bs_bloom_view b,
                                                   double *n_keys_out,
                                                   struct bs_error *err) BS_WARN_UNUSED;

/* The stored form: a header of 64 bytes, then the bits. `to` has room for bs_bloom_stored_bytes
 * bytes, a multiple of 8. */
BS_API size_t bs_bloom_stored_bytes(struct bs_bloom_view view);
BS_API void bs_bloom_store(struct bs_bloom_view view, uint8_t *to);
/* Makes a view of a stored filter. The bytes are borrowed and must be exactly its stored form.
 * BS_CORRUPT, BS_UNSUPPORTED: *view_out is all 0. bs_bloom_read_head verifies only the header, not
 * the checksum of the bits; for callers that have verified the bits by other means. */
BS_API enum bs_status bs_bloom_read(const uint8_t *bytes, size_t n_bytes,
                                    struct bs_bloom_view *view_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
BS_API enum bs_status bs_bloom_read_head(const uint8_t *bytes, size_t n_bytes,
                                         struct bs_bloom_view *view_out,
                                         struct bs_error *err) BS_WARN_UNUSED;

/*
 * A counting filter: each position is a counter of 4 bits, so that keys can be removed. A key that
 * was added twice must be removed twice. A counter that would reach 16 overflows: it stays at 15
 * whatever is removed. The filter may then answer "maybe" for a removed key, but never loses a
 * key that it has.
 */
struct bs_counting;

/* Like bs_bloom_new. Takes half a byte per counter. */
BS_API enum bs_status bs_counting_new(uint64_t n_counters, uint32_t n_hashes,
                                      struct bs_counting **counting_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_counting_free(struct bs_counting *counting);
BS_API void bs_counting_add(struct bs_counting *counting, struct bs_bloom_key key);
/* Removes a key that was added. False: the filter does not have the key, because one of its
 * counters is 0; nothing changes. If the filter does not have the key, but none of its counters is
 * 0, removing it corrupts the filter. */
BS_API bool bs_counting_remove(struct bs_counting *counting, struct bs_bloom_key key);
BS_API bool bs_counting_has(const struct bs_counting *counting, struct bs_bloom_key key);

struct bs_counting_info {
	uint64_t n_counters;
	uint64_t n_keys; /* added and not removed */
	/* how often bs_counting_add found a counter at 15 already; 0: the counters are exact */
	uint64_t n_overflows;
	uint32_t n_hashes;
	uint64_t reserved[4];
};
BS_API void bs_counting_describe(const struct bs_counting *counting,
                                 struct bs_counting_info *info_out);
/* Creates the plain filter of the same keys; free it with bs_bloom_free. Without overflows it has
 * the same bits as a plain filter to which the keys were added. BS_NO_MEMORY. */
BS_API enum bs_status bs_counting_to_bloom(const struct bs_counting *counting,
                                           struct bs_bloom **bloom_out,
                                           struct bs_error *err) BS_WARN_UNUSED;
/* The expected number of counters that reach `limit`; with a limit of 16, the number of counters
 * that overflow. It is also an upper bound of the probability that at least one counter reaches the
 * limit. At the optimal load, n_hashes * n_keys = n_counters * ln 2, and with a limit of 16, it is
 * below 1.37e-15 times n_counters. */
BS_API double bs_counting_overflow(uint64_t n_counters, uint32_t n_hashes, uint64_t n_keys,
                                   uint32_t limit);

BS_API size_t bs_counting_stored_bytes(const struct bs_counting *counting);
BS_API void bs_counting_store(const struct bs_counting *counting, uint8_t *to);
/* Creates a counting filter from its stored form, which must be exactly these bytes. BS_CORRUPT,
 * BS_UNSUPPORTED, BS_NO_MEMORY: *counting_out is NULL. */
BS_API enum bs_status bs_counting_read(const uint8_t *bytes, size_t n_bytes,
                                       struct bs_counting **counting_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/*
 * Compression. A filter with the optimal density of one half cannot be compressed. A larger filter
 * with fewer hashes can be compressed to fewer bits at the same false positive rate: it takes more
 * memory, but fewer bytes to send. A plan is the shape of such a filter.
 */
struct bs_bloom_plan {
	uint64_t n_bits; /* in memory */
	uint32_t n_hashes;
	double density; /* expected when all keys are added */
	double false_rate;
	double sent_bits; /* compressed size in bits per key, without the header of 64 bytes */
	uint64_t reserved[4];
};
/* bs_bloom_plan_for_size finds the plan with the lowest false positive rate that is compressed to
 * at most sent_bits per key. bs_bloom_plan_for_rate finds the plan that needs the fewest sent_bits
 * per key for a false positive rate in (0, 1). Both consider only plans with at most
 * bs_bloom_optimal_hashes hashes. In memory the filter takes at most max_bits per key; 0: at most
 * 2^32 - 1 bits in all. BS_INVALID: there is no such plan. */
BS_API enum bs_status bs_bloom_plan_for_size(uint64_t n_keys, double sent_bits, double max_bits,
                                             struct bs_bloom_plan *plan_out,
                                             struct bs_error *err) BS_WARN_UNUSED;
BS_API enum bs_status bs_bloom_plan_for_rate(uint64_t n_keys, double rate, double max_bits,
                                             struct bs_bloom_plan *plan_out,
                                             struct bs_error *err) BS_WARN_UNUSED;

/* Compresses a filter to its entropy, after a header of 64 bytes. Release *bytes_out with free().
 * BS_NO_MEMORY: *bytes_out is NULL. */
BS_API enum bs_status bs_bloom_compress(struct bs_bloom_view view, uint8_t **bytes_out,
                                        size_t *n_bytes_out, struct bs_error *err) BS_WARN_UNUSED;
/* Decompresses a filter from exactly these bytes; free it with bs_bloom_free. A few bytes can
 * expand to half a gigabyte; therefore a filter of more than max_bits is BS_INVALID (max_bits 0: no
 * limit). Also BS_CORRUPT, BS_UNSUPPORTED, BS_NO_MEMORY. *bloom_out is NULL on failure. */
BS_API enum bs_status bs_bloom_decompress(const uint8_t *bytes, size_t n_bytes, uint64_t max_bits,
                                          struct bs_bloom **bloom_out,
                                          struct bs_error *err) BS_WARN_UNUSED;

/* The delta from `from` to `to`, compressed, for a receiver that has `from`. Release *bytes_out
 * with free(); it is NULL on failure. BS_INVALID: the shapes differ; BS_NO_MEMORY. */
BS_API enum bs_status bs_bloom_delta(struct bs_bloom_view from, struct bs_bloom_view to,
                                     uint8_t **bytes_out, size_t *n_bytes_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Applies a delta to a filter that is equal to its `from`. On failure the filter is unchanged:
 * BS_INVALID (the filter is not the `from` of the delta), BS_CORRUPT, BS_UNSUPPORTED,
 * BS_NO_MEMORY. */
BS_API enum bs_status bs_bloom_apply(struct bs_bloom *bloom, const uint8_t *bytes, size_t n_bytes,
                                     struct bs_error *err) BS_WARN_UNUSED;

/*
 * An attenuated filter: a filter of the keys of this node (level 0), of the keys one hop away
 * (level 1), and so on. All levels have one shape; choose it for the number of keys in the last
 * level. Each node publishes a filter made of its own keys and its neighbours' filters, and does so
 * again when one of them changes. After as many rounds as there are levels, the filters are
 * complete.
 */
struct bs_attenuated;

/* Like struct bs_bloom_view, but with the bits of all levels, one level after the other. */
struct bs_attenuated_view {
	const uint8_t *bits;
	uint32_t n_bits; /* bits of one level */
	uint32_t n_hashes;
	uint32_t n_levels; /* 1 to 64 */
};

/* Creates an empty filter; free it with bs_attenuated_free. n_levels is in 1..64. Otherwise like
 * bs_bloom_new. */
BS_API enum bs_status bs_attenuated_new(uint32_t n_levels, uint64_t n_bits, uint32_t n_hashes,
                                        struct bs_attenuated **attenuated_out,
                                        struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_attenuated_free(struct bs_attenuated *attenuated);
/* Removes all keys of all levels. */
BS_API void bs_attenuated_clear(struct bs_attenuated *attenuated);
/* Adds the keys of this node. BS_INVALID: the shapes differ. */
BS_API enum bs_status bs_attenuated_unite(struct bs_attenuated *attenuated,
                                          struct bs_bloom_view own,
                                          struct bs_error *err) BS_WARN_UNUSED;
/* Adds the keys of a neighbour's filter: the keys of its level i become keys of level i + 1 of this
 * filter. The last level of the neighbour is dropped. BS_INVALID: the shapes differ. */
BS_API enum bs_status bs_attenuated_hear(struct bs_attenuated *attenuated,
                                         struct bs_attenuated_view neighbour,
                                         struct bs_error *err) BS_WARN_UNUSED;
BS_API struct bs_attenuated_view bs_attenuated_look(const struct bs_attenuated *attenuated);

/* The filter of the keys that nodes `level` hops away have; level < n_levels. */
BS_API struct bs_bloom_view bs_attenuated_level(struct bs_attenuated_view view, uint32_t level);
/* Returns the lowest level that may have the key, so no node that is fewer hops away has the key.
 * Returns n_levels if no level has the key. */
BS_API uint32_t bs_attenuated_nearest(struct bs_attenuated_view view, struct bs_bloom_key key);

/* Like bs_bloom_stored_bytes, bs_bloom_store and so on. */
BS_API size_t bs_attenuated_stored_bytes(struct bs_attenuated_view view);
BS_API void bs_attenuated_store(struct bs_attenuated_view view, uint8_t *to);
BS_API enum bs_status bs_attenuated_read(const uint8_t *bytes, size_t n_bytes,
                                         struct bs_attenuated_view *view_out,
                                         struct bs_error *err) BS_WARN_UNUSED;
BS_API enum bs_status bs_attenuated_read_head(const uint8_t *bytes, size_t n_bytes,
                                              struct bs_attenuated_view *view_out,
                                              struct bs_error *err) BS_WARN_UNUSED;

/*
 * Routing to the nearest node that has a key; such a node is called a holder of the key. A search
 * starts at a node and asks the nodes that bs_route_next returns, one after the other. If a node
 * lacks the key, offer each of its neighbours (bs_route_offer), with the level that the neighbour's
 * filter gives. The search continues with the most promising of all offered nodes. If the filters
 * are up to date, the first holder that the search asks is one of the nearest. The search also
 * finds holders that are more hops away than the filters have levels, but then it asks more nodes.
 *
 *      bs_route_start(route, here, &err);
 *      while (bs_route_next(route, &hop) && !(asked = node_has(hop.node, key)))
 *          for each neighbour of hop.node
 *              bs_route_offer(route, neighbour,
 *                             bs_attenuated_nearest(filter of the neighbour, key), &err)
 */
struct bs_route;

/* Creates a route; free it with bs_route_free. BS_NO_MEMORY: *route_out is NULL. */
BS_API enum bs_status bs_route_new(struct bs_route **route_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_route_free(struct bs_route *route);
/* Starts a new search at a node. The route keeps its memory. BS_NO_MEMORY. */
BS_API enum bs_status bs_route_start(struct bs_route *route, uint64_t node,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Offers a neighbour of the node that bs_route_next returned last. level: what
 * bs_attenuated_nearest returns for the neighbour's filter. Nodes that were asked before are
 * ignored. BS_NO_MEMORY. */
BS_API enum bs_status bs_route_offer(struct bs_route *route, uint64_t node, uint32_t level,
                                     struct bs_error *err) BS_WARN_UNUSED;

struct bs_route_hop {
	uint64_t node;
	/* the node, asked before, whose neighbour `node` is; for the first node: itself */
	uint64_t from;
	uint32_t hops;  /* distance from the first node */
	uint32_t level; /* as passed to bs_route_offer; 0 for the first node */
	uint64_t reserved[2];
};
/* The next node to ask. False: all reachable nodes were asked. */
BS_API bool bs_route_next(struct bs_route *route, struct bs_route_hop *hop_out);

/*
 * Returns the home of a key: the one of these n_nodes nodes (1 or more) that keeps a record of the
 * key's holders. A holder registers the key with its home. If bs_route_next returns a hop whose
 * level is n_levels, no filter promises the key any more; then ask the home instead of this hop.
 * This is OceanStore's fallback from the probabilistic to the deterministic algorithm. A home can
 * record holders in lists, or in a filter to which it adds a hash of each key together with its
 * holder. The home depends only on the key and the set of nodes, not on their order or on the
 * version of this library; if a node is removed, only its own keys get another home (rendezvous
 * hashing; Thaler and Ravishankar 1998).
 */
BS_API uint64_t bs_route_home(struct bs_bloom_key key, const uint64_t *nodes, size_t n_nodes);

BS_END_DECLS
#endif
