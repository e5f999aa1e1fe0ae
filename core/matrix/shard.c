/* shard.c: opens a shard and verifies its columns. See shard.h; bytes in FORMAT.md. */
#include "core/matrix/shard.h"

#include <string.h>

#include "core/base/bytes.h"
#include "core/collections/binary_search.h"
#include "core/file/segment_sections.h"

static void place_level(struct bs_shard *shard, struct bs_level *level, uint8_t rank,
                        uint32_t n_columns, uint64_t *line, uint64_t *column)
{
	*level = (struct bs_level){
		.rank = rank,
		.n_columns = n_columns,
		.n_lines = bs_level_lines(rank, shard->n_blocks),
		.first_line = *line,
		.first_column = *column,
	};
	*line += (uint64_t)n_columns * level->n_lines;
	*column += n_columns;
}

static enum bs_status check_bytes(const struct bs_section *section, uint64_t n_bytes, uint32_t i,
                                  struct bs_error *err)
{
	if (section->n_bytes == n_bytes)
		return BS_OK;
	return bs_container_corrupt(
		section->file, err, "shard %u: section %u has %llu bytes, its shape asks for %llu",
		i, section->id, (unsigned long long)section->n_bytes, (unsigned long long)n_bytes);
}

/* Opens the two sections that all shards have: popcounts, and the terms of the exact columns. */
static enum bs_status open_exact(struct bs_shard *shard, const struct bs_container *file,
                                 uint32_t i, uint32_t n_exact, struct bs_error *err)
{
	shard->popcounts = bs_container_section(file, BS_SECTION_POPCOUNTS, i);
	shard->exact.terms = bs_container_section(file, BS_SECTION_EXACT_TERMS, i);
	enum bs_status status =
		check_bytes(&shard->popcounts,
	                    (uint64_t)shard->hashed.n_levels * 8 + (uint64_t)n_exact * 4, i, err);
	return status ? status : check_bytes(&shard->exact.terms, (uint64_t)n_exact * 4, i, err);
}

static enum bs_status open_lists(struct bs_shard *shard, const struct bs_container *file,
                                 uint32_t i, const struct bs_shard_shape *shape,
                                 struct bs_error *err)
{
	struct bs_section offsets = bs_container_section(file, BS_SECTION_FORWARD_OFFSETS, i);
	shard->forward.terms = bs_container_section(file, BS_SECTION_FORWARD_TERMS, i);
	shard->forward.columns = bs_container_section(file, BS_SECTION_FORWARD_COLUMNS, i);
	shard->exact.level.n_columns = shape->n_exact;
	enum bs_status status = bs_forward_filter_open(&shard->forward.filter, file, i,
	                                               shard->n_docs, shape->hashing, err);
	if (!status)
		status = check_bytes(
			&shard->forward.columns,
			(uint64_t)shape->n_exact * bs_forward_groups(shard->n_docs) * 8, i, err);
	if (!status)
		status = open_exact(shard, file, i, shape->n_exact, err);
	return status ? status
	              : bs_packed_open(&shard->forward.offsets, offsets,
	                               (uint64_t)shard->n_docs + 1, err);
}

static void place_levels(struct bs_shard *shard, const struct bs_shard_shape *shape,
                         const struct bs_term_treatment_table *treatments, uint64_t *n_lines_out)
{
	uint64_t n_columns = 0;
	*n_lines_out = 0;
	shard->hashed.n_levels = treatments->n_levels;
	for (uint32_t level = 0; level < shard->hashed.n_levels; level++)
		place_level(shard, &shard->hashed.levels[level], treatments->ranks[level],
		            shape->n_columns[level], n_lines_out, &n_columns);
	place_level(shard, &shard->exact.level, BS_LEVEL_DOCUMENT, shape->n_exact, n_lines_out,
	            &n_columns);
}

