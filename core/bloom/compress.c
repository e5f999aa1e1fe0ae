/* compress.c: compressed filters (Mitzenmacher, "Compressed Bloom Filters", 2002) and deltas of
 * filters. See bitsift/bloom.h. */
#include <stdlib.h>

#include "core/bitsift/bloom.h"
#include "core/bloom/bit_code.h"
#include "core/bloom/plain.h"
#include "core/bloom/stored.h"

/* Writes the header into the bytes reserved at the start of `form` (header and body), and returns a
 * copy of `form`, allocated with malloc. */
static enum bs_status seal(const struct bs_stored *stored, struct bs_buffer *form,
                           uint8_t **bytes_out, size_t *n_bytes_out, struct bs_error *err)
{
	*bytes_out = malloc(form->used_bytes);
	if (!*bytes_out)
		return bs_fail_memory(err, "a compressed Bloom filter", form->used_bytes);
	bs_stored_seal(stored, form->data, form->used_bytes);
	memcpy(*bytes_out, form->data, form->used_bytes);
	*n_bytes_out = form->used_bytes;
	return BS_OK;
}

/* Reserves n_bytes at the start of an empty form; the caller fills them later. */
static enum bs_status begin(struct bs_buffer *form, size_t n_bytes, struct bs_error *err)
{
	enum bs_status status = bs_buffer_reserve(form, n_bytes, err);
	if (!status)
		form->used_bytes = n_bytes;
	return status;
}

enum bs_status bs_bloom_compress(struct bs_bloom_view view, uint8_t **bytes_out,
                                 size_t *n_bytes_out, struct bs_error *err)
{
	struct bs_stored stored = {BS_STORED_COMPRESSED, view.n_hashes, view.n_bits,
	                           bs_bloom_n_set(view)};
	struct bs_buffer form = {0};
	*bytes_out = NULL;
	*n_bytes_out = 0;
	enum bs_status status = begin(&form, BS_STORED_HEAD_BYTES, err);
	if (!status)
		status = bs_bit_encode(view.bits, view.n_bits, stored.number, &form, err);
	if (!status)
		status = seal(&stored, &form, bytes_out, n_bytes_out, err);
	bs_buffer_deinit(&form);
	return status;
}

enum bs_status bs_bloom_decompress(const uint8_t *bytes, size_t n_bytes, uint64_t max_bits,
                                   struct bs_bloom **bloom_out, struct bs_error *err)
{
	struct bs_stored stored;
	*bloom_out = NULL;
	enum bs_status status = bs_stored_read(BS_STORED_COMPRESSED, bytes, n_bytes, &stored, err);
	if (!status)
		status = bs_stored_check_body(BS_STORED_COMPRESSED, bytes, n_bytes, err);
	if (status)
		return status;
	if (max_bits && stored.n_bits > max_bits)
		return bs_fail(err, BS_INVALID,
		               "compressed Bloom filter: of %llu bits, where %llu are allowed",
		               (unsigned long long)stored.n_bits, (unsigned long long)max_bits);
	status = bs_bloom_new(stored.n_bits, stored.n_hashes, bloom_out, err);
	if (status)
		return status;
	if (bs_bit_decode(bytes + BS_STORED_HEAD_BYTES, n_bytes - BS_STORED_HEAD_BYTES,
	                  stored.n_bits, stored.number, bs_bloom_bits(*bloom_out)))
		return BS_OK;
	bs_bloom_free(*bloom_out);
	*bloom_out = NULL;
	return bs_stored_corrupt(BS_STORED_COMPRESSED, BS_STORED_HEAD_BYTES, err,
	                         "no code of %llu bits, %llu of them set",
	                         (unsigned long long)stored.n_bits,
	                         (unsigned long long)stored.number);
}

/* A delta. The receiver has the old filter and thus knows where its zeros and ones are. The delta
 * is two bit arrays: which zeros became ones, and which ones became zeros. Each is coded with its
 * own density. If keys were only added, the second array costs nothing. */
struct side {
	uint64_t n_bits;    /* number of zeros, or of ones, in the old filter */
	uint64_t n_changed; /* number of these bits that have changed */
	uint8_t *changed;   /* bit i: the i-th zero (or one) has changed */
};

struct sides {
	struct side zeros;
	struct side ones;
};

static enum bs_status side_new(struct side *side, struct bs_error *err)
{
	/* 8 more bytes, because marked() may load the word after the last one. */
	side->changed = calloc(1, bs_bits_bytes(side->n_bits) + 8);
	return side->changed ? BS_OK
	                     : bs_fail_memory(err, "a delta of a Bloom filter",
	                                      bs_bits_bytes(side->n_bits));
}

