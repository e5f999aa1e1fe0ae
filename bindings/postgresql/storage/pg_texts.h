/*
 * pg_texts.h: the texts of rows. Of one that is inserted they are at hand; of one that an index'
 * document names by where it is they are read from the table, and an expression's value is computed
 * as the table's owner, who may do nothing else meanwhile, as ANALYZE does.
 */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_TEXTS_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_TEXTS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "utils/rel.h"

#include "core/bitsift/host.h"

/* The texts of an index' columns, of which those that are NULL are left out. In the current memory
 * context. */
struct bsp_texts {
	size_t n;
	bool has_null;
	struct bs_text texts[INDEX_MAX_KEYS];
	char fields[INDEX_MAX_KEYS][8];
};
void bsp_texts_of_values(Relation index, const Datum *values, const bool *nulls,
                         struct bsp_texts *texts_out);
/* The same of a row that was deleted: without texts, if what lies outside of the row is gone
 * already. */
void bsp_texts_of_deleted(Relation index, const Datum *values, const bool *nulls,
                          struct bsp_texts *texts_out);

/* Which versions of a row a reader sees. */
enum bsp_reader_kind {
	BSP_READER_OF_QUERY, /* what the active snapshot sees: others are gone */
	BSP_READER_OF_ALL,   /* what anyone may see */
};

/* Reads rows of the index' table, between begin and end, which belong to the resource owner that is
 * current at both. In the current memory context, which must live as long. */
struct bsp_reader;
struct bsp_reader *bsp_reader_begin(Relation index, enum bsp_reader_kind kind);
void bsp_reader_end(struct bsp_reader *reader);
/* As a text provider's callback, which may throw nothing: context is the reader. What fails is kept
 * for bsp_check. */
int bsp_reader_texts(void *reader, const char *id, size_t id_bytes,
                     const struct bs_text **texts_out, size_t *n_texts_out);

#endif
