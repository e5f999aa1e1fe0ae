/* field_names.c: see field_names.h. */
#include "query/language/field_names.h"

#include "core/base/hash.h"
#include "core/bitsift/escape.h"
#include "core/text/visible_append.h"
#include "query/language/query_tree.h"

enum bs_status bs_find_field_names(const uint8_t *text, size_t n_bytes, bool joins, struct bs_term_table *names,
                                   struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t at = 0, next = 0, start = 0; at < n_bytes && !status; at = next) {
		uint32_t number;
		int32_t c = bs_visible_next(text, n_bytes, &next);
		bool is_sign = at == start && (c == '-' || c == '!');
		if (c == ':' && at > start && at - start <= BS_QUERY_MAX_FIELD_BYTES)
			status = bs_term_table_intern(names, text + start, (uint32_t)(at - start), bs_hash_slot(text + start, at - start), &number,
			                              NULL, err);
		if (is_sign || c == '(' || c == ')' || c == '"' || bs_visible_is_space(c) || (c == ':' && !joins))
			start = next;
	}
	return status;
}
