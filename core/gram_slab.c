/* gram_slab.c: see gram_slab.h; bytes in FORMAT.md. */
#include "core/gram_slab.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/bytes.h"
#include "core/grams.h"
#include "core/hash.h"
#include "core/segment_sections.h"

#define META_BYTES  32u
#define ENTRY_BYTES 32u
#define TRIGRAMS    (1u << 24)

uint32_t bs_gram_hash_column(uint64_t key, uint32_t m)
{
	return bs_hash_reduce(bs_hash_mix(key), m);
}

/* ---- writing ---- */

enum bs_status bs_gram_slab_begin(struct bs_writer *writer, uint32_t i, const struct bs_gram_slab_shape *shape,
                                  const uint32_t *rows, const uint32_t *exact, const uint32_t *left_out,
                                  struct bs_buffer *entries, struct bs_error *err)
{
	uint8_t entry[ENTRY_BYTES] = {0};
	bs_store_u32(entry, shape->class);
	bs_store_u32(entry + 4, shape->n_docs);
	bs_store_u32(entry + 8, shape->n_columns);
	bs_store_u32(entry + 12, shape->n_exact);
	bs_store_u32(entry + 16, shape->n_left_out);
	bs_writer_section(writer, BS_SECTION_GRAM_ROWS, i);
	bs_writer_bytes(writer, rows, (size_t)shape->n_docs * 4);
	bs_writer_section(writer, BS_SECTION_GRAM_EXACT, i);
	bs_writer_bytes(writer, exact, (size_t)shape->n_exact * 4);
	bs_writer_section(writer, BS_SECTION_GRAM_LEFT_OUT, i);
	bs_writer_bytes(writer, left_out, (size_t)shape->n_left_out * 4);
	bs_writer_section(writer, BS_SECTION_GRAM_COLUMNS, i);
	return bs_buffer_append(entries, entry, sizeof(entry), err);
}

void bs_gram_slabs_write(struct bs_writer *writer, const struct bs_gram_meta *meta, const struct bs_buffer *entries)
{
	bs_writer_section(writer, BS_SECTION_GRAM_META, 0);
	bs_writer_u64(writer, BS_GRAM_SCHEME);
	bs_writer_u64(writer, meta->n_docs);
	bs_writer_u64(writer, meta->n_postings);
	bs_writer_u64(writer, entries->used_bytes / ENTRY_BYTES);
	bs_writer_section(writer, BS_SECTION_GRAM_SLABS, 0);
	bs_writer_bytes(writer, entries->data, entries->used_bytes);
}

/* ---- opening ---- */

static enum bs_status check_bytes(const struct bs_section *section, uint64_t n_bytes, uint32_t i, struct bs_error *err)
{
	if (section->n_bytes == n_bytes)
		return BS_OK;
	return bs_container_corrupt(section->file, err, "gram slab %u: section %u has %llu bytes, its shape asks for %llu", i,
	                            section->id, (unsigned long long)section->n_bytes, (unsigned long long)n_bytes);
}

static enum bs_status open_slab(struct bs_gram_slab *slab, const struct bs_container *file, uint32_t i,
                                const uint8_t *entry, struct bs_error *err)
{
	struct bs_gram_slab_shape shape = {
		.class = bs_load_u32(entry),
		.n_docs = bs_load_u32(entry + 4),
		.n_columns = bs_load_u32(entry + 8),
		.n_exact = bs_load_u32(entry + 12),
		.n_left_out = bs_load_u32(entry + 16),
	};
	if (shape.class >= BS_GRAM_CLASSES || shape.n_docs == 0 || shape.n_docs > BS_GRAM_SLAB_MAX_DOCS ||
	    shape.n_columns >= BS_GRAM_ABSENT - TRIGRAMS || shape.n_exact > TRIGRAMS || shape.n_left_out > TRIGRAMS)
		return bs_container_corrupt(file, err, "gram slab %u has an impossible shape", i);
	slab->shape = shape;
	slab->column_bytes = bs_gram_column_bytes(shape.n_docs);
	slab->rows = bs_container_section(file, BS_SECTION_GRAM_ROWS, i);
	slab->columns = bs_container_section(file, BS_SECTION_GRAM_COLUMNS, i);
	slab->exact = bs_container_section(file, BS_SECTION_GRAM_EXACT, i);
	slab->left_out = bs_container_section(file, BS_SECTION_GRAM_LEFT_OUT, i);
	enum bs_status status = check_bytes(&slab->rows, (uint64_t)shape.n_docs * 4, i, err);
	if (!status)
		status = check_bytes(&slab->exact, (uint64_t)shape.n_exact * 4, i, err);
	if (!status)
		status = check_bytes(&slab->left_out, (uint64_t)shape.n_left_out * 4, i, err);
	if (!status)
		status = check_bytes(&slab->columns, ((uint64_t)shape.n_columns + shape.n_exact) * slab->column_bytes, i, err);
	return status;
}

