/* index_stats.c: see index_stats.h. */
#include "core/store/index_stats.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/base/vector.h"
#include "core/file/segment_sections.h"
#include "core/matrix/forward_index.h"
#include "core/simd/kernels.h"
#include "core/store/folder_listings.h"
#include "core/store/summary.h"

const char *bs_part_name(enum bs_part part)
{
	static const char *const names[BS_PARTS] = {
		[BS_PART_DOCUMENT_COLUMNS] = "document columns",
		[BS_PART_GROUP_COLUMNS] = "group columns",
		[BS_PART_BLOCK_COLUMNS] = "block columns",
		[BS_PART_EXACT_COLUMNS] = "exact columns",
		[BS_PART_FALSE_POSITIVES] = "false positives",
		[BS_PART_FORWARD_INDEXES] = "forward indexes",
		[BS_PART_RARE_TERM_LISTS] = "rare-term lists",
		[BS_PART_POPCOUNTS] = "popcounts",
		[BS_PART_ROWS] = "rows",
		[BS_PART_LENGTHS] = "lengths",
		[BS_PART_TFS] = "words in documents",
		[BS_PART_LEXICON] = "lexicon",
		[BS_PART_GRAM_COLUMNS] = "gram columns",
		[BS_PART_GRAM_LISTS] = "frequent grams",
		[BS_PART_GRAM_ROWS] = "gram rows",
		[BS_PART_VALUES] = "numbers and dates",
		[BS_PART_NAMES] = "document ids",
		[BS_PART_PLACES] = "places in sources",
		[BS_PART_STORED_TEXT] = "stored text",
		[BS_PART_SUMMARY] = "summary",
		[BS_PART_TOMBSTONES] = "tombstones",
		[BS_PART_CHECKSUMS] = "checksums",
		[BS_PART_REST] = "other",
	};
	return names[part];
}

/* The part to which a section belongs. The caller counts the sections of columns in another way. */
static enum bs_part part_of(uint32_t section)
{
	static const uint8_t parts[][2] = {
		{BS_SECTION_TERM_SEPARATORS, BS_PART_LEXICON},
		{BS_SECTION_TERM_CODES, BS_PART_LEXICON},
		{BS_SECTION_TERMS, BS_PART_LEXICON},
		{BS_SECTION_TERM_INDEX, BS_PART_LEXICON},
		{BS_SECTION_POPCOUNTS, BS_PART_POPCOUNTS},
		{BS_SECTION_EXACT_TERMS, BS_PART_EXACT_COLUMNS},
		{BS_SECTION_FALSE_POSITIVE_TERMS, BS_PART_FALSE_POSITIVES},
		{BS_SECTION_FALSE_POSITIVE_OFFSETS, BS_PART_FALSE_POSITIVES},
		{BS_SECTION_FALSE_POSITIVE_ROWS, BS_PART_FALSE_POSITIVES},
		{BS_SECTION_ROWS, BS_PART_ROWS},
		{BS_SECTION_RARE_CODES, BS_PART_RARE_TERM_LISTS},
		{BS_SECTION_RARE_OFFSETS, BS_PART_RARE_TERM_LISTS},
		{BS_SECTION_RARE_TERM_LISTS, BS_PART_RARE_TERM_LISTS},
		{BS_SECTION_GRAM_ROWS, BS_PART_GRAM_ROWS},
		{BS_SECTION_GRAM_TIERS, BS_PART_GRAM_LISTS},
		{BS_SECTION_FORWARD_OFFSETS, BS_PART_FORWARD_INDEXES},
		{BS_SECTION_FORWARD_TERMS, BS_PART_FORWARD_INDEXES},
		{BS_SECTION_FORWARD_FILTERS, BS_PART_FORWARD_INDEXES},
		{BS_SECTION_FORWARD_COLUMNS, BS_PART_FORWARD_INDEXES},
		{BS_SECTION_FORWARD_FILTER_OFFSETS, BS_PART_FORWARD_INDEXES},
		{BS_SECTION_DOC_LENGTHS, BS_PART_LENGTHS},
		{BS_SECTION_DOC_TF_OFFSETS, BS_PART_TFS},
		{BS_SECTION_DOC_TFS, BS_PART_TFS},
		{BS_SECTION_DOC_NAME_OFFSETS, BS_PART_NAMES},
		{BS_SECTION_DOC_NAMES, BS_PART_NAMES},
		{BS_SECTION_SOURCE_RANGES, BS_PART_PLACES},
		{BS_SECTION_DOC_FLAGS, BS_PART_PLACES},
		{BS_SECTION_DOC_PLACES, BS_PART_PLACES},
		{BS_SECTION_DOC_CHECKSUMS, BS_PART_PLACES},
		{BS_SECTION_DOC_LINES, BS_PART_PLACES},
		{BS_SECTION_STORE_DICTIONARY, BS_PART_STORED_TEXT},
		{BS_SECTION_STORE_OFFSETS, BS_PART_STORED_TEXT},
		{BS_SECTION_STORE_FRAMES, BS_PART_STORED_TEXT},
		{BS_SECTION_GRAM_SET, BS_PART_SUMMARY},
		{BS_SECTION_VALUE_FIELDS, BS_PART_VALUES},
		{BS_SECTION_VALUE_PARTS, BS_PART_VALUES},
		{BS_SECTION_VALUE_KEYS, BS_PART_VALUES},
		{BS_SECTION_VALUE_KEY_OFFSETS, BS_PART_VALUES},
		{BS_SECTION_VALUE_LINES, BS_PART_VALUES},
		{BS_SECTION_VALUE_LISTS, BS_PART_VALUES},
		{BS_SECTION_FIELD_TEXTS, BS_PART_VALUES},
	};
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i][0] == section)
			return (enum bs_part)parts[i][1];
	return BS_PART_REST;
}

