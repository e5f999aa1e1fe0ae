/*
 * pg_texts.h: the texts of rows. The texts of an inserted row are given as values. The texts of an
 * indexed row are read from the table by its TID. Expressions are evaluated as the table's owner in
 * a security-restricted operation, as in ANALYZE.
 */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_TEXTS_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_TEXTS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "utils/rel.h"

#include "core/bitsift/host.h"

/* The non-NULL texts of a row's indexed columns. Texts that were compressed or stored out of line
 * are in the memory context that was current; others are borrowed from the values. */
struct bsp_texts {
	size_t n;
	bool has_null;
	struct bs_text texts[INDEX_MAX_KEYS];
	char fields[INDEX_MAX_KEYS][8];
};
void bsp_texts_of_values(Relation index, const Datum *values, const bool *nulls,
                         struct bsp_texts *texts_out);
/* Like bsp_texts_of_values, for a deleted row: without texts if its out-of-line values have already
 * been removed. */
void bsp_texts_of_deleted(Relation index, const Datum *values, const bool *nulls,
                          struct bsp_texts *texts_out);

/* Which versions of a row a reader sees. */
enum bsp_reader_kind {
	BSP_READER_OF_QUERY, /* those visible to the active snapshot; others count as missing */
	BSP_READER_OF_ALL,   /* those visible to any transaction, and dead ones that still exist */
};

/* Reads rows of the index's table. Allocated in the current memory context. Its resources belong to
 * the resource owner that is current in bsp_reader_begin, which must also be current in
 * bsp_reader_end. */
struct bsp_reader;
struct bsp_reader *bsp_reader_begin(Relation index, enum bsp_reader_kind kind);
void bsp_reader_end(struct bsp_reader *reader);
/* The callback of a text provider; `reader` is its context. Does not throw: errors are saved for
 * bsp_check. Returns 0 for a row that was read and for a dead row, whose texts may be gone; 1 if
 * there is no such row; 2 after an error. */
int bsp_reader_texts(void *reader, const char *id, size_t id_bytes,
                     const struct bs_text **texts_out, size_t *n_texts_out);

#endif