void bs_shard_in_memory(struct bs_shard *shard, const struct bs_shard_shape *shape,
                        const struct bs_term_treatment_table *treatments, const uint64_t *columns,
                        uint64_t n_lines, float density)
{
	uint64_t n_placed;
	*shard = (struct bs_shard){
		.n_docs = shape->n_docs,
		.n_blocks = (shape->n_docs + BS_LINE_BITS - 1) / BS_LINE_BITS,
		.hashed.density = density,
		.columns = {.data = (const uint8_t *)columns, .n_bytes = n_lines * BS_LINE_BYTES},
	};
	memcpy(shard->hashed.n_columns, shape->n_columns, sizeof(shard->hashed.n_columns));
	place_levels(shard, shape, treatments, &n_placed);
}

static enum bs_status open_columns(struct bs_shard *shard, const struct bs_container *file,
                                   uint32_t i, const struct bs_shard_shape *shape,
                                   const struct bs_term_treatment_table *treatments,
                                   struct bs_error *err)
{
	uint64_t line;
	for (uint32_t level = treatments->n_levels; level < BS_MAX_LEVELS; level++)
		if (shape->n_columns[level] != 0)
			return bs_container_corrupt(
				file, err, "shard %u has columns of a level that is not there", i);
	place_levels(shard, shape, treatments, &line);
	shard->columns = bs_container_section(file, BS_SECTION_COLUMNS, i);
	enum bs_status status = check_bytes(&shard->columns, line * BS_LINE_BYTES, i, err);
	return status ? status : open_exact(shard, file, i, shape->n_exact, err);
}

enum bs_status bs_shard_open(struct bs_shard *shard, const struct bs_container *file, uint32_t i,
                             const struct bs_shard_shape *shape,
                             const struct bs_term_treatment_table *treatments, struct bs_error *err)
{
	*shard = (struct bs_shard){.n_docs = shape->n_docs};
	shard->exact.least_popcount = shape->least_exact;
	shard->least_length = shape->least_length;
	memcpy(shard->hashed.n_columns, shape->n_columns, sizeof(shard->hashed.n_columns));
	if (shape->n_docs == 0 || (!shape->is_forward && shape->n_docs > BS_SHARD_MAX_DOCS))
		return bs_container_corrupt(file, err, "shard %u: %u documents", i, shape->n_docs);
	shard->n_blocks = (shape->n_docs + BS_LINE_BITS - 1) / BS_LINE_BITS;
	enum bs_status status = bs_packed_open(
		&shard->rows, bs_container_section(file, BS_SECTION_ROWS, i), shape->n_docs, err);
	if (status)
		return status;
	return shape->is_forward ? open_lists(shard, file, i, shape, err)
	                         : open_columns(shard, file, i, shape, treatments, err);
}

/* Verifies the checksums of the live lines of a column: of each 64 lines, those from the first to
 * the last live one. 64 lines are 4 KiB, as large as a checksummed page. */
static enum bs_status touch_live(const struct bs_shard *shard, uint64_t at, uint32_t n_lines,
                                 const struct bs_live *live, struct bs_error *err)
{
	for (uint32_t first = 0; first < n_lines; first += 64) {
		uint64_t word = live->words[first / 64];
		if (word == 0)
			continue;
		unsigned low = (unsigned)__builtin_ctzll(word);
		unsigned high = 63 - (unsigned)__builtin_clzll(word);
		enum bs_status status = bs_section_touch(
			&shard->columns, at + (uint64_t)(first + low) * BS_LINE_BYTES,
			(uint64_t)(high - low + 1) * BS_LINE_BYTES, err);
		if (status)
			return status;
	}
	return BS_OK;
}

enum bs_status bs_shard_column(const struct bs_shard *shard, const struct bs_level *level,
                               uint32_t c, const struct bs_live *live, bs_column *column_out,
                               struct bs_error *err)
{
	uint64_t at = (level->first_line + (uint64_t)c * level->n_lines) * BS_LINE_BYTES;
	*column_out = (const uint64_t *)(const void *)(shard->columns.data + at);
	if (live && level->rank == BS_LEVEL_DOCUMENT)
		return touch_live(shard, at, level->n_lines, live, err);
	return bs_section_touch(&shard->columns, at, (uint64_t)level->n_lines * BS_LINE_BYTES, err);
}

