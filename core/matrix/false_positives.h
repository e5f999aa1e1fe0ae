/*
 * false_positives.h: what makes hashed columns exact. For a frequent term, the rows that pass its
 * columns without having it.
 *
 * The indexer ANDs the columns of each such term as a query will, and writes down what is wrong: a
 * few rows, since the columns are few only as far as that pays (term_treatment.c). A query takes
 * them out again, and what is left has the term for certain: no text is read. It is a filter
 * cascade of two stages (Chazelle et al., "The Bloomier filter", 2004; Salikhov, Sacomoto and
 * Kucherov, "Using cascading Bloom filters", 2013) whose second stage is a list. Where a list of
 * the rows that have the term costs 10 to 20 bits for each of them, the lists of those that only
 * seem to costs 1 to 3. Rare terms, of which more rows pass wrongly than rightly, are listed by
 * documents instead: rare_term_list.h.
 *
 * Rows are counted through the shards of the segment: bs_shard.first_row + row. In FORMAT.md:
 * sections 26 to 28.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/vector.h"
#include "core/file/container.h"
#include "core/file/packed.h"
#include "core/simd/kernels.h"

struct bs_false_positives {
	struct bs_packed terms;   /* ordinals, ascending */
	struct bs_packed offsets; /* one a term and one more, into rows */
	struct bs_section rows;   /* a list a term, and BS_FALSE_POSITIVES_PAD zero bytes */
	uint64_t n_terms;
	uint64_t n_rows; /* of the segment */
};

#define BS_FALSE_POSITIVES_PAD 8u

/* BS_CORRUPT if the sections do not fit each other. */
enum bs_status bs_false_positives_open(struct bs_false_positives *false_positives,
                                       const struct bs_container *file, uint64_t n_rows,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* The false positives of one term; borrowed. */
struct bs_term_false_positives {
	const struct bs_false_positives *false_positives;
	/* u32: for every 128th bucket but the first, how many rows stand in those before */
	const uint8_t *samples;
	const uint8_t *bits;
	/* where the unary part begins in bits; before it the low bits of every row */
	uint64_t highs_at;
	uint64_t n_buckets;
	uint32_t low_bits;
	uint32_t n; /* rows; 0: none */
};

enum bs_status bs_false_positives_find(const struct bs_false_positives *false_positives,
                                       uint64_t ordinal, struct bs_term_false_positives *list_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Clears the bits of the false positives in the live blocks of a shard's lines. first_row: of the
 * shard, in the segment. */
enum bs_status bs_false_positives_clear(const struct bs_term_false_positives *list,
                                        uint64_t first_row, const struct bs_live *live,
                                        uint64_t *lines, struct bs_error *err) BS_WARN_UNUSED;

/* All of them, ascending, as u32 in place of what the buffer holds. BS_CORRUPT if the list is not
 * exactly as it would be written; BS_NO_MEMORY. */
enum bs_status bs_false_positives_read(const struct bs_term_false_positives *list,
                                       struct bs_u32s *rows, struct bs_error *err) BS_WARN_UNUSED;

/* What one shard added: rows of terms, the terms in any order, each once a shard. */
struct bs_shard_false_positives {
	uint32_t ordinal;
	uint32_t n_rows;
	uint64_t first; /* index into the rows */
};

/* Collects shard by shard. Zero-initialise. */
BS_VECTOR(bs_shard_false_positives_list, struct bs_shard_false_positives);

struct bs_false_positives_builder {
	struct bs_shard_false_positives_list shards;
	struct bs_u32s rows;
	struct bs_buffer coded; /* the lists, when they are written */
};
void bs_false_positives_builder_deinit(struct bs_false_positives_builder *builder);
/* rows[0..n_rows), n_rows >= 1, ascending, all after those that the term had in earlier calls. */
enum bs_status bs_false_positives_add(struct bs_false_positives_builder *builder, uint32_t ordinal,
                                      const uint32_t *rows, uint32_t n_rows,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Adds what another builder has collected: after this one's, as if it had been added here. */
enum bs_status bs_false_positives_join(struct bs_false_positives_builder *builder,
                                       const struct bs_false_positives_builder *from,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* n_rows: of the segment. */
enum bs_status bs_false_positives_write(struct bs_false_positives_builder *builder, uint64_t n_rows,
                                        struct bs_file_writer *writer,
                                        struct bs_error *err) BS_WARN_UNUSED;
