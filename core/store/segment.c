/* segment.c: opens segment files, and writes and reads those of their sections that have no file of
 * their own in core/. See segment.h; bytes in FORMAT.md. */
#include "core/store/segment.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/base/vector.h"
#include "core/file/segment_sections.h"
#include "core/matrix/forward_index.h"

#define META_BYTES                    (8 + sizeof(struct bs_segment_meta))
#define MOST_PPM                      1000000u
#define TREATMENT_HEAD_BYTES          16u
#define TREATMENT_ENTRY_BYTES         16u
#define TREATMENT_HAS_FALSE_POSITIVES 1u
#define TF_LEVELS_HEAD_BYTES          16u

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "columns are written as the machine's words");
_Static_assert(sizeof(struct bs_segment_meta) == 7 * 8, "it is written as it stands in memory");

static void write_exact_popcount(struct bs_file_writer *writer, uint32_t c, uint32_t n,
                                 uint32_t *least_exact_io)
{
	bs_file_writer_u32(writer, n);
	*least_exact_io = c == 0 || n < *least_exact_io ? n : *least_exact_io;
}

static void write_popcounts(struct bs_file_writer *writer, const struct bs_shard_image *image,
                            uint32_t *least_exact_out)
{
	const struct bs_shard_shape *shape = &image->shape;
	const uint64_t *at = image->columns;
	uint32_t n_blocks = (shape->n_docs + BS_LINE_BITS - 1) / BS_LINE_BITS;
	for (uint32_t level = 0; level < image->treatments->n_levels; level++) {
		uint32_t n_lines = bs_level_lines(image->treatments->ranks[level], n_blocks);
		uint64_t n_set = 0;
		for (uint32_t c = 0; c < shape->n_columns[level];
		     c++, at += (size_t)n_lines * BS_LINE_WORDS)
			n_set += image->kernel->lines.popcount(at, n_lines);
		bs_file_writer_u64(writer, n_set);
	}
	for (uint32_t c = 0; c < shape->n_exact; c++, at += (size_t)n_blocks * BS_LINE_WORDS)
		write_exact_popcount(writer, c,
		                     (uint32_t)image->kernel->lines.popcount(at, n_blocks),
		                     least_exact_out);
}

/* Writes the forward indexes. In the file, the offsets precede the lists, so the lists are encoded
 * in memory first. */
static enum bs_status write_lists(struct bs_file_writer *writer, uint32_t i,
                                  const struct bs_shard_image *image, struct bs_error *err)
{
	struct bs_buffer lists = {0};
	struct bs_u64s offsets = {0};
	uint64_t end = 0;
	enum bs_status status = bs_vector_append(&offsets, &end, err);
	for (uint32_t row = 0; row < image->shape.n_docs && !status; row++) {
		uint64_t first = image->forward_offsets[row];
		status = bs_forward_index_append(
			&lists, image->forward_terms + first,
			(uint32_t)(image->forward_offsets[row + 1] - first), err);
		end = lists.used_bytes;
		if (!status)
			status = bs_vector_append(&offsets, &end, err);
	}
	if (!status)
		bs_packed_write_u64(writer, BS_SECTION_FORWARD_OFFSETS, i, offsets.items,
		                    bs_vector_n(&offsets));
	bs_file_writer_put(writer, BS_SECTION_FORWARD_TERMS, i, lists.data, lists.used_bytes);
	bs_buffer_deinit(&lists);
	bs_vector_deinit(&offsets);
	return status;
}

/* Writes the filters and the exact columns of forward indexes. */
static void write_list_columns(struct bs_file_writer *writer, uint32_t i,
                               const struct bs_shard_image *image, uint32_t *least_exact_out)
{
	uint32_t n_groups = bs_forward_groups(image->shape.n_docs);
	const uint64_t *at = image->forward_columns;
	bs_file_writer_put(writer, BS_SECTION_FORWARD_FILTER_OFFSETS, i, image->filter_offsets,
	                   ((size_t)n_groups + 1) * 8);
	bs_file_writer_put(writer, BS_SECTION_FORWARD_FILTERS, i, image->filter_words,
	                   (size_t)image->filter_offsets[n_groups] * 8);
	bs_file_writer_put(writer, BS_SECTION_FORWARD_COLUMNS, i, image->forward_columns,
	                   (size_t)image->shape.n_exact * n_groups * 8);
	bs_file_writer_section(writer, BS_SECTION_POPCOUNTS, i);
	for (uint32_t c = 0; c < image->shape.n_exact; c++) {
		uint32_t n = 0;
		for (uint32_t group = 0; group < n_groups; group++)
			n += (uint32_t)__builtin_popcountll(*at++);
		write_exact_popcount(writer, c, n, least_exact_out);
	}
}

