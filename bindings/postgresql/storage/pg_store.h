/*
 * pg_store.h: an index as its writers see it: an in-memory copy of the library's files and a writer
 * of the library on it. At the end the new files are written as chains of pages, and one change of
 * the metapage makes all of them visible.
 */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_STORE_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_STORE_H

#include "postgres.h"

#include "bindings/postgresql/storage/pg_page.h"
#include "bindings/postgresql/storage/pg_texts.h"

#include "core/bitsift/host.h"

struct bs_memory_index;
struct bs_writer;

/* The state of a backend that writes to an index. Its memory context is a child of the context that
 * was current when it was opened. It is freed with this memory context, also after an error. */
struct bsp_store {
	Relation index;
	bool is_build; /* CREATE INDEX: the relation is new and empty */
	MemoryContext context;
	/* The metapage as read when the store was opened; its pending chain may have grown
	 * since. */
	union bsp_meta_copy copy;
	struct bs_memory_index *memory;   /* the files; also those that are not yet in pages */
	struct bs_writer *writer;         /* NULL until bsp_store_write opens it */
	struct bsp_reader *reader;        /* reads texts of rows for compaction */
	struct bs_text_provider provider; /* calls the reader */
	MemoryContextCallback on_reset;
};

/* The limit for the total size of a row's texts. An insert of a larger row is an error. */
#define BSP_MOST_TEXT_BYTES ((size_t)64 << 20)

/* Opens the current files of the index. The caller holds the writer's lock. */
struct bsp_store *bsp_store_open(Relation index);
/* Begins a new index with the options of the relation. */
struct bsp_store *bsp_store_create(Relation index);
/* Opens the writer unless it is open, with enough memory for a row of this size. */
void bsp_store_write(struct bsp_store *store, size_t largest_row_bytes);
void bsp_store_add(struct bsp_store *store, const ItemPointerData *tid,
                   const struct bsp_texts *texts);
/* Commits the added and deleted rows and closes the writer. was_closing: the added rows are those
 * of the chain meta.closing, which is then freed. */
void bsp_store_commit(struct bsp_store *store, bool was_closing);
/* Merges the index into as few segments as possible and saves it; called instead of
 * bsp_store_commit. False if the index was made with other tokenizer rules and therefore waits for
 * REINDEX. */
bool bsp_store_compact(struct bsp_store *store);
/* Frees the store. Uncommitted changes are discarded. */
void bsp_store_close(struct bsp_store *store);

/* Writes the metapage of an index without files, for the init fork. */
void bsp_store_write_empty(Relation index, ForkNumber fork);

#endif
