/*
 * bloom.h: the Bloom filter and its family. The public interface of libbitsift-bloom, which needs nothing of libbitsift; the rules
 * are those of bitsift.h. Link with bitsift::bloom (CMake) or `pkg-config --cflags --libs bitsift-bloom`. Of status.h, it has
 * bs_status_name.
 *
 *      bs_bloom         a set of keys in few bits: "certainly not" or "maybe"                (Bloom 1970)
 *      bs_counting      the same with counters of 4 bits, so that keys can be taken out      (Fan, Cao, Almeida, Broder 2000)
 *      bs_bloom_compress, bs_bloom_delta   a filter, or what changed in it, in as few bits as its entropy  (Mitzenmacher 2002)
 *      bs_attenuated    a filter for each number of hops: how near is a holder of a key      (Rhea, Kubiatowicz 2002)
 *      bs_route         where to ask next, nearest first; where, if filters tell nothing
 *
 * A filter of m bits in which n distinct keys have set k bits each
 *   is smallest for a wanted false positive rate p at     m = -n ln p / (ln 2)^2,  k = (m / n) ln 2;
 *   has a bit set with probability (its density)          d = 1 - e^{-k n / m};
 *   answers "maybe" for an absent key with probability    d^k;
 *   with t bits set holds about                           n* = -(m / k) ln(1 - t / m)   keys.
 * These hold to a few percent from some 100 keys on, and to less than one from 1,000 on.
 *
 * Every member has a stored form: little-endian, with magic, version and checksums, the same on every machine (core/FORMAT.md,
 * "Filters"). Those of plain and attenuated filters are asked where they lie, without a copy, wherever that is, in a mapped
 * file, say. Readers believe no byte: BS_CORRUPT says what is wrong at which byte; BS_UNSUPPORTED: a later version's.
 *
 * Reading one object is safe from many threads, as long as nobody writes it.
 */
#ifndef BITSIFT_BLOOM_H
#define BITSIFT_BLOOM_H

#include "status.h"

BS_BEGIN_DECLS

/*
 * A key: two numbers that all members take their positions from, by enhanced double hashing (Dillinger and Manolios, "Bloom
 * Filters in Probabilistic Verification", 2004):
 *
 *      position_i = floor((start + i * step + (i^3 - i) / 6 * 0x9e3779b97f4a7c15 mod 2^64) * m / 2^64)     i = 0 .. k-1
 *
 * So one key made once asks any number of filters, whatever their shapes. Two keys of equal hash are one key: of 2^32 there are
 * two with an even chance.
 */
struct bs_bloom_key {
	uint64_t start;
	uint64_t step;
};
/* Of any bytes: that of their XXH3-64, without seed. bytes may be NULL if there are none. */
BS_API struct bs_bloom_key bs_bloom_key_of_bytes(const void *bytes, size_t n_bytes);
/* Of a hash of one's own; it need not be a good one, only have no collisions. */
BS_API struct bs_bloom_key bs_bloom_key_of_hash(uint64_t hash);
/* Of a good one of 128 bits, for sets of which 64 are too few. */
BS_API struct bs_bloom_key bs_bloom_key_of_hash_wide(uint64_t low, uint64_t high);

/* Bits for n_keys at a false positive rate in (0, 1), rounded up; at least 1, at most 2^64 - 1. */
BS_API uint64_t bs_bloom_optimal_bits(uint64_t n_keys, double rate);
/* Hashes for that many bits, rounded to the nearest, within 1..64. */
BS_API uint32_t bs_bloom_optimal_hashes(uint64_t n_bits, uint64_t n_keys);
/* Expected share of set bits, in [0, 1]. */
BS_API double bs_bloom_density(uint64_t n_bits, uint32_t n_hashes, uint64_t n_keys);
/* Expected false positive rate, in [0, 1]. */
BS_API double bs_bloom_false_rate(uint64_t n_bits, uint32_t n_hashes, uint64_t n_keys);
/* Bits that a key of n_hashes hashes needs for a density in (0, 1): k / -ln(1 - d). */
BS_API double bs_bloom_bits_per_key(double n_hashes, double density);
/* Bits of information in a bit that is set with this probability: -d log2 d - (1 - d) log2(1 - d). */
BS_API double bs_bloom_entropy(double density);

/* A filter. */
struct bs_bloom;

/* A filter to be asked, wherever its bits lie; borrowed, as long as they stay there. Bit i is bit i % 8 of byte i / 8; the bytes,
 * of any alignment, are as many as a multiple of 8, and the bits behind the last 0. It may be made by hand from bits that a
 * checksum of one's own vouches for. */
struct bs_bloom_view {
	const uint8_t *bits;
	uint32_t n_bits;   /* 1 or more */
	uint32_t n_hashes; /* 1 to 64 */
};

