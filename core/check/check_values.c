/* check_values.c: checks the values (numbers and dates) of a segment's records: fields, their
 * ascending values, and the ranks of each row. */
#include "core/check/check_values.h"

#include "core/file/segment_sections.h"
#include "core/matrix/value_column.h"

/* The totals of the checks so far: they determine where the next field or part must begin in its
 * section. A part has the values of a field in one shard (struct bs_value_part). */
struct told {
	const struct bs_value_table *table;
	uint8_t *seen; /* one bit per value: set if some document has it */
	/* The numbers of values and parts of the checked fields, and of lines and list entries of
	 * the checked parts. */
	uint64_t n_values, n_parts, n_lines, n_entries;
	uint64_t names_bytes; /* length of the names of the fields checked so far */
};

/* Checks field f: its name, its place after the previous field, and its values, which must ascend.
 * before: the previous field; becomes field f. */
static void check_field(struct check *check, struct told *told, uint32_t f,
                        struct bs_value_field *before)
{
	const struct bs_value_table *table = told->table;
	struct bs_value_field field = {.name = NULL};
	struct bs_value last = {0};
	TRY(check, bs_value_field_get(table, f, &field, check->err));
	EXPECT(check,
	       f == 0 || bs_compare_bytes(before->name, before->name_bytes, field.name,
	                                  field.name_bytes) < 0,
	       "field %u of values is out of order", f);
	EXPECT(check,
	       field.first_value == told->n_values && field.first_part == told->n_parts &&
	               field.n_parts > 0 &&
	               field.name == table->fields.data + BS_VALUE_HEAD_BYTES +
	                                     (size_t)table->n_fields * BS_VALUE_FIELD_BYTES +
	                                     told->names_bytes,
	       "field %u of values does not follow the one before", f);
	for (uint32_t rank = 0; rank < field.n_values && !check->status; rank++) {
		struct bs_value value = {0};
		TRY(check, bs_value_of_rank(table, &field, rank, &value, check->err));
		EXPECT(check, rank == 0 || bs_value_compare(&last, &value) < 0,
		       "values of field %u do not ascend", f);
		last = value;
	}
	told->n_values += field.n_values;
	told->n_parts += field.n_parts;
	told->names_bytes += field.name_bytes;
	*before = field;
}

/* Checks a rank of a row. before: the row's previous rank, which must be less; -1: none. */
static void check_rank(struct check *check, struct told *told, const struct bs_value_field *field,
                       uint32_t row, int64_t before, uint32_t rank)
{
	EXPECT(check, rank < field->n_values, "row %u has rank %u of %u values", row, rank,
	       field->n_values);
	EXPECT(check, (int64_t)rank > before, "row %u has ranks that do not ascend", row);
	if (!check->status)
		told->seen[(field->first_value + rank) / 8] |=
			(uint8_t)(1u << ((field->first_value + rank) % 8));
}

/* Checks the ranks of a row: first those in the layers, then those in the list from entry *entry_io
 * on. Advances *entry_io. */
static void check_row(struct check *check, struct told *told, const struct bs_value_field *field,
                      const struct bs_value_part *part, uint32_t row, uint32_t *entry_io)
{
	int64_t before = -1;
	bool is_over = false;
	for (uint32_t layer = 0; layer < part->n_layers && !check->status; layer++) {
		uint32_t rank = 0;
		bool has = bs_value_part_layer_rank(part, layer, row, &rank);
		EXPECT(check, has || rank == 0, "row %u has no rank in layer %u, and bits of one",
		       row, layer);
		EXPECT(check, !has || !is_over, "row %u has a rank in layer %u, and none before",
		       row, layer);
		if (has)
			check_rank(check, told, field, row, before, rank);
		is_over |= !has;
		before = has ? (int64_t)rank : before;
	}
	for (; *entry_io < part->n_entries && !check->status; ++*entry_io) {
		const uint8_t *entry = part->entries + (size_t)*entry_io * BS_VALUE_ENTRY_BYTES;
		if (bs_load_u32(entry) != row)
			break;
		EXPECT(check, !is_over, "row %u is listed with a value, and has none in a layer",
		       row);
		check_rank(check, told, field, row, before, bs_load_u32(entry + 4));
		before = bs_load_u32(entry + 4);
	}
}

