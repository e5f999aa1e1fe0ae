/*
 * field_weights.h: how many times a word counts that stands in a field: `--weight title=3`. An
 * index keeps them as strings like this one, by name of field, no field twice and none of weight 1.
 */
#pragma once

#include "core/base/error.h"

#define BS_MOST_WEIGHT 100u

/* A tf is no larger than this in a document with a weighted word, so that it fits in 32 bits
 * whatever weights there are: no document has as many words of weight 1. */
#define BS_MOST_WEIGHTED_TF (UINT32_C(1) << 31)

/* A NULL-ended list as an index keeps it, for bs_strings_free; the last one of a field counts; NULL
 * stays NULL. BS_INVALID: one is no field, equals sign and number; BS_NO_MEMORY. */
enum bs_status bs_field_weights_make(const char *const *given, char ***weights_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Whether a list read from a file is one that an index keeps. */
bool bs_field_weights_are_valid(char *const *weights);

/* That of a field: 1 if it has none. */
uint32_t bs_field_weight(char *const *weights, const char *field, size_t field_bytes);

/* The largest. */
uint32_t bs_field_weights_most(char *const *weights);

/* The tf of a word that has been met n times more, in a field of this weight. */
static inline uint32_t bs_tf_add(uint32_t tf, uint32_t weight, uint32_t n)
{
	uint64_t sum = tf + (uint64_t)weight * n;
	return weight > 1 && n > 0 && sum > BS_MOST_WEIGHTED_TF ? BS_MOST_WEIGHTED_TF
	                                                        : (uint32_t)sum;
}
