/* fold.c: see fold.h. */
#include "query/language/fold.h"

#include <stdlib.h>
#include <string.h>

#define SMALL_BYTES 256 /* enough for most queries, without an allocation */

enum bs_status bs_query_fold(const struct bs_query_tree *query, const struct bs_query_fold *fold,
                             void *root_out, struct bs_error *err)
{
	_Alignas(max_align_t) uint8_t small[SMALL_BYTES];
	const size_t n_bytes = query->n_nodes * fold->value_bytes;
	uint8_t *values = n_bytes <= sizeof(small) ? small : malloc(n_bytes);
	enum bs_status status = BS_OK;
	if (!values)
		return bs_fail_memory(err, "the nodes of a query", n_bytes);
	for (uint32_t n = 0; n < query->n_nodes && !status; n++) {
		const struct bs_query_node *node = &query->nodes[n];
		uint8_t *value = values + n * fold->value_bytes;
		if (node->n_children > 0)
			fold->inner(fold->context, node, values, value);
		else
			status = fold->leaf(fold->context, n, value, err);
	}
	if (!status)
		memcpy(root_out, values + n_bytes - fold->value_bytes, fold->value_bytes);
	if (values != small)
		free(values);
	return status;
}
