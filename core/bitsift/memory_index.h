/*
 * memory_index.h: an index in memory, and its files. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_MEMORY_INDEX_H
#define BITSIFT_MEMORY_INDEX_H

#include "status.h"

BS_BEGIN_DECLS

/* An index whose files are in memory instead of a directory. */
struct bs_memory_index;

/* Creates an in-memory index without files; free it with bs_memory_index_free. BS_NO_MEMORY. Each
 * file that is added takes a file descriptor. Pass the index in the field `memory` of requests.
 * Threads may share the index as they share a directory: only one writer at a time; a reader keeps
 * seeing the commit that it opened. Sources that the index records have absolute paths, and are
 * followed only with consent (struct bs_consent). */
BS_API enum bs_status bs_memory_index_new(struct bs_memory_index **memory_out,
                                          struct bs_error *err) BS_WARN_UNUSED;
/* Creates a second index with the same files, without copying them. Changes to one do not affect
 * the other. BS_NO_MEMORY, BS_IO (no descriptors left). */
BS_API enum bs_status bs_memory_index_copy(const struct bs_memory_index *memory,
                                           struct bs_memory_index **copy_out,
                                           struct bs_error *err) BS_WARN_UNUSED;
/* Call it when all handles and writers of the index have been closed. NULL is fine. */
BS_API void bs_memory_index_free(struct bs_memory_index *memory);

/*
 * The functions below give access to the files of an in-memory index, for hosts that store them
 * elsewhere. The files have the format of core/FORMAT.md. The file `manifest` names the last
 * commit. Writers replace only `manifest` and `folders`. Bytes are borrowed until the file, or the
 * set of files, changes. Call none of the functions below while a writer writes.
 */
#define BS_MEMORY_INDEX_NAME_BYTES 32
struct bs_memory_index_file {
	char name[BS_MEMORY_INDEX_NAME_BYTES]; /* NUL-ended */
	const void *bytes;
	size_t n_bytes;
	uint64_t reserved[2];
};
BS_API size_t bs_memory_index_n_files(const struct bs_memory_index *memory);
/* Returns file i, in bytewise order of names. BS_NOT_FOUND (there are fewer files), BS_NO_MEMORY,
 * BS_IO. */
BS_API enum bs_status bs_memory_index_file_at(const struct bs_memory_index *memory, size_t i,
                                              struct bs_memory_index_file *file_out,
                                              struct bs_error *err) BS_WARN_UNUSED;
/* Adds or replaces a file, with a copy of the bytes. BS_INVALID (an empty name, or one that is too
 * long), BS_IO, BS_NO_MEMORY. */
BS_API enum bs_status bs_memory_index_put(struct bs_memory_index *memory, const char *name,
                                          const void *bytes, size_t n_bytes,
                                          struct bs_error *err) BS_WARN_UNUSED;
/* Adds or replaces a file without copying it: readers of the index map it. fd is a regular file
 * that is open for reading; the caller keeps it. The bytes of the file must never change; it may be
 * renamed and unlinked. Fails as bs_memory_index_put; also BS_INVALID: not a regular file. */
BS_API enum bs_status bs_memory_index_put_file(struct bs_memory_index *memory, const char *name,
                                               int fd, struct bs_error *err) BS_WARN_UNUSED;
/* Returns a descriptor of file i, for reading (with pread, because the file offset is shared),
 * sending or mapping it. The caller closes it. It stays valid even if the file is replaced or
 * removed. BS_NOT_FOUND: there are fewer files; BS_IO. */
BS_API enum bs_status bs_memory_index_descriptor_at(const struct bs_memory_index *memory, size_t i,
                                                    int *fd_out,
                                                    struct bs_error *err) BS_WARN_UNUSED;
/* From this call on, new files of the index are kept as unnamed files in this folder, for indexes
 * larger than memory. A file takes disk space there until the index and all its readers have
 * released it. A writer that is opened after this call also keeps the documents of its next segment
 * there (about as many bytes as their texts have), so that write.memory_bytes suffices for more
 * documents. All these files are mapped. Copies of the index use the same folder. NULL: new files
 * are in memory again. BS_IO: no such folder, or its file system lacks unnamed files
 * (O_TMPFILE). */
BS_API enum bs_status bs_memory_index_use_folder(struct bs_memory_index *memory, const char *dir,
                                                 struct bs_error *err) BS_WARN_UNUSED;
/* Removes a file if it exists. */
BS_API void bs_memory_index_remove(struct bs_memory_index *memory, const char *name);

BS_END_DECLS
#endif
