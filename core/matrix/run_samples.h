/*
 * run_samples.h: samples in lists of runs of ordinals (forward_index.h, rare_term_list.h). Each
 * 32nd or 64th run except the first has a sample with its position, so that a look-up decodes 16 or
 * 32 runs on average. Header only.
 */
#pragma once

#include "core/base/bytes.h"
#include "core/collections/binary_search.h"

#define BS_RUN_SAMPLE_BYTES 8u /* u32 end of the previous run, u32 first bit of the sampled run */

/* The number of samples of a list. n_runs >= 1. */
static inline uint64_t bs_run_samples(uint64_t n_runs, uint32_t sample_runs)
{
	return (n_runs - 1) / sample_runs;
}

/* Writes a sample; returns the address of the next one. */
static inline uint8_t *bs_run_sample_put(uint8_t *to, uint64_t last_end, uint64_t bit)
{
	bs_store_u32(to, (uint32_t)last_end);
	bs_store_u32(to + 4, (uint32_t)bit);
	return to + BS_RUN_SAMPLE_BYTES;
}

static inline uint32_t bs_run_sample_end(const uint8_t *samples, uint64_t i)
{
	return bs_load_u32(samples + i * BS_RUN_SAMPLE_BYTES);
}

static inline uint32_t bs_run_sample_bit(const uint8_t *samples, uint64_t i)
{
	return bs_load_u32(samples + i * BS_RUN_SAMPLE_BYTES + 4);
}

/* The number of the stretch that may contain the ordinal. Stretch 0 has the runs before sample 0;
 * stretch s > 0 has the runs from sample s - 1 up to sample s. */
static inline uint64_t bs_run_stretch(const uint8_t *samples, uint64_t n_samples, uint64_t ordinal)
{
	uint64_t stretch;
	BS_BINARY_SEARCH(stretch, i, 0, n_samples, bs_run_sample_end(samples, i) <= ordinal);
	return stretch;
}
