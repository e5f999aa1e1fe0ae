/*
 * pg_pending.h: rows that wait, with their texts, so that nobody need read them from the table: a
 * stream of bytes over a chain of pages. An insert changes the last page alone, or adds some. When
 * they are many, the chain is closed, and what comes after goes to another one; the closed one
 * becomes a file (pg_flush.h).
 */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_PENDING_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_PENDING_H

#include "postgres.h"

#include "lib/stringinfo.h"
#include "storage/lockdefs.h"

#include "bindings/postgresql/storage/pg_page.h"
#include "bindings/postgresql/storage/pg_texts.h"

/* Returns about how many bytes wait, if that may have become more than the limit, else 0. */
size_t bsp_pending_append(Relation index, const ItemPointerData *tid,
                          const struct bsp_texts *texts);
/* With the writer's lock: makes the pending chain the closing one, if there is none yet. False:
 * there is none now either. */
bool bsp_pending_close(Relation index, struct bsp_pending *closing_out);

/* Of those who hang new pages into the chain (ShareLock), and those who look for lost ones
 * (ExclusiveLock). */
void bsp_append_lock(Relation index, LOCKMODE mode);
void bsp_append_unlock(Relation index, LOCKMODE mode);

/* How far a chain was read. All zero: nothing of it. */
struct bsp_place {
	BlockNumber block;
	uint32 number, offset;
	bool is_begun;
};
/* Appends what the chain has from the place on to bytes, and moves the place; no further than to
 * the page where there are so many bytes there: *is_end_out says whether that was the last one.
 * False: the chain is not there any more. */
bool bsp_pending_read(Relation index, const struct bsp_pending *chain, struct bsp_place *place,
                      StringInfo bytes, size_t most_bytes, bool *is_end_out);

/* A row of the stream. */
struct bsp_row {
	ItemPointerData tid;
	struct bsp_texts texts;
};
/* The row at *at, which is moved behind it; its texts are borrowed of the bytes. False: there are
 * no more, or not all of the next one, if the bytes are not the last ones. An error if they are no
 * rows. */
bool bsp_pending_next(Relation index, const StringInfo bytes, bool is_end, size_t *at,
                      struct bsp_row *row_out);

#endif
