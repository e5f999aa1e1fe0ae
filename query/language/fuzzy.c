/* fuzzy.c: see fuzzy.h. */
#include "query/language/fuzzy.h"

#include <stdlib.h>
#include <string.h>

#include "core/bitsift/terminal.h"

/*
 * Row i contains the distance between the first i code points of the term and each prefix of the
 * word. It has only prefixes whose length differs from i by at most max_distance, because all
 * others are too far away. A term longer than the word by more than max_distance does not match,
 * which limits the number of rows.
 */
struct bs_fuzzy {
	uint32_t max_distance;
	uint32_t n_word;   /* code points of the word */
	uint32_t max_rows; /* rows after row 0: n_word + max_distance + 1 */
	int32_t *word;
	int32_t *term;      /* the code points whose rows are valid */
	uint32_t *ends;     /* ends[i]: bytes of the term through code point i */
	uint32_t row_cells; /* 2 * max_distance + 1, plus a cell of TOO_FAR on either side */
	uint32_t *rows;     /* max_rows + 1 rows */
	uint32_t n_valid;   /* valid rows after row 0 */
	/* No term that begins with the first dead_bytes bytes of the last term can match. 0: no
	 * such prefix is known. */
	uint32_t dead_bytes;
};

/* Larger than max_distance. Not the largest number, so that 1 can be added. */
#define TOO_FAR UINT16_MAX

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The cell of row i for the first j code points of the word; |i - j| <= max_distance + 1. */
static uint32_t *cell(const struct bs_fuzzy *fuzzy, uint32_t i, uint32_t j)
{
	return fuzzy->rows + (size_t)i * fuzzy->row_cells + (j + fuzzy->max_distance + 1 - i);
}

static void start_row(struct bs_fuzzy *fuzzy, uint32_t i)
{
	for (uint32_t j = 0; j < fuzzy->row_cells; j++)
		fuzzy->rows[(size_t)i * fuzzy->row_cells + j] = TOO_FAR;
}

enum bs_status bs_fuzzy_new(const uint8_t *word, uint32_t word_bytes, uint32_t max_distance,
                            struct bs_fuzzy **fuzzy_out, struct bs_error *err)
{
	uint32_t n_word = 0;
	for (size_t at = 0; at < word_bytes; n_word++)
		(void)bs_utf8_next(word, word_bytes, &at);
	size_t n_rows = (size_t)n_word + max_distance + 2, row_cells = 2 * max_distance + 3;
	size_t n_bytes =
		sizeof(struct bs_fuzzy) + (n_word + n_rows * (row_cells + 2)) * sizeof(uint32_t);
	struct bs_fuzzy *fuzzy = calloc(1, n_bytes);
	*fuzzy_out = fuzzy;
	if (!fuzzy)
		return bs_fail_memory(err, "a fuzzy word", n_bytes);
	fuzzy->max_distance = max_distance;
	fuzzy->n_word = n_word;
	fuzzy->max_rows = (uint32_t)n_rows - 1;
	fuzzy->row_cells = (uint32_t)row_cells;
	fuzzy->word = (int32_t *)(fuzzy + 1);
	fuzzy->term = fuzzy->word + n_word;
	fuzzy->ends = (uint32_t *)(fuzzy->term + n_rows);
	fuzzy->rows = fuzzy->ends + n_rows;
	for (size_t at = 0, i = 0; at < word_bytes; i++)
		fuzzy->word[i] = bs_utf8_next(word, word_bytes, &at);
	start_row(fuzzy, 0);
	for (uint32_t j = 0; j <= max_distance && j <= n_word; j++)
		*cell(fuzzy, 0, j) = j;
	return BS_OK;
}

void bs_fuzzy_free(struct bs_fuzzy *fuzzy)
{
	free(fuzzy);
}

/* Fills row i (>= 1) for code point term[i - 1] and returns its minimum. */
static uint32_t fill_row(struct bs_fuzzy *fuzzy, uint32_t i)
{
	int32_t c = fuzzy->term[i - 1];
	uint32_t k = fuzzy->max_distance, smallest = TOO_FAR;
	start_row(fuzzy, i);
	if (i <= k)
		smallest = *cell(fuzzy, i, 0) = i;
	for (uint32_t j = i > k ? i - k : 1; j <= least(i + k, fuzzy->n_word); j++) {
		uint32_t value = least(*cell(fuzzy, i - 1, j), *cell(fuzzy, i, j - 1)) + 1;
		value = least(value, *cell(fuzzy, i - 1, j - 1) + (fuzzy->word[j - 1] != c));
		if (i > 1 && j > 1 && fuzzy->word[j - 2] == c &&
		    fuzzy->word[j - 1] == fuzzy->term[i - 2])
			value = least(value, *cell(fuzzy, i - 2, j - 2) + 1);
		*cell(fuzzy, i, j) = value;
		smallest = least(smallest, value);
	}
	return smallest;
}

static uint32_t row_least(const struct bs_fuzzy *fuzzy, uint32_t i)
{
	const uint32_t *row = fuzzy->rows + (size_t)i * fuzzy->row_cells;
	uint32_t smallest = TOO_FAR;
	for (uint32_t j = 0; j < fuzzy->row_cells; j++)
		smallest = least(smallest, row[j]);
	return smallest;
}

uint32_t bs_fuzzy_distance(struct bs_fuzzy *fuzzy, const uint8_t *term, uint32_t term_bytes,
                           uint32_t shared_bytes)
{
	if (fuzzy->dead_bytes && shared_bytes >= fuzzy->dead_bytes)
		return UINT32_MAX;
	fuzzy->dead_bytes = 0;
	while (fuzzy->n_valid > 0 && fuzzy->ends[fuzzy->n_valid - 1] > shared_bytes)
		fuzzy->n_valid--;
	size_t at = fuzzy->n_valid > 0 ? fuzzy->ends[fuzzy->n_valid - 1] : 0;
	while (at < term_bytes) {
		uint32_t i = fuzzy->n_valid + 1;
		if (i > fuzzy->max_rows) {
			fuzzy->dead_bytes = (uint32_t)at + 1;
			return UINT32_MAX;
		}
		fuzzy->term[i - 1] = bs_utf8_next(term, term_bytes, &at);
		fuzzy->ends[i - 1] = (uint32_t)at;
		fuzzy->n_valid = i;
		/* If all cells of row i exceed max_distance, so do those of the later rows, except
		 * that a swap computes row i + 1 from row i - 1 at the cost of one edit. Therefore
		 * row i - 1 plus one edit must exceed max_distance, too. */
		if (fill_row(fuzzy, i) > fuzzy->max_distance &&
		    row_least(fuzzy, i - 1) >= fuzzy->max_distance) {
			fuzzy->dead_bytes = (uint32_t)at;
			return UINT32_MAX;
		}
	}
	uint32_t i = fuzzy->n_valid;
	if (i + fuzzy->max_distance < fuzzy->n_word ||
	    *cell(fuzzy, i, fuzzy->n_word) > fuzzy->max_distance)
		return UINT32_MAX;
	return *cell(fuzzy, i, fuzzy->n_word);
}
