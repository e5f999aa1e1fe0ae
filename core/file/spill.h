/* spill.h: allocates small pieces that are all kept until the end of a run: in memory up to a
 * limit, then in a mapped temporary file, which the memory budget does not count
 * (bs_buffer_use_file). Thread-safe. */
#pragma once

#include <pthread.h>

#include "core/base/error.h"
#include "core/file/dir.h"

struct bs_spill_chunk;

/* Owned by the caller. Release with bs_spill_deinit, which accepts a zero-initialised struct. */
struct bs_spill {
	const struct bs_dir *dir; /* borrowed; the directory in which the file is created */
	uint64_t memory_bytes;    /* the most bytes in memory */
	pthread_mutex_t mutex;
	struct bs_spill_chunk *chunks; /* a list; pieces are taken from the first chunk */
	uint64_t held_bytes;           /* bytes of the pieces in memory */
	uint64_t file_bytes;
	int file; /* descriptor plus 1; 0: none */
};

void bs_spill_init(struct bs_spill *spill, const struct bs_dir *dir, uint64_t memory_bytes);
/* Frees all pieces. */
void bs_spill_deinit(struct bs_spill *spill);
/* Allocates a piece, aligned for u64 and uninitialised. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_spill_alloc(struct bs_spill *spill, size_t n_bytes, void **bytes_out,
                              struct bs_error *err) BS_WARN_UNUSED;
