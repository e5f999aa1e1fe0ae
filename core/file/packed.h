/*
 * packed.h: an array of unsigned numbers in a section of a file, packed in blocks of 128. Used for
 * document numbers, lengths and offsets, which would be mostly zeros in fixed widths of 4 and 8
 * bytes.
 *
 *     directory      one entry of 16 bytes per block:
 *                    u64 least value; u64 width | offset of the block's bits << 8
 *     bits           block by block: value - least value, in `width` bits, lowest bit first
 *     u64            the number of values
 *
 * Offsets and other ascending numbers are near a line. Therefore a block of a long array may have a
 * slope: its bits are the distances of the values from a line that begins at the first value of the
 * block. The line is lowered by `sunk`, so that no value is below it. The entry of such a block is
 *
 *     entry          u64 first value | slope << 40; u64 width + 128 | offset << 8 | sunk << 48
 *     value j        first value + floor(j * slope / 256) - sunk + bits of value j
 *
 * Reading a value takes two look-ups, one in the directory and one in the bits. A reader can load a
 * 64-bit word wherever bits begin, because eight bytes follow them. FORMAT.md: packed arrays.
 */
#pragma once

#include "core/base/bytes.h"
#include "core/base/error.h"
#include "core/file/container.h"

#define BS_PACKED_BLOCK_VALUES 128u
#define BS_PACKED_ENTRY_BYTES  16u
#define BS_PACKED_END_BYTES    8u
/* A value of up to 56 bits, and up to 7 bits before it in its first byte, fit into one 64-bit word.
 * Larger values take a whole word each. */
#define BS_PACKED_MAX_WIDTH  56u
#define BS_PACKED_WORD_WIDTH 64u
/* Layout of the entry of a block with a slope. The slope is in 256ths. */
#define BS_PACKED_IS_SLOPED   128u
#define BS_PACKED_FIRST_BITS  40u
#define BS_PACKED_OFFSET_BITS 40u

/* Reading. These functions are thread-safe. */

struct bs_packed {
	struct bs_section section;
	const struct bs_container *file; /* file of the section, for messages */
	uint64_t n;                      /* number of values */
};

/* Opens an array of n values. Reads nothing. BS_CORRUPT if the section is too short. */
enum bs_status bs_packed_open(struct bs_packed *packed, struct bs_section section, uint64_t n,
                              struct bs_error *err) BS_WARN_UNUSED;
