/* gram_indexing_buffer.c: see gram_indexing_buffer.h. Writing transposes rows to columns, eight
 * words of all rows at a time. */
#include "indexer/segment/gram_indexing_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/system/deadline.h"

/* size of a chunk of rows (at least one row), in memory and in a file */
#define CHUNK_BYTES         131072u
#define CHUNK_BYTES_IN_FILE 1048576u
/* estimated cost of transposing 64 columns of 64 rows, for the deadline */
#define SQUARE_NS 300u
/* words of a row that are transposed at a time: 64 bytes, one memory access */
#define STRIP_WORDS 8u

/* Consecutive rows of one size class. */
struct bs_gram_chunk {
	struct bs_gram_chunk *next;
	uint32_t n_rows;
	uint32_t capacity_rows;
	uint64_t words[];
};

void bs_gram_indexing_buffer_clear(struct bs_gram_indexing_buffer *indexing_buffer)
{
	for (uint32_t class = 0; class < BS_GRAM_SIZE_CLASSES; class ++) {
		for (struct bs_gram_chunk *chunk = indexing_buffer->classes[class].first, *next;
		     chunk; chunk = next) {
			next = chunk->next;
			bs_spool_give_back(chunk);
		}
		bs_buffer_deinit(&indexing_buffer->classes[class].docs);
	}
	bs_gram_set_clear(&indexing_buffer->set);
	*indexing_buffer = (struct bs_gram_indexing_buffer){.plan = indexing_buffer->plan,
	                                                    .file = indexing_buffer->file};
}

static enum bs_status add_chunk(struct bs_gram_indexing_buffer *indexing_buffer, uint32_t class,
                                uint32_t row_words, struct bs_error *err)
{
	uint32_t row_bytes = row_words * 8,
		 chunk_bytes = indexing_buffer->file ? CHUNK_BYTES_IN_FILE : CHUNK_BYTES;
	uint32_t n_rows = row_bytes == 0            ? BS_GRAM_SHARD_MAX_DOCS
	                  : row_bytes < chunk_bytes ? chunk_bytes / row_bytes
	                                            : 1;
	size_t n_bytes = sizeof(struct bs_gram_chunk) + (size_t)n_rows * row_bytes;
	void *taken;
	enum bs_status status = bs_spool_take(indexing_buffer->file, n_bytes, &taken, err);
	if (status)
		return status;
	struct bs_gram_chunk *chunk = taken;
	*chunk = (struct bs_gram_chunk){.capacity_rows = n_rows};
	if (indexing_buffer->classes[class].last)
		indexing_buffer->classes[class].last->next = chunk;
	else
		indexing_buffer->classes[class].first = chunk;
	indexing_buffer->classes[class].last = chunk;
	return BS_OK;
}

enum bs_status bs_gram_indexing_buffer_add(struct bs_gram_indexing_buffer *indexing_buffer,
                                           uint32_t document, uint32_t class, uint64_t n_bits,
                                           const uint64_t *row, struct bs_error *err)
{
	uint32_t row_words = bs_gram_row_words(class);
	struct bs_gram_chunk *chunk = indexing_buffer->classes[class].last;
	enum bs_status status = BS_OK;
	if (!chunk || chunk->n_rows == chunk->capacity_rows)
		status = add_chunk(indexing_buffer, class, row_words, err);
	if (!status)
		status = bs_buffer_append(&indexing_buffer->classes[class].docs, &document,
		                          sizeof(document), err);
	if (status)
		return status;
	chunk = indexing_buffer->classes[class].last;
	if (row_words)
		memcpy(chunk->words + (size_t)chunk->n_rows * row_words, row,
		       (size_t)row_words * 8);
	chunk->n_rows++;
	indexing_buffer->classes[class].n_rows++;
	indexing_buffer->meta.n_docs++;
	indexing_buffer->meta.n_bits += n_bits;
	indexing_buffer->n_bytes +=
		(indexing_buffer->file ? 0 : (uint64_t)row_words * 8) + sizeof(document);
	return BS_OK;
}

/* A position in the rows of a class. */
struct cursor {
	const struct bs_gram_chunk *chunk;
	uint32_t row; /* row in the chunk */
};

/* Loads n_words words of each of the next n_rows (at most 64) rows to squares[word][row]; missing
 * rows are zero. */
static void load_strip(struct cursor *at, uint32_t n_rows, uint32_t row_words, uint32_t first_word,
                       uint32_t n_words, uint64_t squares[STRIP_WORDS][64])
{
	memset(squares, 0, sizeof(uint64_t[STRIP_WORDS][64]));
	for (uint32_t r = 0; r < n_rows; r++, at->row++) {
		if (at->row == at->chunk->n_rows)
			*at = (struct cursor){at->chunk->next, 0};
		const uint64_t *row = at->chunk->words + (size_t)at->row * row_words + first_word;
		for (uint32_t w = 0; w < n_words; w++)
			squares[w][r] = row[w];
	}
}

