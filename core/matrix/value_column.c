/* value_column.c: see value_column.h; bytes in FORMAT.md. */
#include "core/matrix/value_column.h"

#include <string.h>

#include "core/collections/binary_search.h"
#include "core/file/segment_sections.h"

enum bs_status bs_value_table_open(struct bs_value_table *table, const struct bs_container *file,
                                   struct bs_error *err)
{
	*table = (struct bs_value_table){
		.file = file, .fields = bs_container_section(file, BS_SECTION_VALUE_FIELDS, 0)};
	table->is_there = table->fields.n_bytes > 0;
	if (!table->is_there)
		return BS_OK;
	if (table->fields.n_bytes < BS_VALUE_HEAD_BYTES)
		return bs_container_corrupt(file, err, "fields of values are cut off");
	enum bs_status status = bs_section_touch(&table->fields, 0, table->fields.n_bytes, err);
	if (status)
		return status;
	table->n_fields = bs_load_u32(table->fields.data);
	table->is_partial = bs_load_u32(table->fields.data + 4) & BS_VALUE_IS_PARTIAL;
	table->n_values = bs_load_u64(table->fields.data + 8);
	table->parts = bs_container_section(file, BS_SECTION_VALUE_PARTS, 0);
	table->lines = bs_container_section(file, BS_SECTION_VALUE_LINES, 0);
	table->lists = bs_container_section(file, BS_SECTION_VALUE_LISTS, 0);
	table->n_parts = table->parts.n_bytes / BS_VALUE_PART_BYTES;
	/* Each key takes at least two bytes, so the file's size bounds the number of values. */
	if (bs_load_u32(table->fields.data + 4) & ~BS_VALUE_IS_PARTIAL ||
	    table->parts.n_bytes % BS_VALUE_PART_BYTES ||
	    table->lists.n_bytes % BS_VALUE_ENTRY_BYTES ||
	    table->n_values > bs_container_bytes(file) ||
	    (table->fields.n_bytes - BS_VALUE_HEAD_BYTES) / BS_VALUE_FIELD_BYTES < table->n_fields)
		return bs_container_corrupt(file, err, "%u fields of %llu values", table->n_fields,
		                            (unsigned long long)table->n_values);
	return table->n_values > 0
	               ? bs_names_open(&table->keys, file, bs_names_of_values, table->n_values, err)
	               : BS_OK;
}

void bs_value_table_deinit(struct bs_value_table *table)
{
	bs_names_deinit(&table->keys);
}

enum bs_status bs_value_field_get(const struct bs_value_table *table, uint32_t i,
                                  struct bs_value_field *field_out, struct bs_error *err)
{
	uint64_t names_off = BS_VALUE_HEAD_BYTES + (uint64_t)table->n_fields * BS_VALUE_FIELD_BYTES;
	const uint8_t *entry =
		table->fields.data + BS_VALUE_HEAD_BYTES + (size_t)i * BS_VALUE_FIELD_BYTES;
	uint64_t name_off = names_off + bs_load_u32(entry);
	*field_out = (struct bs_value_field){
		.name = table->fields.data + name_off,
		.name_bytes = bs_load_u32(entry + 4),
		.first_value = bs_load_u64(entry + 8),
		.n_values = bs_load_u32(entry + 16),
		.n_slices = bs_value_slices(bs_load_u32(entry + 16)),
		.n_parts = bs_load_u32(entry + 20),
		.first_part = bs_load_u64(entry + 24),
	};
	const struct bs_value_field *field = field_out;
	if (name_off > table->fields.n_bytes ||
	    field->name_bytes > table->fields.n_bytes - name_off || field->n_values == 0 ||
	    field->first_value > table->n_values ||
	    field->n_values > table->n_values - field->first_value ||
	    field->first_part > table->n_parts ||
	    field->n_parts > table->n_parts - field->first_part)
		return bs_container_corrupt(table->file, err,
		                            "field %u of values is not within its file", i);
	return BS_OK;
}

