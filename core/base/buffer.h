/* buffer.h: bytes that grow. The one owner of realloc arithmetic; everything that collects an
 * unknown number of bytes uses it. Not thread-safe: a buffer belongs to one thread at a time. */
#pragma once

#include <string.h>

#include "core/base/error.h"

BS_BEGIN_DECLS

/* Zero-initialise to make an empty one. data may move with every append; data[0..used_bytes) is
 * valid. */
struct bs_buffer {
	uint8_t *data;
	size_t used_bytes;
	size_t capacity_bytes;
	int file; /* descriptor of the file that the bytes are in, plus 1; 0: they are in memory */
};

/* The buffer's bytes will be in a file, mapped: the system can write their pages out when memory is
 * short, and no limit on memory counts them. For much that is written and read in order. The buffer
 * must never have held a byte, the file is empty; it is the buffer's from now on, and
 * bs_buffer_deinit closes it. */
static inline void bs_buffer_use_file(struct bs_buffer *buffer, int fd)
{
	buffer->file = fd + 1;
}

/* What n_bytes take of such a file, which is mapped in whole pages: 64 KiB, as large as any
 * system's. */
static inline size_t bs_file_pages_bytes(size_t n_bytes)
{
	const size_t page_bytes = (size_t)64 << 10;
	return (n_bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/* Maps n_bytes of a file from an offset on, both of whole pages (bs_file_pages_bytes); to be
 * unmapped with munmap. Space on the disk is taken at once, so that writing there cannot fail.
 * BS_IO, BS_NO_MEMORY. */
enum bs_status bs_map_file(int fd, uint64_t offset, size_t n_bytes, void **map_out,
                           struct bs_error *err) BS_WARN_UNUSED;

/* What the buffers of a few threads hold, for a limit. Those that are grown under one must be freed
 * under it. */
struct bs_memory_budget {
	int64_t held_bytes;  /* atomic */
	uint64_t most_bytes; /* UINT64_MAX: any number */
};

/* Of this thread, and of those that work for it (workers.h); NULL: nothing is counted. */
extern __thread struct bs_memory_budget *bs_memory_budget_here
	__attribute__((tls_model("initial-exec")));

/* So many bytes are wanted, or given back if that is negative: BS_NO_MEMORY if they are more than
 * the limit leaves. For memory that is in no buffer, too. */
enum bs_status bs_memory_budget_add(int64_t n_bytes, struct bs_error *err) BS_WARN_UNUSED;

/* Frees the bytes and makes the buffer empty again, in memory; an empty one is fine. */
void bs_buffer_deinit(struct bs_buffer *buffer);

/* Makes room for extra_bytes more beyond used_bytes (used_bytes unchanged). Grows by half at least.
 * BS_NO_MEMORY. */
enum bs_status bs_buffer_reserve(struct bs_buffer *buffer, size_t extra_bytes,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* Appends n_bytes from bytes (which must not lie in the buffer itself). BS_NO_MEMORY leaves the
 * buffer as it was. Inline: most appends are of a few bytes, whose number is known to the
 * compiler. */
BS_WARN_UNUSED static inline enum bs_status bs_buffer_append(struct bs_buffer *buffer,
                                                             const void *bytes, size_t n_bytes,
                                                             struct bs_error *err)
{
	if (n_bytes > buffer->capacity_bytes - buffer->used_bytes) {
		enum bs_status status = bs_buffer_reserve(buffer, n_bytes, err);
		if (status)
			return status;
	}
	if (n_bytes)
		memcpy(buffer->data + buffer->used_bytes, bytes, n_bytes);
	buffer->used_bytes += n_bytes;
	return BS_OK;
}

/* Forgets the contents, and the memory too if it is more than most_bytes: one huge item must not be
 * paid for ever. */
void bs_buffer_trim(struct bs_buffer *buffer, size_t most_bytes);

/* Tells the system that memory from malloc will be used from end to end: large pages spare it
 * faults and look-ups. No promise; small pieces are passed over. */
void bs_buffer_advise(void *data, size_t n_bytes);

/* Forgets the contents, keeps the memory. */
static inline void bs_buffer_clear(struct bs_buffer *buffer)
{
	buffer->used_bytes = 0;
}

BS_END_DECLS