enum bs_status bs_segment_write_shard(struct bs_file_writer *writer, uint32_t i,
                                      const struct bs_shard_image *image, struct bs_buffer *entries,
                                      struct bs_error *err)
{
	const struct bs_shard_shape *shape = &image->shape;
	uint32_t least_exact = 0;
	bs_packed_write_u32(writer, BS_SECTION_ROWS, i, image->rows, shape->n_docs);
	if (shape->is_forward) {
		enum bs_status status = write_lists(writer, i, image, err);
		if (status)
			return status;
		write_list_columns(writer, i, image, &least_exact);
	} else {
		bs_file_writer_put(writer, BS_SECTION_COLUMNS, i, image->columns,
		                   (size_t)image->n_lines * BS_LINE_BYTES);
		bs_file_writer_section(writer, BS_SECTION_POPCOUNTS, i);
		write_popcounts(writer, image, &least_exact);
	}
	bs_file_writer_put(writer, BS_SECTION_EXACT_TERMS, i, image->exact_terms,
	                   (size_t)shape->n_exact * 4);
	uint8_t entry[BS_SHARD_ENTRY_BYTES] = {0};
	bs_store_u32(entry, shape->n_docs);
	bs_store_u32(entry + 4, shape->is_forward ? BS_SHARD_FORWARD : BS_SHARD_MATRIX);
	bs_store_u32(entry + 8, shape->n_exact);
	for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
		bs_store_u32(entry + 12 + 4 * level, shape->n_columns[level]);
	if (shape->is_forward) {
		bs_store_u32(entry + 12, shape->hashing.n_hashes);
		bs_store_u32(entry + 16, shape->hashing.near_log2);
	}
	bs_store_u32(entry + 24, least_exact);
	bs_store_u32(entry + 28, shape->least_length);
	return bs_buffer_append(entries, entry, sizeof(entry), err);
}

static void write_treatments(struct bs_file_writer *writer,
                             const struct bs_term_treatment_table *table)
{
	uint8_t head[TREATMENT_HEAD_BYTES] = {0};
	bs_store_u32(head, table->n_levels);
	bs_store_u32(head + 4, table->n_entries);
	memcpy(head + 8, table->ranks, sizeof(table->ranks));
	bs_file_writer_put(writer, BS_SECTION_TREATMENTS, 0, head, sizeof(head));
	for (uint32_t i = 0; i < table->n_entries; i++) {
		uint8_t entry[TREATMENT_ENTRY_BYTES] = {0};
		bs_store_u64(entry, table->entries[i].min_df);
		memcpy(entry + 8, table->entries[i].n_columns, BS_MAX_LEVELS);
		entry[8 + BS_MAX_LEVELS] =
			table->entries[i].has_false_positives ? TREATMENT_HAS_FALSE_POSITIVES : 0;
		bs_file_writer_bytes(writer, entry, sizeof(entry));
	}
}

static void write_tf_levels(struct bs_file_writer *writer, const struct bs_tf_levels *levels)
{
	bs_file_writer_section(writer, BS_SECTION_TF_LEVELS, 0);
	bs_file_writer_u64(writer, levels->min_df);
	bs_file_writer_u32(writer, levels->n_levels);
	bs_file_writer_u32(writer, levels->n_columns);
	for (uint32_t l = 0; l < levels->n_levels; l++)
		bs_file_writer_u32(writer, levels->least[l]);
}

void bs_segment_write_head(struct bs_file_writer *writer, const struct bs_segment_meta *meta,
                           const struct bs_buffer *field_names,
                           const struct bs_term_treatment_table *treatments,
                           const struct bs_tf_levels *tf_levels, const struct bs_buffer *entries)
{
	bs_file_writer_section(writer, BS_SECTION_META, 0);
	bs_file_writer_u64(writer, BS_HASH_SCHEME);
	bs_file_writer_bytes(writer, meta, sizeof(*meta));
	bs_file_writer_put(writer, BS_SECTION_FIELDS, 0, field_names->data,
	                   field_names->used_bytes);
	write_treatments(writer, treatments);
	write_tf_levels(writer, tf_levels);
	bs_file_writer_put(writer, BS_SECTION_SHARDS, 0, entries->data, entries->used_bytes);
}

