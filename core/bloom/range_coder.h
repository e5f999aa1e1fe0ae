/*
 * range_coder.h: yes and no in as few bits as their probabilities allow (G. N. N. Martin, "Range
 * encoding", 1979).
 *
 * What was coded so far is an interval [low, low + range) of the fractions below 1, of which low
 * has as many digits, bytes, as were needed so far. Each answer takes the part of the interval that
 * its probability is. A code is a fraction in the last interval, of one digit more. All of it is
 * integers: the same code on every machine.
 */
#pragma once

#include "core/base/buffer.h"

/* Below it, the range loses its first byte: what remains divides by 2^32, the unit of
 * probabilities, to 2^24 at least. */
#define BS_RANGE_LEAST (UINT64_C(1) << 56)

struct bs_range_encoder {
	struct bs_buffer *out; /* the code is appended; begins where the encoder was made */
	size_t start;
	uint64_t low;
	uint64_t range;
	enum bs_status status; /* sticky */
	struct bs_error *err;
};

struct bs_range_encoder bs_range_encoder_of(struct bs_buffer *out, struct bs_error *err);
/* An answer, and how probable `yes` was, in 1 .. 2^32 - 1 of 2^32. */
void bs_range_put(struct bs_range_encoder *encoder, bool yes, uint32_t probability);
/* The first failure, if there was one: BS_NO_MEMORY. */
enum bs_status bs_range_finish(struct bs_range_encoder *encoder) BS_WARN_UNUSED;

struct bs_range_decoder {
	const uint8_t *bytes;
	size_t n_bytes;
	uint64_t at;   /* the next of them; beyond the last there are zeros */
	uint64_t code; /* from low */
	uint64_t range;
};

/* Of bytes that stay. Whatever they are, each answer is one; whether they were a code,
 * bs_range_ends_well says. */
struct bs_range_decoder bs_range_decoder_of(const uint8_t *bytes, size_t n_bytes);

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

/* More was asked than the bytes can have told. */
static inline bool bs_range_is_over(const struct bs_range_decoder *decoder)
{
	return decoder->at > (uint64_t)decoder->n_bytes + 7;
}

/* After the last answer: the bytes are as many as these answers took. */
bool bs_range_ends_well(const struct bs_range_decoder *decoder);
