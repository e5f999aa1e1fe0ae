/*
 * value_column.h: the numbers and dates of records, by field, so that a range query reads a few
 * columns. For each field a segment has the sorted list of its distinct values. A document stores
 * the *rank* of its value in this list. Ranks order documents as values do, and need only the
 * logarithm of the number of distinct values in bits.
 *
 *                       layer 0 of a field in a shard
 *            has rank  bit n-1   bit n-2  ...  bit 0
 *   block 0  [line]    [line]    [line]        [line]      the ranks of 512 documents, bit-sliced
 *   block 1  [line]    [line]    [line]        [line]
 *
 * A document may have several values; its ranks ascend. Layer 0 has the first rank. Layer 1 has the
 * second if many documents of the shard have two values, and so on. All other ranks, and the ranks
 * of a field that few documents of the shard have, are in a list of (row, rank), in ascending
 * order. Format: FORMAT.md, sections 56 to 61.
 */
#pragma once

#include "core/base/value.h"
#include "core/file/container.h"
#include "core/file/names.h"
#include "core/simd/kernels.h"

#define BS_VALUE_HEAD_BYTES  16u
#define BS_VALUE_FIELD_BYTES 32u
#define BS_VALUE_PART_BYTES  28u
#define BS_VALUE_ENTRY_BYTES 8u
/* Flag of the table: documents may also have values in fields that the table lacks. */
#define BS_VALUE_IS_PARTIAL 1u

/* The values of a segment. */
struct bs_value_table {
	const struct bs_container *file;
	bool is_there;   /* false: nothing is known about any field */
	bool is_partial; /* BS_VALUE_IS_PARTIAL */
	uint32_t n_fields;
	uint64_t n_values; /* of all fields */
	uint64_t n_parts;  /* number of parts of all fields; see struct bs_value_part */
	struct bs_section fields, parts, lines, lists;
	struct bs_names keys; /* the values of all fields, field by field, ascending */
};

/* Opens the table into the caller's struct. Release it with bs_value_table_deinit, also after a
 * failure. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_value_table_open(struct bs_value_table *table, const struct bs_container *file,
                                   struct bs_error *err) BS_WARN_UNUSED;
void bs_value_table_deinit(struct bs_value_table *table);

struct bs_value_field {
	const uint8_t *name;
	uint32_t name_bytes;
	uint64_t first_value; /* the first of its n_values keys in the table */
	uint32_t n_values;
	uint32_t n_slices;   /* bits of a rank */
	uint64_t first_part; /* the first of its n_parts parts in the table */
	uint32_t n_parts;
};

/* Reads field i < n_fields, in the order of names. BS_CORRUPT. */
enum bs_status bs_value_field_get(const struct bs_value_table *table, uint32_t i,
                                  struct bs_value_field *field_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* Finds a field by its name. If *found_out is false, no document has a value in the field, unless
 * the table is partial or absent. BS_CORRUPT. */
enum bs_status bs_value_field_find(const struct bs_value_table *table, const uint8_t *name,
                                   uint32_t name_bytes, bool *found_out,
                                   struct bs_value_field *field_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Up to two spans of ranks, low..last inclusive: that of the numbers and that of the dates of a
 * range. An empty span is left out, so n may be 0. */
struct bs_ranks {
	uint32_t n;
	struct {
		uint32_t low, last;
	} spans[BS_RANGE_KINDS];
};
/* The ranks of a range. If *is_exact_out is false, the texts must decide which documents are in the
 * range: an end of the range has more than BS_VALUE_MOST_DIGITS digits, and a value has its key.
 * BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_value_ranks(const struct bs_value_table *table,
                              const struct bs_value_field *field, const struct bs_range *range,
                              struct bs_ranks *ranks_out, bool *is_exact_out,
                              struct bs_error *err) BS_WARN_UNUSED;

/* The number of values of the field that are less than `value`. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_value_rank(const struct bs_value_table *table, const struct bs_value_field *field,
                             const struct bs_value *value, uint32_t *rank_out,
                             struct bs_error *err) BS_WARN_UNUSED;

/* The value of a rank. The table does not store the tail of a value (core/base/value.h), so the
 * result has none. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_value_of_rank(const struct bs_value_table *table,
                                const struct bs_value_field *field, uint32_t rank,
                                struct bs_value *value_out, struct bs_error *err) BS_WARN_UNUSED;

/* The values of a field in one shard. */
struct bs_value_part {
	uint32_t shard;
	uint32_t n_docs, n_blocks; /* of the shard */
	uint32_t n_slices;         /* bits of a rank */
	uint32_t n_layers;
	uint64_t first_line;   /* index of its first line among the lines of the table */
	const uint64_t *lines; /* lines of the first layer; the other layers follow */
	uint64_t first_entry;  /* index of its first entry among the entries of the table */
	uint32_t n_entries;
	const uint8_t *entries; /* pairs of u32 row and u32 rank */
};

/* Reads part i of the table as recorded; bs_value_part_touch checks it. BS_CORRUPT. */
enum bs_status bs_value_part_get(const struct bs_value_table *table,
                                 const struct bs_value_field *field, uint64_t i,
                                 struct bs_value_part *part_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Makes a part ready for reading and verifies all its lines and entries. n_docs: the documents of
 * its shard. BS_CORRUPT, also if lines or entries are not within the sections. */
enum bs_status bs_value_part_touch(const struct bs_value_table *table, struct bs_value_part *part,
                                   uint32_t n_docs, struct bs_error *err) BS_WARN_UNUSED;
/* The part of a shard, ready for reading. *found_out is false if no document of the shard has a
 * value. BS_CORRUPT. */
enum bs_status bs_value_part_find(const struct bs_value_table *table,
                                  const struct bs_value_field *field, uint32_t shard,
                                  uint32_t n_docs, bool *found_out, struct bs_value_part *part_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* Restricts `lines` and `live`, which are of n_blocks blocks of the shard from first_block on, to
 * the documents that have a value with one of these ranks. scratch: two buffers of n_blocks lines.
 * Returns the number of lines read from the part. */
uint64_t bs_value_part_keep(const struct bs_value_part *part, const struct bs_kernel *kernel,
                            const struct bs_ranks *ranks, uint32_t first_block, uint32_t n_blocks,
                            uint64_t *lines, struct bs_live *live, uint64_t *scratch[2]);

/* The rank of a row in a layer. Returns false if it has none; *rank_out is then 0, unless the file
 * is invalid. */
bool bs_value_part_layer_rank(const struct bs_value_part *part, uint32_t layer, uint32_t row,
                              uint32_t *rank_out);

/* The least or the greatest rank of a row. Returns false if it has none. */
bool bs_value_part_rank(const struct bs_value_part *part, uint32_t row, bool is_greatest,
                        uint32_t *rank_out);

/* Bits of a rank if a field has n_values values. */
static inline uint32_t bs_value_slices(uint32_t n_values)
{
	return n_values > 1 ? 32 - (uint32_t)__builtin_clz(n_values - 1) : 0;
}

/* The number of lines of a layer. */
static inline uint64_t bs_value_layer_lines(uint32_t n_blocks, uint32_t n_slices)
{
	return (uint64_t)n_blocks * (1 + n_slices);
}