enum bs_status bs_value_field_find(const struct bs_value_table *table, const uint8_t *name,
                                   uint32_t name_bytes, bool *found_out,
                                   struct bs_value_field *field_out, struct bs_error *err)
{
	uint32_t i;
	enum bs_status status = BS_OK;
	*found_out = false;
	BS_BINARY_SEARCH(
		i, f, 0, table->n_fields,
		!status && !(status = bs_value_field_get(table, (uint32_t)f, field_out, err)) &&
			bs_compare_bytes(field_out->name, field_out->name_bytes, name, name_bytes) <
				0);
	if (status || i == table->n_fields)
		return status;
	status = bs_value_field_get(table, i, field_out, err);
	*found_out = !status && bs_compare_bytes(field_out->name, field_out->name_bytes, name,
	                                         name_bytes) == 0;
	return status;
}

/* Predicate of a binary search: whether value i of the table is less than `value`; false after a
 * failure. */
static bool is_before(const struct bs_value_table *table, uint64_t i, const struct bs_value *value,
                      enum bs_status *status, struct bs_error *err)
{
	const uint8_t *key;
	uint32_t key_bytes;
	*status = *status ? *status : bs_names_get(&table->keys, i, &key, &key_bytes, err);
	int order = *status ? 1 : bs_compare_bytes(key, key_bytes, value->bytes, value->n_bytes);
	return order < 0 || (order == 0 && value->is_behind);
}

enum bs_status bs_value_rank(const struct bs_value_table *table, const struct bs_value_field *field,
                             const struct bs_value *value, uint32_t *rank_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	BS_BINARY_SEARCH(*rank_out, i, 0, field->n_values,
	                 is_before(table, field->first_value + i, value, &status, err));
	return status;
}

/* Whether a value of the field has the same key as `value`. Keys are truncated; as `value` has a
 * tail (further digits), its place among values with this key is then unknown. */
static enum bs_status has_key(const struct bs_value_table *table,
                              const struct bs_value_field *field, const struct bs_value *value,
                              bool *has_out, struct bs_error *err)
{
	struct bs_value first = *value;
	const uint8_t *key;
	uint32_t rank, key_bytes;
	first.is_behind = *has_out = false;
	enum bs_status status = bs_value_rank(table, field, &first, &rank, err);
	if (status || rank == field->n_values)
		return status;
	status = bs_names_get(&table->keys, field->first_value + rank, &key, &key_bytes, err);
	*has_out = !status && bs_compare_bytes(key, key_bytes, value->bytes, value->n_bytes) == 0;
	return status;
}

enum bs_status bs_value_ranks(const struct bs_value_table *table,
                              const struct bs_value_field *field, const struct bs_range *range,
                              struct bs_ranks *ranks_out, bool *is_exact_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*ranks_out = (struct bs_ranks){.n = 0};
	*is_exact_out = true;
	for (int kind = 0; kind < BS_RANGE_KINDS && !status; kind++) {
		const struct bs_value_span *span = &range->spans[kind];
		uint32_t first = 0, end = 0;
		bool is_open = false;
		if (bs_value_compare(&span->first, &span->end) >= 0)
			continue;
		if (span->first.tail)
			status = has_key(table, field, &span->first, &is_open, err);
		if (!status && !is_open && span->end.tail)
			status = has_key(table, field, &span->end, &is_open, err);
		*is_exact_out &= !is_open;
		if (!status)
			status = bs_value_rank(table, field, &span->first, &first, err);
		if (!status)
			status = bs_value_rank(table, field, &span->end, &end, err);
		if (status || first >= end)
			continue;
		/* A range up to the last value is extended to the unused ranks after it, so that no
		 * bits are compared with the upper end. */
		ranks_out->spans[ranks_out->n].low = first;
		ranks_out->spans[ranks_out->n++].last =
			end < field->n_values ? end - 1
					      : (uint32_t)((UINT64_C(1) << field->n_slices) - 1);
	}
	return status;
}

enum bs_status bs_value_of_rank(const struct bs_value_table *table,
                                const struct bs_value_field *field, uint32_t rank,
                                struct bs_value *value_out, struct bs_error *err)
{
	const uint8_t *key;
	uint32_t key_bytes;
	if (rank >= field->n_values)
		return bs_container_corrupt(table->file, err, "rank %u of %u values", rank,
		                            field->n_values);
	enum bs_status status =
		bs_names_get(&table->keys, field->first_value + rank, &key, &key_bytes, err);
	if (status)
		return status;
	if (!bs_value_is_key(key, key_bytes))
		return bs_container_corrupt(table->file, err, "value %llu is no number or date",
		                            (unsigned long long)(field->first_value + rank));
	value_out->n_bytes = (uint8_t)key_bytes;
	value_out->is_behind = false;
	value_out->tail = NULL;
	value_out->tail_bytes = 0;
	memcpy(value_out->bytes, key, key_bytes);
	return BS_OK;
}

