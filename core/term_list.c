/* term_list.c: see term_list.h; bytes in FORMAT.md. */
#include "core/term_list.h"

#include <string.h>

#include "core/bytes.h"

#define HEAD_BYTES     8u   /* u32 ordinals, u32 the last one */
#define SAMPLE_BUCKETS 128u /* a quarter of a bit an ordinal or less; two to four words to look through */

/* Where the parts of a list stand, in bytes from its start. */
struct shape {
	uint32_t n;
	uint32_t last;
	uint32_t low_bits;
	uint64_t n_buckets;
	uint64_t lows_off;
	uint64_t highs_off;
	uint64_t end_off;
};

static struct shape shape_of(uint32_t n, uint32_t last)
{
	struct shape shape = {.n = n, .last = last};
	uint32_t spacing = last / n;
	shape.low_bits = spacing ? 31 - (uint32_t)__builtin_clz(spacing) : 0;
	shape.n_buckets = ((uint64_t)last >> shape.low_bits) + 1;
	shape.lows_off = HEAD_BYTES + (shape.n_buckets - 1) / SAMPLE_BUCKETS * 4;
	shape.highs_off = shape.lows_off + ((uint64_t)n * shape.low_bits + 7) / 8;
	shape.end_off = shape.highs_off + (n + shape.n_buckets + 7) / 8;
	return shape;
}

/* ---- writing ---- */

static void set_bits(uint8_t *bytes, uint64_t at, uint32_t value, uint32_t n_bits)
{
	for (uint32_t i = 0; i < n_bits; i++)
		bytes[(at + i) / 8] |= (uint8_t)((value >> i & 1) << ((at + i) % 8));
}

enum bs_status bs_term_list_append(struct bs_buffer *to, const uint32_t *ordinals, uint32_t n, struct bs_error *err)
{
	if (n == 0)
		return BS_OK;
	struct shape shape = shape_of(n, ordinals[n - 1]);
	enum bs_status status = bs_buffer_reserve(to, (size_t)shape.end_off, err);
	if (status)
		return status;
	uint8_t *list = to->data + to->used_bytes;
	memset(list, 0, (size_t)shape.end_off);
	bs_store_u32(list, n);
	bs_store_u32(list + 4, shape.last);
	for (uint64_t i = 0, sampled = 1; i < n; i++) {
		uint64_t bucket = ordinals[i] >> shape.low_bits;
		for (; sampled * SAMPLE_BUCKETS <= bucket; sampled++)
			bs_store_u32(list + HEAD_BYTES + (sampled - 1) * 4, (uint32_t)i);
		set_bits(list + shape.lows_off, i * shape.low_bits, ordinals[i], shape.low_bits);
		set_bits(list + shape.highs_off, bucket + i, 1, 1);
	}
	to->used_bytes += (size_t)shape.end_off;
	return BS_OK;
}

/* ---- reading ---- */

static enum bs_status corrupt_list(const struct bs_section *section, uint64_t start, struct bs_error *err)
{
	return bs_container_corrupt(section->file, err, "the plain signature at %llu does not decode",
	                            (unsigned long long)start);
}

static enum bs_status read_shape(const struct bs_section *section, uint64_t start, uint64_t end, struct shape *shape_out,
                                 struct bs_error *err)
{
	if (start > end || end - start < HEAD_BYTES)
		return corrupt_list(section, start, err);
	enum bs_status status = bs_section_touch(section, start, HEAD_BYTES, err);
	if (status)
		return status;
	uint32_t n = bs_load_u32(section->data + start);
	if (n == 0)
		return corrupt_list(section, start, err);
	*shape_out = shape_of(n, bs_load_u32(section->data + start + 4));
	return shape_out->end_off == end - start ? BS_OK : corrupt_list(section, start, err);
}

/* 57 bits or more from bit `at` of the bytes [from, to) of the section, zeros behind them; touched. */
static enum bs_status load_bits(const struct bs_section *section, uint64_t from, uint64_t to, uint64_t at,
                                uint64_t *bits_out, struct bs_error *err)
{
	uint64_t first = from + at / 8;
	*bits_out = 0;
	if (first >= to)
		return BS_OK;
	size_t n_bytes = to - first < 8 ? (size_t)(to - first) : 8;
	uint8_t bytes[8] = {0};
	enum bs_status status = bs_section_touch(section, first, n_bytes, err);
	if (status)
		return status;
	memcpy(bytes, section->data + first, n_bytes);
	*bits_out = bs_load_u64(bytes) >> (at % 8);
	return BS_OK;
}