/* Opens a small section and verifies all of it. BS_CORRUPT if it is shorter than min_bytes. */
static enum bs_status read_section(const struct bs_container *file, uint32_t id, uint64_t min_bytes,
                                   struct bs_section *section_out, struct bs_error *err)
{
	*section_out = bs_container_section(file, id, 0);
	if (section_out->n_bytes < min_bytes)
		return bs_container_corrupt(file, err, "section %u is missing or too short", id);
	return bs_section_touch(section_out, 0, section_out->n_bytes, err);
}

static enum bs_status read_meta(struct bs_segment *segment, struct bs_error *err)
{
	struct bs_section section;
	enum bs_status status =
		read_section(segment->file, BS_SECTION_META, META_BYTES, &section, err);
	if (status)
		return status;
	if (bs_load_u64(section.data) != BS_HASH_SCHEME)
		return bs_fail(err, BS_UNSUPPORTED,
		               "%s: hash scheme %llu is unknown to this bitsift",
		               bs_container_path(segment->file),
		               (unsigned long long)bs_load_u64(section.data));
	memcpy(&segment->meta, section.data + 8, sizeof(segment->meta));
	const struct bs_segment_meta *meta = &segment->meta;
	if (meta->n_docs >= UINT32_MAX || meta->n_positions > meta->n_docs * UINT32_MAX ||
	    meta->n_shards > meta->n_docs || meta->density_ppm == 0 ||
	    meta->density_ppm >= MOST_PPM)
		return bs_container_corrupt(
			segment->file, err,
			"%llu documents with %llu words in %llu shards, of a density of %llu "
			"millionths",
			(unsigned long long)meta->n_docs, (unsigned long long)meta->n_positions,
			(unsigned long long)meta->n_shards, (unsigned long long)meta->density_ppm);
	return BS_OK;
}

static enum bs_status read_treatments(struct bs_segment *segment, struct bs_error *err)
{
	struct bs_term_treatment_table *table = &segment->terms.treatments;
	struct bs_section section;
	enum bs_status status = read_section(segment->file, BS_SECTION_TREATMENTS,
	                                     TREATMENT_HEAD_BYTES, &section, err);
	if (status)
		return status;
	table->n_levels = bs_load_u32(section.data);
	table->n_entries = bs_load_u32(section.data + 4);
	memcpy(table->ranks, section.data + 8, sizeof(table->ranks));
	if (table->n_entries > BS_MAX_TREATMENTS ||
	    section.n_bytes !=
	            TREATMENT_HEAD_BYTES + (uint64_t)table->n_entries * TREATMENT_ENTRY_BYTES)
		return bs_container_corrupt(segment->file, err, "treatment table of %u entries",
		                            table->n_entries);
	for (uint32_t i = 0; i < table->n_entries; i++) {
		const uint8_t *entry =
			section.data + TREATMENT_HEAD_BYTES + (uint64_t)i * TREATMENT_ENTRY_BYTES;
		table->entries[i].min_df = bs_load_u64(entry);
		memcpy(table->entries[i].n_columns, entry + 8, BS_MAX_LEVELS);
		uint8_t flags = entry[8 + BS_MAX_LEVELS];
		table->entries[i].has_false_positives = flags & TREATMENT_HAS_FALSE_POSITIVES;
		if (flags & ~TREATMENT_HAS_FALSE_POSITIVES)
			return bs_container_corrupt(segment->file, err,
			                            "treatment %u has unknown flags", i);
	}
	if (!bs_term_treatment_table_is_valid(table))
		return bs_container_corrupt(segment->file, err,
		                            "treatment table breaks its own rules");
	return BS_OK;
}

