/*
 * fuzz_filter.c: fuzz targets, one for each reader of a stored filter (FUZZ_KIND). A reader must
 * not read out of bounds, and an accepted filter must be the same after it is stored again. Each
 * input is read unchanged and, if it has at least 64 bytes, again with a valid head and valid
 * checksums, so that the reader gets to the body.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/bitsift/bloom.h"

/* The largest filter that an input of read_compressed or read_delta can make. */
#define MOST_BITS (1u << 14)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

/* A check that remains in builds without assertions. */
static inline void must(bool holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "%s\n", what);
		abort();
	}
}
#define MUST(condition) must(condition, #condition)

static void *room(size_t n_bytes)
{
	void *bytes = malloc(n_bytes ? n_bytes : 1);
	MUST(bytes != NULL);
	return bytes;
}

static struct bs_bloom_key some_key(uint64_t i)
{
	return bs_bloom_key_of_hash(i * UINT64_C(0x9e3779b97f4a7c15));
}

static bool same_bits(struct bs_bloom_view a, struct bs_bloom_view b)
{
	return a.n_bits == b.n_bits && a.n_hashes == b.n_hashes &&
	       memcmp(a.bits, b.bits, (a.n_bits + UINT64_C(63)) / 64 * 8) == 0;
}

static void read_plain(uint8_t *bytes, size_t n_bytes)
{
	struct bs_error err;
	struct bs_bloom_view view, head;
	enum bs_status status = bs_bloom_read(bytes, n_bytes, &view, &err),
		       of_head = bs_bloom_read_head(bytes, n_bytes, &head, &err);
	MUST(status || !of_head);
	if (!of_head)
		bs_bloom_has(head, some_key(n_bytes));
	if (status)
		return;
	MUST(bs_bloom_n_set(view) <= view.n_bits && !(bs_bloom_cardinality(view) < 0));
	MUST(bs_bloom_stored_bytes(view) == n_bytes);
	uint8_t *again = room(n_bytes);
	bs_bloom_store(view, again);
	MUST(memcmp(bytes, again, n_bytes) == 0);
	free(again);
}

static void read_counting(uint8_t *bytes, size_t n_bytes)
{
	struct bs_error err;
	struct bs_counting *counting;
	struct bs_bloom *bloom;
	if (bs_counting_read(bytes, n_bytes, &counting, &err))
		return;
	MUST(bs_counting_stored_bytes(counting) == n_bytes);
	uint8_t *again = room(n_bytes);
	bs_counting_store(counting, again);
	MUST(memcmp(bytes, again, n_bytes) == 0);
	free(again);
	for (uint64_t i = 0; i < 40; i++) {
		bool had = bs_counting_has(counting, some_key(i % 20));
		MUST(bs_counting_remove(counting, some_key(i % 20)) == had);
		bs_counting_add(counting, some_key(i));
		MUST(bs_counting_has(counting, some_key(i)));
	}
	MUST(bs_counting_to_bloom(counting, &bloom, &err) == BS_OK);
	for (uint64_t i = 0; i < 60; i++)
		MUST(bs_bloom_has(bs_bloom_look(bloom), some_key(i)) ==
		     bs_counting_has(counting, some_key(i)));
	bs_bloom_free(bloom);
	bs_counting_free(counting);
}

static void read_compressed(uint8_t *bytes, size_t n_bytes)
{
	struct bs_error err;
	struct bs_bloom *bloom, *again;
	uint8_t *code;
	size_t code_bytes;
	if (bs_bloom_decompress(bytes, n_bytes, MOST_BITS, &bloom, &err))
		return;
	struct bs_bloom_view view = bs_bloom_look(bloom);
	MUST(view.n_bits <= MOST_BITS);
	MUST(bs_bloom_compress(view, &code, &code_bytes, &err) == BS_OK);
	MUST(bs_bloom_decompress(code, code_bytes, 0, &again, &err) == BS_OK);
	MUST(same_bits(view, bs_bloom_look(again)));
	free(code);
	bs_bloom_free(again);
	bs_bloom_free(bloom);
}

/* Applies the bytes as a delta to a made-up filter, unchanged and then with the filter's checksum
 * in the delta. Also makes the delta between two filters to which the bytes were added as keys. */
