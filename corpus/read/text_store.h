/*
 * text_store.h: text kept by ourselves, for sources that cannot be read twice.
 *
 * Documents are compressed as zstd frames, small ones together with their neighbours, so that any
 * of them is decoded with little else, in about a microsecond. A dictionary trained on the first
 * documents (up to 512 KiB of them, if there are 200 at least) makes such small frames worth it:
 * measured on records of 300 bytes, ratio 2.5 instead of 1.3. Each frame carries a checksum of its
 * content. A store is three runs of bytes, kept by the caller wherever it likes:
 *
 *   dictionary  as zstd's trainer writes it, or empty
 *   offsets     n_documents + 1 times 8 bytes, little-endian, never descending: where the frame of
 *     document i begins; the last one is
 *               the end
 *   frames      one after the other, nothing between
 *
 * FORMAT.md has them byte by byte.
 *
 * Equal documents in equal order make equal bytes (with one version of zstd).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/file/dir.h"

/* A document's stored text stays below this. */
#define BS_STORE_LIMIT_BYTES (UINT64_C(1) << 32)

enum bs_store_part {
	BS_STORE_DICTIONARY,
	BS_STORE_OFFSETS,
	BS_STORE_FRAMES,
	BS_STORE_PARTS /* how many parts there are */
};

/*
 * Writing. Memory stays bounded however many documents come: what waits for the dictionary (some 20
 * MB, for a moment), the document in hand, what is small; all else goes to nameless temporary
 * files. Sticky: after the first failure nothing more is done and bs_store_writer_finish reports
 * it. One thread at a time.
 */
struct bs_store_writer;

/* Its temporary files are made in dir (borrowed), on the disk where the space is, if there is more
 * than fits in memory. has_thread: texts are compressed by a thread of its own while more are
 * added; a failure may be told later then. What is stored is the same. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_store_writer_new(const struct bs_dir *dir, bool has_thread,
                                   struct bs_store_writer **writer_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Before the first document: frames go to a section that was begun in this file, not to a temporary
 * one, and are no part to be read. The file is borrowed until the finish, and tells of its failures
 * itself. */
struct bs_file_writer;
void bs_store_writer_send(struct bs_store_writer *writer, struct bs_file_writer *file);

/* The text of the next document, copied; may be empty. BS_INVALID at BS_STORE_LIMIT_BYTES or more,
 * BS_IO, BS_NO_MEMORY. */
enum bs_status bs_store_writer_add(struct bs_store_writer *writer, const uint8_t *raw,
                                   size_t raw_bytes, struct bs_error *err) BS_WARN_UNUSED;

/* No more documents; after this the parts can be read. Reports the first failure of all the calls
 * before. */
enum bs_status bs_store_writer_finish(struct bs_store_writer *writer,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* Whether small texts share frames, after a successful finish: readers must know of it
 * (BS_FEATURE_SHARED_FRAMES). */
bool bs_store_writer_has_shared(const struct bs_store_writer *writer);

/* A part, after a successful finish; borrowed. */
const struct bs_buffer *bs_store_writer_part(const struct bs_store_writer *writer,
                                             enum bs_store_part part);

/* NULL is fine. The temporary files vanish. */
void bs_store_writer_free(struct bs_store_writer *writer);

/* A store being read: the three parts, borrowed for as long as it lives, and what decoding needs.
 * One a thread. */
struct bs_store;

/* Bytes of anything are fine: BS_CORRUPT is what wrong ones get, here or in bs_store_fetch, never a
 * crash and never another text. BS_NO_MEMORY. */
enum bs_status bs_store_open(const uint8_t *dictionary, size_t dictionary_bytes,
                             const uint8_t *offsets, size_t offsets_bytes, const uint8_t *frames,
                             size_t frames_bytes, struct bs_store **store_out,
                             struct bs_error *err) BS_WARN_UNUSED;
uint64_t bs_store_n_documents(const struct bs_store *store);
/* NULL is fine. */
void bs_store_close(struct bs_store *store);

/* Overwrites text with that of a document, 0 <= document < n_documents (BS_NOT_FOUND otherwise).
 * BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_store_fetch(struct bs_store *store, uint64_t document, struct bs_buffer *text,
                              struct bs_error *err) BS_WARN_UNUSED;
