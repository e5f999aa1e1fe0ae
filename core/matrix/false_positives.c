/* false_positives.c: see false_positives.h. */
#include "core/matrix/false_positives.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/vector.h"
#include "core/file/segment_sections.h"

enum bs_status bs_false_positives_open(struct bs_false_positives *false_positives,
                                       const struct bs_container *file, uint64_t n_rows,
                                       struct bs_error *err)
{
	*false_positives = (struct bs_false_positives){
		.rows = bs_container_section(file, BS_SECTION_FALSE_POSITIVE_ROWS, 0),
		.n_rows = n_rows,
	};
	if (false_positives->rows.n_bytes < BS_FALSE_POSITIVES_PAD)
		return bs_container_corrupt(file, err, "false positives are cut off");
	struct bs_section terms = bs_container_section(file, BS_SECTION_FALSE_POSITIVE_TERMS, 0);
	struct bs_section offsets =
		bs_container_section(file, BS_SECTION_FALSE_POSITIVE_OFFSETS, 0);
	enum bs_status status = bs_packed_open_counted(&false_positives->terms, terms, err);
	false_positives->n_terms = false_positives->terms.n;
	return status ? status
	              : bs_packed_open(&false_positives->offsets, offsets,
	                               false_positives->n_terms + 1, err);
}

#define SAMPLE_BUCKETS 128u
#define LOAD_BITS      56u /* bits of an 8-byte load that are valid at any bit offset */

/* The layout of a list of n rows of a segment. */
struct shape {
	uint32_t low_bits;  /* low bits per row */
	uint64_t n_buckets; /* buckets up to that of the segment's last row */
	uint64_t n_samples;
	uint64_t n_bits; /* the low bits of all rows and the unary part, together */
};

static struct shape shape_of(uint64_t n, uint64_t n_rows)
{
	struct shape shape = {.low_bits = bs_log2(n_rows / n)};
	shape.n_buckets = ((n_rows - 1) >> shape.low_bits) + 1;
	shape.n_samples = (shape.n_buckets - 1) / SAMPLE_BUCKETS;
	shape.n_bits = n * shape.low_bits + n + shape.n_buckets;
	return shape;
}

static uint64_t shape_bytes(const struct shape *shape)
{
	return shape->n_samples * 4 + (shape->n_bits + 7) / 8;
}

/* At least LOAD_BITS valid bits from bit `at` on. Padding follows the last list, so the load stays
 * in the section. */
static inline uint64_t load_bits(const uint8_t *bits, uint64_t at)
{
	return bs_load_u64(bits + at / 8) >> (at % 8);
}

static enum bs_status corrupt(const struct bs_false_positives *false_positives,
                              struct bs_error *err)
{
	return bs_container_corrupt(false_positives->rows.file, err,
	                            "false positives do not decode");
}

static enum bs_status encode(const uint32_t *rows, uint32_t n, uint64_t n_rows,
                             struct bs_buffer *coded, struct bs_error *err)
{
	struct shape shape = shape_of(n, n_rows);
	size_t n_bytes = BS_VARINT_MAX_BYTES + (size_t)shape_bytes(&shape);
	enum bs_status status = bs_buffer_reserve(coded, n_bytes, err);
	if (status)
		return status;
	uint8_t *samples = coded->data + coded->used_bytes;
	memset(samples, 0, n_bytes);
	samples += bs_varint_put(samples, n);
	uint8_t *bits = samples + shape.n_samples * 4;
	uint64_t highs_at = (uint64_t)n * shape.low_bits;
	uint64_t n_sampled = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t bucket = rows[i] >> shape.low_bits;
		for (; (n_sampled + 1) * SAMPLE_BUCKETS <= bucket; n_sampled++)
			bs_store_u32(samples + n_sampled * 4, i);
		bs_put_bits(bits, (uint64_t)i * shape.low_bits,
		            rows[i] & ((UINT64_C(1) << shape.low_bits) - 1));
		bs_put_bits(bits, highs_at + bucket + i, 1);
	}
	for (; n_sampled < shape.n_samples; n_sampled++)
		bs_store_u32(samples + n_sampled * 4, n);
	coded->used_bytes = (size_t)(samples + shape_bytes(&shape) - coded->data);
	return BS_OK;
}

