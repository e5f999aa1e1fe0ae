/*
 * packed.h: an array of unsigned numbers in one section of a file, in as few bits as 128 neighbours need: numbers of
 * documents, lengths, and offsets, which fixed widths of 4 and 8 bytes would mostly fill with zeros.
 *
 *     directory      16 bytes a block of 128 values: u64 the least of them; u64 width | offset << 8
 *     bits           block by block: every value less the least one, width bits each, the lowest of each byte first
 *     u64            how many values there are
 *
 * Any value is two look-ups away, one in the directory and one in the bits. The last eight bytes also let a reader load
 * a word wherever bits begin. In FORMAT.md: packed arrays.
 */
#ifndef BS_CORE_PACKED_H
#define BS_CORE_PACKED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/container.h"
#include "core/status.h"

#define BS_PACKED_BLOCK_VALUES 128u
#define BS_PACKED_ENTRY_BYTES  16u
#define BS_PACKED_END_BYTES    8u
#define BS_PACKED_MAX_WIDTH    56u /* with the up to 7 bits before it in its first byte, a value is within one word */

/* ---- reading: any number of threads ---- */

struct bs_packed {
	struct bs_section section;
	const struct bs_container *file; /* of the section, for messages */
	uint64_t n;
};

/* An array of n values. Reads nothing; BS_CORRUPT if the section is too short for any such array. */
enum bs_status bs_packed_open(struct bs_packed *packed, struct bs_section section, uint64_t n, struct bs_error *err)
	BS_WARN_UNUSED;
/* An array of as many values as the section says at its end, for those that nothing else counts. BS_CORRUPT. */
enum bs_status bs_packed_open_counted(struct bs_packed *packed, struct bs_section section, struct bs_error *err)
	BS_WARN_UNUSED;

/* What a getter returns for value i where the file or i is wrong. */
enum bs_status bs_packed_corrupt(const struct bs_packed *packed, uint64_t i, struct bs_error *err);

/* Value i. BS_CORRUPT if i >= n, for i may come from a file too; never reads outside the section, whatever is in it. */
static inline BS_WARN_UNUSED enum bs_status bs_packed_get(const struct bs_packed *packed, uint64_t i, uint64_t *value_out,
                                                          struct bs_error *err)
{
	const struct bs_section *section = &packed->section;
	uint64_t entry_at = i / BS_PACKED_BLOCK_VALUES * BS_PACKED_ENTRY_BYTES;
	*value_out = 0;
	if (i >= packed->n)
		return bs_packed_corrupt(packed, i, err);
	enum bs_status status = bs_section_touch(section, entry_at, BS_PACKED_ENTRY_BYTES, err);
	if (status)
		return status;
	uint64_t base = bs_load_u64(section->data + entry_at);
	uint64_t entry = bs_load_u64(section->data + entry_at + 8);
	unsigned width = (unsigned)(entry & 0xff);
	uint64_t bit = i % BS_PACKED_BLOCK_VALUES * width;
	uint64_t at = (entry >> 8) + bit / 8;
	if (width > BS_PACKED_MAX_WIDTH || at > section->n_bytes - 8)
		return bs_packed_corrupt(packed, i, err);
	status = bs_section_touch(section, at, 8, err);
	if (status)
		return status;
	*value_out = base + (bs_load_u64(section->data + at) >> (bit % 8) & ((UINT64_C(1) << width) - 1));
	return BS_OK;
}

/* The same of an array whose values fit in 32 bits; BS_CORRUPT for one that does not. */
static inline BS_WARN_UNUSED enum bs_status bs_packed_get_u32(const struct bs_packed *packed, uint64_t i,
                                                              uint32_t *value_out, struct bs_error *err)
{
	uint64_t value;
	enum bs_status status = bs_packed_get(packed, i, &value, err);
	*value_out = (uint32_t)value;
	return status || value <= UINT32_MAX ? status : bs_packed_corrupt(packed, i, err);
}

/* Values i and i + 1: of an array of offsets, where something begins and ends. */
static inline BS_WARN_UNUSED enum bs_status bs_packed_get_span(const struct bs_packed *packed, uint64_t i,
                                                               uint64_t *start_out, uint64_t *end_out,
                                                               struct bs_error *err)
{
	enum bs_status status = bs_packed_get(packed, i, start_out, err);
	return status ? status : bs_packed_get(packed, i + 1, end_out, err);
}

/* Where value stands in an array that ascends strictly; found_out false if it is not there. BS_CORRUPT. */
enum bs_status bs_packed_find(const struct bs_packed *packed, uint64_t value, bool *found_out, uint64_t *i_out,
                              struct bs_error *err) BS_WARN_UNUSED;

/* That every byte of the section is as a writer makes it of these values: for a check, which has all the time. */
enum bs_status bs_packed_check(const struct bs_packed *packed, struct bs_error *err) BS_WARN_UNUSED;

/* ---- writing ---- */

/* The whole content of a section that was just begun. Sticky like the writer. 128 neighbours must not be further apart
 * than 2^56: what is counted here never is. */
void bs_packed_write_u32(struct bs_writer *writer, const uint32_t *values, uint64_t n);
void bs_packed_write_u64(struct bs_writer *writer, const uint64_t *values, uint64_t n);

#endif
