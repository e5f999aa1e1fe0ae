/* doc_table.c: see doc_table.h; bytes in FORMAT.md. */
#include "core/store/doc_table.h"

#include <string.h>

#include "core/base/bytes.h"
#include "core/collections/binary_search.h"
#include "core/file/segment_sections.h"

#define RANGE_BYTES 8u /* a range of documents of one source: u32 source, u32 first document */
#define PLACE_BYTES (4 * sizeof(uint64_t))

/* The last range that starts at or before the document. n_ranges >= 1. */
static uint32_t find_range(const uint8_t *ranges, uint32_t n_ranges, uint32_t document)
{
	uint32_t next;
	BS_BINARY_SEARCH(next, i, 1, n_ranges,
	                 bs_load_u32(ranges + i * RANGE_BYTES + 4) <= document);
	return next - 1;
}

static uint32_t find_source(const uint8_t *ranges, uint32_t n_ranges, uint32_t document)
{
	return bs_load_u32(ranges + (uint64_t)find_range(ranges, n_ranges, document) * RANGE_BYTES);
}

/* Compares bytewise, but "/" sorts before all other bytes, so that "a/x" comes before "a-b". */
int bs_compare_paths(const uint8_t *a, size_t a_bytes, const uint8_t *b, size_t b_bytes)
{
	size_t n = a_bytes < b_bytes ? a_bytes : b_bytes, i = 0;
	while (i < n && a[i] == b[i])
		i++;
	if (i == n)
		return bs_compare_u64(a_bytes, b_bytes);
	return a[i] == '/' ? -1 : b[i] == '/' ? 1 : bs_compare_u64(a[i], b[i]);
}

bool bs_doc_name_is_below(const uint8_t *name, uint32_t name_bytes)
{
	uint32_t start = 0;
	for (uint32_t i = 0; i <= name_bytes; i++) {
		if (i < name_bytes && name[i] == '\0')
			return false;
		if (i < name_bytes && name[i] != '/')
			continue;
		uint32_t part_bytes = i - start;
		if (part_bytes == 0 ||
		    (part_bytes <= 2 && memcmp(name + start, "..", part_bytes) == 0))
			return false;
		start = i + 1;
	}
	return true;
}

enum bs_status bs_doc_table_add(struct bs_doc_table_builder *builder,
                                const struct bs_doc_record *record, struct bs_error *err)
{
	bool is_first = builder->n_docs == 0;
	bool is_new_range = is_first || builder->last_source != record->source;
	uint8_t range[RANGE_BYTES], length[4], checksum[8], lines[4], name_offsets[16] = {0};
	bs_store_u32(range, record->source);
	bs_store_u32(range + 4, builder->n_docs);
	bs_store_u32(length, record->length);
	bs_store_u64(checksum, record->checksum);
	bs_store_u32(lines, record->lines);
	bs_store_u64(name_offsets + 8, builder->names.used_bytes + record->name_bytes);
	const struct {
		struct bs_buffer *to;
		const void *bytes;
		size_t n_bytes;
	} parts[] = {
		{&builder->lengths, length, sizeof(length)},
		{&builder->flags, &record->flags, 1},
		{&builder->places, record->place, PLACE_BYTES},
		{&builder->checksums, checksum, sizeof(checksum)},
		{&builder->lines, lines, sizeof(lines)},
		{&builder->name_offsets, name_offsets + (is_first ? 0 : 8), is_first ? 16 : 8},
		{&builder->names, record->name, record->name_bytes},
	};
	enum bs_status status =
		is_new_range ? bs_buffer_append(&builder->ranges, range, sizeof(range), err)
			     : BS_OK;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && !status; i++)
		status = bs_buffer_append(parts[i].to, parts[i].bytes, parts[i].n_bytes, err);
	if (status)
		return status;
	builder->last_source = record->source;
	builder->has_lines |= record->lines > 0;
	builder->n_docs++;
	return BS_OK;
}

void bs_doc_table_builder_get(const struct bs_doc_table_builder *builder, uint32_t document,
                              struct bs_doc_record *record_out)
{
	uint64_t i = document;
	uint64_t start = bs_load_u64(builder->name_offsets.data + i * 8);
	uint64_t end = bs_load_u64(builder->name_offsets.data + i * 8 + 8);
	*record_out = (struct bs_doc_record){
		.source =
			find_source(builder->ranges.data,
	                            (uint32_t)(builder->ranges.used_bytes / RANGE_BYTES), document),
		.length = bs_load_u32(builder->lengths.data + i * 4),
		.flags = builder->flags.data[i],
		.checksum = bs_load_u64(builder->checksums.data + i * 8),
		.name = builder->names.data + start,
		.name_bytes = (uint32_t)(end - start),
	};
	memcpy(record_out->place, builder->places.data + i * PLACE_BYTES, PLACE_BYTES);
}

