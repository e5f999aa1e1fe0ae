/*
 * packed.h: an array of unsigned numbers in one section of a file, in as few bits as 128 neighbours
 * need: numbers of documents, lengths, and offsets, which fixed widths of 4 and 8 bytes would
 * mostly fill with zeros.
 *
 *     directory      16 bytes a block of 128 values: u64 the least of them; u64 width | offset << 8
 *     bits           block by block: every value less the least one, width bits each, the lowest of
 *       each byte first
 *     u64            how many values there are
 *
 * Offsets and ascending numbers lie near a line. In long arrays of such, what stands in the bits of
 * a block is how far a value is above a line that begins at the block's first value, sunk so that
 * no value is below it:
 *
 *     its entry      u64 first value | slope << 40; u64 width + 128 | offset << 8 | sunk << 48
 *     value j        first + floor(j * slope / 256) - sunk + its bits
 *
 * Any value is two look-ups away, one in the directory and one in the bits. The last eight bytes
 * also let a reader load a word wherever bits begin. In FORMAT.md: packed arrays.
 */
#pragma once

#include "core/base/bytes.h"
#include "core/base/error.h"
#include "core/file/container.h"

#define BS_PACKED_BLOCK_VALUES 128u
#define BS_PACKED_ENTRY_BYTES  16u
#define BS_PACKED_END_BYTES    8u
/* With the up to 7 bits before it in its first byte, a value is within one word; those that need
 * more get a word each. */
#define BS_PACKED_MAX_WIDTH  56u
#define BS_PACKED_WORD_WIDTH 64u
/* Of blocks with a slope, which is in 256ths. */
#define BS_PACKED_IS_SLOPED   128u
#define BS_PACKED_FIRST_BITS  40u
#define BS_PACKED_OFFSET_BITS 40u

/* Reading: any number of threads. */

struct bs_packed {
	struct bs_section section;
	const struct bs_container *file; /* of the section, for messages */
	uint64_t n;
};

/* An array of n values. Reads nothing; BS_CORRUPT if the section is too short for any such
 * array. */
enum bs_status bs_packed_open(struct bs_packed *packed, struct bs_section section, uint64_t n,
                              struct bs_error *err) BS_WARN_UNUSED;
/* An array of as many values as the section says at its end, for those that nothing else counts.
 * BS_CORRUPT. */
enum bs_status bs_packed_open_counted(struct bs_packed *packed, struct bs_section section,
                                      struct bs_error *err) BS_WARN_UNUSED;

/* What a getter returns for value i where the file or i is wrong. */
enum bs_status bs_packed_corrupt(const struct bs_packed *packed, uint64_t i, struct bs_error *err);

/* Where a value stands, as its block's entry of the directory says. */
struct bs_packed_place {
	uint64_t base;
	uint64_t at;    /* byte of the section in which its bits begin ... */
	unsigned shift; /* ... behind so many others */
	uint64_t mask;
};

static inline uint64_t bs_packed_entry_at(uint64_t i)
{
	return i / BS_PACKED_BLOCK_VALUES * BS_PACKED_ENTRY_BYTES;
}

/* For i < n whose entry may be read. False if it leads outside the section. */
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

/* Ask the memory for the entry of value i; and, some time after that, for the value, if all is well
 * with it: then the place is found, too. */
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

/* Whether the bits of a place that was found may be read, for all their pages are verified. */
static inline bool bs_packed_is_verified(const struct bs_packed *packed,
                                         const struct bs_packed_place *place)
{
	return bs_section_is_verified(&packed->section, place->at) &&
	       bs_section_is_verified(&packed->section, place->at + 7);
}

/* Where value i is an offset in a section: asks the memory for what it leads to, if it may be read
 * by now. */
void bs_packed_prefetch_target(const struct bs_packed *offsets, uint64_t i,
                               const struct bs_section *section);

/* Whether value i may be read where it stands: what says so, and its bits. */
static inline bool bs_packed_is_ready(const struct bs_packed *packed, uint64_t i,
                                      struct bs_packed_place *place_out)
{
	return i < packed->n && bs_section_is_verified(&packed->section, bs_packed_entry_at(i)) &&
	       bs_packed_find_place(packed, i, place_out) &&
	       bs_packed_is_verified(packed, place_out);
}

/* The slow part of bs_packed_get: touches what it reads, and says what is wrong. */
enum bs_status bs_packed_get_new(const struct bs_packed *packed, uint64_t i, uint64_t *value_out,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* Value i. BS_CORRUPT if i >= n, for i may come from a file too; never reads outside the section,
 * whatever is in it. Queries name what they find by it, a hundred thousand documents at a time:
 * where all pages are verified it is a few tests and three loads. */
static inline BS_WARN_UNUSED enum bs_status bs_packed_get(const struct bs_packed *packed,
                                                          uint64_t i, uint64_t *value_out,
                                                          struct bs_error *err)
{
	struct bs_packed_place place;
	if (__builtin_expect(!bs_packed_is_ready(packed, i, &place), 0))
		return bs_packed_get_new(packed, i, value_out, err);
	*value_out = bs_packed_value(packed, &place);
	return BS_OK;
}

/* The same of an array whose values fit in 32 bits; BS_CORRUPT for one that does not. */
static inline BS_WARN_UNUSED enum bs_status bs_packed_get_u32(const struct bs_packed *packed,
                                                              uint64_t i, uint32_t *value_out,
                                                              struct bs_error *err)
{
	uint64_t value;
	enum bs_status status = bs_packed_get(packed, i, &value, err);
	*value_out = (uint32_t)value;
	return status || value <= UINT32_MAX ? status : bs_packed_corrupt(packed, i, err);
}

/* Values i and i + 1: of an array of offsets, where something begins and ends. */
static inline BS_WARN_UNUSED enum bs_status bs_packed_get_span(const struct bs_packed *packed,
                                                               uint64_t i, uint64_t *start_out,
                                                               uint64_t *end_out,
                                                               struct bs_error *err)
{
	enum bs_status status = bs_packed_get(packed, i, start_out, err);
	return status ? status : bs_packed_get(packed, i + 1, end_out, err);
}

/* Where value stands in an array that ascends strictly; found_out false if it is not there.
 * BS_CORRUPT. */
enum bs_status bs_packed_find(const struct bs_packed *packed, uint64_t value, bool *found_out,
                              uint64_t *i_out, struct bs_error *err) BS_WARN_UNUSED;

/* That every byte of the section is as a writer makes it of these values: for a check, which has
 * all the time. */
enum bs_status bs_packed_check(const struct bs_packed *packed, struct bs_error *err) BS_WARN_UNUSED;

/* A section that is these values. Sticky like the writer. */
void bs_packed_write_u32(struct bs_file_writer *writer, uint32_t id, uint32_t instance,
                         const uint32_t *values, uint64_t n);
void bs_packed_write_u64(struct bs_file_writer *writer, uint32_t id, uint32_t instance,
                         const uint64_t *values, uint64_t n);
/* The same of values[0], values[stride], ... */
void bs_packed_write_every(struct bs_file_writer *writer, uint32_t id, uint32_t instance,
                           const uint64_t *values, uint64_t stride, uint64_t n);
