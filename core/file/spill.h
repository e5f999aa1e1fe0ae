/*
 * spill.h: room for small pieces that are all kept until the end of a run: in memory while they are
 * few, then in a temporary file, mapped, which no limit on memory counts (bs_buffer_use_file). Any
 * number of threads may take pieces.
 */
#pragma once

#include <pthread.h>

#include "core/base/error.h"
#include "core/file/dir.h"

struct bs_spill_chunk;

/* The caller's struct; release with bs_spill_deinit, for which zeros are fine. */
struct bs_spill {
	const struct bs_dir *dir; /* borrowed: where the file is made */
	uint64_t memory_bytes;    /* what may be in memory */
	pthread_mutex_t mutex;
	struct bs_spill_chunk *chunks; /* pieces are taken of the first */
	uint64_t held_bytes;           /* in memory */
	uint64_t file_bytes;
	int file; /* descriptor, plus 1 */
};

void bs_spill_init(struct bs_spill *spill, const struct bs_dir *dir, uint64_t memory_bytes);
/* Every piece is gone. */
void bs_spill_deinit(struct bs_spill *spill);
/* A piece, aligned for u64, with any contents. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_spill_take(struct bs_spill *spill, size_t n_bytes, void **bytes_out,
                             struct bs_error *err) BS_WARN_UNUSED;
