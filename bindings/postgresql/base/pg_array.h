/* pg_array.h: arrays that grow. */
#ifndef BINDINGS_POSTGRESQL_BASE_PG_ARRAY_H
#define BINDINGS_POSTGRESQL_BASE_PG_ARRAY_H

#include "postgres.h"

/* Returns the array with room for at least n items, of which *capacity says how many there is room
 * for. array: NULL, or what this function returned. context: where the first array is made. An
 * error of PostgreSQL if there is no memory. */
void *bsp_grow(MemoryContext context, void *array, size_t n, size_t *capacity, size_t item_bytes);

#endif
