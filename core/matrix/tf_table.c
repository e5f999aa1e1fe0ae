/* tf_table.c: see tf_table.h. */
#include "core/matrix/tf_table.h"

#include "core/base/bytes.h"
#include "core/file/segment_sections.h"

enum bs_status bs_tf_table_add(struct bs_tf_table_builder *builder, const uint8_t *bits, size_t n_bytes,
                               struct bs_error *err)
{
	enum bs_status status = n_bytes ? bs_buffer_append(&builder->bits, bits, n_bytes, err) : BS_OK;
	uint64_t end = builder->bits.used_bytes;
	return status ? status : bs_buffer_append(&builder->ends, &end, sizeof(end), err);
}

enum bs_status bs_tf_table_pad(struct bs_tf_table_builder *builder, struct bs_error *err)
{
	static const uint8_t pad[BS_TF_PAD_BYTES];
	enum bs_status status = bs_buffer_append(&builder->bits, pad, sizeof(pad), err);
	if (!status)
		builder->bits.used_bytes -= sizeof(pad);
	return status;
}

static uint64_t end_of(const struct bs_tf_table_builder *builder, uint64_t n_docs)
{
	return n_docs ? bs_load_u64(builder->ends.data + (n_docs - 1) * 8) : 0;
}

const uint8_t *bs_tf_table_added(const struct bs_tf_table_builder *builder, uint32_t document, size_t *n_bytes_out)
{
	uint64_t start = end_of(builder, document);
	*n_bytes_out = (size_t)(end_of(builder, (uint64_t)document + 1) - start);
	return builder->bits.data + start;
}

uint64_t bs_tf_table_builder_bytes(const struct bs_tf_table_builder *builder)
{
	return builder->ends.used_bytes + builder->bits.used_bytes;
}

enum bs_status bs_tf_table_write(const struct bs_tf_table_builder *builder, struct bs_writer *writer,
                                 struct bs_error *err)
{
	static const uint8_t pad[BS_TF_PAD_BYTES];
	uint64_t start = 0;
	struct bs_buffer offsets = {0};
	enum bs_status status = bs_buffer_append(&offsets, &start, sizeof(start), err);
	if (!status && builder->ends.used_bytes)
		status = bs_buffer_append(&offsets, builder->ends.data, builder->ends.used_bytes, err);
	bs_writer_section(writer, BS_SECTION_DOC_TF_OFFSETS, 0);
	if (!status)
		bs_packed_write_u64(writer, (const uint64_t *)(const void *)offsets.data, offsets.used_bytes / 8);
	bs_writer_section(writer, BS_SECTION_DOC_TFS, 0);
	bs_writer_bytes(writer, builder->bits.data, builder->bits.used_bytes);
	bs_writer_bytes(writer, pad, sizeof(pad));
	bs_buffer_deinit(&offsets);
	return status;
}

void bs_tf_table_builder_clear(struct bs_tf_table_builder *builder)
{
	bs_buffer_clear(&builder->ends);
	bs_buffer_clear(&builder->bits);
}

void bs_tf_table_builder_deinit(struct bs_tf_table_builder *builder)
{
	bs_buffer_deinit(&builder->ends);
	bs_buffer_deinit(&builder->bits);
}

enum bs_status bs_tf_table_open(struct bs_tf_table *table, const struct bs_container *file, uint64_t n_docs,
                                struct bs_error *err)
{
	*table = (struct bs_tf_table){.bits = bs_container_section(file, BS_SECTION_DOC_TFS, 0)};
	if (table->bits.n_bytes < BS_TF_PAD_BYTES)
		return bs_container_corrupt(file, err, "the frequencies of words in documents are cut off");
	return bs_packed_open(&table->offsets, bs_container_section(file, BS_SECTION_DOC_TF_OFFSETS, 0), n_docs + 1, err);
}

void bs_tf_table_prefetch(const struct bs_tf_table *table, uint32_t document)
{
	struct bs_packed_place place;
	const struct bs_packed *offsets = &table->offsets;
	if (document >= offsets->n || !bs_section_is_verified(&offsets->section, bs_packed_entry_at(document)) ||
	    !bs_packed_find_place(offsets, document, &place) || !bs_section_is_verified(&offsets->section, place.at))
		return;
	uint64_t start = bs_packed_value(offsets, &place);
	if (start < table->bits.n_bytes)
		__builtin_prefetch(table->bits.data + start);
}

enum bs_status bs_tf_table_get(const struct bs_tf_table *table, uint32_t document, const uint8_t **bits_out,
                               size_t *n_bytes_out, struct bs_error *err)
{
	uint64_t start, end;
	enum bs_status status = bs_packed_get_span(&table->offsets, document, &start, &end, err);
	if (status)
		return status;
	if (start > end || end > table->bits.n_bytes - BS_TF_PAD_BYTES || end - start >= UINT32_MAX)
		return bs_container_corrupt(table->bits.file, err, "the frequencies of words in document %u have impossible bounds",
		                            document);
	*bits_out = table->bits.data + start;
	*n_bytes_out = (size_t)(end - start);
	return bs_section_touch(&table->bits, start, end - start + BS_TF_PAD_BYTES, err);
}
