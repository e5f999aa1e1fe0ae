/*
 * field_weights.h: the weight of a field: the number of times that a word in the field counts.
 * `--weight title=3` sets it. An index stores weights as strings such as "title=3", ordered by the
 * name of the field; each field occurs once, and weights of 1 are omitted.
 */
#pragma once

#include "core/base/error.h"

#define BS_MOST_WEIGHT 100u /* largest weight of a field */

/* Maximum of a weighted tf, so that it fits into 32 bits whatever the weights are. A tf without
 * weights is smaller: a document has less than 4 GiB, and a word can repeat only every 2 bytes. */
#define BS_MOST_WEIGHTED_TF (UINT32_C(1) << 31)

/* Converts a NULL-terminated list (nullable) to the form in the index; the last weight of a field
 * counts. The result is NULL if no field has a weight > 1. Free it with bs_strings_free. BS_INVALID
 * if a string is not a field, "=" and a weight; BS_NO_MEMORY. */
enum bs_status bs_field_weights_make(const char *const *given, char ***weights_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Whether a list read from a file has the form above. */
bool bs_field_weights_are_valid(char *const *weights);

/* The weight of a field; 1 if it has none. */
uint32_t bs_field_weight(char *const *weights, const char *field, size_t field_bytes);

/* The largest weight; 1 if there are none. */
uint32_t bs_field_weights_most(char *const *weights);

/* The tf of a word after n more occurrences in a field of this weight. */
static inline uint32_t bs_tf_add(uint32_t tf, uint32_t weight, uint32_t n)
{
	uint64_t sum = tf + (uint64_t)weight * n;
	return weight > 1 && n > 0 && sum > BS_MOST_WEIGHTED_TF ? BS_MOST_WEIGHTED_TF
	                                                        : (uint32_t)sum;
}