/* Opens the list in bytes [first, end) of the section of lists (`rows`). */
static enum bs_status open_list(const struct bs_false_positives *false_positives, uint64_t first,
                                uint64_t end, struct bs_term_false_positives *list,
                                struct bs_error *err)
{
	uint64_t n;
	if (first >= end || end > false_positives->rows.n_bytes - BS_FALSE_POSITIVES_PAD)
		return bs_container_corrupt(false_positives->rows.file, err,
		                            "false positives have impossible bounds");
	enum bs_status status = bs_section_touch(&false_positives->rows, first,
	                                         end - first + BS_FALSE_POSITIVES_PAD, err);
	if (status)
		return status;
	const uint8_t *list_end = false_positives->rows.data + end;
	const uint8_t *at = bs_varint_get(false_positives->rows.data + first, list_end, &n);
	if (!at || n == 0 || n > false_positives->n_rows)
		return corrupt(false_positives, err);
	struct shape shape = shape_of(n, false_positives->n_rows);
	if (shape_bytes(&shape) != (uint64_t)(list_end - at))
		return corrupt(false_positives, err);
	*list = (struct bs_term_false_positives){
		.false_positives = false_positives,
		.samples = at,
		.bits = at + shape.n_samples * 4,
		.highs_at = n * shape.low_bits,
		.n_buckets = shape.n_buckets,
		.low_bits = shape.low_bits,
		.n = (uint32_t)n,
	};
	return BS_OK;
}

/* The position of the n-th set bit of a word, 1 <= n <= the number of its set bits. First finds the
 * byte that has the bit, by counting the bits of all bytes at once (Vigna, "Broadword
 * implementation of rank/select queries", 2008), then goes through the set bits of this byte. */
