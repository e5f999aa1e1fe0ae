/* like_name.h: suggests a field name similar to an unknown one. */
#pragma once

#include "core/collections/term_table.h"

struct bs_field_suggestion {
	const uint8_t *name; /* NULL: none */
	uint32_t n_bytes;
};

/* Finds the name with the fewest edits from `name` among the names in `fields` (nullable) and
 * `other` (nullable). The case of ASCII letters is ignored. Among names with equally few edits,
 * returns the first; `other` comes last. At most 2 edits are allowed, 1 if name has fewer than 5
 * bytes, 0 if fewer than 3. Fields longer than longest_bytes are skipped. BS_NO_MEMORY. */
enum bs_status bs_suggest_field(const struct bs_term_table *fields, uint32_t longest_bytes,
                                const char *other, const uint8_t *name, size_t name_bytes,
                                struct bs_field_suggestion *like_out,
                                struct bs_error *err) BS_WARN_UNUSED;
