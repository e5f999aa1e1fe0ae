/* term_vectors.c: see term_vectors.h; bytes in FORMAT.md. */
#include "core/matrix/term_vectors.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/vector.h"
#include "core/file/segment_sections.h"

#define MOST_NUMBER_BITS 48u         /* a code of 15 bits and 30 more bits, in whole bytes */
#define PIECE_BYTES      (64u << 10) /* buffered bytes before a write to the file */

enum bs_status bs_row_ranks(const uint32_t *dfs, uint32_t n_terms, uint32_t most_df,
                            uint32_t *rank_of, struct bs_error *err)
{
	uint32_t *next_of = calloc((size_t)most_df + 1, sizeof(*next_of)), rank = 0;
	if (!next_of)
		return bs_fail_memory(err, "ranks of terms",
		                      ((size_t)most_df + 1) * sizeof(*next_of));
	for (uint32_t i = 0; i < n_terms; i++)
		next_of[dfs[i]]++;
	for (uint32_t df = most_df + 1; df-- > 0;) {
		uint32_t n_here = next_of[df];
		next_of[df] = rank;
		rank += n_here;
	}
	for (uint32_t i = 0; i < n_terms; i++)
		rank_of[i] = next_of[dfs[i]]++;
	free(next_of);
	return BS_OK;
}

static uint32_t class_of(uint32_t number)
{
	uint32_t e = bs_log2(number);
	return e == 0 ? 0 : 2 * e - 1 + (number >> (e - 1) & 1);
}

/* The number of the code of a gap that starts from rank `from`. n_left: the terms left in the row,
 * including the term after the gap. */
static uint32_t code_of(uint32_t from, uint32_t n_left)
{
	static const uint8_t sizes[] = {0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 3};
	return 1 + bs_log2(from + 1) * BS_ROW_LEFT_SIZES + sizes[n_left < 10 ? n_left : 10];
}

void bs_row_count(struct bs_row_counts *counts, const uint32_t *ranks, uint32_t n)
{
	uint32_t from = 0;
	counts->classes[0][class_of(n + 1)]++;
	for (uint32_t i = 0; i < n; i++) {
		counts->classes[code_of(from, n - i)][class_of(ranks[i] - from + 1)]++;
		from = ranks[i] + 1;
	}
}

enum bs_status bs_row_codes_make(struct bs_row_codes *codes, const struct bs_row_counts *counts,
                                 struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t code = 0; code < BS_ROW_CODES && !status; code++)
		status = bs_code_smoothed(counts->classes[code], BS_ROW_CLASSES, 0,
		                          BS_ROW_CLASSES - 1, codes->lengths[code],
		                          codes->values[code], err);
	return status;
}

void bs_row_codes_write(const struct bs_row_codes *codes, struct bs_file_writer *writer)
{
	bs_file_writer_section(writer, BS_SECTION_ROW_CODES, 0);
	for (uint32_t code = 0; code < BS_ROW_CODES; code++) {
		uint8_t nibbles[BS_ROW_CLASSES / 2];
		bs_code_nibbles(codes->lengths[code], BS_ROW_CLASSES, nibbles);
		bs_file_writer_bytes(writer, nibbles, sizeof(nibbles));
	}
}

static void put_number(struct bs_row_writer *rows, uint32_t code, uint32_t number)
{
	uint32_t e = bs_log2(number), n_below = e > 1 ? e - 1 : 0;
	bs_bits_put_code(&rows->bits, rows->codes->values[code][class_of(number)]);
	bs_bits_put(&rows->bits, number & ((1u << n_below) - 1), n_below);
}

static void put_piece(struct bs_row_writer *rows)
{
	bs_file_writer_bytes(rows->writer, rows->bytes.data, rows->bytes.used_bytes);
	bs_buffer_clear(&rows->bytes);
}

enum bs_status bs_row_put(struct bs_row_writer *rows, const uint32_t *ranks, uint32_t n,
                          struct bs_error *err)
{
	uint32_t from = 0;
	enum bs_status status =
		bs_buffer_reserve(&rows->bytes, ((size_t)n + 1) * MOST_NUMBER_BITS / 8 + 16, err);
	if (status)
		return status;
	rows->bits.to = &rows->bytes;
	put_number(rows, 0, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		put_number(rows, code_of(from, n - i), ranks[i] - from + 1);
		from = ranks[i] + 1;
	}
	if (rows->bytes.used_bytes >= PIECE_BYTES)
		put_piece(rows);
	return BS_OK;
}