static enum bs_part part_of_rank(uint8_t rank)
{
	if (rank == BS_LEVEL_DOCUMENT)
		return BS_PART_DOCUMENT_COLUMNS;
	return rank == BS_LEVEL_GROUP ? BS_PART_GROUP_COLUMNS : BS_PART_BLOCK_COLUMNS;
}

static uint64_t level_bytes(const struct bs_level *level)
{
	return (uint64_t)level->n_columns * level->n_lines * BS_LINE_BYTES;
}

static void count_sections(const struct bs_segment *segment, uint64_t parts[BS_PARTS])
{
	uint64_t left = bs_container_bytes(segment->file);
	for (size_t i = 0; i < bs_container_n_sections(segment->file); i++) {
		uint32_t instance;
		struct bs_section section = bs_container_section_at(segment->file, i, &instance);
		if (section.id != BS_SECTION_COLUMNS && section.id != BS_SECTION_GRAM_COLUMNS)
			parts[part_of(section.id)] += section.n_bytes;
		left -= section.n_bytes;
	}
	uint64_t n_checked = bs_container_check_bytes(segment->file);
	parts[BS_PART_CHECKSUMS] += n_checked;
	parts[BS_PART_REST] += left - n_checked;
	for (uint32_t s = 0; s < segment->meta.n_shards; s++) {
		const struct bs_shard *shard = &segment->shards[s];
		for (uint32_t l = 0; l < shard->hashed.n_levels; l++)
			parts[part_of_rank(shard->hashed.levels[l].rank)] +=
				level_bytes(&shard->hashed.levels[l]);
		parts[BS_PART_EXACT_COLUMNS] += level_bytes(&shard->exact.level);
	}
	for (uint32_t s = 0; s < segment->grams.n_shards; s++) {
		const struct bs_gram_shard *shard = &segment->grams.shards[s];
		parts[BS_PART_GRAM_COLUMNS] +=
			(uint64_t)shard->shape.n_columns * shard->column_bytes;
	}
}

