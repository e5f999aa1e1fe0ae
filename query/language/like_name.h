/* like_name.h: a name of a field that is much like one that is no field. */
#pragma once

#include "core/collections/term_table.h"

struct bs_like_name {
	const uint8_t *name; /* or NULL */
	uint32_t n_bytes;
};

/* The first name of a field, or else the other (NULL: no other), that is this one but for the case
 * of its letters, or one edit away; else, if the name is longer, one that is two away. No name of
 * more than longest_bytes is meant. fields may be NULL. BS_NO_MEMORY. */
enum bs_status bs_suggest_field(const struct bs_term_table *fields, uint32_t longest_bytes,
                                const char *other, const uint8_t *name, size_t name_bytes,
                                struct bs_like_name *like_out, struct bs_error *err) BS_WARN_UNUSED;