/* Allocates both sides for the bits of `from`. Call sides_free even after a failure. */
static enum bs_status sides_new(struct sides *sides, struct bs_bloom_view from,
                                struct bs_error *err)
{
	*sides = (struct sides){.ones.n_bits = bs_bloom_n_set(from)};
	sides->zeros.n_bits = from.n_bits - sides->ones.n_bits;
	enum bs_status status = side_new(&sides->zeros, err);
	return status ? status : side_new(&sides->ones, err);
}

static void sides_free(struct sides *sides)
{
	free(sides->zeros.changed);
	free(sides->ones.changed);
}

/* Marks the changed bits of a side in one word of the filter. mine: the bits of the word that
 * belong to the side; the lowest of them has the number `first` in the side. changed: the bits of
 * the word that have changed, on both sides. */
static void mark(struct side *side, uint64_t mine, uint64_t changed, uint64_t first)
{
	for (changed &= mine; changed; changed &= changed - 1) {
		uint64_t below = (changed & -changed) - 1, at = first + bs_count_bits(mine & below);
		side->changed[at / 8] |= (uint8_t)(1 << at % 8);
		side->n_changed++;
	}
}

/* The bits of `mine` that are marked as changed; mine and first as for mark(). */
static uint64_t marked(const struct side *side, uint64_t mine, uint64_t first)
{
	uint64_t marks = bs_load_u64(side->changed + first / 64 * 8) >> first % 64, found = 0;
	if (first % 64)
		marks |= bs_load_u64(side->changed + first / 64 * 8 + 8) << (64 - first % 64);
	uint32_t n = bs_count_bits(mine);
	for (marks &= n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX; marks; marks &= marks - 1) {
		uint64_t left = mine;
		for (uint32_t rank = bs_count_bits((marks & -marks) - 1); rank; rank--)
			left &= left - 1;
		found |= left & -left;
	}
	return found;
}

/* A mask of the bits that exist in the word at byte i. */
static uint64_t word_mask(struct bs_bloom_view view, size_t i)
{
	return i + 8 == bs_bits_bytes(view.n_bits) && view.n_bits % 64
	               ? (UINT64_C(1) << view.n_bits % 64) - 1
	               : UINT64_MAX;
}

/* Marks which zeros became ones, and which ones became zeros. */
static void find_changes(struct sides *sides, struct bs_bloom_view from, struct bs_bloom_view to)
{
	uint64_t n_zeros = 0, n_ones = 0;
	for (size_t i = 0; i < bs_bits_bytes(from.n_bits); i += 8) {
		uint64_t old = bs_load_u64(from.bits + i), zeros = ~old & word_mask(from, i);
		uint64_t changed = old ^ bs_load_u64(to.bits + i);
		if (changed) {
			mark(&sides->zeros, zeros, changed, n_zeros);
			mark(&sides->ones, old, changed, n_ones);
		}
		n_zeros += bs_count_bits(zeros);
		n_ones += bs_count_bits(old);
	}
}

/* Writes to `to` the bits of `from` with the marked bits flipped. */
static void make_changes(const struct sides *sides, struct bs_bloom_view from, uint8_t *to)
{
	uint64_t n_zeros = 0, n_ones = 0;
	for (size_t i = 0; i < bs_bits_bytes(from.n_bits); i += 8) {
		uint64_t old = bs_load_u64(from.bits + i), zeros = ~old & word_mask(from, i);
		bs_store_u64(to + i, old ^ marked(&sides->zeros, zeros, n_zeros) ^
		                             marked(&sides->ones, old, n_ones));
		n_zeros += bs_count_bits(zeros);
		n_ones += bs_count_bits(old);
	}
}

/* The body of a delta begins with four numbers of 64 bits: the number of ones that became zeros,
 * the checksum of the old bits, the checksum of the new bits, and the length of the first code in
 * bytes. (The number of zeros that became ones is in the header.) */
#define DELTA_FIELD_BYTES 32u

