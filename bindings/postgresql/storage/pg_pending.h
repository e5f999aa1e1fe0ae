/*
 * pg_pending.h: pending rows, a stream of bytes in a chain of pages. It has their texts, so that
 * these need not be read from the table. An insert changes only the last page, or adds pages. When
 * the chain is long, it is closed and inserts append to a new one; the rows of the closed chain are
 * written to files of the index (pg_flush.h).
 */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_PENDING_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_PENDING_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "storage/lockdefs.h"

#include "bindings/postgresql/storage/pg_page.h"
#include "bindings/postgresql/storage/pg_texts.h"

/* Appends a row. Returns 0 if the last page had room for it, else the approximate size of the
 * pending rows in bytes. */
size_t bsp_pending_append(Relation index, const ItemPointerData *tid,
                          const struct bsp_texts *texts);
/* Makes the pending chain the closing chain, unless there is a closing chain already. The caller
 * holds the writer's lock. False if there is no closing chain afterwards. */
bool bsp_pending_close(Relation index, struct bsp_pending *closing_out);

/* A lock that backends take with ShareLock to add pages to the pending chain, and VACUUM with
 * ExclusiveLock to free lost pages. So VACUUM does not free pages that are about to be added. */
void bsp_append_lock(Relation index, LOCKMODE mode);
void bsp_append_unlock(Relation index, LOCKMODE mode);

/* The position up to which a chain was read. All zero: nothing was read. */
struct bsp_place {
	BlockNumber block;
	uint32 number; /* position of the page in the chain */
	uint32 offset; /* in bytes, in the payload of the page */
	bool is_begun;
};
/* Appends the bytes of the chain after *place to `bytes` and advances *place. Stops at the end of a
 * page when `bytes` has at least `most_bytes`; *is_end_out is true if that was the last page. False
 * if the chain no longer exists. */
bool bsp_pending_read(Relation index, const struct bsp_pending *chain, struct bsp_place *place,
                      StringInfo bytes, size_t most_bytes, bool *is_end_out);

/* A row of the stream. */
struct bsp_row {
	ItemPointerData tid;
	struct bsp_texts texts;
};
/* Returns the row at *at and advances *at past it. Its texts are borrowed from `bytes`. False if
 * there are no more rows, or, unless `is_end`, if the next row is incomplete. Throws if the bytes
 * are invalid. */
bool bsp_pending_next(Relation index, const StringInfo bytes, bool is_end, size_t *at,
                      struct bsp_row *row_out);

#endif