uint32_t bs_doc_table_builder_get_length(const struct bs_doc_table_builder *builder,
                                         uint32_t document)
{
	return bs_load_u32(builder->lengths.data + (uint64_t)document * 4);
}

uint64_t bs_doc_table_builder_bytes(const struct bs_doc_table_builder *builder)
{
	return (uint64_t)builder->n_docs * (4 + 1 + PLACE_BYTES + 8 + 4 + 8) +
	       builder->names.used_bytes;
}

/* Whether to write the array of checksums. It is left out if all documents are BS_DOC_NOT_STORED
 * and all checksums are 0, as with bs_writer_request.no_checksums. */
static bool has_checksums(const struct bs_doc_table_builder *builder)
{
	for (uint64_t i = 0; i < builder->n_docs; i++)
		if (!(builder->flags.data[i] & BS_DOC_NOT_STORED) ||
		    bs_load_u64(builder->checksums.data + i * 8) != 0)
			return true;
	return false;
}

enum bs_status bs_doc_table_write(const struct bs_doc_table_builder *builder,
                                  struct bs_file_writer *writer, struct bs_error *err)
{
	static const uint64_t no_name = 0;
	bs_file_writer_put(writer, BS_SECTION_SOURCE_RANGES, 0, builder->ranges.data,
	                   builder->ranges.used_bytes);
	bs_packed_write_u32(writer, BS_SECTION_DOC_LENGTHS, 0,
	                    (const uint32_t *)(const void *)builder->lengths.data, builder->n_docs);
	bs_file_writer_put(writer, BS_SECTION_DOC_FLAGS, 0, builder->flags.data,
	                   builder->flags.used_bytes);
	const uint64_t *places = (const uint64_t *)(const void *)builder->places.data;
	for (uint32_t word = 0; word < 4; word++)
		bs_packed_write_every(writer, BS_SECTION_DOC_PLACES, word,
		                      builder->n_docs ? places + word : &no_name, 4,
		                      builder->n_docs);
	bs_file_writer_section(writer, BS_SECTION_DOC_CHECKSUMS, 0);
	if (has_checksums(builder))
		bs_file_writer_bytes(writer, builder->checksums.data,
		                     builder->checksums.used_bytes);
	if (builder->has_lines)
		bs_packed_write_u32(writer, BS_SECTION_DOC_LINES, 0,
		                    (const uint32_t *)(const void *)builder->lines.data,
		                    builder->n_docs);
	const uint64_t *name_offsets = (const uint64_t *)(const void *)builder->name_offsets.data;
	return bs_names_write(writer, bs_names_of_documents, builder->names.data,
	                      builder->n_docs ? name_offsets : &no_name, builder->n_docs, err);
}

static void do_each(struct bs_doc_table_builder *builder, void (*act)(struct bs_buffer *buffer))
{
	struct bs_buffer *const buffers[] = {
		&builder->ranges,    &builder->lengths, &builder->flags,        &builder->places,
		&builder->checksums, &builder->lines,   &builder->name_offsets, &builder->names};
	for (size_t i = 0; i < sizeof(buffers) / sizeof(*buffers); i++)
		act(buffers[i]);
}

void bs_doc_table_builder_clear(struct bs_doc_table_builder *builder)
{
	do_each(builder, bs_buffer_clear);
	builder->n_docs = 0;
	builder->has_lines = false;
}

void bs_doc_table_builder_deinit(struct bs_doc_table_builder *builder)
{
	do_each(builder, bs_buffer_deinit);
}

/* Checks that the ranges begin with document 0 and ascend. */
static enum bs_status check_ranges(const struct bs_doc_table *table, struct bs_error *err)
{
	for (uint32_t i = 0, before = 0; i < table->n_ranges; i++) {
		uint32_t first = bs_load_u32(table->ranges.data + (uint64_t)i * RANGE_BYTES + 4);
		if (i == 0 ? first != 0 : first <= before || first >= table->n_docs)
			return bs_container_corrupt(table->ranges.file, err,
			                            "range %u of documents begins at %u", i, first);
		before = first;
	}
	return BS_OK;
}

