/*
 * pg_cache.h: the files of indexes as searches read them, which all backends map: one for each
 * chain of pages, made by whoever first needs it, in a folder that base backups leave out. A file
 * is called by the chain's random name, which no other bytes ever get, and has all of its bytes on
 * disk before it is called so: what a run of the server left, the next one takes, also after a
 * crash. What is gone from its index is removed when another one is made; what is gone with its
 * index, then, too, or by the first of the next run.
 */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_CACHE_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_CACHE_H

#include "postgres.h"

#include "bindings/postgresql/storage/pg_page.h"

struct bs_memory_index;

/* The library's index of the files that the metapage names. False: one of them is not there any
 * more, since the metapage was read. The memory is the caller's to free. */
bool bsp_cache_load(Relation index, const struct bsp_meta *meta,
                    struct bs_memory_index **memory_out);
/* The same, of an index that is to be checked: each file is made of the pages once more, and what
 * the cache has must be the same. */
bool bsp_cache_prove(Relation index, const struct bsp_meta *meta,
                     struct bs_memory_index **memory_out);
/* A file that was just written: saves its first reader the work. Whether that succeeds does not
 * matter. */
void bsp_cache_put(Relation index, const struct bsp_file *file, const void *bytes, size_t n_bytes);
/* Files of the index that the metapage does not name go. */
void bsp_cache_sweep(Relation index, const struct bsp_meta *meta);
/* All files of the index go, to be made anew. */
void bsp_cache_forget(Relation index);

#endif
