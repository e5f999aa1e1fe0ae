/*
 * shard_plan.h: data that the shards of a segment share. Terms get *places* by descending df, and
 * the documents' terms are rewritten as places. So they take fewer bytes, and the data of the terms
 * with most postings is contiguous, in arrays by place, and stays in the cache. Terms of a single
 * document have the last places and little data. In the same pass, the numbers of columns that
 * documents set are counted (for size_classes.h), and the tfs of words are encoded
 * (core/matrix/tf_code.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"
#include "core/matrix/term_treatment.h"
#include "core/matrix/tf_levels.h"
#include "core/simd/kernels.h"
#include "core/system/deadline.h"
#include "indexer/batch/indexing_buffer.h"
#include "indexer/segment/size_classes.h"

/* A term that may get an exact column in some shard, or have false positives. */
struct bs_frequent_term {
	uint32_t ordinal; /* ordinal in the lexicon */
	uint32_t df;
	bool has_false_positives;
};

/* Numbers of columns of each level, packed into a 64-bit word, to sum them for a chunk of terms. */
#define BS_COUNT_BITS 21
#define BS_COUNT_MASK ((UINT64_C(1) << BS_COUNT_BITS) - 1)
_Static_assert(BS_MAX_LEVELS == 3 &&
                       BS_TERM_CHUNK * (BS_MAX_HASHES + BS_MAX_TF_LEVELS * BS_MAX_TF_COLUMNS) <=
                               BS_COUNT_MASK,
               "sums of a chunk do not overflow");

static inline uint64_t bs_count_pack(const uint8_t n_columns[BS_MAX_LEVELS])
{
	return n_columns[0] | (uint64_t)n_columns[1] << BS_COUNT_BITS |
	       (uint64_t)n_columns[2] << (2 * BS_COUNT_BITS);
}

static inline uint64_t bs_count_at(uint64_t counts, uint32_t level)
{
	return counts >> (level * BS_COUNT_BITS) & BS_COUNT_MASK;
}

/* A term of a lexicon, for plans that are made from a lexicon. */
struct bs_lexicon_term {
	uint64_t hash; /* bs_hash_term */
	uint32_t df;
	bool is_pair;
};

#define BS_NOTE_KINDS 64u /* number of values of BS_NOTE_KIND */
/* bit of a kind: the term has tf levels; the other bits are the index of its treatment */
#define BS_KIND_HAS_LEVELS 0x80u
_Static_assert(BS_MAX_TREATMENTS <= BS_KIND_HAS_LEVELS, "a treatment fits beside it");

/* The plan. The fields from here to progress are the input; pointers in them are borrowed. */
struct bs_shard_plan {
	const struct bs_indexing_buffer *indexing_buffer;
	/* by ordinal, used until places are assigned; NULL: terms are those of the indexing
	 * buffer */
	const struct bs_lexicon_term *lexicon;
	uint32_t n_terms;
	const struct bs_term_treatment_table *treatments;
	const struct bs_tf_levels *tf_levels;
	const struct bs_kernel *kernel;
	double density;
	/* a term gets an exact column in a shard if it is in at least this share of the rows */
	double exact_share;
	/* for tests: keep coarse levels in every shard, however small */
	bool keep_coarse;
	/* number of blocks of a shard that are sampled to choose its signature widths; 0: all */
	uint32_t measured_blocks;
	struct bs_progress *progress; /* nullable; counts documents when their bits are set */
	/* The fields from here on are owned. Places are in this order: frequent terms, other terms
	 * with df > 1, terms with df 1. */
	uint64_t *hashes; /* by place: hash of the term; points to the memory of of_hashes */
	struct bs_buffer of_hashes;
	uint32_t *ordinals; /* by place: the ordinal in the lexicon */
	/* by place: treatment and BS_KIND_HAS_LEVELS; [n_repeated] is for all terms of one
	 * document */
	uint8_t *kinds;
	struct bs_frequent_term *frequent;
	uint32_t *by_ordinal; /* places of the frequent terms in lexicon order */
	uint32_t n_frequent;
	uint32_t n_repeated; /* number of places before those of terms with df 1 */
	/* by treatment: its numbers of columns, packed by level; the last element, for exact
	 * columns, is 0 */
	uint64_t columns[BS_NOTE_KINDS];
};

