/* coded.c: see coded.h. */
#include "core/file/coded.h"

#include <string.h>

#include "core/base/bytes.h"
#include "core/collections/binary_search.h"

/* Value of `code` that means the exponential Golomb code, whose parameter depends on the previous
 * gap. (64 meant the Elias gamma code, in blocks of 256; it is no longer used.) */
#define FOLLOWING 65u
#define MOST_RICE 56u
#define FLAG_SET  1u
/* Bits are loaded eight bytes at a time; therefore at least eight bytes follow the last bit. */
#define PAD_BYTES 8u
/* At least 57 of the 64 loaded bits can be used, because up to 7 bits of the first byte precede
 * them. */
#define LOADED_BITS 57u

/* The parameter of the exponential Golomb code after this gap: half the bits of the gap, because a
 * small gap rarely follows a large one. (The first gap of a block counts as following a gap of 0.)
 * For the trigrams of source code and of prose this takes 2 to 6 % less than a fixed parameter of
 * 0, which is the Elias gamma code. */
static inline uint32_t parameter_after(uint64_t gap)
{
	return bs_log2(gap + 1) / 2;
}

static uint8_t bytes_of(uint64_t x)
{
	return (uint8_t)(bs_log2(x) / 8 + 1);
}

/* Writing. */

/* Sums over the sampled gaps. */
struct prices {
	uint64_t following;    /* bits in the exponential Golomb code */
	uint64_t quotients[3]; /* sums of the quotients, for three parameters of Rice's code */
};

/* The gap between numbers i - 1 and i. Number i must not be the first of its block, which is in the
 * directory. In a set, the gap is the number of absent numbers in between. */
static uint64_t gap_at(const uint64_t *numbers, size_t i, bool is_set)
{
	return numbers[i] - numbers[i - 1] - is_set;
}

static inline uint64_t following_bits(uint64_t gap, uint64_t before)
{
	uint32_t k = parameter_after(before);
	return 2 * bs_log2((gap >> k) + 1) + 1 + k;
}

/* The approximate number of blocks that are sampled to choose the code. */
#define SAMPLED_BLOCKS 32u

/* Returns the cheapest code for a sample: the exponential Golomb code, or Rice's code with one of
 * three parameters around the optimum, which for randomly distributed numbers is about log2 of two
 * thirds of the mean gap. */
static uint32_t choose_code(const uint64_t *numbers, size_t n, bool is_set)
{
	uint64_t n_blocks = bs_count_blocks(n, BS_CODED_BLOCK), n_gaps = 0;
	uint64_t mean = n > n_blocks ? (numbers[n - 1] - numbers[0]) / (n - n_blocks) : 0;
	uint64_t step = n_blocks / SAMPLED_BLOCKS + 1;
	uint32_t least = mean > 1 ? bs_log2(mean) - 1 : 0, code = FOLLOWING;
	least = least > MOST_RICE - 2 ? MOST_RICE - 2 : least;
	struct prices prices = {.following = 0};
	for (uint64_t block = 0; block < n_blocks; block += step) {
		size_t end = n - block * BS_CODED_BLOCK < BS_CODED_BLOCK
		                     ? n
		                     : (size_t)(block + 1) * BS_CODED_BLOCK;
		for (size_t i = (size_t)block * BS_CODED_BLOCK + 1, before = 0; i < end;
		     i++, n_gaps++) {
			uint64_t gap = gap_at(numbers, i, is_set);
			prices.following += following_bits(gap, before);
			before = gap;
			for (uint32_t j = 0; j < 3; j++)
				prices.quotients[j] += gap >> (least + j);
		}
	}
	uint64_t best = prices.following;
	for (uint32_t j = 0; j < 3; j++) {
		uint64_t n_bits = prices.quotients[j] + n_gaps * (least + j + 1);
		if (n_bits < best) {
			best = n_bits;
			code = least + j;
		}
	}
	return code;
}

static uint64_t count_bits(const uint64_t *numbers, size_t n, bool is_set, uint32_t code)
{
	uint64_t n_bits = 0, before = 0;
	for (size_t i = 1; i < n; i++) {
		bool is_first = i % BS_CODED_BLOCK == 0;
		uint64_t gap = is_first ? 0 : gap_at(numbers, i, is_set);
		n_bits += is_first            ? 0
		          : code == FOLLOWING ? following_bits(gap, before)
		                              : (gap >> code) + code + 1;
		before = gap;
	}
	return n_bits;
}

/* Writes bits. The last bits, fewer than eight, wait in a register. */
struct bits {
	uint8_t *to;        /* where the next byte is written */
	uint64_t waiting;   /* the low n_waiting bits are not yet written */
	uint32_t n_waiting; /* below 8 */
};