enum bs_status bs_value_part_get(const struct bs_value_table *table,
                                 const struct bs_value_field *field, uint64_t i,
                                 struct bs_value_part *part_out, struct bs_error *err)
{
	enum bs_status status =
		bs_section_touch(&table->parts, i * BS_VALUE_PART_BYTES, BS_VALUE_PART_BYTES, err);
	if (status)
		return status;
	const uint8_t *entry = table->parts.data + i * BS_VALUE_PART_BYTES;
	*part_out = (struct bs_value_part){
		.shard = bs_load_u32(entry),
		.n_slices = field->n_slices,
		.n_layers = bs_load_u32(entry + 4),
		.first_line = bs_load_u64(entry + 8),
		.first_entry = bs_load_u64(entry + 16),
		.n_entries = bs_load_u32(entry + 24),
	};
	return BS_OK;
}

enum bs_status bs_value_part_touch(const struct bs_value_table *table, struct bs_value_part *part,
                                   uint32_t n_docs, struct bs_error *err)
{
	part->n_docs = n_docs;
	part->n_blocks = (n_docs + BS_LINE_BITS - 1) / BS_LINE_BITS;
	uint64_t n_lines = bs_value_layer_lines(part->n_blocks, part->n_slices) * part->n_layers;
	uint64_t all_lines = table->lines.n_bytes / BS_LINE_BYTES,
		 all_entries = table->lists.n_bytes / BS_VALUE_ENTRY_BYTES;
	if (part->first_line > all_lines || n_lines > all_lines - part->first_line ||
	    part->first_entry > all_entries || part->n_entries > all_entries - part->first_entry)
		return bs_container_corrupt(table->file, err,
		                            "values of shard %u are not within their file",
		                            part->shard);
	part->lines = (const uint64_t *)(const void *)(table->lines.data +
	                                               part->first_line * BS_LINE_BYTES);
	part->entries = table->lists.data + part->first_entry * BS_VALUE_ENTRY_BYTES;
	enum bs_status status = BS_OK;
	if (n_lines > 0)
		status = bs_section_touch(&table->lines, part->first_line * BS_LINE_BYTES,
		                          n_lines * BS_LINE_BYTES, err);
	if (!status && part->n_entries > 0)
		status = bs_section_touch(&table->lists, part->first_entry * BS_VALUE_ENTRY_BYTES,
		                          (uint64_t)part->n_entries * BS_VALUE_ENTRY_BYTES, err);
	return status;
}

enum bs_status bs_value_part_find(const struct bs_value_table *table,
                                  const struct bs_value_field *field, uint32_t shard,
                                  uint32_t n_docs, bool *found_out, struct bs_value_part *part_out,
                                  struct bs_error *err)
{
	uint32_t i;
	enum bs_status status = BS_OK;
	BS_BINARY_SEARCH(i, p, 0, field->n_parts,
	                 !status &&
	                         !(status = bs_value_part_get(table, field, field->first_part + p,
	                                                      part_out, err)) &&
	                         part_out->shard < shard);
	if (!status && i < field->n_parts)
		status = bs_value_part_get(table, field, field->first_part + i, part_out, err);
	*found_out = !status && i < field->n_parts && part_out->shard == shard;
	return *found_out ? bs_value_part_touch(table, part_out, n_docs, err) : status;
}

static uint32_t row_at(const struct bs_value_part *part, uint32_t entry)
{
	return bs_load_u32(part->entries + (size_t)entry * BS_VALUE_ENTRY_BYTES);
}

static uint32_t rank_at(const struct bs_value_part *part, uint32_t entry)
{
	return bs_load_u32(part->entries + (size_t)entry * BS_VALUE_ENTRY_BYTES + 4);
}

/* The first entry of the part's list for this row or a later one. */
static uint32_t find_entry(const struct bs_value_part *part, uint64_t row)
{
	uint32_t entry;
	BS_BINARY_SEARCH(entry, i, 0, part->n_entries, row_at(part, (uint32_t)i) < row);
	return entry;
}

