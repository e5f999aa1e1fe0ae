/* pg_array.h: growing arrays. */
#ifndef BINDINGS_POSTGRESQL_BASE_PG_ARRAY_H
#define BINDINGS_POSTGRESQL_BASE_PG_ARRAY_H

#include "postgres.h"

/* Returns the array, grown to hold at least `n` items; *capacity is the number of items it can
 * hold. `array` is NULL or the result of an earlier call; the first call allocates in `context`.
 * Throws if memory runs out. */
void *bsp_grow(MemoryContext context, void *array, size_t n, size_t *capacity, size_t item_bytes);

#endif
