/*
 * pg_cache.h: index files as searches read them; all backends map them. There is one cached file
 * for each file in the pages of an index. The backend that writes the file to pages, or the first
 * that reads it, creates the cached file, in a folder that base backups omit.
 *
 * A file is named after the random name of its chain, which is never used for other bytes. It is
 * complete and synced before it gets this name. Therefore files of an earlier run of the server are
 * used again, even after a crash. Files that an index no longer has are removed when one of its
 * files is created. Files of dropped indexes are removed then, too, or at the start of the next
 * run.
 */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_CACHE_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_CACHE_H

#include "postgres.h"

#include "bindings/postgresql/storage/pg_page.h"

struct bs_memory_index;

/* Opens the files that the metapage lists, as a memory index of the library, which the caller
 * frees. False if a file was removed after the metapage was read. */
bool bsp_cache_load(Relation index, const struct bsp_meta *meta,
                    struct bs_memory_index **memory_out);
/* Like bsp_cache_load, for a check of the index: also checks that each file can be read from its
 * pages, and the checksum of the cached file. Throws BS_CORRUPT if a check fails. */
bool bsp_cache_verify(Relation index, const struct bsp_meta *meta,
                      struct bs_memory_index **memory_out);
/* Caches a file that was just written to pages, so that its first reader need not create it from
 * them. Failures are ignored. */
void bsp_cache_put(Relation index, const struct bsp_file *file, const void *bytes, size_t n_bytes);
/* Removes the cached files of the index that the metapage does not list. */
void bsp_cache_sweep(Relation index, const struct bsp_meta *meta);
/* Removes all cached files of the index, so that they are created again. */
void bsp_cache_forget(Relation index);

#endif