/* The lines of a block in a layer. */
static const uint64_t *layer_of(const struct bs_value_part *part, uint32_t layer, uint32_t block)
{
	uint64_t line = bs_value_layer_lines(part->n_blocks, part->n_slices) * layer +
	                bs_value_layer_lines(block, part->n_slices);
	return part->lines + line * BS_LINE_WORDS;
}

static bool is_among(const struct bs_ranks *ranks, uint32_t rank)
{
	bool is_in = false;
	for (uint32_t i = 0; i < ranks->n; i++)
		is_in |= rank >= ranks->spans[i].low && rank <= ranks->spans[i].last;
	return is_in;
}

/* Adds to `joined` the rows of the n_blocks blocks from first_block on to which the part's list
 * gives a rank in `ranks`. */
static void join_listed(const struct bs_value_part *part, const struct bs_ranks *ranks,
                        uint32_t first_block, uint32_t n_blocks, uint64_t *joined,
                        struct bs_live *joined_live)
{
	uint64_t first_row = (uint64_t)first_block * BS_LINE_BITS,
		 end_row = first_row + (uint64_t)n_blocks * BS_LINE_BITS;
	for (uint32_t i = find_entry(part, first_row);
	     i < part->n_entries && row_at(part, i) < end_row; i++) {
		uint32_t at = (uint32_t)(row_at(part, i) - first_row), block = at / BS_LINE_BITS;
		if (!is_among(ranks, rank_at(part, i)))
			continue;
		if (!(joined_live->words[block / 64] >> (block % 64) & 1))
			memset(joined + (size_t)block * BS_LINE_WORDS, 0, BS_LINE_BYTES);
		joined_live->words[block / 64] |= UINT64_C(1) << (block % 64);
		joined[at / 64] |= UINT64_C(1) << (at % 64);
	}
}

uint64_t bs_value_part_keep(const struct bs_value_part *part, const struct bs_kernel *kernel,
                            const struct bs_ranks *ranks, uint32_t first_block, uint32_t n_blocks,
                            uint64_t *lines, struct bs_live *live, uint64_t *scratch[2])
{
	struct bs_live joined_live = {{0}};
	uint64_t n_read = 0;
	if (ranks->n == 1 && part->n_layers == 1 && part->n_entries == 0)
		return kernel->lines.keep_ranks(lines, live, layer_of(part, 0, first_block),
		                                part->n_slices, ranks->spans[0].low,
		                                ranks->spans[0].last);
	for (uint32_t span = 0; span < ranks->n; span++) {
		for (uint32_t layer = 0; layer < part->n_layers; layer++) {
			struct bs_live one_live = {{0}};
			kernel->lines.or_lines(scratch[1], &one_live, lines, live);
			n_read += kernel->lines.keep_ranks(
				scratch[1], &one_live, layer_of(part, layer, first_block),
				part->n_slices, ranks->spans[span].low, ranks->spans[span].last);
			kernel->lines.or_lines(scratch[0], &joined_live, scratch[1], &one_live);
		}
	}
	join_listed(part, ranks, first_block, n_blocks, scratch[0], &joined_live);
	kernel->lines.and_lines(lines, live, scratch[0], &joined_live);
	return n_read;
}

bool bs_value_part_layer_rank(const struct bs_value_part *part, uint32_t layer, uint32_t row,
                              uint32_t *rank_out)
{
	const uint64_t *word = layer_of(part, layer, row / BS_LINE_BITS) + row % BS_LINE_BITS / 64;
	bool has = *word >> (row % 64) & 1;
	*rank_out = 0;
	for (uint32_t i = 0; i < part->n_slices; i++) {
		word += BS_LINE_WORDS;
		*rank_out = *rank_out << 1 | (uint32_t)(*word >> (row % 64) & 1);
	}
	return has;
}

bool bs_value_part_rank(const struct bs_value_part *part, uint32_t row, bool is_greatest,
                        uint32_t *rank_out)
{
	bool has = false;
	for (uint32_t layer = 0; layer < part->n_layers && (is_greatest || !has); layer++) {
		uint32_t rank;
		if (!bs_value_part_layer_rank(part, layer, row, &rank))
			break;
		*rank_out = rank;
		has = true;
	}
	for (uint32_t i = find_entry(part, row);
	     i < part->n_entries && row_at(part, i) == row && (is_greatest || !has); i++) {
		*rank_out = rank_at(part, i);
		has = true;
	}
	return has;
}