static enum bs_status count_exact(const struct bs_shard *shard, struct bs_shard_stats *stats,
                                  struct bs_error *err)
{
	enum bs_status status = BS_OK;
	stats->n_exact = shard->exact.level.n_columns;
	for (uint32_t c = 0; c < shard->exact.level.n_columns && !status; c++) {
		uint32_t n;
		status = bs_shard_exact_popcount(shard, c, &n, err);
		stats->n_exact_postings += n;
	}
	return status;
}

static enum bs_status count_lists(const struct bs_shard *shard, struct bs_shard_stats *stats,
                                  struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t row = 0; row < shard->n_docs && !status; row++) {
		uint64_t start, end;
		uint32_t n = 0;
		status = bs_shard_forward_span(shard, row, &start, &end, err);
		if (!status)
			status = bs_forward_index_count(&shard->forward.terms, start, end, &n, err);
		stats->n_forward_postings += n;
	}
	if (!status)
		status = count_exact(shard, stats, err);
	stats->n_forward_postings += stats->n_exact_postings;
	return status;
}

static enum bs_status read_shard(const struct bs_shard *shard, struct bs_shard_stats *stats,
                                 struct bs_error *err)
{
	*stats = (struct bs_shard_stats){.n_docs = shard->n_docs,
	                                 .n_levels = shard->hashed.n_levels};
	if (shard->hashed.n_levels == 0)
		return count_lists(shard, stats, err);
	enum bs_status status = BS_OK;
	for (uint32_t l = 0; l < shard->hashed.n_levels && !status; l++) {
		uint64_t n_set;
		const struct bs_level *level = &shard->hashed.levels[l];
		double n_bits =
			(double)level->n_columns * bs_level_lanes(level->rank, shard->n_docs);
		stats->n_columns[l] = level->n_columns;
		status = bs_shard_level_popcount(shard, l, &n_set, err);
		stats->density[l] = n_bits > 0 ? (double)n_set / n_bits : 0;
	}
	return status ? status : count_exact(shard, stats, err);
}

static enum bs_status read_segment(const struct bs_segment *segment, struct bs_segment_stats *stats,
                                   struct bs_error *err)
{
	enum bs_status status = BS_OK;
	stats->shards = calloc((size_t)segment->meta.n_shards + 1, sizeof(*stats->shards));
	if (!stats->shards)
		return bs_fail_memory(err, "shards",
		                      segment->meta.n_shards * sizeof(*stats->shards));
	for (uint32_t s = 0; s < segment->meta.n_shards && !status; s++)
		status = read_shard(&segment->shards[s], &stats->shards[s], err);
	count_sections(segment, stats->parts);
	return status;
}

/* Ignores a damaged summary, as searches do. */
static enum bs_status count_summary(const struct bs_snapshot *snapshot,
                                    struct bs_index_stats *stats, struct bs_error *err)
{
	struct bs_summary_file file;
	char name[BS_INDEX_NAME_BYTES];
	enum bs_status status =
		bs_summary_file_open(snapshot->dir, &snapshot->manifest, &file, err);
	if (status)
		return bs_summary_is_missing(status) ? BS_OK : status;
	stats->parts[BS_PART_SUMMARY] +=
		bs_container_bytes(file.container) +
		bs_dir_file_bytes(snapshot->dir,
	                          bs_index_file_name("counts",
	                                             snapshot->manifest.summary.counts_number,
	                                             name));
	stats->summary_bytes = file.summary.n_bytes;
	stats->summary_rate = bs_summary_rate(&file.summary);
	stats->n_summary_words = bs_summary_n(&file.summary.words);
	/* bs_summary_n would count some trigrams twice, so count the decoded set. */
	struct bs_buffer grams = {0};
	status = bs_multiset_read_set(&file.summary.grams, &grams, err);
	stats->n_summary_grams = bs_numbers_in(&grams).n;
	bs_buffer_deinit(&grams);
	bs_summary_file_close(&file);
	return status == BS_CORRUPT ? BS_OK : status;
}

