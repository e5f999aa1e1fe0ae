/*
 * shard.h: opens and reads a shard, the bit-sliced matrix of up to 262,144 documents.
 *
 *                document columns (level of rank 0)           block columns (rank 9)
 *            column 0  column 1  column 2 ... column m-1       one line each: bit b is
 *   block 0  [line]    [line]    [line]       [line]           "block b has a document
 *   block 1  [line]    [line]    [line]       [line]            with this bit" (in a shard
 *     ...                                                       of more than 256 blocks)
 *
 * A line is 512 documents. A term has a few columns of each level; the AND of these columns leaves
 * the documents that may have the term. In the file, columns follow each other, each from block 0
 * to the last, so that an AND reads them in order.
 *
 * Document (block b, lane l) is row 512 b + l of the shard. A group column (rank 3) has one line
 * per 8 blocks: lane l, counted through all its lines, is set if any of the rows 8l..8l+7 has the
 * bit. So word b of a group column represents block b, one bit for eight documents, and
 * neighbouring documents that share words share bits. (In BitFunnel, a bit of a coarse column
 * represents the same lane of eight consecutive lines. Its coarse columns can be ANDed directly
 * with lines of documents; ours must first be spread to documents, each bit to eight. But there, a
 * set bit keeps eight lines of documents alive; here, it keeps one.)
 *
 * A shard of few blocks may lack a coarse level, because the level would skip little, and its lines
 * would be mostly padding. The columns that a term has at such a level become document columns
 * (bs_shard_hashes), so that its false-positive rate stays the same.
 *
 * The exact columns follow the levels: one for each frequent term, rank 0, without false positives.
 * Documents far longer than the rest, and segments too small to fill lines, have no levels. Their
 * shard has a forward index instead: the sorted list of each document's terms. Terms so frequent
 * that an exact column is smaller are not in these lists.
 */
#pragma once

#include "core/base/error.h"
#include "core/file/container.h"
#include "core/file/packed.h"
#include "core/matrix/forward_index.h"
#include "core/matrix/term_treatment.h"
#include "core/simd/kernels.h"

#define BS_SHARD_MAX_DOCS (BS_SHARD_MAX_BLOCKS * BS_LINE_BITS)

/* Columns of one level. Column c has the lines [first_line + c * n_lines, first_line + (c + 1) *
 * n_lines) of the columns section. */
struct bs_level {
	uint8_t rank; /* enum bs_level_kind (term_treatment.h) */
	/* m, the signature width. 0: a coarse level is absent, or the document level is empty. */
	uint32_t n_columns;
	/* Lines of a column: one per block at rank 0, one per 8 blocks at rank 3, one at rank 9. */
	uint32_t n_lines;
	uint64_t first_line;   /* first line of column 0 in the columns section */
	uint64_t first_column; /* index of its column 0 among all columns of the shard */
};

/* The hashed columns of a shard, level by level. */
struct bs_shard_hashed {
	uint32_t n_levels; /* 0: the shard has forward indexes instead */
	struct bs_level levels[BS_MAX_LEVELS];
	uint32_t n_columns[BS_MAX_LEVELS]; /* signature widths, for bs_shard_hashes */
	float density;                     /* target share of set bits; segment.c sets it */
};

/* The exact columns of a shard: one for each frequent term. */
struct bs_shard_exact {
	/* where the columns are; with forward indexes, only n_columns is set */
	struct bs_level level;
	struct bs_section terms; /* u32 per column: the term's ordinal, ascending */
	/* Set bits of the sparsest exact column. A term with a lower df in the segment has no exact
	 * column in this shard. */
	uint32_t least_popcount;
};

/* The forward indexes of a shard without levels: the terms of each row. */
struct bs_shard_forward {
	/* byte offsets into terms: one per row, plus one */
	struct bs_packed offsets;
	struct bs_section terms; /* ascending ordinals of each row */
	/* Exact columns: bs_forward_groups(n_docs) words per column, one bit per row. */
	struct bs_section columns;
	/* shows which of 64 lists may contain a term: see forward_index.h */
	struct bs_forward_filter filter;
};

struct bs_shard {
	uint32_t n_docs;
	uint32_t n_blocks;
	/* number of rows in the segment's earlier shards */
	uint64_t first_row;
	struct bs_shard_hashed hashed;
	struct bs_shard_exact exact;
	struct bs_shard_forward forward;
	uint32_t least_length;       /* length of the shortest document, in positions */
	struct bs_section columns;   /* columns of the levels, then the exact columns */
	struct bs_section popcounts; /* set bits: a u64 per level, a u32 per exact column */
	struct bs_packed rows;       /* the number, in the segment, of the document of each row */
};

/* A block column is one line in shards of any size. Lane l represents the 2^shift documents from
 * row l * 2^shift on, with the least shift for which 512 lanes are enough: 9 (whole blocks) in a
 * shard of more than 256 blocks, less in a smaller one. (Lanes of whole blocks would be mostly
 * padding in small shards: of 1 M documents in ten shards, block columns of the small shards would
 * cost 2 to 7 times the bits.) */
static inline uint32_t bs_shard_lane_shift(uint32_t n_docs)
{
	uint32_t shift = 0;
	while (((uint64_t)BS_LINE_BITS << shift) < n_docs)
		shift++;
	return shift;
}

