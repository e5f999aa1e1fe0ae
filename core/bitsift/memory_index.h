/*
 * memory_index.h: an index in memory: its files. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_MEMORY_INDEX_H
#define BITSIFT_MEMORY_INDEX_H

#include "status.h"

BS_BEGIN_DECLS

/* An index that is no directory: its files are in memory. */
struct bs_memory_index;

/* An empty one, for bs_memory_index_free. BS_NO_MEMORY, BS_IO (no descriptors left). Its files are kept in memory, each
 * behind a file descriptor. It may be handed wherever a request has `memory`, and used by many threads at once, as a
 * directory may: one writer at a time, whoever has it open keeps the commit that he opened. Sources that it records are
 * called by absolute paths, and lie beside nothing: they are followed by consent alone. */
BS_API enum bs_status bs_memory_index_new(struct bs_memory_index **memory_out, struct bs_error *err) BS_WARN_UNUSED;
/* Another one with the same files, of which nothing is copied; from then on each goes its way. As above. */
BS_API enum bs_status bs_memory_index_copy(const struct bs_memory_index *memory, struct bs_memory_index **copy_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* After all handles and writers of it have been closed. NULL is fine. */
BS_API void bs_memory_index_free(struct bs_memory_index *memory);

/*
 * The files themselves, for whoever keeps them elsewhere: they are those of FORMAT.md, the last commit is what `manifest` names,
 * and no file but that is ever changed once it is written. Bytes are borrowed until the next change of the file, or of which
 * files there are. None of these while a writer is writing.
 */
#define BS_MEMORY_INDEX_NAME_BYTES 32
struct bs_memory_index_file {
	char name[BS_MEMORY_INDEX_NAME_BYTES]; /* NUL-ended */
	const void *bytes;
	size_t n_bytes;
	uint64_t reserved[2];
};
BS_API size_t bs_memory_index_n_files(const struct bs_memory_index *memory);
/* The i-th by name, bytewise. BS_NOT_FOUND: there are not so many; BS_NO_MEMORY. */
BS_API enum bs_status bs_memory_index_file_at(const struct bs_memory_index *memory, size_t i, struct bs_memory_index_file *file_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* A file of that name, in the place of one that is there. BS_INVALID (the name is empty or too long), BS_IO, BS_NO_MEMORY. */
BS_API enum bs_status bs_memory_index_put(struct bs_memory_index *memory, const char *name, const void *bytes, size_t n_bytes,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* The same, but the file is the regular one behind fd, open for reading, of which nothing is copied: whoever opens the index maps it. Its
 * bytes must never change, though it may be renamed and unlinked. fd stays the caller's. BS_INVALID: it is no regular file, too. */
BS_API enum bs_status bs_memory_index_put_file(struct bs_memory_index *memory, const char *name, int fd, struct bs_error *err) BS_WARN_UNUSED;
/* A descriptor of the i-th file, to read it piece by piece (pread: its place is shared), to send or to map it. It is the caller's to
 * close, and outlives what becomes of the file. BS_NOT_FOUND: there are not so many; BS_IO. */
BS_API enum bs_status bs_memory_index_descriptor_at(const struct bs_memory_index *memory, size_t i, int *fd_out,
                                              struct bs_error *err) BS_WARN_UNUSED;
/* From now on, new files are nameless ones in that folder, for indexes that are larger than memory: they take disk space there
 * until they are gone from here and from all who have them open. A writer that is opened from now on keeps there, too, what it gathers
 * of documents, about as many bytes as their texts have: then memory_bytes is for words alone, and segments have more documents. Both
 * are mapped, and the system's to write out. NULL: in memory again. A copy has the same folder. BS_IO: no such folder, or its file
 * system has no nameless files (O_TMPFILE). */
BS_API enum bs_status bs_memory_index_use_folder(struct bs_memory_index *memory, const char *dir, struct bs_error *err) BS_WARN_UNUSED;
/* If it is there. */
BS_API void bs_memory_index_remove(struct bs_memory_index *memory, const char *name);

BS_END_DECLS
#endif
