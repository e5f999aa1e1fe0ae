/*
 * text_store.h: stores texts of sources that cannot be read again.
 *
 * Documents are compressed as zstd frames. Small documents share a frame, because compressing then
 * takes half the time (text_store.c). A dictionary, trained on the first documents (256 KiB, if
 * there are at least 200), makes small frames effective: for records of 300 bytes the measured
 * ratio is 2.5 instead of 1.3. Each frame has a checksum of its content. A store consists of three
 * byte sequences, which the caller stores:
 *
 *   dictionary  in zstd's format, or empty
 *   offsets     n_documents + 1 little-endian integers of 8 bytes, never descending: where the
 *               frame of each document begins, and the end of the last one
 *   frames      consecutive, without gaps
 *
 * FORMAT.md specifies the bytes. Equal documents in equal order give equal bytes (with one version
 * of zstd).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/file/dir.h"

/* A stored text must be shorter than this. */
#define BS_STORE_LIMIT_BYTES (UINT64_C(1) << 32)

enum bs_store_part {
	BS_STORE_DICTIONARY,
	BS_STORE_OFFSETS,
	BS_STORE_FRAMES,
	BS_STORE_PARTS /* number of parts */
};

/*
 * Writing. Memory is bounded for any number of documents: those that wait for the dictionary (about
 * 20 MB, temporarily), the current document, and small parts; the rest is in unnamed temporary
 * files. Sticky: after the first failure nothing is done, and bs_store_writer_finish returns it.
 * Not for concurrent use.
 */
struct bs_store_writer;

/* Parts that become too large for memory are moved to temporary files in dir (borrowed), which
 * should be on the disk that has the space. has_thread: a separate thread compresses, so a failure
 * may be returned by a later call; the output is the same. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_store_writer_new(const struct bs_dir *dir, bool has_thread,
                                   struct bs_store_writer **writer_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Call before the first document: frames are written to the section that was begun in `file`
 * instead of a temporary file, and are not available as a part. file is borrowed until
 * bs_store_writer_finish and reports its own failures. */
struct bs_file_writer;
void bs_store_writer_send(struct bs_store_writer *writer, struct bs_file_writer *file);

/* Adds the text of the next document, which is copied and may be empty. BS_INVALID if it has
 * BS_STORE_LIMIT_BYTES or more, BS_IO, BS_NO_MEMORY. */
enum bs_status bs_store_writer_add(struct bs_store_writer *writer, const uint8_t *raw,
                                   size_t raw_bytes, struct bs_error *err) BS_WARN_UNUSED;

/* Ends the store, so that its parts can be read. Returns the first failure of all calls so far. */
enum bs_status bs_store_writer_finish(struct bs_store_writer *writer,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* After a successful finish: true if small texts share frames; readers must then support
 * BS_FEATURE_SHARED_FRAMES. */
bool bs_store_writer_has_shared(const struct bs_store_writer *writer);

/* Returns a part, after a successful finish; borrowed. */
const struct bs_buffer *bs_store_writer_part(const struct bs_store_writer *writer,
                                             enum bs_store_part part);

/* Also removes the temporary files. NULL is allowed. */
void bs_store_writer_free(struct bs_store_writer *writer);

/* A store that is read: its parts, borrowed while it exists, and a decoder. One for each thread. */
struct bs_store;

/* The bytes may be damaged: this function or bs_store_fetch then returns BS_CORRUPT, but never
 * crashes or returns a wrong text. BS_NO_MEMORY. */
enum bs_status bs_store_open(const uint8_t *dictionary, size_t dictionary_bytes,
                             const uint8_t *offsets, size_t offsets_bytes, const uint8_t *frames,
                             size_t frames_bytes, struct bs_store **store_out,
                             struct bs_error *err) BS_WARN_UNUSED;
uint64_t bs_store_n_documents(const struct bs_store *store);
/* NULL is allowed. */
void bs_store_close(struct bs_store *store);

/* Overwrites text with that of a document. BS_NOT_FOUND if document >= n_documents, BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_store_fetch(struct bs_store *store, uint64_t document, struct bs_buffer *text,
                              struct bs_error *err) BS_WARN_UNUSED;
