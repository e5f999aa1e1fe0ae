/*
 * slab_plan.h: what the slabs of a segment share. Terms get places: those that are in several documents, the frequent ones
 * first. All that slabs know of a term goes by its place, in dense arrays, and of the many terms of one document there is
 * nothing to know. So a posting costs a look at a small part of memory, asked for a chunk of terms at a time.
 */
#ifndef BS_INDEXER_SLAB_PLAN_H
#define BS_INDEXER_SLAB_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bytes.h"
#include "core/kernels.h"
#include "core/status.h"
#include "core/tf_levels.h"
#include "core/treatment.h"
#include "indexer/gather.h"

/* One that may get an exact column in some slab, or have exceptions. */
struct bs_frequent_term {
	uint32_t number;
	uint32_t ordinal; /* in the lexicon */
	bool has_exceptions;
};

struct bs_slab_plan {
	const struct bs_gather *gather;
	const struct bs_treatment_table *treatments;
	const struct bs_tf_levels *tf_levels;
	const struct bs_kernel *kernel;
	double density;
	double exact_share;
	bool keep_coarse; /* for tests: coarse levels in every slab, however small */
	uint32_t measured_blocks; /* of a slab, by which widths are chosen; 0: all */
	/* Owned. */
	uint32_t *place_of;   /* by term number: 1..n_frequent of frequent terms, up to n_repeated of others that are in several
	                       * documents, both in the order of numbers; 0 of the rest */
	uint64_t *hashes;     /* by place; of place 0: see bs_slab_plan_hash */
	uint8_t *treatment_of; /* by place: index into treatments->entries */
	bool *has_levels;     /* by place: tf levels */
	uint8_t *weights;     /* by place: columns of all levels; 0 of a term that is taken to get an exact column */
	struct bs_frequent_term *frequent; /* by place - 1 */
	uint32_t n_frequent;
	uint32_t n_repeated;
};

/* Completes a plan whose fields up to measured_blocks are set. ordinal_of: by term number, only looked at here. */
enum bs_status bs_slab_plan_make(struct bs_slab_plan *plan, const uint32_t *ordinal_of, struct bs_error *err)
	BS_WARN_UNUSED;
void bs_slab_plan_deinit(struct bs_slab_plan *plan);

/* Hashed columns, of all levels, that a document's terms set, duplicates counted: its weight for length classes. */
uint64_t bs_slab_document_weight(const struct bs_slab_plan *plan, uint32_t document);

/* Those of one document follow each other as documents do: the dictionary is read in order. */
static inline uint64_t bs_slab_plan_hash(const struct bs_slab_plan *plan, uint32_t number, uint32_t place)
{
	return place ? plan->hashes[place] : plan->gather->terms.entries[number].hash;
}

/* ---- the terms of a document, some at a time ---- */

#define BS_TERM_CHUNK 64u /* all that is asked for of a chunk fits into the first cache */

struct bs_term_reader {
	const uint8_t *codes;
	uint32_t n_left;
};

static inline struct bs_term_reader bs_slab_plan_read(const struct bs_slab_plan *plan, uint32_t document)
{
	const struct bs_gathered_doc *doc = &bs_gather_docs(plan->gather)[document];
	return (struct bs_term_reader){doc->codes, doc->n_terms};
}

/* A document's tf code; without a byte, as every other short document has it, all its words stand there once. */
struct bs_row_tfs {
	const uint8_t *bits;
	size_t n_bytes;
};

static inline struct bs_row_tfs bs_slab_plan_tfs(const struct bs_slab_plan *plan, uint32_t document)
{
	struct bs_row_tfs tfs;
	tfs.bits = bs_tf_table_added(&plan->gather->tf_table, document, &tfs.n_bytes);
	return tfs;
}

/*
 * The next terms of the document: how many, 0 at its end. The memory is asked for their places. Varints are decoded
 * without a branch on their length, which would be guessed wrong every other time: eight bytes may be read wherever a
 * code begins (gather.h).
 */
static inline uint32_t bs_slab_plan_next(const struct bs_slab_plan *plan, struct bs_term_reader *reader,
                                         uint32_t numbers[BS_TERM_CHUNK])
{
	uint32_t n = reader->n_left < BS_TERM_CHUNK ? reader->n_left : BS_TERM_CHUNK;
	const uint8_t *at = reader->codes;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t bytes = bs_load_u64(at);
		unsigned last_bit = (unsigned)__builtin_ctzll(~bytes & UINT64_C(0x8080808080808080));
		at += last_bit / 8 + 1;
		bytes &= UINT64_MAX >> (63 - last_bit);
		numbers[i] = (uint32_t)((bytes & 0x7f) | (bytes >> 1 & 0x3f80) | (bytes >> 2 & 0x1fc000) |
		                        (bytes >> 3 & 0xfe00000) | (bytes >> 4 & 0xf0000000));
		__builtin_prefetch(&plan->place_of[numbers[i]]);
	}
	reader->codes = at;
	reader->n_left -= n;
	return n;
}

/* Their places, in a loop that waits for none of them; who needs more by place asks for it in a loop like this one. */
static inline void bs_slab_plan_places(const struct bs_slab_plan *plan, const uint32_t *numbers, uint32_t n,
                                       uint32_t places[BS_TERM_CHUNK])
{
	for (uint32_t i = 0; i < n; i++)
		places[i] = plan->place_of[numbers[i]];
}

#endif