static enum bs_status read_tf_levels(struct bs_segment *segment, struct bs_error *err)
{
	struct bs_tf_levels *levels = &segment->terms.tf_levels;
	struct bs_section section;
	enum bs_status status = read_section(segment->file, BS_SECTION_TF_LEVELS,
	                                     TF_LEVELS_HEAD_BYTES, &section, err);
	if (status)
		return status;
	levels->min_df = bs_load_u64(section.data);
	levels->n_levels = bs_load_u32(section.data + 8);
	levels->n_columns = bs_load_u32(section.data + 12);
	if (levels->n_levels > BS_MAX_TF_LEVELS ||
	    section.n_bytes != TF_LEVELS_HEAD_BYTES + (uint64_t)levels->n_levels * 4)
		return bs_container_corrupt(segment->file, err, "%u tf levels", levels->n_levels);
	for (uint32_t l = 0; l < levels->n_levels; l++)
		levels->least[l] =
			bs_load_u32(section.data + TF_LEVELS_HEAD_BYTES + (uint64_t)l * 4);
	if (!bs_tf_levels_are_valid(levels))
		return bs_container_corrupt(segment->file, err, "tf levels break their own rules");
	return BS_OK;
}

static enum bs_status read_entries(const struct bs_segment *segment, struct bs_section *entries_out,
                                   struct bs_error *err)
{
	uint64_t n_shards = segment->meta.n_shards;
	enum bs_status status = read_section(segment->file, BS_SECTION_SHARDS, 0, entries_out, err);
	if (!status && entries_out->n_bytes != n_shards * BS_SHARD_ENTRY_BYTES)
		status = bs_container_corrupt(segment->file, err, "%llu bytes for %llu shards",
		                              (unsigned long long)entries_out->n_bytes,
		                              (unsigned long long)n_shards);
	return status;
}

static enum bs_status read_shape(const struct bs_segment *segment, const uint8_t *entry, uint32_t i,
                                 struct bs_shard_shape *shape_out, struct bs_error *err)
{
	*shape_out = (struct bs_shard_shape){
		.n_docs = bs_load_u32(entry),
		.is_forward = bs_load_u32(entry + 4) == BS_SHARD_FORWARD,
		.n_exact = bs_load_u32(entry + 8),
		.least_exact = bs_load_u32(entry + 24),
		.least_length = bs_load_u32(entry + 28),
	};
	if (shape_out->is_forward)
		shape_out->hashing = (struct bs_forward_hashing){bs_load_u32(entry + 12),
		                                                 bs_load_u32(entry + 16)};
	for (uint32_t level = shape_out->is_forward ? 2 : 0; level < BS_MAX_LEVELS; level++)
		shape_out->n_columns[level] = bs_load_u32(entry + 12 + 4 * level);
	if (bs_load_u32(entry + 4) > BS_SHARD_FORWARD)
		return bs_fail(err, BS_UNSUPPORTED,
		               "%s: shard %u is of a kind unknown to this bitsift",
		               bs_container_path(segment->file), i);
	return BS_OK;
}

enum bs_status bs_segment_shape(const struct bs_segment *segment, uint32_t i,
                                struct bs_shard_shape *shape_out, struct bs_error *err)
{
	struct bs_section entries;
	enum bs_status status = read_entries(segment, &entries, err);
	return status ? status
	              : read_shape(segment, entries.data + (uint64_t)i * BS_SHARD_ENTRY_BYTES, i,
	                           shape_out, err);
}

static enum bs_status read_shards(struct bs_segment *segment, struct bs_error *err)
{
	struct bs_section entries;
	uint64_t n_shards = segment->meta.n_shards, n_docs = 0;
	enum bs_status status = read_entries(segment, &entries, err);
	if (status)
		return status;
	segment->shards = calloc(n_shards ? (size_t)n_shards : 1, sizeof(*segment->shards));
	if (!segment->shards)
		return bs_fail_memory(err, "shards", n_shards * sizeof(*segment->shards));
	for (uint32_t i = 0; i < n_shards && !status; i++) {
		struct bs_shard_shape shape;
		status = read_shape(segment, entries.data + (uint64_t)i * BS_SHARD_ENTRY_BYTES, i,
		                    &shape, err);
		if (!status)
			status = bs_shard_open(&segment->shards[i], segment->file, i, &shape,
			                       &segment->terms.treatments, err);
		n_docs += shape.n_docs;
		segment->shards[i].first_row = n_docs - shape.n_docs;
		segment->shards[i].hashed.density = (float)segment->meta.density_ppm / 1e6f;
	}
	if (!status && n_docs != segment->meta.n_docs)
		status = bs_container_corrupt(
			segment->file, err, "shards of %llu documents in a segment of %llu",
			(unsigned long long)n_docs, (unsigned long long)segment->meta.n_docs);
	return status;
}