/* Appends the low n <= 57 bits of value, the lowest first. The other bits of value are 0. */
static inline void put_bits(struct bits *bits, uint64_t value, uint32_t n)
{
	bits->waiting |= value << bits->n_waiting;
	bits->n_waiting += n;
	bs_store_u64(bits->to, bits->waiting);
	bits->to += bits->n_waiting / 8;
	bits->waiting = bits->n_waiting == 64 ? 0 : bits->waiting >> (bits->n_waiting / 8 * 8);
	bits->n_waiting %= 8;
}

/* Writes the code of a gap: zeros, a one, and the low bits. before: the previous gap of the block,
 * 0 for the first. Returns the number of bits. */
static inline uint64_t put_gap(struct bits *bits, uint64_t gap, uint64_t before, uint32_t code)
{
	uint32_t k = code == FOLLOWING ? parameter_after(before) : code;
	uint64_t value = code == FOLLOWING ? gap + (UINT64_C(1) << k) : gap;
	uint32_t n_low = code == FOLLOWING ? bs_log2(value) : k;
	uint64_t low = value & ((UINT64_C(1) << n_low) - 1),
		 zeros = code == FOLLOWING ? n_low - k : gap >> k, n_bits = zeros + 1 + n_low;
	for (; zeros + 1 + n_low > LOADED_BITS && zeros > 0;
	     zeros -= zeros < LOADED_BITS ? zeros : LOADED_BITS)
		put_bits(bits, 0, zeros < LOADED_BITS ? (uint32_t)zeros : LOADED_BITS);
	put_bits(bits, (low << 1 | 1) << zeros, (uint32_t)zeros + 1 + n_low);
	return n_bits;
}

