/* buffer_rig.h: appends to buffers, and prints bytes. Fails the test if memory runs out. */
#pragma once

#include "core/base/buffer.h"
#include "core/bitsift/api.h"

/* Releases a vector of any type of core/base/vector.h, for AUTO. */
static inline void vector_deinit(void *vector)
{
	bs_buffer_deinit(vector);
}

void append_bytes(struct bs_buffer *to, const void *bytes, size_t n_bytes);
void append_string(struct bs_buffer *to, const char *text);
void append_repeated(struct bs_buffer *to, const char *text, size_t n_times);
void append_format(struct bs_buffer *to, const char *format, ...) BS_PRINTF(2, 3);

/* Prints the bytes to standard error in one line, after `name`. */
void print_escaped(const char *name, const void *bytes, size_t n_bytes);
