/* pg_flush.h: rows that wait become a file of the index. */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_FLUSH_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_FLUSH_H

#include "postgres.h"

#include "utils/rel.h"

/* Rows that wait, if there are any, become a part of the index. False: another writer is at work,
 * and wait is false. */
bool bsp_flush(Relation index, bool wait);
/* The same. The caller has the writer's lock. */
void bsp_flush_locked(Relation index);

#endif
