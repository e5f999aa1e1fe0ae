/* pg_flush.h: writes pending rows to files of the index. */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_FLUSH_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_FLUSH_H

#include "postgres.h"

#include "utils/rel.h"

/* Makes pending rows part of the index. False if `wait` is false and another writer is active. */
bool bsp_flush(Relation index, bool wait);
/* Like bsp_flush, for a caller that holds the writer's lock. */
void bsp_flush_locked(Relation index);

#endif