enum bs_status bs_doc_table_open(struct bs_doc_table *table, const struct bs_container *file,
                                 uint64_t n_docs, struct bs_error *err)
{
	*table = (struct bs_doc_table){
		.n_docs = (uint32_t)n_docs,
		.ranges = bs_container_section(file, BS_SECTION_SOURCE_RANGES, 0),
		.flags = bs_container_section(file, BS_SECTION_DOC_FLAGS, 0),
		.checksums = bs_container_section(file, BS_SECTION_DOC_CHECKSUMS, 0),
	};
	table->n_ranges = (uint32_t)(table->ranges.n_bytes / RANGE_BYTES);
	bool may_lack = bs_container_features(file) & BS_FEATURE_NOT_STORED;
	if (n_docs >= UINT32_MAX || table->flags.n_bytes != n_docs ||
	    (table->checksums.n_bytes != n_docs * 8 &&
	     (table->checksums.n_bytes != 0 || !may_lack)) ||
	    table->ranges.n_bytes % RANGE_BYTES != 0 ||
	    table->ranges.n_bytes > n_docs * RANGE_BYTES || (n_docs && !table->n_ranges))
		return bs_container_corrupt(file, err,
		                            "the document table does not hold %llu documents",
		                            (unsigned long long)n_docs);
	enum bs_status status = bs_section_touch(&table->ranges, 0, table->ranges.n_bytes, err);
	if (!status)
		status = check_ranges(table, err);
	if (!status)
		status = bs_packed_open(&table->lengths,
		                        bs_container_section(file, BS_SECTION_DOC_LENGTHS, 0),
		                        n_docs, err);
	for (uint32_t word = 0; word < 4 && !status; word++)
		status = bs_packed_open(&table->places[word],
		                        bs_container_section(file, BS_SECTION_DOC_PLACES, word),
		                        n_docs, err);
	struct bs_section lines = bs_container_section(file, BS_SECTION_DOC_LINES, 0);
	if (!status && lines.n_bytes > 0)
		status = bs_packed_open(&table->lines, lines, n_docs, err);
	return status ? status
	              : bs_names_open(&table->names, file, bs_names_of_documents, n_docs, err);
}

void bs_doc_table_deinit(struct bs_doc_table *table)
{
	bs_names_deinit(&table->names);
	*table = (struct bs_doc_table){.n_docs = 0};
}

struct bs_source_range bs_doc_table_range(const struct bs_doc_table *table, uint32_t i)
{
	const uint8_t *entry = table->ranges.data + (uint64_t)i * RANGE_BYTES;
	bool is_last = i + 1 == table->n_ranges;
	return (struct bs_source_range){
		.source = bs_load_u32(entry),
		.first = bs_load_u32(entry + 4),
		.end = is_last ? table->n_docs : bs_load_u32(entry + RANGE_BYTES + 4),
	};
}

struct bs_source_range bs_doc_table_range_of(const struct bs_doc_table *table, uint32_t document)
{
	return bs_doc_table_range(table, find_range(table->ranges.data, table->n_ranges, document));
}

enum bs_status bs_doc_table_place(const struct bs_doc_table *table, uint32_t document,
                                  uint32_t n_words, uint64_t *place_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t word = 0; word < n_words && !status; word++)
		status = bs_packed_get(&table->places[word], document, &place_out[word], err);
	return status;
}

enum bs_status bs_doc_table_flags(const struct bs_doc_table *table, uint32_t i, uint8_t *flags_out,
                                  struct bs_error *err)
{
	enum bs_status status = bs_section_touch(&table->flags, i, 1, err);
	*flags_out = status ? 0 : table->flags.data[i];
	return status;
}

enum bs_status bs_doc_table_get(const struct bs_doc_table *table, uint32_t document,
                                struct bs_doc_record *record_out, struct bs_error *err)
{
	const uint64_t checksum_at = (uint64_t)document * 8;
	if (document >= table->n_docs)
		return bs_container_corrupt(table->ranges.file, err, "document %u of %u", document,
		                            table->n_docs);
	*record_out = (struct bs_doc_record){
		.source = find_source(table->ranges.data, table->n_ranges, document)};
	enum bs_status status =
		bs_packed_get_u32(&table->lengths, document, &record_out->length, err);
	if (!status)
		status = bs_doc_table_flags(table, document, &record_out->flags, err);
	if (!status)
		status = bs_doc_table_place(table, document, 4, record_out->place, err);
	if (!status)
		status = bs_names_get(&table->names, document, &record_out->name,
		                      &record_out->name_bytes, err);
	if (status || table->checksums.n_bytes == 0)
		return status;
	status = bs_section_touch(&table->checksums, checksum_at, 8, err);
	record_out->checksum = status ? 0 : bs_load_u64(table->checksums.data + checksum_at);
	return status;
}

void bs_doc_table_prefetch(const struct bs_doc_table *table, uint32_t document, unsigned step)
{
	if (document >= table->n_docs)
		return;
	bs_names_prefetch(&table->names, document, step);
	if (step == 0) {
		bs_packed_prefetch_entry(&table->lengths, document);
		for (unsigned word = 0; word < 4; word++)
			bs_packed_prefetch_entry(&table->places[word], document);
		__builtin_prefetch(table->flags.data + document);
		if (table->checksums.n_bytes > 0)
			__builtin_prefetch(table->checksums.data + (uint64_t)document * 8);
	} else if (step == 1) {
		bs_packed_prefetch(&table->lengths, document);
		for (unsigned word = 0; word < 4; word++)
			bs_packed_prefetch(&table->places[word], document);
	}
}
