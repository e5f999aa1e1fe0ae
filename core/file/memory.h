/*
 * memory.h: an index that is no directory: a table of names, each with a file in memory or without
 * a name on disk, and the writer's lock. dir.c puts it behind the functions that open the files of
 * a directory; bitsift/writer.h has what others may do with it.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/bitsift/memory_index.h"

/* As the functions of dir.h. Descriptors are the caller's; those of one file share their place in
 * it. */
enum bs_status bs_memory_index_open_file(struct bs_memory_index *memory, const char *name,
                                         int *fd_out, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_memory_index_create_file(struct bs_memory_index *memory, const char *name,
                                           int *fd_out, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_memory_index_create_nameless(struct bs_memory_index *memory, int *fd_out,
                                               struct bs_error *err) BS_WARN_UNUSED;
/* Whether new files are in a folder, where there is more room than in memory. */
bool bs_memory_index_has_folder(struct bs_memory_index *memory);
/* -1: there is none. */
int64_t bs_memory_index_file_bytes(struct bs_memory_index *memory, const char *name);
enum bs_status bs_memory_index_rename(struct bs_memory_index *memory, const char *from,
                                      const char *to, struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_memory_index_list(struct bs_memory_index *memory, struct bs_buffer *names,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* The writer's lock. BS_BUSY, unless it waits; BS_DEADLINE, BS_STOPPED. */
enum bs_status bs_memory_index_lock(struct bs_memory_index *memory, bool wait,
                                    struct bs_error *err) BS_WARN_UNUSED;
void bs_memory_index_unlock(struct bs_memory_index *memory);
