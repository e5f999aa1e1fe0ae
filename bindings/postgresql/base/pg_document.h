/* pg_document.h: maps rows and columns of PostgreSQL to document ids and field names of the
 * library. */
#ifndef BINDINGS_POSTGRESQL_BASE_PG_DOCUMENT_H
#define BINDINGS_POSTGRESQL_BASE_PG_DOCUMENT_H

#include "postgres.h"

#include "storage/itemptr.h"
#include "utils/rel.h"

/*
 * The id of a document is the TID of its row, BSP_ID_BYTES long: block and offset, big-endian. The
 * id of a row with a NULL column has one more byte. No operator is true for NULL, but the index
 * contains NULL as an empty text, which a query without positive words may match. Therefore hits
 * with the longer id must be rechecked.
 */
#define BSP_ID_BYTES 6
ItemPointerData bsp_tid_of_id(const char *id);
/* Returns the number of bytes: BSP_ID_BYTES, or BSP_ID_BYTES + 1 if `has_null`. */
size_t bsp_id_of_tid(const ItemPointerData *tid, bool has_null, char id_out[BSP_ID_BYTES + 1]);
/* Compares two ItemPointerData, or two structs that begin with one; for qsort and bsearch. */
int bsp_compare_tids(const void *a, const void *b);

/* The field name of a column, counted from 1: "" if the index has only one column, else "c1", "c2",
 * ... These names do not change when a column is renamed. */
#define BSP_FIELD_BYTES 8
void bsp_field_name(Relation index, int column, char name_out[BSP_FIELD_BYTES]);

#endif
