/* memory.h: the in-memory index: a table of file names and descriptors, and the writer's lock. New
 * files are created in memory or, after bs_memory_index_use_folder, as unnamed files (O_TMPFILE) in
 * a folder. dir.c uses the table in place of a directory; bitsift/memory_index.h is the public
 * interface. */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/bitsift/memory_index.h"

/* These functions work like those of dir.h. The caller owns the descriptors. All descriptors of a
 * file share one file offset. */
enum bs_status bs_memory_index_open_file(struct bs_memory_index *memory, const char *name,
                                         int *fd_out, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_memory_index_create_file(struct bs_memory_index *memory, const char *name,
                                           int *fd_out, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_memory_index_create_nameless(struct bs_memory_index *memory, int *fd_out,
                                               struct bs_error *err) BS_WARN_UNUSED;
/* True if new files are created in a folder (bs_memory_index_use_folder). */
bool bs_memory_index_has_folder(struct bs_memory_index *memory);
/* The size of the file; -1: there is no such file. */
int64_t bs_memory_index_file_bytes(struct bs_memory_index *memory, const char *name);
enum bs_status bs_memory_index_rename(struct bs_memory_index *memory, const char *from,
                                      const char *to, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_memory_index_list(struct bs_memory_index *memory, struct bs_buffer *names,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Takes the writer's lock. BS_BUSY if another writer holds it and `wait` is false; BS_DEADLINE,
 * BS_STOPPED. */
enum bs_status bs_memory_index_lock(struct bs_memory_index *memory, bool wait,
                                    struct bs_error *err) BS_WARN_UNUSED;
void bs_memory_index_unlock(struct bs_memory_index *memory);
