/*
 * memory_index.h: an index in memory, and its files. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_MEMORY_INDEX_H
#define BITSIFT_MEMORY_INDEX_H

#include "status.h"

BS_BEGIN_DECLS

/* An index whose files are in memory instead of a directory. */
struct bs_memory_index;

/* A new one without files, for bs_memory_index_free. BS_NO_MEMORY, BS_IO (no file descriptors left:
 * each file uses one). Pass it in the field `memory` of requests. Threads may share it as they
 * share a directory: one writer at a time; a reader keeps seeing the commit that it opened. Sources
 * that it records have absolute paths, and are followed by consent only. */
BS_API enum bs_status bs_memory_index_new(struct bs_memory_index **memory_out,
                                          struct bs_error *err) BS_WARN_UNUSED;
/* A second index with the same files, without copying them; changes to one do not affect the other.
 * Fails as bs_memory_index_new. */
BS_API enum bs_status bs_memory_index_copy(const struct bs_memory_index *memory,
                                           struct bs_memory_index **copy_out,
                                           struct bs_error *err) BS_WARN_UNUSED;
/* Call it when all handles and writers of the index have been closed. NULL is fine. */
BS_API void bs_memory_index_free(struct bs_memory_index *memory);

/*
 * The files, for hosts that store them elsewhere, in the format of FORMAT.md. The file `manifest`
 * names the last commit; it is the only file that is ever replaced. Bytes are borrowed until the
 * file, or the set of files, changes. Call none of these while a writer writes.
 */
#define BS_MEMORY_INDEX_NAME_BYTES 32
struct bs_memory_index_file {
	char name[BS_MEMORY_INDEX_NAME_BYTES]; /* NUL-ended */
	const void *bytes;
	size_t n_bytes;
	uint64_t reserved[2];
};
BS_API size_t bs_memory_index_n_files(const struct bs_memory_index *memory);
/* File i in bytewise order of names. BS_NOT_FOUND: there are fewer; BS_NO_MEMORY. */
BS_API enum bs_status bs_memory_index_file_at(const struct bs_memory_index *memory, size_t i,
                                              struct bs_memory_index_file *file_out,
                                              struct bs_error *err) BS_WARN_UNUSED;
/* Adds or replaces a file, with a copy of the bytes. BS_INVALID (an empty name, or one that is too
 * long), BS_IO, BS_NO_MEMORY. */
BS_API enum bs_status bs_memory_index_put(struct bs_memory_index *memory, const char *name,
                                          const void *bytes, size_t n_bytes,
                                          struct bs_error *err) BS_WARN_UNUSED;
/* The same for a regular file that is open for reading, without copying it: readers of the index
 * map it. Its bytes must never change; it may be renamed and unlinked. The caller keeps fd. Also
 * BS_INVALID: not a regular file. */
BS_API enum bs_status bs_memory_index_put_file(struct bs_memory_index *memory, const char *name,
                                               int fd, struct bs_error *err) BS_WARN_UNUSED;
/* A descriptor of file i, to read (with pread: the file offset is shared), send or map it. The
 * caller closes it; it stays valid whatever happens to the file. BS_NOT_FOUND: there are fewer;
 * BS_IO. */
BS_API enum bs_status bs_memory_index_descriptor_at(const struct bs_memory_index *memory, size_t i,
                                                    int *fd_out,
                                                    struct bs_error *err) BS_WARN_UNUSED;
/* Keeps new files as unnamed files in this folder from now on, for indexes larger than memory. They
 * use disk space there until they are gone from the index and from all its readers. A writer opened
 * from now on keeps the documents it gathers there, too, about as many bytes as their texts have,
 * so that write.memory_bytes holds more documents. Both are mapped. NULL: in memory again. Copies
 * have the same folder. BS_IO: no such folder, or its file system lacks unnamed files
 * (O_TMPFILE). */
BS_API enum bs_status bs_memory_index_use_folder(struct bs_memory_index *memory, const char *dir,
                                                 struct bs_error *err) BS_WARN_UNUSED;
/* Removes a file if it exists. */
BS_API void bs_memory_index_remove(struct bs_memory_index *memory, const char *name);

BS_END_DECLS
#endif