/* An empty one, for bs_bloom_free. n_bits in 1..2^32-1, n_hashes in 1..64, else BS_INVALID; BS_NO_MEMORY: it is NULL. */
BS_API enum bs_status bs_bloom_new(uint64_t n_bits, uint32_t n_hashes, struct bs_bloom **bloom_out,
                                   struct bs_error *err) BS_WARN_UNUSED;
/* One of its own with the same bits. BS_NO_MEMORY. */
BS_API enum bs_status bs_bloom_copy(struct bs_bloom_view view, struct bs_bloom **bloom_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_bloom_free(struct bs_bloom *bloom);
BS_API void bs_bloom_add(struct bs_bloom *bloom, struct bs_bloom_key key);
/* Its bits as they are, and will be: good until it is freed. */
BS_API struct bs_bloom_view bs_bloom_look(const struct bs_bloom *bloom);

/* False: never added. True: added, or a false positive. */
BS_API bool bs_bloom_has(struct bs_bloom_view view, struct bs_bloom_key key);
/* Asks n_views filters (fewer than 2^32) for n_keys keys each, and writes the numbers of those that may have all of them to
 * passed_out, in order: how many those are is the result. A third faster than one after the other where they are not in the
 * processor's cache: 25 ns a filter. */
BS_API size_t bs_bloom_pass(const struct bs_bloom_view *views, size_t n_views, const struct bs_bloom_key *keys, size_t n_keys,
                            uint32_t *passed_out);

/* The filter of both sets (OR of the bits); of what both have, and perhaps a little more (AND). BS_INVALID: another shape. */
BS_API enum bs_status bs_bloom_unite(struct bs_bloom *bloom, struct bs_bloom_view other, struct bs_error *err) BS_WARN_UNUSED;
BS_API enum bs_status bs_bloom_intersect(struct bs_bloom *bloom, struct bs_bloom_view other,
                                         struct bs_error *err) BS_WARN_UNUSED;

/* Bits that are set. */
BS_API uint64_t bs_bloom_n_set(struct bs_bloom_view view);
/* Estimated number of distinct keys added (n* above); infinity when every bit is set. */
BS_API double bs_bloom_cardinality(struct bs_bloom_view view);
/* The same of those that either has, or both have (which is 0 or more), from two filters. The filter of bs_bloom_intersect tells
 * more than both have. BS_INVALID: another shape. */
BS_API enum bs_status bs_bloom_cardinality_of_either(struct bs_bloom_view a, struct bs_bloom_view b, double *n_keys_out,
                                                     struct bs_error *err) BS_WARN_UNUSED;
BS_API enum bs_status bs_bloom_cardinality_of_both(struct bs_bloom_view a, struct bs_bloom_view b, double *n_keys_out,
                                                   struct bs_error *err) BS_WARN_UNUSED;

/* The stored form: 64 bytes of head, then the bits: bs_bloom_stored_bytes of them, a multiple of 8, for `to`. */
BS_API size_t bs_bloom_stored_bytes(struct bs_bloom_view view);
BS_API void bs_bloom_store(struct bs_bloom_view view, uint8_t *to);
/* The filter in exactly these bytes, which are borrowed. BS_CORRUPT, BS_UNSUPPORTED: *view_out is all 0. The second one looks at the 64
 * bytes of the head alone, not at the bits' checksum: for who knows otherwise that they are sound. */
BS_API enum bs_status bs_bloom_read(const uint8_t *bytes, size_t n_bytes, struct bs_bloom_view *view_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
BS_API enum bs_status bs_bloom_read_head(const uint8_t *bytes, size_t n_bytes, struct bs_bloom_view *view_out,
                                         struct bs_error *err) BS_WARN_UNUSED;

/*
 * A counting filter: each position is a counter of 4 bits, of the keys that have it, so that a key can be taken out again. A key
 * that was added twice is to be taken out twice. One that would count to 16 has overflowed: from then on counters at 15 stay
 * there, whatever is taken out, and the filter may say "maybe" where one made anew would not; it never forgets a key.
 */
struct bs_counting;

/* As bs_bloom_new, in half a byte a counter. */
BS_API enum bs_status bs_counting_new(uint64_t n_counters, uint32_t n_hashes, struct bs_counting **counting_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_counting_free(struct bs_counting *counting);
BS_API void bs_counting_add(struct bs_counting *counting, struct bs_bloom_key key);
/* False: it was never added, as some counter of it is 0, and nothing is changed. Where none is, whoever takes out what was never
 * added breaks the filter. */
BS_API bool bs_counting_remove(struct bs_counting *counting, struct bs_bloom_key key);
BS_API bool bs_counting_has(const struct bs_counting *counting, struct bs_bloom_key key);

struct bs_counting_info {
	uint64_t n_counters;
	uint64_t n_keys;      /* added and not taken out */
	uint64_t n_overflows; /* additions that a counter at 15 could not count; 0: the filter is exactly that of its keys */
	uint32_t n_hashes;
	uint64_t reserved[4];
};
BS_API void bs_counting_describe(const struct bs_counting *counting, struct bs_counting_info *info_out);
/* The plain filter of its keys: without overflows bit by bit the one that they were added to. For bs_bloom_free. BS_NO_MEMORY. */
BS_API enum bs_status bs_counting_to_bloom(const struct bs_counting *counting, struct bs_bloom **bloom_out,
                                           struct bs_error *err) BS_WARN_UNUSED;
/* Counters that are expected to come to `limit` or more (16: to overflow): at least the chance that any one does. At the load of
 * the best filter, n_hashes * n_keys = n_counters * ln 2, less than 1.37e-15 of them overflow. */
BS_API double bs_counting_overflow(uint64_t n_counters, uint32_t n_hashes, uint64_t n_keys, uint32_t limit);

BS_API size_t bs_counting_stored_bytes(const struct bs_counting *counting);
BS_API void bs_counting_store(const struct bs_counting *counting, uint8_t *to);
/* A counting filter of its own from exactly these bytes. BS_CORRUPT, BS_UNSUPPORTED, BS_NO_MEMORY: *counting_out is NULL. */
BS_API enum bs_status bs_counting_read(const uint8_t *bytes, size_t n_bytes, struct bs_counting **counting_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/*
 * Compression. A filter at its best, half full, cannot be made smaller. One that is made larger, with fewer hashes, can, and then is
 * smaller for the same rate: memory is paid for what is sent. A plan says how large.
 */
struct bs_bloom_plan {
	uint64_t n_bits;   /* in memory */
	uint32_t n_hashes;
	double density;    /* what is expected of it once it has its keys */
	double false_rate;
	double sent_bits;  /* a key, compressed, without the head's 64 bytes */
	uint64_t reserved[4];
};
/* The lowest rate that sent_bits a key can have; the fewest sent_bits a key for a rate in (0, 1). In at most max_bits a key of
 * memory; 0: as many as a filter may have (2^32 - 1 in all). BS_INVALID: there is none such. */
BS_API enum bs_status bs_bloom_plan_for_size(uint64_t n_keys, double sent_bits, double max_bits, struct bs_bloom_plan *plan_out,
                                             struct bs_error *err) BS_WARN_UNUSED;
BS_API enum bs_status bs_bloom_plan_for_rate(uint64_t n_keys, double rate, double max_bits, struct bs_bloom_plan *plan_out,
                                             struct bs_error *err) BS_WARN_UNUSED;

/* The filter in as few bits as its entropy, and 64 bytes of head. *bytes_out is for free(). BS_NO_MEMORY: it is NULL. */
BS_API enum bs_status bs_bloom_compress(struct bs_bloom_view view, uint8_t **bytes_out, size_t *n_bytes_out,
                                        struct bs_error *err) BS_WARN_UNUSED;
/* The filter that was compressed to exactly these bytes, for bs_bloom_free. A few bytes may stand for half a gigabyte: one of more than
 * max_bits is refused; 0: none is. BS_INVALID (max_bits), BS_CORRUPT, BS_UNSUPPORTED, BS_NO_MEMORY: *bloom_out is NULL. */
BS_API enum bs_status bs_bloom_decompress(const uint8_t *bytes, size_t n_bytes, uint64_t max_bits, struct bs_bloom **bloom_out,
                                          struct bs_error *err) BS_WARN_UNUSED;

/* What makes `to` of `from`, in as few bits as is possible for who has `from`. *bytes_out is for free(). BS_INVALID: another shape;
 * BS_NO_MEMORY: it is NULL. */
BS_API enum bs_status bs_bloom_delta(struct bs_bloom_view from, struct bs_bloom_view to, uint8_t **bytes_out, size_t *n_bytes_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Makes `to` of it. Whatever fails, it stays as it was: BS_INVALID: it is not the `from` of these bytes; BS_CORRUPT,
 * BS_UNSUPPORTED, BS_NO_MEMORY. */
BS_API enum bs_status bs_bloom_apply(struct bs_bloom *bloom, const uint8_t *bytes, size_t n_bytes,
                                     struct bs_error *err) BS_WARN_UNUSED;

/*
 * An attenuated filter: what is here (level 0), one hop from here (level 1), and so on; all levels of one shape, to be chosen for the
 * number of keys that the last one is to have. Each node publishes its own, made of its keys and of what its neighbours
 * publish, and again when one of them has changed. After as many rounds as there are levels all is known.
 */
struct bs_attenuated;

struct bs_attenuated_view { /* as struct bs_bloom_view: one level after the other */
	const uint8_t *bits;
	uint32_t n_bits; /* of a level */
	uint32_t n_hashes;
	uint32_t n_levels; /* 1 to 64 */
};

/* An empty one, for bs_attenuated_free. n_levels in 1..64, the rest as in bs_bloom_new. */
BS_API enum bs_status bs_attenuated_new(uint32_t n_levels, uint64_t n_bits, uint32_t n_hashes,
                                        struct bs_attenuated **attenuated_out, struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_attenuated_free(struct bs_attenuated *attenuated);
/* Makes it empty. */
BS_API void bs_attenuated_clear(struct bs_attenuated *attenuated);
/* Adds what is here. BS_INVALID: another shape. */
BS_API enum bs_status bs_attenuated_unite(struct bs_attenuated *attenuated, struct bs_bloom_view own,
                                          struct bs_error *err) BS_WARN_UNUSED;
/* Adds what a neighbour reaches, a hop farther; its last level, which would be one too many, is left out. BS_INVALID: another shape. */
BS_API enum bs_status bs_attenuated_hear(struct bs_attenuated *attenuated, struct bs_attenuated_view neighbour,
                                         struct bs_error *err) BS_WARN_UNUSED;
BS_API struct bs_attenuated_view bs_attenuated_look(const struct bs_attenuated *attenuated);

/* What is `level` hops away, below n_levels. */
BS_API struct bs_bloom_view bs_attenuated_level(struct bs_attenuated_view view, uint32_t level);
/* The first level that may have the key: no holder is nearer. n_levels: none is as near as that. */
BS_API uint32_t bs_attenuated_nearest(struct bs_attenuated_view view, struct bs_bloom_key key);

/* As those of plain filters. */
BS_API size_t bs_attenuated_stored_bytes(struct bs_attenuated_view view);
BS_API void bs_attenuated_store(struct bs_attenuated_view view, uint8_t *to);
BS_API enum bs_status bs_attenuated_read(const uint8_t *bytes, size_t n_bytes, struct bs_attenuated_view *view_out,
                                         struct bs_error *err) BS_WARN_UNUSED;
BS_API enum bs_status bs_attenuated_read_head(const uint8_t *bytes, size_t n_bytes, struct bs_attenuated_view *view_out,
                                              struct bs_error *err) BS_WARN_UNUSED;

/*
 * The way to the nearest holder. Whoever looks for a key starts at a node, and asks the nodes that bs_route_next names, one after the
 * other. Each that has the key is the nearest; of one that does not, its neighbours are offered with what their filters say,
 * and the search goes on with the most promising of all that were offered, which may be elsewhere. With filters that are up to
 * date, the first holder that is asked is one of the nearest; holders beyond all levels are found too, with more questions.
 *
 *      bs_route_start(route, here);
 *      while (bs_route_next(route, &hop) && !(asked = node_has(hop.node, key)))
 *          for each neighbour of hop.node
 *              bs_route_offer(route, neighbour, bs_attenuated_nearest(filter of the neighbour, key), &err)
 */
struct bs_route;

/* For bs_route_free. BS_NO_MEMORY: it is NULL. */
BS_API enum bs_status bs_route_new(struct bs_route **route_out, struct bs_error *err) BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_route_free(struct bs_route *route);
/* Forgets everything, and has the node, whatever number it goes by, as the only one to be asked. Keeps its memory. */
BS_API enum bs_status bs_route_start(struct bs_route *route, uint64_t node, struct bs_error *err) BS_WARN_UNUSED;
/* A neighbour of the node that bs_route_next named last. One that was asked already is passed over. */
BS_API enum bs_status bs_route_offer(struct bs_route *route, uint64_t node, uint32_t level,
                                     struct bs_error *err) BS_WARN_UNUSED;

struct bs_route_hop {
	uint64_t node;
	uint64_t from;  /* whose neighbour it was offered as; of the first node itself */
	uint32_t hops;  /* from the first one */
	uint32_t level; /* as it was offered; of the first node 0 */
	uint64_t reserved[2];
};
/* The next node to ask. False: all that can be reached were asked. */
BS_API bool bs_route_next(struct bs_route *route, struct bs_route_hop *hop_out);

/*
 * The home of a key: the one of n_nodes nodes (1 or more) that is to know who has it. Whoever has the key tells its home, and whoever
 * finds in all filters only that no holder is within their levels (the hop that bs_route_next names has a level of n_levels, so that
 * from here on it would ask blindly) asks there instead. So OceanStore falls back from the probable way to the sure one. A home
 * keeps a filter of keys, each hashed together with the node that has it, or lists. Everybody who has the same nodes, in any
 * order, and any later version of this library, names the same one; a node that goes moves its own keys alone (rendezvous
 * hashing; Thaler and Ravishankar 1998).
 */
BS_API uint64_t bs_route_home(struct bs_bloom_key key, const uint64_t *nodes, size_t n_nodes);

BS_END_DECLS
#endif