static void read_delta(uint8_t *bytes, size_t n_bytes)
{
	struct bs_error err;
	struct bs_bloom *from, *to, *copy;
	uint64_t n_bits = n_bytes < 96 ? 0 : bs_load_u64(bytes + 24);
	uint32_t n_hashes = n_bytes < 96 ? 0 : bs_load_u32(bytes + 20);
	if (n_bits > MOST_BITS || bs_bloom_new(n_bits, n_hashes, &from, &err))
		return;
	for (uint64_t i = 0; i < n_bits / 10; i++)
		bs_bloom_add(from, some_key(i));
	MUST(bs_bloom_copy(bs_bloom_look(from), &to, &err) == BS_OK);
	bool is_applied = !bs_bloom_apply(to, bytes, n_bytes, &err);
	MUST(is_applied || same_bits(bs_bloom_look(from), bs_bloom_look(to)));
	bs_store_u64(bytes + 72, bs_checksum(bs_bloom_look(from).bits, (n_bits + 63) / 64 * 8));
	bs_store_u64(bytes + 48, bs_checksum(bytes + 64, n_bytes - 64));
	bs_store_u64(bytes + 56, bs_checksum(bytes, 56));
	is_applied |= !bs_bloom_apply(to, bytes, n_bytes, &err);
	MUST(is_applied || same_bits(bs_bloom_look(from), bs_bloom_look(to)));

	for (size_t i = 64; i < n_bytes; i++)
		bs_bloom_add(i % 2 ? from : to, some_key(bytes[i]));
	uint8_t *delta;
	size_t delta_bytes;
	MUST(bs_bloom_copy(bs_bloom_look(from), &copy, &err) == BS_OK);
	MUST(bs_bloom_delta(bs_bloom_look(from), bs_bloom_look(to), &delta, &delta_bytes, &err) ==
	     BS_OK);
	MUST(bs_bloom_apply(copy, delta, delta_bytes, &err) == BS_OK);
	MUST(same_bits(bs_bloom_look(copy), bs_bloom_look(to)));
	free(delta);
	bs_bloom_free(copy);
	bs_bloom_free(from);
	bs_bloom_free(to);
}

static void read_attenuated(uint8_t *bytes, size_t n_bytes)
{
	struct bs_error err;
	struct bs_attenuated_view view, head;
	struct bs_attenuated *own;
	enum bs_status status = bs_attenuated_read(bytes, n_bytes, &view, &err);
	enum bs_status of_head = bs_attenuated_read_head(bytes, n_bytes, &head, &err);
	MUST(status || !of_head);
	if (!of_head)
		MUST(bs_attenuated_nearest(head, some_key(n_bytes)) <= head.n_levels);
	if (status)
		return;
	MUST(bs_attenuated_new(view.n_levels, view.n_bits, view.n_hashes, &own, &err) == BS_OK);
	MUST(bs_attenuated_hear(own, view, &err) == BS_OK);
	for (uint64_t i = 0; i < 20; i++) {
		uint32_t there = bs_attenuated_nearest(view, some_key(i)),
			 here = bs_attenuated_nearest(bs_attenuated_look(own), some_key(i));
		MUST(here == (there < view.n_levels ? there + 1 : view.n_levels));
	}
	bs_attenuated_free(own);
	uint8_t *again = room(n_bytes);
	bs_attenuated_store(view, again);
	MUST(memcmp(bytes, again, n_bytes) == 0);
	free(again);
}

/* The readers, by the number of their kind, FUZZ_KIND, in the head of a file. */
static void (*const readers[])(uint8_t *, size_t) = {
	NULL, read_plain, read_counting, read_compressed, read_delta, read_attenuated};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
	/* A separate allocation, so that sanitizers detect reads past the end. */
	uint8_t *bytes = room(n_bytes);
	if (n_bytes)
		memcpy(bytes, data, n_bytes);
	readers[FUZZ_KIND](bytes, n_bytes);
	if (n_bytes >= 64) {
		memcpy(bytes, data, n_bytes);
		memcpy(bytes, "BSBLOOM\n", 8);
		bs_store_u32(bytes + 8, 1);
		bs_store_u32(bytes + 12, FUZZ_KIND);
		bs_store_u32(bytes + 16, 2);
		bs_store_u64(bytes + 32, n_bytes);
		bs_store_u64(bytes + 48, bs_checksum(bytes + 64, n_bytes - 64));
		bs_store_u64(bytes + 56, bs_checksum(bytes, 56));
		readers[FUZZ_KIND](bytes, n_bytes);
	}
	free(bytes);
	return 0;
}