/* A lane of a column of this rank represents 2^bs_level_shift consecutive rows. */
static inline uint32_t bs_level_shift(uint8_t rank, uint32_t n_docs)
{
	return rank == BS_LEVEL_BLOCK ? bs_shard_lane_shift(n_docs) : rank;
}

/* The number of used lanes in a column of this rank. */
static inline uint32_t bs_level_lanes(uint8_t rank, uint32_t n_docs)
{
	uint32_t shift = bs_level_shift(rank, n_docs);
	return (uint32_t)(((uint64_t)n_docs + (1u << shift) - 1) >> shift);
}

static inline uint32_t bs_level_lines(uint8_t rank, uint32_t n_blocks)
{
	if (rank == BS_LEVEL_BLOCK)
		return 1;
	return (n_blocks + (1u << rank) - 1) >> rank;
}

/* The shape of a shard, from its entry in the segment. */
struct bs_shard_shape {
	uint32_t n_docs;
	uint32_t n_exact;                  /* exact columns */
	bool is_forward;                   /* forward indexes instead of levels */
	uint32_t n_columns[BS_MAX_LEVELS]; /* signature widths; 0 with forward indexes */
	struct bs_forward_hashing hashing; /* hashing of the filters of forward indexes */
	uint32_t least_exact;              /* popcount of the sparsest exact column; 0: none */
	uint32_t least_length;             /* length of the shortest document, in positions */
};

/* Maximum columns of one term at one level of a shard; the document level also has those of absent
 * levels. */
#define BS_SHARD_MAX_HASHES (BS_MAX_LEVELS * BS_MAX_HASHES)

/* The number of columns that a term of this treatment has at a level of a shard with these
 * signature widths. */
static inline uint32_t bs_shard_hashes(const struct bs_term_treatment *treatment,
                                       const uint32_t n_columns[BS_MAX_LEVELS], uint32_t level)
{
	uint32_t k = treatment->n_columns[level];
	if (level > 0)
		return n_columns[level] ? k : 0;
	for (uint32_t coarse = 1; coarse < BS_MAX_LEVELS; coarse++)
		k += n_columns[coarse] ? 0 : treatment->n_columns[coarse];
	return k;
}

#define BS_SHARD_ENTRY_BYTES 32u

/* Kinds of shards in their entries. A reader refuses unknown kinds. */
enum bs_shard_kind {
	BS_SHARD_MATRIX = 0,
	BS_SHARD_FORWARD = 1,
};

/* Opens shard i of a segment file. BS_CORRUPT if its shape is impossible, or its sections do not
 * have the sizes that the shape requires. */
enum bs_status bs_shard_open(struct bs_shard *shard, const struct bs_container *file, uint32_t i,
                             const struct bs_shard_shape *shape,
                             const struct bs_term_treatment_table *treatments,
                             struct bs_error *err) BS_WARN_UNUSED;

/* Makes a shard of columns in memory, with no other sections, for the indexer, which looks for
 * false positives before it writes the shard. Borrows `columns`. */
void bs_shard_in_memory(struct bs_shard *shard, const struct bs_shard_shape *shape,
                        const struct bs_term_treatment_table *treatments, const uint64_t *columns,
                        uint64_t n_lines, float density);

/* Sets *column_out to the first line of column c of the level, and verifies the checksums of the
 * column: of all its lines or, if `live` is not NULL and the level has rank 0, at least of those of
 * the live blocks. BS_CORRUPT. */
enum bs_status bs_shard_column(const struct bs_shard *shard, const struct bs_level *level,
                               uint32_t c, const struct bs_live *live, bs_column *column_out,
                               struct bs_error *err) BS_WARN_UNUSED;

/* Read the number of set bits: of all columns of level l together, and of exact column c. The file
 * has no counts for single hashed columns. BS_CORRUPT. */
enum bs_status bs_shard_level_popcount(const struct bs_shard *shard, uint32_t l, uint64_t *n_out,
                                       struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_shard_exact_popcount(const struct bs_shard *shard, uint32_t c, uint32_t *n_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Finds the exact column of a term by its ordinal in the lexicon. *found_out is false if it has
 * none in this shard. BS_CORRUPT. */
enum bs_status bs_shard_find_exact(const struct bs_shard *shard, uint64_t term_ordinal,
                                   bool *found_out, uint32_t *column_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Forward indexes: bytes [*start_out, *end_out) of forward.terms are the row's list. BS_CORRUPT. */
enum bs_status bs_shard_forward_span(const struct bs_shard *shard, uint32_t row,
                                     uint64_t *start_out, uint64_t *end_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Forward indexes: sets *words_out to the words of exact column c in the file, one for each group
 * of 64 rows, and verifies their checksums. BS_CORRUPT. */
enum bs_status bs_shard_forward_column(const struct bs_shard *shard, uint32_t c,
                                       const uint8_t **words_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

/* Forward indexes: whether the row's list has the term, which must not have an exact column.
 * BS_CORRUPT. */
enum bs_status bs_shard_forward_find(const struct bs_shard *shard, uint32_t row,
                                     uint64_t term_ordinal, bool *has_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Forward indexes: whether the row's document has the term, by its exact column or by the list.
 * BS_CORRUPT. */
enum bs_status bs_shard_forward_has(const struct bs_shard *shard, uint32_t row,
                                    uint64_t term_ordinal, bool *has_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
