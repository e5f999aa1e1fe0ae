/* packed.c: see packed.h. */
#include "core/file/packed.h"

#include <string.h>

#include "core/collections/binary_search.h"

/* The maximum length in bytes of the bits of a block. */
#define MAX_BLOCK_BYTES ((size_t)BS_PACKED_BLOCK_VALUES * BS_PACKED_WORD_WIDTH / 8)
/* Limits of the fields of an entry with a slope: a mask for the first value, and exclusive upper
 * bounds of slope and sunk. */
#define FIRST_MASK ((UINT64_C(1) << BS_PACKED_FIRST_BITS) - 1)
#define SLOPE_END  (UINT64_C(1) << (64 - BS_PACKED_FIRST_BITS))
#define SUNK_END   (UINT64_C(1) << (64 - 8 - BS_PACKED_OFFSET_BITS))
/* Slopes are used only in arrays of at least SLOPED_MIN values, and only if they save at least 1 /
 * SLOPED_SHARE of the bytes. */
#define SLOPED_MIN   4096u
#define SLOPED_SHARE 8u

static uint32_t values_in_block(uint64_t n, uint64_t block)
{
	uint64_t n_left = n - block * BS_PACKED_BLOCK_VALUES;
	return n_left < BS_PACKED_BLOCK_VALUES ? (uint32_t)n_left : BS_PACKED_BLOCK_VALUES;
}

/* A block of values: a line, and the bits of the distances of the values from it. The line of a
 * block without a slope is horizontal. */
struct block {
	uint64_t first; /* first value of the line, before it is lowered by `sunk` */
	uint64_t slope; /* rise of the line from value to value, in 256ths */
	uint64_t sunk;  /* by how much the line is lowered, so that no value is below it */
	bool is_sloped;
	uint32_t width;   /* bits per value */
	uint32_t n_bytes; /* bytes of the bits of all values */
};

static uint64_t line_at(const struct block *block, uint64_t i)
{
	return block->first + (i * block->slope >> 8) - block->sunk;
}

static void set_width(struct block *block, uint64_t range, uint32_t n)
{
	uint32_t width = range > 0 ? 64 - (uint32_t)__builtin_clzll(range) : 0;
	block->width = width > BS_PACKED_MAX_WIDTH ? BS_PACKED_WORD_WIDTH : width;
	block->n_bytes = (n * block->width + 7) / 8;
}

