/*
 * false_positives.h: false-positive lists. The list of a frequent term has the rows that pass the
 * term's columns without having the term. With its list, the hashed columns of a term are exact.
 *
 * The indexer ANDs the columns of each frequent term as a query does and records the rows that pass
 * wrongly. These are few, because a term gets as many columns as pay off (term_treatment.c). A
 * query removes these rows from its result; the remaining rows have the term for certain, and no
 * text is read. This is a filter cascade of two stages (Chazelle et al., "The Bloomier filter",
 * 2004; Salikhov, Sacomoto and Kucherov, "Using cascading Bloom filters", 2013) whose second stage
 * is a list. A postings list costs 10 to 20 bits for each row that has the term; a false-positive
 * list costs 1 to 3. Rare terms have more false positives than matches; their exact lists are by
 * document: rare_term_list.h.
 *
 * Row numbers are those of the segment: bs_shard.first_row + row. A list is in Elias-Fano code: the
 * low bits of each row verbatim; the rest of a row is the number of its bucket, and the sizes of
 * the buckets are in unary. Format: FORMAT.md, sections 26 to 28.
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
	struct bs_packed offsets; /* byte offsets into rows: one per term, plus one */
	struct bs_section rows;   /* one list per term, then BS_FALSE_POSITIVES_PAD zero bytes */
	uint64_t n_terms;
	uint64_t n_rows; /* rows of the segment */
};

#define BS_FALSE_POSITIVES_PAD 8u /* readers load 8 bytes at any bit of a list */

/* Opens the lists of a segment file. n_rows is the number of rows of the segment. BS_CORRUPT if the
 * sections contradict each other. */
enum bs_status bs_false_positives_open(struct bs_false_positives *false_positives,
                                       const struct bs_container *file, uint64_t n_rows,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* The false positives of one term; borrows the file's bytes. */
struct bs_term_false_positives {
	const struct bs_false_positives *false_positives;
	/* a u32 for bucket 128, 256, 384 ...: the number of rows in earlier buckets */
	const uint8_t *samples;
	const uint8_t *bits; /* the low bits of all rows, then the unary part */
	/* Bit offset of the unary part in `bits`. */
	uint64_t highs_at;
	uint64_t n_buckets;
	uint32_t low_bits; /* low bits per row; the bucket of a row is row >> low_bits */
	uint32_t n;        /* number of rows; 0: the term has no list */
};

/* Finds the list of the term with this ordinal; list_out->n is 0 if it has none. BS_CORRUPT. */
enum bs_status bs_false_positives_find(const struct bs_false_positives *false_positives,
                                       uint64_t ordinal, struct bs_term_false_positives *list_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Clears the bits of the false positives in the live blocks of a shard's lines. first_row is the
 * shard's first row in the segment. BS_CORRUPT. */
enum bs_status bs_false_positives_clear(const struct bs_term_false_positives *list,
                                        uint64_t first_row, const struct bs_live *live,
                                        uint64_t *lines, struct bs_error *err) BS_WARN_UNUSED;

/* Replaces the contents of `rows` by all rows of the list, ascending. BS_CORRUPT if the list
 * differs from what the writer would write for these rows; BS_NO_MEMORY. */
enum bs_status bs_false_positives_read(const struct bs_term_false_positives *list,
                                       struct bs_u32s *rows, struct bs_error *err) BS_WARN_UNUSED;

/* The false positives of one term in one shard, as a builder collects them. */
struct bs_shard_false_positives {
	uint32_t ordinal;
	uint32_t n_rows;
	uint64_t first; /* index into the builder's rows */
};

BS_VECTOR(bs_shard_false_positives_list, struct bs_shard_false_positives);

/* Collects false positives shard by shard; each call adds one term of one shard.
 * Zero-initialise. */
struct bs_false_positives_builder {
	struct bs_shard_false_positives_list shards;
	struct bs_u32s rows;
	struct bs_buffer coded; /* scratch for the encoded lists */
};
void bs_false_positives_builder_deinit(struct bs_false_positives_builder *builder);
/* Adds rows[0..n_rows) of a term, n_rows >= 1. Rows ascend, also across calls for the same term;
 * terms may come in any order. BS_NO_MEMORY. */
enum bs_status bs_false_positives_add(struct bs_false_positives_builder *builder, uint32_t ordinal,
                                      const uint32_t *rows, uint32_t n_rows,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* Appends all that `from` has collected to `builder`. BS_NO_MEMORY. */
enum bs_status bs_false_positives_join(struct bs_false_positives_builder *builder,
                                       const struct bs_false_positives_builder *from,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* Writes the three sections of the lists. n_rows is the number of rows of the segment. Reorders
 * builder->shards. BS_NO_MEMORY. */
enum bs_status bs_false_positives_write(struct bs_false_positives_builder *builder, uint64_t n_rows,
                                        struct bs_file_writer *writer,
                                        struct bs_error *err) BS_WARN_UNUSED;
