#ifndef RING_BUFFER_H
#define RING_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

/* A queue of 256 bytes for one reader and one writer. The indices wrap by themselves because they are uint8_t. */
struct ring_buffer {
	uint8_t bytes[256];
	uint8_t head; /* where the writer puts the next byte */
	uint8_t tail; /* where the reader takes the next byte */
};

static inline bool ring_put(struct ring_buffer *ring, uint8_t byte)
{
	if ((uint8_t)(ring->head + 1) == ring->tail)
		return false; /* full */
	ring->bytes[ring->head++] = byte;
	return true;
}

static inline bool ring_take(struct ring_buffer *ring, uint8_t *byte_out)
{
	if (ring->head == ring->tail)
		return false; /* empty */
	*byte_out = ring->bytes[ring->tail++];
	return true;
}

#endif
