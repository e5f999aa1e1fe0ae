/* buffer.c: bytes that grow. See buffer.h. */
#include "core/buffer.h"

#include <stdlib.h>
#include <string.h>

void bs_buffer_deinit(struct bs_buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct bs_buffer){0};
}

enum bs_status bs_buffer_reserve(struct bs_buffer *buffer, size_t extra_bytes, struct bs_error *err)
{
	if (extra_bytes <= buffer->capacity_bytes - buffer->used_bytes)
		return BS_OK;
	if (extra_bytes > SIZE_MAX / 2 - buffer->used_bytes)
		return bs_fail_memory(err, "a growing buffer", extra_bytes);
	size_t wanted = buffer->used_bytes + extra_bytes;
	size_t capacity = buffer->capacity_bytes + buffer->capacity_bytes / 2;
	if (capacity < wanted)
		capacity = wanted;
	if (capacity < 64)
		capacity = 64;
	uint8_t *data = realloc(buffer->data, capacity);
	if (!data)
		return bs_fail_memory(err, "a growing buffer", capacity);
	buffer->data = data;
	buffer->capacity_bytes = capacity;
	return BS_OK;
}

enum bs_status bs_buffer_append(struct bs_buffer *buffer, const void *bytes, size_t n_bytes, struct bs_error *err)
{
	enum bs_status status = bs_buffer_reserve(buffer, n_bytes, err);
	if (status)
		return status;
	if (n_bytes)
		memcpy(buffer->data + buffer->used_bytes, bytes, n_bytes);
	buffer->used_bytes += n_bytes;
	return BS_OK;
}

void bs_buffer_trim(struct bs_buffer *buffer, size_t most_bytes)
{
	if (buffer->capacity_bytes > most_bytes)
		bs_buffer_deinit(buffer);
	bs_buffer_clear(buffer);
}
