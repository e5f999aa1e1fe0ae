/*
 * collection.h: a collection that stays open, and a window of its bytes, so that records that stand near each other are
 * read together. For reader.c.
 */
#ifndef BS_CORPUS_READ_COLLECTION_H
#define BS_CORPUS_READ_COLLECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/status.h"
#include "corpus/walk/document.h"

struct bs_collection {
	int fd; /* -1: none is open */
	char *path;
	struct bs_stamp stamp;   /* when it was opened */
	struct bs_buffer window; /* bytes from window_offset on */
	uint64_t window_offset;
	bool is_ahead; /* the window was read ahead, and may be asked again */
};

/* Opens another one if path is another than last time. BS_NOT_FOUND (also: no regular file), BS_IO, BS_NO_MEMORY. */
enum bs_status bs_collection_open(struct bs_collection *collection, const char *path, struct bs_error *err)
	BS_WARN_UNUSED;
/* Drops the window. */
void bs_collection_forget(struct bs_collection *collection);
/* Closes it. */
void bs_collection_deinit(struct bs_collection *collection);

/* n_bytes at offset, borrowed until the next call; when they must be read, everything up to ahead_to with them if that
 * is not too far. What was read so is not read again; with ahead_to 0 all but that is. BS_INVALID: it has no such bytes. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_collection_read(struct bs_collection *collection, uint64_t offset, uint64_t n_bytes, uint64_t ahead_to,
                                  const uint8_t **bytes_out, struct bs_error *err) BS_WARN_UNUSED;

#endif
