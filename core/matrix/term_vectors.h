/*
 * term_vectors.h: the terms of the rows of a matrix: a forward index, of which the matrix can be
 * made. Condensed segments have it.
 *
 * Terms have ranks here: by descending df, those of one df by their ordinals. A row is the number
 * of its terms and their ranks, ascending, each as how many ranks it passes over. If rows drew
 * their terms independently of each other, such a gap would be geometric, with a mean that depends
 * on the rank it starts from. So gaps are coded by classes of their size, in a Huffman code for
 * each size of that rank and each number of terms still to come: few terms left are rare ones, far
 * away.
 *
 *      gap + 1 = 2^e + m:   class 0 if e = 0, else 2 e - 1 + the highest bit of m;  then the e - 1
 *        bits below it
 *
 * That is the entropy of such rows within a hundredth, which is that of lists of rows by terms,
 * too: of a million rows of 21 terms, 8.8 bits for each posting of a term that 17 of them or more
 * have. Columns and false positives, compressed, take 18.6 for the same; but they can be searched.
 * The terms of a document have four coders. They share sorts, samples (run_samples.h) and prefix
 * codes, but not a code: each is the cheapest for its own use, and none comes near it in another's.
 * Measured on 3,000 documents of 163 terms, of 6,000 by Zipf's law:
 *
 *      coder                             bits/posting  instructions to write one  use
 *      groups (batch/indexing_buffer.h)          15.7          21    memory while indexing; in any
 *        order
 *      forward indexes (forward_index.h)         7.9         128    look-up of a term, without a
 *        table of codes
 *      rare-term lists (rare_term_list.h)               6.7         103    look-up of a rare term
 *        in documents that share a list
 *      rows (here)                            4.9          70    reading whole rows, one after the
 *        other
 *
 * In FORMAT.md: sections 66 and 67.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/vector.h"
#include "core/collections/prefix_code.h"
#include "core/file/container.h"

#define BS_ROW_CLASSES 64u /* of numbers; the last one is not used */
/* of the rank that a gap starts from: the place of its highest bit */
#define BS_ROW_RANK_SIZES 32u
#define BS_ROW_LEFT_SIZES 4u /* of the number of terms still to come */
/* the first is of the number of terms */
#define BS_ROW_CODES       (1u + BS_ROW_RANK_SIZES * BS_ROW_LEFT_SIZES)
#define BS_ROW_CODES_BYTES (BS_ROW_CODES * BS_ROW_CLASSES / 2)

/* rank_of[0..n_terms): the rank of each ordinal, by their dfs. most_df: none is greater.
 * BS_NO_MEMORY. */
enum bs_status bs_row_ranks(const uint32_t *dfs, uint32_t n_terms, uint32_t most_df,
                            uint32_t *rank_of, struct bs_error *err) BS_WARN_UNUSED;

/* Writing: some rows are counted, then the codes are made for what was in them, then all rows are
 * coded. */

struct bs_row_counts {
	uint64_t classes[BS_ROW_CODES][BS_ROW_CLASSES];
};
/* ranks ascend, none twice. */
void bs_row_count(struct bs_row_counts *counts, const uint32_t *ranks, uint32_t n);

struct bs_row_codes {
	uint8_t lengths[BS_ROW_CODES][BS_ROW_CLASSES];
	uint32_t values[BS_ROW_CODES][BS_ROW_CLASSES]; /* bs_code_values */
};
/* Any rows can be coded with them. BS_NO_MEMORY. */
enum bs_status bs_row_codes_make(struct bs_row_codes *codes, const struct bs_row_counts *counts,
                                 struct bs_error *err) BS_WARN_UNUSED;
void bs_row_codes_write(const struct bs_row_codes *codes, struct bs_file_writer *writer);

/* Rows of one shard, one after the other. Zero-initialise but for codes and writer. */
struct bs_row_writer {
	const struct bs_row_codes *codes;
	struct bs_file_writer *writer; /* of whose section they become the next bytes */
	struct bs_buffer bytes;
	struct bs_bits_writer bits;
};
enum bs_status bs_row_put(struct bs_row_writer *rows, const uint32_t *ranks, uint32_t n,
                          struct bs_error *err) BS_WARN_UNUSED;
/* After the last row; releases it, also after a failure. */
enum bs_status bs_row_writer_end(struct bs_row_writer *rows, struct bs_error *err) BS_WARN_UNUSED;

/* Reading. */

/* The codes of a file, for bs_code_set_deinit, also after a failure. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_row_codes_read(struct bs_code_set *codes, const struct bs_container *file,
                                 struct bs_error *err) BS_WARN_UNUSED;

struct bs_row_reader {
	const struct bs_code *codes;
	struct bs_section section;
	struct bs_bits bits;
	uint32_t n_terms; /* ranks are below it */
};
/* Of a shard's section, which is verified. BS_CORRUPT. */
enum bs_status bs_row_reader_open(struct bs_row_reader *rows, const struct bs_code_set *codes,
                                  struct bs_section section, uint32_t n_terms,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* The ranks of the next row, as u32 in place of what the buffer holds. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_row_next(struct bs_row_reader *rows, struct bs_u32s *ranks,
                           struct bs_error *err) BS_WARN_UNUSED;