/* Completes a plan whose fields up to progress are set, and rewrites the documents of its indexing
 * buffer as places. sorted: term numbers in lexicon order. docs_out: by document, input of
 * size_classes.h. Statuses of bs_renumber. */
enum bs_status bs_shard_plan_make(struct bs_shard_plan *plan,
                                  struct bs_indexing_buffer *indexing_buffer,
                                  const uint32_t *sorted, uint32_t n_threads,
                                  struct bs_size_class_doc *docs_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* Makes a plan from the terms of a lexicon, to restore a segment whose documents will be added as
 * places. place_of[0..n_terms): receives the place of each ordinal. least_frequent: terms with at
 * least this df may have exact columns. BS_NO_MEMORY. */
enum bs_status bs_shard_plan_of_lexicon(struct bs_shard_plan *plan, double least_frequent,
                                        uint32_t *place_of, struct bs_error *err) BS_WARN_UNUSED;
void bs_shard_plan_deinit(struct bs_shard_plan *plan);

/* The index of a place in arrays of n_repeated + 1 elements, whose last one is for all terms of one
 * document. */
static inline uint32_t bs_shard_plan_repeated(const struct bs_shard_plan *plan, uint32_t place)
{
	return place < plan->n_repeated ? place : plan->n_repeated;
}

/* The tfs of a document while its terms are read: its tf code (no bytes if the tf of each word is
 * 1), and how many of the terms to be read have tf > 1. Those come first. */
struct bs_row_tfs {
	const uint8_t *bits;
	size_t n_bytes;
	uint32_t n_terms;
};

static inline struct bs_row_tfs bs_shard_plan_tfs(const struct bs_shard_plan *plan,
                                                  uint32_t document)
{
	struct bs_row_tfs tfs;
	tfs.n_terms = plan->indexing_buffer->docs.items[document].n_repeated;
	tfs.bits = bs_tf_table_added(&plan->indexing_buffer->tf_table, document, &tfs.n_bytes);
	return tfs;
}

/* Returns how many of the next n_chunk terms have tf > 1, and advances past them. */
static inline uint32_t bs_row_tfs_next(struct bs_row_tfs *tfs, uint32_t n_chunk)
{
	uint32_t n = tfs->n_terms < n_chunk ? tfs->n_terms : n_chunk;
	tfs->n_terms -= n;
	return n;
}

/* The number of tf levels that a term reaches in a document. */
static inline uint32_t bs_shard_plan_levels(const struct bs_shard_plan *plan, uint32_t place,
                                            const struct bs_row_tfs *tfs)
{
	if (!(plan->kinds[bs_shard_plan_repeated(plan, place)] & BS_KIND_HAS_LEVELS))
		return 0;
	return bs_tf_levels_of(plan->tf_levels,
	                       bs_tf_decode(tfs->bits, tfs->n_bytes, plan->hashes[place]));
}

#define BS_NOTE_IS_CODED  0x80u /* bit of a note: the term is a word, whose tf is encoded */
#define BS_NOTE_IS_LISTED 0x40u /* bit of a note: the term is in rare-term lists */
#define BS_NOTE_KIND      0x3fu /* bits of a note: index in plan->columns */

/*
 * Replaces term number i by place_of[i] in all documents of the indexing buffer, using n_threads
 * threads, and fills the buffer's tf_table. Reads only hashes, n_repeated, columns and kernel of
 * the plan. notes: BS_NOTE_* by place; [n_repeated] is for all further places. docs_out: receives
 * by document its number of terms, the columns that they set, and how many of them are in rare-term
 * lists. BS_NO_MEMORY, BS_IO; after a failure the indexing buffer can only be cleared.
 */
enum bs_status bs_renumber(struct bs_indexing_buffer *indexing_buffer,
                           const struct bs_shard_plan *plan, const uint32_t *place_of,
                           const uint8_t *notes, uint32_t n_threads,
                           struct bs_size_class_doc *docs_out, struct bs_error *err) BS_WARN_UNUSED;
