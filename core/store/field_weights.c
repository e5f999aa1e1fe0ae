/* field_weights.c: see field_weights.h. */
#include "core/store/field_weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/collections/string_list.h"

/* Parses a text such as "title=3". Returns the weight; 0 if the text is invalid. *name_bytes_out is
 * the length of the field's name. */
static uint32_t read_weight(const char *text, size_t *name_bytes_out)
{
	const char *equals = strrchr(text, '=');
	uint32_t weight = 0;
	if (!equals || equals == text || strlen(equals + 1) > 3)
		return 0;
	for (const char *digit = equals + 1; *digit; digit++) {
		if (*digit < '0' || *digit > '9')
			return 0;
		weight = weight * 10 + (uint32_t)(*digit - '0');
	}
	*name_bytes_out = (size_t)(equals - text);
	return weight <= BS_MOST_WEIGHT ? weight : 0;
}

/* Compares two valid weights by the names of their fields. */
static int compare_fields(const char *a, const char *b)
{
	size_t a_bytes = 0, b_bytes = 0;
	(void)read_weight(a, &a_bytes);
	(void)read_weight(b, &b_bytes);
	return bs_compare_bytes((const uint8_t *)a, a_bytes, (const uint8_t *)b, b_bytes);
}

/* Inserts a weight into a sorted list of n weights, or replaces the weight of the same field.
 * Returns the new length. */
static size_t put_weight(char **weights, size_t n, char *weight)
{
	size_t at = n;
	while (at > 0 && compare_fields(weights[at - 1], weight) > 0)
		at--;
	if (at > 0 && compare_fields(weights[at - 1], weight) == 0) {
		free(weights[at - 1]);
		weights[at - 1] = weight;
		return n;
	}
	memmove(weights + at + 1, weights + at, (n - at) * sizeof(*weights));
	weights[at] = weight;
	return n + 1;
}

static void drop_ones(char **weights)
{
	size_t n_kept = 0, name_bytes;
	for (size_t i = 0; weights[i]; i++) {
		if (read_weight(weights[i], &name_bytes) > 1)
			weights[n_kept++] = weights[i];
		else
			free(weights[i]);
	}
	weights[n_kept] = NULL;
}

enum bs_status bs_field_weights_make(const char *const *given, char ***weights_out,
                                     struct bs_error *err)
{
	size_t n_given = bs_strings_length((char *const *)(uintptr_t)given), n = 0, name_bytes = 0;
	enum bs_status status = BS_OK;
	*weights_out = NULL;
	if (!given)
		return BS_OK;
	char **weights = calloc(n_given + 1, sizeof(*weights));
	if (!weights)
		return bs_fail_memory(err, "weights of fields", (n_given + 1) * sizeof(*weights));
	for (size_t i = 0; i < n_given && !status; i++) {
		uint32_t weight = read_weight(given[i], &name_bytes);
		char *copy = NULL;
		if (weight == 0)
			status = bs_fail(
				err, BS_INVALID,
				"--weight %s: not a field, = and a whole number from 1 to 100",
				given[i]);
		else if (asprintf(&copy, "%.*s=%u", (int)name_bytes, given[i], weight) < 0)
			status = bs_fail_memory(err, "weights of fields", name_bytes);
		else
			n = put_weight(weights, n, copy);
	}
	drop_ones(weights);
	if (status || !*weights)
		bs_strings_free(weights);
	else
		*weights_out = weights;
	return status;
}

bool bs_field_weights_are_valid(char *const *weights)
{
	size_t name_bytes;
	for (size_t i = 0; weights && weights[i]; i++)
		if (read_weight(weights[i], &name_bytes) < 2 ||
		    (i > 0 && compare_fields(weights[i - 1], weights[i]) >= 0))
			return false;
	return true;
}

uint32_t bs_field_weight(char *const *weights, const char *field, size_t field_bytes)
{
	size_t name_bytes = 0;
	for (size_t i = 0; weights && weights[i]; i++) {
		uint32_t weight = read_weight(weights[i], &name_bytes);
		if (name_bytes == field_bytes && memcmp(weights[i], field, field_bytes) == 0)
			return weight;
	}
	return 1;
}

uint32_t bs_field_weights_most(char *const *weights)
{
	uint32_t most = 1;
	size_t name_bytes;
	for (size_t i = 0; weights && weights[i]; i++) {
		uint32_t weight = read_weight(weights[i], &name_bytes);
		most = weight > most ? weight : most;
	}
	return most;
}
