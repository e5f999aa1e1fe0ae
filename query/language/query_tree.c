/* query_tree.c: see query_tree.h. */
#include "query/language/query_tree.h"

#include <stdlib.h>

void bs_query_ranges_free(struct bs_query_ranges *ranges)
{
	for (size_t i = 0; i < bs_vector_n(ranges); i++)
		free(ranges->items[i].long_text);
	bs_vector_deinit(ranges);
}

void bs_query_tree_free(struct bs_query_tree *query)
{
	if (!query)
		return;
	struct bs_query_storage *storage = &query->storage;
	bs_term_table_deinit(&storage->terms);
	bs_vector_deinit(&storage->elements);
	bs_vector_deinit(&storage->items);
	bs_query_ranges_free(&storage->ranges);
	bs_vector_deinit(&storage->nodes);
	bs_vector_deinit(&storage->children);
	free(query);
}
