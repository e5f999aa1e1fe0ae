/*
 * shard_plan.h: what the shards of a segment share. Terms get places by how many documents have
 * them, the most frequent one first, and documents' terms are written anew as places: so they take
 * fewer bytes, and what most postings ask for stands together, in dense arrays by place, near
 * enough to stay in cache. Of terms of one document, which come last, there is little to know. On
 * the way documents are weighed, and how often words stand in them is coded
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

/* One that may get an exact column in some shard, or have false positives. */
struct bs_frequent_term {
	uint32_t ordinal; /* in the lexicon */
	uint32_t df;
	bool has_false_positives;
};

/* Counts of columns by level in one word, for sums over a chunk of terms. */
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

/* A term, where it comes from a lexicon. */
struct bs_lexicon_term {
	uint64_t hash; /* bs_hash_term */
	uint32_t df;
	bool is_pair;
};

#define BS_NOTE_KINDS      64u
#define BS_KIND_HAS_LEVELS 0x80u /* tf levels; the rest is an index into treatments->entries */
_Static_assert(BS_MAX_TREATMENTS <= BS_KIND_HAS_LEVELS, "a treatment fits beside it");

struct bs_shard_plan {
	const struct bs_indexing_buffer *indexing_buffer;
	/* n_terms by ordinal, until places are made; NULL: terms are those of the indexing
	 * buffer */
	const struct bs_lexicon_term *lexicon;
	uint32_t n_terms;
	const struct bs_term_treatment_table *treatments;
	const struct bs_tf_levels *tf_levels;
	const struct bs_kernel *kernel;
	double density;
	double exact_share;
	bool keep_coarse;             /* for tests: coarse levels in every shard, however small */
	uint32_t measured_blocks;     /* of a shard, by which widths are chosen; 0: all */
	struct bs_progress *progress; /* nullable: told of documents whose bits are set */
	/* Owned. Places: frequent terms, then others that are in several documents, then the
	 * rest. */
	uint64_t *hashes; /* by place; in of_hashes */
	struct bs_buffer of_hashes;
	uint32_t *ordinals; /* by place: in the lexicon */
	uint8_t *kinds;     /* by place, and at n_repeated for all the rest */
	struct bs_frequent_term *frequent;
	uint32_t *by_ordinal; /* n_frequent: their places, in lexicon order */
	uint32_t n_frequent;
	uint32_t n_repeated; /* those included */
	/* by treatment, of each level, packed: BS_COUNT_BITS. The last: none */
	uint64_t columns[BS_NOTE_KINDS];
};

/* Completes a plan whose fields up to measured_blocks are set, and puts places into the documents
 * of the indexing buffer, which is that of the plan. sorted: term numbers in lexicon order.
 * docs_out: by document, what classes are made by. */
enum bs_status bs_shard_plan_make(struct bs_shard_plan *plan,
                                  struct bs_indexing_buffer *indexing_buffer,
                                  const uint32_t *sorted, uint32_t n_threads,
                                  struct bs_size_class_doc *docs_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
/* The same from the terms of a lexicon, for documents that are accumulated as places:
 * place_of[0..n_terms) by ordinal. least_frequent: terms of that df and more may have exact
 * columns. BS_NO_MEMORY. */
enum bs_status bs_shard_plan_of_lexicon(struct bs_shard_plan *plan, double least_frequent,
                                        uint32_t *place_of, struct bs_error *err) BS_WARN_UNUSED;
void bs_shard_plan_deinit(struct bs_shard_plan *plan);

/* Where a term stands among those that more is known of, or behind them. */
static inline uint32_t bs_shard_plan_repeated(const struct bs_shard_plan *plan, uint32_t place)
{
	return place < plan->n_repeated ? place : plan->n_repeated;
}

/* A document's tf code, without a byte if all its words stand there once, and how many of its
 * terms, the first, stand there more than once. */
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

/* How many of a chunk's terms those are; takes them away. */
static inline uint32_t bs_row_tfs_next(struct bs_row_tfs *tfs, uint32_t n_chunk)
{
	uint32_t n = tfs->n_terms < n_chunk ? tfs->n_terms : n_chunk;
	tfs->n_terms -= n;
	return n;
}

/* Levels that a term's tf reaches in a document. */
static inline uint32_t bs_shard_plan_levels(const struct bs_shard_plan *plan, uint32_t place,
                                            const struct bs_row_tfs *tfs)
{
	if (!(plan->kinds[bs_shard_plan_repeated(plan, place)] & BS_KIND_HAS_LEVELS))
		return 0;
	return bs_tf_levels_of(plan->tf_levels,
	                       bs_tf_decode(tfs->bits, tfs->n_bytes, plan->hashes[place]));
}

#define BS_NOTE_IS_CODED  0x80u /* a word whose tf is coded */
#define BS_NOTE_IS_LISTED 0x40u /* a rare term */
#define BS_NOTE_KIND      0x3fu /* an index into plan->columns */

/*
 * Puts place_of[i] in the place of term number i in all documents of the indexing buffer, on
 * n_threads, and fills its tf_table. Of the plan hashes, n_repeated, columns and kernel count.
 * notes: by place, and at n_repeated for all from there on. docs_out[d]: terms of document d, the
 * columns they have, how many are listed. After a failure (BS_NO_MEMORY) the indexing buffer can
 * only be cleared.
 */
enum bs_status bs_renumber(struct bs_indexing_buffer *indexing_buffer,
                           const struct bs_shard_plan *plan, const uint32_t *place_of,
                           const uint8_t *notes, uint32_t n_threads,
                           struct bs_size_class_doc *docs_out, struct bs_error *err) BS_WARN_UNUSED;
