/* spill.h: an allocator for small pieces of memory that are all kept until bs_spill_deinit. Pieces
 * up to a limit are in memory; further ones are in a mapped temporary file. If the directory has no
 * folder (bs_dir_has_folder), all pieces are in memory. bs_spill_alloc is thread-safe. */
#pragma once

#include <pthread.h>

#include "core/base/error.h"
#include "core/file/dir.h"

struct bs_spill_chunk;

/* Release with bs_spill_deinit, which accepts a zero-initialised struct. */
struct bs_spill {
	const struct bs_dir *dir; /* borrowed; the temporary file is created in it */
	uint64_t memory_bytes;    /* maximum of held_bytes if dir has a folder */
	pthread_mutex_t mutex;
	struct bs_spill_chunk *chunks; /* a list; pieces are taken from the first chunk */
	uint64_t held_bytes;           /* bytes of the chunks in memory */
	uint64_t file_bytes;           /* bytes of the chunks in the file */
	int file;                      /* descriptor plus 1; 0: none */
};

void bs_spill_init(struct bs_spill *spill, const struct bs_dir *dir, uint64_t memory_bytes);
/* Frees all pieces. */
void bs_spill_deinit(struct bs_spill *spill);
/* Allocates a piece, aligned for u64 and uninitialised. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_spill_alloc(struct bs_spill *spill, size_t n_bytes, void **bytes_out,
                              struct bs_error *err) BS_WARN_UNUSED;
