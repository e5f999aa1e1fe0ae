/* buffer.c: see buffer.h. */
#include "core/base/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_BYTES       ((uintptr_t)4096)
#define LARGE_BYTES      ((size_t)8 << 20)
#define LARGE_PAGE_BYTES ((size_t)2 << 20)
/* An upper bound of the bytes that malloc adds before and after a block. A large capacity leaves
 * room for them in its last large page. */
#define MALLOC_BYTES ((size_t)64)

__thread struct bs_memory_budget *bs_memory_budget_here;

enum bs_status bs_memory_budget_add(int64_t n_bytes, struct bs_error *err)
{
	struct bs_memory_budget *budget = bs_memory_budget_here;
	if (!budget)
		return BS_OK;
	int64_t held = __atomic_fetch_add(&budget->held_bytes, n_bytes, __ATOMIC_RELAXED) + n_bytes;
	if (n_bytes <= 0 || held <= 0 || (uint64_t)held <= budget->most_bytes)
		return BS_OK;
	__atomic_fetch_sub(&budget->held_bytes, n_bytes, __ATOMIC_RELAXED);
	return bs_fail(err, BS_NO_MEMORY,
	               "out of memory: this needs more than the memory limit of %llu bytes",
	               (unsigned long long)budget->most_bytes);
}

void bs_buffer_deinit(struct bs_buffer *buffer)
{
	if (buffer->file) {
		if (buffer->data)
			munmap(buffer->data, buffer->capacity_bytes);
		close(buffer->file - 1);
		*buffer = (struct bs_buffer){0};
		return;
	}
	if (buffer->capacity_bytes > 0)
		(void)!bs_memory_budget_add(-(int64_t)buffer->capacity_bytes, NULL);
	free(buffer->data);
	*buffer = (struct bs_buffer){0};
}

/* Allocates disk space. Without it, writing to a mapped page on a full disk would kill the process
 * (SIGBUS). */
static enum bs_status take_space(int fd, uint64_t offset, size_t n_bytes, struct bs_error *err)
{
	int code;
	do
		code = posix_fallocate(fd, (off_t)offset, (off_t)n_bytes);
	while (code == EINTR);
	return code ? bs_fail(err, BS_IO, "a temporary file: cannot take %zu bytes: %s", n_bytes,
	                      strerror(code))
	            : BS_OK;
}

enum bs_status bs_map_file(int fd, uint64_t offset, size_t n_bytes, void **map_out,
                           struct bs_error *err)
{
	enum bs_status status = take_space(fd, offset, n_bytes, err);
	*map_out =
		status ? MAP_FAILED
		       : mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
	if (*map_out != MAP_FAILED)
		return BS_OK;
	*map_out = NULL;
	return status ? status : bs_fail_memory(err, "a temporary file", n_bytes);
}

static enum bs_status reserve_in_file(struct bs_buffer *buffer, size_t wanted, struct bs_error *err)
{
	size_t capacity = buffer->capacity_bytes + buffer->capacity_bytes / 2;
	void *data;
	if (capacity < wanted)
		capacity = wanted;
	capacity = bs_file_pages_bytes(capacity);
	if (!buffer->data) {
		enum bs_status status = bs_map_file(buffer->file - 1, 0, capacity, &data, err);
		if (status)
			return status;
	} else {
		enum bs_status status = take_space(buffer->file - 1, buffer->capacity_bytes,
		                                   capacity - buffer->capacity_bytes, err);
		if (status)
			return status;
		data = mremap(buffer->data, buffer->capacity_bytes, capacity, MREMAP_MAYMOVE);
		if (data == MAP_FAILED)
			return bs_fail_memory(err, "a temporary file", capacity);
	}
	buffer->data = data;
	buffer->capacity_bytes = capacity;
	return BS_OK;
}

enum bs_status bs_buffer_reserve(struct bs_buffer *buffer, size_t extra_bytes, struct bs_error *err)
{
	if (extra_bytes <= buffer->capacity_bytes - buffer->used_bytes)
		return BS_OK;
	if (extra_bytes > SIZE_MAX / 2 - buffer->used_bytes)
		return bs_fail_memory(err, "a growing buffer", extra_bytes);
	size_t wanted = buffer->used_bytes + extra_bytes;
	if (buffer->file)
		return reserve_in_file(buffer, wanted, err);
	size_t capacity = buffer->capacity_bytes + buffer->capacity_bytes / 2;
	/* Large buffers grow four-fold: unused pages take no memory, and a move may split large
	 * pages. */
	if (capacity >= LARGE_BYTES)
		capacity = buffer->capacity_bytes * 4;
	if (capacity < wanted)
		capacity = wanted;
	if (capacity < 64)
		capacity = 64;
	/* Rounds a large capacity so that malloc's mapping consists of whole large pages. If the
	 * kernel also aligns the mapping to a large page, mremap moves whole large pages. */
	if (capacity >= LARGE_BYTES)
		capacity = (capacity + LARGE_PAGE_BYTES - 1) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES -
		           MALLOC_BYTES;
	if (capacity < wanted)
		capacity += LARGE_PAGE_BYTES;
	enum bs_status status =
		bs_memory_budget_add((int64_t)(capacity - buffer->capacity_bytes), err);
	if (status)
		return status;
	uint8_t *data = realloc(buffer->data, capacity);
	if (!data) {
		(void)!bs_memory_budget_add((int64_t)buffer->capacity_bytes - (int64_t)capacity,
		                            NULL);
		return bs_fail_memory(err, "a growing buffer", capacity);
	}
	bs_buffer_advise(data, capacity);
	buffer->data = data;
	buffer->capacity_bytes = capacity;
	return BS_OK;
}

void bs_buffer_advise(void *data, size_t n_bytes)
{
#ifdef MADV_HUGEPAGE
	/* Advises whole pages at both ends. A mapping that is advised in part becomes two mappings,
	 * which realloc must copy because mremap cannot move them. */
	uintptr_t start = (uintptr_t)data & ~(PAGE_BYTES - 1);
	uintptr_t end = ((uintptr_t)data + n_bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	if (n_bytes >= LARGE_BYTES)
		(void)madvise((void *)start, end - start, MADV_HUGEPAGE);
#else
	(void)data, (void)n_bytes;
#endif
}

void bs_buffer_trim(struct bs_buffer *buffer, size_t most_bytes)
{
	if (buffer->capacity_bytes > most_bytes)
		bs_buffer_deinit(buffer);
	bs_buffer_clear(buffer);
}
