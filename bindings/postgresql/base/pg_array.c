/* pg_array.c: see pg_array.h. */
#include "bindings/postgresql/base/pg_array.h"

#include "utils/memutils.h"

void *bsp_grow(MemoryContext context, void *array, size_t n, size_t *capacity, size_t item_bytes)
{
	if (n <= *capacity)
		return array;
	*capacity = Max(n * 2, 64);
	return array ? repalloc_huge(array, *capacity * item_bytes)
	             : MemoryContextAllocHuge(context, *capacity * item_bytes);
}
