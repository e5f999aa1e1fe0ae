/* rates.c: predictions for Bloom filters: size, density, false positive rate, compressed size. See
 * bitsift/bloom.h. */
#include <math.h>

#include "core/base/error.h"
#include "core/bitsift/bloom.h"
#include "core/bloom/plain.h"

uint64_t bs_bloom_optimal_bits(uint64_t n_keys, double rate)
{
	double bits = ceil(-(double)n_keys * log(rate) / (M_LN2 * M_LN2));
	if (bits < 1)
		return 1;
	return bits < 0x1p64 ? (uint64_t)bits : UINT64_MAX;
}

uint32_t bs_bloom_optimal_hashes(uint64_t n_bits, uint64_t n_keys)
{
	if (n_keys == 0)
		return 1;
	double k = round((double)n_bits / (double)n_keys * M_LN2);
	if (k < 1)
		return 1;
	return k > BS_BLOOM_MAX_HASHES ? BS_BLOOM_MAX_HASHES : (uint32_t)k;
}

double bs_bloom_density(uint64_t n_bits, uint32_t n_hashes, uint64_t n_keys)
{
	return -expm1(-(double)n_hashes * (double)n_keys / (double)n_bits);
}

double bs_bloom_false_rate(uint64_t n_bits, uint32_t n_hashes, uint64_t n_keys)
{
	return pow(bs_bloom_density(n_bits, n_hashes, n_keys), (double)n_hashes);
}

double bs_bloom_bits_per_key(double n_hashes, double density)
{
	return n_hashes / -log1p(-density);
}

double bs_bloom_entropy(double density)
{
	if (density <= 0 || density >= 1)
		return 0;
	return -(density * log(density) + (1 - density) * log1p(-density)) / M_LN2;
}

/* Returns n_counters times the probability that one counter reaches `limit`. The value of a counter
 * is binomially distributed: n_hashes * n_keys throws, each with the probability 1 / n_counters.
 * Sums the probabilities of the values from `limit` on or, if the limit is at most the mean, of the
 * values below it; so the terms of the sum soon become small. */
double bs_counting_overflow(uint64_t n_counters, uint32_t n_hashes, uint64_t n_keys, uint32_t limit)
{
	double n_throws = (double)n_hashes * (double)n_keys, m = (double)n_counters, below = 0,
	       sum = 0;
	if (n_throws < limit)
		return 0;
	if (n_counters == 1)
		return 1;
	double log_term = n_throws * log1p(-1 / m);
	for (uint32_t i = 0; i < limit; i++) {
		below += exp(log_term);
		log_term += log((n_throws - i) / (i + 1.0) / (m - 1));
	}
	if (limit <= n_throws / m)
		return m * (1 - below);
	double term = exp(log_term);
	for (double i = limit; i <= n_throws && term > sum * 1e-17; i++) {
		sum += term;
		term *= (n_throws - i) / (i + 1) / (m - 1);
	}
	return m * sum;
}

/* The size of a compressed filter in bits per key. */
static double sent_bits(double bits_per_key, uint32_t n_hashes)
{
	return bits_per_key * bs_bloom_entropy(-expm1(-(double)n_hashes / bits_per_key));
}

/* The plan of a filter with n_bits bits (rounded down, to 1..2^32-1) and n_hashes hashes. */
static struct bs_bloom_plan plan_of(uint64_t n_keys, double n_bits, uint32_t n_hashes)
{
	struct bs_bloom_plan plan = {.n_bits = n_bits < 1 ? 1 : (uint64_t)fmin(n_bits, UINT32_MAX),
	                             .n_hashes = n_hashes};
	plan.density = bs_bloom_density(plan.n_bits, n_hashes, n_keys);
	plan.false_rate = bs_bloom_false_rate(plan.n_bits, n_hashes, n_keys);
	plan.sent_bits = sent_bits((double)plan.n_bits / (double)n_keys, n_hashes);
	return plan;
}

/* False for plans with more hashes than the optimal plain filter of this size. A filter of such a
 * plan has more than half of its bits set, so it can be compressed, too. Its false positive rate
 * can be a few percent lower, but it needs many more probes. For example, filters with 14 bits for
 * each key, compressed to about 8, have a rate of .0171 with 28 hashes and .0177 with 2. */
static bool is_sensible(const struct bs_bloom_plan *plan, uint64_t n_keys)
{
	return plan->n_hashes <= bs_bloom_optimal_hashes(plan->n_bits, n_keys);
}

/* The maximum number of bits per key that a plan may use in memory. */
static double memory_limit(uint64_t n_keys, double max_bits)
{
	double most = UINT32_MAX / (double)n_keys;
	return max_bits > 0 ? fmin(max_bits, most) : most;
}

enum bs_status bs_bloom_plan_for_size(uint64_t n_keys, double sent, double max_bits,
                                      struct bs_bloom_plan *plan_out, struct bs_error *err)
{
	*plan_out = (struct bs_bloom_plan){0};
	if (!(sent > 0) || !(max_bits >= 0))
		return bs_fail(err, BS_INVALID,
		               "a Bloom filter cannot be sent in %g bits a key, kept in %g", sent,
		               max_bits);
	n_keys += n_keys == 0;
	for (uint32_t k = 1; k <= BS_BLOOM_MAX_HASHES; k++) {
		/* The compressed size grows with the memory: find the most memory that stays within
		 * `sent` by bisection. */
		double low = 0, high = memory_limit(n_keys, max_bits);
		for (int i = 0; i < 100 && sent_bits(high, k) > sent; i++) {
			double middle = (low + high) / 2;
			if (sent_bits(middle, k) > sent)
				high = middle;
			else
				low = middle;
		}
		double bits = sent_bits(high, k) > sent ? low : high;
		struct bs_bloom_plan plan = plan_of(n_keys, floor(bits * (double)n_keys), k);
		if (is_sensible(&plan, n_keys) && plan.sent_bits <= sent &&
		    (plan_out->n_bits == 0 || plan.false_rate < plan_out->false_rate))
			*plan_out = plan;
	}
	if (plan_out->n_bits == 0)
		return bs_fail(err, BS_INVALID,
		               "no Bloom filter of %llu keys can be sent in %g bits a key",
		               (unsigned long long)n_keys, sent);
	return BS_OK;
}

enum bs_status bs_bloom_plan_for_rate(uint64_t n_keys, double rate, double max_bits,
                                      struct bs_bloom_plan *plan_out, struct bs_error *err)
{
	*plan_out = (struct bs_bloom_plan){0};
	if (!(rate > 0 && rate < 1) || !(max_bits >= 0))
		return bs_fail(err, BS_INVALID,
		               "no Bloom filter has a false positive rate of %g in %g bits a key",
		               rate, max_bits);
	n_keys += n_keys == 0;
	double limit = floor(memory_limit(n_keys, max_bits) * (double)n_keys);
	for (uint32_t k = 1; k <= BS_BLOOM_MAX_HASHES; k++) {
		double n_bits = ceil(bs_bloom_bits_per_key(k, pow(rate, 1.0 / k)) * (double)n_keys);
		if (n_bits > limit)
			continue;
		struct bs_bloom_plan plan = plan_of(n_keys, n_bits, k);
		if (is_sensible(&plan, n_keys) &&
		    (plan_out->n_bits == 0 || plan.sent_bits < plan_out->sent_bits))
			*plan_out = plan;
	}
	if (plan_out->n_bits == 0)
		return bs_fail(
			err, BS_INVALID,
			"no Bloom filter of %llu keys has a false positive rate of %g in %.0f bits",
			(unsigned long long)n_keys, rate, limit);
	return BS_OK;
}
