/*
 * value_column.h: the numbers and dates of records, by field, so that a range of them is a few
 * columns. Of each field a segment has a sorted list of its distinct values; what a document has is
 * the value's place in it, its *rank*, which orders documents as the value does, in as few bits as
 * there are values, whatever these are.
 *
 *                       layer 0 of a field in a shard
 *            has one   bit n-1   bit n-2  ...  bit 0
 *   block 0  [line]    [line]    [line]        [line]      the ranks of 512 documents, bit-sliced
 *   block 1  [line]    [line]    [line]        [line]
 *
 * The ranks of a document that has several values ascend: layer 0 has the first of them, layer 1
 * the second where many documents have that many. What is left, and what few documents of the shard
 * have, stands in a list of rows and ranks, by rows and ranks. In FORMAT.md: sections 56 to 61.
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
/* flag of the head: fields that are not there may have values all the same */
#define BS_VALUE_IS_PARTIAL 1u

/* All of a segment. */
struct bs_value_table {
	const struct bs_container *file;
	bool is_there; /* else nothing is known of any field */
	bool is_partial;
	uint32_t n_fields;
	uint64_t n_values; /* of all fields */
	uint64_t n_parts;
	struct bs_section fields, parts, lines, lists;
	struct bs_names keys;
};

/* The caller's struct; release with bs_value_table_deinit, also after a failure. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_value_table_open(struct bs_value_table *table, const struct bs_container *file,
                                   struct bs_error *err) BS_WARN_UNUSED;
void bs_value_table_deinit(struct bs_value_table *table);

struct bs_value_field {
	const uint8_t *name;
	uint32_t name_bytes;
	uint64_t first_value; /* its values are n_values keys of the table from there on */
	uint32_t n_values;
	uint32_t n_slices; /* bits of a rank */
	uint64_t first_part;
	uint32_t n_parts;
};

/* Field i < n_fields, in the order of names. BS_CORRUPT. */
enum bs_status bs_value_field_get(const struct bs_value_table *table, uint32_t i,
                                  struct bs_value_field *field_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* By its name; *found_out false: none of its texts is a value, unless the table is partial or not
 * there. BS_CORRUPT. */
enum bs_status bs_value_field_find(const struct bs_value_table *table, const uint8_t *name,
                                   uint32_t name_bytes, bool *found_out,
                                   struct bs_value_field *field_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Ranks low..last, of the numbers and of the dates of a range; n may be 0. */
struct bs_ranks {
	uint32_t n;
	struct {
		uint32_t low, last;
	} spans[BS_RANGE_KINDS];
};
/* *is_exact_out false: which documents are in the range their texts must say, since numbers of more
 * than BS_VALUE_MOST_DIGITS digits have the key of an end of it. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_value_ranks(const struct bs_value_table *table,
                              const struct bs_value_field *field, const struct bs_range *range,
                              struct bs_ranks *ranks_out, bool *is_exact_out,
                              struct bs_error *err) BS_WARN_UNUSED;

/* How many values of the field come before this one. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_value_rank(const struct bs_value_table *table, const struct bs_value_field *field,
                             const struct bs_value *value, uint32_t *rank_out,
                             struct bs_error *err) BS_WARN_UNUSED;

/* The value of a rank, without the tail that it may have. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_value_of_rank(const struct bs_value_table *table,
                                const struct bs_value_field *field, uint32_t rank,
                                struct bs_value *value_out, struct bs_error *err) BS_WARN_UNUSED;

/* A field in one shard. */
struct bs_value_part {
	uint32_t shard;
	uint32_t n_docs, n_blocks; /* of the shard */
	uint32_t n_slices;
	uint32_t n_layers;
	uint64_t first_line;
	const uint64_t *lines; /* of the first layer; the next follows it */
	uint64_t first_entry;
	uint32_t n_entries;
	const uint8_t *entries; /* u32 row, u32 rank each */
};

/* Part i of all as it stands there, for a check. BS_CORRUPT if it is not within the sections.
 * n_docs: of its shard. */
enum bs_status bs_value_part_get(const struct bs_value_table *table,
                                 const struct bs_value_field *field, uint64_t i,
                                 struct bs_value_part *part_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
/* Makes it ready for a shard of so many documents: all that it has may be read then. BS_CORRUPT. */
enum bs_status bs_value_part_touch(const struct bs_value_table *table, struct bs_value_part *part,
                                   uint32_t n_docs, struct bs_error *err) BS_WARN_UNUSED;
/* That of a shard, ready; *found_out false: no document of the shard has a value. BS_CORRUPT. */
enum bs_status bs_value_part_find(const struct bs_value_table *table,
                                  const struct bs_value_field *field, uint32_t shard,
                                  uint32_t n_docs, bool *found_out, struct bs_value_part *part_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

/*
 * lines and live, of n_blocks blocks of the shard from first_block on, become the documents among
 * them that have a value of these ranks. scratch: room for as many lines, twice. Returns lines
 * read.
 */
uint64_t bs_value_part_keep(const struct bs_value_part *part, const struct bs_kernel *kernel,
                            const struct bs_ranks *ranks, uint32_t first_block, uint32_t n_blocks,
                            uint64_t *lines, struct bs_live *live, uint64_t *scratch[2]);

/* That of a row in a layer; false: it has none, and *rank_out is 0, unless the file is wrong. */
bool bs_value_part_layer_rank(const struct bs_value_part *part, uint32_t layer, uint32_t row,
                              uint32_t *rank_out);

/* The least or the greatest rank of a row; false: it has none. */
bool bs_value_part_rank(const struct bs_value_part *part, uint32_t row, bool is_greatest,
                        uint32_t *rank_out);

/* Bits of a rank where there are so many. */
static inline uint32_t bs_value_slices(uint32_t n_values)
{
	return n_values > 1 ? 32 - (uint32_t)__builtin_clz(n_values - 1) : 0;
}

/* Lines of a layer. */
static inline uint64_t bs_value_layer_lines(uint32_t n_blocks, uint32_t n_slices)
{
	return (uint64_t)n_blocks * (1 + n_slices);
}
