/* range_coder.c: see range_coder.h. */
#include "core/bloom/range_coder.h"

struct bs_range_encoder bs_range_encoder_of(struct bs_buffer *out, struct bs_error *err)
{
	return (struct bs_range_encoder){
		.out = out, .start = out->used_bytes, .range = UINT64_MAX, .err = err};
}

/* Adds 1 to the last digit written. Never overflows, because the fraction is below 1. */
static void carry(struct bs_range_encoder *encoder)
{
	size_t i = encoder->out->used_bytes;
	while (!encoder->status && i > encoder->start && ++encoder->out->data[--i] == 0)
		;
}

static void write_digit(struct bs_range_encoder *encoder)
{
	if (!encoder->status && encoder->out->used_bytes == encoder->out->capacity_bytes)
		encoder->status = bs_buffer_reserve(encoder->out, 4096, encoder->err);
	if (!encoder->status)
		encoder->out->data[encoder->out->used_bytes++] = (uint8_t)(encoder->low >> 56);
	encoder->low <<= 8;
}

void bs_range_put(struct bs_range_encoder *encoder, bool yes, uint32_t probability)
{
	uint64_t split = (encoder->range >> 32) * probability;
	if (yes) {
		encoder->range = split;
	} else {
		encoder->low += split;
		if (encoder->low < split)
			carry(encoder);
		encoder->range -= split;
	}
	while (encoder->range < BS_RANGE_LEAST) {
		write_digit(encoder);
		encoder->range <<= 8;
	}
}

enum bs_status bs_range_finish(struct bs_range_encoder *encoder)
{
	/* The range is at least 2^56, so one more digit identifies a fraction in it. */
	encoder->low += BS_RANGE_LEAST - 1;
	if (encoder->low < BS_RANGE_LEAST - 1)
		carry(encoder);
	write_digit(encoder);
	return encoder->status;
}

struct bs_range_decoder bs_range_decoder_of(const uint8_t *bytes, size_t n_bytes)
{
	struct bs_range_decoder decoder = {.bytes = bytes, .n_bytes = n_bytes, .range = UINT64_MAX};
	for (; decoder.at < 8; decoder.at++)
		decoder.code = decoder.code << 8 | (decoder.at < n_bytes ? bytes[decoder.at] : 0);
	return decoder;
}

bool bs_range_ends_well(const struct bs_range_decoder *decoder)
{
	return decoder->code < decoder->range && decoder->at == (uint64_t)decoder->n_bytes + 7;
}
