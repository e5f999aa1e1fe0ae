/*
 * cache.h: the files of indexes as plain files, which all backends map: one for each chain of pages, made by whoever first needs it, in
 * a folder that base backups leave out. It belongs to this run of the server, so that no crash of the machine leaves half of one behind; what
 * is gone from its index is removed when another one is made.
 */
#ifndef BINDINGS_POSTGRESQL_CACHE_H
#define BINDINGS_POSTGRESQL_CACHE_H

#include "postgres.h"

#include "page.h"

#include "core/bitsift/writer.h"

/* The library's index of the files that the metapage names. False: one of them is not there any more, since the metapage was read. The
 * memory is the caller's to free. */
bool bsp_cache_load(Relation index, const struct bsp_meta *meta, struct bs_memory **memory_out);
/* A file that was just written: saves its first reader the work. Whether that succeeds does not matter. */
void bsp_cache_put(Relation index, const struct bsp_file *file, const void *bytes, size_t n_bytes);
/* Files of the index that the metapage does not name go. */
void bsp_cache_sweep(Relation index, const struct bsp_meta *meta);

#endif