/* Measures a block without a slope. */
static struct block measure_level(const uint64_t *values, uint32_t n)
{
	uint64_t least = values[0];
	uint64_t most = values[0];
	for (uint32_t i = 1; i < n; i++) {
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	struct block block = {.first = least};
	set_width(&block, most - least, n);
	return block;
}

/* Measures a block whose line has this slope. False if an entry cannot represent the line. */
static bool measure_sloped(const uint64_t *values, uint32_t n, uint64_t slope,
                           struct block *block_out)
{
	int64_t least = 0;
	int64_t most = 0;
	struct block block = {.first = values[0], .slope = slope, .is_sloped = true};
	for (uint32_t i = 0; i < n; i++) {
		if (values[i] > FIRST_MASK)
			return false;
		int64_t above = (int64_t)values[i] - (int64_t)line_at(&block, i);
		least = above < least ? above : least;
		most = above > most ? above : most;
	}
	block.sunk = (uint64_t)-least;
	set_width(&block, (uint64_t)(most - least), n);
	*block_out = block;
	return slope < SLOPE_END && block.sunk < SUNK_END;
}

/* Measures the smaller form of a block: without a slope or, if may_slope is true, with the slope
 * from the first value to the last. */
static struct block measure(const uint64_t *values, uint32_t n, bool may_slope)
{
	struct block sloped;
	struct block level = measure_level(values, n);
	uint64_t rise = values[n - 1] - values[0];
	if (may_slope && n > 1 && rise <= FIRST_MASK &&
	    measure_sloped(values, n, (rise << 8) / (n - 1), &sloped) &&
	    sloped.n_bytes < level.n_bytes)
		return sloped;
	return level;
}

static void make_entry(const struct block *block, uint64_t at, uint64_t entry_out[2])
{
	entry_out[0] = block->first | block->slope << BS_PACKED_FIRST_BITS;
	entry_out[1] = block->width | (block->is_sloped ? BS_PACKED_IS_SLOPED : 0) | at << 8 |
	               block->sunk << (8 + BS_PACKED_OFFSET_BITS);
}

/* Writes the bits of the values into `to`, whose bytes are zero. */
static void pack(const uint64_t *values, uint32_t n, const struct block *block, uint8_t *to)
{
	for (uint32_t i = 0; i < n; i++)
		bs_put_bits(to, i * block->width, values[i] - line_at(block, i));
}

enum bs_status bs_packed_corrupt(const struct bs_packed *packed, uint64_t i, struct bs_error *err)
{
	return bs_container_corrupt(
		packed->file, err, "section %u: value %llu of %llu is not where it should be",
		packed->section.id, (unsigned long long)i, (unsigned long long)packed->n);
}

void bs_packed_prefetch_target(const struct bs_packed *offsets, uint64_t i,
                               const struct bs_section *section)
{
	struct bs_packed_place place;
	uint64_t at = bs_packed_is_ready(offsets, i, &place) ? bs_packed_value(offsets, &place)
	                                                     : UINT64_MAX;
	if (at < section->n_bytes)
		__builtin_prefetch(section->data + at);
}

enum bs_status bs_packed_get_verified(const struct bs_packed *packed, uint64_t i,
                                      uint64_t *value_out, struct bs_error *err)
{
	struct bs_packed_place place;
	*value_out = 0;
	if (i >= packed->n)
		return bs_packed_corrupt(packed, i, err);
	enum bs_status status = bs_section_touch(&packed->section, bs_packed_entry_at(i),
	                                         BS_PACKED_ENTRY_BYTES, err);
	if (status)
		return status;
	if (!bs_packed_find_place(packed, i, &place))
		return bs_packed_corrupt(packed, i, err);
	status = bs_section_touch(&packed->section, place.at, 8, err);
	if (!status)
		*value_out = bs_packed_value(packed, &place);
	return status;
}

enum bs_status bs_packed_open(struct bs_packed *packed, struct bs_section section, uint64_t n,
                              struct bs_error *err)
{
	*packed = (struct bs_packed){.section = section, .file = section.file, .n = n};
	if (section.n_bytes < BS_PACKED_END_BYTES ||
	    bs_count_blocks(n, BS_PACKED_BLOCK_VALUES) >
	            (section.n_bytes - BS_PACKED_END_BYTES) / BS_PACKED_ENTRY_BYTES)
		return bs_container_corrupt(
			section.file, err, "section %u has %llu bytes, too few for %llu values",
			section.id, (unsigned long long)section.n_bytes, (unsigned long long)n);
	return BS_OK;
}

static enum bs_status read_count(const struct bs_section *section, uint64_t *n_out,
                                 struct bs_error *err)
{
	uint64_t at =
		section->n_bytes < BS_PACKED_END_BYTES ? 0 : section->n_bytes - BS_PACKED_END_BYTES;
	enum bs_status status = bs_section_touch(section, at, BS_PACKED_END_BYTES, err);
	*n_out = status ? 0 : bs_load_u64(section->data + at);
	return status;
}

enum bs_status bs_packed_open_counted(struct bs_packed *packed, struct bs_section section,
                                      struct bs_error *err)
{
	uint64_t n;
	enum bs_status status = read_count(&section, &n, err);
	return status ? status : bs_packed_open(packed, section, n, err);
}

/* The first value of a block with ascending values. */
static uint64_t first_of(const uint8_t *entry)
{
	return bs_load_u64(entry) & (entry[8] & BS_PACKED_IS_SLOPED ? FIRST_MASK : UINT64_MAX);
}

/* True if the first value of a block of ascending values is <= value. False after a failure. */
static bool begins_before(const struct bs_packed *packed, uint64_t block, uint64_t value,
                          enum bs_status *status, struct bs_error *err)
{
	uint64_t at = block * BS_PACKED_ENTRY_BYTES;
	*status = *status ? *status
	                  : bs_section_touch(&packed->section, at, BS_PACKED_ENTRY_BYTES, err);
	return !*status && first_of(packed->section.data + at) <= value;
}

/* True if value i is less than `value`. Sets *found if they are equal. False after a failure. */
static bool is_less(const struct bs_packed *packed, uint64_t i, uint64_t value, bool *found,
                    enum bs_status *status, struct bs_error *err)
{
	uint64_t here = value;
	*status = *status ? *status : bs_packed_get(packed, i, &here, err);
	*found |= !*status && here == value;
	return !*status && here < value;
}

enum bs_status bs_packed_find(const struct bs_packed *packed, uint64_t value, bool *found_out,
                              uint64_t *i_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	uint64_t next; /* the block after the only block that can have the value */
	*found_out = false;
	*i_out = 0;
	if (packed->n == 0)
		return BS_OK;
	BS_BINARY_SEARCH(next, i, 1, bs_count_blocks(packed->n, BS_PACKED_BLOCK_VALUES),
	                 begins_before(packed, i, value, &status, err));
	uint64_t first = (next - 1) * BS_PACKED_BLOCK_VALUES,
		 end = first + values_in_block(packed->n, next - 1);
	BS_BINARY_SEARCH(*i_out, i, first, end, is_less(packed, i, value, found_out, &status, err));
	return status;
}

/* Checks the block `number`, whose bits begin at *at: encodes its values again, with the slope that
 * its directory entry has, and compares the bytes. Advances *at to the end of the block. */
static enum bs_status check_block(const struct bs_packed *packed, uint64_t number, uint64_t *at,
                                  struct bs_error *err)
{
	uint64_t values[BS_PACKED_BLOCK_VALUES] = {0};
	uint8_t bytes[MAX_BLOCK_BYTES] = {0};
	uint64_t first = number * BS_PACKED_BLOCK_VALUES;
	uint32_t n = values_in_block(packed->n, number);
	const uint8_t *entry = packed->section.data + number * BS_PACKED_ENTRY_BYTES;
	for (uint32_t i = 0; i < n; i++) {
		enum bs_status status = bs_packed_get(packed, first + i, &values[i], err);
		if (status)
			return status;
	}
	uint64_t expected[2];
	struct block block = measure_level(values, n);
	if (entry[8] & BS_PACKED_IS_SLOPED &&
	    !measure_sloped(values, n, bs_load_u64(entry) >> BS_PACKED_FIRST_BITS, &block))
		return bs_packed_corrupt(packed, first, err);
	make_entry(&block, *at, expected);
	if (expected[0] != bs_load_u64(entry) || expected[1] != bs_load_u64(entry + 8) ||
	    block.n_bytes > packed->section.n_bytes - *at)
		return bs_packed_corrupt(packed, first, err);
	pack(values, n, &block, bytes);
	if (memcmp(bytes, packed->section.data + *at, block.n_bytes) != 0)
		return bs_packed_corrupt(packed, first, err);
	*at += block.n_bytes;
	return BS_OK;
}

enum bs_status bs_packed_check(const struct bs_packed *packed, struct bs_error *err)
{
	uint64_t n;
	uint64_t at = bs_count_blocks(packed->n, BS_PACKED_BLOCK_VALUES) * BS_PACKED_ENTRY_BYTES;
	enum bs_status status = bs_section_touch(&packed->section, 0, packed->section.n_bytes, err);
	if (!status)
		status = read_count(&packed->section, &n, err);
	for (uint64_t block = 0;
	     block < bs_count_blocks(packed->n, BS_PACKED_BLOCK_VALUES) && !status; block++)
		status = check_block(packed, block, &at, err);
	if (status)
		return status;
	if (n != packed->n || at + BS_PACKED_END_BYTES != packed->section.n_bytes)
		return bs_container_corrupt(
			packed->file, err, "section %u ends after %llu values, but has %llu",
			packed->section.id, (unsigned long long)n, (unsigned long long)packed->n);
	return BS_OK;
}

/* Values of 32 bits (u64 is NULL) or of 64 bits (u32 is NULL). */
struct source {
	const uint32_t *u32;
	const uint64_t *u64;
	uint64_t stride; /* elements from one value to the next; only for u64 */
	uint64_t n;
	bool may_slope; /* blocks may have slopes */
};

static uint32_t load_block(const struct source *from, uint64_t block,
                           uint64_t values[BS_PACKED_BLOCK_VALUES])
{
	uint64_t first = block * BS_PACKED_BLOCK_VALUES;
	uint32_t n = values_in_block(from->n, block);
	for (uint32_t i = 0; i < n; i++)
		values[i] =
			from->u32 ? from->u32[first + i] : from->u64[(first + i) * from->stride];
	return n;
}

/* The bytes that a section with these values takes. */
static uint64_t count_bytes(const struct source *from, bool may_slope)
{
	uint64_t values[BS_PACKED_BLOCK_VALUES];
	uint64_t n_bytes =
		bs_count_blocks(from->n, BS_PACKED_BLOCK_VALUES) * BS_PACKED_ENTRY_BYTES +
		BS_PACKED_END_BYTES;
	for (uint64_t i = 0; i < bs_count_blocks(from->n, BS_PACKED_BLOCK_VALUES); i++) {
		uint32_t n = load_block(from, i, values);
		n_bytes += measure(values, n, may_slope).n_bytes;
	}
	return n_bytes;
}

static bool is_worth_slopes(const struct source *from)
{
	if (from->n < SLOPED_MIN)
		return false;
	uint64_t level = count_bytes(from, false);
	uint64_t sloped = count_bytes(from, true);
	return level - sloped >= level / SLOPED_SHARE && sloped >> BS_PACKED_OFFSET_BITS == 0;
}

static void write_directory(struct bs_file_writer *writer, const struct source *from)
{
	uint64_t values[BS_PACKED_BLOCK_VALUES];
	uint64_t entry[2];
	uint64_t at = bs_count_blocks(from->n, BS_PACKED_BLOCK_VALUES) * BS_PACKED_ENTRY_BYTES;
	for (uint64_t i = 0; i < bs_count_blocks(from->n, BS_PACKED_BLOCK_VALUES); i++) {
		uint32_t n = load_block(from, i, values);
		struct block block = measure(values, n, from->may_slope);
		make_entry(&block, at, entry);
		bs_file_writer_u64(writer, entry[0]);
		bs_file_writer_u64(writer, entry[1]);
		at += block.n_bytes;
	}
}

static void write_blocks(struct bs_file_writer *writer, const struct source *from)
{
	uint64_t values[BS_PACKED_BLOCK_VALUES];
	for (uint64_t i = 0; i < bs_count_blocks(from->n, BS_PACKED_BLOCK_VALUES); i++) {
		uint8_t bytes[MAX_BLOCK_BYTES] = {0};
		uint32_t n = load_block(from, i, values);
		struct block block = measure(values, n, from->may_slope);
		pack(values, n, &block, bytes);
		bs_file_writer_bytes(writer, bytes, block.n_bytes);
	}
}

static void write_all(struct bs_file_writer *writer, uint32_t id, uint32_t instance,
                      struct source from)
{
	bs_file_writer_section(writer, id, instance);
	from.may_slope = is_worth_slopes(&from);
	bs_file_writer_require(writer, from.may_slope ? BS_FEATURE_SLOPED_NUMBERS : 0u);
	write_directory(writer, &from);
	write_blocks(writer, &from);
	bs_file_writer_u64(writer, from.n);
}

void bs_packed_write_u32(struct bs_file_writer *writer, uint32_t id, uint32_t instance,
                         const uint32_t *values, uint64_t n)
{
	write_all(writer, id, instance, (struct source){.u32 = values, .n = n});
}

void bs_packed_write_u64(struct bs_file_writer *writer, uint32_t id, uint32_t instance,
                         const uint64_t *values, uint64_t n)
{
	bs_packed_write_every(writer, id, instance, values, 1, n);
}

void bs_packed_write_every(struct bs_file_writer *writer, uint32_t id, uint32_t instance,
                           const uint64_t *values, uint64_t stride, uint64_t n)
{
	write_all(writer, id, instance, (struct source){.u64 = values, .stride = stride, .n = n});
}