enum bs_status bs_shard_level_popcount(const struct bs_shard *shard, uint32_t l, uint64_t *n_out,
                                       struct bs_error *err)
{
	uint64_t at = (uint64_t)l * 8;
	enum bs_status status = bs_section_touch(&shard->popcounts, at, 8, err);
	*n_out = status ? 0 : bs_load_u64(shard->popcounts.data + at);
	return status;
}

enum bs_status bs_shard_exact_popcount(const struct bs_shard *shard, uint32_t c, uint32_t *n_out,
                                       struct bs_error *err)
{
	uint64_t at = (uint64_t)shard->hashed.n_levels * 8 + (uint64_t)c * 4;
	enum bs_status status = bs_section_touch(&shard->popcounts, at, 4, err);
	*n_out = status ? 0 : bs_load_u32(shard->popcounts.data + at);
	return status;
}

/* Predicate of a binary search: whether the term of exact column c is less than the ordinal; false
 * after a failure. Sets *found if the term has this ordinal. */
static bool is_exact_less(const struct bs_shard *shard, uint32_t c, uint64_t ordinal, bool *found,
                          enum bs_status *status, struct bs_error *err)
{
	uint64_t at = (uint64_t)c * 4;
	*status = *status ? *status : bs_section_touch(&shard->exact.terms, at, 4, err);
	uint64_t here = *status ? UINT64_MAX : bs_load_u32(shard->exact.terms.data + at);
	*found |= here == ordinal;
	return here < ordinal;
}

enum bs_status bs_shard_find_exact(const struct bs_shard *shard, uint64_t term_ordinal,
                                   bool *found_out, uint32_t *column_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*found_out = false;
	BS_BINARY_SEARCH(*column_out, c, 0, shard->exact.level.n_columns,
	                 is_exact_less(shard, (uint32_t)c, term_ordinal, found_out, &status, err));
	return status;
}

enum bs_status bs_shard_forward_span(const struct bs_shard *shard, uint32_t row,
                                     uint64_t *start_out, uint64_t *end_out, struct bs_error *err)
{
	enum bs_status status =
		bs_packed_get_span(&shard->forward.offsets, row, start_out, end_out, err);
	if (status)
		return status;
	if (*start_out > *end_out || *end_out > shard->forward.terms.n_bytes)
		return bs_container_corrupt(shard->rows.file, err,
		                            "forward index %u has impossible bounds", row);
	return BS_OK;
}

enum bs_status bs_shard_forward_column(const struct bs_shard *shard, uint32_t c,
                                       const uint8_t **words_out, struct bs_error *err)
{
	uint64_t n_bytes = (uint64_t)bs_forward_groups(shard->n_docs) * 8;
	*words_out = shard->forward.columns.data + c * n_bytes;
	return bs_section_touch(&shard->forward.columns, c * n_bytes, n_bytes, err);
}

enum bs_status bs_shard_forward_find(const struct bs_shard *shard, uint32_t row,
                                     uint64_t term_ordinal, bool *has_out, struct bs_error *err)
{
	uint64_t start, end;
	*has_out = false;
	enum bs_status status = bs_shard_forward_span(shard, row, &start, &end, err);
	return status ? status
	              : bs_forward_index_has(&shard->forward.terms, start, end, term_ordinal,
	                                     has_out, err);
}

enum bs_status bs_shard_forward_has(const struct bs_shard *shard, uint32_t row,
                                    uint64_t term_ordinal, bool *has_out, struct bs_error *err)
{
	bool is_exact;
	uint32_t column;
	const uint8_t *words;
	*has_out = false;
	enum bs_status status = bs_shard_find_exact(shard, term_ordinal, &is_exact, &column, err);
	if (status)
		return status;
	if (!is_exact)
		return bs_shard_forward_find(shard, row, term_ordinal, has_out, err);
	status = bs_shard_forward_column(shard, column, &words, err);
	*has_out = !status && (words[row / 8] >> (row % 8) & 1);
	return status;
}
