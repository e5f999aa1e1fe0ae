/*
 * shard_plan.h: data that the shards of a segment share. Terms get places by descending df, and
 * documents' terms are rewritten as places. So they take fewer bytes, and the data of the terms
 * with most postings is contiguous, in arrays by place, and stays in the cache. Terms of a single
 * document, which come last, have little data. In the same pass documents are weighed, and the tfs
 * of words are encoded (core/matrix/tf_code.h).
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

/* Numbers of columns of each level, packed in a word, for sums over a chunk of terms. */
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

/* A term read from a lexicon. */
struct bs_lexicon_term {
	uint64_t hash; /* bs_hash_term */
	uint32_t df;
	bool is_pair;
};

#define BS_NOTE_KINDS 64u
/* the term has tf levels; the other bits are its index in treatments->entries */
#define BS_KIND_HAS_LEVELS 0x80u
_Static_assert(BS_MAX_TREATMENTS <= BS_KIND_HAS_LEVELS, "a treatment fits beside it");

/* The fields up to progress are the input; what they point to is borrowed. */
struct bs_shard_plan {
	const struct bs_indexing_buffer *indexing_buffer;
	/* by ordinal, used until places are made; NULL: terms are those of the indexing buffer */
	const struct bs_lexicon_term *lexicon;
	uint32_t n_terms;
	const struct bs_term_treatment_table *treatments;
	const struct bs_tf_levels *tf_levels;
	const struct bs_kernel *kernel;
	double density;
	double exact_share;
	/* for tests: keep coarse levels in every shard, however small */
	bool keep_coarse;
	uint32_t measured_blocks;     /* sample for choosing widths; 0: all blocks */
	struct bs_progress *progress; /* nullable: receives the documents whose bits are set */
	/* Owned. Order of places: frequent terms, other terms of several documents, terms of one
	 * document. */
	uint64_t *hashes; /* by place; in of_hashes */
	struct bs_buffer of_hashes;
	uint32_t *ordinals; /* by place: the ordinal in the lexicon */
	uint8_t *kinds;     /* by place; [n_repeated] is for all terms of one document */
	struct bs_frequent_term *frequent;
	uint32_t *by_ordinal; /* places of the frequent terms in lexicon order */
	uint32_t n_frequent;
	uint32_t n_repeated; /* terms of several documents, and frequent terms */
	/* by treatment: columns at each level, packed; the last element is 0, for exact columns */
	uint64_t columns[BS_NOTE_KINDS];
};

/* Completes a plan whose fields up to progress are set, and rewrites the documents of its indexing
 * buffer as places. sorted: term numbers in lexicon order. docs_out: by document, input of size
 * classes. Statuses of bs_renumber. */
enum bs_status bs_shard_plan_make(struct bs_shard_plan *plan,
                                  struct bs_indexing_buffer *indexing_buffer,
                                  const uint32_t *sorted, uint32_t n_threads,
                                  struct bs_size_class_doc *docs_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* Makes the plan from the terms of a lexicon, for documents that will be added as places:
 * place_of[0..n_terms) by ordinal. least_frequent: terms with at least this df may have exact
 * columns. BS_NO_MEMORY. */
enum bs_status bs_shard_plan_of_lexicon(struct bs_shard_plan *plan, double least_frequent,
                                        uint32_t *place_of, struct bs_error *err) BS_WARN_UNUSED;
void bs_shard_plan_deinit(struct bs_shard_plan *plan);

/* The index of a place in arrays for repeated terms, whose last element is for terms of one
 * document. */
static inline uint32_t bs_shard_plan_repeated(const struct bs_shard_plan *plan, uint32_t place)
{
	return place < plan->n_repeated ? place : plan->n_repeated;
}

/* A document's tf code (no bytes if the tf of each word is 1), and how many of its next terms, at
 * the beginning, have a higher tf. */
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

/* How many of the next n_chunk terms have tf > 1; subtracts them. */
static inline uint32_t bs_row_tfs_next(struct bs_row_tfs *tfs, uint32_t n_chunk)
{
	uint32_t n = tfs->n_terms < n_chunk ? tfs->n_terms : n_chunk;
	tfs->n_terms -= n;
	return n;
}

/* Number of tf levels that a term reaches in a document. */
static inline uint32_t bs_shard_plan_levels(const struct bs_shard_plan *plan, uint32_t place,
                                            const struct bs_row_tfs *tfs)
{
	if (!(plan->kinds[bs_shard_plan_repeated(plan, place)] & BS_KIND_HAS_LEVELS))
		return 0;
	return bs_tf_levels_of(plan->tf_levels,
	                       bs_tf_decode(tfs->bits, tfs->n_bytes, plan->hashes[place]));
}

#define BS_NOTE_IS_CODED  0x80u /* a word whose tf is encoded */
#define BS_NOTE_IS_LISTED 0x40u /* a term of the rare-term lists */
#define BS_NOTE_KIND      0x3fu /* index in plan->columns */

/*
 * Replaces term number i by place_of[i] in all documents of the indexing buffer, with n_threads,
 * and fills its tf_table. Of the plan, only hashes, n_repeated, columns and kernel are used. notes:
 * by place; [n_repeated] is for all further places. docs_out[d]: number of terms of document d,
 * their columns, and how many are in rare-term lists. After a failure (BS_NO_MEMORY) the indexing
 * buffer can only be cleared.
 */
enum bs_status bs_renumber(struct bs_indexing_buffer *indexing_buffer,
                           const struct bs_shard_plan *plan, const uint32_t *place_of,
                           const uint8_t *notes, uint32_t n_threads,
                           struct bs_size_class_doc *docs_out, struct bs_error *err) BS_WARN_UNUSED;