/* Checks the values of a field in one shard of n_docs documents. */
static void check_part(struct check *check, struct told *told, const struct bs_value_field *field,
                       struct bs_value_part *part, uint32_t n_docs)
{
	uint32_t entry = 0;
	TRY(check, bs_value_part_touch(told->table, part, n_docs, check->err));
	if (check->status)
		return;
	EXPECT(check,
	       part->first_line == told->n_lines && part->first_entry == told->n_entries &&
	               part->n_layers + part->n_entries > 0,
	       "values of shard %u do not follow those before", part->shard);
	/* A line has 512 bits, but the last block of the shard may have fewer rows; the bits after
	 * the last row must have no value. Without layers, only rows in the list of entries have
	 * values, so the other rows are skipped. */
	for (uint32_t row = 0; row < part->n_blocks * BS_LINE_BITS && !check->status; row++) {
		uint32_t rank, listed = entry < part->n_entries
		                                ? bs_load_u32(part->entries +
		                                              (size_t)entry * BS_VALUE_ENTRY_BYTES)
		                                : 0;
		if (part->n_layers == 0 && listed < row)
			break;
		row = part->n_layers == 0 ? listed : row;
		check_row(check, told, field, part, row, &entry);
		EXPECT(check, row < n_docs || !bs_value_part_rank(part, row, false, &rank),
		       "row %u of %u has a value", row, n_docs);
	}
	EXPECT(check, entry == part->n_entries, "listed values of shard %u do not ascend",
	       part->shard);
	told->n_lines += bs_value_layer_lines(part->n_blocks, part->n_slices) * part->n_layers;
	told->n_entries += part->n_entries;
}

/* Checks the part of each field that is in shard s. next: for each field, the number of its next
 * part. */
static void check_shard(struct check *check, struct told *told, uint32_t s, uint64_t *next)
{
	for (uint32_t f = 0; f < told->table->n_fields && !check->status; f++) {
		struct bs_value_field field;
		struct bs_value_part part = {.shard = UINT32_MAX};
		TRY(check, bs_value_field_get(told->table, f, &field, check->err));
		if (check->status || next[f] == field.first_part + field.n_parts)
			continue;
		TRY(check, bs_value_part_get(told->table, &field, next[f], &part, check->err));
		if (check->status || part.shard != s)
			continue;
		next[f]++;
		check_part(check, told, &field, &part, check->segment->shards[s].n_docs);
	}
}

/* Checks the section FIELD_TEXTS: it has two counts for each name in FIELDS, or is missing. */
static void check_field_texts(struct check *check)
{
	const struct bs_section *names = &check->segment->field_names;
	struct bs_section texts =
		bs_container_section(check->segment->file, BS_SECTION_FIELD_TEXTS, 0);
	uint64_t n_names = 0;
	for (uint64_t i = 0; i < names->n_bytes; i++)
		n_names += names->data[i] == '\0';
	touch_all(check, &texts);
	EXPECT(check, texts.n_bytes == 0 || texts.n_bytes == n_names * 8,
	       "texts of fields have %llu bytes, for %llu fields",
	       (unsigned long long)texts.n_bytes, (unsigned long long)n_names);
}

void bs_check_values(struct check *check)
{
	const struct bs_value_table *table = &check->segment->values;
	struct told told = {.table = table};
	struct bs_value_field before = {.name = NULL};
	check_field_texts(check);
	if (check->status || !table->is_there)
		return;
	uint64_t *next = allocate(check, table->n_fields, sizeof(*next), "fields");
	told.seen = allocate(check, table->n_values / 8, 1, "values");
	touch_all(check, &table->parts);
	if (table->n_values > 0)
		TRY(check, bs_names_check(&table->keys, check->err));
	for (uint32_t f = 0; f < table->n_fields && !check->status; f++) {
		check_field(check, &told, f, &before);
		next[f] = before.first_part;
	}
	EXPECT(check, told.n_values == table->n_values && told.n_parts == table->n_parts,
	       "fields have %llu of %llu values in %llu of "
	       "%llu parts",
	       (unsigned long long)told.n_values, (unsigned long long)table->n_values,
	       (unsigned long long)told.n_parts, (unsigned long long)table->n_parts);
	for (uint32_t s = 0; s < check->segment->meta.n_shards && !check->status; s++)
		check_shard(check, &told, s, next);
	for (uint32_t f = 0; f < table->n_fields && !check->status; f++) {
		TRY(check, bs_value_field_get(table, f, &before, check->err));
		EXPECT(check, next[f] == before.first_part + before.n_parts,
		       "shards of field %u of values do not ascend", f);
	}
	EXPECT(check,
	       told.n_lines == table->lines.n_bytes / BS_LINE_BYTES &&
	               table->lines.n_bytes % BS_LINE_BYTES == 0 &&
	               told.n_entries == table->lists.n_bytes / BS_VALUE_ENTRY_BYTES,
	       "%llu lines of values and %llu listed, where there are "
	       "%llu and %llu",
	       (unsigned long long)told.n_lines, (unsigned long long)told.n_entries,
	       (unsigned long long)(table->lines.n_bytes / BS_LINE_BYTES),
	       (unsigned long long)(table->lists.n_bytes / BS_VALUE_ENTRY_BYTES));
	for (uint64_t i = 0; i < told.n_values && !check->status; i++)
		EXPECT(check, told.seen[i / 8] >> (i % 8) & 1, "no document has value %llu",
		       (unsigned long long)i);
	free(next);
	free(told.seen);
}
