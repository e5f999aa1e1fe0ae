/*
 * pg_store.h: an index of PostgreSQL as its writers see it: a copy of the library's files in
 * memory, a writer of the library upon it, and in the end the new files as chains of pages, which
 * the metapage names all at once.
 */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_STORE_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_STORE_H

#include "postgres.h"

#include "bindings/postgresql/storage/pg_page.h"
#include "bindings/postgresql/storage/pg_texts.h"

#include "core/bitsift/host.h"

struct bs_memory_index;
struct bs_writer;

/* Of a writer at work, in a memory context of its own below the one that was current: goes with
 * that, also by an error. */
struct bsp_store {
	Relation index;
	bool is_build;
	MemoryContext context;
	union bsp_meta_copy
		/* of the metapage, as it was when the writer's lock was taken; its pending chain
		 * may have grown since */
		copy;
	struct bs_memory_index *memory;
	struct bs_writer *writer;  /* NULL: bsp_store_write begins one */
	struct bsp_reader *reader; /* whom compaction asks for texts */
	struct bs_text_provider provider;
	MemoryContextCallback on_reset;
};

/* Texts of a row, all together: larger ones are refused. */
#define BSP_MOST_TEXT_BYTES ((size_t)64 << 20)

/* The index as it is. The caller has the writer's lock. */
struct bsp_store *bsp_store_open(Relation index);
/* A new one, with the options of the relation. */
struct bsp_store *bsp_store_create(Relation index);
/* Begins the writer, if there is none: with so much memory for a row of that size. */
void bsp_store_write(struct bsp_store *store, size_t largest_row_bytes);
void bsp_store_add(struct bsp_store *store, const ItemPointerData *tid,
                   const struct bsp_texts *texts);
/* What the writer was given becomes the index', after which there is no writer. was_closing: the
 * rows of the closing chain are among it, which goes. */
void bsp_store_commit(struct bsp_store *store, bool was_closing);
/* In as few parts as can be, instead of a commit. False: its words were cut by other rules, so that
 * it waits for REINDEX. */
bool bsp_store_compact(struct bsp_store *store);
/* What was not committed is forgotten. */
void bsp_store_close(struct bsp_store *store);

/* The metapage of an index without files, for the init fork. */
void bsp_store_write_empty(Relation index, ForkNumber fork);

#endif
