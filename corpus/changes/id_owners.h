/*
 * id_owners.h: which of the documents read in this run owns an id. A later record with the same id
 * takes the id over, and the earlier document is dead from then on. Holds the ids of the source
 * that is being read, and the dead documents of each segment of the run.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/store/doc_table.h"
#include "core/store/segment.h"
#include "corpus/read/source.h"

/* A document of this run. */
struct bs_id_place {
	uint32_t segment; /* counted within the run, from 0 */
	uint32_t document;
};

/* A segment written in this run, or the one in the indexing buffer. */
struct bs_id_owners_segment {
	/* the folder of its file, borrowed; NULL while in the indexing buffer */
	const struct bs_dir *dir;
	uint64_t number; /* number of its file */
	/* number of its first document; numbers continue from one segment of the run to the next */
	uint64_t first;
	uint32_t n_documents;  /* number of documents up to the last one that took an id */
	struct bs_buffer dead; /* bit d % 8 of byte d / 8: document d is dead */
	uint64_t n_dead;
	struct bs_segment opened; /* valid if is_open: opened when an id is looked up in it */
	bool is_open;
};

#define BS_ID_OWNERS_NUMBER_BITS 16u /* number_bits of an empty table */

/* Zero-initialise all but `accumulated`; release with bs_id_owners_deinit. One thread. */
struct bs_id_owners {
	/* Hash table of the owners: open addressing, linear probing; 0: empty. The lower
	 * number_bits of a slot are the document's number, counted from first_number, plus 1. The
	 * bits above are the upper bits of the id's hash; the highest slots_log2 of these are the
	 * home slot. If the hash bits of a slot are those of the wanted id, the ids are
	 * compared. */
	uint64_t *slots;
	uint32_t slots_log2; /* 0: no slots */
	uint32_t number_bits;
	uint64_t first_number;
	uint64_t n_used;
	/* Ids that arrive in ascending byte order, as row numbers do, need no slots. n_ordered
	 * counts them: documents first_number to first_number + n_ordered - 1. They are found by
	 * binary search; after many searches (n_searches) they get slots. */
	uint64_t n_ordered;
	uint64_t n_searches;
	struct bs_buffer last_ordered; /* the greatest ordered id */
	struct bs_buffer slots_file;   /* holds the slots if they need more than most_bytes */
	/* borrowed; temporary files for slots and for names that are looked up; NULL: both stay in
	 * memory */
	struct bs_spill *spill;
	/* slots are put into a temporary file if bs_id_owners_bytes would exceed this */
	uint64_t most_bytes;
	/* documents in the indexing buffer, borrowed */
	const struct bs_doc_table_builder *accumulated;
	struct bs_id_owners_segment *segments; /* the last one is in the indexing buffer */
	uint32_t n_segments;
	uint64_t n_dead;
	/* scratch */
	struct bs_buffer id, other_id;
};
void bs_id_owners_deinit(struct bs_id_owners *owners);

/* Forgets the ids of the previous source, because ids are unique only within a source. */
void bs_id_owners_start_source(struct bs_id_owners *owners);
/* Bytes of the slots, including the old ones that exist while slots are enlarged. */
uint64_t bs_id_owners_bytes(const struct bs_id_owners *owners);

/* The documents in the indexing buffer (if any) are now file seg-NUMBER of dir; the next segment
 * begins. BS_NO_MEMORY. */
enum bs_status bs_id_owners_next_segment(struct bs_id_owners *owners, const struct bs_dir *dir,
                                         uint64_t number, struct bs_error *err) BS_WARN_UNUSED;

/* Prefetches the slot that bs_id_owners_take will soon read for a record with this name, flags and
 * place. */
void bs_id_owners_prefetch(struct bs_id_owners *owners, const struct bs_source *source,
                           const struct bs_doc_record *record);

/* Makes document `document` of the current segment the owner of the record's id, and marks the
 * earlier owner, if any, dead. The caller then adds the record to accumulated. BS_NO_MEMORY,
 * BS_INVALID (2^32 records of one source in a run), and errors of opening an earlier segment of the
 * run. */
enum bs_status bs_id_owners_take(struct bs_id_owners *owners, const struct bs_source *source,
                                 const struct bs_doc_record *record, uint32_t document,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* Looks up the owner of the record's id. *is_owned_out: a document of this source that was read in
 * this run owns the record's id. *is_same_out: that document also has the same checksum. Errors:
 * see bs_id_owners_take. */
enum bs_status bs_id_owners_find(struct bs_id_owners *owners, const struct bs_source *source,
                                 const struct bs_doc_record *record, bool *is_owned_out,
                                 bool *is_same_out, struct bs_error *err) BS_WARN_UNUSED;

/* Looks up the owner of the record's id. *lives_out: the document that owns the record's id is not
 * dead; *place_out is then its place. Errors: see bs_id_owners_take. */
enum bs_status bs_id_owners_lives(struct bs_id_owners *owners, const struct bs_source *source,
                                  const struct bs_doc_record *record, bool *lives_out,
                                  struct bs_id_place *place_out,
                                  struct bs_error *err) BS_WARN_UNUSED;

/* Marks all documents dead that were read from the current source, and forgets its ids.
 * BS_NO_MEMORY. */
enum bs_status bs_id_owners_withdraw(struct bs_id_owners *owners,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Marks a document dead. BS_NO_MEMORY. */
enum bs_status bs_id_owners_kill(struct bs_id_owners *owners, struct bs_id_place place,
                                 struct bs_error *err) BS_WARN_UNUSED;

/* *bits_out: the dead documents of segment i as (n_docs + 7) / 8 bytes, borrowed; NULL if there are
 * none. BS_NO_MEMORY. */
enum bs_status bs_id_owners_dead(struct bs_id_owners *owners, uint32_t i, uint64_t n_docs,
                                 const uint8_t **bits_out, uint64_t *n_dead_out,
                                 struct bs_error *err) BS_WARN_UNUSED;
