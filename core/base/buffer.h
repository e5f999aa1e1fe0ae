/* buffer.h: growing byte buffers and the memory budget. A buffer is not thread-safe: it belongs to
 * one thread at a time. */
#pragma once

#include <string.h>

#include "core/base/error.h"

BS_BEGIN_DECLS

/* An empty buffer is zero-initialised. data may move with every append; data[0..used_bytes) is
 * valid. */
struct bs_buffer {
	uint8_t *data;
	size_t used_bytes;
	size_t capacity_bytes;
	/* 0: the bytes are in memory; otherwise 1 + the descriptor of the file that holds them. */
	int file;
};

/* Keeps the buffer's bytes in a mapped file: the system can write its pages out when memory is
 * short, and the memory budget does not count them. Use it for large amounts that are written and
 * read sequentially. The buffer must not have memory yet, and the file must be empty. The buffer
 * owns fd; bs_buffer_deinit closes it. */
static inline void bs_buffer_use_file(struct bs_buffer *buffer, int fd)
{
	buffer->file = fd + 1;
}

/* Rounds n_bytes up to a multiple of 64 KiB, which is also a multiple of smaller page sizes. */
static inline size_t bs_file_pages_bytes(size_t n_bytes)
{
	const size_t page_bytes = (size_t)64 << 10;
	return (n_bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/* Maps n_bytes of a file from offset on; both must be multiples of 64 KiB (bs_file_pages_bytes).
 * The caller calls munmap. Disk space is allocated at once, so that a full disk cannot make a write
 * to the mapping fail. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_map_file(int fd, uint64_t offset, size_t n_bytes, void **map_out,
                           struct bs_error *err) BS_WARN_UNUSED;

/* The memory that the buffers of one or more threads hold, and its limit. A buffer that grew under
 * a budget must be freed under it. */
struct bs_memory_budget {
	int64_t held_bytes;  /* atomic */
	uint64_t most_bytes; /* UINT64_MAX: no limit */
};

/* The budget of this thread and of the threads that work for it (workers.h). NULL: nothing is
 * counted. */
extern __thread struct bs_memory_budget *bs_memory_budget_here
	__attribute__((tls_model("initial-exec")));

/* Adds n_bytes, which may be negative, to held_bytes of this thread's budget. BS_NO_MEMORY, without
 * a change, if the limit would be exceeded. Memory outside buffers may be counted, too. */
enum bs_status bs_memory_budget_add(int64_t n_bytes, struct bs_error *err) BS_WARN_UNUSED;

/* Frees the memory, or unmaps and closes the file. Afterwards the buffer is empty and in memory.
 * Accepts an empty buffer. */
void bs_buffer_deinit(struct bs_buffer *buffer);

/* Makes room for extra_bytes after used_bytes, which does not change. If the room does not suffice,
 * the capacity grows by at least half. BS_NO_MEMORY; BS_IO if the bytes are in a file. */
enum bs_status bs_buffer_reserve(struct bs_buffer *buffer, size_t extra_bytes,
                                 struct bs_error *err) BS_WARN_UNUSED;

static inline bool bs_buffer_equals(const struct bs_buffer *a, const struct bs_buffer *b)
{
	return a->used_bytes == b->used_bytes &&
	       (a->used_bytes == 0 || memcmp(a->data, b->data, a->used_bytes) == 0);
}

/* Appends n_bytes from bytes, which must not lie in the buffer itself. A failure (see
 * bs_buffer_reserve) leaves the buffer unchanged. Inline, because most appends are a few bytes
 * whose number the compiler knows. */
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

/* Removes the contents. Frees the memory (or closes the file) if the capacity exceeds most_bytes,
 * so that one huge item does not keep memory for good. */
void bs_buffer_trim(struct bs_buffer *buffer, size_t most_bytes);

/* Advises the system to use large pages for memory from malloc that will be used entirely. They
 * cause fewer page faults and TLB misses. Areas below 8 MiB are ignored. */
void bs_buffer_advise(void *data, size_t n_bytes);

/* Removes the contents, keeps the memory. */
static inline void bs_buffer_clear(struct bs_buffer *buffer)
{
	buffer->used_bytes = 0;
}

BS_END_DECLS
