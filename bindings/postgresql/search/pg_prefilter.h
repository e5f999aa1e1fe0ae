/*
 * pg_prefilter.h: rejects candidates of a pattern on their heap pages before the scan returns them.
 * The executor would look up each candidate and call PostgreSQL's operator, which takes several
 * times as long as the rejection here. Only PostgreSQL's operator decides that a row matches.
 *
 * A row is rejected only if none of its versions matches. This requires a heap table and a plain
 * column of the table; other rows are passed on. The prefilter pauses while it rejects too few rows
 * to pay. It has a separate pause for values that are compressed or stored out of line, because
 * they take longer.
 *
 * A plain index scan prefilters a small group of rows just before it returns them, so that the
 * executor finds their pages, line pointers and texts in the CPU's caches.
 */
#ifndef BINDINGS_POSTGRESQL_SEARCH_PG_PREFILTER_H
#define BINDINGS_POSTGRESQL_SEARCH_PG_PREFILTER_H

#include "postgres.h"

#include "access/relscan.h"
#include "access/skey.h"
#include "storage/itemptr.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

struct bs_pattern_tree;

struct bsp_prefilter;

/*
 * Allocates in the current memory context; `pattern` is borrowed.
 *
 * key:       the scan key of the pattern. NULL: no row is rejected, pages are only prefetched; the
 *            caller must pass `heap`.
 * snapshot:  of the scan. NULL: no row is rejected.
 * heap:      the table, if the caller visits each returned row at once and resets the memory
 *            context at the end. NULL: the prefilter opens the table itself.
 */
struct bsp_prefilter *bsp_prefilter_begin(Relation index, ScanKey key,
                                          const struct bs_pattern_tree *pattern, Snapshot snapshot,
                                          Relation heap);
/* Moves the rows that may match to the front, in their order, and returns their number. `prefilter`
 * may be NULL. May throw. */
size_t bsp_prefilter_rows(struct bsp_prefilter *prefilter, ItemPointerData *tids, size_t n);
/* Filters the first of `n` ascending rows. Returns the number of rows that were filtered, and in
 * *n_kept_out how many of them may match; these come first. */
size_t bsp_prefilter_group(struct bsp_prefilter *prefilter, ItemPointerData *tids, size_t n,
                           size_t *n_kept_out);
/* Pins `block`, the page of the next row that the caller visits, in `fetch`, so that PostgreSQL's
 * lookup finds it there. */
void bsp_prefilter_visit(struct bsp_prefilter *prefilter, IndexFetchTableData *fetch,
                         BlockNumber block);
/* `prefilter` may be NULL. Must also be called after an error unless `heap` was given. */
void bsp_prefilter_end(struct bsp_prefilter *prefilter);

#endif
