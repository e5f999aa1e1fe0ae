/*
 * pg_prefilter.h: candidates of a pattern are looked at where they lie, before they are handed out:
 * whoever gets one looks the row up, and asks PostgreSQL's operator, which takes several times as
 * long as to see here that it does not match. Which do match PostgreSQL alone says.
 *
 * Left out is only a row of which no version that is there matches. That needs the table's pages,
 * and a column of the table as it is; any other row is handed on. Where few would be left out, none
 * is looked at; the same of values that are compressed or stored elsewhere, which take longer.
 *
 * A scan row by row has each row looked at just before it hands it out: its page, its place there
 * and its text are then at hand.
 */
#ifndef BINDINGS_POSTGRESQL_SEARCH_PG_PREFILTER_H
#define BINDINGS_POSTGRESQL_SEARCH_PG_PREFILTER_H

#include "postgres.h"

#include "access/relscan.h"
#include "access/skey.h"
#include "storage/itemptr.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

struct bs_grep_pattern;
struct bs_pattern_tree;

struct bsp_prefilter;

/* The rows are for a scan by this snapshot. NULL: all are to be handed on. In the current memory
 * context; pattern is borrowed. heap: the table, of one who visits each row as soon as it is asked,
 * and who gives the memory context back in the end; NULL: it is opened. key: of the pattern; NULL:
 * none is left out, and their pages are only fetched, for such a one. */
struct bsp_prefilter *bsp_prefilter_begin(Relation index, ScanKey key,
                                          const struct bs_pattern_tree *pattern, Snapshot snapshot,
                                          Relation heap);
/* Those that may match stay, in their order: returns how many. NULL is fine. May fail as all of
 * PostgreSQL does. */
size_t bsp_prefilter_rows(struct bsp_prefilter *prefilter, ItemPointerData *tids, size_t n);
/* The first rows of n, which ascend: returns how many were asked, of which those that may match
 * come first. */
size_t bsp_prefilter_some(struct bsp_prefilter *prefilter, ItemPointerData *tids, size_t n,
                          size_t *n_kept_out);
/* The next row to be visited is on that page: PostgreSQL's lookup finds the page at hand. */
void bsp_prefilter_visit(struct bsp_prefilter *prefilter, IndexFetchTableData *fetch,
                         BlockNumber block);
/* NULL is fine. After a failure, too. */
void bsp_prefilter_end(struct bsp_prefilter *prefilter);

#endif