static inline uint32_t select_bit(uint64_t word, uint32_t n)
{
	const uint64_t each = UINT64_C(0x0101010101010101), high = each << 7;
	uint64_t sums = word - (word >> 1 & UINT64_C(0x5555555555555555));
	sums = (sums & UINT64_C(0x3333333333333333)) + (sums >> 2 & UINT64_C(0x3333333333333333));
	/* Each byte becomes the sum of its own bits and of those of the lower bytes. */
	sums = ((sums + (sums >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * each;
	/* Each byte of the minuend is at least 0x80, each sum at most 64, so no byte borrows. */
	uint64_t is_less = (((n - 1) * each | high) - sums) & high;
	uint32_t shift = (uint32_t)bs_count_bits(is_less) * 8;
	uint64_t byte = word >> shift;
	for (uint32_t left = n - (uint32_t)(sums << 8 >> shift & 0xff); left > 1; left--)
		byte &= byte - 1;
	return shift + (uint32_t)__builtin_ctzll(byte);
}

/* Moves *at_io, a bit offset in the unary part, from bucket `from` forward to the beginning of
 * `bucket` (>= from), which is the bit after the first `bucket` zeros. Counts zeros from *at_io or,
 * if it is later, from the last sampled bucket that is not after `bucket`. */
static enum bs_status find_bucket(const struct bs_term_false_positives *list, uint64_t bucket,
                                  uint64_t from, uint64_t *at_io, struct bs_error *err)
{
	uint64_t n_bits = list->n + list->n_buckets;
	uint64_t sampled = bucket / SAMPLE_BUCKETS;
	uint64_t at = *at_io;
	if (sampled * SAMPLE_BUCKETS > from) {
		from = sampled * SAMPLE_BUCKETS;
		at = from + bs_load_u32(list->samples + (sampled - 1) * 4);
	}
	for (uint64_t n_zeros = bucket - from; n_zeros > 0;) {
		if (at >= n_bits)
			return corrupt(list->false_positives, err);
		uint64_t zeros = ~load_bits(list->bits, list->highs_at + at) &
		                 ((UINT64_C(1) << LOAD_BITS) - 1);
		uint64_t n = bs_count_bits(zeros);
		at += n < n_zeros ? LOAD_BITS : select_bit(zeros, (uint32_t)n_zeros) + 1;
		n_zeros -= n < n_zeros ? n : n_zeros;
	}
	*at_io = at;
	return at >= bucket && at <= n_bits ? BS_OK : corrupt(list->false_positives, err);
}

/* An iterator over the rows of a list. */
struct walk {
	const struct bs_term_false_positives *list;
	uint64_t at; /* bit of the unary part where `ones` begins */
	/* LOAD_BITS bits of the unary part; the bits of consumed rows are cleared */
	uint64_t ones;
	uint64_t i; /* number of rows before the current one */
};

static void walk_load(struct walk *walk)
{
	uint64_t n_bits = walk->list->n + walk->list->n_buckets;
	uint64_t left = n_bits - walk->at;
	uint64_t mask =
		left < LOAD_BITS ? (UINT64_C(1) << left) - 1 : (UINT64_C(1) << LOAD_BITS) - 1;
	walk->ones = load_bits(walk->list->bits, walk->list->highs_at + walk->at) & mask;
}

/* Starts at the first row of a bucket. */
static enum bs_status walk_start(struct walk *walk, const struct bs_term_false_positives *list,
                                 uint64_t bucket, struct bs_error *err)
{
	*walk = (struct walk){.list = list};
	enum bs_status status = find_bucket(list, bucket, 0, &walk->at, err);
	walk->i = walk->at - bucket;
	if (!status)
		walk_load(walk);
	return status;
}

/* The next row, or UINT64_MAX at the end. Does not consume it. */
static inline uint64_t walk_peek(struct walk *walk)
{
	const struct bs_term_false_positives *list = walk->list;
	while (walk->ones == 0) {
		walk->at += LOAD_BITS;
		if (walk->at >= list->n + list->n_buckets || walk->i >= list->n)
			return UINT64_MAX;
		walk_load(walk);
	}
	if (walk->i >= list->n)
		return UINT64_MAX;
	uint64_t bucket = walk->at + (uint64_t)__builtin_ctzll(walk->ones) - walk->i;
	uint64_t low = load_bits(list->bits, walk->i * list->low_bits) &
	               ((UINT64_C(1) << list->low_bits) - 1);
	return bucket << list->low_bits | low;
}

static inline void walk_step(struct walk *walk)
{
	walk->ones &= walk->ones - 1;
	walk->i++;
}

/* Moves forward to the beginning of a bucket; does nothing if the walk is there or later. */
static enum bs_status walk_skip(struct walk *walk, uint64_t bucket, struct bs_error *err)
{
	uint64_t at = walk->at + (walk->ones ? (uint64_t)__builtin_ctzll(walk->ones) : LOAD_BITS);
	if (bucket <= at - walk->i)
		return BS_OK;
	enum bs_status status = find_bucket(walk->list, bucket, at - walk->i, &at, err);
	if (status)
		return status;
	walk->at = at;
	walk->i = at - bucket;
	walk_load(walk);
	return BS_OK;
}

/* Clears, in the lines of a shard, the bits of those rows [first, end) of the shard that are in the
 * list. first_row: the shard's first row in the segment. The walk must not be past these rows. */
static enum bs_status clear_rows(struct walk *walk, uint64_t first_row, uint64_t first,
                                 uint64_t end, uint64_t *lines, struct bs_error *err)
{
	if (first_row + first >= walk->list->false_positives->n_rows)
		return BS_OK;
	enum bs_status status = walk_skip(walk, (first_row + first) >> walk->list->low_bits, err);
	for (uint64_t row; !status && (row = walk_peek(walk)) < first_row + end; walk_step(walk)) {
		uint64_t here = row - first_row;
		if (row >= first_row + first)
			lines[here / 64] &= ~(UINT64_C(1) << (here % 64));
	}
	return status;
}

/* The first block from `block` on that is live or, if is_live is false, not live;
 * BS_SHARD_MAX_BLOCKS if there is none. */
static uint32_t next_block(const struct bs_live *live, uint32_t block, bool is_live)
{
	for (uint32_t word = block / 64; word < BS_SHARD_MAX_BLOCKS / 64; word++) {
		uint64_t bits = is_live ? live->words[word] : ~live->words[word];
		if (word == block / 64)
			bits &= UINT64_MAX << (block % 64);
		if (bits)
			return word * 64 + (uint32_t)__builtin_ctzll(bits);
	}
	return BS_SHARD_MAX_BLOCKS;
}

enum bs_status bs_false_positives_clear(const struct bs_term_false_positives *list,
                                        uint64_t first_row, const struct bs_live *live,
                                        uint64_t *lines, struct bs_error *err)
{
	struct walk walk = {.list = list};
	uint32_t start = list->n ? next_block(live, 0, true) : BS_SHARD_MAX_BLOCKS;
	enum bs_status status = BS_OK;
	if (start < BS_SHARD_MAX_BLOCKS)
		walk_load(&walk);
	while (start < BS_SHARD_MAX_BLOCKS && walk.i < list->n && !status) {
		uint32_t end = next_block(live, start, false);
		status = clear_rows(&walk, first_row, (uint64_t)start * BS_LINE_BITS,
		                    (uint64_t)end * BS_LINE_BITS, lines, err);
		start = end < BS_SHARD_MAX_BLOCKS ? next_block(live, end, true) : end;
	}
	return status;
}

enum bs_status bs_false_positives_read(const struct bs_term_false_positives *list,
                                       struct bs_u32s *rows, struct bs_error *err)
{
	struct walk walk;
	struct bs_buffer again = {0};
	uint64_t last = 0;
	bs_vector_clear(rows);
	if (list->n == 0)
		return BS_OK;
	enum bs_status status = walk_start(&walk, list, 0, err);
	for (uint32_t i = 0; i < list->n && !status; i++, walk_step(&walk)) {
		uint64_t row = walk_peek(&walk);
		uint32_t value = (uint32_t)row;
		if (row >= list->false_positives->n_rows || (i > 0 && row <= last))
			status = corrupt(list->false_positives, err);
		else
			status = bs_vector_append(rows, &value, err);
		last = row;
	}
	if (!status)
		status = encode(rows->items, list->n, list->false_positives->n_rows, &again, err);
	if (!status) {
		struct shape shape = shape_of(list->n, list->false_positives->n_rows);
		uint64_t n_bytes = shape_bytes(&shape);
		if (memcmp(again.data + again.used_bytes - n_bytes, list->samples,
		           (size_t)n_bytes) != 0)
			status = corrupt(list->false_positives, err);
	}
	bs_buffer_deinit(&again);
	return status;
}

enum bs_status bs_false_positives_find(const struct bs_false_positives *false_positives,
                                       uint64_t ordinal, struct bs_term_false_positives *list_out,
                                       struct bs_error *err)
{
	bool found;
	uint64_t index, first = 0, end = 0;
	*list_out = (struct bs_term_false_positives){.false_positives = false_positives};
	enum bs_status status =
		bs_packed_find(&false_positives->terms, ordinal, &found, &index, err);
	if (!status && found)
		status = bs_packed_get_span(&false_positives->offsets, index, &first, &end, err);
	return status || !found ? status : open_list(false_positives, first, end, list_out, err);
}

void bs_false_positives_builder_deinit(struct bs_false_positives_builder *builder)
{
	bs_vector_deinit(&builder->shards);
	bs_vector_deinit(&builder->rows);
	bs_buffer_deinit(&builder->coded);
}

enum bs_status bs_false_positives_add(struct bs_false_positives_builder *builder, uint32_t ordinal,
                                      const uint32_t *rows, uint32_t n_rows, struct bs_error *err)
{
	struct bs_shard_false_positives shard_rows = {
		.ordinal = ordinal, .n_rows = n_rows, .first = bs_vector_n(&builder->rows)};
	enum bs_status status = bs_vector_extend(&builder->rows, rows, (size_t)n_rows, err);
	return status ? status : bs_vector_append(&builder->shards, &shard_rows, err);
}

enum bs_status bs_false_positives_join(struct bs_false_positives_builder *builder,
                                       const struct bs_false_positives_builder *from,
                                       struct bs_error *err)
{
	const struct bs_shard_false_positives *shards = from->shards.items;
	uint64_t first = bs_vector_n(&builder->rows);
	enum bs_status status =
		bs_vector_extend(&builder->rows, from->rows.items, bs_vector_n(&from->rows), err);
	for (size_t i = 0; i < bs_vector_n(&from->shards) && !status; i++) {
		struct bs_shard_false_positives shard_rows = shards[i];
		shard_rows.first += first;
		status = bs_vector_append(&builder->shards, &shard_rows, err);
	}
	return status;
}

static int compare_shards(const void *a, const void *b)
{
	const struct bs_shard_false_positives *x = a, *y = b;
	int order = bs_compare_u64(x->ordinal, y->ordinal);
	return order ? order : bs_compare_u64(x->first, y->first);
}

/* Encodes the rows of one term, collected in shards[0..n), as one list and appends it to `coded`.
 * rows is scratch. */
static enum bs_status encode_shards(const struct bs_false_positives_builder *builder,
                                    const struct bs_shard_false_positives *shards, size_t n,
                                    uint64_t n_rows, struct bs_u32s *rows, struct bs_buffer *coded,
                                    struct bs_error *err)
{
	const uint32_t *all = builder->rows.items;
	enum bs_status status = BS_OK;
	bs_vector_clear(rows);
	for (size_t i = 0; i < n && !status; i++)
		status = bs_vector_extend(rows, all + shards[i].first, (size_t)shards[i].n_rows,
		                          err);
	return status ? status
	              : encode(rows->items, (uint32_t)bs_vector_n(rows), n_rows, coded, err);
}

static void write_sections(struct bs_file_writer *writer, const struct bs_u32s *terms,
                           const struct bs_u64s *offsets, const struct bs_buffer *coded)
{
	static const uint8_t pad[BS_FALSE_POSITIVES_PAD];
	bs_packed_write_u32(writer, BS_SECTION_FALSE_POSITIVE_TERMS, 0, terms->items,
	                    bs_vector_n(terms));
	bs_packed_write_u64(writer, BS_SECTION_FALSE_POSITIVE_OFFSETS, 0, offsets->items,
	                    bs_vector_n(offsets));
	bs_file_writer_put(writer, BS_SECTION_FALSE_POSITIVE_ROWS, 0, coded->data,
	                   coded->used_bytes);
	bs_file_writer_bytes(writer, pad, sizeof(pad));
}

enum bs_status bs_false_positives_write(struct bs_false_positives_builder *builder, uint64_t n_rows,
                                        struct bs_file_writer *writer, struct bs_error *err)
{
	struct bs_shard_false_positives *shards = builder->shards.items;
	size_t n = bs_vector_n(&builder->shards);
	struct bs_buffer *coded = &builder->coded;
	struct bs_u32s terms = {0}, rows = {0};
	struct bs_u64s offsets = {0};
	enum bs_status status = BS_OK;
	if (n > 1)
		qsort(shards, n, sizeof(*shards), compare_shards);
	for (size_t i = 0, n_here; i < n && !status; i += n_here) {
		uint64_t offset = coded->used_bytes;
		for (n_here = 1; i + n_here < n && shards[i + n_here].ordinal == shards[i].ordinal;
		     n_here++)
			continue;
		status = bs_vector_append(&terms, &shards[i].ordinal, err);
		if (!status)
			status = bs_vector_append(&offsets, &offset, err);
		if (!status)
			status = encode_shards(builder, shards + i, n_here, n_rows, &rows, coded,
			                       err);
	}
	uint64_t end = coded->used_bytes;
	if (!status)
		status = bs_vector_append(&offsets, &end, err);
	if (!status)
		write_sections(writer, &terms, &offsets, coded);
	bs_vector_deinit(&terms);
	bs_vector_deinit(&offsets);
	bs_vector_deinit(&rows);
	return status;
}
