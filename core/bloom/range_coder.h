/*
 * range_coder.h: codes yes-or-no answers in as few bits as their probabilities allow (G. N. N.
 * Martin, "Range encoding", 1979).
 *
 * The answers coded so far are an interval [low, low + range) of the fractions below 1. An answer
 * narrows the interval to a part whose size is proportional to the answer's probability; `low` gets
 * another digit (a byte) whenever the range has become 256 times smaller. The code is a fraction in
 * the final interval, with one more digit. All arithmetic is on integers, so that the code is the
 * same on every machine.
 */
#pragma once

#include "core/base/buffer.h"

/* When the range falls below this, it is multiplied by 256 and a byte of the code is written or
 * read. The range divided by 2^32, the unit of probabilities, is therefore at least 2^24. */
#define BS_RANGE_LEAST (UINT64_C(1) << 56)

struct bs_range_encoder {
	/* The digits of the code are appended here, from `start` on. */
	struct bs_buffer *out;
	size_t start;
	uint64_t low;   /* the digits of `low` that are not yet in `out`, as a fraction of 2^64 */
	uint64_t range; /* size of the interval, in the unit of `low` */
	enum bs_status status; /* the first failure; after it nothing is appended */
	struct bs_error *err;
};

struct bs_range_encoder bs_range_encoder_of(struct bs_buffer *out, struct bs_error *err);
/* Codes an answer. probability: of `yes`, as a fraction of 2^32, in 1..2^32-1. */
void bs_range_put(struct bs_range_encoder *encoder, bool yes, uint32_t probability);
/* Completes the code. Returns the first failure of the encoder: BS_NO_MEMORY. */
enum bs_status bs_range_finish(struct bs_range_encoder *encoder) BS_WARN_UNUSED;

struct bs_range_decoder {
	const uint8_t *bytes;
	size_t n_bytes;
	uint64_t at;   /* position of the next byte; after the last byte, zeros are read */
	uint64_t code; /* the code read so far, minus the `low` of the encoder */
	uint64_t range;
};

/* Borrows the bytes. Any bytes decode to some answers; bs_range_ends_well reports whether they were
 * a valid code. */
struct bs_range_decoder bs_range_decoder_of(const uint8_t *bytes, size_t n_bytes);

/* Decodes an answer. probability: as passed to bs_range_put. */
static inline bool bs_range_get(struct bs_range_decoder *decoder, uint32_t probability)
{
	uint64_t split = (decoder->range >> 32) * probability;
	bool yes = decoder->code < split;
	if (yes) {
		decoder->range = split;
	} else {
		decoder->code -= split;
		decoder->range -= split;
	}
	while (decoder->range < BS_RANGE_LEAST) {
		decoder->code = decoder->code << 8 |
		                (decoder->at < decoder->n_bytes ? decoder->bytes[decoder->at] : 0);
		decoder->range <<= 8;
		decoder->at++;
	}
	return yes;
}

/* True if the answers so far needed more bytes than the code has. */
static inline bool bs_range_is_over(const struct bs_range_decoder *decoder)
{
	return decoder->at > (uint64_t)decoder->n_bytes + 7;
}

/* True if the code is valid and has exactly the length that the decoded answers need. Call it after
 * the last answer. */
bool bs_range_ends_well(const struct bs_range_decoder *decoder);