enum bs_status bs_row_writer_end(struct bs_row_writer *rows, struct bs_error *err)
{
	static const uint8_t pad[BS_BITS_PAD_BYTES];
	enum bs_status status = bs_buffer_reserve(&rows->bytes, 16, err);
	rows->bits.to = &rows->bytes;
	if (!status) {
		bs_bits_end(&rows->bits);
		put_piece(rows);
		bs_file_writer_bytes(rows->writer, pad, sizeof(pad));
	}
	bs_buffer_deinit(&rows->bytes);
	return status;
}

enum bs_status bs_row_codes_read(struct bs_code_set *codes, const struct bs_container *file,
                                 struct bs_error *err)
{
	struct bs_section section = bs_container_section(file, BS_SECTION_ROW_CODES, 0);
	bool valid = section.n_bytes == BS_ROW_CODES_BYTES;
	*codes = (struct bs_code_set){.codes = NULL};
	enum bs_status status = valid ? bs_section_touch(&section, 0, section.n_bytes, err) : BS_OK;
	if (!status && valid)
		status = bs_code_set_init(codes, BS_ROW_CODES, err);
	if (status)
		return status;
	for (uint32_t code = 0; code < BS_ROW_CODES && valid && !status; code++)
		status = bs_code_read(codes, code, section.data + code * BS_ROW_CLASSES / 2, NULL,
		                      BS_ROW_CLASSES, &valid, err);
	if (valid)
		bs_code_set_finish(codes, status ? 0 : BS_ROW_CODES);
	return status || valid ? status
	                       : bs_container_corrupt(file, err,
	                                              "the codes of rows' terms break their rules");
}

static enum bs_status corrupt(const struct bs_row_reader *rows, struct bs_error *err)
{
	return bs_container_corrupt(rows->section.file, err, "the terms of rows do not decode");
}

enum bs_status bs_row_reader_open(struct bs_row_reader *rows, const struct bs_code_set *codes,
                                  struct bs_section section, uint32_t n_terms, struct bs_error *err)
{
	*rows = (struct bs_row_reader){
		.codes = codes->codes, .section = section, .n_terms = n_terms};
	if (section.n_bytes < BS_BITS_PAD_BYTES)
		return corrupt(rows, err);
	rows->bits = (struct bs_bits){.at = section.data,
	                              .end = section.data + section.n_bytes - BS_BITS_PAD_BYTES};
	return bs_section_touch(&section, 0, section.n_bytes, err);
}

/* Decodes a number; false if it is invalid. */
static inline bool get_number(struct bs_row_reader *rows, uint32_t code, uint64_t *number_out)
{
	if (!bs_bits_fill(&rows->bits))
		return false;
	uint32_t coded = bs_code_get(&rows->codes[code], rows->bits.window), class = coded >> 4;
	if (!coded || class + 1 == BS_ROW_CLASSES)
		return false;
	bs_bits_skip(&rows->bits, BS_CODED_BITS(coded));
	if (class == 0) {
		*number_out = 1;
		return true;
	}
	uint32_t n_below = (class - 1) / 2;
	if (!bs_bits_fill(&rows->bits))
		return false;
	*number_out =
		(UINT64_C(2) | ((class - 1) & 1)) << n_below | bs_bits_take(&rows->bits, n_below);
	return true;
}

enum bs_status bs_row_next(struct bs_row_reader *rows, struct bs_u32s *ranks, struct bs_error *err)
{
	uint64_t number, from = 0;
	bs_vector_clear(ranks);
	if (!get_number(rows, 0, &number) || number - 1 > rows->n_terms)
		return corrupt(rows, err);
	uint32_t n = (uint32_t)(number - 1);
	enum bs_status status = bs_vector_reserve(ranks, (size_t)n + 1, err);
	if (status)
		return status;
	uint32_t *to = ranks->items;
	for (uint32_t i = 0; i < n; i++) {
		if (!get_number(rows, code_of((uint32_t)from, n - i), &number) ||
		    from + number > rows->n_terms)
			return corrupt(rows, err);
		to[i] = (uint32_t)(from + number - 1);
		from += number;
	}
	bs_vector_set_n(ranks, (size_t)n);
	return BS_OK;
}