static void put_number(uint8_t *to, uint64_t value, uint8_t n_bytes)
{
	for (uint8_t i = 0; i < n_bytes; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t all_bytes(const struct bs_coded *coded)
{
	uint64_t n = BS_CODED_HEAD_BYTES +
	             coded->n_blocks * (uint64_t)(coded->first_bytes + coded->place_bytes) +
	             (coded->n_bits + 7) / 8 + PAD_BYTES;
	return (n + 7) / 8 * 8;
}

enum bs_status bs_coded_write(const uint64_t *numbers, size_t n, struct bs_buffer *to,
                              struct bs_error *err)
{
	struct bs_coded head = {
		.n = n, .n_blocks = bs_count_blocks(n, BS_CODED_BLOCK), .is_set = true};
	for (size_t i = 1; i < n && head.is_set; i++)
		head.is_set = numbers[i] != numbers[i - 1];
	head.code = (uint8_t)choose_code(numbers, n, head.is_set);
	head.n_bits = count_bits(numbers, n, head.is_set, head.code);
	/* choose_code looked at a sample of the blocks. In Rice's code, a gap takes gap >>
	 * parameter zeros, so a few large gaps outside the sample may take very many bits.
	 * Therefore, if the code takes more bits than expected, the exponential Golomb code is
	 * tried, too. */
	if (head.code != FOLLOWING && head.n_bits > (head.code + 4) * (uint64_t)n &&
	    count_bits(numbers, n, head.is_set, FOLLOWING) < head.n_bits) {
		head.code = FOLLOWING;
		head.n_bits = count_bits(numbers, n, head.is_set, FOLLOWING);
	}
	head.first_bytes = bytes_of(n ? numbers[n - 1] : 0);
	head.place_bytes = bytes_of(head.n_bits);
	head.n_bytes = all_bytes(&head);
	enum bs_status status = bs_buffer_reserve(to, (size_t)head.n_bytes, err);
	if (status)
		return status;
	uint8_t *bytes = to->data + to->used_bytes, *entry = bytes + BS_CODED_HEAD_BYTES;
	struct bits bits = {.to = entry +
	                          head.n_blocks * (uint64_t)(head.first_bytes + head.place_bytes)};
	uint64_t at = 0, gap = 0;
	memset(bytes, 0, (size_t)head.n_bytes);
	bs_store_u64(bytes, head.n);
	bs_store_u64(bytes + 8, head.n_bits);
	bytes[16] = head.code;
	bytes[17] = head.is_set ? FLAG_SET : 0;
	bytes[18] = head.first_bytes;
	bytes[19] = head.place_bytes;
	for (size_t i = 0; i < n; i++) {
		if (i % BS_CODED_BLOCK != 0) {
			uint64_t before = gap;
			gap = gap_at(numbers, i, head.is_set);
			at += put_gap(&bits, gap, before, head.code);
			continue;
		}
		gap = 0;
		put_number(entry, numbers[i], head.first_bytes);
		put_number(entry + head.first_bytes, at, head.place_bytes);
		entry += head.first_bytes + head.place_bytes;
	}
	to->used_bytes += (size_t)head.n_bytes;
	return BS_OK;
}

/* Reading. */

static enum bs_status damaged(struct bs_error *err)
{
	return bs_fail(err, BS_CORRUPT, "coded numbers do not decode");
}

enum bs_status bs_coded_open(const uint8_t *bytes, uint64_t n_bytes, struct bs_coded *coded_out,
                             struct bs_error *err)
{
	*coded_out = (struct bs_coded){.bytes = bytes};
	if (n_bytes < BS_CODED_HEAD_BYTES)
		return damaged(err);
	struct bs_coded head = {.bytes = bytes,
	                        .n = bs_load_u64(bytes),
	                        .n_bits = bs_load_u64(bytes + 8),
	                        .code = bytes[16],
	                        .is_set = bytes[17] & FLAG_SET,
	                        .first_bytes = bytes[18],
	                        .place_bytes = bytes[19]};
	head.n_blocks = bs_count_blocks(head.n, BS_CODED_BLOCK);
	/* The computations below cannot overflow, because a gap has at least one bit and a block at
	 * least one byte. */
	if (head.n_bits / 8 > n_bytes || head.n_blocks > n_bytes ||
	    head.n - head.n_blocks > head.n_bits)
		return damaged(err);
	bool is_told = head.code <= MOST_RICE || head.code == FOLLOWING;
	bool is_sized = head.first_bytes >= 1 && head.first_bytes <= 7 && head.place_bytes >= 1 &&
	                head.place_bytes <= 8;
	head.n_bytes = is_sized ? all_bytes(&head) : 0;
	if (!is_told || !is_sized || bytes[17] > FLAG_SET || bs_load_u32(bytes + 20) != 0 ||
	    head.n_bytes > n_bytes)
		return damaged(err);
	*coded_out = head;
	return BS_OK;
}

struct bs_coded_span bs_coded_directory(const struct bs_coded *coded)
{
	return (struct bs_coded_span){BS_CODED_HEAD_BYTES,
	                              coded->n_blocks *
	                                      (uint64_t)(coded->first_bytes + coded->place_bytes)};
}

static uint64_t load_number(const uint8_t *from, uint8_t n_bytes)
{
	return bs_load_u64(from) & (UINT64_MAX >> (64 - 8 * n_bytes));
}

static const uint8_t *entry_of(const struct bs_coded *coded, uint64_t block)
{
	return coded->bytes + BS_CODED_HEAD_BYTES +
	       block * (uint64_t)(coded->first_bytes + coded->place_bytes);
}

static uint64_t first_of(const struct bs_coded *coded, uint64_t block)
{
	return load_number(entry_of(coded, block), coded->first_bytes);
}

/* The offset of the gaps of a block, in bits from the first gap of the array. */
static uint64_t place_of(const struct bs_coded *coded, uint64_t block)
{
	return block < coded->n_blocks ? load_number(entry_of(coded, block) + coded->first_bytes,
	                                             coded->place_bytes)
	                               : coded->n_bits;
}

enum bs_status bs_coded_block_span(const struct bs_coded *coded, uint64_t block,
                                   struct bs_coded_span *span_out, struct bs_error *err)
{
	struct bs_coded_span directory = bs_coded_directory(coded);
	uint64_t from = place_of(coded, block), to = place_of(coded, block + 1);
	*span_out = (struct bs_coded_span){0, 0};
	if (from > to || to > coded->n_bits)
		return damaged(err);
	span_out->offset = directory.offset + directory.n_bytes + from / 8;
	span_out->n_bytes = (to + 7) / 8 - from / 8;
	return BS_OK;
}

bool bs_coded_find(const struct bs_coded *coded, uint64_t number, uint64_t *block_out)
{
	uint64_t next; /* the first block whose first number is larger */
	BS_BINARY_SEARCH(next, i, 0, coded->n_blocks, first_of(coded, i) <= number);
	*block_out = next - 1;
	return next > 0;
}

/* Iterates over the gaps of a block. */
struct gaps {
	const uint8_t *bits; /* the gaps of all blocks */
	uint64_t at;         /* bit offset of the next gap in `bits` */
	uint64_t end;        /* bit offset of the end of the block's gaps */
	uint64_t before;     /* the previous gap of the block; 0 for the first */
	uint8_t code;        /* as in struct bs_coded */
};

static enum bs_status begin_gaps(const struct bs_coded *coded, uint64_t block, struct gaps *gaps,
                                 struct bs_error *err)
{
	struct bs_coded_span directory = bs_coded_directory(coded);
	*gaps = (struct gaps){coded->bytes + directory.offset + directory.n_bytes,
	                      place_of(coded, block), place_of(coded, block + 1), 0, coded->code};
	return gaps->at <= gaps->end && gaps->end <= coded->n_bits ? BS_OK : damaged(err);
}

/* Reads the next gap. False if it is too large or extends beyond the block. Loaded bits from after
 * the end are never used. */
static inline bool next_gap(struct gaps *gaps, uint64_t *gap_out)
{
	uint64_t quotient = 0, loaded;
	for (;; gaps->at += LOADED_BITS, quotient += LOADED_BITS) {
		if (gaps->at >= gaps->end)
			return false;
		loaded = bs_load_u64(gaps->bits + gaps->at / 8) >> (gaps->at % 8) &
		         ((UINT64_C(1) << LOADED_BITS) - 1);
		if (loaded)
			break;
	}
	uint32_t zeros = (uint32_t)__builtin_ctzll(loaded);
	quotient += zeros;
	gaps->at += zeros + 1;
	uint32_t k = gaps->code == FOLLOWING ? parameter_after(gaps->before) : gaps->code;
	uint64_t n_low = gaps->code == FOLLOWING ? quotient + k : k;
	if (n_low > MOST_RICE || gaps->at > gaps->end || n_low > gaps->end - gaps->at)
		return false;
	uint64_t low = zeros + 1 + n_low <= LOADED_BITS
	                       ? loaded >> zeros >> 1
	                       : bs_load_u64(gaps->bits + gaps->at / 8) >> (gaps->at % 8);
	low &= (UINT64_C(1) << n_low) - 1;
	gaps->at += n_low;
	*gap_out = gaps->code == FOLLOWING ? ((UINT64_C(1) << n_low) | low) - (UINT64_C(1) << k)
	                                   : quotient << n_low | low;
	gaps->before = *gap_out;
	return gaps->code == FOLLOWING || quotient <= BS_CODED_MOST >> n_low;
}

static uint64_t block_numbers(const struct bs_coded *coded, uint64_t block)
{
	uint64_t left = coded->n - block * BS_CODED_BLOCK;
	return left < BS_CODED_BLOCK ? left : BS_CODED_BLOCK;
}

enum bs_status bs_coded_block_has(const struct bs_coded *coded, uint64_t block, uint64_t number,
                                  bool *has_out, struct bs_error *err)
{
	uint64_t value = first_of(coded, block), n = block_numbers(coded, block), gap;
	struct gaps gaps;
	enum bs_status status = begin_gaps(coded, block, &gaps, err);
	*has_out = false;
	for (uint64_t i = 1; i < n && value < number && !status; i++) {
		/* Without this limit the sum of the gaps of a damaged block could wrap around. */
		if (!next_gap(&gaps, &gap) || (value += gap + coded->is_set) > BS_CODED_MOST)
			status = damaged(err);
	}
	*has_out = !status && value == number;
	return status;
}

enum bs_status bs_coded_has(const struct bs_coded *coded, uint64_t number, bool *has_out,
                            struct bs_error *err)
{
	uint64_t block;
	*has_out = false;
	return bs_coded_find(coded, number, &block)
	               ? bs_coded_block_has(coded, block, number, has_out, err)
	               : BS_OK;
}

static enum bs_status read_block(const struct bs_coded *coded, uint64_t block, uint64_t *numbers,
                                 struct bs_error *err)
{
	uint64_t value = first_of(coded, block), n = block_numbers(coded, block), gap;
	struct gaps gaps = {.at = 0};
	enum bs_status status =
		value > BS_CODED_MOST ? damaged(err) : begin_gaps(coded, block, &gaps, err);
	if (status)
		return status;
	numbers[0] = value;
	for (uint64_t i = 1; i < n; i++) {
		if (!next_gap(&gaps, &gap) || (value += gap + coded->is_set) > BS_CODED_MOST)
			return damaged(err);
		numbers[i] = value;
	}
	return gaps.at == gaps.end ? BS_OK : damaged(err);
}

/* read_lanes decodes LANES or LEAST_LANES full blocks at once, one in each lane, because decoding a
 * single block is a chain of dependent instructions: a gap begins where the previous gap ends. With
 * fewer than LANES blocks, the last lane decodes the first block again. Returns false if a block is
 * damaged, begins with a number above LANES_MOST, or has a gap whose code is longer than
 * LOADED_BITS; the caller then decodes the blocks one by one. */
#define LANES       BS_CODED_BLOCKS
#define LEAST_LANES 3u
/* With a Rice parameter of at most LANES_RICE and first numbers of at most LANES_MOST, read_lanes
 * cannot overflow. */
#define LANES_RICE 24u
#define LANES_MOST (UINT64_C(1) << 48)

static inline __attribute__((always_inline)) bool read_lanes(const struct bs_coded *coded,
                                                             uint64_t block, uint32_t n_blocks,
                                                             uint64_t *numbers, bool is_following)
{
	struct gaps lanes[LANES];
	uint64_t values[LANES], *to[LANES];
	for (uint32_t j = 0; j < LANES; j++) {
		uint32_t i = j < n_blocks ? j : 0;
		if (begin_gaps(coded, block + i, &lanes[j], NULL) ||
		    first_of(coded, block + i) > LANES_MOST)
			return false;
		to[j] = numbers + i * BS_CODED_BLOCK;
		values[j] = to[j][0] = first_of(coded, block + i);
	}
	const uint8_t *bits = lanes[0].bits;
	const uint32_t k_of_all = coded->code, least = coded->is_set;
	for (uint32_t i = 1; i < BS_CODED_BLOCK; i++) {
		for (uint32_t j = 0; j < LANES; j++) {
			struct gaps *lane = &lanes[j];
			if (lane->at >= lane->end)
				return false;
			uint64_t loaded = bs_load_u64(bits + lane->at / 8) >> (lane->at % 8);
			uint32_t k = is_following ? parameter_after(lane->before) : k_of_all;
			uint32_t zeros = loaded ? (uint32_t)__builtin_ctzll(loaded) : 64,
				 n_low = is_following ? zeros + k : k;
			if (zeros + 1 + n_low > LOADED_BITS)
				return false;
			uint64_t low = loaded >> zeros >> 1 & ((UINT64_C(1) << n_low) - 1);
			uint64_t gap = is_following
			                       ? (UINT64_C(1) << n_low | low) - (UINT64_C(1) << k)
			                       : (uint64_t)zeros << k | low;
			lane->at += zeros + 1 + n_low;
			lane->before = gap;
			values[j] += gap + least;
			to[j][i] = values[j];
		}
	}
	for (uint32_t j = 0; j < LANES; j++)
		if (lanes[j].at != lanes[j].end || values[j] > BS_CODED_MOST)
			return false;
	return true;
}

enum bs_status bs_coded_read_blocks(const struct bs_coded *coded, uint64_t block,
                                    uint64_t numbers[BS_CODED_BLOCKS_NUMBERS], size_t *n_out,
                                    struct bs_error *err)
{
	uint64_t n_left = coded->n - block * BS_CODED_BLOCK;
	bool is_done = false;
	enum bs_status status = BS_OK;
	*n_out = n_left < BS_CODED_BLOCKS_NUMBERS ? (size_t)n_left : BS_CODED_BLOCKS_NUMBERS;
	const uint32_t n_full = (uint32_t)(*n_out / BS_CODED_BLOCK);
	if (n_full >= LEAST_LANES && coded->code == FOLLOWING)
		is_done = read_lanes(coded, block, n_full, numbers, true);
	else if (n_full >= LEAST_LANES && coded->code <= LANES_RICE)
		is_done = read_lanes(coded, block, n_full, numbers, false);
	for (uint64_t i = is_done ? n_full : 0;
	     i < BS_CODED_BLOCKS && block + i < coded->n_blocks && !status; i++)
		status = read_block(coded, block + i, numbers + i * BS_CODED_BLOCK, err);
	return status;
}

enum bs_status bs_coded_read(const struct bs_coded *coded, struct bs_buffer *numbers,
                             struct bs_error *err)
{
	enum bs_status status =
		coded->n ? bs_buffer_reserve(numbers, (size_t)coded->n * sizeof(uint64_t), err)
			 : BS_OK;
	if (status || coded->n == 0)
		return status;
	uint64_t *to = (uint64_t *)(void *)(numbers->data + numbers->used_bytes), least = 0;
	for (uint64_t block = 0; block < coded->n_blocks && !status; block += BS_CODED_BLOCKS) {
		size_t n;
		status = bs_coded_read_blocks(coded, block, to, &n, err);
		for (size_t i = 0; i < n && !status; i += BS_CODED_BLOCK) {
			if (to[i] < least)
				status = damaged(err);
			least = to[i + BS_CODED_BLOCK < n ? i + BS_CODED_BLOCK - 1 : n - 1] +
			        coded->is_set;
		}
		to += n;
	}
	if (!status)
		numbers->used_bytes += (size_t)coded->n * sizeof(uint64_t);
	return status;
}
