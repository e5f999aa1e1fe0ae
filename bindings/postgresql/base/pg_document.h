/* pg_document.h: rows and columns as the library knows them: ids of documents and names of
 * fields. */
#ifndef BINDINGS_POSTGRESQL_BASE_PG_DOCUMENT_H
#define BINDINGS_POSTGRESQL_BASE_PG_DOCUMENT_H

#include "postgres.h"

#include "storage/itemptr.h"
#include "utils/rel.h"

/*
 * The id of a document is where its row is: BSP_ID_BYTES, block and offset, big-endian. A row with
 * NULL in one of the columns has one byte more: as NULL, no operator is true of it, but the index
 * has it as no text, which a query without words may match: each hit of such a row is to be asked
 * again.
 */
#define BSP_ID_BYTES 6
ItemPointerData bsp_tid_of_id(const char *id);
/* Returns how many bytes: at most BSP_ID_BYTES + 1. */
size_t bsp_id_of_tid(const ItemPointerData *tid, bool has_null, char id_out[BSP_ID_BYTES + 1]);
/* Of two ItemPointerData, or of structs that begin with one; for qsort and bsearch. */
int bsp_compare_tids(const void *a, const void *b);

/* The name of a column's field, from 1: empty if it is the only one, else "c1", "c2", ..., which no
 * RENAME changes. */
#define BSP_FIELD_BYTES 8
void bsp_field_name(Relation index, int column, char name_out[BSP_FIELD_BYTES]);

#endif