/* Transposes n_words words of all rows, from first_word on, into 64 columns for each word. Word g
 * of column c, with the bits of rows 64 g to 64 g + 63, is columns[c * n_groups + g]. */
static void make_columns(struct cursor at, uint32_t n_rows, uint32_t row_words, uint32_t first_word,
                         uint32_t n_words, uint64_t *columns)
{
	uint64_t squares[STRIP_WORDS][64];
	uint32_t n_groups = (n_rows + 63) / 64;
	for (uint32_t group = 0; group < n_groups; group++) {
		uint32_t left = n_rows - group * 64;
		load_strip(&at, left < 64 ? left : 64, row_words, first_word, n_words, squares);
		for (uint32_t w = 0; w < n_words; w++) {
			bs_transpose_64(squares[w]);
			for (uint32_t c = 0; c < 64; c++)
				columns[((size_t)w * 64 + c) * n_groups + group] = squares[w][c];
		}
	}
}

static enum bs_status write_columns(uint32_t class, struct cursor at, uint32_t n_rows,
                                    struct bs_file_writer *writer, struct bs_error *err)
{
	uint32_t row_words = bs_gram_row_words(class),
		 n_columns = bs_gram_size_class_columns(class);
	size_t n_groups = (n_rows + 63) / 64;
	uint64_t *columns = malloc(STRIP_WORDS * 64 * n_groups * sizeof(*columns));
	if (!columns)
		return bs_fail_memory(err, "columns of grams",
		                      STRIP_WORDS * 64 * n_groups * sizeof(*columns));
	enum bs_status status = BS_OK;
	for (uint32_t word = 0; word < row_words && !status; word += STRIP_WORDS) {
		uint32_t n_words = row_words - word < STRIP_WORDS ? row_words - word : STRIP_WORDS;
		uint32_t left = n_columns - word * 64;
		make_columns(at, n_rows, row_words, word, n_words, columns);
		for (uint32_t c = 0; c < n_words * 64 && c < left; c++)
			bs_file_writer_bytes(writer, columns + c * n_groups,
			                     bs_gram_column_bytes(n_rows));
		status = bs_deadline_check_after((uint64_t)n_words * n_groups * SQUARE_NS, err);
	}
	free(columns);
	return status;
}

static enum bs_status write_class(const struct bs_gram_indexing_buffer *indexing_buffer,
                                  uint32_t class, uint32_t *n_shards, struct bs_file_writer *writer,
                                  struct bs_buffer *entries, struct bs_error *err)
{
	const uint32_t *docs =
		(const uint32_t *)(const void *)indexing_buffer->classes[class].docs.data;
	struct cursor at = {indexing_buffer->classes[class].first, 0};
	enum bs_status status = BS_OK;
	for (uint32_t row = 0; row < indexing_buffer->classes[class].n_rows && !status;
	     row += BS_GRAM_SHARD_MAX_DOCS) {
		uint32_t left = indexing_buffer->classes[class].n_rows - row;
		struct bs_gram_shard_shape shape = {
			.size_class = class,
			.n_docs = left < BS_GRAM_SHARD_MAX_DOCS ? left : BS_GRAM_SHARD_MAX_DOCS,
			.n_columns = bs_gram_size_class_columns(class),
		};
		status = bs_gram_shard_begin(writer, (*n_shards)++, &shape, docs + row, entries,
		                             err);
		if (!status)
			status = write_columns(class, at, shape.n_docs, writer, err);
		for (at.row += shape.n_docs; at.chunk && at.row >= at.chunk->n_rows;
		     at.chunk = at.chunk->next)
			at.row -= at.chunk->n_rows;
	}
	return status;
}

enum bs_status bs_gram_indexing_buffer_write(struct bs_gram_indexing_buffer *indexing_buffer,
                                             struct bs_file_writer *writer, struct bs_error *err)
{
	struct bs_buffer entries = {0};
	struct bs_gram_meta meta = indexing_buffer->meta;
	const uint32_t *listed[BS_GRAM_TIERS];
	uint32_t n_shards = 0;
	enum bs_status status = BS_OK;
	memcpy(meta.n_hashes, indexing_buffer->plan->n_hashes, sizeof(meta.n_hashes));
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS; tier++)
		listed[tier] = bs_gram_plan_list(indexing_buffer->plan, tier, &meta.n_listed[tier]);
	for (uint32_t class = 0; class < BS_GRAM_SIZE_CLASSES && !status; class ++)
		status = write_class(indexing_buffer, class, &n_shards, writer, &entries, err);
	/* Rows do not have the trigrams that are left out. A large share of all documents has
	 * these, so assume that some document here does. */
	if (!status && meta.n_docs > 0)
		status = bs_gram_set_add(&indexing_buffer->set, listed[BS_GRAM_LEFT_OUT],
		                         meta.n_listed[BS_GRAM_LEFT_OUT], err);
	if (!status)
		bs_gram_shards_write(writer, &meta, &entries, listed);
	bs_buffer_deinit(&entries);
	return status;
}