/* The place in the unary part where a bucket begins: behind as many zeros. */
static enum bs_status find_bucket(const struct bs_section *section, uint64_t start, const struct shape *shape,
                                  uint64_t bucket, uint64_t *at_out, struct bs_error *err)
{
	uint64_t sampled = bucket / SAMPLE_BUCKETS;
	uint64_t n_zeros = bucket % SAMPLE_BUCKETS;
	uint64_t at = 0;
	if (sampled > 0) {
		uint64_t sample = start + HEAD_BYTES + (sampled - 1) * 4;
		enum bs_status status = bs_section_touch(section, sample, 4, err);
		if (status)
			return status;
		at = sampled * SAMPLE_BUCKETS + bs_load_u32(section->data + sample);
	}
	while (n_zeros > 0) {
		uint64_t bits;
		if (at >= shape->n + shape->n_buckets)
			return corrupt_list(section, start, err);
		enum bs_status status = load_bits(section, start + shape->highs_off, start + shape->end_off, at, &bits, err);
		if (status)
			return status;
		uint64_t zeros = ~bits & ((UINT64_C(1) << 56) - 1);
		uint64_t n = (uint64_t)__builtin_popcountll(zeros);
		if (n < n_zeros) {
			n_zeros -= n;
			at += 56;
			continue;
		}
		for (; n_zeros > 1; n_zeros--)
			zeros &= zeros - 1;
		at += (uint64_t)__builtin_ctzll(zeros) + 1;
		n_zeros = 0;
	}
	*at_out = at;
	return BS_OK;
}

enum bs_status bs_term_list_has(const struct bs_section *section, uint64_t start, uint64_t end, uint64_t ordinal,
                                bool *has_out, struct bs_error *err)
{
	struct shape shape;
	uint64_t at = 0;
	*has_out = false;
	if (start == end)
		return BS_OK;
	enum bs_status status = read_shape(section, start, end, &shape, err);
	if (status || ordinal > shape.last)
		return status;
	uint64_t bucket = ordinal >> shape.low_bits;
	uint64_t low_mask = (UINT64_C(1) << shape.low_bits) - 1;
	status = find_bucket(section, start, &shape, bucket, &at, err);
	for (; !status; at++) {
		uint64_t bits = 0, low = 0;
		status = load_bits(section, start + shape.highs_off, start + shape.end_off, at, &bits, err);
		if (status || !(bits & 1))
			return status;
		if (at - bucket >= shape.n) /* also if at < bucket */
			return corrupt_list(section, start, err);
		status = load_bits(section, start + shape.lows_off, start + shape.highs_off, (at - bucket) * shape.low_bits, &low,
		                   err);
		low &= low_mask;
		if (status || low >= (ordinal & low_mask)) {
			*has_out = !status && low == (ordinal & low_mask);
			return status;
		}
	}
	return status;
}

enum bs_status bs_term_list_count(const struct bs_section *section, uint64_t start, uint64_t end, uint32_t *n_out,
                                  struct bs_error *err)
{
	struct shape shape = {0};
	enum bs_status status = start == end ? BS_OK : read_shape(section, start, end, &shape, err);
	*n_out = status ? 0 : shape.n;
	return status;
}

enum bs_status bs_term_list_read(const struct bs_section *section, uint64_t start, uint64_t end,
                                 struct bs_buffer *ordinals, struct bs_error *err)
{
	struct shape shape;
	struct bs_buffer again = {0};
	bs_buffer_clear(ordinals);
	if (start == end)
		return BS_OK;
	enum bs_status status = read_shape(section, start, end, &shape, err);
	if (!status)
		status = bs_section_touch(section, start, end - start, err);
	uint64_t bucket = 0;
	uint32_t n = 0;
	uint64_t last = 0;
	for (uint64_t at = 0; !status && at < shape.n + shape.n_buckets && n < shape.n; at++) {
		uint64_t bits, low;
		status = load_bits(section, start + shape.highs_off, start + shape.end_off, at, &bits, err);
		if (status || !(bits & 1)) {
			bucket++;
			continue;
		}
		status = load_bits(section, start + shape.lows_off, start + shape.highs_off, (uint64_t)n * shape.low_bits, &low,
		                   err);
		uint64_t ordinal = bucket << shape.low_bits | (low & ((UINT64_C(1) << shape.low_bits) - 1));
		if (!status && (ordinal > shape.last || (n > 0 && ordinal <= last)))
			status = corrupt_list(section, start, err);
		uint32_t value = (uint32_t)ordinal;
		if (!status)
			status = bs_buffer_append(ordinals, &value, sizeof(value), err);
		last = ordinal;
		n++;
	}
	if (!status && (n != shape.n || last != shape.last))
		status = corrupt_list(section, start, err);
	/* Samples, and the bits that fill up bytes: as they would be written. */
	if (!status)
		status = bs_term_list_append(&again, (const uint32_t *)(const void *)ordinals->data, n, err);
	if (!status && memcmp(again.data, section->data + start, again.used_bytes) != 0)
		status = corrupt_list(section, start, err);
	bs_buffer_deinit(&again);
	return status;
}