static enum bs_status count_manifest(const struct bs_snapshot *snapshot,
                                     struct bs_index_stats *stats, struct bs_error *err)
{
	struct bs_container *file;
	enum bs_status status =
		bs_container_open(snapshot->dir, "manifest", BS_FILE_MANIFEST, &file, err);
	if (status)
		return status;
	stats->parts[BS_PART_CHECKSUMS] += bs_container_check_bytes(file);
	stats->parts[BS_PART_REST] += bs_container_bytes(file) - bs_container_check_bytes(file);
	bs_container_close(file);
	struct bs_folders folders;
	status = bs_folders_open(snapshot->dir, &folders, err);
	if (!status)
		stats->parts[BS_PART_REST] += bs_container_bytes(folders.file);
	bs_folders_close(&folders);
	if (status && status != BS_NOT_FOUND)
		return status;
	if (snapshot->exclusions.file)
		stats->parts[BS_PART_TOMBSTONES] += bs_container_bytes(snapshot->exclusions.file);
	return count_summary(snapshot, stats, err);
}

static void add_up(const struct bs_snapshot *snapshot, struct bs_index_stats *stats)
{
	for (uint32_t s = 0; s < stats->n_segments; s++) {
		const struct bs_segment_meta *meta = &snapshot->segments[s].meta;
		const struct bs_container *tombstones = snapshot->tombstones.files[s];
		for (int part = 0; part < BS_PARTS; part++)
			stats->parts[part] += stats->segments[s].parts[part];
		stats->parts[BS_PART_TOMBSTONES] += tombstones ? bs_container_bytes(tombstones) : 0;
		stats->n_terms += meta->n_terms;
		stats->n_postings += meta->n_postings;
		stats->text_bytes += bs_snapshot_has_words(snapshot, s) ? meta->text_bytes : 0;
	}
	for (int part = 0; part < BS_PARTS; part++) {
		stats->n_bytes += stats->parts[part];
		stats->n_words_bytes += part < BS_FIRST_GRAM_PART ? stats->parts[part] : 0;
		if (part >= BS_FIRST_GRAM_PART && part < BS_FIRST_OTHER_PART)
			stats->n_grams_bytes += stats->parts[part];
	}
}

/* Interns the NUL-terminated name at *at and moves *at to the next name. */
static enum bs_status intern_name(struct bs_index_stats *stats, const struct bs_section *names,
                                  uint64_t *at, uint32_t *number_out, struct bs_error *err)
{
	const uint8_t *name = names->data + *at;
	size_t n_bytes = strlen((const char *)name);
	*at += n_bytes + 1;
	return bs_term_table_intern(&stats->field_names, name, (uint32_t)n_bytes,
	                            bs_hash_slot(name, n_bytes), number_out, NULL, err);
}

BS_VECTOR(field_stats_list, struct bs_field_stats);

/* Adds up a segment's counts of values and other texts for each field. `counted` is indexed by the
 * number of the name. */
static enum bs_status count_field_texts(const struct bs_segment *segment,
                                        struct bs_index_stats *stats,
                                        struct field_stats_list *counted, struct bs_error *err)
{
	const struct bs_section *names = &segment->field_names;
	struct bs_section texts = bs_container_section(segment->file, BS_SECTION_FIELD_TEXTS, 0);
	enum bs_status status =
		texts.n_bytes > 0 ? bs_section_touch(&texts, 0, texts.n_bytes, err) : BS_OK;
	uint64_t n = 0;
	for (uint64_t at = 0; at < names->n_bytes && !status; n++) {
		const struct bs_field_stats none = {.name = 0};
		uint32_t number;
		bool is_counted = (n + 1) * 8 <= texts.n_bytes;
		status = intern_name(stats, names, &at, &number, err);
		while (!status && bs_vector_n(counted) <= number)
			status = bs_vector_append(counted, &none, err);
		if (status)
			break;
		struct bs_field_stats *field = &counted->items[number];
		uint32_t n_values = is_counted ? bs_load_u32(texts.data + n * 8) : 0,
			 n_others = is_counted ? bs_load_u32(texts.data + n * 8 + 4) : 0;
		field->name = number;
		field->n_values += n_values;
		field->n_others += n_others;
		field->is_at_least |=
			!is_counted || n_values == UINT32_MAX || n_others == UINT32_MAX;
	}
	return status;
}

