/* pg_extent.h: the bytes of a file of the library in a chain of pages, compressed by zstd. */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_EXTENT_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_EXTENT_H

#include "postgres.h"

#include "bindings/postgresql/storage/pg_page.h"

/* Writes the bytes as a new chain: fills in of *file what says where they lie, and what they were.
 * is_build: nobody else knows the relation, whose pages are logged all at once in the end. */
void bsp_extent_write(Relation index, const void *bytes, size_t n_bytes, bool is_build,
                      struct bsp_file *file);
/* Hands the bytes to take, piece by piece, which returns false to end it. False: that, or the chain
 * is not there any more. An error, if they are not what was written. */
bool bsp_extent_read(Relation index, const struct bsp_file *file,
                     bool (*take)(void *context, const void *bytes, size_t n_bytes), void *context);
/* CRC-32C. */
uint32 bsp_checksum(const void *bytes, size_t n_bytes);

#endif
