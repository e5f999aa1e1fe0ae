/*
 * pg_view.h: an index of PostgreSQL as a search sees it: the files of its relation, and what waits to be one, opened by the library.
 *
 *      bsp_view_acquire   the index as it is now; what a backend opened once it keeps, until the index changes
 *      bsp_view_release   no later than the query's end, which does it, too
 */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_VIEW_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_VIEW_H

#include "postgres.h"

#include "storage/itemptr.h"
#include "utils/rel.h"

#include "core/bitsift.h"

struct bsp_view;

enum bsp_fold {
	BSP_FOLD_SOME, /* some of the newest rows are in no index: bsp_view_pending names them, and each may match */
	BSP_FOLD_ALL,  /* every row is in the index, as ranking and statistics want it */
};

/* Belongs to the current resource owner. An error of PostgreSQL on failure. */
struct bsp_view *bsp_view_acquire(Relation index, enum bsp_fold fold);
/* NULL is fine. */
void bsp_view_release(struct bsp_view *view);
struct bs_index *bsp_view_index(struct bsp_view *view);
/* One search at a time. Another view of the same index that is held at once has a finder of its own. */
struct bs_finder *bsp_view_finder(struct bsp_view *view);
/* Rows that are in no index, in the order in which they came, for the caller to look at. Borrowed until the release. */
const ItemPointerData *bsp_view_pending(struct bsp_view *view, size_t *n_out);
/* What is open of the index, and what the cache has of it, is used no more by whoever comes next. */
void bsp_view_forget(Relation index);
/* Changes when the index does, pending rows included: answers by one of the same stamp, fold and relation are the same. */
uint64_t bsp_view_stamp(const struct bsp_view *view);

/*
 * The id of a document is where its row is: BSP_ID_BYTES, block and offset, big-endian. A row with NULL in one of the columns has one
 * byte more: as NULL, no operator is true of it, but the index has it as no text, which a query without words may match: each hit of
 * such a row is to be asked again.
 */
#define BSP_ID_BYTES 6
ItemPointerData bsp_tid_of_id(const char *id);
/* Returns how many bytes: at most BSP_ID_BYTES + 1. */
size_t bsp_id_of_tid(const ItemPointerData *tid, bool has_null, char id_out[BSP_ID_BYTES + 1]);

/* What the index was made with: for struct bs_query_request. */
struct bsp_analysis {
	char stemmer[32]; /* "": none */
	bool fold_accents, split_identifiers, grams;
};
void bsp_index_analysis(Relation index, struct bsp_analysis *out);

/* The name of a column's field, from 1: empty if it is the only one, else "c1", "c2", ..., which no RENAME changes. */
#define BSP_FIELD_BYTES 8
void bsp_field_name(Relation index, int column, char name_out[BSP_FIELD_BYTES]);

#endif