/* Marks the fields in which the segment has values. */
static enum bs_status mark_values(const struct bs_segment *segment, struct bs_index_stats *stats,
                                  struct bs_buffer *has_values, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t f = 0; segment->values.is_there && f < segment->values.n_fields && !status;
	     f++) {
		struct bs_value_field field;
		uint32_t number;
		status = bs_value_field_get(&segment->values, f, &field, err);
		if (!status &&
		    bs_term_table_find(&stats->field_names, field.name, field.name_bytes,
		                       bs_hash_slot(field.name, field.name_bytes), &number))
			has_values->data[number] = 1;
	}
	return status;
}

static int compare_names(const void *a, const void *b, void *context)
{
	const struct bs_term_table *names = context;
	uint32_t x = ((const struct bs_field_stats *)a)->name,
		 y = ((const struct bs_field_stats *)b)->name;
	return bs_compare_bytes(bs_term_table_key(names, x), names->entries[x].n_bytes,
	                        bs_term_table_key(names, y), names->entries[y].n_bytes);
}

static enum bs_status count_fields(const struct bs_snapshot *snapshot, struct bs_index_stats *stats,
                                   struct bs_error *err)
{
	struct field_stats_list counted = {0};
	struct bs_buffer has_values = {0};
	enum bs_status status = BS_OK;
	for (uint32_t s = 0; s < stats->n_segments && !status; s++)
		status = count_field_texts(&snapshot->segments[s], stats, &counted, err);
	uint32_t n = stats->field_names.n_terms;
	if (!status)
		status = bs_buffer_reserve(&has_values, (size_t)n + 1, err);
	if (!status)
		memset(has_values.data, 0, (size_t)n + 1);
	for (uint32_t s = 0; s < stats->n_segments && !status; s++)
		status = mark_values(&snapshot->segments[s], stats, &has_values, err);
	struct bs_field_stats *fields = counted.items;
	for (uint32_t i = 0; i < n && !status; i++)
		if (has_values.data[i])
			fields[stats->n_fields++] = fields[i];
	stats->fields = fields;
	if (!status && stats->n_fields > 1)
		qsort_r(fields, stats->n_fields, sizeof(*fields), compare_names,
		        &stats->field_names);
	bs_buffer_deinit(&has_values);
	return status;
}

enum bs_status bs_index_stats_read(const struct bs_snapshot *snapshot,
                                   struct bs_index_stats *stats_out, struct bs_error *err)
{
	uint32_t n = snapshot->manifest.n_segments;
	*stats_out = (struct bs_index_stats){.n_segments = n};
	stats_out->segments = calloc((size_t)n + 1, sizeof(*stats_out->segments));
	enum bs_status status =
		stats_out->segments
			? count_manifest(snapshot, stats_out, err)
			: bs_fail_memory(err, "segments", n * sizeof(*stats_out->segments));
	for (uint32_t s = 0; s < n && !status; s++)
		status = read_segment(&snapshot->segments[s], &stats_out->segments[s], err);
	if (!status)
		status = count_fields(snapshot, stats_out, err);
	if (status)
		bs_index_stats_deinit(stats_out);
	else
		add_up(snapshot, stats_out);
	return status;
}

void bs_index_stats_deinit(struct bs_index_stats *stats)
{
	for (uint32_t s = 0; stats->segments && s < stats->n_segments; s++)
		free(stats->segments[s].shards);
	free(stats->segments);
	free(stats->fields);
	bs_term_table_deinit(&stats->field_names);
	*stats = (struct bs_index_stats){0};
}
