/*
 * term_vectors.h: term vectors: the terms of each row of a matrix, a forward index from which the
 * matrix can be rebuilt. A condensed segment has them instead of the columns.
 *
 * Here the rank of a term is its position by descending df; terms of equal df are ordered by their
 * ordinals. A row is stored as the number of its terms and their ascending ranks, each coded as the
 * gap since the previous rank. If rows drew their terms independently, a gap would be geometrically
 * distributed, with a mean that depends on the rank where the gap starts. So gaps are coded by size
 * classes. The Huffman code of a gap depends on the size of that rank and on the number of terms
 * left in the row, because the last terms of a row are rare and have large gaps.
 *
 *      gap + 1 = 2^e + m:   class 0 if e = 0, otherwise 2 e - 1 + the highest bit of m;
 *                           then the e - 1 bits below it
 *
 * This is within a hundredth of the entropy of rows with independent terms, which is also the
 * entropy of postings lists. A million rows of 21 terms take 8.8 bits for each posting of a term
 * with a df of 17 or more. Compressed columns and false positives take 18.6, but they can be
 * searched.
 *
 * There are four coders for the terms of a document. They share functions for sorting, samples
 * (run_samples.h) and prefix codes, but each has a code of its own, the cheapest for its use.
 * Measured on 3,000 documents of 163 terms, drawn from 6,000 terms by Zipf's law:
 *
 *      coder                               bits/posting   instructions/posting to write
 *      groups (indexer/batch/indexing_buffer.h)    15.7    21
 *      forward indexes (forward_index.h)            7.9   128
 *      rare-term lists (rare_term_list.h)           6.7   103
 *      term vectors (here)                          4.9    70
 *
 * Groups are used in memory while indexing, with terms in any order; forward indexes for the
 * look-up of a term without a table of codes; rare-term lists for the look-up of a rare term in
 * documents that share a list; term vectors for reading all rows in order.
 *
 * Format: FORMAT.md, sections 66 and 67.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/vector.h"
#include "core/collections/prefix_code.h"
#include "core/file/container.h"

#define BS_ROW_CLASSES 64u /* classes of numbers; the last one is unused */
/* Size classes of the rank where a gap starts: log2(rank + 1), rounded down. */
#define BS_ROW_RANK_SIZES 32u
#define BS_ROW_LEFT_SIZES 4u /* size classes of the number of terms left in the row */
/* The first code is for the number of terms. */
#define BS_ROW_CODES       (1u + BS_ROW_RANK_SIZES * BS_ROW_LEFT_SIZES)
#define BS_ROW_CODES_BYTES (BS_ROW_CODES * BS_ROW_CLASSES / 2)

/* Fills rank_of[0..n_terms) with the rank of each ordinal, by dfs. most_df: the maximum df.
 * BS_NO_MEMORY. */
enum bs_status bs_row_ranks(const uint32_t *dfs, uint32_t n_terms, uint32_t most_df,
                            uint32_t *rank_of, struct bs_error *err) BS_WARN_UNUSED;

/* Writing: count the symbols of some rows, make the codes from these counts, then encode all
 * rows. */

struct bs_row_counts {
	uint64_t classes[BS_ROW_CODES][BS_ROW_CLASSES];
};
/* Counts the symbols of a row. Ranks are strictly ascending. */
void bs_row_count(struct bs_row_counts *counts, const uint32_t *ranks, uint32_t n);

struct bs_row_codes {
	uint8_t lengths[BS_ROW_CODES][BS_ROW_CLASSES];
	uint32_t values[BS_ROW_CODES][BS_ROW_CLASSES]; /* from bs_code_values */
};
/* Makes codes that can encode any row. BS_NO_MEMORY. */
enum bs_status bs_row_codes_make(struct bs_row_codes *codes, const struct bs_row_counts *counts,
                                 struct bs_error *err) BS_WARN_UNUSED;
void bs_row_codes_write(const struct bs_row_codes *codes, struct bs_file_writer *writer);

/* Writes the rows of one shard, in order. Zero-initialise except codes and writer. */
struct bs_row_writer {
	const struct bs_row_codes *codes;
	struct bs_file_writer *writer; /* rows are appended to its current section */
	struct bs_buffer bytes;        /* coded rows that have not been passed to the writer */
	struct bs_bits_writer bits;    /* appends to `bytes` */
};
/* Encodes a row. Ranks are strictly ascending. BS_NO_MEMORY. */
enum bs_status bs_row_put(struct bs_row_writer *rows, const uint32_t *ranks, uint32_t n,
                          struct bs_error *err) BS_WARN_UNUSED;
/* Call after the last row. Frees the memory of `rows`, also after a failure. */
enum bs_status bs_row_writer_end(struct bs_row_writer *rows, struct bs_error *err) BS_WARN_UNUSED;

/* Reading: bs_row_codes_read once per file; then, for each shard, a bs_row_reader. */

/* Reads the codes of a file. Release them with bs_code_set_deinit, also after a failure.
 * BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_row_codes_read(struct bs_code_set *codes, const struct bs_container *file,
                                 struct bs_error *err) BS_WARN_UNUSED;

struct bs_row_reader {
	const struct bs_code *codes;
	struct bs_section section;
	struct bs_bits bits;
	uint32_t n_terms; /* exclusive bound of ranks */
};
/* Verifies the section of a shard and starts at its first row. BS_CORRUPT. */
enum bs_status bs_row_reader_open(struct bs_row_reader *rows, const struct bs_code_set *codes,
                                  struct bs_section section, uint32_t n_terms,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* Replaces the contents of `ranks` by the ranks of the next row. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_row_next(struct bs_row_reader *rows, struct bs_u32s *ranks,
                           struct bs_error *err) BS_WARN_UNUSED;