static enum bs_status read_meta(struct bs_gram_slabs *grams, const struct bs_container *file, uint64_t n_docs,
                                struct bs_section *entries_out, struct bs_error *err)
{
	struct bs_section meta = bs_container_section(file, BS_SECTION_GRAM_META, 0);
	*entries_out = bs_container_section(file, BS_SECTION_GRAM_SLABS, 0);
	if (meta.n_bytes == 0 && entries_out->n_bytes == 0)
		return BS_OK;
	if (meta.n_bytes != META_BYTES)
		return bs_container_corrupt(file, err, "%llu bytes of numbers of the grams", (unsigned long long)meta.n_bytes);
	enum bs_status status = bs_section_touch(&meta, 0, META_BYTES, err);
	if (!status && entries_out->n_bytes > 0)
		status = bs_section_touch(entries_out, 0, entries_out->n_bytes, err);
	if (status)
		return status;
	if (bs_load_u64(meta.data) != BS_GRAM_SCHEME)
		return bs_fail(err, BS_UNSUPPORTED, "%s: gram scheme %llu is unknown to this bitsift", bs_container_path(file),
		               (unsigned long long)bs_load_u64(meta.data));
	grams->meta.n_docs = bs_load_u64(meta.data + 8);
	grams->meta.n_postings = bs_load_u64(meta.data + 16);
	uint64_t n_slabs = bs_load_u64(meta.data + 24);
	/* Every slab has a document. */
	if (n_slabs > grams->meta.n_docs || grams->meta.n_docs > n_docs || entries_out->n_bytes != n_slabs * ENTRY_BYTES)
		return bs_container_corrupt(file, err, "%llu gram slabs of %llu documents in %llu bytes",
		                            (unsigned long long)n_slabs, (unsigned long long)grams->meta.n_docs,
		                            (unsigned long long)entries_out->n_bytes);
	grams->n_slabs = (uint32_t)n_slabs;
	return BS_OK;
}

enum bs_status bs_gram_slabs_open(struct bs_gram_slabs *grams, const struct bs_container *file, uint64_t n_docs,
                                  struct bs_error *err)
{
	struct bs_section entries;
	uint64_t n_rows = 0;
	*grams = (struct bs_gram_slabs){.n_slabs = 0};
	enum bs_status status = read_meta(grams, file, n_docs, &entries, err);
	if (status || grams->n_slabs == 0)
		return status;
	grams->slabs = calloc(grams->n_slabs, sizeof(*grams->slabs));
	if (!grams->slabs)
		return bs_fail_memory(err, "slabs of grams", grams->n_slabs * sizeof(*grams->slabs));
	for (uint32_t i = 0; i < grams->n_slabs && !status; i++) {
		status = open_slab(&grams->slabs[i], file, i, entries.data + (size_t)i * ENTRY_BYTES, err);
		n_rows += grams->slabs[i].shape.n_docs;
	}
	if (!status && n_rows != grams->meta.n_docs)
		status = bs_container_corrupt(file, err, "gram slabs of %llu documents, not %llu", (unsigned long long)n_rows,
		                              (unsigned long long)grams->meta.n_docs);
	return status;
}

void bs_gram_slabs_deinit(struct bs_gram_slabs *grams)
{
	free(grams->slabs);
	*grams = (struct bs_gram_slabs){.n_slabs = 0};
}

/* ---- reading ---- */

/* Where a trigram stands in an ascending list, or n. */
static enum bs_status find_trigram(const struct bs_section *list, uint32_t n, uint32_t trigram, uint32_t *i_out,
                                   struct bs_error *err)
{
	uint32_t low = 0, high = n;
	enum bs_status status = n ? bs_section_touch(list, 0, list->n_bytes, err) : BS_OK;
	if (status)
		return status;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (bs_load_u32(list->data + (size_t)middle * 4) < trigram)
			low = middle + 1;
		else
			high = middle;
	}
	*i_out = low < n && bs_load_u32(list->data + (size_t)low * 4) == trigram ? low : n;
	return BS_OK;
}

enum bs_status bs_gram_slab_find(const struct bs_gram_slab *slab, uint64_t key, uint32_t *column_out,
                                 struct bs_error *err)
{
	const struct bs_gram_slab_shape *shape = &slab->shape;
	if (bs_gram_bytes(key) == BS_GRAM_LEAST) {
		uint32_t i = 0;
		enum bs_status status = find_trigram(&slab->left_out, shape->n_left_out, (uint32_t)key, &i, err);
		*column_out = BS_GRAM_UNKNOWN;
		if (status || i < shape->n_left_out)
			return status;
		status = find_trigram(&slab->exact, shape->n_exact, (uint32_t)key, &i, err);
		*column_out = shape->n_columns + i;
		if (status || i < shape->n_exact)
			return status;
	}
	*column_out = shape->n_columns ? bs_gram_hash_column(key, shape->n_columns) : BS_GRAM_ABSENT;
	return BS_OK;
}

enum bs_status bs_gram_slab_column(const struct bs_gram_slab *slab, uint32_t column, uint32_t first, uint32_t n_bytes,
                                   const uint8_t **bytes_out, struct bs_error *err)
{
	uint64_t at = (uint64_t)column * slab->column_bytes + first;
	*bytes_out = slab->columns.data + at;
	return bs_section_touch(&slab->columns, at, n_bytes, err);
}

enum bs_status bs_gram_slab_document(const struct bs_gram_slab *slab, uint32_t row, uint32_t *document_out,
                                     struct bs_error *err)
{
	*document_out = 0;
	enum bs_status status = bs_section_touch(&slab->rows, (uint64_t)row * 4, 4, err);
	if (!status)
		*document_out = bs_load_u32(slab->rows.data + (uint64_t)row * 4);
	return status;
}
