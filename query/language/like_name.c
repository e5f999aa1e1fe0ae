/* like_name.c: see like_name.h. */
#include "query/language/like_name.h"

#include <string.h>

#include "core/system/deadline.h"
#include "query/language/fuzzy.h"
#include "query/language/query_tree.h"

#define NAME_NS 100u /* estimated nanoseconds to compare a name */

/* Converts ASCII letters to lower case. n_bytes <= BS_QUERY_MAX_FIELD_BYTES. */
static void lower(const uint8_t *name, size_t n_bytes, uint8_t *lower_out)
{
	for (size_t i = 0; i < n_bytes; i++)
		lower_out[i] = name[i] >= 'A' && name[i] <= 'Z' ? name[i] | 0x20 : name[i];
}

/* Returns the number of edits between `name`, which is in lower case, and `like`; UINT32_MAX if
 * there are too many. fuzzy is made of `name`; NULL: no edits are allowed. */
static uint32_t edits_between(struct bs_fuzzy *fuzzy, const uint8_t *name, size_t name_bytes,
                              struct bs_field_suggestion like)
{
	uint8_t letters[BS_QUERY_MAX_FIELD_BYTES];
	lower(like.name, like.n_bytes, letters);
	if (fuzzy)
		return bs_fuzzy_distance(fuzzy, letters, like.n_bytes, 0);
	return like.n_bytes == name_bytes && memcmp(letters, name, name_bytes) == 0 ? 0
	                                                                            : UINT32_MAX;
}

enum bs_status bs_suggest_field(const struct bs_term_table *fields, uint32_t longest_bytes,
                                const char *other, const uint8_t *name, size_t name_bytes,
                                struct bs_field_suggestion *like_out, struct bs_error *err)
{
	const uint32_t n_fields = fields ? fields->n_terms : 0, max_edits = name_bytes < 3   ? 0
	                                                                    : name_bytes < 5 ? 1
	                                                                                     : 2;
	uint8_t letters[BS_QUERY_MAX_FIELD_BYTES];
	struct bs_fuzzy *fuzzy = NULL;
	uint32_t fewest = UINT32_MAX;
	enum bs_status status = BS_OK;
	*like_out = (struct bs_field_suggestion){NULL, 0};
	if (name_bytes > sizeof(letters))
		return BS_OK;
	lower(name, name_bytes, letters);
	if (max_edits > 0)
		status = bs_fuzzy_new(letters, (uint32_t)name_bytes, max_edits, &fuzzy, err);
	for (uint32_t i = 0;
	     i <= n_fields && !status && !(status = bs_deadline_check_after(NAME_NS, err)); i++) {
		struct bs_field_suggestion like = {(const uint8_t *)other,
		                                   other ? (uint32_t)strlen(other) : 0};
		if (i < n_fields)
			like = (struct bs_field_suggestion){bs_term_table_key(fields, i),
			                                    fields->entries[i].n_bytes};
		bool is_possible =
			like.n_bytes > 0 && (i == n_fields || like.n_bytes <= longest_bytes);
		uint32_t edits =
			is_possible ? edits_between(fuzzy, letters, name_bytes, like) : UINT32_MAX;
		if (edits >= fewest)
			continue;
		fewest = edits;
		*like_out = like;
	}
	bs_fuzzy_free(fuzzy);
	return status;
}
