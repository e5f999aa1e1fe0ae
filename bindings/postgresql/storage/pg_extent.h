/* pg_extent.h: a file of the library in a chain of pages, compressed with zstd. */
#ifndef BINDINGS_POSTGRESQL_STORAGE_PG_EXTENT_H
#define BINDINGS_POSTGRESQL_STORAGE_PG_EXTENT_H

#include "postgres.h"

#include "bindings/postgresql/storage/pg_page.h"

/* Writes the bytes as a new chain. Sets chain, n_written, n_stored, first and checksum_written of
 * *file. is_build: no other backend sees the relation yet, and the caller writes all its pages to
 * the WAL at the end. */
void bsp_extent_write(Relation index, const void *bytes, size_t n_bytes, bool is_build,
                      struct bsp_file *file);
/* Passes the bytes to `take` in pieces; `take` returns false to stop. Returns false if `take` did,
 * or if the chain no longer exists. Throws if the bytes are not those that were written. */
bool bsp_extent_read(Relation index, const struct bsp_file *file,
                     bool (*take)(void *context, const void *bytes, size_t n_bytes), void *context);
/* CRC-32C. */
uint32 bsp_checksum(const void *bytes, size_t n_bytes);

#endif