/* Segments of earlier programs have no set of trigrams. */
static enum bs_status open_gram_set(struct bs_segment *segment, struct bs_error *err)
{
	struct bs_section section = bs_container_section(segment->file, BS_SECTION_GRAM_SET, 0);
	segment->trigrams.are_known = section.n_bytes > 0;
	return segment->trigrams.are_known ? bs_coded_section_open(&segment->trigrams.set, &section,
	                                                           0, section.n_bytes, err)
	                                   : BS_OK;
}

/* Opens the sections that segments and condensed segments share. */
static enum bs_status open_words(struct bs_segment *segment, const struct bs_dir *dir,
                                 const char *name, enum bs_container_kind kind,
                                 struct bs_error *err)
{
	*segment = (struct bs_segment){0};
	enum bs_status status = bs_container_open(dir, name, kind, &segment->file, err);
	if (!status)
		status = read_meta(segment, err);
	if (!status)
		status = read_treatments(segment, err);
	if (!status)
		status = bs_lexicon_open(&segment->terms.lexicon, segment->file,
		                         segment->meta.n_terms, segment->meta.n_docs, err);
	return status ? status : read_tf_levels(segment, err);
}

enum bs_status bs_segment_open_condensed(struct bs_segment *segment, const struct bs_dir *dir,
                                         const char *name, struct bs_error *err)
{
	enum bs_status status = open_words(segment, dir, name, BS_FILE_CONDENSED, err);
	if (status)
		bs_segment_deinit(segment);
	return status;
}

enum bs_status bs_segment_open(struct bs_segment *segment, const struct bs_dir *dir,
                               const char *name, struct bs_error *err)
{
	enum bs_status status = open_words(segment, dir, name, BS_FILE_SEGMENT, err);
	if (!status)
		status =
			bs_doc_table_open(&segment->docs, segment->file, segment->meta.n_docs, err);
	if (!status)
		status = bs_tf_table_open(&segment->terms.tfs, segment->file, segment->meta.n_docs,
		                          err);
	if (!status)
		status = read_shards(segment, err);
	if (!status)
		status = bs_false_positives_open(&segment->terms.false_positives, segment->file,
		                                 segment->meta.n_docs, err);
	if (!status)
		status = bs_rare_term_lists_open(&segment->terms.rare_term_lists, segment->file,
		                                 segment->meta.n_docs, err);
	if (!status)
		status = bs_gram_shards_open(&segment->grams, segment->file, segment->meta.n_docs,
		                             err);
	if (!status)
		status = bs_value_table_open(&segment->values, segment->file, err);
	if (!status)
		status = bs_id_table_open(&segment->ids, segment->file, err);
	if (!status)
		status = open_gram_set(segment, err);
	if (!status)
		status = read_section(segment->file, BS_SECTION_FIELDS, 0, &segment->field_names,
		                      err);
	const struct bs_section *names = &segment->field_names;
	if (!status && names->n_bytes > 0 && names->data[names->n_bytes - 1] != '\0')
		status = bs_container_corrupt(segment->file, err, "field names are not ended");
	if (status) {
		bs_segment_deinit(segment);
		return status;
	}
	segment->stored.dictionary =
		bs_container_section(segment->file, BS_SECTION_STORE_DICTIONARY, 0);
	segment->stored.offsets = bs_container_section(segment->file, BS_SECTION_STORE_OFFSETS, 0);
	segment->stored.frames = bs_container_section(segment->file, BS_SECTION_STORE_FRAMES, 0);
	return BS_OK;
}

void bs_segment_deinit(struct bs_segment *segment)
{
	free(segment->shards);
	bs_gram_shards_deinit(&segment->grams);
	bs_value_table_deinit(&segment->values);
	bs_rare_term_lists_deinit(&segment->terms.rare_term_lists);
	bs_lexicon_deinit(&segment->terms.lexicon);
	bs_doc_table_deinit(&segment->docs);
	bs_container_close(segment->file);
	*segment = (struct bs_segment){0};
}