/* Opens an array; reads the number of its values from the end of the section. BS_CORRUPT. */
enum bs_status bs_packed_open_counted(struct bs_packed *packed, struct bs_section section,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* Returns BS_CORRUPT with a message about value i. */
enum bs_status bs_packed_corrupt(const struct bs_packed *packed, uint64_t i, struct bs_error *err);

/* The place of a value in the section, and how to decode it; computed from the directory entry of
 * its block. */
struct bs_packed_place {
	uint64_t base;  /* the value is base + its bits */
	uint64_t at;    /* the byte of the section in which the bits of the value begin */
	unsigned shift; /* number of bits that precede the value in that byte */
	uint64_t mask;  /* `width` ones */
};

static inline uint64_t bs_packed_entry_at(uint64_t i)
{
	return i / BS_PACKED_BLOCK_VALUES * BS_PACKED_ENTRY_BYTES;
}

/* Finds the place of value i. i < n, and its directory entry must have been verified. False if the
 * place is outside the section. */
static inline bool bs_packed_find_place(const struct bs_packed *packed, uint64_t i,
                                        struct bs_packed_place *place_out)
{
	const uint8_t *entry = packed->section.data + bs_packed_entry_at(i);
	uint64_t base = bs_load_u64(entry);
	uint64_t bits = bs_load_u64(entry + 8);
	uint64_t within = i % BS_PACKED_BLOCK_VALUES;
	unsigned width = (unsigned)(bits & 0xff);
	bits >>= 8;
	if (width & BS_PACKED_IS_SLOPED) {
		width -= BS_PACKED_IS_SLOPED;
		base = (base & ((UINT64_C(1) << BS_PACKED_FIRST_BITS) - 1)) +
		       (within * (base >> BS_PACKED_FIRST_BITS) >> 8) -
		       (bits >> BS_PACKED_OFFSET_BITS);
		bits &= (UINT64_C(1) << BS_PACKED_OFFSET_BITS) - 1;
	}
	if (width > BS_PACKED_MAX_WIDTH && width != BS_PACKED_WORD_WIDTH)
		return false;
	*place_out = (struct bs_packed_place){
		.base = base,
		.at = bits + within * width / 8,
		.shift = (unsigned)(within * width % 8),
		.mask = ((UINT64_C(1) << width % 64) - 1) | -(uint64_t)(width / 64),
	};
	return place_out->at <= packed->section.n_bytes - 8;
}

static inline uint64_t bs_packed_value(const struct bs_packed *packed,
                                       const struct bs_packed_place *place)
{
	return place->base +
	       (bs_load_u64(packed->section.data + place->at) >> place->shift & place->mask);
}

/* bs_packed_prefetch_entry prefetches the directory entry of value i. bs_packed_prefetch_place or
 * bs_packed_prefetch, called some time later, prefetches the value. If the entry is invalid or has
 * not been verified, they do nothing, and bs_packed_prefetch_place returns false. */
static inline void bs_packed_prefetch_entry(const struct bs_packed *packed, uint64_t i)
{
	if (i < packed->n)
		__builtin_prefetch(packed->section.data + bs_packed_entry_at(i));
}

static inline bool bs_packed_prefetch_place(const struct bs_packed *packed, uint64_t i,
                                            struct bs_packed_place *place_out)
{
	bool is_found = i < packed->n &&
	                bs_section_is_verified(&packed->section, bs_packed_entry_at(i)) &&
	                bs_packed_find_place(packed, i, place_out);
	if (is_found)
		__builtin_prefetch(packed->section.data + place_out->at);
	return is_found;
}

static inline void bs_packed_prefetch(const struct bs_packed *packed, uint64_t i)
{
	struct bs_packed_place place;
	bs_packed_prefetch_place(packed, i, &place);
}

/* True if all pages with the bits of the value are verified. */
static inline bool bs_packed_is_verified(const struct bs_packed *packed,
                                         const struct bs_packed_place *place)
{
	return bs_section_is_verified(&packed->section, place->at) &&
	       bs_section_is_verified(&packed->section, place->at + 7);
}

/* Prefetches the bytes that value i, an offset into `section`, refers to. Does nothing if the value
 * cannot be read without verification. */
void bs_packed_prefetch_target(const struct bs_packed *offsets, uint64_t i,
                               const struct bs_section *section);

/* True if value i can be read without verification: its entry and its bits are verified. */
static inline bool bs_packed_is_ready(const struct bs_packed *packed, uint64_t i,
                                      struct bs_packed_place *place_out)
{
	return i < packed->n && bs_section_is_verified(&packed->section, bs_packed_entry_at(i)) &&
	       bs_packed_find_place(packed, i, place_out) &&
	       bs_packed_is_verified(packed, place_out);
}

/* The slow path of bs_packed_get: verifies what it reads and returns errors. */
enum bs_status bs_packed_get_verified(const struct bs_packed *packed, uint64_t i,
                                      uint64_t *value_out, struct bs_error *err) BS_WARN_UNUSED;

/* Reads value i. BS_CORRUPT if i >= n, because i may come from a file, too. Never reads outside the
 * section, whatever its contents. A query may call this function for a hundred thousand documents;
 * with verified pages it takes a few tests and three loads. */
static inline BS_WARN_UNUSED enum bs_status bs_packed_get(const struct bs_packed *packed,
                                                          uint64_t i, uint64_t *value_out,
                                                          struct bs_error *err)
{
	struct bs_packed_place place;
	if (__builtin_expect(!bs_packed_is_ready(packed, i, &place), 0))
		return bs_packed_get_verified(packed, i, value_out, err);
	*value_out = bs_packed_value(packed, &place);
	return BS_OK;
}

/* Like bs_packed_get, but returns BS_CORRUPT for a value that exceeds 32 bits. */
static inline BS_WARN_UNUSED enum bs_status bs_packed_get_u32(const struct bs_packed *packed,
                                                              uint64_t i, uint32_t *value_out,
                                                              struct bs_error *err)
{
	uint64_t value;
	enum bs_status status = bs_packed_get(packed, i, &value, err);
	*value_out = (uint32_t)value;
	return status || value <= UINT32_MAX ? status : bs_packed_corrupt(packed, i, err);
}

/* Reads values i and i + 1 of an array of offsets: where element i begins and ends. */
static inline BS_WARN_UNUSED enum bs_status bs_packed_get_span(const struct bs_packed *packed,
                                                               uint64_t i, uint64_t *start_out,
                                                               uint64_t *end_out,
                                                               struct bs_error *err)
{
	enum bs_status status = bs_packed_get(packed, i, start_out, err);
	return status ? status : bs_packed_get(packed, i + 1, end_out, err);
}

/* Finds a value in a strictly ascending array and sets *i_out to its position. If the value is
 * absent, *found_out is false, and *i_out is the position where it would be inserted in the only
 * block that could have it. BS_CORRUPT. */
enum bs_status bs_packed_find(const struct bs_packed *packed, uint64_t value, bool *found_out,
                              uint64_t *i_out, struct bs_error *err) BS_WARN_UNUSED;

/* Checks that the bytes of the section are exactly those that a writer makes of the values, with
 * the slopes in the directory. Slow. BS_CORRUPT. */
enum bs_status bs_packed_check(const struct bs_packed *packed, struct bs_error *err) BS_WARN_UNUSED;

/* Write a section with these values. After a failure of the writer they do nothing. */
void bs_packed_write_u32(struct bs_file_writer *writer, uint32_t id, uint32_t instance,
                         const uint32_t *values, uint64_t n);
void bs_packed_write_u64(struct bs_file_writer *writer, uint32_t id, uint32_t instance,
                         const uint64_t *values, uint64_t n);
/* Writes values[0], values[stride], ... (n values). */
void bs_packed_write_every(struct bs_file_writer *writer, uint32_t id, uint32_t instance,
                           const uint64_t *values, uint64_t stride, uint64_t n);