enum bs_status bs_bloom_delta(struct bs_bloom_view from, struct bs_bloom_view to,
                              uint8_t **bytes_out, size_t *n_bytes_out, struct bs_error *err)
{
	const size_t fields_at = BS_STORED_HEAD_BYTES, codes_at = fields_at + DELTA_FIELD_BYTES;
	struct bs_buffer form = {0};
	struct sides sides;
	*bytes_out = NULL;
	*n_bytes_out = 0;
	enum bs_status status = bs_bloom_check_same(from, to, err);
	if (status)
		return status;
	status = sides_new(&sides, from, err);
	if (status)
		goto out;
	find_changes(&sides, from, to);
	status = begin(&form, codes_at, err);
	if (!status)
		status = bs_bit_encode(sides.zeros.changed, sides.zeros.n_bits,
		                       sides.zeros.n_changed, &form, err);
	size_t second_at = form.used_bytes;
	if (!status)
		status = bs_bit_encode(sides.ones.changed, sides.ones.n_bits, sides.ones.n_changed,
		                       &form, err);
	if (status)
		goto out;
	bs_store_u64(form.data + fields_at, sides.ones.n_changed);
	bs_store_u64(form.data + fields_at + 8, bs_checksum(from.bits, bs_bits_bytes(from.n_bits)));
	bs_store_u64(form.data + fields_at + 16, bs_checksum(to.bits, bs_bits_bytes(to.n_bits)));
	bs_store_u64(form.data + fields_at + 24, second_at - codes_at);
	struct bs_stored stored = {BS_STORED_DELTA, from.n_hashes, from.n_bits,
	                           sides.zeros.n_changed};
	status = seal(&stored, &form, bytes_out, n_bytes_out, err);
out:
	sides_free(&sides);
	bs_buffer_deinit(&form);
	return status;
}

enum bs_status bs_bloom_apply(struct bs_bloom *bloom, const uint8_t *bytes, size_t n_bytes,
                              struct bs_error *err)
{
	struct bs_bloom_view from = bs_bloom_look(bloom);
	struct bs_bloom *to = NULL;
	struct sides sides = {0};
	struct bs_stored stored;
	enum bs_status status = bs_stored_read(BS_STORED_DELTA, bytes, n_bytes, &stored, err);
	if (!status)
		status = bs_stored_check_body(BS_STORED_DELTA, bytes, n_bytes, err);
	if (status)
		return status;
	if (n_bytes < BS_STORED_HEAD_BYTES + DELTA_FIELD_BYTES)
		return bs_stored_corrupt(BS_STORED_DELTA, n_bytes, err, "cut off");
	const uint8_t *fields = bytes + BS_STORED_HEAD_BYTES, *codes = fields + DELTA_FIELD_BYTES,
		      *end = bytes + n_bytes;
	uint64_t first_bytes = bs_load_u64(fields + 24);
	if (first_bytes > (uint64_t)(end - codes))
		return bs_stored_corrupt(BS_STORED_DELTA, BS_STORED_HEAD_BYTES + 24, err,
		                         "a code of %llu bytes, of which there are %zu",
		                         (unsigned long long)first_bytes, (size_t)(end - codes));
	if (stored.n_bits != from.n_bits || stored.n_hashes != from.n_hashes ||
	    bs_load_u64(fields + 8) != bs_checksum(from.bits, bs_bits_bytes(from.n_bits)))
		return bs_fail(err, BS_INVALID,
		               "delta of a Bloom filter: it was made for another filter");
	status = bs_bloom_new(from.n_bits, from.n_hashes, &to, err);
	if (!status)
		status = sides_new(&sides, from, err);
	if (status)
		goto out;
	if (!bs_bit_decode(codes, (size_t)first_bytes, sides.zeros.n_bits, stored.number,
	                   sides.zeros.changed)) {
		status =
			bs_stored_corrupt(BS_STORED_DELTA, BS_STORED_HEAD_BYTES + DELTA_FIELD_BYTES,
		                          err, "no code of what was set");
		goto out;
	}
	if (!bs_bit_decode(codes + first_bytes, (size_t)(end - codes) - (size_t)first_bytes,
	                   sides.ones.n_bits, bs_load_u64(fields), sides.ones.changed)) {
		status = bs_stored_corrupt(BS_STORED_DELTA,
		                           BS_STORED_HEAD_BYTES + DELTA_FIELD_BYTES + first_bytes,
		                           err, "no code of what was cleared");
		goto out;
	}
	make_changes(&sides, from, bs_bloom_bits(to));
	if (bs_load_u64(fields + 16) !=
	    bs_checksum(bs_bloom_bits(to), bs_bits_bytes(from.n_bits))) {
		status = bs_stored_corrupt(BS_STORED_DELTA, BS_STORED_HEAD_BYTES + 16, err,
		                           "it makes another filter than it says");
		goto out;
	}
	memcpy(bs_bloom_bits(bloom), bs_bloom_bits(to), bs_bits_bytes(from.n_bits));
out:
	sides_free(&sides);
	bs_bloom_free(to);
	return status;
}
